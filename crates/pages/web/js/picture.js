// A position as words and as a small picture.

import { svg } from "./dom.js";
import { t } from "./i18n.js";

export const PIECES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
// A report of the command has the pieces inside.
const pieces = document.getElementById("pieces") ? "" : new URL("../pieces.svg", import.meta.url).href;

/** Returns the 64 squares of a FEN as a map from name to letter. */
export function squares(fen) {
  const found = new Map();
  fen.split(" ")[0].split("/").forEach((rank, row) => {
    let file = 0;
    for (const letter of rank) {
      if (/\d/.test(letter)) file += Number(letter);
      else found.set("abcdefgh"[file++] + (8 - row), letter);
    }
  });
  return found;
}

/** Returns a position in words. */
export function described(fen) {
  const found = [...squares(fen)];
  const side = (white) =>
    found
      .filter(([, letter]) => (letter === letter.toUpperCase()) === white)
      .map(([square, letter]) => `${t(PIECES[letter.toLowerCase()])} ${square}`)
      .join(", ");
  return `${t("white")}: ${side(true)}. ${t("black")}: ${side(false)}.`;
}

/** Returns a small picture of a position. */
export function miniature(fen, label) {
  const node = svg("svg", { viewBox: "0 0 320 320", class: "miniature", role: "img", "aria-label": label ?? described(fen) });
  for (let place = 0; place < 64; place++) {
    const [x, y] = [(place % 8) * 40, Math.floor(place / 8) * 40];
    node.append(svg("rect", { x, y, width: 40, height: 40, class: (x + y) / 40 % 2 ? "dark" : "light" }));
  }
  for (const [square, letter] of squares(fen)) {
    const piece = (letter === letter.toUpperCase() ? "w" : "b") + letter.toLowerCase();
    const [x, y] = ["abcdefgh".indexOf(square[0]) * 40, (8 - Number(square[1])) * 40];
    node.append(svg("use", { href: `${pieces}#${piece}`, x, y, width: 40, height: 40 }));
  }
  return node;
}
