# %% [markdown]
# # A first selection
#
# Efron and others followed 442 people with diabetes for a year. Which of ten measurements tell how far the disease went on?

# %%
from pathlib import Path

import pandas as pd

import passel

# The data that ship with passel, from wherever in its repository this runs.
DATA = next(own for folder in [Path.cwd(), *Path.cwd().parents] if (own := folder / "examples/data").is_dir())
diabetes = pd.read_csv(DATA / "diabetes.csv")
result = passel.select("y ~ .", diabetes)
result

# %% [markdown]
# The best of all 1,024 models was found, and that it is the best was proved: `optimum global`. Names, coefficients and
# everything else that the program reports are attributes.

# %%
print(result.names)
print(f"R² {result.r_squared:.3f}, criterion {result.criterion['value']:.2f}, certified: {result.certified}")
result.coefficients

# %% [markdown]
# How sure is the choice? Models that are nearly as good, by their weights; and how low the criterion goes at each size.

# %%
result.best_models.head()

# %%
result.plot.path()

# %% [markdown]
# Coefficients of one standard deviation of their variables can be compared. Intervals take the model as given.

# %%
result.plot.coefficients()

# %% [markdown]
# Residuals say whether least squares fit: here the variance grows with the fitted value.

# %%
result.plot.residuals()

# %% [markdown]
# A result predicts, and writes the page that the program writes.

# %%
predicted = result.predict(diabetes.head(), interval="observation")
predicted.to_frame()
