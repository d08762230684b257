#!/usr/bin/env python3
"""Checks that the test vectors and the conformance suite decide every sentence that was misread, or could be.

Each alternative reading of FORMAT.md is a change of `tools/reader.py` (or of `tools/side_files.py`). The changed reader
runs on the vectors, then on the suite, until one result differs. An alternative without a difference survives: its
sentence needs a vector.

    python3 tools/alternatives.py                     all alternatives
    python3 tools/alternatives.py --sample 9 --seed 1 some of them
    python3 tools/alternatives.py --list --only TEXT  alternatives whose name contains TEXT, with the file that decides

Exit code 1 means that an alternative survives, or that the reader itself fails. Needs Python 3.8, and zstd like
`tools/reader.py`.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import types

TOOLS = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(TOOLS, "..", "testdata")
SUITE = os.path.join(DATA, "conformance")

# An alternative: its section of FORMAT.md, the reading, and pairs of code in `tools/reader.py` and its replacement.
READER = [
    ("3", "a varint may be longer than needed",
     ("need((byte or not shift) and value", "need(value")),
    ("3", "a compressed part may hold several frames",
     ('need(is_frame(rest), "a zstd frame")', "pass")),
    ("3", "planes begin with the highest bytes",
     ("for k, plane in enumerate(planes))", "for k, plane in enumerate(planes[::-1]))")),
    ("4", "features to read count in the newer page alone",
     ('need(reading == 0, "a newer program is needed: features %#x" % reading)', "pass"),
     ('"commit": commit}', '"commit": commit, "reading": reading}'),
     ("        self.incomplete = False\n",
      '        need(state["reading"] == 0, "features")\n        self.incomplete = False\n')),
    ("4", "a page names any block as its commit",
     ('need(last.kind == 6 and last.end == state["length"]', 'need(last.kind != 6 or last.end == state["length"]')),
    ("4", "the committed length of a cut file is not compared with its commit",
     ('if last and state["sequence"]:', 'if last and state["sequence"] and len(self.file) >= state["length"]:')),
    ("4", "a page counts in either place",
     ("sequence % 2 != index or length", "length")),
    ("4", "the walk of a cut file compares all checksums",
     ("self.walk(start, False)", "self.walk(start, True)")),
    ("4", "a walk on from a page compares block headers alone",
     ("self.walk(state, True)", "self.walk(state, False)")),
    ("4", "an older page is refused even beside an intact one",
     ('        return "older"', '        need(False, "older")')),
    ("5", "bytes 6 and 7 of a block header are ignored",
     ('sync == b"BGAb" and zero == 0', 'sync == b"BGAb"')),
    ("5", "checked may be less than the length in any block",
     ("need(checked <= self.length and (checked == self.length or self.kind == 1)", "need(checked <= self.length")),
    ("5", "columns belong to the chunk before them whatever their first game",
     ("if self.chunks and block.first == self.chunks[-1][1].first", "if self.chunks")),
    ("6", "every block has a start for each 16th game",
     ("64 if self.packed else 16", "16")),
    ("6", "a start is not compared with the lengths",
     ('need(i % group or starts[i // group] == at, "starts and lengths")', "pass")),
    ("7", "the first piece is in the high half",
     (">> i % 2 * 4 & 15", ">> (1 - i % 2) * 4 & 15")),
    ("7", "an empty header may precede any packed moves",
     ('(flags or coding == 1 and data[2:3] == b"\\xc5")', "(flags or coding == 1)")),
    ("7", "the en passant target is in a FEN only if a pawn can capture",
     ('"-" if self.target is None else name(self.target)',
      '"-" if self.target is None or not any(self.board[s] == self.turn << 3 for s in '
      "(beside(self.target, f, 1 if self.turn else -1) for f in (-1, 1)) if s is not None) else name(self.target)")),
    ("7", "a right is named by its file in Chess960",
     ('if inner else "kq"[right % 2]', 'if inner or rook % 8 not in (0, 7) else "kq"[right % 2]')),
    ("7", "a right may be on either side of the king",
     ("7 * colour and (rook > king) == (right % 2 == 0)", "7 * colour")),
    ("8", "labels go rank by rank",
     ("for square in range(file, 64, 8):", "for square in range(8 * file, 8 * file + 8):")),
    ("8", "labels go down a file for Black",
     ("for square in range(file, 64, 8):\n", "for square in [*range(file, 64, 8)]:\n"),
     ("            for square in [*range(file, 64, 8)]:\n                piece = self.board[square]\n",
      "            ranks = [*range(file, 64, 8)]\n"
      "            for square in [s for s in ranks if self.board[s] < 8] + [s for s in ranks[::-1] if "
      "self.board[s] > 7]:\n"
      "                piece = self.board[square]\n")),
    ("8", "a promotion takes the lowest free label",
     ('(us << 3 | promotion) << 3 | label not in position.where, "a label',
      'label == next(n for n in range(5) if (us << 3 | promotion) << 3 | n not in position.where), "a label')),
    ("8", "a prefix and w = 1 add up",
     ("        which = label\n    origin", "        which |= label\n    origin")),
    ("8", "a null move advances no halfmove clock",
     ("self.half, self.target = self.half + 1, None",
      "self.half, self.target = self.half + (move is not None), None")),
    ("8", "a null move keeps the en passant target",
     ("self.half, self.target = self.half + 1, None",
      "self.half, self.target = self.half + 1, self.target if move is None else None")),
    ("8", "a king may castle out of check",
     ("position.attacked(s, 1 - us) for s in between", "position.attacked(s, 1 - us) for s in between - {origin}")),
    ("8", "castling may uncover a check",
     ("            return False\n        return position.safe_after(move)\n    return",
      "            return False\n        return True\n    return")),
    ("8", "only the king's way must be free in castling",
     ("free = between | set(range(min(to, rook_to), max(to, rook_to) + 1))", "free = between")),
    ("8", "a right ends only when its rook moves",
     ("if self.rooks[right] in squares:", "if self.rooks[right] == squares[0]:")),
    ("8", "a king without a label ends the rights",
     ("if piece & 7 == KING and label == 0:", "if piece & 7 == KING:")),
    ("8", "castling does not advance the halfmove clock",
     ("                self.rights &= ~(3 << 2 * us)\n            else:",
      "                self.rights &= ~(3 << 2 * us)\n                self.half -= 1\n            else:")),
    ("8", "a variation may follow an opening",
     ('                need(before is not None, "a variation of no move")\n'
      "                stack.append((position, before))\n"
      "                position, before = before, None\n"
      "            elif kind_",
      "                before = before or position\n"
      "                stack.append((position, before))\n"
      "                position, before = before, None\n"
      "            elif kind_")),
    ("8", "any number of variations may be open", ('        need(depth <= 1024, "more than 1,024 open variations")\n', "")),
    ("8", "a line that is still open at the end is closed there",
     ('        need(not stack, "a variation that is not closed")\n', "")),
    ("9", "a guess of number 0 counts as no number",
     ("guess if guess is not None else p.last", "guess if guess else p.last")),
    ("9", "the last of two equal tags counts",
     ("known.setdefault(p.column, number)", "known[p.column] = number")),
    ("9", "the last of two equal tags is the key",
     ("                if c not in known:\n", "                if True:\n")),
    ("9", "a change raises u",
     ("memory[key] = (coded, u, faults)", "memory[key] = (coded, min(7, u + 1), faults)")),
    ("9", "a change counts faults",
     ("memory[key] = (coded, u, faults)",
      "memory[key] = (coded, u, min(3, faults + 1) if step else max(0, faults - 1))")),
    ("9", "a step of 0 forgives all faults",
     ("max(0, faults - 1)\n            memory", "0\n            memory")),
    ("9", "the memory of each prediction is its own",
     ("memories.setdefault(p.memory, {}), None", "memories.setdefault(p.column, {}), None")),
    ("9", "ratings differ by their values, 0 for none",
     ("(player_rating or 0) - (opponent_rating or 0)",
      "max((player_rating or 0) - 1, 0) - max((opponent_rating or 0) - 1, 0)")),
    ("9", "e is rounded down",
     ("(difference // 25 if difference >= 0 else -(-difference // 25)) + 24", "difference // 25 + 24")),
    ("9", "a rating increases by the change's value",
     ("grown = abs(coded) - 1 if coded > 0 else 1 - abs(coded) if coded < 0 else 0", "grown = coded")),
    ("9", "the opposite change is 0 unless it is predicted",
     ("opposite = change(opposite) if opposite is not None else 0",
      "opposite = change(opposite) if p.references[3] > p.column else 0")),
    ("9", "the texts of predicted columns follow the order of columns",
     ("[columns[p.column] for p in predictions]", "[column for column in columns if column.width == 255]")),
    ("9", "columns of codec 0 have planes",
     ("            column.cells = [0] * count\n",
      "            column.cells = [0] * count\n            part.planes(column.width, count)\n")),
    ("9", "a text between two dates resets the difference",
     ("            yield number\n\n    def value",
      "            else:\n"
      "                before = before if number else 0\n"
      "            yield number\n"
      "\n"
      "    def value")),
    ("9", "a key has the last value of its prediction as its first",
     ("expected = value if z else guess", "expected = value if z and u else guess")),
    ("10", "streams with equal letters and literals are one, whatever precedes them",
     ("names.setdefault((literal or before, letter)", "names.setdefault((literal, letter)")),
    ("10", "the side of a marked text is that of the moves before it",
     ("at % 2 if n < placed[g] else 0))", "at % 2))")),
    ("10", "a value of 0 has a + with P",
     ('letter in "PQRS" and value > 0', 'letter in "PQRS" and value >= 0')),
    ("10", "a value of 0 has no + with p",
     ('b"+" if letter in "pqrs" or', 'b"+" if letter in "pqrs" and value > 0 or')),
    ("10", "clocks below 0 are written from the seconds rounded down",
     ("else shown(letter, -value))",
      'else shown(letter, -value)) if letter != "d" else b"-" + shown("c", -value // 10)')),
    ("10", "an evaluation keeps both decimals",
     ("return text[:-1] if value % 10 == 0 else text", "return text")),
    ("10", "a placed comment precedes the suffixes of its move",
     ('and kind not in ("suffix", "nag"):', "and True:")),
    ("10", "the moves before a placed comment are those of the main line",
     ('                moves += kind == "move"\n        if due',
      '                depth += (kind == "open") - (kind == "close")\n'
      '                moves += kind == "move" and depth == 0\n'
      "        if due"),
     ("due, moves = next(placed, None), 0\n", "due, moves, depth = next(placed, None), 0, 0\n")),
    ("10", "every line halves the added weights",
     ("        if moves > 1:\n            self.added", "        if moves > 0:\n            self.added")),
    ("10", "the commented move does not count in the streak",
     ("streak + 1 if foreseen else 0", "streak + 1 if foreseen and first is None else 0")),
    ("10", "a pawn captured en passant is on its own square",
     ("return Place(position, kinds, to if self.takes(origin, to) else None)",
      "passing = self.position.board[to] < 0 and self.takes(origin, to)\n"
      "        return Place(position, kinds, (to ^ 8 if passing else to) if self.takes(origin, to) else None)")),
    ("10", "a promotion that was foreseen and not played is excluded",
     ("if refuted != (origin, to, None):", "if refuted is None or refuted[:2] != (origin, to):")),
    ("10", "each line has its own odds of mate",
     ("        out, streak = [], 0\n", "        out, streak, self.mates = [], 0, [1, 20]\n")),
    ("10", "pawns shun attacked squares too",
     ("if role != PAWN and any(s is not None", "if any(s is not None")),
    ("10", "a memory's count is kept when its move changes",
     ("min(times + 1, 5) if knows and turned == move else 1", "min(times + 1, 5) if knows else 1")),
    ("10", "the move before a commented move is missing after it too",
     ("kinds = (self.kind(origin, to), self.kinds[0])",
      "kinds = (self.kind(origin, to), NO_KIND if self.kinds[1] == NO_KIND else self.kinds[0])")),
    ("10", "the commented move counts as kind 13",
     ("            at = at.after(*played[:3])\n",
      "            at = at.after(*played[:3])\n"
      "            at.kinds = (RETAKES if at.taken is not None else at.kinds[0], NO_KIND)\n")),
    ("10", "a foreseen move leaves the added weight as it is",
     ("        self.added[at.us][cell] = min(",
      "        self.added[at.us][cell] = self.added[at.us][cell] if is_foreseen else min(")),
    ("11", "odds are halved by the total after the increase",
     ("answer, total = coder.share(counts), sum(counts)\n    counts[answer] += 2",
      "answer = coder.share(counts)\n    counts[answer] += 2\n    total = sum(counts)")),
    ("11", "odds are halved rounded down",
     ("counts[:] = [c - (c >> 1) for c in counts]", "counts[:] = [max(c >> 1, 1) for c in counts]")),
    ("11", "the divisor of a clock is expected",
     ("c = e if n == 0 else min(max(first, 0), 1 << 32)", "c = e")),
    ("11", "the first clock is that of the game before, or 0",
     ("        if count:\n            last_first = first\n", "        last_first = first\n")),
    ("11", "s3 counts",
     ("    s1, s2, _, s4 = steps\n", "    s1, s2, s3, s4 = steps\n"),
     ("level(m1 + 2 * m2 + m4)", "level(m1 + 2 * m2 + m4 + min(abs(s3), 1 << 20))")),
    ("11", "the step of a first clock counts",
     ("                step = 0\n", "")),
    ("11", "plain numbers begin anew in each game",
     ('if kind != "plain" and count:', "if count:")),
    ("11", "evaluations continue from game to game",
     ('if kind != "plain" and count:', 'if kind not in ("plain", "evaluation") and count:')),
    ("11", "each side has a mean from its fourth number",
     ("size if n < 4 else (3", "size if n // 2 < 4 else (3")),
    ("11", "an increment differs from 0",
     ("increment = signed(increment + step_up)", "increment = signed(step_up)")),
    ("11", "a mean takes steps without a cap",
     ("size = 8 * min(abs(step), 1 << 20)", "size = 8 * abs(step)")),
    ("11", "k counts the symbol before the update",
     ("w = 131072 // (2 * k + 5)", "w = 131072 // (2 * k + 7)")),
    ("11", "an estimate counts to 256",
     ("cell[1] = min(k + 1, 255)", "cell[1] = min(k + 1, 256)")),
    ("11", "a size greater than 64 is refused",
     ("size = min(size + last, 64)", "size += last\n            need(size <= 64, 'a size')")),
    ("11", "the code may begin at or beyond the range",
     ('min(int.from_bytes((data + bytes(4))[:4], "big"), self.range - 1)',
      'int.from_bytes((data + bytes(4))[:4], "big")')),
    ("11", "bits without a model come in groups of 15",
     ("n = min(rest, 16)", "n = min(rest, 15)")),
    ("11", "without a number of its side, own is the first of the game before",
     ("by_side.get(side) or last or dict", "by_side.get(side) or dict")),
    ("11", "without a number in the game, own is 0",
     ("dict(nothing, value=first_before)", "nothing")),
    ("11", "the odds of thousands follow the last number",
     ('round_odds[before["round"]]', 'round_odds[bool(last and last["round"])]')),
    ("11", "expected / m is rounded towards 0",
     ("expected = signed(expected) // m",
      "expected = abs(signed(expected)) // m * (1 if signed(expected) > 0 else -1)")),
    ("11", "the gain of a first number is its value",
     ("if last else 0\n        last = dict", "\n        last = dict")),
    ("11", "steps of multiples are stored as they are shown",
     ('steps = pair(level(folded(before["step"]))',
      'steps = pair(level(folded(before["step"] * (1000 if before["round"] else 1)))')),
    ("11", "a product of multiples is rounded to the nearest",
     ("product = product // 1000 if multiple else product",
      "product = (product + 500) // 1000 if multiple else product")),
    ("11", "the size of the difference's context is that of the product",
     ("[pair(size(f), int(multiple)), size(a)]", "[pair(size(product), int(multiple)), size(a)]")),
    ("12", "all unbroken texts may be joined to their move",
     ("        self.begin()\n        start = len(self.out)\n",
      "        if self.has(0x400) and self.joins and not {10, 13} & {*text} and len(self.out) > self.line:\n"
      '            self.out += b" "\n'
      "        else:\n"
      "            self.begin()\n"
      "        start = len(self.out)\n")),
    ("12", "a text with a line end never wraps its first line",
     ("        if start + len(lines[0]) - self.line > self.width:\n            self.wrap()\n", "")),
    ("12", "a text with a line end does not wrap in filled lines",
     ("if start + len(lines[0]) - self.line > self.width:",
      "if start + len(lines[0]) - self.line > self.width and not self.has(0x200):")),
    ("12", "flag 0x80 leaves out a Black move with a joined number",
     ("if self.has(0x80) and not white:", "if self.has(0x80) and not white and not joined:")),
    ("12", "flag 0x80 leaves out a Black move with a number",
     ("        if self.has(0x80) and not white:", "        if self.has(0x80) and not white and not numbered:"),
     ("white, joined = position.turn == 0, False",
      "white, joined, numbered = position.turn == 0, False, self.number")),
    ("12", "CR LF is one line end of a text",
     ("    def text(self, kind, text):\n        lines = text.replace",
      '    def text(self, kind, text):\n        lines = text.replace(b"\\r\\n", b"\\n").replace')),
    ("12", "lengths are in characters",
     ("        if len(self.out) - self.line > self.width and not self.has(0x200):",
      '        if len(self.out[self.line :].decode("utf-8", "replace")) > self.width and not self.has(0x200):')),
    ("12", "Windows-1252 has no control characters",
     ("        if ord(character) in (0x81, 0x8D, 0x8F, 0x90, 0x9D):", "        if False:")),
    ("12", "a number follows comments in braces alone",
     ("        self.joins = False\n        self.number |= self.has(0x04)",
      "        self.joins = False\n        self.number |= self.has(0x04) and kind == 0")),
    ("12", "a suffix is joined to whatever precedes it",
     ("        if not self.joins:\n            self.begin()\n", "")),
    ("12", "a pinned piece counts in SAN",
     ("            rivals = [s for s in rivals if self.safe_after((s, to, None, -1))]\n", "")),
    ("12", "SAN names the rank before the file",
     ("                if not same_file:\n"
      "                    which = which[0]\n"
      "                elif not same_rank and not full_squares:\n"
      "                    which = which[1]",
      "                if not same_rank and not full_squares:\n"
      "                    which = which[1]\n"
      "                elif not same_file:\n"
      "                    which = which[0]")),
    ("12", "two blanks precede a result that begins a line",
     ("if self.has(0x100) and self.gap is not None:", "if self.has(0x100):")),
    ("12", "White's move begins a line that is longer than the width",
     ("len(self.out) - self.line >= self.width:\n                self.new_line()",
      "len(self.out) - self.line > self.width:\n                self.new_line()")),
    ("12", "a parenthesis that closes an empty variation stands alone",
     ('        if self.opened:\n            self.begin()\n        self.out += b" )"', '        self.out += b" )"')),
    ("12", "an escape in a variation does not open it",
     ("        if self.opened:\n            self.begin()\n        if len(self.out) > self.line:",
      "        if len(self.out) > self.line:")),
    ("12", "a token that begins with % is indented wherever it stands",
     ('            if len(self.out) == self.line:\n                self.out += b" "\n        self.unbroken',
      '            self.out += b" "\n        self.unbroken')),
    ("12", "only a token that begins with ; ends its line",
     ('or b";" in last or', 'or last[:1] == b";" or')),
    ("12", "a tag pair that is broken is kept among the moves",
     ('        if not self.begun and text[:1] == b"[":', "        if False:")),
    ("13", "loose bytes follow the game with their number",
     ("loose[0][0] <= game.number", "loose[0][0] < game.number")),
    ("14", "a reader needs both copies of a dictionary block",
     ("for candidate in (block, *copies):", "for candidate in (block, *copies)[:1]:")),
    ("15", "a game that was deleted once stays deleted",
     ("block.kind == 8 else deleted.difference_update", "block.kind == 8 else (lambda games: None)")),
    ("15", "a run begins at the number of games before it",
     ("following = last + 2", "following = last + 1")),
    ("17", "deleted games count in the digest",
     ("for game in archive.games())).hexdigest()", "for game in archive.games(range(1, 1 << 40)))).hexdigest()"),
     ("if n not in self.deleted]", "if numbers or n not in self.deleted]")),
    ("22", "a critical kind beyond the known ones is skipped",
     ("self.kind < len(KINDS) or self.kind >= 128", "True")),
    ("22", "kinds 11 to 15 are known",
     ("self.kind < len(KINDS) or self.kind >= 128", "self.kind < 16 or self.kind >= 128")),
    ("22", "private kinds are skipped, critical ones too",
     ("self.kind < len(KINDS) or self.kind >= 128", "self.kind < len(KINDS) or self.kind >= 64")),
    ("22", "kinds from 192 on are refused",
     ("self.kind < len(KINDS) or self.kind >= 128", "self.kind < len(KINDS) or 128 <= self.kind < 192")),
    ("22", "only known skippable kinds are skipped",
     ("self.kind < len(KINDS) or self.kind >= 128",
      "self.kind < len(KINDS) or self.kind in SKIPPABLE")),
    ("28", "a recapture needs no capture on the same square if last captured",
     ("1 + last[3] if last and takes and to == last_to else 0",
      "2 if last and takes and last[3] else 1 if last and takes and to == last_to else 0")),
    ("28", "recapture is 2 after any capture",
     ("1 + last[3] if last and takes and to == last_to else 0",
      "2 if last and last[3] else 1 if last and takes and to == last_to else 0")),
    ("28", "en passant is a recapture",
     ("1 + last[3] if last and takes and to == last_to else 0",
      "1 + last[3] if last and takes and (to == last_to or passing) else 0")),
    ("28", "enemy pieces are defended with the own king on the board",
     ("self.hanging(self.enemy, self.player_by, self.once, self.danger)",
      "self.hanging(self.enemy, self.player_by, self.once, self.guarded)"),
     ("        self.danger = 0\n",
      "        self.danger = self.guarded = 0\n"
      "        for role in range(6):\n"
      "            for square in squares(self.enemy[role]):\n"
      "                self.guarded |= attack(role, 1, square, self.all)\n")),
    ("28", "threatened pieces are defended with the own king on the board",
     ("loose = view.theirs & ~view.enemy[KING] & ~view.danger",
      "loose = view.theirs & ~view.enemy[KING] & ~view.guarded"),
     ("        self.danger = 0\n",
      "        self.danger = self.guarded = 0\n"
      "        for role in range(6):\n"
      "            for square in squares(self.enemy[role]):\n"
      "                self.guarded |= attack(role, 1, square, self.all)\n")),
    ("28", "own pieces are defended by pieces other than the king",
     ("self.hanging(self.player, self.enemy_by, self.danger, self.once)",
      "self.hanging(self.player, self.enemy_by, self.danger, self.player_by[0] | self.player_by[1] | "
      "self.player_by[2] | self.player_by[3] | self.player_by[4])")),
    ("28", "token frequencies are halved by the total before the increase",
     ("if sum(frequencies) > 2048:", "if sum(frequencies) - 16 > 2048:")),
    ("28", "an opening saves the previous token",
     ("            stack.append((line, before))\n"
      "            line, before = before.copy(), None\n"
      '            stream += b"\\xc3"',
      "            stack.append((line, before, token))\n"
      "            line, before = before.copy(), None\n"
      '            stream += b"\\xc3"'),
     ('            line, before = stack.pop()\n            stream += b"\\xc4"',
      '            line, before, token = stack.pop()\n            stream += b"\\xc4"')),
    ("28", "adornments begin anew in a variation",
     ("        adornments = adornments << 1 & 3 if moves_ else adornments | 1\n",
      '        adornments = adornments << 1 & 3 if moves_ else 0 if token == "open" else adornments | 1\n')),
    ("28", "the phase counts the moves of the main line",
     ("        result.position = self.position.copy()\n        return result\n",
      "        result.position = self.position.copy()\n"
      "        result.plies = self.plies + 1\n"
      "        return result\n")),
    ("28", "null moves do not count as plies",
     ("self.position.play(None)\n        self.played(None)",
      "self.position.play(None)\n        self.played(None)\n        self.plies -= 1")),
    ("28", "surprise takes gaps without a cap",
     ("min(gaps[number], 2560)", "gaps[number]")),
    ("28", "a surprise reaches a threshold when it exceeds it",
     ("model.sharpness[sum(limit <= self.surprise[us]", "model.sharpness[sum(limit < self.surprise[us]")),
    ("28", "a castling king does not uncover a check",
     ("check = 2 if discoverers >> origin & 1 else 0",
      "check = 2 if discoverers >> origin & 1 and not castles else 0")),
    ("28", "a check ignores the square that the piece leaves",
     ("attack(now, 0, to, view.all) & view.enemy[KING]",
      "attack(now, 0, to, view.all & ~(1 << origin)) & view.enemy[KING]")),
    ("28", "a pawn's step needs two guards",
     ("support = (view.once if step else view.twice)", "support = view.twice")),
    ("28", "own last is the move before the opponent's in the whole game",
     ("def pass_(self):\n        self.position.play(None)\n        self.played(None)",
      "def pass_(self):\n        self.position.play(None)\n        self.plies += 1")),
    ("28", "a king counts as an attacker like a queen",
     ("(QUEEN, 4), (KING, 5))", "(QUEEN, 4), (KING, 4))")),
    ("28", "the slack is at most 23 bytes",
     ("if slack > 23:", "if slack > 24:")),
    ("28", "bytes after a packed game are ignored",
     ('        need(self.slack() <= 23, "bytes after packed moves")\n', "        return\n")),
    ("28", "a game by Black is in the book only as White",
     ("position.rights == 15 and position.target is None", "position.turn == 0 and position.rights == 15")),
    ("9", "a skippable column has a width",
     ("self.width = 0 if self.skippable else part.number(1)", "self.width = part.number(1)")),
    ("9", "a skippable column counts no column",
     ("columns = [Column(part) for _ in range(part.counted(192))]",
      "columns = [c for c in [Column(part) for _ in range(part.small())] if not c.skippable]")),
    ("9", "a game may have a tag in a skippable column",
     ("            need(not columns[column].skippable, \"a game's tag in a skippable column\")\n", "")),
    ("9", "a codec from 7 on is skippable",
     ("self.skippable = self.codec >= 128", "self.skippable = self.codec > 6")),
    ("9", "private codecs are refused",
     ("self.skippable = self.codec >= 128", "self.skippable = 128 <= self.codec < 192")),
]

# The same for `tools/side_files.py`, decided by level S of the suite.
SIDE_FILES = [
    ("20", "codes that fill whole bytes begin where they are",
     ("                    bits.to_byte()\n                    begin = bits.at()\n",
      "                    begin = None\n"),
     ('                    need(begin + size <= len(data), "the codes of a position")\n'
      "                    codes = Bits(data[begin : begin + size])\n"
      "                    bits.take(8 * size)\n",
      "                    codes = Bits(bits.take(8 * size).to_bytes(size, 'little'))\n")),
    ("20", "the codes of many places have no size",
     ("if count >= 16:", "if count >= 1 << 40:")),
    ("20", "the gap's parameter is that of all places",
     ("((self.places - found[0]) // count).bit_length()", "(self.places // count).bit_length()")),
    ("20", "a place that is not the first is stored as its gap",
     ("found[-1] + 1 + codes", "found[-1] + codes")),
    ("20", "a check is stored as its difference",
     ("            check += 1\n        need(bits.left", "        need(bits.left")),
    ("21", "number 0 of a measure is its lowest value",
     ("[lowest + value - 1 if value else None for value in values]", "[lowest + value for value in values]")),
    ("21", "values that depend on other games hold as long as their segment",
     ("if chain is None or chain == segment.archive_chain:", "if True:")),
    ("21", "a string begins like the string before the previous one",
     ("            before = before[:common] + raw.take(rest)\n            table.append(before)",
      "            table.append(before[:common] + raw.take(rest))")),
]

NOT_READ = ("string", "alternate", "exchanged", "fixed", "ids", "bits")


def load(source, base=None):
    """Returns the module of a reader's source; it shares the model of packed moves with `base`."""
    module = types.ModuleType("reader")
    module.__file__ = os.path.join(TOOLS, "reader.py")
    exec(compile(source, "reader.py", "exec"), module.__dict__)
    if base is not None:
        module.PackedModel.loaded = base.PackedModel.loaded
    return module


def changed(source, alternative):
    """Returns the source with the changes of an alternative, each of which must apply once."""
    for old, new in alternative[2:]:
        assert source.count(old) == 1, "%s: %r occurs %d times" % (alternative[1], old, source.count(old))
        source = source.replace(old, new)
    return source


def source_of(name):
    with open(os.path.join(TOOLS, name), encoding="utf-8") as file:
        return file.read()


def listed(folder, prefix=""):
    """Yields the objects of the JSON arrays in a folder, with the names of their files."""
    for name in sorted(os.listdir(folder)):
        if name.startswith(prefix) and name.endswith(".json"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                yield from ((name, entry) for entry in json.load(file))


def tried(function, *arguments):
    """Returns a result; None if the reader refuses, and the text of any other error."""
    try:
        return function(*arguments)
    except Exception as fault:
        return None if type(fault).__name__ == "Refused" else repr(fault)


def is_vector_read(reader, vector):
    if "file" in vector:
        return tried(reader.opened, vector, os.path.join(DATA, "vectors")) == vector.get("reads")
    found = tried(reader.part, vector["part"], bytes.fromhex(vector["bytes"]), vector["counts"])
    return json.dumps(found, sort_keys=True) == json.dumps(vector.get("means"), sort_keys=True)


def is_archive_read(reader, case):
    """Compares everything but FENs, which the vectors of records compare."""
    with open(os.path.join(SUITE, case["file"]), "rb") as file:
        archive = tried(reader.Archive, file.read())
    opens = not isinstance(archive, (str, type(None)))
    if not opens or not case["opens"]:
        return opens == case["opens"] and not isinstance(archive, str)
    sources = [tried(reader.source_bytes, archive, source["number"]) for source in case["sources"]]
    hashes = [hashlib.sha256(found).hexdigest() if isinstance(found, bytes) else found for found in sources]
    expected = (case["incomplete"], case["digest"], [source["sha256"] for source in case["sources"]])
    return (archive.incomplete, tried(reader.digest, archive), hashes) == expected


def cases(section):
    """Returns the cases as a name, a function and its argument; those come first that most likely decide."""
    vectors = [entry for entry in listed(os.path.join(DATA, "vectors")) if entry[1].get("part") not in NOT_READ]
    # Whole files and packed moves take longest.
    vectors.sort(key=lambda entry: ("file" in entry[1], entry[1].get("part") == "packed"))
    vectors = [(name + ", " + vector["name"], is_vector_read, vector) for name, vector in vectors]
    archives = [case for _, case in listed(SUITE, "expected")]
    archives.sort(key=lambda case: (case["level"] == "P", os.path.getsize(os.path.join(SUITE, case["file"]))))
    archives = [(case["file"], is_archive_read, case) for case in archives]
    # The smallest archives take a second together; the others take up to half a minute each.
    few = 30 if section in ("4", "5", "6", "12", "13", "22") else 0
    return archives[:few] + vectors + archives[few:]


def deciding_case(base, alternative):
    """Returns the name of the first case in which an alternative differs from the reader, or None."""
    reader = load(changed(source_of("reader.py"), alternative), base)
    for name, is_read, case in cases(alternative[0]):
        if not is_read(reader, case):
            assert is_read(base, case), "%s: tools/reader.py itself differs" % name
            return name
    return None


def deciding_side_file(alternative):
    """The same for a reader of side files, by `tools/conformance.py`."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copyfile(os.path.join(TOOLS, "reader.py"), os.path.join(folder, "reader.py"))
        path = os.path.join(folder, "side_files.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(changed(source_of("side_files.py"), alternative))
        runner = [sys.executable, os.path.join(TOOLS, "conformance.py"), "--levels", "S", "--", sys.executable, path]
        done = subprocess.run(runner, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.stderr.decode().split("\n")[0] or None


def decide(alternative):
    """Returns an alternative's section, name and deciding case."""
    if alternative in SIDE_FILES:
        return (*alternative[:2], deciding_side_file(alternative))
    base = load(source_of("reader.py"))
    base.PackedModel.load()
    return (*alternative[:2], deciding_case(base, alternative))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, metavar="N", help="the number of alternatives (default: all)")
    parser.add_argument("--seed", type=int, default=1, help="selects the sample (default: 1)")
    parser.add_argument("--only", default="", metavar="TEXT", help="alternatives whose name contains TEXT")
    parser.add_argument("--list", action="store_true", help="print each alternative and the case that decides it")
    arguments = parser.parse_args()
    chosen = [alternative for alternative in READER + SIDE_FILES if arguments.only in alternative[1]]
    if arguments.sample is not None:
        chosen = random.Random(arguments.seed).sample(chosen, min(arguments.sample, len(chosen)))
    survivors = 0
    with concurrent.futures.ProcessPoolExecutor() as pool:
        for section, name, case in pool.map(decide, chosen):
            survivors += case is None
            if arguments.list or case is None:
                print("section %s, %s: %s" % (section, name, case or "survives"))
    print("%d alternatives, %d survive" % (len(chosen), survivors))
    return int(survivors > 0 or not chosen)


if __name__ == "__main__":
    sys.exit(main())
