"""What the package promises as a package: what an import costs, what it exports, and its types."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import passel

HOME = Path(__file__).resolve().parents[1]


def test_names_are_exported_but_for_those_that_need_scikit_learn() -> None:
    lazy = {name for home, names in passel._HOMES.items() if home != "passel.estimators" for name in names}
    assert set(passel.__all__) == lazy | {"__version__"}


def test_an_import_imports_nothing_that_is_not_used() -> None:
    code = "import sys, passel; passel.select; print(*{own.partition('.')[0] for own in sys.modules})"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"pandas", "polars", "pyarrow", "sklearn", "scipy", "matplotlib", "tqdm"} & set(out.split())


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_types_are_right(checker: str) -> None:
    if importlib.util.find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed")
    python = ["--pythonpath", sys.executable] if checker == "pyright" else ["--strict"]
    # The sources: those of a wheel are the same.
    run = subprocess.run([sys.executable, "-m", checker, *python, "passel", "examples"], capture_output=True, text=True, cwd=HOME)
    assert run.returncode == 0, run.stdout
