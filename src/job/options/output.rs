//! Options of reports.

use super::super::OptionSpec;
use crate::presentation::Format;

const OUTPUT: OptionSpec = OptionSpec::in_group("Output");

/// In the order in which they are listed.
pub(super) const REPORTING: &[OptionSpec] = &[
    OptionSpec {
        name: "level",
        value: "L",
        default: "0.95",
        range: "above 0, below 1",
        help: "Level of the confidence intervals",
        set: |job, values| {
            values
                .number(|number| number > 0.0 && number < 1.0)
                .map(|value| job.level = value)
        },
        ..OUTPUT
    },
    OptionSpec {
        name: "format",
        value: "FORM",
        default: "text",
        range: "text, json, csv, html or parquet",
        help: "Form of the report; html is a page with figures; parquet, if built in, needs --output",
        set: |job, values| {
            let choices = [
                ("text", Format::Text),
                ("json", Format::Json),
                ("csv", Format::Csv),
                ("html", Format::Html),
                ("parquet", Format::Parquet),
            ];
            job.format = values.choice(&choices)?;
            Ok(())
        },
        ..OUTPUT
    },
    OptionSpec {
        name: "output",
        value: "FILE",
        default: "standard output",
        range: "a file",
        help: "Write the report to this file, whole or not at all",
        set: |job, values| values.path().map(|value| job.output = Some(value)),
        ..OUTPUT
    },
    OptionSpec {
        name: "trace",
        value: "FILE",
        default: "none",
        range: "a file",
        help: "Write every step of every particle to this file, as CSV",
        set: |job, values| values.path().map(|value| job.trace = Some(value)),
        ..OUTPUT
    },
    OptionSpec {
        name: "checkpoint",
        value: "FILE",
        default: "none",
        range: "a file",
        help: "Save the state of the search to this file about every 10 seconds, and continue from it: after an interrupt, a time limit or a crash the same command ends with the same report. The file is removed when the search is complete. Cannot be combined with trace",
        set: |job, values| values.path().map(|value| job.checkpoint = Some(value)),
        ..OUTPUT
    },
    OptionSpec {
        name: "progress",
        value: "HOW",
        default: "auto",
        range: "auto, plain, json or none",
        help: "Progress on standard error; auto: a bar on a terminal, else nothing",
        set: |job, values| values.progress().map(|value| job.progress = value),
        ..OUTPUT
    },
];
