"""python.py: what a call from Python costs beside the engine's own time, and how soon Ctrl-C ends one.

    pip install ./python
    python benches/python.py [--repeats N] [--device cuda]

Prints a table in Markdown: medians of the clock of `passel.select`; of the report's own total, which begins as an array is made the engine's table, as
the program's begins with a file; of making that table, a part of it; and of the difference, which is what Python takes. Below it, of searches of 300 × 3,000 that are
interrupted at moments spread over their course, the seconds from the signal to the exception. With `--device cuda` arrays of the host
and tensors of torch are searched on the first GPU.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import threading
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import passel


def drawn(n: int, p: int, signals: int = 10) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    x = np.asfortranarray(rng.standard_normal((n, p)))
    return x, x[:, :signals] @ np.linspace(1.0, 2.0, signals) + rng.standard_normal(n)


def cases(device: str) -> Iterator[tuple[str, Any, Any]]:
    if device == "cpu":
        for n, p in ((40, 10), (400, 4_000)):
            x, y = drawn(n, p)
            yield f"{n} × {p:,}, columns contiguous", x, y
            yield f"{n} × {p:,}, rows contiguous", np.ascontiguousarray(x), y
        return
    import torch

    x, y = drawn(4_000, 40_000)
    yield "4,000 × 40,000, array of the host", x, y
    yield "4,000 × 40,000, tensor, columns contiguous", torch.from_numpy(x.T).to("cuda:0").T, y
    yield "4,000 × 40,000, tensor, rows contiguous", torch.from_numpy(x).to("cuda:0").contiguous(), y


def timed(x: Any, y: Any, device: str, repeats: int) -> tuple[float, ...]:
    """Medians of a call's seconds, of the engine's, of making its table, and of what lies beside the engine's."""
    calls, totals, tables = [], [], []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        result = passel.select(x, response=y, device=device)
        calls.append(time.perf_counter() - start)
        seconds = result.to_dict()["elapsed_seconds"]
        totals.append(seconds["total"])
        tables.append(seconds["start"])
    # The first loads and starts what the others find.
    beside = [call - total for call, total in zip(calls[1:], totals[1:], strict=True)]
    return *(statistics.median(own[1:]) for own in (calls, totals, tables)), statistics.median(beside)


def interrupted(device: str, after: float, x: Any, y: Any) -> float | None:
    """Seconds from Ctrl-C to its exception, if the search has not ended before."""
    sent = []

    def send() -> None:
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, send)
    timer.start()
    try:
        passel.select(x, response=y, device=device, particles=256, iterations=100_000)
        timer.cancel()
        timer.join()
    except KeyboardInterrupt:
        return time.perf_counter() - sent[0]
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    device = "cuda:0" if options.device == "cuda" else "cpu"
    print("| data | a call, ms | the engine, ms | of it the table, ms | beside it, ms |\n| --- | --- | --- | --- | --- |")
    for name, x, y in cases(options.device):
        print(f"| {name} |", *(f"{1e3 * own:.1f} |" for own in timed(x, y, device, options.repeats)), flush=True)
    # The shares of R² of twenty variables are the longest work behind a search: 2²⁰ models.
    x, y = drawn(300, 3_000, 20)
    delays = [interrupted(device, 0.05 * (at + 1), x, y) for at in range(20)]
    ended = [own for own in delays if own is not None]
    if ended:
        print(f"\nFrom Ctrl-C to the exception, {len(ended)} times: median {statistics.median(ended):.3f} s, most {max(ended):.3f} s")


if __name__ == "__main__":
    main()
