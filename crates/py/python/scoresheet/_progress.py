"""Progress of an import: a bar of tqdm if it is installed, otherwise a line on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


class Silent:
    """Shows nothing."""

    def __call__(self, done: int, games: int) -> None:
        pass

    def close(self) -> None:
        pass


class Function(Silent):
    """Calls a function of the caller."""

    def __init__(self, function: Callable[[int, int], object]) -> None:
        self.function = function

    def __call__(self, done: int, games: int) -> None:
        self.function(done, games)


class Bar(Silent):
    """A progress bar of tqdm, for a terminal or a notebook."""

    def __init__(self, tqdm: Any, total: int | None) -> None:
        self.bar = tqdm(total=total, unit="B", unit_scale=True, unit_divisor=1024, desc="import")
        self.done = 0

    def __call__(self, done: int, games: int) -> None:
        self.bar.update(done - self.done)
        self.bar.set_postfix_str(f"{games:,} games", refresh=False)
        self.done = done

    def close(self) -> None:
        self.bar.close()


class Line(Silent):
    """A progress line that overwrites itself."""

    def __init__(self, total: int | None) -> None:
        self.total = total
        self.shown = ""

    def __call__(self, done: int, games: int) -> None:
        part = f"{min(100 * done // self.total, 100):3} %, " if self.total else ""
        shown = f"import: {part}{games:,} games"
        if shown != self.shown:
            sys.stderr.write(f"\r{shown}")
            sys.stderr.flush()
            self.shown = shown

    def close(self) -> None:
        if self.shown:
            sys.stderr.write("\n")


def _in_notebook() -> bool:
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None and hasattr(module, "get_ipython") else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


def of(progress: Any, total: int | None) -> Silent:
    """Return an object that shows the progress: silently, as a bar or line, or with the caller's function."""
    if callable(progress):
        return Function(progress)
    notebook = _in_notebook()
    if progress is False or progress is None and not notebook and not sys.stderr.isatty():
        return Silent()
    try:
        if notebook:
            from tqdm.notebook import tqdm
        else:
            from tqdm import tqdm
    except ImportError:
        return Line(total)
    return Bar(tqdm, total)
