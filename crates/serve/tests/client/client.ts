// A client that uses only the server's description. `openapi-typescript` generates `api.d.ts` from openapi.json, the
// compiler checks this file against it, and the answers must match. The first argument is the server's address.

import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

declare const process: { argv: string[] };

const baseUrl = process.argv[2]!;
const api = createClient<paths>({ baseUrl });

function expect(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`${what} is not as described`);
}

// The metadata of the archives.
const archives = (await api.GET("/api/v1/archives")).data;
expect(archives !== undefined, "archives");
const [archive] = archives.archives;
expect(archive !== undefined, "an archive");
const title: string | undefined = archive.metadata?.title;
expect(title === "Games of a month", "the title");

// A page of games, then one game with its moves.
const { data: games } = await api.GET("/api/v1/games", { params: { query: { where: "elo >= 1900", sort: "-plies", limit: 5 } } });
expect(games !== undefined && games.games.length === 5 && games.total > 5, "games");
const [row] = games.games;
expect(row !== undefined && "plies" in row, "a row");
const { data: game } = await api.GET("/api/v1/games/{n}", { params: { path: { n: row.game }, query: { fens: 1 } } });
expect(game !== undefined && game.moves.length === row.plies, "a game");
type Node = components["schemas"]["Game"]["moves"][number];
const last: Node | undefined = game.moves.at(-1);
expect(last !== undefined && last.fen !== undefined && last.san.length > 1, "a move");

// The same position in the rules and in the explorer.
const play = "e2e4,c7c5";
const { data: position } = await api.GET("/api/v1/position", { params: { query: { play } } });
const { data: tree } = await api.GET("/api/v1/tree", { params: { query: { play, transpositions: 1 } } });
expect(position !== undefined && tree !== undefined && tree.fen === position.fen, "a position");
expect(position.opening?.name === "Sicilian Defense" && position.legal.some((move) => move.san === "Nf3"), "its moves");
const played: number = tree.moves.reduce((all, move) => all + move.games, 0);
expect(played > 0 && played + tree.ended.games === tree.games, "a tree");

// Lichess's explorer counts the games with a result that continue from here.
const { data: masters } = await api.GET("/masters", { params: { query: { play, moves: 100 } } });
expect(masters !== undefined && masters.moves.length === tree.moves.length, "the explorer");

// Tournaments, statistics, a search.
const { data: events } = await api.GET("/api/v1/events", { params: { query: { limit: 2 } } });
expect(events !== undefined && events.events.length === 0, "events without a tournament");
const { data: event } = await api.GET("/api/v1/event", { params: { query: { name: "Rated Blitz game", year: "2012" } } });
expect(event !== undefined && !event.is_tournament && event.editions[0]!.year === "2012" && event.entrants > 1, "an event");
const { data: stats } = await api.GET("/api/v1/stats", { params: { query: {} } });
expect(stats?.games === archive.games, "figures");
// A search answers in lines, which the client does not support. The types of the request and of each line still apply.
type Line = components["schemas"]["Line"];
type Question = paths["/api/v1/find"]["post"]["requestBody"]["content"]["application/json"];
const question: Question = { end: "mate", limit: 3 };
const found = await fetch(`${baseUrl}/api/v1/find`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question) });
const lines = (await found.text()).trim().split("\n").map((line): Line => JSON.parse(line));
expect(lines.filter((line) => "hit" in line && line.hit !== undefined).length === 3, "a search");

// Faults are also typed.
const { data: none, error, response } = await api.GET("/api/v1/games", { params: { query: { where: "foo = 1" } } });
expect(none === undefined && error !== undefined && response.status === 400, "a fault");
const code: string = error.error.code;
expect(code === "bad_query" && error.error.column === 1, "its column");

// Undescribed requests and members do not compile.
async function wrong(): Promise<void> {
  // @ts-expect-error: there is no such route
  await api.GET("/api/v1/nothing");
  // @ts-expect-error: expects a number
  await api.GET("/api/v1/games/{n}", { params: { path: { n: "one" } } });
  // @ts-expect-error: there is no such member
  games?.pages;
}
void wrong;

console.log(`${archive.games} games, ${event.editions.length} edition`);
