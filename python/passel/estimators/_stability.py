"""The variables that most resamples of the rows select."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from passel.estimators import _inputs
from passel.estimators._base import EngineEstimator
from passel.estimators._transformer import ColumnSelector


class StabilitySelector(ColumnSelector, EngineEstimator):
    """Keeps the columns that most resamples of the rows select, with a bound on the number of false ones.

    It takes no ``sample_weight``: rows that stand for several would be in both halves of a pair. Precisions of a data frame's
    rows are named by the option weights, a column of it.

    Parameters
    ----------
    method : str
        What selects within a resample: "pass" (default), the search by a criterion, or a selector such as "jmi".
    criterion, family, max_size, particles, iterations, keep
        Of the method pass, as of :class:`PassSelector`.
    top : int
        Of selectors: how many variables a resample selects.
    resamples : int
        The number of resamples; of complementary pairs (default 100) each makes two selections.
    resampling : str
        "complementary" (default), "subsample" or "bootstrap".
    false_picks : float
        The expected number of false picks to allow, 1 by default: the cut-off is the smallest that keeps to it.
    cutoff : float
        Keep what is chosen in at least this share of the resamples, in place of ``false_picks``.
    missing, random_state, device, n_jobs, memory_limit, time_limit, options
        As of :class:`PassRegressor`; see ``passel.options("stability")``.

    Attributes
    ----------
    result_ : passel.Stability
        The engine's result, with bounds by several assumptions.
    support_ : array of shape (n_features_in_,)
        Whether the column is chosen often enough.
    scores_ : array of shape (n_features_in_,)
        The share of the resamples that choose the column.
    """

    _command: ClassVar[str] = "stability"
    # A bound on false picks is about columns that compete.
    _least_features: ClassVar[int] = 2

    def __init__(
        self,
        *,
        method: str | None = None,
        criterion: str | None = None,
        family: str | None = None,
        max_size: int | None = None,
        keep: Sequence[str | int] | None = None,
        particles: int | None = None,
        iterations: int | None = None,
        top: int | None = None,
        resamples: int | None = None,
        resampling: str | None = None,
        false_picks: float | None = None,
        cutoff: float | None = None,
        missing: str | None = None,
        random_state: Any = None,
        device: str | None = None,
        n_jobs: int | None = None,
        memory_limit: int | str | None = None,
        time_limit: float | str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.method = method
        self.criterion = criterion
        self.family = family
        self.max_size = max_size
        self.keep = keep
        self.particles = particles
        self.iterations = iterations
        self.top = top
        self.resamples = resamples
        self.resampling = resampling
        self.false_picks = false_picks
        self.cutoff = cutoff
        self.missing = missing
        self.random_state = random_state
        self.device = device
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.time_limit = time_limit
        self.options = options

    def fit(self, X: Any, y: Any = None) -> StabilitySelector:
        """Selects in each resample, and keeps what most select."""
        result = self._fit_engine(self._checked(X, reset=True), self._target(y, numeric=False))
        self.support_ = _inputs.like(X, self._mask([row["name"] for row in result.selected]))
        scores = np.zeros(len(self._columns))
        rows = [row for row in result.variables if row["name"] in self._columns]
        scores[self._indexes([row["name"] for row in rows])] = [row["frequency"] for row in rows]
        self.scores_ = _inputs.like(X, scores)
        return self
