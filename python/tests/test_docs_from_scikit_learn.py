"""The blocks of docs/from-scikit-learn.md run, one after another, as the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "from-scikit-learn.md"


def test_all_blocks_run(tmp_path: Path) -> None:
    for module in ("sklearn", "pandas", "array_api_strict"):
        pytest.importorskip(module)
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) > 5
    script = tmp_path / "page.py"
    script.write_text("\n".join(blocks), encoding="utf-8")
    # A process of its own, as the page sets scikit-learn's options for all that follows.
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment())
    assert done.returncode == 0, done.stderr


def environment() -> dict[str, str]:
    """This process's, with passel found where it is found here."""
    import passel

    return os.environ | {"PYTHONPATH": str(Path(passel.__file__).parents[1])}
