"""What the package promises as a package: what an import costs, what it exports, and its types."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import passel

HOME = Path(__file__).resolve().parents[1]


def test_all_names_are_exported_but_for_those_that_need_scikit_learn_without_it() -> None:
    lazy = {name for names in passel._HOMES.values() for name in names}
    assert set(passel.__all__) == lazy | {"__version__"}
    code = "import sys; sys.modules['sklearn'] = None; from passel import *; print(callable(select), 'PassRegressor' in dir())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.split() == ["True", "False"], run.stderr


def test_a_package_of_sources_has_all_that_is_built(tmp_path: Path) -> None:
    tools = importlib.util.find_spec("maturin") and shutil.which("cargo") and shutil.which("git")
    if not tools or not (HOME.parent / ".git").exists():
        pytest.skip("maturin, cargo and git make a package of sources")
    subprocess.run([sys.executable, "-m", "maturin", "sdist", "--out", tmp_path], cwd=HOME, check=True, capture_output=True)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as packed:
        names = {own.partition("/")[2] for own in packed.getnames()}
    built = ["src", "criteria", "kernels", "plugins", "python/src", "python/Cargo.lock", "examples/data"]
    listed = subprocess.run(["git", "ls-files", *built], cwd=HOME.parent, check=True, capture_output=True, text=True).stdout
    # The package is at the root, where pip looks for it.
    wanted = {*listed.split(), "passel/__init__.py", "passel/py.typed", "passel/_engine.pyi", "pyproject.toml"}
    assert not wanted - names


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
