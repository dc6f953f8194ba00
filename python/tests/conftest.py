"""What tests share: the repository's real data, and reports without what differs from one run to the next."""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
import sys
from typing import Any

import pytest

#: The repository's folder of examples.
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"

#: Where the same test runs.
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(shutil.which("nvidia-smi") is None, reason="no GPU"))]


@pytest.fixture(scope="session")
def diabetes() -> Any:
    import pandas

    return pandas.read_csv(EXAMPLES / "data" / "diabetes.csv")


@pytest.fixture(scope="session")
def cancer() -> Any:
    import pandas

    return pandas.read_csv(EXAMPLES / "data" / "breast_cancer.csv.gz")


def lasting(text: str) -> str:
    """JSON without times and the name of the data, byte for byte otherwise."""
    fields = json.loads(text)

    def strip(own: Any) -> Any:
        if isinstance(own, dict):
            return {key: strip(value) for key, value in own.items() if key not in ("elapsed_seconds", "data", "start", "read")}
        if isinstance(own, list):
            return [strip(value) for value in own]
        return own

    return json.dumps(strip(fields))


def program(*arguments: Any) -> subprocess.CompletedProcess[str]:
    """The command, as it is installed."""
    command = [sys.executable, "-m", "passel", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def arguments(options: dict[str, Any]) -> list[Any]:
    """The words of the command line for a function's options."""
    words: list[Any] = []
    for name, value in options.items():
        own = [f"{key}={of}" for key, of in value.items()] if isinstance(value, dict) else value
        words.append(f"--{name.replace('_', '-')}")
        if value is not True:
            words.append(",".join(own) if isinstance(own, list) else own)
    return words
