// A PGN text of the reader's own: chosen, or dropped on any page. It is kept in this window alone, and nowhere stored.

import { el } from "./dom.js";
import { t } from "./i18n.js";
import { say } from "./parts.js";
import * as state from "./state.js";

/** The longest text that is read, in characters: `/api/v1/read` takes a megabyte as JSON. */
const LONGEST = 900_000;

/** The text that is shown now. */
export const own = { pgn: "", name: "" };

/** Shows the games of a text. */
export function open(pgn, name) {
  Object.assign(own, { pgn: pgn.slice(0, LONGEST), name });
  if (pgn.length > LONGEST) say(t("own_cut"));
  state.go("own", { n: undefined, where: undefined, find: undefined, archive: undefined });
}

/** Reads a file as text; one that is no UTF-8 is in the old encoding of PGN. */
async function read(file) {
  const bytes = await file.slice(0, 4 * LONGEST).arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: file.size <= 4 * LONGEST }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** Returns a button that chooses a file. */
export function chooser(name = "button.primary") {
  const input = el("input", { type: "file", accept: ".pgn,.txt,application/x-chess-pgn,text/plain", hidden: true, onchange: async () => {
    const [file] = input.files;
    if (file) open(await read(file), file.name);
  } });
  return [el(name, { type: "button", onclick: () => input.click() }, t("own_choose")), input];
}

/** Takes files that are dropped on any page. */
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
