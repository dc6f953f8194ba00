# %% [markdown]
# # Criteria and scores of your own
#
# A criterion is a function of a model's size, a score one of contingency tables. Both are a few lines of Python that the engine
# asks for whole tables at a time.

# %%
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import passel

# The data that ship with passel, from wherever in its repository this runs.
DATA = next(own for folder in [Path.cwd(), *Path.cwd().parents] if (own := folder / "examples/data").is_dir())
terms = pd.read_csv(DATA / "diabetes_quadratic.csv.gz")


# %% [markdown]
# ## A penalty
#
# Benjamini and Gavrilov (2009) penalise the i-th variable by the square of the normal quantile at q·i/(2p): the criterion keeps
# the false discovery rate near q, and is mild once many variables are in. `k` is an array of all sizes, and so is what returns.

# %%
@passel.criterion
def fdr_penalty(p: float, k: Any, *, q: float = 0.05) -> Any:
    """Sum over i up to k of z(q·i/(2p))², by Abramowitz and Stegun's approximation of the quantile (26.2.23)."""
    tail = np.minimum(q * np.arange(1, len(k) + 1) / (2 * p), 0.5)
    t = np.sqrt(-2 * np.log(tail))
    z = t - (2.515517 + 0.802853 * t + 0.010328 * t**2) / (1 + 1.432788 * t + 0.189269 * t**2 + 0.001308 * t**3)
    return np.concatenate([[0.0], np.cumsum(z**2)])[: len(k)]


result = passel.select(terms, response="y", criterion=[fdr_penalty(q=0.1), fdr_penalty, "ebic"], max_size=20, iterations=8)
pd.Series({name: len(own.names) for name, own in result.by_criterion.items()}, name="variables")

# %% [markdown]
# A criterion of Python goes wherever the engine's go: into validation, here beside them on the same splits.

# %%
diabetes = pd.read_csv(DATA / "diabetes.csv")
passel.validate(diabetes, response="y", criterion=[fdr_penalty, "bic", "ebic"], scheme="folds:k=5").errors

# %% [markdown]
# ## A score
#
# A selector needs a number for each candidate and response, given a variable that was chosen before: here how much better than the
# most frequent class one guesses. `counts` has thousands of tables at once: table × candidate × chosen × class.

# %%
@passel.score(gather="minimum")
def guesses(counts: Any) -> Any:
    """How many more observations are guessed if the candidate is known beside the chosen variable."""
    with_both = counts.max(axis=3).sum(axis=(1, 2))
    with_chosen = counts.sum(axis=1).max(axis=2).sum(axis=1)
    return (with_both.astype(float) - with_chosen) / counts.sum(axis=(1, 2, 3))


cancer = pd.read_csv(DATA / "breast_cancer.csv.gz")
ranking = passel.select(cancer, response="class", method=guesses, top=5)
ranking.scores

# %%
passel.pairs(cancer, response="class", score=guesses, top=5).best_pairs
