// Search: sets up a position or a pattern, and searches all games for it. Shows the estimated cost first.

import * as api from "../api.js";
import { squares } from "../picture.js";
import { el, fill, later, rove, svg } from "../dom.js";
import { marked } from "../filter.js";
import { counted, number, size, t, translated } from "../i18n.js";
import { broken, empty, gameRows, inMember, sentence } from "../parts.js";
import * as state from "../state.js";

const sprite = new URL("../../pieces.svg", import.meta.url).href;
const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const PIECES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
const WILD = { ".": "wild_empty", "*": "wild_any", A: "wild_white", a: "wild_black" };
/** The number of games listed here. The search counts all games found, and a link opens the complete list. */
const LISTED = 200;
const TABS = ["position", "pattern", "material", "moves"];

export function show(main, { params, signal }) {
  const tab = TABS.includes(params.tab) ? params.tab : "position";
  let running = null;
  const setup = tab === "position" || tab === "pattern" ? new Setup(tab === "pattern", changed) : null;
  const form = el("form.search-form", { onsubmit: search });
  const price = el("p.soft", { role: "status" });
  const results = el("div.panel.card");
  const legality = el("p.fault", { role: "status" });
  fill(results, el("p.soft", {}, t("search_help")));

  /** Shows the estimated cost, and whether any game can reach the position. */
  const estimate = later(async () => {
    const where = params.where;
    const fen = tab === "position" ? form.elements.fen.value : undefined;
    fill(legality);
    try {
      if (fen) {
        const found = await api.position({ fen }, signal);
        fill(legality, found.faults.join("; "));
      }
      let question;
      if (!fen) {
        try {
          question = patternQuery(request().find.pattern);
        } catch { /* incomplete JSON */ }
        if (!question) {
          fill(price);
          return;
        }
      }
      const cost = await api.cost({ fen, find: question, where, archive: params.archive }, signal);
      fill(price, cost.replayed ? t("cost_replay", { n: number(cost.games), s: number(Math.max(0.1, Number(cost.seconds.toFixed(1)))) }) : counted("cost_index", cost.games),
        cost.bytes ? [" ", t("cost_bytes", { bytes: size(cost.bytes) })] : null,
        cost.advice && !cost.bytes && [" ", t("advice"), " ", el("code", {}, cost.advice)]);
    } catch (error) {
      if (error.name === "AbortError") return;
      if (fen && error.code === "bad_request" && !document.getElementById("field-fault")) fill(legality, sentence(translated(error)));
      fill(price);
    }
  }, 200);

  fill(main,
    el("h1", {}, t("search")),
    el("div.tabs", { role: "group", "aria-label": t("kind_of_search") }, TABS.map((name) =>
      el("button", { type: "button", "data-control": `tab-${name}`, "aria-pressed": String(name === tab), onclick: () => state.go("search", { tab: name }) }, t(`tab_${name}`)))),
    el(`div.columns.search-columns${setup ? ".with-board" : ""}`, {}, setup && el("section.board-side", { "aria-label": t("set_up_board") }, setup.node), el("section.left", { "aria-label": t(`tab_${tab}`) }, form, price), el("section.right", { id: "moves", tabindex: "-1", "aria-label": t("found") }, results)));
  form.addEventListener("input", () => tab !== "position" && estimate());

  const input = (name, label, value, more = {}) => el("label", {}, el("span", {}, label), el("input", { name, type: "text", value: value ?? "", autocomplete: "off", spellcheck: "false", ...more }));
  const check = (name, label, on) => el("label.check", {}, el("input", { name, type: "checkbox", checked: on === "1" }), el("span", {}, label));
  const inLines = check("in_pv", t("in_engine_lines"), params.in_pv);
  const go = el("div.buttons", {},
    el("button.primary", { type: "submit" }, t("search")),
    el("button", { type: "button", id: "cancel", disabled: true, onclick: () => running?.abort() }, t("cancel")));

  if (tab === "position") {
    const fen = params.fen ?? START;
    fill(form,
      el("fieldset", {}, el("legend", {}, t("to_move")),
        ["w", "b"].map((side) => el("label.check", {}, el("input", { type: "radio", name: "side", value: side, checked: fen.split(" ")[1] === side || (side === "w" && !fen.split(" ")[1]), onchange: changed }), el("span", {}, t(side === "w" ? "white" : "black"))))),
      el("fieldset", {}, el("legend", {}, t("castling")),
        [..."KQkq"].map((right) => el("label.check", {}, el("input", { type: "checkbox", name: "right", value: right, checked: (fen.split(" ")[2] ?? "").includes(right), onchange: changed }), el("span", {}, t(`castling_${right}`))))),
      el("div.buttons", {},
        el("button", { type: "button", onclick: () => take(START) }, t("starting_position")),
        el("button", { type: "button", onclick: () => take("8/8/8/8/8/8/8/8 w - - 0 1") }, t("empty_board"))),
      input("fen", "FEN", fen, { onchange: (event) => take(event.target.value), class: "long" }),
      legality,
      check("either_color", t("either_color"), params.either_color), check("variations", t("in_variations"), params.variations), inLines, go);
    setup.set(fen);
  } else if (tab === "pattern") {
    fill(form, input("board", t("board_text"), params.board ?? "", { onchange: (event) => setup.set(event.target.value), class: "long" }),
      input("plies", t("for_plies"), params.plies ?? "1", { type: "number", min: 1, max: 1000 }), check("either_color", t("either_color"), params.either_color), inLines, go);
    setup.set(params.board ?? "8/8/8/8/8/8/8/8");
  } else if (tab === "material") {
    fill(form, el("p", {}, t("material_help")), input("material", t("tab_material"), params.material, { placeholder: "KRP+krp+" }), input("imbalance", t("imbalance"), params.imbalance, { placeholder: "NvP" }),
      input("plies", t("for_plies"), params.plies ?? "1", { type: "number", min: 1, max: 1000 }), check("either_color", t("either_color"), params.either_color), inLines, go);
  } else {
    fill(form, el("p", {}, t("moves_help")), input("white_move", t("white_move"), params.white_move, { placeholder: "Bxh7+" }), input("black_move", t("black_move"), params.black_move),
      el("label", {}, el("span", {}, t("end")), el("select", { name: "end" }, [["", t("any")], ["mate", t("checkmate")], ["stalemate", t("stalemate")]].map(([value, label]) => el("option", { value, selected: value === (params.end ?? "") }, label)))),
      check("either_color", t("either_color"), params.either_color), inLines,
      el("label", {}, el("span", {}, t("json_query")), el("textarea", { name: "query", rows: 4, spellcheck: "false", value: params.query ?? "", placeholder: '{"sequence": [{"white-move": "O-O"}, {"black-move": "O-O-O"}]}' })), go);
  }
  const ready = ["fen", "board", "material", "imbalance", "white_move", "black_move", "end", "query"].some((name) => params[name]);
  estimate();
  if (ready && params.run) search();

  function changed() {
    if (tab === "position") {
      const data = new FormData(form);
      const fen = `${setup.text()} ${data.get("side") ?? "w"} ${data.getAll("right").join("") || "-"} - 0 1`;
      form.elements.fen.value = fen;
      state.set({ fen: fen === START ? undefined : fen, run: undefined });
      estimate();
    } else if (form.elements.board) {
      form.elements.board.value = setup.text();
      state.set({ board: setup.text(), run: undefined });
      estimate();
    }
  }

  /** Returns a pattern as a query in JSON, without the selection of games; `undefined` for an empty pattern. */
  function patternQuery({ where, limit, listed, archive, ...pattern }) {
    const given = Object.entries(pattern).filter(([, value]) => value !== undefined);
    return given.some(([name]) => !["plies", "either_color", "in_pv"].includes(name)) ? JSON.stringify(Object.fromEntries(given)) : undefined;
  }

  /** Returns the field that an error in a request is about, the error in words, and the faulty text with a mark; nothing
   * if it is about no field of the form.
   * @param {any} error
   * @param {{pattern?: any, position?: any}} find */
  function ofField(error, { pattern, position }) {
    if (error.code !== "bad_query" && error.code !== "bad_request" || error.parameter === "where") return [];
    const path = error.member ?? error.parameter ?? "";
    const [name] = /^[\w-]+/.exec(path) ?? [];
    const field = name?.replaceAll("-", "_");
    // The range counts the letters of the innermost text, such as a member of the JSON query.
    const text = path.match(/[^.[\]]+/g)?.reduce((value, key) => value?.[key], pattern ?? position);
    const mark = error.range && typeof text === "string" ? marked(text, error.range) : null;
    if (field && form.elements[field]) return [field, sentence(translated(error)), mark];
    return form.elements.query?.value ? ["query", inMember(error), mark] : [];
  }

  /** Shows an error under a field, and gives the field the focus. Without arguments, removes the error. */
  function blame(name, what, mark) {
    document.getElementById("field-fault")?.remove();
    fill(legality);
    for (const field of form.querySelectorAll("[aria-invalid]")) {
      field.removeAttribute("aria-invalid");
      field.removeAttribute("aria-describedby");
    }
    const field = name && form.elements[name];
    if (!field) return;
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", "field-fault");
    field.closest("label").after(el("p.fault", { id: "field-fault", role: "alert" }, what, mark && [" ", mark]));
    field.focus();
  }

  function take(fen) {
    const fields = fen.trim().split(/\s+/);
    setup.set(fen, true);
    for (const field of form.elements.side) field.checked = field.value === (fields[1] ?? "w");
    for (const field of form.elements.right) field.checked = (fields[2] ?? "-").includes(field.value);
    changed();
  }

  /** Returns the search of the form: the parameters of the address, and the request.
   * @returns {{state: Record<string, string | undefined>, find: {position?: any, pattern?: any}}} */
  function request() {
    const data = new FormData(form);
    const text = (name) => String(data.get(name) ?? "").trim() || undefined;
    const either = data.get("either_color") ? true : undefined;
    const lines = data.get("in_pv") ? true : undefined;
    if (tab === "position") {
      return { state: { fen: text("fen"), either_color: either && "1", variations: data.get("variations") ? "1" : undefined, in_pv: lines && "1" },
        find: { position: { fen: text("fen"), where: params.where, archive: params.archive, variations: Boolean(data.get("variations")), in_pv: lines, either_color: either, listed: LISTED } } };
    }
    const fields = { board: text("board"), material: text("material"), imbalance: text("imbalance"), white_move: text("white_move"), black_move: text("black_move"), end: text("end"), plies: text("plies"), query: text("query") };
    const pattern = { ...fields, either_color: either, in_pv: lines, where: params.where, listed: LISTED, archive: params.archive ? Number(params.archive) : undefined, plies: fields.plies ? Number(fields.plies) : undefined };
    if (fields.query) pattern.query = JSON.parse(fields.query);
    if (fields.board && /^[8/]+$/.test(fields.board)) delete pattern.board;
    return { state: { ...fields, either_color: either && "1", in_pv: lines && "1" }, find: { pattern } };
  }

  /** Returns links that sort, filter, download or count the games found. */
  function onward(query) {
    const { pattern, position } = query.find;
    const isPlain = position && !position.either_color && !position.variations && !position.in_pv;
    const find = pattern ? patternQuery(pattern) : isPlain ? undefined : JSON.stringify({ fen: position.fen, either_color: position.either_color, variations: position.variations || undefined, in_pv: position.in_pv });
    const to = { find, fen: isPlain ? position.fen : undefined };
    return el("p.buttons", {},
      el("a.button.primary", { id: "as-list", href: state.address("games", to) }, t("as_list")),
      find && [el("a.button", { href: state.address("statistics", { find }) }, t("statistics")), el("a.button", { href: state.address("explorer", { find }) }, t("explorer"))],
      el("a.button", { href: api.links.download({ ...to, where: params.where, archive: params.archive }), download: "games.pgn" }, t("download")));
  }

  async function search(event) {
    event?.preventDefault();
    running?.abort();
    const controller = (running = new AbortController());
    const cancel = document.getElementById("cancel");
    blame();
    const status = el("p.total", { role: "status" }, t("searching"));
    const meter = el("progress", { "aria-label": t("progress"), max: 1, value: 0 });
    const rows = el("tbody");
    let found = 0;
    fill(results, status, meter, el("table.games-table", {},
      el("thead.visually-hidden", {}, el("tr", {}, ["players", "result"].map((key) => el("th", { scope: "col" }, t(key))))), rows));
    let query;
    try {
      query = request();
    } catch (error) {
      fill(results, el("p.soft", {}, t("search_help")));
      blame("query", t("wrong_json", { what: error.message }));
      return;
    }
    if (event && !state.push(state.address("search", { ...state.read().params, ...query.state, run: "1" }))) return;
    cancel.disabled = false;
    const began = performance.now();
    const seconds = () => number(Number(((performance.now() - began) / 1000).toFixed(2)));
    const waiting = [];
    const flush = () => rows.append(...gameRows(waiting.splice(0)));
    try {
      await api.find(query.find, (line) => {
        if (line.hit) {
          found += 1;
          waiting.push(line.hit);
          if (waiting.length > 50) flush();
        } else if (line.progress) {
          flush();
          meter.max = line.progress.of || 1;
          meter.value = line.progress.searched;
          found = Math.max(found, line.progress.found ?? 0);
          fill(status, t("searched", { n: number(line.progress.searched), of: number(line.progress.of) }), " ", counted("found_games", found));
        } else if (line.done) {
          flush();
          meter.remove();
          found = Math.max(found, line.done.found);
          fill(status, counted("found_games", found), line.done.complete ? "" : ` ${t("first_only")}`, ` ${t("in_seconds", { s: seconds() })}`,
            line.done.unread ? el("span.fault", {}, " ", counted("not_read", line.done.unread)) : null,
            found > rows.childElementCount ? [". ", counted("listed", rows.childElementCount)] : null);
          if (found) status.after(onward(query));
          else results.append(empty(params.where));
        } else if (line.error) throw new api.Fault(line.error);
      }, AbortSignal.any([controller.signal, signal]));
    } catch (error) {
      flush();
      meter.remove();
      if (error.name === "AbortError") fill(status, t("cancelled"), " ", counted("found_games", found));
      else {
        // A fault of a field is shown at the field.
        const [name, what, mark] = ofField(error, query.find);
        if (name) {
          fill(results, el("p.soft", {}, t("search_help")));
          blame(name, what, mark);
        } else {
          // Removes the message about the running search.
          status.remove();
          results.append(broken(error, () => search()));
        }
      }
    } finally {
      if (running === controller) {
        running = null;
        cancel.disabled = true;
      }
    }
  }

  return {
    keyNames: setup ? [["p n b r q k", t("key_white_piece")], ["Shift p …", t("key_black_piece")], ["← ↑ → ↓", t("key_square")], ["Enter", t("key_put")], ["Delete", t("key_clear")]] : [],
    key: (event) => setup?.key(event) ?? false,
    destroy: () => running?.abort(),
  };
}

/** A board for setting up a position by dragging, by selecting a piece and pressing squares, or with the keyboard. */
class Setup {
  constructor(wild, changed) {
    this.wild = wild;
    this.changed = changed;
    this.pieces = new Map();
    this.piece = null;
    this.focus = "e4";
    this.cells = new Map();
    this.grid = el("div.setup", { role: "grid", "aria-label": t("set_up_board") },
      [8, 7, 6, 5, 4, 3, 2, 1].map((rank) => el("div.setup-row", { role: "row" }, [..."abcdefgh"].map((file) => this.cell(file + rank)))));
    this.palette = el("div.palette", { role: "toolbar", "aria-label": t("pieces") },
      [..."KQRBNP", ..."kqrbnp", ...(wild ? Object.keys(WILD) : [])].map((letter) => this.tool(letter)), this.tool("delete"));
    rove(this.palette, "button", { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -6, ArrowDown: 6 });
    this.node = el("div.setup-frame", {}, this.grid, this.palette);
    this.node.addEventListener("pointerdown", (event) => this.grab(event));
  }

  cell(square) {
    const node = el("div.setup-cell", { role: "gridcell", tabindex: square === this.focus ? 0 : -1, "data-square": square,
      class: ("abcdefgh".indexOf(square[0]) + Number(square[1])) % 2 ? "light" : "dark" });
    node.addEventListener("focus", () => this.move(square));
    this.cells.set(square, node);
    return node;
  }

  tool(letter) {
    const node = el("button.tool", { type: "button", "aria-pressed": "false", "aria-label": name(letter), title: name(letter), "data-tool": letter }, letter === "delete" ? "⌫" : image(letter));
    node.addEventListener("click", () => this.choose(this.piece === letter ? null : letter));
    return node;
  }

  choose(letter) {
    this.piece = letter;
    for (const button of this.palette.children) button.setAttribute("aria-pressed", String(button.dataset.tool === letter));
  }

  set(text, silent = false) {
    this.pieces = text.includes("/") ? (this.wild ? wildSquares(text) : squares(text)) : new Map();
    this.draw();
    if (!silent && this.wild) this.changed();
  }

  draw() {
    for (const [square, node] of this.cells) {
      const letter = this.pieces.get(square);
      fill(node, letter ? image(letter) : null);
      node.setAttribute("aria-label", `${square}: ${letter ? name(letter) : t("empty_square")}`);
    }
  }

  /** Returns the first field of a FEN. In a pattern digits are squares with any content. */
  text() {
    return [8, 7, 6, 5, 4, 3, 2, 1].map((rank) => {
      let [row, gap] = ["", 0];
      for (const file of "abcdefgh") {
        const letter = this.pieces.get(file + rank);
        if (!letter) gap += 1;
        else {
          row += (gap || "") + letter;
          gap = 0;
        }
      }
      return row + (gap || "");
    }).join("/");
  }

  put(square, letter) {
    if (letter === "delete" || letter === null) this.pieces.delete(square);
    else {
      // A side has only one king.
      if (!this.wild && letter.toLowerCase() === "k") for (const [at, piece] of this.pieces) if (piece === letter) this.pieces.delete(at);
      this.pieces.set(square, letter);
    }
    this.draw();
    this.changed();
  }

  move(square) {
    this.cells.get(this.focus).tabIndex = -1;
    this.focus = square;
    this.cells.get(square).tabIndex = 0;
  }

  grab(event) {
    const cell = event.target.closest("[data-square]");
    const tool = event.target.closest("[data-tool]");
    const letter = tool ? tool.dataset.tool : cell && this.pieces.get(cell.dataset.square);
    const from = cell?.dataset.square;
    const [x, y] = [event.clientX, event.clientY];
    let ghost = null;
    const follow = (next) => {
      if (!letter || letter === "delete") return;
      if (!ghost && Math.hypot(next.clientX - x, next.clientY - y) > 6) {
        ghost = el("div.ghost", {}, image(letter));
        document.body.append(ghost);
      }
      if (ghost) {
        ghost.style.left = `${next.clientX}px`;
        ghost.style.top = `${next.clientY}px`;
        next.preventDefault();
      }
    };
    const drop = (next) => {
      removeEventListener("pointermove", follow);
      removeEventListener("pointerup", drop);
      removeEventListener("pointercancel", drop);
      ghost?.remove();
      const target = document.elementFromPoint(next.clientX, next.clientY)?.closest?.("[data-square]");
      if (ghost) {
        if (from) this.pieces.delete(from);
        if (target) this.put(target.dataset.square, letter);
        else if (from) this.put(from, null);
        // The click after a drag must not press the button of the piece.
        if (tool) addEventListener("click", (click) => click.stopPropagation(), { capture: true, once: true });
      } else if (cell && target === cell && this.piece) {
        this.put(from, this.pieces.get(from) === this.piece ? null : this.piece);
      }
    };
    addEventListener("pointermove", follow);
    addEventListener("pointerup", drop);
    addEventListener("pointercancel", drop);
  }

  key(event) {
    const { key } = event;
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    if (steps[key]) {
      const [across, up] = steps[key];
      const file = Math.max(0, Math.min(7, "abcdefgh".indexOf(this.focus[0]) + across));
      const rank = Math.max(1, Math.min(8, Number(this.focus[1]) + up));
      this.move("abcdefgh"[file] + rank);
      this.cells.get(this.focus).focus();
    } else if (/^[pnbrqk]$/i.test(key) && !event.target.closest?.("button")) {
      this.choose(event.shiftKey ? key.toLowerCase() : key.toUpperCase());
    } else if (this.wild && key in WILD) this.choose(key);
    else if (event.target.closest?.("[data-square]") && (key === "Enter" || key === " ")) {
      if (this.piece) this.put(this.focus, this.pieces.get(this.focus) === this.piece ? null : this.piece);
    } else if (event.target.closest?.("[data-square]") && (key === "Delete" || key === "Backspace")) this.put(this.focus, null);
    else return false;
    return true;
  }
}

function image(letter) {
  if (letter in WILD && !/[pnbrqk]/i.test(letter)) return el("span.wild", { "aria-hidden": "true" }, letter);
  const piece = (letter === letter.toUpperCase() ? "w" : "b") + letter.toLowerCase();
  return svg("svg", { viewBox: "0 0 40 40", "aria-hidden": "true" }, svg("use", { href: `${sprite}#${piece}` }));
}

function name(letter) {
  if (letter === "delete") return t("remove_piece");
  if (WILD[letter]) return t(WILD[letter]);
  return `${letter === letter.toUpperCase() ? t("white") : t("black")} ${t(PIECES[letter.toLowerCase()])}`;
}

/** Parses the squares of a pattern. Sets in square brackets stay text and are not shown. */
function wildSquares(text) {
  const found = new Map();
  text.split(" ")[0].split("/").forEach((rank, row) => {
    let file = 0;
    for (const letter of rank.replace(/\[[^\]]*\]/g, "1")) {
      if (/\d/.test(letter)) file += Number(letter);
      else if (file < 8) found.set("abcdefgh"[file++] + (8 - row), letter);
    }
  });
  return found;
}
