"""Shared by the tests: archives of the sample, and real games if present (SCORESHEET_CORPORA)."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
import scoresheet

ROOT = Path(os.environ.get("SCORESHEET_ROOT") or Path(__file__).resolve().parents[3])
SAMPLE = ROOT / "testdata" / "lichess-sample.pgn.zst"


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with games.pgn.zst and games.bga."""
    folder = tmp_path_factory.mktemp("made")
    shutil.copy(SAMPLE, folder / "games.pgn.zst")
    scoresheet.import_pgn(folder / "games.pgn.zst", folder / "games.bga", progress=False)
    return folder


@pytest.fixture(scope="session")
def archive(made: Path) -> scoresheet.Archive:
    return scoresheet.open(made / "games.bga")


@pytest.fixture
def write(tmp_path: Path):
    """Makes an archive from a PGN text."""

    def write(pgn: str, name: str = "own") -> scoresheet.Archive:
        source = tmp_path / f"{name}.pgn"
        source.write_bytes(pgn.encode())
        scoresheet.import_pgn(source, tmp_path / f"{name}.bga", progress=False)
        return scoresheet.open(tmp_path / f"{name}.bga")

    return write


def corpora() -> dict[str, list[Path]]:
    """Returns the PGN files of each corpus, by its name."""
    folder = os.environ.get("SCORESHEET_CORPORA")
    if not folder:
        return {}
    found = {}
    for entry in sorted(Path(folder).iterdir()):
        files = sorted(entry.rglob("*.pgn")) if entry.is_dir() else [entry]
        files = [file for file in files if file.suffix == ".pgn"]
        if files:
            found[entry.name] = files
    return found
