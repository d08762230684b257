// Shows a report as a browser would, with as much of a document as its scripts ask for, and prints what is on the page:
// `node report.mjs PAGE LANGUAGE`.

import { readFileSync } from "node:fs";

class Node {
  constructor(tag, text = "") {
    Object.assign(this, { tag, text, children: [], attributes: {}, style: {}, className: "", dataset: {} });
  }
  append(...nodes) {
    this.children.push(...nodes.flatMap((own) => (own instanceof Node ? (own.tag === "" ? own.children : [own]) : [new Node("#text", String(own))])));
  }
  replaceChildren(...nodes) {
    this.children = [];
    this.append(...nodes);
  }
  setAttribute(name, value) {
    this.attributes[name] = String(value);
  }
  addEventListener() {}
  get classList() {
    return { add: (...names) => { this.className = [this.className, ...names].filter(Boolean).join(" "); } };
  }
  get textContent() {
    return this.tag === "#text" ? this.text : this.children.map((own) => own.textContent).join("");
  }
  all(tag) {
    return this.children.flatMap((own) => [...(own.tag === tag ? [own] : []), ...own.all(tag)]);
  }
}

const [, , path, language] = process.argv;
const page = readFileSync(path, "utf8");
const inside = (id) => page.match(new RegExp(`id="${id}">(.*?)</script>`, "s"))[1];
const figures = new Node("div");
const texts = (id) => Object.assign(new Node("script"), { children: [new Node("#text", inside(id))] });
const known = { data: texts("data"), texts: texts("texts"), figures, pieces: new Node("div") };
Object.defineProperty(globalThis, "navigator", { value: { languages: [language] }, configurable: true });
globalThis.Node = Node;
// Nothing changes its size.
globalThis.ResizeObserver = class { observe() {} };
globalThis.document = {
  documentElement: new Node("html"),
  body: Object.assign(new Node("body"), { dataset: { kind: page.match(/<body data-kind="(\w+)">/)[1] } }),
  getElementById: (id) => known[id] ?? null,
  createElement: (tag) => new Node(tag),
  createElementNS: (_, tag) => new Node(tag),
  createDocumentFragment: () => new Node(""),
};
await import(`data:text/javascript,${encodeURIComponent(page.match(/<script type="module">\n(.*?)<\/script>/s)[1])}`);
const cells = (row) => row.children.map((cell) => cell.textContent);
console.log(JSON.stringify({
  language: globalThis.document.documentElement.lang,
  total: figures.children[0]?.textContent,
  sections: Object.fromEntries(figures.all("section").map((own) => [own.all("h2")[0].textContent, own.all("tr").map(cells)])),
  text: figures.textContent,
  details: figures.all("details").length,
  plots: figures.all("svg").filter((own) => own.attributes.class.startsWith("plot")).length,
  boards: figures.all("svg").filter((own) => own.attributes.class === "miniature").length,
  links: figures.all("a").length,
}));
