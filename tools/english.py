#!/usr/bin/env python3
"""Finds sentences that an editor would rewrite, by known patterns, in documents, help texts, messages and comments.

    tools/english.py                  every match as path:line: pattern: sentence, then the counts of each room
    tools/english.py --room docs      the matches of one room
    tools/english.py --counts         the counts alone
    tools/english.py --check          fails if a count is above the number in tests/house/english.txt
    tools/english.py --write          stores the present counts there
    tools/english.py --draw 30        that many random sentences of documents and of comments, for a reader to judge
    tools/english.py --draw 30 --beside FOLDER..
                                      the same, mixed with as many from other Rust packages and without their locations;
                                      the line numbers of this project's sentences go to standard error

A room is a document or folder of documents, a folder of `src`, or a crate of `crates`. Tests, benches, examples and tools
are not read, and neither are the changelog and generated files. Code blocks and code in backquotes are not read.
"""

import argparse
import random
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STORED = ROOT / "tests/house/english.txt"
LONGEST = 30

# Each pattern has a name and a regular expression; sentences of more than LONGEST words are `long`.
PATTERNS = {
    # "What a reader needs" as a noun: at the start of a sentence that is no question, or as an object.
    "headless": re.compile(
        r"^(?:What|Where|Who|Whom|Whose|How many|How much|Which)\b(?!.*\?)"
        r"|\b(?:of|in|for|from|to|with|by|on|at|about|than|after|before|beside|and|or|but) what\b"
        r"|[:,;(] ?what\b|\b(?:says?|shows?|takes?|has|have|is|are|does|keeps?|gets?|gives?|finds?|knows?) what\b"
    ),
    "own": re.compile(r"\bof (?:its|their|his|our|your|one's) own\b"),
    "told": re.compile(r"\b(?:un)?told\b"),
    "asked": re.compile(r"\bask(?:s|ed)?\b"),
    "as-as": re.compile(r"\bas (?!soon\b|well\b|long\b|far\b|many\b|much\b)\w+ as\b"),
    "as-is": re.compile(r"\bas (?:it|they|he|she) (?:is|are|was|were|stands?)\b|\bas such\b"),
    "so-that": re.compile(r"\bso that\b"),
    "those": re.compile(r"\b(?:[Tt]hose|that) (?:of|in|after|before|which|with|who)\b|\bthe ones? (?:that|which|of)\b"),
    "of-these": re.compile(r"\bof (?:them|it)\b|\bof these\b(?=[,.;:)]| (?:is|are|has|have|and|or)\b|$)"),
    "too": re.compile(r",? too[.,;:)]|,? too$"),
    "at-hand": re.compile(r"\bat hand\b|\bwhole (?:of|it)\b|\ball of it\b"),
    "but": re.compile(r"\b(?:all|nothing|none|no \w+|anything|everything) but\b|\bbut for\b"),
    "if-given": re.compile(r"\bif (?:said|need be|at all)\b|\bwhere there (?:is|are)\b|\bwhere nothing\b"),
}
NAMES = [*PATTERNS, "long"]

SKIPPED = {"CHANGELOG.md", "CODE_OF_CONDUCT.md"}


def room(path):
    """Returns the room of a file."""
    parts = path.relative_to(ROOT).parts
    if parts[0] in ("src", "crates"):
        name = "/".join(parts[:2])
        return name.removesuffix(".rs")
    return "/".join(parts[:-1]) or parts[-1]


def documents():
    """Yields the documents."""
    paths = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    yield from (path for path in sorted(paths) if str(path.relative_to(ROOT)) not in SKIPPED)


def sources():
    """Yields the Rust sources of the library and of the crates."""
    paths = [*(ROOT / "src").rglob("*.rs"), *ROOT.glob("crates/*/src/**/*.rs")]
    yield from sorted(path for path in paths if "target" not in path.parts)


def of_document(text):
    """Yields the line and text of each paragraph, heading, list item and table cell of a document."""
    block, start, fenced = [], 0, False
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith(("```", "~~~")):
            fenced = not fenced
            stripped = ""
        elif fenced:
            continue
        is_code = line.startswith("    ") and not block
        is_item = re.match(r"[-*+] |\d+\. ", stripped)
        if not stripped or is_code or is_item or stripped.startswith(("#", "|", "<", "![")):
            if block:
                yield start, " ".join(block)
                block = []
            if stripped.startswith("#"):
                yield number, stripped.lstrip("# ")
            elif stripped.startswith("|"):
                cells = re.split(r"(?<!\\)\|", stripped.strip("|"))
                yield from ((number, cell.strip()) for cell in cells if not re.fullmatch(r"[\s:-]*", cell))
            elif is_item and not is_code:
                block, start = [stripped[is_item.end() :]], number
            continue
        if not block:
            start = number
        block.append(stripped)
    if block:
        yield start, " ".join(block)


COMMENT = re.compile(r"^\s*(//[/!]?)(?!/)\s?(.*)$")
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.S)


def of_source(text):
    """Yields the line, kind and text of each paragraph of comments, and of each message."""
    lines = text.splitlines()
    block, start, kind = [], 0, None

    def ended():
        if block:
            for line, paragraph in of_document("\n".join(block)):
                yield start + line - 1, "doc" if kind != "//" else "comment", paragraph

    # Unit tests at the end of a file are not read.
    end = next((at for at, line in enumerate(lines) if line.startswith("#[cfg(test)]")), len(lines))
    for number, line in enumerate(lines[:end], 1):
        found = COMMENT.match(line)
        if found and (not block or found[1] == kind):
            if not block:
                start, kind = number, found[1]
            block.append(found[2])
            continue
        yield from ended()
        block = [found[2]] if found else []
        start, kind = (number, found[1]) if found else (0, None)
    yield from ended()
    code = "\n".join("" if COMMENT.match(line) else line for line in lines[:end])
    for found in STRING.finditer(code):
        message = re.sub(r"\\n\\?|\\\n\s*", " ", found[1])
        words = re.findall(r"[A-Za-z]{2,}", message)
        if len(words) >= 4 and "\\x1b" not in message and not re.search(r"[<>{}]{2}|https?:|[;{][a-z-]+:|</", message):
            for paragraph in re.split(r"\s{2,}", message):
                yield code.count("\n", 0, found.start()) + 1, "message", paragraph


def sentences(text):
    """Yields the sentences of a paragraph, each piece of code as one word."""
    text = re.sub(r"`[^`]*`", "CODE", text)
    text = re.sub(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])?", r"\1", text)
    text = re.sub(r"\b(e\.g|i\.e|cf|etc|vs|No|N)\.", r"\1", text)
    yield from (part.strip() for part in re.split(r"(?<=[.!?])\s+(?=[\"(A-Z0-9])|(?<=\.\*\*)\s+", text) if part.strip())


def faults(sentence):
    """Yields the names of the patterns that a sentence matches."""
    yield from (name for name, pattern in PATTERNS.items() if pattern.search(sentence))
    if len(re.findall(r"[A-Za-z][\w'-]*", sentence)) > LONGEST:
        yield "long"


def all_sentences():
    """Yields room, path, line, kind and sentence for everything that is read."""
    for path in documents():
        for line, paragraph in of_document(path.read_text("utf-8")):
            yield from ((room(path), path, line, "document", sentence) for sentence in sentences(paragraph))
    for path in sources():
        for line, kind, paragraph in of_source(path.read_text("utf-8")):
            yield from ((room(path), path, line, kind, sentence) for sentence in sentences(paragraph))


def sentences_beside(folders):
    """Returns the sentences of documents and of comments in the folders of other Rust packages."""
    found = {"documents": [], "comments": []}
    for folder in folders:
        paragraphs = []
        for path in sorted(Path(folder).glob("*.md")):
            if not path.stem.upper().startswith(("CHANGE", "LICEN")):
                paragraphs += [("documents", text) for _, text in of_document(path.read_text("utf-8"))]
        for path in sorted(Path(folder).glob("src/**/*.rs")):
            texts = of_source(path.read_text("utf-8"))
            paragraphs += [("comments", text) for _, kind, text in texts if kind != "message"]
        for kind, text in paragraphs:
            found[kind] += [sentence for sentence in sentences(text) if len(sentence.split()) >= 5]
    return found


def table(counts):
    """Returns the counts as text: a line for each room, a column for each pattern."""
    rooms = sorted({room for room, _ in counts})
    width = max(map(len, rooms), default=4) + 1
    lines = ["".join([f"{'room':{width}}", *(f"{name:>10}" for name in NAMES)])]
    for name in rooms:
        lines.append("".join([f"{name:{width}}", *(f"{counts[name, pattern]:>10}" for pattern in NAMES)]))
    return "\n".join(lines) + "\n"


def stored():
    """Returns the stored counts."""
    if not STORED.exists():
        return Counter()
    rows = [line.split() for line in STORED.read_text("utf-8").splitlines() if line.strip()]
    head, rows = (rows[0], rows[1:]) if rows else ([], [])
    return Counter({(row[0], name): int(number) for row in rows for name, number in zip(head[1:], row[1:])})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--room", help="only this room, or the rooms that begin with it")
    parser.add_argument("--pattern", choices=NAMES, help="only this pattern")
    parser.add_argument("--counts", action="store_true", help="print the counts alone")
    parser.add_argument("--check", action="store_true", help="compare the counts with the stored ones")
    parser.add_argument("--write", action="store_true", help="store the present counts")
    parser.add_argument("--draw", type=int, metavar="N", help="print random sentences")
    parser.add_argument("--beside", nargs="+", metavar="FOLDER", help="mix with sentences of other packages")
    parser.add_argument("--seed", type=int, help="the seed of --draw")
    args = parser.parse_args()
    found, drawn = defaultdict(list), {"documents": [], "comments": []}
    for name, path, line, kind, sentence in all_sentences():
        where = f"{path.relative_to(ROOT)}:{line}"
        if len(sentence.split()) >= 5 and kind != "message":
            drawn["documents" if kind == "document" else "comments"].append(f"{where}: {sentence}")
        for pattern in faults(sentence):
            found[name, pattern].append((where, sentence))
    counts = Counter({key: len(lines) for key, lines in found.items()})
    if args.draw is not None:
        generator = random.Random(args.seed)
        if args.beside:
            here = [line for lines in drawn.values() for line in generator.sample(lines, args.draw)]
            others = sentences_beside(args.beside).values()
            there = [line for lines in others for line in generator.sample(lines, args.draw)]
            mixed = [(True, line.split(": ", 1)[1]) for line in here] + [(False, line) for line in there]
            generator.shuffle(mixed)
            print(*(f"{number}. {sentence}" for number, (_, sentence) in enumerate(mixed, 1)), sep="\n")
            print(*(number for number, (is_here, _) in enumerate(mixed, 1) if is_here), file=sys.stderr)
            return 0
        for kind, lines in drawn.items():
            print(f"{kind}:", *generator.sample(lines, min(args.draw, len(lines))), sep="\n  ")
        return 0
    if args.write:
        STORED.write_text(table(counts), "utf-8")
        return 0
    if args.check:
        before = stored()
        grown = sorted(key for key, count in counts.items() if count > before[key])
        for name, pattern in grown:
            print(f"{name}: {pattern}: {counts[name, pattern]}, stored {before[name, pattern]}; rewrite the new one of:")
            print(*(f"  {where}: {sentence}" for where, sentence in found[name, pattern]), sep="\n")
        if grown:
            print("Rewrite it: subject, verb, object; a noun for every what, where and who; at most 30 words.")
            return 1
        shrunk = sum(before.values()) - sum(counts.values())
        if shrunk > 0:
            print(f"{shrunk} fewer than stored: `tools/english.py --write` stores the present counts")
        return 0
    if not args.counts:
        for (name, pattern), lines in found.items():
            if (args.room is None or name.startswith(args.room)) and args.pattern in (None, pattern):
                print(*(f"{where}: {pattern}: {sentence}" for where, sentence in lines), sep="\n")
    print(table(counts), end="")
    print(f"{sum(counts.values())} matches")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        sys.stderr.close()
