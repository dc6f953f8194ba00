# %% [markdown]
# # Counts, levels and survival times
#
# Three responses that least squares does not suit, on data that statsmodels brings along.

# %%
import pandas as pd
from statsmodels.datasets import anes96, heart, randhie

import passel

# %% [markdown]
# ## Counts
#
# How often people saw a doctor in a year, in the RAND health insurance experiment: by their insurance, income, age and health.

# %%
visits = pd.DataFrame(randhie.load_pandas().data).sample(1500, random_state=1)
poisson = passel.select(visits, response="mdvis", family="poisson", criterion="bic")
spread = passel.select(visits, response="mdvis", family="negative-binomial", criterion="bic")
spread.coefficients[["coefficient", "std_error", "ratio", "ratio_lower", "ratio_upper"]]

# %% [markdown]
# Counts vary by more than their mean, so Poisson's standard errors are too small, and it keeps more variables. What
# tells the families apart is how well they predict rows that they have not seen, by the log loss:

# %%
judged = passel.validate(visits, response="mdvis", family=["poisson", "negative-binomial"], criterion="bic", scheme="folds:k=5", seed=1)
judged.errors.query("measure == 'log_loss'")

# %%
poisson.names, spread.names

# %% [markdown]
# ## Levels in an order
#
# Party identification of 944 voters in 1996, from strongly Democratic, 0, to strongly Republican, 6, by age, education, income, the
# news that they watched, and where they placed themselves and the candidates between left and right.

# %%
voters = pd.DataFrame(anes96.load_pandas().data).drop(columns=["vote", "popul"])
party = passel.select(voters, response="PID", family="ordinal", criterion="bic")
party.coefficients

# %% [markdown]
# Each row that is predicted has a level, and a probability of every level:

# %%
party.predict(voters.head(3)).to_frame().round(3)

# %% [markdown]
# ## Survival times
#
# The Stanford heart transplants: days until death, or until the study ended, by age. A formula lets the hazard bend.

# %%
transplants = pd.DataFrame(heart.load_pandas().data).rename(columns={"censors": "died"})
cox = passel.select("survival ~ age + I(age^2)", transplants, family="cox", event="died", criterion="bic")
cox.coefficients[["coefficient", "std_error", "p_value", "ratio", "ratio_lower", "ratio_upper"]]

# %% [markdown]
# A prediction for two patients, relative to one of mean age:

# %%
cox.predict({"age": [30.0, 55.0]}).to_frame()

# %%
cox.plot.coefficients(ratio=True)
