//! Table → design matrix and response, at unit norm.
//!
//! Every column is centred (with an intercept) and scaled to unit norm in f64, so that products of
//! columns are correlations and the intercept needs no column. Means and norms are stored, and
//! reports are on the original scale.

mod builder;
mod columns;
mod error;
mod expanded;
mod family;
mod formula;
mod formula_columns;
mod formula_data;
mod groups;
mod identifiers;
mod interactions;
mod levels;
mod matrices;
mod names;
mod options;
mod powers;
mod remote;
mod response;
pub(crate) mod size;
mod standardise;
mod term_plan;
mod terms;
mod variable;
mod weights;
mod wide;

use std::sync::Arc;

use crate::{
    family::{Distribution, Likelihood},
    interrupt::Interrupt,
    ranks::Communicator,
    table::{Column, Missing, Table, TrueVariable, Values},
};
use builder::DesignBuilder;
use family::BesideResponse;
pub use columns::Columns;
pub use error::DesignError;
pub(crate) use formula::FormulaDesign;
pub(crate) use formula_columns::check_formula;
pub use groups::Group;
use groups::gather;
pub(crate) use interactions::TermsOfColumns;
use levels::FormulaData;
pub(crate) use names::check_columns;
pub(crate) use names::has_reference;
use names::{NamedColumns, dummy_name};
pub use options::{DesignOptions, FormulaOptions, MatrixOptions, ResponseOptions};
use remote::RemoteColumns;
use term_plan::TermPlan;
pub use terms::{Hierarchy, Terms};
pub use variable::{FactorCoding, SetAside, Variable};
pub(crate) use wide::{WideFormula, WidePart};

/// Smallest number of observations: ln ln n is positive from 3 on.
const FEWEST_ROWS: usize = 3;

/// A warning of several factors without an intercept.
const NO_INTERCEPT: &str = "without an intercept the first factor has all its levels and the others lack one, so that \
                            the order of factors and their reference levels may decide what is chosen";

/// The design matrix and the response, both at unit norm.
///
/// With weights wᵢ at mean one, row i of both is multiplied by √wᵢ after the weighted means are
/// subtracted: least squares of these rows minimise Σ w (y − ŷ)², and norms and products of them
/// are the weighted ones.
///
/// *Shapes:* X is n × p, column-major; y has n values.
#[derive(Debug, Clone)]
pub struct Design {
    n: usize,
    /// The local columns, column-major.
    x: Vec<f64>,
    /// The columns of other ranks.
    remote: Option<Arc<RemoteColumns>>,
    y: Vec<f64>,
    variables: Vec<Variable>,
    response: Variable,
    terms: Option<Terms>,
    /// Whether the dummies of a factor are one term.
    is_whole: bool,
    /// The formula, if there is one, with its data.
    formula: Option<Arc<FormulaData>>,
    /// What it calls its terms; empty without one.
    term_names: Vec<String>,
    /// All terms of the formula, those of which nothing is a candidate among them; empty without one.
    formula_terms: Vec<String>,
    /// Which part of a formula it is that has too many terms; `None` if it is a whole one.
    wide: Option<WidePart>,
    keep: Vec<u32>,
    set_aside: Vec<SetAside>,
    factors: Vec<FactorCoding>,
    intercept: bool,
    weights: Option<String>,
    /// At mean one; empty where all observations count alike.
    weight_values: Vec<f64>,
    /// The mean of the weights as the file has them; 1 without weights.
    mean_weight: f64,
    /// Of each observation its row in the table; empty where none was left out.
    rows: Vec<usize>,
    p_total: Option<usize>,
    warnings: Vec<String>,
    truth: Vec<TrueVariable>,
    labels: Vec<String>,
    /// What models are fitted by; `None` for least squares.
    likelihood: Option<Arc<Likelihood>>,
    /// The columns of trials and of the offset.
    trials: Option<String>,
    offset: Option<String>,
}

impl Design {
    /// Takes the response and the weights out of a table, applies the missing-value policy,
    /// codes factors by dummies against a reference level, sets constant
    /// columns and exact duplicates aside, and brings the rest to unit norm.
    ///
    /// # Errors
    /// [`DesignError`] names the table, the column and the mend.
    pub fn from_table(table: Table, options: &DesignOptions) -> Result<Self, DesignError> {
        Self::from_partitioned_table(table, options, (None, &Interrupt::default()))
    }

    /// Makes the design of a table whose columns the ranks of a communicator partition, as
    /// [`read_partition`](crate::table::read_partition) reads it; without one it has all columns.
    ///
    /// # Errors
    /// As [`from_table`](Self::from_table), on all ranks alike; a lost rank; an interrupt.
    pub(crate) fn from_partitioned_table(
        table: Table,
        options: &DesignOptions,
        context: (Option<&Communicator>, &Interrupt),
    ) -> Result<Self, DesignError> {
        Self::made(table, options, context, None)
    }

    /// Makes the design of a table, whose columns may be those of a formula's terms.
    fn made(
        mut table: Table,
        options: &DesignOptions,
        (communicator, interrupt): (Option<&Communicator>, &Interrupt),
        plan: Option<TermPlan>,
    ) -> Result<Self, DesignError> {
        if let missing @ (Missing::Level | Missing::Pairwise) = options.missing {
            return Err(DesignError::MissingPolicy { missing });
        }
        let named = NamedColumns::of(&table, options, communicator.is_some())?;
        let NamedColumns {
            response,
            weights,
            trials,
            offset,
            references,
        } = named;
        let family = options.kind.family;
        let is_normal = family.distribution() == Distribution::Gaussian;
        let beside = [weights, trials, offset];
        let response_name = table.columns[response].name.clone();
        if let Some(at) = weights {
            weights::check(&table, at)?;
        }
        let width = table.columns.len();
        let mut warnings = std::mem::take(&mut table.warnings);
        let (truth, doubts) = table.true_variables(response, &beside);
        warnings.extend(doubts);
        table.refuse_rounded(options.drop)?;
        let positions = table.drop_columns(options.drop);
        let own = match communicator {
            Some(communicator) => communicator.local_range(width),
            None => 0..width,
        };
        let rows = table.rows;
        let row_numbers =
            identifiers::caution(&table, &positions, (response, beside), options.keep);
        // A column of row numbers shows which rows were left out.
        let numbered = options.missing == Missing::DropRows || weights.is_some();
        if numbered {
            let numbers: Vec<f64> = (0..rows).map(|row| row as f64).collect();
            table.columns.push(Column::from(("", numbers)));
        }
        let dropped = table.handle_missing_partitioned(options.missing, communicator)?;
        warnings.extend(dropped.warning());
        let (mut values, mut mean_weight) = (None, 1.0);
        if let Some(name) = options.weights {
            let rows = table.rows;
            let (left_out, found, mean) = weights::at_mean_one(&mut table, name)?;
            values = Some(found);
            mean_weight = mean;
            if left_out > 0 {
                warnings.push(format!(
                    "{left_out} of {rows} observations have weight 0 and were left out"
                ));
            }
        }
        let numbers = table.columns.pop_if(|_| numbered);
        let n = table.rows;
        if n < FEWEST_ROWS {
            let table = table.source;
            return Err(DesignError::FewRows { table, n });
        }
        let labels = std::mem::take(&mut table.labels);
        let builder = (options, references);
        let mut of_response = BesideResponse::default();
        // A likelihood has the weights, and no row of the columns.
        let (of_rows, of_terms) = match is_normal {
            true => (values, Vec::new()),
            false => {
                let own = values.unwrap_or_default().into_iter();
                (None, own.map(|weight| weight * mean_weight).collect())
            }
        };
        let source = table.source.clone();
        let builder = DesignBuilder::new(n, &table, builder, of_rows, (communicator, interrupt))?;
        let mut taken = None;
        let (mut places, mut candidates) = (Vec::new(), Vec::new());
        for (at, column) in positions.into_iter().zip(table.columns) {
            if at == response {
                taken = Some(column);
            } else if Some(at) == trials {
                of_response.trials = family::numbers(column, n, "trials")?;
            } else if Some(at) == offset {
                of_response.offset = family::numbers(column, n, "offset")?;
            } else if Some(at) != weights && own.contains(&at) {
                let others = beside.iter().flatten().filter(|other| at > **other);
                let before = usize::from(at > response) + others.count();
                places.push(at - before);
                candidates.push(column);
            }
        }
        let plan = match (plan, options.groups) {
            (None, groups @ [_, ..]) => {
                let gathered = gather(groups, options.keep, &mut places, &mut candidates);
                Some(gathered?)
            }
            (plan, _) => plan,
        };
        let builder = builder.with_warnings(row_numbers).with_plan(plan);
        let mut builder = builder.after(&candidates)?;
        for (index, column) in places.into_iter().zip(candidates) {
            builder.push(column, index)?;
        }
        let mut y = family::response(taken, n, &options.kind)?;
        if is_normal && let Some(name) = options.kind.offset {
            let pairs = y.iter_mut().zip(&of_response.offset);
            pairs.for_each(|(y, offset)| *y -= offset);
            warnings.push(format!("the offset {name} is taken off the response"));
        }
        let mut design = builder.finish(&y, response_name)?;
        warnings.append(&mut design.warnings);
        design.warnings = warnings;
        if !options.intercept && design.factors.len() > 1 {
            design.warnings.push(NO_INTERCEPT.to_owned());
        }
        design.mean_weight = mean_weight;
        design.truth = truth;
        design.labels = labels;
        if let Some(Values::Numbers(numbers)) = numbers.map(|column| column.values)
            && n < rows
        {
            design.rows = numbers.into_iter().map(|row| row as usize).collect();
        }
        design.trials = options.kind.trials.map(str::to_owned);
        design.offset = options.kind.offset.map(str::to_owned);
        if !is_normal {
            design.fit_by_likelihood((family, &y), &of_response, &of_terms, &source)?;
        }
        Ok(design)
    }

    /// Observations.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Candidate variables.
    pub fn p(&self) -> usize {
        self.variables.len()
    }

    /// The number of candidates before a screening, if the options say it; at least p. It is the p
    /// of a criterion's penalty: a screening of the same data does not change how many models
    /// compete.
    pub fn p_total(&self) -> Option<usize> {
        self.p_total
    }

    /// The columns of X at unit norm.
    ///
    /// *Shapes:* n × p, column-major.
    pub fn columns(&self) -> Columns<'_> {
        Columns::new(&self.x, self.n)
            .with_remote(self.remote.as_deref())
            .with_terms(self.terms.as_ref())
            .with_likelihood(self.likelihood())
    }

    /// The response at unit norm; of a likelihood the scores of its empty model.
    ///
    /// *Shapes:* n values.
    pub fn y(&self) -> &[f64] {
        match self.likelihood() {
            Some(likelihood) => likelihood.scores(),
            None => &self.y,
        }
    }

    /// The candidates, by column.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The name of a term: as R labels it in a formula; else that of its column in the file, or of the
    /// variable where it is one alone.
    pub fn term_name(&self, term: u32) -> &str {
        if let Some(name) = self.term_names.get(term as usize) {
            return name;
        }
        let columns = self.columns().columns_of(term);
        let first = &self.variables[columns.start as usize];
        match self.terms {
            None => &first.name,
            Some(_) => first.column(),
        }
    }

    /// The formula that the terms are of, if there is one.
    pub fn formula(&self) -> Option<&str> {
        self.formula.as_ref().map(|formula| &*formula.text)
    }

    /// The labels of a formula's terms, by which [`Variable::index`] counts; none without a formula.
    pub(crate) fn formula_terms(&self) -> Option<&[String]> {
        (!self.formula_terms.is_empty()).then_some(&self.formula_terms)
    }

    /// The response's name and scale.
    pub fn response(&self) -> &Variable {
        &self.response
    }

    /// Total sum of squares of the response about its mean, or about 0 without an intercept.
    ///
    /// *Units:* those of the response, squared.
    pub fn tss(&self) -> f64 {
        self.response.norm * self.response.norm
    }

    /// The terms that every model holds, ascending: columns, unless factors are whole.
    pub fn keep(&self) -> &[u32] {
        &self.keep
    }

    /// The variables that never were candidates, with the reason.
    pub fn set_aside(&self) -> &[SetAside] {
        &self.set_aside
    }

    /// The factors, in the file's order: with which level each is compared.
    pub fn factors(&self) -> &[FactorCoding] {
        &self.factors
    }

    /// Whether models have an intercept.
    pub fn intercept(&self) -> bool {
        self.intercept
    }

    /// What the file calls the observations, as R's row names; empty where it has no names for them.
    ///
    /// *Shapes:* n labels, or none.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The variables that the file marks as those of the model that made the response, ascending by
    /// index: also those that are no candidates, being dropped or set aside. Empty where it marks
    /// none.
    pub fn truth(&self) -> &[TrueVariable] {
        &self.truth
    }

    /// The column of weights, if the observations are weighted.
    pub fn weights(&self) -> Option<&str> {
        self.weights.as_deref()
    }

    /// The column of trials, if the response counts events of several.
    pub fn trials(&self) -> Option<&str> {
        self.trials.as_deref()
    }

    /// The column that is added to the linear predictor, or what a formula adds.
    pub fn offset(&self) -> Option<&str> {
        self.offset.as_deref()
    }

    /// The weights of the observations, at mean one; empty where all count alike.
    pub fn weight_values(&self) -> &[f64] {
        &self.weight_values
    }

    /// The mean of the weights as the file has them, by which they were divided; 1 without weights.
    pub(crate) fn mean_weight(&self) -> f64 {
        self.mean_weight
    }

    /// The row of the table, counted from 0, that an observation comes from. Rows with missing
    /// values and rows of weight 0 are no observations.
    pub fn row(&self, observation: usize) -> usize {
        self.rows.get(observation).copied().unwrap_or(observation)
    }

    /// The (weighted) standard deviation of a variable, with divisor n.
    ///
    /// *Units:* those of the variable.
    pub(crate) fn deviation(&self, j: u32) -> f64 {
        let (variable, n) = (&self.variables[j as usize], self.n as f64);
        // With an intercept the column is centred already.
        let column = self.columns().column(j);
        let root = |i: usize| {
            self.weight_values
                .get(i)
                .map_or(1.0, |weight| weight.sqrt())
        };
        let mean: f64 = column.iter().enumerate().map(|(i, x)| root(i) * x).sum();
        let square = 1.0 / n - (mean / n).powi(2);
        variable.norm * square.max(0.0).sqrt()
    }

    /// Warnings about the preparation, for the report.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
