"""The estimators in scikit-learn: pipelines, searches, routing, and the same answers as the functions."""

from __future__ import annotations

import pickle
import time
import warnings
from typing import Any

import numpy as np
import pytest

pandas = pytest.importorskip("pandas")
sklearn = pytest.importorskip("sklearn")

from sklearn import config_context  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.compose import ColumnTransformer  # noqa: E402
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_blobs  # noqa: E402
from sklearn.linear_model import LinearRegression, LogisticRegression  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_validate  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

import passel  # noqa: E402

#: Whether scikit-learn knows the names of all frames' columns.
TAKES_ANY_FRAME = tuple(int(part) for part in sklearn.__version__.split(".")[:2]) >= (1, 9)

ALL = [
    passel.PassRegressor(),
    passel.PassClassifier(),
    passel.PassSelector(),
    passel.InformationSelector(),
    passel.StabilitySelector(resamples=10),
    passel.PairScorer(),
]


def name_of(estimator: Any) -> str:
    return type(estimator).__name__


def without_times(result: Any) -> dict[str, Any]:
    """A result's fields but for what differs from one run to the next, and for the names of data and response."""
    fields: dict[str, Any] = result.to_dict()
    return {key: value for key, value in fields.items() if key not in ("elapsed_seconds", "data", "response", "model")}


@pytest.fixture(scope="module")
def diabetes() -> tuple[Any, Any]:
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return X, y


@pytest.fixture(scope="module")
def cancer() -> tuple[Any, Any]:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X[X.columns[:10]], y


@pytest.mark.parametrize("form", ["numpy", "pandas", "polars", "arrow", "sparse"])
def test_a_regression_is_that_of_the_functions(diabetes: tuple[Any, Any], form: str) -> None:
    X, y = as_form(form, diabetes[0]), diabetes[1].to_numpy()
    model = passel.PassRegressor(criterion="aic").fit(X, y)
    result = passel.select(X, response=y, criterion="aic")
    assert without_times(model.result_) == without_times(result)
    dense = X.toarray() if form == "sparse" else X
    assert np.array_equal(model.predict(X), passel.predict(result, dense).fit)
    assert np.allclose(model.predict(X), diabetes[0].to_numpy() @ model.coef_ + model.intercept_)
    least_squares = LinearRegression().fit(diabetes[0].to_numpy()[:, model.support_], y)
    assert np.allclose(model.coef_[model.support_], least_squares.coef_)
    assert model.score(X, y) == pytest.approx(result.r_squared)
    assert model.n_iter_ == 32 and model.n_features_in_ == 10


def as_form(form: str, frame: Any) -> Any:
    if form == "polars":
        return pytest.importorskip("polars").from_pandas(frame)
    if form == "arrow":
        return pytest.importorskip("pyarrow").Table.from_pandas(frame)
    if form == "sparse":
        return pytest.importorskip("scipy.sparse").csr_array(frame.to_numpy())
    return frame.to_numpy() if form == "numpy" else frame


def test_selectors_choose_as_the_functions(diabetes: tuple[Any, Any], cancer: tuple[Any, Any]) -> None:
    X, y = diabetes
    selector = passel.PassSelector(criterion="bic", max_size=3).fit(X, y)
    result = passel.select(X, response=y, criterion="bic", max_size=3)
    assert without_times(selector.result_) == without_times(result)
    assert set(selector.get_feature_names_out()) == set(result.names)
    assert selector.get_support(indices=True).tolist() == sorted(X.columns.get_loc(name) for name in result.names)
    assert [selector.scores_[X.columns.get_loc(row["name"])] for row in result.inclusion] == [
        row["weight"] for row in result.inclusion
    ]
    X, y = cancer
    ranker = passel.InformationSelector("mrmr", top=4, binning="equal-frequency:6").fit(X, y)
    ranking = passel.select(X, response=y, method="mrmr", top=4, binning="equal-frequency:6")
    assert without_times(ranker.result_) == without_times(ranking)
    order = np.argsort(ranker.ranking_, kind="stable")[:4]
    assert list(X.columns[order]) == ranking.names
    assert ranker.scores_[order].tolist() == [row["score"] for row in ranking.selected]
    assert np.isnan(ranker.scores_[~ranker.support_]).all() and ranker.support_.sum() == 4
    stable = passel.StabilitySelector(method="jmi", top=3, resamples=10, random_state=7).fit(X, y)
    expected = passel.stability(X, response=y, method="jmi", top=3, resamples=10, seed=7)
    assert without_times(stable.result_) == without_times(expected)
    assert list(X.columns[stable.support_]) == sorted(expected.names, key=list(X.columns).index)
    assert stable.scores_.max() == expected.variables[0]["frequency"]


def test_pairs_are_those_of_the_function(cancer: tuple[Any, Any]) -> None:
    X, y = cancer
    scorer = passel.PairScorer("synergy", top=3).fit(X, y)
    result = passel.pairs(X, response=y, score="synergy", top=3)
    assert without_times(scorer.result_) == without_times(result)
    names = [[X.columns[a], X.columns[b]] for a, b in scorer.pairs_]
    assert names == [[row["a"], row["b"]] for row in result.pairs]
    assert scorer.pair_scores_.tolist() == [row["score"] for row in result.pairs]
    assert set(scorer.get_feature_names_out()) == {name for pair in names for name in pair}
    assert scorer.scores_.tolist() == [row["score"] for row in result.single]


@pytest.mark.parametrize(
    "labels", [["benign", "malignant"], [0, 1], [-1, 1], [9, 10], [False, True], [1.0, 2.0], ["9", "10"]], ids=str
)
def test_two_classes_of_any_labels(cancer: tuple[Any, Any], labels: list[Any]) -> None:
    X, y = cancer
    own = np.asarray(labels)[y]
    model = passel.PassClassifier(max_size=3).fit(X, own)
    codes = np.searchsorted(np.unique(labels), own)
    expected = passel.select(X, response=codes, family="binomial", max_size=3)
    assert set(X.columns[model.support_]) == set(expected.names)
    shares = model.predict_proba(X)
    assert np.allclose(shares[:, 1], passel.predict(expected, X).fit, rtol=1e-9)
    assert model.classes_.tolist() == sorted(labels)
    assert np.array_equal(model.predict(X), model.classes_[(shares[:, 1] > 0.5).astype(int)])
    assert np.allclose(1.0 / (1.0 + np.exp(-(X.to_numpy() @ model.coef_[0] + model.intercept_[0]))), shares[:, 1])
    assert model.score(X, own) == np.mean(model.predict(X) == own) > 0.9


def test_several_classes_of_iris() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    kinds = load_iris().target_names[y]
    began = time.monotonic()
    with pytest.warns(UserWarning, match="separation"):
        model = passel.PassClassifier().fit(X, kinds)
    assert time.monotonic() - began < 120.0
    assert model.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    shares = model.predict_proba(X)
    predicted = passel.predict(model.result_, X)
    assert np.array_equal(shares, np.column_stack([predicted[f"p[{kind}]"] for kind in model.classes_]))
    assert np.array_equal(model.predict(X), predicted["level"].astype(str))
    linear = X.to_numpy() @ model.coef_.T + model.intercept_
    linear -= linear.max(axis=1, keepdims=True)
    assert np.allclose(np.exp(linear) / np.exp(linear).sum(axis=1, keepdims=True), shares, atol=1e-8)
    assert model.coef_.shape == (3, 4) and model.score(X, kinds) > 0.95
    scores = model.decision_function(X)
    assert np.allclose(scores - scores.max(axis=1, keepdims=True), linear)
    with np.errstate(divide="ignore"):
        assert np.array_equal(model.predict_log_proba(X), np.log(shares))


def test_decisions_of_two_classes_are_linear_predictors(cancer: tuple[Any, Any]) -> None:
    X, y = cancer
    for link in ("logit", "probit", "cloglog"):
        model = passel.PassClassifier(link=link, max_size=2).fit(X, y)
        decided = model.decision_function(X)
        assert np.array_equal(model.predict(X), model.classes_[(decided > 0).astype(int)])
        if link != "cloglog":
            assert np.allclose(decided, X.to_numpy() @ model.coef_[0] + model.intercept_[0])
    several = passel.PassClassifier(family="multinomial", max_size=2).fit(X, y)
    assert np.allclose(several.decision_function(X), X.to_numpy() @ several.coef_[0] + several.intercept_[0])


def test_a_class_whose_rows_all_miss_values_is_none() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = passel.PassClassifier(missing="drop-rows", particles=4, iterations=4).fit(X.mask(y == 1, np.nan), y)
    assert model.classes_.tolist() == [0, 2]
    assert model.predict_proba(X).shape == (150, 2) and set(model.predict(X)) == {0, 2}
    linear = X.to_numpy() @ model.coef_[0] + model.intercept_[0]
    assert np.allclose(model.decision_function(X), linear)


def test_ordered_classes() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 4))
    y = np.array(["low", "mid", "top"])[np.digitize(X[:, 2] + 0.5 * rng.logistic(size=120), [-0.7, 0.7])]
    model = passel.PassClassifier(family="ordinal").fit(X, y)
    assert model.support_.tolist() == [False, False, True, False]
    assert model.score(X, y) > 0.55
    assert not hasattr(model, "coef_")


def test_one_class_is_an_error() -> None:
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(ValueError, match="only one class: 'a'"):
        passel.PassClassifier().fit(X, ["a"] * 20)
    with pytest.raises(ValueError, match="only one class: 'b'"):
        passel.PassClassifier().fit(X, ["a"] * 10 + ["b"] * 10, sample_weight=[0] * 10 + [1] * 10)
    with pytest.raises(ValueError, match="Only binary classification"):
        passel.PassClassifier(family="binomial").fit(X, np.arange(20) % 3)


@pytest.mark.parametrize("centers", [2, 3])
def test_separated_blobs_end_soon_with_a_warning(centers: int) -> None:
    X, y = make_blobs(200, centers=centers, n_features=4, cluster_std=0.1, random_state=3)
    began = time.monotonic()
    with pytest.warns(UserWarning, match="separation"):
        model = passel.PassClassifier().fit(X, y)
    assert time.monotonic() - began < 60.0
    assert model.score(X, y) == 1.0
    assert np.isfinite(model.predict_proba(X)).all() and np.isfinite(model.coef_).all()


def test_firth_has_probabilities_where_classes_are_apart() -> None:
    X, y = make_blobs(60, centers=2, n_features=2, cluster_std=0.3, random_state=3)
    with pytest.warns(UserWarning, match="separation"):
        plain, firth = (passel.PassClassifier(firth=on).fit(X, y) for on in (False, True))
    assert np.array_equal(plain.support_, firth.support_)
    assert np.abs(firth.coef_).max() < np.abs(plain.coef_).max()
    assert firth.predict_proba(X)[:, 1].max() < 1.0 - 1e-6
    assert firth.score(X, y) == 1.0


def test_frames_go_to_the_engine_as_they_are() -> None:
    rng = np.random.default_rng(2)
    X = pandas.DataFrame(rng.normal(size=(90, 3)), columns=["a", "b", "c"])
    X["site"] = pandas.Categorical(rng.choice(["north", "south", "west"], 90))
    y = X["a"] + 2.0 * (X["site"] == "south") + 0.2 * rng.normal(size=90)
    model = passel.PassRegressor(options={"reference": {"site": "south"}}).fit(X, y)
    assert list(model.feature_names_in_[model.support_]) == ["a", "site"]
    assert {own.get("level") for own in model.result_.selected} == {None, "north", "west"}
    assert not hasattr(model, "coef_")
    assert np.array_equal(model.predict(X), passel.predict(model.result_, X).fit)
    polars = pytest.importorskip("polars")
    other = passel.PassRegressor(options={"reference": {"site": "south"}}).fit(polars.from_pandas(X), polars.Series(y.to_list()))
    assert without_times(other.result_) == without_times(model.result_)
    terms = passel.PassRegressor(options={"interactions": 2}).fit(X, X["a"] * X["b"] + 0.1 * rng.normal(size=90))
    assert list(X.columns[terms.support_]) == ["a", "b"]
    for kept in (["c"], [2]):
        assert passel.PassRegressor(keep=kept).fit(X, y).support_.tolist() == [True, False, True, True]
    out = passel.PassSelector().set_output(transform="pandas").fit(X, y).transform(X)
    assert list(out.columns) == ["a", "site"] and isinstance(out["site"].dtype, pandas.CategoricalDtype)


def test_missing_values_as_missing_says(diabetes: tuple[Any, Any]) -> None:
    X, y = diabetes[0].copy(), diabetes[1]
    X.loc[3, "bmi"] = np.nan
    for data in (X, X.to_numpy()):
        with pytest.raises(ValueError, match="missing|NaN"):
            passel.PassRegressor().fit(data, y)
        mean = passel.PassRegressor(missing="mean").fit(data, y)
        assert np.isfinite(mean.predict(data)).all()
        dropped = passel.PassRegressor(missing="drop-rows").fit(data, y)
        assert dropped.result_.n == len(y) - 1
        assert np.flatnonzero(np.isnan(dropped.predict(data))).tolist() == [3]
    model = passel.PassClassifier(missing="drop-rows", max_size=2).fit(X, y > 140)
    with pytest.raises(ValueError, match="row 3 of X misses"):
        model.predict(X)
    assert passel.InformationSelector(missing="level", top=3).fit(X, y > 140).transform(X).shape == (len(y), 3)


def test_counts_are_repeated_rows_and_precisions_are_weights(diabetes: tuple[Any, Any]) -> None:
    X, y = (own.iloc[:150] for own in diabetes)
    counts = np.random.default_rng(4).integers(0, 4, 150)
    weighted = passel.PassRegressor().fit(X, y, sample_weight=counts)
    repeated = passel.PassRegressor().fit(X.loc[X.index.repeat(counts)], y.repeat(counts))
    assert weighted.result_.n == counts.sum()
    assert without_times(weighted.result_) == without_times(repeated.result_)
    with pytest.raises(ValueError, match="weighting='precision'"):
        passel.PassRegressor().fit(X, y, sample_weight=counts / 3.0)
    with pytest.raises(ValueError, match="non-zero"):
        passel.PassRegressor().fit(X, y, sample_weight=np.zeros(150))
    precise = passel.PassRegressor(weighting="precision").fit(X, y, sample_weight=counts / 3.0)
    result = passel.select(X, response=y.to_numpy(), weights=counts / 3.0)
    assert precise.result_.n == result.n == np.count_nonzero(counts)
    assert precise.result_.selected == result.selected


def test_offsets_and_groups() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 5))
    exposure = rng.uniform(1.0, 9.0, 200)
    y = rng.poisson(exposure * np.exp(0.6 * X[:, 1]))
    model = passel.PassRegressor(family="poisson").fit(X, y, offset=np.log(exposure))
    assert model.support_.tolist() == [False, True, False, False, False]
    assert model.coef_[1] == pytest.approx(0.6, abs=0.1)
    assert np.allclose(model.predict(X, offset=np.log(exposure)), exposure * model.predict(X, offset=np.zeros(200)))
    assert model.score(X, y, offset=np.log(exposure)) > 0.5
    with pytest.raises(ValueError, match="fitted with an offset"):
        model.predict(X)
    with pytest.raises(ValueError, match="fitted without an offset"):
        passel.PassRegressor().fit(X, y).predict(X, offset=exposure)
    people = np.repeat(np.arange(40), 5)
    grouped = passel.PassRegressor().fit(X, y, groups=people)
    expected = passel.select(X, response=y, cluster=people)
    assert [own["std_error"] for own in grouped.result_.selected] == [own["std_error"] for own in expected.selected]


def test_metadata_is_routed() -> None:
    rng = np.random.default_rng(6)
    X = rng.normal(size=(120, 4))
    y = rng.poisson(np.exp(0.7 * X[:, 0] + 1.0))
    weights, offset = rng.integers(1, 4, 120), np.full(120, 0.5)
    with config_context(enable_metadata_routing=True):
        model = passel.PassRegressor(family="poisson").set_fit_request(sample_weight=True, offset=True)
        model = model.set_predict_request(offset=True).set_score_request(sample_weight=True, offset=True)
        pipe = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), model)
        pipe.fit(X, y, sample_weight=weights, offset=offset)
        assert pipe[-1].result_.n == weights.sum()
        search = GridSearchCV(pipe, {"passregressor__criterion": ["aic", "bic"]}, cv=3)
        search.fit(X, y, sample_weight=weights, offset=offset)
        assert search.best_estimator_[-1].result_.family["offset"] == "offset"
        scores = cross_validate(pipe, X, y, params={"sample_weight": weights, "offset": offset}, cv=3)
        assert scores["test_score"].mean() > 0.2
        select = passel.PassSelector().set_fit_request(sample_weight=True)
        both = make_pipeline(select, LinearRegression().set_fit_request(sample_weight=True)).fit(X, y, sample_weight=weights)
        assert both[0].result_.n == weights.sum()


def test_pipelines_searches_and_column_transformers(diabetes: tuple[Any, Any], cancer: tuple[Any, Any]) -> None:
    X, y = diabetes
    search = GridSearchCV(passel.PassRegressor(), {"criterion": ["aic", "bic", "ebic:gamma=1"]}, cv=4).fit(X, y)
    assert search.best_score_ > 0.4 and search.best_params_["criterion"] in ("aic", "bic", "ebic:gamma=1")
    parts = ColumnTransformer(
        [("best", passel.PassSelector(criterion="bic"), ["bmi", "bp", "s1", "s2", "s5"]), ("rest", "passthrough", ["age"])],
        verbose_feature_names_out=False,
    )
    for kind in ("pandas", *(["polars"] if TAKES_ANY_FRAME else [])):
        module = pytest.importorskip(kind)
        out = clone(parts).set_output(transform=kind).fit_transform(as_form(kind, X), y)
        assert isinstance(out, module.DataFrame)
        assert list(out.columns)[-1] == "age" and {"bmi", "s5"} <= set(out.columns)
    X, y = cancer
    pipe = make_pipeline(passel.InformationSelector("jmi", top=3), StandardScaler(), LogisticRegression()).fit(X, y)
    assert pipe[:-1].get_feature_names_out().tolist() == pipe[0].get_feature_names_out().tolist()
    assert pipe.score(X, y) > 0.85
    pairs = make_pipeline(passel.PairScorer(top=1), LogisticRegression()).fit(X, y)
    assert pairs[0].get_support().sum() == 2


@pytest.mark.parametrize("estimator", ALL, ids=name_of)
def test_pickles_and_clones(estimator: Any, cancer: tuple[Any, Any]) -> None:
    X, y = (own.iloc[:120] for own in cancer)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = clone(estimator).fit(X[X.columns[:5]], y)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.result_ == fitted.result_ and np.array_equal(again.support_, fitted.support_)
    method = "predict" if hasattr(fitted, "predict") else "transform"
    rows = X[X.columns[:5]].iloc[:9]
    assert np.array_equal(getattr(again, method)(rows), getattr(fitted, method)(rows))
    assert not hasattr(clone(fitted), "result_")


def test_a_column_that_is_the_response_is_told_and_found() -> None:
    rng = np.random.default_rng(8)
    X = rng.normal(size=(50, 4))
    frame = pandas.DataFrame(X, columns=list("abcd"))
    sparse = pytest.importorskip("scipy.sparse").csc_array(X)
    for data in (X, frame, as_form("polars", frame), as_form("arrow", frame), sparse):
        with pytest.warns(UserWarning, match="is the response"):
            model = passel.PassRegressor().fit(data, 3.0 - 2.0 * X[:, 1])
        assert model.support_.tolist() == [False, True, False, False]
        assert np.allclose(model.coef_, [0, -2, 0, 0], atol=1e-8) and model.intercept_ == pytest.approx(3.0)


def test_mistakes_are_told() -> None:
    X = np.random.default_rng(9).normal(size=(30, 3))
    y = X[:, 0] + X[:, 1] ** 2
    with pytest.raises(ValueError, match="'seed', which PassRegressor has as its parameter 'random_state'"):
        passel.PassRegressor(options={"seed": 3}).fit(X, y)
    with pytest.raises(ValueError, match="'success', which fit of PassClassifier sets itself"):
        passel.PassClassifier(options={"success": "0"}).fit(X, y > 0)
    with pytest.raises(passel.OptionError, match="ebic"):
        passel.PassRegressor(criterion="ebicc").fit(X, y)
    with pytest.raises(ValueError, match="use PassClassifier"):
        passel.PassRegressor(family="multinomial").fit(X, y)
    with pytest.raises(ValueError, match="use PassSelector"):
        passel.InformationSelector("pass").fit(X, y)
    with pytest.raises(ValueError, match="neither 'counts' nor 'precision'"):
        passel.PassRegressor(weighting="often").fit(X, y)
    with pytest.raises(ValueError, match="row|values"):
        passel.PassRegressor().fit(X, y, offset=np.zeros(7))


def test_names_of_the_response_and_of_columns_do_not_clash() -> None:
    X = pandas.DataFrame(np.random.default_rng(11).normal(size=(60, 4)), columns=["y", "offset", "target", "d"])
    for y in (X["d"] - X["y"] + 0.01 * X["target"] ** 2, pandas.Series(X["d"] ** 3, name="target")):
        model = passel.PassRegressor(family="gaussian").fit(X, y, offset=np.ones(60))
        assert "d" in model.feature_names_in_[model.support_]
        assert model.predict(X, offset=np.ones(60)).shape == (60,)
    plain = passel.PassRegressor().fit(X.to_numpy(), X["d"] + X["y"] ** 3)
    with pytest.warns(UserWarning, match="without feature names"):
        assert np.array_equal(plain.predict(X), plain.predict(X.to_numpy()))
    for kind in ("polars", "arrow") if TAKES_ANY_FRAME else ():
        with pytest.warns(UserWarning, match="without feature names"):
            assert np.array_equal(plain.predict(as_form(kind, X)), plain.predict(X.to_numpy()))


def test_what_draws_is_seeded() -> None:
    X = np.random.default_rng(10).normal(size=(80, 6))
    y = X[:, 0] + X[:, 1]
    first = passel.StabilitySelector(resamples=5, random_state=3).fit(X, y)
    assert first.result_.seed == 3
    drawn = passel.StabilitySelector(resamples=5, random_state=np.random.RandomState(1)).fit(X, y)
    assert drawn.result_.seed == np.random.RandomState(1).randint(np.iinfo(np.int32).max)
    stopped = passel.InformationSelector(stop="permutation", options={"seed": 4}).fit(X, y)
    assert stopped.result_.seed == 4


def test_warnings_are_told_once_in_the_words_of_python() -> None:
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    X["bmi"] = X["bmi"].where(X.index > 4)
    for estimator in (passel.PassRegressor(missing="drop-rows"), passel.PassSelector(missing="drop-rows")):
        with pytest.warns(passel.PasselWarning) as caught:
            estimator.fit(X, y)
        assert [str(own.message) for own in caught] == ["5 of 442 rows were dropped for missing values: bmi misses 5"]
        assert caught[0].filename == __file__
