"""Regression by the model that a criterion chooses."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_is_fitted

from passel.estimators._model import ModelEstimator

#: Families whose predictions are no mean of a number.
_NOT_HERE = {
    "multinomial": "PassClassifier",
    "ordinal": "PassClassifier",
    "cox": "passel.select",
}


class PassRegressor(RegressorMixin, ModelEstimator):
    """A regression whose variables are chosen by an information criterion, searched by particle swarm stepwise.

    Parameters are options of :func:`passel.select` by the same names; None is the engine's default.

    Parameters
    ----------
    criterion : str
        The criterion that compares models, with its parameters: "aic", "bic", "ebic:gamma=0.5", "cv"; by default "ebic-monotone".
    family : str
        "gaussian" (default), "poisson", "negative-binomial", "gamma" or a plugin's; "binomial" of shares, with the option trials.
    link : str
        The link of the family, if it is not the usual one.
    max_size : int
        The size of the largest model, in variables.
    keep : sequence of column names or indexes
        Variables that are in every model.
    particles, iterations : int
        The size of the swarm, and how often it moves.
    missing : str
        What is done about missing values. By default they are refused; "mean" takes the mean of the variable, "drop-rows" leaves
        rows out of the fit, and then predicts NaN for rows that miss a variable of the model.
    weighting : str
        What ``sample_weight`` means. "counts" (default) is scikit-learn's meaning: a row of weight 2 stands for two rows, one of
        weight 0 for none, so that a criterion sees as many observations as there are; weights are then whole numbers.
        "precision" is the engine's ``weights``, of any size, which multiply the terms of the log-likelihood (weighted least
        squares) while each row with a weight above 0 is one observation.
    random_state : int, RandomState
        The seed of the search. None is the engine's default, 1, so that a fit can be repeated either way.
    device : str
        "auto" (default), "cpu", "cuda" or "cuda:0,2". The selection does not depend on it.
    n_jobs : int
        Threads; None or -1 is one for each core. The selection does not depend on it.
    memory_limit : int, str
        The most memory of a fit, in bytes or as in "8GiB".
    time_limit : float, str
        When the search ends with the best until then, in seconds or as in "10m".
    options : dict
        Any other options of :func:`passel.select`, such as {"prove": True}: see ``passel.options("select")``.

    Attributes
    ----------
    result_ : passel.Selection
        The engine's result: ``summary()``, ``coefficients``, ``report("x.html")`` and all that the program reports.
    support_ : array of shape (n_features_in_,)
        Whether the model has the column.
    coef_ : array of shape (n_features_in_,)
        Coefficients, 0 of columns that were not chosen. Not there where a term is no column of numbers, as a factor is.
    intercept_ : float
        The intercept; 0 with the option no_intercept.
    n_iter_ : int
        Iterations of the swarm.
    n_features_in_, feature_names_in_
        As of any estimator.

    Notes
    -----
    Data frames of pandas, Polars or Arrow go to the engine as they are: names, categories as factors, and missing values, of
    which the engine says where they are. Arrays are validated as scikit-learn does, and their columns are called x0, x1, …

    If no variable is worth its penalty, the model is that of the mean. A column that is the response itself, up to scale, is
    refused by the engine as a mistake. Here a warning says so, and the model of that column is found: the column is moved by
    some 10⁻¹⁰ of its values, so that the fit is exact to as many digits. A response that is constant, and a table of which
    all columns are constant, are refused, since there is nothing to explain or to choose from.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from passel import PassRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = PassRegressor(criterion="bic").fit(X, y)
    >>> list(model.feature_names_in_[model.support_])
    ['sex', 'bmi', 'bp', 's3', 's5']
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self.family == "gamma"
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, offset: Any = None) -> PassRegressor:
        """Chooses and fits a model.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n, p)
        y : array of shape (n,)
        sample_weight : array of shape (n,)
            Counts or precisions, as ``weighting`` says.
        groups : array of shape (n,)
            Rows of one group may depend on one another: standard errors are by clusters, and the criterion "cv" leaves a group
            in one fold.
        offset : array of shape (n,)
            Added to the linear predictor with the coefficient 1: the logarithm of an exposure, say.

        Raises
        ------
        passel.DataError, passel.OptionError
            Both a ValueError: data or options that the engine refuses, with what is wrong.
        """
        if self.family in _NOT_HERE:
            raise ValueError(f"the family {self.family} is no regression of a number: use {_NOT_HERE[self.family]}")
        X = self._checked(X, reset=True)
        self._fit_model(X, self._target(y, numeric=True), sample_weight, groups, offset)
        return self

    def predict(self, X: Any, offset: Any = None) -> np.ndarray[Any, Any]:
        """Means of the rows of X, of shape (n,): those of :func:`passel.predict`."""
        return self._predicted(X, offset).fit

    def score(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> float:
        """R² of the predictions, as of scikit-learn's regressors."""
        return float(r2_score(y, self.predict(X, offset), sample_weight=sample_weight))

    @property
    def coef_(self) -> np.ndarray[Any, Any]:
        """Coefficients of all columns."""
        check_is_fitted(self)
        if not self._plain():
            raise AttributeError("coef_ is of columns of numbers, but the model has other terms: see result_.coefficients")
        coefficients = np.zeros(len(self._columns))
        selected = self.result_.selected
        coefficients[self._indexes([own["column"] for own in selected])] = [own["coefficient"] for own in selected]
        return coefficients

    @property
    def intercept_(self) -> float:
        """The intercept."""
        check_is_fitted(self)
        intercept = self.result_.intercept
        return 0.0 if intercept is None else float(intercept["coefficient"])
