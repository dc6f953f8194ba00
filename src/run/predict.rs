//! Predictions by the models of a report.

use std::{borrow::Cow, collections::HashSet, fmt::Display, fs, io};

use serde_json::Value;

use super::{RunError, prepared::read_options};
use crate::{
    family::{Family, Link},
    job::PredictionJob,
    nearest::list,
    output::{OutputFile, Replaces},
    plugin::Plugins,
    prediction::Model,
    report::{self, ModelPredictions, PredictionReport},
    selection::{Outcome, Selection},
    table::{self, GenotypeEncoding, ReadOptions, Table},
};

/// Predictions in the form that a job asks for.
#[derive(Debug)]
pub struct Predicted {
    /// The bytes of that form.
    pub rendered: Vec<u8>,
    /// What a user should know.
    pub warnings: Vec<String>,
}

/// Predicts by the models of a report, and writes the file that the job names.
///
/// # Errors
/// The report or the data, what a model cannot make of them, or the output: [`RunError`] says which.
pub fn predict(job: &PredictionJob) -> Result<Predicted, RunError> {
    // The file first: a wrong path is known before anything is read.
    let replaces = Replaces::Predictions.or_any(job.overwrite);
    let output = job.output.as_ref();
    let output = output
        .map(|path| OutputFile::create(path, replaces))
        .transpose()?;
    let report = predictions(job)?;
    let rendered = report::render_predictions(&report, job.format).map_err(RunError::Render)?;
    if let Some(file) = output {
        file.finish(&rendered)?;
    }
    Ok(Predicted {
        rendered,
        warnings: report.warnings,
    })
}

/// Predicts by the models of a report.
///
/// # Errors
/// As [`predict`], without the output.
pub fn predictions(job: &PredictionJob) -> Result<PredictionReport, RunError> {
    let outcome = read_report(job)?;
    let (models, mut warnings) = models(&outcome, job)?;
    let mut table = read_data(job, &models)?;
    if table.loci.is_some() {
        // Of people who are left out.
        warnings.append(&mut table.warnings);
    }
    let mut predicted = Vec::with_capacity(models.len());
    let several = models.len() > 1;
    for (report, model) in models {
        job.data
            .interrupt
            .check()
            .map_err(|_| RunError::Interrupted)?;
        let predictions = model.predict(&table, &job.options)?;
        predicted.push(ModelPredictions {
            response: report.response.clone(),
            criterion: report.criterion.spec(),
            predictions,
        });
    }
    for own in &predicted {
        for warning in &own.predictions.warnings {
            let told = match several {
                true => format!("{}: {warning}", whose(own, warning, &predicted)),
                false => warning.clone(),
            };
            if !warnings.contains(&told) {
                warnings.push(told);
            }
        }
    }
    Ok(PredictionReport {
        report: job.report.display().to_string(),
        data: job.data.data.display().to_string(),
        labels: table.labels,
        rows: table.rows,
        models: predicted,
        warnings,
    })
}

/// Which of several models a warning is of: a response, and the criterion too where the models of others have no such warning.
fn whose(own: &ModelPredictions, warning: &String, all: &[ModelPredictions]) -> String {
    let mut of_response = all.iter().filter(|other| other.response == own.response);
    match of_response.all(|other| other.predictions.warnings.contains(warning)) {
        true => own.response.clone(),
        false => format!("{} by {}", own.response, own.criterion),
    }
}

fn refused(job: &PredictionJob, reason: impl Into<String>) -> RunError {
    RunError::Report {
        path: job.report.clone(),
        reason: reason.into(),
    }
}

fn read_report(job: &PredictionJob) -> Result<Outcome, RunError> {
    let is_standard_input = job.report.as_os_str() == "-";
    let text = match &job.report_text {
        Some(text) => Cow::Borrowed(text),
        None => match is_standard_input {
            true => io::read_to_string(io::stdin()),
            false => fs::read_to_string(&job.report),
        }
        .map(Cow::Owned)
        .map_err(|error| refused(job, format!("cannot be read: {error}")))?,
    };
    let no_report = |error| {
        refused(
            job,
            format!("no report as JSON (--format json) of passel: {error}"),
        )
    };
    let json: Value = serde_json::from_str(&text).map_err(no_report)?;
    // Results of runs have what made them beside the report, and a checksum of the file as it was written.
    #[cfg(feature = "program")]
    if job.report_text.is_none()
        && let (Some(_), Some(_)) = (json.get("result"), json.get("sha256"))
        && let Err(reason) = crate::sha256::check_seal(text.as_bytes())
    {
        let reason = format!(
            "damaged, or changed since a run wrote it: {reason}. `passel run` of its job file makes it anew"
        );
        return Err(refused(job, reason));
    }
    let json = json.get("result").unwrap_or(&json);
    if json.get("passel").is_none() {
        return Err(refused(
            job,
            "no report of passel: it has no field `passel`",
        ));
    }
    Outcome::read(json).map_err(no_report)
}

/// A report of one response and criterion, and its model.
type ReportModel<'r> = (&'r Selection, Model);

/// The models of a report, with the reports they are of, and what is said of those that are not there.
fn models<'r>(
    outcome: &'r Outcome,
    job: &PredictionJob,
) -> Result<(Vec<ReportModel<'r>>, Vec<String>), RunError> {
    let mut warnings = Vec::new();
    let all: Vec<&Selection> = match outcome {
        Outcome::Selection(own) => vec![own],
        Outcome::Responses(own) => {
            if !own.failed.is_empty() {
                let names = own.failed.iter().map(|own| &*own.response);
                warnings.push(format!("the report has no model of {}", list(names)));
            }
            own.responses.iter().collect()
        }
        Outcome::Ranking(_)
        | Outcome::Pairs(_)
        | Outcome::Stability(_)
        | Outcome::Validation(_) => {
            let reason = "no regression model, so that it predicts nothing: `passel select` without a selector makes one";
            return Err(refused(job, reason));
        }
    };
    let all = all.into_iter();
    let all = all.flat_map(|own| std::iter::once(own).chain(&own.by_other_criteria));
    let models = all.map(|own| match own.prediction_model() {
        Ok(mut model) => {
            if let Some((link, warning)) = link_of_plugin(own, &model, job)? {
                model.plugin_link = Some(link);
                let warning = warning.filter(|own| !warnings.contains(own));
                warnings.extend(warning);
            }
            Ok((own, model))
        }
        Err(reason) => Err(refused(job, reason)),
    });
    let models = models.collect::<Result<Vec<_>, RunError>>()?;
    match models.is_empty() {
        true => Err(refused(job, "no model of any response")),
        false => Ok((models, warnings)),
    }
}

/// The link of a plugin's family that is none of passel's, by which a model predicts, and what is said of its library.
fn link_of_plugin(
    report: &Selection,
    model: &Model,
    job: &PredictionJob,
) -> Result<Option<(Link, Option<String>)>, RunError> {
    let Some(spec) = model.plugin_family.as_ref() else {
        return Ok(None);
    };
    if Link::named(&model.link).is_some() {
        return Ok(None);
    }
    let wrong = |error: &dyn Display| {
        let link = &model.link;
        refused(
            job,
            format!(
                "its model has the link {link} of the family {spec}: {error}; name its library with --plugins"
            ),
        )
    };
    let plugins = Plugins::find(&job.data.plugins).map_err(|error| wrong(&error))?;
    let family = plugins.family(spec).map_err(|error| wrong(&error))?;
    let fitted = report.family.as_ref();
    let fitted = fitted.and_then(|own| own.response.of_plugin.as_ref());
    let fitted = fitted.and_then(|own| own.parameters.get("plugin_sha256"));
    let warning = match (fitted.and_then(Value::as_str), &family.sha256) {
        (Some(fitted), Some(found)) if fitted != found => {
            let library = family.library.display();
            Some(format!(
                "the family {spec} is that of {library}, which is not the library that the model was fitted with: its SHA-256 is \
                 {found}, and was {fitted}"
            ))
        }
        _ => None,
    };
    let family = Family::new(family.value, None).map_err(|error| wrong(&error))?;
    match family.link().name() == model.link {
        true => Ok(Some((family.link(), warning))),
        false => Err(wrong(&format!("there the link is {}", family.link()))),
    }
}

/// Reads the data: columns that are factors of a model as text, and of genotypes the variants that it has alone.
fn read_data(job: &PredictionJob, models: &[ReportModel]) -> Result<Table, RunError> {
    let data = &job.data;
    let columns = || models.iter().flat_map(|(_, model)| &model.columns);
    let of_factors = columns().filter(|own| own.is_factor());
    let mut factors: Vec<String> = of_factors.map(|own| own.name.clone()).collect();
    factors.sort_unstable();
    factors.dedup();
    let mut names: Vec<String> = columns().map(|own| own.name.clone()).collect();
    let has_variants = columns().any(|own| own.alleles.is_some());
    if data.table.is_none() && has_variants && table::is_genotypes(&data.data) {
        // The lines of a million variants are parsed once: what is wrong is told below, by the names of all.
        let read = read_columns(job, models, (Some(names.clone()), &factors));
        if let Ok(table) = read
            && let all = models.iter().map(|own| &own.1)
            && all
                .map(|own| own.check_columns(&table, &job.options))
                .all(|own| own.is_ok())
        {
            return Ok(table);
        }
    }
    let header = match &data.table {
        Some(table) => Some(Cow::Borrowed(&**table)),
        None => table::read_header(&data.data, &read_options(data))?.map(Cow::Owned),
    };
    let Some(header) = header else {
        return read_columns(job, models, (None, &[]));
    };
    // What is not there is told before the data are read.
    for (_, model) in models {
        model.check_columns(&header, &job.options)?;
    }
    let there: HashSet<&str> = header.columns.iter().map(|own| &*own.name).collect();
    factors.retain(|name| there.contains(name.as_str()));
    if !has_variants {
        // A file of genotypes has at least one.
        names.extend(header.columns.last().map(|own| own.name.clone()));
    }
    read_columns(job, models, (Some(names), &factors))
}

/// Reads the data with some columns as factors, and of genotypes the variants of these names.
fn read_columns(
    job: &PredictionJob,
    models: &[ReportModel],
    (names, factors): (Option<Vec<String>>, &[String]),
) -> Result<Table, RunError> {
    let data = &job.data;
    let mut cohort = data.cohort.clone();
    cohort.names = names.or(cohort.names);
    let columns = models.iter().flat_map(|(_, model)| &model.columns);
    let mut encodings = columns.filter_map(|own| own.alleles.as_ref());
    if let Some(alleles) = encodings.next() {
        cohort.encoding = GenotypeEncoding::named(&alleles.encoding).unwrap_or_default();
    }
    let own = read_options(data);
    let options = ReadOptions {
        factors,
        has_kinds: true,
        // Tables that are no genotypes are told of nothing else.
        cohort: own.cohort.map(|_| &cohort),
        ..own
    };
    Ok(match &data.table {
        Some(table) => Table::clone(table).read_by(&options)?,
        None => table::read(&data.data, &options)?,
    })
}
