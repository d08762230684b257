"""A board as SVG. Each piece has a few plain shapes, drawn for this project, on a square of 45 units."""

from __future__ import annotations

SQUARE = 45
LIGHT, DARK = "#f0e6d2", "#b08e6a"

# The base of all pieces except the pawn, and the shapes of each piece.
_BASE = '<path d="M11 39h23l-1-4H12z"/>'
_SHAPES = {
    "p": '<path d="M14 39h17c0-6-4-8-5-13h-7c-1 5-5 7-5 13z"/><circle cx="22.5" cy="19" r="6.5"/>',
    "n": _BASE + '<path d="M13 35c0-8 8-10 8-17l-8 5-4-4 8-9 1-5 4 4c9 1 13 11 12 26z"/>'
    '<circle class="d" cx="19.5" cy="13.5" r="1.2"/>',
    "b": _BASE + '<path d="M15 35c1-4 2-5 2-7h11c0 2 1 3 2 7z"/><path d="M17 28c-6-7 0-13 5.500-18 5.500 5 11.500 11 5.500 18z"/>'
    '<circle cx="22.5" cy="8" r="2.6"/><path class="l" d="M22.500 15v8M19 19h7"/>',
    "r": _BASE + '<path d="M14 35l2-16h13l2 16z"/><path d="M12 19V9h5v3h3V9h5v3h3V9h5v10z"/>',
    "q": _BASE + '<path d="M14 35L9 14l7 8 2-12 4.500 11L27 10l2 12 7-8-5 21z"/>'
    '<circle cx="9" cy="12" r="2.300"/><circle cx="18" cy="8.500" r="2.300"/>'
    '<circle cx="27" cy="8.500" r="2.300"/><circle cx="36" cy="12" r="2.300"/>',
    "k": _BASE + '<path d="M14 35c-8-9-4-17 3-16 3 0 5 2 5.500 4 .5-2 2.500-4 5.500-4 7-1 11 7 3 16z"/>'
    '<path d="M21 18v-5h-4v-3h4V6h3v4h4v3h-4v5z"/>',
}


def piece(letter: str, x: int, y: int) -> str:
    """Return a piece at these coordinates, by its FEN letter."""
    white = letter.isupper()
    kind = "w" if white else "b"
    return f'<g class="{kind}" transform="translate({x} {y})">{_SHAPES[letter.lower()]}</g>'


def board(fen: str, size: int = 360) -> str:
    """Return the board of a FEN as SVG, seen from White's side."""
    side = 8 * SQUARE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" width="{size}" height="{size}" role="img">',
        f"<title>{fen}</title>",
        "<style>.w{fill:#fff;stroke:#222}.b{fill:#333;stroke:#111}.w,.b{stroke-width:1.5;stroke-linejoin:round}"
        ".w .d{fill:#222}.b .d{fill:#eee;stroke:none}.l{fill:none}.b .l{stroke:#eee}"
        ".c{font:9px sans-serif;fill:#5a452f}</style>",
        f'<rect width="{side}" height="{side}" fill="{LIGHT}"/>',
    ]
    for rank in range(8):
        for file in range(8):
            if (rank + file) % 2 == 1:
                x, y = file * SQUARE, rank * SQUARE
                parts.append(f'<rect x="{x}" y="{y}" width="{SQUARE}" height="{SQUARE}" fill="{DARK}"/>')
    for index in range(8):
        parts.append(f'<text class="c" x="2" y="{index * SQUARE + 10}">{8 - index}</text>')
        parts.append(f'<text class="c" x="{(index + 1) * SQUARE - 7}" y="{side - 3}">{"abcdefgh"[index]}</text>')
    for rank, row in enumerate(fen.split()[0].split("/")):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
            elif letter.lower() in _SHAPES:
                parts.append(piece(letter, file * SQUARE, rank * SQUARE))
                file += 1
    parts.append("</svg>")
    return "".join(parts)
