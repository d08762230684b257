// The explorer: a position, and what was played in it.

import * as api from "../api.js";
import { Board } from "../board.js";
import { bar } from "../chart.js";
import { el, fill } from "../dom.js";
import { quoted } from "../figures.js";
import { counted, number, percent, san, short, t, unsan } from "../i18n.js";
import { announce, broken, copy, empty, exact, gameRows, load } from "../parts.js";
import * as state from "../state.js";

/** Under so many games a share says little. */
const FEW = 15;

export function show(main, { params, signal }) {
  let line = (params.play ?? "").split(",").filter(Boolean);
  let at = line.length;
  const start = params.fen;
  let position = null;
  let tree = null;
  let sort = null;
  let turn = new AbortController();

  const board = new Board({ onMove: play, orientation: params.side === "black" ? "b" : "w", label: t("board") });
  const moves = el("p.line", { "aria-label": t("moves_so_far") });
  const opening = el("p.opening");
  const panel = el("div.panel", { "aria-live": "off" });
  const games = el("div.panel");
  const typed = el("input", { type: "text", id: "typed", autocomplete: "off", autocapitalize: "off", spellcheck: "false", size: 8, placeholder: "Nf3", "aria-describedby": "typed-fault" });
  const fault = el("span.fault", { id: "typed-fault", role: "alert" });

  fill(main,
    el("h1.visually-hidden", {}, t("explorer")),
    el("div.columns", {},
      el("section.left", { "aria-label": t("board") },
        board.node,
        el("div.buttons.tight", {},
          el("button", { type: "button", onclick: () => move(0), "aria-label": t("first") }, "|◀"),
          el("button", { type: "button", onclick: () => move(at - 1), "aria-label": t("back") }, "◀"),
          el("button", { type: "button", onclick: () => move(at + 1), "aria-label": t("forward") }, "▶"),
          el("button", { type: "button", onclick: () => move(line.length), "aria-label": t("last") }, "▶|"),
          el("button", { type: "button", onclick: () => board.flip(), "aria-label": t("flip") }, "⇅"),
          el("form.typed", { onsubmit: type }, el("label", { for: "typed" }, t("type_move")), typed, el("button", { type: "submit" }, t("play"))),
          fault),
        opening, moves,
        el("div.buttons", {},
          el("button", { type: "button", onclick: () => copy(location.href) }, t("copy_link")),
          el("button", { type: "button", onclick: () => copy(position?.fen ?? "") }, t("copy_fen")),
          el("a.button", { href: "", id: "set-up" }, t("set_up_board")))),
      el("section.right", { "aria-label": t("moves") }, views(), panel, games)));
  board.mount();
  update();

  /** What is counted: everything, a player's games, or two filters. */
  function views() {
    const now = params.view ?? "all";
    const pick = (view) => () => state.go("explorer", { ...state.read().params, view: view === "all" ? undefined : view });
    const tab = (view) => el("button", { type: "button", "aria-pressed": String(now === view), onclick: pick(view) }, t(`view_${view}`));
    const field = (name, label) =>
      el("form.inline", { onsubmit: (event) => { event.preventDefault(); state.go("explorer", { ...state.read().params, [name]: new FormData(event.target).get(name) }); } },
        el("label", {}, el("span", {}, label), el("input", { name, type: "text", value: params[name] ?? "", autocomplete: "off" })),
        el("button", { type: "submit" }, t("show")));
    return el("div.views", {},
      el("div.tabs", { role: "group", "aria-label": t("view") }, ["all", "white", "black", "compare"].map(tab)),
      now === "white" || now === "black" ? field("player", t("player")) : null,
      now === "compare" ? field("where2", t("other_filter")) : null);
  }

  function filters() {
    const own = params.where ?? "";
    const both = (more) => [own && /\bor\b/i.test(own) ? `(${own})` : own, more].filter(Boolean).join(" and ");
    if ((params.view === "white" || params.view === "black") && params.player) return [both(`${params.view} ~ ${quoted(params.player)}`)];
    return params.view === "compare" ? [own, params.where2 ?? ""] : [own];
  }

  async function update() {
    turn.abort();
    turn = new AbortController();
    const stop = AbortSignal.any([turn.signal, signal]);
    const play = line.slice(0, at).join(",");
    state.set({ play, fen: start });
    panel.setAttribute("data-stale", "");
    const base = { fen: start, play, archive: params.archive };
    load(panel, async () => {
      const trees = Promise.all(filters().map((where, place) => api.tree({ ...base, where, transpositions: place === 0 && filters().length === 1, games: 8 }, stop)));
      // Given up together with the position: it is said once.
      trees.catch(() => {});
      position = await api.position({ fen: start, play }, stop);
      setBoard();
      return trees;
    }, (trees) => {
      tree = trees[0];
      panel.removeAttribute("data-stale");
      draw(trees);
    }).then(() => {
      if (!position && panel.querySelector("[role=alert]")) fill(moves, "");
    });
  }

  function setBoard() {
    const last = line[at - 1];
    const marks = last ? [last.slice(0, 2), last.slice(2, 4)].map((square) => ({ square, color: "last" })) : [];
    board.show(position.fen, position.legal, { squares: marks });
    fill(opening, position.opening ? [el("strong", {}, position.opening.eco), " ", position.opening.name] : t("no_opening"));
    const first = position.start.split(" ");
    const black = first[1] === "b";
    const from = Number(first[5]) || 1;
    fill(moves, position.moves.map((m, place) => {
      const ply = place + (black ? 1 : 0);
      const label = ply % 2 === 0 ? `${from + ply / 2}. ` : place === 0 ? `${from}… ` : "";
      return [label, el("button.move", { type: "button", "aria-current": place === at - 1 ? "step" : null, onclick: () => move(place + 1) }, san(m.san)), " "];
    }));
    document.getElementById("set-up").href = state.address("search", { fen: position.fen });
    const end = position.end ? ` ${t(position.end)}` : "";
    announce(position.moves.length ? `${position.moves.at(-1).san}.${end}` : t("starting_position"));
  }

  function draw(trees) {
    if (trees.length > 1) {
      fill(panel, el("div.compare", {}, trees.map((own, place) => el("div", {}, el("h2", {}, filters()[place] || t("all_games")), tableOf(own, place === 0)))));
      fill(games);
      return;
    }
    if (tree.games === 0) {
      fill(panel, filters()[0] ? empty(params.where) : el("div.notice", {}, el("p", {}, t("not_reached"))),
        (tree.transpositions ?? []).length ? tableOf(tree, true) : null);
      fill(games);
      return;
    }
    fill(panel,
      el("p.total", {}, el("a", { href: list(), id: "n-games" }, counted("game", tree.games)),
        tree.undecided || tree.unread.length ? el("span.fault", {}, " ", t("not_read", { n: number(tree.undecided + tree.unread.length) })) : null),
      tableOf(tree, true));
    const lists = [["top_games", tree.top_games], ["latest_games", tree.latest_games]];
    fill(games, lists.filter(([, own]) => own.length).map(([name, own]) =>
      el("section", {}, el("h2", {}, t(name)),
        el("div.scroll", {}, el("table.games-table", {},
          el("thead.visually-hidden", {}, el("tr", {}, ["players", "result", "date", "move"].map((key) => el("th", { scope: "col" }, t(key))))),
          el("tbody", {}, gameRows(own.map((game) => ({ ...game, san: san(game.san) })), { ply: at })))))));
  }

  /** The address of the list of games that reach the position. */
  function list() {
    const where = filters()[0];
    return state.address("games", { fen: start, play: line.slice(0, at).join(",") || undefined, where: where || undefined });
  }

  function tableOf(own, plays) {
    const columns = [
      ["move", (row) => row.san],
      ["games", (row) => row.games],
      ["results", (row) => (row.white + row.draws / 2) / Math.max(1, row.white + row.draws + row.black)],
      ["rating", (row) => row.rating ?? 0, "wide-only"],
      ["performance", (row) => row.performance ?? 0, "wide-only"],
      ["last_year", (row) => row.last_year ?? 0, "wide-only"],
    ];
    let rows = own.moves;
    if (sort) {
      const [, value] = columns[sort.column];
      rows = [...rows].sort((a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) * (sort.down ? -1 : 1));
    }
    const head = columns.map(([name, , only], place) => {
      const now = sort?.column === place;
      return el("th", { scope: "col", class: only, "aria-sort": now ? (sort.down ? "descending" : "ascending") : null },
        el("button.plain", { type: "button", onclick: () => { sort = { column: place, down: now ? !sort.down : place > 0 }; draw([tree]); } }, t(name), now ? (sort.down ? " ▾" : " ▴") : ""));
    });
    const cells = (row, name) => {
      const few = row.games < FEW;
      return [
        el("th", { scope: "row" }, name),
        el("td.right", {}, exact(row.games, short(row.games)), " ", el(few ? "span.share.few" : "span.share", {}, percent(row.games, own.games))),
        el(few ? "td.few" : "td", {}, bar(row)),
        el("td.right.wide-only", {}, row.rating ?? "–"),
        el("td.right.wide-only", {}, row.performance ?? "–"),
        el("td.right.wide-only", {}, row.last_year ?? "–"),
      ];
    };
    const button = (row, place) =>
      el("button.move", { type: "button", "data-uci": row.uci, title: row.opening ? `${row.opening.eco} ${row.opening.name}` : "", onclick: () => panel.hasAttribute("data-stale") || play(row.uci) },
        place < 9 ? el("span.number", { "aria-hidden": "true" }, place + 1) : null, san(row.san));
    return el("table.tree", {},
      el("caption.visually-hidden", {}, t("moves")),
      el("thead", {}, el("tr", {}, head)),
      el("tbody", {},
        rows.map((row, place) => el("tr", {}, cells(row, plays ? button(row, place) : san(row.san)))),
        plays && (own.transpositions ?? []).map((row) =>
          el("tr.transposition", {}, cells({ ...row }, [el("button.move", { type: "button", "data-uci": row.uci, onclick: () => play(row.uci) }, san(row.san)), " ", el("span.soft", {}, t("by_transposition"))]))),
        own.ended.games > 0 ? el("tr.ended", {}, cells({ ...own.ended, rating: null, performance: null, last_year: null }, t("game_end"))) : null,
        own.games > 0 ? el("tr.all", {}, cells(own, t("all"))) : null));
  }

  function play(uci) {
    // While the next position is on its way, what is shown is of the one before.
    if (position?.ply !== at || !position.legal.some((m) => m.uci === uci)) return;
    if (line[at] !== uci) line = [...line.slice(0, at), uci];
    at += 1;
    update();
  }

  function move(to) {
    const next = Math.max(0, Math.min(line.length, to));
    if (next === at) return;
    at = next;
    update();
  }

  async function type(event) {
    event.preventDefault();
    fault.textContent = "";
    const text = unsan(typed.value.trim());
    if (!text) return;
    try {
      const found = await api.position({ fen: start, play: line.slice(0, at).join(","), move: text }, signal);
      typed.value = "";
      play(found.moves.at(-1).uci);
    } catch (error) {
      fault.textContent = error.message;
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
      else if (key === "f") board.flip();
      else if (key === "/") typed.focus();
      else if (key === "g") state.go("games", Object.fromEntries(list().searchParams));
      else if (/^[1-9]$/.test(key)) {
        const row = panel.querySelectorAll("tbody tr:not(.transposition) button[data-uci]")[Number(key) - 1];
        if (!row) return false;
        if (!panel.hasAttribute("data-stale")) play(row.dataset.uci);
      } else return false;
      return true;
    },
    destroy() {
      turn.abort();
      board.destroy();
    },
  };
}
