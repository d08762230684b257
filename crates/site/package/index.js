// For browsers: in a worker, where reads may block, or anywhere for archives in memory.

import init, { loadModelBy, Reader } from "./scoresheet_wasm.js";
import { Archive } from "./archive.js";
import { Parts, counts, fetchedFile } from "./source.js";

export { Archive, Fault } from "./archive.js";
export { counts };

/** Opens an archive: bytes; `{length, read(offset, length)}`; or, in a worker, the address of a file with ranges. */
export async function open(source, { name = "archive", index, module } = {}) {
  await init(module === undefined ? undefined : { module_or_path: module });
  // Packed moves need the model, which a worker can fetch.
  loadModelBy(() => fetchedFile(new URL("./model.bin", import.meta.url)));
  const file = typeof source === "string" || source instanceof URL ? Parts.of(new URL(source, self.location).href) : source;
  return new Archive(new Reader(name, file, index, undefined, false));
}
