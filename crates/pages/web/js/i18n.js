// Languages: texts from one JSON file each; numbers and dates by Intl.

const KNOWN = ["en", "de"];
let texts = {};
let fallback = {};
export let language = "en";

/** Loads a language: the one chosen, or else the browser's, or English; of `inside` where a page has its texts inside. */
export async function load(chosen, inside) {
  const wanted = [chosen, ...(navigator.languages ?? [])].map((name) => (name ?? "").slice(0, 2));
  language = wanted.find((name) => KNOWN.includes(name)) ?? "en";
  const get = async (name) => inside?.[name] ?? (await fetch(new URL(`../lang/${name}.json`, import.meta.url))).json();
  fallback = await get("en");
  texts = language === "en" ? fallback : await get(language);
  document.documentElement.lang = language;
}

/** Returns a text, `{name}` in it replaced. */
export function t(key, values = {}) {
  const text = texts[key] ?? fallback[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
}

/** Returns a text with a count: `key_1` for one, `key_s` for others. */
export function counted(key, count) {
  return t(count === 1 ? `${key}_1` : `${key}_s`, { n: number(count) });
}

export const number = (value) => new Intl.NumberFormat(language).format(value);

/** Returns a number in a few letters: 12K, 3.4M. */
export const short = (value) =>
  value < 10000 ? number(value) : new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(value);

/** Returns a number of bytes: 340 B, 12 KB, 98 MB. */
export const size = (bytes) => {
  const [unit, by] = bytes < 1000 ? ["B", 1] : bytes < 1e6 ? ["KB", 1e3] : ["MB", 1e6];
  const digits = by > 1 && bytes / by < 10 ? 1 : 0;
  return `${new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(bytes / by)} ${unit}`;
};

export const percent = (part, whole, digits = 0) =>
  whole > 0 ? new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: digits }).format(part / whole) : "";

/** Returns a PGN date as people of the language write it; what is not known of it is left out. */
export function date(text) {
  const [year, month, day] = (text ?? "").split(/[.\-/]/).map((part) => Number.parseInt(part, 10));
  if (!year) return "";
  if (!month) return String(year);
  const when = new Date(Date.UTC(year, month - 1, day || 1));
  const form = day ? { dateStyle: "medium" } : { year: "numeric", month: "short" };
  return new Intl.DateTimeFormat(language, { ...form, timeZone: "UTC" }).format(when);
}

const LETTERS = { de: { K: "K", Q: "D", R: "T", B: "L", N: "S" } };
const FIGURINES = { K: "♔", Q: "♕", R: "♖", B: "♗", N: "♘" };

/** Returns a move in SAN with the letters chosen: English, the language's, or figurines. */
export function san(text) {
  const style = localStorage.getItem("letters") ?? "english";
  const letters = style === "figurines" ? FIGURINES : style === "local" ? LETTERS[language] : null;
  return letters ? text.replace(/[KQRBN]/g, (letter) => letters[letter] ?? letter) : text;
}

/** Returns a text of typed SAN in English letters. */
export function unsan(text) {
  const back = LETTERS[language];
  const style = localStorage.getItem("letters") ?? "english";
  if (style !== "local" || !back) return text;
  const english = Object.fromEntries(Object.entries(back).map(([one, other]) => [other, one]));
  return text.replace(/[A-Z]/g, (letter) => english[letter] ?? letter);
}
