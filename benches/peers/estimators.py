"""estimators.py: passel's estimators beside those of other packages, in Python from the data to the selection.

    pip install ./python -r benches/peers/requirements-estimators.txt     (or passel's wheel in place of ./python)
    python benches/peers/estimators.py [--repeats N] [--threads 1,2] [--limit S] [--device gpu] [--data NAMES] [--only NAMES]

Prints tables in Markdown. Every measurement is a process of its own: it imports, fits the procedure once to forty rows, so that
nothing is loaded or started for the first time, and then fits it to all rows, which is what is measured: seconds of the clock,
those of all its threads and processes on the processor, and how many MB more of the process itself were resident at the highest than
before. Medians of the repeats; the procedures take turns, so that another load of the machine meets all of them.

Procedures that choose a size themselves do so by EBIC (gamma = 1) where they know it. Those that are told a size are told that of
PassRegressor or PassClassifier, on the rows of each fold as on all. Of every support EBIC and BIC are computed here by one
formula: n ln(RSS/n), or -2 log L by Newton's method, + k ln n (+ 2 ln C(p, k)). The held-out error is that of five folds, the
same for all, in which the procedure selects anew: the root of the mean squared error, or the share of wrong classes; of a
procedure that predicts by its own predictions, of one that only selects by the maximum likelihood of the model of its columns. A
procedure whose package is not installed is named and left out; one that takes longer than the limit is so marked, and one whose
five folds would is not judged.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
#: Sizes that abess and the stepwise loop go up to.
LARGEST = 30
FOLDS = 5

# Data: X, y, and whether y is of two classes, 0 and 1.


def of_file(name: str, response: str, is_binary: bool) -> tuple[Any, Any, bool]:
    import pandas

    frame = pandas.read_csv(ROOT / "examples/data" / name)
    y = frame.pop(response)
    return frame.to_numpy(np.float64), (y == y.max()).to_numpy(np.float64) if is_binary else y.to_numpy(np.float64), is_binary


def of_ing_and_lai(n: int, p: int, seed: int) -> tuple[Any, Any, bool]:
    """Ten true variables, with which all others go together (Ing and Lai, Statistica Sinica 21, 2011)."""
    rng = np.random.default_rng(seed)
    x = np.empty((n, p))
    x[:, :10] = rng.standard_normal((n, 10))
    x[:, 10:] = 0.5 * rng.standard_normal((n, p - 10)) + math.sqrt(3 / 40) * x[:, :10].sum(axis=1, keepdims=True)
    return x, x[:, :10] @ np.arange(3.0, 10.5, 0.75) + rng.standard_normal(n), False


def of_neighbours(n: int, p: int, seed: int) -> tuple[Any, Any, bool]:
    """Ten true variables among correlated neighbours (.7 to the power of the distance), half of the variance noise."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, p))
    for at in range(1, p):
        x[:, at] = 0.7 * x[:, at - 1] + math.sqrt(1 - 0.49) * x[:, at]
    signal = x[:, p // 20 :: p // 10] @ np.where(np.arange(10) % 2, -1.0, 1.0)
    return x, signal + signal.std() * rng.standard_normal(n), False


DATA: dict[str, Callable[[], tuple[Any, Any, bool]]] = {
    "diabetes": lambda: of_file("diabetes.csv", "y", False),
    "breast_cancer": lambda: of_file("breast_cancer.csv.gz", "class", True),
    "diabetes_quadratic": lambda: of_file("diabetes_quadratic.csv.gz", "y", False),
    "simulated": lambda: of_ing_and_lai(400, 4_000, 1),
    "wide": lambda: of_neighbours(200, 20_000, 1),
}


# Procedures: of X, y, whether y is of classes, the size and the number of threads, the selected columns, and what predicts.

Answer = tuple[Any, Callable[[Any], Any] | None]


def passel_model(x: Any, y: Any, is_binary: bool, size: int, threads: int, device: str = "cpu") -> Answer:
    import passel

    estimator = passel.PassClassifier if is_binary else passel.PassRegressor
    own = estimator(criterion="ebic:gamma=1", n_jobs=threads, device=device).fit(x, y)
    return np.flatnonzero(own.support_), own.predict


def passel_selector(x: Any, y: Any, is_binary: bool, size: int, threads: int, device: str = "cpu") -> Answer:
    import passel

    family = "binomial" if is_binary else "gaussian"
    own = passel.PassSelector(criterion="ebic:gamma=1", family=family, n_jobs=threads, device=device).fit(x, y)
    return own.get_support(indices=True), None


def passel_information(method: str) -> Callable[..., Answer]:
    def fit(x: Any, y: Any, is_binary: bool, size: int, threads: int, device: str = "cpu") -> Answer:
        import passel

        own = passel.InformationSelector(method, top=size, n_jobs=threads, device=device).fit(x, y)
        return own.get_support(indices=True), None

    return fit


def abess_path(x: Any, y: Any, is_binary: bool, size: int, threads: int) -> Answer:
    from abess.linear import LinearRegression, LogisticRegression

    sizes = range(min(LARGEST, x.shape[1], len(y) // 2) + 1)
    own = (LogisticRegression if is_binary else LinearRegression)(support_size=sizes, ic_type="ebic", thread=threads).fit(x, y)
    return np.flatnonzero(own.coef_), own.predict


def fastcan_forward(x: Any, y: Any, is_binary: bool, size: int, threads: int) -> Answer:
    from fastcan import FastCan

    return FastCan(size, verbose=0).fit(x, y).get_support(indices=True), None


def sequential(x: Any, y: Any, is_binary: bool, size: int, threads: int) -> Answer:
    from sklearn.feature_selection import SequentialFeatureSelector
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), LogisticRegression(C=1e6, max_iter=1000)) if is_binary else LinearRegression()
    own = SequentialFeatureSelector(model, n_features_to_select=size, n_jobs=threads).fit(x, y)
    return own.get_support(indices=True), None


def lasso(x: Any, y: Any, is_binary: bool, size: int, threads: int) -> Answer:
    from sklearn.linear_model import LassoCV, LogisticRegressionCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if is_binary:
        own = LogisticRegressionCV(l1_ratios=(1.0,), solver="liblinear", scoring="neg_log_loss", n_jobs=threads, random_state=1)
    else:
        own = LassoCV(n_jobs=threads)
    fitted = make_pipeline(StandardScaler(), own).fit(x, y)
    return np.flatnonzero(fitted[-1].coef_), fitted.predict


def mutual_information(x: Any, y: Any, is_binary: bool, size: int, threads: int) -> Answer:
    from sklearn.feature_selection import SelectKBest, mutual_info_classif, mutual_info_regression

    def scores(a: Any, b: Any) -> Any:
        return (mutual_info_classif if is_binary else mutual_info_regression)(a, b, random_state=1, n_jobs=threads)

    return SelectKBest(scores, k=size).fit(x, y).get_support(indices=True), None


def mrmr_selection(x: Any, y: Any, is_binary: bool, size: int, threads: int) -> Answer:
    import mrmr
    import pandas

    of = mrmr.mrmr_classif if is_binary else mrmr.mrmr_regression
    return np.array(of(pandas.DataFrame(x), pandas.Series(y), size, n_jobs=threads, show_progress=False), dtype=int), None


def stepwise(x: Any, y: Any, is_binary: bool, size: int, threads: int) -> Answer:
    import statsmodels.api as sm

    n, p = x.shape
    chosen: list[int] = []
    least = math.inf
    while len(chosen) < min(LARGEST, p, n // 2):
        found = []
        for at in (own for own in range(p) if own not in chosen):
            design = sm.add_constant(x[:, [*chosen, at]])
            model = sm.Logit(y, design).fit(disp=0).llf if is_binary else sm.OLS(y, design).fit().llf
            found.append((-2 * model + penalty(n, p, len(chosen) + 1), at))
        value, best = min(found)
        if value >= least:
            break
        least = value
        chosen.append(best)
    return np.array(chosen, dtype=int), None


#: The package, and the procedure.
PROCEDURES: dict[str, tuple[str, Callable[..., Answer]]] = {
    "passel PassRegressor, PassClassifier": ("passel", passel_model),
    "passel PassSelector": ("passel", passel_selector),
    "passel InformationSelector, jmi": ("passel", passel_information("jmi")),
    "passel InformationSelector, mrmr": ("passel", passel_information("mrmr")),
    "abess": ("abess", abess_path),
    "fastcan FastCan": ("fastcan", fastcan_forward),
    "scikit-learn SequentialFeatureSelector": ("sklearn", sequential),
    "scikit-learn LassoCV, L1 of LogisticRegressionCV": ("sklearn", lasso),
    "scikit-learn SelectKBest, mutual information": ("sklearn", mutual_information),
    "mrmr_selection": ("mrmr", mrmr_selection),
    "statsmodels, forward loop by EBIC": ("statsmodels", stepwise),
}


# What all are judged by.

def penalty(n: int, p: int, k: int, gamma: float = 1.0) -> float:
    return k * math.log(n) + 2 * gamma * (math.lgamma(p + 1) - math.lgamma(k + 1) - math.lgamma(p - k + 1))


def refitted(x: Any, y: Any, is_binary: bool) -> tuple[float, Callable[[Any], Any]]:
    """The misfit of the model of all columns of x, and its predictions."""
    middle, spread = x.mean(axis=0), x.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)

    def design(of: Any) -> Any:
        return np.column_stack([np.ones(len(of)), (of - middle) / spread])

    z = design(x)
    if not is_binary:
        beta = np.linalg.lstsq(z, y, rcond=None)[0]
        return len(y) * math.log(np.sum((y - z @ beta) ** 2) / len(y)), lambda of: design(of) @ beta
    beta = np.zeros(z.shape[1])
    for _ in range(50):
        eta = np.clip(z @ beta, -500, 500)
        mean = 1 / (1 + np.exp(-eta))
        weight = np.maximum(mean * (1 - mean), 1e-10)
        step = np.linalg.lstsq(z.T @ (z * weight[:, None]), z.T @ (y - mean), rcond=None)[0]
        beta += step
        if np.abs(step).max() < 1e-10:
            break
    eta = z @ beta
    return 2 * float(np.sum(np.logaddexp(0, eta) - y * eta)), lambda of: (design(of) @ beta > 0).astype(float)


def folds(n: int) -> Iterator[tuple[Any, Any]]:
    order = np.random.default_rng(7).permutation(n)
    for at in range(FOLDS):
        held = np.zeros(n, dtype=bool)
        held[order[at::FOLDS]] = True
        yield np.flatnonzero(~held), np.flatnonzero(held)


def status(field: str) -> float:
    """MB of a field of the process's status: VmRSS, resident now; VmHWM, at the highest."""
    text = Path("/proc/self/status").read_text(encoding="ascii")
    return int(text.split(f"{field}:")[1].split()[0]) / 1000


def processor() -> float:
    """Seconds on the processor, of this process and those that it has waited for."""
    own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in own)


def workers() -> float:
    """Seconds on the processor of this process's workers, which joblib keeps for another call."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == os.getsid(0) and int(stat.parent.name) != os.getpid():
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def child(request: dict[str, Any]) -> dict[str, Any]:
    """One measurement, or the judgement of one procedure."""
    warnings.simplefilter("ignore")
    _, fit = PROCEDURES[request["procedure"]]
    x, y = np.load(request["x"]), np.load(request["y"])
    more = {"device": "cuda"} if request["device"] == "gpu" else {}
    rest = (request["is_binary"], request["size"], request["threads"])
    spread = np.random.default_rng(3).permutation(len(y))[:40]
    few = x[spread][:, : max(10, request["size"])]
    fit(few, y[spread], request["is_binary"], min(3, request["size"]), request["threads"], **more)
    if not request["judge"]:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        resident, before, cpu, start = status("VmRSS"), workers(), processor(), time.perf_counter()
        support, _ = fit(x, y, *rest, **more)
        wall, cpu = time.perf_counter() - start, processor() - cpu
        return {"wall": wall, "cpu": cpu + workers() - before, "mb": status("VmHWM") - resident, "size": len(support)}
    n, p = x.shape
    support, _ = fit(x, y, *rest, **more)
    misfit, _ = refitted(x[:, support], y, request["is_binary"])
    errors = np.empty(n)
    for train, held in folds(n):
        own, predict = fit(x[train], y[train], *rest, **more)
        if predict is None:
            again = refitted(x[np.ix_(train, own)], y[train], request["is_binary"])[1]
            predicted = again(x[np.ix_(held, own)])
        else:
            predicted = predict(x[held])
        errors[held] = (predicted != y[held]) if request["is_binary"] else (predicted - y[held]) ** 2
    k = len(support)
    return {
        "size": k, "ebic": misfit + penalty(n, p, k), "bic": misfit + penalty(n, p, k, 0.0),
        "error": float(errors.mean()) if request["is_binary"] else math.sqrt(errors.mean()),
    }


def in_child(request: dict[str, Any], limit: float) -> dict[str, Any] | str:
    """The answer of a process, or why there is none."""
    threads = str(request["threads"])
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS", "LOKY_MAX_CPU_COUNT")
    environment = {**os.environ, **{name: threads for name in names}, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, __file__, "--child", json.dumps(request)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, env=environment, start_new_session=True, **pipes) as own:
        try:
            out, errors = own.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            # Its workers too.
            os.killpg(own.pid, signal.SIGKILL)
            return f"over {limit:.0f} s"
    if own.returncode != 0:
        return (errors.strip().splitlines() or [f"exit code {own.returncode}"])[-1]
    return json.loads(out.splitlines()[-1])  # type: ignore[no-any-return]


def table(name: str, options: argparse.Namespace, procedures: dict[str, str], folder: Path) -> None:
    """Measures and judges all procedures on one data set, and prints its table."""
    x, y, is_binary = DATA[name]()
    request: dict[str, Any] = {"x": str(folder / "x.npy"), "y": str(folder / "y.npy"), "is_binary": is_binary, "judge": False}
    np.save(request["x"], x)
    np.save(request["y"], y)
    first = next(iter(PROCEDURES))
    told = in_child(request | {"procedure": first, "threads": 1, "size": 10, "device": "cpu"}, options.limit)
    size = told["size"] if isinstance(told, dict) else 10
    print(f"\n{name}, {x.shape[0]:,} × {x.shape[1]:,}, {'two classes' if is_binary else 'a number'}; the size told is {size}\n")
    runs: dict[tuple[str, int], list[dict[str, Any]]] = {}
    failed: dict[str, str] = {}
    for _ in range(options.repeats):
        for label, device in procedures.items():
            for threads in options.threads:
                if label in failed:
                    continue
                own = {"procedure": label.removesuffix(" on the GPU"), "threads": threads, "size": max(size, 1), "device": device}
                answer = in_child(request | own, options.limit)
                if isinstance(answer, str):
                    failed[label] = answer
                else:
                    runs.setdefault((label, threads), []).append(answer)
    heads = [f"{unit}, {own} thread{'s'[: own > 1]}" for own in options.threads for unit in ("wall s", "CPU s")]
    error = "held-out share of errors" if is_binary else "held-out RMSE"
    print(f"| procedure | variables | EBIC | BIC | {error} | {' | '.join(heads)} | MB more |")
    print("| --- |" + " --- |" * (5 + len(heads)))
    for label, device in procedures.items():
        if label in failed:
            print(f"| {label} | {failed[label]} |" + " |" * (4 + len(heads)))
            continue
        judged: Any = "not judged"
        if FOLDS * max(run["wall"] for run in runs[label, options.threads[-1]]) < options.limit:
            own = {"procedure": label.removesuffix(" on the GPU"), "threads": options.threads[-1], "size": max(size, 1)}
            judged = in_child(request | own | {"judge": True, "device": device}, 2 * options.limit)
        found = runs[label, options.threads[0]]
        if isinstance(judged, str):
            cells = [str(found[0]["size"]), judged, "", ""]
        else:
            cells = [str(judged["size"]), f"{judged['ebic']:.2f}", f"{judged['bic']:.2f}", f"{judged['error']:.4g}"]
        for threads in options.threads:
            cells += [f"{statistics.median(run[part] for run in runs[label, threads]):.3g}" for part in ("wall", "cpu")]
        cells.append(f"{statistics.median(run['mb'] for run in found):.0f}")
        print(f"| {label} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=lambda text: [int(own) for own in text.split(",")], default=[1, 2])
    parser.add_argument("--limit", type=float, default=120.0, help="seconds that a measurement may take")
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu", help="gpu: passel's rows twice, on CPU and GPU")
    parser.add_argument("--data", type=lambda text: text.split(","), default=list(DATA), help=", ".join(DATA))
    parser.add_argument("--only", type=lambda text: text.split(","), default=[""], help="parts of names of procedures")
    parser.add_argument("--child", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(child(options.child)))
        return
    procedures: dict[str, str] = {}
    for label, (package, _) in PROCEDURES.items():
        if not any(part in label for part in options.only):
            continue
        if importlib.util.find_spec(package) is None:
            print(f"Not installed, and left out: {label}", file=sys.stderr)
            continue
        procedures[label] = "cpu"
        if package == "passel" and options.device == "gpu":
            procedures[f"{label} on the GPU"] = "gpu"
    with tempfile.TemporaryDirectory() as folder:
        for name in options.data:
            table(name, options, procedures, Path(folder))


if __name__ == "__main__":
    main()
