"""The Python blocks of the pages run, each page's in order, and so do the examples."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("python", "from-statsmodels", "from-abess", "from-r")
EXAMPLES = sorted((ROOT / "python/examples").glob("*.py"))


def blocks(page: str) -> list[tuple[int, str]]:
    """The blocks of a page with the lines at which they begin."""
    text = (ROOT / f"docs/{page}.md").read_text(encoding="utf-8")
    return [(text.count("\n", 0, own.start(1)), own[1]) for own in re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S)]


@pytest.mark.parametrize("page", PAGES)
def test_the_blocks_of_a_page_run(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    matplotlib.use("Agg")
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    found = blocks(page)
    assert found
    for line, code in found:
        missing = [own for own in ("statsmodels", "abess", "polars") if own in code and importlib.util.find_spec(own) is None]
        if missing:
            warnings.warn(f"{page}.md, line {line}: not run without {missing[0]}", stacklevel=1)
            continue
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            # Line numbers of a traceback are those of the page.
            exec(compile("\n" * line + code, f"{page}.md", "exec"), names)
        # What stands beside a print is what it prints.
        for wanted in re.findall(r"^ *print\(.*\)  +# (.*)$", code, re.M):
            assert wanted in printed.getvalue().splitlines()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda own: own.stem)
def test_an_example_runs(example: Path) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    for package in ("sklearn", "statsmodels"):
        if f"from {package}" in example.read_text(encoding="utf-8"):
            pytest.importorskip(package)
    code = f"import runpy, matplotlib; matplotlib.use('Agg'); runpy.run_path({str(example)!r})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT / "examples")
    assert run.returncode == 0, run.stderr
