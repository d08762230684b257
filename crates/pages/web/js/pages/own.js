// The reader's own game, shown like a game of the archives and compared with them.

import * as api from "../api.js";
import { el, fill } from "../dom.js";
import { counted, t } from "../i18n.js";
import { chooser, open, source } from "../own.js";
import { load } from "../parts.js";
import * as state from "../state.js";
import { KEYS, view } from "./game.js";

export function show(main, { params, signal, archives }) {
  const holder = el("div.panel");
  if (!source.pgn) {
    const text = el("textarea", { id: "own-pgn", rows: 8, spellcheck: "false" });
    fill(main, el("div.panel", {}, el("h1", {}, t("own")), el("p", {}, t("own_help")), el("p.buttons", {}, chooser()),
      el("form", { onsubmit: (event) => {
        event.preventDefault();
        if (text.value.trim()) open(text.value, "");
      } }, el("p", {}, el("label", { for: "own-pgn" }, t("own_paste")), text), el("p.buttons", {}, el("button", { type: "submit" }, t("show"))))));
    return { keyNames: [] };
  }
  fill(main, holder);
  let page = null;
  const number = Number(params.n) || 1;
  load(holder, () => api.read({ pgn: source.pgn, number }, signal), (game) => {
    const near = (n) => (n >= 1 && n <= game.last ? state.address("own", { n }) : null);
    page = view(holder, { ...game, isOwn: true, near }, params, false, api.isIndexed(archives), signal);
    holder.querySelector("h1").after(el("p.notice.quiet", {}, el("strong", {}, source.name || t("own")), ` · ${counted("game", game.last)} · ${t("own_kept")} `, chooser("button"),
      el("button", { type: "button", onclick: () => { source.pgn = ""; state.go("own", {}); } }, t("own_close"))));
  });
  return {
    keyNames: KEYS(),
    key: (event) => page?.key(event),
    destroy: () => page?.destroy(),
  };
}
