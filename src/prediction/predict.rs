//! A model and a table → predictions.

use super::{
    Equation, Model, PredictionError, PredictionOptions, Predictions,
    combine::{Part, combine},
    inputs::{Finder, Inputs},
    intervals::OnScale,
    units,
};
use crate::{nearest::plural, table::Table, vector::add_scaled};

/// The share of the weight of all models met that is worth no word.
const MOST_OF_WEIGHT: f64 = 0.95;

/// Variables at their values less their centers, by variable of a model; none of those that are not used.
type Centered = Vec<Option<Vec<f64>>>;

impl Model {
    /// Predicts the rows of a table, by the names of its columns; those that the model does not use may be any.
    ///
    /// *Units:* those of the response, unless the scale is that of the link.
    ///
    /// # Errors
    /// A column that is not there or of another kind, a level that the fit did not have, alleles that are others, what a
    /// formula cannot make of any row; weights below 0; intervals that there are none of.
    ///
    /// ```
    /// use passel::{Design, Table, criteria::Bic, prediction::{IntervalKind, Model, PredictionOptions}};
    ///
    /// let x: Vec<f64> = (0..20).map(f64::from).collect();
    /// let y: Vec<f64> = (0..20).map(|row| 3.0 + 2.0 * f64::from(row) + f64::from(row * 7 % 5)).collect();
    /// let table = Table::from_columns([("y", y.into()), ("x", x.into())])?;
    /// let options = passel::design::DesignOptions { response: Some("y"), ..Default::default() };
    /// let design = Design::from_table(table, &options)?;
    /// let selection = passel::select(&design, &Bic, &Default::default())?;
    /// let model: Model = selection.model.unwrap();
    /// let new = Table::from_columns([("x", vec![25.0, f64::NAN].into())])?;
    /// let options = PredictionOptions { interval: IntervalKind::Mean, ..Default::default() };
    /// let predicted = model.predict(&new, &options)?;
    /// assert!(predicted.mean[0][0] < predicted.fit[0] && predicted.fit[0] < predicted.mean[0][1]);
    /// assert_eq!(predicted.missing, [1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn predict(
        &self,
        table: &Table,
        options: &PredictionOptions,
    ) -> Result<Predictions, PredictionError> {
        let equations = self.equations(options)?;
        self.check(&equations, options)?;
        let mut used = vec![false; self.variables.len()];
        let places = equations.iter().flat_map(|own| &own.variables);
        places.for_each(|at| used[*at] = true);
        let columns = self.used_columns(&used);
        let mut names: Vec<&str> = self.columns.iter().map(|own| &*own.name).collect();
        names.extend(self.strata.as_deref());
        names.extend(
            self.offset
                .as_deref()
                .into_iter()
                .chain(self.weights.as_deref()),
        );
        let finder = Finder::of(table, &names);
        let mut inputs = Inputs::of(self, &columns, (table, &finder), options.unknown_levels)?;
        let mut offset = vec![0.0; table.rows];
        if let Some(name) = &self.offset {
            let values = finder.numbers(name)?;
            inputs.note(values.iter().map(|x| !x.is_nan()), name);
            offset.copy_from_slice(&values);
        }
        let strata = self.strata((table, &finder), options, &mut inputs)?;
        let mut predictions = Predictions {
            rows: table.rows,
            warnings: self.cautions(&inputs, &columns),
            ..Predictions::default()
        };
        let weights = self.observation_weights(&finder, options, &mut predictions)?;
        let x = match inputs.fill() {
            true => self.centered(&used, &mut inputs, options, table, &mut offset)?,
            false => vec![None; self.variables.len()],
        };
        let is_known = inputs.known.iter().enumerate();
        predictions.warnings.extend(share_of_average(&equations));
        predictions.missing = is_known
            .filter(|(_, known)| !**known)
            .map(|(row, _)| row)
            .collect();
        predictions.warnings.extend(inputs.lacking.sentences());
        let parts: Vec<Part> = equations
            .iter()
            .map(|equation| self.part(equation, &x, (&inputs.known, &offset), options))
            .collect();
        let on_scale = OnScale::of(self, options);
        match self.levels.is_empty() {
            true => combine(&on_scale, &parts, &weights, options, &mut predictions),
            false => self.of_levels(&parts, options, &mut predictions),
        }
        self.add_survival((&parts, &strata), &x, options, &mut predictions);
        Ok(predictions)
    }

    /// Which columns some variables are made of; those of a formula's offsets are always.
    pub(super) fn used_columns(&self, used: &[bool]) -> Vec<bool> {
        let mut columns = vec![false; self.columns.len()];
        let variables = || self.variables.iter().zip(used).filter(|(_, used)| **used);
        for at in variables().filter_map(|(own, _)| own.column) {
            columns[at] = true;
        }
        if let Some(formula) = &self.formula {
            let places: Vec<usize> = variables().filter_map(|(own, _)| own.formula).collect();
            for name in formula.inputs(&places).chain(formula.inputs_of_offsets()) {
                let at = self.columns.iter().position(|own| own.name == name);
                at.into_iter().for_each(|at| columns[at] = true);
            }
        }
        columns
    }

    /// Cautions about the columns.
    fn cautions(&self, inputs: &Inputs, used: &[bool]) -> Vec<String> {
        let columns = self.columns.iter().enumerate().filter(|(at, _)| used[*at]);
        let mut all: Vec<String> = columns
            .filter_map(|(at, own)| units::caution(own, inputs.number_column(at)?))
            .collect();
        all.extend(self.extrapolation(inputs, used));
        if inputs.replaced > 0 {
            let (count, s) = (inputs.replaced, plural(inputs.replaced));
            all.push(format!(
                "{count} missing value{s} replaced by the mean of the column where the model was fitted"
            ));
        }
        all
    }

    /// The weight of each row, by which a new observation scatters less; empty where all are 1.
    fn observation_weights(
        &self,
        finder: &Finder,
        options: &PredictionOptions,
        predictions: &mut Predictions,
    ) -> Result<Vec<f64>, PredictionError> {
        let Some(name) = self.weights.as_deref() else {
            return Ok(Vec::new());
        };
        if !options.interval.has_observation() {
            return Ok(Vec::new());
        }
        if finder.get(name).is_none() {
            predictions.warnings.push(format!(
                "new observations count with the weight 1, as the column of weights, {name}, is not there"
            ));
            return Ok(Vec::new());
        }
        let weights = finder.numbers(name)?;
        if let Some(row) = weights.iter().position(|own| *own < 0.0) {
            return Err(PredictionError::NegativeWeight {
                path: finder.source().to_owned(),
                name: name.to_owned(),
                weight: weights[row],
                row: row + 1,
            });
        }
        let has_scatter = |own: &&f64| **own > 0.0;
        let without = weights.len() - weights.iter().filter(has_scatter).count();
        if without > 0 {
            let first = weights.iter().position(|own| !has_scatter(&own));
            let (row, s) = (first.unwrap_or_default() + 1, plural(without));
            let have = if without == 1 { "has" } else { "have" };
            predictions.warnings.push(format!(
                "{without} row{s} {have} no interval of a new observation, as the weight in column {name} is 0 or missing: the first is row {row}"
            ));
        }
        let positive = weights
            .iter()
            .map(|own| if *own > 0.0 { *own } else { f64::NAN });
        Ok(positive.collect())
    }

    /// The variables that are used, less their centers; the offset of the formula is added to the other one. Rows of which a formula
    /// makes no number, or whose levels it does not know, where options say so, are noted as lacking that.
    fn centered(
        &self,
        used: &[bool],
        inputs: &mut Inputs,
        options: &PredictionOptions,
        table: &Table,
        offset: &mut [f64],
    ) -> Result<Centered, PredictionError> {
        let places: Vec<usize> = self
            .variables
            .iter()
            .zip(used)
            .filter_map(|(own, used)| own.formula.filter(|_| *used))
            .collect();
        let mut made = Vec::new();
        if let Some(formula) = &self.formula {
            let unknown = options.unknown_levels;
            let made_of = Self::formula_columns(formula, &places, inputs, unknown, table)?;
            let Some(both) = made_of else {
                return Ok(vec![None; self.variables.len()]);
            };
            if let Some(own) = &both.1 {
                add_scaled(offset, 1.0, own);
            }
            made = both.0;
        }
        let mut made = made.into_iter();
        let variables = self.variables.iter().zip(used).map(|(own, used)| {
            if !used {
                return Ok(None);
            }
            let values = match own.column {
                Some(at) => inputs.values(at, own.level.as_deref()),
                None => made.next(),
            };
            let Some(mut values) = values else {
                let what = format!("the variable {} is made of nothing", own.name);
                return Err(PredictionError::Damaged { what });
            };
            values.iter_mut().for_each(|x| *x -= own.center);
            Ok(Some(values))
        });
        variables.collect()
    }

    /// What one equation says.
    fn part<'m>(
        &self,
        equation: &'m Equation,
        x: &Centered,
        (known, offset): (&[bool], &[f64]),
        options: &PredictionOptions,
    ) -> Part<'m> {
        let rows = known.len();
        // Of levels without order each but the baseline has a linear predictor.
        let has_classes = !self.levels.is_empty() && self.family == "multinomial";
        let count = match has_classes {
            true => self.levels.len() - 1,
            false => 1,
        };
        let constant = equation.constant.unwrap_or_default();
        let mut etas = vec![vec![constant; rows]; count];
        for (at, b) in equation.variables.iter().zip(&equation.coefficients) {
            let class = self.variables[*at].class.map_or(0, |class| class - 1);
            let Some(values) = &x[*at] else { continue };
            add_scaled(&mut etas[class], *b, values);
        }
        for eta in &mut etas {
            for ((eta, offset), known) in eta.iter_mut().zip(offset).zip(known) {
                *eta = if *known { *eta + offset } else { f64::NAN };
            }
        }
        let wants_errors = options.interval.has_mean() || options.interval.has_observation();
        let has_errors = wants_errors && equation.omitted.is_none();
        let columns: Vec<Option<&[f64]>> = equation
            .variables
            .iter()
            .map(|at| x[*at].as_deref())
            .collect();
        let error = |row: usize| {
            if !known[row] {
                return f64::NAN;
            }
            let values = columns.iter().map(|own| own.map_or(0.0, |own| own[row]));
            equation.variance(&values.collect::<Vec<_>>()).sqrt()
        };
        let errors = match has_errors {
            true => (0..rows).map(error).collect(),
            false => vec![f64::NAN; rows],
        };
        Part {
            equation,
            etas,
            errors,
        }
    }
}

/// What is said of an average over models that have a part of the weight alone.
fn share_of_average(equations: &[&Equation]) -> Option<String> {
    let weights = equations.iter().filter_map(|own| own.weight);
    let share: f64 = weights.sum();
    let count = equations.len();
    (count > 1 && share < MOST_OF_WEIGHT).then(|| {
        format!(
            "the {count} models of the average have together {share:.3} of the weight of all models met"
        )
    })
}
