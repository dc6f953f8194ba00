//! Options of genotypes: the tables beside them, and where variants lie.

use super::{Job, OptionError, Responses, path_text::to_path, raw_values::RawValues};
use crate::table::{BesidePeople, ChromosomeRange, csv_field, split_names};

impl RawValues<'_> {
    /// A table beside people, with the columns that are used: `FILE`, `FILE:A,B`.
    pub(super) fn beside_people(&self) -> Result<BesidePeople, OptionError> {
        let text = self.text()?;
        let whole = || BesidePeople {
            path: to_path(&text),
            columns: Vec::new(),
            also: Vec::new(),
        };
        let Some((path, names)) = text.rsplit_once(':') else {
            return Ok(whole());
        };
        // A name of a file may hold a colon.
        if to_path(&text).exists() {
            return Ok(whole());
        }
        let names = split_names(names).map_err(|reason| {
            OptionError::new(
                self.option.name,
                format!("{} = {text}: {reason}", self.option.name),
            )
        })?;
        if path.is_empty() || names.iter().any(String::is_empty) {
            return Err(self.must_be(&text, "FILE, or FILE:NAME"));
        }
        Ok(BesidePeople {
            path: to_path(path),
            columns: names,
            also: Vec::new(),
        })
    }

    /// A part of a chromosome: `6:25000000-35000000`.
    pub(super) fn chromosome_range(&self) -> Result<ChromosomeRange, OptionError> {
        let text = self.text()?;
        let parts = || {
            let (chromosome, places) = text.trim().rsplit_once(':')?;
            let (from, to) = places.split_once('-')?;
            let range = ChromosomeRange {
                chromosome: chromosome.to_owned(),
                from: from.trim().parse().ok()?,
                to: to.trim().parse().ok()?,
            };
            (!chromosome.is_empty() && range.from <= range.to).then_some(range)
        };
        parts().ok_or_else(|| self.out_of_range())
    }

    /// A share up to a largest one.
    pub(super) fn share(&self, most: f64) -> Result<f64, OptionError> {
        self.number(|value| (0.0..=most).contains(&value))
    }
}

/// Lets the table of phenotypes and the response name the same columns.
///
/// # Errors
/// Both name some.
pub(super) fn take_phenotypes(job: &mut Job) -> Result<(), OptionError> {
    let kind = &job.kind;
    let also = kind.columns().chain(&job.weights).cloned().collect();
    let response = job.response.clone().or_else(|| kind.time.clone());
    let Some(phenotype) = &mut job.cohort.phenotype else {
        return Ok(());
    };
    phenotype.also = also;
    match (&phenotype.columns[..], response) {
        ([], None) => {}
        ([], Some(response)) => {
            phenotype.columns = split_names(&response).unwrap_or_else(|_| vec![response]);
        }
        ([name], None) => job.response = Some(csv_field(name).into()),
        (names, None) if job.responses.is_none() => {
            job.responses = Some(Responses::Columns(names.to_vec()));
        }
        (names, None) => {
            let message = format!(
                "phenotype names {}, and responses a table",
                names.join(", ")
            );
            return Err(OptionError::new("phenotype", message).help("leave one of them out"));
        }
        (names, Some(response)) => {
            let message = format!(
                "phenotype names the response {}, and response = {response}",
                names.join(", ")
            );
            return Err(OptionError::new("phenotype", message).help("leave one of them out"));
        }
    }
    Ok(())
}
