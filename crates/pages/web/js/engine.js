// The engine's view of the position on a board: an evaluation bar and the best lines. The engine runs only while it is
// switched on, and only if the server or the site has one.

import * as api from "./api.js";
import { chance } from "./chart.js";
import { el, fill, wide } from "./dom.js";
import { number, san, short, t, translated } from "./i18n.js";

/** The thinking times in milliseconds, in this order. The panel shows the result of each. */
const TIMES = [300, 1500, 6000];
const LINES = 3;
/** The number of shown moves of a line. */
const MOVES = 10;

/** Returns White's winning chance in percent, as in the graph of a game. */
const share = ({ cp, mate }) => (mate !== null ? (mate > 0 ? 100 : 0) : chance(Math.max(-1000, Math.min(1000, cp))));

/** Returns a score in the usual notation. */
export function score({ cp, mate }) {
  if (mate !== null) return `#${mate}`;
  return `${cp > 0 ? "+" : cp < 0 ? "−" : ""}${number(Math.abs(cp) / 100, 2, 2)}`;
}

/** Returns a panel for a board, or nothing if there is no engine. `show(fen)` analyses a position. `onPlay(uci)` is
 * called when the reader chooses a line.
 * @param {AbortSignal} signal
 * @param {{onPlay?: (uci: string) => void, onHint?: (uci?: string) => void}} calls */
export function analysis(signal, { onPlay, onHint } = {}) {
  const node = el("div.analysis", { hidden: true });
  const lines = el("ol.lines", { "aria-label": t("engine_lines") });
  const bar = el("span.eval-bar", { role: "img" });
  const status = el("span.soft", { role: "status" });
  let fen = "";
  let controller = new AbortController();
  const isOn = () => localStorage.getItem("engine") === "on";
  const toggle = el("button", { type: "button", "aria-pressed": String(isOn()), onclick: () => {
    localStorage.setItem("engine", isOn() ? "off" : "on");
    toggle.setAttribute("aria-pressed", String(isOn()));
    update();
  } }, t("engine"));
  fill(node, el("div.analysis-head", {}, toggle, bar, status), lines);
  api.hasEngine().then((has) => { node.hidden = !has; if (has) update(); }, () => {});
  signal.addEventListener("abort", () => controller.abort());

  async function update() {
    controller.abort();
    controller = new AbortController();
    const current = controller.signal;
    if (!isOn() || node.hidden || !fen) {
      fill(lines);
      fill(status);
      bar.hidden = true;
      return;
    }
    lines.classList.add("stale");
    // Delays the analysis while the reader steps through moves.
    await new Promise((done) => { setTimeout(done, 150); });
    try {
      for (const time of TIMES) {
        if (current.aborted) return;
        const found = await api.engine({ fen, time, lines: LINES }, current);
        if (current.aborted) return;
        draw(found);
      }
    } catch (error) {
      if (error.name === "AbortError" || current.aborted) return;
      fill(status, el("span.fault", {}, error.code === "busy" ? t("server_busy") : translated(error)));
    }
  }

  function draw(found) {
    lines.classList.remove("stale");
    const [best] = found.lines;
    bar.hidden = !best;
    if (best) {
      const white = share(best);
      const text = score(best);
      fill(bar, wide(el("span.part.w", {}, white >= 50 ? text : ""), white), wide(el("span.part.b", {}, white < 50 ? text : ""), 100 - white));
      bar.setAttribute("aria-label", `${t("evaluation")} ${text}`);
    }
    fill(status, found.engine ?? "", best ? ` · ${t("depth")} ${best.depth}${found.nodes ? ` · ${short(found.nodes)} ${t("nodes")}` : ""}` : t("engine_nothing"));
    fill(lines, found.lines.map((line) => el("li", {}, el("strong", {}, score(line)), " ",
      el(onPlay ? "button.move" : "span", { type: onPlay ? "button" : null, onclick: onPlay && (() => onPlay(line.uci[0])), onmouseenter: () => onHint?.(line.uci[0]), onmouseleave: () => onHint?.() }, san(line.moves[0])),
      " ", el("span.soft", {}, line.moves.slice(1, MOVES).map(san).join(" ")))));
  }

  return {
    node,
    show(next) {
      if (next === fen) return;
      fen = next;
      update();
    },
  };
}
