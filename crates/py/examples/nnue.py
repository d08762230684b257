"""A network over HalfKP features that guesses the result for the player to move, as NNUE does:
python nnue.py games.bga [batches]"""

import sys

import torch
from torch import nn
from scoresheet.torch import PositionDataset, halfkp_bags

path, batches = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
data = PositionDataset(
    path,
    'result = "1-0" or result = "0-1"',
    what=("halfkp", "result", "turn"),
    mover=False,
    skip_plies=12,
    quiet=True,
    split=("train", 0.9, 1),
)
print(f"{len(data):,} quiet positions")

torch.manual_seed(1)


class Network(nn.Module):
    """Both sides' features are summed by one table; the mover's sum comes first."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.EmbeddingBag(41_024, 64, mode="sum")
        self.rest = nn.Sequential(nn.ReLU(), nn.Linear(128, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, features: torch.Tensor, turn: torch.Tensor) -> torch.Tensor:
        white, black = (self.table(*halfkp_bags(features[:, side])) for side in (0, 1))
        black_moves = turn.bool().unsqueeze(1)
        mover, opponent = torch.where(black_moves, black, white), torch.where(black_moves, white, black)
        return self.rest(torch.cat((mover, opponent), 1)).squeeze(1)


network = Network()
optimizer = torch.optim.Adam(network.parameters(), lr=2e-3)
done, epoch, losses = 0, 0, []
while done < batches:
    for batch in data.epoch(seed=epoch, batch_size=1024):
        won = (batch["result"].float() * (1 - 2 * batch["turn"].float()) + 1) / 2
        loss = nn.functional.binary_cross_entropy_with_logits(network(batch["halfkp"], batch["turn"]), won)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        done += 1
        if done % 50 == 0:
            print(f"batch {done}: loss {sum(losses[-50:]) / 50:.4f}")
        if done == batches:
            break
    epoch += 1
