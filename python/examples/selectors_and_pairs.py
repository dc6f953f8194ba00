# %% [markdown]
# # Selectors, pairs and stability
#
# Selectors of information theory rank variables by what they tell of the response, whatever the form of the dependence.

# %%
from pathlib import Path

import passel

# The data that ship with passel, from wherever in its repository this runs.
DATA = next(own for folder in [Path.cwd(), *Path.cwd().parents] if (own := folder / "examples/data").is_dir())
cancer = DATA / "breast_cancer.csv.gz"
ranking = passel.select(cancer, response="class", method="jmi", top=8)
ranking

# %%
ranking.plot.scores()

# %% [markdown]
# ## Pairs
#
# Two variants of a gene may matter together and neither alone. Of the 19,900 pairs of these 200 variants one was made so:
# `snp46` and `snp162`.

# %%
pairs = passel.pairs(DATA / "epistasis.bed", missing="pairwise", top=20)
pairs.best_pairs.head()

# %%
pairs.plot.heatmap()

# %% [markdown]
# ## Stability
#
# Which variables would another sample have given too? The cut-off keeps the expected number of false picks at one.

# %%
stable = passel.stability(cancer, response="class", method="jmi", top=5, resamples=25)
stable.names

# %%
stable.plot.frequencies()
