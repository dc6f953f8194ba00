"""Criteria and scores as functions of Python, and plugins of other packages."""

from __future__ import annotations

import pathlib
import pickle
import subprocess
import sys
import textwrap
from collections import Counter
from typing import Any

import numpy as np
import pandas
import pytest
from conftest import EXAMPLES

import passel

calls: Counter[str] = Counter()


@passel.criterion
def own_bic(n: float, parameters: Any, kept: int, *, c: float = 1.0) -> Any:
    """BIC, weighed."""
    calls["penalty"] += 1
    return c * (parameters + kept) * np.log(n)


@passel.criterion(name="mallows")
def own_cp(n: float, k: float, rss: float, sigma2: float) -> float:
    calls["value"] += 1
    return rss / sigma2 - n + 2 * (k + 1)


def _entropy(p: Any) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        return -np.where(p > 0, p * np.log(p), 0).reshape(len(p), -1).sum(axis=1)


@passel.score
def own_jmi(counts: Any) -> Any:
    """I((x,w);y) in nats."""
    calls["tables"] += 1
    p = counts / counts.sum(axis=(1, 2, 3), keepdims=True)
    return _entropy(p.sum(axis=3)) + _entropy(p.sum(axis=(1, 2))) - _entropy(p)


def test_a_criterion_of_python_chooses_as_the_engines_own(diabetes: pandas.DataFrame) -> None:
    calls.clear()
    own = passel.select(diabetes, response="y", criterion=own_bic)
    shipped = passel.select(diabetes, response="y", criterion="bic")
    assert own.names == shipped.names and own.criterion["value"] == shipped.criterion["value"]
    assert own.criterion == {**own.criterion, "name": "own-bic", "c": 1.0, "plugin": f"{__name__}.own_bic"}
    assert calls["penalty"] <= 2
    # Terms of several columns have more parameters than variables.
    formula = "y ~ factor(sex) + cut(bmi, 4) + bp + s5"
    terms = passel.select(formula, diabetes, criterion=own_bic), passel.select(formula, diabetes, criterion="bic")
    assert terms[0].criterion["value"] == terms[1].criterion["value"] and calls["penalty"] <= 12


def test_a_criterion_of_each_model_is_told_the_fit(diabetes: pandas.DataFrame) -> None:
    own, shipped = (passel.select(diabetes, response="y", criterion=one) for one in (own_cp, "cp"))
    assert own.names == shipped.names and own.criterion["value"] == pytest.approx(shipped.criterion["value"], rel=1e-12)
    assert own.criterion["name"] == "mallows"


def test_criteria_stand_beside_one_another(diabetes: pandas.DataFrame) -> None:
    result = passel.select(diabetes, response="y", criterion=["aic", own_bic(c=2), "bic"])
    names = [result.criterion["name"]] + [other["criterion"]["name"] for other in result.by_other_criteria]
    assert names == ["aic", "own-bic", "bic"] and result.by_other_criteria[0]["criterion"]["c"] == 2
    errors = passel.validate(diabetes, response="y", criterion=[own_bic, "bic"], scheme="folds:k=3")
    assert errors.models[0]["errors"] == errors.models[1]["errors"]
    assert passel.stability(diabetes, response="y", criterion=own_bic, resamples=4).criterion["name"] == "own-bic"


def test_a_score_of_python_is_asked_for_by_tables(cancer: pandas.DataFrame) -> None:
    calls.clear()
    own, shipped = (passel.select(cancer, response="class", method=method, top=6) for method in (own_jmi, "jmi"))
    assert own.names == shipped.names and own.method["name"] == "own-jmi"
    assert calls["tables"] < 60
    pairs, mi3 = (passel.pairs(cancer, response="class", score=score, top=9) for score in (own_jmi, "mi3"))
    assert [(own["a"], own["b"]) for own in pairs.pairs] == [(own["a"], own["b"]) for own in mi3.pairs]
    assert passel.stability(cancer, response="class", method=own_jmi, top=3, resamples=4).names


def test_an_exception_of_a_function_is_raised(diabetes: pandas.DataFrame, cancer: pandas.DataFrame) -> None:
    @passel.criterion
    def broken(k: Any) -> Any:
        raise LookupError("no penalty")

    @passel.score
    def short(counts: Any) -> Any:
        return [1.0]

    with pytest.raises(LookupError, match="no penalty"):
        passel.select(diabetes, response="y", criterion=broken)
    with pytest.raises(ValueError, match=r"score short returned values of the shape \(1,\)"):
        passel.select(cancer, response="class", method=short)
    with pytest.raises(ValueError, match="score short returned"):
        passel.pairs(cancer, response="class", score=short)


def test_mistaken_functions_are_told_when_they_are_made(diabetes: pandas.DataFrame) -> None:
    with pytest.raises(TypeError, match="criterion wrong: size is none of n, p, k"):

        @passel.criterion
        def wrong(size: int) -> int:
            return size

    with pytest.raises(passel.OptionError, match="own-bic has no parameter gamma: it has c"):
        own_bic(gamma=1)
    with pytest.raises(passel.OptionError, match="make it a criterion by @passel.criterion"):
        passel.select(diabetes, response="y", criterion=lambda n, k: k)
    with pytest.raises(passel.OptionError, match="make it a score by @passel.score"):
        passel.select(diabetes, response="y", method=lambda counts: counts)

    @passel.score(gather="nothing")
    def gathered(counts: Any) -> Any:
        return counts

    with pytest.raises(ValueError, match="no gathering is called nothing"):
        passel.select(diabetes, response="y", method=gathered)


def test_functions_are_pickled_by_name() -> None:
    again = pickle.loads(pickle.dumps(own_bic(c=3)))
    assert again == own_bic(c=3) and again != own_bic
    assert repr(again) == "<passel.criterion own-bic, c=3>"
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(own_bic, protocol)) is not None
    of_plain = passel.criterion(plain)
    assert pickle.loads(pickle.dumps(of_plain)) == of_plain


def plain(n: float, k: Any) -> Any:
    """A function that keeps its name."""
    return k * np.log(n)


def test_functions_of_notebooks_go_to_other_processes() -> None:
    """cloudpickle, which joblib has, sends a function of `__main__` whole."""
    script = textwrap.dedent("""
        import sys
        import joblib, numpy as np, passel

        @passel.criterion
        def mine(n, p, k, *, c=2.0):
            return c * k

        x = np.random.default_rng(1).normal(size=(50, 6))

        def chosen(criterion):
            return passel.select(x[:, 1:], response=x[:, 0] + x[:, 1], criterion=criterion).names

        if __name__ == "__main__":
            of_lambda = passel.criterion(lambda n, k: 2.0 * k)
            tasks = [mine(c=2.0), mine(c=2.0)] + ([of_lambda] if sys.argv[1] == "loky" else [])
            with joblib.parallel_config(sys.argv[1]):
                told = joblib.Parallel(2)(joblib.delayed(chosen)(own) for own in tasks)
            assert told == [chosen("aic")] * len(told), told
    """)
    pytest.importorskip("joblib")
    for backend in ("loky", "multiprocessing"):
        done = subprocess.run([sys.executable, "-c", script, backend], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_packages_bring_functions_by_entry_points(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from passel import _installed

    package = tmp_path / "passel_plugin_mine"
    package.mkdir()
    (package / "__init__.py").write_text(
        "import passel\n\n@passel.criterion\ndef mine(n, k, *, c=3.0):\n    return c * k\n", encoding="utf-8"
    )
    info = tmp_path / "passel_plugin_mine-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: passel-plugin-mine\nVersion: 1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[passel.plugins]\nmine = passel_plugin_mine:mine\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for cached in (_installed.entry_points_of_plugins, _installed.libraries):
        cached.cache_clear()
    try:
        result = passel.select(EXAMPLES / "data" / "diabetes.csv", response="y", criterion="mine:c=4")
        assert result.criterion["name"] == "mine" and result.criterion["c"] == 4
    finally:
        for cached in (_installed.entry_points_of_plugins, _installed.libraries):
            cached.cache_clear()
        sys.modules.pop("passel_plugin_mine", None)
