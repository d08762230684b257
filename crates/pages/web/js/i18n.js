// Languages: one JSON file of texts for each, and numbers and dates by Intl.

const KNOWN = ["en", "de"];
let texts = {};
let fallback = {};
export let language = "en";
/** The language with the reader's region, if the browser names one. The date format depends on the region. */
let locale = "en";

/** Loads the chosen language, the browser's language, or English. `inside` contains the texts of a self-contained page.
 */
export async function load(chosen, inside) {
  const preferred = [chosen, ...(navigator.languages ?? [])].map((name) => (name ?? "").slice(0, 2));
  language = preferred.find((name) => KNOWN.includes(name)) ?? "en";
  locale = (navigator.languages ?? []).find((name) => name.slice(0, 2) === language) ?? language;
  const get = async (name) => inside?.[name] ?? (await fetch(new URL(`../lang/${name}.json`, import.meta.url))).json();
  fallback = await get("en");
  texts = language === "en" ? fallback : await get(language);
  document.documentElement.lang = language;
}

/** Returns a text with the values in place of `{name}`. */
export function t(key, values = {}) {
  const text = texts[key] ?? fallback[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
}

/** Returns a text with a count `{n}`, in the form for it: `key_one`, `key_other`, or another category of the language's
 * plural rules. */
export function counted(key, count) {
  const form = `${key}_${new Intl.PluralRules(language).select(count)}`;
  return t(form in texts ? form : `${key}_other`, { n: number(count) });
}

/** Returns the message of an error in the language of the page, by its code `reason` if the language has a text for it,
 * without the name of the parameter. */
export function translated({ message = "", reason, values = {}, parameter, member }) {
  const key = `message_${reason}`;
  if (key in texts) {
    const { part, side } = values;
    const text = t(key, { ...values, ...(part && { part: t(`fen_${part}`) }), ...(side && { side: t(side) }) });
    return text.replace(/: $/, "");
  }
  return [parameter, member].reduce((text, name) => (name && text.startsWith(`${name}: `) ? text.slice(name.length + 2) : text), message);
}

/** Returns a number with at least `least` and at most `most` decimal places. */
export const number = (value, most = 3, least = 0) =>
  new Intl.NumberFormat(locale, { maximumFractionDigits: most, minimumFractionDigits: least }).format(value);

/** Returns a short number: 12K, 3.4M. */
export function short(value) {
  if (value < 10000) return number(value);
  const text = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 }).format(value);
  // Some languages, such as German, have no short form of thousands.
  return /^[\d.,\s\u2019]*$/.test(text) ? t("thousands", { n: number(value / 1000, value < 100_000 ? 1 : 0) }) : text;
}

/** Returns a number of bytes: 340 B, 12 KB, 98 MB. */
export const size = (bytes) => {
  const [unit, by] = bytes < 1000 ? ["B", 1] : bytes < 1e6 ? ["KB", 1e3] : ["MB", 1e6];
  const digits = by > 1 && bytes / by < 10 ? 1 : 0;
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(bytes / by)} ${unit}`;
};

/** Returns a share. A positive share that would be rounded to zero gets "<" instead. */
export function percent(part, total, digits = 0) {
  if (total <= 0) return "";
  const write = (share) => new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: digits }).format(share);
  const least = 0.01 / 10 ** digits;
  return part > 0 && part / total < least / 2 ? `<${write(least)}` : write(part / total);
}

/** Returns a PGN date in the format of the language, without its unknown parts. */
export function date(text) {
  const [year, month, day] = (text ?? "").split(/[.\-/]/).map((part) => Number.parseInt(part, 10));
  if (!year) return "";
  if (!month) return String(year);
  const when = new Date(Date.UTC(year, month - 1, day || 1));
  /** @type {Intl.DateTimeFormatOptions} */
  const form = day ? { dateStyle: "medium" } : { year: "numeric", month: "short" };
  return new Intl.DateTimeFormat(locale, { ...form, timeZone: "UTC" }).format(when);
}

/** Returns the days from one PGN date to another; an empty text if both are unknown. */
export function days(from, until) {
  const matches = [from, until].map((text) => /^(\d{4})\.(\d\d)\.(\d\d)$/.exec(text ?? ""));
  if (matches[0] && matches[1]) {
    const [first, last] = matches.map(([, year, month, day]) => Date.UTC(Number(year), Number(month) - 1, Number(day)));
    return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" }).formatRange(first, last);
  }
  return [...new Set([date(from), date(until)].filter(Boolean))].join(" – ");
}

const LETTERS = { de: { K: "K", Q: "D", R: "T", B: "L", N: "S" } };
const FIGURINES = { K: "♔", Q: "♕", R: "♖", B: "♗", N: "♘" };

/** Returns a move in SAN with the selected piece letters: English, the language's, or figurines. */
export function san(text) {
  const style = localStorage.getItem("letters") ?? "english";
  const letters = style === "figurines" ? FIGURINES : style === "local" ? LETTERS[language] : null;
  return letters ? text.replace(/[KQRBN]/g, (letter) => letters[letter] ?? letter) : text;
}

/** Returns typed SAN with English piece letters, or unchanged if the language has no piece letters. */
export function unsan(text) {
  const back = LETTERS[language];
  if (!back) return text;
  const english = Object.fromEntries(Object.entries(back).map(([letter, local]) => [local, letter]));
  return text.replace(/[A-Z]/g, (letter) => english[letter] ?? letter);
}

/** Translates an English opening name into the language of the page. Uses lists of families and parts, and rules for
 * names such as "Najdorf Variation" (a compound) and "Classical Variation" (a declined adjective). Unknown names stay
 * unchanged. */
export function openingName(name) {
  const known = texts.openings;
  if (!known || !name) return name ?? "";
  return name.split(": ").map((level) => level.split(", ").map((part) => openingPart(part, known)).join(", ")).join(": ");
}

function openingPart(part, known) {
  const [, most] = /^(.+) and others$/.exec(part) ?? [];
  if (most) return `${openingPart(most, known)} ${known.others}`;
  const { families, parts, ends, adjectives, places, names, with: conjunction } = known;
  const translation = families[part] ?? parts[part];
  if (translation) return translation;
  const [, after] = /^with (.+)$/.exec(part) ?? [];
  if (after) return `${conjunction} ${/[a-h][1-8]/.test(after) ? san(after) : openingPart(after, known)}`;
  const words = part.split(" ");
  // "Smith-Morra Gambit Accepted"
  if (words.length > 2 && ["Accepted", "Declined", "Deferred"].includes(words.at(-1))) words.unshift(words.pop());
  const [noun, gender] = ends[words.pop()] ?? [];
  if (!noun || !words.length) return part;
  const before = [];
  for (let next; (next = adjective(words[0], gender, adjectives, places)); ) {
    before.push(next);
    words.shift();
  }
  const stem = words.map((word) => names[word] ?? word.replace(/'s$/, ""));
  const text = [...before, [...stem, noun].join("-")].join(" ");
  return text[0].toUpperCase() + text.slice(1);
}

/** Returns an adjective in the noun's gender without an article ("klassische"), or the undeclined form for places. */
const adjective = (word, gender, adjectives, places) => places[word] ?? (adjectives[word] && adjectives[word] + { m: "er", f: "e", n: "es" }[gender]);
