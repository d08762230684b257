// Plots as SVG, each with a table: bars that are links, lines, boards of counts, bars of results, and a line of
// evaluations with the clocks.

import { el, svg, wide } from "./dom.js";
import { number, percent, short, t } from "./i18n.js";

const [WIDTH, HEIGHT, LEFT, BOTTOM] = [640, 200, 44, 26];
/** The width of a label below a plot, in pixels. */
const LABEL = 48;

/** Returns a plot of items from left to right, with a table. `draw(item, x, step, top, before)` returns the shapes of an
 * item; `before` is the preceding item with a value. The plot is drawn anew in each width, so its labels keep their size.
 * `write` returns the text of a value. */
function plot(title, items, titles, [low, high], draw, write) {
  const top = (value) => (HEIGHT - BOTTOM) * (1 - (value - low) / (high - low)) + 8;
  const node = svg("svg", { class: "plot", role: "group", "aria-label": title });
  const show = (width) => {
    const step = (width - LEFT) / Math.max(1, items.length);
    const every = Math.ceil(LABEL / step);
    node.setAttribute("viewBox", `0 0 ${width} ${HEIGHT + 8}`);
    const shapes = [low, (low + high) / 2, high].flatMap((value) => [
      svg("line", { x1: LEFT, x2: width, y1: top(value), y2: top(value), class: "grid" }),
      svg("text", { x: LEFT - 4, y: top(value) + 4, class: "axis right" }, (write ?? short)(Math.round(value))),
    ]);
    let before = null;
    items.forEach((item, index) => {
      const x = LEFT + index * step;
      shapes.push(...draw(item, x, step, top, before));
      if (item.value !== null) before = { ...item, x };
      if (index % every === 0) shapes.push(svg("text", { x: x + step / 2, y: HEIGHT, class: "axis middle" }, item.name));
    });
    node.replaceChildren(...shapes);
  };
  show(WIDTH);
  let shown = WIDTH;
  new ResizeObserver(([{ contentRect }]) => {
    const width = Math.round(contentRect.width);
    if (width > 2 * LEFT && width !== shown) show(shown = width);
  }).observe(node);
  const rows = items.map(({ name, value, href }) => [href ? el("a", { href }, name) : name, value === null ? "" : (write ?? number)(value)]);
  return el("figure.plot-frame", {}, node, table(titles, rows));
}

const named = ({ name, value }) => `${name}: ${number(value)}`;

/** Returns bars, each a link to the games in it. The link has the full height, so a low bar can be pressed. `items`:
 * `{name, value, href}`. */
export function bars(title, items, titles) {
  return plot(title, items, titles, [0, Math.max(1, ...items.map((item) => item.value))], (item, x, step, top) => {
    if (!item.value) return [];
    const gap = Math.min(2, step * 0.15);
    const column = { x: x + gap / 2, y: top(item.value), width: step - gap, height: top(0) - top(item.value), class: "column" };
    const about = svg("title", {}, named(item));
    if (!item.href) return [svg("rect", column, about)];
    const area = svg("rect", { x, y: 0, width: step, height: top(0), class: "area" }, about);
    return [svg("a", { href: item.href, "aria-label": named(item) }, svg("rect", column), area)];
  });
}

/** Returns bars of results, all of the same height: White's wins at the bottom, then draws, then Black's wins. `sides`
 * names the sides if they are not White and Black. `items`: `{name, white, draws, black}`. */
export function shares(title, items, titles, sides = ["white", "draws", "black"]) {
  const rows = items.map((item) => ({ ...item, value: item.white + item.draws + item.black }));
  const words = ({ name, white, draws, black, value }) =>
    `${name}: ${[white, draws, black].map((count, side) => `${t(sides[side])} ${percent(count, value)}`).join(", ")}`;
  return plot(title, rows, titles, [0, 100], (item, x, step, top) => {
    if (!item.value) return [];
    const gap = Math.min(2, step * 0.15);
    let below = 0;
    return [["w", item.white], ["d", item.draws], ["b", item.black]].map(([side, count]) => {
      const share = (100 * count) / item.value;
      const rect = svg("rect", { x: x + gap / 2, y: top(below + share), width: step - gap, height: top(0) - top(share), class: `part ${side}` }, svg("title", {}, words(item)));
      below += share;
      return rect;
    });
  });
}

/** Returns a line through ratings; items with the value `null` are omitted. */
export function line(title, items, titles) {
  const known = items.map((item) => item.value).filter((value) => value !== null);
  const low = Math.floor(Math.min(...known) / 100) * 100;
  const high = Math.max(low + 100, Math.ceil(Math.max(...known) / 100) * 100);
  return plot(title, items, titles, [low, high], (item, x, step, top, before) => {
    if (item.value === null) return [];
    const middle = (left) => left + step / 2;
    const dot = svg("circle", { cx: middle(x), cy: top(item.value), r: 3, class: "column" }, svg("title", {}, `${item.name}: ${item.value}`));
    if (!before) return [dot];
    return [svg("line", { x1: middle(before.x), y1: top(before.value), x2: middle(x), y2: top(item.value), class: "curve" }), dot];
  }, String);
}

/** Returns a board with darker squares for higher counts, from a1, and a table of the shares. */
export function heat(title, counts) {
  const [most, all] = [Math.max(1, ...counts), counts.reduce((sum, count) => sum + count, 0)];
  const node = svg("svg", { viewBox: "0 0 92 92", class: "plot heat", role: "img", "aria-label": title });
  const rows = [8, 7, 6, 5, 4, 3, 2, 1].map((rank) => {
    node.append(svg("text", { x: 3, y: 87 - rank * 10, class: "axis" }, String(rank)));
    return [String(rank), ...[..."abcdefgh"].map((file, at) => {
      const count = counts[rank * 8 - 8 + at];
      node.append(svg("rect", { x: 10 + at * 10, y: 80 - rank * 10, width: 9.7, height: 9.7, "fill-opacity": 0.04 + (0.96 * count) / most, class: "column" },
        svg("title", {}, `${file}${rank}: ${percent(count, all, 2)}`)));
      return percent(count, all, 2);
    })];
  });
  [..."abcdefgh"].forEach((file, at) => node.append(svg("text", { x: 13 + at * 10, y: 88, class: "axis" }, file)));
  return el("figure", {}, node, el("figcaption", {}, title), table([t("rank"), ..."abcdefgh"], rows));
}

/** Returns a scrollable table. The first cell of a row is its heading; all others except bars are right-aligned. */
export function sheet(label, titles, rows, kind = "data", isTall = rows.length > 14) {
  const cell = (content) => el(content?.className === "bar" ? "td" : "td.right", {}, content);
  return el(isTall ? "div.scroll.tall" : "div.scroll", { tabindex: "0", role: "region", "aria-label": label },
    el(`table.${kind}`, {},
      titles.length > 0 && el("thead", {}, el("tr", {}, titles.map((title, at) => el(at && rows[0]?.[at]?.className !== "bar" ? "th.right" : "th", { scope: "col" }, title)))),
      el("tbody", {}, rows.map(([heading, ...cells]) => el("tr", {}, el("th", { scope: "row" }, heading), cells.map(cell))))));
}

/** Returns the heading of a column, with a short form for narrow tables. */
export function heading(key) {
  const brief = { results: t("results_brief"), won: "+", drawn: "=", lost: "−" }[key];
  return brief ? [el("span.long", {}, t(key)), el("abbr.brief", { title: t(key) }, brief)] : t(key);
}

/** Returns a table that opens below a plot. */
const table = (titles, rows) => el("details", {}, el("summary", {}, t("as_table")), sheet(titles.join(", "), titles, rows));

/** Returns a bar of White's wins, draws and Black's wins. `sides` names the sides if they are not White and Black.
 * The style sheet hides the percentages of parts that are too narrow for them. */
export function bar({ white, draws, black }, sides = ["white", "draws", "black"]) {
  const total = white + draws + black;
  if (total === 0) return el("span.soft", {}, "–");
  const words = [white, draws, black].map((count, side) => `${t(sides[side])} ${percent(count, total)}`).join(", ");
  const part = (name, count) => {
    const share = (100 * count) / total;
    return count > 0 && wide(el(`span.part.${name}`, {}, el("span", {}, percent(count, total))), share);
  };
  return el("span.bar", { role: "img", "aria-label": words, title: words },
    part("w", white), part("d", draws), part("b", black));
}

/** Returns the centipawns of a PGN evaluation, limited to ten pawns. */
export function centipawns(text) {
  if (text === undefined) return null;
  if (text.startsWith("#")) return text.startsWith("#-") ? -1000 : 1000;
  return Math.max(-1000, Math.min(1000, Math.round(Number(text) * 100)));
}

/** Returns White's winning chance in percent for an evaluation in centipawns. */
export const chance = (centipawns) => 50 + 50 * (2 / (1 + Math.exp(-0.00368208 * centipawns)) - 1);

/** Returns the graph of a game: evaluation as an area, clocks as lines. `plies`: `{eval, clock, judged}` by ply, from 0. */
export function graph(plies, { onPick }) {
  const [width, height] = [640, 120];
  const last = Math.max(1, plies.length - 1);
  const x = (ply) => (ply / last) * width;
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
  plies.forEach(({ eval: value, judged }, at) => {
    if (!judged || judged === "good") return;
    const y = value === undefined ? height / 2 : height * (1 - chance(centipawns(value)) / 100);
    node.append(svg("line", { x1: x(at), x2: x(at), y1: y, y2: y, class: `dot judged-${judged}` }));
  });
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

/** Returns seconds in the form 1:02:03. */
export function time(seconds) {
  const integer = Math.floor(seconds);
  const [h, m, s] = [Math.floor(integer / 3600), Math.floor((integer % 3600) / 60), integer % 60];
  const tenths = integer < 10 && seconds % 1 ? `.${Math.floor((seconds % 1) * 10)}` : "";
  return `${h ? `${h}:` : ""}${h ? String(m).padStart(2, "0") : m}:${String(s).padStart(2, "0")}${tenths}`;
}
