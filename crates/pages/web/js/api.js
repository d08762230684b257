// The data of the pages. Only this file sends requests to a server. On a site without a server (`scoresheet site`),
// which marks its page, a worker answers the same requests (`static/reader.js`).

import { Fault, root } from "./fault.js";

/** The answers as the description of the API has them. `.ci/serve` generates the types and checks all scripts.
 * @typedef {import("scoresheet-api").components["schemas"]} Schemas */

export { Fault, root };

/** The reader of a site without a server; `null` if there is a server. */
export const site = document.querySelector('link[rel="scoresheet-site"]') ? import("./static/reader.js") : null;

function url(path, params = {}) {
  const address = new URL(`api/v1/${path}`, root);
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== null && value !== "" && value !== false) {
      address.searchParams.set(name, value === true ? "1" : value);
    }
  }
  return address;
}

async function refused(response) {
  let error = { code: "http", message: `${response.status} ${response.statusText}` };
  try {
    error = (await response.json()).error ?? error;
  } catch { /* not JSON: the status suffices */ }
  return new Fault({ ...error, status: response.status });
}

/** Sends a request to the server. Returns a successful answer, and throws a fault otherwise. */
async function sent(address, options) {
  let response;
  try {
    response = await fetch(address, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Fault({ code: "gone", message: "" });
  }
  if (!response.ok) throw await refused(response);
  return response;
}

const posted = (path, body, signal) => sent(url(path), { method: "POST", headers: { "Content-Type": "application/json" }, body, signal });

async function requestJson(path, params, signal) {
  if (site) return JSON.parse((await requestSite(url(path, params), { signal })).body);
  return (await sent(url(path, params), { signal })).json();
}

/** Sends a request to the reader of a site. */
async function requestSite(address, options) {
  const answer = await (await site).request(address, options);
  if (answer.status >= 400) throw new Fault({ ...JSON.parse(answer.body).error, status: answer.status });
  return answer;
}

/** @returns {Promise<Schemas["Archives"]>} */
export const archives = (signal) => requestJson("archives", {}, signal);

let available;
/** Returns whether an engine of the server or an engine module of the site can analyse positions. */
export const hasEngine = () => (available ??= site ? site.then((reader) => Boolean(reader.engine)) : archives().then((found) => found.engine === true));

/** Analyses a position (`fen`) for `time` milliseconds with `lines` lines. */
export async function engine(params, signal) {
  if (!site) return requestJson("engine", params, signal);
  const module = await import(new URL((await site).engine, root).href);
  const found = await module.analyse(params, signal);
  // The module returns moves only in UCI notation.
  const lines = await Promise.all(found.lines.map(async (line) => {
    const { moves } = await position({ fen: params.fen, play: line.uci.join(",") }, signal);
    return { ...line, moves: moves.map((move) => move.san) };
  }));
  return { ...found, lines };
}
/** @returns {Promise<Schemas["Games"]>} */
export const games = (params, signal) => requestJson("games", params, signal);
/** @returns {Promise<Schemas["Game"]>} */
export const game = (number, signal) => requestJson(`games/${number}`, { fens: true }, signal);
/** @returns {Promise<Schemas["Novelty"]>} */
export const novelty = (number, signal) => requestJson(`games/${number}/novelty`, {}, signal);
/** @returns {Promise<Schemas["Position"]>} */
export const position = (params, signal) => requestJson("position", params, signal);
/** @returns {Promise<Schemas["Tree"]>} */
export const tree = (params, signal) => requestJson("tree", params, signal);
/** @returns {Promise<Schemas["Cost"]>} */
export const cost = (params, signal) => requestJson("cost", params, signal);
/** @returns {Promise<Schemas["Stats"]>} */
export const stats = (params, signal) => requestJson("stats", params, signal);
/** Returns whether position indexes find the games with a position: the indexes of all archives, or the site file. */
export const isIndexed = (archives) => site !== null || archives.every((archive) => archive.side_files.positions === "used");
/** @returns {Promise<Schemas["Player"]>} */
export const player = (params, signal) => requestJson("player", params, signal);
/** @returns {Promise<Schemas["Event"]>} */
export const event = (params, signal) => requestJson("event", params, signal);
/** Tournaments, latest first.
 * @returns {Promise<Schemas["Events"]>} */
export const events = (params, signal) => requestJson("events", params, signal);
/** @returns {Promise<Schemas["Names"]>} */
export const complete = (params, signal) => requestJson("complete", params, signal);

/** Parses a game of a PGN text: `{pgn, number}`.
 * @returns {Promise<Schemas["ReadGame"]>} */
export async function read(request, signal) {
  const body = JSON.stringify(request);
  if (site) return JSON.parse((await requestSite(url("read"), { body, signal })).body);
  const response = await posted("read", body, signal);
  return response.json();
}

/** Parses all games of a part of a PGN text: `{pgn, more}`.
 * @returns {Promise<Schemas["ReadGames"]>} */
export async function readGames(request, signal) {
  const body = JSON.stringify(request);
  if (site) return JSON.parse((await requestSite(url("read/games"), { body, signal })).body);
  return (await posted("read/games", body, signal)).json();
}

/** Addresses for links, which the browser opens without this file. */
export const links = {
  pgn: (number) => url(`games/${number}/pgn`),
  original: (number) => url(`games/${number}/original`),
  download: (params) => url("download.pgn", params),
};

/** Returns a game as PGN. */
export async function pgn(number) {
  if (site) return new TextDecoder().decode((await requestSite(links.pgn(number))).body);
  const response = await fetch(links.pgn(number));
  if (!response.ok) throw await refused(response);
  return response.text();
}

/** Returns the target of a site's download link as a file. */
export async function file(address) {
  const pieces = [];
  const { body, name, kind } = await requestSite(address, { each: (piece) => pieces.push(piece) });
  return { blob: new Blob(body ? [body] : pieces, { type: kind }), name };
}

/** Returns a function that takes bytes and calls `each` with every line of JSON in the bytes. */
function lines(each) {
  const decoder = new TextDecoder();
  let rest = "";
  return (bytes) => {
    const texts = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = texts.pop();
    for (const line of texts) if (line) each(JSON.parse(line));
  };
}

/** Runs a search, and calls `each` with every line of the answer: `hit`, `progress`, `done` or `error`. */
export async function find(request, each, signal) {
  const take = lines(each);
  if (site) {
    const body = request.pattern && JSON.stringify(request.pattern);
    await requestSite(url("find", request.pattern ? {} : request.position), { body, signal, each: take });
    return;
  }
  const response = request.pattern ? await posted("find", JSON.stringify(request.pattern), signal) : await sent(url("find", request.position), { signal });
  const reader = response.body.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    take(value);
  }
}
