// A tournament: its standings and its cross table.

import * as api from "../api.js";
import { sheet } from "../chart.js";
import { el, fill } from "../dom.js";
import { quoted } from "../figures.js";
import { both } from "../filter.js";
import { counted, days, number, t } from "../i18n.js";
import { empty, load, playerPage } from "../parts.js";
import * as state from "../state.js";

const POINTS = { 0: "0", 0.5: "½", 1: "1" };

export function show(main, { params, signal }) {
  const panel = el("div.panel");
  fill(main, el("h1", {}, params.name || t("event")), panel);
  load(panel, () => api.event({ name: params.name, where: params.where, archive: params.archive, find: params.find }, signal), (found) => {
    document.title = document.title.replace(/^.*? – /, `${params.name} – `);
    if (!found.games) {
      fill(panel, empty(params.where));
      return;
    }
    const games = state.address("games", { where: both(params.where ?? "", `event = ${quoted(params.name)}`) });
    const when = days(found.from, found.until);
    const { undecided, unread } = found;
    fill(panel,
      el("p.total", {}, el("a", { href: games }, counted("game", found.games)), when && ` · ${when}`, ` · ${counted("player", found.entrants)}`,
        undecided + unread > 0 && el("span.fault", {}, " ", t("not_read", { n: number(undecided + unread) }))),
      el("section.card", {}, el("h2", {}, t("standings")), table(found.players)));
  });
  return { keyNames: [] };
}

const points = (value) => number(value, 1);

function table(players) {
  const name = (player) => {
    const page = playerPage(player.name, { where: undefined, find: undefined });
    return page ? el("a", { href: page }, player.name) : player.name;
  };
  const isCrossed = players[0]?.results.length > 0;
  const cross = (player, row) => player.results.map((games, column) => (row === column ? el("span.soft", {}, "✕")
    : games.map((game) => el("a.cross", { href: state.address("game", { n: game.game, where: undefined, find: undefined }), title: players[column].name }, POINTS[game.points] ?? "*"))));
  const counts = (player) => [player.won, player.drawn, player.lost].map((count) => number(count));
  const titles = isCrossed ? players.map((_, index) => String(index + 1)) : ["won", "drawn", "lost"].map((key) => t(key));
  return sheet(t("standings"), [t("player"), "№", t("rating"), ...titles, t("games"), t("points"), el("abbr", { title: "Sonneborn-Berger" }, "SB")],
    players.map((player, row) => [name(player), String(row + 1), player.rating ?? "–", ...(isCrossed ? cross(player, row) : counts(player)), number(player.games),
      el("strong", {}, points(player.points)), number(player.sonneborn_berger, 2)]), isCrossed ? "data.standings" : "data.standings.uncrossed", false);
}
