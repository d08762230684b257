#!/usr/bin/env python3
"""Prints the worked example of docs/format/numbers.md: the state of the range coder after each symbol.

    python3 tools/worked_example.py          the example, in Markdown
    python3 tools/worked_example.py FILE     ends with 1 unless the file contains the example

Needs Python 3.8, and the readers of this folder.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import reader
from reader import Bytes, Coder, Lines, Position

ROWS = []
NODES = {0: "size", 1: "rest of the size"}


def named():
    """Returns the meaning of the symbol that is being read, from the functions that read it."""
    frame, names = sys._getframe(2), []
    while frame is not None:
        names.append((frame.f_code.co_name, frame.f_locals))
        frame = frame.f_back
    found = dict(reversed(names))
    if "odds" in found:
        return "foreseen" if "followed" in found.get("move", {}) else "odds"
    if "symbol" in found and "node" in found["symbol"]:
        return NODES.get(found["symbol"]["node"], "node %d: top bits, sign" % found["symbol"]["node"])
    return "kind" if "estimated" in found else "move"


class Traced(Coder):
    """A coder that lists its state after each step."""

    def add(self, what, coded, begin, length):
        ROWS.append("| %s | %s | %d | %d | %08X | %08X |" % (what, coded, begin, length, self.range, self.code))

    def take(self, low, length):
        self.part = low, length
        super().take(low, length)

    def symbol(self, tails):
        symbol = super().symbol(tails)
        self.add(named(), symbol, *self.part)
        return symbol

    def share(self, sizes):
        number = super().share(sizes)
        self.add(named(), "%d of %d" % (number, len(sizes)), *self.part)
        return number

    def bits(self, n):
        bits = super().bits(n)
        self.add("%d bits without a model" % n, bits, *self.part)
        return bits


def traced(title, data, read):
    """Prints a part of the example; `read` returns its meaning."""
    ROWS.clear()
    coder = Traced(data)
    begin = "The bytes `%s` begin with r = %08X and code = %08X." % (data.hex(" ").upper(), coder.range, coder.code)
    meaning = read()
    head = ["| symbol | value | from L | length | r | code |", "|---|---|---|---|---|---|"]
    return "\n".join(["**%s**: %s" % (title, meaning), "", begin, "", *head, *ROWS])


def line():
    position = Position.read(Bytes(reader.STANDARD))
    return "`%s`" % Lines(bytes.fromhex("1637")).text("V", 2, position, reader.decode(position, b"\x2c")).decode()


def rating():
    """A tags block of two games: White, a dictionary string, and WhiteElo, predicted with White as its key."""
    raw = bytes.fromhex("01 02 00 01  02 05 01 01 08 02 FF  01 01 00 01 00 00  00  01 01  03 F9 BA 7E")
    games = reader.tags(bytes([len(raw), 0]) + raw, 2, lambda number: b"Anand")
    return ", ".join("`%s`" % value.decode() for game in games for key, value in game if key == b"WhiteElo")


def main():
    reader.Coder = Traced
    clocks = bytes.fromhex("E4B307")
    parts = [
        traced("A clock", clocks, lambda: "the seconds %s" % reader.adaptive("clock", clocks, [3])[0]),
        traced("A predicted rating", bytes.fromhex("F9BA7E"), rating),
        traced("A line", bytes.fromhex("1637"), line),
    ]
    text = "\n\n".join(parts) + "\n"
    if len(sys.argv) < 2:
        print(text, end="")
        return 0
    with open(sys.argv[1], encoding="utf-8") as file:
        return int(text not in file.read())


if __name__ == "__main__":
    sys.exit(main())
