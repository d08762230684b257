"""Runs the examples in docstrings and documents unchanged."""

from __future__ import annotations

import doctest
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import scoresheet
import scoresheet.torch
from conftest import ROOT

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def docstrings() -> Iterator[tuple[str, str]]:
    """Returns the names and docstrings of all public items."""
    yield "scoresheet", scoresheet.__doc__ or ""
    for name in scoresheet.__all__:
        thing = getattr(scoresheet, name)
        yield name, getattr(thing, "__doc__", None) or ""
        if isinstance(thing, type) and not issubclass(thing, Exception):
            for attribute, member in vars(thing).items():
                yield f"{name}.{attribute}", getattr(member, "__doc__", None) or ""


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("games.pgn.zst", "games.bga"):
        shutil.copy(made / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(name: str, text: str, names: dict[str, object]) -> int:
    parsed = doctest.DocTestParser().get_doctest(text, names, name, None, 0)
    out: list[str] = []
    result = doctest.DocTestRunner(optionflags=FLAGS, verbose=False).run(parsed, out=out.append, clear_globs=False)
    # A block can use the names of earlier blocks.
    names.update(parsed.globs)
    assert result.failed == 0, "".join(out)
    return result.attempted


def test_everything_public_is_documented() -> None:
    missing = [
        name for name, text in docstrings() if not text.strip() and not name.split(".")[-1].startswith("_")
    ]
    assert not missing


@pytest.mark.parametrize(
    ("name", "text"), [pair for pair in docstrings() if ">>>" in pair[1]], ids=lambda text: text[:40]
)
def test_docstrings(name: str, text: str, folder: Path) -> None:
    if missing := [package for package in imported(text) if not is_there(package)]:
        pytest.skip(f"{', '.join(missing)} is not installed")
    assert run(name, text, {"scoresheet": scoresheet, "archive": scoresheet.open("games.bga")}) > 0


DOCUMENTS = sorted((ROOT / "docs" / "python").glob("*.md"))


def test_there_are_documents() -> None:
    assert DOCUMENTS


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_documents(path: Path, folder: Path) -> None:
    """Runs each block of Python with examples; skips a block that begins with `import X` of a missing package."""
    names: dict[str, object] = {"scoresheet": scoresheet}
    ran = skipped = 0
    for block in path.read_text().split("```python\n")[1:]:
        code = block.split("```")[0]
        if ">>>" not in code:
            compile(code, str(path), "exec")
            continue
        if not all(is_there(package) for package in imported(code)):
            skipped += 1
            continue
        ran += run(path.name, code, names)
    if skipped:
        pytest.skip(f"{ran} examples hold; {skipped} blocks need packages that are not installed")
    assert ran


def test_the_cookbook_names_the_packages_of_each_example() -> None:
    for part in (ROOT / "docs" / "python" / "cookbook.md").read_text().split("\n## ")[1:]:
        heading = part.splitlines()[0]
        code = "".join(block.split("```")[0] for block in part.split("```python\n")[1:])
        methods = {"to_arrow": "pyarrow", "to_pandas": "pandas", "to_polars": "polars", "to_chess": "chess"}
        needed = {package for method, package in methods.items() if f".{method}(" in code}
        imports = (line.removeprefix(">>> ").split() for line in code.splitlines())
        for words in (words for words in imports if words[:1] in (["import"], ["from"])):
            needed |= {name.split(".")[0] for name in words[1].split(",")} - set(sys.stdlib_module_names) - {"scoresheet"}
        said = {name for line in part.splitlines() if line.startswith("Needs: `pip install ") for name in line.split("`")[1].split()[2:]}
        assert said == needed, heading


def imported(code: str) -> list[str]:
    """Returns the packages that examples import."""
    lines = (line.strip() for line in code.splitlines())
    return [line.split()[2] for line in lines if line.startswith((">>> import ", ">>> from "))]


def is_there(package: str) -> bool:
    import importlib.util

    return importlib.util.find_spec(package.split(".")[0].rstrip(",")) is not None


def test_svg(archive: scoresheet.Archive) -> None:
    """Boards are well-formed, and HTML for notebooks escapes the text of games."""
    from xml.etree import ElementTree

    root = ElementTree.fromstring(archive[0].svg(10))
    pieces = sum(letter.isalpha() for letter in archive[0].fen(10).split()[0])
    assert sum(1 for element in root.iter() if element.tag.endswith("}g")) == pieces
    for shown in (archive, archive[0], archive.tree(), archive.table()):
        assert "<" in shown._repr_html_()
