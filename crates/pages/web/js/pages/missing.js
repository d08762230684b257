// The page for unknown addresses. It links to the other pages.

import { el, fill } from "../dom.js";
import { t } from "../i18n.js";
import * as state from "../state.js";

export function show(main) {
  fill(main, el("h1", {}, t("no_page")), el("p", {}, t("no_page_help")),
    el("p.buttons", {}, ["explorer", "games", "search", "statistics"].map((name) => el("a.button", { href: state.address(name) }, t(name)))));
  return { keyNames: [] };
}
