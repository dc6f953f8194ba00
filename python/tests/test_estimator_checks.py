"""scikit-learn's own checks of the estimators, and arrays of other libraries."""

from __future__ import annotations

import collections
import os
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

# Where this is set scikit-learn dispatches to the libraries of arrays.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

pytest.importorskip("sklearn")

from sklearn import config_context  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.utils.estimator_checks import estimator_checks_generator  # noqa: E402

import passel  # noqa: E402

ALL = [
    passel.PassRegressor(),
    passel.PassClassifier(),
    passel.PassSelector(),
    passel.InformationSelector(),
    passel.StabilitySelector(resamples=10),
    passel.PairScorer(),
]
#: Parameters by which an estimator takes another way.
OTHERS = [
    passel.PassRegressor(missing="mean"),
    passel.PassRegressor(missing="drop-rows"),
    passel.PassClassifier(family="binomial", firth=True),
    passel.InformationSelector("relieff"),
    passel.InformationSelector("fcbf", missing="level"),
    passel.StabilitySelector(method="jmi", top=1, resamples=5),
]
SELECTORS = [own for own in ALL if hasattr(own, "transform")]


def name_of(estimator: Any) -> str:
    return type(estimator).__name__


@pytest.mark.parametrize("estimator", ALL + OTHERS, ids=repr)
def test_scikit_learns_checks_pass(estimator: Any, capsys: pytest.CaptureFixture[str]) -> None:
    counts: collections.Counter[str] = collections.Counter()
    failures, skips = [], []
    for own, check in estimator_checks_generator(estimator):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check(own)
            counts["passed"] += 1
        except Exception as error:
            # unittest's SkipTest is an exception as any other.
            if type(error).__name__ == "SkipTest":
                skips.append(str(error))
                counts["skipped"] += 1
            else:
                failures.append(f"{check}: {error!r}")
    with capsys.disabled():
        print(f"\n{estimator!r}: {sum(counts.values())} checks, {dict(counts)}")
    assert not failures
    # Of array libraries those can be checked that are there; nothing else is skipped.
    assert [own for own in skips if "is not installed" not in own] == []
    assert counts["passed"] >= 47


@pytest.mark.parametrize("estimator", SELECTORS, ids=name_of)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_arrays_of_other_libraries_give_such_arrays(estimator: Any, dtype: str) -> None:
    xp = pytest.importorskip("array_api_strict")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6)).astype(dtype)
    y = X[:, 1] - X[:, 4] + 0.3 * rng.normal(size=60)
    expected = clone(estimator).fit(X, y)
    with config_context(array_api_dispatch=True):
        strict = clone(estimator).fit(xp.asarray(X), xp.asarray(y))
        out = strict.transform(xp.asarray(X))
        back = strict.inverse_transform(out)
        assert type(out) is type(back) is type(strict.support_) is type(strict.scores_) is type(xp.asarray(X))
        assert out.dtype == getattr(xp, dtype)
    assert np.array_equal(np.from_dlpack(strict.support_), expected.support_)
    assert np.array_equal(np.from_dlpack(out), expected.transform(X))
    assert np.array_equal(np.from_dlpack(back), expected.inverse_transform(expected.transform(X)))
    assert strict.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()


def test_predictors_take_arrays_of_other_libraries() -> None:
    xp = pytest.importorskip("array_api_strict")
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 4))
    y = X[:, 2] + 0.3 * rng.normal(size=60)
    expected = passel.PassRegressor().fit(X, y).predict(X)
    with config_context(array_api_dispatch=True):
        own = passel.PassRegressor().fit(xp.asarray(X), xp.asarray(y), sample_weight=xp.asarray(np.ones(60)))
        assert np.array_equal(own.predict(xp.asarray(X)), expected)


def test_examples_of_the_docstrings_hold() -> None:
    import doctest
    import importlib
    import pkgutil

    import passel.estimators

    tried = 0
    for module in pkgutil.iter_modules(passel.estimators.__path__):
        own = importlib.import_module(f"passel.estimators.{module.name}")
        failed, count = doctest.testmod(own)
        assert failed == 0, module.name
        tried += count
    assert tried >= 15


def test_importing_passel_imports_no_scikit_learn() -> None:
    code = "import sys, passel; assert not {'sklearn', 'pandas', 'matplotlib'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
