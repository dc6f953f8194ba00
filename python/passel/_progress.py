"""Progress as a bar of tqdm where it is installed, which is a widget in notebooks, else as a line on standard error."""

from __future__ import annotations

import sys
import time
from typing import Any, TextIO

#: Seconds between two lines.
_PAUSE = 0.5


class Bar:
    """Shows how far a command is: called with what is counted, how many are done, and how many there are, if that is known."""

    def __init__(self, command: str) -> None:
        self._shown: _Line | _Tqdm
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self._shown = _Line(command, sys.stderr)
        else:
            self._shown = _Tqdm(command, tqdm)

    def __call__(self, what: str, number: int, of: int | None) -> None:
        self._shown.show(what, number, of)

    def close(self) -> None:
        """Leaves the last bar or line as it is."""
        self._shown.close()


class _Tqdm:
    """A bar for each thing that is counted."""

    def __init__(self, command: str, tqdm: Any) -> None:
        self._command, self._tqdm = command, tqdm
        self._what: str | None = None
        self._bar: Any = None

    def show(self, what: str, number: int, of: int | None) -> None:
        if self._bar is None or what != self._what:
            self.close()
            self._what = what
            self._bar = self._tqdm(total=of, desc=f"passel {self._command}", unit=f" {what}")
        if of is not None and of != self._bar.total:
            self._bar.total = of
        self._bar.update(number - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class _Line:
    """A line that is written over on a terminal; elsewhere, as in a log, one line for each thing that is counted."""

    def __init__(self, command: str, to: TextIO) -> None:
        self._command, self._to = command, to
        self._on_terminal = to.isatty()
        self._what: str | None = None
        self._width = 0
        self._next = 0.0
        self._last = ""

    def show(self, what: str, number: int, of: int | None) -> None:
        if what != self._what:
            self.close()
            self._what = what
        self._last = f"passel {self._command}: {number}{'' if of is None else f' of {of}'} {what}"
        now = time.monotonic()
        if self._on_terminal and now >= self._next:
            self._next = now + _PAUSE
            self._write()

    def _write(self) -> None:
        self._to.write(f"\r{self._last.ljust(self._width)}" if self._on_terminal else self._last)
        self._width = len(self._last)
        self._to.flush()

    def close(self) -> None:
        if self._what is not None:
            self._write()
            self._to.write("\n")
            self._to.flush()
        self._what, self._width, self._next = None, 0, 0.0
