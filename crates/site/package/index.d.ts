/** Where an archive's bytes are read. */
export interface Source {
  /** How many bytes there are. */
  readonly length: number;
  /** Returns `length` bytes from `offset` on, or throws. */
  read(offset: number, length: number): Uint8Array;
}

/** Values of parameters; `openapi.json` lists those of each request. */
export type Params = Record<string, string | number | boolean | null | undefined>;

/** What went wrong with a question. */
export class Fault extends Error {
  readonly status: number;
  readonly code: string;
  /** In a filter, from 1. */
  readonly column?: number;
}

export interface Opening { eco: string; name: string }

/** What lists say of a game. What it does not say is null. */
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
  /** Where a position was asked for. */
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
  /** How many games there are, deleted ones too. */
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
  /** By position (`fen`, `play`), or by pattern (docs/FIND.md). */
  find(wanted: Params | Record<string, unknown>): Found;
  stats(params?: Params): Record<string, unknown>;
  close(): void;
}

/** What has been read: of the network in a browser, of files in Node. */
export const counts: { requests: number; bytes: number; cached: number };

/**
 * Opens an archive: bytes or a source; in Node the path of a file; in a worker of a browser the address of one, on a server
 * that gives ranges. `index`: the bytes of the `.bgi`, which spare a walk through the file; `module`: where the
 * WebAssembly module is, where a bundler has moved it.
 */
export function open(
  source: string | URL | Uint8Array | Source,
  options?: { name?: string; index?: Uint8Array; module?: URL | string | BufferSource },
): Promise<Archive>;
