// The archive of a site, in a separate worker that range reads may block.

import init, { Reader, loadModelBy } from "../../wasm/scoresheet_wasm.js";
import { Parts, counts, fetchedFile } from "./source.js";

/** Page sizes in bytes. The archive has a checksum per page of 4,096 bytes; the site file's blocks have any length. */
const PAGE = { archive: 4096, site: 512 };

let site = null;
let ready = null;
let reader = null;
let queue = [];

const parts = (name) => {
  const { length, parts } = site.manifest[name];
  const urls = parts.map((part) => new URL(`data/${part}`, site.root).href);
  return new Parts({ length, part: site.manifest.part, urls, page: PAGE[name] ?? length });
};

/** The metadata of the archive, from the site's manifest. The archive must be read completely to find its metadata. */
const metadata = () => site.manifest.metadata && JSON.stringify(site.manifest.metadata);

/** The variants of the games, from the site's manifest. */
const variants = () => site.manifest.variants && JSON.stringify(site.manifest.variants);

async function begin() {
  await init({ module_or_path: new URL("../../wasm/scoresheet_wasm_bg.wasm", import.meta.url) });
  loadModelBy(() => fetchedFile(new URL("../../wasm/model.bin", import.meta.url)));
}

async function open() {
  await begin();
  const index = parts("index");
  reader?.free();
  reader = null;
  reader = new Reader(site.manifest.name, parts("archive"), index.read(0, index.length), parts("site"), true, metadata(), variants());
}

/** Switches to an archive in memory. Without ranges, the site file is not used. */
async function openInMemory({ blob, ranges }) {
  await ready?.catch(() => {});
  await begin();
  const bytes = new Uint8Array(new FileReaderSync().readAsArrayBuffer(blob));
  const next = new Reader(site.manifest.name, bytes, undefined, ranges ? parts("site") : undefined, false, metadata(), variants());
  reader?.free();
  reader = next;
}

const failure = (error) => ({ code: error.code ?? "damaged", message: error.message ?? String(error) });

/** Reopens the archive after a failed open or read, because the library caches read data, including faults. */
async function opened() {
  try {
    await (ready ??= open());
  } catch (error) {
    ready = null;
    throw error;
  }
}

async function answer({ id, path, query, body }) {
  try {
    await opened();
    const each = (piece) => {
      postMessage({ id, piece: piece.slice() });
      return true;
    };
    const [status, kind, content, name] = reader.answer(path, query, body, each);
    postMessage({ id, status, kind, body: content, name, counts });
  } catch (error) {
    if (error.code) ready = null;
    postMessage({ id, failed: failure(error), counts });
  }
}

let busy = false;

async function work() {
  if (busy) return;
  busy = true;
  while (queue.length) {
    await answer(queue.shift());
    // Process cancellations first.
    await new Promise((resolve) => setTimeout(resolve));
  }
  busy = false;
}

addEventListener("message", ({ data }) => {
  if (data.site) {
    site = data.site;
    ready = data.whole ? openInMemory(data.whole) : open();
    ready.catch(() => {});
  } else if (data.whole) {
    const id = data.id;
    ready = openInMemory(data.whole);
    ready.then(() => postMessage({ id, status: 200 }), (error) => postMessage({ id, failed: failure(error) }));
  } else if (data.gone) queue = queue.filter((request) => request.id !== data.gone);
  else {
    queue.push(data);
    work();
  }
});
