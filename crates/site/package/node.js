// For Node: reads only the needed parts of files.

import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { basename } from "node:path";
import { Archive } from "./archive.js";
import { initSync, loadModelBy, Reader } from "./scoresheet_wasm.js";

export { Archive, Fault } from "./archive.js";

/** The amounts of data read from files. */
export const counts = { requests: 0, bytes: 0, cached: 0 };

let begun = false;

function begin() {
  if (begun) return;
  initSync({ module: readFileSync(new URL("./scoresheet_wasm_bg.wasm", import.meta.url)) });
  loadModelBy(() => new Uint8Array(readFileSync(new URL("./model.bin", import.meta.url))));
  begun = true;
}

/** A file with the interface of an archive in memory. */
class File {
  constructor(path) {
    this.file = openSync(path, "r");
    this.length = fstatSync(this.file).size;
  }

  read(offset, length) {
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length;) {
      const count = readSync(this.file, bytes, at, length - at, offset + at);
      if (count === 0) throw new Error("the file has become shorter");
      at += count;
    }
    counts.requests += 1;
    counts.bytes += length;
    return bytes;
  }
}

const beside = (path) => {
  try {
    return readFileSync(path.replace(/\.bga$/, ".bgi"));
  } catch {
    return undefined;
  }
};

/** Opens an archive: the path of a file, with the index beside it; bytes; or `{length, read(offset, length)}`. */
export async function open(source, { name, index } = {}) {
  begin();
  if (typeof source !== "string") return new Archive(new Reader(name ?? "archive", source, index, undefined, false));
  const file = new File(source);
  try {
    const reader = new Reader(name ?? basename(source), file, index ?? beside(source), undefined, false);
    return new Archive(reader, () => closeSync(file.file));
  } catch (error) {
    closeSync(file.file);
    throw error;
  }
}

/** Opens an archive with its site file (docs/site.md). Reads both in parts and rejects requests for the whole file,
 * like a page of a site. */
export async function openSite(source, site, { name = "archive", index, lean = true } = {}) {
  begin();
  const file = (from) => (typeof from === "string" ? new File(from) : from);
  return new Archive(new Reader(name, file(source), index, file(site), lean));
}
