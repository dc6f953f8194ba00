"""Orders, masks, names and indexes of the data that reach results."""

from __future__ import annotations

import pickle
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


@pytest.fixture(scope="module")
def dosed() -> Any:
    """A factor whose order is not that of its texts, and of which a category does not occur."""
    rng = np.random.default_rng(5)
    dose = np.array(["none", "low", "high"])[rng.integers(0, 3, size=120)]
    y = np.array([{"none": 0.0, "low": 1.0, "high": 3.0}[own] for own in dose]) + 0.3 * rng.normal(size=120)
    return pd.DataFrame({"dose": dose, "z": rng.normal(size=120), "y": y})


#: The order of categories, one of which does not occur.
_DOSES = ["none", "low", "mid", "high"]


def _coefficients(data: Any, formula: str = "y ~ dose + z") -> tuple[list[str], list[float]]:
    table = passel.select(formula, data, keep="z").coefficients
    return list(table.index), table["coefficient"].tolist()


def test_categories_of_variables_keep_their_order(dosed: Any) -> None:
    _, right = _coefficients(dosed, 'y ~ factor(dose, levels=c("none", "low", "high")) + z')
    ordered = dosed.assign(dose=pd.Categorical(dosed.dose, _DOSES))
    names, own = _coefficients(ordered)
    assert own == right and {"doselow", "dosehigh"} < set(names)
    # Texts stand in the order of their bytes, as those of a file.
    assert "dosenone" in _coefficients(dosed)[0]


def test_categories_in_other_tables_keep_their_order(dosed: Any) -> None:
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    ordered = dosed.assign(dose=pd.Categorical(dosed.dose, _DOSES, ordered=True))
    right = _coefficients(ordered)
    enum = pl.DataFrame(dosed.to_dict("list")).with_columns(pl.col("dose").cast(pl.Enum(_DOSES)))
    assert _coefficients(enum) == right
    assert _coefficients(pa.Table.from_pandas(ordered)) == right
    assert _coefficients(pa.concat_tables([pa.Table.from_pandas(ordered[:50]), pa.Table.from_pandas(ordered[50:])])) == right
    # Categories without an order, as of Polars, stand as they are met.
    plain = enum.with_columns(pl.col("dose").cast(pl.String).cast(pl.Categorical))
    assert _coefficients(plain) == _coefficients(dosed)


def test_orders_of_categories_outlive_rows_splits_and_files(dosed: Any, tmp_path: Any) -> None:
    ordered = dosed.assign(dose=pd.Categorical(dosed.dose, _DOSES))
    model = passel.select("y ~ dose + z", ordered, keep="z")
    model.report(tmp_path / "model.json")
    fits = model.predict(ordered)["fit"]
    for data in (dosed, ordered.assign(dose=pd.Categorical(dosed.dose, _DOSES[::-1]))):
        assert np.array_equal(passel.predict(tmp_path / "model.json", data)["fit"], fits)
    # Splits, and rows left out, have fewer levels in the same order.
    names = ("y ~ dose + z", 'y ~ factor(dose, levels=c("none", "low", "high")) + z')
    errors = [passel.validate(names[0], ordered, seed=1).errors, passel.validate(names[1], dosed, seed=1).errors]
    assert errors[0].equals(errors[1])
    gaps = ordered.assign(dose=ordered.dose.where(ordered.dose != "low"))
    with pytest.warns(passel.PasselWarning, match="dropped for missing values"):
        left = passel.select("y ~ dose + z", gaps, keep="z", missing="drop-rows")
    assert set(left.names) == {"z", "dosehigh"}


def test_texts_that_are_numbers_ascend_in_what_is_left_of_them(tmp_path: Any) -> None:
    rng = np.random.default_rng(8)
    x = rng.normal(size=160)
    level = np.array(["9", "10", "11"])[np.digitize(2.0 * x + rng.logistic(size=160), [-1.0, 1.0])]
    told = pd.DataFrame({"x": x, "level": np.where(np.arange(160) % 16 == 0, "unknown", level)})
    told.to_csv(tmp_path / "told.csv", index=False)
    told.to_parquet(tmp_path / "told.parquet")
    left = pd.DataFrame({"x": x, "level": level})[told.level != "unknown"].reset_index(drop=True)
    options: Any = {"response": "level", "family": "ordinal", "na": ["unknown"], "missing": "drop-rows"}
    right = passel.select(left, response="level", family="ordinal").coefficients
    assert list(right.index) == ["9|10", "10|11", "x"]
    for data in (told, told.astype({"level": "category"}), tmp_path / "told.csv", tmp_path / "told.parquet"):
        assert passel.select(data, **options).coefficients.equals(right)
    # Categories without an order that are numbers ascend as a response.
    assert passel.select(left.astype({"level": "category"}), response="level", family="ordinal").coefficients.equals(right)


def test_dictionaries_of_arrow_are_joined_and_order_a_response(graded: Any) -> None:
    pa = pytest.importorskip("pyarrow")
    grades = ["lo", "mid", "hi"]
    ordered = graded.assign(grade=pd.Categorical(graded.grade, grades, ordered=True))
    right = passel.select(ordered, response="grade", family="ordinal").coefficients
    assert passel.select(pa.Table.from_pandas(ordered), response="grade", family="ordinal").coefficients.equals(right)
    # A later dictionary may list more, in the same order.
    first = graded.grade.isin(["mid", "hi"])
    parts = [graded[first].assign(grade=pd.Categorical(graded.grade[first], grades[1:], ordered=True)), ordered[~first]]
    joined = pa.concat_tables([pa.Table.from_pandas(own, preserve_index=False) for own in parts])
    assert _coefficients(joined, "x ~ grade + z") == _coefficients(pd.concat([parts[0].astype(parts[1].dtypes), parts[1]]), "x ~ grade + z")
    assert "grademid" in _coefficients(joined, "x ~ grade + z")[0]


def test_contrasts_go_by_the_order_of_categories(dosed: Any) -> None:
    ordered = dosed.assign(dose=pd.Categorical(dosed.dose, _DOSES))
    place = ordered.dose.cat.remove_unused_categories().cat.codes.to_numpy()
    codings = {
        "poly": np.array([[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]]) / np.sqrt([2.0, 6.0]),
        "helmert": np.array([[-1.0, -1.0], [1.0, -1.0], [0.0, 2.0]]),
        "sas": np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]),
    }
    for kind, coding in codings.items():
        found = passel.select("y ~ dose + z", ordered, keep="z", contrasts=kind).coefficients.coefficient
        right, *_ = np.linalg.lstsq(np.column_stack([np.ones(len(dosed)), coding[place], dosed.z]), dosed.y, rcond=None)
        assert np.allclose(sorted(found), sorted(right))


def test_events_and_baselines_go_by_the_order_of_categories(dosed: Any) -> None:
    said = np.where(dosed.y > 1.0, "yes", "no")
    data = dosed[["z"]].assign(said=pd.Categorical(said, ["yes", "no"]))
    told = passel.select(data.astype({"said": str}), response="said", family="binomial", success="no", keep="z")
    assert passel.select(data, response="said", family="binomial", keep="z").coefficients.equals(told.coefficients)


def test_residuals_have_the_index_of_the_data(dosed: Any) -> None:
    named = dosed.assign(dose=dosed.dose.where(dosed.index != 2)).set_axis([f"r{at}" for at in range(len(dosed))])
    with pytest.warns(passel.PasselWarning, match="dropped"):
        result = passel.select(named, response="y", missing="drop-rows")
    for own in (result, pickle.loads(pickle.dumps(result))):
        assert list(own.residuals.index[:3]) == ["r0", "r1", "r3"] and own.residuals.row.iloc[2] == 4
    left = passel.select(named.dropna(), response="y")
    assert np.allclose(left.residuals.observed, named.y.loc[left.residuals.index])
    of_array = passel.select(dosed[["z", "y"]].to_numpy(), response="x1").residuals
    assert np.allclose(of_array.observed, dosed.y.to_numpy()[of_array.index])


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
