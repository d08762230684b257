// The reader's own games as a repertoire: results by opening, the tree of moves, and the moves that left the archives.

const POINTS = { "1-0": 1, "1/2-1/2": 0.5, "0-1": 0 };

/** Returns the names of players, the most frequent first, as `[name, games]`. */
export function players(games) {
  const counts = new Map();
  for (const { white, black } of games) for (const name of [white, black]) if (name) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1));
}

/** Returns the games of a player with a color (`white`, `black`), or with both. Without a player, all games. */
export const chosen = (games, me, color) => games.filter((game) =>
  !me ? true : color ? game[color] === me : game.white === me || game.black === me);

/** Returns the points of a side in a game; `undefined` without a result. */
export function points(game, side) {
  const white = POINTS[game.result];
  return white === undefined ? undefined : side === "black" ? 1 - white : white;
}

/** The side of a player in a game. Without a player, White. */
export const sideOf = (game, me) => (me && game.black === me && game.white !== me ? "black" : "white");

/** Counts the results of games from a player's side: `{games, won, drawn, lost, score}`. */
export function counted(games, me) {
  const sum = { games: games.length, won: 0, drawn: 0, lost: 0 };
  for (const game of games) {
    const scored = points(game, sideOf(game, me));
    if (scored !== undefined) sum[scored === 1 ? "won" : scored ? "drawn" : "lost"] += 1;
  }
  const known = sum.won + sum.drawn + sum.lost;
  return { ...sum, score: known ? (sum.won + sum.drawn / 2) / known : null };
}

/** Returns the openings of games, the most frequent first: `{name, ..counted}`. */
export function openings(games, me) {
  const families = new Map();
  for (const game of games) {
    const name = game.opening?.name.split(":")[0] ?? "";
    families.set(name, [...(families.get(name) ?? []), game]);
  }
  return [...families].map(([name, members]) => ({ name, ...counted(members, me) })).sort((a, b) => b.games - a.games);
}

/** Returns the moves of games in a position, in the form of `/api/v1/tree`. `position` is an answer of
 * `/api/v1/position`, which names the position and its moves. */
export function tree(games, position) {
  const none = () => ({ games: 0, white: 0, draws: 0, black: 0 });
  const [all, ended, moves] = [none(), none(), new Map()];
  const names = new Map(position.legal.map((move) => [move.uci, move.san]));
  const add = (tally, { result }) => {
    tally.games += 1;
    const side = { "1-0": "white", "1/2-1/2": "draws", "0-1": "black" }[result];
    if (side) tally[side] += 1;
  };
  const isStart = position.ply === 0;
  for (const game of games) {
    // A game from a set-up position has no moves here.
    const at = isStart && game.moves ? 0 : game.keys.indexOf(position.key) + 1;
    if (at === 0 && !(isStart && game.moves)) continue;
    add(all, game);
    const uci = game.moves.split(" ")[at];
    if (!names.has(uci)) {
      add(ended, game);
      continue;
    }
    if (!moves.has(uci)) moves.set(uci, { uci, san: names.get(uci), opening: null, ...none() });
    add(moves.get(uci), game);
  }
  return { ...all, ended, unread: [], undecided: 0, transpositions: [], moves: [...moves.values()].sort((a, b) => b.games - a.games) };
}

/** Returns the player's own moves that left the archives, the most frequent first: `{play, ply, san, games, before, ..}`,
 * where `play` leads to the position before the move. */
export function deviations(games, me) {
  const found = new Map();
  for (const game of games) {
    const { novelty } = game;
    const side = sideOf(game, me);
    if (!novelty?.ply || (novelty.ply % 2 ? "white" : "black") !== side || novelty.ply > game.keys.length) continue;
    const moves = game.moves.split(" ");
    const id = `${novelty.ply > 1 ? game.keys[novelty.ply - 2] : 0} ${moves[novelty.ply - 1]}`;
    const row = found.get(id) ?? { side, ply: novelty.ply, san: novelty.san, uci: moves[novelty.ply - 1], play: moves.slice(0, novelty.ply - 1).join(","), before: novelty.games_before, members: [] };
    row.members.push(game);
    found.set(id, row);
  }
  return [...found.values()].map((row) => ({ ...row, ...counted(row.members, me) }))
    .sort((a, b) => b.games - a.games || b.before - a.before);
}

/** The number of drawn games that are added to every score, so that a few games decide little. */
const PRIOR = 10;

/** Returns the points that a deviation has lost compared with the score of the archives' games in the position. */
export function lost({ games, won, drawn, lost: defeats, side }, archive) {
  const expected = (wins, draws, losses) => (wins + draws / 2 + PRIOR / 2) / (wins + draws + losses + PRIOR);
  const white = expected(archive.white, archive.draws, archive.black);
  return games * ((side === "white" ? white : 1 - white) - expected(won, drawn, defeats));
}

/** Returns a move with its number: `9… h5`. */
export const numbered = (ply, san) => `${Math.ceil(ply / 2)}${ply % 2 ? "." : "…"} ${san}`;
