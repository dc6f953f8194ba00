# %% [markdown]
# # Data of other packages
#
# Data frames, arrays, sparse matrices and files go in as they are, and the same data give the same selection.

# %%
from pathlib import Path

import numpy as np
import pandas as pd

import passel

# The data that ship with passel, from wherever in its repository this runs.
DATA = next(own for folder in [Path.cwd(), *Path.cwd().parents] if (own := folder / "examples/data").is_dir())
path = DATA / "diabetes.csv"
frame = pd.read_csv(path)
forms = {
    "a file": path,
    "pandas": frame,
    "a dictionary of arrays": {name: frame[name].to_numpy() for name in frame},
    "a structured array": frame.to_records(index=False),
}
pd.Series({form: ", ".join(passel.select(data, response="y").names) for form, data in forms.items()})

# %% [markdown]
# ## Factors
#
# Categories and texts are factors: a term of several columns, which enters and leaves a model as one. The first level is the
# reference.

# %%
frame["age group"] = pd.cut(frame["age"], [0, 35, 50, 65, 100], labels=["-35", "36-50", "51-65", "66-"])
frame["sex"] = frame["sex"].replace({1: "one", 2: "two"})
result = passel.select(frame.drop(columns="age"), response="y", criterion="aic", keep=["age group"])
result.coefficients

# %%
result.term_tests

# %% [markdown]
# ## Missing values
#
# They are refused until one says what is to be done about them.

# %%
holes = frame.copy()
holes.loc[::20, "bmi"] = np.nan
try:
    passel.select(holes, response="y")
except passel.DataError as error:
    print(error)

# %%
whole = passel.select(holes, response="y", missing="drop-rows")
print(whole.names, whole.n, "of", len(holes), "rows")

# %% [markdown]
# ## Weights, offsets and responses beside the data
#
# An option that names a column takes an array too.

# %%
weights = np.where(frame["age"] > 60, 2.0, 1.0)
passel.select(frame.drop(columns="y"), response=frame["y"], weights=weights, criterion="bic").names

# %% [markdown]
# ## Arrays and sparse matrices
#
# Their columns are `x0`, `x1`, … The engine has one matrix of the candidates, and a copy that would be needed beside it is
# told by the logger `passel.data`, or refused by `copy=False`.

# %%
from scipy import sparse

cancer = pd.read_csv(DATA / "breast_cancer.csv.gz")
y = cancer.pop("class")
codes = sparse.csc_matrix(cancer.to_numpy())
dense, thin = (passel.select(own, response=y, method="mrmr", top=5) for own in (cancer.to_numpy(), codes))
assert dense.names == thin.names
thin.scores
