// The explorer: a position and the moves played in it.

import * as api from "../api.js";
import { Board } from "../board.js";
import { bar, heading } from "../chart.js";
import { el, fill, rove, sign } from "../dom.js";
import { analysis } from "../engine.js";
import { quoted } from "../figures.js";
import { both, parts, words } from "../filter.js";
import { counted, number, openingName, percent, san, short, t } from "../i18n.js";
import { restore, source } from "../own.js";
import { NARROW, announce, copy, diagrams, embedding, empty, entitle, exact, gameRows, gamesTable, load, popover, titled } from "../parts.js";
import { PIECES, beside, ends, pocket } from "../picture.js";
import * as repertoire from "../repertoire.js";
import * as state from "../state.js";
import { typedMove } from "../typed.js";

/** With fewer games, a percentage is not meaningful. */
const FEW = 15;
const STANDARD = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/** The number of main moves with an arrow. */
const ARROWS = 3;

/** Shows the explorer. Inside another page (`inset`), it has no controls but the board's, shows the first rows of the
 * table, and leaves the address of the page alone. `inset.onTree` receives each tree, or `null`
 * if it cannot be loaded.
 * @param {HTMLElement} main
 * @param {{params: Record<string, string>, embedded: boolean, signal: AbortSignal, archives: any[], inset?: {rows: number, onTree: (tree: any) => void}}} page */
export function show(main, { params, embedded: isEmbedded, signal, archives, inset }) {
  const embedded = isEmbedded || Boolean(inset);
  let line = (params.play ?? "").split(",").filter(Boolean);
  let at = line.length;
  // The history entry, not the address, stores the moves beyond the current position.
  const ahead = state.kept().line;
  if (ahead?.slice(0, at).join() === line.join()) line = ahead;
  const { fen: start, variant } = params;
  let position = null;
  let tree = null;
  let trees = [];
  let sort = null;
  let turn = new AbortController();
  let coming = Promise.resolve();
  /** Rows that the reader has selected with keys before their table arrived, in order. */
  let waiting = [];

  const board = new Board({ onMove: play, onDraw: embedded ? null : (draw) => state.set({ draw }), orientation: params.side === "black" ? "b" : "w", label: t("board") });
  const engine = variant ? { node: null, show() {} } : analysis(signal, { onPlay: play, onHint: (uci) => hint(uci) });
  const moves = el("div.line", { role: "group", "aria-label": t("moves_so_far") });
  const opening = el("p.opening");
  const extra = el("p.extra");
  const panel = el("div.panel.card", { "aria-live": "off" });
  const games = el("div.panel");
  const typed = el("input", { type: "text", id: "typed", autocomplete: "off", autocapitalize: "off", spellcheck: "false", size: 8, placeholder: san("Nf3"), "aria-describedby": "typed-fault" });
  const link = el("a", inset ? { href: "" } : { href: "", target: "_blank", rel: "noopener" }, t("open_explorer"));
  const fault = el("span.fault", { id: "typed-fault", role: "alert" });
  const step = (name, work) => el("button", { type: "button", onclick: work, "aria-label": t(name), title: t(name) }, sign(name));

  fill(main,
    inset ? null : el("h1.visually-hidden", {}, t("explorer")),
    el("div.columns", {},
      el("section.left", { "aria-label": t("board") },
        board.node,
        el("div.buttons.tight", {},
          step("first", () => move(0)), step("back", () => move(at - 1)),
          step("forward", () => move(at + 1)), step("last", () => move(line.length)), step("flip", flip),
          embedded ? null : [el("form.typed", { onsubmit: type }, el("label", { for: "typed" }, t("type_move")), typed, el("button", { type: "submit" }, t("play"))),
          popover("", sign("share"), t("share"),
            el("button", { type: "button", onclick: () => copy(state.here().href) }, t("copy_link")),
            el("button", { type: "button", onclick: () => copy(position?.fen ?? "") }, t("copy_fen")),
            diagrams(board, () => position?.fen ?? ""),
            el("button", { type: "button", onclick: () => copy(embedding(state.embedded({ fen: start, play: line.slice(0, at).join(","), variant, where: params.where, archive: params.archive, side: params.side, draw: board.drawn.join(",") }))) }, t("copy_embed")),
            variant ? null : el("a.button", { href: "", id: "set-up" }, t("set_up_board")))]),
        fault),
      el("section.right", { id: "moves", tabindex: "-1", "aria-label": t("moves") }, el("div", {}, opening, extra, moves),
        embedded ? [panel, el("p", {}, link)] : matchMedia(NARROW).matches ? [panel, views(), engine.node, games] : [engine.node, views(), panel, games])));
  board.mount();
  board.setDrawings(params.draw);
  update();

  /** Returns the views: all games, a player's games, or two filters. */
  function views() {
    const now = params.view ?? "all";
    const pick = (view) => () => state.go("explorer", { ...state.read().params, view: view === "all" ? undefined : view, ...(view === "mine" ? { color: params.color ?? "white", me: params.me ?? repertoire.players(source.games ?? [])[0]?.[0] } : {}) });
    const tab = (view) => el("button", { type: "button", "data-control": `view-${view}`, "aria-pressed": String(now === view), onclick: pick(view) }, t(`view_${view}`));
    const field = (name, label) =>
      el("form.inline", { onsubmit: (event) => { event.preventDefault(); state.go("explorer", { ...state.read().params, [name]: new FormData(event.target).get(name) }); } },
        el("label", {}, el("span", {}, label), el("input", { name, type: "text", value: params[name] ?? "", autocomplete: "off" })),
        el("button", { type: "submit" }, t("show")));
    // The archive of side B. Side A has the archive of the page.
    const other = () => el("label.choice", {}, el("span", {}, t("other_archive")),
      el("select", { "data-control": "archive2", onchange: (event) => state.go("explorer", { ...state.read().params, archive2: event.target.value }) },
        el("option", { value: "" }, t("same_archive")), el("option", { value: "all", selected: params.archive2 === "all" }, t("all_archives")),
        archives.map((archive) => el("option", { value: archive.archive, selected: String(archive.archive) === params.archive2 }, titled(archive)))));
    return el("div.views", {},
      el("div.tabs", { role: "group", "aria-label": t("view") }, ["all", "white", "black", "compare", ...(now === "mine" || source.games && !variant ? ["mine"] : [])].map(tab)),
      variants(),
      now === "white" || now === "black" ? field("player", t("player")) : null,
      now === "mine" ? el("div.tabs", { role: "group", "aria-label": t("side") }, ["white", "black"].map((color) => el("button", { type: "button", "data-control": `color-${color}`, "aria-pressed": String(params.color === color),
        onclick: () => state.go("explorer", { ...state.read().params, color, side: color === "black" ? "black" : undefined }) }, t(color)))) : null,
      now === "compare" ? [archives.length > 1 && other(), field("where2", t("other_filter"))] : null);
  }

  /** Returns the choice of a variant, or nothing if the archives contain only chess. */
  function variants() {
    const shown = archives.filter((archive) => !params.archive || String(archive.archive) === params.archive).flatMap((archive) => archive.variants);
    const names = [...new Set([...shown.map((known) => known.name), ...(variant ? [variant] : [])])];
    if (!names.length) return null;
    return el("label.choice", {}, el("span", {}, t("variant")),
      el("select", { "data-control": "variant", onchange: (event) => state.go("explorer", { ...state.read().params, variant: event.target.value, fen: undefined, play: undefined, view: undefined }) },
        el("option", { value: "" }, t("standard_chess")), names.map((name) => el("option", { value: name, selected: name === variant }, name))));
  }

  /** Returns the games of the view, one or two sides. `isOwn` marks the reader's own games.
   * @returns {{where?: string, archive?: string, isOwn?: boolean}[]} */
  function sides() {
    const { where = "", archive, view } = params;
    if ((view === "white" || view === "black") && params.player) return [{ where: both(where, `${view} ~ ${quoted(params.player)}`), archive }];
    if (view === "mine") return [{ isOwn: true }, { where, archive }];
    const other = params.archive2 === "all" ? undefined : params.archive2 ?? archive;
    return view === "compare" ? [{ where, archive }, { where: params.where2 ?? "", archive: other }] : [{ where, archive }];
  }

  function flip() {
    board.flip();
    if (!inset) state.set({ side: board.orientation === "b" ? "black" : undefined });
  }

  async function update() {
    turn.abort();
    turn = new AbortController();
    const stop = AbortSignal.any([turn.signal, signal]);
    const play = line.slice(0, at).join(",");
    if (!embedded) {
      state.set({ play, fen: start, variant, draw: board.drawn.join(",") });
      state.keep({ line });
    }
    panel.setAttribute("data-stale", "");
    const base = { fen: start, play, variant, find: params.find };
    coming = load(panel, async () => {
      const all = sides().filter((side) => !side.isOwn);
      const found = Promise.all(all.map((side) => api.tree({ ...base, ...side, transpositions: sides().length === 1, games: inset ? 15 : 8 }, stop)));
      // A canceled request fails together with the position, which reports the error.
      found.catch(() => {});
      position = await api.position({ fen: start, play, variant }, stop);
      setBoard();
      if (!sides()[0].isOwn) return found;
      await restore(archives);
      // The reader's own games beside the archives' games.
      return [repertoire.tree(repertoire.chosen(source.games ?? [], params.me, params.color), position), ...await found];
    }, (found) => {
      trees = found;
      tree = found[0];
      panel.removeAttribute("data-stale");
      draw();
      inset?.onTree(tree);
      const next = waiting.shift();
      if (next !== undefined) playRow(next);
    }).then(() => {
      if (panel.querySelector("[role=alert]")) {
        waiting = [];
        inset?.onTree(null);
        if (!position) fill(moves, "");
      }
    });
    return coming;
  }

  function setBoard() {
    const last = line[at - 1];
    const marks = last ? ends(last).map((square) => ({ square, color: "last" })) : [];
    board.show(position.fen, position.legal, { squares: marks });
    engine.show(position.fen);
    const isStart = !position.moves.length && (variant ? !start : position.start === STANDARD);
    const { w, b, name } = beside(position.fen);
    fill(extra, name ? [`${t(name)}: ${t("white")} `, stock("w", w), `, ${t("black")} `, stock("b", b)] : null);
    fill(opening, position.opening ? [el("strong", {}, position.opening.eco), " ", openingName(position.opening.name)] : isStart ? t("starting_position") : null);
    if (!embedded) entitle(position.opening ? openingName(position.opening.name) : t("explorer"));
    const first = position.start.split(" ");
    const black = first[1] === "b";
    const from = Number(first[5]) || 1;
    const hadFocus = moves.contains(document.activeElement);
    fill(moves, position.moves.map((m, index) => {
      const ply = index + (black ? 1 : 0);
      const label = ply % 2 === 0 ? `${from + ply / 2}. ` : index === 0 ? `${from}… ` : "";
      return [label, el("button.move", { type: "button", "aria-current": index === at - 1 ? "step" : null, onclick: () => move(index + 1) }, san(m.san)), " "];
    }));
    const current = moves.querySelector("[aria-current]") ?? moves.querySelector("button");
    for (const node of moves.querySelectorAll("button")) node.tabIndex = node === current ? 0 : -1;
    if (hadFocus) current?.focus({ preventScroll: true });
    if (embedded) link.setAttribute("href", state.address("explorer", { fen: start, play: line.slice(0, at).join(","), variant, theme: undefined, rows: undefined }).href);
    else document.getElementById("set-up")?.setAttribute("href", state.address("search", { fen: position.fen }).href);
    const end = position.end ? ` ${t(position.end)}` : "";
    if (!inset || at > 0) announce(position.moves.length ? `${position.moves.at(-1).san}.${end}` : t("starting_position"));
  }

  /** Returns what a side has beside the board. The pieces of the side to move can be dropped. */
  function stock(side, men) {
    const kinds = pocket(position.fen, side);
    if (!kinds.length || position.fen.split(" ")[1] !== side) return men || "–";
    return kinds.map(([letter, text]) => {
      const piece = el("button.stock", { type: "button", "data-drop": letter, "aria-label": t("drop_piece", { piece: t(PIECES[letter.toLowerCase()]) }) }, text);
      board.droppable(piece, letter);
      return piece;
    });
  }

  /** Returns the arrow of a move. `width` shows its share of the games. */
  const arrow = (uci, color, width) => ({ from: uci.slice(0, 2), to: uci.slice(2, 4), color, width });

  /** Whether a move is no drop, which has no arrow. */
  const isOnBoard = (uci) => ends(uci).length > 1;

  /** Shows arrows for the main moves, or for the row under the pointer. */
  function hint(uci) {
    if (panel.hasAttribute("data-stale")) board.hint();
    else if (uci) board.hint([uci].filter(isOnBoard).map((uci) => arrow(uci, "hover", 1)));
    else board.hint(trees.length > 1 ? [] : tree.moves.slice(0, ARROWS).filter((row) => row.games >= FEW && isOnBoard(row.uci)).map((row) => arrow(row.uci, "main", 0.35 + 0.65 * (row.games / tree.games))));
  }

  /** Returns a row that shows its move on the board between the events `begins` and `ends`. */
  function pointing(node, uci, begins, ends) {
    for (const event of begins) node.addEventListener(event, () => hint(uci));
    for (const event of ends) node.addEventListener(event, () => hint());
    return node;
  }

  /** Returns a text that names the games of a side.
   * @param {{where?: string, archive?: string, isOwn?: boolean}} side */
  const named = ({ where, archive, isOwn }) => {
    if (isOwn) return [params.me ?? t("own"), params.color && t(params.color)].filter(Boolean).join(", ");
    const of = archives.length > 1 && archives.find((candidate) => String(candidate.archive) === archive);
    return [of && titled(of), where ? parts(where).map((part) => words(part) ?? part).join(", ") : !of && t("all_games")].filter(Boolean).join(", ");
  };

  /** Draws the tables. If a move of the previous table had the focus, the first move of the new one gets it. */
  function draw() {
    const hadFocus = document.activeElement?.matches?.("[data-uci]") && panel.contains(document.activeElement);
    drawTables();
    if (hadFocus) panel.querySelector("[data-uci]")?.focus({ preventScroll: true });
  }

  function drawTables() {
    if (trees.length > 1) {
      fill(panel,
        ["A", "B"].map((letter, index) => el("p.total", {}, el("strong", {}, letter), ` ${named(sides()[index])}: `,
          el("a", { href: list(sides()[index]) }, counted("game", trees[index].games)))),
        compared());
      fill(games);
      hint();
      return;
    }
    if (tree.games === 0) {
      fill(panel, sides()[0].where ? empty(params.where) : el("div.notice", {}, el("p", {}, t("not_reached"))),
        (tree.transpositions ?? []).length ? tableOf() : null);
      fill(games);
      hint();
      return;
    }
    fill(panel,
      el("p.total", {}, el("a", { href: list(), id: "n-games", ...(isEmbedded ? { target: "_blank", rel: "noopener" } : {}) }, counted("game", tree.games)),
        tree.undecided || tree.unread.length ? el("span.fault", {}, " ", counted("not_read", tree.undecided + tree.unread.length)) : null,
        tree.left_out ? el("span.soft", {}, " ", counted("left_out", tree.left_out)) : null),
      tableOf());
    hint();
    const lists = embedded ? [] : [["top_games", tree.top_games], ["latest_games", tree.latest_games]];
    fill(games, lists.filter(([, rows]) => rows.length).map(([name, rows]) =>
      el("section.card", {}, el("h2", {}, t(name)),
        gamesTable(gameRows(rows.map((game) => ({ ...game, san: san(game.san) })), { ply: at })))));
  }

  /** Returns the address of the list of a side's games that reach the position. */
  function list(side = sides()[0]) {
    const { where, archive, isOwn } = side;
    if (isOwn) return state.address("own", { me: params.me, color: params.color, where: undefined, find: undefined, archive: undefined });
    // Without a position, the page would list the games that begin elsewhere, too.
    const fen = start ?? (at || variant ? undefined : position?.fen);
    return state.address("games", { fen, play: line.slice(0, at).join(",") || undefined, variant, where: where || undefined, archive });
  }

  const score = (row) => (row.white + row.draws / 2) / Math.max(1, row.white + row.draws + row.black);

  /** Returns a sortable table. `columns`: `[name, value, class]`; `cells(row, index)` returns the cells of a row. */
  function table(kind, columns, rows, cells, more) {
    let sorted = rows;
    if (sort) {
      const [, value] = columns[sort.column];
      sorted = [...rows].sort((a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) * (sort.down ? -1 : 1));
    }
    const head = columns.map(([name, , only], index) => {
      const now = sort?.column === index;
      const order = () => {
        sort = { column: index, down: now ? !sort.down : index > 0 };
        draw();
        panel.querySelectorAll("thead button")[index]?.focus();
      };
      return el("th", { scope: "col", class: only, "aria-sort": now ? (sort.down ? "descending" : "ascending") : null },
        el("button.plain", { type: "button", onclick: order }, name, now ? (sort.down ? " ▾" : " ▴") : ""));
    });
    const row = (entry, index) => pointing(el("tr", {}, cells(entry, index)), entry.uci, ["mouseenter", "focusin"], ["mouseleave", "focusout"]);
    return el(`table.tree.${kind}`, {},
      el("caption.visually-hidden", {}, t("moves")),
      rove(el("thead", {}, el("tr", {}, head)), "button", { ArrowLeft: -1, ArrowRight: 1 }),
      rove(el("tbody", {}, sorted.map(row), more), "button", { ArrowUp: -1, ArrowDown: 1 }));
  }

  function tableOf() {
    const columns = [
      [t("move"), (row) => row.san, "c-move"],
      [t("games"), (row) => row.games, "c-games right"],
      [t("results"), score],
      [t("rating"), (row) => row.rating ?? 0, "c-rating right middle-only"],
      [t("performance"), (row) => row.performance ?? 0, "c-performance right wide-only"],
      [t("last_year"), (row) => row.last_year ?? 0, "c-last right wide-only"],
    ];
    const cells = (row, name) => {
      const few = row.games < FEW;
      return [
        el("th", { scope: "row" }, name),
        el("td.right", {}, exact(row.games, short(row.games)), " ", el(few ? "span.share.few" : "span.share", {}, percent(row.games, tree.games))),
        el(few ? "td.few" : "td", {}, bar(row)),
        el("td.right.less.middle-only", {}, row.rating ?? "–"),
        el("td.right.less.wide-only", {}, row.performance ?? "–"),
        el("td.right.less.wide-only", {}, row.last_year ?? "–"),
      ];
    };
    const transposed = (tree.transpositions ?? []).map((row) => pointing(
      el("tr.transposition", {}, cells(row, [el("button.move", { type: "button", "data-uci": row.uci, onclick: () => play(row.uci) }, san(row.san)), el("span.soft", {}, t("by_transposition"))])),
      row.uci, ["mouseenter"], ["mouseleave"]));
    return table("one", columns, tree.moves.slice(0, inset?.rows ?? (Number(embedded && params.rows) || undefined)), (row, index) => cells(row, button(row, index)), [
      transposed,
      tree.ended.games > 0 ? el("tr.ended", {}, cells({ ...tree.ended, rating: null, performance: null, last_year: null }, t("game_end"))) : null,
      tree.games > 0 ? el("tr.all", {}, cells(tree, t("all"))) : null]);
  }

  /** Returns one table for two filters: the figures of each move in both, and White's better score in the first filter.
   */
  function compared() {
    const none = { games: 0, white: 0, draws: 0, black: 0 };
    const rows = new Map();
    trees.forEach((side, index) => side.moves.forEach((row) => {
      const known = rows.get(row.uci) ?? { uci: row.uci, san: row.san, opening: row.opening, sides: [none, none] };
      known.sides[index] = row;
      rows.set(row.uci, known);
    }));
    const difference = ({ sides: [a, b] }) => (a.white + a.draws + a.black && b.white + b.draws + b.black ? score(a) - score(b) : null);
    const results = (side) => [heading("results"), ` ${side}`];
    const columns = [
      [t("move"), (row) => row.san, "c-move"],
      [`${t("games")} A`, (row) => row.sides[0].games, "c-count right"],
      [results("A"), (row) => score(row.sides[0])],
      [results("B"), (row) => score(row.sides[1])],
      [`${t("games")} B`, (row) => row.sides[1].games, "c-count right"],
      [t("difference"), (row) => difference(row) ?? -2, "c-difference right"],
    ];
    const cells = (row, name) => {
      const [a, b] = row.sides;
      const by = difference(row);
      const points = by === null ? "–" : `${by > 0 ? "+" : by < 0 ? "−" : ""}${number(Math.abs(by) * 100, 1, 1)}`;
      const few = Math.min(a.games, b.games) < FEW;
      return [
        el("th", { scope: "row" }, name),
        el("td.right", {}, exact(a.games, short(a.games))),
        el(a.games < FEW ? "td.few" : "td", {}, bar(a)),
        el(b.games < FEW ? "td.few" : "td", {}, bar(b)),
        el("td.right", {}, exact(b.games, short(b.games))),
        el("td.right", { title: t("difference_note"), class: few || !by ? "less" : by > 0 ? "more" : "less-good" }, points),
      ];
    };
    const all = trees.reduce((sum, side) => sum + side.games, 0);
    const list = [...rows.values()].sort((a, b) => b.sides[0].games + b.sides[1].games - a.sides[0].games - a.sides[1].games);
    return table("compare", columns, list, (row, index) => cells(row, button(row, index)),
      all ? el("tr.all", {}, cells({ sides: trees }, t("all"))) : null);
  }

  function button(row, index) {
    return el("button.move", { type: "button", "data-uci": row.uci, title: row.opening ? `${row.opening.eco} ${openingName(row.opening.name)}` : "", onclick: () => panel.hasAttribute("data-stale") || play(row.uci) },
      index < 9 ? el("span.number", { "aria-hidden": "true" }, index + 1) : null, san(row.san));
  }

  function play(uci) {
    // Until the next position arrives, the page shows the previous one.
    if (position?.ply !== at || !position.legal.some((m) => m.uci === uci)) return false;
    if (line[at] !== uci) line = [...line.slice(0, at), uci];
    at += 1;
    board.setDrawings();
    update();
    return true;
  }

  /** Plays the move of a row, from 0. If the next table has not arrived, waits for it. */
  function playRow(index) {
    if (panel.hasAttribute("data-stale")) {
      if (waiting.length < 20) waiting.push(index);
      return;
    }
    const row = panel.querySelectorAll("tbody tr:not(.transposition) button[data-uci]")[index];
    if (!row || !play(row.dataset.uci)) waiting = [];
  }

  function move(to) {
    waiting = [];
    const next = Math.max(0, Math.min(line.length, to));
    if (next === at) return;
    at = next;
    board.setDrawings();
    update();
  }

  async function type(event) {
    event.preventDefault();
    fault.textContent = "";
    const text = typed.value;
    if (!text.trim()) return;
    if (position?.ply !== at) await coming;
    const found = typedMove(text, position?.legal ?? []);
    if (found) {
      typed.value = "";
      play(found.uci);
    } else {
      fault.textContent = t("no_move", { text: text.trim() });
      typed.select();
    }
  }

  return {
    keyNames: [["← →", t("key_step")], ["Home End", t("key_ends")], ["f", t("flip")], ["1–9", t("key_row")], ["/", t("type_move")], ["g", t("key_games")]],
    key(event) {
      const { key } = event;
      if (key === "ArrowLeft") move(at - 1);
      else if (key === "ArrowRight") move(at + 1);
      else if (key === "Home") move(0);
      else if (key === "End") move(line.length);
      else if (key === "f") flip();
      else if (key === "/") typed.focus();
      else if (key === "g") state.go("games", Object.fromEntries(list().searchParams));
      else if (/^[1-9]$/.test(key)) playRow(Number(key) - 1);
      else return false;
      return true;
    },
    destroy() {
      turn.abort();
      board.destroy();
    },
  };
}
