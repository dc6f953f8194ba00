"""The same data in every form give the same report."""

from __future__ import annotations

import datetime
import logging
import tracemalloc
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import scipy.sparse
from conftest import EXAMPLES, lasting

import passel


def forms(frame: pandas.DataFrame) -> dict[str, Any]:
    """A table in all forms that keep names."""
    return {
        "pandas": frame,
        "pandas by arrow": frame.convert_dtypes(dtype_backend="pyarrow"),
        "pandas of nullable types": frame.convert_dtypes(),
        "polars": polars.from_pandas(frame),
        "polars in chunks": polars.concat([polars.from_pandas(frame[:50]), polars.from_pandas(frame[50:])], rechunk=False),
        "lazy": polars.from_pandas(frame).lazy(),
        "arrow": pyarrow.Table.from_pandas(frame, preserve_index=False),
        "mapping": {name: frame[name].to_numpy() for name in frame},
        "lists": {name: frame[name].tolist() for name in frame},
        "structured": frame.to_records(index=False),
    }


def test_every_form_of_a_table_gives_the_report_of_its_file(diabetes: pandas.DataFrame) -> None:
    file = passel.select(EXAMPLES / "data" / "diabetes.csv", response="y")
    for name, form in forms(diabetes).items():
        own = passel.select(form, response="y")
        assert lasting(own.json) == lasting(file.json), name


def test_factors_dates_and_missing_values_are_those_of_the_file(tmp_path: Any) -> None:
    random = np.random.default_rng(3)
    n = 80
    site = random.choice(["north", "south", "a, b"], n).astype(object)
    day = [datetime.date(2020, 1, 1) + datetime.timedelta(days=int(own)) for own in random.integers(0, 900, n)]
    x = random.normal(size=n).round(3)
    flag = random.integers(0, 2, n)
    y = (2 * x + (site == "south") + random.normal(size=n)).round(3)
    frame = pandas.DataFrame({"site": site, "day": day, "x": x, "flag": flag, "y": y})
    frame.loc[5, "site"] = None
    frame.loc[7, "x"] = np.nan
    frame.to_csv(tmp_path / "t.csv", index=False)
    options = {"response": "y", "missing": "drop-rows"}
    file = passel.select(tmp_path / "t.csv", date=["day"], **options)
    stamps = pandas.to_datetime(frame["day"])
    own = {
        "pandas": frame.assign(day=stamps),
        "categories": frame.assign(day=stamps, site=frame["site"].astype("category")),
        "polars": polars.from_pandas(frame.assign(day=stamps)),
        "polars categories": polars.from_pandas(frame.assign(day=stamps)).with_columns(
            polars.col("site").cast(polars.Categorical), polars.col("day").cast(polars.Date), polars.col("flag").cast(polars.Boolean)
        ),
        "arrow": pyarrow.Table.from_pandas(frame, preserve_index=False),
        "mapping": {
            "site": frame["site"].tolist(), "day": stamps.to_numpy(), "x": frame["x"], "flag": flag.astype(bool), "y": y,
        },
    }
    for name, form in own.items():
        assert lasting(passel.select(form, **options).json) == lasting(file.json), name
    # Dates as texts are days by the option.
    texts = passel.select(frame.assign(day=frame["day"].astype(str)), date="day", **options)
    assert lasting(texts.json) == lasting(file.json)
    assert passel.select(frame.assign(day=stamps), factor=["flag"], **options).factors


def test_arrays_of_every_order_and_type_are_the_same_numbers() -> None:
    random = np.random.default_rng(5)
    whole = random.integers(-50, 50, (60, 7))
    y = whole[:, 2] * 3.0 + random.normal(size=60)
    expected = lasting(passel.select(whole.astype(float), response=y).json)
    wide = np.zeros((120, 14))
    wide[::2, ::2] = whole
    variants = {
        "fortran": np.asfortranarray(whole.astype(float)),
        "strided": wide[::2, ::2],
        "backwards": np.ascontiguousarray(whole[::-1].astype(float))[::-1],
        "big endian": whole.astype(">f8"),
        "half": whole.astype(np.float16),
        **{name: whole.astype(name) for name in ("f4", "i1", "i2", "i4", "i8")},
        "lists": whole.tolist(),
    }
    for name, variant in variants.items():
        assert lasting(passel.select(variant, response=y).json) == expected, name
    assert lasting(passel.select(whole, response=y.tolist()).json) == expected
    assert lasting(passel.select(whole, response=pandas.Series(y)).json) == expected
    names = pandas.DataFrame(whole, columns=[f"x{at}" for at in range(7)])
    assert lasting(passel.select(names, response=polars.Series("y", y)).json) == expected


def test_sparse_columns_are_those_of_numbers() -> None:
    random = np.random.default_rng(8)
    dense = random.normal(size=(70, 12)) * (random.random((70, 12)) < 0.2)
    y = dense[:, 3] - dense[:, 7] + 0.1 * random.normal(size=70)
    expected = lasting(passel.select(dense, response=y).json)
    for kind in (scipy.sparse.csc_array, scipy.sparse.csr_array, scipy.sparse.coo_array, scipy.sparse.csc_matrix):
        assert lasting(passel.select(kind(dense), response=y).json) == expected, kind
    own = passel.select(scipy.sparse.csc_array(dense), response=y)
    assert own.predict(scipy.sparse.csc_array(dense)).fit.tolist() == own.predict(dense).fit.tolist()
    with pytest.raises(passel.DataError, match="70 are expected|71"):
        passel.select(scipy.sparse.csc_array(dense), response=[*y, 1.0])
    unsorted = scipy.sparse.csc_array(dense)
    unsorted.indices[: unsorted.indptr[1]] = unsorted.indices[: unsorted.indptr[1]][::-1]
    unsorted.data[: unsorted.indptr[1]] = unsorted.data[: unsorted.indptr[1]][::-1]
    unsorted.has_sorted_indices = False
    unsorted.has_canonical_format = False
    assert lasting(passel.select(unsorted, response=y).json) == expected


def test_arrays_beside_the_data_are_columns(diabetes: pandas.DataFrame) -> None:
    weights = np.linspace(0.5, 2, len(diabetes))
    own = passel.select(diabetes, response="y", weights=weights)
    named = passel.select(diabetes.assign(weights=weights), response="y", weights="weights")
    assert lasting(own.json) == lasting(named.json)
    with pytest.raises(passel.DataError, match="have a column `y` already"):
        passel.select(diabetes, response=2 * diabetes["y"])
    with pytest.raises(passel.DataError, match="3 values, but 442 are expected"):
        passel.select(diabetes.drop(columns="y"), response=[1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"a": [1, 2, 3], "y": [1, 2]}, "column `y` has 2 values, but 3 are expected"),
        ({"a": [1, "b", 3.5], "y": [1, 2, 3]}, "column `a` has texts, and 1 of the type int"),
        ({"a": [1, np.inf, 3], "y": [1, 2, 3]}, "infinite"),
        ({"a": [object(), 1, 2], "y": [1, 2, 3]}, "column `a` has a value of the type object"),
        ({"a": np.zeros((3, 2)), "y": [1, 2, 3]}, "column `a` has 2 dimensions"),
        (np.zeros((2, 2, 2)), "an array of 3 dimensions is no table"),
        ({"a": np.zeros(3, complex), "y": [1, 2, 3]}, "column `a` has values of the type complex128"),
        ({"a": [2**60 + 1, 5, 9, 3], "y": [1, 2, 3, 5]}, "1152921504606846977"),
        (pyarrow.table({"a": [[1], [2]], "y": [1, 2]}), "column `a` has values of the type List"),
        (pyarrow.table({"a": [2**60 + 1, 2, 8], "y": [1, 2, 4]}), "1152921504606846977"),
        ({}, "no column"),
        (pandas.DataFrame({"a": [], "y": []}), "it has no rows"),
        (pandas.DataFrame({"a": [1j, 2, 3], "y": [1, 2, 3]}), "column `a` has values of the type complex128"),
        (pandas.DataFrame([[1, 2], [3, 4]], columns=["y", "y"]), "`y`"),
    ],
)
def test_data_that_are_no_table_are_told_by_name(data: Any, message: str) -> None:
    with pytest.raises(passel.DataError, match=message.replace("(", r"\(")):
        passel.select(data, response="y")


def test_frames_of_numbers_alone_have_their_response_among_them(diabetes: pandas.DataFrame) -> None:
    expected = lasting(passel.select(diabetes, response="y").json)
    numbers = diabetes.astype(float)
    assert lasting(passel.select(numbers, response="y").json) == expected
    assert passel.select("y ~ log(bmi) + bp", numbers).names
    numbers.columns = range(11)
    assert passel.select(numbers, response=10).response == "10"


def test_rows_are_matched_by_their_order_alone_where_indexes_agree(diabetes: pandas.DataFrame) -> None:
    x, y = diabetes.drop(columns="y"), diabetes["y"]
    with pytest.raises(passel.DataError, match="the index of y is not that of the data"):
        passel.select(x, response=y.sample(frac=1, random_state=1))
    turned = y.sample(frac=1, random_state=1)
    with pytest.raises(passel.DataError, match="the index of y is not that of bmi"):
        passel.select({"bmi": x["bmi"], "y": turned}, response="y")
    with pytest.raises(passel.DataError, match="the index of weights is not that of y"):
        passel.select(x.to_numpy(), response=y, weights=turned.rename(None))
    assert passel.select({"bmi": x["bmi"], "y": turned.to_numpy()}, response="y").n == 442
    shifted = x.set_axis(range(5, 447)), y.set_axis(range(5, 447))
    assert lasting(passel.select(shifted[0], response=shifted[1]).json) == lasting(passel.select(x, response=y).json)
    assert passel.select(x, response=y.to_numpy()[::-1]).n == 442


def test_columns_of_pandas_arrow_types_and_of_objects_are_those_of_others() -> None:
    random = np.random.default_rng(7)
    levels, numbers = [None, "u", "v"] * 20, [None, 2, 3] * 20
    day = [datetime.date(2020, 1, 1 + at % 28) for at in range(60)]
    x = random.normal(size=60)
    y = 2 * x + np.array([0, 1, 4] * 20) + np.array([own.day for own in day]) / 9 + random.normal(size=60)

    def selected(**columns: Any) -> str:
        own = passel.select(pandas.DataFrame({"x": x, **columns, "y": y}), response="y", keep=["own"], missing="drop-rows")
        return lasting(own.json)

    expected = selected(own=pandas.Series(levels, dtype="string"))
    encoded = pandas.arrays.ArrowExtensionArray(pyarrow.array(levels).dictionary_encode())
    assert selected(own=pandas.Series(levels, dtype=pandas.ArrowDtype(pyarrow.string()))) == expected
    assert selected(own=pandas.Series(encoded)) == expected
    missing = [pandas.NA if own is None else own for own in levels]
    assert selected(own=pandas.Series(missing, dtype=object)) == expected
    expected = selected(own=pandas.Series(numbers, dtype="Int64"))
    assert selected(own=pandas.Series(numbers, dtype="int64[pyarrow]")) == expected
    assert selected(own=pandas.Series([pandas.NA if own is None else own for own in numbers], dtype=object)) == expected
    expected = selected(own=pandas.to_datetime(day))
    assert selected(own=pandas.Series(day, dtype=object)) == expected
    assert selected(own=pandas.Series(day, dtype="date32[pyarrow]")) == expected
    assert selected(own=pandas.Series(pandas.to_datetime(day)).astype("timestamp[ns][pyarrow]")) == expected
    assert selected(own=pandas.Series([np.datetime64(own) for own in day], dtype=object)) == expected
    instants = [pandas.Timestamp(own, tz="UTC").tz_convert("Asia/Tokyo") for own in day]
    assert selected(own=pandas.Series(instants, dtype=object)) == expected


def test_arrays_of_pandas_are_columns() -> None:
    x, y = np.arange(20.0), ["q", "p"] * 10
    for own in (pandas.Categorical(y), pandas.array(y, dtype="string"), pandas.Index(y)):
        assert passel.select({"x": x}, response=own, family="binomial").p == 1
        assert passel.select({"x": x, "own": own, "y": x % 3}, response="y").p == 2


def test_whole_numbers_among_objects_are_not_rounded() -> None:
    x = np.arange(60.0)

    def of(values: Any, **options: Any) -> Any:
        own = pandas.Series(values, dtype=object if isinstance(values, list) else None)
        frame = pandas.DataFrame({"x": x, "own": own, "y": x % 7})
        return passel.select(frame, response="y", **options)

    assert of([5 * at for at in range(60)]).p == 2
    for least in (2**53, 2**60, 10**30):
        with pytest.raises(passel.DataError, match="column `own`.*whole number"):
            of([least + at for at in range(60)])
    beyond = [2**53 + 1 + 2 * at for at in range(60)]
    for column in ([np.int64(own) for own in beyond], pandas.array(beyond, dtype="Int64"), pandas.array([*beyond[1:], None], dtype="Int64")):
        with pytest.raises(passel.DataError, match="whole number"):
            of(column)
    with pytest.raises(passel.DataError, match="no floating-point number is near"):
        of([10**400] * 60)
    assert of([2**60 + at for at in range(60)], drop=["own"]).p == 1


def test_types_of_polars_without_values_or_without_an_interface() -> None:
    frame = polars.DataFrame({"nothing": [None] * 60, "x": range(60), "y": [at % 7 for at in range(60)]})
    assert passel.select(frame, response="y", missing="mean", drop=["nothing"]).p == 1
    with pytest.raises(passel.DataError, match="column `x` is of the type Int128: cast it"):
        passel.select(frame.with_columns(polars.col("x").cast(polars.Int128)), response="y", drop=["nothing"])


def test_instants_are_the_same_in_every_time_zone() -> None:
    random = np.random.default_rng(6)
    day = pandas.date_range("2024-01-01", periods=40, freq="11h", tz="Europe/Berlin")
    frame = pandas.DataFrame({"day": day, "x": random.normal(size=40), "y": np.arange(40) + random.normal(size=40)})
    own = passel.select(frame, response="y", keep=["day"])
    moved = frame.assign(day=frame["day"].dt.tz_convert("UTC"))
    assert own.predict(moved).fit.tolist() == own.predict(frame).fit.tolist()
    assert lasting(passel.select(polars.from_pandas(moved), response="y", keep=["day"]).json) == lasting(own.json)


def test_conversions_are_said_or_refused(diabetes: pandas.DataFrame, caplog: pytest.LogCaptureFixture) -> None:
    x, y = diabetes.drop(columns="y").to_numpy(), diabetes["y"].to_numpy()
    for array in (np.asfortranarray(x), np.ascontiguousarray(x), x.astype(np.float32)):
        passel.select(array, response=y, copy=False)
    passel.select(polars.from_pandas(diabetes), response="y", copy=False)
    with pytest.raises(passel.CopyError, match="the array is converted from float16"):
        passel.select(x.astype(np.float16), response=y, copy=False)
    with caplog.at_level(logging.INFO, "passel.data"):
        passel.select(scipy.sparse.csr_array(x), response=y)
    assert "the sparse matrix is converted from csr_array" in caplog.text


def test_python_holds_no_copy_of_an_array() -> None:
    random = np.random.default_rng(1)
    x = np.asfortranarray(random.normal(size=(400, 4000)))
    y = x[:, 5] + random.normal(size=400)
    tracemalloc.start()
    try:
        passel.select(x, response=y, iterations=2, no_polish=True)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < x.nbytes / 4, peak


class Exchanged:
    """An array that has the protocol DLPack alone, on a device of this kind."""

    def __init__(self, values: Any, kind: int = 1) -> None:
        self._values, self._kind = values, kind

    def __dlpack__(self, *, dl_device: Any = None, copy: bool | None = None, **rest: Any) -> Any:
        if self._kind != 1 and dl_device != (1, 0):
            raise BufferError("the array is on a device")
        return self._values.__dlpack__(**rest)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._kind, 0


def test_objects_with_dlpack_alone_are_tables_and_columns(diabetes: pandas.DataFrame) -> None:
    x, y = diabetes.drop(columns="y").to_numpy(), diabetes["y"].to_numpy()
    expected = lasting(passel.select(x, response=y).json)
    assert lasting(passel.select(Exchanged(x), response=Exchanged(y)).json) == expected
    assert lasting(passel.select(Exchanged(x), response=Exchanged(y), copy=False).json) == expected
    with pytest.raises(passel.CopyError, match="the array is copied from the memory of a device"):
        passel.select(Exchanged(x, 2), response=y, copy=False)
    if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
        assert lasting(passel.select(Exchanged(x, 2), response=y).json) == expected
    with pytest.raises(passel.DataError, match="the array cannot be taken by DLPack"):
        passel.select(Exchanged(np.array(["a"], dtype=object)), response=y)
