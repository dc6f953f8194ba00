# %% [markdown]
# # From genotypes to a page
#
# PLINK files go in as they are, the response is the phenotype of the `.fam`, and a page comes out. The cohort was simulated: of
# 200 variants two, `snp46` and `snp162`, make the disease together, and neither does alone.

# %%
import tempfile
from pathlib import Path

import passel

# The data that ship with passel, from wherever in its repository this runs.
DATA = next(own for folder in [Path.cwd(), *Path.cwd().parents] if (own := folder / "examples/data").is_dir())
cohort = DATA / "epistasis.bed"

# %% [markdown]
# ## One variant at a time
#
# A logistic regression on the copies of each allele finds nothing that is worth its penalty. Genotypes that are missing take the
# mean of their variant.

# %%
alone = passel.select(cohort, family="binomial", success=2)
alone

# %%
alone.names

# %% [markdown]
# ## Two at a time
#
# What do two variants say about the disease that neither says alone? All 19,900 pairs are scored, over the people who have both
# genotypes.

# %%
pairs = passel.pairs(cohort, score="synergy", missing="pairwise", top=20)
pairs.best_pairs.head()

# %% [markdown]
# How strong is that? One pair stands out of 19,900.

# %%
pairs.plot.heatmap()

# %% [markdown]
# ## A model of both
#
# The pair goes into a regression: with its product, and then with a level for each genotype.

# %%
variants = list(pairs.best_pairs.reset_index().loc[0, ["a", "b"]])
formula = f"~ factor({variants[0]}) * factor({variants[1]})"
both = passel.select(cohort, formula=formula, family="binomial", success=2, missing="drop-rows")
both

# %%
both.plot.roc()

# %% [markdown]
# ## The page
#
# It is the program's: one file with figures that needs nothing else.

# %%
with tempfile.TemporaryDirectory() as folder:
    page = Path(folder) / "pairs.html"
    pairs.report(page)
    print(f"{page.stat().st_size / 1000:.0f} kB, begins with {page.read_text(encoding='utf-8')[:15]}")
