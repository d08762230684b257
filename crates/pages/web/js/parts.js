// Shared parts of the pages: empty, failed and busy panels; rows of games; messages.

import { Fault, site } from "./api.js";
import { el, fill } from "./dom.js";
import { gameRow, gamesTable, player, result } from "./figures.js";
import * as filter from "./filter.js";
import { number, size, t, translated } from "./i18n.js";
import * as state from "./state.js";

/** Shows a panel's content when it is ready. After a delay it shows the progress. On failure it shows the error and a
 * button to retry. */
export async function load(panel, work, show) {
  const token = (panel.token = {});
  const slow = setTimeout(() => {
    if (panel.token === token) {
      panel.setAttribute("aria-busy", "true");
      if (!panel.firstChild) fill(panel, el("p.soft", { role: "status" }, t("loading")));
    }
  }, 150);
  try {
    const found = await work();
    if (panel.token === token) show(found);
  } catch (error) {
    if (error.name !== "AbortError" && panel.token === token) fill(panel, broken(error, () => load(panel, work, show)));
  } finally {
    clearTimeout(slow);
    if (panel.token === token) panel.removeAttribute("aria-busy");
  }
}

/** The codes of errors that a retry may resolve, because the request is valid. */
const PASSING = ["gone", "busy", "too_costly", "stopped", "http", "missing", "damaged", "whole", "wrong"];

/** Returns the message of an error, with the member of the question that it is about. */
export const inMember = (error) => (error.member ? `${error.member}: ` : "") + translated(error);

/** Returns a message as a sentence of its own. */
export const sentence = (text) => text.charAt(0).toLocaleUpperCase() + text.slice(1);

/** Returns the notice of an error. */
export function broken(error, retry) {
  if (!(error instanceof Fault)) console.error(error);
  if (site && error.bytes) return archiveNeeded(error, retry);
  const heading = { gone: site ? "no_network" : "server_gone", too_costly: "too_costly", busy: "server_busy", damaged: "damaged", not_found: "not_found", missing: "missing_file" };
  const ofFilter = error.code === "bad_query" && error.parameter === "where";
  const { where, fen } = state.read().params;
  // An address without a position: its FEN or its moves are wrong.
  const ofPosition = error.code === "bad_request" && (error.parameter === "fen" || error.parameter === "play");
  return el("div.notice", { role: "alert" },
    el("p", {}, el("strong", {}, t(heading[error.code] ?? (ofFilter ? "wrong_filter" : "wrong"))), " ",
      error.column ? t("column", { n: error.column, what: inMember(error) }) : sentence(translated(error))),
    ofFilter && el("p", {}, filter.marked(where ?? "", error.range)),
    error.parameter === "fen" && fen && error.range && el("p", {}, filter.marked(fen, error.range)),
    error.advice && el("p", {}, t("advice"), " ", el("code", {}, error.advice)),
    ofFilter && el("button.primary", { type: "button", onclick: () => filter.edit(error) }, t("edit_filter")),
    ofFilter && el("button", { type: "button", onclick: () => filter.use("") }, t("clear_filter")),
    ofPosition && el("a.button", { href: state.address("explorer") }, t("starting_position")),
    error.code === "not_found" && el("a.button", { href: state.address("games", { where: undefined, find: undefined }) }, t("all_games")),
    retry && (PASSING.includes(error.code) || !(error instanceof Fault)) && el("button", { type: "button", onclick: retry }, t("retry")));
}

/** Returns a complete page with an error. It has a heading, like every page. */
export const brokenPage = (error, retry, heading) => [el("h1", {}, heading), broken(error, retry)];

/** A site fetches an archive of at most this number of bytes without a question. */
const SMALL = 3_000_000;

/** Returns the message that a request needs the whole archive, with the cost and a button. */
function archiveNeeded(error, retry) {
  const about = t(error.code === "no_ranges" ? "no_ranges" : "whole_needed", { bytes: size(error.bytes) });
  const bar = el("progress", { max: 1, "aria-label": t("fetching") });
  const fetchAll = async () => {
    button.replaceWith(bar);
    try {
      await (await site).fetchArchive((done, of) => { bar.value = done / of; });
      retry?.();
    } catch (fault) {
      notice.replaceWith(broken(fault, retry));
    }
  };
  const button = el("button.primary", { type: "button", onclick: fetchAll }, t("fetch_whole", { bytes: size(error.bytes) }));
  const notice = el("div.notice", { role: "alert" }, el("p", {}, about), button);
  if (error.bytes <= SMALL && retry) fetchAll();
  return notice;
}

/** Returns the message of an empty result, with a button to drop each part of the filter. */
export function empty(where) {
  const parts = filter.parts(where);
  const drop = (index) => () => filter.use(parts.filter((_, at) => at !== index).join(" and "));
  return el("div.notice", {},
    el("p", {}, t("nothing_found")),
    parts.map((part, index) => el("button", { type: "button", onclick: drop(index) }, t("drop"), " ", filter.words(part) ?? el("code", {}, part))));
}

/** Returns the archives of a page: the archive in its address, or all archives. */
export const shownArchives = (archives, { archive }) => archives.filter((candidate) => !archive || String(candidate.archive) === archive);

/** Returns the title of an archive, or the name of its file. */
export const titled = (archive) => archive.metadata?.title ?? archive.name;

/** Returns a text, as a link if it is an address. */
export const linked = (text) => (/^https?:\/\/\S+$/i.test(text) ? el("a", { href: text, rel: "noopener noreferrer", target: "_blank" }, text) : text);

/** The metadata with a defined meaning (FORMAT.md), in display order. */
const METADATA = ["title", "description", "creator", "license", "origin", "date", "language"];

/** Returns a table of an archive's metadata without the keys in `has`, or nothing if it would be empty. */
export function described({ metadata }, has = []) {
  const additional = Object.keys(metadata ?? {}).filter((key) => !METADATA.includes(key) && key !== "writer");
  const keys = [...METADATA.filter((key) => metadata?.[key] && !has.includes(key)), ...additional];
  return keys.length > 0 && el("table.data.facts", {}, el("tbody", {}, keys.map((key) =>
    el("tr", {}, el("th", { scope: "row" }, METADATA.includes(key) ? t(`meta_${key}`) : key), el("td", {}, linked(metadata[key]))))));
}

export { gamesTable, player, result };

/** Returns a button and the overlay that it opens: below the button, or above it if only there is room. */
export function popover(name, label, title, ...content) {
  const sheet = el("div.sheet", {}, content);
  const place = () => {
    sheet.classList.remove("above");
    const [top, { height, bottom }] = [sheet.parentElement.getBoundingClientRect().top, sheet.getBoundingClientRect()];
    sheet.classList.toggle("above", bottom > innerHeight && height < top);
  };
  return el(`details.popover${name}`, { ontoggle: place }, el("summary", { "aria-label": title, title }, label), sheet);
}

/** Returns rows of games, each a link. */
export const gameRows = (games, { ply } = /** @type {{ply?: number}} */ ({})) => games.map((game) => gameRow(game, link(game, ply)));

/** Returns shorter forms of a text, the longest first. Every form ends after a word. */
function beginnings(text) {
  const words = text.split(" ");
  return words.slice(1).map((_, dropped) => `${words.slice(0, -1 - dropped).join(" ")} …`);
}

/** Returns shorter forms of a player's name. `Surname, Given` first keeps initials, and other names lose words, because
 * the order of their words is unknown. */
function shorter(name) {
  const [surname, given] = name.split(/,(.*)/s);
  if (given === undefined) return beginnings(name);
  return [`${surname}, ${given.trim().split(/\s+/).map((word) => `${[...word][0] ?? ""}.`).join(" ")}`, surname];
}

/** The smallest size of a name that is a single long word, of the size of the text. */
const SMALLEST = 0.7;

/** Shortens the names, and the texts of the class `text`, that are wider than their cells. A long word of a name gets
 * smaller letters. */
export function fitNames(container) {
  const cell = (node) => node.closest(".cell");
  const isName = (node) => node.matches(".name");
  // The icon after a name may be cut.
  const isWide = (node) => (isName(node) ? node.offsetWidth : cell(node).scrollWidth) > cell(node).clientWidth;
  for (const node of [...container.querySelectorAll(".name, .text")].filter(isWide)) {
    for (const form of isName(node) ? shorter(node.textContent) : beginnings(node.textContent)) {
      node.textContent = form;
      if (!isWide(node)) break;
    }
    if (isName(node) && isWide(node)) node.style.fontSize = `${Math.max(SMALLEST, cell(node).clientWidth / (node.offsetWidth + 1))}em`;
  }
}

/** Returns the address of a player's page; `undefined` without a name. */
export const playerPage = (name, more) => (name && name !== "?" ? state.address("player", { name, ...more }) : undefined);

/** Returns the address of a game at the matching ply. */
export function link(game, ply) {
  const at = game.ply ?? ply;
  return state.address("game", { n: game.game, ply: at || undefined });
}

/** Copies a text and confirms it. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = el("textarea", { value: text });
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  say(t("copied"));
}

/** Returns the HTML code that embeds an address in another page. */
export const embedding = (address) => `<iframe src="${address.href.replaceAll("&", "&amp;")}" width="600" height="420"></iframe>`;

/** Saves a file that the page has created. */
export function save(blob, name) {
  const address = URL.createObjectURL(blob);
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Returns buttons that save a board's diagram as a file or copy it as a picture. */
export function diagrams(board, fen) {
  const make = () => import("./diagram.js");
  const drawn = async () => (await make()).diagram(fen(), board.shown);
  const picture = async () => (await make()).png(await drawn());
  return [
    el("button", { type: "button", onclick: async () => save(new Blob([await drawn()], { type: "image/svg+xml" }), "diagram.svg") }, t("diagram_svg")),
    el("button", { type: "button", onclick: async () => save(await picture(), "diagram.png") }, t("diagram_png")),
    navigator.clipboard?.write && el("button", { type: "button", onclick: async () => {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": picture() })]);
      say(t("copied"));
    } }, t("copy_diagram")),
  ];
}

/** Announces a text to screen readers, and shows it. */
export function say(text) {
  const region = document.getElementById("said");
  if (!region) return;
  region.textContent = text;
  region.classList.add("shown");
  clearTimeout(region.timer);
  region.timer = setTimeout(() => region.classList.remove("shown"), 1800);
}

/** Announces a text only to screen readers. */
export function announce(text) {
  const region = document.getElementById("announced");
  if (region) region.textContent = text;
}

/** Sets the title of the browser's tab: the content before the name of the site, which the first call names. */
export function entitle(text, name = siteName) {
  siteName = name;
  document.title = `${text} – ${name}`;
}
let siteName = "Scoresheet";

/** The width of a window with one column, such as a phone's or an upright tablet's, as in `app.css`. */
export const NARROW = "(max-width: 900px)";

/** Returns a short count with the full number as its tooltip. */
export const exact = (value, shown) => el("span", { title: number(value) }, shown);
