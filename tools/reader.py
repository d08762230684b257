#!/usr/bin/env python3
"""A second reader of Scoresheet archives, written from FORMAT.md alone: levels A, B, C and P, in plain Python.

It is an appendix to that document rather than a tool. Each part names its section; it is not fast, and it shares no
code with the program. A test compares its output with the program's.

    python3 tools/reader.py digest ARCHIVE             the content digest, as `scoresheet info --digest`
    python3 tools/reader.py fen ARCHIVE [GAME:PLY ..]  positions as FEN; without pairs it reads them from stdin
    python3 tools/reader.py tags ARCHIVE [GAME ..]     tag pairs, one a line
    python3 tools/reader.py source ARCHIVE [NUMBER]    a source's bytes, if its SHA-256 is right (from 0)
    python3 tools/reader.py metadata ARCHIVE           the archive's metadata, a key and a value a line
    python3 tools/reader.py blocks ARCHIVE             the blocks
    python3 tools/reader.py part KIND HEX [COUNT ..]   the meaning of a payload, as JSON (section 33)
    python3 tools/reader.py vectors FOLDER             a check of the test vectors

Needs Python 3.8 and zstd: the package `zstandard`, Python 3.14's `compression.zstd`, or the command `zstd`.
"""

import hashlib
import json
import os
import re
import struct
import subprocess
import sys
import zlib

MAJOR = 1
MOST = 1 << 60


class Refused(Exception):
    """Data that a reader must not accept (section 23)."""


def need(condition, what):
    if not condition:
        raise Refused(what)


# --- Section 3: numbers, checksums, compressed parts, planes ---------------------------------------------------------


class Bytes:
    """Bytes and a read position that starts at the beginning."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, count):
        need(0 <= count <= len(self.data) - self.at, "bytes are missing")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, size):
        return int.from_bytes(self.take(size), "little")

    def varint(self):
        value = 0
        for shift in range(0, 70, 7):
            byte = self.number(1)
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                need((byte or not shift) and value < 1 << 64, "a varint")
                return value
        raise Refused("a varint")

    def small(self):
        value = self.varint()
        need(value <= MOST, "a number beyond 2^60")
        return value

    def string(self):
        return self.take(self.small())

    def planes(self, width, count):
        need(width <= 8, "a width")
        planes = [self.take(count) for _ in range(width)]
        return [sum(plane[i] << 8 * k for k, plane in enumerate(planes)) for i in range(count)]

    def column(self, count):
        return self.planes(self.number(1), count)

    def end(self):
        need(self.at == len(self.data), "bytes are left over")


def crc(identity, offset, data):
    return zlib.crc32(data, zlib.crc32(identity + struct.pack("<Q", offset)))


def is_frame(data):
    """Whether the bytes are exactly one zstd frame (RFC 8878): decompressors may accept several frames, or none."""
    if data[:4] != b"\x28\xb5\x2f\xfd" or len(data) < 5:
        return False
    descriptor = data[4]
    single, checksum = descriptor >> 5 & 1, descriptor >> 2 & 1
    at = 5 + (not single) + (0, 1, 2, 4)[descriptor & 3] + ((single, 2, 4, 8)[descriptor >> 6])
    last = False
    while not last:
        if at + 3 > len(data):
            return False
        header = int.from_bytes(data[at : at + 3], "little")
        last = header & 1
        at += 3 + (1 if header >> 1 & 3 == 1 else header >> 3)
    return at + 4 * checksum == len(data)


def unzstd(frame, size):
    try:
        import zstandard

        try:
            return zstandard.ZstdDecompressor().decompress(frame, max_output_size=size)
        except zstandard.ZstdError:
            raise Refused("a zstd frame") from None
    except ImportError:
        pass
    try:
        from compression import zstd

        try:
            return zstd.decompress(frame)
        except zstd.ZstdError:
            raise Refused("a zstd frame") from None
    except ImportError:
        done = subprocess.run(["zstd", "-dcq"], input=frame, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        need(done.returncode == 0, "a zstd frame")
        return done.stdout


def units(games):
    """Section 24: the units of a column block besides those for its bytes."""
    return 64 * games + min(262144 + 4096 * games, 8388608)


class Part(Bytes):
    """The bytes of a compressed part, and the remaining units of its block's budget (section 24)."""

    def __init__(self, data, budget):
        super().__init__(data)
        self.budget = budget

    def draw(self, count, charge):
        self.budget -= count * charge
        need(self.budget >= 0, "more than the budget of a block")

    def counted(self, charge):
        """A number of items, each with this charge."""
        count = self.small()
        self.draw(count, charge)
        return count


def compressed(data, budget=262144, each=64):
    part = Bytes(data)
    size, how = part.small(), part.number(1)
    need(how <= 1 and size <= 1 << 30, "a compressed part")
    budget += each * len(data)
    need(2 * size <= budget, "more than the budget of a block")
    rest = part.take(len(data) - part.at)
    if how == 1:
        need(is_frame(rest), "a zstd frame")
        rest = unzstd(rest, size) if size else b""
    need(len(rest) == size, "a part of another size")
    return Part(rest, budget - 2 * size)


# --- Sections 4, 5 and 22: header pages, blocks, which commit counts --------------------------------------------------

KINDS = "none moves tags texts dictionary source commit layout deletions loose restorations".split()
SKIPPABLE = {128: "metadata", 129: "model", 130: "parity"}


class Block:
    def __init__(self, file, identity, offset):
        head = file[offset : offset + 40]
        need(
            len(head) == 40 and crc(identity, offset, head[:36]) == int.from_bytes(head[36:], "little"),
            "a block header",
        )
        sync, self.kind, self.coding, zero, self.first, self.count, checked, self.length, self.crc = struct.unpack(
            "<4sBBHQIIQI", head[:36]
        )
        self.offset, self.header, self.payload = offset, head, offset + 40
        self.end = self.payload + self.length
        need(
            sync == b"BGAb" and zero == 0 and self.kind > 0 and max(self.first, self.end) <= MOST,
            "a block header",
        )
        need(self.end <= len(file), "a block past the end")
        need(checked <= self.length and (checked == self.length or self.kind == 1), "a block header")
        need(
            self.kind < len(KINDS) or self.kind >= 128,
            "a newer program is needed: a block of kind %d" % self.kind,
        )
        need(self.coding == 0 or self.kind in (1, *range(128, 256)), "a newer program is needed: a coding")
        self.identity, self.file, self.size = identity, file, checked

    def checked(self):
        data = self.file[self.payload : self.payload + self.size]
        need(crc(self.identity, self.payload, data) == self.crc, "a block's checksum")
        return data


def page(file, index):
    data = file[4096 * index : 4096 * index + 4096]
    if data[:8] != b"\x89BGA\r\n\x1a\n":
        return "zero" if data == bytes(4096) else "none"
    if len(data) < 4096 or zlib.crc32(data[:4092]) != int.from_bytes(data[4092:], "little"):
        return "damaged"
    major, minor, size = struct.unpack("<HHI", data[8:16])
    if size != 4096:
        return "damaged"
    need(major <= MAJOR, "a newer program is needed: version %d.%d" % (major, minor))
    if major < MAJOR:
        return "older"
    identity, sequence, length, games, chain, commit, reading, writing = struct.unpack("<16sQQQ16sQII", data[16:88])
    if sequence % 2 != index or length < 8192 or max(sequence, length, games, commit) > MOST:
        return "damaged"
    need(reading == 0, "a newer program is needed: features %#x" % reading)
    return {"id": identity, "sequence": sequence, "length": length, "games": games, "chain": chain, "commit": commit}


def commit_numbers(payload):
    """Section 16: the thirteen numbers of a commit block."""
    need(len(payload) >= 120, "a commit that is cut off")
    numbers = list(struct.unpack("<13Q", payload[:104]))
    need(max(numbers) <= MOST, "a number of a commit")
    return numbers


class Archive:
    def __init__(self, file):
        self.file = file
        pages = [page(self.file, 0), page(self.file, 1)]
        intact = [found for found in pages if isinstance(found, dict)]
        need(intact, "no archive, or a damaged one")
        need(len({found["id"] for found in intact}) == 1, "pages of two archives")
        state = max(intact, key=lambda found: found["sequence"])
        try:
            last = Block(self.file, state["id"], state["commit"])
        except Refused:
            last = None  # a damaged header: the walk over the blocks finds it
        if last and state["sequence"]:
            need(last.kind == 6 and last.end == state["length"], "the committed length is not the end of its commit")
        self.incomplete = False
        if len(self.file) < state["length"]:
            start = dict(state, sequence=0, length=8192, games=0, chain=state["id"])
            state, self.incomplete = self.walk(start, False) or start, True
        elif len(intact) == 1 and not ("zero" in pages and state["sequence"] == 0 and len(self.file) == 8192):
            found = self.walk(state, True)
            self.incomplete = found is None and not ("zero" in pages and state["sequence"] == 0)
            state = found or state
        self.id, self.state = state["id"], state
        self.file = self.file[: state["length"]]
        self.read_blocks()

    def walk(self, state, strict):
        """Returns the last commit found after a state, or None."""
        last = None
        state = dict(state)
        try:
            while True:
                block = Block(self.file, state["id"], state["length"])
                if strict:
                    block.checked()
                    if block.kind == 1:
                        pages(block)
                if block.kind == 6:
                    payload = block.checked()
                    sequence, games, *_ = commit_numbers(payload)
                    need(sequence == state["sequence"] + 1 and games == state["games"], "a commit out of place")
                    need(payload[104:120] == state["chain"], "a commit out of place")
                state["chain"] = hashlib.sha256(state["chain"] + block.header).digest()[:16]
                state["length"] = block.end
                state["games"] += block.count if block.kind == 1 else 0
                if block.kind == 6:
                    state["sequence"] += 1
                    last = dict(state)
        except Refused:
            return last

    def read_blocks(self):
        self.blocks, at = [], 8192
        while at < len(self.file):
            self.blocks.append(Block(self.file, self.id, at))
            at = self.blocks[-1].end
        self.chunks, self.strings, self.sources, self.loose, deleted, games = [], [], [], [], set(), 0
        uncopied = {}  # the dictionary blocks of the batch without a copy, by their strings
        for block in self.blocks:
            if block.kind == 1:
                need(block.first == games + 1 and block.count > 0, "games out of order")
                games += block.count
                self.chunks.append({1: block})
            elif block.kind in (2, 3, 7):
                if self.chunks and block.first == self.chunks[-1][1].first:
                    self.chunks[-1].setdefault(block.kind, block)
            elif block.kind == 4:
                if block.first == len(self.strings):
                    self.strings += [(block, i) for i in range(block.count)]
                    uncopied[block.first, block.count] = block
                else:
                    need(uncopied.pop((block.first, block.count), None), "strings out of order")
                    for i in range(block.count):
                        self.strings[block.first + i] += (block,)
            elif block.kind == 6:
                uncopied.clear()
            elif block.kind == 5:
                self.sources.append(source(block.checked()))
            elif block.kind == 9:
                payload = Bytes(block.checked())
                self.loose.append((payload.varint(), block.first, payload.data[payload.at :]))
            elif block.kind in (8, 10):
                for first, last in deletions(block.checked(), games):
                    change = deleted.update if block.kind == 8 else deleted.difference_update
                    change(range(first, last + 1))
        need(games == self.state["games"], "games are missing")
        self.deleted, self.texts_of = deleted, {}

    def string(self, number):
        """Section 14: a string of the dictionary, from the block or its copy."""
        need(number < len(self.strings), "no such string")
        block, index, *copies = self.strings[number]
        for candidate in (block, *copies):
            if not hasattr(candidate, "strings"):
                try:
                    candidate.strings = dictionary(candidate.checked(), candidate.count)
                except Refused:
                    candidate.strings = None
            if candidate.strings is not None:
                return candidate.strings[index]
        raise Refused("a dictionary block")

    def chunk(self, number):
        return Chunk(self, self.chunks[number])

    def games(self, numbers=None):
        """All games that are not deleted, or the games with these numbers."""
        for blocks in self.chunks:
            first, count = blocks[1].first, blocks[1].count
            selected = [n for n in range(first, first + count) if n not in self.deleted]
            selected = [n for n in selected if numbers is None or n in numbers]
            if selected:
                chunk = Chunk(self, blocks)
                yield from (Game(chunk, n - first, n) for n in selected)


def dictionary(payload, count):
    part = compressed(payload, 4096)
    part.draw(count, 8)
    lengths = [part.small() for _ in range(count)]
    strings = [part.take(length) for length in lengths]
    part.end()
    return strings


def deletions(payload, games):
    """Section 15: the runs of games, as first and last."""
    part, runs, following = compressed(payload), [], 1
    while part.at < len(part.data):
        part.draw(1, 16)
        first = following + part.varint()
        last = first + part.varint()
        need(last <= games, "games beyond the last")
        runs.append((first, last))
        following = last + 2
    return runs


def utf8(data):
    """Section 3: checked text; only the text of tags and texts is not checked."""
    text = data.decode("utf-8", "replace")
    need(text.encode() == data, "bytes that are no UTF-8")
    return text


def source(payload):
    """Section 13."""
    part = Bytes(payload)
    record = {"name": utf8(part.string())}
    for field in ("bytes", "seen", "rejected", "first"):
        record[field] = part.small()
    record["exact"], record["sha256"] = part.number(1), part.take(32).hex()
    part.end()
    need(record["exact"] <= 1 and record["rejected"] <= record["seen"], "a source")
    return record


def pairs(payload, count):
    """Section 34: the keys and values of a metadata block."""
    raw = compressed(payload)
    raw.draw(count, 16)
    found = [(raw.string(), raw.string()) for _ in range(count)]
    raw.end()
    for key, value in found:
        need(re.fullmatch(rb"[a-z][a-z0-9-]{0,63}", key) and len(value) <= 65536, "a key or value")
        utf8(value)
    return found


def parity(covered, first, length):
    """Section 37: the payload of a parity block that covers these bytes, from the offset `first` on."""
    need(512 <= length <= 1 << 20 and length & (length - 1) == 0, "the length of a parity")
    sums = bytearray(length)
    for offset, byte in enumerate(covered, first):
        sums[offset % length] ^= byte
    return bytes(sums)


# --- Sections 6 and 7: moves blocks, game records ---------------------------------------------------------------------


def pages(block):
    """The table of a moves block without its page CRCs, and its records, checked page by page: in any coding."""
    table, records = block.checked(), block.file[block.payload + block.size : block.end]
    size = 4 * -(-len(records) // 4096)
    need(size <= len(table), "page CRCs")
    crcs = Bytes(table, len(table) - size)
    for at in range(0, len(records), 4096):
        found = crc(block.identity, block.payload + block.size + at, records[at : at + 4096])
        need(found == crcs.number(4), "a page of records")
    return table[: len(table) - size], records


class Moves:
    """A moves block: its records."""

    def __init__(self, block):
        self.coding, width = block.coding & 15, block.coding >> 4
        need(self.coding <= 2 and width <= 2, "a newer program is needed: a coding of moves")
        self.packed = self.coding == 1
        table, records = pages(block)
        table, group = Bytes(table), 64 if self.packed else 16
        self.model = table.take(8) if self.packed else b""
        starts = [table.number(4) for _ in range(-(-block.count // group))]
        self.lengths = [table.number(1 << width) for _ in range(block.count)]
        table.end()
        self.records, at = [], 0
        for i, length in enumerate(self.lengths):
            need(i % group or starts[i // group] == at, "starts and lengths")
            self.records.append(records[at : at + length])
            at += length
        need(at == len(records), "the records' length")


def record(data, coding=0):
    """A record: flags, starting position as bytes or None, stream. The start of a variant begins with its number."""
    need(coding != 2 or data[:1] == b"\xc5", "a record of a variant without a header")
    if data[:1] != b"\xc5":
        return 0, None, data
    part = Bytes(data, 1)
    flags = part.number(1)
    need(flags < 32 and (flags or coding == 1 and data[2:3] == b"\xc5"), "a record's flags")
    need((flags & 16 > 0) == (coding == 2), "a record's flags")
    begin = part.at
    if flags & 16:
        variant = part.number(1)
        need(1 <= variant <= 4, "a newer program is needed: a variant")
        if not flags & 1:
            return flags, bytes([variant]) + starts()[variant], data[part.at :]
        part.at = begin
        Position.read_start(part)
        return flags, data[begin : part.at], data[part.at :]
    if not flags & 1:
        return flags, None, data[begin:]
    Position.read(part)
    return flags, data[begin : part.at], data[part.at :]


# --- Section 8: positions and the Brenner code ------------------------------------------------------------------------

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)
LABELS = (8, 4, 4, 4, 4, 1)
LINES = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
LEAPS = ((2, -1), (2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2))


def beside(square, file, rank):
    """The square at this distance in files and ranks, or None."""
    file, rank = square % 8 + file, square // 8 + rank
    return rank * 8 + file if 0 <= file < 8 and 0 <= rank < 8 else None


def span(steps):
    """For each square, the squares along each direction, in their order; or only the first square of each direction."""
    table = []
    for square in range(64):
        rays = []
        for file, rank in steps:
            ray, to = [], beside(square, file, rank)
            while to is not None:
                ray.append(to)
                to = beside(to, file, rank)
            rays.append(ray)
        table.append(rays)
    return table


RAYS = span(LINES)
NEAR = {
    KNIGHT: [[to for to in (beside(s, *leap) for leap in LEAPS) if to is not None] for s in range(64)],
    KING: [[to for to in (beside(s, *line) for line in LINES) if to is not None] for s in range(64)],
}
SLIDES = {BISHOP: (1, 3, 5, 7), ROOK: (0, 2, 4, 6), QUEEN: range(8)}


class Position:
    """A position: pieces as colour * 8 + role, or -1; labels, or -1; and the square of each labelled piece."""

    def __init__(self):
        self.board, self.label, self.where = [-1] * 64, [-1] * 64, {}
        self.turn, self.rights, self.rooks, self.target, self.half, self.full = 0, 0, [-1] * 4, None, 0, 1
        self.variant, self.pockets, self.promoted = 0, [0] * 10, 0

    def copy(self):
        result = Position.__new__(Position)
        result.__dict__.update(self.__dict__)
        result.board, result.label, result.where = self.board[:], self.label[:], dict(self.where)
        result.pockets = self.pockets[:]
        return result

    @staticmethod
    def read_start(part):
        """Section 36: the starting position of a variant, after its number."""
        variant = part.number(1)
        self = Position.read(part)
        self.variant = variant
        need(variant != ANTICHESS or not self.rights, "a castling right")
        if variant == CRAZYHOUSE:
            self.pockets, self.promoted = list(part.take(10)), part.number(8)
            for square in range(64):
                if self.promoted >> square & 1:
                    need(self.board[square] >= 0 and self.board[square] & 7 not in (PAWN, KING), "a promoted piece")
        return self

    @staticmethod
    def read(part):
        self = Position()
        occupied = part.number(8)
        squares = [square for square in range(64) if occupied >> square & 1]
        halves = part.take((len(squares) + 1) // 2)
        for i, square in enumerate(squares):
            piece = halves[i // 2] >> i % 2 * 4 & 15
            need(piece & 7 < 6, "a piece")
            self.board[square] = piece
        need(len(squares) % 2 == 0 or halves[-1] < 16, "half a byte left over")
        state = part.number(1)
        need(state < 0x40, "a position's state")
        self.turn = state & 1
        for file in range(8):  # Labels from the a-file to the h-file, on a file from rank 1 to rank 8.
            for square in range(file, 64, 8):
                piece = self.board[square]
                number = sum(1 for known in self.where if known >> 3 == piece)
                if piece >= 0 and number < LABELS[piece & 7]:
                    self.label[square], self.where[piece << 3 | number] = number, square
        for right in range(4):
            if state & 2 << right:
                rook, colour = part.number(1), right // 2
                king = self.where.get((colour << 3 | KING) << 3, -1)
                need(rook < 64 and self.board[rook] == (colour << 3 | ROOK), "a castling right")
                need(
                    king // 8 == rook // 8 == 7 * colour and (rook > king) == (right % 2 == 0),
                    "a castling right",
                )
                self.rights |= 1 << right
                self.rooks[right] = rook
        if state & 0x20:
            target, ahead = part.number(1), -8 if self.turn == 0 else 8
            need(target // 8 == (5 if self.turn == 0 else 2), "an en passant target")
            pawn = self.board[target + ahead] == ((1 - self.turn) << 3 | PAWN)
            need(pawn and self.board[target] == self.board[target - ahead] == -1, "an en passant target")
            self.target = target
        self.half, self.full = part.varint(), part.varint()
        need(max(self.half, self.full) < 1 << 32, "a clock")
        return self

    def lift(self, square):
        piece, label = self.board[square], self.label[square]
        self.board[square] = self.label[square] = -1
        if label >= 0:
            del self.where[piece << 3 | label]
        return piece, label

    def put(self, square, piece, label):
        self.board[square], self.label[square] = piece, label
        if label >= 0:
            self.where[piece << 3 | label] = square

    def play(self, move):
        """Plays from, to, promoted role or None, its label; `to` is the rook's square in castling. None: null move."""
        us, passed = self.turn, self.target
        self.half, self.target = self.half + 1, None
        if move is not None:
            origin, to, promotion, label = move
            if origin == to:
                self.put(to, us << 3 | promotion, label)
                self.pockets[5 * us + promotion] -= 1
            elif self.castles(origin, to):
                side = 0 if to > origin else 1
                king, rook = self.lift(origin), self.lift(to)
                self.put(us * 56 + (6, 2)[side], *king)
                self.put(us * 56 + (5, 3)[side], *rook)
                self.rights &= ~(3 << 2 * us)
            else:
                piece, piece_label = self.lift(origin)
                pawn = piece & 7 == PAWN
                if pawn or self.board[to] >= 0:
                    self.half = 0
                victim = to
                if self.board[to] < 0 and pawn and to == passed and origin % 8 != to % 8:
                    victim = origin // 8 * 8 + to % 8
                captured = self.lift(victim)[0] if self.board[victim] >= 0 else -1
                if pawn and abs(origin - to) == 16 and origin // 8 in (1, 6):
                    self.target = (origin + to) // 2
                self.put(to, *((us << 3 | promotion, label) if promotion is not None else (piece, piece_label)))
                self.lose_rights(piece, piece_label, origin, to)
                if self.variant == CRAZYHOUSE:
                    if captured >= 0:
                        self.pockets[5 * us + (PAWN if self.promoted >> victim & 1 else captured & 7)] += 1
                    was = promotion is not None or self.promoted >> origin & 1
                    self.promoted = self.promoted & ~(1 << origin | 1 << to) | bool(was) << to
                if self.variant == ATOMIC and captured >= 0:
                    self.explode(to)
        self.full += us
        self.turn = 1 - us

    def lose_rights(self, piece, label, *squares):
        if piece & 7 == KING and label == 0:
            self.rights &= ~(3 << 2 * (piece >> 3))
        for right in range(4):
            if self.rooks[right] in squares:
                self.rights &= ~(1 << right)

    def explode(self, center):
        for square in [center] + NEAR[KING][center]:
            if self.board[square] >= 0 and (square == center or self.board[square] & 7 != PAWN):
                self.lose_rights(*self.lift(square), square)

    def castles(self, origin, to):
        return self.board[origin] == (self.turn << 3 | KING) and self.board[to] == (self.turn << 3 | ROOK)

    def fen(self):
        rows = []
        for rank in range(7, -1, -1):
            row, empty = "", 0
            for square in range(8 * rank, 8 * rank + 8):
                piece = self.board[square]
                if piece < 0:
                    empty += 1
                    continue
                row += (str(empty) if empty else "") + ("PNBRQK..pnbrqk"[piece])
                row += "~" if self.promoted >> square & 1 else ""
                empty = 0
            rows.append(row + (str(empty) if empty else ""))
        rights = ""
        for right in range(4):
            if self.rights >> right & 1:
                rook, colour = self.rooks[right], right // 2
                further = range(rook + 1, colour * 56 + 8) if right % 2 == 0 else range(colour * 56, rook)
                inner = any(self.board[square] == (colour << 3 | ROOK) for square in further)
                letter = "abcdefgh"[rook % 8] if inner else "kq"[right % 2]
                rights += letter if colour else letter.upper()
        target = "-" if self.target is None else name(self.target)
        pockets = ""
        if self.variant == CRAZYHOUSE:
            letters = [letter * self.pockets[i] for i, letter in enumerate("PNBRQpnbrq")]
            pockets = "[" + "".join(letters[4::-1] + letters[9:4:-1]) + "]"
        return " ".join(["/".join(rows) + pockets, "wb"[self.turn], rights or "-", target, str(self.half), str(self.full)])

    def attacked(self, square, by):
        """Whether a colour attacks a square."""
        board, colour = self.board, by << 3
        for role in (KNIGHT, KING):
            if any(board[to] == colour | role for to in NEAR[role][square]):
                return True
        for file in (-1, 1):
            at = beside(square, file, 1 if by else -1)
            if at is not None and board[at] == colour | PAWN:
                return True
        for direction, ray in enumerate(RAYS[square]):
            slider = ROOK if direction % 2 == 0 else BISHOP
            for to in ray:
                if board[to] >= 0:
                    if board[to] in (colour | slider, colour | QUEEN):
                        return True
                    break
        return False

    def attackers(self, square, by):
        """The squares of a colour's pieces that attack a square."""
        found = []
        for origin, piece in enumerate(self.board):
            if piece >= 0 and piece >> 3 == by:
                alone = self.copy()
                alone.board = [p if p < 0 or p >> 3 != by or s == origin else 7 for s, p in enumerate(self.board)]
                if alone.attacked(square, by):
                    found.append(origin)
        return found

    def king(self, colour):
        return self.where.get((colour << 3 | KING) << 3)

    def safe_after(self, move):
        """Whether the mover's king is safe after a move."""
        after, us = self.copy(), self.turn
        after.play(move)
        if self.variant == ATOMIC and None in (after.king(us), after.king(1 - us)):
            return after.king(us) is not None
        return not after.in_check(us)

    def in_check(self, colour):
        king, other = self.king(colour), self.king(1 - colour)
        if king is None or self.variant == ANTICHESS:
            return False
        if self.variant == ATOMIC and (other is None or other in NEAR[KING][king]):
            return False
        return self.attacked(king, 1 - colour)

    def is_over(self):
        """Section 36: whether a capture has ended the game."""
        if self.variant == ATOMIC:
            return None in (self.king(0), self.king(1))
        return self.variant == HORDE and all(piece < 0 or piece >> 3 for piece in self.board)

    def takes(self, origin, to):
        pawn = self.board[origin] & 7 == PAWN
        return origin != to and (self.board[to] >= 0 or pawn and to == self.target and origin % 8 != to % 8)

    def reaches(self, origin, to):
        """Whether the piece on a square could go to another square, ignoring pins, checks and castling."""
        piece, board = self.board[origin], self.board
        colour, role = piece >> 3, piece & 7
        royal = to == self.king(1 - colour) and self.variant not in (ATOMIC, ANTICHESS)
        if board[to] >= 0 and (board[to] >> 3 == colour or royal or self.variant == ATOMIC and role == KING):
            return False
        if role == PAWN:
            ahead = -8 if colour else 8
            if to % 8 == origin % 8:
                home = origin // 8 == (6 if colour else 1) or self.variant == HORDE and origin < 8
                two = home and to == origin + 2 * ahead and board[origin + ahead] < 0
                return board[to] < 0 and (to == origin + ahead or two)
            diagonal = to in (beside(origin, f, -1 if colour else 1) for f in (-1, 1))
            return diagonal and (board[to] >= 0 or to == self.target)
        if role in NEAR:
            return to in NEAR[role][origin]
        for direction in SLIDES[role]:
            for square in RAYS[origin][direction]:
                if square == to:
                    return True
                if board[square] >= 0:
                    break
        return False

    def can_move(self):
        """Returns whether there is a legal move. Omits castling, because it is never the only legal move."""
        if self.is_over():
            return False
        for role in range(5):
            for to in range(64) if self.pockets[5 * self.turn + role] else ():
                free = self.board[to] < 0 and (role != PAWN or 0 < to // 8 < 7)
                if free and self.safe_after((to, to, role, -1)):
                    return True
        for origin in range(64):
            if self.board[origin] >= 0 and self.board[origin] >> 3 == self.turn:
                for to in range(64):
                    if to != origin and self.reaches(origin, to) and self.safe_after((origin, to, None, -1)):
                        return True
        return False

    def san(self, move, full_squares=False):
        """Section 12."""
        if move is None:
            return "--"
        origin, to, promotion, _ = move
        role = self.board[origin] & 7
        if origin == to:
            text = ("" if promotion == PAWN else "PNBRQ"[promotion]) + "@" + name(to)
        elif self.castles(origin, to):
            text = "O-O" if to > origin else "O-O-O"
        elif role == PAWN:
            text = name(to) if origin % 8 == to % 8 else "abcdefgh"[origin % 8] + "x" + name(to)
            text += "" if promotion is None else "=" + "PNBRQK"[promotion]
        else:
            rivals = [
                s for s in range(64) if s != origin and self.board[s] == self.board[origin] and self.reaches(s, to)
            ]
            rivals = [s for s in rivals if self.safe_after((s, to, None, -1))]
            which = ""
            if rivals:
                same_file = any(s % 8 == origin % 8 for s in rivals)
                same_rank = any(s // 8 == origin // 8 for s in rivals)
                which = name(origin)
                if not same_file:
                    which = which[0]
                elif not same_rank and not full_squares:
                    which = which[1]
            text = "PNBRQK"[role] + which + ("x" if self.board[to] >= 0 else "") + name(to)
        after = self.copy()
        after.play(move)
        if after.is_over() or self.variant == ANTICHESS and not after.can_move():
            text += "#"
        elif after.in_check(after.turn):
            text += "+" if after.can_move() else "#"
        return text


def name(square):
    return "abcdefgh"[square % 8] + str(square // 8 + 1)


STANDARD = (0xFFFF00000000FFFF).to_bytes(8, "little") + bytes.fromhex("13422531" "00000000" "88888888" "9BCAADB9")
STANDARD += bytes([0x1E, 7, 0, 63, 56, 0, 1])

# Section 36: the numbers of variants, and their starting positions.
CRAZYHOUSE, ATOMIC, ANTICHESS, HORDE = range(1, 5)


def starts():
    horde = (0xFFFF0066FFFFFFFF).to_bytes(8, "little") + bytes(18) + bytes.fromhex("88888888" "9BCAADB9")
    return {
        CRAZYHOUSE: STANDARD + bytes(18),
        ATOMIC: STANDARD,
        ANTICHESS: STANDARD[:24] + bytes([0, 0, 1]),
        HORDE: horde + bytes([0x18, 63, 56, 0, 1]),
    }


def elements(stream, variant=0):
    """The elements of a stream, as kind and bytes, without texts."""
    at = depth = 0
    while at < len(stream):
        byte, size, kind = stream[at], 1, "move"
        depth += (byte == 0xC3) - (byte == 0xC4)
        need(depth <= 1024, "more than 1,024 open variations")
        if byte == 0:
            kind = "text"
        elif byte < 4:
            kind = "result"
            need(at + 1 == len(stream), "bytes after a result")
        elif byte in (6, 7):
            kind = "suffix"
        elif byte & 0xC0 == 0x40 and not byte & 0x38 or byte & 0xC0 == 0x80 and not byte & 0x38:
            size = 2
        elif byte & 0xF8 == 0xC0:
            need(byte < 0xC5 or variant == CRAZYHOUSE and byte > 0xC5, "a byte that is not assigned")
            kinds = ("move", 3), ("move", 1), ("nag", 2), ("open", 1), ("close", 1), None, ("move", 2), ("move", 2)
            kind, size = kinds[byte & 7]
        need(at + size <= len(stream), "a stream that is cut off")
        yield kind, stream[at : at + size]
        at += size


def decode(position, code):
    """The move that bytes name in a position, as arguments of `play`."""
    us, byte, label, promotion = position.turn, code[0], None, None
    if byte == 0xC1:
        return None
    if byte in (0xC6, 0xC7):
        role, to = (PAWN, code[1]) if byte == 0xC6 else (KNIGHT + (code[1] >> 6), code[1] & 63)
        need(to < 64 and position.board[to] < 0 and position.pockets[5 * us + role], "a drop")
        need(role != PAWN or 0 < to // 8 < 7, "a drop")
        taken = [label for label in range(LABELS[role]) if (us << 3 | role) << 3 | label not in position.where]
        return to, to, role, (taken + [-1])[0]
    if byte == 0xC0:
        bits = int.from_bytes(code[1:], "big")
        origin, to, role = bits >> 10, bits >> 4 & 63, bits >> 1 & 7
        need(not bits & 1 and role <= 4 + (position.variant == ANTICHESS) and position.board[origin] >> 3 == us, "an explicit move")
        promotes = position.board[origin] & 7 == PAWN and to // 8 in (0, 7)
        need(promotes == (role > 0) and position.board[to] >> 3 != us, "an explicit move")
        return origin, to, role or None, -1
    if byte in (4, 5):
        right = 2 * us + byte - 4
        need(position.rights >> right & 1, "castling without the right")
        return position.king(us), position.rooks[right], None, -1
    if len(code) == 2:
        role = (ROOK, BISHOP)[byte & 1] if byte & 0x80 else (QUEEN, KNIGHT)[byte & 1]
        label, byte = byte >> 1 & 3, code[1]
        promotion = role if byte & 0xE0 == 0x20 else None
    if byte & 0x80:
        mover, (file, rank) = (ROOK, BISHOP)[byte & 1], LINES[(byte >> 1 & 3) * 2 + (byte & 1)]
        which, steps = byte >> 6 & 1, byte >> 3 & 7
    elif byte & 0x40:
        mover, which, (file, rank), steps = QUEEN, 0, LINES[byte & 7], byte >> 3 & 7
    elif byte & 0x20:
        ahead, mode = -1 if us else 1, byte >> 3 & 3
        mover, which, steps = PAWN, byte & 7, 1
        file, rank = ((0, ahead), (0, 2 * ahead), (ahead, ahead), (-ahead, ahead))[mode]
    elif byte & 0x10:
        mover, which, steps, (file, rank) = KNIGHT, byte >> 3 & 1, 1, LEAPS[byte & 7]
    else:
        mover, which, steps, (file, rank) = KING, 0, 1, LINES[byte & 7]
    if label is not None and promotion is None:
        need(mover == role, "a prefix of another piece")
        which = label
    origin = position.where.get((us << 3 | mover) << 3 | which)
    need(origin is not None and steps > 0, "a piece that is not there")
    to = beside(origin, file * steps, rank * steps)
    need(to is not None and position.board[to] >> 3 != us, "a move off the board, or onto an own piece")
    need((mover == PAWN and to // 8 in (0, 7)) == (promotion is not None), "a promotion")
    if promotion is not None:
        need((us << 3 | promotion) << 3 | label not in position.where, "a label that is taken")
        return origin, to, promotion, label
    return origin, to, None, -1


def legal(position, move):
    """Whether chess allows a move (section 8); the null move always."""
    if move is None:
        return True
    if position.is_over():
        return False
    origin, to, promotion, _ = move
    if origin == to:
        return position.safe_after(move)
    if position.variant == ANTICHESS and not position.takes(origin, to):
        ours = [s for s in range(64) if position.board[s] >= 0 and position.board[s] >> 3 == position.turn]
        if any(position.reaches(s, t) and position.takes(s, t) for s in ours for t in range(64) if s != t):
            return False
    if position.castles(origin, to):
        us, king_to = position.turn, position.turn * 56 + (6 if to > origin else 2)
        rook_to = king_to + (-1 if to > origin else 1)
        between = set(range(min(origin, king_to), max(origin, king_to) + 1))
        free = between | set(range(min(to, rook_to), max(to, rook_to) + 1))
        if any(position.board[s] >= 0 for s in free - {origin, to}):
            return False
        beside_king = NEAR[KING][position.king(1 - us)] if position.variant == ATOMIC else ()
        if any(position.attacked(s, 1 - us) for s in between if s not in beside_king):
            return False
        return position.safe_after(move)
    return position.reaches(origin, to) and position.safe_after(move)


# --- Section 11: adaptive numbers -------------------------------------------------------------------------------------


def signed(value, bits=64):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


class Coder:
    """The reading side of a range coder."""

    def __init__(self, data):
        self.data, self.at, self.range = data, 4, 0xFFFFFFFF
        self.code = min(int.from_bytes((data + bytes(4))[:4], "big"), self.range - 1)

    def take(self, low, length):
        self.code, self.range = self.code - low, length
        while self.range < 1 << 24:
            byte = self.data[self.at] if self.at < len(self.data) else 0
            self.range, self.code, self.at = self.range << 8, self.code << 8 | byte, self.at + 1

    def symbol(self, tails):
        ends = [self.range - tail * (self.range >> 16) for tail in tails]
        symbol = next(s for s in range(16) if self.code < ends[s])
        low = ends[symbol - 1] if symbol else 0
        self.take(low, ends[symbol] - low)
        return symbol

    def share(self, sizes):
        """The number of the next share, from the lengths of all shares."""
        total = sum(sizes)
        q = self.range // total
        at, low, number = min(self.code // q, total - 1), 0, 0
        while low + sizes[number] <= at:
            low, number = low + sizes[number], number + 1
        last = low + sizes[number] == total
        self.take(low * q, self.range - low * q if last else sizes[number] * q)
        return number

    def bits(self, n):
        q = self.range >> n
        bits = min(self.code // q, (1 << n) - 1)
        self.take(bits * q, q if bits + 1 < 1 << n else self.range - bits * q)
        return bits


def fresh(node):
    """A node's first estimate: its tails, and a count of 0 symbols."""
    if node == 0:
        return [[16 * (15 - i) ** 3 for i in range(16)], 0]
    a = {2: 2, 3: 4, 4: 8}.get(node, 16)
    return [[65535 * (a - 1 - i) // a if i < a else 0 for i in range(16)], 0]


def estimated(coder, cells):
    """A symbol by one or two estimates, which then learn it."""
    means = [(t1 + t2 + 1) >> 1 for t1, t2 in zip(cells[0][0], cells[-1][0])]
    symbol = coder.symbol([(65472 * m >> 16) + 4 * (15 - i) for i, m in enumerate(means)])
    for cell in cells:
        tails, k = cell
        w = 131072 // (2 * k + 5)
        for i in range(16):
            tails[i] += (65535 - tails[i]) * w >> 16 if i < symbol else -(tails[i] * w >> 16)
        cell[1] = min(k + 1, 255)
    return symbol


def odds(coder, counts):
    """Returns a yes or no; `counts` are the counts of yes and no."""
    answer, total = coder.share(counts), sum(counts)
    counts[answer] += 2
    if total > 250:
        counts[:] = [c - (c >> 1) for c in counts]
    return answer == 0


class Model:
    """Codes numbers: their sizes in two contexts, their top bits in one."""

    def __init__(self):
        self.estimates = {}

    def symbol(self, coder, contexts, node):
        """Returns a symbol of a node; `contexts` are the contexts that learn it."""
        contexts = [(*context, node) for context in contexts]
        return estimated(coder, [self.estimates.setdefault(p, None) or self.first(p, node) for p in contexts])

    def first(self, context, node):
        self.estimates[context] = fresh(node)
        return self.estimates[context]

    def number(self, coder, contexts, top=0):
        sizes = [(i, min(context, 575)) for i, context in enumerate(contexts)]
        size = last = self.symbol(coder, sizes, 0)
        while last == 15 and size < 64:
            last = self.symbol(coder, sizes, 1)
            size = min(size + last, 64)
        if size == 0:
            return 0
        learnt = min(size - 1, 3)
        top = self.symbol(coder, [("top", min(top, 575))], 2 + min(size - 1, 15))
        value, rest = (1 << learnt) + (top >> 1), size - 1 - learnt
        while rest > 0:
            n = min(rest, 16)
            value, rest = value << n | coder.bits(n), rest - n
        return signed(-value if top & 1 else value)


def level(n):
    if n < 5:
        return n
    h = n.bit_length() - 1
    return min(23, 2 * h + 1 + (n >> (h - 1) & 1))


def folded(x):
    return 2 * x if x >= 0 else -2 * x - 1


def pair(a, b):
    return 24 * a + b


def contexts_of(kind, n, expected, first, v1, steps, means):
    """The contexts of a number (FORMAT.md, "Contexts")."""
    s1, s2, _, s4 = steps
    if kind == "plain":
        return [level(folded(s1)), pair(level(folded(s2)), level(folded(s1)))]
    if kind == "evaluation":
        return [2 * level(folded(s1)) + n % 2, 4 * level(abs(v1)) + 2 * (v1 > 0) + n % 2]
    e = min(max(expected, 0), 1 << 32)
    c = e if n == 0 else min(max(first, 0), 1 << 32)
    m1, m2, m4 = (min(abs(s), 1 << 20) for s in (s1, s2, s4))
    return [
        pair(level(m1 + 2 * m2 + m4), level(32 * e // max(c, 1))),
        pair(level(means[n % 2]), min(e.bit_length(), 23)),
    ]


def adaptive(kind, data, counts):
    """The numbers of a stream: a list for each game, with lengths from `counts`."""
    coder, model, increments = Coder(data), Model(), Model()
    increment, last_first, steps, games = 0, 0, [0] * 4, []
    for count in counts:
        values, means, first = [], [0, 0], 0
        if kind != "plain" and count:
            steps = [0] * 4
        for n in range(count):
            v1 = values[-1] if n > 0 else 0
            v2 = values[-2] if n > 1 else 0
            expected = {"plain": 0, "time": 0, "evaluation": v1}.get(kind)
            if kind == "clock":
                expected = last_first if n == 0 else v1 if n == 1 else signed(v2 + increment)
            step = model.number(coder, contexts_of(kind, n, expected, first, v1, steps, means))
            value = signed(expected - step if kind == "clock" else expected + step)
            if n == 0:
                first = value
                if kind == "clock":
                    m, l = abs(first), level(abs(increment))
                    step_up = increments.number(coder, [pair(level(m), l), m % 575])
                    increment = signed(increment + step_up)
                    step = 0
            size = 8 * min(abs(step), 1 << 20)
            means[n % 2] = size if n < 4 else (3 * means[n % 2] + size) >> 2
            steps = [step] + steps[:3]
            values.append(value)
        if count:
            last_first = first
        games.append(values)
    return games


def size(x):
    return min(abs(x).bit_length(), 23)


def predicted_fields(prediction, data, locations, joined):
    """The numbers of a predicted stream. Locations are game, text and side; `joined` has its fields' values by text."""
    rule, thousands, power = prediction
    coder, model, rest = Coder(data), Model(), Model()
    round_odds = [[4, 4], [4, 4]]
    values, game, first, first_before, by_side, last = [], None, 0, 0, {}, None
    nothing = dict(value=0, a=0, step=0, gain=0, round=False)
    for at, text, side in locations:
        if at != game:
            game, first_before, by_side, last = at, first, {}, None
        a, b = [column.get(text, 0) for column in joined] + [0] * (2 - len(joined))
        before = by_side.get(side) or last or dict(nothing, value=first_before)
        multiple = thousands and odds(coder, round_odds[before["round"]])
        m = 1000 if multiple else 1
        steps = pair(level(folded(before["step"])), level(folded(last["step"] if last else 0)))
        if rule == 6:
            step = model.number(coder, [steps, pair(size(a), size(b))])
            f = signed(b + step)
            product = signed(a * f // 10**power if power > 0 else a * f * 10**-power)
            product = product // 1000 if multiple else product
            more = rest.number(coder, [pair(size(f), int(multiple)), size(a)])
            value = signed((product + more) * m)
        else:
            expected = (
                before["value"],
                last["value"] if last else 0,
                -last["value"] if last else 0,
                a,
                before["value"] + a - before["a"],
                before["value"] - a + before["gain"],
            )[rule]
            expected = signed(expected) // m
            step = model.number(coder, [steps, pair(size(a), size(expected))])
            value = signed((expected + step) * m)
        if last is None:
            first = value
        gain = signed(value - before["value"] + a) if last else 0
        last = dict(value=value, a=a, step=step, gain=gain, round=multiple)
        by_side[side] = last
        values.append(value)
    return values


# --- Section 9: tags --------------------------------------------------------------------------------------------------

NAMES = """Event Site Date Round White Black Result WhiteElo BlackElo ECO Opening Variation
    SubVariation TimeControl Termination UTCDate UTCTime WhiteRatingDiff BlackRatingDiff WhiteTitle
    BlackTitle FEN SetUp Variant EventDate Annotator PlyCount Time Mode WhiteFideId
    BlackFideId WhiteTeam BlackTeam WhiteUSCF BlackUSCF WhiteNA BlackNA WhiteType BlackType
    EventSponsor Section Stage Board NIC Source SourceDate WhiteClock BlackClock""".split()
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Column:
    def __init__(self, part):
        number = part.number(1)
        need(number <= len(NAMES), "a tag's name")
        self.name = NAMES[number - 1].encode() if number else part.string()
        self.codec = part.number(1)
        self.skippable = self.codec >= 128
        need(self.codec <= 6 or self.skippable, "a codec")
        # The prefix of the values, or all the data of a skippable column, which has no width.
        self.prefix = part.string() if self.codec == 6 or self.skippable else b""
        self.width = 0 if self.skippable else part.number(1)
        self.cells = []  # The number of each value, 0 for a text, before differences.
        self.texts = []  # The values that are kept as text.

    def charge(self):
        """Section 24: the charge of a value, if it is no key."""
        return 32 + len(self.name + self.prefix) + 128 * ((self.codec == 1) + (self.width == 255))

    def differences(self, numbers):
        before = 0
        for number in numbers:
            if number and self.codec in (4, 5):
                d = number - 1
                before = before + (d >> 1 if d % 2 == 0 else -(d + 1 >> 1)) if self.codec == 4 else (before + d) % 86400
                number = before + 1
            yield number

    def value(self, number, strings):
        n = number - 1
        if self.codec == 1:
            return strings(n)
        if self.codec == 2:
            need(n < 1 << 32, "a number beyond its codec")
            return b"%d" % n
        if self.codec == 3:
            return b"%s%d" % (b"-" if n & 1 else b"+", n >> 1)
        if self.codec == 4:
            year, month, day = n // 32 // 13, n // 32 % 13, n % 32
            text = [
                "%04d" % year if year else "????",
                "%02d" % month if month else "??",
                "%02d" % day if day else "??",
            ]
            return ".".join(text).encode()
        if self.codec == 5:
            return b"%02d:%02d:%02d" % (n // 3600, n // 60 % 60, n % 60)
        digits = ""
        for _ in range(8):
            n, digit = divmod(n, 62)
            digits = DIGITS[digit] + digits
        return self.prefix + digits.encode()


def tags(payload, games, strings):
    """The tag pairs of each game of a chunk."""
    part = compressed(payload, units(games))
    part.draw(games, 40)
    schemas = [[part.small() for _ in range(part.counted(8))] for _ in range(part.counted(24))]
    columns = [Column(part) for _ in range(part.counted(192))]
    predictions = [Prediction(part) for _ in range(part.counted(4096))]
    need(
        len(predictions) <= 64 and all(c < len(columns) for s in schemas for c in s),
        "columns that there are not",
    )
    chosen = [
        schemas[number] for number in part.column(games) if number < len(schemas) or need(False, "no such schema")
    ]
    keys = {prediction.key - 1 for prediction in predictions}
    counts = [0] * len(columns)
    for schema in chosen:
        for column in schema:
            need(not columns[column].skippable, "a game's tag in a skippable column")
            counts[column] += 1
            part.draw(1, columns[column].charge() + 64 * (column in keys))
    plain = [column for column in columns if column.width != 255]
    for column, count in zip(columns, counts):
        if column.codec == 0:
            need(column.width != 255, "a predicted column of codec 0")
            column.cells = [0] * count
        elif column.width != 255:
            column.cells = list(column.differences(part.planes(column.width, count)))
    read_texts(part, plain)
    if predictions:
        need(
            all(p.column < len(columns) and columns[p.column].width == 255 for p in predictions),
            "a prediction",
        )
        predicted(predictions, columns, chosen, part.string())
        read_texts(part, [columns[p.column] for p in predictions])
    need(sum(column.width == 255 for column in columns) == len(predictions), "a column without a prediction")
    part.end()
    cells, texts = [iter(column.cells) for column in columns], [iter(column.texts) for column in columns]
    result = []
    for schema in chosen:
        pairs = []
        for c in schema:
            number = next(cells[c])
            pairs.append((columns[c].name, columns[c].value(number, strings) if number else next(texts[c])))
        result.append(pairs)
    return result


def read_texts(part, columns):
    part.draw(sum(column.cells.count(0) for column in columns), 16)
    lengths = [[part.small() for number in column.cells if number == 0] for column in columns]
    for column, column_lengths in zip(columns, lengths):
        column.texts = [part.take(length) for length in column_lengths]


class Prediction:
    def __init__(self, part):
        self.column, self.memory, self.key, self.kind = (
            part.small(),
            part.small(),
            part.small(),
            part.number(1),
        )
        need(self.kind <= 1, "a kind of prediction")
        self.references = [part.small() for _ in range(4 if self.kind else 1)]
        self.model, self.last = Model(), 0


def predicted(predictions, columns, schemas, data):
    """Codes the numbers of predicted columns into their cells."""
    coder, memories = Coder(data), {}
    at = [0] * len(columns)
    text_at = [0] * len(columns)
    for schema in schemas:
        # For each column that is not predicted: the number and the text of the game's first tag in it.
        known, text = {}, {}
        for c in schema:
            column = columns[c]
            if column.width != 255:
                number = column.cells[at[c]]
                if c not in known:
                    known[c] = number
                    text[c] = column.texts[text_at[c]] if number == 0 else b""
                at[c] += 1
                text_at[c] += number == 0
        for p in predictions:
            for _ in range(schema.count(p.column)):
                number = predict(p, predictions, coder, memories, known, text)
                columns[p.column].cells.append(number)
                known.setdefault(p.column, number)


def predict(p, predictions, coder, memories, known, text):
    """One number of a predicted column."""
    memory, key = memories.setdefault(p.memory, {}), None
    if p.key and p.key - 1 in known:
        key = known[p.key - 1] or text.get(p.key - 1) or 0
    mine = memory.get(key) if key is not None else None
    z = int(mine is not None)
    value, u, faults = mine or (0, 0, 0)
    if p.kind == 0:
        guess = known.get(p.references[0] - 1) if p.references[0] else None
        expected = value if z else guess if guess is not None else p.last
        contexts = [1 + 4 * u + faults if z else 0, 50 * z + max(0, min(expected, 4999)) // 100]
        step = p.model.number(coder, contexts, contexts[0])
        number = signed(expected + step)
        p.last = number
        if key is not None:
            faults = min(3, faults + 1) if step else max(0, faults - 1)
            memory[key] = (number, min(7, u + 1), faults)
    else:
        player_rating, opponent_rating, result, opposite = (known.get(c - 1) if c else None for c in p.references)
        opposite = change(opposite) if opposite is not None else 0
        r = (result or 0) % 8
        difference = max(-599, min((player_rating or 0) - (opponent_rating or 0), 599))
        e = (difference // 25 if difference >= 0 else -(-difference // 25)) + 24
        step = p.model.number(coder, [49 * r + e, 288 * z + pair(r, level(abs(value)))], 49 * r + e)
        coded = signed(step - opposite)
        number = 0 if coded == 0 else 2 * (abs(coded) - 1) + 1 + (coded < 0)
        if key is not None:
            memory[key] = (coded, u, faults)
            grown = abs(coded) - 1 if coded > 0 else 1 - abs(coded) if coded < 0 else 0
            rating = [q for q in predictions if p.references[0] and q.column == p.references[0] - 1]
            for q in rating[:1]:
                ratings = memories.setdefault(q.memory, {})
                if key in ratings:
                    old, *rest = ratings[key]
                    ratings[key] = (signed(old + grown), *rest)
    need(0 <= number < 1 << 63, "a predicted number")
    return number


def change(number):
    """A number of codec 3 as a signed value: n + 1 for +n, -n - 1 for -n."""
    return 0 if number == 0 else (number - 1 >> 1) + 1 if number % 2 else -(number - 2 >> 1) - 1


# --- Section 10: texts ------------------------------------------------------------------------------------------------


DECIMALS = {"i": 0, "1": 1, "E": 2, "3": 3, "4": 4, "5": 5, "6": 6}
DECIMALS.update(zip("PQRSpqrs", [0, 1, 2, 3] * 2))
LINES_OF_MOVES = "vwxyuVWXYU"


def fields(template):
    """A template as alternating literals and letters: the literal before each field, and the rest."""
    parts, literal, at = [], b"", 0
    while at < len(template):
        if template[at] == 0:
            letter = chr(template[at + 1]) if at + 1 < len(template) else ""
            need(letter and letter in "tcCdmMne" + "".join(DECIMALS) + LINES_OF_MOVES, "a field")
            parts.append((literal, letter))
            literal, at = b"", at + 2
        else:
            literal, at = literal + template[at : at + 1], at + 1
    return parts, literal


def decimals(places, value):
    integer, part_ = divmod(value, 10**places)
    return b"%d" % integer + (b".%0*d" % (places, part_) if places else b"")


def shown(letter, value):
    """A field's value as text."""
    if value < 0:
        return b"-" + (decimals(DECIMALS[letter], -value) if letter in DECIMALS else shown(letter, -value))
    if letter in DECIMALS:
        plus = b"+" if letter in "pqrs" or letter in "PQRS" and value > 0 else b""
        return plus + decimals(DECIMALS[letter], value)
    if letter == "e":
        text = b"%d.%02d" % divmod(value, 100)
        return text[:-1] if value % 10 == 0 else text
    tenths = 0
    if letter in "dn":
        value, tenths = divmod(value, 10)
    hours, text = value // 3600, b":%02d:%02d" % (value // 60 % 60, value % 60)
    text = (b"%02d" if letter in "CM" else b"%d") % hours + text
    return text + (b".%d" % tenths if tenths else b"")


def texts(payload, games):
    """For each game, its placed comments as (moves before, pieces), its marked texts as (kind, text), and the bytes of
    its lines. Pieces are bytes, and lines as (letter, number of moves)."""
    part = compressed(payload, units(games), 128)
    part.draw(games, 40)
    count = part.small()
    need(count // 2 <= 16386, "too many templates")
    part.draw(count // 2, 64)
    templates = [fields(part.string()) for _ in range(count // 2)]
    part.draw(sum(len(parts) for parts, _ in templates), 160)
    placed, marked = part.column(games), part.column(games)
    part.draw(sum(placed), 8 + 16)
    part.draw(sum(marked), 16)
    gaps = part.column(sum(placed))
    chosen = part.column(sum(placed) + sum(marked))
    kinds = part.take(sum(marked))
    need(
        all(number < len(templates) for number in chosen) and all(kind < 5 for kind in kinds),
        "a template or kind",
    )
    for parts, rest in (templates[number] for number in chosen):
        part.draw(1, len(rest) + sum(len(literal) + (16 if letter == "t" else 24) for literal, letter in parts))
    # The location of each text: its game, its number and its side.
    owner, between = [], iter(gaps)
    for g in range(games):
        at = 0
        for n in range(placed[g] + marked[g]):
            at += next(between) + 1 if n < placed[g] else 0
            owner.append((g, len(owner), at % 2 if n < placed[g] else 0))
    # The streams in the order in which their fields first occur in the templates, with the texts of each stream.
    names, uses = {}, []
    for parts, _ in templates:
        before, found = None, []
        for literal, letter in parts:
            before = names.setdefault((literal or before, letter), len(names))
            found.append(before)
        uses.append(found)
    predictions, at = {}, -1
    for _ in range(part.small() if count % 2 else 0):
        at += part.small() + 1
        rule = part.number(1)
        need(at < len(names) and rule & 0x7F <= 6, "a predicted stream")
        referred = [part.small() for _ in range((0, 0, 0, 1, 1, 1, 2)[rule & 0x7F])]
        power = signed(part.number(1), 8) if rule & 0x7F == 6 else 0
        need(all(stream < at for stream in referred) and -9 <= power <= 9, "a predicted stream")
        predictions[at] = (rule & 0x7F, rule >> 7 == 1, power), referred
    streams, by_text = {}, []
    for number, (_, letter) in enumerate(names):
        locations = [
            location for location, template in zip(owner, chosen) for stream in uses[template] if stream == number
        ]
        by_text.append({})
        if letter == "t":
            need(number not in predictions, "a predicted stream of texts")
            values = []
            for _ in locations:
                end = part.data.index(0, part.at) if 0 in part.data[part.at :] else need(False, "a text without end")
                values.append(part.take(end - part.at))
                part.take(1)
        else:
            part.draw(bool(locations) + (number in predictions), 8192)
            data = part.string()
            if number in predictions:
                prediction, referred = predictions[number]
                numbers = predicted_fields(prediction, data, locations, [by_text[stream] for stream in referred])
            else:
                kind = {"c": "clock", "C": "clock", "d": "clock", "m": "time", "M": "time", "n": "time"}.get(letter)
                kind = kind or ("evaluation" if letter in "eERr" else "plain")
                counts = [0] * games
                for g, _, _ in locations:
                    counts[g] += 1
                numbers = [value for game in adaptive(kind, data, counts) for value in game]
            by_text[number] = {text: value for (_, text, _), value in zip(locations, numbers)}
            values = numbers if letter in LINES_OF_MOVES else [shown(letter, value) for value in numbers]
        streams[number] = iter(values)
    lines = [b""] * games
    if any(letter in LINES_OF_MOVES for _, letter in names):
        lines = [part.take(length) for length in part.column(games)]
    part.end()
    made = []
    for number in chosen:
        parts, rest = templates[number]
        pieces = []
        for (literal, letter), stream in zip(parts, uses[number]):
            value = next(streams[stream])
            if letter in LINES_OF_MOVES:
                need(0 <= value < 1024, "a line's length")
                part.draw(value, 16)
                value = (letter, value)
            pieces += [literal, value]
        made.append(pieces + [rest])
    made, gaps, kinds, result = iter(made), iter(gaps), iter(kinds), []
    for g in range(games):
        at, placed_texts, marked_texts = 0, [], []
        for _ in range(placed[g]):
            at += next(gaps) + 1
            placed_texts.append((at, next(made)))
        for _ in range(marked[g]):
            pieces = next(made)
            need(all(isinstance(piece, bytes) for piece in pieces), "a line in a marked text")
            marked_texts.append((next(kinds), b"".join(pieces)))
        result.append((placed_texts, marked_texts, lines[g]))
    return result


# --- Section 10: lines ------------------------------------------------------------------------------------------------


def split_mix():
    state = 0
    for _ in range(769):
        state = z = state + 0x9E3779B97F4A7C15 & WORD
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & WORD
        z = (z ^ z >> 27) * 0x94D049BB133111EB & WORD
        yield z ^ z >> 31


WORD = (1 << 64) - 1
KEYS = list(split_mix())
KIND_TAILS = [55706, 47841, 41287, 33423, 26869, 20316, 17039, 15073, 13107, 11141, 9502, 8519, 7864, 0, 0, 0]
CASTLES, RETAKES, NO_KIND = 12, 13, 14


class Place:
    """A position of a line, with the model's data on the moves before it."""

    def __init__(self, position, kinds=(NO_KIND, NO_KIND), taken=None):
        self.position, self.kinds, self.taken = position, kinds, taken
        self.us, self.flip = position.turn, 56 * position.turn
        self.checkers = position.attackers(self.king(self.us), 1 - self.us)

    def king(self, colour):
        return self.position.board.index(colour << 3 | KING)

    def pieces(self, role):
        """The squares of the player's pieces of a role, in the order of the board seen from the player's side."""
        occupied = [s for s in range(64) if self.position.board[s] == self.us << 3 | role]
        return sorted(occupied, key=lambda s: s ^ self.flip)

    def takes(self, origin, to):
        board = self.position.board
        pawn = board[origin] & 7 == PAWN and origin % 8 != to % 8
        return not self.position.castles(origin, to) and (board[to] >= 0 or pawn)

    def kind(self, origin, to):
        if self.position.castles(origin, to):
            return CASTLES
        role = self.position.board[origin] & 7
        if not self.takes(origin, to):
            return role
        return RETAKES if to == self.taken else 6 + role

    def targets(self, origin):
        """The targets of a piece, in the order of the board; the enemy king counts like any piece."""
        position, us, board = self.position, self.us, self.position.board
        role, found = board[origin] & 7, set()
        if role == PAWN:
            ahead = -8 if us else 8
            if board[origin + ahead] < 0:
                found.add(origin + ahead)
                if origin // 8 == (6 if us else 1) and board[origin + 2 * ahead] < 0:
                    found.add(origin + 2 * ahead)
            for file in (-1, 1):
                to = beside(origin, file, -1 if us else 1)
                if to is not None and (board[to] >= 0 or to == position.target):
                    found.add(to)
        elif role in NEAR:
            found.update(NEAR[role][origin])
        else:
            for direction in SLIDES[role]:
                for to in RAYS[origin][direction]:
                    found.add(to)
                    if board[to] >= 0:
                        break
        found = [to for to in found if board[to] < 0 or board[to] >> 3 != us]
        return sorted(found, key=lambda s: s ^ self.flip)

    def evasions(self, origin):
        targets, board = self.targets(origin), self.position.board
        if board[origin] & 7 == KING:
            return targets
        if len(self.checkers) > 1:
            return []
        checker, king = self.checkers[0], self.king(self.us)
        way = [checker]
        for ray in RAYS[king]:
            if checker in ray and board[checker] & 7 != KNIGHT:
                way += ray[: ray.index(checker)]
        target = self.position.target
        if board[origin] & 7 == PAWN and target is not None and target + (8 if self.us else -8) == checker:
            way.append(target)
        return [to for to in targets if to in way]

    def rooks(self):
        """The rooks with which the king may still castle, in the order of the board."""
        position = self.position
        rooks = [position.rooks[2 * self.us + side] for side in (0, 1) if position.rights >> (2 * self.us + side) & 1]
        return sorted(rooks, key=lambda s: s ^ self.flip)

    def arrival(self, origin, to):
        if not self.position.castles(origin, to):
            return to
        return (6 if to > origin else 2) + self.flip

    def hash(self):
        found = KEYS[768] if self.us else 0
        for square, piece in enumerate(self.position.board):
            if piece >= 0:
                found ^= KEYS[384 * (piece >> 3) + 64 * (piece & 7) + square]
        return found

    def after(self, origin, to, promotion):
        position = self.position.copy()
        position.play((origin, to, promotion, -1))
        kinds = (self.kind(origin, to), self.kinds[0])
        return Place(position, kinds, to if self.takes(origin, to) else None)


class Lines:
    """The lines of a game, read in their order."""

    def __init__(self, data):
        self.coder, self.memory = Coder(data), {}
        self.followed = [[4, 2] for _ in range(31)]
        self.by_last = [[KIND_TAILS[:], 8] for _ in range(16)]
        self.by_left = [[KIND_TAILS[:], 8] for _ in range(128)]
        self.promotions, self.mates = fresh(3), [1, 20]
        self.added = [[0] * 384, [0] * 384]

    def text(self, letter, moves, before, played):
        """The text of a line of moves; `before` is the position before `played`, the commented move."""
        if moves == 0:
            return b""
        for colour in (0, 1):
            roles = [piece & 7 for piece in before.board if piece >= 0 and piece >> 3 == colour]
            need(roles.count(KING) == 1 and len(roles) <= 16, "the pieces of a position with lines")
        need(played is not None, "a line after a null move")
        at, first = Place(before), None
        if letter.islower():
            first = (played[0], played[1], played[2])
        else:
            need(legal(before, played), "an illegal move")
            at = at.after(*played[:3])
        if moves > 1:
            self.added = [[h - (h >> 3) for h in row] for row in self.added]
        out, streak = [], 0
        for number in range(moves):
            move, foreseen = self.move(at, first, streak)
            first, streak = None, streak + 1 if foreseen else 0
            origin, to, promotion = move
            position, last = at.position, to // 8 == (0 if at.us else 7)
            need(position.board[origin] >= 0 and position.board[origin] >> 3 == at.us, "an illegal move")
            pawn = position.board[origin] & 7 == PAWN
            castles = position.castles(origin, to)
            need((pawn and last) == (promotion is not None), "an illegal move")
            if castles:
                need(to in at.rooks(), "an illegal move")
            need(legal(position, (origin, to, promotion, -1)), "an illegal move")
            out.append(self.written(letter, at, move, number == 0))
            at = at.after(*move)
            if at.checkers and letter in "vxyVXY":
                out[-1] += b"#" if odds(self.coder, self.mates) else b"+"
        return b" ".join(out)

    def move(self, at, first, streak):
        """Returns a move, and whether it was foreseen."""
        hash_ = at.hash()
        slot, check = hash_ >> 51, hash_ >> 35 & 0xFFFF
        number, turned, times = self.memory.get(slot, (None, None, 0))
        knows = number == check
        foreseen = context = None
        if first is not None:
            foreseen, context = first, 0
        elif knows:
            foreseen = (turned[0] ^ at.flip, turned[1] ^ at.flip, turned[2])
            context = 1 + 5 * times + min(streak, 4)
        found = None
        if foreseen is not None and odds(self.coder, self.followed[context]):
            found = foreseen
        is_foreseen = found is not None
        if found is None:
            found = self.chosen(at, foreseen)
        origin, to, promotion = found
        move = (origin ^ at.flip, to ^ at.flip, promotion)
        self.memory[slot] = (check, move, min(times + 1, 5) if knows and turned == move else 1)
        role = at.position.board[origin]
        need(role >= 0, "a piece that is not there")
        cell = 64 * (role & 7) + (at.arrival(origin, to) ^ at.flip)
        self.added[at.us][cell] = min(self.added[at.us][cell] + 16, 240)
        return found, is_foreseen

    def chosen(self, at, refuted):
        moves, shares, board = [], [], at.position.board

        def offer(origin, to, share):
            if refuted != (origin, to, None):
                moves.append((origin, to))
                shares.append(share)

        if at.checkers:
            for role in range(6):
                for origin in at.pieces(role):
                    for to in at.evasions(origin):
                        offer(origin, to, 1)
        else:
            n = min(sum(len(at.pieces(role)) for role in (KNIGHT, BISHOP, ROOK, QUEEN)), 7)
            k1, k2 = at.kinds
            kind = estimated(self.coder, [self.by_last[k1], self.by_left[16 * n + k2]])
            need(kind < 14, "a kind of move")
            if kind == CASTLES:
                for rook in at.rooks():
                    offer(at.king(at.us), rook, 1)
            else:
                for role in range(6) if kind == RETAKES else [kind % 6]:
                    for origin in at.pieces(role):
                        for to in at.targets(origin):
                            if at.kind(origin, to) == kind:
                                offer(origin, to, self.share(at, role, origin, to, kind))
        need(moves, "a move of a kind that there is none of")
        origin, to = moves[self.coder.share(shares)]
        promotion = None
        if board[origin] & 7 == PAWN and to // 8 in (0, 7):
            promotion = QUEEN - min(estimated(self.coder, [self.promotions]), 3)
        return origin, to, promotion

    def share(self, at, role, origin, to, kind):
        board = at.position.board
        share = 16 + self.added[at.us][64 * role + (to ^ at.flip)]
        pawns = [beside(to, file, -1 if at.us else 1) for file in (-1, 1)]
        if role != PAWN and any(s is not None and board[s] == (1 - at.us) << 3 | PAWN for s in pawns):
            share >>= 2
        if kind >= 6:
            share *= (1, 3, 3, 5, 8, 1)[board[to] & 7 if board[to] >= 0 else PAWN]
        return share * (16, 8, 8, 4, 2, 3)[role] if kind == RETAKES else share

    def written(self, letter, at, move, is_first):
        origin, to, promotion = move
        position = at.position
        style = letter.lower()
        if style == "u":
            king = position.castles(origin, to)
            standard = king and origin ^ at.flip == 4 and to ^ at.flip in (0, 7)
            text = name(origin) + name(at.arrival(origin, to) if standard or not king else to)
            text += "" if promotion is None else "pnbrqk"[promotion]
        else:
            text = position.san((origin, to, promotion, -1)).rstrip("+#")
        if style in "xy" and (at.us == 0 or is_first):
            number = "%d%s" % (position.full, "..." if at.us else ".")
            text = number + (" " if style == "x" else "") + text
        return text.encode()


# --- Games: sections 6 to 10 together ---------------------------------------------------------------------------------


class Chunk:
    def __init__(self, archive, blocks):
        self.archive, self.blocks, self.count = archive, blocks, blocks[1].count
        self.moves = Moves(blocks[1])
        self.read = {}

    def column(self, kind, read):
        if kind not in self.read:
            self.read[kind] = read()
        return self.read[kind]

    def tags(self):
        need(2 in self.blocks, "no tags block")
        return self.column(2, lambda: tags(self.blocks[2].checked(), self.count, self.archive.string))

    def texts(self):
        if 3 not in self.blocks:
            return [([], [], b"")] * self.count
        return self.column(3, lambda: texts(self.blocks[3].checked(), self.count))

    def layout(self):
        need(7 in self.blocks, "no layout block")
        return self.column(7, lambda: layout(self.blocks[7].checked(), self.count))


class Game:
    def __init__(self, chunk, row, number):
        self.chunk, self.row, self.number, self.unpacked = chunk, row, number, False
        self.flags, self.start_bytes, self.moves = record(chunk.moves.records[row], chunk.moves.coding)
        self.variant = self.start_bytes[0] if self.flags & 16 else 0

    @property
    def stream(self):
        if self.chunk.moves.packed and not self.unpacked:
            model = (1).to_bytes(4, "little") + bytes.fromhex(MODEL_HASH)[:4]
            need(self.chunk.moves.model == model, "a newer program is needed: a model of packed moves")
            self.moves, self.unpacked = unpack(self.moves, self.start_bytes), True
        return self.moves

    def tags(self):
        return self.chunk.tags()[self.row]

    def start(self):
        if self.variant:
            return Position.read_start(Bytes(self.start_bytes))
        return Position.read(Bytes(self.start_bytes or STANDARD))

    def events(self):
        """The elements of the movetext with the texts in their places: ("text", kind, text) or (kind, bytes)."""
        placed, marked, lines = self.chunk.texts()[self.row]
        scenes = iter(self.scenes(placed))
        placed, marked, lines = iter(placed), iter(marked), Lines(lines)

        def comment(pieces):
            scene = next(scenes)
            return b"".join(p if isinstance(p, bytes) else lines.text(*p, *scene) for p in pieces)

        due, moves = next(placed, None), 0
        for kind, code in elements(self.stream, self.variant):
            if due and due[0] == moves and kind not in ("suffix", "nag"):
                yield "text", 0, comment(due[1])
                due = next(placed, None)
            if kind == "text":
                text = next(marked, None)
                need(text, "a text is missing")
                yield ("text", *text)
            else:
                yield kind, code
                moves += kind == "move"
        if due and due[0] == moves:
            yield "text", 0, comment(due[1])
            due = next(placed, None)
        need(due is None and next(marked, None) is None, "a text without its place")

    def scenes(self, placed):
        """For each placed comment the position before its move, and the move; nothing if no comment has lines."""
        if all(isinstance(piece, bytes) for _, pieces in placed for piece in pieces):
            return [None] * len(placed)
        selected, found = {at for at, _ in placed}, {}
        position, before, stack, moves = self.start(), None, [], 0
        for kind, code in elements(self.stream, self.variant):
            if kind == "move":
                moves += 1
                move = decode(position, code)
                before, position = position, position.copy()
                position.play(move)
                if moves in selected:
                    found[moves] = before, move
            elif kind == "open":
                need(before is not None, "a variation of no move")
                stack.append((position, before))
                position, before = before, None
            elif kind == "close":
                need(stack, "a variation that was not opened")
                position, before = stack.pop()
        return [found.get(at) for at, _ in placed]

    def digest(self):
        """Section 17; a game with an illegal move has no digest."""
        for _ in self.positions():
            pass
        pairs = self.tags()
        out = varint(len(pairs)) + b"".join(string(part) for tag in pairs for part in tag)
        out += self.start_bytes or STANDARD
        result = 0
        for kind, *rest in self.events():
            if kind == "result":
                result = rest[0][0]
            elif kind == "text":
                out += b"\0" + bytes([rest[0]]) + string(rest[1])
            else:
                out += rest[0]
        return hashlib.sha256(out + bytes([result])).digest()

    def positions(self):
        """The positions of the main line, from ply 0 on; every move is checked."""
        position, depth = self.start(), 0
        yield position
        for kind, code in elements(self.stream, self.variant):
            depth += (kind == "open") - (kind == "close")
            if kind == "move" and depth == 0:
                move = decode(position, code)
                need(legal(position, move), "an illegal move")
                position.play(move)
                yield position

    def fen(self, ply):
        for at, position in enumerate(self.positions()):
            if at == ply:
                return position.fen()
        raise Refused("no such ply")


def varint(value):
    out = b""
    while value >= 0x80:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


def string(data):
    return varint(len(data)) + data


def digest(archive):
    return hashlib.sha256(b"".join(game.digest() for game in archive.games())).hexdigest()


# --- Section 12: layout -----------------------------------------------------------------------------------------------


def layout(payload, games):
    """For each game, its style (nine bytes) and its edits (copy, delete, inserted bytes)."""
    part = compressed(payload, units(games))
    part.draw(games, 40)
    styles = [part.take(9) for _ in range(part.small())]
    need(all(style[0] <= 2 and style[8] < 8 for style in styles), "a line end or a flag of a style")
    chosen, counts = part.column(games), part.column(games)
    need(all(number < len(styles) for number in chosen), "no such style")
    total = sum(counts)
    part.draw(total, 96)
    copies, deletes, inserts = (adaptive("plain", part.string(), [total])[0] for _ in range(3))
    need(all(0 <= number <= MOST for number in copies + deletes + inserts), "an edit")
    edits = iter([(copy, delete, part.take(insert)) for copy, delete, insert in zip(copies, deletes, inserts)])
    part.end()
    return [(styles[number], [next(edits) for _ in range(count)]) for number, count in zip(chosen, counts)]


class Writer:
    """The expected text of a game: the procedures of section 12, by their names there."""

    def __init__(self, style):
        need(style[0] < 3, "a line end")
        self.eol = (b"\n", b"\r\n", b"\r")[style[0]]
        self.width = int.from_bytes(style[1:5], "little")
        self.after_tags, self.after_game, self.flags = (
            style[5],
            style[6],
            int.from_bytes(style[7:9], "little"),
        )
        need(self.flags < 0x800, "a style's flags")
        self.out, self.line, self.gap, self.opened = bytearray(), 0, None, 0
        self.joins = self.number = self.head = self.begun = False

    def has(self, flag):
        return bool(self.flags & flag)

    def game(self, game):
        pairs = game.tags()
        for pair_ in pairs:
            self.pair(*pair_)
        usual = game.variant and game.start_bytes == bytes([game.variant]) + starts()[game.variant]
        if game.start_bytes is not None and not usual and not any(key == b"FEN" for key, _ in pairs):
            self.pair(b"SetUp", b"1")
            self.pair(b"FEN", game.start().fen().encode())
        self.number = True
        result, position, before, stack = 0, game.start(), None, []
        for kind, *rest in game.events():
            if kind == "move":
                move = decode(position, rest[0])
                need(legal(position, move), "an illegal move")
                self.move(position, move)
                before, position = position, position.copy()
                position.play(move)
            elif kind == "suffix":
                self.suffix(rest[0])
            elif kind == "nag":
                self.nag(rest[0][1])
            elif kind == "text":
                self.text(*rest)
            elif kind == "open":
                need(before is not None, "a variation of no move")
                stack.append((position, before))
                position, before = before, None
                self.open()
            elif kind == "close":
                need(stack, "a variation that was not opened")
                position, before = stack.pop()
                self.close()
            else:
                result = rest[0][0]
        self.begin()
        if self.has(0x100) and self.gap is not None:
            self.out += b" "
        self.out += (b"*", b"0-1", b"1-0", b"1/2-1/2")[result]
        self.end()
        self.out += self.eol * (1 + self.after_game)
        if self.has(0x40):
            return windows_1252(bytes(self.out))
        return bytes(self.out)

    def pair(self, key, value):
        self.out += b"[" + key + b' "' + value.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"]'
        self.new_line()
        self.head = True

    def new_line(self):
        self.out += self.eol
        self.line, self.gap = len(self.out), None

    def end_head(self):
        if self.head:
            self.head = False
            for _ in range(self.after_tags):
                self.new_line()

    def begin(self):
        self.end_head()
        self.begun, self.gap, self.joins = True, None, False
        if len(self.out) > self.line:
            self.gap = len(self.out)
            self.out += b" "
        self.out += (b"( " if self.has(0x10) else b"(") * self.opened
        self.opened = 0

    def end(self):
        if len(self.out) - self.line > self.width and not self.has(0x200):
            self.wrap()

    def wrap(self):
        if self.gap is not None:
            self.out[self.gap : self.gap + 1] = self.eol
            self.line, self.gap = self.gap + len(self.eol), None

    def move(self, position, move):
        white, joined = position.turn == 0, False
        if white or self.number:
            if white and self.has(0x200) and len(self.out) - self.line >= self.width:
                self.new_line()
            self.begin()
            self.out += b"%d." % position.full + (b"" if white else b"..")
            self.number, joined = False, self.has(0x01)
            if not self.has(0x01) and not self.has(0x02):
                self.end()
        if not joined:
            if self.has(0x02) and self.out.endswith(b"."):
                self.out += b" "
            else:
                self.begin()
        self.out += position.san(move, self.has(0x20)).encode()
        if self.has(0x80) and not white:
            self.gap = None
        self.end()
        self.joins = True

    def suffix(self, code):
        if not self.joins:
            self.begin()
        self.out += b"?" if code == b"\x06" else b"!"
        self.end()
        self.joins = True

    def nag(self, number):
        self.begin()
        self.out += b"$%d" % number
        self.end()

    def open(self):
        self.opened += 1
        self.number = True

    def close(self):
        if self.opened:
            self.begin()
        self.out += b" )" if self.has(0x10) else b")"
        self.end()
        self.joins = False
        self.number |= self.has(0x08)

    def text(self, kind, text):
        lines = text.replace(b"\r", b"\n").split(b"\n")
        if kind == 0 and b"}" not in text:
            self.comment(b"{" + text + b"}")
        elif kind in (0, 1):
            for line in lines:
                self.begin()
                self.out += b";" + line
                self.end()
                self.new_line()
        elif kind == 4:
            for line in lines:
                self.escape(line)
        else:
            self.verbatim(text)
        self.joins = False
        self.number |= self.has(0x04)

    def comment(self, text):
        if self.has(0x400) and self.joins and not {10, 13} & {*text} and len(self.out) > self.line:
            self.out += b" " + text
            self.end()
        else:
            self.unbroken(text)

    def unbroken(self, text):
        self.begin()
        start = len(self.out)
        self.out += text
        lines = text.replace(b"\r", b"\n").split(b"\n")
        if len(lines) == 1:
            return self.end()
        if start + len(lines[0]) - self.line > self.width:
            self.wrap()
        self.line, self.gap = len(self.out) - len(lines[-1]), None

    def escape(self, text):
        self.end_head()
        self.begun = True
        if self.opened:
            self.begin()
        if len(self.out) > self.line:
            self.new_line()
        self.out += b"%" + text
        self.new_line()

    def verbatim(self, text):
        if not self.begun and text[:1] == b"[":
            self.out += text
            return self.new_line()
        if text[:1] == b"%":
            self.end_head()
            if len(self.out) == self.line:
                self.out += b" "
        self.unbroken(text)
        last = text.replace(b"\r", b"\n").split(b"\n")[-1]
        if text[:1] == b"[" and b'"' in text or b";" in last or last[:1] == b"%":
            self.new_line()


def windows_1252(text):
    """The text in WHATWG's Windows-1252 (five bytes are control characters), or unchanged."""
    out = bytearray()
    for character in text.decode():
        if ord(character) in (0x81, 0x8D, 0x8F, 0x90, 0x9D):
            out.append(ord(character))
            continue
        try:
            out += character.encode("cp1252")
        except UnicodeEncodeError:
            return text
    return bytes(out)


def original(game):
    """The bytes of the source that belong to a game."""
    style, edits = game.chunk.layout()[game.row]
    expected, out = Bytes(Writer(style).game(game)), b""
    for copy, delete, insert in edits:
        out += expected.take(copy)
        expected.take(delete)
        out += insert
    return out + expected.take(len(expected.data) - expected.at)


def source_bytes(archive, number):
    """Section 13: a source's bytes."""
    need(number < len(archive.sources), "no such source")
    entry = archive.sources[number]
    stored = entry["seen"] - entry["rejected"]
    games = range(entry["first"], entry["first"] + stored)
    loose = [(before, payload) for which, before, payload in archive.loose if which == number]
    out = b""
    for game in archive.games(games):
        while loose and loose[0][0] <= game.number:
            out += compressed(loose.pop(0)[1]).data
        out += original(game)
    out += b"".join(compressed(payload).data for _, payload in loose)
    need(hashlib.sha256(out).hexdigest() == entry["sha256"], "the source differs from the original")
    return out


# --- The test vectors (section 33) ------------------------------------------------------------------------------------


# --- Section 28: packed moves -----------------------------------------------------------------------------------------

MODEL_HASH = "1c857b3279c8f85ffe037f9e40745d3c59efeab8edd34f8166aa6b077c49a5d3"
MODEL_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "model-1.bin")
WORTH = (1, 2, 2, 3, 4, 9)
CLASSES = (120, 180, 240, 310, 400, 520, 800)
FULL = (1 << 64) - 1
FILES = [0x0101010101010101 << file for file in range(8)]
ABOVE = [FULL << 8 * (rank + 1) & FULL for rank in range(8)]


def mask(squares):
    return sum(1 << square for square in squares)


def squares(bits):
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


NEAR_MASKS = {role: [mask(near) for near in NEAR[role]] for role in NEAR}
PAWN_MASKS = [
    [mask(to for to in (beside(s, f, ahead) for f in (-1, 1)) if to is not None) for s in range(64)]
    for ahead in (1, -1)
]
SIDES = [(FILES[f - 1] if f else 0) | (FILES[f + 1] if f < 7 else 0) for f in range(8)]


def slide(direction, square, occupied):
    found = 0
    for to in RAYS[square][direction]:
        found |= 1 << to
        if occupied >> to & 1:
            break
    return found


def attack(role, colour, square, occupied):
    """The squares that a piece attacks, as bits."""
    if role == PAWN:
        return PAWN_MASKS[colour][square]
    if role in NEAR:
        return NEAR_MASKS[role][square]
    found = 0
    for direction in SLIDES[role]:
        found |= slide(direction, square, occupied)
    return found


def bits_of(number):
    return bin(number).count("1")


class PackedModel:
    """The model file: weights, frequencies and the book."""

    SIZES = (5184, 1728, 2304, 2304, 432, 108, 3240, 1296, 4416, 384, 384, 384, 96, 648, 72)
    loaded = None

    @staticmethod
    def load():
        if PackedModel.loaded is None:
            with open(os.environ.get("SCORESHEET_MODEL", MODEL_FILE), "rb") as file:
                data = file.read()
            need(hashlib.sha256(data).hexdigest() == MODEL_HASH, "the model of packed moves")
            PackedModel.loaded = PackedModel(Bytes(data, 4))
        return PackedModel.loaded

    def __init__(self, part):
        def small(count):
            return struct.unpack("<%db" % count, part.take(count))

        def words(count, letter="h"):
            return struct.unpack("<%d%s" % (count, letter), part.take(2 * count))

        self.from_to, self.reply, self.again = small(24576), small(147840), small(147840)
        self.groups = [words(size_) for size_ in self.SIZES]
        self.bias, self.inputs = words(64), small(147456)
        self.to, self.origin, self.victim = words(24576), words(24576), words(2304)
        self.sharpness, self.kinds, self.ends = words(8, "H"), words(8, "H"), words(1024, "H")
        self.falls = [round(65536 * 2 ** (-i / 256)) for i in range(256)]
        # A node is its count, and for each edge (from, to) the edge's count and its node, or None.
        self.book, claimed = [], 1
        while part.at < len(part.data):
            count, edges = self.count(part.number(1)), {}
            for _ in range(part.number(1)):
                b = part.number(3)
                edges[b & 63, b >> 6 & 63] = self.count(b >> 13 & 255), claimed if b >> 12 & 1 else None
                claimed += b >> 12 & 1
            self.book.append((count, edges))

    @staticmethod
    def count(code):
        return (8 + (code & 7)) << min(code >> 3, 24)


class PackedCoder:
    """The coder of packed moves: 64 bits, eight bytes ahead."""

    def __init__(self, data):
        self.data, self.shifted, self.range = data, 0, FULL
        self.code = int.from_bytes(self.ahead(0), "big")

    def ahead(self, at):
        return self.data[at : at + 8] + bytes(8 - len(self.data[at : at + 8]))

    def symbol(self, frequencies, total=None):
        """The number of the interval, or the number of intervals if the value is beyond all of them."""
        unit = self.range // (total or sum(frequencies))
        share, low = min(self.code // unit, (total or sum(frequencies)) - 1), 0
        for number, frequency in enumerate(frequencies):
            if share < low + frequency:
                break
            low += frequency
        else:
            return len(frequencies)
        self.code, self.range = self.code - unit * low, unit * frequency
        while self.range < 1 << 56:
            byte = self.data[self.shifted + 8] if self.shifted + 8 < len(self.data) else 0
            self.range, self.code = self.range << 8, (self.code << 8 | byte) & FULL
            self.shifted += 1
        need(self.shifted <= len(self.data), "packed moves that are cut off")
        return number

    def learning(self, frequencies):
        number = self.symbol(frequencies)
        frequencies[number] += 16
        if sum(frequencies) > 2048:
            frequencies[:] = [f - (f >> 1) for f in frequencies]
        return number

    def slack(self):
        return 8 * (len(self.data) - self.shifted) - (64 - self.range.bit_length())

    def end(self):
        need(self.slack() <= 23, "bytes after packed moves")
        low = int.from_bytes(self.ahead(self.shifted), "big") - self.code & FULL
        ups = (-low & (FULL >> 8 * b) for b in range(9))
        need(next(up for up in ups if up < self.range) == self.code, "the end of packed moves")


class View:
    """A position seen from the player to move, as bitboards."""

    def __init__(self, position):
        us, self.flip = position.turn, 56 if position.turn else 0
        self.player, self.enemy, self.role = [0] * 6, [0] * 6, {}
        for square, piece in enumerate(position.board):
            if piece >= 0:
                seen = square ^ self.flip
                self.role[seen] = piece & 7
                (self.player if piece >> 3 == us else self.enemy)[piece & 7] |= 1 << seen
        self.mine, self.theirs = sum(self.player), sum(self.enemy)
        self.all = self.mine | self.theirs
        self.king, self.enemy_king = position.king(us) ^ self.flip, position.king(1 - us) ^ self.flip
        self.target = None if position.target is None else position.target ^ self.flip
        self.player_by, self.enemy_by, self.once, self.twice = [0] * 6, [0] * 6, 0, 0
        without_king = self.all & ~(1 << self.king)
        for role in range(6):
            for square in squares(self.player[role]):
                found = attack(role, 0, square, self.all)
                self.player_by[role] |= found
                self.twice |= self.once & found
                self.once |= found
            for square in squares(self.enemy[role]):
                self.enemy_by[role] |= attack(role, 1, square, without_king)
        self.danger = 0
        for found in self.enemy_by:
            self.danger |= found
        self.player_hanging = self.hanging(self.player, self.enemy_by, self.danger, self.once)
        self.enemy_hanging = self.hanging(self.enemy, self.player_by, self.once, self.danger)

    @staticmethod
    def hanging(pieces, by, attacked, defended):
        lesser = by[PAWN] | by[KNIGHT] | by[BISHOP]
        found = sum(pieces[:KING]) & attacked & ~defended
        found |= by[PAWN] & (pieces[KNIGHT] | pieces[BISHOP])
        return found | lesser & pieces[ROOK] | (lesser | by[ROOK]) & pieces[QUEEN]

    def attacker(self, square):
        """The cheapest enemy attacker of a square."""
        for role, cost in ((PAWN, 1), (KNIGHT, 2), (BISHOP, 2), (ROOK, 3), (QUEEN, 4), (KING, 5)):
            if self.enemy_by[role] >> square & 1:
                return cost
        return 0

    def discoverers(self):
        """Returns the player's pieces that stand alone between the enemy king and a slider of the player."""
        found = 0
        for direction in range(8):
            sliders = self.player[QUEEN] | self.player[BISHOP if direction % 2 else ROOK]
            first = slide(direction, self.enemy_king, self.all) & self.mine
            if first and slide(direction, self.enemy_king, self.all & ~first) & ~first & sliders:
                found |= first
        return found

    def moves(self, position):
        """The legal moves in their order: role, from, to, promotion or None, key (castling: the rook's square)."""
        us, found = position.turn, []
        castlings = 0
        for right in (2 * us, 2 * us + 1):
            if position.rights >> right & 1:
                if legal(position, (position.king(us), position.rooks[right], None, -1)):
                    castlings |= 1 << (position.rooks[right] ^ self.flip)
        for role in range(6):
            for origin in squares(self.player[role]):
                if role == PAWN:
                    targets = PAWN_MASKS[0][origin] & (self.theirs | (0 if self.target is None else 1 << self.target))
                    step = 1 << origin + 8 & ~self.all & FULL
                    targets |= step | (step << 8 & ~self.all if origin // 8 == 1 else 0)
                else:
                    targets = attack(role, 0, origin, self.all) & ~self.mine
                targets &= ~(1 << self.enemy_king)
                for key in squares(targets | (castlings if role == KING else 0)):
                    if role == KING and castlings >> key & 1:
                        found.append((role, origin, 6 if key > origin else 2, None, key))
                        continue
                    promotions = (QUEEN, ROOK, BISHOP, KNIGHT) if role == PAWN and key > 55 else (None,)
                    move = (origin ^ self.flip, key ^ self.flip, promotions[0], -1)
                    if position.safe_after(move):
                        found += [(role, origin, key, promotion, key) for promotion in promotions]
        need(len(found) <= 255, "a position with more than 255 legal moves")
        return found

    def structure(self, role, origin, to, sight):
        pawns, enemies, above = self.player[PAWN], self.enemy[PAWN], ABOVE[to // 8]
        file, sides = FILES[to % 8], SIDES[to % 8]
        guards = bits_of(PAWN_MASKS[1][to] & pawns)
        if role == PAWN:
            remaining, captures = pawns & ~(1 << origin), to % 8 != origin % 8
            signs = (
                not enemies & (file | sides) & above,
                guards >= (2 if captures else 1),
                not remaining & sides,
                remaining & file,
                enemies & file & above,
                enemies & sight,
                self.theirs & ~enemies & sight,
                abs(to % 8 - self.king % 8) <= 1,
                abs(to % 8 - self.enemy_king % 8) <= 1,
            )
            return 512 * (to // 8) + sum(1 << i for i, sign in enumerate(signs) if sign)
        if role in (KNIGHT, BISHOP):
            below = [square > 7 and pawns >> square - 8 & 1 for square in (to, origin)]
            signs = (not enemies & sides & above, guards, *below)
            value = sum(1 << i for i, sign in enumerate(signs) if sign)
        elif role in (ROOK, QUEEN):
            of = [2 if pawns & FILES[s % 8] else 1 if enemies & FILES[s % 8] else 0 for s in (to, origin)]
            rooks = (self.player[ROOK] | self.player[QUEEN]) & ~(1 << origin)
            value = 6 * of[0] + 2 * of[1] + (rooks & file != 0)
        else:
            shelters = [pawns & (FILES[s % 8] | SIDES[s % 8]) & ABOVE[s // 8] for s in (origin, to)]
            value = 4 * min(3, bits_of(shelters[0])) + min(3, bits_of(shelters[1]))
        return 4096 + 64 * (role - 1) + value


def mixed(*digits):
    """A mixed-radix number: digits, each with the number of its values; the first is the most significant."""
    value = 0
    for digit, values in digits:
        value = value * values + int(digit)
    return value


def steps_between(a, b):
    return max(abs(a % 8 - b % 8), abs(a // 8 - b // 8))


def material(position, colour, pawns=True):
    values = (1 if pawns else 0, 3, 3, 5, 9, 0)
    return sum(values[piece & 7] for piece in position.board if piece >= 0 and piece >> 3 == colour)


class PackedLine:
    """A line of a packed game. A last move is role, from, to and whether it captured; squares are not flipped."""

    def __init__(self, position, node):
        self.position, self.last, self.previous, self.before = position, None, None, None
        self.plies, self.surprise, self.node = 0, (260, 260), node

    def copy(self):
        result = PackedLine.__new__(PackedLine)
        result.__dict__.update(self.__dict__)
        result.position = self.position.copy()
        return result

    def played(self, move):
        self.before, self.previous, self.last, self.plies = self.previous, self.last, move, self.plies + 1

    def pass_(self):
        self.position.play(None)
        self.played(None)
        self.node = None

    def phase(self):
        if self.plies < 12:
            return 0
        values = sum(material(self.position, colour, False) for colour in (0, 1))
        return next((phase for phase, least in enumerate((51, 37, 23, 11), 1) if values >= least), 5)

    def outputs(self, model, view):
        """The nonzero outputs of the policy head, as unit and output."""
        rows = []
        for role in range(6):
            pieces = (view.player[role], view.enemy[role])
            hanging = (pieces[0] & view.player_hanging, pieces[1] & view.enemy_hanging)
            for i, bits in enumerate(pieces + hanging):
                rows += [384 * i + 64 * role + square for square in squares(bits)]
        for at, last in ((1536, self.last), (1920, self.previous)):
            if last:
                rows.append(at + 64 * last[0] + (last[2] ^ view.flip))
        sums = list(model.bias)
        for row in rows:
            weights = model.inputs[64 * row : 64 * row + 64]
            sums = [total + 4 * weight for total, weight in zip(sums, weights)]
        clipped = [max(0, min(255, signed(total, 16))) for total in sums]
        return [(unit, value * value >> 8) for unit, value in enumerate(clipped) if value * value >> 8]

    def scores(self, model, view, moves):
        position, last, previous = self.position, self.last, self.previous
        class_ = sum(limit <= self.surprise[position.turn] for limit in CLASSES) // 2
        phase, discoverers, outputs = self.phase(), view.discoverers(), self.outputs(model, view)
        last_to, last_attacks = last and last[2] ^ view.flip, 0
        if last and view.role[last_to] != KING:
            last_attacks = attack(view.role[last_to], 1, last_to, view.all)
        previous_from, previous_to = (previous[1] ^ view.flip, previous[2] ^ view.flip) if previous else (None, None)
        reply = 384 * (64 * last[0] + last_to if last else 384)
        again = 384 * (64 * previous[0] + previous_to if previous else 384)
        hanging = max((WORTH[role] for role in range(KING) if view.player[role] & view.player_hanging), default=0)
        prize = max((role + 1 for role in range(KING) if view.enemy[role] & view.enemy_hanging), default=0)
        checkers = min(2, len(position.attackers(position.king(position.turn), 1 - position.turn)))
        officers = [view.enemy[QUEEN], view.enemy[QUEEN] | view.enemy[ROOK]]
        officers.append(officers[1] | view.enemy[KNIGHT] | view.enemy[BISHOP])
        greater = (officers[2], officers[1], officers[1], officers[0], 0, 0)
        loose = view.theirs & ~view.enemy[KING] & ~view.danger
        for role, origin, to, promotion, key in moves:
            castles, passing = view.mine >> key & 1, role == PAWN and to == view.target
            victim = 1 if passing else view.role[to] + 1 if view.theirs >> to & 1 and not castles else 0
            attacker, takes = view.attacker(to), victim > 0
            step = role == PAWN and to % 8 == origin % 8
            support = (view.once if step else view.twice) >> to & 1
            safety = 0 if not attacker else 2 if attacker < WORTH[role] or not support else 1
            reach = 0 if role == PAWN else attack(role, 0, origin, view.all)
            sight = 0 if promotion is not None else attack(role, 0, to, view.all & ~(1 << origin))
            recapture = 1 + last[3] if last and takes and to == last_to else 0
            now = role if promotion is None else promotion
            check = 2 if discoverers >> origin & 1 else 0
            if not castles and attack(now, 0, to, view.all) & view.enemy[KING]:
                check = 1
            threats = list(squares(sight & ~reach & view.theirs & (greater[role] | loose)))
            threat = 0 if not threats else 5 if len(threats) > 1 else WORTH[view.role[threats[0]]]
            this = 0
            if view.player_hanging >> origin & 1:
                this = 2 if WORTH[role] == hanging else 1
            protects = sight & view.player_hanging & ~(1 << origin) != 0
            special = 0
            if castles:
                special = 1 if key > origin else 2
            elif passing:
                special = 3
            elif promotion is not None:
                special = 3 + promotion
            r, s, v, a = (role, 6), (safety, 3), (victim, 6), (attacker, 6)
            zone = min(3, bits_of(sight & NEAR_MASKS[KING][view.enemy_king]))
            indexes = (
                mixed((class_, 4), r, v, a, (support, 2), (recapture, 3)),
                mixed(r, (view.attacker(origin), 6), (view.once >> origin & 1, 2), a, (support, 2), (takes, 2)),
                mixed((phase, 6), r, (to, 64)),
                mixed((phase, 6), r, (origin, 64)),
                mixed(r, (check, 3), a, (support, 2), (takes, 2)),
                mixed(r, (threat, 6), s),
                mixed((hanging, 5), (this, 3), (protects, 2), r, v, s),
                mixed((prize, 6), v, (view.enemy_hanging >> to & 1, 2), r, s),
                view.structure(role, origin, to, sight),
                mixed(r, (steps_between(origin, view.enemy_king), 8), (steps_between(to, view.enemy_king), 8)),
                mixed(r, (steps_between(origin, view.king), 8), (steps_between(to, view.king), 8)),
                mixed(
                    (class_, 4),
                    r,
                    (last_attacks >> to & 1, 2),
                    (last_attacks >> origin & 1, 2),
                    (to == previous_from, 2),
                    (origin == previous_to, 2),
                ),
                mixed((special, 8), (check > 0, 2), (phase, 6)),
                mixed((checkers, 3), r, v, a),
                mixed(r, (zone, 4), s),
            )
            score = sum(group[index] for group, index in zip(model.groups, indexes))
            score += 16 * model.from_to[64 * (64 * role + origin) + to]
            score += 16 * (model.reply[reply + 64 * role + to] + model.again[again + 64 * role + to])
            rows = 64 * (64 * role + to), 64 * (64 * role + origin), 64 * (6 * role + victim)
            head = sum(
                output * (model.to[rows[0] + i] + model.origin[rows[1] + i] + model.victim[rows[2] + i])
                for i, output in outputs
            )
            yield score + (head >> 8), takes

    def move(self, model, coder, view, moves):
        """Reads one of the moves and plays it; returns its bytes."""
        position, us = self.position, self.position.turn
        need(moves, "packed moves that name no legal move")
        scores = list(self.scores(model, view, moves))
        best = max(score for score, _ in scores)
        gaps = [min(best - score, 65535) for score, _ in scores]
        sharpness = model.sharpness[sum(limit <= self.surprise[us] for limit in CLASSES)]
        scaled = [gap * sharpness >> 8 for gap in gaps]
        weights = [(model.falls[g & 255] >> min(g >> 8, 31)) + 1 for g in scaled]
        edges = {}
        if self.node is not None:
            m, edges = model.book[self.node]
            t = m + sum(count for count, _ in edges.values())
            f = (((m << 20) // t) << 24) // sum(weights)
            weights = [(w * f >> 24) + 1 for w in weights]
            for i, (_, origin, _, _, key) in enumerate(moves):
                weights[i] += (edges.get((origin, key), (0,))[0] << 20) // t
        number = coder.symbol(weights)
        role, origin, to, promotion, key = moves[number]
        change = (min(gaps[number], 2560) - self.surprise[us]) >> 4
        self.surprise = tuple(s + (change if colour == us else 0) for colour, s in enumerate(self.surprise))
        self.node = edges.get((origin, key), (0, None))[1]
        self.played((role, origin ^ view.flip, to ^ view.flip, scores[number][1]))
        code, label = canonical(position, origin ^ view.flip, key ^ view.flip, promotion)
        position.play((origin ^ view.flip, key ^ view.flip, promotion, label))
        return code

    def over(self, model, coder, result):
        """Whether the game is over; with more slack nothing is coded."""
        position, slack = self.position, coder.slack()
        if slack > 23:
            return False
        if result in (1, 2):
            winner = 2 - result
            ahead = material(position, winner) - material(position, 1 - winner)
            context = 4 * (position.turn == winner) + sum(ahead > most for most in (0, 2, 5))
        else:
            last, before = self.last, self.before
            context = int(bool(last and before) and (last[2], last[1]) == (before[1], before[2]))
            context += 2 * (material(position, 0) + material(position, 1) < 24)
        yes = model.ends[32 * (8 * result + context) + min(max(slack + 8, 0), 31)] or 1
        return coder.symbol([yes, 65536 - yes]) == 0


def canonical(position, origin, to, promotion):
    """The canonical bytes of a legal move (section 8), and the label of the promoted piece, or -1."""
    us, role, label, new = position.turn, position.board[origin] & 7, position.label[origin], -1
    if position.castles(origin, to):
        return bytes([4 if to > origin else 5]), new
    if promotion is not None:
        free = (n for n in range(4) if (us << 3 | promotion) << 3 | n not in position.where)
        new = next(free, -1)
    if label < 0 or promotion is not None and new < 0:
        return b"\xc0" + (origin << 10 | to << 4 | (promotion or 0) << 1).to_bytes(2, "big"), -1
    file, rank = to % 8 - origin % 8, to // 8 - origin // 8
    distance = max(abs(file), abs(rank))

    def prefix(kind, number):
        return bytes([(0, 0x41, 0x81, 0x80, 0x40)[kind] | number << 1])

    if role == PAWN:
        mode = int(distance == 2) if file == 0 else 2 if (file > 0) != bool(us) else 3
        head = b"" if promotion is None else prefix(promotion, new)
        return head + bytes([0x20 | mode << 3 | label]), new
    head = b""
    if label > (role != QUEEN):
        head, label = prefix(role, label), 0
    if role == KNIGHT:
        return head + bytes([0x10 | label << 3 | LEAPS.index((file, rank))]), new
    direction = LINES.index((file // distance, rank // distance))
    if role == KING:
        return bytes([8 | direction]), new
    if role == QUEEN:
        return head + bytes([0x40 | distance << 3 | direction]), new
    return head + bytes([0x80 | label << 6 | distance << 3 | direction & 6 | (role == BISHOP)]), new


TOKENS = "move text nag good bad open close null".split()


def unpack(data, start):
    """The plain stream of packed moves, from a starting position as bytes or None."""
    if data[:1] == b"\xff":
        return data[1:]
    model, coder = PackedModel.load(), PackedCoder(data)
    position = Position.read(Bytes(start or STANDARD))
    kings = [position.board.count(colour << 3 | KING) for colour in (0, 1)]
    need(kings == [1, 1], "packed moves without a king a side")
    kind = coder.symbol(model.kinds, 65536)
    need(kind < 8, "a kind of packed game")
    result, rich, stream = kind & 3, kind >= 4, b""
    # If the player to move sees the standard position, the game is in the book, whatever the clocks.
    seen = [piece if piece < 0 else piece ^ position.turn << 3 for piece in position.board]
    seen = [seen[square ^ (56 if position.turn else 0)] for square in range(64)]
    in_book = seen == Position.read(Bytes(STANDARD)).board and position.rights == 15 and position.target is None
    line, before, stack = PackedLine(position, 0 if in_book else None), None, []
    token, adornments, nags = "close", 0, [16 if 1 <= n <= 6 else 8 if 10 <= n <= 19 else 1 for n in range(256)]
    first = {"move": [24, 3, 2, 1, 1, 1, 1, 1], "open": [24, 6, 1, 1, 1, 1, 1, 1]}
    default = [24, 4, 2, 1, 1, 2, 2, 1]
    tokens = {(after, bits): first.get(after, default)[:] for after in TOKENS for bits in range(4)}
    while len(stream) <= 65536:
        view = View(line.position)
        if not rich:
            moves = view.moves(line.position)
            if not moves or line.over(model, coder, result):
                break
            stream += line.move(model, coder, view, moves)
            continue
        if not stack and line.over(model, coder, result):
            break
        token = TOKENS[coder.learning(tokens[token, adornments])]
        moves_ = token in ("move", "null")
        adornments = adornments << 1 & 3 if moves_ else adornments | 1
        if moves_:
            before = line.copy()
        if token == "move":
            stream += line.move(model, coder, view, view.moves(line.position))
        elif token == "null":
            line.pass_()
            stream += b"\xc1"
        elif token == "nag":
            stream += b"\xc2" + bytes([coder.learning(nags)])
        elif token == "open":
            need(before is not None and len(stack) < 100, "a packed variation")
            stack.append((line, before))
            line, before = before.copy(), None
            stream += b"\xc3"
        elif token == "close":
            need(stack, "a packed variation that was not opened")
            line, before = stack.pop()
            stream += b"\xc4"
        else:
            stream += {"text": b"\x00", "good": b"\x07", "bad": b"\x06"}[token]
    need(len(stream) <= 65536, "packed moves of more than 65,536 bytes")
    coder.end()
    return stream + bytes([result][: result > 0])


def text_of(data):
    return data.decode("utf-8", "replace")


# The names of elements in the vectors of records; all other elements are moves.
ELEMENTS = {0: "text", 1: "0-1", 2: "1-0", 3: "1/2-1/2", 6: "?", 7: "!", 0xC3: "(", 0xC4: ")"}


def part(kind, data, numbers):
    """The meaning of a part, as a JSON value."""
    if kind == "varint":
        read = Bytes(data)
        value = read.varint()
        read.end()
        return value
    if kind == "compressed":
        return compressed(data).data.hex()
    if kind == "planes":
        read = Bytes(data)
        values = read.column(numbers[0])
        read.end()
        return values
    if kind in ("plain", "clock", "time", "evaluation"):
        return adaptive(kind, data, numbers)
    if kind == "tags":
        return [
            [[text_of(key), text_of(value)] for key, value in game]
            for game in tags(data, numbers[0], lambda n: b"string %d" % n)
        ]
    if kind == "texts":
        return [
            {
                "placed": [[at, text_of(b"".join(pieces))] for at, pieces in placed],
                "marked": [[k, text_of(t)] for k, t in marked],
            }
            for placed, marked, _ in texts(data, numbers[0])
        ]
    if kind == "layout":
        return [
            {"style": style.hex(), "edits": [[c, d, i.hex()] for c, d, i in edits]}
            for style, edits in layout(data, numbers[0])
        ]
    if kind == "dictionary":
        return [text_of(entry) for entry in dictionary(data, numbers[0])]
    if kind == "deletions":
        return [list(run) for run in deletions(data, numbers[0])]
    if kind == "source":
        return source(data)
    if kind == "metadata":
        return [[text_of(key), text_of(value)] for key, value in pairs(data, numbers[0])]
    if kind == "parity":
        return parity(data, *numbers).hex()
    if kind == "loose":
        read = Bytes(data)
        return {"source": read.varint(), "bytes": compressed(data[read.at :]).data.hex()}
    if kind == "commit":
        means = {"numbers": commit_numbers(data), "chain": data[104:120].hex()}
        if len(data) > 120:
            read = Bytes(data[120:])
            means["progress"] = {"first_source": read.varint(), "line": read.varint()}
            means["progress"]["options"] = utf8(read.string())
            means["progress"]["source"] = source(read.data[read.at :])
        return means
    if kind == "packed":
        flags, start, moves = record(data, True)
        fen = Position.read(Bytes(start or STANDARD)).fen()
        return {"flags": flags, "start": fen, "stream": unpack(moves, start).hex()}
    if kind in ("record", "variant"):
        flags, start, stream = record(data, 2 if kind == "variant" else 0)
        read = Position.read_start if kind == "variant" else Position.read
        position = read(Bytes(start or STANDARD))
        fens, found, stack, before = [position.fen()], [], [], None
        for kind_, code in elements(stream, position.variant):
            found.append(ELEMENTS.get(code[0], "move") if kind_ != "nag" else "$%d" % code[1])
            if kind_ == "move":
                move = decode(position, code)
                need(legal(position, move), "an illegal move")
                before, position = position, position.copy()
                position.play(move)
                fens.append(position.fen())
            elif kind_ == "open":
                need(before is not None, "a variation of no move")
                stack.append((position, before))
                position, before = before, None
            elif kind_ == "close":
                need(stack, "a variation that was not opened")
                position, before = stack.pop()
        need(not stack, "a variation that is not closed")
        return {"flags": flags, "elements": found, "positions": fens}
    raise Refused("no such kind of part")


def opened(vector, folder):
    """A reader's result for a whole file."""
    with open(os.path.join(folder, "..", "golden", vector["file"]), "rb") as file:
        data = bytearray(file.read())
    length = vector.get("length", len(data))
    data = data[:length] + bytes(max(0, length - len(data)))
    for offset, change_ in vector["changes"]:
        data[offset : offset + len(change_) // 2] = bytes.fromhex(change_)
    archive = Archive(bytes(data))
    try:
        content = digest(archive)
    except Refused:
        content = "refused"
    return {
        "games": archive.state["games"] - len(archive.deleted),
        "incomplete": archive.incomplete,
        "digest": content,
    }


# Strings that do not belong to an archive.
NOT_READ = "string alternate exchanged fixed ids bits".split()


def vectors(folder):
    """Reads all test vectors of a folder; returns 1 if any meaning differs from its vector."""
    count = wrong = 0
    for name_ in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name_), encoding="utf-8") as file:
            for vector in json.load(file):
                if vector.get("part") in NOT_READ:
                    continue
                expected = vector.get("reads" if "file" in vector else "means")
                try:
                    if "file" in vector:
                        found = opened(vector, folder)
                    else:
                        found = part(vector["part"], bytes.fromhex(vector["bytes"]), vector["counts"])
                except Refused:
                    found = None
                count += 1
                if json.dumps(found, sort_keys=True) != json.dumps(expected, sort_keys=True):
                    wrong += 1
                    print("%s, %s: %s, not %s" % (name_, vector["name"], found, expected), file=sys.stderr)
    print("%d vectors" % count)
    return int(wrong > 0)


def main(arguments):
    command, path, *rest = arguments
    out = sys.stdout.buffer
    if command == "vectors":
        return vectors(path)
    if command == "part":
        print(json.dumps(part(path, bytes.fromhex(rest[0]), [int(number) for number in rest[1:]]), ensure_ascii=False))
        return 0
    with open(path, "rb") as file:
        archive = Archive(file.read())
    if command == "digest":
        print(digest(archive))
    elif command == "fen":
        wanted = [pair_.replace(":", " ").split() for pair_ in (rest or sys.stdin)]
        requests = {}
        for index, (game, ply) in enumerate(wanted):
            requests.setdefault(int(game), []).append((int(ply), index))
        fens = [None] * len(wanted)
        for game in archive.games(requests):
            plies = dict()
            for ply, index in requests[game.number]:
                plies.setdefault(ply, []).append(index)
            for at, position in enumerate(game.positions()):
                for index in plies.pop(at, ()):
                    fens[index] = position.fen()
            need(not plies, "no such ply")
        need(None not in fens, "no such game")
        sys.stdout.write("".join(fen + "\n" for fen in fens))
    elif command == "tags":
        for game in archive.games({int(number) for number in rest} or None):
            for key, value in game.tags():
                out.write(b"%d %s %s\n" % (game.number, key, value))
    elif command == "source":
        out.write(source_bytes(archive, int(rest[0]) if rest else 0))
    elif command == "metadata":
        metadata = {}
        for block in archive.blocks:
            if (block.kind, block.coding) == (128, 0):
                metadata.update(pairs(block.checked(), block.count))
        for key, value in sorted(metadata.items()):
            if value:
                out.write(b"%s %s\n" % (key, value))
    elif command == "blocks":
        for block in archive.blocks:
            kind = KINDS[block.kind] if block.kind < len(KINDS) else SKIPPABLE.get(block.kind, "kind %d" % block.kind)
            print(block.offset, kind, block.coding, block.first, block.count, block.length)
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return completeness(archive)


def completeness(archive):
    """Returns the exit code for an archive that was read without a refusal. Reports whether games may be missing."""
    if archive.incomplete:
        print("games may be missing", file=sys.stderr)
    return int(archive.incomplete)


def run(main):
    """Ends the program with the exit code of `main`, which gets the arguments; a refusal is 1, a missing file 3."""
    try:
        sys.exit(main(sys.argv[1:] if len(sys.argv) > 2 else ["", "/dev/null"]))
    except Refused as fault:
        print("refused: %s" % fault, file=sys.stderr)
        sys.exit(1)
    except FileNotFoundError as fault:
        print("missing: %s" % fault.filename, file=sys.stderr)
        sys.exit(3)


if __name__ == "__main__":
    run(main)
