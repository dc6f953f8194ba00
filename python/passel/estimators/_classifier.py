"""Classification by the model that a criterion chooses."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from passel._data import categories_of, level_text
from passel.errors import PasselWarning
from passel.estimators import _inputs
from passel.estimators._model import ModelEstimator

_FAMILIES = ("binomial", "multinomial", "ordinal")


class PassClassifier(ClassifierMixin, ModelEstimator):
    """A logistic regression whose variables are chosen by an information criterion: binomial, or multinomial of several classes.

    Parameters
    ----------
    criterion, link, max_size, keep, particles, iterations, missing, weighting, random_state, device, n_jobs, memory_limit, \
time_limit, options
        As of :class:`PassRegressor`.
    family : str
        By default binomial of two classes and multinomial of more. "ordinal" is of classes in the order of an ordered categorical, of
        the option ``levels``, or else of ``classes_``, which is warned of where they are texts.
    firth : bool
        Of two classes: estimate the selected model by Firth's penalty (see Notes).

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes in ascending order.
    result_ : passel.Selection
        The engine's result.
    support_ : array of shape (n_features_in_,)
        Whether the model has the column.
    coef_ : array of shape (1, n_features_in_) of two classes, else (n_classes, n_features_in_)
        Coefficients, 0 of columns that were not chosen. Of several classes they are beside a baseline, whose row is 0: the
        probabilities are the softmax of the linear predictors either way. Not there for ordinal models, nor where a term is no
        column of numbers.
    intercept_ : array of shape (1,) or (n_classes,)
        Intercepts.
    n_iter_ : int
        Iterations of the swarm.

    Notes
    -----
    Where the variables tell classes apart without error, as of well separated blobs, the likelihood has no maximum: coefficients
    grow without end. The engine recognises this and ends: it compares such models by the supremum of the likelihood, so the
    selection is sound, and it warns. Coefficients are then as far as the fit went, have no standard errors, and predicted
    probabilities are 0 and 1 for all but rows in between; the predicted classes are right. Whoever needs probabilities there
    sets ``firth=True`` (D. Firth 1993; two classes, link logit), which has finite coefficients and changes nothing of the
    selection. It is no default: it shrinks coefficients of every model, so that predictions would no longer be those of
    maximum likelihood, and of several classes it is not there.

    Of K classes a variable has K − 1 coefficients, and ``max_size`` counts these. Multinomial fits take time, and a swarm fits
    many models: among some dozen variables, where all models are enumerated or proved (``result_.certified`` is "global"),
    ``particles=8, iterations=8`` find the same in a fraction of it; ``time_limit`` bounds it in any case.

    One class alone is refused: there is nothing to tell apart.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from passel import PassClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = PassClassifier(max_size=3).fit(X[X.columns[:10]], y)
    >>> list(model.feature_names_in_[model.support_])
    ['mean texture', 'mean area', 'mean concave points']
    """

    def __init__(
        self,
        *,
        criterion: str | None = None,
        family: str | None = None,
        link: str | None = None,
        firth: bool = False,
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
        super().__init__(
            criterion=criterion, family=family, link=link, max_size=max_size, keep=keep, particles=particles,
            iterations=iterations, missing=missing, weighting=weighting, random_state=random_state, device=device,
            n_jobs=n_jobs, memory_limit=memory_limit, time_limit=time_limit, options=options,
        )
        self.firth = firth

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.family != "binomial"
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, offset: Any = None) -> PassClassifier:
        """Chooses and fits a model; arguments are those of :meth:`PassRegressor.fit`, with classes of any kind for y."""
        if self.family is not None and self.family not in _FAMILIES:
            raise ValueError(f"the family {self.family} is not of classes: use PassRegressor, or one of {', '.join(_FAMILIES)}")
        X = self._checked(X, reset=True)
        order = categories_of(y)
        y = self._target(y, numeric=False)
        check_classification_targets(y)
        seen = y
        if sample_weight is not None and len(y) == X.shape[0]:
            # A class whose rows all have the weight 0 is none.
            seen = y[_inputs.weights(sample_weight, X) > 0.0]
        self.classes_ = np.unique(seen)
        count = len(self.classes_)
        if count < 2:
            raise ValueError(f"PassClassifier needs two classes or more, but y has only one class: {self.classes_.tolist()[0]!r}")
        family = self.family or ("binomial" if count == 2 else "multinomial")
        if family == "binomial" and count > 2:
            raise ValueError(f"Only binary classification is supported by the family binomial, but y has {count} classes")
        self._levels = [level_text(own) for own in self.classes_.tolist()]
        more: dict[str, Any] = {"family": family}
        if family == "binomial":
            more["success"] = self._levels[1]
        elif family == "ordinal" and "levels" not in (self.options or {}):
            more["levels"] = order or self._levels
            if order is None and self.classes_.dtype.kind in "OUS":
                warnings.warn(
                    f"the classes are taken to ascend as {', '.join(self._levels)}: give an ordered categorical as y, or "
                    "options={'levels': [...]} from the lowest to the highest",
                    PasselWarning,
                    stacklevel=2,
                )
        # Rows of a class without weight go out by their weight.
        codes = np.minimum(np.searchsorted(self.classes_, y), count - 1)
        self._fit_model(X, np.asarray(self._levels)[codes], sample_weight, groups, offset, **more)
        # Rows that miss a value may have been all of a class.
        fitted = {own["level"] for own in self.result_.family.get("levels") or ()} or set(self._levels)
        self.classes_ = self.classes_[[text in fitted for text in self._levels]]
        self._levels = [text for text in self._levels if text in fitted]
        return self

    def predict_proba(self, X: Any, offset: Any = None) -> np.ndarray[Any, Any]:
        """Probabilities of shape (n, n_classes), in the order of ``classes_``: those of :func:`passel.predict`."""
        own = self._predicted(X, offset)
        if len(self.classes_) == 2 and "fit" in own:
            return _complete(np.column_stack([1.0 - own.fit, own.fit]))
        return _complete(np.column_stack([own[f"p[{text}]"] for text in self._levels]))

    def predict_log_proba(self, X: Any, offset: Any = None) -> np.ndarray[Any, Any]:
        """Logarithms of :meth:`predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X, offset)))

    def decision_function(self, X: Any, offset: Any = None) -> np.ndarray[Any, Any]:
        """Linear predictors: of two classes that of the second, of shape (n,), else of shape (n, n_classes), 0 of the baseline.

        Of ordinal models, which have one linear predictor for all classes, and of links by which 0 is no probability of one half,
        logarithms of probabilities, of two classes of their ratio.
        """
        check_is_fitted(self)
        if self.result_.family["name"] == "ordinal" or self.result_.family["link"] not in ("logit", "probit", "cauchit"):
            shares = self.predict_log_proba(X, offset)
            return shares if len(self.classes_) > 2 else np.asarray(shares[:, 1] - shares[:, 0])
        own = self._predicted(X, offset, scale="link")
        if "fit" in own:
            return _complete(own.fit)
        nothing = np.zeros(own.n)
        predictors = _complete(np.column_stack([own.get(f"predictor[{text}]", nothing) for text in self._levels]))
        return predictors if len(self.classes_) > 2 else np.asarray(predictors[:, 1] - predictors[:, 0])

    def predict(self, X: Any, offset: Any = None) -> np.ndarray[Any, Any]:
        """The most probable class of each row, of shape (n,)."""
        shares = self.predict_proba(X, offset)
        return np.asarray(self.classes_[shares.argmax(axis=1)])

    def score(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> float:
        """The share of rows whose class is predicted."""
        from sklearn.metrics import accuracy_score

        return float(accuracy_score(y, self.predict(X, offset), sample_weight=sample_weight))

    def _rows(self) -> dict[str | None, int]:
        """The row of ``coef_`` of each level."""
        return {None: 0} if len(self.classes_) == 2 else {text: at for at, text in enumerate(self._levels)}

    @property
    def coef_(self) -> np.ndarray[Any, Any]:
        """Coefficients of all columns."""
        check_is_fitted(self)
        if not self._plain() or self.result_.family["name"] == "ordinal":
            raise AttributeError("coef_ is of columns of numbers and no ordinal model: see result_.coefficients")
        rows = self._rows()
        coefficients = np.zeros((len(rows), len(self._columns)))
        for own in self.result_.selected:
            row = rows[own.get("class") if len(rows) > 1 else None]
            coefficients[row, self._indexes([own["column"]])] = own["coefficient"]
        return coefficients

    @property
    def intercept_(self) -> np.ndarray[Any, Any]:
        """Intercepts."""
        check_is_fitted(self)
        fields, rows = self.result_.to_dict(), self._rows()
        if fields["family"]["name"] == "ordinal":
            raise AttributeError("an ordinal model has thresholds: see result_.constants")
        own = np.zeros(len(rows))
        constants = fields.get("constants") or ()
        if len(rows) == 1:
            # A multinomial model of two classes has its one intercept among the constants.
            constant = fields["intercept"] or next(iter(constants), None)
            own[0] = 0.0 if constant is None else constant["coefficient"]
            return own
        for constant in constants:
            own[rows[constant["name"].removeprefix("(intercept) [").removesuffix("]")]] = constant["coefficient"]
        return own


def _complete(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Values of each row, none of which is missing."""
    lacking = np.isnan(values).any(axis=tuple(range(1, values.ndim)))
    if lacking.any():
        row = int(np.flatnonzero(lacking)[0])
        raise ValueError(f"row {row} of X misses a variable of the model, so there is no class to predict")
    return values
