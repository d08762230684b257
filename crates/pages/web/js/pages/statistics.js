// Statistics of the games of the filter. Each bar links to its games.

import * as api from "../api.js";
import { el, fill } from "../dom.js";
import { statistics } from "../figures.js";
import { both } from "../filter.js";
import { t } from "../i18n.js";
import { described, empty, load, shownArchives } from "../parts.js";
import * as state from "../state.js";

export function show(main, { params, signal, archives }) {
  const panel = el("div.panel");
  fill(main, el("h1", {}, t("statistics")), panel);
  const to = {
    /** Returns the address of this page with one more condition. */
    where(condition) {
      return condition && state.address("statistics", { where: both(params.where ?? "", condition) }).href;
    },
    player: (name) => state.address("player", { name }).href,
    event: (name) => state.address("event", { name }).href,
    game: (n) => state.address("game", { n }).href,
  };
  const about = shownArchives(archives, params).map((archive) => described(archive)).filter(Boolean).map((facts) =>
    el("section.stat.about", {}, el("h2", {}, t("about_archive")), facts));
  load(panel, () => api.stats({ where: params.where, archive: params.archive, find: params.find }, signal), (found) => fill(panel, found.games ? el("div.figures", {}, statistics(found, to), about) : empty(params.where)));
  return { keyNames: [] };
}
