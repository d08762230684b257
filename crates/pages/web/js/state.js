// The state of the pages: the page and its parameters, stored only in the address. The filter (`where`) and the archive
// stay active from page to page.

import { root, site } from "./api.js";

const PAGES = ["event", "explorer", "game", "games", "own", "player", "search", "start", "statistics"];
/** The page for unknown addresses. */
const MISSING = "missing";
const KEPT = ["where", "find", "archive"];

let changed = () => {};

/** Returns the page that an address names, if the page exists. A site without a server has one document for all pages.
 */
export function named(address) {
  const here = new URL(root).pathname;
  if (!address.pathname.startsWith(here)) return null;
  const path = address.pathname.slice(here.length);
  if (!site) return path;
  return path === "" || path === "index.html" ? new URLSearchParams(address.search).get("page") ?? "start" : null;
}

/** Returns the page and the parameters that the address names. */
export function read() {
  const params = Object.fromEntries(new URLSearchParams(location.search));
  const [first, second] = (named(location) ?? "").split("/");
  if (site) delete params.page;
  // An embedded page shows a game, given by its number, or a position.
  if (first === "embed" && second) return { page: "game", embedded: true, params: { ...params, n: second } };
  if (first === "embed") return { page: params.n ? "game" : "explorer", embedded: true, params };
  if (first === "" || first === undefined) return { page: "start", embedded: false, params };
  return { page: PAGES.includes(first) ? first : MISSING, embedded: false, params };
}

/** Returns the address of a page with these parameters. The current filter and archive stay unless the parameters name
 * others. */
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

/** Returns the address of a game (`n`) or of a position for embedding in other pages. */
export function embedded({ n, ...params }) {
  const to = new URL(site ? "" : n ? `embed/${n}` : "embed", root);
  const all = { ...(site ? { page: "embed", n } : {}), ...params };
  for (const [name, value] of Object.entries(all)) if (value) to.searchParams.set(name, value);
  return to;
}

/** Returns the data that this history entry stores in addition to its address, such as scroll positions. */
export const kept = () => history.state ?? {};

/** Stores more data in this history entry. */
export function keep(more) {
  history.replaceState({ ...kept(), ...more }, "", location.href);
}

/** Goes to a page with a new history entry. */
export function go(page, params) {
  history.pushState(null, "", address(page, params));
  changed();
}

/** Changes parameters of this page without a new history entry. */
export function set(params) {
  const { page, embedded, params: now } = read();
  if (embedded) return;
  const all = { ...now, ...params };
  history.replaceState(history.state, "", address(page, all));
}

/** Calls `work` whenever another page must be shown. */
export function watch(work) {
  changed = work;
  addEventListener("popstate", work);
}
