// The filter that goes along from page to page: chips, a form for the usual questions, and its text.

import * as api from "./api.js";
import { el, fill, later } from "./dom.js";
import { quoted } from "./figures.js";
import { t } from "./i18n.js";
import * as state from "./state.js";

/** Returns the parts of a filter that "and" joins; a filter with "or" or brackets is one part. */
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
  const whole = found.map((own) => own.trim()).filter(Boolean);
  return whole.some((own) => /\bor\b/i.test(own.replace(/"[^"]*"/g, "").replace(/\([^)]*\)/g, ""))) ? [where.trim()] : whole;
}

function use(where) {
  const { page, params } = state.read();
  state.go(page, { ...params, where, after: undefined });
}

/** Returns the line of chips and the form behind it. */
export function bar() {
  const where = state.read().params.where ?? "";
  const all = parts(where);
  const chips = all.map((part, place) =>
    el("li.chip", {}, el("code", {}, part),
      el("button", {
        type: "button",
        "aria-label": `${t("remove")}: ${part}`,
        onclick: () => use(all.filter((_, own) => own !== place).join(" and ")),
      }, "×")));
  const details = el("details.filter", {},
    el("summary", {}, t("filter")),
    el("div.filter-body"));
  details.addEventListener("toggle", () => {
    if (details.open) fill(details.lastChild, form(where));
  });
  return el("section.filters", { "aria-label": t("filter") },
    chips.length ? el("ul.chips", { "aria-label": t("filters_used") }, chips) : null, details);
}

function field(name, label, input) {
  return el("label", {}, el("span", {}, label), input);
}

function names(kind) {
  const list = el("datalist", { id: `names-${kind}` });
  const look = later(async (text) => {
    if (text.length < 2) return;
    try {
      const found = await api.complete({ field: kind, text, limit: 12 });
      fill(list, found.names.map((name) => el("option", { value: name })));
    } catch { /* a help in typing, no more */ }
  }, 150);
  return { list, look };
}

function form(where) {
  const people = names("player");
  const events = names("event");
  const text = (name, more = {}) => el("input", { name, type: "text", autocomplete: "off", ...more });
  const figure = (name, more = {}) => el("input", { name, type: "number", inputmode: "numeric", ...more });
  const select = (name, options) => el("select", { name }, options.map(([value, label]) => el("option", { value }, label)));
  const whole = el("textarea", { name: "whole", rows: 2, spellcheck: "false", value: where, "aria-describedby": "where-fault" });
  const fault = el("p.fault", { id: "where-fault", role: "alert" });
  const node = el("form.filter-form", { onsubmit: submit },
    el("fieldset", {}, el("legend", {}, t("add_conditions")),
      field("player", t("player"), text("player", { list: "names-player", oninput: (event) => people.look(event.target.value) })), people.list,
      field("side", t("side"), select("side", [["player", t("either")], ["white", t("white")], ["black", t("black")]])),
      field("opponent", t("opponent"), text("opponent", { list: "names-player", oninput: (event) => people.look(event.target.value) })),
      field("elo", t("elo_from"), figure("elo", { min: 0, max: 4000, step: 50 })),
      field("since", t("since"), figure("since", { min: 1400, max: 2100 })),
      field("until", t("until"), figure("until", { min: 1400, max: 2100 })),
      field("result", t("result"), select("result", [["", t("any")], ["1-0", "1-0"], ["0-1", "0-1"], ["1/2-1/2", "½-½"]])),
      field("eco", "ECO", text("eco", { size: 5, pattern: "[A-Ea-e][0-9]{0,2}" })),
      field("event", t("event"), text("event", { list: "names-event", oninput: (event) => events.look(event.target.value) })), events.list,
      field("plies", t("moves_from"), figure("moves", { min: 0 })),
      el("label.check", {}, el("input", { name: "comments", type: "checkbox" }), el("span", {}, t("has_comments")))),
    el("label.whole", {}, el("span", {}, t("filter_text")), whole),
    fault,
    el("div.buttons", {},
      el("button.primary", { type: "submit" }, t("apply")),
      el("button", { type: "button", onclick: () => use("") }, t("clear"))));

  async function submit(event) {
    event.preventDefault();
    const data = Object.fromEntries(new FormData(node));
    const added = [];
    if (data.player) added.push(`${data.side} ~ ${quoted(data.player)}`);
    if (data.opponent) {
      // With a player given, the opponent is that player's; otherwise anybody of that name.
      added.push(`${data.player && data.side === "player" ? "opponent" : data.side === "white" ? "black" : data.side === "black" ? "white" : "player"} ~ ${quoted(data.opponent)}`);
    }
    if (data.elo) added.push(`elo >= ${data.elo}`);
    if (data.since) added.push(`year >= ${data.since}`);
    if (data.until) added.push(`year <= ${data.until}`);
    if (data.result) added.push(`result = ${data.result}`);
    if (data.eco) added.push(`eco = ${data.eco.toUpperCase()}`);
    if (data.event) added.push(`event ~ ${quoted(data.event)}`);
    if (data.moves) added.push(`moves >= ${data.moves}`);
    if (data.comments) added.push("comments");
    const own = data.whole.trim();
    const joined = own && added.length && /\bor\b/i.test(own) ? `(${own})` : own;
    const wanted = [joined, ...added].filter(Boolean).join(" and ");
    try {
      await api.games({ where: wanted, limit: 0, archive: state.read().params.archive });
    } catch (error) {
      // A site asks before it fetches the whole archive for this: the page does.
      if (error.code === "whole") {
        use(wanted);
        return;
      }
      whole.value = wanted;
      if (error.column) {
        whole.focus();
        whole.setSelectionRange(error.column - 1, error.column);
        fault.textContent = t("column", { n: error.column, what: error.message });
      } else fault.textContent = error.message;
      return;
    }
    use(wanted);
  }
  return node;
}
