//! The models of one split, and what they predict of the rows that are held out.

use std::collections::{BTreeMap, HashSet};

use super::{RunError, neighbours::Neighbours, pass::Model as Found};
use crate::{
    design::Design,
    family::{Distribution, FitStatus, Likelihood, Scatter},
    formula::FormulaError,
    least_squares::Fit,
    prediction::{Model, PredictionError, PredictionOptions, Predictions, Scale, UnknownLevels},
    search::{Pass, fit_kept},
    table::Table,
    validation::{Observed, Predicted, Response, Split, Splits},
};

/// Sizes of models that are judged at most, and numbers that their predictions may be together.
const SIZES: usize = 40;
const PREDICTIONS: usize = 20_000_000;

/// Columns of a full model at most, and the operations of its fit.
const FULL_COLUMNS: usize = 500;
const FULL_WORK: usize = 1_000_000_000;

/// About how many passes the fit of a likelihood takes.
const STEPS: usize = 8;

/// What was found in one split.
pub(super) struct SplitResult {
    pub(super) split: Split,
    /// The rows judged, of those held out.
    pub(super) rows: Vec<usize>,
    /// By criterion.
    pub(super) selected: Vec<Selected>,
    pub(super) null: Predicted,
    pub(super) full: Option<Predicted>,
    /// By the number of terms chosen.
    pub(super) by_size: BTreeMap<usize, Predicted>,
    pub(super) notes: Vec<String>,
    pub(super) devices: Vec<String>,
}

/// What one criterion selected in a split.
pub(super) struct Selected {
    /// The terms chosen, without those kept.
    pub(super) terms: Vec<String>,
    pub(super) predicted: Predicted,
}

/// The names of the terms of a model, without those that all models hold.
pub(super) fn chosen_terms(found: &Found) -> Vec<String> {
    let design = &found.design;
    let members = found.found.fit.members().into_iter();
    let chosen = members.filter(|term| design.keep().binary_search(term).is_err());
    chosen
        .map(|term| design.term_name(term).to_owned())
        .collect()
}

/// How many sizes of models are judged.
pub(super) fn most_sizes(n: usize, splits: &Splits) -> usize {
    SIZES.min(PREDICTIONS / (n * splits.repeats()).max(1))
}

/// A model of the rows of a split.
#[derive(Clone)]
pub(super) enum SplitModel {
    Regression(Box<Model>),
    Neighbours(Neighbours),
}

fn of_formula(error: FormulaError) -> RunError {
    let path = "the formula".to_owned();
    PredictionError::Formula {
        path,
        source: error,
    }
    .into()
}

impl SplitModel {
    fn of(design: &Design, fit: &Fit, exact: bool) -> Result<Self, RunError> {
        Model::of(design, fit, exact, &[])
            .map(|own| Self::Regression(Box::new(own)))
            .map_err(of_formula)
    }

    /// What a search selected, with the estimates of its report.
    pub(super) fn selected(found: &Found) -> Result<Self, RunError> {
        found
            .found
            .model(&found.design)
            .map(|own| Self::Regression(Box::new(own)))
            .map_err(of_formula)
    }

    /// What it says of the rows of a table.
    pub(super) fn predict(&self, table: &Table) -> Result<HeldOutRows, RunError> {
        let model = match self {
            Self::Regression(model) => model,
            Self::Neighbours(own) => {
                return Ok(HeldOutRows {
                    predictions: own.predict(table),
                    // Neighbours say a mean, and no distribution about it.
                    scatter: Scatter {
                        dispersion: f64::NAN,
                        theta: f64::NAN,
                    },
                });
            }
        };
        let options = PredictionOptions {
            // Hazards are relative ones.
            scale: match model.family == Distribution::Cox.name() {
                true => Scale::Link,
                false => Scale::Response,
            },
            unknown_levels: UnknownLevels::Missing,
            ..PredictionOptions::default()
        };
        Ok(HeldOutRows {
            predictions: model.predict(table, &options)?,
            scatter: Scatter {
                dispersion: model.equation.dispersion.unwrap_or(f64::NAN),
                theta: model.equation.theta.unwrap_or(f64::NAN),
            },
        })
    }
}

/// Some rows of a table, with those columns alone that models use.
pub(super) fn rows_for<'m>(
    models: impl Iterator<Item = &'m SplitModel>,
    table: &Table,
    rows: &[usize],
) -> Table {
    let mut names: HashSet<&str> = HashSet::new();
    for model in models {
        let model = match model {
            SplitModel::Regression(model) => model,
            SplitModel::Neighbours(own) => {
                names.extend(own.columns());
                continue;
            }
        };
        names.extend(model.columns.iter().map(|own| &*own.name));
        let others = [&model.offset, &model.weights, &model.strata];
        names.extend(others.into_iter().flatten().map(String::as_str));
    }
    some_columns(table, rows, |name| names.contains(name))
}

/// Some rows of some columns of a table.
pub(super) fn some_columns(
    table: &Table,
    rows: &[usize],
    is_wanted: impl Fn(&str) -> bool,
) -> Table {
    let columns = table.columns.iter();
    let columns = columns.filter(|column| is_wanted(&column.name));
    Table {
        source: table.source.clone(),
        columns: columns.map(|column| column.select_rows(rows)).collect(),
        rows: rows.len(),
        loci: table.loci.clone(),
        ..Table::default()
    }
}

/// What a model says of the rows that are held out.
pub(super) struct HeldOutRows {
    predictions: Predictions,
    scatter: Scatter,
}

impl HeldOutRows {
    /// The places of the rows that it does not predict, or whose observed level it does not know; `rows` are theirs among all.
    pub(super) fn unknown(&self, response: &Response, rows: &[usize]) -> Vec<usize> {
        let mut unknown = self.predictions.missing.clone();
        if let Observed::Levels { levels, codes } = &response.observed {
            let is_known = |level: &String| {
                let mut known = self.predictions.levels.iter();
                known.any(|own| own.level == *level)
            };
            let known: Vec<bool> = levels.iter().map(is_known).collect();
            let others = rows.iter().enumerate();
            let others = others.filter(|(_, at)| !known[codes[**at] as usize]);
            unknown.extend(others.map(|(place, _)| place));
        }
        unknown
    }

    /// What it says of some of the rows, by their places.
    pub(super) fn of(&self, response: &Response, places: &[usize]) -> Predicted {
        let of = |values: &[f64]| places.iter().map(|at| values[*at]).collect::<Vec<f64>>();
        let Observed::Levels { levels, .. } = &response.observed else {
            return Predicted {
                values: of(&self.predictions.fit),
                levels: Vec::new(),
                scatter: self.scatter,
            };
        };
        let probabilities = levels.iter().map(|level| {
            let mut known = self.predictions.levels.iter();
            let own = known.find(|own| own.level == *level);
            own.map_or_else(|| vec![0.0; places.len()], |own| of(&own.values))
        });
        Predicted {
            values: Vec::new(),
            levels: probabilities.collect(),
            scatter: self.scatter,
        }
    }
}

/// The model of the kept terms alone.
pub(super) fn null_model(design: &Design, pass: &Pass) -> Result<SplitModel, RunError> {
    let (_, fit) = fit_kept(design, pass)?;
    SplitModel::of(design, &estimated(design, fit), false)
}

/// The model of all terms, where these are few enough for the observations, and their fit is little work.
pub(super) fn full_model(design: &Design) -> Result<Option<SplitModel>, RunError> {
    let p = design.p();
    let passes = design.likelihood().map_or(1, |_| STEPS);
    let work = design.n().saturating_mul(p * p).saturating_mul(passes);
    match p > FULL_COLUMNS || work > FULL_WORK {
        true => Ok(None),
        false => model_of_all(design),
    }
}

/// The model of all terms, but for those that others explain; none where it leaves nothing open, or its fit does not end.
pub(super) fn model_of_all(design: &Design) -> Result<Option<SplitModel>, RunError> {
    let informative = design
        .likelihood()
        .map_or(design.n(), Likelihood::criterion_n);
    if design.p() + 1 >= informative {
        return Ok(None);
    }
    let x = design.columns();
    let terms: Vec<u32> = (0..x.term_count() as u32).collect();
    let (fit, _) = Fit::of(x, design.y(), &terms);
    let status = fit.family().map(|own| own.status());
    let is_fitted = status.is_none_or(|own| own != FitStatus::NotConverged);
    match is_fitted && fit.rss().is_finite() {
        true => SplitModel::of(design, &estimated(design, fit), false).map(Some),
        false => Ok(None),
    }
}

/// The best models of each size that a search met, by the number of terms chosen.
pub(super) fn models_by_size(
    found: &Found,
    most: usize,
) -> Result<BTreeMap<usize, SplitModel>, RunError> {
    let design = &found.design;
    let (x, y) = (design.columns(), design.y());
    let mut models = BTreeMap::new();
    for met in &found.found.front {
        let Some(size) = met.members.len().checked_sub(design.keep().len()) else {
            continue;
        };
        if size > most {
            break;
        }
        let fit = match design.likelihood() {
            Some(_) => Fit::of_near(x, y, &met.members, &found.found.fit),
            None => Fit::of(x, y, &met.members).0,
        };
        if fit.rss().is_finite() {
            let model = SplitModel::of(design, &estimated(design, fit), false)?;
            models.insert(size, model);
        }
    }
    Ok(models)
}

/// The fit whose coefficients a report has.
fn estimated(design: &Design, fit: Fit) -> Fit {
    match design.firth() {
        true => fit.by_firth(design.columns()),
        false => fit,
    }
}
