"""What tests share: the repository's real data, and reports without what differs from one run to the next."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

#: The repository's folder of examples.
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


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
