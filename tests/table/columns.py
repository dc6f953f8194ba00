"""Writes columns.parquet beside this script: pip install pyarrow==26.0.1."""

import pathlib

import pyarrow as pa
import pyarrow.parquet as pq

NOTHING = None
columns = {
    "f8": pa.array([1.5, NOTHING, -2.25, 1e300, 0.1], pa.float64()),
    "f4": pa.array([1.5, 2.5, NOTHING, -0.5, 0.25], pa.float32()),
    "f2": pa.array([1.5, -2.0, 6.103515625e-05, 65504.0, NOTHING], pa.float16()),
    "i1": pa.array([1, -128, 127, NOTHING, 0], pa.int8()),
    "u1": pa.array([1, 255, 0, 7, NOTHING], pa.uint8()),
    "i2": pa.array([1, -32768, 32767, 3, 4], pa.int16()),
    "u2": pa.array([1, 65535, 0, 3, 4], pa.uint16()),
    "i4": pa.array([1, -(2**31), 2**31 - 1, 3, 4], pa.int32()),
    "u4": pa.array([1, 2**32 - 1, 2**31, 3, 4], pa.uint32()),
    "i8": pa.array([1, -(2**63), 2**53, 3, NOTHING], pa.int64()),
    "u8": pa.array([1, 2**64 - 1, 2**63, 3, NOTHING], pa.uint64()),
    "flag": pa.array([True, False, NOTHING, True, False], pa.bool_()),
    "text": pa.array(["b", "a", NOTHING, "b", ""], pa.string()),
    "large": pa.array(["é", "a", "z", "é", "a"], pa.large_string()),
    "coded": pa.array(["y", "x", "y", NOTHING, "y"]).dictionary_encode(),
    "nothing": pa.nulls(5),
}
here = pathlib.Path(__file__).parent
codecs = ["none", "snappy", "gzip", "lz4", "zstd"]
# Two row groups, and the second version of pages.
pq.write_table(
    pa.table(columns),
    here / "columns.parquet",
    compression={name: codecs[at % 5] for at, name in enumerate(columns)},
    row_group_size=3,
    data_page_version="2.0",
    write_statistics=False,
    store_schema=False,
)
