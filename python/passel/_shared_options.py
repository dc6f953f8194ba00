"""The options that several functions of passel have, made from the engine's list of options.

A test writes this file (``PASSEL_BLESS=1 pytest tests/test_option_types.py``) and fails where it is out of date.
``None`` stands for the default.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal, Protocol, TypeAlias, TypedDict

from numpy.typing import ArrayLike


class _Tensor(Protocol):
    def __dlpack__(self, *, stream: Any = None) -> Any: ...


class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


File: TypeAlias = str | os.PathLike[str]
Column: TypeAlias = str | ArrayLike | _Tensor | _ArrowStream
Level: TypeAlias = str | float
Function: TypeAlias = Callable[..., Any]


class Reading(TypedDict, total=False):
    """How data are read."""

    date: str | Sequence[str] | None
    """Read these columns as dates: numbers, the days since 1970-01-01. Values: names separated by commas, in double quotes
    where a name holds one."""
    na: Level | Sequence[Level] | None
    """Values that mean a missing one, besides empty fields, a point alone, NA, N/A, NULL, null, NaN and the errors of
    spreadsheets such as #N/A: -999, say. Values: words or numbers separated by commas, in double quotes where one holds a
    comma."""
    separator: str | None
    """What stands between the columns of delimited text; auto: what makes the first lines equally long. Default: auto.
    Values: auto, one character such as ;, or tab, comma, semicolon, bar or space (any number of spaces)."""
    decimal: str | None
    """What stands before the decimals of numbers in delimited text; auto: a comma where the first lines show that, else a
    point. Default: auto. Values: auto, . or ,."""
    encoding: Literal["auto", "utf-8", "utf-16", "utf-16be", "latin1", "windows-1252"] | None
    """How characters are written in files of text; auto: UTF-8, or UTF-16 where a byte order mark says so; latin1 is
    Windows-1252. Default: auto. Values: auto, utf-8, utf-16, utf-16be, latin1 or windows-1252."""
    no_header: bool | None
    """Delimited text has no line of names; its columns are V1, V2, …. Default: false."""
    keep_people: File | None
    """Use these people alone. Values: a line for each person: FID and IID, or IID."""
    remove: File | None
    """Leave these people out. Values: as of keep-people."""
    plugins: File | Sequence[File] | None
    """Load these libraries too; `passel plugins` lists those that are found automatically. Values: paths separated by commas,
    in double quotes where one holds a comma."""
    timeout: float | str | timedelta | None
    """The job fails after this time, reading and all: the best until then is told beside the error, the checkpoint stays, and
    a run goes on with its other jobs. A time-limit is a wish, and its end a result; a timeout is for what must not happen.
    Default: no limit. Values: seconds, or 500ms, 10m, 1h30m; above 0, at most 366d."""


class Joining(TypedDict, total=False):
    """What is joined to genotypes."""

    merge: File | Sequence[File] | None
    """Read the variants of these files behind those of the data, which may have a file for each chromosome. Values: files of
    genotypes, .bed or .pgen, of the same people in the same order."""
    covariates: File | None
    """Let every model hold these columns; people who miss one are left out. Default: none. Values: a table as of phenotype,
    of which all columns are used, or A,B for NAME."""


class Work(TypedDict, total=False):
    """Data, what ends the work and where it is done."""

    response: Column | Sequence[str] | None
    """The response variable, several of which each one gets a model, or the columns of events and of failures; required
    unless the data format names it; write a name with a comma as '"a, b"'; docs/responses.md. Values: a column, A,B,C for a
    model of each, or EVENTS,FAILURES of the family binomial; a second file for .npy data."""
    factor: str | Sequence[str] | None
    """Treat these columns as factors even if they hold numbers; write a name with a comma as '"a, b"'. Values: names
    separated by commas, in double quotes where a name holds one."""
    drop: str | Sequence[str] | None
    """Leave these columns out; write a name with a comma as '"a, b"'. Values: names separated by commas, in double quotes
    where a name holds one."""
    missing: Literal["auto", "refuse", "drop-rows", "mean", "level", "pairwise"] | None
    """What to do with missing values: refuse the data; drop the observations that have any; in a regression, take the mean of
    the variable's other values, but drop the observations that miss the response, a weight or a variable that every model
    holds (auto does so for genotypes, and refuses others); or, where levels are counted rather than regressed on, make them a
    level of their own, or leave them out of each table that needs them (pairwise). Default: auto. Values: auto, refuse,
    drop-rows, mean, level or pairwise."""
    binning: str | None
    """How variables are turned into the levels that are counted; auto: levels for text and for at most 64 distinct integers
    (more than 10 of a variable only with 5 times as many observations), else equal-width:10; mdlp: cut where the levels of
    the response separate (Fayyad and Irani); edges: as in the JSON report FILE. Default: auto. Values: auto, levels,
    equal-width:BINS or equal-frequency:BINS (2 … 65536), mdlp, or edges:FILE."""
    bin_response: str | None
    """How the response is turned into levels, by the same rules as binning. Default: auto. Values: auto, levels,
    equal-width:BINS or equal-frequency:BINS (2 … 65536), or edges:FILE; not mdlp, which goes by the response's levels."""
    phenotype: File | None
    """Take the response from this table, whose rows are found by the ids of people; those who are not in it, or have no
    value, are left out. Default: the last field of the .fam, or the first phenotype of the .psam. Values: a table with FID
    and IID, or IID, in its first columns and phenotypes in others; with A,B for NAME a model of each."""
    extract: File | None
    """Use these variants alone. Values: a line for each variant, which begins with its id."""
    exclude: File | None
    """Leave these variants out. Values: as of extract."""
    chromosome: str | Sequence[str] | None
    """Use the variants on these chromosomes alone. Values: names as in the .bim or .pvar, with chr before them or without."""
    range: str | None
    """Use the variants in this part of a chromosome alone. Values: CHROMOSOME:FROM-TO, in base pairs."""
    maf: float | None
    """Leave out variants whose rarer allele is less frequent than this among the people who are left. Values: a frequency
    from 0 to 0.5."""
    max_missing: float | None
    """Leave out variants whose genotype is missing for a larger share than this of the people who are left. Values: a share
    from 0 to 1."""
    encode: Literal["additive", "dominant", "recessive", "genotypic"] | None
    """What a genotype counts as: the copies of allele A1 or ALT, or its dosage (additive); whether there is a copy
    (dominant), or whether there are two (recessive), by the genotype; or the copies and whether there is one (genotypic), two
    columns that enter and leave models together. Default: additive. Values: additive, dominant, recessive or genotypic."""
    scratch: str | None
    """Hold genotypes in a temporary file of this folder in the place of memory, which may then be smaller than they are: each
    sweep reads of the disk what memory has not kept. The file has no name, and is gone when the job ends, however it does.
    Values: a folder on a disk with room for the genotypes, at two bits each."""
    top: int | None
    """The number of variables to select, or of pairs to report. Default: 10 variables or 100 pairs; all with threshold or
    stop. Values: a whole number above 0; for selectors at most p."""
    threshold: float | None
    """For selectors and pairs: end before the first score below it. Default: none. Values: a number, in nats if the scores
    are."""
    time_limit: float | str | timedelta | None
    """End the work after this time, not counting what comes before it: the result is the best until then. Of stability it is
    all resamples, of validations all splits, of pairs those that were scored. Default: no limit. Values: seconds, or 500ms,
    10m, 1h30m; above 0, at most 366d."""
    device: str | None
    """Where columns are swept; auto: all GPUs if there are any and they would be done before the CPU, by n × p, the search's
    settings and the number of threads. The selection does not depend on it. Default: auto. Values: auto, cpu, cuda (every
    GPU), or GPUs by number as in cuda:0,2."""
    memory_limit: int | str | None
    """The most memory of a job on the CPU: its table, design matrix, codes, copies and models. Where it is short the CPU does
    without its copies in f32; where that is not enough the job fails. On GPUs: memory for each one's columns, besides models
    and products; columns that do not fit are streamed. Default: what is free. Values: bytes, or with a unit as in 500MB,
    8GiB; 1 up to 2^53."""
    threads: int | None
    """Threads of the CPU; the selection does not depend on it. Default: one per core. Values: 1 … 1024."""
    checkpoint: File | None
    """Save the state of the search, of a selector's permutation tests or of the pairs scored to this file about every 10
    seconds, and continue from it: after an interrupt, a time limit or a crash the same command ends with the same report. The
    file is removed when the work is complete. Cannot be combined with trace, matrix, nor with several criteria. Default:
    none. Values: a file."""


class Choosing(TypedDict, total=False):
    """Models, terms and the search."""

    responses: File | None
    """Select a model of each column of this table; the data then have candidates only. Values: a table of any format, with a
    row for each row of the data in their order."""
    weights: Column | None
    """Weight the observations by this column (weighted least squares); observations of weight 0 are left out. Values: a
    column of numbers, none below 0."""
    offset: Column | None
    """Add this column to the linear predictor of every model, with the coefficient 1: the logarithm of an exposure, say.
    Values: a column of numbers."""
    family: str | Sequence[str] | None
    """The distribution of the response: gaussian, fitted by least squares; binomial, of yes and no or of events of trials;
    poisson and negative-binomial, of counts; gamma, of positive numbers; cox, of survival times; ordinal, of ordered levels;
    multinomial, of levels without order; docs/families.md. Validation compares several, as in poisson,negative-binomial.
    Default: gaussian. Values: gaussian, binomial, poisson, negative-binomial, gamma, cox, ordinal or multinomial; or a
    plugin's, NAME:PARAMETER=NUMBER."""
    link: str | None
    """How the mean of the response depends on the linear predictor. Default: identity of gaussian; logit of binomial, ordinal
    and multinomial; log of the others. Values: logit, probit or cloglog of binomial; log or inverse of gamma; each other
    family has its default alone."""
    trials: Column | None
    """Of the family binomial: the response counts the events of so many trials. Values: a column of whole numbers above 0."""
    success: Level | None
    """Of the families binomial and cox: what counts as an event; the other one of two levels does not. Default: 1, or the
    second of two levels of text. Values: a level or value of the response."""
    levels: Level | Sequence[Level] | None
    """Of the family ordinal: the levels of the response from lowest to highest, needed where they are texts; of multinomial
    the first is the baseline. Default: ascending. Values: all levels of the response; write one with a comma as '"a, b"'."""
    time: Column | None
    """Of the family cox: the survival times, in place of response. Values: a column of numbers from 0 on; with entry of any
    numbers."""
    event: Column | None
    """Of the family cox: whether an observation ended by an event at its time, which is the response. Values: a column of 1,
    an event, and 0, censored; or of two levels, of which success names the event."""
    entry: Column | None
    """Of the family cox: after which time an observation is at risk (late entry, or intervals of one subject). Values: a
    column of times before those of the response."""
    strata: Column | None
    """Of the family cox: observations of different strata have baseline hazards of their own. Values: a column of levels or
    numbers."""
    ties: Literal["efron", "breslow"] | None
    """Of the family cox: how events at equal times share their risk set; efron is R's default. Default: efron. Values: efron
    or breslow."""
    dispersion: float | str | None
    """Of the families binomial and poisson, where responses scatter more than these: quasi-likelihood, whose criteria compare
    −2ℓ over this dispersion (QAIC, QBIC) and whose standard errors have its root; estimate: from the model of all candidates.
    Values: estimate, or a number above 0."""
    firth: bool | None
    """Of the families binomial (link logit) and poisson: estimate the selected model by Firth's penalty, whose coefficients
    are finite also where variables separate events from others; models are compared by their likelihood as without it.
    Default: false."""
    covariance: Literal["model", "hc0", "hc1", "hc2", "hc3"] | None
    """What standard errors, tests and intervals of the selected model rest on: model, its variances; hc0 to hc3, White's
    sandwich estimators, which hold where variances differ (hc3 is the most cautious in small samples). Survival times have
    hc0 of them, the covariance of Lin and Wei; levels have hc0 and hc1. Default: model. Values: model, hc0, hc1, hc2 or
    hc3."""
    cluster: Column | None
    """Observations of the same value may depend on one another (the visits of a person, the pupils of a school): standard
    errors by clusters, of the kind that covariance names (else hc1 of least squares, hc0 of other families), times G / (G −
    1) of G clusters but of survival times. t and F have G − 1 degrees of freedom; tests by z and χ² stay. Values: a column of
    levels or numbers."""
    keep: str | Sequence[str] | None
    """Keep these variables in every model, or these terms of a formula; write a name with a comma as '"a, b"'. Values: names
    separated by commas, in double quotes where a name holds one."""
    reference: str | Sequence[str] | Mapping[str, Level] | None
    """Compare the other levels of a factor with this one, which gets no dummy; with --split another reference level may lead
    to another selection; levels that are all numbers ascend, others stand in bytewise order, categories of data frames in
    their own. Default: each factor's first level. Values: COLUMN=LEVEL, separated by commas, in double quotes where one holds
    a comma."""
    split: bool | None
    """Let each dummy of a factor enter and leave models by itself; otherwise a factor is one term, whose dummies are in a
    model together or not at all. Default: false."""
    no_intercept: bool | None
    """Fit without an intercept. Default: false."""
    criterion: str | Function | Sequence[str | Function] | None
    """The criterion that compares models; smaller is better. Several, as in aic,bic,ebic:gamma=0.5, choose a model each.
    Default: ebic-monotone:gamma=1. Values: a name, then its parameters: NAME:PARAMETER=NUMBER; `passel criteria` lists
    them."""
    p_total: int | None
    """The number of candidates before the file was screened, which the criterion's penalty then takes for p. Values: a whole
    number, at least the number of candidates in the file."""
    max_size: int | None
    """The size of the largest model, in variables. Default: beside the m kept variables p − m where that is at most (n −
    m)/2, else (n − m)/4. Values: 1 … min(p, n − 2)."""
    degree: int | None
    """Without a formula: add the powers of columns of numbers up to this one, each a term I(x^2), I(x^3), …. Default: 1.
    Values: 1 … 9."""
    interactions: int | None
    """Without a formula: add the interactions of up to K columns, as the formula (.)^K does. Default: 1: none; 2 with
    interactions-of. Values: 1 … 9."""
    interactions_of: str | Sequence[str] | None
    """Without a formula: add those interactions only that have one of these columns. Values: names separated by commas, in
    double quotes where a name holds one."""
    group: str | Sequence[str] | Mapping[str, Sequence[str]] | None
    """Without a formula: let these columns be one term, in a model together or not at all; for more terms give it several
    times. Default: each column by itself. Values: NAME=A,B,…, the name of a term and its columns, in double quotes where a
    name holds a comma; * stands for any letters."""
    groups: File | None
    """Without a formula: terms of several columns, as group has them, from a file with a row for each column. Values: a table
    with the columns group and column."""
    hierarchy: Literal["strong", "weak", "none"] | None
    """Whether an interaction may be in a model without the terms that are part of it, as a and b are of a:b, and a power
    without the lower ones; strong: with all of them only, and none of them is dropped while it is there; weak: with at least
    one; none: with or without. Default: strong. Values: strong, weak or none."""
    contrasts: str | Sequence[str] | Mapping[str, Level] | None
    """How the levels of factors are coded; it changes coefficients, not which terms are chosen. Default: treatment. Values:
    treatment, sum, helmert, poly or sas, of all factors, or of one as COLUMN=KIND."""
    stop: str | None
    """For selectors: choose the variable whose score is most deviations above the mean of its own permuted scores, and end
    before one whose excess is reached by the best permuted one in more than A of N permutations; raw: compare scores as they
    are, which favours variables of many levels; without top and threshold nothing else ends the selection. Default: none.
    Values: permutation:n=N,alpha=A with N in 19 … 1000000 and A above 0 and below 1, or permutation:raw,n=N,alpha=A; without
    them n=1000,alpha=0.05."""
    correction: Literal["none", "miller-madow"] | None
    """For selectors: correct entropies for their bias, so that many levels are less of an advantage; miller-madow adds (cells
    with observations − 1) / 2n to each. On the CPU alone. Default: none. Values: none or miller-madow."""
    preset: Literal["default", "paper"] | None
    """The starting values of the search options below; paper: plain PaSS as in Table IV of the paper, with 16 particles, 256
    iterations and no polish. Default: default. Values: default or paper."""
    particles: int | None
    """Number of particles in the swarm. Default: 32. Values: 1 … 65536."""
    iterations: int | None
    """Number of iterations; the random starts are the first. Default: 32. Values: 1 … 1000000000."""
    forward: str | Sequence[float] | None
    """Probabilities that a forward step adds a variable of the best model, the most improving variable, or a random one.
    Default: 0.2,0.6,0.2. Values: three probabilities with sum 1."""
    backward: str | Sequence[float] | None
    """Probabilities that a backward step drops the least costly variable, or a random one. Default: 0.4,0.6. Values: two
    probabilities with sum 1."""
    gain: Literal["correlation", "exact"] | None
    """How the most improving variable is found: by its correlation with the residual, or by the exact fall in RSS. Default:
    correlation. Values: correlation or exact."""
    start_size: int | None
    """Number of random variables that each particle starts with, besides the kept ones. Default: 1. Values: 0 … max-size."""
    no_polish: bool | None
    """End with the best model of the swarm, without improving it to a certified optimum. Default: false."""
    islands: int | None
    """Number of walks of the polish, each from a model of its own. Default: 4. Values: 1 … 1024."""
    prove: bool | None
    """Go on until it is proved that no allowed model has a lower criterion, or the time limit or Ctrl-C ends it; without it
    the proof ends after a bounded amount of work, and resamples of stability selection go without. Default: false."""
    patience: int | None
    """End the swarm after N iterations without a better model. Default: no limit. Values: 1 … 1000000000."""
    seed: int | None
    """Seed of all random numbers: of the search, of permutations (stop), and of methods that draw. Default: 1. Values: 0 …
    18446744073709551615."""
    precision: Literal["f64", "f32", "tf32"] | None
    """Arithmetic that screens candidates on GPUs; f64 decides among them, so the selection does not depend on it. A GPU with
    slow f64 screens in f32 instead of f64. Default: f64. Values: f64, f32 or tf32."""
    over: Literal["auto", "columns", "sweeps", "particles"] | None
    """What the ranks of passel-mpi divide in a search: columns, of which those that join a model are broadcast; or, with the
    whole of X on each rank, the sweeps or the particles; auto: whatever broadcasts fewer columns. The selection does not
    depend on it. Default: auto. Values: auto, columns, sweeps or particles."""
    level: float | None
    """Level of the confidence intervals, and of the credible sets. Default: 0.95. Values: above 0, below 1."""
    intervals: Literal["wald", "profile"] | None
    """What the intervals of coefficients are by: wald, their standard errors; profile, the profile of the likelihood of each,
    as R's confint of a glm, with firth of the penalised one. Of the family gaussian both are Student's t; p-values are Wald's
    either way. Default: wald. Values: wald or profile."""
    adjust: Literal["none", "bonferroni", "holm", "bh"] | None
    """Adjust the p-values of the selected variables, or of terms, for their number, as R's p.adjust: bonferroni and holm keep
    the chance of any false one, bh (Benjamini and Hochberg) the expected share of these. It accounts for the tests that are
    reported and not for the search that chose them. Default: none. Values: none, bonferroni, holm or bh."""
    infer: str | None
    """P-values or intervals that account for the choice of variables. split: half of the rows choose and the others estimate,
    many times, and p-values of all splits make one, adjusted for all variables, with false discovery rates; bootstrap:
    intervals of the whole procedure from resamples. With cluster rows of one stay together; docs/inference.md. Default: none.
    Values: none, split, split:splits=50, bootstrap or bootstrap:resamples=1000, of at least 50."""
    trace: File | None
    """Write every step of every particle to this file, as CSV. Default: none. Values: a file."""


class Procedure(TypedDict, total=False):
    """What selects."""

    method: str | Function | Sequence[str | Function] | None
    """What selects the variables: pass, a search by criterion, or a selector from a plugin. Validation compares several, as
    in pass,jmi. Default: pass. Values: a name, then its parameters: NAME:PARAMETER=VALUE; `passel methods` lists them."""
