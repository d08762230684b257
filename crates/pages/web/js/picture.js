// A position in words and as a small picture.

import { svg } from "./dom.js";
import { t } from "./i18n.js";

export const PIECES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
// A report of the command contains the pieces.
const pieces = document.getElementById("pieces") ? "" : new URL("../pieces.svg", import.meta.url).href;

/** Returns the board of a FEN, without the pockets and the marks of promoted pieces of Crazyhouse. */
export const placement = (fen) => fen.split(" ")[0].replace(/\[.*|~/g, "");

/** Returns what each side, `w` and `b`, has beside the board: the pieces of a pocket, or the checks given. */
export function beside(fen) {
  const [, pocket] = /\[(.*)\]/.exec(fen.split(" ")[0]) ?? [];
  if (pocket !== undefined) return { w: men(pocket.replace(/[a-z]/g, "")), b: men(pocket.replace(/[A-Z]/g, "")), name: "pocket" };
  const [, white, black] = /^(\d)\+(\d)$/.exec(fen.split(" ")[4] ?? "") ?? [];
  if (white !== undefined) return { w: "+".repeat(3 - Number(white)), b: "+".repeat(3 - Number(black)), name: "checks" };
  return { w: "", b: "", name: "" };
}

/** Returns the pieces of a side's pocket as letters, each kind with its pieces: `[["P", "♟♟"]]`. */
export function pocket(fen, side) {
  const [, all = ""] = /\[(.*)\]/.exec(fen.split(" ")[0]) ?? [];
  const own = [...all].filter((letter) => (letter === letter.toUpperCase()) === (side === "w")).map((letter) => letter.toUpperCase());
  return [...new Set(own)].map((letter) => [letter, men(own.filter((other) => other === letter).join(""))]);
}

/** Returns the squares of a move, from its first to its last. A drop has only one. */
export const ends = (uci) => (uci[1] === "@" ? [uci.slice(2, 4)] : [uci.slice(0, 2), uci.slice(2, 4)]);

const men = (letters) => [...letters.toLowerCase()].map((letter) => "♟♞♝♜♛"["pnbrq".indexOf(letter)]).join("");

/** Returns the 64 squares of a FEN as a map from name to letter. */
export function squares(fen) {
  const found = new Map();
  placement(fen).split("/").forEach((rank, row) => {
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

/** Returns the address of the pieces. */
export const piecesOf = () => pieces;

/** Returns marks of squares and arrows as shapes. `at(square)`: the middle of a square; `size`: its width. */
export function overlay({ squares: marked = [], arrows = [] }, at, size) {
  const shapes = { squares: [], arrows: [] };
  for (const { square, color } of marked) {
    const [x, y] = at(square);
    shapes.squares.push(svg("rect", { x: x - size / 2, y: y - size / 2, width: size, height: size, class: `mark ${color}` }));
  }
  for (const { from, to, color, width = 1 } of arrows) {
    const [[x1, y1], [x2, y2]] = [at(from), at(to)];
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [dx, dy] = [((x2 - x1) / length) * size, ((y2 - y1) / length) * size];
    const head = 0.1 + 0.25 * width;
    const [ex, ey] = [x2 - dx * head, y2 - dy * head];
    const half = 0.06 + 0.12 * width;
    const points = [[x2, y2], [ex - dy * half, ey + dx * half], [ex + dy * half, ey - dx * half]];
    shapes.arrows.push(svg("line", { x1, y1, x2: ex, y2: ey, "stroke-width": (size / 9) * width, class: `arrow ${color}` }),
      svg("polygon", { points: points.map((p) => p.join(",")).join(" "), class: `arrow-head ${color}` }));
  }
  return shapes;
}

const COLORS = { G: "green", R: "red", Y: "yellow", B: "blue" };

/** Parses marks in the notation of PGN and of addresses: `Ge4` is a square, `Re2e4` an arrow. */
export function readMarks(texts) {
  const marks = { squares: [], arrows: [] };
  for (const text of texts) {
    if (/^[GRYB][a-h][1-8]$/.test(text)) marks.squares.push({ square: text.slice(1), color: COLORS[text[0]] });
    if (/^[GRYB][a-h][1-8][a-h][1-8]$/.test(text)) marks.arrows.push({ from: text.slice(1, 3), to: text.slice(3), color: COLORS[text[0]] });
  }
  return marks;
}

/** Returns a small picture of a position. */
export function miniature(fen, label) {
  const node = svg("svg", { viewBox: "0 0 320 320", class: "miniature", role: "img", "aria-label": label ?? described(fen) });
  for (let index = 0; index < 64; index++) {
    const [x, y] = [(index % 8) * 40, Math.floor(index / 8) * 40];
    node.append(svg("rect", { x, y, width: 40, height: 40, class: (x + y) / 40 % 2 ? "dark" : "light" }));
  }
  for (const [square, letter] of squares(fen)) {
    const piece = (letter === letter.toUpperCase() ? "w" : "b") + letter.toLowerCase();
    const [x, y] = ["abcdefgh".indexOf(square[0]) * 40, (8 - Number(square[1])) * 40];
    node.append(svg("use", { href: `${pieces}#${piece}`, x, y, width: 40, height: 40 }));
  }
  return node;
}
