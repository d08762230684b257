// The search box of the header: players, pairs of players, openings, ECO codes, positions, moves, events, game numbers.

import * as api from "./api.js";
import { el, fill, later, sign } from "./dom.js";
import { quoted } from "./figures.js";
import { number, openingName, t, unsan } from "./i18n.js";
import { popover } from "./parts.js";
import * as state from "./state.js";

/** The number of suggestions of each kind. */
const NAMES = 5;
const FEN = /^(?:[pnbrqk1-8]+\/){7}[pnbrqk1-8]+/i;
const MOVE = /^(?:[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](?:=?[QRBN])?|[O0]-[O0](?:-[O0])?)[+#!?]*$/;

/** Returns the addresses that a text can mean: `{kind, label, to}`, the most precise first. */
export async function suggestions(text, last, signal) {
  const typed = text.trim();
  const to = (page, params) => state.address(page, { where: undefined, find: undefined, archive: undefined, ...params });
  const filtered = (where) => to("games", { where });
  const [, game] = /^#?(\d{1,9})$/.exec(typed) ?? [];
  if (game) return Number(game) >= 1 && Number(game) <= last ? [{ kind: "game", label: `№ ${number(Number(game))}`, to: to("game", { n: Number(game) }) }] : [];
  if (FEN.test(typed)) return [{ kind: "position", label: typed, to: to("explorer", { fen: typed }) }];
  const play = await moves(typed, signal);
  if (play) return [{ kind: "position", label: typed, to: to("explorer", { play }) }];
  const found = [];
  if (/^[A-E]\d{1,2}$/i.test(typed)) {
    const code = typed.toUpperCase();
    found.push({ kind: "games", label: `ECO ${code}`, to: filtered(`eco = ${code}`) }, { kind: "explorer", label: `ECO ${code}`, to: to("explorer", { where: `eco = ${code}` }) });
  }
  // A site can complete the names of players and events only after it has fetched the archive.
  const complete = (field, words) => api.complete({ field, text: words, limit: NAMES }, signal).catch((error) => {
    if (error.name === "AbortError") throw error;
    return { names: [], openings: [] };
  });
  const [players, openings, events] = await Promise.all(["player", "opening", "event"].map((field) => complete(field, typed)));
  found.push(...players.names.map((name) => ({ kind: "player", label: name, to: to("player", { name }) })));
  if (!players.names.length) {
    const pair = await both(typed, complete);
    if (pair) found.push({ kind: "games", label: pair.join(" – "), to: filtered(`player ~ ${quoted(pair[0])} and opponent ~ ${quoted(pair[1])}`) });
  }
  found.push(...(openings.openings ?? []).map((opening) => ({ kind: "opening", label: `${openingName(opening.name)} (${opening.eco})`, to: to("explorer", { play: opening.play }) })));
  found.push(...events.names.map((name) => ({ kind: "event", label: name, to: to("event", { name }) })));
  // Names that are or begin with the text come first; otherwise the kinds keep their order.
  const rank = ({ label }) => (label.toLowerCase() === typed.toLowerCase() ? 0 : label.toLowerCase().startsWith(typed.toLowerCase()) ? 1 : 2);
  return found.map((item) => [rank(item), item]).sort(([a], [b]) => a - b).map(([, item]) => item);
}

/** Returns the moves of a text (`1. e4 c5 2. Nf3`) in UCI notation, if the text consists of legal moves. */
async function moves(text, signal) {
  const sans = text.replace(/\d+\s*\.+/g, " ").split(/\s+/).filter(Boolean);
  const known = [sans, sans.map(unsan)].find((all) => all.length && all.every((san) => MOVE.test(san)));
  if (!known) return undefined;
  try {
    const game = await api.read({ pgn: `${known.join(" ").replace(/0/g, "O")} *`, number: 1 }, signal);
    const line = game.moves.map((move) => move.uci);
    return line.length === known.length ? line.join(",") : undefined;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return undefined;
  }
}

/** Returns the two names of a text such as `Kasparov Topalov`, `Kasparov - Topalov` or `Kasparov vs Topalov`. */
async function both(text, complete) {
  const words = text.split(/\s+(?:[-–—]|vs?\.?|gegen)\s+|\s+/).filter(Boolean);
  for (let at = 1; at < words.length && words.length <= 5; at++) {
    const names = [words.slice(0, at).join(" "), words.slice(at).join(" ")];
    const known = await Promise.all(names.map((name) => complete("player", name)));
    if (known.every(({ names: all }) => all.length)) return names;
  }
  return undefined;
}

let counter = 0;

/** Returns a search box with completion (a combobox, as ARIA calls it). `last` is the number of games. */
export function box(last, name = ".wide-box") {
  const id = `seek-${++counter}`;
  const list = el("ul.seek-list", { id, role: "listbox", "aria-label": t("seek"), hidden: true });
  let found = [];
  let at = -1;
  let controller = new AbortController();
  /** @type {Promise<void> | void} */
  let coming;
  const input = el("input", { type: "search", role: "combobox", "aria-expanded": "false", "aria-controls": id, "aria-autocomplete": "list", "aria-label": t("seek"), placeholder: t("seek_hint"), autocomplete: "off", spellcheck: "false", "data-seek": true,
    oninput: () => look(), onkeydown: key, onblur: () => setTimeout(() => show([]), 150) });

  function show(all) {
    found = all;
    at = -1;
    list.hidden = !all.length;
    input.setAttribute("aria-expanded", String(all.length > 0));
    input.removeAttribute("aria-activedescendant");
    fill(list, all.map((item, index) => el("li", { id: `${id}-${index}`, role: "option", "aria-selected": "false", onpointerdown: (event) => { event.preventDefault(); go(item); } },
      el("span.soft", {}, t(item.kind === "games" || item.kind === "explorer" ? item.kind : `seek_${item.kind}`)), " ", item.label)));
  }

  function mark(index) {
    list.children[at]?.setAttribute("aria-selected", "false");
    at = (index + found.length) % found.length;
    list.children[at].setAttribute("aria-selected", "true");
    list.children[at].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", `${id}-${at}`);
  }

  function ask() {
    controller.abort();
    controller = new AbortController();
    const text = input.value;
    if (!text.trim()) return show([]);
    return suggestions(text, last, controller.signal).then((all) => { if (text === input.value) show(all); }, () => {});
  }
  const look = later(() => { coming = ask(); }, 150);

  function go(item) {
    show([]);
    input.value = "";
    input.blur();
    state.visit(item.to);
  }

  async function key(event) {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (found.length) mark(at + (event.key === "ArrowDown" ? 1 : at < 0 ? 0 : -1));
    } else if (event.key === "Escape" && found.length) {
      event.stopPropagation();
      show([]);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (!found.length) {
        coming = ask();
        await coming;
      }
      if (found.length) go(found[Math.max(at, 0)]);
      else if (input.value.trim()) {
        fill(list, el("li", { role: "option", "aria-selected": "false", "aria-disabled": "true" }, t("seek_nothing")));
        list.hidden = false;
      }
    }
  }
  return el(`div.seek${name}`, { role: "search" }, input, list);
}

/** Returns the search box behind a button, for narrow headers. */
export function narrow(last) {
  const node = popover(".seek-menu", sign("person"), t("seek"), box(last, ".narrow-box"));
  node.addEventListener("toggle", () => node.open && node.querySelector("input").focus());
  return node;
}
