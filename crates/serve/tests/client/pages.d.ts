// Declarations for the type check of the pages' scripts: what the scripts know about elements, and members that they add.
// A script finds elements by selectors that name HTML elements, and events come from elements.

interface Element extends HTMLOrSVGElement {
  open: boolean;
  value: string;
  name: string;
  hidden: boolean;
  disabled: boolean;
  style: CSSStyleDeclaration;
  select(): void;
}
interface EventTarget {
  closest(selector: string): HTMLElement | null;
  matches(selector: string): boolean;
}
interface Node extends EventTarget {}
interface HTMLElement {
  /** The work that a panel waits for (`parts.js`). */
  token?: object;
  /** The timer of a message (`parts.js`). */
  timer?: number;
}
interface SVGElement {
  /** Moves the line of a graph to a ply (`chart.js`). */
  move?(ply: number): void;
}
