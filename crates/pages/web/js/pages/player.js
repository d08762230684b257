// A player: results, openings, opponents and games under all spellings of the name.

import * as api from "../api.js";
import { el, fill } from "../dom.js";
import { playerFigures, quoted } from "../figures.js";
import { both, names } from "../filter.js";
import { t } from "../i18n.js";
import { entitle, gameRows, gamesTable, load } from "../parts.js";
import * as state from "../state.js";

/** The number of listed latest games. */
const LATEST = 12;
/** The maximum length of a condition in a filter. */
const LONGEST = 3000;

export function show(main, { params, signal }) {
  const panel = el("div.panel");
  const heading = el("h1", {}, params.name || t("player"));
  const { list, look } = names("player", "names-player-page");
  const form = el("form.inline", { onsubmit: (event) => {
    event.preventDefault();
    const name = String(new FormData(event.target).get("name")).trim();
    if (name) state.go("player", { name });
  } }, el("label", {}, el("span", {}, t("other_player")), el("input", { name: "name", type: "text", list: "names-player-page", autocomplete: "off", oninput: (event) => look(event.target.value) })), list,
  el("button", { type: "submit" }, t("show")));
  fill(main, el("div.heading", {}, heading, form), panel);
  if (!params.name) return { keyNames: [] };
  const request = { name: params.name, exact: params.exact === "1", where: params.where, archive: params.archive, find: params.find };
  load(panel, async () => {
    const found = await api.player(request, signal);
    const where = both(params.where ?? "", condition("player", found.names));
    // If the list fails, the rest of the page stays.
    const latest = found.games && where ? await api.games({ where, archive: params.archive, find: params.find, sort: "-date", limit: LATEST }, signal).catch(() => null) : null;
    return { found, latest };
  }, ({ found, latest }) => {
    const spelled = found.names.map((spelling) => spelling.name);
    if (spelled.length) heading.textContent = spelled[0];
    entitle(heading.textContent);
    const games = (more, side = "player") => {
      const filter = condition(side, found.names);
      return filter && state.address("games", { where: both(params.where ?? "", both(filter, more)) }).href;
    };
    const to = {
      games,
      game: (n) => state.address("game", { n, where: undefined, find: undefined }).href,
      player: (name) => state.address("player", { name }).href,
    };
    const spellings = params.exact === "1"
      ? el("a", { href: state.address("player", { name: params.name }) }, t("all_spellings"))
      : spelled.length > 1 && el("a", { href: state.address("player", { name: params.name, exact: 1 }) }, t("this_spelling", { name: params.name }));
    fill(panel,
      spellings && el("p.soft", {}, spellings),
      found.games > 0 && el("p.buttons", {}, ["white", "black"].map((side) => condition(side, found.names) &&
        el("a.button", { href: state.address("explorer", { where: both(params.where ?? "", condition(side, found.names)), side: side === "black" ? "black" : undefined }) }, t(`explorer_${side}`)))),
      el("div.figures", {}, playerFigures(found, to),
        latest?.games.length > 0 && el("section.stat", {}, el("h2", {}, t("latest_games")), gamesTable(gameRows(latest.games)), el("p", {}, el("a", { href: games("") }, t("all_games"))))));
  });
  return { keyNames: [] };
}

/** Returns the condition that a side has one of these names, or nothing if a filter cannot hold that many names. */
function condition(side, names) {
  const all = names.map((spelling) => quoted(spelling.name));
  const text = all.length === 1 ? `${side} = ${all[0]}` : `${side} in {${all.join(", ")}}`;
  return all.length && text.length <= LONGEST ? text : null;
}
