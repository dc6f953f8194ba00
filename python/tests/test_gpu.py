"""Arrays and tensors on a GPU, where there is one: what is on the device stays there."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np
import pytest
from conftest import EXAMPLES, lasting

import passel

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no GPU", allow_module_level=True)

#: Large enough to stay where it is: 4,000 columns, 160 MB.
N, P = 5000, 4000


def peak() -> int:
    """The most memory that this process had, in bytes, since it was last asked."""
    with open("/proc/self/status", encoding="ascii") as file:
        peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")
    return peak * 1024


@pytest.fixture(scope="module")
def data() -> Any:
    random = np.random.default_rng(4)
    x = np.asfortranarray(random.normal(size=(N, P)))
    y = x[:, [3, 77, 2500]].sum(axis=1) + random.normal(size=N)
    return x, y


@pytest.fixture(scope="module")
def expected(data: Any) -> str:
    x, y = data
    return lasting(passel.select(x, response=y, device="cuda", iterations=8).json)


def test_tensors_are_searched_where_they_lie(data: Any, expected: str) -> None:
    x, y = data
    rows = torch.from_numpy(np.ascontiguousarray(x)).cuda()
    forms = {"torch by rows": rows, "torch by columns": rows.T.contiguous().T, "a part": torch.cat([rows, rows], dim=1)[:, :P]}
    try:
        import cupy
    except ImportError:
        cupy = None
    if cupy is not None:
        forms["cupy"] = cupy.asarray(x)
        forms["cupy by columns"] = cupy.asfortranarray(cupy.asarray(x))
    for name, form in forms.items():
        before = peak()
        started = time.perf_counter()
        own = passel.select(form, response=y, device="cuda", iterations=8, copy=False)
        took = time.perf_counter() - started
        more = peak() - before
        assert lasting(own.json) == expected, name
        # Two blocks that are on their way, and what CUDA holds; a copy on the host would be 160 MB more.
        print(f"{name}: {took:.3f} s, {more / 1e6:.0f} MB more on the host")
    single = passel.select(rows.float(), response=y, device="cuda", iterations=8, copy=False)
    assert single.names == passel.select(x.astype(np.float32), response=y, device="cuda", iterations=8).names


def test_a_tensor_that_cannot_stay_is_copied_or_refused(data: Any) -> None:
    x, y = data
    small = torch.from_numpy(x[:200, :50].copy()).cuda()
    by_cpu = passel.select(small, response=y[:200], device="cpu")
    assert lasting(by_cpu.json) == lasting(passel.select(x[:200, :50], response=y[:200], device="cpu").json)
    with pytest.raises(passel.CopyError, match="the tensor would be copied to the host"):
        passel.select(small, response=y[:200], device="cpu", copy=False)
    holed = torch.from_numpy(x.copy()).cuda()
    holed[3, 5] = float("nan")
    with pytest.raises(passel.CopyError):
        passel.select(holed, response=y, device="cuda", copy=False)


def test_a_stream_is_waited_for(data: Any, expected: str) -> None:
    x, y = data
    side = torch.cuda.Stream()
    source = torch.from_numpy(x).cuda()
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        late = torch.zeros_like(source)
        torch.cuda._sleep(200_000_000)
        late.copy_(source)
        own = passel.select(late, response=y, device="cuda", iterations=8, copy=False)
    assert lasting(own.json) == expected


def test_an_array_is_not_copied_on_the_host(data: Any) -> None:
    x, y = data
    passel.select(x[:, :1200], response=y, device="cuda", iterations=2)
    before = peak()
    passel.select(x, response=y, device="cuda", iterations=8)
    more = peak() - before
    print(f"{more / 1e6:.0f} MB more on the host, of {x.nbytes / 1e6:.0f} MB")
    assert more < x.nbytes / 2


def test_threads_do_not_grow_by_the_run(data: Any) -> None:
    x, y = data

    def threads() -> int:
        passel.select(x, response=y, device="cuda", iterations=2)
        passel.select(EXAMPLES / "data" / "breast_cancer.csv.gz", response="class", method="jmi", top=3, device="cuda")
        time.sleep(1)
        return len(os.listdir("/proc/self/task"))

    threads()
    once = threads()
    assert [threads() for _ in range(3)] == [once] * 3


def test_a_fork_after_cuda_is_told() -> None:
    passel.select(EXAMPLES / "data" / "diabetes.csv", response="y", device="cuda")
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            by_cpu = passel.select(EXAMPLES / "data" / "diabetes.csv", response="y")
            os.write(write, f"{by_cpu.devices} ".encode())
            passel.select(EXAMPLES / "data" / "diabetes.csv", response="y", device="cuda")
        except passel.PasselError as error:
            os.write(write, str(error).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    said = os.read(read, 4096).decode()
    assert said.startswith("['cpu'] this process was forked from one that used a GPU"), said
