#!/usr/bin/env python3
"""Draws ../pages/web/pieces.svg, the pieces of the board, and icon.svg, the icon of the pages. The outlines fit a
tile of 40 units with a margin on each side.

    python3 tools/pieces.py ../pages/web

The shapes were drawn for this project. All except the knight are mirrored at x = 20: `half` has the right side, from
top to bottom. All pieces have the same plinth.
"""
import sys
from pathlib import Path

TILE = 40
PLINTH = "M10.6 31.2H29.4Q30.9 31.2 30.9 32.7V34.6H9.1V32.7Q9.1 31.2 10.6 31.2Z"


def number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


def half(start, *segments):
    """Returns a closed outline from its right side: a start, then lines (2 numbers) or cubic curves (6 numbers)."""
    text = "M" + " ".join(map(number, start))
    points = [start]
    for segment in segments:
        text += ("L" if len(segment) == 2 else "C") + " ".join(map(number, segment))
        points.append(segment)
    for before, segment in zip(reversed(points[:-1]), reversed(points[1:])):
        end = before[-2:]
        back = [*segment[2:4], *segment[0:2], *end] if len(segment) == 6 else [*end]
        mirrored = [TILE - value if index % 2 == 0 else value for index, value in enumerate(back)]
        text += ("L" if len(mirrored) == 2 else "C") + " ".join(map(number, mirrored))
    return text + "Z"


def circle(x, y, r):
    return f"M{number(x - r)} {number(y)}a{number(r)} {number(r)} 0 1 0 {number(2 * r)} 0a{number(r)} {number(r)} 0 1 0 {number(-2 * r)} 0Z"


# For each piece: filled outlines from the lowest layer; inner lines; dots.
PIECES = {
    "p": (
        [half((20, 18.6), (25, 18.6, 23.4, 25.8, 28, 31.2), (20, 31.2)),
         half((20, 17.2), (24.7, 17.2), (26.6, 17.2, 26.6, 20, 24.7, 20), (20, 20)),
         circle(20, 12.6, 5)],
        [], []),
    "r": (
        [half((20, 15.4), (25.6, 15.4), (26.3, 27.2), (28.6, 31.2), (20, 31.2)),
         half((20, 7.4), (22.7, 7.4), (22.7, 10.2), (26, 10.2), (26, 7.4), (29.6, 7.4), (29.6, 12.8), (26.8, 15.6), (20, 15.6))],
        ["M14 27H26"], []),
    "n": (
        ["M12.4 31.2C12.2 26.4 18.2 25.2 18.6 20.2C17.4 22 15.8 22.4 14.2 22.9C12.8 23.4 12.2 25.4 10.4 25.6"
         "C8.4 25.8 6.8 24 7.3 22C7.9 19.6 10 17.8 10.9 15C11.6 12.8 13 11.2 15 10L16.2 5.6L20 8.7"
         "C26.6 9.8 30 16.4 29.6 24C29.5 26.8 28.9 29 28.6 31.2Z"],
        ["M22.6 12.2C26.2 15.2 26.6 21.6 25.4 27.4"], [(14.7, 15.2, 1.15), (9.6, 22.6, 0.7)]),
    "b": (
        [half((20, 24.6), (23.4, 24.6), (23.8, 28, 26, 29.4, 28.4, 31.2), (20, 31.2)),
         half((20, 9), (24.6, 11.8, 27.7, 15.4, 27.7, 19), (27.7, 21.2, 26.4, 22.7, 25, 23.6), (20, 23.6)),
         half((20, 23.2), (25.2, 23.2), (27, 23.2, 27, 25.8, 25.2, 25.8), (20, 25.8)),
         circle(20, 7.2, 2)],
        ["M24.3 12.7L20.3 18.2"], []),
    "q": (
        [half((20, 9.4), (22.9, 18.6), (27, 10.6), (27.6, 19.4), (33.2, 13.6), (30, 25.2), (28.4, 27.2, 28.6, 29.2, 29, 31.2), (20, 31.2)),
         circle(6.9, 12.2, 1.9), circle(33.1, 12.2, 1.9), circle(13, 8.9, 1.9), circle(27, 8.9, 1.9), circle(20, 7.4, 1.9)],
        ["M10.2 25.4Q20 22.4 29.8 25.4", "M11.2 28.4Q20 26.2 28.8 28.4"], []),
    "k": (
        ["M18.9 4.2H21.1V6.2H23.3V8.4H21.1V12H18.9V8.4H16.7V6.2H18.9Z",
         half((20, 16.4), (22.2, 11.4, 26.4, 10.8, 29, 11.6), (33.4, 12.8, 34.6, 17.4, 32.2, 21), (30.8, 23, 29.6, 24, 29, 25.6), (28.6, 27.4, 28.6, 29.4, 29, 31.2), (20, 31.2)),
         half((20, 10.2), (23.2, 12, 23, 15.4, 20, 20))],
        ["M11 25.4Q20 22.4 29 25.4", "M11.2 28.4Q20 26.2 28.8 28.4"], []),
}
SIDES = {"w": ("#fffefa", "#26221e", "#26221e"), "b": ("#3b3631", "#12100e", "#e9e3d8")}


def piece(side, letter):
    fill, edge, inner = SIDES[side]
    outlines, lines, dots = PIECES[letter]
    text = f'<g id="{side}{letter}" stroke-linejoin="round" stroke-linecap="round" stroke-width="1.3">'
    text += f'<g fill="{fill}" stroke="{edge}">' + "".join(f'<path d="{path}"/>' for path in [*outlines, PLINTH]) + "</g>"
    if lines:
        text += f'<path fill="none" stroke="{inner}" d="{"".join(lines)}"/>'
    if dots:
        text += f'<g fill="{inner}">' + "".join(f'<circle cx="{x}" cy="{y}" r="{r}"/>' for x, y, r in dots) + "</g>"
    return text + "</g>"


def main():
    drawn = [piece(side, letter) for side in "wb" for letter in "kqrbnp"]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{TILE}" height="{TILE}" viewBox="0 0 {TILE} {TILE}">\n'
    note = "<!-- Scoresheet's own pieces, MIT OR Apache-2.0; drawn by crates/serve/tools/pieces.py -->\n"
    folder = Path(sys.argv[1])
    (folder / "pieces.svg").write_text(head + note + "<defs>\n" + "\n".join(drawn) + "\n</defs>\n</svg>\n", "utf-8")
    ground = f'<rect width="{TILE}" height="{TILE}" rx="8" fill="#b58863"/>\n'
    (folder / "icon.svg").write_text(head + note + ground + piece("b", "n") + "\n</svg>\n", "utf-8")


if __name__ == "__main__":
    main()
