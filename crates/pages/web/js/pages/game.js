// One game with everything in it.

import * as api from "../api.js";
import { Board } from "../board.js";
import { graph, time } from "../chart.js";
import { el, fill } from "../dom.js";
import { counted, date, san, short, t } from "../i18n.js";
import { announce, broken, copy, load, player, result } from "../parts.js";
import * as state from "../state.js";

const NAGS = { 1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 7: "□", 10: "=", 13: "∞", 14: "+/=", 15: "=/+", 16: "±", 17: "∓", 18: "+−", 19: "−+", 22: "⊙", 23: "⊙", 36: "→", 40: "↑", 132: "⇆", 138: "⊕", 146: "N" };
const COLORS = { G: "green", R: "red", Y: "yellow", B: "blue" };

export function show(main, { params, embedded, signal }) {
  // What is no number is refused by who is asked, not taken for game 1.
  const number = encodeURIComponent(params.n || 1);
  const holder = el("div.panel");
  fill(main, holder);
  let page = null;
  load(holder, () => api.game(number, signal), (game) => { page = view(holder, game, params, embedded, signal); });
  return {
    keyNames: [["← →", t("key_step")], ["↑ ↓", t("key_variation")], ["Home End", t("key_ends")], ["Space", t("key_autoplay")], ["f", t("flip")], ["c", t("copy_link")], ["n p", t("key_next_game")]],
    key: (event) => page?.key(event),
    destroy: () => page?.destroy(),
  };
}

function view(holder, game, params, embedded, signal) {
  const tag = (name) => game.tags.find(([own]) => own === name)?.[1];
  // Every move is a node that knows the one before it, and what else could follow.
  const root = { ply: 0, fen: game.start, comments: game.before, next: [] };
  const nodes = [root];
  read(game.moves, root, 0);
  function read(moves, before, depth) {
    let last = before;
    for (const move of moves) {
      // How deep a move stands in variations has the name that a search's depth has in the answer.
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
  /** The principal variation of a move as nodes of its own: no key leads into it, only a click. */
  function expected(node, before) {
    const line = [];
    node.pv.forEach((san, place) => {
      const last = line.at(-1) ?? (node.pv_ply < node.ply ? before : node);
      const own = { ply: node.pv_ply + place + 1, san, uci: node.pv_uci[place], fen: node.pv_fens[place], before: last, next: [], depth: node.depth + 1 };
      line.at(-1)?.next.push(own);
      line.push(own);
    });
    return line;
  }
  const main = [root];
  for (let node = root.next[0]; node && node.depth === 0; node = node.next.find((own) => own.depth === 0)) main.push(node);
  let now = main[Math.min(Number(params.ply) || 0, main.length - 1)] ?? root;
  let timer = 0;

  const board = new Board({ orientation: params.side === "black" ? "b" : "w", label: t("board") });
  const clocks = { top: el("span.clock"), bottom: el("span.clock") };
  const names = { top: el("span"), bottom: el("span") };
  const list = el("div.movetext", { tabindex: "0", role: "group", "aria-label": t("moves") });
  const comment = el("p.comment");
  const left = el("p.soft");
  const plies = main.map((node) => ({ eval: node.eval, clock: node.clock }));
  const has = plies.some((ply) => ply.eval !== undefined || ply.clock !== undefined);
  const plot = has ? graph(plies, { onPick: (ply) => go(main[ply]) }) : null;
  const heading = [tag("Event"), tag("Site") !== "?" && tag("Site"), date(tag("Date") ?? tag("UTCDate")), tag("Round") && tag("Round") !== "?" && `${t("round")} ${tag("Round")}`].filter((text) => text && text !== "?");

  fill(holder,
    el("h1", {}, player(tag("White"), tag("WhiteElo")), " – ", player(tag("Black"), tag("BlackElo")), " ", el("span.result", {}, result(game.result))),
    el("p.soft", {}, heading.map((text, place) => [place ? " · " : "", text]), " ", game.opening && el("span", {}, `· ${game.opening.eco} ${game.opening.name}`)),
    game.has_fault ? el("p.notice", {}, t("source_fault")) : null,
    el("div.columns", {},
      el("section.left", { "aria-label": t("board") },
        el("div.side", {}, names.top, clocks.top),
        board.node,
        el("div.side", {}, names.bottom, clocks.bottom),
        el("div.buttons.tight", {},
          button("|◀", "first", () => go(root)), button("◀", "back", () => go(now.before)), button("▶", "forward", () => go(now.next[0])), button("▶|", "last", () => go(end(now))),
          button("⇅", "flip", flip), button("▷", "autoplay", autoplay)),
        plot && el("figure.graph-frame", {}, plot, el("figcaption.soft", {}, t("graph_note"))),
        comment),
      el("section.right", { "aria-label": t("moves") },
        list, left,
        embedded ? el("p", {}, el("a", { href: state.address("game", { n: game.game }), target: "_blank", rel: "noopener" }, t("open_whole"))) : below())));

  function button(sign, name, work) {
    return el("button", { type: "button", "aria-label": t(name), title: t(name), onclick: work }, sign);
  }

  function near(step) {
    return state.address("game", { n: game.game + step });
  }

  function embed() {
    const to = state.embedded(game.game, now.depth ? 0 : now.ply);
    return `<iframe src="${to}" width="600" height="420"></iframe>`;
  }

  function below() {
    const link = (text) => (/^https?:\/\/\S+$/i.test(text) ? el("a", { href: text, rel: "noopener noreferrer", target: "_blank" }, text) : text);
    return [
      el("div.buttons", {},
        el("button", { type: "button", onclick: () => copy(now.fen) }, t("copy_fen")),
        el("button", { type: "button", onclick: async () => copy(await api.pgn(game.game)) }, t("copy_pgn")),
        el("button", { type: "button", onclick: copyLink }, t("copy_link")),
        el("button", { type: "button", onclick: () => copy(embed()) }, t("copy_embed")),
        el("a.button", { href: api.links.pgn(game.game), download: `game-${game.game}.pgn` }, "PGN"),
        el("a.button", { href: api.links.original(game.game), download: `game-${game.game}-original.pgn` }, t("original"))),
      el("div.buttons", {},
        el("a.button", { id: "explore", href: "" }, t("explore_here")),
        game.game > 1 && el("a.button", { href: near(-1) }, t("previous_game")),
        game.game < game.last && el("a.button", { href: near(1) }, t("next_game"))),
      el("details", { open: true }, el("summary", {}, t("tags")),
        el("div.scroll", { tabindex: "0", role: "region", "aria-label": t("tags") },
          el("table.data", {}, el("tbody", {}, game.tags.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, link(value)))))))),
    ];
  }


  function end(node) {
    let last = node;
    while (last.next[0]) last = last.next[0];
    return last;
  }

  function flip() {
    board.flip();
    setTimeout(sides, 50);
  }

  function autoplay() {
    if (timer) {
      clearInterval(timer);
      timer = 0;
      return;
    }
    timer = setInterval(() => (now.next[0] ? go(now.next[0]) : autoplay()), 1000);
  }

  function sides() {
    const white = [...player(tag("White"), tag("WhiteElo"))];
    const black = [...player(tag("Black"), tag("BlackElo"))];
    const up = board.orientation === "b";
    fill(names.top, up ? white : black);
    fill(names.bottom, up ? black : white);
    // The clock that each side had after its last move.
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
    update();
  }

  function update() {
    const marks = { squares: [], arrows: [] };
    const [, from, to] = /^(..)(..)/.exec(now.uci ?? "") ?? [];
    if (from && now.uci !== "0000") marks.squares.push({ square: from, color: "last" }, { square: to, color: "last" });
    for (const own of now.comments ?? []) {
      for (const text of own.squares ?? []) {
        if (/^[GRYB][a-h][1-8]$/.test(text)) marks.squares.push({ square: text.slice(1), color: COLORS[text[0]] });
      }
      for (const text of own.arrows ?? []) {
        if (/^[GRYB][a-h][1-8][a-h][1-8]$/.test(text)) marks.arrows.push({ from: text.slice(1, 3), to: text.slice(3), color: COLORS[text[0]] });
      }
    }
    board.show(now.fen, [], marks);
    sides();
    plot?.move(now.depth === 0 || now === root ? now.ply : main.findLast((node) => node.ply <= now.ply).ply);
    fill(comment, now.eval && el("strong", {}, now.eval, " "), engine(now), " ", plain(now).map((own) => [own.text, " "]));
    for (const own of list.querySelectorAll("[aria-current]")) own.removeAttribute("aria-current");
    if (now.button) {
      now.button.setAttribute("aria-current", "step");
      for (let parent = now.button.closest("details"); parent; parent = parent.parentElement.closest("details")) parent.open = true;
      const [box, own] = [list.getBoundingClientRect(), now.button.getBoundingClientRect()];
      if (own.top < box.top || own.bottom > box.bottom) list.scrollTop += own.top - box.top - box.height / 2;
    }
    const explore = document.getElementById("explore");
    if (explore) explore.href = path();
    if (!now.depth) state.set({ ply: now.ply || undefined });
    announce(now === root ? t("starting_position") : `${now.san}${(now.nags ?? []).map((nag) => `, ${t(`nag_${nag}`)}`).join("")}`);
  }

  /** The explorer at the position, with the moves that lead there. */
  function path() {
    const moves = [];
    for (let node = now; node.before; node = node.before) moves.unshift(node.uci);
    const standard = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    return moves.includes("0000")
      ? state.address("explorer", { fen: now.fen })
      : state.address("explorer", { fen: game.start === standard ? undefined : game.start, play: moves.join(",") || undefined });
  }

  function copyLink() {
    const to = state.address("game", { n: game.game, ply: now.depth ? undefined : now.ply || undefined });
    copy(to.href);
  }

  const black = game.start.split(" ")[1] === "b" ? 1 : 0;
  const from = Number(game.start.split(" ")[5]) || 1;

  /** Writes a line: its moves, their marks and comments, its variations below. */
  function write(node, depth, first = true) {
    const parts = [];
    let numbered = first;
    for (let own = node; own; ) {
      const ply = own.ply - 1 + black;
      const white = ply % 2 === 0;
      if (own.lead?.length) parts.push(words(own.lead));
      const label = white || numbered ? el("span.move-number", {}, `${from + Math.floor(ply / 2)}${white ? "." : "…"} `) : null;
      numbered = false;
      const signs = [...(own.marks ?? []), ...(own.nags ?? []).map((nag) => NAGS[nag] ?? `$${nag}`)];
      const spoken = (own.nags ?? []).map((nag) => t(`nag_${nag}`)).filter((text) => !text.startsWith("nag_")).join(", ");
      const target = own;
      own.button = el("button.move", { type: "button", title: spoken, onclick: () => go(target) }, san(own.san), signs.length ? el("span.nag", {}, signs.join("")) : null);
      parts.push(el("span.pair", {}, label, own.button), " ");
      if (own.comments?.length) {
        parts.push(words(plain(own)));
        numbered = plain(own).some((one) => one.text);
      }
      if (own.line) {
        parts.push(folded(own));
        numbered = true;
      }
      const others = own.before.next.filter((other) => other !== own && other.depth === depth + 1 && own.depth === depth);
      for (const other of others) {
        const body = el("div.variation", {}, write(other, depth + 1));
        const long = count(other) > 24;
        parts.push(long || depth > 1 ? el("details.variation-holder", { open: depth < 1 }, el("summary", {}, t("variation"), " ", san(other.san)), body) : body);
        numbered = true;
      }
      own = own.next.find((next) => next.depth === depth);
    }
    return parts;
  }

  /** The comments that are no engine's, or all where nothing else says what the engine said. */
  function plain(node) {
    return (node.comments ?? []).filter((own) => !own.engine || !node.line);
  }

  /** What an engine says of a move, but for the evaluation and the moves expected. */
  function engine(node) {
    if (!node.line) return "";
    const depth = node.depth_searched && `${t("depth")} ${node.depth_searched}${node.selective_depth ? `/${node.selective_depth}` : ""}`;
    return [depth, node.nodes && `${short(node.nodes)} ${t("nodes")}`, node.elapsed !== undefined && `${node.elapsed} s`].filter(Boolean).join(" · ");
  }

  /** The principal variation of a move, to be unfolded and played through; its buttons are made when it is opened. */
  function folded(node) {
    const body = el("div.variation", {});
    const open = () => {
      if (body.childElementCount) return;
      node.line.forEach((own, place) => {
        const ply = own.ply - 1 + black;
        own.button = el("button.move", { type: "button", onclick: () => go(own) }, san(own.san));
        const label = ply % 2 === 0 || !place ? el("span.move-number", {}, `${from + Math.floor(ply / 2)}${ply % 2 ? "…" : "."} `) : null;
        body.append(el("span.pair", {}, label, own.button), " ");
      });
      body.append(el("p.soft", {}, words((node.comments ?? []).filter((own) => own.engine))));
    };
    return el("details.variation-holder", { ontoggle: open }, el("summary", {}, node.eval ?? t("principal_variation"), " ", engine(node)), body);
  }

  function count(node) {
    let [moves, own] = [0, node];
    while (own && moves < 30) {
      moves += 1;
      own = own.next[0];
    }
    return moves;
  }

  function words(comments) {
    return comments.filter((own) => own.text).map((own) => el("span.words", { class: own.kind }, own.text, " "));
  }

  fill(list, words(root.comments ?? []), write(main[1], 0), el("strong", {}, result(game.result)));
  board.mount();
  board.show(now.fen);
  update();
  if (!embedded) {
    api.novelty(game.game, signal).then((found) => {
      if (found.ply) {
        const ply = found.ply - 1 + black;
        fill(left, t("left_archive"), " ", el("button.move", { type: "button", onclick: () => go(main[found.ply]) }, `${from + Math.floor(ply / 2)}${ply % 2 ? "…" : "."} ${san(found.san)}`), ": ", counted("games_before", found.games_before));
      } else fill(left, t("never_left"));
    }, (error) => {
      if (error.name !== "AbortError") fill(left, error.code === "no_index" ? t("novelty_index") : error.message);
    });
  }

  function variation(step) {
    const line = now.before?.next ?? [];
    const other = line[line.indexOf(now) + step];
    if (other) go(other);
  }

  return {
    key(event) {
      const { key } = event;
      if (key === "ArrowLeft") go(now.before);
      else if (key === "ArrowRight") go(now.next[0]);
      else if (key === "ArrowDown") variation(1);
      else if (key === "ArrowUp") variation(-1);
      else if (key === "Home") go(root);
      else if (key === "End") go(end(now));
      else if (key === " ") autoplay();
      else if (key === "f") flip();
      else if (key === "c") copyLink();
      else if (key === "n" && game.game < game.last) state.go("game", { n: game.game + 1 });
      else if (key === "p" && game.game > 1) state.go("game", { n: game.game - 1 });
      else return false;
      return true;
    },
    destroy() {
      clearInterval(timer);
      board.destroy();
    },
  };
}
