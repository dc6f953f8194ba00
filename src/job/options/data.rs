//! Options of the data and of the model.

use super::super::{OptionSpec, Responses, response::dispersion};
use crate::{
    binning::Binning,
    design::{CovarianceEstimator, Hierarchy},
    family::{Distribution, Link, Ties},
    nearest::either,
    table::{DecimalMark, Encoding, GenotypeEncoding, Missing},
};

type TaskOption = OptionSpec;

pub(super) fn data() -> impl Iterator<Item = OptionSpec> {
    TaskOption::group("Data", [
        TaskOption::optional("response NAME", |raw| raw.text(), |draft| &mut draft.job.response)
            .range("a column, A,B,C for a model of each, or EVENTS,FAILURES of the family binomial; a second file for .npy data")
            .help("The response variable, several of which each one gets a model, or the columns of events and of failures; required unless the data format names it; write a name with a comma as '\"a, b\"'; docs/responses.md"),
        TaskOption::optional("responses FILE", |raw| raw.path().map(Responses::File), |draft| &mut draft.job.responses)
            .range("a table of any format, with a row for each row of the data in their order")
            .help("Select a model of each column of this table; the data then have candidates only"),
        TaskOption::optional("weights NAME", |raw| raw.text(), |draft| &mut draft.job.weights)
            .range("a column of numbers, none below 0")
            .help("Weight the observations by this column (weighted least squares); observations of weight 0 are left out"),
        TaskOption::optional("offset NAME", |raw| raw.text(), |draft| &mut draft.job.kind.offset)
            .range("a column of numbers")
            .help("Add this column to the linear predictor of every model, with the coefficient 1: the logarithm of an exposure, say"),
        TaskOption::list("factor A,B", |draft| &mut draft.job.factor)
            .help("Treat these columns as factors even if they hold numbers; write a name with a comma as '\"a, b\"'"),
        TaskOption::list("date A,B", |draft| &mut draft.job.date)
            .help("Read these columns as dates: numbers, the days since 1970-01-01"),
        TaskOption::list("drop C,D", |draft| &mut draft.job.drop)
            .help("Leave these columns out; write a name with a comma as '\"a, b\"'"),
        TaskOption::list("na A,B", |draft| &mut draft.job.na)
            .range("words or numbers separated by commas, in double quotes where one holds a comma")
            .help("Values that mean a missing one, besides empty fields, a point alone, NA, N/A, NULL, null, NaN and the errors of spreadsheets such as #N/A: -999, say"),
        TaskOption::choice("missing HOW", MISSING, |draft| &mut draft.job.missing)
            .help("What to do with missing values: refuse the data; drop the observations that have any; in a regression, take the mean of the variable's other values, but drop the observations that miss the response, a weight or a variable that every model holds (auto does so for genotypes, and refuses others); or, where levels are counted rather than regressed on, make them a level of their own, or leave them out of each table that needs them (pairwise)"),
        TaskOption::value("binning RULE", |raw| raw.binning(), |draft| &mut draft.job.binning)
            .range(Binning::RANGE)
            .help("How variables are turned into the levels that are counted; auto: levels for text and for at most 64 distinct integers (more than 10 of a variable only with 5 times as many observations), else equal-width:10; mdlp: cut where the levels of the response separate (Fayyad and Irani); edges: as in the JSON report FILE"),
        TaskOption::value("bin-response RULE", |raw| raw.bin_response(), |draft| &mut draft.job.bin_response)
            .range(Binning::RESPONSE_RANGE)
            .help("How the response is turned into levels, by the same rules as binning"),
    ])
    .chain(text())
    .chain(genotypes())
}

/// Options of genotypes.
fn genotypes() -> impl Iterator<Item = OptionSpec> {
    TaskOption::group("Genotypes", [
        TaskOption::list("merge A,B", |draft| &mut draft.job.cohort.merge)
            .range("files of genotypes, .bed or .pgen, of the same people in the same order")
            .help("Read the variants of these files behind those of the data, which may have a file for each chromosome"),
        TaskOption::optional("phenotype FILE[:NAME]", |raw| raw.beside_people(), |draft| &mut draft.job.cohort.phenotype)
            .default("the last field of the .fam, or the first phenotype of the .psam")
            .range("a table with FID and IID, or IID, in its first columns and phenotypes in others; with A,B for NAME a model of each")
            .help("Take the response from this table, whose rows are found by the ids of people; those who are not in it, or have no value, are left out"),
        TaskOption::optional("covariates FILE[:NAME]", |raw| raw.beside_people(), |draft| &mut draft.job.cohort.covariates)
            .default("none")
            .range("a table as of phenotype, of which all columns are used, or A,B for NAME")
            .help("Let every model hold these columns; people who miss one are left out"),
        TaskOption::optional("keep-people FILE", |raw| raw.path(), |draft| &mut draft.job.cohort.keep_people)
            .range("a line for each person: FID and IID, or IID")
            .help("Use these people alone"),
        TaskOption::optional("remove FILE", |raw| raw.path(), |draft| &mut draft.job.cohort.remove)
            .range("as of keep-people")
            .help("Leave these people out"),
        TaskOption::optional("extract FILE", |raw| raw.path(), |draft| &mut draft.job.cohort.extract)
            .range("a line for each variant, which begins with its id")
            .help("Use these variants alone"),
        TaskOption::optional("exclude FILE", |raw| raw.path(), |draft| &mut draft.job.cohort.exclude)
            .range("as of extract")
            .help("Leave these variants out"),
        TaskOption::list("chromosome A,B", |draft| &mut draft.job.cohort.chromosomes)
            .range("names as in the .bim or .pvar, with chr before them or without")
            .help("Use the variants on these chromosomes alone"),
        TaskOption::optional("range PLACE", |raw| raw.chromosome_range(), |draft| &mut draft.job.cohort.range)
            .range("CHROMOSOME:FROM-TO, in base pairs")
            .help("Use the variants in this part of a chromosome alone"),
        TaskOption::optional("maf F", |raw| raw.share(0.5), |draft| &mut draft.job.cohort.least_frequency)
            .range("a frequency from 0 to 0.5")
            .help("Leave out variants whose rarer allele is less frequent than this among the people who are left"),
        TaskOption::optional("max-missing F", |raw| raw.share(1.0), |draft| &mut draft.job.cohort.most_missing)
            .range("a share from 0 to 1")
            .help("Leave out variants whose genotype is missing for a larger share than this of the people who are left"),
        TaskOption::choice("encode KIND", GenotypeEncoding::ALL.map(|own| (own.name(), own)), |draft| &mut draft.job.cohort.encoding)
            .help("What a genotype counts as: the copies of allele A1 or ALT, or its dosage (additive); whether there is a copy (dominant), or whether there are two (recessive), by the genotype; or the copies and whether there is one (genotypic), two columns that enter and leave models together"),
        TaskOption::optional("scratch FOLDER", |raw| raw.path(), |draft| &mut draft.job.cohort.scratch)
            .range("a folder on a disk with room for the genotypes, at two bits each")
            .help("Hold genotypes in a temporary file of this folder in the place of memory, which may then be smaller than they are: each sweep reads of the disk what memory has not kept. The file has no name, and is gone when the job ends, however it does"),
    ])
}

/// Options of delimited text.
fn text() -> impl Iterator<Item = OptionSpec> {
    TaskOption::group("Data", [
        TaskOption::field("separator MARK", |raw| raw.separator(), |draft| &mut draft.job.text.separator)
            .default("auto")
            .range("auto, one character such as ;, or tab, comma, semicolon, bar or space (any number of spaces)")
            .help("What stands between the columns of delimited text; auto: what makes the first lines equally long"),
        TaskOption::choice("decimal MARK", DECIMAL, |draft| &mut draft.job.text.decimal)
            .help("What stands before the decimals of numbers in delimited text; auto: a comma where the first lines show that, else a point"),
        TaskOption::choice("encoding NAME", ENCODING, |draft| &mut draft.job.text.encoding)
            .help("How characters are written in files of text; auto: UTF-8, or UTF-16 where a byte order mark says so; latin1 is Windows-1252"),
        TaskOption::flag("no-header", |draft, is_given| draft.job.text.no_header = is_given)
            .help("Delimited text has no line of names; its columns are V1, V2, …"),
    ])
}

const DECIMAL: [(&str, Option<DecimalMark>); 3] = [
    ("auto", None),
    (".", Some(DecimalMark::Point)),
    (",", Some(DecimalMark::Comma)),
];

const ENCODING: [(&str, Option<Encoding>); 6] = [
    ("auto", None),
    ("utf-8", Some(Encoding::Utf8)),
    ("utf-16", Some(Encoding::Utf16)),
    ("utf-16be", Some(Encoding::Utf16Be)),
    ("latin1", Some(Encoding::Latin1)),
    ("windows-1252", Some(Encoding::Latin1)),
];

const MISSING: [(&str, Missing); 6] = [
    ("auto", Missing::Auto),
    ("refuse", Missing::Refuse),
    ("drop-rows", Missing::DropRows),
    ("mean", Missing::Mean),
    ("level", Missing::Level),
    ("pairwise", Missing::Pairwise),
];

/// Options of the terms of models.
pub(super) fn terms() -> impl Iterator<Item = OptionSpec> {
    TaskOption::group("Terms", [
        TaskOption::optional("formula FORMULA", |raw| raw.formula(), |draft| &mut draft.job.terms.formula)
            .default("a term for each column")
            .range("RESPONSE ~ TERMS as in R, or ~ TERMS beside response: a * b, (a + b + c)^2, poly(x, 2), log(z), factor(g), . - d")
            .help("Choose among the terms of a model formula: a term is in a model with all its columns or not at all; docs/formulas.md"),
        TaskOption::limit("degree D", 1..=9, |draft| &mut draft.job.terms.degree)
            .default("1")
            .help("Without a formula: add the powers of columns of numbers up to this one, each a term I(x^2), I(x^3), …"),
        TaskOption::limit("interactions K", 1..=9, |draft| &mut draft.job.terms.interactions)
            .default("1: none; 2 with interactions-of")
            .help("Without a formula: add the interactions of up to K columns, as the formula (.)^K does"),
        TaskOption::list("interactions-of A,B", |draft| &mut draft.job.terms.interactions_of)
            .help("Without a formula: add those interactions only that have one of these columns"),
        TaskOption::custom("group NAME=A,B", |draft, values| {
            draft.job.terms.groups = values.groups()?;
            Ok(())
        })
            .several()
            .default("each column by itself")
            .range("NAME=A,B,…, the name of a term and its columns, in double quotes where a name holds a comma; * stands for any letters")
            .help("Without a formula: let these columns be one term, in a model together or not at all; for more terms give it several times"),
        TaskOption::optional("groups FILE", |raw| raw.path(), |draft| &mut draft.job.terms.groups_file)
            .range("a table with the columns group and column")
            .help("Without a formula: terms of several columns, as group has them, from a file with a row for each column"),
        TaskOption::choice("hierarchy RULE", HIERARCHY, |draft| &mut draft.job.terms.hierarchy)
            .help("Whether an interaction may be in a model without the terms that are part of it, as a and b are of a:b, and a power without the lower ones; strong: with all of them only, and none of them is dropped while it is there; weak: with at least one; none: with or without"),
        TaskOption::custom("contrasts KIND,COLUMN=KIND", |draft, values| {
            draft.job.terms.contrasts = values.contrasts()?;
            Ok(())
        })
            .default("treatment")
            .range("treatment, sum, helmert, poly or sas, of all factors, or of one as COLUMN=KIND")
            .help("How the levels of factors are coded; it changes coefficients, not which terms are chosen"),
    ])
}

const HIERARCHY: [(&str, Hierarchy); 3] = [
    ("strong", Hierarchy::Strong),
    ("weak", Hierarchy::Weak),
    ("none", Hierarchy::None),
];

pub(super) fn model() -> impl Iterator<Item = OptionSpec> {
    TaskOption::group("Model", [
        TaskOption::custom("family NAME", |draft, values| {
            draft.set_families(values.families()?);
            Ok(())
        })
            .default(Distribution::Gaussian.name())
            .range(format!("{}; or a plugin's, NAME:PARAMETER=NUMBER", either(&Distribution::ALL.map(Distribution::name))))
            .help("The distribution of the response: gaussian, fitted by least squares; binomial, of yes and no or of events of trials; poisson and negative-binomial, of counts; gamma, of positive numbers; cox, of survival times; ordinal, of ordered levels; multinomial, of levels without order; docs/families.md. Validation compares several, as in poisson,negative-binomial"),
        TaskOption::optional("link NAME", |raw| raw.choice(&Link::ALL.map(|own| (own.name(), own))), |draft| &mut draft.job.kind.link)
            .default("identity of gaussian; logit of binomial, ordinal and multinomial; log of the others")
            .range("logit, probit or cloglog of binomial; log or inverse of gamma; each other family has its default alone")
            .help("How the mean of the response depends on the linear predictor"),
        TaskOption::optional("trials NAME", |raw| raw.text(), |draft| &mut draft.job.kind.trials)
            .range("a column of whole numbers above 0")
            .help("Of the family binomial: the response counts the events of so many trials"),
        TaskOption::optional("success LEVEL", |raw| raw.text(), |draft| &mut draft.job.kind.success)
            .default("1, or the second of two levels of text")
            .range("a level or value of the response")
            .help("Of the families binomial and cox: what counts as an event; the other one of two levels does not"),
        TaskOption::list("levels A,B,C", |draft| &mut draft.job.kind.levels)
            .default("ascending")
            .range("all levels of the response; write one with a comma as '\"a, b\"'")
            .help("Of the family ordinal: the levels of the response from lowest to highest, needed where they are texts; of multinomial the first is the baseline"),
        TaskOption::optional("time NAME", |raw| raw.text(), |draft| &mut draft.job.kind.time)
            .range("a column of numbers from 0 on; with entry of any numbers")
            .help("Of the family cox: the survival times, in place of response"),
        TaskOption::optional("event NAME", |raw| raw.text(), |draft| &mut draft.job.kind.event)
            .range("a column of 1, an event, and 0, censored; or of two levels, of which success names the event")
            .help("Of the family cox: whether an observation ended by an event at its time, which is the response"),
        TaskOption::optional("entry NAME", |raw| raw.text(), |draft| &mut draft.job.kind.entry)
            .range("a column of times before those of the response")
            .help("Of the family cox: after which time an observation is at risk (late entry, or intervals of one subject)"),
        TaskOption::optional("strata NAME", |raw| raw.text(), |draft| &mut draft.job.kind.strata)
            .range("a column of levels or numbers")
            .help("Of the family cox: observations of different strata have baseline hazards of their own"),
        TaskOption::choice("ties RULE", Ties::ALL.map(|own| (own.name(), own)), |draft| &mut draft.job.kind.ties)
            .help("Of the family cox: how events at equal times share their risk set; efron is R's default"),
        TaskOption::optional("dispersion PHI", dispersion, |draft| &mut draft.job.kind.dispersion)
            .range("estimate, or a number above 0")
            .help("Of the families binomial and poisson, where responses scatter more than these: quasi-likelihood, whose criteria compare −2ℓ over this dispersion (QAIC, QBIC) and whose standard errors have its root; estimate: from the model of all candidates"),
        TaskOption::flag("firth", |draft, is_given| draft.job.kind.firth = is_given)
            .help("Of the families binomial (link logit) and poisson: estimate the selected model by Firth's penalty, whose coefficients are finite also where variables separate events from others; models are compared by their likelihood as without it"),
        TaskOption::choice("covariance NAME", CovarianceEstimator::ALL.map(|own| (own.name(), own)), |draft| &mut draft.job.kind.covariance)
            .help("What standard errors, tests and intervals of the selected model rest on: model, its variances; hc0 to hc3, White's sandwich estimators, which hold where variances differ (hc3 is the most cautious in small samples). Survival times have hc0 of them, the covariance of Lin and Wei; levels have hc0 and hc1"),
        TaskOption::optional("cluster NAME", |raw| raw.text(), |draft| &mut draft.job.kind.cluster)
            .range("a column of levels or numbers")
            .help("Observations of the same value may depend on one another (the visits of a person, the pupils of a school): standard errors by clusters, of the kind that covariance names (else hc1 of least squares, hc0 of other families), times G / (G − 1) of G clusters but of survival times. t and F have G − 1 degrees of freedom; tests by z and χ² stay"),
        TaskOption::list("keep A,B", |draft| &mut draft.job.keep)
            .help("Keep these variables in every model, or these terms of a formula; write a name with a comma as '\"a, b\"'"),
        TaskOption::list("reference A=LEVEL,B=LEVEL", |draft| &mut draft.job.reference)
            .default("each factor's first level")
            .range("COLUMN=LEVEL, separated by commas, in double quotes where one holds a comma")
            .help("Compare the other levels of a factor with this one, which gets no dummy; with --split another reference level may lead to another selection; levels that are all numbers ascend, others stand in bytewise order, categories of data frames in their own"),
        TaskOption::flag("split", |draft, is_given| draft.job.terms.split = is_given)
            .help("Let each dummy of a factor enter and leave models by itself; otherwise a factor is one term, whose dummies are in a model together or not at all"),
        TaskOption::flag("no-intercept", |draft, is_given| draft.job.intercept = !is_given)
            .help("Fit without an intercept"),
        TaskOption::custom("criterion NAME", |draft, values| {
            draft.criteria = values.criteria()?;
            Ok(())
        })
        .default("ebic-monotone:gamma=1")
        .range("a name, then its parameters: NAME:PARAMETER=NUMBER; `passel criteria` lists them")
        .help("The criterion that compares models; smaller is better. Several, as in aic,bic,ebic:gamma=0.5, choose a model each"),
        TaskOption::limit("p-total P", 1..=usize::MAX, |draft| &mut draft.job.p_total)
            .range("a whole number, at least the number of candidates in the file")
            .help("The number of candidates before the file was screened, which the criterion's penalty then takes for p"),
        TaskOption::limit("max-size K", 1..=usize::MAX, |draft| &mut draft.job.pass.max_size)
            .default("beside the m kept variables p − m where that is at most (n − m)/2, else (n − m)/4")
            .range("1 … min(p, n − 2)")
            .help("The size of the largest model, in variables"),
    ])
}
