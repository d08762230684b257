// Statistics as sections of a page: all games, a player, an opening. A server, a site and the command's reports show
// the same sections. `to` creates addresses, or nothing: `to.where(condition)` of games, `to.game(number)` of a game,
// `to.player(name)` of a player, and `to.event(name)` of an event. On the page of a player, `to.games(condition, side)`
// is the address of that player's games.

import { bar, bars, heading, heat, line, shares, sheet } from "./chart.js";
import { el } from "./dom.js";
import { counted, date, number, openingName, percent, t } from "./i18n.js";
import { miniature } from "./picture.js";

/** Returns a text in the quotation marks of the filter language. */
export const quoted = (text) => `"${text.replace(/[\\"]/g, "\\$&")}"`;

const link = (href, content) => (href ? el("a", { href }, content) : content);
const section = (name, ...content) => el("section.stat", {}, el("h2", {}, t(name)), content);
const list = (name, titles, rows) => rows.length > 0 && section(name, sheet(t(name), titles.map(heading), rows));
/** Returns groups of games by the value that `title` names, each with a bar of results. */
const stacked = (name, title, groups, named, sides, missing) => groups?.length > 0 && section(name,
  sheet(t(name), [title, "games", "results"].map(heading), groups.map((group) => [named(group), number(group.games), bar(group, sides)]), "tree"), without(missing));
/** Returns the number of games that have no value, or nothing. */
const without = (games) => (games > 0 ? el("p.soft", {}, counted("without_value", games)) : null);

/** Returns the sections of statistics from the members of `/api/v1/stats` and the additional members of a report. */
export function statistics(found, to) {
  const { white, draws, black, unknown } = found.results;
  const share = (count) => `${number(count)} (${percent(count, found.games, 1)})`;
  const { longest } = found;
  const of = found.archives > 1 && longest.archive ? ` ${t("of_archive", { name: longest.archive })}` : "";
  const facts = [
    ["games", number(found.games)], ["white_won", share(white)], ["draws", share(draws)], ["black_won", share(black)], ["no_result", number(unknown)],
    ["half_moves", number(found.plies)], ["mean_length", number(found.mean_plies, 1)], ["median_length", number(found.median_plies)],
    ["longest_game", longest.game && link(to.game(longest.game), `${number(longest.plies)} (${t("game")} ${number(longest.game)}${of})`)],
    ["with_comments", share(found.comments)], ["with_variations", share(found.variations)], ["with_marks", share(found.glyphs)],
    ["set_up", share(found.set_up)], ["faulty", share(found.faulty)],
  ];
  const plot = (name, items, title, counts) => items.length > 1 && section(name, bars(t(name), items, [t(title), t(counts)]));
  const by = (rows, name, condition) => rows.map((row) => ({ name: name(row), value: row.games, href: row.games > 0 ? to.where(condition(row)) : null }));
  const years = () => late(filled(found.by_year.map((row) => ({ ...row, from: Number(row.name), to: Number(row.name) })), 1));
  const [times, when] = found.by_month?.length > 1 ? [found.by_month, "month"] : [years(), "year"];
  const year = (row) => (row.isBefore ? `≤${row.to}` : String(row.from ?? row.name));
  const ofYear = (row) => (row.isBefore ? `year <= ${row.to}` : row.from ? `year = ${row.from}` : /^\d+-\d+$/.test(row.name) ? `year = ${row.name.slice(0, 4)} and month = ${Number(row.name.slice(5))}` : null);
  const ratings = times.map((row) => ({ name: year(row), value: row.rating ?? null }));
  const code = (group) => /^[A-E]\d\d/.exec(group.name ?? "")?.[0];
  const band = (group) => group.name.split("-").map(Number);
  return [
    el("p.total", {}, counted("game", found.games), found.unread ? el("span.fault", {}, " ", counted("not_read", found.unread)) : null,
      found.left_out ? el("span.soft", {}, " ", counted("left_out", found.left_out)) : null),
    section("results", el("p.result-bar", {}, bar({ white, draws, black })), sheet(t("results"), [], facts.map(([name, value]) => [t(name), value]), "data.facts")),
    plot(`by_${when}`, by(times, year, ofYear), when, "games"),
    times.length > 1 && section(`results_by_${when}`, shares(t(`results_by_${when}`), times.map((row) => ({ name: year(row), white: row.white ?? 0, draws: row.draws ?? 0, black: row.black ?? 0 })), [t(when), t("games")])),
    ratings.filter((item) => item.value !== null).length > 1 && section("mean_rating", line(t("mean_rating"), ratings, [t(when), t("rating")])),
    families("by_eco", found.by_eco, (group) => link(code(group) && to.where(`eco = ${code(group)}`), `${code(group) ?? ""} ${openingName(group.name.replace(/^[A-E]\d\d /, ""))}`.trim()), found.without?.eco),
    stacked("by_rating", "rating", found.by_rating, (group) => link(band(group)[1] && to.where(`avgelo in ${band(group).join("..")}`), group.name), undefined, found.without?.rating),
    stacked("by_speed", "speed", found.by_speed, (group) => link(to.where(`speed = ${group.name}`), t(`speed_${group.name}`.toLowerCase())), undefined, found.without?.speed),
    plot("by_length", by(usual(filled(found.lengths, 10)), span, (row) => (row.to ? `moves in ${row.from}..${row.to}` : `moves >= ${row.from}`)), "moves", "games"),
    plot("by_player_rating", by(usual(late(filled(found.ratings, 100))), (row) => (row.isBefore ? `≤${row.to}` : row.to ? String(row.from) : `${row.from}+`), (row) => (row.isBefore ? `elo <= ${row.to}` : row.to ? `elo in ${row.from}..${row.to}` : `elo >= ${row.from}`)), "rating", "players"),
    found.squares && section("squares", el("div.boards", {}, heat(t("white_moves"), found.squares.white), heat(t("black_moves"), found.squares.black))),
    stacked("endings", "tab_material", endings(found.by_ending ?? []), (group) => group.name, ["first_side", "draws", "other_side"]),
    found.first_moves?.length > 0 && section("first_moves", el("div.boards", {}, found.first_moves.map((move) => el("figure", {}, miniature(move.fen),
      el("figcaption", {}, el("strong", {}, move.line), ` ${openingName(move.opening)}`, el("div.soft", {}, counted("game", move.games)), bar(move)))))),
    list("players", ["player", "games", "won", "drawn", "lost"],
      found.players.map((row) => [link(to.player(row.name), row.name), ...[row.games, row.won, row.drawn, row.lost].map((count) => number(count))])),
    list("events", ["event", "games"], found.events.map((event) => [link(to.event(event.name), event.name), number(event.games)])),
  ];
}

/** The number of openings in a table. The others are one row, so the rows add up to all games. */
const FAMILIES = 40;

/** Returns openings as a tree: the openings of one name together, with their codes below. `groups` has all codes. */
function families(name, groups, named, missing) {
  if (!groups?.length) return null;
  const found = new Map();
  for (const group of groups) {
    // A code with several openings belongs to its most frequent one.
    const family = /^[A-E]\d\d ([^:,]+?)(?: and others)?(?:[:,]|$)/.exec(group.name)?.[1] ?? group.name;
    found.set(family, [...(found.get(family) ?? []), group]);
  }
  const sum = (members, key) => members.reduce((all, group) => all + (group[key] ?? 0), 0);
  const row = (members, title) => [title, number(sum(members, "games")), bar({ white: sum(members, "white"), draws: sum(members, "draws"), black: sum(members, "black") })];
  const sorted = [...found].sort(([, a], [, b]) => sum(b, "games") - sum(a, "games"));
  const [most, others] = [sorted.slice(0, FAMILIES), sorted.slice(FAMILIES).flatMap(([, members]) => members)];
  const unfold = (family, count) => {
    const open = el("button.plain.unfold", { type: "button", "aria-expanded": "false", onclick: () => {
      const isOpen = open.getAttribute("aria-expanded") !== "true";
      open.setAttribute("aria-expanded", String(isOpen));
      let line = open.closest("tr");
      for (let left = count; left > 0; left--) {
        line = line.nextElementSibling;
        line.classList.toggle("shown", isOpen);
      }
    } }, openingName(family));
    return open;
  };
  const rows = most.flatMap(([family, members]) => (members.length < 2
    ? [row(members, named(members[0]))]
    : [row(members, unfold(family, members.length)), ...members.map((group) => row([group], el("span.member", {}, named(group))))]));
  if (others.length) rows.push(row(others, t("other_openings")));
  return section(name, sheet(t(name), ["opening", "games", "results"].map(heading), rows, "tree"), without(missing));
}

/** Joins the first rows, with at most one percent of the games, into one row. */
function late(rows) {
  const all = rows.reduce((sum, row) => sum + row.games, 0);
  let seen = 0;
  const early = rows.filter((row) => (seen += row.games) <= 0.01 * all);
  if (early.length < 3) return rows;
  const sum = (key) => early.reduce((count, row) => count + (row[key] ?? 0), 0);
  return [{ isBefore: true, to: early.at(-1).to, games: sum("games"), white: sum("white"), draws: sum("draws"), black: sum("black") }, ...rows.slice(early.length)];
}

/** Returns groups as in `stats --by`, from the side of the player or of White: name, games, results, score, ratings. */
const points = (name, title, groups, named, list = (_group) => null) => groups.length > 0 && section(name,
  sheet(t(name), [title, "games", "results", "score", "rating", "performance"].map(heading), groups.map((group) => [
    named(group), link(list(group), number(group.games)), bar({ white: group.won, draws: group.drawn, black: group.lost }, ["won", "drawn", "lost"]),
    group.score === null ? "–" : percent(group.score, 1, 1), group.rating ?? "–", group.performance ?? "–"]), "tree.points"));

const games = (name, rows, to) => rows.length > 0 && section(name, gamesTable(rows.map((game) => gameRow(game, to.game(game.game)))));

/** Returns a player as "Carlsen 2850". A line breaks only between name and rating. */
export function player(name, rating) {
  return el("span.person-of", {}, el("span.name", {}, name ?? "?"), rating ? el("span.soft", {}, ` ${rating}`) : null);
}

export const result = (text) => (text === "1/2-1/2" ? "½-½" : text ?? "*");

/** Returns a row of a game: the players with their ratings, and below them the event and the date. `ply` in the address
 * shows the position of a search. `reason` says why the game is in the table. */
export function gameRow(game, href, reason = "") {
  const named = [player(game.white, game.white_elo), " – ", player(game.black, game.black_elo)];
  const under = [game.archive, game.event, date(game.date)].filter((text) => text && text !== "?").join(" · ");
  return el("tr", {},
    el("td", {}, reason && el("div.reason", {}, reason), href ? el("a.row-link", { href }, named) : named, under && el("div.under", {}, under)),
    el("td.center", {}, result(game.result)),
    game.san ? el("td", {}, game.san) : null);
}

/** Returns a table of rows of games. */
export const gamesTable = (rows) => el("table.games-table", {},
  el("thead.visually-hidden", {}, el("tr", {}, ["players", "result", "move"].map((key) => el("th", { scope: "col" }, t(key))))),
  el("tbody", {}, rows));

/** Returns the sections of a player from the members of `scoresheet player --json` and `/api/v1/player`. */
export function playerFigures(found, to) {
  const sides = [["white", found.white], ["black", found.black], ["both", found]];
  const span = ({ year }) => (/^\d+-\d+$/.test(year) ? `year in ${year.replace("-", "..")}` : `year = ${year}`);
  const family = ({ opening: name }) => `(opening = ${quoted(name)} or opening ^= ${quoted(`${name}:`)} or opening ^= ${quoted(`${name},`)})`;
  const years = found.years.map((row) => ({ name: row.year, white: row.won, draws: row.drawn, black: row.lost }));
  const ratings = found.years.map((row) => ({ name: row.year, value: row.rating ?? null }));
  const { unread = 0, undecided = 0, left_out: leftOut = 0 } = found;
  return [
    el("p.total", {}, link(to.games(""), counted("game", found.games)), unread + undecided > 0 && el("span.fault", {}, " ", counted("not_read", unread + undecided)), leftOut > 0 && el("span.soft", {}, " ", counted("left_out", leftOut))),
    found.names.length > 1 && list("names", ["player", "games"], found.names.map((spelling) => [spelling.name, number(spelling.games)])),
    found.not_counted?.length > 0 && list("not_counted", ["player", "games"], found.not_counted.slice(0, 10).map((other) => [link(to.player(other.name), other.name), number(other.games)])),
    points("sides", "side", sides.map(([side, group]) => ({ ...group, side })), (group) => t(group.side), (group) => to.games("", group.side === "both" ? undefined : group.side)),
    years.length > 1 && section("results_by_year", shares(t("results_by_year"), years, [t("year"), t("games")], ["won", "drawn", "lost"])),
    ratings.filter((item) => item.value !== null).length > 1 && section("rating_by_year", line(t("rating_by_year"), ratings, [t("year"), t("rating")])),
    points("with_white", "opening", found.openings_with_white, (group) => openingName(group.opening), (group) => to.games(family(group), "white")),
    points("with_black", "opening", found.openings_with_black, (group) => openingName(group.opening), (group) => to.games(family(group), "black")),
    points("opponents", "opponent", found.opponents, (group) => link(to.player(group.opponent), group.opponent), (group) => to.games(`opponent = ${quoted(group.opponent)}`)),
    points("years", "year", found.years, (group) => group.year, (group) => to.games(span(group))), without(found.without_year),
    games("best_wins", found.best_wins, to), games("worst_losses", found.worst_losses, to),
  ];
}

/** Returns the sections of an opening from the members of `scoresheet opening --json`. */
export function opening(found, to) {
  return [
    el("div.boards", {}, el("figure", {}, miniature(found.fen), el("figcaption", {}, openingName(found.opening)))),
    el("p.total", {}, counted("game", found.games)),
    points("results", "side", [found], () => t("white")),
    points("moves", "move", found.moves, (group) => `${group.san} ${openingName(group.opening)}`),
    points("by_rating", "rating", found.ratings, (group) => group.rating_band),
    points("years", "year", found.years, (group) => group.year),
    points("with_white", "player", found.with_white, (group) => group.player),
    points("with_black", "player", found.with_black, (group) => group.player),
    games("strongest", found.strongest, to),
  ];
}

const span = ({ from, to }) => (to ? `${from}–${to}` : `${from}+`);

/** Adds the steps without games, to give each step its position on the axis. */
function filled(rows, step) {
  if (rows.length < 2 || (rows.at(-1).from - rows[0].from) / step > 300) return rows;
  const known = new Map(rows.map((row) => [row.from, row]));
  const first = rows[0].from;
  return Array.from({ length: (rows.at(-1).from - first) / step + 1 }, (_, index) => {
    const from = first + index * step;
    return known.get(from) ?? { from, to: from + step - 1, games: 0 };
  });
}

/** Joins the rows beyond 99 % of the games into one last, open row. A single row stays unchanged. */
function usual(rows) {
  const all = rows.reduce((sum, row) => sum + row.games, 0);
  let seen = 0;
  const rest = rows.filter((row) => (seen += row.games) - row.games >= 0.99 * all);
  if (rest.length < 2) return rows;
  return [...rows.slice(0, -rest.length), { from: rest[0].from, games: rest.reduce((sum, row) => sum + row.games, 0) }];
}

/** Returns endings with few pieces from the stronger side's view, the most frequent first. */
function endings(groups) {
  const worth = (side) => [...side].reduce((sum, piece) => sum + ({ Q: 90, R: 50, B: 31, N: 30, P: 10 }[piece] ?? 0), 0);
  const rows = new Map();
  for (const { name, games: count, white, draws, black } of groups) {
    const sides = name.split(" v ");
    // One group contains all other positions.
    if (sides.length < 2) continue;
    const turned = worth(sides[0]) < worth(sides[1]);
    if (turned) sides.reverse();
    const row = rows.get(sides.join(" v ")) ?? { name: sides.join(" v "), games: 0, white: 0, draws: 0, black: 0 };
    row.games += count;
    row.white += turned ? black : white;
    row.draws += draws;
    row.black += turned ? white : black;
    rows.set(row.name, row);
  }
  return [...rows.values()].sort((a, b) => b.games - a.games).slice(0, 12);
}
