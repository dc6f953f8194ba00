"""The proof of an optimum beside leaps' exhaustive search.

    python3 exhaustive.py [--passel PATH] [--limit SECONDS] [--seeds N] [--alone]

Chen and Chen's model with n = 200 and 30 or 40 candidates, correlation constant or ar, rho .5 and .9, and the
breast cancer data of examples/: seconds of `passel select --criterion bic --prove --threads 1` and of
leaps, and both values of BIC. With --alone 50 and 60 candidates by passel: the share of problems whose proof is
complete in 10 seconds. passel's time is that of the whole search. Needs R and leaps (install.sh).
"""

import argparse
import gzip
import json
import pathlib
import shutil
import statistics
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def passel(program, data, response, *options):
    command = [program, "select", data, "--response", response, "--criterion", "bic", "--format", "json"]
    run = subprocess.run([*command, *options], capture_output=True, text=True)
    report = json.loads(run.stdout)
    return report["elapsed_seconds"]["search"], report["criterion"]["value"], report


def leaps(data, response, limit):
    command = ["Rscript", HERE / "exhaustive.R", data, response]
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, None
    seconds, value = run.stdout.split()
    return float(seconds), float(value)


def simulated(program, folder, p, correlation, rho, seed):
    file = folder / f"{p}-{correlation}-{rho}-{seed}.csv"
    model = ["simulate", "chen-chen", "--n", "200", "--p", str(p), "--correlation", correlation]
    options = ["--rho", str(rho), "--seed", str(seed), "--output", file]
    subprocess.run([program, *model, *options], capture_output=True, check=True)
    return file


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--passel", default=str(ROOT / "target/release/passel"))
    arguments.add_argument("--limit", type=float, default=600)
    arguments.add_argument("--seeds", type=int, default=3)
    arguments.add_argument("--alone", action="store_true")
    given = arguments.parse_args()
    kinds = [(correlation, rho) for correlation in ("constant", "ar") for rho in (0.5, 0.9)]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if given.alone:
            print("p correlation rho: complete in 10 s, median s, median nodes")
            for p in (50, 60):
                for correlation, rho in kinds:
                    runs = []
                    for seed in range(1, given.seeds + 1):
                        file = simulated(given.passel, folder, p, correlation, rho, seed)
                        limits = ("--prove", "--time-limit", "10s", "--threads", "1")
                        runs.append(passel(given.passel, file, "y", *limits))
                    complete = sum(run[2]["certified"] == "global" for run in runs)
                    seconds = statistics.median(run[0] for run in runs)
                    nodes = statistics.median(run[2]["proof"]["nodes"] for run in runs)
                    print(f"{p} {correlation} {rho}: {complete}/{len(runs)}, {seconds:.3f}, {nodes}")
            return
        cancer = folder / "breast_cancer.csv"
        with gzip.open(ROOT / "examples/data/breast_cancer.csv.gz") as packed, open(cancer, "wb") as plain:
            shutil.copyfileobj(packed, plain)
        problems = [("breast cancer, 30", cancer, "class")]
        for p in (30, 40):
            for correlation, rho in kinds:
                for seed in range(1, given.seeds + 1):
                    file = simulated(given.passel, folder, p, correlation, rho, seed)
                    problems.append((f"{p} {correlation} {rho} seed {seed}", file, "y"))
        print("problem: passel s, nodes, certified; leaps s; BIC, leaps' less passel's")
        for name, file, response in problems:
            seconds, value, report = passel(given.passel, file, response, "--prove", "--threads", "1")
            theirs, lowest = leaps(file, response, given.limit)
            beside = "over the limit" if theirs is None else f"{theirs:.3f} s; {lowest - value:.1e}"
            nodes = report["proof"]["nodes"]
            print(f"{name}: {seconds:.3f} s, {nodes}, {report['certified']}; leaps {beside}", flush=True)


main()
