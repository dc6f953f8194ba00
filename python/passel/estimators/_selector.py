"""The variables of the model that a criterion chooses, as a transformer."""

from __future__ import annotations

from typing import Any

import numpy as np

from passel.estimators import _inputs
from passel.estimators._model import ModelEstimator
from passel.estimators._transformer import ColumnSelector


class PassSelector(ColumnSelector, ModelEstimator):
    """Keeps the columns of the model that an information criterion chooses.

    Parameters
    ----------
    criterion, link, max_size, keep, particles, iterations, missing, weighting, random_state, device, n_jobs, memory_limit, \
time_limit, options
        As of :class:`PassRegressor`.
    family : str
        The distribution of the response: "gaussian" (default), "binomial", "multinomial", "ordinal", "poisson",
        "negative-binomial", "gamma" or a plugin's. It is not guessed from y.

    Attributes
    ----------
    result_ : passel.Selection
        The engine's result.
    support_ : array of shape (n_features_in_,)
        Whether the model has the column; with terms made of columns (options interactions or formula), whether a term of it has.
    scores_ : array of shape (n_features_in_,)
        The weight of the models met that contain the column, from 0 to 1.
    n_iter_ : int
        Iterations of the swarm.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from passel import PassSelector
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> PassSelector(criterion="bic").set_output(transform="pandas").fit_transform(X, y).columns.to_list()
    ['sex', 'bmi', 'bp', 's3', 's5']
    """

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None, offset: Any = None) -> PassSelector:
        """Chooses a model; arguments are those of :meth:`PassRegressor.fit`, with a response as the family has it."""
        if self.family == "cox":
            raise ValueError("the family cox has times and events in place of y: use passel.select")
        self._fit_model(self._checked(X, reset=True), self._target(y, numeric=False), sample_weight, groups, offset)
        weights = {row["name"]: row["weight"] for row in self.result_.inclusion}
        scores = np.array([weights.get(name, 0.0) for name in self._columns])
        self.support_, self.scores_ = _inputs.like(X, self.support_), _inputs.like(X, scores)
        return self
