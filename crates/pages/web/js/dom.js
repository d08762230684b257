// Creates elements only from code, so text from archives stays text.

/** Returns an element. `props`: attributes; `on*` listeners; `class`. Children: nodes, texts, arrays; empty ones are
 * omitted. */
export function el(name, props = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = document.createElement(tag || "div");
  if (classes.length) node.className = classes.join(" ");
  for (const [key, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "class") node.classList.add(...value.split(" ").filter(Boolean));
    else if (key === "value") node.value = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  put(node, children);
  return node;
}

function put(node, children) {
  for (const child of children.flat(9)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    node.append(child instanceof Node ? child : String(child));
  }
}

/** Replaces the children of a node. */
export function fill(node, ...children) {
  const fragment = document.createDocumentFragment();
  put(fragment, children);
  node.replaceChildren(fragment);
  return node;
}

const SVG = "http://www.w3.org/2000/svg";

/** Returns an SVG element. */
export function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined) node.setAttribute(key, value);
  }
  put(node, children);
  return node;
}

/** Icons of buttons on a grid of 24 units, because no font contains every icon. */
const SIGNS = {
  first: "M6 5v14M19 5 9 12l10 7z",
  back: "M17 5 7 12l10 7z",
  forward: "M7 5l10 7-10 7z",
  last: "M18 5v14M5 5l10 7-10 7z",
  flip: "M8 20V4M4 8l4-4 4 4M16 4v16M12 16l4 4 4-4",
  autoplay: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM10 8.500l6 3.500-6 3.500z",
  share: "M5 12h.01M12 12h.01M19 12h.01",
  filter: "M4 6h16M7 12h10M10 18h4",
  settings: "M4 7h9M19 7h1M4 17h1M11 17h9M16 4.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5zM8 14.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5z",
  person: "M10.500 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13zM15.500 15.500 20 20",
};

/** Returns an icon for a button, which has its name beside it or as its label. */
export function sign(name) {
  const kind = name === "share" ? "sign dots" : "sign";
  return svg("svg", { viewBox: "0 0 24 24", class: kind, "aria-hidden": "true" }, svg("path", { d: SIGNS[name] }));
}

/** Sets the width of an element in percent. The policy forbids style attributes, but not the style object. */
export function wide(node, percent) {
  node.style.width = `${percent}%`;
  return node;
}

/** Makes the matching elements of a container one stop of the Tab key. Keys move the focus among them: `keys` maps a key
 * to a step. `first()` returns the element that has the stop before any element had the focus. */
export function rove(container, selector, keys, first = (all) => all[0]) {
  const all = () => [...container.querySelectorAll(selector)];
  const choose = (chosen) => { for (const node of all()) node.tabIndex = node === chosen ? 0 : -1; };
  choose(first(all()));
  container.addEventListener("focusin", ({ target }) => target.matches(selector) && choose(target));
  container.addEventListener("keydown", (event) => {
    const step = keys[event.key];
    if (!step || !event.target.matches(selector)) return;
    const nodes = all();
    const next = nodes[nodes.indexOf(event.target) + step];
    event.preventDefault();
    event.stopPropagation();
    next?.focus();
  });
  return container;
}

/** Returns a function that calls `work` after a pause of this length without calls. */
export function later(work, milliseconds) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...args), milliseconds);
  };
}
