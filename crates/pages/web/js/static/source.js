// Reads files on a web server by ranges, on demand. The reads are synchronous and therefore need a worker. Caches pages
// and drops the least recently used ones.

/** The amounts of fetched data: requests and bytes over the network, and bytes from a cache. */
export const counts = { requests: 0, bytes: 0, cached: 0 };

/** The size of the page cache in bytes. */
const KEPT = 48 << 20;
const pages = new Map();
let kept = 0;

/** The fault of a range request: `code`, `message`. */
export class RangeFault extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

function keep(key, bytes) {
  pages.set(key, bytes);
  kept += bytes.length;
  for (const [oldest, page] of pages) {
    if (kept <= KEPT) break;
    pages.delete(oldest);
    kept -= page.length;
  }
}

function known(key) {
  const page = pages.get(key);
  if (page) {
    // Mark the page as the most recently used.
    pages.delete(key);
    pages.set(key, page);
  }
  return page;
}

/** Returns the bytes of a file in the range `from`..`to`, without `to`. */
function fetched(url, from, to) {
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  request.responseType = "arraybuffer";
  request.setRequestHeader("Range", `bytes=${from}-${to - 1}`);
  try {
    request.send();
  } catch {
    throw new RangeFault("gone", "");
  }
  if (request.status === 200) {
    throw new RangeFault("no_ranges", "the web server does not support range requests");
  }
  if (request.status !== 206) throw new RangeFault(request.status >= 500 ? "gone" : "missing", `${request.status} ${request.statusText}: ${url}`);
  const bytes = new Uint8Array(request.response);
  if (request.getResponseHeader("X-Kept")) counts.cached += bytes.length;
  else {
    counts.requests += 1;
    counts.bytes += bytes.length;
  }
  if (bytes.length !== to - from) throw new RangeFault("no_ranges", `the web server returned ${bytes.length} bytes for a range of ${to - from} bytes`);
  return bytes;
}

/** Returns all bytes of a file. */
export function fetchedFile(url) {
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  request.responseType = "arraybuffer";
  try {
    request.send();
  } catch {
    throw new RangeFault("gone", "");
  }
  if (request.status !== 200) throw new RangeFault("missing", `${request.status} ${request.statusText}: ${url}`);
  const bytes = new Uint8Array(request.response);
  counts.requests += 1;
  counts.bytes += bytes.length;
  return bytes;
}

/** A file in parts of `part` bytes at these addresses. Reads pages of `page` bytes. */
export class Parts {
  constructor({ length, part, urls, page = 4096 }) {
    Object.assign(this, { length, part, urls, page });
  }

  /** Returns the file at one address. The server reports its length. */
  static of(url, page) {
    const request = new XMLHttpRequest();
    request.open("HEAD", url, false);
    request.send();
    const length = Number(request.getResponseHeader("Content-Length"));
    if (request.status !== 200 || !length) throw new RangeFault("missing", `${request.status} ${request.statusText}: ${url}`);
    return new Parts({ length, part: length, urls: [url], page });
  }

  /** Returns bytes. Fetches missing pages, and adjacent pages with one request. */
  read(offset, length) {
    const end = offset + length;
    if (end > this.length) throw new RangeFault("missing", "beyond the end of the file");
    const bytes = new Uint8Array(length);
    for (let at = offset; at < end;) {
      const index = Math.floor(at / this.part);
      const first = index * this.part;
      const size = Math.min(this.part, this.length - first);
      const stop = Math.min(end, first + size);
      this.#within(this.urls[index], size, at - first, bytes.subarray(at - offset, stop - offset));
      at = stop;
    }
    return bytes;
  }

  #within(url, size, offset, into) {
    const end = offset + into.length;
    const [from, to] = [Math.floor(offset / this.page), Math.ceil(end / this.page)];
    const key = (page) => `${page}/${this.page} ${url}`;
    const found = [];
    for (let page = from; page < to; page += 1) {
      const cached = known(key(page));
      if (cached) {
        found.push(cached);
        continue;
      }
      let last = page + 1;
      while (last < to && !pages.has(key(last))) last += 1;
      const start = page * this.page;
      const chunk = fetched(url, start, Math.min(size, last * this.page));
      for (; page < last; page += 1) {
        const at = page * this.page - start;
        const bytes = chunk.slice(at, at + this.page);
        keep(key(page), bytes);
        found.push(bytes);
      }
      page -= 1;
    }
    found.forEach((bytes, index) => {
      const at = (from + index) * this.page;
      const [start, stop] = [Math.max(offset, at), Math.min(end, at + bytes.length)];
      if (start < stop) into.set(bytes.subarray(start - at, stop - at), start - offset);
    });
  }
}
