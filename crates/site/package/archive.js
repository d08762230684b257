// An open archive: the requests of /api/v1 as methods. docs/site.md and openapi.json say what is in the answers.

/** What went wrong with a question: `status`, `code`, `message`, and what else is known. */
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

  /** How many games there are, deleted ones too. */
  get games() {
    return this.#reader.games;
  }

  /** Answers a request of /api/v1: `{kind, body}`, the body a text, or bytes where it is no JSON. */
  request(path, params, { body, each } = {}) {
    const pieces = [];
    const take = each ?? ((piece) => pieces.push(piece));
    const [status, kind, whole] = this.#reader.answer(path, query(params), body && JSON.stringify(body), (piece) => take(piece) !== false);
    if (status >= 400) throw new Fault(status, JSON.parse(whole).error);
    if (whole !== undefined || each) return { kind, body: whole };
    const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
    pieces.reduce((at, piece) => (all.set(piece, at), at + piece.length), 0);
    return { kind, body: all };
  }

  #json(path, params) {
    return JSON.parse(this.request(path, params).body);
  }

  /** A page of the games that a filter lets pass, or that reach a position. */
  list(params) {
    return this.#json("games", params);
  }

  /** A game: tags and the tree of moves. */
  game(number, params) {
    return this.#json(`games/${number}`, params);
  }

  /** A game as PGN. */
  pgn(number) {
    return decoder.decode(this.request(`games/${number}/pgn`).body);
  }

  /** The rules: legal moves of a position, its opening, check and mate. */
  position(params) {
    return this.#json("position", params);
  }

  /** What was played in a position. */
  tree(params) {
    return this.#json("tree", params);
  }

  /** The games that reach a position (`fen`, `play`), or that have a pattern (docs/FIND.md): `{hits, done}`. */
  find(wanted) {
    const isPosition = wanted.fen !== undefined || wanted.play !== undefined;
    const { body } = isPosition ? this.request("find", wanted) : this.request("find", {}, { body: wanted });
    const lines = decoder.decode(body).split("\n").filter(Boolean).map((line) => JSON.parse(line));
    const failed = lines.find((line) => line.error);
    if (failed) throw new Fault(500, failed.error);
    return { hits: lines.filter((line) => line.hit).map((line) => line.hit), done: lines.find((line) => line.done)?.done };
  }

  /** What the games of a filter are like, in figures. */
  stats(params) {
    return this.#json("stats", params);
  }

  /** Frees the memory, and closes what was opened. */
  close() {
    this.#reader.free();
    this.#closed();
  }
}
