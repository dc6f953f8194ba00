"""Results of every kind and family, each made once: from the data of examples/data, with columns added for some families."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import passel

DATA = Path(__file__).resolve().parents[2] / "examples/data"
DIABETES = DATA / "diabetes.csv"
CANCER = DATA / "breast_cancer.csv.gz"


@functools.cache
def cancer() -> dict[str, Any]:
    """Ten measurements of tumours, and responses of several families that follow from them and noise."""
    columns = np.genfromtxt(CANCER, delimiter=",", names=True)
    data: dict[str, Any] = {name: np.array(columns[name]) for name in ("f1", "f2", "f4", "f7", "class")}
    noise = np.random.default_rng(1)
    n = len(columns)
    data["count"] = noise.poisson(0.5 + data["f1"])
    data["size"] = np.exp(0.3 * data["f2"]) * noise.gamma(2.0, size=n)
    place = np.digitize(data["f2"] + noise.normal(size=n), [2.0, 4.0])
    data["level"] = np.array(["low", "middle", "high"])[place]
    data["time"] = noise.exponential(10.0 / (1.0 + data["f1"]))
    data["died"] = (noise.random(n) < 0.7).astype(float)
    return data


def of_cancer(*responses: str) -> dict[str, Any]:
    return {name: own for name, own in cancer().items() if name.startswith("f") or name in responses}


LEVELS = ["low", "middle", "high"]

MAKERS: dict[str, Callable[[], Any]] = {
    "gaussian": lambda: passel.select(DIABETES, response="y"),
    "terms": lambda: passel.select("y ~ (bmi + bp + s5)^2 + sex", DIABETES, factor="sex", criterion="bic"),
    "criteria": lambda: passel.select(DIABETES, response="y", criterion=["aic", "bic", "ebic:gamma=0.5"]),
    "empty": lambda: passel.select(of_cancer("count"), response="count", drop="f1,f2,f7", criterion="bic", threads=1),
    "split": lambda: passel.select(DIABETES, response="y", infer="split"),
    "binomial": lambda: passel.select(of_cancer("class"), response="class", family="binomial"),
    "poisson": lambda: passel.select(of_cancer("count"), response="count", family="poisson"),
    "gamma": lambda: passel.select(of_cancer("size"), response="size", family="gamma"),
    "multinomial": lambda: passel.select(
        of_cancer("level"), response="level", family="multinomial", levels=LEVELS, max_size=2
    ),
    "ordinal": lambda: passel.select(of_cancer("level"), response="level", family="ordinal", levels=LEVELS),
    "cox": lambda: passel.select(of_cancer("time", "died"), time="time", event="died", family="cox"),
    "responses": lambda: passel.select(DIABETES, response="y,bmi"),
    "ranking": lambda: passel.select(CANCER, response="class", method="mrmr", top=4),
    "jmi": lambda: passel.select(CANCER, response="class", method="jmi", top=4),
    "pairs": lambda: passel.pairs(of_cancer("class"), response="class"),
    "stability": lambda: passel.stability(DIABETES, response="y", resamples=20),
    "validation": lambda: passel.validate(DIABETES, response="y", scheme="folds:k=5"),
    "validation of events": lambda: passel.validate(of_cancer("class"), response="class", family="binomial", scheme="folds:k=5"),
    "validation of levels": lambda: passel.validate(
        of_cancer("level"), response="level", family="ordinal", levels=LEVELS, scheme="holdout:share=0.3"
    ),
    "validation of methods": lambda: passel.validate(
        CANCER, response="class", method=["jmi", "mrmr"], then="logistic", top=2, scheme="holdout:share=0.3"
    ),
    "validation of a selector": lambda: passel.validate(
        CANCER, response="class", method="jmi", then="logistic", top=3, scheme="folds:k=5"
    ),
}


@functools.cache
def made(name: str) -> Any:
    """The result of a maker."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", passel.PasselWarning)
        return MAKERS[name]()
