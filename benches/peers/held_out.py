"""Held-out error, size and time of selections, of passel and its peers, on three real sets.

    target/peers/venv/bin/python benches/peers/held_out.py [--program target/release/passel] [--folds 10] [--repeats 3]

after install.sh. Every procedure gets the same training rows of each fold, chooses and fits by its own rule, tuning by its own inner
cross-validation where it has one, and is judged on the other rows. diabetes and breast cancer ship with passel, Boston is of R's MASS. Columns are as
the files have them; the peers of L1 get them standardised, as they ask. Seconds are of one fit, those of passel of the whole process with reading and
writing. The last rows are what `passel validate` says of the whole set by folds of its own.
"""

import argparse
import csv
import gzip
import json
import pathlib
import subprocess
import tempfile
import time
import warnings

import numpy as np
from abess.linear import LinearRegression as AbessLinear
from abess.linear import LogisticRegression as AbessLogistic
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LassoCV, LinearRegression, LogisticRegression, LogisticRegressionCV
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

ROOT = pathlib.Path(__file__).resolve().parents[2]

GLMNET = """
suppressMessages(library(glmnet)); library(jsonlite)
arguments <- commandArgs(TRUE)
folds <- fromJSON(arguments[1], simplifyVector = FALSE)
family <- arguments[2]
answers <- lapply(folds, function(fold) {
  read <- function(path) as.matrix(read.csv(path, check.names = FALSE))
  train <- read(fold$train); test <- read(fold$test)
  set.seed(1)
  started <- proc.time()[3]
  own <- cv.glmnet(train[, -1], train[, 1], family = family)
  seconds <- proc.time()[3] - started
  of <- function(s) list(predicted = as.vector(predict(own, test[, -1], s = s, type = "response")),
                         size = sum(coef(own, s = s)[-1] != 0), seconds = unname(seconds))
  list(min = of("lambda.min"), one_se = of("lambda.1se"))
})
cat(toJSON(answers, auto_unbox = TRUE, digits = NA))
"""


def read(path):
    opened = gzip.open(path, "rt") if str(path).endswith(".gz") else open(path)
    with opened as file:
        rows = list(csv.reader(file))
    return rows[0], rows[1:]


def sets():
    """Name, whether the response is of two classes, names of the columns, X and y."""
    header, rows = read(ROOT / "examples/data/diabetes.csv")
    at = header.index("y")
    values = np.array(rows, dtype=float)
    yield "diabetes", False, [n for n in header if n != "y"], np.delete(values, at, 1), values[:, at]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "boston.csv"
        subprocess.run(["Rscript", "-e", f'write.csv(MASS::Boston, "{path}", row.names = FALSE, quote = FALSE)'], check=True)
        header, rows = read(path)
    at = header.index("medv")
    values = np.array(rows, dtype=float)
    yield "Boston", False, [n for n in header if n != "medv"], np.delete(values, at, 1), values[:, at]
    header, rows = read(ROOT / "examples/data/breast_cancer.csv.gz")
    at = header.index("class")
    classes = [row[at] for row in rows]
    levels = sorted(set(classes))
    y = np.array([float(own == levels[1]) for own in classes])
    x = np.array([[float(cell) for place, cell in enumerate(row) if place != at] for row in rows])
    yield "breast cancer", True, [n for n in header if n != "class"], x, y


def of_passel(options, names, is_binary, train, test, *more):
    """What passel predicts of the held-out rows, the size of its model, and its seconds."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        paths = [folder / "train.csv", folder / "test.csv"]
        for path, (x, y) in zip(paths, [train, test]):
            write(path, names, x, y)
        family = ["--family", "binomial"] if is_binary else []
        report = folder / "report.json"
        started = time.perf_counter()
        command = [options.program, "select", paths[0], "--response", "y", "--format", "json", "--output", report, *family, *more]
        subprocess.run(command, check=True, capture_output=True)
        seconds = time.perf_counter() - started
        command = [options.program, "predict", report, paths[1], "--format", "csv"]
        predicted = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        rows = list(csv.DictReader(predicted.splitlines()))
        return np.array([float(row["fit"]) for row in rows]), json.loads(report.read_text())["k"], seconds


def write(path, names, x, y):
    with open(path, "w") as file:
        out = csv.writer(file)
        out.writerow(["y"] + names)
        out.writerows([[repr(float(v)) for v in [target, *row]] for target, row in zip(y, x)])


def peers(is_binary, p):
    """By name what makes an estimator, and the number of its columns."""
    if not is_binary:
        lasso = lambda: make_pipeline(StandardScaler(), LassoCV(cv=10, random_state=1))
        yield "LassoCV", lasso, lambda own: int(np.sum(own[-1].coef_ != 0)), False
        forward = lambda: make_pipeline(SequentialFeatureSelector(LinearRegression(), tol=1e-3, n_features_to_select="auto", cv=10), LinearRegression())
        yield "SequentialFeatureSelector", forward, lambda own: int(own[0].n_features_to_select_), False
        yield "abess", lambda: AbessLinear(), lambda own: int(np.sum(own.coef_ != 0)), False
        yield "all columns", LinearRegression, lambda own: p, False
        return
    l1 = lambda: make_pipeline(StandardScaler(), LogisticRegressionCV(cv=10, penalty="l1", solver="liblinear", scoring="neg_log_loss", random_state=1))
    yield "LogisticRegressionCV, L1", l1, lambda own: int(np.sum(own[-1].coef_ != 0)), True
    plain = lambda: LogisticRegression(C=1e6, max_iter=5000)
    forward = lambda: make_pipeline(StandardScaler(), SequentialFeatureSelector(plain(), tol=1e-3, n_features_to_select="auto", cv=10, scoring="neg_log_loss"), plain())
    yield "SequentialFeatureSelector", forward, lambda own: int(own[1].n_features_to_select_), True
    yield "abess", lambda: AbessLogistic(), lambda own: int(np.sum(own.coef_ != 0)), True


def judged(is_binary, y, predicted):
    """The measures of all held-out rows of one repeat together."""
    if not is_binary:
        return {"RMSE": float(np.sqrt(np.mean((y - predicted) ** 2)))}
    p = np.clip(predicted, 1e-15, 1 - 1e-15)
    loss = -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))
    return {"log loss": float(loss), "AUC": float(roc_auc_score(y, p))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "target/release/passel"))
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name, is_binary, names, x, y in sets():
        repeats = []
        for seed in range(options.repeats):
            kind = StratifiedKFold if is_binary else KFold
            repeats.append(list(kind(options.folds, shuffle=True, random_state=seed).split(x, y)))
        results = {}

        def note(procedure, repeat, rows, predicted, size, seconds):
            own = results.setdefault(procedure, {"predicted": [np.full(len(y), np.nan) for _ in repeats], "size": [], "seconds": []})
            own["predicted"][repeat][rows] = predicted
            own["size"].append(size)
            own["seconds"].append(seconds)

        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            files = []
            for repeat, folds in enumerate(repeats):
                for number, (train, test) in enumerate(folds):
                    parts = (x[train], y[train]), (x[test], y[test])
                    for label, more in [("passel, default", []), ("passel, bic", ["--criterion", "bic"]), ("passel, aic", ["--criterion", "aic"])]:
                        note(label, repeat, test, *of_passel(options, names, is_binary, *parts, *more))
                    for label, make, size, has_probabilities in peers(is_binary, x.shape[1]):
                        started = time.perf_counter()
                        own = make()
                        own.fit(*parts[0])
                        seconds = time.perf_counter() - started
                        predicted = own.predict_proba(x[test])[:, 1] if has_probabilities else own.predict(x[test])
                        note(label, repeat, test, predicted, size(own), seconds)
                    paths = [str(folder / f"{repeat}-{number}-{part}.csv") for part in ["train", "test"]]
                    for path, (own_x, own_y) in zip(paths, parts):
                        write(path, names, own_x, own_y)
                    files.append((repeat, test, {"train": paths[0], "test": paths[1]}))
            script, requests = folder / "glmnet.R", folder / "folds.json"
            script.write_text(GLMNET)
            requests.write_text(json.dumps([own for _, _, own in files]))
            family = "binomial" if is_binary else "gaussian"
            answers = subprocess.run(["Rscript", script, requests, family], check=True, capture_output=True, text=True).stdout
            for (repeat, test, _), answer in zip(files, json.loads(answers)):
                for label, part in [("cv.glmnet, lambda.min", "min"), ("cv.glmnet, lambda.1se", "one_se")]:
                    own = answer[part]
                    note(label, repeat, test, own["predicted"], own["size"], own["seconds"])
            whole = folder / "whole.csv"
            write(whole, names, x, y)
            command = [options.program, "validate", whole, "--response", "y", "--format", "json", "--criterion", "ebic-monotone,bic,aic"]
            command += ["--scheme", f"folds:k={options.folds},repeats={options.repeats}", *(["--family", "binomial"] if is_binary else [])]
            validated = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        print(f"\n{name}: {x.shape[0]} x {x.shape[1]}, {options.folds} folds, {options.repeats} times\n")
        measures = list(judged(is_binary, y, np.full(len(y), 0.5) if is_binary else y))
        print("| procedure | " + " | ".join(f"held-out {m}" for m in measures) + " | columns | seconds of a fit |")
        print("| --- |" + " --- |" * (len(measures) + 2))
        for procedure, own in results.items():
            each = [judged(is_binary, y, predicted) for predicted in own["predicted"]]
            values = [f"{np.mean([one[m] for one in each]):.4g}" for m in measures]
            print(f"| {procedure} | {' | '.join(values)} | {np.mean(own['size']):.1f} | {np.median(own['seconds']):.3f} |")
        fields = {"RMSE": "rmse", "log loss": "log_loss", "AUC": "auc"}
        for model in validated["models"]:
            errors = {own["name"]: own for own in model["errors"]}
            own = [errors[fields[m]] for m in measures]
            values = [f"{one['value']:.4g} +- {one['std_error']:.2g}" for one in own]
            at = validated["models"].index(model)
            sizes = [split["sizes"][at] for split in validated["splits"]]
            print(f"| passel validate, {model['criterion']['name']} | {' | '.join(values)} | {np.mean(sizes):.1f} | |")


main()
