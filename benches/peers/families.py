"""families.py: logistic and Poisson regression, beside abess, glmnet and R's step.

    target/peers/venv/bin/python benches/peers/families.py [--seeds N] [--quick] [--passel PATH]

Every program runs on one thread, on the same data, as a process of its own. passel selects once by BIC and once by
EBIC (gamma = 1). Of each peer all models that it offers count: every support of its path, and what its own criterion
chooses. All supports are fitted again here, by Newton's method from the definition, and judged by the same criteria.
A row has the seconds of the search alone (of passel for one criterion), the lowest criterion that each program reached
less that of the best of all, and the share of true variables among those found (PSR).
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LARGEST = 99

def own_logistic(n, p, rho, seed):
    """abess's own benchmark: constant correlation, ten coefficients of its size."""
    rng = np.random.default_rng(seed)
    common = rng.standard_normal((n, 1))
    x = math.sqrt(1 - rho) * rng.standard_normal((n, p)) + math.sqrt(rho) * common
    truth = sorted(rng.choice(p, 10, replace=False))
    m = 5 * math.sqrt(2 * math.log(p) / n)
    beta = rng.uniform(2 * m, 10 * m, 10) * rng.choice([-1, 1], 10)
    eta = np.clip(x[:, truth] @ beta, -30, 30)
    y = (rng.uniform(size=n) < 1 / (1 + np.exp(-eta))).astype(float)
    return x, y, truth, "binomial"


def simulated(model, family, n, p, seed, passel, folder):
    """A model of `passel simulate`."""
    path = folder / "data.csv"
    command = [passel, "simulate", model, "--n", n, "--p", p, "--seed", seed, "--family", family]
    subprocess.run([*map(str, command), "--output", str(path), "--overwrite"], check=True)
    with open(path) as file:
        lines = [next(file) for _ in range(2)]
    names = lines[1].split("truth")[1].strip().split(",")
    data = np.loadtxt(path, delimiter=",", skiprows=3)
    return data[:, 1:], data[:, 0], [int(name[1:]) for name in names], family


class Judge:
    """−2ℓ + penalty of any support."""

    def __init__(self, x, y, family):
        self.x, self.y, self.family, self.known = x, y, family, {}

    def misfit(self, eta):
        if self.family == "binomial":
            return 2 * float(np.sum(np.logaddexp(0, eta) - self.y * eta))
        mean = np.exp(np.clip(eta, -500, 500))
        constants = sum(math.lgamma(y + 1) for y in self.y)
        return 2 * (float(np.sum(mean - self.y * eta)) + constants)

    def least(self, support):
        support = tuple(sorted(support))
        if support in self.known:
            return self.known[support]
        z = np.column_stack([np.ones(len(self.y)), self.x[:, list(support)]])
        beta = np.zeros(z.shape[1])
        if self.family == "poisson":
            beta[0] = math.log(max(self.y.mean(), 0.1))
        best = self.misfit(z @ beta)
        for _ in range(100):
            eta = z @ beta
            if self.family == "binomial":
                mean = 1 / (1 + np.exp(-eta))
                weight = mean * (1 - mean)
            else:
                mean = weight = np.exp(np.clip(eta, -500, 500))
            information = z.T @ (z * weight[:, None])
            step = np.linalg.lstsq(information, z.T @ (self.y - mean), rcond=1e-13)[0]
            share, before = 1.0, best
            while share > 1e-8:
                value = self.misfit(z @ (beta + share * step))
                if value < best:
                    beta, best = beta + share * step, value
                    break
                share /= 2
            if before - best < 1e-10 * (1 + abs(best)):
                break
        self.known[support] = best
        return best

    def value(self, criterion, support):
        n, p = self.x.shape
        k = len(support)
        penalty = k * math.log(n)
        if criterion == "ebic":
            penalty += 2 * sum(math.log((p - k + i) / i) for i in range(1, k + 1))
        return self.least(support) + penalty


def run_passel(passel, folder, family):
    """Supports by criterion, and the seconds of one search."""
    supports, seconds = {}, []
    for criterion, name in [("ebic", "ebic:gamma=1"), ("bic", "bic")]:
        report = folder / "report.json"
        command = [passel, "select", folder / "x.npy", "--response", folder / "y.npy"]
        command += ["--family", family, "--criterion", name, "--threads", "1", "--progress", "none"]
        command += ["--format", "json", "--output", report, "--overwrite"]
        subprocess.run(list(map(str, command)), check=True)
        found = json.loads(report.read_text())
        supports[criterion] = [own["index"] for own in found["selected"]]
        seconds.append(found["elapsed_seconds"]["search"])
    return supports, max(seconds)


ABESS = """
import sys, time, json, numpy as np
from abess.linear import LogisticRegression, PoissonRegression
folder, family, largest = sys.argv[1:]
x, y = np.load(folder + "/x.npy"), np.load(folder + "/y.npy")
kind = LogisticRegression if family == "binomial" else PoissonRegression
def search(sizes, criterion):
    model = kind(path_type="seq", support_size=sizes, ic_type=criterion, thread=1)
    return np.flatnonzero(model.fit(x, y).coef_).tolist()
sizes = range(int(largest) + 1)
start = time.perf_counter()
supports = [search(sizes, "ebic")]
seconds = time.perf_counter() - start
supports.append(search(sizes, "bic"))
for k in range(min(int(largest), 30) + 1):
    supports.append(search([k], "loss"))
print(json.dumps([seconds, supports]))
"""

GLMNET = """
suppressMessages({library(glmnet); library(jsonlite)}); a <- commandArgs(TRUE)
x <- matrix(readBin(a[1], "double", as.integer(a[4]) * as.integer(a[5])), as.integer(a[4]))
y <- readBin(a[2], "double", as.integer(a[4]))
t <- proc.time()[[3]]; fit <- glmnet(x, y, family = a[3]); t <- proc.time()[[3]] - t
s <- unique(lapply(seq_along(fit$lambda), function(l) which(fit$beta[, l] != 0) - 1L))
cat(toJSON(list(t, lapply(s, unname)), auto_unbox = FALSE))
"""

STEP = """
suppressMessages(library(jsonlite)); a <- commandArgs(TRUE)
x <- matrix(readBin(a[1], "double", as.integer(a[4]) * as.integer(a[5])), as.integer(a[4]))
d <- data.frame(y = readBin(a[2], "double", as.integer(a[4])), x)
all <- reformulate(names(d)[-1], "y"); t <- proc.time()[[3]]
fit <- step(glm(y ~ 1, family = a[3], d), all, direction = "both", k = log(nrow(d)), trace = 0)
back <- step(glm(all, family = a[3], d), direction = "both", k = log(nrow(d)), trace = 0)
t <- proc.time()[[3]] - t
s <- lapply(list(fit, back), function(f) match(names(coef(f))[-1], names(d)[-1]) - 1L)
cat(toJSON(list(t, s), auto_unbox = FALSE))
"""


def run_other(command, limit=900):
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return [], math.nan
    except subprocess.CalledProcessError as error:
        print(error.stderr[-300:], file=sys.stderr)
        return [], math.nan
    seconds, supports = json.loads(done.stdout)
    seconds = seconds[0] if isinstance(seconds, list) else seconds
    return [list(own) if isinstance(own, list) else [own] for own in supports], seconds


def compare(name, data, passel, folder, has_step):
    x, y, truth, family = data
    n, p = x.shape
    np.save(folder / "x.npy", np.asfortranarray(x))
    np.save(folder / "y.npy", y)
    (folder / "x.bin").write_bytes(np.asfortranarray(x).tobytes(order="F"))
    (folder / "y.bin").write_bytes(y.tobytes())
    judge = Judge(x, y, family)
    own, seconds = run_passel(passel, folder, family)
    offered = {"passel": ([own["ebic"], own["bic"]], seconds)}
    largest = str(min(LARGEST, p))
    python = [sys.executable, "-c", ABESS, str(folder), family, largest]
    offered["abess"] = run_other(python)
    files = [str(folder / "x.bin"), str(folder / "y.bin"), family, str(n), str(p)]
    offered["glmnet"] = run_other(["Rscript", "--vanilla", "-e", GLMNET, *files])
    if has_step:
        offered["step"] = run_other(["Rscript", "--vanilla", "-e", STEP, *files])
    rows = []
    for criterion in ["ebic", "bic"]:
        best = {}
        for program, (supports, _) in offered.items():
            own = [support for support in supports if len(support) <= min(n // 3, 150)]
            if program == "passel":
                own = [supports[0 if criterion == "ebic" else 1]]
            values = [(judge.value(criterion, support), support) for support in own]
            if values:
                best[program] = min(values, key=lambda value: value[0])
        least = min(value for value, _ in best.values())
        for program, (value, support) in best.items():
            psr = len(set(support) & set(truth)) / len(truth)
            row = (name, criterion, program, offered[program][1], value - least, len(support), psr)
            rows.append(row)
            print("%-22s %-5s %-7s %8.2f s  +%-9.4g k %-3d PSR %.2f" % row, flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--passel", default=str(ROOT / "target/release/passel"))
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for seed in range(1, options.seeds + 1):
            passel = options.passel

            def simulate(model, family, n, p):
                return simulated(model, family, n, p, seed, passel, folder)

            problems = [
                ("logistic-.1-1000x1000", lambda: own_logistic(1000, 1000, 0.1, seed), False),
                ("logistic-.7-1000x1000", lambda: own_logistic(1000, 1000, 0.7, seed), False),
                ("ar1-binomial-400x40", lambda: simulate("ar1", "binomial", 400, 40), True),
            ]
            if not options.quick:
                problems += [
                    ("logistic-.1-500x8000", lambda: own_logistic(500, 8000, 0.1, seed), False),
                    ("ing-lai-binomial", lambda: simulate("ing-lai", "binomial", 400, 4000), False),
                    ("ing-lai-poisson", lambda: simulate("ing-lai", "poisson", 400, 4000), False),
                    ("ar1-binomial", lambda: simulate("ar1", "binomial", 500, 2000), False),
                    ("ar1-poisson", lambda: simulate("ar1", "poisson", 500, 2000), False),
                ]
            for name, data, has_step in problems:
                start = time.time()
                rows += compare(name, data(), passel, folder, has_step)
                print(f"# {time.time() - start:.0f} s", file=sys.stderr)
    own = [row for row in rows if row[2] == "passel"]
    best = sum(row[4] <= 1e-6 * 1000 for row in own)
    print(f"passel is the best of all in {best} of {len(own)} criteria × problems × seeds")
    for name in dict.fromkeys(row[0] for row in rows):
        def median(program):
            return np.median([row[3] for row in rows if row[0] == name and row[2] == program])
        print(f"{name}: passel takes {median('passel') / median('abess'):.2f} of the time of abess")


main()
