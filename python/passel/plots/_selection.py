"""Figures of a regression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from passel.errors import ResultError
from passel.plots._axes import (
    BLUE, GREEN, GREY, ORANGE, Axes, axes, bars, cells, diagonal, height_of, label, legend, logarithmic, name_rows, number,
    whole_numbers,
)

if TYPE_CHECKING:
    from passel.results import Selection


class SelectionPlots:
    """Figures of a :class:`~passel.Selection`."""

    def __init__(self, result: Selection) -> None:
        self._result = result

    def path(self, ax: Axes | None = None) -> Axes:
        """The criterion of the best model met of each size, and the chosen one."""
        fields = self._result._fields
        front = fields["front"]
        sizes = [len(own["variables"]) for own in front]
        values = [number(own["criterion"]) for own in front]
        ax = axes(ax)
        ax.plot(sizes, values, "o-", color=BLUE, markersize=4)
        chosen = min(range(len(front)), key=lambda at: number(front[at]["criterion"]), default=None)
        if chosen is not None:
            text = f"chosen: {sizes[chosen]}"
            ax.plot(sizes[chosen], values[chosen], "o", color=ORANGE, markersize=9, zorder=3, label=text)
        ax.set_xlabel("terms" if fields.get("terms") else "variables")
        ax.set_ylabel(fields["criterion"]["name"])
        whole_numbers(ax)
        legend(ax)
        return ax

    def coefficients(
        self, ax: Axes | None = None, *, most: int = 30, scaled: bool | None = None, ratio: bool = False
    ) -> Axes:
        """The chosen variables' coefficients with their intervals, the largest first.

        ``scaled`` gives each for one standard deviation of its variable, which makes them comparable; without it that is done
        where deviations are known, which a result that was read from JSON does not have. ``ratio`` draws ratios of odds, rates
        or hazards on a logarithmic scale instead, each for one unit of its variable.
        """
        fields = self._result._fields
        rows = fields["selected"]
        deviations = self._result._extras.get("deviations") or []
        if scaled and len(deviations) != len(rows):
            raise ResultError("scaled: the result was read from JSON, which has no standard deviations of all variables")
        if ratio and not any(own.get("ratio") is not None for own in rows):
            raise ResultError("ratio: the coefficients of this family are not logarithms of ratios")
        is_scaled = not ratio and scaled is not False and len(deviations) == len(rows)
        units = np.array(deviations if is_scaled else [1.0] * len(rows))
        keys = ("ratio", "ratio_lower", "ratio_upper") if ratio else ("coefficient", "lower", "upper")
        values, lower, upper = (np.array([number(own.get(key)) for own in rows]) * units for key in keys)
        # NaN last.
        order = np.argsort(-np.abs(np.log(values) if ratio else values))[:most]
        ax = axes(ax, height=height_of(len(order)))
        at = np.arange(len(order))
        ax.axvline(1.0 if ratio else 0.0, color=GREY, linewidth=1)
        ax.hlines(at, lower[order], upper[order], color=BLUE, linewidth=1.5)
        ax.plot(values[order], at, "o", color=BLUE, markersize=5)
        name_rows(ax, [rows[own]["name"] for own in order])
        if ratio:
            logarithmic(ax)
            ax.set_xlabel(fields["family"]["ratio"])
        else:
            response = label(fields["response"])
            ax.set_xlabel(f"coefficient, {response} per standard deviation" if is_scaled else f"coefficient, {response}")
        return ax

    def residuals(
        self, ax: Axes | None = None, *, kind: Literal["fitted", "normal", "leverage"] = "fitted"
    ) -> Axes:
        """Residuals against fitted values, against normal quantiles, or against leverage.

        Of least squares they are standardised residuals, of other families quantile residuals, which are normal where the
        model is right.
        """
        of = self._result._residual_columns()
        name = "quantile_residual" if "quantile_residual" in of else "standardised"
        is_likelihood = name == "quantile_residual"
        if name not in of or kind not in ("fitted", "normal", "leverage"):
            what = f"kind = {kind!r} must be 'fitted', 'normal' or 'leverage'" if name in of else "the fit is exact"
            raise ResultError(f"no figure of residuals: {what}")
        across, text = {
            "fitted": (of["predictor"], "linear predictor" if is_likelihood else "fitted values"),
            "normal": (of["quantile"], "normal quantiles"),
            "leverage": (of["leverage"], "leverage"),
        }[kind]
        ax = axes(ax)
        ax.plot(across, of[name], "o", color=BLUE, markersize=3, alpha=0.6)
        if kind == "normal":
            diagonal(ax, float(np.min(across)), float(np.max(across)))
        else:
            ax.axhline(0.0, color=GREY, linewidth=1)
        ax.set_xlabel(text)
        ax.set_ylabel("quantile residuals" if is_likelihood else "standardised residuals")
        return ax

    def inclusion(self, ax: Axes | None = None, *, most: int = 30) -> Axes:
        """The summed weights of the models met that hold a variable; chosen ones are darker."""
        fields = self._result._fields
        rows = fields["inclusion"][:most]
        names = set(self._result.names) | {own["name"] for own in fields.get("terms") or ()}
        ax = axes(ax, height=height_of(len(rows)))
        colours = [BLUE if own["name"] in names else GREY for own in rows]
        bars(ax, [own["name"] for own in rows], [number(own["weight"]) for own in rows], colours)
        ax.set_xlim(0, 1.02)
        ax.set_xlabel("inclusion weight")
        return ax

    def credible_sets(self, ax: Axes | None = None) -> Axes:
        """Of each chosen variable the weights of what may stand in its place, itself first: the members of its credible set."""
        rows = [own for own in self._result._fields["selected"] if own.get("credible_set")]
        if not rows:
            raise ResultError("no variable of the result has a credible set")
        ax = axes(ax, height=height_of(len(rows)))
        for at, own in enumerate(rows):
            left = 0.0
            credible = own["credible_set"]
            for rank, member in enumerate(credible["members"]):
                weight = number(member["weight"])
                in_set = rank < credible["size"]
                colour = (BLUE if member["name"] == own["name"] else GREEN) if in_set else GREY
                ax.barh(at, weight, left=left, height=0.7, color=colour, edgecolor="white", linewidth=0.6)
                if weight > 0.12:
                    place = (left + weight / 2, at)
                    ax.annotate(label(member["name"]), place, ha="center", va="center", color="white", fontsize="small")
                left += weight
        name_rows(ax, [own["name"] for own in rows])
        ax.set_xlim(0, 1)
        ax.set_xlabel("weight among exchanges of one variable")
        return ax

    def correlation(self, ax: Axes | None = None) -> Axes:
        """Correlations of the estimates, by the covariance of the coefficients."""
        covariance = self._result._fields["covariance"]
        matrix = np.array(covariance["matrix"], dtype=np.float64)
        if not matrix.size:
            raise ResultError(f"the result has no covariance of coefficients: {covariance.get('omitted') or 'there are none'}")
        deviations = np.sqrt(np.diag(matrix))
        names = covariance["names"]
        size = 1.8 + 0.32 * len(names)
        ax = axes(ax, width=size + 1, height=size)
        cells(ax, matrix / np.outer(deviations, deviations), names, names, cmap="RdBu_r", vmin=-1, vmax=1)
        return ax

    def roc(self, ax: Axes | None = None) -> Axes:
        """Of the family binomial: sensitivity against 1 − specificity on the rows of the fit, which flatters the model."""
        discrimination = self._of_binomial("discrimination")
        ax = axes(ax, width=4.8)
        diagonal(ax, 0.0, 1.0)
        rows = discrimination["roc"]
        wrong, called = [1.0 - own["specificity"] for own in rows], [own["sensitivity"] for own in rows]
        ax.plot(wrong, called, color=BLUE, label=f"AUC {discrimination['auc']:.3f}, rows of the fit")
        ax.set_xlabel("1 − specificity")
        ax.set_ylabel("sensitivity")
        legend(ax)
        return ax

    def calibration(self, ax: Axes | None = None) -> Axes:
        """Of the family binomial: the share of events by their fitted probability, with intervals."""
        groups = self._of_binomial("calibration")
        ax = axes(ax, width=4.8)
        diagonal(ax, 0.0, 1.0)
        fitted = [own["fitted"] for own in groups]
        ax.vlines(fitted, [own["lower"] for own in groups], [own["upper"] for own in groups], color=BLUE, linewidth=1)
        ax.plot(fitted, [own["observed"] for own in groups], "o", color=BLUE, markersize=5)
        ax.set_xlabel("fitted probability")
        ax.set_ylabel("share of events")
        return ax

    def _of_binomial(self, field: str) -> Any:
        found = (self._result._fields.get("family") or {}).get(field)
        if not found:
            raise ResultError(f"the result has no {field}: it is of the family binomial with events and others")
        return found
