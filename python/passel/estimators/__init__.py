"""Estimators for scikit-learn, thin over :mod:`passel.functions`: the same data and options give the same selection.

Predictors: :class:`PassRegressor`, :class:`PassClassifier`. Selectors of variables, which transform:
:class:`PassSelector`, :class:`InformationSelector`, :class:`StabilitySelector`, :class:`PairScorer`.
"""

from __future__ import annotations

try:
    import sklearn  # noqa: F401
except ImportError as error:
    raise ImportError("the estimators of passel need scikit-learn: pip install 'passel[sklearn]'") from error

from passel.estimators._classifier import PassClassifier
from passel.estimators._rankings import InformationSelector, PairScorer
from passel.estimators._regressor import PassRegressor
from passel.estimators._selector import PassSelector
from passel.estimators._stability import StabilitySelector

__all__ = [
    "InformationSelector", "PairScorer", "PassClassifier", "PassRegressor", "PassSelector", "StabilitySelector",
]
