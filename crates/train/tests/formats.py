"""A second reader and writer of training data, for tests: written from the layouts alone, without the crate's code.

    formats.py decode FORMAT FILE           prints an entry a line
    formats.py encode FORMAT FILE SEED      reads entries and writes FILE; a seed above 0 fills unused bytes at random

An entry is `FEN|move|score|ply|result`: the move in UCI, score and result (-1, 0, 1) from White's point of view, `-` for
a field that the format does not have. The FEN of bulletformat has the side to move as White.
"""

import random
import struct
import sys

PIECES = "PNBRQKpnbrqk"


class Board:
    """A position of standard chess: squares from a1 = 0, rights as letters, the target only if a capture is legal."""

    def __init__(self, fen):
        place, self.turn, rights, target, half, full = fen.split()
        self.squares = [None] * 64
        for rank, row in enumerate(place.split("/")):
            file = 0
            for letter in row:
                if letter.isdigit():
                    file += int(letter)
                else:
                    self.squares[(7 - rank) * 8 + file] = letter
                    file += 1
        self.rights = "" if rights == "-" else rights
        self.target = None if target == "-" else name_square(target)
        self.half, self.full = int(half), int(full)

    def fen(self):
        rows = []
        for rank in range(7, -1, -1):
            row, empty = "", 0
            for letter in self.squares[rank * 8 : rank * 8 + 8]:
                if letter is None:
                    empty += 1
                    continue
                row += (str(empty) if empty else "") + letter
                empty = 0
            rows.append(row + (str(empty) if empty else ""))
        target = "-" if self.target is None else square_name(self.target)
        return f"{'/'.join(rows)} {self.turn} {self.rights or '-'} {target} {self.half} {self.full}"

    def is_own(self, square):
        letter = self.squares[square]
        return letter is not None and letter.isupper() == (self.turn == "w")

    def own(self):
        return [square for square in range(64) if self.is_own(square)]

    def slides(self, square, steps, reach=8):
        """The squares that a piece reaches in these directions, up to and including the first piece."""
        found = []
        for df, dr in steps:
            file, rank = square % 8, square // 8
            for _ in range(reach):
                file, rank = file + df, rank + dr
                if not (0 <= file < 8 and 0 <= rank < 8):
                    break
                found.append(rank * 8 + file)
                if self.squares[rank * 8 + file]:
                    break
        return found

    def attacks(self, square):
        kind = self.squares[square].lower()
        straight, diagonal = [(1, 0), (-1, 0), (0, 1), (0, -1)], [(1, 1), (1, -1), (-1, 1), (-1, -1)]
        if kind == "n":
            return self.slides(square, [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)], 1)
        if kind == "k":
            return self.slides(square, straight + diagonal, 1)
        if kind == "p":
            forward = 1 if self.squares[square] == "P" else -1
            return self.slides(square, [(1, forward), (-1, forward)], 1)
        steps = {"b": diagonal, "r": straight, "q": straight + diagonal}[kind]
        return self.slides(square, steps)

    def is_attacked(self, square, by_white):
        return any(
            letter and letter.isupper() == by_white and square in self.attacks(at)
            for at, letter in enumerate(self.squares)
        )

    def copy(self):
        return Board(self.fen())

    def targets(self, start):
        """The targets of the piece on a square in the order of binpack, with castlings as king takes rook."""
        letter = self.squares[start]
        if letter.lower() == "p":
            step, first = (8, 1) if letter == "P" else (-8, 6)
            found = []
            if self.squares[start + step] is None:
                found.append(start + step)
                if start // 8 == first and self.squares[start + 2 * step] is None:
                    found.append(start + 2 * step)
            for square in self.attacks(start):
                piece = self.squares[square]
                if square == self.target or (piece and not self.is_own(square)):
                    found.append(square)
            return sorted(found)
        found = sorted(square for square in self.attacks(start) if not self.is_own(square))
        if letter.lower() == "k":
            for right, rook in (("Q", 0), ("K", 7)):
                if (right if self.turn == "w" else right.lower()) in self.rights:
                    found.append(rook if self.turn == "w" else rook + 56)
        return found

    def play(self, start, end, promotion=None):
        """Plays a move; castling is king takes rook."""
        piece, white = self.squares[start], self.turn == "w"
        is_capture = self.squares[end] is not None
        self.squares[start] = None
        target, self.target = self.target, None
        if piece.lower() == "k" and self.squares[end] == ("R" if white else "r"):
            self.squares[end] = None
            home = start - start % 8
            king, rook = (home + 6, home + 5) if end > start else (home + 2, home + 3)
            self.squares[king], self.squares[rook] = piece, "R" if white else "r"
            is_capture = False
        else:
            if piece.lower() == "p" and end == target:
                self.squares[end - 8 if white else end + 8] = None
            self.squares[end] = piece
            if promotion:
                self.squares[end] = promotion.upper() if white else promotion
        lost = {4: "KQ", 7: "K", 0: "Q", 60: "kq", 63: "k", 56: "q"}
        gone = lost.get(start, "") + lost.get(end, "")
        self.rights = "".join(right for right in self.rights if right not in gone)
        self.half = 0 if is_capture or piece.lower() == "p" else self.half + 1
        self.full += not white
        self.turn = "b" if white else "w"
        if piece.lower() == "p" and abs(end - start) == 16:
            self.set_target((start + end) // 2)

    def set_target(self, target):
        """Sets the target if a pawn can capture there without leaving its king in check."""
        for start in self.own():
            if self.squares[start].lower() != "p" or target not in self.attacks(start):
                continue
            after = self.copy()
            after.target = target
            white = self.turn == "w"
            pawn, after.squares[start] = after.squares[start], None
            after.squares[target], after.squares[target - 8 if white else target + 8] = pawn, None
            king = after.squares.index("K" if white else "k")
            if not after.is_attacked(king, not white):
                self.target = target
                return


def name_square(name):
    return ord(name[0]) - 97 + 8 * (int(name[1]) - 1)


def square_name(square):
    return "abcdefgh"[square % 8] + str(square // 8 + 1)


def move_name(board, start, end, promotion):
    if board.squares[start].lower() == "k" and board.is_own(end):
        end = start + 2 if end > start else start - 2
    return square_name(start) + square_name(end) + (promotion or "")


def read_move(board, text):
    """Returns from, to and promotion, with castling as king takes rook, and the kind of the move."""
    start, end, promotion = name_square(text[:2]), name_square(text[2:4]), text[4:] or None
    piece = board.squares[start].lower()
    if piece == "k" and abs(end - start) == 2 and start % 8 == 4:
        return start, (start // 8) * 8 + (7 if end > start else 0), None, "castling"
    if piece == "p" and end == board.target:
        return start, end, None, "en passant"
    return start, end, promotion, "promotion" if promotion else "normal"


def entry(board, move, score, ply, result):
    return f"{board.fen()}|{move}|{score}|{ply}|{result}"


def is_castling_rook(board, square):
    corners = {0: "Q", 7: "K", 56: "q", 63: "k"}
    return square in corners and corners[square] in board.rights


def from_nibbles(occupied, nibbles):
    squares = [square for square in range(64) if occupied >> square & 1]
    return {square: nibbles[index // 2] >> (index % 2 * 4) & 15 for index, square in enumerate(squares)}


def to_nibbles(codes):
    nibbles, occupied = bytearray(16), 0
    for index, square in enumerate(sorted(codes)):
        nibbles[index // 2] |= codes[square] << (index % 2 * 4)
        occupied |= 1 << square
    return occupied, bytes(nibbles)


# --- viriformat and marlinformat ---


def read_packed(data):
    occupied, nibbles, flags, half, full, score, result, _ = struct.unpack("<Q16sBBHhBB", data)
    board = Board(f"8/8/8/8/8/8/8/8 {'b' if flags & 128 else 'w'} - - {half} {full}")
    rooks = []
    for square, code in from_nibbles(occupied, nibbles).items():
        kind = "pnbrqkr"[code & 7]
        board.squares[square] = kind if code & 8 else kind.upper()
        if code & 7 == 6:
            rooks.append(square)
    board.rights = "".join(right for right, corner in zip("KQkq", (7, 0, 63, 56)) if corner in rooks)
    board.target = None if flags & 127 == 64 else flags & 127
    return board, score, result - 1


def write_packed(board, score, result, noise, clocks=True):
    codes = {}
    for square, letter in enumerate(board.squares):
        if letter:
            kind = 6 if is_castling_rook(board, square) else "pnbrqk".index(letter.lower())
            codes[square] = kind | (8 if letter.islower() else 0)
    occupied, nibbles = to_nibbles(codes)
    flags = (128 if board.turn == "b" else 0) | (64 if board.target is None else board.target)
    half, full = (board.half, board.full) if clocks else (0, 0)
    return struct.pack("<Q16sBBHhBB", occupied, nibbles, flags, half, full, score, result + 1, noise(256))


def decode_viriformat(data):
    at = 0
    while at < len(data):
        board, _, result = read_packed(data[at : at + 32])
        ply = 2 * (board.full - 1) + (board.turn == "b")
        at += 32
        while True:
            word, score = struct.unpack_from("<Hh", data, at)
            at += 4
            if word == 0:
                break
            start, end, kind = word & 63, word >> 6 & 63, word >> 14
            promotion = "nbrq"[word >> 12 & 3] if kind == 3 else None
            yield entry(board, move_name(board, start, end, promotion), score, ply, result)
            board.play(start, end, promotion)
            ply += 1


def encode_viriformat(games, noise):
    for game in games:
        board, _, _, _, result = game[0]
        yield write_packed(board, noise(1000) - 500 if noise(2) else 0, result, noise, noise(3) != 1)
        for board, move, score, _, _ in game:
            start, end, promotion, kind = read_move(board, move)
            number = {"normal": 0, "en passant": 1, "castling": 2, "promotion": 3}[kind]
            part = "nbrq".index(promotion) if promotion else (noise(4) if noise(50) == 1 else 0)
            yield struct.pack("<Hh", start | end << 6 | part << 12 | number << 14, score)
        yield bytes(4)


def decode_marlin(data):
    for at in range(0, len(data), 32):
        board, score, result = read_packed(data[at : at + 32])
        yield entry(board, "-", score, "-", result)


def encode_marlin(games, noise):
    for game in games:
        for board, _, score, _, result in game:
            yield write_packed(board, score, result, noise)


# --- bulletformat ---


def decode_bullet(data):
    for at in range(0, len(data), 32):
        occupied, nibbles, score, result, own, other, _ = struct.unpack("<Q16shBBB3s", data[at : at + 32])
        board = Board("8/8/8/8/8/8/8/8 w - - 0 1")
        for square, code in from_nibbles(occupied, nibbles).items():
            kind = "pnbrqk"[code & 7]
            board.squares[square] = kind if code & 8 else kind.upper()
        assert board.squares[own] == "K" and board.squares[other ^ 56] == "k"
        yield entry(board, "-", score, "-", result - 1)


def encode_bullet(games, noise):
    for game in games:
        for board, _, score, _, result in game:
            flip, sign = (0, 1) if board.turn == "w" else (56, -1)
            codes = {}
            for square, letter in enumerate(board.squares):
                if letter:
                    theirs = 0 if board.is_own(square) else 8
                    codes[square ^ flip] = "pnbrqk".index(letter.lower()) | theirs
            occupied, nibbles = to_nibbles(codes)
            king = {code: square for square, code in codes.items() if code & 7 == 5}
            extra = bytes(noise(256) for _ in range(3))
            values = (sign * score, sign * result + 1, king[5], king[13] ^ 56, extra)
            yield struct.pack("<Q16shBBB3s", occupied, nibbles, *values)


# --- .bin ---


def decode_bin(data):
    for at in range(0, len(data), 40):
        packed, score, word, ply, result, _ = struct.unpack("<32shHHbB", data[at : at + 40])
        bits = int.from_bytes(packed, "little")

        def take(width):
            nonlocal bits
            number = bits & ((1 << width) - 1)
            bits >>= width
            return number

        board = Board("8/8/8/8/8/8/8/8 w - - 0 1")
        board.turn = "b" if take(1) else "w"
        board.squares[take(6)], board.squares[take(6)] = "K", "k"
        for rank in range(7, -1, -1):
            for square in range(rank * 8, rank * 8 + 8):
                if board.squares[square] is None and take(1):
                    letter = "pnbrq"[take(3)]
                    board.squares[square] = letter if take(1) else letter.upper()
        board.rights = "".join(right for right in "KQkq" if take(1))
        board.target = take(6) if take(1) else None
        low = take(6)
        board.full = take(8) | take(8) << 8
        board.half = low | take(1) << 6
        end, start, kind = word & 63, word >> 6 & 63, word >> 14
        promotion = "nbrq"[word >> 12 & 3] if kind == 1 else None
        sign = 1 if board.turn == "w" else -1
        yield entry(board, move_name(board, start, end, promotion), sign * score, ply, sign * result)


def encode_bin(games, noise):
    padding = 255 if noise(2) == 0 else noise(256)
    for game in games:
        for board, move, score, ply, result in game:
            bits, at = 0, 0

            def push(number, width):
                nonlocal bits, at
                bits |= number << at
                at += width

            push(board.turn == "b", 1)
            push(board.squares.index("K"), 6)
            push(board.squares.index("k"), 6)
            for rank in range(7, -1, -1):
                for square in range(rank * 8, rank * 8 + 8):
                    letter = board.squares[square]
                    if letter is None:
                        push(0, 1)
                    elif letter.lower() != "k":
                        push(1 | "pnbrq".index(letter.lower()) << 1, 4)
                        push(letter.islower(), 1)
            for right in "KQkq":
                push(right in board.rights, 1)
            push(board.target is not None, 1)
            if board.target is not None:
                push(board.target, 6)
            push(board.half & 63, 6)
            push(board.full & 255, 8)
            push(board.full >> 8, 8)
            push(board.half >> 6, 1)
            start, end, promotion, kind = read_move(board, move)
            number = {"normal": 0, "promotion": 1, "en passant": 2, "castling": 3}[kind]
            word = end | start << 6 | ("nbrq".index(promotion) << 12 if promotion else 0) | number << 14
            sign = 1 if board.turn == "w" else -1
            yield bits.to_bytes(32, "little")
            last = noise(256) if noise(20) == 1 else padding
            yield struct.pack("<hHHbB", sign * score, word, ply, sign * result, last)


# --- .plain and bullet's text ---


def decode_plain(data):
    fields = {}
    for line in data.decode().splitlines():
        key, _, value = line.partition(" ")
        fields[key] = value
        if key == "e":
            board = Board(fields["fen"])
            sign = 1 if board.turn == "w" else -1
            score, result = sign * int(fields["score"]), sign * int(fields["result"])
            yield entry(board, fields["move"], score, fields["ply"], result)
            fields = {}


def encode_plain(games, noise):
    for game in games:
        for board, move, score, ply, result in game:
            sign = 1 if board.turn == "w" else -1
            text = f"fen {board.fen()}\nmove {move}\nscore {sign * score}\nply {ply}\nresult {sign * result}\ne\n"
            yield text.encode()


def decode_bullettext(data):
    for line in data.decode().splitlines():
        fen, score, result = line.split(" | ")
        yield entry(Board(fen), "-", score, "-", {"1.0": 1, "0.5": 0, "0.0": -1}[result])


def encode_bullettext(games, noise):
    for game in games:
        for board, _, score, _, result in game:
            yield f"{board.fen()} | {score} | {(result + 1) / 2}\n".encode()


# --- binpack ---


def unsigned(number):
    """Zigzag of 16 bits."""
    number &= 0xFFFF
    if number & 0x8000:
        number ^= 0x7FFF
    return (number << 1 | number >> 15) & 0xFFFF


def signed(number):
    number = number >> 1 | (number & 1) << 15
    if number & 0x8000:
        number ^= 0x7FFF
    return number - 0x10000 if number & 0x8000 else number


def wrap(number):
    return (number + 0x8000 & 0xFFFF) - 0x8000


def width(count):
    return (count - 1).bit_length() if count > 1 else 0


def decode_binpack(data):
    at = 0
    while at < len(data):
        assert data[at : at + 4] == b"BINP"
        size = struct.unpack_from("<I", data, at + 4)[0]
        block, at = data[at + 8 : at + 8 + size], at + 8 + size
        while block:
            used = yield from decode_chain(block)
            block = block[used:]


def decode_chain(block):
    occupied, nibbles, word, score, ply, rule50, count = struct.unpack(">Q16sHHHHH", block[:34])
    result, ply = signed(ply >> 14), ply & 0x3FFF
    board = Board(f"8/8/8/8/8/8/8/8 w - - {rule50} {ply // 2 + 1}")
    rooks = []
    for square, code in from_nibbles(occupied, nibbles).items():
        if code < 12:
            letter = "PpNnBbRrQqKk"[code]
        elif code == 12:
            letter = "P" if square < 32 else "p"
            board.target = square - 8 if square < 32 else square + 8
        else:
            letter = {13: "R", 14: "r", 15: "k"}[code]
            if code == 15:
                board.turn = "b"
            else:
                rooks.append((letter, square))
        board.squares[square] = letter
    board.rights = "".join(
        right
        for right, corner in zip("KQkq", (("R", 7), ("R", 0), ("r", 63), ("r", 56)))
        if corner in rooks
    )
    start, end, kind = word >> 8 & 63, word >> 2 & 63, word >> 14
    promotion = "nbrq"[word & 3] if kind == 1 else None
    score = signed(score)
    bits, at = block[34:], 0

    def take(count):
        nonlocal at
        number = 0
        for _ in range(count):
            number = number << 1 | bits[at // 8] >> (7 - at % 8) & 1
            at += 1
        return number

    while True:
        sign = 1 if board.turn == "w" else -1
        yield entry(board, move_name(board, start, end, promotion), sign * score, ply, sign * result)
        board.play(start, end, promotion)
        ply, result, last = ply + 1, -result, wrap(-score)
        if count == 0:
            return 34 + (at + 7) // 8
        count -= 1
        own = board.own()
        start = own[take(width(len(own)))]
        targets, promotion = board.targets(start), None
        if board.squares[start].lower() == "p" and start // 8 == (6 if board.turn == "w" else 1):
            number = take(width(4 * len(targets)))
            end, promotion = targets[number // 4], "nbrq"[number % 4]
        else:
            end = targets[take(width(len(targets)))]
        delta, shift = 0, 0
        while True:
            group = take(5)
            delta |= (group & 15) << shift
            shift += 4
            if not group & 16:
                break
        score = wrap(last + signed(delta))


def encode_binpack(games, noise):
    chains = b"".join(encode_chain(game) for game in games)
    yield b"BINP" + struct.pack("<I", len(chains)) + chains


def encode_chain(game):
    board, move, score, ply, result = game[0]
    codes = {}
    for square, letter in enumerate(board.squares):
        if letter is None:
            continue
        code = "PpNnBbRrQqKk".index(letter)
        if board.target is not None and square in (board.target - 8, board.target + 8) and letter.lower() == "p":
            is_passed = square == board.target + (8 if board.turn == "b" else -8)
            code = 12 if is_passed else code
        elif is_castling_rook(board, square):
            code = 13 if letter == "R" else 14
        elif letter == "k" and board.turn == "b":
            code = 15
        codes[square] = code
    occupied, nibbles = to_nibbles(codes)
    start, end, promotion, kind = read_move(board, move)
    number = {"normal": 0, "promotion": 1, "castling": 2, "en passant": 3}[kind]
    word = number << 14 | start << 8 | end << 2 | ("nbrq".index(promotion) if promotion else 0)
    sign = 1 if board.turn == "w" else -1
    flags = ply | unsigned(sign * result) << 14 & 0xC000
    stem = struct.pack(">Q16sHHHHH", occupied, nibbles, word, unsigned(sign * score), flags, board.half, len(game) - 1)
    bits, last = "", wrap(-sign * score)

    def push(number, count):
        nonlocal bits
        bits += format(number, f"0{count}b") if count else ""

    for board, move, score, _, _ in game[1:]:
        own, sign = board.own(), 1 if board.turn == "w" else -1
        start, end, promotion, _ = read_move(board, move)
        push(own.index(start), width(len(own)))
        targets = board.targets(start)
        if promotion:
            push(targets.index(end) * 4 + "nbrq".index(promotion), width(4 * len(targets)))
        else:
            push(targets.index(end), width(len(targets)))
        delta = unsigned(wrap(sign * score - last))
        while True:
            more = delta >> 4 != 0
            push(delta & 15 | more << 4, 5)
            delta >>= 4
            if not more:
                break
        last = wrap(-sign * score)
    bits += "0" * (-len(bits) % 8)
    return stem + bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits), 8))


def read_games(lines):
    """Cuts entries into games: an entry that does not follow the one before begins a game."""
    games, after = [], None
    for line in lines:
        fen, move, score, ply, result = line.rstrip("\n").split("|")
        board = Board(fen)
        if after is None or after != (fen, int(ply), result):
            games.append([])
        games[-1].append((board, move, int(score), int(ply), int(result)))
        following = board.copy()
        start, end, promotion, _ = read_move(board, move)
        following.play(start, end, promotion)
        after = (following.fen(), int(ply) + 1, result)
    return games


def main():
    _, what, form, path, *seed = sys.argv
    if what == "decode":
        with open(path, "rb") as file:
            for line in globals()["decode_" + form](file.read()):
                print(line)
        return
    seeded = random.Random(int(seed[0]))
    noise = (lambda limit: seeded.randrange(limit)) if int(seed[0]) else (lambda limit: 0)
    if form == "bin" and not int(seed[0]):
        noise = lambda limit: 0
    with open(path, "wb") as file:
        for part in globals()["encode_" + form](read_games(sys.stdin), noise):
            file.write(part)


main()
