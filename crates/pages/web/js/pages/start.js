// The first page: the archives, their opening tree, the last tournament, games worth a look, and all tournaments.

import * as api from "../api.js";
import { sheet } from "../chart.js";
import { el, fill } from "../dom.js";
import { gameRow } from "../figures.js";
import { counted, days, number, t } from "../i18n.js";
import { described, empty, gamesTable, linked, link, load, playerPage, shownArchives, titled } from "../parts.js";
import * as state from "../state.js";

/** The number of additional tournaments per step. */
const PAGE = 100;
/** The number of moves in the table beside the board. */
const MOVES = 8;
/** The latest tournament with at least this number of games, and two for each player, is shown as the last one. Many
 * names belong to single games. */
const FEW = 10;
/** The number of games worth a look, and of leaders of a tournament. */
const LOOKS = 3;

export function show(main, { params, signal, archives, title }) {
  const panel = el("div.panel");
  const chosen = shownArchives(archives, params);
  const only = chosen.length === 1 ? chosen[0] : null;
  const front = frontOf({ params, signal, archives, chosen });
  const areLicensed = archives.some((archive) => archive.metadata?.license);
  const more = only && described(only, ["title", "description", "license", "origin"]);
  fill(main, el("h1", {}, title !== "Scoresheet" && !params.archive ? title : only ? titled(only) : t("all_archives")),
    only?.metadata?.description && el("p", {}, only.metadata.description),
    el("p.soft", {}, counted("game", chosen.reduce((all, archive) => all + archive.games, 0)), only && ["license", "origin"].map((key) => only.metadata?.[key] && [" · ", linked(only.metadata[key])])),
    archives.length > 1 && !params.archive && el("section.card.archives", {}, el("h2", {}, t("archives")), sheet(t("archives"), [t("archive"), t("games"), ...(areLicensed ? [t("meta_license")] : [])],
      archives.map((archive) => [el("a", { href: state.address("start", { archive: archive.archive }) }, titled(archive)), number(archive.games), ...(areLicensed ? [archive.metadata?.license ?? "–"] : [])]))),
    more && el("details", {}, el("summary", {}, t("about_archive")), more),
    front.node, panel);
  tournaments(panel, params, signal, front.showEvent);
  return { keyNames: [], destroy: front.destroy };
}

/** Shows all tournaments. `onFirst` receives the latest ones. */
export function tournaments(panel, params, signal, onFirst = (_events) => {}) {
  const request = { where: params.where, archive: params.archive, find: params.find, limit: PAGE };
  load(panel, () => api.events(request, signal), (found) => {
    onFirst(found.events);
    if (!found.total) {
      const pages = ["explorer", "games", "statistics"].map((page) => [el("a.button", { href: state.address(page) }, t(page)), " "]);
      fill(panel, params.where ? empty(params.where) : el("section.card", {}, el("h2", {}, t("tournaments")), el("p", {}, t("no_events")), el("p.pages", {}, pages)));
      return;
    }
    const rows = [...found.events];
    const holder = el("div", {});
    const more = el("button", { type: "button", onclick: () => load(holder, () => api.events({ ...request, offset: rows.length }, signal), (next) => {
      rows.push(...next.events);
      draw();
    }) }, t("more"));
    const draw = () => {
      fill(holder, table(rows));
      more.hidden = rows.length >= found.total;
    };
    draw();
    const { undecided, unread } = found;
    fill(panel, el("section.card", {}, el("h2", {}, t("tournaments"), " ", el("span.soft", { id: "n-events" }, number(found.total)),
      undecided + unread > 0 && el("span.fault", {}, " ", counted("not_read", undecided + unread))), holder, more));
  });
}

/** Returns the parts above the list of tournaments. They arrive after the page is shown, and an unavailable part is
 * left out. `showEvent` receives the tournaments. */
function frontOf({ params, signal, archives, chosen }) {
  const { where, archive, find } = params;
  const games = el("section.card.looks", { hidden: true });
  const last = el("section.card.last-event", { hidden: true });
  const openings = el("section.card.opening-tree", {}, el("h2", {}, t("opening_tree")));
  // Without an index, the tree would be a search in all games.
  const hasTree = api.isIndexed(chosen);
  const node = el("div.front", {}, hasTree && openings, el("div", {}, last, games));
  let explorer = null;
  let tree = hasTree ? undefined : null;
  let notable = [];
  /** Whether the tournaments have arrived. */
  let isListed = false;

  const offer = () => {
    // A later tree would replace games that the reader already sees.
    if (tree === undefined) return;
    const rows = worth(tree, notable);
    games.hidden = !rows.length;
    node.classList.toggle("alone", isListed && games.hidden && last.hidden);
    fill(games, el("h2", {}, t("worth_a_look")), gamesTable(rows.map(([game, reason]) => gameRow(game, link(game), reason))));
  };
  const onTree = (found) => {
    // Only the first tree is that of all games.
    if (tree !== undefined) return;
    tree = found;
    offer();
  };
  if (hasTree) {
    import("./explorer.js").then((module) => {
      if (signal.aborted) return;
      explorer = module.show(openings.appendChild(el("div", {})), { params: { where, archive, find }, embedded: false, signal, archives, inset: { rows: MOVES, onTree } });
    }, () => {
      openings.remove();
      onTree(null);
    });
  }

  async function showEvent(events) {
    const event = events.find(({ games, entrants }) => games >= FEW && games >= entrants) ?? events[0];
    isListed = true;
    if (!event) {
      offer();
      return;
    }
    const found = await api.event({ name: event.event, year: event.year, where, archive, find }, signal).catch(() => null);
    if (!found?.games || signal.aborted) return;
    last.hidden = false;
    fill(last, el("h2", {}, t("last_tournament"), event !== events[0] && el("span.soft", {}, " ", t("of_games", { n: number(FEW) }))),
      el("p", {}, el("a", { href: state.address("event", { name: event.event, year: event.year ?? undefined }) }, event.event),
        el("span.under", {}, [days(found.from, found.until), counted("game", found.games), counted("player", found.entrants)].filter(Boolean).join(" · "))),
      leaders(found.players));
    ({ notable } = found);
    offer();
  }
  return { node, showEvent, destroy: () => explorer?.destroy() };
}

/** Returns the table of a tournament's leaders. */
const leaders = (players) => sheet(t("standings"), [t("player"), t("games"), t("points")], players.slice(0, LOOKS).map((player) => {
  const page = playerPage(player.name, { where: undefined, find: undefined });
  return [page ? el("a", { href: page }, player.name) : player.name, number(player.games), number(player.points, 1)];
}), "data.leaders", false);

/** Returns games with the reasons to look at them: the best win of all games, and the notable games of the last
 * tournament. Without a tournament, the latest win. */
function worth(tree, notable) {
  const isWon = ({ result }) => result === "1-0" || result === "0-1";
  const difference = ({ white_elo: white, black_elo: black }) => number(Math.abs(white - black));
  const best = tree?.top_games.find(isWon);
  const latest = tree?.latest_games.find(isWon);
  const offered = [
    best && [best, t("look_best")],
    ...["upset", "rated", "short"].flatMap((reason) => notable.filter((known) => known.reason === reason)
      .map(({ game }) => [game, t(`look_${reason}`, { points: difference(game), moves: number(Math.ceil(game.plies / 2)) })])),
    latest && [latest, t("look_latest")],
  ].filter(Boolean);
  return offered.filter(([game], index) => offered.findIndex(([other]) => other.game === game.game) === index).slice(0, LOOKS)
    // In this table, a game has no move.
    .map(([game, reason]) => [{ ...game, san: undefined }, reason]);
}

function table(events) {
  return sheet(t("tournaments"), [t("event"), t("date"), t("games"), t("players")], events.map((event) => [
    [el("a", { href: state.address("event", { name: event.event, year: event.year ?? undefined }) }, event.event), el("div.under", {}, days(event.from, event.until))], days(event.from, event.until) || "–", number(event.games), number(event.entrants)]), "data.events", false);
}
