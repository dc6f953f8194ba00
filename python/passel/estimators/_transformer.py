"""Selection of columns as scikit-learn's transformers have it, of arrays of any library."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import _safe_indexing
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted, validate_data

from passel.estimators import _inputs


class ColumnSelector(SelectorMixin):
    """The columns of X where ``support_`` is true.

    With scikit-learn's ``array_api_dispatch`` arrays of other libraries are taken, and give arrays of the same library on the
    same device; ``support_`` and ``scores_`` are then of that library too.
    """

    support_: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.array_api_support = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _get_support_mask(self) -> Any:
        check_is_fitted(self)
        return np.asarray(_inputs.on_host(self.support_))

    def transform(self, X: Any) -> Any:
        """The selected columns of X, of shape (n, k).

        Columns of a data frame keep their types where ``set_output`` asks for frames of its kind.
        """
        check_is_fitted(self)
        if _inputs.namespace(X) is not _inputs.namespace(self.support_):
            own, fitted = (getattr(_inputs.namespace(of), "__name__", "numpy") for of in (X, self.support_))
            raise ValueError(
                f"Inputs passed to {type(self).__name__}.transform() must use the same namespace as those of fit: "
                f"X is of {own}, but fit had {fitted}"
            )
        wanted = _get_output_config("transform", estimator=self)["dense"]
        own = validate_data(
            self,
            X,
            reset=False,
            dtype=None,
            accept_sparse="csr",
            ensure_all_finite="allow-nan" if self.__sklearn_tags__().input_tags.allow_nan else True,
            skip_check_array=_inputs.is_frame(X) and type(X).__module__.partition(".")[0] == wanted,
        )
        indexes: Any = self.get_support(indices=True)
        if not len(indexes):
            warnings.warn("No features were selected: either the data is too noisy or the selection too strict.", stacklevel=3)
        if _inputs.namespace(own) is None:
            return _safe_indexing(own, indexes, axis=1)
        return _inputs.namespace(own).take(own, _inputs.like(own, indexes), axis=1)

    def inverse_transform(self, X: Any) -> Any:
        """The selected columns at their places, and zeros elsewhere."""
        xp = _inputs.namespace(X)
        if xp is None:
            return super().inverse_transform(X)
        whole: Any = super().inverse_transform(_inputs.on_host(X))
        return _inputs.like(X, whole)
