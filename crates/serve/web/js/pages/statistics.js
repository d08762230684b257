// Statistics: what the games of the filter are like; a bar leads to its games.

import * as api from "../api.js";
import { bars, table } from "../chart.js";
import { el, fill } from "../dom.js";
import { quoted } from "../filter.js";
import { counted, number, percent, t } from "../i18n.js";
import { bar, empty, load } from "../parts.js";
import * as state from "../state.js";

export function show(main, { params, signal }) {
  const panel = el("div.panel");
  fill(main, el("h1", {}, t("statistics")), panel);
  load(panel, () => api.stats({ where: params.where, archive: params.archive }, signal), (found) => fill(panel, found.games ? draw(found) : empty(params.where)));

  /** The address of this page with one condition more. */
  function more(condition) {
    const own = params.where ?? "";
    const base = own && /\bor\b/i.test(own) ? `(${own})` : own;
    return state.address("statistics", { where: [base, condition].filter(Boolean).join(" and ") }).href;
  }

  function draw(found) {
    const { white, draws, black, unknown } = found.results;
    const facts = [
      ["games", number(found.games)],
      ["white_won", `${number(white)} (${percent(white, found.games, 1)})`],
      ["draws", `${number(draws)} (${percent(draws, found.games, 1)})`],
      ["black_won", `${number(black)} (${percent(black, found.games, 1)})`],
      ["no_result", number(unknown)],
      ["half_moves", number(found.plies)],
      ["median_length", number(found.median_plies)],
      ["longest_game", el("a", { href: state.address("game", { n: found.longest.game }) }, `${number(found.longest.plies)} (${t("game")} ${number(found.longest.game)})`)],
      ["with_comments", number(found.comments)],
      ["with_variations", number(found.variations)],
    ];
    const section = (name, ...content) => el("section.stat", {}, el("h2", {}, t(name)), content);
    const plot = (name, items, titles) => items.length > 1 && section(name, bars(t(name), items, titles));
    const stacked = (name, groups, condition, label = (group) => group.name) => groups.length > 0 && section(name,
      el("div.scroll", { tabindex: "0", role: "region", "aria-label": t(name) },
        el("table.tree", {}, el("thead", {}, el("tr", {}, [t(name), t("games"), t("results")].map((title) => el("th", { scope: "col" }, title)))),
          el("tbody", {}, groups.map((group) => el("tr", {},
            el("th", { scope: "row" }, condition(group) ? el("a", { href: more(condition(group)) }, label(group)) : label(group)),
            el("td.right", {}, number(group.games)), el("td", {}, bar(group))))))));
    const people = (name, rows, titles, condition) => rows.length > 0 && section(name,
      el("div.scroll", { tabindex: "0", role: "region", "aria-label": t(name) },
        el("table.data", {}, el("thead", {}, el("tr", {}, titles.map((title) => el("th", { scope: "col" }, title)))),
          el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, place) => el(place ? "td.right" : "td", {}, place ? number(cell) : el("a", { href: more(condition(cell)) }, cell)))))))));
    const rating = (group) => {
      const [from, to] = group.name.split("-").map(Number);
      return from >= 0 && to ? `avgelo in ${from}..${to}` : null;
    };
    return [
      el("p.total", {}, counted("game", found.games)),
      section("results", el("p", {}, bar({ white, draws, black })), el("table.data.facts", {}, el("tbody", {}, facts.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, t(name)), el("td.right", {}, value)))))),
      plot("by_year", whole(found.years).map((year) => ({ name: String(year.from), value: year.games, href: more(`year = ${year.from}`) })), [t("year"), t("games")]),
      stacked("by_eco", found.by_eco, (group) => { const code = /^[A-E]\d\d/.exec(group.name ?? ""); return code && `eco = ${code[0]}`; }),
      stacked("by_rating", found.by_rating, rating),
      stacked("by_speed", found.by_speed.map((group) => ({ ...group, speed: group.name })), () => null, (group) => t(`speed_${group.name}`)),
      plot("by_length", found.lengths.map((own) => ({ name: `${own.from}–${own.to}`, value: own.games, href: more(`moves in ${own.from}..${own.to}`) })), [t("moves"), t("games")]),
      plot("by_player_rating", found.ratings.map((own) => ({ name: `${own.from}`, value: own.games, href: more(`elo in ${own.from}..${own.to}`) })), [t("rating"), t("players")]),
      people("players", found.players.map((own) => [own.name, own.games, own.won, own.drawn, own.lost]), [t("player"), t("games"), t("won"), t("drawn"), t("lost")], (name) => `player = ${quoted(name)}`),
      people("events", found.events.map((own) => [own.name, own.games]), [t("event"), t("games")], (name) => `event = ${quoted(name)}`),
    ];
  }

  return { keyNames: [] };
}

/** Years without games have their place on the axis, too. */
function whole(years) {
  if (years.length < 2) return years;
  const known = new Map(years.map((year) => [year.from, year]));
  const [first, last] = [years[0].from, years.at(-1).from];
  if (last - first > 300) return years;
  return Array.from({ length: last - first + 1 }, (_, place) => known.get(first + place) ?? { from: first + place, to: first + place, games: 0 });
}
