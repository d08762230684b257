#!/usr/bin/env python3
"""A reader of side files (FORMAT.md, sections 19 to 21), written from that document alone, in plain Python.

Like tools/reader.py, which reads the archive for it, this is an appendix to the document: it is not fast, and it
shares no code with the program.

    python3 tools/side_files.py rows FILE           the rows of a .bgs, .bgp or .bgh whose archive is beside it
    python3 tools/side_files.py rows FILE --check   the same, after a comparison with rows computed from the archive
    python3 tools/side_files.py positions ARCHIVE   for each FEN on standard input, the places of the position

`rows` prints a line for each row of all valid segments, including rows of deleted games:

    .bgs   GAME HEX16                               the signature
    .bgp   facts GAME HEX16, place GAME PLY HEX     the facts, and the kept bits of each entry
    .bgh   GAME plies N, GAME facts N, GAME line HEX8, GAME tag NAME VALUE (by the bytes of names), GAME measure NAME N

`positions` prints `GAME:PLY ..` for each FEN, from the position index if it has the game's row, otherwise from the
moves. A missing, stale or damaged position index costs time and changes no answer; standard error names the fault. Exit
code 1 means that the reader refused something, or that games may be missing; 3 means that a file or zstd is missing.

Needs Python 3.8, and zstd like tools/reader.py.
"""

import os
import re
import struct
import sys
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import reader as archives
from reader import Bytes, Refused, need

MAGIC = {".bgs": b"\x89BGS\r\n\x1a\n", ".bgp": b"\x89BGP\r\n\x1a\n", ".bgh": b"\x89BGH\r\n\x1a\n"}
SIGNATURES, PLACES, FACTS, PLAIN_COLUMNS, COLUMNS = 1, 2, 3, 4, 5
KINDS = {".bgs": {SIGNATURES}, ".bgp": {PLACES, FACTS}, ".bgh": {PLAIN_COLUMNS, COLUMNS}}
PAGE = 4096
UNKNOWN = 15


# --- Section 19: head pages, segments, runs of games ------------------------------------------------------------------


def head_page(file, index, magic):
    """Returns a head page as a dict; None if the page is invalid."""
    data = file[PAGE * index : PAGE * index + PAGE]
    if len(data) < PAGE or data[:8] != magic:
        return None
    major, minor, size, identity, sequence, end, count = struct.unpack("<HHI16sQQI", data[8:52])
    if archives.crc(identity, PAGE * index, data[:4092]) != int.from_bytes(data[4092:], "little"):
        return None
    if major != 1 or minor > 1 or size != PAGE or sequence % 2 != index:
        return None
    if end < 2 * PAGE or end % 8 or count > 50:
        return None
    directory = [Segment(file, identity, data[64 + 80 * i : 144 + 80 * i]) for i in range(count)]
    if not all(segment.is_sound(end) for segment in directory):
        return None
    if minor != any(segment.kind == COLUMNS for segment in directory):
        return None
    return {"id": identity, "sequence": sequence, "end": end, "segments": directory}


class Segment:
    """An entry of the directory, and the bytes of its segment."""

    def __init__(self, file, identity, entry):
        self.kind, self.run_count, self.offset, self.length, self.games = struct.unpack("<IIQQQ", entry[:32])
        self.commit = struct.unpack("<QQQ16sQ", entry[32:])
        self.pages = -(-self.length // PAGE)
        self.file, self.identity, self.rows, self.numbers = file, identity, None, []

    def is_sound(self, end):
        """Returns whether the kind is assigned, and the segment with its page CRCs lies before the end."""
        most = max(self.offset, self.length, self.games, *self.commit[:3])
        within = most <= archives.MOST and 2 * PAGE <= self.offset and self.offset + self.length + 4 * self.pages <= end
        return within and 1 <= self.kind <= 5 and self.offset % 8 == 0 and 16 * self.run_count <= self.length

    def holds(self, archive):
        """Returns whether the archive has, or had, the commit from which the segment was made (R13)."""
        sequence, length, games, chain, offset = self.commit
        state = archive.state
        self.archive_chain = state["chain"]
        if (sequence, length, games, chain) == tuple(state[key] for key in ("sequence", "length", "games", "chain")):
            return True
        return archive.commits.get(offset) == (sequence, length, games, chain)

    def read(self):
        """Compares the page CRCs, and reads the runs; returns the bytes after them."""
        end = self.offset + self.length
        data = self.file[self.offset : end]
        for i in range(self.pages):
            expected = int.from_bytes(self.file[end + 4 * i : end + 4 * i + 4], "little")
            page = data[PAGE * i : PAGE * i + PAGE]
            need(archives.crc(self.identity, self.offset + PAGE * i, page) == expected, "a page of a segment")
        part, following = Bytes(data), 1
        for _ in range(self.run_count):
            first, count = part.number(8), part.number(8)
            need(first >= following and count > 0 and first + count - 1 <= self.commit[2], "the runs of a segment")
            self.numbers += range(first, first + count)
            following = first + count + 1
        need(len(self.numbers) == self.games, "the games of a segment")
        return part


def replaces(kind, other):
    """Whether a segment of one kind counts instead of a segment of the other kind."""
    return kind == other or {kind, other} == {PLAIN_COLUMNS, COLUMNS}


class SideFile:
    """A side file: the valid segments, and for each kind and game the row that counts."""

    def __init__(self, path, archive):
        suffix = os.path.splitext(path)[1]
        need(suffix in MAGIC, "the name of a side file ends in .bgs, .bgp or .bgh")
        with open(path, "rb") as opened:
            file = opened.read()
        pages = [page for page in (head_page(file, index, MAGIC[suffix]) for index in (0, 1)) if page]
        need(pages, "no side file of this kind and version, or a damaged one")
        page = max(pages, key=lambda candidate: candidate["sequence"])
        need(page["id"] == archive.id, "a side file of another archive")
        need(page["end"] <= len(file), "a side file that is cut off")
        matching = [segment for segment in page["segments"] if segment.kind in KINDS[suffix]]
        self.segments = [segment for segment in matching if segment.holds(archive)]
        self.faults = []

    def read(self, make, strict):
        """Reads segments with a function for each kind; `strict` refuses the file if a segment is damaged."""
        for segment in self.segments:
            try:
                make[segment.kind](segment, segment.read())
            except Refused as fault:
                if strict:
                    raise
                self.faults.append(str(fault))
        self.check_order()

    def check_order(self):
        """Checks R14: if two segments share games, the first in the directory names no earlier commit."""
        for i, later in enumerate(self.segments):
            for earlier in self.segments[:i]:
                if replaces(earlier.kind, later.kind) and earlier.commit[0] < later.commit[0]:
                    shared = set(earlier.numbers) & set(later.numbers)
                    need(not shared, "a segment of an earlier commit before one of a later")

    def counting(self, kind):
        """Returns for each game the segment and row that count. If a game's last segment is damaged, it has no row."""
        chosen = {}
        for segment in self.segments:
            if replaces(segment.kind, kind):
                for row, number in enumerate(segment.numbers):
                    chosen[number] = segment, row
        return {number: entry for number, entry in chosen.items() if entry[0].rows is not None}


def words(segment, part):
    """A segment of signatures, or of facts: a u64 for each row."""
    rows = [part.number(8) for _ in range(segment.games)]
    part.end()
    segment.rows = rows


# --- Section 20: the position index -----------------------------------------------------------------------------------


class Bits:
    """Bits, the lowest of each byte first."""

    def __init__(self, data):
        self.bits, self.left = int.from_bytes(data, "little"), 8 * len(data)
        self.size = self.left

    def take(self, count):
        need(count <= self.left, "bits are missing")
        value = self.bits & (1 << count) - 1
        self.bits >>= count
        self.left -= count
        return value

    def zeros(self):
        need(self.bits, "a code that does not end")
        count = (self.bits & -self.bits).bit_length() - 1
        self.take(count + 1)
        return count

    def gamma(self):
        count = self.zeros()
        return (1 << count) + self.take(count)

    def rice(self, parameter):
        return (self.zeros() << parameter) + self.take(parameter)

    def to_byte(self):
        need(self.take(self.left % 8) == 0, "bits that are not zero at the end of a byte")

    def at(self):
        return (self.size - self.left) // 8


class Places:
    """A segment of places."""

    def __init__(self, segment, part):
        data = part.data
        need(len(data) - part.at >= 48, "a segment without its trailer")
        self.entries, self.places, size, collisions = struct.unpack("<4Q", data[-48:-16])
        self.b, width, wide, zero = struct.unpack("<4I", data[-16:])
        need(self.places <= 1 << 40 and self.entries <= self.places, "the places of a segment")
        need(self.b == min(40, max(0, (self.entries // 64).bit_length() - 1)), "the number of buckets")
        need(1 <= width <= 4 and wide == (8 if size >= 1 << 32 else 4) and zero == 0, "a trailer")
        count = 1 << self.b
        rest = width * segment.games + 8 * -(-segment.games // 64) + size + wide * (count + 1) + 8 * collisions + 48
        need(len(data) - part.at == rest, "the parts of a segment of places")
        self.plies, self.set_up, self.first, at = [], [], [], 0
        most = 0
        for _ in range(segment.games):
            number = part.number(width)
            most = max(most, number)
            self.plies.append(number >> 1)
            self.set_up.append(number & 1)
            self.first.append(at)
            at += (number >> 1) + 1
        need(at == self.places, "the number of places")
        need(width == max(1, (most.bit_length() + 7) // 8), "the width of plies")
        need(self.entries <= self.places - self.set_up.count(0), "the number of entries")
        for row in range(0, segment.games, 64):
            need(part.number(8) == self.first[row], "the start of a row")
        self.buckets = part.take(size)
        self.offsets = [part.number(wide) for _ in range(count + 1)]
        need(self.offsets[0] == 0 and self.offsets[-1] == size, "the offsets of buckets")
        need(all(a < b for a, b in zip(self.offsets, self.offsets[1:])), "the offsets of buckets")
        listed = [part.number(8) for _ in range(collisions)]
        self.collisions = set(listed)
        need(all(a < b for a, b in zip(listed, listed[1:])), "the order of collisions")
        need(not listed or listed[-1] < count << 16, "a collision")
        part.take(48)
        part.end()
        self.numbers = segment.numbers
        segment.rows = self

    def row(self, index):
        """Returns the row of a place: the last row whose first place is not after it."""
        low, high = 0, len(self.first)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.first[middle] <= index else (low, middle)
        return low

    def bucket(self, number):
        """Yields the positions of a bucket: their kept bits, rows and plies."""
        data = self.buckets[self.offsets[number] : self.offsets[number + 1]]
        bits, check = Bits(data), 0
        needed = (self.places - 1).bit_length() if self.places else 0
        for _ in range(bits.gamma() - 1):
            check += bits.rice(10)
            need(check < 1 << 16, "a check")
            count = bits.gamma()
            need(count <= self.places, "the places of a position")
            found = [bits.take(needed)]
            if count > 1:
                need(self.places - found[0] >= count, "the places of a position")
                parameter = ((self.places - found[0]) // count).bit_length() - 1
                codes = bits
                if count >= 16:
                    size = bits.gamma()
                    bits.to_byte()
                    begin = bits.at()
                    need(begin + size <= len(data), "the codes of a position")
                    codes = Bits(data[begin : begin + size])
                    bits.take(8 * size)
                for _ in range(count - 1):
                    found.append(found[-1] + 1 + codes.rice(parameter))
                if codes is not bits:
                    need(codes.left < 8, "bytes after the codes of a position")
                    codes.to_byte()
            need(found[-1] < self.places, "a place")
            entries = []
            for index in found:
                row = self.row(index)
                ply = index - self.first[row]
                need(ply or self.set_up[row], "an entry for the standard starting position")
                entries.append((row, ply))
            yield number << 16 | check, entries
            check += 1
        need(bits.left < 8, "bytes after a bucket")
        bits.to_byte()

    def all(self):
        """The entries of each row, as plies and kept bits."""
        rows, count = [[] for _ in self.plies], 0
        for number in range(1 << self.b):
            for kept, entries in self.bucket(number):
                count += len(entries)
                for row, ply in entries:
                    rows[row].append((ply, kept))
        need(count == self.entries, "the number of entries")
        for row in rows:
            row.sort()
            need(all(a[0] < b[0] for a, b in zip(row, row[1:])), "two entries for a place")
        return rows


def numbers_of_keys():
    state, word = 0x53636F7265736865, (1 << 64) - 1
    while True:
        state = state + 0x9E3779B97F4A7C15 & word
        z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & word
        z = (z ^ z >> 27) * 0x94D049BB133111EB & word
        yield z ^ z >> 31


NEXT = numbers_of_keys()
PIECES = [[next(NEXT) for _ in range(64)] for _ in range(12)]
RIGHTS = [next(NEXT) for _ in range(16)]
FILES = [next(NEXT) for _ in range(8)]
BLACK = next(NEXT)
INNER = [[next(NEXT) for _ in range(8)] for _ in range(4)]


def passing_file(position):
    """The file of the en passant target if a capture is legal, otherwise None."""
    target = position.target
    if target is None:
        return None
    behind, pawn = (8 if position.turn else -8), position.turn << 3
    for file in (-1, 1):
        origin = archives.beside(target + behind, file, 0)
        if origin is not None and position.board[origin] == pawn:
            if archives.legal(position, (origin, target, None, -1)):
                return target % 8
    return None


def inner_rooks(position):
    """The rights whose rook has another rook of its colour further out."""
    found = []
    for right in range(4):
        if position.rights >> right & 1:
            rook, home = position.rooks[right], right // 2 * 56
            further = range(rook + 1, home + 8) if right % 2 == 0 else range(home, rook)
            if any(position.board[square] == (right // 2 << 3 | archives.ROOK) for square in further):
                found.append((right, rook % 8))
    return found


def key(position):
    value = RIGHTS[position.rights] ^ (BLACK if position.turn else 0)
    for square, piece in enumerate(position.board):
        if piece >= 0:
            value ^= PIECES[(piece >> 3) * 6 + (piece & 7)][square]
    file = passing_file(position)
    if file is not None:
        value ^= FILES[file]
    for right, file in inner_rooks(position):
        value ^= INNER[right][file]
    return value


def identity(position):
    """Everything that distinguishes positions."""
    return position.turn, position.rights, tuple(inner_rooks(position)), passing_file(position), tuple(position.board)


def position_of(fen):
    """Returns a position from a FEN. Uses the bytes of section 7, so their rules apply."""
    fields = fen.split()
    need(4 <= len(fields) <= 6, "a FEN of %d fields" % len(fields))
    board = {}
    rows = fields[0].split("/")
    need(len(rows) == 8, "the rows of a FEN")
    for rank, row in zip(range(7, -1, -1), rows):
        file = 0
        for letter in row:
            if letter in "12345678":
                file += int(letter)
            else:
                need(letter in "PNBRQKpnbrqk" and file < 8, "the pieces of a FEN")
                board[8 * rank + file] = "PNBRQK..pnbrqk".index(letter)
                file += 1
        need(file == 8, "a row of a FEN")
    need(fields[1] in ("w", "b"), "the side to move of a FEN")
    state, rooks = int(fields[1] == "b"), {}
    for letter in fields[2] if fields[2] != "-" else "":
        colour = int(letter.islower())
        of_kind = lambda role: [s for s in range(56 * colour, 56 * colour + 8) if board.get(s) == colour << 3 | role]
        kings, candidates = of_kind(archives.KING), of_kind(archives.ROOK)
        need(kings and candidates and letter.lower() in "kqabcdefgh", "the castling rights of a FEN")
        if letter.lower() in "kq":
            rook = max(candidates) if letter.lower() == "k" else min(candidates)
        else:
            rook = 56 * colour + "abcdefgh".index(letter.lower())
        rooks[2 * colour + int(rook < kings[0])] = rook
    for right in rooks:
        state |= 2 << right
    squares = sorted(board)
    halves = [board[square] for square in squares] + [0] * (len(squares) % 2)
    data = sum(1 << square for square in squares).to_bytes(8, "little")
    data += bytes(halves[i] | halves[i + 1] << 4 for i in range(0, len(halves), 2))
    target = b""
    if fields[3] != "-":
        need(len(fields[3]) == 2 and fields[3][0] in "abcdefgh" and fields[3][1] in "36", "the target of a FEN")
        state |= 0x20
        target = bytes(["abcdefgh".index(fields[3][0]) + 8 * (int(fields[3][1]) - 1)])
    data += bytes([state]) + bytes(rooks[right] for right in sorted(rooks)) + target
    clocks = fields[4:] + ["0", "1"][len(fields) - 4 :]
    need(all(clock.isdigit() for clock in clocks), "the clocks of a FEN")
    return archives.Position.read(Bytes(data + b"".join(archives.varint(int(clock)) for clock in clocks)))


# --- Section 21: tag columns ------------------------------------------------------------------------------------------

PLIES_COLUMN, FACTS_COLUMN, TAG_COLUMN, LINE_COLUMN = range(4)
GROUP = 65536


def stored_part(part, size):
    """A stored part, whose raw size the reader knows."""
    stored = part.string()
    if not stored:
        return bytes(size)
    need(len(stored) <= size, "a stored part")
    if len(stored) == size:
        return stored
    need(archives.is_frame(stored), "a zstd frame")
    data = archives.unzstd(stored, size)
    need(len(data) == size, "the size of a stored part")
    return data


def packed_numbers(part, rows, width):
    """A packed column: planes of each group of rows."""
    values = []
    for first in range(0, rows, GROUP):
        count = min(GROUP, rows - first)
        values += Bytes(b"".join(stored_part(part, count) for _ in range(width))).planes(width, count)
    part.end()
    return values


def packed_strings(part, count, size):
    """A packed table: strings that begin like the previous string."""
    table = []
    for first in range(0, count, GROUP):
        strings = min(GROUP, count - first)
        raw = Bytes(stored_part(part, part.small()))
        shared = [raw.small() for _ in range(strings)]
        rests = [raw.small() for _ in range(strings)]
        before = b""
        for common, rest in zip(shared, rests):
            need(common <= len(before), "the beginning of a string")
            before = before[:common] + raw.take(rest)
            table.append(before)
        raw.end()
    need(sum(map(len, table)) == size, "the text of a table")
    part.end()
    return table


def plain_strings(part, count, size):
    ends = [part.number(4) for _ in range(count)]
    text, begin, table = part.take(size), 0, []
    for end in ends:
        need(begin <= end <= size, "the end of a string")
        table.append(text[begin:end])
        begin = end
    need(begin == size, "text after the last string")
    part.end()
    return table


class Columns:
    """A segment of tag columns: plain, or packed with columns of measures."""

    def __init__(self, segment, part):
        packed, games = segment.kind == COLUMNS, segment.games
        directory = Bytes(part.take(part.number(8)))
        count = directory.varint()
        need(count <= 256, "the number of tables")
        sizes = [tuple(directory.small() for _ in range(3 if packed else 2)) for _ in range(count)]
        count = directory.varint()
        need(count <= 256, "the number of columns")
        heads = []
        for _ in range(count):
            kind, name, table = directory.number(1), None, None
            need(kind <= LINE_COLUMN, "a kind of column")
            if kind == TAG_COLUMN:
                name, table = directory.string(), directory.varint()
                need(table < len(sizes), "the table of a column")
            width = directory.number(1)
            need(1 <= width <= 4, "the width of a column")
            heads.append((kind, name, table, width, directory.small() if packed else width * games))
        measures = []
        count = directory.varint() if packed else 0
        need(count <= 256, "the number of measures")
        for _ in range(count):
            name, rules, bound = directory.string(), directory.varint(), directory.number(1)
            need(bound <= 1, "a measure")
            chain = directory.take(16) if bound else None
            lowest = int.from_bytes(directory.take(8), "little", signed=True)
            width = directory.number(1)
            need(1 <= width <= 8, "the width of a measure")
            measures.append((name, rules, chain, lowest, width, directory.small()))
        self.further_tags = [directory.string() for _ in range(directory.small())]
        directory.end()
        kinds = [(kind, name) for kind, name, *_ in heads]
        need(len(set(kinds)) == len(kinds), "a column that comes twice")
        need(len({measure[0] for measure in measures}) == len(measures), "a measure that comes twice")
        tables = []
        for strings, size, *stored in sizes:
            if packed:
                need(4 * strings + size < max(12 * games, 65536), "the size of a table")
            read = packed_strings if packed else plain_strings
            table = read(Bytes(part.take(stored[0] if packed else 4 * strings + size)), strings, size)
            need(all(a < b for a, b in zip(table, table[1:])), "the order of strings")
            tables.append(table)
        self.columns = []
        for kind, name, table, width, size in heads:
            stored = Bytes(part.take(size))
            values = packed_numbers(stored, games, width) if packed else [stored.number(width) for _ in range(games)]
            if kind == TAG_COLUMN:
                strings = tables[table]
                need(all(value <= len(strings) for value in values), "no such string")
                values = [strings[value - 1] if value else None for value in values]
            self.columns.append((kind, name, values))
        self.measures = []
        for name, _, chain, lowest, width, size in measures:
            values = packed_numbers(Bytes(part.take(size)), games, width)
            # Values that depend on other games hold only for one state of the archive.
            if chain is None or chain == segment.archive_chain:
                self.measures.append((name, [lowest + value - 1 if value else None for value in values]))
        part.end()
        segment.rows = self

    def row(self, row):
        """The row as a dict: plies, facts and line as numbers, and tags by name."""
        found = {"tags": {}}
        for kind, name, values in self.columns:
            if kind != TAG_COLUMN:
                found[("plies", "facts", None, "line")[kind]] = values[row]
            elif values[row] is not None:
                found["tags"][name] = values[row]
        found["measures"] = {name: values[row] for name, values in self.measures if values[row] is not None}
        return found


# --- Rows from the archive -------------------------------------------------------------------------------------------


def open_archive(path):
    with open(path, "rb") as file:
        archive = archives.Archive(file.read())
    archive.commits, chain = {}, archive.id
    for block in archive.blocks:
        before, chain = chain, archives.hashlib.sha256(chain + block.header).digest()[:16]
        if block.kind == 6:
            try:
                payload = block.checked()
                sequence, games, *_ = archives.commit_numbers(payload)
            except Refused:
                continue
            if payload[104:120] == before:
                archive.commits[block.offset] = sequence, block.end, games, chain
    return archive


def all_games(archive):
    """All games, including deleted games."""
    for blocks in archive.chunks:
        chunk = archives.Chunk(archive, blocks)
        for i in range(chunk.count):
            yield archives.Game(chunk, i, blocks[1].first + i)


def signature(game):
    """Section 19, Signatures."""
    home = [*range(8, 16), *range(48, 56)]
    pawns = [0] * 8 + [8] * 8
    departures, known = [], not any(game.start().board[s] in (0, 8) for s in (*range(8), *range(56, 64)))
    for position in game.positions():
        departures += [i for i, s in enumerate(home) if position.board[s] != pawns[i] and i not in departures]
    counts = [
        [sum(1 for piece in position.board if piece >= 0 and piece >> 3 == colour and (piece & 7 == 0 or not pawn))
         for pawn in (True, False)]
        for colour in (0, 1)
    ]
    if not known or any(pawns_ > 8 or not 1 <= pieces <= 16 for pawns_, pieces in counts):
        return UNKNOWN << 48
    listed = (departures + departures[-1:] * 12 if departures else [0] * 12)[:12]
    value = sum(number << 4 * i for i, number in enumerate(listed))
    (white_pawns, white), (black_pawns, black) = counts
    return value | white_pawns << 48 | black_pawns << 52 | white - 1 << 56 | black - 1 << 60


def first_tags(game):
    found = {}
    for name, value in game.tags():
        found.setdefault(name, value)
    return found


BLANKS = b" \t\n\f\r"
RESULTS = {"*": 0, "unknown": 0, "black": 1, "blackwins": 1, "white": 2, "whitewins": 2, "1/2": 3, "draw": 3, "drawn": 3,
           "remis": 3}
SCORES = {"0": 0, "0.0": 0, "1/2": 1, "0.5": 1, ".5": 1, "1": 2, "1.0": 2}
SIGNS = {ord(sign): "-" for sign in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212:"}
SIGNS.update({ord(","): ".", 0x2044: "/", 0xBD: "1/2", 0xA0: "", **{blank: "" for blank in BLANKS}})


def stated_result(value):
    """The outcome that a tag states, or 0."""
    text = value[:64].decode(errors="replace").lower().translate(SIGNS).rstrip(".")
    white, _, black = text.partition("-")
    scores = SCORES.get(white), SCORES.get(black)
    return RESULTS.get(text) or {(2, 0): 2, (0, 2): 1, (1, 1): 3}.get(scores, 0)


def rating(value):
    found = re.match(rb"[ \t\n\f\r]*\+?([0-9]+)", value)
    number = int(found.group(1)) if found else 0
    return number if number <= 4095 else 0


MONTHS = b"january february march april may june july august september october november december".split()
WEEKDAYS = b"monday tuesday wednesday thursday friday saturday sunday".split()


def named(word, names):
    return next((n for n, name in enumerate(names, 1) if len(word) >= 3 and name.startswith(word.lower())), 0)


def named_year(value):
    month = day = year = 0
    for word in filter(None, re.split(rb"[ ,./-]", value)):
        if b":" in word:
            break
        if named(word, MONTHS) and not month:
            month = named(word, MONTHS)
        elif re.fullmatch(rb"[0-9]{4}", word) and not year:
            year = int(word)
        elif re.fullmatch(rb"[0-9]{1,2}(st|nd|rd|th)?", word) and not day and int(word[:2].rstrip(b"strndh")) <= 31:
            day = word
        elif not named(word, WEEKDAYS):
            return 0
    return year if month else 0


def year(value):
    """The year of a date, or 0."""
    value = value.strip(BLANKS)
    if any(named(value[at:at + 3], MONTHS) for at in range(len(value) - 2)):
        return named_year(value)
    value = re.sub(rb"^([^ T]*)[ T][0-9].*:.*$", rb"\1", value, flags=re.S)
    if re.fullmatch(rb"[0-9]{8}", value):
        value = value[:4] + b"." + value[4:6] + b"." + value[6:]
    parts = re.split(rb"[./-]", value)

    def date(parts):
        for part, digits, most in zip(parts, (4, 2, 2), (9999, 12, 31)):
            if part.strip(b"?") and not (re.fullmatch(rb"[0-9]+", part) and len(part) <= digits and int(part) <= most):
                return None
        return [int(part) if part.strip(b"?") else 0 for part in parts]

    if len(parts) == 3 and re.fullmatch(rb"[0-9]{4}", parts[2]):
        first, second, last = parts
        day_first, month_first = date([last, second, first]), date([last, first, second])
        if day_first and month_first and day_first != month_first and b"." not in value:
            return 0
        found = day_first or month_first
    else:
        found = date(parts) if len(parts) <= 3 else None
    return found[0] if found else 0


def outcome(game):
    """The outcome at the end of the movetext."""
    for kind, code in archives.elements(game.stream):
        if kind == "result":
            return code[0]
    return 0


def is_elsewhere(game):
    """Section 20: whether a game is set up, as games of variants always are (section 36)."""
    return int(game.flags & 0x11 != 0)


def facts(game, plies):
    """Section 20: the facts of a position index."""
    tags = first_tags(game)
    result = stated_result(tags.get(b"Result", b"")) or outcome(game)
    ratings = [rating(tags.get(name, b"")) for name in (b"WhiteElo", b"BlackElo")]
    date = year(tags.get(b"Date", b"")) or year(tags.get(b"UTCDate", b""))
    return plies | is_elsewhere(game) << 23 | result << 24 | ratings[0] << 26 | ratings[1] << 38 | date << 50


def column_facts(game):
    """Section 21: the facts of tag columns."""
    kinds = {kind for kind, *_ in archives.elements(game.stream)}
    value = (game.flags & 1) | (game.flags >> 2 & 1) << 1 | (game.flags >> 1 & 1) << 2 | outcome(game) << 3
    if any(kind == "text" and rest[0] in (0, 1) for kind, *rest in game.events()):
        value |= 0x20
    return value | 0x40 * ("open" in kinds) | 0x80 * bool({"nag", "suffix"} & kinds)


def line(game):
    """Section 21: the checksum of the main line, or None for a game of a variant, whose start is not read in full."""
    if game.flags & 0x10:
        return None
    data, depth = bytes([game.flags & 1]) + (game.start_bytes or b""), 0
    for kind, code in archives.elements(game.stream):
        depth += (kind == "open") - (kind == "close")
        if kind == "move" and depth == 0:
            data += code
    return zlib.crc32(data)


# --- Commands ---------------------------------------------------------------------------------------------------------


def rows(path, checks):
    archive = open_archive(os.path.splitext(path)[0] + ".bga")
    side = SideFile(path, archive)
    side.read({SIGNATURES: words, FACTS: words, PLACES: Places, PLAIN_COLUMNS: Columns, COLUMNS: Columns}, True)
    suffix = os.path.splitext(path)[1]
    by_game, widths = {}, {}
    if suffix == ".bgs":
        for number, (segment, row) in side.counting(SIGNATURES).items():
            by_game[number] = segment.rows[row]
    elif suffix == ".bgh":
        for number, (segment, row) in side.counting(COLUMNS).items():
            by_game[number] = segment.rows.row(row)
    else:
        entries = {id(segment): segment.rows.all() for segment in side.segments if segment.kind == PLACES}
        places = side.counting(PLACES)
        for number, (segment, row) in side.counting(FACTS).items():
            known, kept = None, 0
            if number in places:
                with_places, at = places[number]
                known, kept = entries[id(with_places)][at], with_places.rows.b + 16
                need(with_places.rows.plies[at] == segment.rows[row] & 0x7FFFFF, "plies and facts")
                need(with_places.rows.set_up[at] == segment.rows[row] >> 23 & 1, "plies and facts")
            by_game[number], widths[number] = (segment.rows[row], known), kept
    if checks:
        check(archive, side, suffix, by_game, widths)
    out = sys.stdout.buffer
    for number in sorted(by_game):
        row = by_game[number]
        if suffix == ".bgs":
            out.write(b"%d %016x\n" % (number, row))
        elif suffix == ".bgp":
            out.write(b"facts %d %016x\n" % (number, row[0]))
            for ply, kept in row[1] or ():
                out.write(b"place %d %d %0*x\n" % (number, ply, -(-widths[number] // 4), kept))
        else:
            for name in ("plies", "facts"):
                if name in row:
                    out.write(b"%d %s %d\n" % (number, name.encode(), row[name]))
            if "line" in row:
                out.write(b"%d line %08x\n" % (number, row["line"]))
            for name, value in sorted(row["tags"].items()):
                out.write(b"%d tag %s %s\n" % (number, name, value))
            for name, value in sorted(row["measures"].items()):
                out.write(b"%d measure %s %d\n" % (number, name, value))
    return archive


def check(archive, side, suffix, by_game, widths):
    """Compares rows with the games of the archive."""
    keys, columns = {}, side.counting(COLUMNS)
    for game in all_games(archive):
        number = game.number
        if number not in by_game:
            continue
        row, said = by_game[number], "game %d: another " % number
        try:
            plies, found = -1, []
            for position in game.positions():
                plies += 1
                if suffix == ".bgp" and (plies or is_elsewhere(game)):
                    found.append((plies, key(position)))
            tags = first_tags(game)
        except Refused:
            need(number in archive.deleted, "game %d cannot be read" % number)
            continue
        if suffix == ".bgs":
            value = signature(game)
            need(row == value, said + "signature: %016x, not %016x" % (row, value))
        elif suffix == ".bgp":
            value = facts(game, plies)
            need(row[0] == value, said + "word of facts: %016x, not %016x" % (row[0], value))
            if row[1] is not None:
                shift = 64 - widths[number]
                need(row[1] == [(ply, entry >> shift) for ply, entry in found], said + "list of entries")
                segment = side.counting(PLACES)[number][0] if number not in keys else None
                for _, entry in found:
                    keys.setdefault((id(segment), entry >> shift), set()).add(entry)
        else:
            segment, at = columns[number]
            names = {name for kind, name, _ in segment.rows.columns if kind == TAG_COLUMN}
            expected = {name: value for name, value in tags.items() if name in names}
            need(row["tags"] == expected, said + "tag: %s, not %s" % (row["tags"], expected))
            need(set(tags) <= names | set(segment.rows.further_tags), said + "list of tags")
            for name, value in (("plies", plies), ("facts", column_facts(game)), ("line", line(game))):
                need(value is None or row.get(name, value) == value, said + "%s: %x, not %x" % (name, row.get(name, 0), value))
    for segment in side.segments:
        if segment.kind == PLACES:
            found = {kept for (of, kept), several in keys.items() if of == id(segment) and len(several) > 1}
            need(found <= segment.rows.collisions, "collisions that are not listed")
            complete = all(side.counting(PLACES)[number][0] is segment for number in segment.numbers)
            need(not complete or found == segment.rows.collisions, "collisions that are none")


def positions(path, fens):
    archive = open_archive(path)
    side, facts_of, places = None, {}, {}
    index = os.path.splitext(path)[0] + ".bgp"
    try:
        side = SideFile(index, archive)
        side.read({FACTS: words, PLACES: Places}, False)
        facts_of, places = side.counting(FACTS), side.counting(PLACES)
    except FileNotFoundError:
        pass
    except Refused as fault:
        print("%s: not used: %s" % (index, fault), file=sys.stderr)
        side, facts_of, places = None, {}, {}
    for fault in side.faults if side else ():
        print("%s: a segment is not used: %s" % (index, fault), file=sys.stderr)
    indexed = {number: places[number] for number in places if number in facts_of}
    requested = [position_of(fen) for fen in fens]
    identities = [identity(position) for position in requested]
    answers = [set() for _ in requested]

    def replay(numbers):
        """Yields the positions of numbered games, from their moves."""
        for game in archive.games(numbers):
            yield game.number, [identity(position) for position in game.positions()]

    # The index's entries, with one lookup for each position to identify it; in a collision, with a lookup for each.
    checks, unread = {}, set()
    standard = identity(archives.Position.read(Bytes(archives.STANDARD)))
    for segment in side.segments if side else ():
        if segment.kind != PLACES or segment.rows is None:
            continue
        index_of = segment.rows
        counts = [indexed.get(number, (None,))[0] is segment for number in index_of.numbers]
        for at, position in enumerate(requested):
            if identities[at] == standard:
                for row, number in enumerate(index_of.numbers):
                    if counts[row] and not index_of.set_up[row]:
                        answers[at].add((number, 0))
            value = key(position) >> 48 - index_of.b
            try:
                entries = [found for kept, found in index_of.bucket(value >> 16) if kept == value]
            except Refused as fault:
                print("%s: a segment is not used: %s" % (index, fault), file=sys.stderr)
                unread |= {number for row, number in enumerate(index_of.numbers) if counts[row]}
                continue
            found = [(index_of.numbers[row], ply) for found in entries for row, ply in found if counts[row]]
            found = [(number, ply) for number, ply in found if number not in archive.deleted]
            if found:
                each = value in index_of.collisions
                checks.setdefault((at, id(segment)), (each, found))
    to_read = {number for each, found in checks.values() for number, _ in (found if each else found[:1])}
    replayed = dict(replay(to_read)) if to_read else {}
    for (at, _), (each, found) in checks.items():
        is_it = lambda number, ply: replayed[number][ply] == identities[at]
        looked_up = found if each else found[:1]
        need(all(ply < len(replayed[number]) for number, ply in looked_up), "an entry beyond its game")
        answers[at].update(hit for hit in found if is_it(*(hit if each else found[0])))
    # The games that are not in the index.
    every = {n for blocks in archive.chunks for n in range(blocks[1].first, blocks[1].first + blocks[1].count)}
    rest = (every - set(indexed) | unread) - archive.deleted
    for number, found in replay(rest) if rest else ():
        for at, target in enumerate(identities):
            answers[at].update((number, ply) for ply, candidate in enumerate(found) if candidate == target)
    for found in answers:
        print(" ".join("%d:%d" % hit for hit in sorted(hit for hit in found if hit[0] not in archive.deleted)))
    return archive


def main(arguments):
    command, path, *rest = arguments
    if command == "rows" and rest in ([], ["--check"]):
        archive = rows(path, bool(rest))
    elif command == "positions" and not rest:
        archive = positions(path, [text.rstrip("\n") for text in sys.stdin if text.strip()])
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return archives.completeness(archive)


if __name__ == "__main__":
    archives.run(main)
