"""Orders, masks, names and indexes of the data that reach results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import passel

pd = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def graded() -> Any:
    """A response of three levels whose order is not that of their names."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=200)
    grade = np.array(["lo", "mid", "hi"])[np.digitize(1.5 * x + rng.logistic(size=200), [-1.0, 1.0])]
    return pd.DataFrame({"x": x, "z": rng.normal(size=200), "grade": grade})


def test_an_ordinal_response_has_the_order_of_its_categories(graded: Any) -> None:
    told = passel.select(graded, response="grade", family="ordinal", levels=["lo", "mid", "hi"])
    ordered = pd.CategoricalDtype(["lo", "never", "mid", "hi"], ordered=True)
    own = graded.assign(grade=graded.grade.astype(ordered))
    assert list(told.constants) == list(passel.select(own, response="grade", family="ordinal").constants)
    assert list(told.constants) == list(passel.select("grade ~ x + z", own, family="ordinal").constants)
    beside = passel.select(own[["x", "z"]], response=own.grade, family="ordinal")
    assert beside.coefficients.equals(told.coefficients)


def test_an_enum_of_polars_has_an_order(graded: Any) -> None:
    pl = pytest.importorskip("polars")
    own = pl.DataFrame(graded.to_dict("list")).with_columns(pl.col("grade").cast(pl.Enum(["lo", "mid", "hi"])))
    told = passel.select(graded, response="grade", family="ordinal", levels=["lo", "mid", "hi"])
    assert passel.select(own, response="grade", family="ordinal").coefficients.equals(told.coefficients)


def test_a_classifier_takes_an_order_or_warns_of_its_own(graded: Any) -> None:
    pytest.importorskip("sklearn")
    x = graded[["x", "z"]]
    ordered = graded.grade.astype(pd.CategoricalDtype(["lo", "mid", "hi"], ordered=True))
    right = passel.PassClassifier(family="ordinal", options={"levels": ["lo", "mid", "hi"]}).fit(x, graded.grade)
    own = passel.PassClassifier(family="ordinal").fit(x, ordered)
    assert own.result_.coefficients.equals(right.result_.coefficients)
    assert np.array_equal(own.predict_proba(x), right.predict_proba(x))
    with pytest.warns(passel.PasselWarning, match="ascend as hi, lo, mid"):
        passel.PassClassifier(family="ordinal").fit(x, graded.grade)


def test_what_a_mask_hides_is_missing() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=(80, 3))
    y = x[:, 0] + rng.normal(size=80)
    gaps = x.copy()
    gaps[:10, 0] = np.nan
    wild = x.copy()
    wild[:10, 0] = 1e6
    told = passel.select(gaps, response=y, keep=["x0"], missing="drop-rows")
    masked = np.ma.array(wild, mask=wild > 1e5)
    assert passel.select(masked, response=y, keep=["x0"], missing="drop-rows").coefficients.equals(told.coefficients)
    columns = {f"x{at}": masked[:, at] for at in range(3)}
    assert passel.select(columns, response=y, keep=["x0"], missing="drop-rows").coefficients.equals(told.coefficients)
    hidden = np.ma.array(y, mask=np.arange(80) < 5)
    assert passel.select(x, response=hidden, missing="drop-rows").n == 75
    with pytest.raises(passel.CopyError):
        passel.select(masked, response=y, copy=False)


def test_tables_without_rows_have_their_columns() -> None:
    rng = np.random.default_rng(5)
    noise = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "y"])
    none = passel.select("y ~ 0 + a + b", noise, criterion="ebic:gamma=1")
    assert none.names == []
    assert len(none.coefficients["p_value"]) == len(none.term_tests) == 0
    split = passel.select("y ~ a + b", noise, criterion="ebic:gamma=1", infer="split:splits=5")
    assert split.honest_inference is not None


def test_a_column_of_the_data_is_named_by_its_values() -> None:
    rng = np.random.default_rng(6)
    data = pd.DataFrame({"v": rng.normal(size=90), "e": rng.uniform(1.0, 4.0, size=90)})
    data["c"] = rng.poisson(data.e * np.exp(0.4 * data.v))
    by_name = passel.select("c ~ v", data.assign(log_e=np.log(data.e)), family="poisson", offset="log_e")
    by_values = passel.select("c ~ v", data, family="poisson", offset=np.log(data.e))
    assert by_values.coefficients.equals(by_name.coefficients)
    assert passel.select(data, response=data.c).names == passel.select(data, response="c").names
    own = passel.select("c ~ v", data, weights=data.e).coefficients
    assert own.equals(passel.select("c ~ v", data, weights="e").coefficients)


def test_predictions_keep_the_index_of_a_frame() -> None:
    rng = np.random.default_rng(7)
    data = pd.DataFrame({"a": rng.normal(size=50)}, index=np.arange(100, 150))
    data["y"] = data.a + 0.1 * rng.normal(size=50)
    result = passel.select(data, response="y")
    new = data[data.a > 0]
    assert result.predict(new).to_frame().index.equals(new.index)
    assert new.assign(fit=result.predict(new).to_frame()["fit"]).fit.notna().all()


def test_a_time_that_is_over_at_once_is_told_as_such() -> None:
    rng = np.random.default_rng(8)
    data = pd.DataFrame(rng.normal(size=(200, 12)), columns=[f"v{at}" for at in range(12)])
    for _ in range(40):
        try:
            passel.select("v0 ~ (v1 + v2 + v3 + v4 + v5)^2", data, timeout="0.5ms")
        except passel.TimedOut:
            pass
        except KeyboardInterrupt as error:
            pytest.fail(f"nobody pressed Ctrl-C: {error!r}")


def test_names_of_factors_and_dates_are_columns() -> None:
    data = pd.DataFrame({"site": [1, 2, 3] * 10, "y": np.arange(30.0)})
    for option in ("factor", "date"):
        with pytest.raises(passel.OptionError, match="'Site' is no column of the data"):
            passel.select(data, response="y", **{option: ["Site"]})


def test_a_formula_may_stand_before_a_path(tmp_path: Any) -> None:
    rng = np.random.default_rng(9)
    data = pd.DataFrame({"a": rng.normal(size=40), "b": rng.normal(size=40)})
    data["y"] = data.a + 0.1 * rng.normal(size=40)
    file = str(tmp_path / "own.csv")
    data.to_csv(file, index=False)
    found = passel.select("y ~ a + b", file)
    assert found.names == passel.select(file, formula="y ~ a + b").names == ["a"]
    assert passel.read_report(found.json).names == ["a"]
