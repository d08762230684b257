// A report of the command: one file that contains its data, its texts and these scripts.

import { el, fill } from "./dom.js";
import { opening, playerFigures, statistics } from "./figures.js";
import { load, t } from "./i18n.js";

const inside = (id) => JSON.parse(document.getElementById(id).textContent);
await load("", inside("texts"));
const [found, { kind }] = [inside("data"), document.body.dataset];
const shown = { opening, player: playerFigures, statistics }[kind](found, { where: () => null, games: () => null, game: () => null, player: () => null, event: () => null });
fill(document.getElementById("figures"), found.games > 0 ? shown : el("div.notice", {}, el("p", {}, t("nothing_found"))));
