// The first page: the archives and their tournaments, latest first.

import * as api from "../api.js";
import { sheet } from "../chart.js";
import { el, fill } from "../dom.js";
import { counted, days, number, t } from "../i18n.js";
import { described, empty, linked, load, shownArchives, titled } from "../parts.js";
import * as state from "../state.js";

/** The number of additional tournaments per step. */
const PAGE = 100;

export function show(main, { params, signal, archives, title }) {
  const panel = el("div.panel");
  const chosen = shownArchives(archives, params);
  const only = chosen.length === 1 ? chosen[0] : null;
  const more = only && described(only, ["title", "description", "license", "origin"]);
  fill(main, el("h1", {}, title !== "Scoresheet" && !params.archive ? title : only ? titled(only) : t("all_archives")),
    only?.metadata?.description && el("p", {}, only.metadata.description),
    el("p.soft", {}, counted("game", chosen.reduce((all, archive) => all + archive.games, 0)), only && ["license", "origin"].map((key) => only.metadata?.[key] && [" · ", linked(only.metadata[key])])),
    archives.length > 1 && !params.archive && el("section.card.archives", {}, el("h2", {}, t("archives")), sheet(t("archives"), [t("archive"), t("games"), t("meta_license")],
      archives.map((archive) => [el("a", { href: state.address("start", { archive: archive.archive }) }, titled(archive)), number(archive.games), archive.metadata?.license ?? "–"]))),
    more && el("details", {}, el("summary", {}, t("about_archive")), more),
    panel);
  const request = { where: params.where, archive: params.archive, find: params.find, limit: PAGE };
  load(panel, () => api.events(request, signal), (found) => {
    if (!found.total) {
      const pages = ["explorer", "games", "statistics"].map((page) => [el("a.button", { href: state.address(page) }, t(page)), " "]);
      fill(panel, params.where ? empty(params.where) : el("p.pages", {}, pages));
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
      undecided + unread > 0 && el("span.fault", {}, " ", t("not_read", { n: number(undecided + unread) }))), holder, more));
  });
  return { keyNames: [] };
}

function table(events) {
  return sheet(t("tournaments"), [t("event"), t("date"), t("games"), t("players")], events.map((event) => [
    [el("a", { href: state.address("event", { name: event.event, year: event.year ?? undefined }) }, event.event), el("div.under", {}, days(event.from, event.until))], days(event.from, event.until) || "–", number(event.games), number(event.entrants)]), "data.events", false);
}
