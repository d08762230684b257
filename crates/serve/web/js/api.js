// The data of the pages. This is the only file that asks a server; a reader of archives in the browser has the same
// functions in its place.

/** Where the program's pages begin, whatever path they are served under. */
export const root = new URL("../../", import.meta.url);

/** What went wrong, as the server says it: `code`, `message`, and what else it knows. */
export class Fault extends Error {
  constructor(error) {
    super(error.message);
    Object.assign(this, error);
  }
}

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
  } catch { /* no JSON: the status says enough */ }
  return new Fault({ ...error, status: response.status });
}

async function ask(path, params, signal) {
  let response;
  try {
    response = await fetch(url(path, params), { signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Fault({ code: "gone", message: "" });
  }
  if (!response.ok) throw await refused(response);
  return response.json();
}

export const archives = (signal) => ask("archives", {}, signal);
export const games = (params, signal) => ask("games", params, signal);
export const game = (number, signal) => ask(`games/${number}`, { fens: true }, signal);
export const novelty = (number, signal) => ask(`games/${number}/novelty`, {}, signal);
export const position = (params, signal) => ask("position", params, signal);
export const tree = (params, signal) => ask("tree", params, signal);
export const cost = (params, signal) => ask("cost", params, signal);
export const stats = (params, signal) => ask("stats", params, signal);
export const complete = (params, signal) => ask("complete", params, signal);

/** Addresses for links, which the browser follows by itself. */
export const links = {
  pgn: (number) => url(`games/${number}/pgn`),
  original: (number) => url(`games/${number}/original`),
  download: (params) => url("download.pgn", params),
};

/** Searches, and calls `each` with every line of the answer: `hit`, `progress`, `done` or `error`. */
export async function find(request, each, signal) {
  let response;
  try {
    response = request.pattern
      ? await fetch(url("find"), {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(request.pattern),
          signal,
        })
      : await fetch(url("find", request.position), { signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Fault({ code: "gone", message: "" });
  }
  if (!response.ok) throw await refused(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line) each(JSON.parse(line));
  }
}
