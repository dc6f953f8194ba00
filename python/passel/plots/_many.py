"""Figures of rankings, pairs, stability selection and several responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passel.errors import ResultError
from passel.plots._axes import BLUE, GREY, ORANGE, Axes, axes, bars, cells, height_of, label, legend, number

if TYPE_CHECKING:
    from passel.results import Pairs, Ranking, Responses, Stability


class RankingPlots:
    """Figures of a :class:`~passel.Ranking`."""

    def __init__(self, result: Ranking) -> None:
        self._result = result

    def scores(self, ax: Axes | None = None, *, most: int = 30) -> Axes:
        """The scores of the chosen variables in the order in which they were chosen."""
        rows = self._result._fields["selected"][:most]
        ax = axes(ax, height=height_of(len(rows)))
        bars(ax, [own["name"] for own in rows], [number(own["score"]) for own in rows])
        ax.set_xlabel(f"score, {label(self._result._fields['method']['name'])}")
        return ax

    def relevance(self, ax: Axes | None = None) -> Axes:
        """Relevance against redundancy of the chosen variables, for selectors that weigh one against the other."""
        rows = [own for own in self._result._fields["selected"] if own.get("redundancy") is not None]
        if not rows:
            raise ResultError(f"the scores of {self._result._fields['method']['name']} have no redundancy")
        ax = axes(ax)
        redundancy, relevance = ([number(own[key]) for own in rows] for key in ("redundancy", "relevance"))
        ax.plot(redundancy, relevance, "o", color=BLUE, markersize=5)
        for own in rows:
            place = (number(own["redundancy"]), number(own["relevance"]))
            ax.annotate(label(own["name"]), place, textcoords="offset points", xytext=(4, 3), fontsize="small")
        ax.set_xlabel("redundancy")
        ax.set_ylabel("relevance")
        return ax


class PairsPlots:
    """Figures of :class:`~passel.Pairs`."""

    def __init__(self, result: Pairs) -> None:
        self._result = result

    def heatmap(self, ax: Axes | None = None, *, most: int = 20, value: str = "score") -> Axes:
        """The scores of pairs among the variables of the strongest ones; pairs that were not reported are empty.

        ``most`` is the number of variables, and ``value`` another field of pairs, as "synergy".
        """
        rows = self._result._fields["pairs"]
        names: list[str] = []
        for own in rows:
            new = [name for name in (own["a"], own["b"]) if name not in names]
            if len(names) + len(new) <= most:
                names += new
        if not names:
            raise ResultError("the result has no pair")
        if rows[0].get(value) is None:
            known = ", ".join(key for key, one in rows[0].items() if isinstance(one, float))
            raise ResultError(f"value = {value!r} is no number of pairs: these have {known}")
        at = {name: place for place, name in enumerate(names)}
        matrix = np.full((len(names), len(names)), np.nan)
        for own in rows:
            if own["a"] in at and own["b"] in at:
                a, b = at[own["a"]], at[own["b"]]
                matrix[a, b] = matrix[b, a] = number(own[value])
        size = 2.0 + 0.28 * len(names)
        ax = axes(ax, width=size + 1, height=size)
        cells(ax, matrix, names, names)
        ax.set_title(f"{value}, {label(self._result._fields['method']['name'])}", fontsize="medium")
        return ax

    def single(self, ax: Axes | None = None, *, most: int = 30) -> Axes:
        """The scores of the variables alone, best first."""
        rows = sorted(self._result._fields["single"], key=lambda own: -number(own["score"]))[:most]
        ax = axes(ax, height=height_of(len(rows)))
        bars(ax, [own["name"] for own in rows], [number(own["score"]) for own in rows])
        ax.set_xlabel("score of the variable alone")
        return ax


class StabilityPlots:
    """Figures of :class:`~passel.Stability`."""

    def __init__(self, result: Stability) -> None:
        self._result = result

    def frequencies(self, ax: Axes | None = None, *, most: int = 30) -> Axes:
        """How often resamples chose each of the most frequent variables, and the cut-off; selected ones are darker."""
        fields = self._result._fields
        rows = fields["variables"][:most]
        ax = axes(ax, height=height_of(len(rows)))
        selected = set(self._result.names)
        colours = [BLUE if own["name"] in selected else GREY for own in rows]
        bars(ax, [own["name"] for own in rows], [number(own["frequency"]) for own in rows], colours)
        self._cutoff(ax)
        ax.set_xlim(0, 1.02)
        ax.set_xlabel("share of resamples")
        return ax

    def by_rank(self, ax: Axes | None = None) -> Axes:
        """All frequencies by rank: a gap parts what is chosen again and again from what chance brings in."""
        rows = self._result._fields["variables"]
        ax = axes(ax)
        ax.plot(range(1, len(rows) + 1), [number(own["frequency"]) for own in rows], "o", color=BLUE, markersize=4)
        self._cutoff(ax, across=True)
        ax.set_ylim(0, 1.04)
        ax.set_xlabel("rank")
        ax.set_ylabel("share of resamples")
        return ax

    def _cutoff(self, ax: Axes, across: bool = False) -> None:
        cutoff = self._result._fields["cutoff"]
        if cutoff is not None:
            line = ax.axhline if across else ax.axvline
            line(cutoff, color=ORANGE, linestyle="--", linewidth=1.5, label=f"cut-off {cutoff:g}")
        legend(ax)


class ResponsesPlots:
    """Figures of :class:`~passel.Responses`."""

    def __init__(self, result: Responses) -> None:
        self._result = result

    def statistics(self, ax: Axes | None = None, *, most: int = 40) -> Axes:
        """The t or z of each variable in the model of each response; empty where it was not chosen."""
        models = self._result._fields["responses"]
        names = [own["name"] for own in self._result._fields["shared"]][:most]
        names = names or list(dict.fromkeys(own["name"] for model in models for own in model["selected"]))[:most]
        if not names:
            raise ResultError("no variable was chosen for any response")
        at = {name: place for place, name in enumerate(names)}
        matrix = np.full((len(names), len(models)), np.nan)
        for column, model in enumerate(models):
            for own in model["selected"]:
                statistic = own.get("t") if own.get("t") is not None else own.get("z")
                if own["name"] in at:
                    matrix[at[own["name"]], column] = number(statistic)
        most_of = float(np.nanmax(np.abs(matrix))) if np.isfinite(matrix).any() else 1.0
        ax = axes(ax, width=3 + 0.4 * len(models), height=1.8 + 0.28 * len(names))
        responses = [model["response"] for model in models]
        cells(ax, matrix, names, responses, cmap="RdBu_r", vmin=-most_of, vmax=most_of)
        ax.set_title("t or z", fontsize="medium")
        return ax
