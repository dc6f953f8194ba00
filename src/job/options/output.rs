//! What is told, and where.

use super::super::OptionSpec;
use crate::report::Format;

const OUTPUT: &str = "Output";

/// In the order they are listed.
pub(super) const REPORTING: &[OptionSpec] = &[
    OptionSpec {
        name: "level",
        value: "L",
        default: "0.95",
        range: "above 0, below 1",
        help: "Level of the confidence intervals",
        heading: OUTPUT,
        list: false,
        set: |job, given| {
            job.level = given.number(|it| it > 0.0 && it < 1.0)?;
            Ok(())
        },
    },
    OptionSpec {
        name: "format",
        value: "FORM",
        default: "text",
        range: "text, json, csv, html or parquet",
        help: "Form of the report; html is a page with figures; parquet, where it is built in, needs --output",
        heading: OUTPUT,
        list: false,
        set: |job, given| {
            let choices = [
                ("text", Format::Text),
                ("json", Format::Json),
                ("csv", Format::Csv),
                ("html", Format::Html),
                ("parquet", Format::Parquet),
            ];
            job.format = given.choice(&choices)?;
            Ok(())
        },
    },
    OptionSpec {
        name: "output",
        value: "FILE",
        default: "standard output",
        range: "a file",
        help: "Write the report here, whole or not at all",
        heading: OUTPUT,
        list: false,
        set: |job, given| {
            job.output = Some(given.path()?);
            Ok(())
        },
    },
    OptionSpec {
        name: "trace",
        value: "FILE",
        default: "none",
        range: "a file",
        help: "Write every step of every particle here, as CSV",
        heading: OUTPUT,
        list: false,
        set: |job, given| {
            job.trace = Some(given.path()?);
            Ok(())
        },
    },
    OptionSpec {
        name: "checkpoint",
        value: "FILE",
        default: "none",
        range: "a file",
        help: "Keep the state of the search here while it runs, every 10 seconds or so, and go on from what is there: after an interrupt, a time limit or a kill the same command ends with the same report. The file goes when the search has ended by itself; not with trace",
        heading: OUTPUT,
        list: false,
        set: |job, given| {
            job.checkpoint = Some(given.path()?);
            Ok(())
        },
    },
    OptionSpec {
        name: "progress",
        value: "HOW",
        default: "auto",
        range: "auto, plain, json or none",
        help: "Progress on standard error; auto: a bar on a terminal, else none",
        heading: OUTPUT,
        list: false,
        set: |job, given| {
            job.progress = given.progress()?;
            Ok(())
        },
    },
];
