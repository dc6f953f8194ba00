"""Figures of validations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from passel._labels import models
from passel.errors import ResultError
from passel.plots._axes import (
    BLUE, GREEN, GREY, ORANGE, Axes, axes, bars, diagonal, height_of, label, legend, number, whole_numbers,
)

if TYPE_CHECKING:
    from passel.results import Validation

#: Groups of equal size by predicted probability.
_GROUPS = 10


class ValidationPlots:
    """Figures of a :class:`~passel.Validation`. ``model`` is the place of a model among those that were compared."""

    def __init__(self, result: Validation) -> None:
        self._result = result

    def errors_by_size(self, ax: Axes | None = None) -> Axes:
        """The held-out error of the best models of each size with a standard error to either side."""
        fields = self._result._fields
        rows = fields.get("by_size")
        if not rows:
            raise ResultError("the validation has no errors by size")
        sizes = [own["size"] for own in rows]
        values = np.array([number(own["value"]) for own in rows])
        errors = np.nan_to_num(np.array([number(own.get("std_error")) for own in rows]))
        ax = axes(ax)
        ax.fill_between(sizes, values - errors, values + errors, color=BLUE, alpha=0.18, linewidth=0)
        ax.plot(sizes, values, "o-", color=BLUE, markersize=4)
        best, within = fields.get("best_size"), fields.get("size_within_one_std_error")
        if best is not None:
            ax.axvline(best, color=GREEN, linestyle="--", linewidth=1.2, label=f"least: {best}")
        if within is not None and within != best:
            ax.axvline(within, color=ORANGE, linestyle="--", linewidth=1.2, label=f"within one standard error: {within}")
        ax.set_xlabel("size")
        ax.set_ylabel(f"held-out {fields['size_measure'].replace('_', ' ')}")
        whole_numbers(ax)
        legend(ax)
        return ax

    def observed_predicted(self, ax: Axes | None = None, *, model: int = 0) -> Axes:
        """Held-out responses against their predictions, by models that did not see them."""
        if self._family() not in ("gaussian", "poisson", "negative-binomial", "gamma"):
            raise ResultError(f"predictions of the family {self._family()} are not on the scale of the responses")
        observed, predicted, _ = self._held_out(model)
        ax = axes(ax, width=4.8)
        both = np.concatenate([observed, predicted])
        diagonal(ax, float(np.nanmin(both)), float(np.nanmax(both)))
        ax.plot(predicted, observed, "o", color=BLUE, markersize=3, alpha=0.6)
        ax.set_xlabel("predicted")
        ax.set_ylabel("observed")
        return ax

    def roc(self, ax: Axes | None = None, *, model: int = 0) -> Axes:
        """Of the family binomial: sensitivity against 1 − specificity, of the held-out predictions of all splits together."""
        observed, predicted, weight = self._binomial(model)
        order = np.argsort(-predicted, kind="stable")
        called = np.cumsum((observed * weight)[order])
        wrong = np.cumsum(((1.0 - observed) * weight)[order])
        if not called[-1] > 0.0 or not wrong[-1] > 0.0:
            raise ResultError("the held-out rows have no events, or nothing else")
        # Rows of one probability are called together.
        last = np.flatnonzero(np.append(np.diff(predicted[order]) != 0.0, True))
        ax = axes(ax, width=4.8)
        diagonal(ax, 0.0, 1.0)
        across, up = (np.append(0.0, own[last] / own[-1]) for own in (wrong, called))
        ax.plot(across, up, color=BLUE, label=f"{label(list(models(self._result._fields))[model][0])}, held out")
        ax.set_xlabel("1 − specificity")
        ax.set_ylabel("sensitivity")
        legend(ax)
        return ax

    def calibration(self, ax: Axes | None = None, *, model: int = 0) -> Axes:
        """Of the family binomial: the share of events in ten groups of held-out rows by their predicted probability."""
        observed, predicted, weight = self._binomial(model)
        if len(observed) < 2 * _GROUPS:
            raise ResultError(f"{len(observed)} held-out rows are too few for {_GROUPS} groups")
        order = np.argsort(predicted, kind="stable")
        groups = [own for own in np.array_split(order, _GROUPS) if weight[own].sum() > 0.0]
        means = [[float(np.average(own[rows], weights=weight[rows])) for rows in groups] for own in (predicted, observed)]
        ax = axes(ax, width=4.8)
        diagonal(ax, 0.0, 1.0)
        ax.plot(means[0], means[1], "o-", color=BLUE, markersize=5, linewidth=1)
        ax.set_xlabel("predicted probability")
        ax.set_ylabel("share of events")
        return ax

    def chosen(self, ax: Axes | None = None, *, model: int = 0, most: int = 30) -> Axes:
        """The share of splits whose models hold each variable."""
        rows = self._result._fields["models"][model]["variables"][:most]
        ax = axes(ax, height=height_of(len(rows)))
        colours = [BLUE if own["share"] > 0.5 else GREY for own in rows]
        bars(ax, [own["name"] for own in rows], [number(own["share"]) for own in rows], colours)
        ax.set_xlim(0, 1.02)
        ax.set_xlabel("share of splits")
        return ax

    def _family(self) -> str:
        return str((self._result._fields.get("family") or {"name": "gaussian"})["name"])

    def _held_out(self, model: int) -> tuple[Any, Any, Any]:
        """Observed and predicted responses and weights of the rows that were held out."""
        held_out = self._result._fields.get("held_out")
        if not held_out or not held_out.get("predicted"):
            raise ResultError("the validation has no predictions of held-out rows")
        observed = np.array(held_out["observed"], dtype=np.float64)
        predicted = np.array(held_out["predicted"][model], dtype=np.float64)
        weight = np.array(held_out.get("weight") or np.ones(len(observed)), dtype=np.float64)
        return observed, predicted, weight

    def _binomial(self, model: int) -> tuple[Any, Any, Any]:
        if self._family() != "binomial":
            raise ResultError(f"the family is {self._family()}, and not binomial")
        return self._held_out(model)
