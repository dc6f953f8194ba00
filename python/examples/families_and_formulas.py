# %% [markdown]
# # Families and formulas
#
# A response may be a yes or no (counts, levels and survival times have a page of their own), and candidates may be the terms of a formula.

# %%
from pathlib import Path

import pandas as pd

import passel

# The data that ship with passel, from wherever in its repository this runs.
DATA = next(own for folder in [Path.cwd(), *Path.cwd().parents] if (own := folder / "examples/data").is_dir())
cancer = pd.read_csv(DATA / "breast_cancer.csv.gz")
means = cancer[[f"f{at}" for at in range(10)] + ["class"]]

# %% [markdown]
# Ten measurements of tumours, and whether each is benign. The family `binomial` fits by maximum likelihood, as `glm` does.

# %%
benign = passel.select(means, response="class", family="binomial", criterion="bic")
benign

# %%
benign.plot.coefficients(ratio=True)

# %%
benign.plot.calibration()

# %% [markdown]
# ## Terms of a formula
#
# A term is in a model with all its columns or not at all, and an interaction only with the terms that are part of it.

# %%
diabetes = pd.read_csv(DATA / "diabetes.csv").astype({"sex": "category"})
curved = passel.select("y ~ (bmi + bp + s5 + sex)^2 + poly(age, 2)", diabetes, criterion="bic")
curved.term_tests

# %%
curved.coefficients

# %% [markdown]
# ## Robust standard errors
#
# Options have the names that the command line has, with `_` for `-`: White's standard errors are `covariance="hc3"`.

# %%
robust = passel.select("y ~ .", diabetes, criterion="bic", covariance="hc3")
robust.coefficients[["coefficient", "std_error", "p_value"]]
