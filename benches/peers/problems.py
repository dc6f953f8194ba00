"""The problems: each becomes X.npy and y.npy, which every program reads."""

import csv
import gzip
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
HUNG_SETS = ["1_1", "1_3", "1_8", "2_1", "2_2", "2_5"]


@dataclass
class Source:
    """Where a problem comes from."""

    group: str
    # The largest size asked of leaps and abess, at least twice the truth's where that is
    # affordable: sequential replacement takes seconds like the cube of it.
    largest: int
    # Arguments of `passel simulate`; or the file of a shared set; or n and p for numpy.
    simulate: list | None = None
    shared: str | None = None
    numpy: tuple | None = None
    # Programs that cannot do it here, with the reason that the table gives.
    untried: dict = field(default_factory=dict)


SOURCES = {
    "ing-lai": Source("quality", 20, ["ing-lai", "--n", "400", "--p", "4000", "--r", "10"]),
    "chen-chen": Source(
        "quality",
        25,
        ["chen-chen", "--n", "200", "--p", "50", "--correlation", "ar", "--rho", "0.2"],
    ),
    "hung": Source("quality", 30, ["hung", "--n", "200"]),
    "ar1": Source(
        "quality",
        30,
        ["ar1", "--n", "500", "--p", "2000", "--r", "20", "--rho", "0.9", "--snr", "2"],
    ),
    **{
        f"hung-{name}": Source("hung-sets", 60, shared=f"data/hung/genlin_hung_{name}.dat.gz")
        for name in HUNG_SETS
    },
    "ing-lai-1000x20000": Source(
        "speed", 20, ["ing-lai", "--n", "1000", "--p", "20000", "--r", "10"]
    ),
    # As CSV it would be more than 3 GB.
    "ing-lai-4000x40000": Source(
        "biggest",
        20,
        numpy=(4000, 40000),
        # Without a bound on memory, Linux might end another process in its stead.
        untried={"leaps": "not tried: several copies of a triangle of p²/2 numbers, 6.4 GB each"},
    ),
}


@dataclass
class Problem:
    """A problem as it lies in its folder."""

    name: str
    seed: str
    x_file: Path
    y_file: Path
    x: np.ndarray
    y: np.ndarray
    truth: set
    n: int
    # The candidates: columns that are neither constant nor a copy of an earlier one.
    p: int
    largest: int


def shared(path):
    """A file kept beside the repository, or none, said on standard error.

    As tests/support/problems.rs reads it: PASSEL_SHARED names the folder, and with
    PASSEL_REQUIRE_SHARED its absence is an error.
    """
    file = Path(os.environ.get("PASSEL_SHARED", ROOT / ".." / "shared")) / path
    if file.exists():
        return file
    if "PASSEL_REQUIRE_SHARED" in os.environ:
        sys.exit(f"{file} is required and absent")
    print(f"skipped: {file} is absent", file=sys.stderr)
    return None


def seeds_of(name, seeds):
    """The seeds to run: a shared set is one problem without any, or absent."""
    source = SOURCES[name]
    if source.shared:
        return ["-"] if shared(source.shared) else []
    return seeds


def make(name, seed, folder, passel, largest=None):
    """Generates or reads a problem, and writes it to `folder` for the programs."""
    source = SOURCES[name]
    if source.numpy:
        x, y, truth = ing_lai(*source.numpy, 10, int(seed))
    elif source.shared:
        x, y, truth = read_dat(shared(source.shared))
    else:
        file = folder / "data.csv"
        command = [passel, "simulate", *source.simulate, "--seed", seed, "--output", file]
        if subprocess.run(command, stdout=subprocess.DEVNULL).returncode != 0:
            sys.exit(f"{passel} simulate failed")
        x, y, truth = read_csv(file)
        file.unlink()

    n, candidates = x.shape[0], count_candidates(x)
    x_file, y_file = folder / "x.npy", folder / "y.npy"
    # By columns: R reads what follows the header as its own matrix.
    np.save(x_file, np.asfortranarray(x))
    np.save(y_file, y)
    # Mapped, not held: what the judge needs of X is the columns of a support.
    x = np.load(x_file, mmap_mode="r")
    largest = min(largest or source.largest, candidates, n // 2)
    return Problem(name, seed, x_file, y_file, x, y, truth, n, candidates, largest)


def read_csv(file):
    """X, y and the truth of a file by `passel simulate`."""
    with open(file) as lines:
        next(lines)
        truth = next(lines).removeprefix("# passel truth ").rstrip("\n")
        names = next(csv.reader(lines))
        truth = {names.index(name) - 1 for name in next(csv.reader([truth]))}
        data = np.loadtxt(lines, delimiter=",")
    return data[:, 1:], data[:, 0].copy(), truth


def read_dat(file):
    """X, y and the truth (the row `*`) of a gzipped .dat."""
    with gzip.open(file, "rt") as lines:
        lines = (line for line in lines if not line.startswith("#"))
        next(lines)
        n, p = map(int, next(lines).split())
        marks = next(lines).split()[1:]
        data = np.array([line.split() for line in lines if line.strip()], dtype=float)
    if data.shape != (n, p + 1) or len(marks) != p:
        sys.exit(f"{file} does not hold the {n} × {p} it announces")
    truth = {j for j, mark in enumerate(marks) if float(mark) != 0}
    return data[:, 1:], data[:, 0].copy(), truth


def ing_lai(n, p, r, seed):
    """Ing and Lai's model (docs/simulate.md) from numpy's own random numbers."""
    random = np.random.default_rng(seed)
    x = np.empty((n, p), order="F")
    x[:, :r] = random.standard_normal((n, r))
    common = (3 / (4 * r)) ** 0.5 * x[:, :r].sum(axis=1)
    for i in range(r, p):
        x[:, i] = 0.5 * random.standard_normal(n) + common
    y = x[:, :r] @ (3 + 0.75 * np.arange(r)) + random.standard_normal(n)
    return x, y, set(range(r))


def count_candidates(x):
    """p of the criteria: columns after setting aside constants and exact duplicates."""
    distinct = set()
    for column in x.T:
        if (column != column[0]).any():
            distinct.add(hash(column.tobytes()))
    return len(distinct)
