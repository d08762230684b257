#!/usr/bin/env python3
"""Makes ../pages/web/pieces.svg, the board's pieces, of the chess glyphs of DejaVu Sans (public domain; the font's base is Bitstream
Vera, whose licence lets glyphs be used freely). Needs the package fonttools.

    python3 tools/pieces.py /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ../pages/web/pieces.svg
"""
import sys

from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTFont

TILE, MARGIN = 40.0, 3.0
LETTERS = "kqrbnp"


def contours(path):
    """The closed contours of a path, each as a path of its own."""
    return ["M" + part for part in path.split("M") if part]


def piece(font, code, scale, name, dark):
    glyphs, glyph = font.getGlyphSet(), font.getBestCmap()[code]
    bounds = BoundsPen(glyphs)
    glyphs[glyph].draw(bounds)
    left, bottom, right, top = bounds.bounds
    across = TILE / 2 - (left + right) / 2 * scale
    down = TILE - MARGIN - 1 + bottom * scale
    pen = SVGPathPen(glyphs, ntos=lambda number: f"{number:.2f}".rstrip("0").rstrip("."))
    glyphs[glyph].draw(TransformPen(pen, (scale, 0, 0, -scale, across, down)))
    path = pen.getCommands()
    inside = "".join(contours(path))
    if name == "wb":
        # The font's white bishop has a black head: the black one is drawn the other way round.
        body, *rest = contours(path)
        cross = "".join(rest)
        return (
            f'<g id="wb"><path fill="#fffdf8" stroke="#1b1a19" stroke-width="1.5" stroke-linejoin="round" d="{body}"/>'
            f'<path fill="#1b1a19" d="{cross}"/></g>'
        )
    # Each contour by itself, so that what is enclosed is filled; then the glyph, which leaves it open.
    fill, line = ("#e8e4dc", "#1b1a19") if dark else ("#fffdf8", "#1b1a19")
    edge = "#e8e4dc" if dark else "#1b1a19"
    under = "".join(f'<path d="{part}"/>' for part in contours(path)) if inside else ""
    return (
        f'<g id="{name}"><g fill="{fill}" stroke="{edge}" stroke-width="{0.9 if dark else 0.3}" stroke-linejoin="round">'
        f'{under}</g><path fill="{line}" fill-rule="evenodd" d="{path}"/></g>'
    )


def main(font_file, target):
    font = TTFont(font_file)
    glyphs, cmap = font.getGlyphSet(), font.getBestCmap()
    tallest = 0
    for code in range(0x2654, 0x2660):
        bounds = BoundsPen(glyphs)
        glyphs[cmap[code]].draw(bounds)
        left, bottom, right, top = bounds.bounds
        tallest = max(tallest, top - bottom, right - left)
    scale = (TILE - 2 * MARGIN) / tallest
    parts = [piece(font, 0x265D if letter == "b" else 0x2654 + place, scale, "w" + letter, False) for place, letter in enumerate(LETTERS)]
    parts += [piece(font, 0x265A + place, scale, "b" + letter, True) for place, letter in enumerate(LETTERS)]
    with open(target, "w", encoding="ascii") as out:
        out.write('<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" viewBox="0 0 40 40">\n')
        out.write("<!-- Glyphs of DejaVu Sans, public domain; made by tools/pieces.py -->\n")
        out.write("<defs>\n" + "\n".join(parts) + "\n</defs>\n</svg>\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
