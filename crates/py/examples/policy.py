"""A small network that guesses the move played: python policy.py games.bga [batches]"""

import sys

import torch
from torch import nn
from scoresheet import move_names
from scoresheet.torch import PositionDataset

path, batches = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
what = ("planes", "move")
train = PositionDataset(path, what=what, skip_plies=4, split=("train", 0.9, 1))
test = PositionDataset(path, what=what, skip_plies=4, split=("test", 0.9, 1))
print(f"{len(train):,} positions to learn, {len(test):,} to test")

torch.manual_seed(1)
model = nn.Sequential(
    nn.Conv2d(12, 32, 3, padding=1),
    nn.ReLU(),
    nn.Conv2d(32, 32, 3, padding=1),
    nn.ReLU(),
    nn.Flatten(),
    nn.Linear(32 * 64, len(move_names())),
)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)


def accuracy() -> float:
    batch = next(test.epoch(seed=1, batch_size=4096))
    with torch.no_grad():
        guessed = model(batch["planes"].float()).argmax(1)
    return (guessed == batch["move"]).float().mean().item()


print(f"before: {accuracy():.1%} of the moves guessed")
done, epoch = 0, 0
while done < batches:
    for batch in train.epoch(seed=epoch, batch_size=512):
        loss = nn.functional.cross_entropy(model(batch["planes"].float()), batch["move"].long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        done += 1
        if done % 50 == 0:
            print(f"batch {done}: loss {loss.item():.2f}")
        if done == batches:
            break
    epoch += 1
print(f"after: {accuracy():.1%} of the moves guessed")
