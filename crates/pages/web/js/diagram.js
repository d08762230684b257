// A diagram of a position as a file: a self-contained SVG, or a PNG rendered from it.

import { svg } from "./dom.js";
import { overlay, piecesOf, squares } from "./picture.js";

const SIZE = 40;
/** The width of the margin for the coordinates. */
const EDGE = 14;
/** The colors of the same classes in `app.css`, because a file has no style sheet. */
const FILLS = { light: "#f0d9b5", dark: "#b58863", last: "#c9c02e", green: "#2e8b3d", red: "#c62828", yellow: "#c98f00", blue: "#1e63c4" };

let drawn = null;

/** Returns the pieces of `pieces.svg` by name. */
async function pieces() {
  drawn ??= fetch(piecesOf()).then((response) => response.text()).then((text) => {
    const known = new DOMParser().parseFromString(text, "image/svg+xml");
    return Object.fromEntries([...known.querySelectorAll("g[id]")].map((node) => [node.id, node]));
  });
  return drawn;
}

/** Returns a diagram as the text of an SVG file. `marks`: squares and arrows, as for a board. */
export async function diagram(fen, { orientation = "w", marks = {} } = {}) {
  const known = await pieces();
  const isTurned = orientation === "b";
  const width = 8 * SIZE + EDGE;
  const node = svg("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${width}`, width: 2 * width, height: 2 * width });
  const corner = (square) => {
    const [file, rank] = ["abcdefgh".indexOf(square[0]), Number(square[1]) - 1];
    return [EDGE + SIZE * (isTurned ? 7 - file : file), SIZE * (isTurned ? rank : 7 - rank)];
  };
  node.append(svg("title", {}, fen), svg("rect", { width, height: width, fill: "#fff" }));
  for (let index = 0; index < 64; index++) {
    const [x, y] = [index % 8, Math.floor(index / 8)];
    node.append(svg("rect", { x: EDGE + x * SIZE, y: y * SIZE, width: SIZE, height: SIZE, fill: (x + y) % 2 ? FILLS.dark : FILLS.light }));
  }
  const letter = (x, y, text) => svg("text", { x, y, "font-family": "sans-serif", "font-size": 9, "text-anchor": "middle", fill: "#444" }, text);
  for (let index = 0; index < 8; index++) {
    node.append(letter(EDGE + SIZE * (index + 0.5), width - 4, "abcdefgh"[isTurned ? 7 - index : index]));
    node.append(letter(EDGE / 2 - 0.5, SIZE * (index + 0.5) + 3, String(isTurned ? index + 1 : 8 - index)));
  }
  const shapes = overlay(marks, (square) => corner(square).map((coordinate) => coordinate + SIZE / 2), SIZE);
  const colored = (shape) => {
    const [kind, color] = shape.getAttribute("class").split(" ");
    shape.removeAttribute("class");
    shape.setAttribute(kind === "arrow" ? "stroke" : "fill", FILLS[color] ?? "#444");
    shape.setAttribute("opacity", kind === "mark" ? 0.5 : 0.75);
    return shape;
  };
  node.append(...shapes.squares.map(colored));
  for (const [square, piece] of squares(fen)) {
    const [x, y] = corner(square);
    const copy = known[(piece === piece.toUpperCase() ? "w" : "b") + piece.toLowerCase()].cloneNode(true);
    copy.removeAttribute("id");
    node.append(svg("g", { transform: `translate(${x} ${y})` }, copy));
  }
  node.append(...shapes.arrows.map(colored));
  return new XMLSerializer().serializeToString(node);
}

/** Returns a diagram as a PNG file. */
export async function png(text, width = 1000) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = width;
  canvas.getContext("2d").drawImage(image, 0, 0, width, width);
  return new Promise((done) => { canvas.toBlob(done, "image/png"); });
}
