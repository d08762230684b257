#!/usr/bin/env python3
"""Calls libscoresheet wrongly: `matrix.py LIBRARY HEADER ARCHIVE [FOLDER OF HOSTILE FILES]`.

Reads the functions and their parameters from the header, so a new function is tested, or fails the test until its
arguments are known here. Each pointer is NULL once; each structure has wrong sizes; each hostile file is opened, read
and verified. A crash ends the process, and with it the test.
"""
import ctypes
import pathlib
import re
import sys

OK, END, NOT_FOUND, INVALID, UNSUPPORTED = 0, 1, 2, 3, 9
# Pointers that may be NULL: the function, or `*`, and the parameter. All free functions accept NULL.
MAY_BE_NULL = {
    ("*", "options"), ("*", "progress"), ("*", "user"), ("*", "error"),
    ("scoresheet_error_code", "error"),
    ("scoresheet_game_number", "game"), ("scoresheet_game_plies", "game"), ("scoresheet_game_result", "game"),
}
SIZES = {"scoresheet_open_options": 24, "scoresheet_import_options": 24, "scoresheet_import_summary": 48}


def functions(header):
    """Returns the functions of the header: name -> (type of the result, [(type, name of the parameter)])."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    text = re.sub(r"^\s*#.*?(?<!\\)$", "", text, flags=re.M | re.S)
    text = re.sub(r"typedef\s+struct\s*\{.*?\}\s*\w+;", "", text, flags=re.S)
    text = re.sub(r"typedef[^;]*;", "", text)
    found = {}
    for result, name, parameters in re.findall(r"([\w \*]+?)\b(scoresheet_\w+)\(([^)]*)\);", text):
        pairs = []
        for parameter in parameters.split(","):
            if parameter.strip() != "void":
                kind, parameter = re.fullmatch(r"\s*(.*?)(\w+)\s*", parameter, flags=re.S).groups()
                pairs.append((" ".join(kind.split()), parameter))
        found[name] = (result.strip(), pairs)
    return found


PROGRESS = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_uint64)
TEXT_SINK = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t)
BRANCH_SINK = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)
LENGTH = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)
READ = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t)
CALLBACKS = {
    "scoresheet_progress": PROGRESS(lambda user, done: 0),
    "scoresheet_text_sink": TEXT_SINK(lambda user, index, text, length: 0),
    "scoresheet_branch_sink": BRANCH_SINK(lambda user, branch: 0),
}
INTEGERS = {"size_t": ctypes.c_size_t, "uint64_t": ctypes.c_uint64, "uint32_t": ctypes.c_uint32,
            "int32_t": ctypes.c_int32}


class Reader(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("user", ctypes.c_void_p), ("length", LENGTH), ("read_at", READ),
                ("release", ctypes.c_void_p)]


class Library:
    def __init__(self, path, header, archive):
        self.library, self.functions = ctypes.CDLL(path), functions(header)
        self.archive_path, self.bytes = str(archive).encode(), archive.read_bytes()
        for name, (result, _) in self.functions.items():
            function = getattr(self.library, name)
            function.restype = {"int32_t": ctypes.c_int32, "uint32_t": ctypes.c_uint32, "uint64_t": ctypes.c_uint64,
                                "void": None}.get(result, ctypes.c_void_p)

    def made(self, name, *arguments):
        """Returns the object that a function makes through its pointer before the last parameter."""
        made = ctypes.c_void_p()
        code = getattr(self.library, name)(*arguments, ctypes.byref(made), None)
        assert code == OK, (name, code)
        return made

    def open(self):
        return self.made("scoresheet_open_path", self.archive_path, ctypes.c_size_t(len(self.archive_path)), None)

    def object(self, kind):
        """Returns a new object."""
        if kind == "scoresheet_archive":
            return self.open()
        if kind == "scoresheet_query":
            return self.made("scoresheet_query_parse", b"elo > 1", ctypes.c_size_t(7))
        if kind == "scoresheet_import":
            target = self.archive_path + b".never"
            return self.made("scoresheet_import_new", target, ctypes.c_size_t(len(target)), None)
        if kind == "scoresheet_error":
            error = ctypes.c_void_p()
            self.library.scoresheet_games(None, None, ctypes.byref(error))
            return error
        archive = self.open()
        if kind == "scoresheet_game":
            made = self.made("scoresheet_game_open", archive, ctypes.c_uint64(1))
        else:
            query = self.object("scoresheet_query")
            made = self.made("scoresheet_find", archive, query)
            self.library.scoresheet_query_free(query)
        self.library.scoresheet_close(archive)
        return made

    def free(self, kind, made):
        names = {"scoresheet_archive": "scoresheet_close"}
        getattr(self.library, names.get(kind, kind + "_free"))(made)

    def arguments(self, name, parameters):
        """Returns valid arguments, and the objects to free afterwards."""
        values, made = [], []
        for index, (kind, parameter) in enumerate(parameters):
            plain = kind.replace("const ", "").replace(" ", "")
            if plain in CALLBACKS:
                values.append(CALLBACKS[plain])
            elif plain in INTEGERS:
                before = values[-1] if index and isinstance(values[-1], bytes) else None
                values.append(INTEGERS[plain](len(before) if before is not None else 1))
            elif re.fullmatch(r"scoresheet_(archive|game|query|cursor|import|error)\*", plain):
                made.append((plain[:-1], self.object(plain[:-1])))
                values.append(made[-1][1])
            elif plain == "scoresheet_reader*":
                read = lambda user, offset, out, size: self.read(offset, out, size)
                self.kept = (LENGTH(lambda user: len(self.bytes)), READ(read))
                values.append(ctypes.pointer(Reader(ctypes.sizeof(Reader), None, *self.kept, None)))
            elif plain[:-1] in SIZES:
                structure = (ctypes.c_size_t * (SIZES[plain[:-1]] // 8))(SIZES[plain[:-1]])
                values.append(structure)
            elif kind == "const char *":
                texts = {"path": self.archive_path, "name": b"White", "text": b"elo > 1", "fen": b"startpos"}
                values.append(texts[parameter])
            elif kind == "const uint8_t *":
                values.append(self.bytes)
            elif kind in ("const uint64_t *", "const uint32_t *"):
                values.append((ctypes.c_uint64 * 1)(1))
            elif plain == "void*":
                values.append(None)
            else:
                assert plain.endswith("*"), f"{name}: no argument for {kind} {parameter}"
                values.append(ctypes.create_string_buffer(64))
        return values, made

    def read(self, offset, out, size):
        part = self.bytes[offset:offset + size]
        ctypes.memmove(out, part, len(part))
        return len(part)

    def call(self, name, changes):
        """Calls a function with valid arguments except for `changes` by index. Returns its result."""
        _, parameters = self.functions[name]
        values, made = self.arguments(name, parameters)
        given = [changes.get(index, value) for index, value in enumerate(values)]
        result = getattr(self.library, name)(*given)
        frees = name.endswith("_free") or name == "scoresheet_close"
        for index, (kind, parameter) in enumerate(parameters):
            plain = kind.replace("const ", "").replace(" ", "")
            if plain.endswith("**") and plain.startswith("scoresheet_") and given[index] is not None:
                # A new object, or an error.
                self.free(plain[:-2], ctypes.c_void_p.from_buffer(given[index]))
        for kind, value in made:
            if not (frees and 0 not in changes):
                self.free(kind, value)
        return result


def null_matrix(library):
    calls = 0
    for name, (result, parameters) in library.functions.items():
        if name != "scoresheet_import_run":  # the import of the matrix has no source
            valid = library.call(name, {})
            assert result != "int32_t" or valid in (OK, END, INVALID) and (valid != INVALID or "error" in name), (
                name, valid)
        for index, (kind, parameter) in enumerate(parameters):
            if not kind.endswith("*") and kind not in CALLBACKS:
                continue
            code = library.call(name, {index: None})
            calls += 1
            may = ("*", parameter) in MAY_BE_NULL and name != "scoresheet_error_message" and \
                name != "scoresheet_error_place" or (name, parameter) in MAY_BE_NULL
            if result == "int32_t" and not may:
                assert code == INVALID, f"{name}: NULL for {parameter} returns {code}"
    return calls


def size_matrix(library):
    calls = 0
    for name, (_, parameters) in library.functions.items():
        for index, (kind, parameter) in enumerate(parameters):
            plain = kind.replace("const ", "").replace(" ", "")[:-1]
            if plain not in SIZES:
                continue
            for size in (0, 1, 7, 1 << 20, (1 << 64) - 1):
                wrong = (ctypes.c_size_t * 16)(size)
                assert library.call(name, {index: wrong}) == INVALID, (name, parameter, size)
                calls += 1
            if parameter == "options":
                longer = (ctypes.c_size_t * 16)(128)
                assert library.call(name, {index: longer}) == OK, (name, "a longer structure of zeros")
                longer[15] = 1
                assert library.call(name, {index: longer}) == UNSUPPORTED, (name, "an unknown option")
                calls += 2
    return calls


def hostile(library, paths):
    """Opens each file and cut and changed copies, and reads all that opens."""
    files = calls = 0
    for path in paths:
        data = path.read_bytes()[:1 << 20]
        copies = [data, data[:len(data) // 2], data[:-1], data[4096:]]
        for place in range(0, len(data), max(1, len(data) // 8)):
            changed = bytearray(data)
            changed[place] ^= 0x41
            copies.append(bytes(changed))
        for copy in copies:
            files += 1
            archive = ctypes.c_void_p()
            length = ctypes.c_size_t(len(copy))
            code = library.library.scoresheet_open_bytes(copy, length, None, ctypes.byref(archive), None)
            assert 0 <= code <= 12 and code != 11, (path, code)
            if code != OK:
                assert not archive, path
                continue
            count = ctypes.c_uint64()
            assert library.library.scoresheet_games(archive, ctypes.byref(count), None) == OK
            needed = ctypes.c_size_t()
            for number in range(1, min(count.value, 20) + 1):
                game = ctypes.c_void_p()
                code = library.library.scoresheet_game_open(archive, ctypes.c_uint64(number), ctypes.byref(game), None)
                if code == OK:
                    codes = [
                        library.library.scoresheet_game_pgn(game, None, ctypes.c_size_t(0), ctypes.byref(needed), None),
                        library.library.scoresheet_game_moves(game, None, ctypes.c_size_t(0), ctypes.byref(needed), None),
                        library.library.scoresheet_game_tag_count(game, ctypes.byref(needed), None),
                    ]
                    assert 11 not in codes, (path, codes)
                    library.library.scoresheet_game_free(game)
                calls += 4
            code = library.library.scoresheet_verify(archive, 1, None, None, None)
            assert code != 11, path
            library.library.scoresheet_close(archive)
    return files, calls


def main():
    header = pathlib.Path(sys.argv[2]).read_text()
    library = Library(sys.argv[1], header, pathlib.Path(sys.argv[3]))
    listed = (pathlib.Path(__file__).parent.parent / "symbols.txt").read_text().split()
    assert sorted(library.functions) == sorted(listed), set(library.functions) ^ set(listed)
    print(f"{null_matrix(library)} calls with a NULL pointer, {size_matrix(library)} with a wrong size")
    if len(sys.argv) > 4:
        paths = sorted(pathlib.Path(sys.argv[4]).rglob("*.bga"))
        assert paths, "no hostile files"
        files, calls = hostile(library, paths)
        print(f"{files} hostile files of {len(paths)} archives, {calls} calls")


if __name__ == "__main__":
    main()
