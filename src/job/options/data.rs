//! What is read, and of what a model may consist.

use super::super::OptionSpec;
use crate::{binning::Binning, table::Missing};

const DATA: &str = "Data";
const MODEL: &str = "Model";
const NAMES: &str = "names separated by commas, in double quotes where a name holds one";

/// In the order they are listed.
pub(super) const DATA_AND_MODEL: &[OptionSpec] = &[
    OptionSpec {
        name: "response",
        value: "NAME",
        default: "",
        range: "a column; a second file for .npy data",
        help: "The response; needed unless the format of the data names it",
        heading: DATA,
        list: false,
        set: |job, given| {
            job.response = Some(given.text()?);
            Ok(())
        },
    },
    OptionSpec {
        name: "weights",
        value: "NAME",
        default: "",
        range: "a column of numbers, none below 0",
        help: "Weigh the observations by this column (weighted least squares); those of weight 0 are left out",
        heading: DATA,
        list: false,
        set: |job, given| {
            job.weights = Some(given.text()?);
            Ok(())
        },
    },
    OptionSpec {
        name: "factor",
        value: "A,B",
        default: "",
        range: NAMES,
        help: "Read these columns as factors, even where they hold numbers; a name with a comma as '\"a, b\"'",
        heading: DATA,
        list: true,
        set: |job, given| {
            job.factor = given.names()?;
            Ok(())
        },
    },
    OptionSpec {
        name: "drop",
        value: "C,D",
        default: "",
        range: NAMES,
        help: "Leave these columns out; a name with a comma as '\"a, b\"'",
        heading: DATA,
        list: true,
        set: |job, given| {
            job.drop = given.names()?;
            Ok(())
        },
    },
    OptionSpec {
        name: "missing",
        value: "HOW",
        default: "refuse",
        range: "refuse, drop-rows, level or pairwise",
        help: "Missing values: an error, leave out their observations, or (where levels are counted, not in a regression) a level of their own, or left out of each table that needs them",
        heading: DATA,
        list: false,
        set: |job, given| {
            let choices = [
                ("refuse", Missing::Refuse),
                ("drop-rows", Missing::DropRows),
                ("level", Missing::Level),
                ("pairwise", Missing::Pairwise),
            ];
            job.missing = given.choice(&choices)?;
            Ok(())
        },
    },
    OptionSpec {
        name: "binning",
        value: "RULE",
        default: "auto",
        range: Binning::RANGE,
        help: "How variables become the levels that are counted; auto: levels for text and at most 64 distinct integers, else equal-width:10; mdlp: cut where the response's levels part (Fayyad and Irani); edges: as in the JSON report FILE",
        heading: DATA,
        list: false,
        set: |job, given| {
            job.binning = given.binning()?;
            Ok(())
        },
    },
    OptionSpec {
        name: "bin-response",
        value: "RULE",
        default: "auto",
        range: Binning::RESPONSE_RANGE,
        help: "The same for the response",
        heading: DATA,
        list: false,
        set: |job, given| {
            job.bin_response = given.bin_response()?;
            Ok(())
        },
    },
    OptionSpec {
        name: "keep",
        value: "A,B",
        default: "",
        range: NAMES,
        help: "Hold these variables in every model; a name with a comma as '\"a, b\"'",
        heading: MODEL,
        list: true,
        set: |job, given| {
            job.keep = given.names()?;
            Ok(())
        },
    },
    OptionSpec {
        name: "no-intercept",
        value: "",
        default: "false",
        range: "true or false",
        help: "Fit without an intercept",
        heading: MODEL,
        list: false,
        set: |job, given| {
            job.intercept = !given.flag()?;
            Ok(())
        },
    },
    OptionSpec {
        name: "criterion",
        value: "NAME",
        default: "ebic:gamma=1",
        range: "a name, then its parameters: NAME:PARAMETER=NUMBER; `passel criteria` lists them",
        help: "What models are compared by; smaller is better",
        heading: MODEL,
        list: false,
        set: |job, given| {
            job.plugin_criterion = None;
            match given.criterion()? {
                Some(own) => job.criterion = own,
                None => job.plugin_criterion = Some(given.text()?.trim().to_owned()),
            }
            Ok(())
        },
    },
    OptionSpec {
        name: "p-total",
        value: "P",
        default: "",
        range: "a whole number, at least the candidates in the file",
        help: "Candidates before the file was screened: p in the criterion's penalty",
        heading: MODEL,
        list: false,
        set: |job, given| {
            job.p_total = Some(given.count(1..=usize::MAX)?);
            Ok(())
        },
    },
    OptionSpec {
        name: "max-size",
        value: "K",
        default: "p where p ≤ n/2, else n/4 beside the kept ones",
        range: "1 … min(p, n − 2)",
        help: "The largest model, in variables",
        heading: MODEL,
        list: false,
        set: |job, given| {
            job.pass.max_size = Some(given.count(1..=usize::MAX)?);
            Ok(())
        },
    },
];
