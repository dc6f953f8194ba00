"""Columns of results: as data frames, and as what predictions and simulated data are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from passel.errors import ResultError


def frame(columns: Mapping[str, Any], index: str | None = None) -> Any:
    """A data frame of pandas, of Polars where pandas is not installed; ``index`` names the column of row names.

    Polars has no row names: there they are the first column.
    """
    try:
        import pandas
    except ImportError:
        try:
            import polars
        except ImportError:
            raise ImportError("a data frame needs pandas or Polars: pip install pandas") from None
        return polars.DataFrame(dict(columns), strict=False)
    made = pandas.DataFrame(dict(columns))
    return made if index is None else made.set_index(index)


def of_rows(
    rows: list[dict[str, Any]], wanted: tuple[str, ...] | None = None, index: str | None = None, always: tuple[str, ...] = ()
) -> Any:
    """A data frame of a report's rows: of the fields wanted those that any row has or that are always there, or all if there is no row.

    Numbers are NaN where there is none.
    """
    if wanted is None:
        wanted = tuple(dict.fromkeys(name for row in rows for name in row))
    if index is not None and index not in wanted:
        wanted = (index, *wanted)
    there = [name for name in wanted if not rows or name == index or name in always or any(row.get(name) is not None for row in rows)]
    return frame({name: _column([row.get(name) for row in rows]) for name in there}, index)


def _column(values: list[Any]) -> Any:
    if any(isinstance(value, float) for value in values) or (None in values and all(own is None or type(own) is int for own in values)):
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    return values


class Columns(Mapping[str, Any]):
    """Named columns of one length."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self._columns = columns

    def __getitem__(self, name: str) -> Any:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Columns) or type(other) is not type(self) or list(self) != list(other):
            return False
        if self._beside() != other._beside():
            return False
        both = ((np.asarray(self[name]), np.asarray(other[name])) for name in self)
        return all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f" and b.dtype.kind == "f") for a, b in both)

    __hash__ = None  # type: ignore[assignment]

    def _beside(self) -> Any:
        """What stands beside the columns."""
        return None

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(next(iter(self._columns.values()), ()))

    def to_frame(self) -> Any:
        """A data frame of all columns."""
        return frame(self._columns)

    def _repr_html_(self) -> str:
        from passel._cards import of_columns

        return of_columns(self)


class Predictions(Columns):
    """Columns of predictions: ``fit``, and what else was asked for."""

    # Where users and pickles find it.
    __module__ = "passel.results"

    def __init__(self, columns: dict[str, Any], warnings: list[str], index: Any = None) -> None:
        super().__init__(columns)
        #: What a user should know.
        self.warnings = warnings
        self._index = index

    def _beside(self) -> Any:
        return self.warnings, None if self._index is None else list(self._index)

    def to_frame(self) -> Any:
        """A data frame of all columns, of pandas with the index of the rows that were predicted."""
        made = super().to_frame()
        return made if self._index is None or len(self._index) != len(made) else made.set_axis(self._index)

    @property
    def fit(self) -> np.ndarray[Any, Any]:
        """Means, NaN in rows without a prediction; of levels the most probable."""
        for name in ("fit", "level"):
            if name in self._columns:
                return self._columns[name]  # type: ignore[no-any-return]
        raise ResultError(f"the predictions are of several models, each with columns of its own: {', '.join(self._columns)}")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(self.fit, dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        return f"<passel.Predictions of {self.n} rows: {', '.join(self)}>"


class Simulated(Columns):
    """Columns of simulated data, of which ``y`` is the response, and ``truth`` the names of the true variables."""

    # Where users and pickles find it.
    __module__ = "passel.results"

    def __init__(self, columns: dict[str, Any], truth: list[str]) -> None:
        super().__init__(columns)
        self.truth = truth

    def _beside(self) -> Any:
        return self.truth

    def __repr__(self) -> str:
        return f"<passel.Simulated: {self.n} rows of {len(self)} columns, true are {', '.join(self.truth)}>"
