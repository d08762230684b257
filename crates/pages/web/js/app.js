// Starts the program: language, theme, the frame of the page, and the page that the address names.

import * as api from "./api.js";
import { el, fill, sign, svg } from "./dom.js";
import * as filter from "./filter.js";
import { counted, language, load, number, size, t } from "./i18n.js";
import { takeDrops } from "./own.js";
import { broken, entitle, popover, save, titled } from "./parts.js";
import * as seek from "./seek.js";
import * as state from "./state.js";

const PAGES = {
  explorer: () => import("./pages/explorer.js"),
  game: () => import("./pages/game.js"),
  event: () => import("./pages/event.js"),
  games: () => import("./pages/games.js"),
  player: () => import("./pages/player.js"),
  search: () => import("./pages/search.js"),
  start: () => import("./pages/start.js"),
  statistics: () => import("./pages/statistics.js"),
  own: () => import("./pages/own.js"),
  missing: () => import("./pages/missing.js"),
};
const NAMED = ["explorer", "games", "search", "statistics"];

let page = null;
let controller = new AbortController();
let archives = [];
let title = "Scoresheet";
let reader = null;

function theme(name) {
  if (name === "light" || name === "dark") document.documentElement.dataset.theme = name;
  else delete document.documentElement.dataset.theme;
}

function choice(label, name, options, use) {
  const now = localStorage.getItem(name) ?? options[0][0];
  return el("label.choice", {}, el("span", {}, label),
    el("select", { "data-control": name, onchange: (event) => { localStorage.setItem(name, event.target.value); use(event.target.value); } },
      options.map(([value, text]) => el("option", { value, selected: value === now }, text))));
}

/** Returns the selection of an archive, for a wide header or for the menu. */
function picker(now, name) {
  const { params } = state.read();
  return archives.length > 1 && el(name, {}, el("span", {}, t("archive")),
    el("select", { "data-control": name, onchange: (event) => state.go(now, { ...state.read().params, archive: event.target.value, after: undefined }) },
      el("option", { value: "" }, t("all_archives")),
      archives.map((archive) => el("option", { value: archive.archive, selected: String(archive.archive) === params.archive }, `${titled(archive)} (${number(archive.games)})`))));
}

/** Returns a link that skips the preceding elements. It is not a fragment link, because that would restart the page. */
function skip(id, text) {
  const go = (event) => {
    event.preventDefault();
    const section = document.getElementById(id) ?? document.getElementById("main");
    // The moves of a table or a game have one stop of the Tab key.
    const target = id === "moves" ? section.querySelector("button[data-uci][tabindex='0'], .movetext button.move[tabindex='0']") ?? section : section;
    target.focus();
    target.scrollIntoView({ block: "nearest" });
  };
  return el(`a.skip.skip-${id}`, { href: `#${id}`, onclick: go }, t(text));
}

/** The knight of icon.svg, drawn inline, because the browser loads that file for its own use. */
const KNIGHT = "M12.4 31.2C12.2 26.4 18.2 25.2 18.6 20.2C17.4 22 15.8 22.4 14.2 22.9C12.8 23.4 12.2 25.4 10.4 25.6C8.4 25.8 6.8 24 7.3 22C7.9 19.6 10 17.8 10.9 15C11.6 12.8 13 11.2 15 10L16.2 5.6L20 8.7C26.6 9.8 30 16.4 29.6 24C29.5 26.8 28.9 29 28.6 31.2ZM10 31.2H30V34.6H10Z";

/** Returns the number of the last game. */
const games = () => archives.reduce((sum, archive) => sum + archive.games, 0);

function header(now) {
  const mark = svg("svg", { viewBox: "0 0 40 40", "aria-hidden": "true" },
    svg("rect", { width: 40, height: 40, rx: 8, fill: "#b58863" }), svg("path", { d: KNIGHT, fill: "#3b3631" }));
  return el("header.top", {},
    skip("main", "skip"), ["explorer", "game", "own", "search"].includes(now) && skip("moves", "skip_moves"),
    el("a.brand", { href: state.address("start"), "aria-label": title, "aria-current": now === "start" ? "page" : null }, reader?.logo ? el("img", { src: new URL(reader.logo, api.root), alt: "" }) : mark, el("span", {}, title)),
    el("nav", { "aria-label": t("pages") },
      NAMED.map((name) => el("a", { href: state.address(name), "aria-current": name === now ? "page" : null }, t(name)))),
    seek.box(games()), seek.narrow(games()),
    picker(now, "label.choice"),
    popover(".settings", sign("settings"), t("settings"),
      picker(now, "label.choice.narrow-only"),
      choice(t("theme"), "theme", [["system", t("theme_system")], ["light", t("theme_light")], ["dark", t("theme_dark")]], theme),
      choice(t("language"), "language", [["", t("language_system")], ["en", "English"], ["de", "Deutsch"]], begin),
      choice(t("letters"), "letters", [["english", "KQRBN"], ["local", language === "de" ? "KDTLS" : "KQRBN"], ["figurines", "♔♕♖♗♘"]], show),
      el("a.button", { href: state.address("own", { where: undefined, find: undefined }) }, t("own_open")),
      el("button", { type: "button", onclick: keys }, t("keys"), " ", el("kbd", {}, "?"))));
}

/** Shows the keyboard shortcuts. */
function keys() {
  const pageKeys = page?.keyNames ?? [];
  const rows = [...pageKeys, ["Ctrl K", t("seek")], ["?", t("key_help")], ["Esc", t("key_escape")]];
  const dialog = el("dialog", { "aria-labelledby": "keys-title", onclose: () => dialog.remove() },
    el("h2", { id: "keys-title" }, t("keys")),
    el("table.data", {}, el("tbody", {}, rows.map(([key, what]) => el("tr", {}, el("th", { scope: "row" }, el("kbd", {}, key)), el("td", {}, what))))),
    el("form", { method: "dialog" }, el("button.primary", {}, t("close"))));
  document.body.append(dialog);
  dialog.showModal();
}

/** Returns a function that gives the focus back to a control with the same name, and opens its menu again. An arrow key
 * in a select already shows another page, so without this, keys could not reach the options after the next one. */
function keptFocus() {
  const name = document.activeElement?.dataset?.control;
  const isOpen = document.activeElement?.closest("details")?.open;
  return () => {
    const control = name && document.querySelector(`[data-control="${name}"]`);
    // The reader may have left the control before the page shows it again.
    if (!control || document.activeElement !== document.body) return;
    const details = control.closest("details");
    if (details && isOpen) details.open = true;
    control.focus({ preventScroll: true });
  };
}

async function show() {
  controller.abort();
  controller = new AbortController();
  page?.destroy?.();
  page = null;
  const { page: name, embedded, params } = state.read();
  document.body.classList.toggle("embedded", embedded);
  document.body.classList.toggle("explorer", embedded && name === "explorer");
  document.body.classList.toggle("board-only", embedded && params.moves === "0");
  if (embedded && params.theme) theme(params.theme);
  const main = el("main", { id: "main", tabindex: "-1" });
  const restore = keptFocus();
  fill(document.body,
    embedded ? null : header(name),
    embedded || ["game", "missing", "own"].includes(name) ? null : filter.bar(),
    main,
    embedded ? null : foot(),
    el("div", { id: "said", role: "status" }),
    el("div.visually-hidden", { id: "announced", "aria-live": "polite" }));
  restore();
  entitle(t(name === "missing" ? "no_page" : name), title);
  const visit = controller;
  try {
    const module = await PAGES[name]().catch(() => {
      throw new api.Fault({ code: "gone", message: "" });
    });
    if (visit !== controller) return;
    page = module.show(main, { params, embedded, signal: controller.signal, archives, title, restore });
    restore();
  } catch (error) {
    if (error.name !== "AbortError") fill(main, el("h1", {}, t(name)), broken(error, show));
  }
}

/** Returns the footer of a server's pages: the archives, and warnings of outdated and of damaged archives. */
function shown() {
  const foot = el("footer.foot", { id: "shown" });
  const tell = () => fill(foot, archives.map((archive) => el("span", { class: archive.outdated || archive.is_incomplete ? "warn" : null },
    t("shown", { name: titled(archive), games: counted("game", archive.games) }),
    archive.outdated && ` · ${t("outdated", { why: archive.outdated })}`, archive.is_incomplete && ` · ${t("incomplete")}`)));
  tell();
  // The archives may have changed since the page was opened.
  api.archives(controller.signal).then((now) => {
    ({ archives } = now);
    tell();
  }).catch(() => {});
  return foot;
}

/** Returns the footer of a site: the amount of fetched data, and the credits. */
function foot() {
  if (!reader) return shown();
  const line = el("span", {});
  const tell = ({ requests, bytes, cached }) => {
    line.textContent = t("fetched", { bytes: size(bytes), requests: number(requests), cached: size(cached) });
    Object.assign(line.dataset, { requests, bytes, cached });
  };
  tell(reader.counts);
  reader.watch(tell);
  const lost = reader.lost && el("span.warn", { id: "lost" }, t("site_lost", { name: reader.name, games: counted("game", reader.lost.games) }),
    reader.lost.partial > 0 && ` ${counted("site_partial", reader.lost.partial)}`, " ");
  return el("footer.foot", {}, lost, line, " ", el("a", { href: new URL("licences.html", api.root) }, t("licences")));
}

async function begin() {
  theme(localStorage.getItem("theme"));
  await load(localStorage.getItem("language"));
  try {
    if (api.site) {
      reader = await api.site;
      ({ title } = reader);
    }
    archives = (await api.archives()).archives;
  } catch (error) {
    fill(document.body, el("main", { id: "main" }, el("h1", {}, "Scoresheet"), broken(error, begin)));
    return;
  }
  await show();
}

// The site creates the files that a server would send.
document.addEventListener("click", async (event) => {
  const link = /** @type {HTMLAnchorElement | null} */ (event.target.closest?.("a[href]"));
  if (!api.site || !link || !link.href.startsWith(new URL("api/v1/", api.root).href)) return;
  event.preventDefault();
  try {
    const { blob, name } = await api.file(new URL(link.href));
    save(blob, link.getAttribute("download") || name);
  } catch (error) {
    document.getElementById("main")?.prepend(broken(error, () => link.click()));
  }
});

// Internal links change the page without a reload.
document.addEventListener("click", (event) => {
  const link = /** @type {HTMLAnchorElement | null} */ (event.target.closest?.("a[href]"));
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || link.target || link.hasAttribute("download")) return;
  const to = new URL(link.getAttribute("href"), location.href);
  if (to.origin !== location.origin || to.hash || !(state.named(to) in PAGES)) return;
  event.preventDefault();
  if (!state.push(to)) return;
  show();
  scrollTo(0, 0);
});

// A press outside an overlay closes it.
document.addEventListener("pointerdown", (event) => {
  for (const open of document.querySelectorAll("details.popover[open]")) if (event.target.closest?.("details.popover[open]") !== open) open.open = false;
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    for (const open of document.querySelectorAll("details.popover[open]")) {
      open.open = false;
      open.querySelector("summary").focus();
    }
  }
  const { target } = event;
  if (event.key === "k" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    const menu = document.querySelector(".seek-menu");
    if (menu && getComputedStyle(menu).display !== "none") menu.open = true;
    else document.querySelector("[data-seek]")?.focus();
    return;
  }
  const typing = target.closest?.("input, textarea, select, dialog, [contenteditable]");
  if (event.key === "Escape" && typing?.matches("input")) {
    typing.blur();
    return;
  }
  if (typing || event.metaKey || event.ctrlKey || event.altKey) return;
  if (event.key === "?") {
    event.preventDefault();
    keys();
    return;
  }
  // Buttons and links handle Enter and the space bar.
  if ((event.key === "Enter" || event.key === " ") && target.closest?.("a, button, summary")) return;
  if (page?.key?.(event)) event.preventDefault();
});

state.watch(show);
takeDrops();
begin();
