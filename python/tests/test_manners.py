"""A guest in a process of Python: signals, threads, forks, memory, imports."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from typing import Any

import numpy as np
import pandas
import pytest
from conftest import EXAMPLES, lasting

import passel

DIABETES = EXAMPLES / "data" / "diabetes.csv"


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments, "-c", textwrap.dedent(code)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def long() -> Any:
    """Data of which a search takes minutes."""
    random = np.random.default_rng(2)
    x = np.asfortranarray(random.normal(size=(300, 3000)))
    y = x[:, :20].sum(axis=1) + random.normal(size=300)
    return x, y


def test_ctrl_c_ends_with_the_best_so_far(long: Any) -> None:
    x, y = long
    asked: list[float] = []

    def ask() -> None:
        asked.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    seen: list[tuple[str, int, int | None]] = []

    def progress(what: str, number: int, of: int | None) -> None:
        seen.append((what, number, of))
        if number >= 3 and not asked:
            ask()

    with pytest.raises(KeyboardInterrupt) as caught:
        passel.select(x, response=y, iterations=10_000_000, progress=progress)
    took = time.monotonic() - asked[0]
    assert isinstance(caught.value, passel.Interrupted)
    assert caught.value.result is not None and caught.value.result.termination == "interrupted"
    # A fifth of a second on a machine that does nothing else.
    assert took < 3, took
    assert seen[0][0] == "iteration" and seen[0][2] == 10_000_000
    # The next run is not ended by it.
    assert passel.select(x[:, :30], response=y).termination != "interrupted"


def test_an_exception_of_progress_or_of_a_handler_is_raised(long: Any) -> None:
    x, y = long

    def progress(what: str, number: int, of: int | None) -> None:
        raise RuntimeError(f"{what} is enough")

    with pytest.raises(RuntimeError, match="iteration is enough"):
        passel.select(x, response=y, iterations=10_000_000, progress=progress)

    def handler(number: int, frame: Any) -> None:
        raise TimeoutError("from the handler")

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(TimeoutError, match="from the handler"):
            passel.select(x, response=y, iterations=10_000_000)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_limits_of_time_and_memory_are_told(long: Any) -> None:
    x, y = long
    with pytest.raises(passel.TimedOut) as caught:
        passel.select(x, response=y, iterations=10_000_000, timeout=1)
    assert isinstance(caught.value, TimeoutError) and caught.value.result.termination == "interrupted"
    limited = passel.select(x, response=y, iterations=10_000_000, time_limit="500ms")
    assert limited.termination == "time-limit"
    with pytest.raises(passel.OutOfMemory, match="memory"):
        passel.select(x, response=y, memory_limit="1MB", device="cpu")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)


def test_the_lock_is_released(long: Any) -> None:
    x, y = long
    ended = threading.Event()
    counted = []

    def count() -> None:
        while not ended.is_set():
            counted.append(None)
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    passel.select(x, response=y, time_limit=1)
    ended.set()
    thread.join()
    assert len(counted) > 50


def test_threads_have_the_results_of_one() -> None:
    expected = lasting(passel.select(DIABETES, response="y", threads=1).json)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        runs = [pool.submit(passel.select, DIABETES, response="y", threads=1 + at % 2) for at in range(12)]
        assert {lasting(run.result().json) for run in runs} == {expected}


def test_threads_share_results_criteria_and_scores() -> None:
    """On a build without the global lock at the same time, elsewhere in turns."""

    @passel.criterion
    def penalty(n: int, k: Any) -> Any:
        return 1.7 * k * np.log(n)

    @passel.score
    def chi2(counts: Any) -> Any:
        tables = counts.sum(axis=2).astype(float)
        independent = tables.sum(axis=2, keepdims=True) * tables.sum(axis=1, keepdims=True) / tables.sum(axis=(1, 2), keepdims=True)
        return ((tables - independent) ** 2 / np.where(independent > 0, independent, 1)).sum(axis=(1, 2))

    stored = passel.select(DIABETES, response="y").json
    binned: dict[str, Any] = {"response": "y", "binning": "equal-frequency:4", "bin_response": "equal-frequency:3", "top": 4}
    shared = passel.read_report(stored)

    def all_of_them(_: int) -> tuple[Any, ...]:
        told: list[Any] = []
        by_own = passel.select(DIABETES, response="y", criterion=penalty, progress=lambda *what: told.append(what))
        ranked = passel.select(DIABETES, method=chi2, **binned)
        assert told
        with pytest.raises(passel.DataError):
            passel.select(DIABETES, response="nothing")
        return lasting(by_own.json), lasting(ranked.json), shared.names, shared.summary(), shared.to_html()

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(all_of_them, range(16)))
    assert all(own == answers[0] for own in answers)


def _fit(seed: int) -> str:
    return lasting(passel.select(DIABETES, response="y", seed=seed).json)


@pytest.mark.parametrize("kind", ["fork", "spawn"])
def test_processes_of_either_kind_have_the_results_of_one(kind: str) -> None:
    expected = [_fit(seed) for seed in (1, 2, 3)]
    with multiprocessing.get_context(kind).Pool(2) as pool:
        assert pool.map_async(_fit, (1, 2, 3)).get(timeout=120) == expected


def test_an_import_does_no_work() -> None:
    done = python("""
        import sys, passel
        heavy = {"numpy", "pandas", "polars", "sklearn", "matplotlib", "passel._engine"} & set(sys.modules)
        assert not heavy, heavy
        assert "select" in dir(passel) and callable(passel.select)
    """)
    assert done.returncode == 0, done.stderr
    assert python("import passel; passel.nothing").stderr.count("has no attribute 'nothing'") == 1


def test_another_interpreter_is_refused_or_right() -> None:
    done = python("""
        try:
            from concurrent.interpreters import create
            def run(code):
                create().exec(code)
        except ImportError:
            try:
                # Of CPython 3.13, which gives back what was raised.
                import _interpreters as own
            except ImportError:
                import _xxsubinterpreters as own
            def run(code):
                raised = own.run_string(own.create(), code)
                if raised is not None:
                    raise RuntimeError(repr(raised))
        try:
            run("import passel._engine")
        except Exception as error:
            assert "ImportError" in repr(error) or "subinterpreter" in str(error), error
        import passel
        print(passel.__version__)
    """)
    assert done.returncode == 0 and done.stdout.strip(), done.stderr


def test_many_fits_do_not_grow() -> None:
    frame = pandas.read_csv(DIABETES)[:60]
    small = {name: frame[name].to_numpy() for name in ("age", "bmi", "bp", "y")}
    options: dict[str, Any] = {"response": "y", "iterations": 1, "particles": 2, "no_polish": True, "threads": 1}

    def resident() -> int:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    for _ in range(200):
        passel.select(small, **options)
    before = resident()
    fits = int(os.environ.get("PASSEL_FITS", "1000"))
    for _ in range(fits):
        passel.select(small, **options).predict(small)
    assert resident() - before < 8 << 20
