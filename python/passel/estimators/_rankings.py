"""Selectors by information theory: of variables, one after another, and of pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from passel.estimators import _inputs
from passel.estimators._base import EngineEstimator
from passel.estimators._transformer import ColumnSelector


class InformationSelector(ColumnSelector, EngineEstimator):
    """Keeps the columns that a selector chooses, by exact counts of how they go together with the response.

    Parameters
    ----------
    method : str
        The selector with its parameters, such as "jmi", "mrmr", "cmim", "fcbf:threshold=0.1" or "relieff"; ``passel methods``
        lists them.
    top : int
        How many columns to keep; by default 10, or all if there are fewer.
    threshold : float
        End before the first score below it.
    stop : str
        "permutation": end before the first column that is no better than the best of permuted ones.
    binning, bin_response : str
        How numbers become the levels that are counted: "auto" (default), "equal-frequency:5", "mdlp", …
    correction : str
        "miller-madow" corrects entropies for their bias.
    missing : str
        What is done about missing values. By default they are refused; "level" makes them a level of their own, "pairwise" leaves
        them out of each table that needs them, "drop-rows" leaves rows out.
    device, n_jobs, memory_limit, time_limit, options
        As of :class:`PassRegressor`. What draws (``stop``, and relief of a sample) takes the option seed: {"seed": 2}.

    Attributes
    ----------
    result_ : passel.Ranking
        The engine's result.
    support_ : array of shape (n_features_in_,)
        Whether the column was chosen.
    ranking_ : array of shape (n_features_in_,)
        When the column was chosen, 1 for the first; k + 1 for all that were not among the k chosen ones.
    scores_ : array of shape (n_features_in_,)
        The score with which the column was chosen, given those before it; NaN for those that were not.

    Notes
    -----
    A response of classes, of any labels, is counted as it is; one of numbers is binned (``bin_response``).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from passel import InformationSelector
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> InformationSelector(method="jmi", top=3).fit(X, y).get_feature_names_out().tolist()
    ['worst radius', 'worst concavity', 'worst concave points']
    """

    _least_samples: ClassVar[int] = 2

    def __init__(
        self,
        method: str = "jmi",
        *,
        top: int | None = None,
        threshold: float | None = None,
        stop: str | None = None,
        binning: str | None = None,
        bin_response: str | None = None,
        correction: str | None = None,
        missing: str | None = None,
        device: str | None = None,
        n_jobs: int | None = None,
        memory_limit: int | str | None = None,
        time_limit: float | str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.method = method
        self.top = top
        self.threshold = threshold
        self.stop = stop
        self.binning = binning
        self.bin_response = bin_response
        self.correction = correction
        self.missing = missing
        self.device = device
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.time_limit = time_limit
        self.options = options

    def fit(self, X: Any, y: Any = None) -> InformationSelector:
        """Ranks the columns of X by what they say about y."""
        if self.method == "pass":
            raise ValueError("the method pass is no selector by information: use PassSelector")
        result = self._fit_engine(self._checked(X, reset=True), self._target(y, numeric=False))
        chosen = self._indexes([row["name"] for row in result.selected])
        ranking = np.full(len(self._columns), len(chosen) + 1)
        ranking[chosen] = np.arange(1, len(chosen) + 1)
        scores = np.full(len(self._columns), np.nan)
        scores[chosen] = [row["score"] for row in result.selected]
        self.ranking_, self.scores_ = _inputs.like(X, ranking), _inputs.like(X, scores)
        self.support_ = _inputs.like(X, ranking <= len(chosen))
        return self


class PairScorer(ColumnSelector, EngineEstimator):
    """Scores all pairs of columns, and keeps the columns of the best pairs.

    Parameters
    ----------
    method : str
        The score of a pair, the engine's option score: "mi3" (default), what two columns say together about the response;
        "synergy", what they say beyond what each says alone; or a plugin's.
    top : int
        How many pairs to report; at most all p(p − 1)/2 are.
    threshold : float
        End before the first score below it.
    binning, bin_response : str
        As of :class:`InformationSelector`.
    missing, device, n_jobs, memory_limit, time_limit, options
        As of :class:`InformationSelector`; see ``passel.options("pairs")``.

    Attributes
    ----------
    result_ : passel.Pairs
        The engine's result.
    pairs_ : array of shape (m, 2)
        The indexes of the columns of each pair, the best pair first.
    pair_scores_ : array of shape (m,)
        The score of each pair.
    scores_ : array of shape (n_features_in_,)
        The score of each column alone.
    support_ : array of shape (n_features_in_,)
        Whether the column is in any of these pairs.
    """

    _command: ClassVar[str] = "pairs"
    _named: ClassVar[Mapping[str, str]] = {"method": "score"}
    _least_features: ClassVar[int] = 2
    _least_samples: ClassVar[int] = 2

    def __init__(
        self,
        method: str | None = None,
        *,
        top: int = 10,
        threshold: float | None = None,
        binning: str | None = None,
        bin_response: str | None = None,
        missing: str | None = None,
        device: str | None = None,
        n_jobs: int | None = None,
        memory_limit: int | str | None = None,
        time_limit: float | str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.method = method
        self.top = top
        self.threshold = threshold
        self.binning = binning
        self.bin_response = bin_response
        self.missing = missing
        self.device = device
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.time_limit = time_limit
        self.options = options

    def fit(self, X: Any, y: Any = None) -> PairScorer:
        """Scores all pairs of columns of X by what they say about y."""
        result = self._fit_engine(self._checked(X, reset=True), self._target(y, numeric=False))
        firsts, seconds = ([row[side] for row in result.pairs] for side in ("a", "b"))
        pairs = np.column_stack([self._indexes(firsts), self._indexes(seconds)])
        scores = np.full(len(self._columns), np.nan)
        scores[self._indexes([row["name"] for row in result.single])] = [row["score"] for row in result.single]
        self.pairs_ = _inputs.like(X, pairs)
        self.pair_scores_ = _inputs.like(X, np.array([row["score"] for row in result.pairs], dtype=np.float64))
        self.scores_ = _inputs.like(X, scores)
        self.support_ = _inputs.like(X, self._mask([*firsts, *seconds]))
        return self
