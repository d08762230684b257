// The list of games. Only the visible rows exist as elements, for any length of the list.

import * as api from "../api.js";
import { miniature } from "../picture.js";
import { el, fill, later, sign } from "../dom.js";
import * as filter from "../filter.js";
import { counted, date, number, openingName, t } from "../i18n.js";
import { NARROW, broken, empty, fitNames, link, load, playerPage, result, sentence } from "../parts.js";
import * as state from "../state.js";

/** The height of a row, and of a row in two lines in a narrow window (`app.css`). */
const [ROW_WIDE, ROW_NARROW] = [40, 56];
/** The height of the list's header. It is larger than the height of a row. */
const HEAD_WIDE = 44;
const PAGE = 100;
/** Browsers limit elements to about 17 million pixels. Longer lists scroll within this height. */
const HIGHEST = 8_000_000;

/** Columns: class, text of the heading, key to sort by. */
const COLUMNS = [["white", "white", "white"], ["elo", "elo", "whiteelo"], ["result", "result_short", "result"], ["black", "black", "black"], ["elo", "elo", "blackelo"], ["date", "date", "date"],
  ["eco", "eco", "eco"], ["opening", "opening", "opening"], ["event", "event", "event"], ["plies", "moves", "plies"]];
/** The keys that sort in descending order first. */
const FALLING = ["whiteelo", "blackelo", "date", "plies", "result"];
const WON = { "1-0": "won-white", "0-1": "won-black", "1/2-1/2": "drawn" };

export function show(main, { params, signal, archives, restore }) {
  // The style sheet shows a game in two lines, without a heading.
  const narrow = matchMedia(NARROW);
  const isNarrow = narrow.matches;
  const ROW = isNarrow ? ROW_NARROW : ROW_WIDE;
  const HEAD = isNarrow ? 0 : HEAD_WIDE;
  const base = { where: params.where, sort: params.sort, archive: params.archive, fen: params.fen, play: params.play, variant: params.variant, find: params.find };
  const total = el("p.total");
  const picture = el("aside.picture", { "aria-hidden": "true" });
  const body = el("div.rows", { role: "rowgroup" });
  const view = el("div.list", { role: "table", "aria-label": t("games"), tabindex: "0" });
  const panel = el("div.panel");
  const pages = new Map();
  let count = 0;
  // After a visit to a game, the list returns to its previous location.
  const before = state.kept();
  let chosen = before.chosen ?? 0;
  let cancelled = false;
  /** The height of the rows above the window. In a long list it differs from the window's scroll offset. */
  let top = 0;
  let scrolled = 0;
  /** The row that gets the focus when its game arrives. */
  let awaited;
  /** The row under the pointer, and the row whose position is shown. */
  let pointed;
  let pictured;

  fill(main,
    el("div.heading", {}, el("h1", {}, t("games")),
      el("div.buttons", {}, sorting(), el("a.button", { href: api.links.download(base), download: "games.pgn" }, t("download")))),
    params.fen || params.play ? el("p", {}, t("with_position"), " ", el("a", { href: state.address("explorer", { fen: params.fen, play: params.play, variant: params.variant }) }, t("show_position")), " · ", el("a", { href: state.address("games", {}) }, t("all_games"))) : null,
    total, panel);

  load(panel, async () => {
    const found = await api.games({ ...base, limit: PAGE, offset: 0 }, signal);
    pages.set(0, found.games);
    return found;
  }, (found) => {
    count = found.total;
    fill(total, counted("game", count), found.undecided ? el("span.fault", {}, " ", counted("not_read", found.undecided)) : null);
    if (!count) {
      fill(panel, empty(params.where));
      return;
    }
    chosen = Math.min(chosen, count - 1);
    view.setAttribute("aria-rowcount", count);
    // Room for the largest number, with its separators.
    const last = number(archives.reduce((sum, archive) => sum + archive.games, 0));
    view.style.setProperty("--number", `${Math.max(2, last.length)}ch`);
    fill(view, head(), body);
    body.style.height = `${height()}px`;
    fill(panel, el("div.with-picture", {}, view, picture));
    view.addEventListener("scroll", scroll, { passive: true });
    view.addEventListener("scrollend", settle, { passive: true });
    addEventListener("resize", draw, { signal });
    narrow.addEventListener("change", state.again, { signal });
    restore();
    top = Math.min(furthest(), before.top ?? 0);
    settle();
    look();
  });

  /** Stores the location in the history entry. */
  const remember = later(() => cancelled || state.keep({ top: Math.round(top), chosen }), 150);

  function head() {
    const sort = params.sort ?? "";
    const cell = ([name, text, key], index) => {
      const now = sort === key ? "ascending" : sort === `-${key}` ? "descending" : null;
      const next = now === "descending" ? key : now === "ascending" ? `-${key}` : FALLING.includes(key) ? `-${key}` : key;
      const side = name === "elo" ? `, ${t(COLUMNS[index - 1][0])}` : "";
      return el("div.cell", { role: "columnheader", class: name, "aria-sort": now },
        el("button.plain", { type: "button", "data-control": `order-${key}`, "aria-label": side ? `${t(text)}${side}` : null, onclick: () => order(next) }, t(text), now === "ascending" ? " ▴" : now ? " ▾" : ""));
    };
    return el("div.head", { role: "rowgroup" }, el("div.row", { role: "row" }, el("div.cell.number", { role: "columnheader" }, "№"), COLUMNS.map(cell)));
  }

  /** Returns the selection of the order, for windows without headings of all columns. */
  function sorting() {
    const orders = [["", "order_archive"], ["-date", "order_latest"], ["date", "order_first"], ["-whiteelo", "order_white_rating"], ["-blackelo", "order_black_rating"], ["white", "white"], ["black", "black"], ["-plies", "order_longest"]];
    return el("label.choice.sort-by", {}, el("span", {}, t("sort_by")),
      el("select", { "data-control": "sort", onchange: (event) => order(event.target.value || undefined) },
        orders.map(([value, text]) => el("option", { value, selected: value === (params.sort ?? "") }, t(text)))));
  }

  function order(sort) {
    state.go("games", { ...state.read().params, sort });
  }

  async function page(index) {
    if (pages.has(index)) return;
    pages.set(index, []);
    try {
      const found = await api.games({ ...base, limit: PAGE, offset: index * PAGE }, signal);
      pages.set(index, found.games);
      if (!cancelled) draw();
    } catch (error) {
      pages.delete(index);
      if (error.name !== "AbortError") fill(total, broken(error, () => page(index)));
    }
  }

  const height = () => Math.min(count * ROW, HIGHEST);
  /** Returns the visible height of the rows below the header. */
  const shown = () => Math.max(ROW, view.clientHeight - HEAD);
  const furthest = () => Math.max(0, count * ROW - shown());
  /** Returns the height of the rows for a pixel of the scroll bar. */
  const ratio = () => count * ROW > HIGHEST ? furthest() / (HIGHEST - shown()) : 1;

  function scroll() {
    const step = view.scrollTop - scrolled;
    scrolled = view.scrollTop;
    // In a long list, small steps scroll by rows, and large steps scroll to the same fraction of the list.
    const isSmall = Math.abs(step) <= 2 * view.clientHeight && scrolled > 0 && scrolled < height() - shown() - 1;
    top = Math.min(furthest(), Math.max(0, ratio() > 1 && isSmall ? top + step : scrolled * ratio()));
    remember();
    draw();
  }

  /** Moves the scroll bar to match the rows, without moving them. */
  function settle() {
    view.scrollTop = top / ratio();
    scrolled = view.scrollTop;
    draw();
  }

  function draw() {
    const first = Math.max(0, Math.floor(top / ROW) - 5);
    const last = Math.min(count - 1, first + Math.ceil(view.clientHeight / ROW) + 10);
    for (let index = Math.floor(first / PAGE); index <= Math.floor(last / PAGE); index++) page(index);
    const rows = [];
    for (let index = first; index <= last; index++) {
      const game = pages.get(Math.floor(index / PAGE))?.[index % PAGE];
      rows.push(row(index, game));
    }
    const active = document.activeElement;
    const focused = active?.dataset?.place ?? (active === document.body ? awaited : undefined);
    body.replaceChildren(...rows);
    fitNames(body);
    if (focused !== undefined) body.querySelector(`a[data-place="${focused}"]`)?.focus({ preventScroll: true });
  }

  function row(index, game) {
    const node = el("div.row", { role: "row", "aria-rowindex": index + 2, class: index === chosen ? "chosen" : "" });
    node.style.top = `${index * ROW - top + view.scrollTop}px`;
    if (!game) return fill(node, el("div.cell", { role: "cell" }, "…"));
    if (game.error) return fill(node, el("div.cell.number", { role: "cell" }, game.game), el("div.cell.fault.damaged", { role: "cell", title: game.error }, el("span.text", {}, isNarrow ? `${t("game")} ${number(game.game)}: ${game.error}` : `${t("damaged")} ${sentence(game.error)}`)));
    const cell = (name, ...content) => el("div.cell", { role: "cell", class: name }, content);
    const title = (text) => (text ? el("span.text", { title: text }, text) : "");
    node.addEventListener("mouseenter", () => point(index));
    return fill(node,
      cell("number", number(game.game)),
      cell("white", el("a.stretch", { href: link(game), "data-place": index, onfocus: () => choose(index) }, el("span.name", { title: game.white }, game.white ?? "?")), person(game.white)),
      cell("elo of-white", game.white_elo ?? ""),
      cell("result", el("span", { class: WON[game.result] }, result(game.result))),
      cell("black", el("span.name", { title: game.black }, game.black ?? "?"), person(game.black)),
      cell("elo of-black", game.black_elo ?? ""),
      cell("date", date(game.date)),
      cell("eco", game.eco ?? ""),
      cell("opening", title(openingName(game.opening))),
      cell("event", title(game.event)),
      cell("plies", Math.ceil(game.plies / 2)),
      // The second line on a phone, which hides the cells of event and date.
      isNarrow ? cell("when", ...when(game)) : null);
  }

  /** Returns the event and the date of a game. */
  function when(game) {
    const event = game.event && game.event !== "?" && el("span.text", {}, game.event);
    const day = date(game.date);
    return [event, event && day && " · ", day].filter(Boolean);
  }

  /** Returns a link to the page of a player. */
  function person(name) {
    const page = playerPage(name);
    return page && el("a.person", { href: page, tabindex: "-1", title: `${t("games_of")} ${name}`, "aria-label": `${t("games_of")} ${name}` }, sign("person"));
  }

  const at = (index) => pages.get(Math.floor(index / PAGE))?.[index % PAGE];

  /** Shows the game of the row under the pointer. The row with the focus stays selected. */
  function point(index) {
    if (index !== pointed) look(pointed = index);
  }

  function choose(index) {
    if (index === chosen) return;
    chosen = index;
    remember();
    for (const node of body.querySelectorAll(".row")) node.classList.toggle("chosen", node.querySelector(`a[data-place="${index}"]`) !== null);
    look();
  }

  /** Shows a small picture of a game's position, by default of the selected row: the matching position, or the last
   * one. */
  const look = later(async (index = chosen) => {
    const game = at(index);
    if (!game || game.error || getComputedStyle(picture).display === "none" || cancelled) return;
    pictured = index;
    try {
      const details = await api.game(game.game, signal);
      const fen = game.ply !== undefined ? details.moves[game.ply - 1]?.fen ?? details.start : details.end;
      if (pictured === index) fill(picture, miniature(fen), el("p", {}, el("strong", {}, `${game.white ?? "?"} – ${game.black ?? "?"}`)), el("p.soft", {}, details.opening ? `${details.opening.eco} ${openingName(details.opening.name)}` : ""));
    } catch { /* the picture is optional */ }
  }, 60);

  function move(step) {
    const next = Math.max(0, Math.min(count - 1, chosen + step));
    choose(next);
    awaited = next;
    top = Math.max(0, Math.min(next * ROW, Math.max(top, (next + 1) * ROW - shown())));
    remember();
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
      else if (key === "/") filter.edit();
      else return false;
      return true;
    },
    destroy() {
      cancelled = true;
    },
  };
}
