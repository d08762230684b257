// An open archive, with the requests of /api/v1 as methods. docs/site.md and openapi.json describe the answers.

/** The fault of a request: `status`, `code`, `message`, and further members. */
export class Fault extends Error {
  constructor(status, error) {
    super(error.message);
    Object.assign(this, error, { status });
  }
}

const decoder = new TextDecoder();

function query(params = {}) {
  const pairs = Object.entries(params).filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== false);
  return new URLSearchParams(pairs.map(([name, value]) => [name, value === true ? "1" : String(value)])).toString();
}

export class Archive {
  #reader;
  #closed;

  constructor(reader, closed = () => {}) {
    this.#reader = reader;
    this.#closed = closed;
  }

  /** The number of games, including deleted ones. */
  get games() {
    return this.#reader.games;
  }

  /** Answers a request of /api/v1: `{kind, body}`. The body is text for JSON and bytes otherwise. */
  request(path, params, { body, each } = {}) {
    const pieces = [];
    const take = each ?? ((piece) => pieces.push(piece));
    const [status, kind, content] = this.#reader.answer(path, query(params), body && JSON.stringify(body), (piece) => take(piece) !== false);
    if (status >= 400) throw new Fault(status, JSON.parse(content).error);
    if (content !== undefined || each) return { kind, body: content };
    const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
    pieces.reduce((at, piece) => (all.set(piece, at), at + piece.length), 0);
    return { kind, body: all };
  }

  #json(path, params) {
    return JSON.parse(this.request(path, params).body);
  }

  /** Returns a page of the games that match a filter or reach a position. */
  list(params) {
    return this.#json("games", params);
  }

  /** Returns a game: tags and the tree of moves. */
  game(number, params) {
    return this.#json(`games/${number}`, params);
  }

  /** Returns a game as PGN. */
  pgn(number) {
    return decoder.decode(this.request(`games/${number}/pgn`).body);
  }

  /** Returns the legal moves of a position, its opening, and whether it is check or mate. */
  position(params) {
    return this.#json("position", params);
  }

  /** Returns the moves played in a position. */
  tree(params) {
    return this.#json("tree", params);
  }

  /** Returns the games that reach a position (`fen`, `play`) or match a pattern (docs/FIND.md): `{hits, done}`. */
  find(request) {
    const isPosition = request.fen !== undefined || request.play !== undefined;
    const { body } = isPosition ? this.request("find", request) : this.request("find", {}, { body: request });
    const lines = decoder.decode(body).split("\n").filter(Boolean).map((line) => JSON.parse(line));
    const failed = lines.find((line) => line.error);
    if (failed) throw new Fault(500, failed.error);
    return { hits: lines.filter((line) => line.hit).map((line) => line.hit), done: lines.find((line) => line.done)?.done };
  }

  /** Returns statistics of the games of a filter. */
  stats(params) {
    return this.#json("stats", params);
  }

  /** Closes the archive and frees its memory. */
  close() {
    this.#reader.free();
    this.#closed();
  }
}
