"""Data of other packages as a table of the engine, whose own matrix is then the only copy."""

from __future__ import annotations

import datetime
import functools
import importlib
import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from passel import _engine
from passel.errors import CopyError, DataError

_log = logging.getLogger("passel.data")

#: Nanoseconds of a day.
_DAY = 86_400_000_000_000


def is_file(data: Any) -> bool:
    """Whether data are named as a file."""
    return isinstance(data, (str, os.PathLike))


class Columns:
    """Collects the parts of a table, and says what had to be converted first."""

    def __init__(self, copy: bool | None) -> None:
        self.copy = copy
        self.parts: list[tuple[Any, ...]] = []
        self.names: list[str] = []
        #: Whether a matrix is in the memory of a GPU.
        self.has_tensor = False
        #: Whether columns are of an array, which has no names for them.
        self.unnamed = False
        #: The index of a data frame.
        self.index: Any = None
        #: Whose index all other columns with one must have, and that index.
        self._rows: tuple[str, Any] | None = None

    def note(self, what: str) -> None:
        """A conversion that takes memory beside the engine's matrix."""
        if self.copy is False:
            raise CopyError(f"{what}: this takes another copy, which copy=False forbids")
        _log.info("%s", what)

    def add(self, kind: str, names: Sequence[str], *rest: Any) -> None:
        """A part; of one column ``names`` has its name alone."""
        self.names.extend(names)
        own = list(names) if kind in ("numbers", "device", "sparse") else names[0]
        self.parts.append((kind, own, *rest))

    def table(self, source: str) -> _engine.Table:
        """The table; the parts are then used up."""
        return _engine.table(source, self.parts)

    def same_rows(self, name: str, index: Any) -> None:
        """Refuses an index that is not that of the columns before, as rows would be joined by their place."""
        if not hasattr(index, "equals"):
            return
        first, own = self._rows or (name, index)
        # Of other lengths more can be said where they are put together.
        if len(own) == len(index) and not own.equals(index):
            raise DataError(
                f"the index of {name} is not that of {first}, row by row: bring them into one order, or give it as an array"
            )
        self._rows = first, own

    # One column.

    def column(self, name: str, values: Any) -> None:
        """A column of any kind of one dimension."""
        values = _on_host(values, self, f"column `{name}`")
        module = type(values).__module__.partition(".")[0]
        if module == "pandas":
            import pandas

            self.same_rows(name, getattr(values, "index", None))
            # An array of pandas, as a Categorical, has no index.
            self._pandas_column(name, values if isinstance(values, pandas.Series) else pandas.Series(values))
        elif module == "polars":
            self._arrow(values.alias(name).to_frame())
        elif hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
            import pyarrow

            self._arrow(pyarrow.table({name: pyarrow.chunked_array(values)}))
        elif isinstance(values, (list, tuple)) and any(isinstance(own, str) or own is None for own in values):
            # NumPy would make texts of the numbers among them, NaN included.
            own = np.empty(len(values), dtype=object)
            own[:] = values
            self._objects(name, own)
        else:
            self.array_column(name, np.asarray(values))

    def array_column(self, name: str, values: np.ndarray[Any, Any]) -> None:
        """A column of an array."""
        if values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        if values.ndim != 1:
            raise DataError(f"column `{name}` has {values.ndim} dimensions, but one is expected")
        kind = values.dtype.kind
        if kind in "fiub" and values.dtype.isnative and values.dtype.itemsize in (1, 2, 4, 8) and values.dtype != np.float16:
            self.add("numbers", [name], values)
        elif kind in "fiu":
            self.note(f"column `{name}` is converted from {values.dtype}")
            self.add("numbers", [name], values.astype(np.float64))
        elif kind in "mM":
            self.add("numbers", [name], _days(values))
        elif kind in "US":
            self.add("texts", [name], [str(own) for own in np.char.decode(values)] if kind == "S" else values.tolist())
        elif kind == "O":
            self._objects(name, values)
        else:
            raise DataError(f"column `{name}` has values of the type {values.dtype}, which are neither numbers nor texts")

    def _objects(self, name: str, values: np.ndarray[Any, Any]) -> None:
        """A column of objects of Python: texts with None or NaN, or what is a number."""
        own = [None if _is_missing(value) else value for value in values.tolist()]
        there = [value for value in own if value is not None]
        if there and all(isinstance(value, (datetime.date, np.datetime64)) for value in there):
            self.array_column(name, np.array([_moment(value) for value in own], dtype="datetime64[us]"))
            return
        if any(isinstance(value, str) for value in own):
            other = next((value for value in own if not (value is None or isinstance(value, str))), None)
            if other is not None:
                raise DataError(
                    f"column `{name}` has texts, and {other!r} of the type {type(other).__name__}: make all of them texts, or numbers"
                )
            self.add("texts", [name], own)
            return
        if all(isinstance(value, (int, np.integer)) and -(2**63) <= value < 2**63 for value in own):
            # The engine has a word for those that floating point rounds.
            self.note(f"column `{name}` is converted from objects")
            self.add("numbers", [name], np.array(own, dtype=np.int64))
            return
        try:
            numbers = np.array([np.nan if value is None else float(value) for value in own], dtype=np.float64)
        except (TypeError, ValueError):
            other = next(value for value in own if not _is_number(value))
            raise DataError(
                f"column `{name}` has a value of the type {type(other).__name__}, which is neither a number nor a text"
            ) from None
        except OverflowError:
            raise DataError(f"column `{name}` has a whole number that no floating-point number is near: make it texts") from None
        rounded = next((value for value, number in zip(own, numbers.tolist(), strict=True) if isinstance(value, (int, np.integer)) and int(number) != value), None)
        if rounded is not None:
            raise DataError(
                f"column `{name}` has the whole number {rounded}, which 64-bit floating point does not hold: make its values texts"
            )
        self.note(f"column `{name}` is converted from objects")
        self.add("numbers", [name], numbers)

    def _pandas_column(self, name: str, series: Any) -> None:
        import pandas

        dtype = series.dtype
        if isinstance(dtype, pandas.CategoricalDtype):
            codes = np.asarray(series.cat.codes)
            self.add("factor", [name], codes, [level_text(level) for level in series.cat.categories])
        elif isinstance(dtype, np.dtype) and dtype.kind in "fiubmMc":
            self.array_column(name, series.to_numpy())
        elif isinstance(dtype, pandas.ArrowDtype):
            import pyarrow

            self._arrow(pyarrow.table({name: pyarrow.array(series.array)}))
        elif pandas.api.types.is_bool_dtype(dtype) or pandas.api.types.is_numeric_dtype(dtype):
            self.note(f"column `{name}` is converted from {dtype}")
            if dtype.kind in "iu" and not series.isna().any():
                self.add("numbers", [name], series.to_numpy(dtype=f"{dtype.kind}8"))
                return
            if dtype.kind in "iu" and (series.abs() > 2**53).any():
                self._objects(name, series.to_numpy(dtype=object))
                return
            self.add("numbers", [name], series.to_numpy(dtype=np.float64, na_value=np.nan))
        elif pandas.api.types.is_datetime64_any_dtype(dtype):
            self.array_column(name, series.dt.tz_convert(None).to_numpy())
        elif isinstance(dtype, pandas.StringDtype):
            self.add("texts", [name], series.astype(object).where(series.notna(), None).tolist())
        elif hasattr(series, "sparse"):
            self.note(f"column `{name}` is converted from {dtype}")
            self.array_column(name, series.sparse.to_dense().to_numpy())
        else:
            self.array_column(name, series.to_numpy(dtype=object))

    # Tables.

    def frame(self, data: Any) -> None:
        """All columns of a table of any kind."""
        self.index = index_of(data)
        module = type(data).__module__.partition(".")[0]
        if isinstance(data, Mapping):
            for name, values in data.items():
                self.column(str(name), values)
            return
        if module == "pandas" and hasattr(data, "columns"):
            self._pandas(data)
        elif module == "pandas":
            self.column(str(data.name if data.name is not None else "x0"), data)
        elif module == "polars" and hasattr(data, "collect"):
            self.note("the lazy frame is collected")
            self._arrow(data.collect())
        elif module == "polars" and not hasattr(data, "columns"):
            self._arrow(data.to_frame())
        elif hasattr(data, "__arrow_c_stream__"):
            self._arrow(data)
        elif hasattr(data, "tocsc"):
            self._sparse(data)
        elif hasattr(data, "__cuda_array_interface__"):
            self._tensor(data)
        else:
            own = _on_host(data, self, "the array")
            try:
                values = np.asarray(own)
            except ValueError as error:
                # As of rows of several lengths.
                raise DataError(f"the data are neither a table nor an array: {error}") from None
            self.matrix(values)

    def _tensor(self, data: Any) -> None:
        """A matrix in the memory of a GPU, which stays there if GPUs search its columns."""
        own = data.__cuda_array_interface__
        shape, kind = own["shape"], np.dtype(own["typestr"])
        strides = own.get("strides")
        if len(shape) != 2 or kind not in (np.dtype(np.float64), np.dtype(np.float32)):
            self.matrix(_on_host(data, self, "the array"))
            return
        if strides is None:
            strides = (shape[1] * kind.itemsize, kind.itemsize)
        if min(strides) < 0 or kind.itemsize not in strides:
            self.matrix(_on_host(data, self, "the array"))
            return
        stream = own.get("stream")
        if type(data).__module__.partition(".")[0] == "torch":
            torch: Any = importlib.import_module("torch")

            # Its interface does not name the stream.
            torch.cuda.current_stream(data.device).synchronize()
        self.has_tensor = True
        names = _unnamed(shape[1])
        self.add("device", names, (own["data"][0], kind.itemsize), (tuple(shape), tuple(strides), stream), data)

    def matrix(self, values: np.ndarray[Any, Any], names: Sequence[str] | None = None) -> None:
        """The columns of an array, which are x0, x1, … without names."""
        if values.dtype.names:
            for name in values.dtype.names:
                self.array_column(name, values[name])
            return
        if values.ndim == 1:
            values = values[:, None]
        if values.ndim != 2:
            raise DataError(f"an array of {values.ndim} dimensions is no table: two are expected")
        if names is None:
            self.unnamed = True
            names = _unnamed(values.shape[1])
        if values.dtype.kind in "fiub":
            if not values.dtype.isnative or values.dtype.itemsize not in (1, 2, 4, 8) or values.dtype == np.float16:
                self.note(f"the array is converted from {values.dtype}")
                values = values.astype(np.float64)
            self.add("numbers", names, values)
        else:
            for at, name in enumerate(names):
                self.array_column(name, values[:, at])

    def _pandas(self, data: Any) -> None:
        names = [str(name) for name in data.columns]
        if len(set(names)) < len(names) == len(set(data.columns)):
            double = next(name for name in names if names.count(name) > 1)
            labels = ", ".join(repr(label) for label in data.columns if str(label) == double)
            raise DataError(f"the labels {labels} of columns are all `{double}` as a text, which names are: rename one")
        kinds = {dtype for dtype in data.dtypes}
        only = next(iter(kinds)) if len(kinds) == 1 else None
        if isinstance(only, np.dtype) and only.kind in "fiub":
            values = data.to_numpy()
            self.matrix(values, names)
            return
        for at, name in enumerate(names):
            self._pandas_column(name, data.iloc[:, at])

    def _sparse(self, data: Any) -> None:
        csc = data.tocsc()
        if csc is not data:
            self.note(f"the sparse matrix is converted from {type(data).__name__}")
        if not csc.has_canonical_format:
            self.note("the sparse matrix is sorted")
            csc = csc.copy()
            csc.sum_duplicates()
        if csc.dtype.kind not in "fiub" or csc.dtype == np.float16 or csc.dtype.itemsize > 8:
            if csc.dtype.kind not in "fiub":
                raise DataError(f"a sparse matrix of {csc.dtype} is no table of numbers")
            self.note(f"the sparse matrix is converted from {csc.dtype}")
            csc = csc.astype(np.float64)
        self.unnamed = True
        names = _unnamed(csc.shape[1])
        self.add("sparse", names, csc.shape[0], csc.indptr, csc.indices, csc.data)

    def _arrow(self, data: Any) -> None:
        if type(data).__module__.partition(".")[0] == "polars":
            data = _known_types(data)
        names = getattr(data, "column_names", None) or getattr(data, "columns", None)
        self.names.extend(str(name) for name in names or ())
        self.parts.append(("arrow", data, _ordered_columns(data)))


def _known_types(data: Any) -> Any:
    """A frame of Polars without types that Arrow's interface has in no way, or in one that others do not read."""
    import polars

    strange = next((name for name, dtype in data.schema.items() if str(dtype) in ("Int128", "UInt128")), None)
    if strange is not None:
        raise DataError(f"column `{strange}` is of the type {data.schema[strange]}: cast it to Int64, Float64 or String")
    empty = [name for name, dtype in data.schema.items() if dtype == polars.Null]
    return data.with_columns(polars.col(name).cast(polars.Float64) for name in empty) if empty else data


@functools.lru_cache(maxsize=1)
def _unnamed(width: int) -> list[str]:
    """The names of so many columns without names, which nobody changes."""
    return [f"x{at}" for at in range(width)]


def _ordered_columns(data: Any) -> list[str]:
    """The columns of a table of Polars or PyArrow whose categories have an order."""
    module, schema = type(data).__module__.partition(".")[0], getattr(data, "schema", None)
    if module == "polars":
        import polars

        return [name for name, dtype in data.schema.items() if isinstance(dtype, polars.Enum)]
    if module != "pyarrow" or schema is None:
        return []
    return [own.name for own in schema if getattr(own.type, "ordered", False)]


def level_text(level: Any) -> str:
    """A level as the engine writes it: a number by its shortest digits."""
    if isinstance(level, (float, np.floating)) and float(level).is_integer() and abs(float(level)) < 2.0**53:
        return str(int(level))
    if isinstance(level, (bool, np.bool_)):
        return "1" if level else "0"
    if isinstance(level, (float, np.floating)):
        return repr(float(level))
    return str(level)


def _is_missing(value: Any) -> bool:
    # Whether pandas.NA equals anything is pandas.NA.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return False


def _moment(value: Any) -> Any:
    """A date, or a time of any zone, as NumPy has it."""
    if value is None or isinstance(value, np.datetime64):
        return np.datetime64("NaT") if value is None else value
    zone = getattr(value, "tzinfo", None)
    return np.datetime64(value if zone is None else value.astimezone(datetime.UTC).replace(tzinfo=None))


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return value is None
    return True


def _days(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Dates as days since 1970-01-01, and times as days."""
    unit = "datetime64[ns]" if values.dtype.kind == "M" else "timedelta64[ns]"
    own = values.astype(unit).view(np.int64)
    days = own / _DAY
    days[own == np.iinfo(np.int64).min] = np.nan
    return days


def _on_host(values: Any, columns: Columns, what: str) -> Any:
    """An array that is in the memory of a device, or a tensor, or that has a mask, as one that NumPy takes whole."""
    if hasattr(values, "__cuda_array_interface__"):
        columns.note(f"{what} is copied from the memory of a device")
        if hasattr(values, "get"):
            return values.get()
        return values.detach().cpu().numpy()
    if type(values).__module__.partition(".")[0] == "torch":
        return values.detach().numpy()
    if hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
        return _of_dlpack(values, columns, what)
    if isinstance(values, np.ma.MaskedArray):
        columns.note(f"{what} is converted, for it has a mask")
        if values.dtype.kind in "fiub":
            return np.ma.filled(values.astype(np.float64), np.nan)
        return np.ma.filled(values.astype(object), None)
    return values


def _of_dlpack(values: Any, columns: Columns, what: str) -> Any:
    """An array of an object that has the protocol DLPack alone."""
    # The CPU's memory, pinned or not.
    is_on_host = values.__dlpack_device__()[0] in (1, 3)
    if not is_on_host:
        columns.note(f"{what} is copied from the memory of a device")
    try:
        return np.from_dlpack(values) if is_on_host else np.from_dlpack(values, device="cpu")
    except (BufferError, RuntimeError, TypeError) as error:
        raise DataError(f"{what} cannot be taken by DLPack: {error}") from None


def has_column(data: Any, name: str) -> bool:
    """Whether a table has a column of this name."""
    try:
        # The `columns` of Arrow's tables are no names.
        names: Any = getattr(data, "column_names", None) or getattr(data, "columns", ())
        return name in (data if isinstance(data, Mapping) else names)
    except TypeError:
        return False


def is_column(data: Any, name: str, values: Any) -> bool:
    """Whether values are the column of this name of a table."""
    if not has_column(data, name):
        return False
    own = data[name]
    return own is values or (type(own) is type(values) and hasattr(own, "equals") and bool(own.equals(values)))


def index_of(data: Any) -> Any:
    """The index of a data frame of pandas."""
    return data.index if type(data).__module__.partition(".")[0] == "pandas" else None


def categories_of(values: Any) -> list[str] | None:
    """The categories that occur among values of an ordered type, in its order."""
    module = type(values).__module__.partition(".")[0]
    if module == "polars":
        import polars

        if not isinstance(values.dtype, polars.Enum):
            return None
        seen = set(values.drop_nulls().to_list())
        return [own for own in values.dtype.categories.to_list() if own in seen]
    if module == "pyarrow" and getattr(values.type, "ordered", False):
        chunks = values.unify_dictionaries().chunks if hasattr(values, "chunks") else [values]
        seen = set(values.unique().to_pylist())
        return [own for own in chunks[0].dictionary.to_pylist() if own in seen] if chunks else None
    dtype = getattr(values, "dtype", None)
    if type(dtype).__name__ == "ArrowDtype":
        import pyarrow

        return categories_of(pyarrow.array(getattr(values, "array", values)))
    if module != "pandas" or not getattr(dtype, "ordered", False):
        return None
    own = getattr(values, "cat", values).remove_unused_categories()
    return [level_text(level) for level in getattr(own, "cat", own).categories]


def ordered_levels(data: Any, response: Any, formula: Any) -> list[str] | None:
    """The levels of a response of an ordered type, values or the name of a column, from the lowest to the highest."""
    if response is None and isinstance(formula, str):
        response = formula.partition("~")[0].strip().strip("`")
    if not isinstance(response, str):
        return categories_of(response)
    return categories_of(data[response]) if has_column(data, response) else None


def with_columns(data: Any, beside: Iterable[tuple[str, Any]], copy: bool | None) -> Columns:
    """The columns of data, and those that stand beside them."""
    columns = Columns(copy)
    columns.same_rows("the data", index_of(data))
    columns.frame(data)
    for name, values in beside:
        if name in columns.names:
            raise DataError(f"the data have a column `{name}` already: name that one by its text, or take other values under another name")
        columns.column(name, values)
    return columns
