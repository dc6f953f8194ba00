# %% [markdown]
# # Pipelines and grid searches
#
# The estimators are scikit-learn's: they go into pipelines, are cloned, tuned and cross-validated as any other.

# %%
from pathlib import Path

import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from passel import InformationSelector, PassClassifier, PassRegressor, PassSelector

# The data that ship with passel, from wherever in its repository this runs.
DATA = next(own for folder in [Path.cwd(), *Path.cwd().parents] if (own := folder / "examples/data").is_dir())
diabetes = pd.read_csv(DATA / "diabetes.csv")
X, y = diabetes.drop(columns="y"), diabetes["y"]
model = PassRegressor(criterion="bic").fit(X, y)
pd.Series(model.coef_, model.feature_names_in_)

# %% [markdown]
# `result_` is all that the engine reports.

# %%
model.result_

# %% [markdown]
# ## Tuning
#
# Which criterion, and over which terms? A grid search refits the whole procedure in every fold, the selection included, so that
# its error is not that of a model which saw the rows.

# %%
pipeline = make_pipeline(StandardScaler(), PolynomialFeatures(include_bias=False), StandardScaler(), PassRegressor(iterations=5))
grid = {"polynomialfeatures__degree": [1, 2], "passregressor__criterion": ["bic", "ebic"]}
search = GridSearchCV(pipeline, grid, scoring="neg_root_mean_squared_error", cv=3).fit(X, y)
columns = [f"param_{name}" for name in grid]
pd.DataFrame(search.cv_results_).sort_values("rank_test_score")[[*columns, "mean_test_score", "std_test_score"]]

# %% [markdown]
# ## Selection before another model
#
# A selector of columns stands before whatever fits. `set_output` keeps the names of data frames.

# %%
cancer = pd.read_csv(DATA / "breast_cancer.csv.gz")
X, y = cancer.drop(columns="class"), cancer["class"]
PassSelector(family="binomial", criterion="ebic", iterations=5).set_output(transform="pandas").fit_transform(X, y).head()

# %%
models = {
    "all 30 columns": make_pipeline(StandardScaler(), LogisticRegression()),
    "5 columns by JMI": make_pipeline(InformationSelector("jmi", top=5), StandardScaler(), LogisticRegression()),
    "by EBIC": PassClassifier(criterion="ebic", max_size=4, iterations=5),
}
pd.Series({name: cross_val_score(own, X, y, cv=3).mean() for name, own in models.items()}, name="accuracy").round(3)
