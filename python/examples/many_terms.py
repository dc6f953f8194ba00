# %% [markdown]
# # Many terms, and models that are nearly as good
#
# The quadratic model of the diabetes data has 64 terms: ten measurements, their squares and their products. The least angle
# regression paper chose among them. There are 2⁶⁴ models, so the search is a swarm whose end is certified.

# %%
from pathlib import Path

import numpy as np
import pandas as pd

import passel

# The data that ship with passel, from wherever in its repository this runs.
DATA = next(own for folder in [Path.cwd(), *Path.cwd().parents] if (own := folder / "examples/data").is_dir())
quadratic = pd.read_csv(DATA / "diabetes_quadratic.csv.gz")
result = passel.select(quadratic, response="y", criterion=["bic", "ebic", "aic"])
{criterion: (len(own), own.certified) for criterion, own in result.by_criterion.items()}

# %% [markdown]
# A criterion decides on the size, and each size has its best model:

# %%
result.plot.path()

# %% [markdown]
# ## Nearly as good
#
# Models within a few units of the best one are nearly as good, and what they share is surer than what they do not.

# %%
result.best_models[["delta", "weight"]].head()

# %%
result.plot.inclusion(most=15)

# %% [markdown]
# What might stand in the place of a chosen variable, where columns are correlated:

# %%
result.plot.credible_sets()

# %% [markdown]
# ## Averages
#
# The models met predict together, each by its weight: less is staked on one choice.

# %%
best = result.by_criterion["bic"]
alone = best.predict(quadratic).fit
together = best.predict(quadratic, average=True).fit
print(f"correlation of the two predictions: {np.corrcoef(alone, together)[0, 1]:.4f}")
