// Finds the legal move that a reader has typed: SAN with English or the reader's letters, with or without its signs, in
// lower case, castling with zeros, or UCI notation.

import { unsan } from "./i18n.js";

/** Keeps only the characters that distinguish moves. */
const plain = (text) => text.replace(/0/g, "O").replace(/[^A-Za-z0-9@]/g, "");

/** Returns the legal move (`{san, uci}`) of a text, if exactly one matches. */
export function typedMove(text, legal) {
  const typed = text.trim();
  if (!typed) return undefined;
  const only = (fits) => {
    const found = legal.filter(fits);
    return found.length === 1 ? found[0] : undefined;
  };
  for (const spelling of new Set([typed, unsan(typed)])) {
    const found = only((m) => plain(m.san) === plain(spelling)) ?? only((m) => m.uci.toLowerCase() === spelling.toLowerCase()) ?? longer(spelling, legal);
    if (found) return found;
  }
  return only((m) => [typed, unsan(typed)].some((spelling) => plain(m.san).toLowerCase() === plain(spelling).toLowerCase()))
    ?? only((m) => plain(m.san).toLowerCase() === plain(unsan(typed[0].toUpperCase() + typed.slice(1))).toLowerCase());
}

/** Returns a move with more disambiguation than it needs, such as Ngf3 with only one possible knight. */
function longer(text, legal) {
  const [, piece, from, to, promoted] = /^([KQRBN]?)([a-h]?[1-8]?)([a-h][1-8])([QRBN]?)$/.exec(text.replace(/[^A-Za-z0-9]/g, "").replace("x", "")) ?? [];
  if (!to || !from) return undefined;
  const fits = ({ san, uci }) =>
    (/^[KQRBN]/.exec(san)?.[0] ?? "") === piece && !san.startsWith("O") && uci.slice(2, 4) === to && uci.slice(4).toUpperCase() === promoted && [...from].every((sign) => uci.slice(0, 2).includes(sign));
  const found = legal.filter(fits);
  return found.length === 1 ? found[0] : undefined;
}
