"""What the estimators of a model share: PassRegressor, PassClassifier and PassSelector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from passel import functions
from passel.estimators import _inputs
from passel.estimators._base import EngineEstimator
from passel.results import Predictions

#: How ``sample_weight`` is meant.
_WEIGHTINGS = ("counts", "precision")


class ModelEstimator(EngineEstimator):
    """An estimator whose fit searches the models of a regression by a criterion."""

    def __init__(
        self,
        *,
        criterion: str | None = None,
        family: str | None = None,
        link: str | None = None,
        max_size: int | None = None,
        keep: Sequence[str | int] | None = None,
        particles: int | None = None,
        iterations: int | None = None,
        missing: str | None = None,
        weighting: str = "counts",
        random_state: Any = None,
        device: str | None = None,
        n_jobs: int | None = None,
        memory_limit: int | str | None = None,
        time_limit: float | str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.criterion = criterion
        self.family = family
        self.link = link
        self.max_size = max_size
        self.keep = keep
        self.particles = particles
        self.iterations = iterations
        self.missing = missing
        self.weighting = weighting
        self.random_state = random_state
        self.device = device
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.time_limit = time_limit
        self.options = options

    def _fit_model(
        self, X: Any, y: np.ndarray[Any, Any], sample_weight: Any, groups: Any, offset: Any, **more: Any
    ) -> None:
        """Fits, and sets what every model has. ``y`` may be a factor: codes and their texts."""
        if self.weighting not in _WEIGHTINGS:
            raise ValueError(f"weighting = {self.weighting!r} is neither 'counts' nor 'precision'")
        rows = X.shape[0]
        beside = {
            "offset": None if offset is None else _inputs.numbers(offset, rows, "offset"),
            "cluster": None if groups is None else _inputs.levels(groups, rows, "groups"),
        }
        if sample_weight is not None:
            weights = _inputs.weights(sample_weight, X)
            if self.weighting == "precision":
                beside["weights"] = weights
            elif not (weights == 1.0).all():
                again = _inputs.repeats(weights)
                X, y = _inputs.rows_of(X, again), y[again]
                beside = {option: None if own is None else own[again] for option, own in beside.items()}
        result = self._fit_engine(X, y, beside, calls=2, **more)
        self.n_iter_ = int(result.iterations or 0)
        self.support_ = self._mask(self._chosen())

    def _chosen(self) -> list[str]:
        """The columns of X that the selected terms are made of."""
        fields = self.result_.to_dict()
        made = {}
        formula = fields["model"].get("formula")
        if formula:
            variables = formula["variables"]
            for column in formula["columns"]:
                made[column["name"]] = [name for own in column["factors"] for name in variables[own["variable"]]["of"]]
        chosen = (made.get(own["column"], made.get(own["name"], [own["column"]])) for own in fields["selected"])
        return list(dict.fromkeys(name for names in chosen for name in names))

    def _plain(self) -> bool:
        """Whether the coefficients are those of columns of numbers, one each."""
        return all(own["column"] in self._columns and own.get("level") is None for own in self.result_.selected)

    def _predicted(self, X: Any, offset: Any, **options: Any) -> Predictions:
        """The engine's predictions of the rows of X."""
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        rows, names = X.shape[0], self._columns
        if hasattr(X, "tocsc"):
            # The columns that the model has are few, and are then dense; one says how many rows there are.
            used = self._indexes(self._chosen() or names[:1])
            X, names = X[:, used].toarray(), [names[at] for at in used]
        columns = _inputs.columns_of(X, names)
        name = self._offset_name
        if name is None and offset is not None:
            raise ValueError(f"this {type(self).__name__} was fitted without an offset, so none is added to its predictions")
        if name is not None:
            if offset is None:
                raise ValueError(f"this {type(self).__name__} was fitted with an offset: give that of each row (0 for none)")
            columns.column(name, _inputs.numbers(offset, rows, "offset"))
        return functions.predict(self.result_, columns, **options)
