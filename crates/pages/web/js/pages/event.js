// A tournament: its editions, and the standings and the cross table of an edition.

import * as api from "../api.js";
import { sheet } from "../chart.js";
import { el, fill } from "../dom.js";
import { quoted } from "../figures.js";
import { both } from "../filter.js";
import { counted, days, number, t } from "../i18n.js";
import { empty, entitle, load, playerPage } from "../parts.js";
import * as state from "../state.js";
import { tournaments } from "./start.js";

const POINTS = { 0: "0", 0.5: "½", 1: "1" };

/** Returns the name of an edition. Many names contain the year. */
const called = (name, year) => (year && !name.includes(year) ? `${name} ${year}` : name);

export function show(main, { params, signal }) {
  const panel = el("div.panel");
  const heading = el("h1", {}, params.name || t("event"));
  fill(main, heading, panel);
  if (!params.name) {
    heading.className = "visually-hidden";
    tournaments(panel, params, signal);
    return { keyNames: [] };
  }
  load(panel, () => api.event({ name: params.name, year: params.year, where: params.where, archive: params.archive, find: params.find }, signal), (found) => {
    entitle(called(params.name, params.year));
    const { undecided, unread, editions } = found;
    const all = editions.length > 1 && list(params.name, editions, found);
    if (!found.games) {
      fill(panel, empty(params.where), el("p", {}, el("a.button", { href: state.address("event", { where: undefined }) }, t("tournaments"))), all);
      return;
    }
    const when = days(found.from, found.until);
    const games = state.address("games", { where: both(params.where ?? "", [`event = ${quoted(params.name)}`, params.year && dated(found)].filter(Boolean).join(" and ")) });
    // All editions together, or single games of a server, have no standings.
    const isEdition = found.is_tournament && (params.year || editions.length === 1);
    const shown = editions.find((edition) => edition.from === found.from && edition.until === found.until);
    if (isEdition && editions.length > 1) heading.textContent = called(params.name, shown?.year ?? params.year);
    fill(panel,
      el("p.total", {}, el("a", { href: games }, counted("game", found.games)), when && ` · ${when}`, ` · ${counted("player", found.entrants)}`,
        undecided + unread > 0 && el("span.fault", {}, " ", counted("not_read", undecided + unread))),
      found.is_tournament ? null : el("p.notice", {}, t("no_tournament")),
      isEdition && el("section.card", {}, el("h2", {}, t("standings")), table(found.players)),
      found.is_tournament && all);
  });
  return { keyNames: [] };
}

const points = (value) => number(value, 1);

/** Returns the condition that a game was played between the dates of an edition. */
function dated({ from, until }) {
  if (!from) return undefined;
  const [first, last] = [from, until].map((text) => text.replace(/\.\?\?/g, "").replaceAll(".", "-"));
  return first === last ? `date = ${first}` : `date in ${first}..${last}`;
}

/** Returns the editions of a tournament, latest first. The shown one is marked. */
function list(name, editions, { from, until }) {
  return el("section.card", {}, el("h2", {}, t("editions"), " ", el("span.soft", { id: "n-editions" }, number(editions.length))),
    sheet(t("editions"), [t("year"), t("date"), t("games")], [...editions].reverse().map((edition) => [
      el("a", { href: state.address("event", { name, year: edition.year ?? undefined }), "aria-current": edition.from === from && edition.until === until ? "page" : null }, edition.year ?? "–"),
      days(edition.from, edition.until) || "–", number(edition.games)]), "data.editions"));
}

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
