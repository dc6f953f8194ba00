"""What progress=True shows, with tqdm and without."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

import passel
from passel._progress import Bar

DIABETES = Path(__file__).resolve().parents[2] / "examples/data/diabetes.csv"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def count(bar: Bar) -> None:
    for number in range(1, 11):
        bar("iterations", number, 10)
    for number in (1, 200):
        bar("models", number, None)
    bar.close()


def test_a_bar_of_tqdm_ends_at_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", shown := io.StringIO())
    count(Bar("select"))
    assert "passel select" in shown.getvalue()
    assert "10/10" in shown.getvalue()
    assert "200 models" in shown.getvalue()


@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_without_tqdm_lines_end_at_what_there_is(stream: type[io.StringIO], monkeypatch: pytest.MonkeyPatch) -> None:
    # None in the place of a module makes its import fail.
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setattr(sys, "stderr", shown := stream())
    count(Bar("select"))
    lines = [line.rsplit("\r", 1)[-1].rstrip() for line in shown.getvalue().rstrip("\n").split("\n")]
    assert lines == ["passel select: 10 of 10 iterations", "passel select: 200 models"]


def test_a_line_on_a_terminal_leaves_nothing_of_a_longer_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setattr(sys, "stderr", shown := Terminal())
    bar = Bar("pairs")
    bar("pairs", 1000, 100_000)
    bar("pairs", 1, 9)
    bar.close()
    first, second = shown.getvalue().rstrip("\n").split("\r")[1:]
    assert len(second) == len(first)
    assert second.rstrip() == "passel pairs: 1 of 9 pairs"


def test_a_bar_that_counted_nothing_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", shown := io.StringIO())
    Bar("select").close()
    assert shown.getvalue() == ""


def test_a_run_shows_its_progress(capsys: pytest.CaptureFixture[str]) -> None:
    passel.stability(DIABETES, response="y", resamples=30, progress=True, seed=3)
    shown = capsys.readouterr().err
    assert "passel stability" in shown
