"""The options of passel's functions with their types, made from the engine's list of options.

A test writes this file (``PASSEL_BLESS=1 pytest tests/test_option_types.py``) and fails where it is out of date.
``None`` stands for the default.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Literal, TypedDict

from passel._shared_options import Choosing, Column, File, Function, Joining, Procedure, Reading, Work


class SelectOptions(Reading, Joining, Work, Choosing, total=False):
    """The options of :func:`passel.select`."""

    n_jobs: int | None
    """As ``threads``, by the name that scikit-learn gives it; -1: one per core."""


class PairsOptions(Reading, Work, total=False):
    """The options of :func:`passel.pairs`."""

    n_jobs: int | None
    """As ``threads``, by the name that scikit-learn gives it; -1: one per core."""
    score: str | Function | None
    """The score of a pair. Default: mi3. Values: a name; `passel methods` lists them."""
    partners: bool | None
    """Also report the best-scoring partner of every variable, whatever top and threshold. Default: false."""
    matrix: File | None
    """Write the scores of all pairs to this file, p × p, with each variable's score with itself on the diagonal. Default:
    none. Values: a .npy file."""


class StabilityOptions(Reading, Joining, Work, Choosing, Procedure, total=False):
    """The options of :func:`passel.stability`."""

    n_jobs: int | None
    """As ``threads``, by the name that scikit-learn gives it; -1: one per core."""
    resamples: int | None
    """Number of resamples of the rows; B complementary pairs make 2B selections. Default: 100. Values: 2 … 100000."""
    resampling: Literal["complementary", "subsample", "bootstrap"] | None
    """How rows are drawn: in complementary pairs of halves that share no row (Shah and Samworth), in subsamples without
    replacement (Meinshausen and Bühlmann), or in bootstrap samples with replacement, for which the bounds are only a guide.
    Default: complementary. Values: complementary, subsample or bootstrap."""
    fraction: float | None
    """For resampling = subsample: the fraction of the rows in each subsample. Default: 0.5. Values: above 0, below 1."""
    false_picks: float | None
    """The expected number of false picks to allow: the cut-off is the smallest above one half that keeps to it. Default: 1.
    Values: a number above 0."""
    cutoff: float | None
    """Select what is chosen in at least this fraction of the resamples; the bounds for it are reported. Default: from
    false-picks. Values: above 0, at most 1."""


class ValidateOptions(Reading, Joining, Work, Choosing, Procedure, total=False):
    """The options of :func:`passel.validate`."""

    n_jobs: int | None
    """As ``threads``, by the name that scikit-learn gives it; -1: one per core."""
    scheme: str | None
    """How rows are split into those that a model is selected on and those that it is judged on: cross-validation, each class
    of a response in all folds alike; each row by itself; blocks in the order of the rows or of by, each judged by the model
    of those before it; a share drawn at random; the rows that the column by marks with a number that is not 0; or bootstrap
    samples, with the estimator .632+. Default: folds:k=10,repeats=1. Values: folds:k=K,repeats=R; leave-one-out;
    time:blocks=B; holdout:share=S,repeats=R; marked; or bootstrap:resamples=B; without parameters k=10, repeats=1, blocks=5,
    share=0.2, resamples=100."""
    by: Column | None
    """Let rows of one value of this column stay together on one side of each split; of the scheme time the column of the
    times, of marked that of the marks. Default: none. Values: a column without missing values, which then is no candidate."""
    then: str | None
    """For selectors, which make no model: what predicts from the variables that they chose; least squares, logistic
    regression of two levels or more, or the mean or share among the K nearest rows. The error by size is that of the first 1,
    2, … up to top variables. Default: none. Values: ols; logistic; or knn:k=K, without it k=5."""


class PredictOptions(Reading, Joining, total=False):
    """The options of :func:`passel.predict`."""

    scale: Literal["response", "link"] | None
    """The scale of predictions: that of the response, as means, rates, probabilities and hazards relative to that at the
    variables' means; or link, that of the linear predictor. Default: response. Values: response or link."""
    interval: Literal["none", "mean", "observation", "both"] | None
    """Standard errors, and confidence intervals of means (of all families but ordinal and multinomial), or intervals of new
    observations (of gaussian, poisson, negative-binomial and gamma), or both. An offset of the fit is added, so its column
    must be there; weights matter to intervals of new observations alone. Default: none. Values: none, mean, observation or
    both."""
    level: float | None
    """Level of the intervals. Default: 0.95. Values: above 0, below 1."""
    times: str | Sequence[float] | None
    """Of the family cox: the probability to have had no event until each of these times. Default: none. Values: numbers
    separated by commas, 0 or more and each once."""
    average: bool | None
    """Predict by the models of the report (models), on average by their weights, in place of the selected one alone. Default:
    false."""
    unknown_levels: Literal["refuse", "missing"] | None
    """What to do with a level that no observation of the fit had: refuse the data, or leave its rows without a prediction, as
    those that miss a value. Default: refuse. Values: refuse or missing."""


class SimulateOptions(TypedDict, total=False):
    """The options of :func:`passel.simulate`."""

    n: int | None
    """Number of observations. Default: ing-lai 400, chen-chen 200, hung 200, ar1 500, genotypes 1000. Values: 3 …
    1000000000."""
    p: int | None
    """Number of variables. Default: ing-lai 4000, chen-chen 50, ar1 2000, genotypes 10000. Values: 1 … 1000000000."""
    r: int | None
    """Number of true variables. Default: ing-lai 10, chen-chen 8, ar1 20, genotypes 10. Values: 1 … p; for ar1 even and at
    most p/2."""
    correlation: Literal["independent", "constant", "ar"] | None
    """Correlation of the columns: none, ρ between any two, or ρ^|i − j|. Default: chen-chen ar. Values: independent, constant
    or ar."""
    rho: float | None
    """ρ, the correlation of two columns; of genotypes that of neighbouring alleles of a haplotype. Default: chen-chen 0.2,
    ar1 0.9, genotypes 0.9. Values: above -1 and below 1; at least 0 for constant correlation and for genotypes."""
    block: int | None
    """Variants of a block of linkage disequilibrium, which are correlated with one another and with no others. Default:
    genotypes 20. Values: 1 … 1000."""
    snps: int | None
    """Number of SNPs; with their products there are Q(Q + 1)/2 variables. Default: hung 49. Values: 22 … 4000."""
    maf: str | Sequence[float] | None
    """Least and largest frequency of the counted allele. Default: genotypes 0.05,0.5. Values: two numbers above 0 and at most
    0.5, the first not above the second."""
    missing: float | None
    """Probability that a genotype is missing. Default: genotypes 0. Values: at least 0 and below 1."""
    heritability: float | None
    """h² = var(Xβ)/(var(Xβ) + var(ε)), exact in the sample. Of another family than gaussian Xβ is the linear predictor, and
    var(ε) is π²/3 of binomial, as of logistic noise, 1 of others. Default: genotypes 0.5. Values: above 0 and below 1; at
    most 0.8 for counts and positive numbers."""
    snr: float | str | None
    """Signal-to-noise ratio var(Xβ)/var(ε), exact in the sample; none: noise N(0, 1). Of another family than gaussian the
    variance of the linear predictor. Default: ing-lai none, chen-chen none, hung none, ar1 2. Values: 1e-9 … 1e15, or
    none."""
    family: Literal["gaussian", "binomial", "poisson", "negative-binomial", "gamma"] | None
    """The distribution of the response; of another than gaussian the linear predictor is Xβ about its mean, at the variance
    snr (none: 4 of binomial, 0.5 of others) or that of the heritability, the link is its first, and the mean of counts and
    positive numbers is 3 in the middle. Default: gaussian. Values: gaussian, binomial, poisson, negative-binomial or
    gamma."""
    seed: int | None
    """Seed of all random numbers. Default: 1. Values: 0 … 18446744073709551615."""
    timeout: float | str | timedelta | None
    """It fails after this time, with exit code 1, and leaves no file. Values: seconds, or 500ms, 10m, 1h30m; above 0, at most
    366d."""
