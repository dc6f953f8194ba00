//! The columns of a design if every observation had the same level of a factor.

use std::collections::{BTreeSet, HashMap};

use super::{Design, formula_data::Data};
use crate::{
    formula::{Expansion, Variables},
    table::{Column, Table, Values},
};

/// Observations × columns × levels beyond which nothing is computed: that would take a second.
const WORK: usize = 1 << 27;

/// A formula, and the data that it was expanded over.
#[derive(Debug, Clone)]
pub(super) struct FormulaData {
    /// The formula, with its response.
    pub(super) text: String,
    pub(super) expansion: Expansion,
    /// The term of the expansion that each column of the design is of.
    pub(super) term_of: Vec<usize>,
    /// The columns that it uses.
    pub(super) table: Table,
    /// The column that is added to the linear predictor, beside what the formula adds.
    pub(super) offset: Option<String>,
    /// The weight of each row, 0 where it is no observation; empty where all count alike.
    pub(super) weights: Vec<f64>,
}

/// A level of a factor, and the means of some columns if every observation had it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LevelMeans {
    pub(crate) factor: String,
    pub(crate) level: String,
    /// Empty where the model says nothing of the level: it is then combined with others as in no observation.
    ///
    /// *Units:* those of the columns.
    pub(crate) means: Vec<f64>,
}

impl Design {
    /// The columns of the table that are factors.
    pub(crate) fn factor_columns(&self) -> Vec<String> {
        let Some(formula) = &self.formula else {
            let names = self.factors.iter().map(|factor| factor.name.clone());
            return names.collect();
        };
        let columns = formula.table.columns.iter();
        let factors = columns.filter(|column| matches!(column.values, Values::Factor { .. }));
        factors.map(|column| column.name.clone()).collect()
    }

    /// For each level of each factor on which some columns depend their means if every observation had
    /// it, all else being as it is; none where that would take long.
    pub(crate) fn means_by_level(&self, columns: &[u32]) -> Vec<LevelMeans> {
        let mut all = match &self.formula {
            Some(formula) => formula.means_by_level(self, columns),
            None => self.means_of_dummies(columns),
        };
        let differs = |own: &[LevelMeans]| own.iter().any(|level| level.means != own[0].means);
        let groups = all.chunk_by(|a, b| a.factor == b.factor);
        let used: Vec<String> = groups
            .filter(|own| differs(own))
            .map(|own| own[0].factor.clone())
            .collect();
        all.retain(|own| used.contains(&own.factor));
        all
    }

    /// Of dummies, which are columns by themselves.
    fn means_of_dummies(&self, columns: &[u32]) -> Vec<LevelMeans> {
        let levels = self.factors.iter().flat_map(|factor| {
            let levels = factor.levels.iter();
            levels.map(move |level| (&factor.name, level))
        });
        let of_level = |(factor, level): (&String, &String)| {
            let mean = |column: &u32| {
                let variable = &self.variables[*column as usize];
                match variable.level.as_deref() {
                    Some(own) if variable.column() == factor => f64::from(u8::from(own == level)),
                    _ => self.mean_of(*column),
                }
            };
            LevelMeans {
                factor: factor.clone(),
                level: level.clone(),
                means: columns.iter().map(mean).collect(),
            }
        };
        // Without an intercept nothing is centred, and no mean is known.
        match self.intercept {
            true => levels.map(of_level).collect(),
            false => Vec::new(),
        }
    }

    /// The mean of a column, weighted by the observations. The columns of a likelihood are centred without its weights.
    fn mean_of(&self, column: u32) -> f64 {
        let variable = &self.variables[column as usize];
        let beside = self.likelihood().map_or(0.0, |likelihood| {
            likelihood.response().mean(self.columns().column(column))
        });
        variable.mean + beside * variable.norm
    }
}

impl FormulaData {
    fn means_by_level(&self, design: &Design, columns: &[u32]) -> Vec<LevelMeans> {
        let factors = self.table.columns.iter();
        let factors = factors.filter_map(|column| match &column.values {
            Values::Factor { levels, codes } => Some((&column.name, levels, codes)),
            _ => None,
        });
        let rows = self.table.rows;
        let count: usize = factors.clone().map(|(_, levels, _)| levels.len()).sum();
        if rows.saturating_mul(columns.len()).saturating_mul(count) > WORK {
            return Vec::new();
        }
        let mut all = Vec::new();
        for (factor, levels, codes) in factors {
            let mut is_used = vec![false; levels.len()];
            codes.iter().for_each(|code| is_used[*code as usize] = true);
            for (code, level) in levels.iter().enumerate().filter(|(code, _)| is_used[*code]) {
                let data = WithLevel {
                    data: Data::of(&self.table, Vec::new()),
                    column: Column {
                        name: factor.clone(),
                        values: Values::Factor {
                            levels: levels.clone(),
                            codes: vec![code as u32; rows],
                        },
                    },
                };
                let means = self.means(&data, design, columns);
                all.push(LevelMeans {
                    factor: factor.clone(),
                    level: level.clone(),
                    means: means.unwrap_or_default(),
                });
            }
        }
        all
    }

    /// The weighted means of some columns of a design, made of other data; none where a column of their terms
    /// that is not among them, having been left out, is not zero in these data.
    fn means(&self, data: &WithLevel, design: &Design, columns: &[u32]) -> Option<Vec<f64>> {
        let made = self.expansion.apply(data).ok()?;
        let total = match self.weights.is_empty() {
            true => data.rows() as f64,
            false => self.weights.iter().sum(),
        };
        let mut means: HashMap<(usize, String), f64> = HashMap::new();
        let of_column = |column: &u32| {
            let column = *column as usize;
            (self.term_of[column], design.variables[column].name.clone())
        };
        for column in columns {
            means.insert(of_column(column), f64::NAN);
        }
        let terms: BTreeSet<usize> = columns.iter().map(|column| of_column(column).0).collect();
        for term in terms {
            let names = self.expansion.column_names(term);
            for (name, values) in names.into_iter().zip(made.columns(term)) {
                match means.get_mut(&(term, name)) {
                    Some(mean) => {
                        let sum: f64 = match self.weights.is_empty() {
                            true => values.iter().sum(),
                            false => values.iter().zip(&self.weights).map(|(x, w)| x * w).sum(),
                        };
                        *mean = sum / total;
                    }
                    None if values.iter().any(|value| *value != 0.0) => return None,
                    None => {}
                }
            }
        }
        let mean = |column: &u32| means.get(&of_column(column)).copied();
        columns.iter().map(mean).collect()
    }
}

/// Data of which one column is another.
struct WithLevel<'t> {
    data: Data<'t>,
    column: Column,
}

impl Variables for WithLevel<'_> {
    fn names(&self) -> Vec<&str> {
        self.data.names()
    }

    fn variable(&self, name: &str) -> Option<crate::formula::Variable<'_>> {
        match name == self.column.name {
            true => Data::variable_of(&self.column, self.data.rows()),
            false => self.data.variable(name),
        }
    }

    fn rows(&self) -> usize {
        self.data.rows()
    }
}
