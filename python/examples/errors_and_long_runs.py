# %% [markdown]
# # What goes wrong, and what takes long
#
# Mistakes are told with the facts, and a run that is ended keeps what it has found.

# %%
import pickle
from pathlib import Path

import numpy as np
import pandas as pd

import passel

# The data that ship with passel, from wherever in its repository this runs.
DATA = next(own for folder in [Path.cwd(), *Path.cwd().parents] if (own := folder / "examples/data").is_dir())
diabetes = pd.read_csv(DATA / "diabetes.csv")

# %% [markdown]
# All options that are wrong are told at once:

# %%
try:
    passel.select(diabetes, response="why", criterion="bicc", level=95)
except passel.OptionError as error:
    print(error)

# %% [markdown]
# Missing values are counted, and it is said what can be done:

# %%
with_holes = diabetes.copy()
with_holes.loc[[3, 17], "bmi"] = np.nan
try:
    passel.select(with_holes, response="y")
except passel.DataError as error:
    print(error)

# %%
passel.select(with_holes, response="y", missing="drop-rows").n

# %% [markdown]
# ## Progress
#
# `progress=True` shows a bar. A function is told the same:

# %%
seen: list[tuple[str, int, int | None]] = []
stable = passel.stability(diabetes, response="y", resamples=25, progress=lambda *told: seen.append(told))
print(seen[-1] if seen else "it was done before there was anything to tell")

# %% [markdown]
# ## Limits
#
# `time_limit` ends a run with the best until then; Ctrl-C raises `passel.Interrupted`, whose `result` is the best until then.

# %%
short = passel.stability(diabetes, response="y", resamples=10_000, time_limit=0.5)
print(short.termination, short.resamples, "of", short.wanted)

# %% [markdown]
# A result travels to other processes as a pickle, and to other programs as JSON.

# %%
assert pickle.loads(pickle.dumps(stable)) == stable
stable
