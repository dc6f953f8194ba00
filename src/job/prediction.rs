//! The options of `passel predict`, from which its command line, its help and a part of docs/options.md are made.

use std::{path::PathBuf, sync::LazyLock};

use super::{Job, JobDraft, OptionError, OptionSpec, RawValues, option};
use crate::{
    prediction::{IntervalKind, PredictionOptions, Scale, UnknownLevels},
    presentation::Format,
};

/// What a report predicts of data, checked as far as that is possible without either.
#[derive(Debug, Clone)]
pub struct PredictionJob {
    /// The report, as JSON.
    pub report: PathBuf,
    /// Its text where that is in memory; [`report`](Self::report) is then only what messages call it.
    pub report_text: Option<String>,
    /// The data, and how they are read; of a job's other settings none is used.
    pub data: Job,
    /// What is predicted.
    pub options: PredictionOptions,
    /// The form of the predictions.
    pub format: Format,
    /// Where they go; `None` for standard output.
    pub output: Option<PathBuf>,
    /// Whether they may replace a file that holds no predictions.
    pub overwrite: bool,
}

impl Default for PredictionJob {
    fn default() -> Self {
        Self {
            report: PathBuf::new(),
            report_text: None,
            data: Job::new(""),
            options: PredictionOptions::default(),
            format: Format::Csv,
            output: None,
            overwrite: false,
        }
    }
}

type PredictOption = OptionSpec<PredictionJob>;

/// The options that only `passel predict` has, in the order in which they are listed.
pub static PREDICT: LazyLock<Vec<PredictOption>> = LazyLock::new(|| {
    let predictions = PredictOption::group("Prediction", [
        PredictOption::choice("scale NAME", SCALES, |job| &mut job.options.scale)
            .help("The scale of predictions: that of the response, as means, rates, probabilities and hazards relative to that at the variables' means; or link, that of the linear predictor"),
        PredictOption::choice("interval KIND", INTERVALS, |job| &mut job.options.interval)
            .help("Standard errors, and confidence intervals of means (of all families but ordinal and multinomial), or intervals of new observations (of gaussian, poisson, negative-binomial and gamma), or both. An offset of the fit is added, so its column must be there; weights matter to intervals of new observations alone"),
        PredictOption::value("level L", |raw| raw.number(|level| level > 0.0 && level < 1.0), |job| &mut job.options.level)
            .range("above 0, below 1")
            .help("Level of the intervals"),
        PredictOption::field("times A,B", times, |job| &mut job.options.times)
            .default("none")
            .range("numbers separated by commas, 0 or more and each once")
            .help("Of the family cox: the probability to have had no event until each of these times"),
        PredictOption::flag("average", |job, is_given| job.options.average = is_given)
            .help("Predict by the models of the report (models), on average by their weights, in place of the selected one alone"),
        PredictOption::choice("unknown-levels HOW", UNKNOWN, |job| &mut job.options.unknown_levels)
            .help("What to do with a level that no observation of the fit had: refuse the data, or leave its rows without a prediction, as those that miss a value"),
    ]);
    let output = PredictOption::group(
        "Output",
        [
            PredictOption::choice("format FORM", FORMATS, |job| &mut job.format)
                .help("Form of the predictions; parquet, if built in, needs --output"),
            PredictOption::optional("output FILE", |raw| raw.path(), |job| &mut job.output)
                .default("standard output")
                .range("a file")
                .help("Write the predictions to this file, whole or not at all"),
            PredictOption::flag("overwrite", |job, is_given| job.overwrite = is_given)
                .help("Let output replace a file that holds no predictions of passel"),
        ],
    );
    predictions.chain(output).collect()
});

fn times(raw: &RawValues) -> Result<Vec<f64>, OptionError> {
    let value = raw.texts.join(",");
    let times = value.split(',').map(|time| time.trim().parse::<f64>());
    let times: Option<Vec<f64>> = times
        .map(|time| time.ok().filter(|own| own.is_finite() && *own >= 0.0))
        .collect();
    // A time that is named twice is one column.
    let are_distinct =
        |times: &Vec<f64>| (1..times.len()).all(|at| !times[..at].contains(&times[at]));
    let times = times.filter(are_distinct);
    times.ok_or_else(|| raw.out_of_range())
}

const SCALES: [(&str, Scale); 2] = [("response", Scale::Response), ("link", Scale::Link)];

const INTERVALS: [(&str, IntervalKind); 4] = [
    ("none", IntervalKind::None),
    ("mean", IntervalKind::Mean),
    ("observation", IntervalKind::Observation),
    ("both", IntervalKind::Both),
];

const UNKNOWN: [(&str, UnknownLevels); 2] = [
    ("refuse", UnknownLevels::Refuse),
    ("missing", UnknownLevels::Missing),
];

const FORMATS: [(&str, Format); 4] = [
    ("csv", Format::Csv),
    ("json", Format::Json),
    ("text", Format::Text),
    ("parquet", Format::Parquet),
];

/// The options of `passel select` that say how data are read and which plugins there are, which `passel predict` has too.
const READING: [&str; 12] = [
    "date",
    "na",
    "separator",
    "decimal",
    "encoding",
    "no-header",
    "merge",
    "covariates",
    "keep-people",
    "remove",
    "timeout",
    "plugins",
];

/// The options of how the data are read.
pub(super) fn reading_options() -> impl Iterator<Item = &'static OptionSpec> {
    READING.iter().filter_map(|name| option(name))
}

impl PredictionJob {
    /// The options of `passel select` that predictions have too: how data are read, and which plugins there are.
    pub fn reading() -> impl Iterator<Item = &'static OptionSpec> {
        reading_options()
    }

    /// Checks options that are given by their names, each with its texts.
    ///
    /// # Errors
    /// As [`new`](Self::new); an option that there is not.
    pub fn of_names(
        report: PathBuf,
        data: PathBuf,
        given: &[(String, Vec<String>)],
    ) -> Result<Self, Vec<OptionError>> {
        let (mut own, mut reading, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        for (name, texts) in given {
            let of_prediction = PREDICT.iter().find(|option| option.name == name);
            let of_reading = reading_options().find(|option| option.name == name);
            match (of_prediction, of_reading) {
                (Some(option), _) => own.push((option, texts.clone())),
                (None, Some(option)) => reading.push((option, texts.clone())),
                (None, None) => {
                    let names = PREDICT.iter().map(|option| option.name);
                    errors.push(OptionError::unknown(name, names.chain(READING)));
                }
            }
        }
        match Self::new(report, data, &own, &reading) {
            Ok(job) if errors.is_empty() => Ok(job),
            checked => {
                errors.extend(checked.err().into_iter().flatten());
                Err(errors)
            }
        }
    }

    /// Checks what options ask for; `reading` are those of how the data are read, each with its texts.
    ///
    /// # Errors
    /// Every option that is refused, and every conflict between them.
    pub fn new(
        report: PathBuf,
        data: PathBuf,
        given: &[(&'static PredictOption, Vec<String>)],
        reading: &[(&'static OptionSpec, Vec<String>)],
    ) -> Result<Self, Vec<OptionError>> {
        let mut draft = JobDraft::new(data);
        let mut job = Self {
            report,
            ..Self::default()
        };
        let mut errors = Vec::new();
        for (option, texts) in reading {
            errors.extend(draft.set(option.name, texts).err());
        }
        for (option, texts) in given {
            errors.extend(option.read(&mut job, texts).err());
        }
        job.data = draft.job;
        if job.format == Format::Parquet && job.output.is_none() {
            let message = "format = parquet needs output: a file";
            errors.push(OptionError::new("format", message));
        }
        let is_read = |path: &PathBuf| *path == job.report || *path == job.data.data;
        if job.output.as_ref().is_some_and(is_read) {
            let message = "output names a file that is read";
            errors.push(OptionError::new("output", message).help("name another one"));
        }
        let is_standard_input = |path: &PathBuf| path.as_os_str() == "-";
        if job.report_text.is_none()
            && is_standard_input(&job.report)
            && is_standard_input(&job.data.data)
        {
            let message = "report and data are both standard input";
            errors.push(OptionError::new("data", message).help("name a file for one of them"));
        }
        match errors.is_empty() {
            true => Ok(job),
            false => Err(errors),
        }
    }
}
