// The reader of a site without a server. A worker answers the same requests from the archive's files.

import { Fault, root } from "../fault.js";

const manifest = await (await fetch(new URL("site.json", root))).json();
export const { title, name } = manifest;
/** The picture before the title, from the site's owner. */
export const logo = manifest.logo ?? null;
/** The engine module, if the site's owner has added one. */
export const engine = manifest.engine ?? null;
/** The damage of the archive: the number of unreadable `games`, which the site lacks. */
export const lost = manifest.lost ?? null;

/** The amounts of fetched data. `watch` is called after each change. */
export let counts = { requests: 0, bytes: 0, cached: 0 };
/** The amounts that earlier workers and this page have fetched. */
let earlier = counts;
let watcher = (_counts) => {};
export const watch = (work) => { watcher = work; };

const sum = (a, b) =>
  ({ requests: a.requests + b.requests, bytes: a.bytes + b.bytes, cached: a.cached + b.cached });

/** Counts data that this page has fetched. */
function fetchedHere(requests, bytes) {
  const here = { requests, bytes, cached: 0 };
  earlier = sum(earlier, here);
  counts = sum(counts, here);
  watcher(counts);
}

/** The whole archive after its fetch, and whether the server supports ranges. */
let blob = null;
let ranges = true;

const waiting = new Map();
let last = 0;
let worker = null;

function start() {
  earlier = counts;
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.postMessage({ site: { manifest, root: root.href }, whole: blob && { blob, ranges } });
  worker.addEventListener("message", ({ data }) => {
    if (data.counts) {
      counts = sum(earlier, data.counts);
      watcher(counts);
    }
    const pending = waiting.get(data.id);
    if (!pending) return;
    if (data.piece) {
      pending.each?.(data.piece);
      return;
    }
    waiting.delete(data.id);
    if (data.failed) {
      ranges &&= data.failed.code !== "no_ranges";
      const bytes = data.failed.code === "no_ranges" ? manifest.archive.length : undefined;
      pending.reject(new Fault({ ...data.failed, bytes }));
    } else pending.resolve(data);
  });
  worker.addEventListener("error", (event) => {
    const pending = [...waiting.values()];
    waiting.clear();
    pending.forEach(({ reject }) => reject(new Fault({ code: "wrong", message: event.message ?? "" })));
  });
}

/** The requests before the service worker controls this page. They are repeated then, so it can cache them. */
const early = [];
let isKept = false;

/** Marks the page for styles and scripts if visited pages work offline. */
const say = () => { document.documentElement.dataset.kept = ""; };

/** Starts the service worker, which caches visited pages for offline use from the first visit on. */
function keep() {
  const service = navigator.serviceWorker;
  // Service workers need HTTPS, and some windows forbid them. Then nothing is cached.
  if (!service) return;
  isKept = service.controller !== null;
  if (isKept) {
    say();
    // After an update of the site, a new service worker takes over and the page reloads.
    service.addEventListener("controllerchange", () => location.reload(), { once: true });
  } else service.addEventListener("controllerchange", again, { once: true });
  settled().then(() => service.register(new URL("sw.js", root), { scope: root.pathname, updateViaCache: "none" })).catch(() => {});
}

/** Waits until the page has loaded its files. The service worker then finds them in the browser's cache. */
async function settled() {
  const count = () => performance.getEntriesByType("resource").length;
  for (let seen = -1; seen !== count();) {
    seen = count();
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Restarts the worker. A worker belongs to the service worker that was active at its start. */
async function again() {
  while (waiting.size) await new Promise((resolve) => setTimeout(resolve, 100));
  isKept = true;
  worker.terminate();
  start();
  await Promise.allSettled(early.splice(0).map((message) => post(message)));
  say();
}

keep();
start();

/** Sends a message to the worker.
 * @param {object} message
 * @param {{signal?: AbortSignal, each?: (piece: Uint8Array) => void}} options */
function post(message, { signal, each } = {}) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const id = (last += 1);
    waiting.set(id, { resolve, reject, each });
    signal?.addEventListener("abort", () => {
      if (!waiting.delete(id)) return;
      reject(signal.reason);
      worker.postMessage({ gone: id });
      // A search blocks its worker until the end, so another worker replaces it.
      if (each && waiting.size === 0) {
        worker.terminate();
        start();
      }
    });
    worker.postMessage({ id, ...message });
  });
}

/** Answers a request: `{status, kind, body, name}`. Calls `each` with the pieces of a streamed answer.
 * @param {URL} address
 * @param {{body?: string, signal?: AbortSignal, each?: (piece: Uint8Array) => void}} options */
export async function request(address, { body, signal, each } = {}) {
  const path = address.pathname.slice(new URL("api/v1/", root).pathname.length);
  const message = { path, query: address.search.slice(1), body };
  if (!isKept && !each && early.length < 50) early.push(message);
  return post(message, { signal, each });
}

/** Fetches the whole archive and calls `progress(done, of)` meanwhile. After that it answers every request. */
export async function fetchArchive(progress, signal) {
  const of = manifest.archive.length;
  const chunks = [];
  let done = 0;
  for (const part of manifest.archive.parts) {
    let response;
    try {
      response = await fetch(new URL(`data/${part}`, root), { signal });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Fault({ code: "gone", message: "" });
    }
    if (!response.ok) throw new Fault({ code: "http", message: `${response.status} ${response.statusText}` });
    fetchedHere(1, 0);
    const stream = response.body.getReader();
    for (;;) {
      const { value, done: ended } = await stream.read();
      if (ended) break;
      chunks.push(value);
      done += value.length;
      fetchedHere(0, value.length);
      progress(done, of);
    }
  }
  blob = new Blob(chunks);
  await post({ whole: { blob, ranges } });
}
