"""The extension: what the package needs of the engine."""

from collections.abc import Callable, Sequence
from typing import Any

VERSION: str

class Report:
    """A report of the engine."""

    @staticmethod
    def of_json(text: str) -> Report: ...
    def render(self, format: str) -> bytes: ...
    def residuals(self) -> dict[str, Any] | None: ...
    def deviations(self) -> list[float]: ...

class Table:
    """A table that waits for its one run."""

def table(source: str, parts: Sequence[tuple[Any, ...]]) -> Table: ...
def run(
    command: str,
    data: str,
    table: Table | None,
    given: Sequence[tuple[str, Sequence[str]]],
    criteria: Sequence[tuple[int, Any]] = (),
    score: Any = None,
    progress: Callable[[str, int, int | None], object] | None = None,
    pause: float = 0.1,
    must_stay: bool = False,
) -> Report: ...
def predict(
    report: str, data: str, table: Table | None, given: Sequence[tuple[str, Sequence[str]]]
) -> tuple[dict[str, Any], list[str]]: ...
def draw(model: str, given: Sequence[tuple[str, Sequence[str]]]) -> tuple[list[tuple[str, Any]], list[str]]: ...
def options(command: str) -> list[dict[str, Any]]: ...
def main(command: Sequence[str], arguments: Sequence[str]) -> int: ...
