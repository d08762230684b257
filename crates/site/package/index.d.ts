/** A source of an archive's bytes. */
export interface Source {
  /** The length in bytes. */
  readonly length: number;
  /** Returns `length` bytes from `offset`, or throws. */
  read(offset: number, length: number): Uint8Array;
}

/** Values of parameters. `openapi.json` lists the parameters of each request. */
export type Params = Record<string, string | number | boolean | null | undefined>;

/** The fault of a request. */
export class Fault extends Error {
  readonly status: number;
  readonly code: string;
  /** The column of a filter's fault, from 1. */
  readonly column?: number;
}

export interface Opening { eco: string; name: string }

/** The data of a game in lists. Unknown values are null. */
export interface Heading {
  game: number;
  white: string | null;
  black: string | null;
  white_elo: number | null;
  black_elo: number | null;
  result: string;
  date: string | null;
  eco: string | null;
  opening: string | null;
  plies: number;
  event: string | null;
  /** The ply with the requested position, if any. */
  ply?: number;
}

export interface Counts {
  games: number;
  white: number;
  draws: number;
  black: number;
  unknown: number;
  rating: number | null;
  average_rating: number | null;
  performance: number | null;
  last_year: number | null;
}

export interface MoveCounts extends Counts { uci: string; san: string; game: number | null; opening: Opening | null }

export interface Tree extends Counts {
  fen: string;
  opening: Opening | null;
  moves: MoveCounts[];
  ended: { games: number; white: number; draws: number; black: number; unknown: number };
  top_games: (Heading & { uci: string; san: string })[];
  latest_games: (Heading & { uci: string; san: string })[];
  transpositions?: MoveCounts[] | null;
}

export interface Page { total: number; offset: number; undecided: number; games: Heading[]; next: string | null }

export interface Comment { kind: string; text: string; squares?: string[]; arrows?: string[] }

export interface Line { before: Comment[]; moves: MoveNode[] }

export interface MoveNode {
  ply: number;
  san: string;
  uci: string;
  fen?: string;
  nags?: number[];
  marks?: string[];
  comments?: Comment[];
  clock?: number;
  elapsed?: number;
  eval?: string;
  variations?: Line[];
}

export interface Game extends Line {
  game: number;
  archive: string;
  number: number;
  last: number;
  tags: [string, string][];
  start: string;
  result: string;
  plies: number;
  opening: (Opening & { ply: number }) | null;
  has_fault: boolean;
  is_changed: boolean;
  end: string;
}

export interface Position {
  fen: string;
  start: string;
  ply: number;
  turn: "white" | "black";
  check: boolean;
  end: "checkmate" | "stalemate" | null;
  opening: Opening | null;
  moves: { san: string; uci: string }[];
  legal: { san: string; uci: string; fen: string }[];
  faults: string[];
}

export interface Found {
  hits: (Heading & { ply: number; plies_found: number[] })[];
  done: { found: number; searched: number; of: number; unread: number; complete: boolean };
}

/** An open archive. */
export class Archive {
  /** The number of games, including deleted ones. */
  readonly games: number;
  /** Answers a request of /api/v1. Throws `Fault`. */
  request(
    path: string,
    params?: Params,
    options?: { body?: unknown; each?: (piece: Uint8Array) => boolean | void },
  ): { kind: string; body: string | Uint8Array | undefined };
  list(params?: Params): Page;
  game(number: number, params?: Params): Game;
  pgn(number: number): string;
  position(params?: Params): Position;
  tree(params?: Params): Tree;
  /** Searches for a position (`fen`, `play`) or for a pattern (docs/FIND.md). */
  find(request: Params | Record<string, unknown>): Found;
  stats(params?: Params): Record<string, unknown>;
  close(): void;
}

/** The amounts of data read: from the network in a browser, from files in Node. */
export const counts: { requests: number; bytes: number; cached: number };

/** Opens an archive: bytes or a source; in Node the path of a file; in a browser's worker the address of a file on a
 * server that supports ranges. `index`: the bytes of the `.bgi`, which save a scan of the file; `module`: the address
 * of the WebAssembly module, if a bundler has moved it. */
export function open(
  source: string | URL | Uint8Array | Source,
  options?: { name?: string; index?: Uint8Array; module?: URL | string | BufferSource },
): Promise<Archive>;
