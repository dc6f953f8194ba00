//! The rules of an earlier report: written as its field `binning`, read back, applied.

use std::{
    collections::{HashMap, HashSet},
    fs, io,
    path::Path,
};

use serde::{Deserialize, Serialize};

use super::{BinnedColumn, BinnedColumns, Binning, BinningError, MOST_LEVELS, MissingCode, Rule};
use crate::{
    nearest::nearest,
    table::{MISSING_BYTE, Values},
    whole_file::read_small,
};

/// How the columns of a selection were binned; its JSON is the report's field `binning`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SavedBinning {
    /// The candidates' rule, as `--binning` takes it.
    #[serde(default)]
    pub rule: String,
    /// The response's rule, as `--bin-response` takes it.
    #[serde(default)]
    pub response_rule: String,
    /// The candidates, in the file's order.
    pub columns: Vec<SavedRule>,
    /// The rule of the response, which a file written by hand may omit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<SavedRule>,
}

/// The rule of one column, as a report saves it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SavedRule {
    /// The column.
    pub name: String,
    /// The rule, as `edges`, `numbers` or `texts`.
    #[serde(flatten)]
    pub rule: Rule,
    /// The code of missing values, where they have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<u16>,
}

impl SavedBinning {
    /// The rules of binned columns, with the rules that were asked for.
    pub fn of(columns: &BinnedColumns, binning: &Binning, bin_response: &Binning) -> Self {
        Self {
            rule: binning.to_string(),
            response_rule: bin_response.to_string(),
            columns: columns.columns.iter().map(SavedRule::of).collect(),
            response: Some(SavedRule::of(&columns.response)),
        }
    }
}

impl SavedRule {
    fn of(column: &BinnedColumn) -> Self {
        Self {
            name: column.name.clone(),
            rule: column.rule.clone(),
            missing: column.missing.map(MissingCode::code),
        }
    }

    fn fault(&self) -> Option<&'static str> {
        match &self.rule {
            Rule::Edges(edges) if !edges.is_sorted() => Some("its edges do not ascend"),
            Rule::Numbers(levels) if !levels.is_sorted_by(|a, b| a < b) => {
                Some("its numbers do not ascend, each once")
            }
            Rule::Texts(levels) if levels.iter().collect::<HashSet<_>>().len() < levels.len() => {
                Some("a text is there twice")
            }
            rule if self
                .missing
                .is_some_and(|code| usize::from(code) != rule.levels()) =>
            {
                Some("the code of missing values is the number of its other levels")
            }
            rule => match rule.levels() + usize::from(self.missing.is_some()) {
                ..=MOST_LEVELS => None,
                _ => Some("it has more than 65536 levels"),
            },
        }
    }
}

/// The field of a report that holds the rules.
#[derive(Deserialize)]
struct SavedReport {
    binning: Option<SavedBinning>,
}

/// The rules of a file, by column.
pub(super) struct SavedRules {
    /// Its path as given, for messages.
    pub(super) file: String,
    rules: HashMap<String, SavedRule>,
}

impl SavedRules {
    /// Reads the rules of a JSON report, or of a file that holds its field `binning` alone.
    pub(super) fn read(path: &Path) -> Result<Self, BinningError> {
        let file = path.display().to_string();
        let no_file = |fault, source: io::Error| BinningError::File {
            file: file.clone(),
            fault,
            source,
        };
        // What no writer opens would be waited for.
        let is_stream = |metadata: &fs::Metadata| !metadata.is_file() && !metadata.is_dir();
        let text = match fs::metadata(path).is_ok_and(|metadata| is_stream(&metadata)) {
            true => Err(io::Error::other("it is not a regular file")),
            false => read_small(path),
        };
        let text = text.map_err(|error| no_file("cannot be read", error))?;
        let found =
            serde_json::from_slice(&text).and_then(|report: SavedReport| match report.binning {
                Some(binning) => Ok(binning),
                None => serde_json::from_slice(&text),
            });
        let saved = found.map_err(|error| {
            let neither = "neither a JSON report that has a `binning` nor such a binning itself";
            no_file(neither, error.into())
        })?;
        let mut rules = HashMap::new();
        for rule in saved.columns.into_iter().chain(saved.response) {
            let name = rule.name.clone();
            let fault = match rules.contains_key(&name) {
                true => Some("another column has that name"),
                false => rule.fault(),
            };
            if let Some(fault) = fault {
                return Err(BinningError::Saved { file, name, fault });
            }
            rules.insert(name, rule);
        }
        Ok(Self { file, rules })
    }

    /// The rule of a column of the table, and the code of its missing values.
    pub(super) fn of(
        &self,
        table: &str,
        name: &str,
        values: &Values,
    ) -> Result<(Rule, Option<usize>), BinningError> {
        let at_fault = || (table.to_owned(), self.file.clone(), name.to_owned());
        let Some(saved) = self.rules.get(name) else {
            let mut names: Vec<&str> = self.rules.keys().map(String::as_str).collect();
            names.sort_unstable();
            let nearest = nearest(name, names).map(str::to_owned);
            let (table, file, name) = at_fault();
            return Err(BinningError::NoSavedRule {
                table,
                file,
                name,
                nearest,
            });
        };
        let text = matches!(values, Values::Factor { .. });
        // Where every value is missing the file does not tell text from numbers.
        let numbers = match values {
            Values::Numbers(values) => values.iter().any(|value| !value.is_nan()),
            Values::Sparse { .. } | Values::Bytes(_) => true,
            Values::Gapped(values) => values.iter().any(|value| *value != MISSING_BYTE),
            Values::Genotypes(genotypes) => genotypes.missing() < genotypes.len(),
            Values::Factor { .. } | Values::Remote => false,
        };
        match &saved.rule {
            Rule::Texts(_) if !numbers => {}
            Rule::Numbers(_) | Rule::Edges(_) if !text => {}
            _ => {
                let (table, file, name) = at_fault();
                return Err(BinningError::Kind {
                    table,
                    file,
                    name,
                    text,
                });
            }
        }
        Ok((saved.rule.clone(), saved.missing.map(usize::from)))
    }
}
