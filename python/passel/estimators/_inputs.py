"""What scikit-learn hands over, as columns for the engine."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing, assert_all_finite, column_or_1d
from sklearn.utils.validation import _check_sample_weight

from passel import _data


def is_frame(data: Any) -> bool:
    """Whether data are a data frame, which goes to the engine as it is: pandas', Polars' or Arrow's."""
    return hasattr(data, "column_names") or (hasattr(data, "columns") and hasattr(data, "shape"))


def namespace(data: Any) -> Any:
    """The namespace of an array of another library, such as torch, where scikit-learn dispatches to these; else None."""
    from sklearn.utils._array_api import get_namespace

    xp, is_array_api = get_namespace(data)
    return xp if is_array_api and not isinstance(data, np.ndarray) and hasattr(data, "__dlpack__") else None


def on_host(data: Any) -> Any:
    """The same numbers as an array of NumPy, where they are an array of another library."""
    xp = namespace(data)
    if xp is None:
        return data
    from sklearn.utils._array_api import _convert_to_numpy

    return _convert_to_numpy(data, xp=xp)


def like(data: Any, values: np.ndarray[Any, Any]) -> Any:
    """Values as an array of the library, and on the device, of ``data``."""
    xp = namespace(data)
    if xp is None:
        return values
    from sklearn.utils._array_api import device

    return xp.asarray(values, device=device(data))


def engine_names(data: Any) -> list[str]:
    """The names that the engine gives to the columns of data: those of a frame, else x0, x1, …"""
    if is_frame(data):
        return [str(name) for name in getattr(data, "column_names", None) or data.columns]
    return [f"x{at}" for at in range(data.shape[1])]


def columns_of(data: Any, names: Sequence[str]) -> _data.Columns:
    """The columns of data for the engine, by the names that they had when the model was fitted."""
    columns = _data.Columns(None)
    if is_frame(data):
        columns.frame(data if engine_names(data) == list(names) else _renamed(data, names))
    elif hasattr(data, "tocsc"):
        columns.frame(data)
    else:
        columns.matrix(on_host(data), names)
    return columns


def _renamed(frame: Any, names: Sequence[str]) -> Any:
    if hasattr(frame, "set_axis"):
        return frame.set_axis(list(names), axis=1)
    if hasattr(frame, "rename_columns"):
        return frame.rename_columns(list(names))
    return frame.rename(dict(zip(frame.columns, names, strict=True)))


def jittered(data: Any, at: int) -> Any:
    """The data with one column moved by some 10⁻¹⁰ of its values: far above rounding, far below what data say."""
    factors = 1.0 + 1e-10 * np.random.default_rng(0).standard_normal(data.shape[0])
    if hasattr(data, "tocsc"):
        own = data.astype(np.float64)
        column = slice(own.indptr[at], own.indptr[at + 1])
        own.data[column] *= factors[own.indices[column]]
        return own
    if not is_frame(data):
        own = np.array(data, dtype=np.float64)
        own[:, at] *= factors
        return own
    values = np.asarray(_safe_indexing(data, at, axis=1), dtype=np.float64) * factors
    if hasattr(data, "isetitem"):
        own = data.copy()
        own.isetitem(at, values)
        return own
    name = engine_names(data)[at]
    if hasattr(data, "set_column"):
        import pyarrow

        return data.set_column(at, name, pyarrow.array(values))
    return data.with_columns(type(data[name])(name, values))


def free_name(wanted: str, taken: Collection[str]) -> str:
    """A name for a column beside the data, which none of theirs has."""
    while wanted in taken:
        wanted += "_"
    return wanted


def numbers(values: Any, rows: int, what: str) -> np.ndarray[Any, Any]:
    """A finite number for each row."""
    own = column_or_1d(np.asarray(on_host(values)), dtype=np.float64)
    assert_all_finite(own, input_name=what)
    return _of_length(own, rows, what)


def levels(values: Any, rows: int, what: str) -> Any:
    """A number or a text for each row."""
    return _of_length(column_or_1d(np.asarray(on_host(values))), rows, what)


def _of_length(values: np.ndarray[Any, Any], rows: int, what: str) -> np.ndarray[Any, Any]:
    if len(values) != rows:
        raise ValueError(f"{what} has {len(values)} values, but X has {rows} rows")
    return values


def weights(values: Any, data: Any) -> np.ndarray[Any, Any]:
    """The weight of each row: finite, none below 0, not all of them 0."""
    rows = np.empty((data.shape[0], 1))
    own: np.ndarray[Any, Any] = _check_sample_weight(on_host(values), rows, dtype=np.float64, ensure_non_negative=True)
    if not own.any():
        # Of scikit-learn before 1.9.
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return own


def repeats(own: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The index of each row as often as its weight says."""
    fraction = next((weight for weight in own if not float(weight).is_integer()), None)
    if fraction is not None:
        raise ValueError(
            f"sample_weight has {fraction!r}, but with weighting='counts' a weight is the number of times that a row was "
            "observed: give whole numbers, or set weighting='precision', by which weights multiply the terms of the likelihood"
        )
    return np.repeat(np.arange(len(own)), own.astype(np.int64))


def rows_of(data: Any, indexes: np.ndarray[Any, Any]) -> Any:
    """These rows of a frame or an array."""
    return _safe_indexing(data, indexes, axis=0)
