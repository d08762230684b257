// Caches visited pages and the ranges read from the archive's files for offline use. `scoresheet site` inserts the list
// of files with their hashes. A changed list makes a new service worker, which replaces this one.

const LIST = /*LIST*/{};
const PAGES = `pages ${LIST.version}`;
const RANGES = "ranges";
/** The maximum number of cached ranges. */
const MOST = 6000;
const root = new URL("./", self.location);

/** Caches a file: the copy that the page has just loaded, or a new one if the copy's hash differs from the list. */
async function take(cache, name) {
  const url = new URL(name, root);
  const get = (mode) => fetch(new Request(url, { cache: mode, integrity: LIST.files[name] }));
  const response = await get("force-cache").catch(() => get("reload"));
  if (!response.ok) throw new Error(`${response.status}: ${name}`);
  await cache.put(url, response);
}

self.addEventListener("install", (event) => {
  const all = (cache) => Promise.all(Object.keys(LIST.files).map((name) => take(cache, name)));
  event.waitUntil(caches.open(PAGES).then(all).then(() => self.skipWaiting()));
});

async function tidy() {
  for (const name of await caches.keys()) if (name !== PAGES && name.startsWith("pages ")) await caches.delete(name);
  // Delete the files of an archive that the site no longer has.
  const manifest = await (await caches.match(new URL("site.json", root)))?.json();
  const named = new Set(["archive", "index", "site"].flatMap((name) => manifest?.[name].parts ?? []));
  const cache = await caches.open(RANGES);
  for (const request of await cache.keys()) {
    const name = new URL(request.url).pathname.split("/").pop();
    if (manifest && !named.has(name)) await cache.delete(request);
  }
}

self.addEventListener("activate", (event) => event.waitUntil(tidy().then(() => self.clients.claim())));

/** Answers with a cached range, or fetches and caches it. */
async function range(request, rangeHeader) {
  const key = `${request.url}?${rangeHeader.replace("=", "-")}`;
  const cache = await caches.open(RANGES);
  const kept = await cache.match(key);
  if (kept) {
    const headers = new Headers({ "Content-Type": "application/octet-stream", "X-Kept": "1" });
    return new Response(kept.body, { status: 206, statusText: "Partial Content", headers });
  }
  // The browser's cache could answer a range request with the whole file.
  const response = await fetch(request.url, { headers: { Range: rangeHeader }, cache: "no-store", credentials: "same-origin" });
  if (response.status === 206) {
    const bytes = await response.clone().arrayBuffer();
    await cache.put(key, new Response(bytes)).catch(() => {});
    if (Math.random() < 0.01) trim(cache);
  }
  return response;
}

/** Answers with a cached file, or fetches and caches it. */
async function seen(request) {
  const cache = await caches.open(PAGES);
  const kept = await cache.match(request);
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

async function trim(cache) {
  const keys = await cache.keys();
  for (const key of keys.slice(0, Math.max(0, keys.length - MOST))) await cache.delete(key);
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== root.origin || !url.pathname.startsWith(root.pathname)) return;
  const name = url.pathname.slice(root.pathname.length) || "index.html";
  const rangeHeader = request.headers.get("Range");
  if (name.startsWith("data/")) {
    if (rangeHeader) event.respondWith(range(request, rangeHeader));
    return;
  }
  if (/^assets\/\w+\/wasm\/model\.bin$/.test(name)) event.respondWith(seen(request));
  if (!(name in LIST.files)) return;
  event.respondWith(caches.open(PAGES).then((cache) => cache.match(new URL(name, root))).then((kept) => kept ?? fetch(request)));
});
