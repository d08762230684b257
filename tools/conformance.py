#!/usr/bin/env python3
"""Runs a reader of Scoresheet archives on the files in testdata/conformance, and compares its results.

    python3 tools/conformance.py --levels ABCP -- python3 tools/reader.py
    python3 tools/conformance.py --levels S -- python3 tools/side_files.py
    python3 tools/conformance.py --levels AP -- ./reader
    python3 tools/conformance.py --scoresheet target/release/scoresheet

After `--` comes the reader's command. The runner calls it with these arguments, for the named levels (FORMAT.md,
section 2):

    fen ARCHIVE           A: the FENs of the games and plies on standard input (`GAME PLY` a line), one a line
    tags ARCHIVE GAME ..  A: the tag pairs of these games, `GAME NAME VALUE` a line
    digest ARCHIVE        B: the content digest in hexadecimal
    source ARCHIVE N      C: the bytes of source N, from 0

P means that the reader also does so for archives of packed moves. A reader of side files (sections 19 to 21) gets the
calls below, with the archive beside the file; only such readers get the calls of S:

    rows FILE             S: the rows of a side file, for the games of valid segments, in the order of games:
                          .bgs  `GAME HEX16`, the signature
                          .bgp  `facts GAME HEX16`, then for each entry of the game `place GAME PLY HEX`, the kept
                                bits in as many digits as they need
                          .bgh  `GAME plies N`, `GAME facts N`, `GAME line HEX8`, then `GAME tag NAME VALUE` and
                                `GAME measure NAME N`, each by the bytes of the names
    positions ARCHIVE     S: for each FEN on standard input a line with the places of the position in main lines of
                          games that are not deleted, ascending: `GAME:PLY GAME:PLY ..`. Clocks do not count. Missing,
                          stale and damaged side files change no answer

A reader's exit code is 0, or 1 if it refuses something or games may be missing, whatever it has written. Other codes,
and an end by a signal, are failures. With `--scoresheet` the runner uses the command line of this project's command.

expected.json and other lists `expected*.json` have these members for each file:

- whether it `opens`, and whether games may be missing (`incomplete`);
- the games with readable moves, their plies, and the SHA-256 of their FENs from ply 0 on;
- the games whose moves a reader refuses, with the first refused ply (null if only the end shows the fault);
- the games whose tags a reader refuses, and the SHA-256 of the tags;
- the digest (null if a reader refuses it), and the SHA-256 of each exact source.

side.json and side-1.1.json have for each set of three side files the archive, the rows of each file (null if a reader
refuses the file), and FENs with their places. The runner copies archive and side files into a temporary folder. It ends
with 1 if anything differs. Needs Python 3.8.
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

SUITE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "testdata", "conformance")


class Reader:
    """A reader with the command line above."""

    def __init__(self, command):
        self.command = command

    def call(self, arguments, text=""):
        done = subprocess.run(
            self.command + arguments, input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace").strip()

    def fen(self, path, pairs):
        return self.call(["fen", path], "".join("%d %d\n" % pair for pair in pairs))

    def refused(self, path, game, ply):
        """Returns the result of a request for a missing position."""
        return self.fen(path, [(game, ply)])

    def tags(self, path, games):
        return self.call(["tags", path, *map(str, games)])

    def digest(self, path):
        return self.call(["digest", path])

    def source(self, path, number):
        return self.call(["source", path, str(number)])

    def rows(self, path):
        return self.call(["rows", path])

    def positions(self, path, fens):
        return self.call(["positions", path], "".join(fen + "\n" for fen in fens))


class Scoresheet(Reader):
    """The command of this project: its exit codes 3 to 5 are more specific, and count as 1 here."""

    def call(self, arguments, text=""):
        code, out, message = super().call(arguments, text)
        return (1 if code in (3, 4, 5) else code), out, message

    def fen(self, path, pairs):
        return self.call(["fen", path, "-"], "".join("%d:%d\n" % pair for pair in pairs))

    def refused(self, path, game, ply):
        # `fen` trusts moves with a valid checksum; an export checks them.
        return self.call(["export", path, "--games", str(game)])

    def tags(self, path, games):
        """Returns the rest of a game; nothing if it is refused."""
        chosen = ",".join(map(str, games))
        code, lines, message = self.call(["export", path, "--format", "json", "--games", chosen])
        found = [json.loads(line) for line in lines.splitlines()]
        if code == 1 and [game["game"] for game in found] != games:
            return None
        pairs = ["%d %s %s\n" % (game["game"], *pair) for game in found for pair in game["tags"]]
        return code, "".join(pairs).encode(), message

    def digest(self, path):
        return self.call(["info", path, "--digest"])

    def source(self, path, number):
        return self.call(["export", path, "--original", "--source", str(number + 1)])


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def found(name, done, good):
    """Reports a wrong exit code: the call must succeed if `good`, and otherwise refuse with a reason."""
    code, out, message = done
    if code not in (0, 1):
        yield "%s: ended with %d: %s" % (name, code, message)
    elif good and code == 1:
        yield "%s: refused: %s" % (name, message)
    elif not good and code == 0:
        yield "%s: not refused" % name
    if code == 1 and not message:
        yield "%s: gives no reason" % name


def check_sides(reader, case, suite):
    """Yields the differences of three side files beside an archive."""
    with tempfile.TemporaryDirectory() as folder:
        archive = os.path.join(folder, "archive.bga")
        shutil.copyfile(os.path.join(suite, case["archive"]), archive)
        for file, rows in case["rows"].items():
            path = os.path.join(folder, "archive" + os.path.splitext(file)[1])
            shutil.copyfile(os.path.join(suite, file), path)
            done = reader.rows(path)
            yield from found("rows of " + file, done, rows is not None)
            if rows is not None and done[0] == 0 and sha256(done[1]) != rows["sha256"]:
                lines = done[1].count(b"\n")
                yield "rows of %s: different rows: %d lines instead of %d" % (file, lines, rows["lines"])
        done = reader.positions(archive, [fen for fen, _ in case["positions"]])
        yield from found("positions", done, True)
        lines = done[1].decode("utf-8", "replace").split("\n")[:-1]
        if done[0] == 0 and len(lines) != len(case["positions"]):
            yield "positions: %d lines for %d" % (len(lines), len(case["positions"]))
        for line, (fen, places) in zip(lines, case["positions"]):
            if line.rstrip() != places:
                yield "positions of %s: %s, not %s" % (fen, line, places)


def check(reader, levels, case, suite):
    """Yields the differences of an archive."""
    path = os.path.join(suite, case["file"])
    games = [game for game, _ in case.get("games", [[1, 0]])]

    def said(name, done, good, expected):
        if done is None:
            return
        yield from found(name, done, good)
        if expected is not None and done[0] in (0, 1) and sha256(done[1]) != expected:
            yield "%s: different output" % name

    if not case["opens"]:
        yield from found("fen", reader.fen(path, [(1, 0)]), False)
        done = reader.tags(path, [1])
        if done is not None:
            yield from found("tags", done, False)
        return
    complete = not case["incomplete"]
    pairs = [(game, ply) for game, plies in case["games"] for ply in range(plies + 1)]
    if pairs:
        yield from said("fen", reader.fen(path, pairs), complete, case["fens"])
        yield from found("fen beyond the end", reader.fen(path, [(pairs[-1][0], pairs[-1][1] + 1)]), False)
    for game, ply in case["refuses_moves"]:
        # If a game's fault is at its end, only the digest must refuse the game.
        if ply is not None:
            yield from found("fen of game %d" % game, reader.refused(path, game, ply), False)
    if case["tagged"]:
        yield from said("tags", reader.tags(path, case["tagged"]), complete, case["tags"])
    for game in case["refuses_tags"]:
        done = reader.tags(path, [game])
        if done is not None:
            yield from found("tags of game %d" % game, done, False)
    if "B" in levels:
        digest = case["digest"]
        done = reader.digest(path)
        yield from found("digest", done, complete and digest is not None)
        if digest is not None and done[1].decode().strip() != digest:
            yield "digest: different"
    if "C" in levels:
        for source in case["sources"]:
            good = source["sha256"] is not None
            done = reader.source(path, source["number"])
            yield from said("source %d" % source["number"], done, complete and good, source["sha256"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--levels", default="ABCP", help="levels, of A, B, C, P, S (default: ABCP)")
    parser.add_argument("--suite", default=SUITE, help="the folder with expected*.json and side*.json")
    parser.add_argument("--sample", type=int, metavar="N", help="the number of archives (default: all)")
    parser.add_argument("--seed", type=int, default=1, help="selects the sample (default: 1)")
    parser.add_argument("--scoresheet", metavar="PROGRAM", help="this project's command instead of a reader")
    parser.add_argument("reader", nargs="*", help="the reader's command, after --")
    arguments = parser.parse_args()
    if bool(arguments.reader) == bool(arguments.scoresheet):
        parser.error("give a reader's command after --, or --scoresheet")
    reader = Scoresheet([arguments.scoresheet]) if arguments.scoresheet else Reader(arguments.reader)
    if "S" in arguments.levels and arguments.scoresheet:
        parser.error("the command has no rows to print: level S is for readers of side files")

    def read(name):
        with open(os.path.join(arguments.suite, name), encoding="utf-8") as file:
            return json.load(file)

    checks = []
    if set("ABC") & set(arguments.levels):
        for name in sorted(os.listdir(arguments.suite)):
            for case in read(name) if name.startswith("expected") else []:
                if case["level"] != "P" or "P" in arguments.levels:
                    done = check(reader, arguments.levels, case, arguments.suite)
                    checks.append((case["file"], case["about"], done))
    if "S" in arguments.levels:
        for case in read("side.json") + read("side-1.1.json"):
            checks.append((", ".join(case["rows"]), case["about"], check_sides(reader, case, arguments.suite)))
    if arguments.sample is not None:
        checks = random.Random(arguments.seed).sample(checks, min(arguments.sample, len(checks)))
    wrong = 0
    # The calls wait for the reader's processes, so threads suffice.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda checked: list(checked[2]), checks))
    for (name, about, _), faults in zip(checks, results):
        wrong += bool(faults)
        for fault in faults:
            print("%s (%s): %s" % (name, about, fault), file=sys.stderr)
    print("%d archives, %d with differences" % (len(checks), wrong))
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
