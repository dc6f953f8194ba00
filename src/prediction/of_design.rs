//! A model taken from a design and the fit of a selection.

use std::collections::{HashMap, HashSet};

use super::{Alleles, Equation, HazardCurve, MODEL_VERSION, Model, ModelColumn, ModelVariable};
use crate::{
    design::Design,
    family::{Link, PluginFamily},
    formula::{FormulaError, LearntColumns},
    least_squares::Fit,
    sandwich::Sandwich,
    table::Values,
};

impl Model {
    /// The model of a fit on a design: what it predicts is what the fit says of any data. Of an `exact` fit the residuals are
    /// rounding. `met` are the fits of models with their weights, by which it can predict on average; the first is that of
    /// the model itself.
    ///
    /// # Errors
    /// A part of the formula whose text is not read back as it is.
    pub fn of(
        design: &Design,
        fit: &Fit,
        exact: bool,
        met: &[(f64, (&Fit, bool))],
    ) -> Result<Self, FormulaError> {
        let sandwich = Sandwich::of(design, fit, exact);
        Self::by_sandwich(design, (fit, exact), sandwich.as_ref(), met)
    }

    /// The same where the robust covariances of the fit are known.
    pub(crate) fn by_sandwich(
        design: &Design,
        (fit, exact): (&Fit, bool),
        sandwich: Option<&Result<Sandwich, &'static str>>,
        met: &[(f64, (&Fit, bool))],
    ) -> Result<Self, FormulaError> {
        let others = met.iter().flat_map(|(_, (own, _))| own.support());
        let mut all: Vec<u32> = fit.support().iter().chain(others).copied().collect();
        all.sort_unstable();
        all.dedup();
        let places: HashMap<u32, usize> = all.iter().copied().zip(0..).collect();
        let place = |j: &u32| places.get(j).copied().unwrap_or_default();
        let candidates = candidates(design, &all);
        let formula = design.learnt_columns(&candidates)?;
        let columns = match &formula {
            Some(formula) => inputs_of_formula(design, formula),
            None => inputs(design, &all),
        };
        let mut model = Self {
            version: MODEL_VERSION,
            response: design.response().name.clone(),
            family: "gaussian".to_owned(),
            link: "identity".to_owned(),
            plugin_family: None,
            plugin_link: None,
            levels: design.response_levels().to_vec(),
            offset: design.offset_column().map(str::to_owned),
            weights: design.weights().map(str::to_owned),
            strata: design.survival_columns()[2].clone(),
            variables: variables(
                design,
                &all,
                &columns,
                formula.as_ref().map(|_| &*candidates),
            ),
            columns,
            formula,
            equation: Equation::of(design, fit, exact, sandwich, place),
            met: Vec::new(),
        };
        if let Some(likelihood) = design.likelihood() {
            let family = likelihood.response().family();
            model.family = family.distribution().name().to_owned();
            model.link = family.link().name().to_owned();
            model.plugin_family = family.distribution().plugin().map(PluginFamily::spec);
            model.plugin_link = matches!(family.link(), Link::Plugin(_)).then(|| family.link());
        }
        if let Some(family) = fit.family() {
            model.equation.hazards = HazardCurve::all(design, fit, family, true);
        }
        let hazards = |fit: &Fit| {
            let family = fit.family();
            family.map_or(Vec::new(), |own| HazardCurve::all(design, fit, own, false))
        };
        let met = met.iter().map(|(weight, (other, exact))| {
            let equation = match std::ptr::eq(*other, fit) {
                true => model.equation.clone(),
                false => {
                    let sandwich = Sandwich::of(design, other, *exact);
                    Equation::of(design, other, *exact, sandwich.as_ref(), place)
                }
            };
            Equation {
                weight: Some(*weight),
                hazards: hazards(other),
                ..equation
            }
        });
        model.met = met.collect();
        Ok(model)
    }
}

/// The first of the variables of each candidate, which has several where the response has levels without order.
fn candidates(design: &Design, all: &[u32]) -> Vec<u32> {
    let mut seen = HashSet::new();
    let key = |j: &u32| {
        let variable = &design.variables()[*j as usize];
        (
            variable.index,
            variable.column().to_owned(),
            variable.level.clone(),
        )
    };
    all.iter()
        .copied()
        .filter(|j| seen.insert(key(j)))
        .collect()
}

/// The columns of the data that a formula is made of.
fn inputs_of_formula(design: &Design, formula: &LearntColumns) -> Vec<ModelColumn> {
    let all: Vec<usize> = (0..formula.names().count()).collect();
    let mut columns: Vec<ModelColumn> = Vec::new();
    for name in formula.inputs(&all).chain(formula.inputs_of_offsets()) {
        if columns.iter().any(|own| own.name == name) {
            continue;
        }
        let Some(column) = design.formula_input(name) else {
            continue;
        };
        columns.push(match &column.values {
            Values::Factor { levels, .. } => ModelColumn::of_levels(name, levels),
            // All columns of the table are of as many rows; sparse ones do not say so themselves.
            values => {
                let numbers = values.numbers(design.formula_rows());
                ModelColumn::of_numbers(name, &numbers.unwrap_or_default())
            }
        });
    }
    columns
}

/// The columns of the data that variables are, or are dummies of.
fn inputs(design: &Design, variables: &[u32]) -> Vec<ModelColumn> {
    let mut columns: Vec<ModelColumn> = Vec::new();
    for j in variables {
        let variable = &design.variables()[*j as usize];
        let (name, heterozygotes) = design.source_of(*j);
        let is_same = |own: &ModelColumn| own.name == name && own.heterozygotes == heterozygotes;
        if columns.iter().any(is_same) {
            continue;
        }
        if variable.level.is_some() {
            let factor = design.factors().iter().find(|own| own.name == name);
            let levels = factor.map_or(&[][..], |own| &own.levels);
            columns.push(ModelColumn::of_levels(name, levels));
            continue;
        }
        columns.push(ModelColumn {
            missing: design.missing_value(*j),
            alleles: design.locus(*j).map(|(own, encoding)| Alleles {
                counted: own.counted_allele,
                other: own.other_allele,
                encoding: encoding.name().to_owned(),
            }),
            heterozygotes,
            ..ModelColumn::of_numbers(name, &design.original_values(*j))
        });
    }
    columns
}

fn variables(
    design: &Design,
    all: &[u32],
    columns: &[ModelColumn],
    of_formula: Option<&[u32]>,
) -> Vec<ModelVariable> {
    let place = |(name, heterozygotes): (&str, bool)| {
        let is_same = |own: &ModelColumn| own.name == name && own.heterozygotes == heterozygotes;
        columns.iter().position(is_same)
    };
    let variables = all.iter().map(|j| {
        let is_same = |other: &u32| {
            let [own, other] = [j, other].map(|j| &design.variables()[*j as usize]);
            own.index == other.index && own.column() == other.column()
        };
        let variable = &design.variables()[*j as usize];
        let class = variable.class.as_deref();
        let class = class.and_then(|own| design.response_levels().iter().position(|l| l == own));
        ModelVariable {
            name: variable.name.clone(),
            column: place(design.source_of(*j)).filter(|_| of_formula.is_none()),
            level: variable.level.as_deref().map(str::to_owned),
            formula: of_formula.and_then(|all| all.iter().position(is_same)),
            class,
            center: variable.mean,
        }
    });
    variables.collect()
}
