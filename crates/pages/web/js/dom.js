// Elements made from code alone: text is text, whatever an archive says.

/** Returns an element. `props`: attributes; `on*` listeners; `class`. Children: nodes, texts, arrays; empty ones are left out. */
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

/** Puts these children in the place of those that a node has. */
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

/** Sets the width of an element in percent: style attributes are not allowed, the style object is. */
export function wide(node, percent) {
  node.style.width = `${percent}%`;
  return node;
}

/** Returns a function that calls `work` once nobody has called it for so many milliseconds. */
export function later(work, milliseconds) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...args), milliseconds);
  };
}
