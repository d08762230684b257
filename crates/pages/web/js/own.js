// The reader's own PGN text, chosen or dropped on any page. It stays in this window and is never stored.

import { el } from "./dom.js";
import { t } from "./i18n.js";
import { say } from "./parts.js";
import * as state from "./state.js";

/** The maximum length of a text in characters. `/api/v1/read` accepts a megabyte of JSON. */
const LONGEST = 900_000;

/** The displayed text. */
export const source = { pgn: "", name: "" };

/** Shows the games of a text. */
export function open(pgn, name) {
  Object.assign(source, { pgn: pgn.slice(0, LONGEST), name });
  if (pgn.length > LONGEST) say(t("own_cut"));
  state.go("own", { n: undefined, where: undefined, find: undefined, archive: undefined });
}

/** Reads a file as text. A file that is not UTF-8 has the old encoding of PGN. */
async function read(file) {
  const bytes = await file.slice(0, 4 * LONGEST).arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: file.size <= 4 * LONGEST }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** Returns a button for choosing a file. */
export function chooser(name = "button.primary") {
  const input = el("input", { type: "file", accept: ".pgn,.txt,application/x-chess-pgn,text/plain", hidden: true, onchange: async () => {
    const [file] = input.files;
    if (file) open(await read(file), file.name);
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
  addEventListener("drop", async (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    document.body.classList.remove("dropping");
    const [file] = event.dataTransfer.files;
    if (file) open(await read(file), file.name);
  });
}
