//! Options of the data and of the model.

use super::super::OptionSpec;
use crate::{binning::Binning, table::Missing};

const DATA: OptionSpec = OptionSpec::in_group("Data");
const MODEL: OptionSpec = OptionSpec::in_group("Model");
const NAMES: &str = "names separated by commas, in double quotes where a name holds one";

/// In the order in which they are listed.
pub(super) const DATA_AND_MODEL: &[OptionSpec] = &[
    OptionSpec {
        name: "response",
        value: "NAME",
        range: "a column; a second file for .npy data",
        help: "The response variable; required unless the data format names it",
        set: |job, values| values.text().map(|value| job.response = Some(value)),
        ..DATA
    },
    OptionSpec {
        name: "weights",
        value: "NAME",
        range: "a column of numbers, none below 0",
        help: "Weight the observations by this column (weighted least squares); observations of weight 0 are left out",
        set: |job, values| values.text().map(|value| job.weights = Some(value)),
        ..DATA
    },
    OptionSpec {
        name: "factor",
        value: "A,B",
        range: NAMES,
        help: "Treat these columns as factors even if they hold numbers; write a name with a comma as '\"a, b\"'",
        list: true,
        set: |job, values| values.names().map(|value| job.factor = value),
        ..DATA
    },
    OptionSpec {
        name: "drop",
        value: "C,D",
        range: NAMES,
        help: "Leave these columns out; write a name with a comma as '\"a, b\"'",
        list: true,
        set: |job, values| values.names().map(|value| job.drop = value),
        ..DATA
    },
    OptionSpec {
        name: "missing",
        value: "HOW",
        default: "refuse",
        range: "refuse, drop-rows, level or pairwise",
        help: "What to do with missing values: refuse the data; drop the observations that have any; or, where levels are counted rather than regressed on, make them a level of their own, or leave them out of each table that needs them (pairwise)",
        set: |job, values| {
            let choices = [
                ("refuse", Missing::Refuse),
                ("drop-rows", Missing::DropRows),
                ("level", Missing::Level),
                ("pairwise", Missing::Pairwise),
            ];
            job.missing = values.choice(&choices)?;
            Ok(())
        },
        ..DATA
    },
    OptionSpec {
        name: "binning",
        value: "RULE",
        default: "auto",
        range: Binning::RANGE,
        help: "How variables are turned into the levels that are counted; auto: levels for text and for at most 64 distinct integers, else equal-width:10; mdlp: cut where the levels of the response separate (Fayyad and Irani); edges: as in the JSON report FILE",
        set: |job, values| values.binning().map(|value| job.binning = value),
        ..DATA
    },
    OptionSpec {
        name: "bin-response",
        value: "RULE",
        default: "auto",
        range: Binning::RESPONSE_RANGE,
        help: "How the response is turned into levels, by the same rules as binning",
        set: |job, values| values.bin_response().map(|value| job.bin_response = value),
        ..DATA
    },
    OptionSpec {
        name: "keep",
        value: "A,B",
        range: NAMES,
        help: "Keep these variables in every model; write a name with a comma as '\"a, b\"'",
        list: true,
        set: |job, values| values.names().map(|value| job.keep = value),
        ..MODEL
    },
    OptionSpec {
        name: "no-intercept",
        default: "false",
        range: "true or false",
        help: "Fit without an intercept",
        set: |job, values| values.flag().map(|flag| job.intercept = !flag),
        ..MODEL
    },
    OptionSpec {
        name: "criterion",
        value: "NAME",
        default: "ebic:gamma=1",
        range: "a name, then its parameters: NAME:PARAMETER=NUMBER; `passel criteria` lists them",
        help: "The criterion that compares models; smaller is better",
        set: |job, values| {
            job.plugin_criterion = None;
            match values.criterion()? {
                Some(own) => job.criterion = own,
                None => job.plugin_criterion = Some(values.text()?.trim().to_owned()),
            }
            Ok(())
        },
        ..MODEL
    },
    OptionSpec {
        name: "p-total",
        value: "P",
        range: "a whole number, at least the number of candidates in the file",
        help: "The number of candidates before the file was screened, which the criterion's penalty then takes for p",
        set: |job, values| {
            values
                .count(1..=usize::MAX)
                .map(|value| job.p_total = Some(value))
        },
        ..MODEL
    },
    OptionSpec {
        name: "max-size",
        value: "K",
        default: "p if p ≤ n/2, else n/4 besides the kept variables",
        range: "1 … min(p, n − 2)",
        help: "The size of the largest model, in variables",
        set: |job, values| {
            values
                .count(1..=usize::MAX)
                .map(|value| job.pass.max_size = Some(value))
        },
        ..MODEL
    },
];
