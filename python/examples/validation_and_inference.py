# %% [markdown]
# # Validation and honest inference
#
# The numbers of a chosen model flatter it, since the same rows chose it. Rows that were held out do not, and neither does
# inference that accounts for the choice.

# %%
from pathlib import Path

import passel

# The data that ship with passel, from wherever in its repository this runs.
DATA = next(own for folder in [Path.cwd(), *Path.cwd().parents] if (own := folder / "examples/data").is_dir())
diabetes = DATA / "diabetes.csv"
validation = passel.validate(diabetes, response="y", scheme="folds:k=10")
validation

# %% [markdown]
# The whole procedure ran on nine tenths of the rows and was judged on the rest, ten times. Two variables are within one
# standard error of the least error:

# %%
validation.plot.errors_by_size()

# %%
validation.plot.observed_predicted()

# %% [markdown]
# ## Which criterion?
#
# Several are compared on the same splits.

# %%
compared = passel.validate(diabetes, response="y", criterion=["aic", "bic", "ebic"])
compared.errors

# %% [markdown]
# ## P-values that account for the choice
#
# Half of the rows choose and the others estimate, fifty times (Meinshausen, Meier and Bühlmann 2009).

# %%
honest = passel.select(diabetes, response="y", infer="split")
honest.honest_inference

# %% [markdown]
# Beside them the p-values that ignore the choice are too small.

# %%
honest.coefficients["p_value"]
