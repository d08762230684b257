// Sends a native reader's requests to the package and compares the answers: node compare.mjs PACKAGE ARCHIVE SITE
// REQUESTS

import { createReadStream, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";
import { pathToFileURL } from "node:url";

const [folder, path, site, requests] = process.argv.slice(2);
const { open, openSite, counts, Fault } = await import(pathToFileURL(`${folder}/node.js`));
const lean = await openSite(path, site, { name: "games.bga" });
const full = await open(new Uint8Array(readFileSync(path)), { name: "games.bga" });
const decoder = new TextDecoder();

function answerOf(archive, { path, query, body }) {
  try {
    const params = Object.fromEntries(new URLSearchParams(query));
    const answer = archive.request(path, params, { body: body === null ? undefined : JSON.parse(body) });
    return [200, typeof answer.body === "string" ? answer.body : decoder.decode(answer.body)];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { message, status, stack, ...rest } = error;
    return [status, JSON.stringify({ error: { code: rest.code, message, ...rest } })];
  }
}

/** Removes permitted differences: whether there is an index; cursors, which contain the state of side files; and large
 * numbers of games, which the position index estimates. */
function settled(path, text, counterpart) {
  if (!/^[{[]/.test(text) || path === "find" || /pgn|original/.test(path)) return text;
  const json = JSON.parse(text);
  const native = JSON.parse(counterpart);
  delete json.next;
  delete json.is_indexed;
  // Only frequent positions have this data.
  if (json.transpositions !== undefined && (native.transpositions === null || json.transpositions === null)) delete json.transpositions;
  if (json.games_before > 900) json.games_before = "many";
  return json;
}

const lines = (text) => text.split("\n").filter((line) => line.startsWith('{"hit"') || line.startsWith('{"done"')).sort().join("\n");

const seen = {};
const wrong = [];
for await (const line of createInterface({ input: createReadStream(requests) })) {
  const request = JSON.parse(line);
  const before = { ...counts };
  const began = performance.now();
  const [status, text] = answerOf(request.whole ? full : lean, request);
  const kind = `${request.path.replace(/\d+/, "N")}${request.whole ? " (whole)" : ""}`;
  const figures = (seen[kind] ??= { count: 0, ms: 0, bytes: 0, most: 0, reads: 0 });
  figures.count += 1;
  figures.ms += performance.now() - began;
  figures.bytes += counts.bytes - before.bytes;
  figures.most = Math.max(figures.most, counts.bytes - before.bytes);
  figures.reads += counts.requests - before.requests;
  const same = status === request.status && (request.path === "find" && status === 200
    ? lines(text) === lines(request.text)
    : isDeepStrictEqual(settled(request.path, text, request.text), settled(request.path, request.text, text)));
  if (!same) wrong.push({ ...request, got: [status, text] });
}
for (const [kind, { count, ms, bytes, most, reads }] of Object.entries(seen)) {
  console.log(`${kind}: ${count} requests, ${(ms / count).toFixed(2)} ms, ${(reads / count).toFixed(1)} reads, ${Math.round(bytes / count)} bytes, at most ${most}`);
}
lean.close();
full.close();
if (wrong.length) {
  console.error(`${wrong.length} answers differ, the first:`);
  for (const { path, query, status, text, got } of wrong.slice(0, 5)) console.error(path, query, "\nnative", status, text.slice(0, 1500), "\nhere  ", got[0], got[1].slice(0, 1500));
  process.exit(1);
}
