// The reader's own games: a PGN file of any size up to 50 MB, chosen or dropped on any page. The server, or the worker of
// a site, parses it piece by piece and stores nothing. The browser keeps it, so it survives a reload.

import * as api from "./api.js";
import { el } from "./dom.js";
import { t } from "./i18n.js";
import { say } from "./parts.js";
import * as state from "./state.js";

/** The maximum size of a file in bytes. */
const LONGEST = 50_000_000;
/** The size of a piece, and of a piece with one very long game. `/api/v1/read/games` accepts a megabyte of JSON. */
const [PIECE, LARGEST] = [200_000, 800_000];

/** The text in UTF-8 and its games: `{from, until, white, black, .., moves, keys, novelty}`. `moves` is a text of moves
 * in UCI notation, and `keys` has the key of the position after each. `state` identifies the archives that the games
 * are compared with. */
export const source = { bytes: null, name: "", games: null, state: "" };

/** Returns a text that changes with the archives. */
const stateOf = (archives) => archives.map(({ name, commit }) => `${name}:${commit}`).join(" ");

/** Shows the games of a file or a text. */
export async function open(file, name) {
  const bytes = new Uint8Array(typeof file === "string" ? new TextEncoder().encode(file) : await file.slice(0, LONGEST).arrayBuffer());
  if (file.size > LONGEST) say(t("own_cut"));
  Object.assign(source, { bytes: inUtf8(bytes), name, games: null });
  state.go("own", { n: undefined, where: undefined, find: undefined, archive: undefined, me: undefined, color: undefined });
}

/** Returns a text in UTF-8. A file in another encoding has the old encoding of PGN. */
function inUtf8(bytes) {
  // The cut at the maximum size may be within a character.
  const end = bytes.length < LONGEST ? bytes.length : bytes.lastIndexOf(10) + 1;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, end));
    return bytes.subarray(0, end);
  } catch {
    return new TextEncoder().encode(new TextDecoder("windows-1252").decode(bytes));
  }
}

/** Parses the games, and calls `progress(done, of)` after each piece. */
export async function parse(archives, progress, signal) {
  const { bytes } = source;
  const games = [];
  let [at, size] = [0, PIECE];
  while (at < bytes.length) {
    // A piece ends with a line, and so with a character.
    const rest = bytes.length - at;
    const cut = rest <= size ? rest : bytes.subarray(at, at + size).lastIndexOf(10) + 1;
    const more = rest > size;
    const found = await api.readGames({ pgn: new TextDecoder().decode(bytes.subarray(at, at + cut)), more }, signal);
    for (const game of found.games) {
      games.push({ ...game, from: at + game.from, until: at + game.until, moves: game.moves.join(" "), keys: Float64Array.from(game.keys) });
    }
    if (found.read > 0) [at, size] = [at + found.read, PIECE];
    else if (more && size < LARGEST) size = LARGEST;
    // No game of PGN has this length, so the piece is skipped.
    else at += Math.max(cut, 1);
    progress(at, bytes.length);
  }
  Object.assign(source, { games, state: stateOf(archives) });
  await keep();
}

/** Returns the text of a game. */
export const textOf = ({ from, until }) => new TextDecoder().decode(source.bytes.subarray(from, until));

/** Opens the browser's database, and runs a request. Windows without one keep the games until a reload. */
function stored(mode, request) {
  return new Promise((done) => {
    let opening;
    try {
      opening = indexedDB.open("scoresheet", 1);
    } catch {
      done(undefined);
      return;
    }
    opening.onupgradeneeded = () => opening.result.createObjectStore("own");
    opening.onerror = () => done(undefined);
    opening.onsuccess = () => {
      const work = opening.result.transaction("own", mode);
      const asked = request(work.objectStore("own"));
      const end = (value) => { opening.result.close(); done(value); };
      work.oncomplete = () => end(asked.result);
      work.onerror = work.onabort = () => end(undefined);
    };
  });
}

const keep = () => stored("readwrite", (store) => store.put({ ...source }, api.root.href));

/** Takes the games from the browser's database. Games that were compared with other archives are parsed again. */
export async function restore(archives) {
  if (source.bytes) return;
  const found = await stored("readonly", (store) => store.get(api.root.href));
  if (!found?.bytes || source.bytes) return;
  Object.assign(source, found, { games: found.state === stateOf(archives) ? found.games : null });
}

/** Forgets the games. */
export async function close() {
  Object.assign(source, { bytes: null, name: "", games: null });
  await stored("readwrite", (store) => store.delete(api.root.href));
}

/** Returns a button for choosing a file. */
export function chooser(name = "button.primary") {
  const input = el("input", { type: "file", accept: ".pgn,.txt,application/x-chess-pgn,text/plain", hidden: true, onchange: () => {
    const [file] = input.files;
    if (file) open(file, file.name);
  } });
  return [el(name, { type: "button", onclick: () => input.click() }, t("own_choose")), input];
}

/** Accepts files dropped on any page. */
export function takeDrops() {
  const hasFile = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  addEventListener("dragover", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", (event) => event.relatedTarget || document.body.classList.remove("dropping"));
  addEventListener("drop", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    document.body.classList.remove("dropping");
    const [file] = event.dataTransfer.files;
    if (file) open(file, file.name);
  });
}
