//! Table and formula → design: each term of the formula is a term of the design.

use std::borrow::Cow;

use super::{Design, DesignError, DesignOptions, Hierarchy, Terms, Variable};
use crate::{
    formula::{self, Expansion, ExpansionOptions, Formula, Variables},
    interrupt::Interrupt,
    nearest::nearest,
    table::{Column, Missing, Table, Values},
};

/// How [`Design::from_formula`] makes a design of a table.
#[derive(Debug, Clone)]
pub struct FormulaOptions<'a> {
    /// The response's column, where the formula has none; `None` where the format names it.
    pub response: Option<&'a str>,
    /// Terms, as R labels them, that every model holds, with those that they stand on.
    pub keep: &'a [String],
    /// Which terms need others.
    pub hierarchy: Hierarchy,
    /// How factors are coded.
    pub contrasts: ExpansionOptions,
    /// What to do about missing values of the variables that the formula names.
    pub missing: Missing,
    /// The column of weights; `None` where all observations have weight 1.
    pub weights: Option<&'a str>,
}

impl Default for FormulaOptions<'_> {
    fn default() -> Self {
        Self {
            response: None,
            keep: &[],
            hierarchy: Hierarchy::Strong,
            contrasts: ExpansionOptions::default(),
            missing: Missing::Refuse,
            weights: None,
        }
    }
}

/// The terms of a formula, by the columns of a design that is being made.
#[derive(Debug, Clone)]
pub(super) struct FormulaTerms {
    /// The term of each column that the formula makes.
    of: Vec<usize>,
    labels: Vec<String>,
    parents: Vec<Vec<usize>>,
    hierarchy: Hierarchy,
    /// Whether every model holds the term.
    keep: Vec<bool>,
    widths: Vec<usize>,
}

impl FormulaTerms {
    pub(super) fn has_several_columns(&self, index: usize) -> bool {
        self.widths[self.of[index]] > 1
    }

    pub(super) fn keeps(&self, index: usize) -> bool {
        self.keep[self.of[index]]
    }

    /// The columns of each term that are left of these variables, in their order.
    pub(super) fn ranges(&self, variables: &[(Variable, bool)]) -> Vec<(usize, usize)> {
        let of = |variable: &(Variable, bool)| self.of[variable.0.index];
        let terms = variables.chunk_by(|a, b| of(a) == of(b));
        terms.map(|own| (of(&own[0]), own.len())).collect()
    }

    /// The terms of these variables of n × p columns, and their names.
    pub(super) fn terms(
        &self,
        x: &[f64],
        n: usize,
        variables: &[(Variable, bool)],
    ) -> (Option<Terms>, Vec<String>) {
        let ranges = self.ranges(variables);
        let widths: Vec<usize> = ranges.iter().map(|(_, width)| *width).collect();
        let mut places = vec![None; self.labels.len()];
        for (place, (term, _)) in (0_u32..).zip(&ranges) {
            places[*term] = Some(place);
        }
        let parents = ranges.iter().map(|(term, _)| {
            // Of a parent that is no candidate nothing is asked.
            let own = self.parents[*term]
                .iter()
                .filter_map(|parent| places[*parent]);
            own.collect()
        });
        let parents: Vec<Box<[u32]>> = parents.collect();
        let names = ranges.iter().map(|(term, _)| self.labels[*term].clone());
        let is_plain = widths.iter().all(|width| *width == 1)
            && (self.hierarchy == Hierarchy::None || parents.iter().all(|own| own.is_empty()));
        let terms = || Terms::new(x, n, &widths).with_parents(parents, self.hierarchy);
        ((!is_plain).then(terms), names.collect())
    }
}

/// A table as a formula sees it.
struct Data<'t> {
    table: &'t Table,
    /// Columns that `.` does not stand for.
    hidden: Vec<&'t str>,
}

impl Variables for Data<'_> {
    fn names(&self) -> Vec<&str> {
        let names = self.table.columns.iter().map(|column| &*column.name);
        names.filter(|name| !self.hidden.contains(name)).collect()
    }

    fn variable(&self, name: &str) -> Option<formula::Variable<'_>> {
        let column = self
            .table
            .columns
            .iter()
            .find(|column| column.name == name)?;
        Some(match &column.values {
            Values::Factor { levels, codes } => formula::Variable::Factor {
                levels: Cow::Borrowed(levels),
                codes: Cow::Borrowed(codes),
                is_ordered: false,
            },
            values => formula::Variable::Numeric(values.numbers(self.table.rows)?),
        })
    }

    fn rows(&self) -> usize {
        self.table.rows
    }
}

impl Design {
    /// Makes the design of a formula over a table: terms, columns and their coding are those of R, the intercept
    /// is as the formula says, and its offsets are taken off the response. Columns that are constant, and
    /// those that others of their term explain, are set aside.
    ///
    /// Models are searched on the CPU, in one process, unless each term is one column and
    /// none needs another.
    ///
    /// # Errors
    /// What is wrong with the formula, with its place; otherwise as [`from_table`](Self::from_table).
    ///
    /// ```
    /// use passel::{Design, Table, criteria::Bic, design::FormulaOptions, formula::Formula};
    ///
    /// let dose: Vec<f64> = (0..24).map(|row| f64::from(row % 6)).collect();
    /// let drugs = ["a", "b", "c"];
    /// let drug: Vec<&str> = (0..24).map(|row| drugs[row / 8]).collect();
    /// let effect: Vec<f64> = (0..24).map(|row| match drug[row] {
    ///     "c" => 2.0 * dose[row] + f64::from(row as u8 % 2),
    ///     _ => f64::from(row as u8 % 3),
    /// }).collect();
    /// let columns = [("effect", effect.into()), ("dose", dose.into()), ("drug", drug.into())];
    /// let table = Table::from_columns(columns)?;
    /// let formula = Formula::parse("effect ~ dose * drug")?;
    /// let design = Design::from_formula(table, &formula, &FormulaOptions::default())?;
    /// let selection = passel::select(&design, &Bic, &Default::default())?;
    /// assert_eq!(selection.models[0].variables, ["dose", "drug", "dose:drug"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_formula(
        mut table: Table,
        formula: &Formula,
        options: &FormulaOptions,
    ) -> Result<Self, DesignError> {
        let of_format = table.response.map(|at| table.columns[at].name.clone());
        let has_response = formula.has_response();
        let response = match has_response {
            true => None,
            false => options.response.map(str::to_owned).or(of_format),
        };
        if !has_response && response.is_none() {
            return Err(DesignError::NoFormulaResponse);
        }
        let hidden =
            |name: &str| options.weights == Some(name) || response.as_deref() == Some(name);
        let names: Vec<String> = table.columns.iter().map(|own| own.name.clone()).collect();
        if let Some(name) = options.weights {
            table.require("--weights", name)?;
        }
        if let Some(name) = &response {
            table.require("--response", name)?;
        }
        let offered = names
            .iter()
            .map(String::as_str)
            .filter(|name| !hidden(name));
        let used: Vec<String> = formula
            .terms(&offered.collect::<Vec<_>>())?
            .names()
            .to_vec();
        table
            .columns
            .retain(|column| hidden(&column.name) || used.contains(&column.name));
        table.response = None;
        let dropped = table.handle_missing(options.missing)?;
        let hidden: Vec<&str> = options
            .weights
            .into_iter()
            .chain(response.as_deref())
            .collect();
        let data = Data {
            table: &table,
            hidden,
        };
        let expansion = Expansion::with_options(formula, &data, &options.contrasts)?;
        let made = expansion.apply(&data)?;
        let terms = expansion.terms();
        let labels: Vec<String> = terms.labels().collect();
        let finder = terms.hierarchy();
        let parents: Vec<Vec<usize>> = (0..terms.len()).map(|term| finder.parents(term)).collect();
        let mut keep = vec![false; terms.len()];
        for name in options.keep {
            let Some(term) = labels.iter().position(|label| label == name) else {
                let name = name.clone();
                let nearest = nearest(&name, labels.iter().map(String::as_str)).map(str::to_owned);
                return Err(DesignError::KeptTerm { name, nearest });
            };
            keep[term] = true;
            parents[term].iter().for_each(|parent| keep[*parent] = true);
        }
        let (mut of, mut columns) = (Vec::new(), Vec::new());
        for term in 0..terms.len() {
            for (name, values) in expansion
                .column_names(term)
                .into_iter()
                .zip(made.columns(term))
            {
                of.push(term);
                columns.push(Column::from((name, values)));
            }
        }
        let (name, values) = match expansion.response(&data)? {
            Some(formula::Variable::Numeric(values)) => (
                terms.response().unwrap_or_default(),
                Values::Numbers(values.into_owned()),
            ),
            Some(formula::Variable::Factor { levels, codes, .. }) => {
                let (levels, codes) = (levels.into_owned(), codes.into_owned());
                (
                    terms.response().unwrap_or_default(),
                    Values::Factor { levels, codes },
                )
            }
            None => {
                let name = response.clone().unwrap_or_default();
                let own = table.columns.iter().find(|column| column.name == name);
                (
                    name,
                    own.map_or(Values::Remote, |column| column.values.clone()),
                )
            }
        };
        let mut warnings: Vec<String> = expansion
            .warnings()
            .iter()
            .map(ToString::to_string)
            .collect();
        let offset = expansion.offset(&data)?;
        let values = match (values, offset) {
            (Values::Numbers(mut values), Some(offset)) => {
                values
                    .iter_mut()
                    .zip(offset)
                    .for_each(|(y, offset)| *y -= offset);
                let offsets: Vec<String> = terms.offsets().collect();
                warnings.push(format!(
                    "the offset {} is taken off the response",
                    offsets.join(" + ")
                ));
                Values::Numbers(values)
            }
            (values, _) => values,
        };
        let widths = (0..terms.len())
            .map(|term| expansion.column_count(term))
            .collect();
        let intercept = terms.has_intercept();
        let own = FormulaTerms {
            of,
            labels,
            parents,
            hierarchy: options.hierarchy,
            keep,
            widths,
        };
        // No column of the terms has this name.
        let mut response_name = name.clone();
        while columns
            .iter()
            .any(|column: &Column| column.name == response_name)
        {
            response_name.push('_');
        }
        columns.push(Column {
            name: response_name.clone(),
            values,
        });
        let mut weights_name = options.weights.map(str::to_owned);
        if let Some(name) = &mut weights_name {
            let values = table.columns.iter().find(|column| column.name == *name);
            let values = values.map_or(Values::Remote, |column| column.values.clone());
            while columns.iter().any(|column| column.name == *name) {
                name.push('_');
            }
            columns.push(Column {
                name: name.clone(),
                values,
            });
        }
        let rows = table.rows;
        let derived = Table {
            source: std::mem::take(&mut table.source),
            columns,
            rows,
            labels: std::mem::take(&mut table.labels),
            warnings: std::mem::take(&mut table.warnings),
            ..Table::default()
        };
        let design_options = DesignOptions {
            response: Some(&response_name),
            weights: weights_name.as_deref(),
            intercept,
            split_factors: false,
            ..DesignOptions::default()
        };
        let context = (None, &Interrupt::default());
        let mut design = Self::made(derived, &design_options, context, Some(own))?;
        if dropped > 0 {
            design.warnings.push(format!(
                "{dropped} observations with missing values were left out"
            ));
        }
        design.warnings.extend(warnings);
        Ok(design)
    }
}
