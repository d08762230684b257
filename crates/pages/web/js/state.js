// The state of the pages: the page and its parameters, stored only in the address. The filter (`where`) and the archive
// stay active from page to page.

import { root, site } from "./api.js";

const PAGES = ["event", "explorer", "game", "games", "own", "player", "search", "start", "statistics"];
/** The page for unknown addresses. */
const MISSING = "missing";
const KEPT = ["where", "find", "archive"];

/** The pause after the last change of an entry before the entry is written, in milliseconds. WebKit rejects more than 100
 * changes in 30 seconds, so steps through a game must not write one entry each. */
const PAUSE = 200;
/** The pause after a rejected change. */
const REJECTED = 5000;

let changed = () => {};
/** The address and the data of this history entry if they are not yet written: `{address, data}`. */
let pending = null;
let timer = 0;

/** Writes the entry. A browser that rejects it gets it later; nothing depends on the written entry. */
function flush() {
  clearTimeout(timer);
  if (!pending) return;
  const { address, data } = pending;
  try {
    history.replaceState(data, "", address);
    pending = null;
  } catch {
    timer = setTimeout(flush, REJECTED);
  }
}

/** Changes the entry, and writes it after a pause. */
function change(address, data) {
  pending = { address, data };
  clearTimeout(timer);
  timer = setTimeout(flush, PAUSE);
}

/** Returns the address of this entry, even if it is not yet written. */
export const here = () => new URL(pending?.address ?? location.href);

/** Returns the page that an address names, if the page exists. A site without a server has one document for all pages.
 */
export function named(address) {
  const here = new URL(root).pathname;
  if (!address.pathname.startsWith(here)) return null;
  const path = address.pathname.slice(here.length);
  if (!site) return path;
  return path === "" || path === "index.html" ? new URLSearchParams(address.search).get("page") ?? "start" : null;
}

/** Returns the page and the parameters that the address names.
 * @returns {{page: string, embedded: boolean, params: Record<string, string | undefined>}} */
export function read() {
  const address = here();
  const params = Object.fromEntries(new URLSearchParams(address.search));
  const [first, second] = (named(address) ?? "").split("/");
  if (site) delete params.page;
  // An embedded page shows a game, given by its number, or a position.
  if (first === "embed" && second) return { page: "game", embedded: true, params: { ...params, n: second } };
  if (first === "embed") return { page: params.n ? "game" : "explorer", embedded: true, params };
  if (first === "" || first === undefined) return { page: "start", embedded: false, params };
  return { page: PAGES.includes(first) ? first : MISSING, embedded: false, params };
}

/** Returns the address of a page with these parameters. The current filter and archive stay unless the parameters name
 * others.
 * @param {string} page
 * @param {Record<string, string | number | undefined>} params */
export function address(page, params = {}) {
  const now = read().params;
  const all = {};
  for (const name of KEPT) if (now[name] && !(name in params)) all[name] = now[name];
  Object.assign(all, params);
  const query = Object.entries(all)
    .filter(([, value]) => value !== undefined && value !== null && value !== "")
    // Characters that an address allows stay readable.
    .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("%2C", ",").replaceAll("%20", "+").replaceAll("%2F", "/")}`)
    .join("&");
  const to = new URL(site ? "" : page, root);
  to.search = site ? [`page=${page}`, query].filter(Boolean).join("&") : query;
  return to;
}

/** Returns the address of a game (`n`) or of a position for embedding in other pages.
 * @param {Record<string, any>} params */
export function embedded({ n, ...params }) {
  const to = new URL(site ? "" : n ? `embed/${n}` : "embed", root);
  const all = { ...(site ? { page: "embed", n } : {}), ...params };
  for (const [name, value] of Object.entries(all)) if (value) to.searchParams.set(name, value);
  return to;
}

/** Returns the data that this history entry stores in addition to its address, such as scroll positions. */
export const kept = () => (pending ? pending.data : history.state) ?? {};

/** Stores more data in this history entry. */
export function keep(more) {
  change(here(), { ...kept(), ...more });
}

/** Goes to a page with a new history entry. */
export function go(page, params) {
  if (push(address(page, params))) changed();
}

/** Goes to an address of a page with a new history entry. */
export function visit(to) {
  if (push(to)) changed();
}

/** Adds a history entry. If the browser rejects it, loads the address instead. Returns whether the page can go on. */
export function push(to) {
  flush();
  clearTimeout(timer);
  pending = null;
  try {
    history.pushState(null, "", to);
    return true;
  } catch {
    location.assign(to);
    return false;
  }
}

/** Changes parameters of this page without a new history entry. */
export function set(params) {
  const { page, embedded, params: now } = read();
  if (embedded) return;
  const all = { ...now, ...params };
  change(address(page, all), kept());
}

/** Shows the page again. */
export const again = () => changed();

/** Calls `work` whenever another page must be shown. */
export function watch(work) {
  changed = work;
  addEventListener("popstate", () => {
    // Another entry is current, so the unwritten changes have no entry.
    clearTimeout(timer);
    pending = null;
    work();
  });
  addEventListener("pagehide", flush);
}
