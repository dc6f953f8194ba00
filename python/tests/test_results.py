"""Results of every kind and family: tables, text, pickles and cards."""

from __future__ import annotations

import html.parser
import pickle
import re
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import passel
from made_results import DIABETES, MAKERS, of_cancer, made

Made = Callable[[str], Any]


@pytest.fixture(name="result")
def of_maker() -> Made:
    """Results by the names of their makers."""
    return made


SELECTIONS = [name for name in MAKERS if name not in ("responses", "ranking", "jmi", "pairs") and " of " not in name
              and name not in ("stability", "validation")]


@pytest.mark.parametrize("name", MAKERS)
def test_a_result_survives_pickling(name: str, result: Made) -> None:
    own = result(name)
    again = pickle.loads(pickle.dumps(own))
    assert type(again) is type(own)
    assert again == own
    assert again.json == own.json
    assert again.summary() == own.summary()
    assert again._extras == own._extras


@pytest.mark.parametrize("name", MAKERS)
def test_a_result_is_shown_in_a_line(name: str, result: Made) -> None:
    shown = repr(result(name))
    assert shown.startswith(f"<passel.{type(result(name)).__name__} of ")
    assert "\n" not in shown


@pytest.mark.parametrize("name", SELECTIONS)
def test_coefficients_have_a_row_for_each_constant_and_variable(name: str, result: Made) -> None:
    own = result(name)
    table = own.coefficients
    fields = own.to_dict()
    constants = [one["name"] for one in fields.get("constants") or []]
    constants = constants or (["(intercept)"] if fields["intercept"] else [])
    assert list(table.index) == constants + own.names
    chosen = table.loc[own.names]
    assert np.isfinite(chosen["coefficient"]).all()
    # A test by t or by z, and not both.
    assert ("t" in table) + ("z" in table) == 1
    assert ((chosen["lower"] < chosen["coefficient"]) & (chosen["coefficient"] < chosen["upper"])).all()
    assert ("ratio" in table) == (bool(own.names) and (fields.get("family") or {}).get("ratio") is not None)
    if "ratio" in table:
        np.testing.assert_allclose(np.log(chosen["ratio"]), chosen["coefficient"], rtol=1e-9)


def test_constants_of_levels_are_named_as_the_program_names_them(result: Made) -> None:
    assert list(result("ordinal").coefficients.index[:2]) == ["low|middle", "middle|high"]
    assert list(result("multinomial").coefficients.index[:2]) == ["(intercept) [middle]", "(intercept) [high]"]
    assert "(intercept)" not in result("cox").coefficients.index


@pytest.mark.parametrize("name", SELECTIONS)
def test_the_best_models_ascend(name: str, result: Made) -> None:
    models = result(name).best_models
    assert (models["criterion"].diff().dropna() >= 0).all()
    np.testing.assert_allclose(models["criterion"] - models["criterion"].iloc[0], models["delta"], atol=1e-6)


def test_residuals_are_those_of_the_model(result: Made) -> None:
    own = result("gaussian")
    table = own.residuals
    assert len(table) == own.n
    np.testing.assert_allclose(table["observed"] - table["fitted"], table["residual"], atol=1e-9)
    np.testing.assert_allclose((table["residual"] ** 2).sum(), own.rss, rtol=1e-12)
    # The hat matrix has the trace of the model's rank.
    np.testing.assert_allclose(table["leverage"].sum(), own.k + 1, rtol=1e-9)
    fit = own.predict(DIABETES).fit
    np.testing.assert_allclose(fit[table["row"] - 1], table["fitted"], rtol=1e-9)


def test_quantile_residuals_stand_in_other_families(result: Made) -> None:
    assert "quantile_residual" in result("poisson").residuals
    assert "quantile_residual" not in result("gaussian").residuals


def test_a_result_of_json_says_that_it_has_no_residuals(result: Made, tmp_path: Any) -> None:
    result("gaussian").report(tmp_path / "own.json")
    with pytest.raises(ValueError, match="was read from JSON"):
        passel.read_report(tmp_path / "own.json").residuals


def test_terms_have_tests(result: Made) -> None:
    table = result("terms").term_tests
    assert list(table.index) == ["bmi", "bp", "s5", "bmi:bp"]
    assert (table["df"] == 1).all() and (table["p_value"] < 0.01).all()


def test_criteria_are_found_by_name(result: Made) -> None:
    by = result("criteria").by_criterion
    assert list(by) == ["aic", "bic", "ebic:gamma=0.5"]
    assert len(by["bic"]) <= len(by["aic"])
    assert by["aic"].names == result("criteria").names
    # Each is by itself.
    assert list(by["aic"].predict(DIABETES)) == list(by["bic"].predict(DIABETES)) == ["fit"]
    assert result("gaussian").by_criterion == {"ebic-monotone:gamma=1": result("gaussian")}


def test_honest_inference_has_a_row_for_each_variable_chosen(result: Made) -> None:
    table = result("split").honest_inference
    assert {"bmi", "s5"} <= set(table.index)
    assert ((table["p_value"] >= 0) & (table["p_value"] <= 1)).all()
    with pytest.raises(ValueError, match="infer='split'"):
        result("gaussian").honest_inference


@pytest.mark.parametrize("missing, kind", [((), "pandas"), (("pandas",), "polars"), (("pandas", "polars"), None)])
def test_tables_are_of_the_package_that_is_there(
    missing: tuple[str, ...], kind: str | None, result: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in missing:
        monkeypatch.setitem(sys.modules, package, None)
    tables: list[Callable[[], Any]] = [
        lambda: result("gaussian").coefficients, lambda: result("ordinal").coefficients, lambda: result("gaussian").best_models,
        lambda: result("gaussian").residuals, lambda: result("jmi").scores, lambda: result("pairs").best_pairs,
        lambda: result("pairs").single_scores, lambda: result("stability").frequencies, lambda: result("validation").errors,
    ]
    for table in tables:
        if kind is None:
            with pytest.raises(ImportError, match="needs pandas or Polars"):
                table()
        else:
            own = table()
            assert type(own).__module__.startswith(kind)
            assert len(own) > 0


def test_errors_name_what_was_compared(result: Made) -> None:
    assert list(dict.fromkeys(result("validation of methods").errors["model"])) == [
        "jmi then logistic", "mrmr then logistic", "null",
    ]
    assert list(dict.fromkeys(result("validation").errors["model"])) == ["ebic-monotone:gamma=1", "null", "full"]


def test_rankings_and_frequencies_are_found_by_name(result: Made) -> None:
    assert list(result("ranking").scores.index) == result("ranking").names
    assert {"relevance", "redundancy"} <= set(result("ranking").scores.columns)
    assert result("stability").frequencies.loc["bmi", "frequency"] > 0.9
    assert result("pairs").single_scores["score"].loc["f7"] > 0


def test_warnings_are_warned_of_where_the_caller_stands() -> None:
    with pytest.warns(passel.PasselWarning, match="looks like counts") as told:
        passel.select(of_cancer("count"), response="count", drop="f1,f2")
    assert all(own.filename == __file__ for own in told)
    # Options have Python's names.
    assert not any("--" in str(own.message) for own in told)
    with pytest.warns(passel.PasselWarning) as told:
        passel.select(DIABETES, response="y").predict(DIABETES, average=True)
    assert all(own.filename == __file__ for own in told)
    with warnings.catch_warnings():
        warnings.simplefilter("error", passel.PasselWarning)
        with pytest.raises(passel.PasselWarning):
            passel.select(of_cancer("count"), response="count", drop="f1,f2")


def test_errors_name_options_as_functions_have_them() -> None:
    holes = {"x": [1.0, np.nan, 2.0, 5.0, 4.0], "y": [0.0, 1.0, 3.0, 2.0, 5.0]}
    with pytest.raises(passel.DataError, match='missing="drop-rows"') as error:
        passel.select(holes, response="y")
    assert "--" not in str(error.value)
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


def test_predictions_of_levels_are_the_most_probable_and_those_of_several_models_have_names(result: Made) -> None:
    predicted = result("ordinal").predict(of_cancer())
    assert set(predicted.fit) <= {"low", "middle", "high"}
    assert list(np.asarray(predicted)) == list(predicted["level"])
    several = result("criteria").predict(DIABETES)
    assert list(several) == ["aic:fit", "bic:fit", "ebic:gamma=0.5:fit"]
    with pytest.raises(ValueError, match="several models.* aic:fit, bic:fit"):
        several.fit
    again = pickle.loads(pickle.dumps(several))
    assert list(again) == list(several) and again.warnings == several.warnings


# Cards.


class Page(html.parser.HTMLParser):
    """Checks that tags are closed in their order, and keeps tags and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.mark.parametrize("name", MAKERS)
def test_a_card_names_what_was_chosen(name: str, result: Made) -> None:
    own = result(name)
    page = Page(own._repr_html_())
    texts = " ".join(page.texts)
    for variable in getattr(own, "names", []):
        assert variable in texts
    assert "nan" not in texts.lower().split()
    if own.to_dict().get("warnings"):
        assert "To know first" in texts


def test_a_card_takes_its_colours_from_the_notebook(result: Made) -> None:
    for name in MAKERS:
        card = result(name)._repr_html_()
        colours = re.findall(r"(?<![-\w])(?:color|background)\s*:\s*([^;\"]+)", card)
        assert set(colours) <= {"inherit", "none"}


def test_names_are_no_markup() -> None:
    name = "<script>alert('x')</script>&\"\u202e"
    n = 40
    x = np.random.default_rng(2).normal(size=n)
    data = {name: x, "y": 3 * x + np.random.default_rng(3).normal(size=n), "other": np.arange(n) % 7.0}
    own = passel.select(data, response="y", name="<b>data</b>")
    assert own.names == [name]
    predicted = passel.predict(own, data)
    for shown in (own._repr_html_(), passel.Predictions({name: x}, ["<i>"])._repr_html_(), predicted._repr_html_()):
        page = Page(shown)
        assert not {"script", "i"} & set(page.tags)
        assert "\u202e" not in shown
    assert "<b>data</b>" in " ".join(Page(own._repr_html_()).texts)


def test_cards_of_columns_show_the_first_rows() -> None:
    drawn = passel.simulate("chen-chen", n=50, p=30, seed=4)
    page = Page(drawn._repr_html_())
    assert page.tags.count("tr") == 11
    assert " ".join(drawn.truth) in " ".join(page.texts).replace(",", "")
    assert drawn.n == 50 and len(drawn) == 31


def test_equal_runs_are_equal_whatever_time_they_took() -> None:
    one, other = (passel.select(DIABETES, response="y") for _ in range(2))
    assert one == other and hash(one) == hash(other) and one.json != other.json
    assert one != passel.select(DIABETES, response="y", criterion="aic")
    predicted = one.predict(DIABETES)
    assert predicted == pickle.loads(pickle.dumps(predicted)) == other.predict(DIABETES)
    assert predicted != one.predict(DIABETES, interval="mean")
    drawn = passel.simulate("ing-lai", n=20, p=10, r=3)
    again = pickle.loads(pickle.dumps(drawn))
    assert drawn == again
    again.truth = ["x4"]
    assert drawn != again


def test_adjusted_p_values_stand_in_the_table() -> None:
    plain, holm = (passel.select(DIABETES, response="y", adjust=adjust) for adjust in (None, "holm"))
    assert "p_adjusted" not in plain.coefficients and (plain.coefficients["vif"][1:] >= 1).all()
    own = holm.coefficients["p_adjusted"][1:]
    assert own.tolist() == [row["p_adjusted"] for row in holm.selected]
    assert (own >= holm.coefficients["p_value"][1:]).all() and "adjusted p" in holm._repr_html_()


def test_what_is_chosen_is_found_by_its_variable() -> None:
    random = np.random.default_rng(2)
    place, x = np.array(["north", "south", "west"] * 40), random.normal(size=120)
    data = {"place": place, "x": x, "noise": random.normal(size=120), "y": x + 4.0 * (place == "west") + random.normal(size=120)}
    result = passel.select(data, response="y")
    assert "place=west" in result.names and "place" in result and "x" in result and "noise" not in result
    assert None not in result and 1 not in result


def test_parquet_is_of_selections(tmp_path: Any) -> None:
    ranking = passel.select(DIABETES, response="y", method="jmi", top=2, binning="equal-frequency:4", bin_response="equal-frequency:3")
    with pytest.raises(passel.ResultError, match="a Ranking has no report in Parquet"):
        ranking.report(tmp_path / "ranking.parquet")


def test_arguments_of_scikit_learn_are_told() -> None:
    x = np.arange(30.0).reshape(15, 2) % 7
    with pytest.raises(passel.OptionError, match="given as response="):
        passel.select(x, x[:, 0])
    with pytest.raises(passel.OptionError, match="its name here is seed"):
        passel.select(x, response=x[:, 0], random_state=1)  # type: ignore[call-arg]


def test_the_table_has_its_columns_where_there_are_no_standard_errors() -> None:
    x = np.random.default_rng(3).normal(size=(60, 2))
    own = passel.select({"x": x[:, 0], "y": x.sum(axis=1)}, response="y", cluster=np.ones(60)).coefficients
    assert own[["std_error", "p_value", "lower", "upper"]].isna().all().all() and own["p_value"].dtype == float
