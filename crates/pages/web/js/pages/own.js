// The reader's own games: one game like a game of the archives, or many as a repertoire beside the archives.

import * as api from "../api.js";
import { bar, heading, sheet } from "../chart.js";
import { el, fill } from "../dom.js";
import { gameRow } from "../figures.js";
import { counted, number, openingName, percent, san, t } from "../i18n.js";
import { chooser, close, open, parse, restore, source, textOf } from "../own.js";
import { gamesTable, load } from "../parts.js";
import * as repertoire from "../repertoire.js";
import * as state from "../state.js";
import { KEYS, view } from "./game.js";

/** The number of deviations that are compared with the archives, and of games in a list. */
const [COMPARED, LISTED] = [24, 200];
/** The number of players to choose from. */
const PLAYERS = 30;

export function show(main, { params, signal, archives }) {
  const holder = el("div.panel");
  fill(main, holder);
  let page = null;
  begin();

  async function begin() {
    await restore(archives);
    if (signal.aborted) return;
    if (!source.bytes) {
      ask();
      return;
    }
    load(holder, async () => {
      if (!source.games) await read();
      if (!source.games.length) throw new api.Fault({ code: "not_found", message: "the text contains no game" });
    }, () => (params.n || source.games.length === 1 ? one() : many()));
  }

  /** Shows the form for a file or a text. */
  function ask() {
    const text = el("textarea", { id: "own-pgn", rows: 8, spellcheck: "false" });
    fill(holder, el("h1", {}, t("own")), el("p", {}, t("own_help")), el("p.buttons", {}, chooser()),
      el("form", { onsubmit: (event) => {
        event.preventDefault();
        if (text.value.trim()) open(text.value, "");
      } }, el("p", {}, el("label", { for: "own-pgn" }, t("own_paste")), text), el("p.buttons", {}, el("button", { type: "submit" }, t("show")))));
  }

  async function read() {
    const meter = el("progress", { max: 1, value: 0, "aria-label": t("progress") });
    fill(holder, el("h1", {}, source.name || t("own")), el("p", { role: "status" }, t("own_reading")), meter);
    await parse(archives, (done, of) => { meter.value = done / of; }, signal);
  }

  const about = () => el("p.notice.quiet", {}, el("strong", {}, source.name || t("own")), ` · ${counted("game", source.games.length)} · ${t("own_kept")} `, chooser("button"),
    el("button", { type: "button", onclick: () => close().then(() => state.go("own", { n: undefined, me: undefined, color: undefined })) }, t("own_close")));

  /** Shows one game. */
  function one() {
    const last = source.games.length;
    const n = Math.min(Math.max(1, Number(params.n) || 1), last);
    load(holder, () => api.read({ pgn: textOf(source.games[n - 1]), number: 1 }, signal), (game) => {
      const near = (step) => (n + step >= 1 && n + step <= last ? state.address("own", { n: n + step }) : null);
      page = view(holder, { ...game, number: n, last, isOwn: true, near }, params, false, api.isIndexed(archives), signal);
      // Above the board, the notice would push the step buttons out of the window.
      holder.querySelector("section.right").append(about(), last > 1 && el("p", {}, el("a.button", { href: state.address("own", { n: undefined, me: params.me, color: params.color }) }, t("own_all"))));
    });
  }

  /** Shows all games as a repertoire. */
  function many() {
    const names = repertoire.players(source.games).slice(0, PLAYERS);
    const me = params.me ?? (names[0]?.[1] > 1 ? names[0][0] : "");
    const color = ["white", "black"].includes(params.color) ? params.color : undefined;
    const games = repertoire.chosen(source.games, me, color);
    const pick = (more) => state.go("own", { me, color, ...more });
    const numbers = new Map(source.games.map((game, index) => [game, index + 1]));
    const played = el("div", {});
    const list = el("div", {});
    const sum = repertoire.counted(games, me);
    fill(holder,
      el("h1", {}, t("own_repertoire")), about(),
      el("p.buttons", {},
        el("label.choice", {}, el("span", {}, t("own_player")), el("select", { "data-control": "me", onchange: (event) => pick({ me: event.target.value }) },
          names.map(([name, count]) => el("option", { value: name, selected: name === me }, `${name} (${number(count)})`)),
          el("option", { value: "", selected: me === "" }, t("own_anyone")))),
        el("span.tabs", { role: "group", "aria-label": t("side") }, [undefined, "white", "black"].map((side) =>
          el("button", { type: "button", "data-control": `color-${side ?? "both"}`, "aria-pressed": String(side === color), onclick: () => pick({ color: side }) }, t(side ?? "both")))),
        el("a.button.primary", { id: "own-tree", href: state.address("explorer", { view: "mine", me: me || undefined, color: color ?? "white", side: color === "black" ? "black" : undefined, where: undefined, find: undefined }) }, t("own_tree"))),
      el("div.figures.repertoire", {},
        el("section.stat", {}, el("h2", {}, t("results")), el("p.result-bar", {}, bar({ white: sum.won, draws: sum.drawn, black: sum.lost }, ["won", "drawn", "lost"])),
          el("p", {}, counted("game", sum.games), sum.score === null ? null : ` · ${t("score")} ${percent(sum.score, 1, 1)}`)),
        el("section.stat", {}, el("h2", {}, t("own_openings")), sheet(t("own_openings"), ["opening", "games", "results", "score"].map(heading), repertoire.openings(games, me).map((row) => [
          row.name ? openingName(row.name) : t("other_openings"), number(row.games), bar({ white: row.won, draws: row.drawn, black: row.lost }, ["won", "drawn", "lost"]), row.score === null ? "–" : percent(row.score, 1, 0)]), "tree.points")),
        el("section.stat", {}, el("h2", {}, t("own_deviations")), el("p.soft", {}, t("own_deviations_help")), played),
        el("section.stat", {}, el("h2", {}, t("games")), list)));
    if (api.isIndexed(archives)) deviations(played, games, me, numbers);
    else fill(played, el("p.soft", {}, t("novelty_index")));
    listed(list, games, numbers, LISTED);
  }

  const link = (n) => state.address("own", { n });

  /** Shows the games, each with the move that left the archives. */
  function listed(list, games, numbers, most) {
    const rows = games.slice(0, most).map((game) => {
      const row = gameRow({ ...game, game: numbers.get(game) }, link(numbers.get(game)));
      const { novelty } = game;
      if (novelty?.ply) row.querySelector("td").append(el("div.under", {}, t("own_left", { move: numbered(novelty) }), ", ", counted("games_before", novelty.games_before)));
      return row;
    });
    fill(list, gamesTable(rows), games.length > most && el("button", { type: "button", onclick: () => listed(list, games, numbers, most + LISTED) }, t("more")));
  }

  const numbered = ({ ply, san: text }) => repertoire.numbered(ply, san(text));

  /** Shows the moves that left the archives, those that cost the most points first. */
  function deviations(node, games, me, numbers) {
    const rows = repertoire.deviations(games, me).slice(0, COMPARED);
    if (!rows.length) {
      fill(node, el("p", {}, t("own_no_deviations")));
      return;
    }
    load(node, async () => {
      const found = [];
      for (const row of rows) found.push({ ...row, archive: await api.tree({ play: row.play, games: 0 }, signal) });
      return found;
    }, (found) => {
      for (const row of found) row.cost = repertoire.lost(row, row.archive);
      found.sort((a, b) => b.cost - a.cost || b.games - a.games);
      fill(node, el("ol.deviations", {}, found.map((row) => {
        const [most] = row.archive.moves;
        const known = row.archive.white + row.archive.draws + row.archive.black;
        const white = (row.archive.white + row.archive.draws / 2) / known;
        return el("li", {},
          el("a", { href: state.address("explorer", { play: row.play, view: "mine", me: me || undefined, color: row.side, side: row.side === "black" ? "black" : undefined }) }, el("strong", {}, numbered(row))),
          ` – ${counted("game", row.games)}`, row.score === null ? "" : `, ${percent(row.score, 1, 0)}`, " · ",
          counted("games_before", row.before), known ? `, ${percent(row.side === "white" ? white : 1 - white, 1, 0)}` : "", most ? [`, ${t("own_mostly")} `, san(most.san)] : null, " ",
          row.members.slice(0, 3).map((game) => [el("a", { href: link(numbers.get(game)) }, `№ ${numbers.get(game)}`), " "]));
      })));
    });
  }

  return {
    get keyNames() { return page ? KEYS() : []; },
    key: (event) => page?.key(event) ?? false,
    destroy: () => page?.destroy(),
  };
}
