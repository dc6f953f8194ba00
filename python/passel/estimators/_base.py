"""What all estimators share: their parameters are the engine's options, and their data become its table."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.validation import check_consistent_length, validate_data

from passel import functions
from passel.errors import DataError
from passel.estimators import _inputs

#: Values of ``missing`` by which missing values are refused.
_REFUSE = (None, "auto", "refuse")

#: The engine's words about a column that is the response itself, up to scale.
_COPIED = re.compile("`(.*)` is the response `.*` again, up to scale")


class EngineEstimator(BaseEstimator):
    """An estimator whose fit is a run of the engine."""

    #: The function of :mod:`passel.functions` that fits.
    _command: ClassVar[str] = "select"
    #: Parameters that are no option of the engine.
    _of_estimator: ClassVar[tuple[str, ...]] = ("options", "weighting")
    #: Parameters that are options of the engine by another name.
    _named: ClassVar[Mapping[str, str]] = {"random_state": "seed"}
    #: The fewest columns, and observations, of which the engine chooses.
    _least_features: ClassVar[int] = 1
    _least_samples: ClassVar[int] = 3

    missing: str | None
    options: Mapping[str, Any] | None
    # scikit-learn sets them.
    n_features_in_: int
    feature_names_in_: np.ndarray[Any, Any]

    # What scikit-learn asks.

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._allows_missing()
        tags.target_tags.required = True
        return tags

    def _allows_missing(self) -> bool:
        return self.missing not in _REFUSE

    # Parameters.

    def _given(self) -> dict[str, Any]:
        """The options of the engine: parameters that are not None, and ``options``."""
        own = self.get_params(deep=False)
        if not isinstance(self.options, (Mapping, type(None))):
            raise ValueError(f"options = {self.options!r} must be a dictionary of options by their names")
        extra = {str(name).replace("-", "_"): value for name, value in (self.options or {}).items()}
        options = {self._named.get(name, name): name for name in own if name not in self._of_estimator}
        doubled = next((name for name in extra if name in options), None)
        if doubled is not None:
            raise ValueError(f"options has {doubled!r}, which {type(self).__name__} has as its parameter {options[doubled]!r}")
        given = {option: own[name] for option, name in options.items() if own[name] is not None}
        seed = given.get("seed")
        if isinstance(seed, np.random.RandomState):
            given["seed"] = int(seed.randint(np.iinfo(np.int32).max))
        return given | extra

    # Data.

    def _checked(self, X: Any, reset: bool) -> Any:
        """X as the engine takes it: a data frame as it is, which the engine checks, and an array or sparse matrix of numbers."""
        if _inputs.is_frame(X):
            return validate_data(self, X, reset=reset, skip_check_array=True)
        own = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csc",
            dtype="numeric",
            ensure_all_finite="allow-nan" if self._allows_missing() else True,
            ensure_min_features=self._least_features if reset else 1,
            ensure_min_samples=self._least_samples if reset else 1,
        )
        return _inputs.on_host(own)

    def _target(self, y: Any, *, numeric: bool) -> np.ndarray[Any, Any]:
        """The response, one finite number or one level for each row."""
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        name = getattr(y, "name", None)
        self._response = name if isinstance(name, str) and name else "y"
        own = column_or_1d(_inputs.on_host(y), warn=True)
        assert_all_finite(own, input_name="y", estimator_name=type(self).__name__)
        if numeric and own.dtype.kind in "OUS":
            own = own.astype(np.float64)
        if own.dtype.kind == "c":
            raise ValueError("Complex data not supported: y has complex numbers")
        return np.asarray(own)

    def _keep_names(self, given: dict[str, Any]) -> None:
        """Kept columns by name, which may be given by index."""
        kept = given.get("keep")
        if kept is None or isinstance(kept, str):
            return
        given["keep"] = [own if isinstance(own, str) else self._columns[own] for own in kept]

    def _fit_engine(
        self, X: Any, y: np.ndarray[Any, Any], beside: Mapping[str, Any] | None = None, *, calls: int = 1, **more: Any
    ) -> Any:
        """Runs the engine on X, the response and the columns beside them, by the option that names each.

        ``calls`` is how many functions of this package are above, whose caller warnings are told to.
        """
        check_consistent_length(X, y)
        self._columns = _inputs.engine_names(X)
        arrays = {option: values for option, values in {"response": y, **(beside or {})}.items() if values is not None}
        given = self._given()
        doubled = next((option for option in [*arrays, *more] if option in (self.options or {})), None)
        if doubled is not None:
            raise ValueError(f"options has {doubled!r}, which fit of {type(self).__name__} sets itself")
        given |= more
        self._keep_names(given)
        for option in arrays:
            given[option] = _inputs.free_name(self._response if option == "response" else option, self._columns)

        progress = given.pop("progress", None)
        result, moved = None, set[int]()
        while result is None:
            columns = _inputs.columns_of(X, self._columns)
            for option, values in arrays.items():
                columns.column(given[option], values)
            try:
                result = functions._run(self._command, columns, given, progress, None, None, 4 + calls)
            except DataError as error:
                copied = _COPIED.match(str(error))
                at = None if copied is None else self._columns.index(copied[1])
                if at is None or at in moved:
                    raise
                # The engine takes such a column for a mistake. Here its model is found, and the mistake is told.
                warnings.warn(str(error), stacklevel=2 + calls)
                moved.add(at)
                X = _inputs.jittered(X, at)
        self.result_: Any = result
        self._offset_name = given["offset"] if "offset" in arrays else None
        return self.result_

    # Results.

    def _indexes(self, names: Any) -> np.ndarray[Any, Any]:
        """The columns of X that have these names."""
        places = {name: at for at, name in enumerate(self._columns)}
        unknown = next((name for name in names if name not in places), None)
        if unknown is not None:
            raise ValueError(
                f"`{unknown}` is chosen, which is no column of X: {type(self).__name__} chooses columns, not terms made of them"
            )
        return np.array([places[name] for name in names], dtype=np.intp)

    def _mask(self, names: Any) -> np.ndarray[Any, Any]:
        mask = np.zeros(len(self._columns), dtype=bool)
        mask[self._indexes(names)] = True
        return mask
