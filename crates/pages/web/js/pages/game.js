// One game with all of its data.

import * as api from "../api.js";
import { Board } from "../board.js";
import { graph, time } from "../chart.js";
import { el, fill, sign } from "../dom.js";
import { analysis } from "../engine.js";
import { counted, date, number as written, openingName, san, short, t, translated } from "../i18n.js";
import { announce, brokenPage, copy, diagrams, embedding, entitle, linked, load, player, playerPage, popover, result } from "../parts.js";
import { beside, ends, readMarks } from "../picture.js";
import * as state from "../state.js";

const NAGS = { 1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 7: "□", 10: "=", 11: "=", 12: "=", 13: "∞", 14: "+/=", 15: "=/+", 16: "±", 17: "∓", 18: "+−", 19: "−+", 22: "⊙", 23: "⊙", 36: "→", 40: "↑", 132: "⇆", 138: "⊕", 146: "N" };
/** The judgement of each mark. */
const JUDGED = { 1: "good", 3: "good", 6: "dubious", 2: "mistake", 4: "blunder" };
const MARKED = { "!": "good", "!!": "good", "?!": "dubious", "?": "mistake", "??": "blunder" };
/** Longer texts before a game are collapsed. */
const LONG = 240;

/** The keyboard shortcuts of a game. */
export const KEYS = () => [["← →", t("key_step")], ["↑ ↓", t("key_variation")], ["Home End", t("key_ends")], ["Space", t("key_autoplay")], ["f", t("flip")], ["n p", t("key_next_game")]];

export function show(main, { params, embedded, signal, archives }) {
  // The server rejects a value that is not a number. The page does not replace it with game 1.
  const number = encodeURIComponent(params.n || 1);
  const holder = el("div.panel");
  fill(main, holder);
  let page = null;
  // Only position indexes show the move at which a game leaves the other games. Without indexes, the page sends no
  // request.
  const isIndexed = api.isIndexed(archives);
  const request = () => load(holder, async () => {
    try {
      return await api.game(number, signal);
    } catch (error) {
      if (error.name === "AbortError") throw error;
      return { error };
    }
  }, (game) => {
    if (game.error) fill(holder, brokenPage(game.error, request, t("game")));
    else page = view(holder, { ...game, near: (step) => { const n = step < 0 ? game.previous : game.next; return n && state.address("game", { n }); } }, params, embedded, isIndexed, signal);
  });
  request();
  return {
    keyNames: [...KEYS(), ["c", t("copy_link")]],
    key: (event) => page?.key(event),
    destroy: () => page?.destroy(),
  };
}

/** Shows a game of the archives, or with `isOwn` a game of the reader's text. The latter has no address, and contains
 * its `novelty` and its `pgn`. `near(step)` returns the address of the game before (-1) or after (1) it in the same
 * source. */
export function view(holder, game, params, embedded, isIndexed, signal) {
  const tag = (name) => game.tags.find(([key]) => key === name)?.[1];
  // Every move is a node with links to the previous move and to its continuations.
  const root = { ply: 0, fen: game.start, comments: game.before, next: [] };
  const nodes = [root];
  read(game.moves, root, 0);
  function read(moves, before, depth) {
    let last = before;
    for (const move of moves) {
      // The answer uses `depth` for a search's depth, so the depth in variations needs another name.
      const node = { ...move, depth_searched: move.depth, before: last, next: [], depth };
      nodes.push(node);
      last.next.push(node);
      if (move.pv) node.line = expected(node, last);
      for (const variation of move.variations ?? []) {
        read(variation.moves, last, depth + 1);
        const first = last.next.at(-1);
        if (first && first !== node) first.lead = variation.before;
      }
      last = node;
    }
  }
  /** Returns the principal variation of a move as separate nodes. A click reaches them, but no key does. */
  function expected(node, before) {
    const line = [];
    node.pv.forEach((san, index) => {
      const last = line.at(-1) ?? (node.pv_ply < node.ply ? before : node);
      const step = { ply: node.pv_ply + index + 1, san, uci: node.pv_uci[index], fen: node.pv_fens[index], before: last, next: [], depth: node.depth + 1, isExpected: true, of: node };
      line.at(-1)?.next.push(step);
      line.push(step);
    });
    return line;
  }
  const main = [root];
  for (let node = root.next[0]; node && node.depth === 0; node = node.next.find((next) => next.depth === 0)) main.push(node);
  /** The part of the game in an embedded page. */
  const [from0, to0] = embedded ? [Math.min(Number(params.from) || 0, main.length - 1), Number(params.to) || Infinity] : [0, Infinity];
  const within = (node) => node && node.ply >= from0 && node.ply <= to0;
  let now = found();
  if (!within(now)) now = main[from0];
  let timer = 0;
  /** The engine's line at the current move. It stays while the reader steps through it. */
  let expectation = { of: null, element: null };

  /** Returns the location of a node in the form of addresses: a ply, and `via` for variations: `17.1` is the first
   * alternative at ply 17. */
  function locate(node) {
    const via = [];
    for (let step = node; step.before; step = step.before) {
      const at = step.before.next.indexOf(step);
      if (at > 0) via.unshift(`${step.ply}.${at}`);
    }
    return { ply: node.ply || undefined, via: via.join(",") || undefined };
  }

  /** Returns the node that the address names, or the last node on the way to it. */
  function found() {
    const ply = Number(params.ply) || 0;
    const turns = new Map((params.via ?? "").split(",").map((text) => text.split(".").map(Number)));
    let node = root;
    while (node.ply < ply) {
      const next = node.next[turns.get(node.ply + 1) ?? 0];
      if (!next) break;
      node = next;
    }
    return node;
  }

  /** Returns the node for the address. An engine's line has no address, so the address of its move is used. */
  const addressed = (node) => {
    let mover = node;
    while (mover.isExpected) mover = mover.of;
    return mover;
  };

  const board = new Board({ onDraw: embedded ? null : (draw) => state.set({ draw }), orientation: params.side === "black" ? "b" : "w", label: t("board") });
  const analyst = analysis(signal, { onHint: (uci) => board.hint(uci ? [{ from: uci.slice(0, 2), to: uci.slice(2, 4), color: "hover" }] : []) });
  const clocks = { top: el("span.clock"), bottom: el("span.clock") };
  const pockets = { top: el("span.pocket"), bottom: el("span.pocket") };
  const names = { top: el("span"), bottom: el("span") };
  const list = el("div.movetext", { tabindex: "0", role: "group", "aria-label": t("moves") });
  const comment = el("div.comment");
  const left = el("p.soft.left-archive");
  const plies = main.map((node) => ({ eval: node.eval, clock: node.clock, judged: judged(node) }));
  const [hasEvals, hasClocks] = ["eval", "clock"].map((name) => plies.some((ply) => ply[name] !== undefined));
  const drawn = hasEvals && hasClocks ? "graph_note" : hasEvals ? "graph_evaluations" : "graph_clocks";
  const plot = hasEvals || hasClocks ? graph(plies, { onPick: (ply) => go(main[ply]) }) : null;
  /** Returns the value of a tag that says something. */
  const known = (name) => (["?", "-"].includes(tag(name)) ? undefined : tag(name));
  /** The known parts of the date, which name the edition of the tournament. */
  const [played] = /^\d{4}(\.\d\d){0,2}/.exec([tag("Date"), tag("UTCDate")].find((text) => /^\d{4}/.test(text ?? "")) ?? "") ?? [];
  const ofEvent = known("Event") && !game.isOwn && el("a.person", { href: state.address("event", { name: tag("Event"), year: played, where: undefined, find: undefined }) }, tag("Event"));
  const heading = [ofEvent || known("Event"), !/^https?:/.test(known("Site") ?? "") && known("Site") !== known("Event") && known("Site"), date(tag("Date") ?? tag("UTCDate")), known("Round") && `${t("round")} ${known("Round")}`, game.variant !== "Standard" ? game.variant : /960|fischer/i.test(tag("Variant") ?? "") && "Chess960"].filter(Boolean);

  fill(holder,
    embedded ? el("h1.visually-hidden", {}, `${tag("White")} – ${tag("Black")}`) : [
      el("h1", {}, person("White"), " – ", person("Black"), " ", el("span.result", {}, result(game.result))),
      el("p.soft", {}, heading.map((text, index) => [index ? " · " : "", text]), game.opening && el("span", {}, `${heading.length ? " · " : ""}${game.opening.eco} ${openingName(game.opening.name)}`)),
    ],
    el("div.columns.game-columns", {},
      el("section.left", { "aria-label": t("board") },
        el("div.side", {}, names.top, pockets.top, clocks.top),
        board.node,
        el("div.side", {}, names.bottom, pockets.bottom, clocks.bottom),
        el("div.buttons.tight", {},
          button("first", () => go(main[from0] ?? root)), button("back", back), button("forward", forward), button("last", () => go(end(now))),
          button("flip", flip), button("autoplay", autoplay), embedded ? null : share())),
      el("section.right", { id: "moves", tabindex: "-1", "aria-label": t("moves") },
        // The engine plays chess alone.
        embedded ? null : [game.variant === "Standard" && analyst.node, comment],
        list,
        // A notice above the board would push the step buttons out of the window.
        !embedded && game.has_fault ? el("p.notice", { id: "source-fault" }, t("source_fault")) : null,
        plot && el("figure.graph-frame", {}, plot, el("figcaption.soft", {}, t(drawn))),
        embedded ? el("p", {}, el("a", { href: state.address("game", { n: game.game, ply: now.ply || undefined }), target: "_blank", rel: "noopener" }, t("open_whole"))) : [left, below()])));

  function button(name, work) {
    return el("button", { type: "button", "aria-label": t(name), title: t(name), onclick: work }, sign(name));
  }

  /** Returns a player's name with a link to the player's games. */
  function person(side) {
    const name = tag(side);
    const shown = player(name, tag(`${side}Elo`));
    const page = playerPage(name, { where: undefined, find: undefined });
    return page ? el("a.person", { href: page, title: `${t("games_of")} ${name}` }, shown) : shown;
  }

  function judged(node) {
    const marks = (node.marks ?? []).join("");
    return MARKED[marks] ?? (node.nags ?? []).map((nag) => JUDGED[nag]).find(Boolean);
  }

  /** Returns the controls for copying, downloading and embedding. */
  function share() {
    const fen = el("button", { type: "button", onclick: () => copy(now.fen) }, t("copy_fen"));
    if (game.isOwn) return popover("", sign("share"), t("share"), fen, diagrams(board, () => now.fen), el("button", { type: "button", onclick: () => copy(game.pgn) }, t("copy_pgn")));
    return popover("", sign("share"), t("share"),
      el("button", { type: "button", onclick: copyLink }, t("copy_link")), fen, diagrams(board, () => now.fen),
      el("button", { type: "button", onclick: async () => copy(await api.pgn(game.game)) }, t("copy_pgn")),
      el("button", { type: "button", onclick: () => copy(embed()) }, t("copy_embed")),
      el("a.button", { href: api.links.pgn(game.game), download: `game-${game.game}.pgn` }, t("download_pgn")),
      el("a.button", { href: api.links.original(game.game), download: `game-${game.game}-original.pgn` }, t("original")));
  }

  function side() {
    return board.orientation === "b" ? "black" : undefined;
  }

  function near(step) {
    const to = game.near(step);
    if (to && side()) to.searchParams.set("side", side());
    return to;
  }

  function embed() {
    return embedding(state.embedded({ n: game.game, ...locate(addressed(now)), side: side(), draw: board.drawn.join(",") }));
  }

  function below() {
    const next = (id, text, step) => near(step) && el("a.button", { id, href: near(step), onclick: (event) => { event.currentTarget.href = near(step); } }, text);
    return [
      el("div.buttons", {},
        // The explorer counts games of chess.
        game.variant === "Standard" && el("a.button", { id: "explore", href: "" }, t("explore_here")),
        next("previous", t("previous_game"), -1),
        next("next", t("next_game"), 1)),
      el("details.card", {}, el("summary", {}, t("tags")),
        el("div.scroll", { tabindex: "0", role: "region", "aria-label": t("tags") },
          el("table.data", {}, el("tbody", {}, game.tags.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, linked(value)))))))),
    ];
  }

  function end(node) {
    let last = node;
    while (within(last.next[0])) last = last.next[0];
    return last;
  }

  function back() {
    if (within(now.before)) go(now.before);
  }

  function forward() {
    if (within(now.next[0])) go(now.next[0]);
  }

  function flip() {
    const turned = board.flip();
    sides();
    if (!embedded) state.set({ side: side() });
    return turned;
  }

  function autoplay() {
    if (timer) {
      clearInterval(timer);
      timer = 0;
      return;
    }
    timer = setInterval(() => (within(now.next[0]) ? go(now.next[0]) : autoplay()), 1000);
  }

  function sides() {
    const man = (color) => el("span", { class: `man ${color}`, "aria-hidden": "true" });
    const white = [man("w"), player(tag("White"), tag("WhiteElo"))];
    const black = [man("b"), player(tag("Black"), tag("BlackElo"))];
    const up = board.orientation === "b";
    fill(names.top, up ? white : black);
    fill(names.bottom, up ? black : white);
    const extra = beside(now.fen ?? game.start);
    for (const [place, color] of [["top", up ? "w" : "b"], ["bottom", up ? "b" : "w"]]) {
      fill(pockets[place], extra[color]);
      if (extra.name) pockets[place].title = t(extra.name);
    }
    // The clock of each side after its last move.
    const clock = { 0: undefined, 1: undefined };
    for (let node = now; node && (clock[0] === undefined || clock[1] === undefined); node = node.before) {
      if (node.clock !== undefined) clock[node.ply % 2] ??= node.clock;
    }
    const first = game.start.split(" ")[1] === "b" ? 1 : 0;
    const of = (black) => clock[(black ? 0 : 1) ^ first];
    const text = (seconds) => (seconds === undefined ? "" : time(seconds));
    fill(clocks.top, text(of(!up)));
    fill(clocks.bottom, text(of(up)));
  }

  function go(node) {
    if (!node) return;
    now = node;
    board.setDrawings();
    update();
  }

  function update() {
    const drawings = (now.comments ?? []).flatMap((note) => [...(note.squares ?? []), ...(note.arrows ?? [])]);
    const marks = readMarks(drawings);
    if (now.uci && now.uci !== "0000") marks.squares.unshift(...ends(now.uci).map((square) => ({ square, color: "last" })));
    board.show(now.fen, [], marks);
    if (game.variant === "Standard") analyst.show(now.fen);
    sides();
    plot?.move(!now.depth || now === root ? now.ply : main.findLast((node) => node.ply <= now.ply).ply);
    const mover = addressed(now);
    if (expectation.of !== mover) expectation = { of: mover, element: mover.line && !mover.depth ? folded(mover) : null };
    // The moves show the comments.
    const searched = engine(mover);
    fill(comment, expectation.element ?? [mover.eval && el("strong", {}, mover.eval, " "), searched && el("span.soft", {}, searched)]);
    const hadFocus = list.contains(document.activeElement) && document.activeElement !== list;
    for (const node of list.querySelectorAll("[aria-current]")) node.removeAttribute("aria-current");
    // The moves are one stop of the Tab key. From there, the arrow keys step through the game.
    const stop = now.button ?? list.querySelector("button.move");
    for (const node of list.querySelectorAll("button.move")) node.tabIndex = node === stop ? 0 : -1;
    if (now.button) {
      now.button.setAttribute("aria-current", "step");
      if (hadFocus) now.button.focus({ preventScroll: true });
      for (let parent = now.button.closest("details"); parent; parent = parent.parentElement.closest("details")) parent.open = true;
      const [box, target] = [list.getBoundingClientRect(), now.button.getBoundingClientRect()];
      if (target.top < box.top || target.bottom > box.bottom) list.scrollTop += target.top - box.top - box.height / 2;
    }
    const explore = document.getElementById("explore");
    explore?.setAttribute("href", path().href);
    state.set(locate(addressed(now)));
    announce(now === root ? t("starting_position") : `${now.san}${(now.nags ?? []).map((nag) => `, ${t(`nag_${nag}`)}`).join("")}`);
  }

  /** Returns the explorer's address for the position, with the moves that lead there. */
  function path() {
    const moves = [];
    for (let node = now; node.before; node = node.before) moves.unshift(node.uci);
    const standard = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    return moves.includes("0000")
      ? state.address("explorer", { fen: now.fen })
      : state.address("explorer", { fen: game.start === standard ? undefined : game.start, play: moves.join(",") || undefined });
  }

  function copyLink() {
    copy(state.address("game", { n: game.game, ...locate(addressed(now)), side: side(), draw: board.drawn.join(",") }).href);
  }

  const black = game.start.split(" ")[1] === "b" ? 1 : 0;
  const from = Number(game.start.split(" ").at(-1)) || 1;

  const marked = (node) => [...(node.marks ?? []), ...(node.nags ?? []).map((nag) => NAGS[nag] ?? `$${nag}`)].join("");
  const spoken = (node) => (node.nags ?? []).map((nag) => t(`nag_${nag}`)).filter((text) => !text.startsWith("nag_")).join(", ");
  const numbering = (node, dots) => {
    const ply = node.ply - 1 + black;
    return `${from + Math.floor(ply / 2)}${dots ?? (ply % 2 ? "…" : ".")}`;
  };

  function moveButton(node) {
    const judgement = judged(node);
    const signs = marked(node);
    return (node.button = el("button.move", { type: "button", title: spoken(node), class: judgement ? `judged-${judgement}` : null, onclick: () => go(node) },
      san(node.san), signs ? el("span.nag", {}, signs) : null));
  }

  /** Returns the comments, the engine's data and the variations after a move, for display between table rows. */
  function between(node, depth) {
    const parts = [];
    const said = plain(node).filter((note) => note.text);
    if (said.length) parts.push(el(depth ? "span" : "div", {}, words(said)));
    // In the table, an engine's lines would hide the moves. They are expanded only at the current move.
    if (node.line && depth) parts.push(folded(node));
    for (const sibling of node.before.next.filter((next) => next !== node && next.depth === depth + 1 && node.depth === depth)) {
      const body = el("div.variation", {}, write(sibling, depth + 1));
      const long = count(sibling) > 24;
      parts.push(long || depth > 1 ? el("details.variation-holder", { open: depth < 1 }, el("summary", {}, t("variation"), " ", san(sibling.san)), body) : body);
    }
    return parts;
  }

  /** Returns the main line as a table with two columns: number, White's move, Black's move, each with evaluation and
   * time. */
  function table(first) {
    const cells = [];
    const empty = () => el("span.pair.soft", { "aria-hidden": "true" }, "…");
    let open = false;
    for (let node = first; node; node = node.next.find((next) => next.depth === 0)) {
      if (node.ply <= from0 || node.ply > to0) continue;
      const isWhite = (node.ply - 1 + black) % 2 === 0;
      if (node.lead?.length) cells.push(el("div.between", {}, words(node.lead)));
      if (isWhite || !open) cells.push(el("span.move-number", {}, numbering(node, "")));
      if (!isWhite && !open) cells.push(empty());
      cells.push(el("span.pair", {}, moveButton(node), node.eval ? el("span.eval", {}, node.eval) : null, node.clock !== undefined || node.elapsed !== undefined ? el("span.spent", { title: t("clock") }, time(node.clock ?? node.elapsed)) : null));
      open = isWhite;
      const more = between(node, 0);
      if (more.length) {
        if (isWhite) cells.push(empty());
        cells.push(el("div.between", {}, more));
        open = false;
      }
    }
    return el("div.pairs", {}, cells);
  }

  /** Returns a line as text: its moves, their marks and comments, and its variations below. */
  function write(node, depth, first = true) {
    const parts = [];
    let numbered = first;
    for (let step = node; step; ) {
      const white = (step.ply - 1 + black) % 2 === 0;
      if (step.lead?.length) parts.push(words(step.lead));
      const label = white || numbered ? el("span.move-number", {}, `${numbering(step)} `) : null;
      parts.push(el("span.pair", {}, label, moveButton(step)), " ");
      const more = between(step, depth);
      parts.push(...more.flatMap((part) => [part, " "]));
      numbered = more.length > 0;
      step = step.next.find((next) => next.depth === depth);
    }
    return parts;
  }

  /** Returns whether a comment is only an engine's list of figures: `book, mb=+0+0,`. */
  const isFigures = (text) => /^(book, )?(\w+=[^,\s]*,?\s*)+$/.test(text);

  /** Returns the comments that are not from an engine. */
  function plain(node) {
    return (node.comments ?? []).filter((note) => !note.engine && !isFigures(note.text));
  }

  /** Returns an engine's data about a move, without the evaluation and the expected moves. */
  function engine(node) {
    if (!node.comments?.some((note) => note.engine)) return "";
    const depth = node.depth_searched && `${t("depth")} ${node.depth_searched}${node.selective_depth ? `/${node.selective_depth}` : ""}`;
    return [depth, node.nodes && `${short(node.nodes)} ${t("nodes")}`, node.elapsed !== undefined && `${written(node.elapsed, 1)} s`].filter(Boolean).join(" · ");
  }

  /** Returns the collapsible principal variation of a move. Its buttons are created when it opens. */
  function folded(node) {
    const body = el("div.variation", {});
    const open = ({ newState, target }) => {
      if (body.childElementCount || !(target.open || newState === "open")) return;
      node.line.forEach((step, index) => {
        const ply = step.ply - 1 + black;
        step.button = el("button.move", { type: "button", onclick: () => go(step) }, san(step.san));
        const label = ply % 2 === 0 || !index ? el("span.move-number", {}, `${numbering(step)} `) : null;
        body.append(el("span.pair", {}, label, step.button), " ");
      });
      body.append(el("p.soft", {}, words((node.comments ?? []).filter((note) => note.engine))));
    };
    return el("details.variation-holder.folded", { ontoggle: open }, el("summary", {}, node.eval ?? t("principal_variation"), " ", el("span.soft", {}, engine(node))), body);
  }

  function count(node) {
    let [moves, step] = [0, node];
    while (step && moves < 30) {
      moves += 1;
      step = step.next[0];
    }
    return moves;
  }

  function words(comments) {
    return comments.filter((note) => note.text).map((note) => el("span.words", { class: note.kind }, note.text, " "));
  }

  const before = words(root.comments ?? []);
  const isLong = (root.comments ?? []).reduce((sum, note) => sum + note.text.length, 0) > LONG;
  fill(list, !before.length ? null : isLong ? el("details.folded", {}, el("summary", {}, t("comment")), before) : el("div.words", {}, before),
    main[1] ? table(main[1]) : null, to0 === Infinity ? el("strong.end", {}, result(game.result)) : null);
  if (!embedded) entitle(`${tag("White") ?? "?"} – ${tag("Black") ?? "?"} ${result(game.result)}`);
  board.mount();
  board.show(now.fen);
  board.setDrawings(params.draw);
  update();
  if (!embedded && !isIndexed) fill(left, t("novelty_index"));
  else if (!embedded) {
    (game.isOwn ? Promise.resolve(game.novelty) : api.novelty(game.game, signal)).then((found) => {
      // Every game leaves the others at a position that they have, except for a starting position of its own.
      if (found.ply && !found.games_before) fill(left, t("begins_alone"));
      else if (found.ply) {
        fill(left, t("left_archive"), " ", el("button.move", { type: "button", onclick: () => go(main[found.ply]) }, `${numbering(found)} ${san(found.san)}`), ": ", counted("games_before", found.games_before));
      } else fill(left, t("never_left"));
    }, (error) => {
      if (error.name !== "AbortError") fill(left, error.code === "no_index" ? t("novelty_index") : translated(error));
    });
  }

  function variation(step) {
    const line = now.before?.next ?? [];
    const sibling = line[line.indexOf(now) + step];
    if (sibling) go(sibling);
  }

  return {
    key(event) {
      const { key } = event;
      if (key === "ArrowLeft") back();
      else if (key === "ArrowRight") forward();
      else if (key === "ArrowDown") variation(1);
      else if (key === "ArrowUp") variation(-1);
      else if (key === "Home") go(main[from0] ?? root);
      else if (key === "End") go(end(now));
      else if (key === " ") autoplay();
      else if (key === "f") flip();
      else if (key === "c" && !game.isOwn) copyLink();
      else if ((key === "n" && near(1)) || (key === "p" && near(-1))) state.go(state.read().page, Object.fromEntries(near(key === "n" ? 1 : -1).searchParams));
      else return false;
      return true;
    },
    destroy() {
      clearInterval(timer);
      board.destroy();
    },
  };
}
