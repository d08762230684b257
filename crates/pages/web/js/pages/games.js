// The list of games: only the rows that can be seen are there, however many games there are.

import * as api from "../api.js";
import { miniature } from "../picture.js";
import { el, fill } from "../dom.js";
import { counted, date, number, t } from "../i18n.js";
import { broken, empty, link, load, player, result } from "../parts.js";
import * as state from "../state.js";

const ROW = 44;
const PAGE = 100;
/** Browsers draw elements up to some 17 million pixels high: a longer list is scrolled as if it were so high. */
const HIGHEST = 8_000_000;

const COLUMNS = [["white", "white"], ["black", "black"], ["result", "result"], ["date", "date"], ["event", "event"], ["eco", "eco"], ["plies", "plies"]];

export function show(main, { params, signal }) {
  const base = { where: params.where, sort: params.sort, archive: params.archive, fen: params.fen, play: params.play };
  const total = el("p.total");
  const picture = el("aside.picture", { "aria-hidden": "true" });
  const body = el("div.rows", { role: "rowgroup" });
  const view = el("div.list", { role: "table", "aria-label": t("games"), tabindex: "0" });
  const panel = el("div.panel");
  const pages = new Map();
  let count = 0;
  let chosen = 0;
  let cancelled = false;
  /** How many pixels of the rows lie above the window; for a long list this is not what the window is scrolled by. */
  let top = 0;
  let scrolled = 0;
  /** The row that gets the focus once its game is there. */
  let wanted;

  fill(main,
    el("div.heading", {}, el("h1", {}, t("games")),
      el("div.buttons", {}, el("a.button", { href: api.links.download(base), download: "games.pgn" }, t("download")))),
    params.fen || params.play ? el("p", {}, t("with_position"), " ", el("a", { href: state.address("explorer", { fen: params.fen, play: params.play }) }, t("show_position")), " · ", el("a", { href: state.address("games", {}) }, t("all_games"))) : null,
    total, panel);

  load(panel, async () => {
    const found = await api.games({ ...base, limit: PAGE, offset: 0 }, signal);
    pages.set(0, found.games);
    return found;
  }, (found) => {
    count = found.total;
    fill(total, counted("game", count), found.undecided ? el("span.fault", {}, " ", t("not_read", { n: number(found.undecided) })) : null);
    if (!count) {
      fill(panel, empty(params.where));
      return;
    }
    view.setAttribute("aria-rowcount", count);
    fill(view, head(), body);
    body.style.height = `${height()}px`;
    fill(panel, el("div.with-picture", {}, view, picture));
    view.addEventListener("scroll", scroll, { passive: true });
    view.addEventListener("scrollend", settle, { passive: true });
    draw();
    look();
  });

  function head() {
    const sort = params.sort ?? "";
    const names = { white: ["white", "whiteelo"], black: ["black", "blackelo"] };
    const cell = ([name, key]) => {
      const now = sort === key ? "ascending" : sort === `-${key}` ? "descending" : null;
      // Ratings, dates and lengths are wanted from the top first.
      const next = now === "descending" ? key : now === "ascending" ? `-${key}` : ["date", "plies", "result"].includes(key) ? `-${key}` : key;
      const rating = names[name]?.[1];
      return el("div.cell", { role: "columnheader", class: name, "aria-sort": now },
        el("button.plain", { type: "button", onclick: () => order(next) }, t(name), now === "ascending" ? " ▴" : now ? " ▾" : ""),
        rating ? el("button.plain.soft", { type: "button", onclick: () => order(sort === `-${rating}` ? rating : `-${rating}`) }, "Elo", sort === rating ? " ▴" : sort === `-${rating}` ? " ▾" : "") : null);
    };
    return el("div.head", { role: "rowgroup" }, el("div.row", { role: "row" }, el("div.cell.number", { role: "columnheader" }, "№"), COLUMNS.map(cell)));
  }

  function order(sort) {
    state.go("games", { ...state.read().params, sort });
  }

  async function page(place) {
    if (pages.has(place)) return;
    pages.set(place, []);
    try {
      const found = await api.games({ ...base, limit: PAGE, offset: place * PAGE }, signal);
      pages.set(place, found.games);
      if (!cancelled) draw();
    } catch (error) {
      pages.delete(place);
      if (error.name !== "AbortError") fill(total, broken(error, () => page(place)));
    }
  }

  const height = () => Math.min(count * ROW, HIGHEST);
  /** What the window shows of the rows, under the head. */
  const shown = () => Math.max(ROW, view.clientHeight - ROW);
  const furthest = () => Math.max(0, count * ROW - shown());
  /** Pixels of rows for a pixel of the scroll bar. */
  const ratio = () => count * ROW > HIGHEST ? furthest() / (HIGHEST - shown()) : 1;

  function scroll() {
    const step = view.scrollTop - scrolled;
    scrolled = view.scrollTop;
    // In a long list small steps go row by row, and great ones to the same part of the whole.
    const isSmall = Math.abs(step) <= 2 * view.clientHeight && scrolled > 0 && scrolled < height() - shown() - 1;
    top = Math.min(furthest(), Math.max(0, ratio() > 1 && isSmall ? top + step : scrolled * ratio()));
    draw();
  }

  /** Puts the scroll bar where the rows are, without moving them. */
  function settle() {
    view.scrollTop = top / ratio();
    scrolled = view.scrollTop;
    draw();
  }

  function draw() {
    const first = Math.max(0, Math.floor(top / ROW) - 5);
    const last = Math.min(count - 1, first + Math.ceil(view.clientHeight / ROW) + 10);
    for (let place = Math.floor(first / PAGE); place <= Math.floor(last / PAGE); place++) page(place);
    const rows = [];
    for (let place = first; place <= last; place++) {
      const game = pages.get(Math.floor(place / PAGE))?.[place % PAGE];
      rows.push(row(place, game));
    }
    const active = document.activeElement;
    const focused = active?.dataset?.place ?? (active === document.body ? wanted : undefined);
    body.replaceChildren(...rows);
    if (focused !== undefined) body.querySelector(`a[data-place="${focused}"]`)?.focus({ preventScroll: true });
  }

  function row(place, game) {
    const node = el("div.row", { role: "row", "aria-rowindex": place + 2, class: place === chosen ? "chosen" : "" });
    node.style.top = `${place * ROW - top + view.scrollTop}px`;
    if (!game) return fill(node, el("div.cell", { role: "cell" }, "…"));
    if (game.error) return fill(node, el("div.cell.number", { role: "cell" }, game.game), el("div.cell.fault.damaged", { role: "cell" }, t("damaged"), " ", game.error));
    const cell = (name, ...content) => el("div.cell", { role: "cell", class: name }, content);
    return fill(node,
      cell("number", number(game.game)),
      cell("white", el("a", { href: link(game), "data-place": place, onfocus: () => choose(place) }, player(game.white, game.white_elo))),
      cell("black", player(game.black, game.black_elo)),
      cell("result", result(game.result)),
      cell("date", date(game.date)),
      cell("event", game.event ?? ""),
      cell("eco", el("span", { title: game.opening ?? "" }, game.eco ?? "")),
      cell("plies", game.plies));
  }

  const at = (place) => pages.get(Math.floor(place / PAGE))?.[place % PAGE];

  function choose(place) {
    if (place === chosen) return;
    chosen = place;
    for (const own of body.querySelectorAll(".row")) own.classList.toggle("chosen", own.querySelector(`a[data-place="${place}"]`) !== null);
    look();
  }

  /** Shows the chosen game's position in small: where it was found, or at its end. */
  async function look() {
    const game = at(chosen);
    if (!game || getComputedStyle(picture).display === "none") return;
    const own = chosen;
    try {
      const whole = await api.game(game.game, signal);
      const fen = game.ply !== undefined ? whole.moves[game.ply - 1]?.fen ?? whole.start : whole.end;
      if (own === chosen) fill(picture, miniature(fen), el("p.soft", {}, `${game.white ?? "?"} – ${game.black ?? "?"}`));
    } catch { /* a picture is a help, no more */ }
  }

  function move(step) {
    const next = Math.max(0, Math.min(count - 1, chosen + step));
    choose(next);
    wanted = next;
    top = Math.max(0, Math.min(next * ROW, Math.max(top, (next + 1) * ROW - shown())));
    settle();
    body.querySelector(`a[data-place="${next}"]`)?.focus({ preventScroll: true });
  }

  return {
    keyNames: [["j k", t("key_next_row")], ["Enter", t("key_open")], ["/", t("key_filter")]],
    key(event) {
      const { key } = event;
      if (key === "j" || key === "ArrowDown") move(1);
      else if (key === "k" || key === "ArrowUp") move(-1);
      else if (key === "PageDown") move(10);
      else if (key === "PageUp") move(-10);
      else if (key === "Home") move(-count);
      else if (key === "End") move(count);
      else if (key === "Enter" && at(chosen)) state.go("game", Object.fromEntries(link(at(chosen)).searchParams));
      else if (key === "/") {
        const details = document.querySelector("details.filter");
        details.open = true;
        setTimeout(() => details.querySelector("textarea")?.focus(), 50);
      } else return false;
      return true;
    },
    destroy() {
      cancelled = true;
    },
  };
}
