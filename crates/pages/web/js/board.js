// The board: cm-chessboard with Scoresheet's pieces, marks and arrows, and the position as text for screen readers.

import { Chessboard, INPUT_EVENT_TYPE } from "../vendor/cm-chessboard/Chessboard.js";
import { PromotionDialog } from "../vendor/cm-chessboard/extensions/promotion-dialog/PromotionDialog.js";
import { el, fill, svg } from "./dom.js";
import { language, t } from "./i18n.js";
import { PIECES, described, overlay, readMarks, squares, placement } from "./picture.js";

const assets = new URL("../", import.meta.url).href;
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Board {
  /** Creates a board in an element. `onMove(uci)` is called with each legal move; without it the board is read-only.
   * `onDraw(text)` is called with the drawings of the right mouse button: `Ge4,Re2e4`. */
  constructor({ onMove = null, onDraw = null, orientation = "w", label = "" } = {}) {
    this.holder = el("div.board");
    this.table = el("div.visually-hidden");
    this.node = el("div.board-frame", {}, this.holder, this.table);
    this.label = label;
    this.legal = [];
    this.onMove = onMove;
    this.onDraw = onDraw;
    this.drawn = [];
    this.marks = { squares: [], arrows: [] };
    this.hints = [];
    this.side = orientation;
  }

  /** Sets the width of the board. Call it after the element is in the document. */
  mount() {
    this.board = new Chessboard(this.holder, {
      orientation: this.side,
      assetsUrl: assets,
      style: { pieces: { file: "pieces.svg" }, animationDuration: still.matches ? 0 : 150, cssClass: "scoresheet" },
      extensions: [{ class: PromotionDialog, props: { language } }],
    });
    this.board.view.svg.setAttribute("aria-label", this.label || t("board"));
    this.layer = svg("g", { class: "marks" });
    this.board.view.markersLayer.append(this.layer);
    if (this.onMove) this.board.enableMoveInput((event) => this.input(event));
    if (this.onDraw) this.takeDrawings();
    this.watcher = new ResizeObserver(() => setTimeout(() => this.draw(), 30));
    this.watcher.observe(this.holder);
    return this;
  }

  destroy() {
    this.watcher?.disconnect();
    this.board?.destroy();
    this.board = null;
  }

  input(event) {
    const movesOf = (from, to) => this.legal.filter((m) => m.uci.slice(0, 2) === from && (!to || m.uci.slice(2, 4) === to));
    if (event.type === INPUT_EVENT_TYPE.moveInputStarted) {
      const moves = movesOf(event.squareFrom);
      this.targets = moves.map((m) => m.uci.slice(2, 4));
      this.draw();
      return moves.length > 0;
    }
    if (event.type === INPUT_EVENT_TYPE.validateMoveInput) {
      const moves = movesOf(event.squareFrom, event.squareTo);
      if (moves.length > 1) {
        // The picture has no controls.
        const picture = this.board.view.svg;
        picture.setAttribute("role", "group");
        // The extension adds this method.
        /** @type {any} */ (this.board).showPromotionDialog(event.squareTo, event.squareFrom[1] === "7" ? "w" : "b", (result) => {
          picture.setAttribute("role", "img");
          const letter = result?.piece?.[1];
          if (letter) this.onMove(event.squareFrom + event.squareTo + letter);
          else this.show(this.fen, this.legal, this.marks);
        });
        return true;
      }
      if (moves.length === 1) setTimeout(() => this.onMove(moves[0].uci));
      return moves.length === 1;
    }
    if (event.type === INPUT_EVENT_TYPE.moveInputCanceled || event.type === INPUT_EVENT_TYPE.moveInputFinished) {
      this.targets = [];
      this.draw();
    }
    return true;
  }

  /** Lets a piece beside the board be dropped: drag it to a square, or click it and then a square. `letter` is its letter
   * in upper case. */
  droppable(node, letter) {
    const moves = () => this.legal.filter((m) => m.uci.startsWith(`${letter}@`));
    const aim = (isOn) => {
      this.targets = isOn ? moves().map((m) => m.uci.slice(2)) : [];
      this.draw();
    };
    const drop = (x, y) => {
      const square = document.elementFromPoint(x, y)?.closest("[data-square]")?.getAttribute("data-square");
      const found = moves().find((m) => m.uci.slice(2) === square);
      if (found) this.onMove(found.uci);
    };
    const release = () => {
      node.setAttribute("aria-pressed", "false");
      aim(false);
    };
    node.setAttribute("aria-pressed", "false");
    let [from, ghost] = [null, null];
    node.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      from = [event.clientX, event.clientY];
      node.setPointerCapture(event.pointerId);
    });
    node.addEventListener("pointermove", (event) => {
      if (!from) return;
      if (!ghost && Math.hypot(event.clientX - from[0], event.clientY - from[1]) > 6) {
        ghost = el("span.ghost", { "aria-hidden": "true" }, node.textContent.slice(0, 1));
        document.body.append(ghost);
        aim(true);
      }
      if (!ghost) return;
      ghost.style.left = `${event.clientX}px`;
      ghost.style.top = `${event.clientY}px`;
    });
    const end = (event) => {
      from = null;
      if (!ghost) return;
      ghost.remove();
      ghost = null;
      release();
      // The click after a drag, which a finger does not cause, must not press the button.
      const swallow = (click) => click.stopPropagation();
      addEventListener("click", swallow, true);
      setTimeout(() => removeEventListener("click", swallow, true));
      if (event.type === "pointerup") drop(event.clientX, event.clientY);
    };
    node.addEventListener("pointerup", end);
    node.addEventListener("pointercancel", end);
    node.addEventListener("click", () => {
      const isHeld = node.getAttribute("aria-pressed") === "true";
      this.holding?.();
      this.holding = null;
      if (isHeld || !moves().length) return;
      node.setAttribute("aria-pressed", "true");
      aim(true);
      const listening = new AbortController();
      this.holder.addEventListener("pointerdown", (event) => {
        this.holding?.();
        this.holding = null;
        drop(event.clientX, event.clientY);
      }, { signal: listening.signal });
      this.holding = () => {
        listening.abort();
        release();
      };
    });
  }

  /** Lets the right mouse button draw arrows between squares and mark squares. Drawing the same again removes it. */
  takeDrawings() {
    let from = null;
    const under = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-square]")?.getAttribute("data-square");
    const letter = (event) => (event.shiftKey || event.ctrlKey ? "R" : event.altKey ? "B" : "G");
    this.holder.addEventListener("contextmenu", (event) => event.preventDefault());
    this.holder.addEventListener("mousedown", (event) => {
      if (event.button === 2) from = under(event);
      else if (this.drawn.length) this.setDrawings("");
    });
    this.holder.addEventListener("mouseup", (event) => {
      const to = event.button === 2 && under(event);
      if (!from || !to) return;
      const drawing = from === to ? to : from + to;
      const same = this.drawn.filter((text) => text.slice(1) === drawing);
      const rest = this.drawn.filter((text) => text.slice(1) !== drawing);
      const text = letter(event) + drawing;
      this.setDrawings((same.includes(text) ? rest : [...rest, text]).join(","));
      from = null;
    });
  }

  /** Shows drawings. Calls `onDraw` if they have changed. */
  setDrawings(text = "") {
    const changed = this.drawn.join(",") !== text;
    this.drawn = text.split(",").filter(Boolean).slice(0, 64);
    this.draw();
    if (changed) this.onDraw?.(text);
  }

  /** The contents of a diagram of the board. */
  get shown() {
    const drawn = readMarks(this.drawn);
    return { orientation: this.side, marks: { squares: [...this.marks.squares, ...drawn.squares], arrows: [...this.marks.arrows, ...drawn.arrows] } };
  }

  /** Shows a position. `legal`: the legal moves; `marks`: squares (`{square, color}`) and arrows (`{from, to, color}`).
   */
  show(fen, legal = [], marks = {}) {
    this.fen = fen;
    this.legal = legal;
    this.marks = { squares: [], arrows: [], ...marks };
    this.hints = [];
    this.holding?.();
    this.holding = null;
    this.targets = [];
    this.board?.setPosition(placement(fen), !still.matches);
    this.board?.view.svg.setAttribute("aria-label", `${this.label || t("board")}: ${described(fen)}`);
    this.draw();
    fill(this.table, tableOf(fen));
  }

  draw() {
    if (!this.board?.view) return;
    const view = this.board.view;
    const size = view.squareWidth;
    const at = (square) => {
      const point = view.squareToPoint(square);
      return [point.x + size / 2, point.y + size / 2];
    };
    const drawn = readMarks(this.drawn);
    const shapes = overlay({ squares: [...this.marks.squares, ...drawn.squares], arrows: [...this.marks.arrows, ...drawn.arrows, ...this.hints] }, at, size);
    const targets = (this.targets ?? []).map((square) => {
      const [x, y] = at(square);
      return svg("circle", { cx: x, cy: y, r: size / 7, class: "target" });
    });
    const nodes = [...shapes.squares, ...targets, ...shapes.arrows];
    this.layer.replaceChildren(...nodes);
  }

  /** Shows further arrows: the move of a table row. */
  hint(arrows = []) {
    this.hints = arrows;
    this.draw();
  }

  /** The side at the bottom. It changes at once, although the board turns only after its pending moves. */
  get orientation() {
    return this.side;
  }

  /** Turns the board. During a turn the next request waits, because the board accepts only one at a time. */
  async flip() {
    this.side = this.side === "w" ? "b" : "w";
    const turn = async () => {
      while (this.board && this.board.getOrientation() !== this.side) await this.board.setOrientation(this.side, false);
      this.turning = null;
    };
    await (this.turning ??= turn());
    this.draw();
  }
}

function tableOf(fen) {
  const found = squares(fen);
  const cell = (square) => {
    const letter = found.get(square);
    const side = letter && (letter === letter.toUpperCase() ? t("white") : t("black"));
    return el("td", {}, letter ? `${side} ${t(PIECES[letter.toLowerCase()])}` : "");
  };
  return el("table", {},
    el("caption", {}, t("board")),
    el("tr", {}, el("td"), [..."abcdefgh"].map((file) => el("th", { scope: "col" }, file))),
    [8, 7, 6, 5, 4, 3, 2, 1].map((rank) =>
      el("tr", {}, el("th", { scope: "row" }, rank), [..."abcdefgh"].map((file) => cell(file + rank)))));
}
