"""passel: variable selection by information criteria and information theory, on CPUs and GPUs.

>>> import passel
>>> result = passel.select("mpg ~ .", cars, criterion="bic")     # a formula and a data frame
>>> print(result.summary())

Functions: :func:`select`, :func:`pairs`, :func:`stability`, :func:`validate`, :func:`predict`, :func:`simulate`,
:func:`read_report`, :func:`options`. Estimators for scikit-learn: :class:`PassRegressor`, :class:`PassClassifier`,
:class:`PassSelector`, :class:`InformationSelector`, :class:`StabilitySelector`, :class:`PairScorer`.
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

# What is asked for is imported then: an import of passel alone takes no part of a second.
_HOMES = {
    "passel.functions": ["select", "pairs", "stability", "validate", "predict", "simulate", "read_report", "options"],
    "passel.results": [
        "Result", "Selection", "Responses", "Ranking", "Pairs", "Stability", "Validation", "Predictions", "Simulated",
    ],
    "passel.plugins": ["criterion", "score"],
    "passel.errors": [
        "PasselError", "OptionError", "DataError", "CopyError", "ResultError", "EngineError", "OutOfMemory", "TimedOut",
        "Interrupted", "PasselWarning",
    ],
    "passel.estimators": [
        "PassRegressor", "PassClassifier", "PassSelector", "InformationSelector", "StabilitySelector", "PairScorer",
    ],
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

if TYPE_CHECKING:
    from passel.errors import (
        CopyError, DataError, EngineError, Interrupted, OptionError, OutOfMemory, PasselError, PasselWarning, ResultError,
        TimedOut,
    )
    from passel.estimators import (
        InformationSelector, PairScorer, PassClassifier, PassRegressor, PassSelector, StabilitySelector,
    )
    from passel.functions import options, pairs, predict, read_report, select, simulate, stability, validate
    from passel.plugins import criterion, score
    from passel.results import (
        Pairs, Predictions, Ranking, Responses, Result, Selection, Simulated, Stability, Validation,
    )

__version__: str
__all__ = [
    "CopyError", "DataError", "EngineError", "Interrupted", "OptionError", "OutOfMemory", "Pairs", "PasselError", "PasselWarning",
    "Predictions", "Ranking", "Responses", "Result", "ResultError", "Selection", "Simulated", "Stability", "TimedOut",
    "Validation", "__version__", "criterion", "options", "pairs", "predict", "read_report", "score", "select", "simulate",
    "stability", "validate",
]
# `from passel import *` brings the estimators where there is scikit-learn, and does not fail without.
if importlib.util.find_spec("sklearn") is not None:
    __all__ += [
        "InformationSelector", "PairScorer", "PassClassifier", "PassRegressor", "PassSelector", "StabilitySelector",
    ]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module("passel._engine").VERSION
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'passel' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_HOME})
