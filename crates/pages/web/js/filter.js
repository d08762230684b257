// The filter, which stays active from page to page: chips, a form for frequent queries, and its text.

import * as api from "./api.js";
import { el, fill, later, sign } from "./dom.js";
import { quoted } from "./figures.js";
import { counted, t, translated } from "./i18n.js";
import * as state from "./state.js";

/** Returns the parts of a filter that "and" joins. A filter with "or" or brackets is one part. */
export function parts(where) {
  if (!where) return [];
  const found = [];
  let [part, quote, depth] = ["", false, 0];
  const tokens = where.match(/\\.|"|\(|\)|\s+and\s+|[\s\S]/gi) ?? [];
  for (const token of tokens) {
    if (token === '"') quote = !quote;
    if (!quote && token === "(") depth++;
    if (!quote && token === ")") depth--;
    if (!quote && depth === 0 && /^\s+and\s+$/i.test(token)) {
      found.push(part);
      part = "";
    } else part += token;
  }
  found.push(part);
  const conditions = found.map((text) => text.trim()).filter(Boolean);
  return conditions.some((text) => /\bor\b/i.test(text.replace(/"[^"]*"/g, "").replace(/\([^)]*\)/g, ""))) ? [where.trim()] : conditions;
}

/** Returns the filter that joins a filter and a condition. */
export const both = (where, condition) => [where && /\bor\b/i.test(where) ? `(${where})` : where, condition].filter(Boolean).join(" and ");

/** Shows the current page with another filter. */
export function use(where) {
  const { page, params } = state.read();
  state.go(page, { ...params, where, after: undefined });
}

/** Returns the parts of a text before, in and after the range of an error, which counts letters and not code units. */
function split(text, [from, to]) {
  const letters = [...text];
  return [letters.slice(0, from), letters.slice(from, to), letters.slice(to)].map((part) => part.join(""));
}

/** Returns a text with a mark at the range of its error. */
export function marked(text, range) {
  if (!range) return el("code", {}, text);
  const [before, faulty, after] = split(text, range);
  return el("code", {}, before, el("span.at", {}, faulty || " "), after);
}

/** Opens the form with the current filter, and selects the range of its error. */
export function edit(error) {
  const details = document.querySelector("details.filter");
  if (!details) return;
  details.open = true;
  fill(details.querySelector(".sheet"), form(state.read().params.where ?? "", error));
  details.querySelector("textarea").focus();
}

const SIDES = { player: "", white: "white", black: "black", opponent: "opponent", event: "event" };

/** Returns a part of a filter in words, or unchanged if there are no words for it. */
export function words(part) {
  const [, name, sign, value] = /^(\w+)\s*(>=|<=|=|~|in|<|>)\s*(.+)$/s.exec(part) ?? [];
  const text = /^"(.*)"$/s.exec(value ?? "")?.[1].replace(/\\(.)/g, "$1") ?? (/^[\w.,'-]+$/.test(value ?? "") ? value : undefined);
  const several = sign === "in" && /^\{("(?:[^"\\]|\\.)*"(?:, )?)+\}$/.test(value) && value.match(/"(?:[^"\\]|\\.)*"/g).map((spelling) => spelling.slice(1, -1).replace(/\\(.)/g, "$1"));
  if (several && name in SIDES) return `${SIDES[name] ? `${t(SIDES[name])}: ` : ""}${several[0]} ${counted("words_spellings", several.length)}`;
  const range = /^(\d+)\.\.(\d+)$/.exec(value ?? "");
  if (["elo", "avgelo", "minelo"].includes(name) && (range || /^\d+$/.test(value))) {
    const key = { elo: "", avgelo: "mean_", minelo: "both_" }[name];
    if (sign === ">=") return t(`words_${key}elo_from`, { n: value });
    if (sign === "<=") return t(`words_${key}elo_to`, { n: value });
    if (sign === ">") return t(`words_${key}elo_from`, { n: Number(value) + 1 });
    if (sign === "<") return t(`words_${key}elo_to`, { n: Number(value) - 1 });
    if (sign === "in" && range) return t(`words_${key}elo_in`, { a: range[1], b: range[2] });
  }
  if (name === "year" && /^\d+$/.test(value)) {
    if (sign === ">" || sign === ">=") return t("words_since", { n: Number(value) + Number(sign === ">") });
    if (sign === "<" || sign === "<=") return t("words_until", { n: Number(value) - Number(sign === "<") });
    if (sign === "=") return t("words_year", { n: value });
  }
  if (name === "year" && sign === "in" && range) return `${range[1]}–${range[2]}`;
  if (name === "result" && sign === "=") return { "1-0": t("white_won"), "0-1": t("black_won"), "1/2-1/2": t("drawn") }[value] ?? part;
  if (name === "eco" && sign === "=" && text) return `ECO ${value}`;
  if (name === "speed" && sign === "=" && text) return t(`speed_${text}`.toLowerCase());
  if (name === "moves" && sign === ">=" && /^\d+$/.test(value)) return counted("words_moves", Number(value));
  if (name in SIDES && (sign === "~" || sign === "=") && text) return SIDES[name] ? `${t(SIDES[name])}: ${text}` : text;
  if (part === "comments") return t("has_comments");
  if (part === DECISIVE) return t("preset_decisive");
  return undefined;
}

const DECISIVE = "result in {1-0, 0-1}";

/** Returns the line of chips and the form behind it. */
export function bar() {
  const { where = "", find } = state.read().params;
  const all = parts(where);
  const chip = (shown, text, drop) => el("li.chip", { title: text }, shown,
    el("button", { type: "button", "aria-label": `${t("remove")}: ${text}`, onclick: drop }, "×"));
  const chips = all.map((part, index) =>
    chip(words(part) ?? el("code", {}, part), part, () => use(all.filter((_, at) => at !== index).join(" and "))));
  if (find) {
    const { page, params } = state.read();
    chips.unshift(chip(t("words_found"), find, () => state.go(page, { ...params, find: undefined, after: undefined })));
  }
  const details = el("details.popover.filter", {},
    el("summary", {}, sign("filter"), t("filter")),
    el("div.sheet"));
  details.addEventListener("toggle", () => {
    if (details.open && !details.lastChild.firstChild) fill(details.lastChild, form(where));
  });
  return el("section.filters", { "aria-label": t("filter") }, details,
    chips.length ? el("ul.chips", { "aria-label": t("filters_used") }, chips) : null);
}

/** Returns buttons for frequent conditions. */
function presets(where, showName) {
  const year = new Date().getFullYear();
  const me = localStorage.getItem("me");
  const named = [["preset_strong", "elo >= 2600"], ["preset_late", `year >= ${year - 5}`], ["preset_decisive", DECISIVE]];
  if (me) named.push(["preset_mine", `player ~ ${quoted(me)}`]);
  const has = parts(where);
  const press = (condition) => () => use(has.includes(condition) ? has.filter((part) => part !== condition).join(" and ") : both(where, condition));
  return el("div.presets", { role: "group", "aria-label": t("presets") },
    named.map(([key, condition]) => el("button", { type: "button", title: condition, "aria-pressed": String(has.includes(condition)), onclick: press(condition) }, t(key))),
    me ? null : el("button", { type: "button", onclick: showName }, t("preset_mine")));
}

function field(name, label, input) {
  return el(input.className === "range" ? "div" : "label", {}, el("span", {}, label), input);
}

/** Returns a list of names that begin with the text of a field, and the function that fills it. */
export function names(kind, id = `names-${kind}`) {
  const list = el("datalist", { id });
  const look = later(async (text) => {
    if (text.length < 2) return;
    try {
      const found = await api.complete({ field: kind, text, limit: 12 });
      fill(list, found.names.map((name) => el("option", { value: name })));
    } catch { /* completion is optional */ }
  }, 150);
  return { list, look };
}

function form(where, error) {
  const people = names("player");
  const events = names("event");
  const text = (name, more = {}) => el("input", { name, type: "text", autocomplete: "off", ...more });
  const figure = (name, more = {}) => el("input", { name, type: "number", inputmode: "numeric", ...more });
  const select = (name, options) => el("select", { name }, options.map(([value, label]) => el("option", { value }, label)));
  const textarea = el("textarea", { name: "whole", rows: 2, spellcheck: "false", value: where, "aria-describedby": "where-fault" });
  const fault = el("p.fault", { id: "where-fault", role: "alert" });
  const me = el("p", { hidden: true }, el("label", {}, el("span", {}, t("your_name")), text("me")));
  const from = (name, label, more) => field(name, label, el("span.range", {}, figure(`${name}_from`, { ...more, "aria-label": `${label}, ${t("from")}` }), el("span", { "aria-hidden": "true" }, "–"), figure(`${name}_to`, { ...more, "aria-label": `${label}, ${t("until")}` })));
  const node = el("form.filter-form", { onsubmit: submit },
    presets(where, () => { me.hidden = false; me.querySelector("input").focus(); }), me,
    el("fieldset", {}, el("legend", {}, t("add_conditions")),
      field("player", t("player"), text("player", { list: "names-player", oninput: (event) => people.look(event.target.value) })), people.list,
      field("side", t("side"), select("side", [["player", t("either")], ["white", t("white")], ["black", t("black")]])),
      field("opponent", t("opponent"), text("opponent", { list: "names-player", oninput: (event) => people.look(event.target.value) })),
      from("elo", t("rating"), { min: 0, max: 4000 }),
      from("year", t("year"), { min: 1400, max: 2100 }),
      field("result", t("result"), select("result", [["", t("any")], ["1-0", "1-0"], ["0-1", "0-1"], ["1/2-1/2", "½-½"]])),
      field("eco", "ECO", text("eco", { size: 5, pattern: "[A-Ea-e][0-9]{0,2}" })),
      field("event", t("event"), text("event", { list: "names-event", oninput: (event) => events.look(event.target.value) })), events.list,
      field("plies", t("moves_from"), figure("moves", { min: 0 })),
      el("label.check", {}, el("input", { name: "comments", type: "checkbox" }), el("span", {}, t("has_comments")))),
    el("label.whole", {}, el("span", {}, t("filter_text")), textarea),
    fault,
    el("div.buttons", {},
      el("button.primary", { type: "submit" }, t("apply")),
      el("button", { type: "button", onclick: () => use("") }, t("clear"))));

  /** Shows an error and its column, and selects its range. */
  function tell(error) {
    if (error.column) {
      const [before, faulty] = split(textarea.value, error.range);
      textarea.focus();
      textarea.setSelectionRange(before.length, before.length + faulty.length);
      fault.textContent = t("column", { n: error.column, what: translated(error) });
    } else fault.textContent = translated(error);
  }
  if (error) setTimeout(() => tell(error));

  async function submit(event) {
    event.preventDefault();
    /** @type {Record<string, string>} */
    const data = Object.fromEntries([...new FormData(node)].map(([name, value]) => [name, String(value)]));
    const added = [];
    if (data.player) added.push(`${data.side} ~ ${quoted(data.player)}`);
    if (data.opponent) {
      // With a player, the opponent is that player's opponent; otherwise it is any player of that name.
      added.push(`${data.player && data.side === "player" ? "opponent" : data.side === "white" ? "black" : data.side === "black" ? "white" : "player"} ~ ${quoted(data.opponent)}`);
    }
    for (const name of ["elo", "year"]) {
      const [from, to] = [data[`${name}_from`], data[`${name}_to`]];
      if (from && to) added.push(`${name} in ${from}..${to}`);
      else if (from) added.push(`${name} >= ${from}`);
      else if (to) added.push(`${name} <= ${to}`);
    }
    if (data.me) {
      localStorage.setItem("me", data.me.trim());
      added.push(`player ~ ${quoted(data.me.trim())}`);
    }
    if (data.result) added.push(`result = ${data.result}`);
    if (data.eco) added.push(`eco = ${data.eco.toUpperCase()}`);
    if (data.event) added.push(`event ~ ${quoted(data.event)}`);
    if (data.moves) added.push(`moves >= ${data.moves}`);
    if (data.comments) added.push("comments");
    const filter = added.length ? both(data.whole.trim(), added.join(" and ")) : data.whole.trim();
    try {
      await api.games({ where: filter, limit: 0, archive: state.read().params.archive });
    } catch (error) {
      // The page of a site asks before it fetches the whole archive.
      if (error.code === "whole") {
        use(filter);
        return;
      }
      textarea.value = filter;
      tell(error);
      return;
    }
    use(filter);
  }
  return node;
}
