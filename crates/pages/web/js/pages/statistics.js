// Statistics: what the games of the filter are like; a bar leads to its games.

import * as api from "../api.js";
import { el, fill } from "../dom.js";
import { statistics } from "../figures.js";
import { t } from "../i18n.js";
import { empty, load } from "../parts.js";
import * as state from "../state.js";

export function show(main, { params, signal }) {
  const panel = el("div.panel");
  fill(main, el("h1", {}, t("statistics")), panel);
  const to = {
    /** The address of this page with one condition more. */
    where(condition) {
      const own = params.where ?? "";
      const base = own && /\bor\b/i.test(own) ? `(${own})` : own;
      return condition && state.address("statistics", { where: [base, condition].filter(Boolean).join(" and ") }).href;
    },
    game: (n) => state.address("game", { n }).href,
  };
  load(panel, () => api.stats({ where: params.where, archive: params.archive }, signal), (found) => fill(panel, found.games ? statistics(found, to) : empty(params.where)));
  return { keyNames: [] };
}
