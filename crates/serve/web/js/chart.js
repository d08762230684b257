// Plots as SVG: bars that are links, and a line of evaluations with the clocks.

import { el, svg } from "./dom.js";
import { number, short, t } from "./i18n.js";

/** Returns bars, each a link to the games in it, and the same as a table. `items`: `{name, value, href}`. */
export function bars(title, items, titles) {
  const [width, height, left, bottom] = [640, 200, 44, 26];
  const most = Math.max(1, ...items.map((item) => item.value));
  const step = (width - left) / Math.max(1, items.length);
  const top = (value) => (height - bottom) * (1 - value / most) + 8;
  const every = Math.ceil(items.length / 12);
  const node = svg("svg", { viewBox: `0 0 ${width} ${height + 8}`, class: "plot", role: "group", "aria-label": title });
  for (const value of [0, most / 2, most]) {
    node.append(svg("line", { x1: left, x2: width, y1: top(value), y2: top(value), class: "grid" }));
    node.append(svg("text", { x: left - 4, y: top(value) + 4, class: "axis right" }, short(Math.round(value))));
  }
  items.forEach((item, place) => {
    const x = left + place * step;
    const rect = svg("rect", { x: x + 1, y: top(item.value), width: Math.max(1, step - 2), height: Math.max(0, height - bottom + 8 - top(item.value)), class: "column" },
      svg("title", {}, `${item.name}: ${number(item.value)}`));
    node.append(item.href ? svg("a", { href: item.href, "aria-label": `${item.name}: ${number(item.value)}` }, rect) : rect);
    if (place % every === 0) node.append(svg("text", { x: x + step / 2, y: height, class: "axis middle" }, item.name));
  });
  return el("figure.plot-frame", {}, node, table(titles, items.map((item) => [item.href ? el("a", { href: item.href }, item.name) : item.name, number(item.value)])));
}

/** Returns a table that opens below a plot. */
export function table(titles, rows) {
  return el("details", {}, el("summary", {}, t("as_table")),
    el("div.scroll", { tabindex: "0", role: "region", "aria-label": titles.join(", ") },
      el("table.data", {},
        el("thead", {}, el("tr", {}, titles.map((title) => el("th", { scope: "col" }, title)))),
        el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, place) => el(place ? "td.right" : "td", {}, cell))))))));
}

/** Returns centipawns of an evaluation as PGN has it, within ten pawns. */
export function centipawns(text) {
  if (text === undefined) return null;
  if (text.startsWith("#")) return text.startsWith("#-") ? -1000 : 1000;
  return Math.max(-1000, Math.min(1000, Math.round(Number(text) * 100)));
}

/** Returns the graph of a game: evaluation as an area, clocks as lines. `plies`: `{eval, clock}` by ply, from 0. */
export function graph(plies, { onPick }) {
  const [width, height] = [640, 120];
  const last = Math.max(1, plies.length - 1);
  const x = (ply) => (ply / last) * width;
  const chance = (value) => 50 + 50 * (2 / (1 + Math.exp(-0.00368208 * value)) - 1);
  const node = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "graph", role: "slider", tabindex: "0", preserveAspectRatio: "none",
    "aria-label": t("graph"), "aria-valuemin": 0, "aria-valuemax": last, "aria-valuenow": 0 });
  node.append(svg("rect", { x: 0, y: 0, width, height, class: "unknown" }));
  const known = plies.map((ply, at) => [at, centipawns(ply.eval)]).filter(([, value]) => value !== null);
  if (known.length > 1) {
    const [from, to] = [x(known[0][0]), x(known.at(-1)[0])];
    node.append(svg("rect", { x: from, y: 0, width: to - from, height, class: "ground" }));
    const points = known.map(([at, value]) => `${x(at).toFixed(1)},${(height * (1 - chance(value) / 100)).toFixed(1)}`);
    node.append(svg("polygon", { points: `${from},${height} ${points.join(" ")} ${to},${height}`, class: "area" }));
    node.append(svg("polyline", { points: points.join(" "), class: "eval" }));
  }
  const longest = Math.max(0, ...plies.map((ply) => ply.clock ?? 0));
  for (const side of [1, 0]) {
    const clocks = plies.map((ply, at) => [at, ply.clock]).filter(([at, clock]) => at % 2 === side && clock !== undefined);
    if (clocks.length > 1) {
      const points = clocks.map(([at, clock]) => `${x(at).toFixed(1)},${(height * (1 - (0.95 * clock) / longest)).toFixed(1)}`);
      node.append(svg("polyline", { points: points.join(" "), class: `clock ${side ? "of-white" : "of-black"}` }));
    }
  }
  node.append(svg("line", { x1: 0, x2: width, y1: height / 2, y2: height / 2, class: "grid" }));
  const hand = svg("line", { x1: 0, x2: 0, y1: 0, y2: height, class: "hand" });
  node.append(hand);
  node.addEventListener("click", (event) => {
    const box = node.getBoundingClientRect();
    onPick(Math.round(((event.clientX - box.left) / box.width) * last));
  });
  node.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
    if (step) {
      event.preventDefault();
      event.stopPropagation();
      onPick(Math.max(0, Math.min(last, Number(node.getAttribute("aria-valuenow")) + step)));
    }
  });
  node.move = (ply) => {
    hand.setAttribute("x1", x(ply));
    hand.setAttribute("x2", x(ply));
    node.setAttribute("aria-valuenow", ply);
    const { eval: value, clock } = plies[ply] ?? {};
    node.setAttribute("aria-valuetext", [t("ply", { n: ply }), value, clock !== undefined ? time(clock) : null].filter(Boolean).join(", "));
  };
  return node;
}

/** Returns seconds as 1:02:03. */
export function time(seconds) {
  const whole = Math.floor(seconds);
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  const tenths = whole < 10 && seconds % 1 ? `.${Math.floor((seconds % 1) * 10)}` : "";
  return `${h ? `${h}:` : ""}${h ? String(m).padStart(2, "0") : m}:${String(s).padStart(2, "0")}${tenths}`;
}
