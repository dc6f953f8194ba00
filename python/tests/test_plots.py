"""Figures of results: what is drawn is what the report says, on the axes that are given."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import passel
from made_results import CANCER, made

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

Made = Callable[[str], Any]


@pytest.fixture(name="result")
def of_maker() -> Made:
    """Results by the names of their makers."""
    return made



#: Each figure with the results that have it.
FIGURES = {
    "path": ["gaussian", "terms", "binomial", "cox", "multinomial"],
    "coefficients": ["gaussian", "terms", "empty", "binomial", "ordinal", "multinomial", "cox"],
    "residuals": ["gaussian", "poisson", "gamma"],
    "inclusion": ["gaussian", "terms", "cox"],
    "credible_sets": ["gaussian", "binomial"],
    "correlation": ["gaussian", "ordinal"],
    "scores": ["ranking", "jmi"],
    "relevance": ["ranking", "jmi"],
    "heatmap": ["pairs"],
    "single": ["pairs"],
    "frequencies": ["stability"],
    "by_rank": ["stability"],
    "statistics": ["responses"],
    "errors_by_size": ["validation", "validation of events", "validation of a selector"],
    "observed_predicted": ["validation"],
    "chosen": ["validation", "validation of events", "validation of levels"],
}
#: Of selections and of validations.
OF_EVENTS = {"roc": ["binomial", "validation of events"], "calibration": ["binomial", "validation of events"]}
ALL = [(figure, name) for figure, names in {**FIGURES, **OF_EVENTS}.items() for name in names]


@pytest.fixture(autouse=True)
def no_figure_is_left() -> Any:
    yield
    pyplot.close("all")


@pytest.mark.parametrize(("figure", "name"), ALL)
def test_a_figure_is_drawn_on_new_axes_and_on_those_given(figure: str, name: str, result: Made) -> None:
    draw = getattr(result(name).plot, figure)
    ax = draw()
    assert isinstance(ax, matplotlib.axes.Axes)
    assert ax.has_data()
    ax.get_figure().savefig(io.BytesIO())
    own, (left, right) = pyplot.subplots(1, 2)
    assert draw(right) is right
    assert right.has_data() and not left.has_data()
    own.savefig(io.BytesIO())


@pytest.mark.parametrize("kind", ["Selection", "Responses", "Ranking", "Pairs", "Stability", "Validation"])
def test_every_figure_is_tested(kind: str) -> None:
    from passel import plots

    figures = {name for name in vars(getattr(plots, f"{kind}Plots")) if not name.startswith("_")}
    assert figures and figures <= {*FIGURES, *OF_EVENTS}


def labels(ax: Any) -> list[str]:
    return [own.get_text() for own in ax.get_yticklabels()]


def test_the_path_marks_the_chosen_size(result: Made) -> None:
    own = result("gaussian")
    front, chosen = result("gaussian").plot.path().lines
    assert len(front.get_xdata()) == len(own.front)
    assert list(chosen.get_xdata()) == [own.k]
    assert list(chosen.get_ydata()) == [own.criterion["value"]]


def test_coefficients_are_of_one_deviation_and_the_largest_is_first(result: Made) -> None:
    own = result("gaussian")
    ax = own.plot.coefficients()
    deviations = own._extras["deviations"]
    wanted = {row["name"]: row["coefficient"] * unit for row, unit in zip(own.selected, deviations, strict=True)}
    drawn = dict(zip(labels(ax), ax.lines[-1].get_xdata(), strict=True))
    assert drawn == pytest.approx(wanted)
    assert list(drawn) == sorted(wanted, key=lambda name: -abs(wanted[name]))
    assert "per standard deviation" in ax.get_xlabel()
    bare = own.plot.coefficients(scaled=False)
    assert max(bare.lines[-1].get_xdata()) == max(row["coefficient"] for row in own.selected)


def test_ratios_have_a_scale_of_ratios(result: Made) -> None:
    ax = result("cox").plot.coefficients(ratio=True)
    assert ax.get_xscale() == "log" and ax.get_xlabel() == "hazard ratio"
    with pytest.raises(ValueError, match="no|not"):
        result("gaussian").plot.coefficients(ratio=True)


def test_residuals_have_three_views(result: Made) -> None:
    for kind in ("fitted", "normal", "leverage"):
        assert result("gaussian").plot.residuals(kind=kind).has_data()
    with pytest.raises(ValueError, match="kind = 'other'"):
        result("gaussian").plot.residuals(kind="other")


def test_a_result_of_json_is_drawn_without_deviations(result: Made, tmp_path: Any) -> None:
    result("gaussian").report(tmp_path / "own.json")
    again = passel.read_report(tmp_path / "own.json")
    assert "deviation" not in again.plot.coefficients().get_xlabel()
    with pytest.raises(ValueError, match="read from JSON"):
        again.plot.coefficients(scaled=True)


def test_correlations_are_those_of_the_covariance(result: Made) -> None:
    drawn = result("gaussian").plot.correlation().images[0].get_array()
    matrix = np.array(result("gaussian").covariance["matrix"])
    np.testing.assert_allclose(np.diag(drawn), 1.0)
    assert drawn[1, 2] == pytest.approx(matrix[1, 2] / np.sqrt(matrix[1, 1] * matrix[2, 2]))


def test_the_heat_map_is_symmetric_and_has_the_best_pair(result: Made) -> None:
    own = result("pairs")
    ax = own.plot.heatmap()
    drawn = ax.images[0].get_array().filled(np.nan)
    np.testing.assert_array_equal(drawn, drawn.T)
    best = own.best_pairs.iloc[0]
    at = labels(ax)
    assert drawn[at.index(best["a"]), at.index(best["b"])] == best["score"]
    with pytest.raises(ValueError, match="have score"):
        own.plot.heatmap(value="colour")


def test_frequencies_show_the_cutoff(result: Made) -> None:
    own = result("stability")
    ax = own.plot.frequencies()
    assert labels(ax)[: len(own)] == own.names
    assert [line.get_xdata()[0] for line in ax.lines] == [own.cutoff]


def test_the_curve_has_the_area_that_the_report_says(result: Made) -> None:
    own = result("validation of events")
    curve = own.plot.roc().lines[-1]
    area = np.trapezoid(curve.get_ydata(), curve.get_xdata())
    # The report has the mean over splits; all rows together are near.
    assert area == pytest.approx(own.models[0]["errors"][0]["value"], abs=0.01)
    with pytest.raises(ValueError, match="gaussian, and not binomial"):
        result("validation").plot.roc()
    in_sample = result("binomial").plot.roc().lines[-1]
    auc = result("binomial").family["discrimination"]["auc"]
    assert np.trapezoid(in_sample.get_ydata(), in_sample.get_xdata()) == pytest.approx(auc, abs=2e-3)


def test_calibration_is_of_ten_groups(result: Made) -> None:
    line = result("validation of events").plot.calibration().lines[-1]
    own = result("validation of events").held_out
    assert len(line.get_xdata()) == 10
    assert np.mean(line.get_ydata()) == pytest.approx(np.mean(own["observed"]), abs=0.02)
    with pytest.raises(ValueError, match="not binomial"):
        result("validation of levels").plot.calibration()


def test_figures_that_a_result_has_not_say_why(result: Made) -> None:
    with pytest.raises(ValueError, match="binomial"):
        result("gaussian").plot.roc()
    with pytest.raises(ValueError, match="credible"):
        result("empty").plot.credible_sets()
    with pytest.raises(ValueError, match="no redundancy"):
        passel.select(CANCER, response="class", method="mim", top=1).plot.relevance()
    with pytest.raises(ValueError, match="scale of the responses"):
        result("validation of levels").plot.observed_predicted()


def test_names_are_no_formulas() -> None:
    x = np.random.default_rng(5).normal(size=50)
    data = {"cost in $ of $\\frac{": x, "y": 2 * x + np.random.default_rng(6).normal(size=50)}
    ax: Any = passel.select(data, response="y").plot.coefficients()
    ax.get_figure().savefig(io.BytesIO())
    assert labels(ax) == ["cost in \\$ of \\$\\frac{"]


def test_without_matplotlib_an_error_says_what_to_install(result: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"passel\[plot\]"):
        result("gaussian").plot.path()
