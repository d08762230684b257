// Where the reader is: the page and its parameters, in the address and nowhere else. A filter (`where`) and the archive
// go along from page to page.

import { root } from "./api.js";

const PAGES = ["explorer", "game", "games", "search", "statistics"];
const KEPT = ["where", "archive"];

let changed = () => {};

/** Returns the page and the parameters that the address names. */
export function read() {
  const path = location.pathname.slice(new URL(root).pathname.length);
  const [first, second] = path.split("/");
  const params = Object.fromEntries(new URLSearchParams(location.search));
  if (first === "embed") return { page: "game", embedded: true, params: { ...params, n: second } };
  return { page: PAGES.includes(first) ? first : "explorer", embedded: false, params };
}

/** Returns the address of a page with these parameters; the filter and the archive are kept where none are named. */
export function address(page, params = {}) {
  const now = read().params;
  const all = {};
  for (const name of KEPT) if (now[name] && !(name in params)) all[name] = now[name];
  Object.assign(all, params);
  const query = Object.entries(all)
    .filter(([, value]) => value !== undefined && value !== null && value !== "")
    // Readable where the address may have them as they are.
    .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("%2C", ",").replaceAll("%20", "+").replaceAll("%2F", "/")}`)
    .join("&");
  const to = new URL(page, root);
  to.search = query;
  return to;
}

/** Goes to a page: a new entry in the browser's history. */
export function go(page, params) {
  history.pushState(null, "", address(page, params));
  changed();
}

/** Changes parameters of this page in place: moves leave no trail in the history. */
export function set(params) {
  const { page, embedded, params: now } = read();
  if (embedded) return;
  const all = { ...now, ...params };
  history.replaceState(null, "", address(page, all));
}

/** Calls `work` whenever another page is to be shown. */
export function watch(work) {
  changed = work;
  addEventListener("popstate", work);
}
