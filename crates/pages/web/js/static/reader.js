// A site without a server of ours: the same requests, answered by a worker that reads the archive's files.

import { Fault, root } from "../fault.js";

const manifest = await (await fetch(new URL("site.json", root))).json();
export const { title, name } = manifest;
/** A picture of the owner before the title. */
export const logo = manifest.logo ?? null;
/** The module that analyses positions, if the owner of the site has given it one. */
export const engine = manifest.engine ?? null;
/** Of a damaged archive: how many `games` could not be read, and are not in the site. */
export const lost = manifest.lost ?? null;

/** What has been fetched by now; `watch` is called whenever that changes. */
export let counts = { requests: 0, bytes: 0, cached: 0 };
/** That of it which the present worker has not fetched: those before it, and this page. */
let others = counts;
let watcher = () => {};
export const watch = (work) => { watcher = work; };

const sum = (one, other) =>
  ({ requests: one.requests + other.requests, bytes: one.bytes + other.bytes, cached: one.cached + other.cached });

/** Counts what this page has fetched itself. */
function fetchedHere(requests, bytes) {
  const here = { requests, bytes, cached: 0 };
  others = sum(others, here);
  counts = sum(counts, here);
  watcher(counts);
}

/** The whole archive, once it has been fetched, and whether the server gives ranges. */
let blob = null;
let ranges = true;
export const isWhole = () => blob !== null;

const waiting = new Map();
let last = 0;
let worker = null;

function start() {
  others = counts;
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.postMessage({ site: { manifest, root: root.href }, whole: blob && { blob, ranges } });
  worker.addEventListener("message", ({ data }) => {
    if (data.counts) {
      counts = sum(others, data.counts);
      watcher(counts);
    }
    const asked = waiting.get(data.id);
    if (!asked) return;
    if (data.piece) {
      asked.each?.(data.piece);
      return;
    }
    waiting.delete(data.id);
    if (data.failed) {
      ranges &&= data.failed.code !== "no_ranges";
      const bytes = data.failed.code === "no_ranges" ? manifest.archive.length : undefined;
      asked.reject(new Fault({ ...data.failed, bytes }));
    } else asked.resolve(data);
  });
  worker.addEventListener("error", (event) => {
    const asked = [...waiting.values()];
    waiting.clear();
    asked.forEach(({ reject }) => reject(new Fault({ code: "wrong", message: event.message ?? "" })));
  });
}

/** What was asked before the service worker had this page: it is asked again then, so that it is kept, too. */
const early = [];
let isKept = false;

/** Says to styles and scripts that what has been seen will be there without a network. */
const say = () => { document.documentElement.dataset.kept = ""; };

/** Keeps what is seen for the time without a network: the service worker has it from the first visit on. */
function keep() {
  const service = navigator.serviceWorker;
  // Not over plain HTTP, and not in every window: then nothing is kept.
  if (!service) return;
  isKept = service.controller !== null;
  if (isKept) {
    say();
    // The site has been made again: another service worker takes over, and the page begins anew.
    service.addEventListener("controllerchange", () => location.reload(), { once: true });
  } else service.addEventListener("controllerchange", again, { once: true });
  settled().then(() => service.register(new URL("sw.js", root), { scope: root.pathname, updateViaCache: "none" })).catch(() => {});
}

/** Waits until the page has loaded its files: the service worker then finds them in the browser's cache. */
async function settled() {
  const count = () => performance.getEntriesByType("resource").length;
  for (let seen = -1; seen !== count();) {
    seen = count();
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** A worker is looked after by the service worker that there is when it starts: so another one starts. */
async function again() {
  while (waiting.size) await new Promise((resolve) => setTimeout(resolve, 100));
  isKept = true;
  worker.terminate();
  start();
  await Promise.allSettled(early.splice(0).map((asked) => post(asked)));
  say();
}

keep();
start();

function post(message, { signal, each } = {}) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const id = (last += 1);
    waiting.set(id, { resolve, reject, each });
    signal?.addEventListener("abort", () => {
      if (!waiting.delete(id)) return;
      reject(signal.reason);
      worker.postMessage({ gone: id });
      // A search holds the worker until it is done: another one takes its place.
      if (each && waiting.size === 0) {
        worker.terminate();
        start();
      }
    });
    worker.postMessage({ id, ...message });
  });
}

/** Answers a request: `{status, kind, body, name}`. `each` is called with the pieces of an answer that has any. */
export async function request(address, { body, signal, each } = {}) {
  const path = address.pathname.slice(new URL("api/v1/", root).pathname.length);
  const asked = { path, query: address.search.slice(1), body };
  if (!isKept && !each && early.length < 50) early.push(asked);
  return post(asked, { signal, each });
}

/** Fetches the whole archive, and calls `progress(done, of)` meanwhile; from then on all can be asked. */
export async function fetchWhole(progress, signal) {
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
