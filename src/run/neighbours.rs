//! Predictions by the nearest training rows.

use crate::{
    design::{Design, FactorCoding, Variable, dummy_name},
    prediction::{LevelProbabilities, Predictions},
    table::{Column, MISSING, Table, Values},
    validation::{Observed, Response},
};

/// Training rows, by which others are predicted.
#[derive(Clone)]
pub(super) struct Neighbours {
    /// How many rows decide.
    k: usize,
    /// The columns that distances are of.
    variables: Vec<Variable>,
    /// The levels of factors that training rows have, beside the name of each.
    factors: Vec<(String, Vec<String>)>,
    /// The values of each variable, centred and of equal norm.
    x: Vec<Vec<f64>>,
    outcomes: Outcomes,
}

/// What was observed of the training rows.
#[derive(Clone)]
enum Outcomes {
    Numbers(Vec<f64>),
    Levels {
        levels: Vec<String>,
        codes: Vec<u32>,
    },
}

impl Neighbours {
    /// Of the variables of a design of training rows, whose places among all observations are `rows`.
    pub(super) fn new(k: usize, design: &Design, response: &Response, rows: &[usize]) -> Self {
        let of = |values: &[f64]| rows.iter().map(|at| values[*at]).collect();
        let outcomes = match &response.observed {
            Observed::Levels { levels, codes } => Outcomes::Levels {
                levels: levels.clone(),
                codes: rows.iter().map(|at| codes[*at]).collect(),
            },
            Observed::Events { shares, .. } => Outcomes::Numbers(of(shares)),
            Observed::Numbers(_, y) => Outcomes::Numbers(of(y)),
            Observed::Survival(times) => Outcomes::Numbers(of(&times.time)),
        };
        let columns = design.columns();
        let x = (0..design.p() as u32).map(|j| columns.column(j).to_vec());
        let mut own = Self {
            k,
            variables: design.variables().to_vec(),
            factors: Vec::new(),
            x: x.collect(),
            outcomes,
        };
        for factor in design.factors() {
            own.add_reference(factor);
            own.factors
                .push((factor.name.clone(), factor.levels.clone()));
        }
        own
    }

    /// Adds the dummy of the level that a factor is coded without, so that no level is nearer to others than any.
    fn add_reference(&mut self, factor: &FactorCoding) {
        let of_factor = |own: &Variable| own.level.is_some() && own.column() == factor.name;
        let mut rest = vec![1.0; self.x.first().map_or(0, Vec::len)];
        let others = self.variables.iter().zip(&self.x);
        for (variable, x) in others.filter(|(own, _)| of_factor(own)) {
            let dummy = x.iter().map(|x| x * variable.norm + variable.mean);
            rest.iter_mut()
                .zip(dummy)
                .for_each(|(rest, own)| *rest -= own);
        }
        let mean = rest.iter().sum::<f64>() / rest.len() as f64;
        let square: f64 = rest.iter().map(|own| (own - mean).powi(2)).sum();
        let (Some(level), norm) = (&factor.reference, square.sqrt()) else {
            return;
        };
        // Of a factor of which one level is there nothing is left.
        if norm > 1e-6 {
            self.variables.push(Variable {
                name: dummy_name(&factor.name, level),
                level: Some((**level).into()),
                class: None,
                index: 0,
                mean,
                norm,
            });
            self.x
                .push(rest.iter().map(|own| (own - mean) / norm).collect());
        }
    }

    /// The columns that rows must have.
    pub(super) fn columns(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(Variable::column)
    }

    /// The values of a variable in the rows of a table, on the scale of the training rows.
    fn values(&self, variable: &Variable, table: &Table) -> Vec<f64> {
        let column = table
            .columns
            .iter()
            .find(|own| own.name == variable.column());
        let scaled = |value: f64| (value - variable.mean) / variable.norm;
        let Some(Column { values, .. }) = column else {
            return vec![f64::NAN; table.rows];
        };
        match (values, &variable.level) {
            (Values::Factor { levels, codes }, Some(level)) => {
                let is_own = |code: &u32| {
                    levels
                        .get(*code as usize)
                        .is_some_and(|own| **own == **level)
                };
                let dummy = |code: &u32| scaled(f64::from(u8::from(is_own(code))));
                codes.iter().map(dummy).collect()
            }
            (values, _) => {
                let numbers = values.numbers(table.rows).unwrap_or_default();
                // What is missing has the mean.
                let of = |value: &f64| if value.is_nan() { 0.0 } else { scaled(*value) };
                numbers.iter().map(of).collect()
            }
        }
    }

    /// The rows of a table that have a level which no training row has, or none.
    fn unknown(&self, table: &Table) -> Vec<usize> {
        let mut unknown = vec![false; table.rows];
        for (name, known) in &self.factors {
            let column = table.columns.iter().find(|own| own.name == *name);
            if let Some(Values::Factor { levels, codes }) = column.map(|own| &own.values) {
                let is_known =
                    |code: &u32| *code != MISSING && known.contains(&levels[*code as usize]);
                let rows = unknown.iter_mut().zip(codes);
                rows.for_each(|(own, code)| *own |= !is_known(code));
            }
        }
        (0..table.rows).filter(|row| unknown[*row]).collect()
    }

    /// The training rows nearest to a row, the first of those equally near.
    fn nearest(&self, row: &[f64]) -> Vec<usize> {
        let n = self.x.first().map_or(0, Vec::len);
        let mut distances = vec![0.0; n];
        for (column, value) in self.x.iter().zip(row) {
            let own = distances.iter_mut().zip(column);
            own.for_each(|(distance, x)| *distance += (x - value) * (x - value));
        }
        let mut order: Vec<usize> = (0..n).collect();
        let nearer = |a: &usize, b: &usize| distances[*a].total_cmp(&distances[*b]).then(a.cmp(b));
        let k = self.k.min(n);
        if k < n {
            order.select_nth_unstable_by(k, nearer);
        }
        order.truncate(k);
        order
    }

    /// What the nearest training rows say of the rows of a table.
    pub(super) fn predict(&self, table: &Table) -> Predictions {
        let columns = self.variables.iter().map(|own| self.values(own, table));
        let columns: Vec<Vec<f64>> = columns.collect();
        let rows = (0..table.rows).map(|row| {
            let row: Vec<f64> = columns.iter().map(|column| column[row]).collect();
            self.nearest(&row)
        });
        let mut said = Predictions {
            rows: table.rows,
            missing: self.unknown(table),
            ..Predictions::default()
        };
        let count = |near: &[usize]| near.len() as f64;
        match &self.outcomes {
            Outcomes::Numbers(y) => {
                let mean =
                    |near: Vec<usize>| near.iter().map(|at| y[*at]).sum::<f64>() / count(&near);
                said.fit = rows.map(mean).collect();
            }
            Outcomes::Levels { levels, codes } => {
                let near: Vec<Vec<usize>> = rows.collect();
                let of_level = |(code, level): (u32, &String)| LevelProbabilities {
                    level: level.clone(),
                    values: near
                        .iter()
                        .map(|near| {
                            let own = near.iter().filter(|at| codes[**at] == code);
                            own.count() as f64 / count(near)
                        })
                        .collect(),
                };
                said.levels = (0..).zip(levels).map(of_level).collect();
            }
        }
        said
    }
}
