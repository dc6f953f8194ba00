//! Columns, one after another, to a design matrix.

mod batches;
mod dependent;
mod duplicates;
mod genotypes;
mod in_file;
mod kept;
mod room;

use std::sync::Arc;

use duplicates::EqualHashes;
use room::Room;

use super::{
    ColumnsInFile, CovarianceEstimator, Design, DesignError, DesignOptions, FactorCoding, Making,
    PackedColumns, RemoteColumns, SetAside, Variable, dummy_name, standardise::standardise,
    term_plan::TermPlan, terms::Terms, variable::term_widths,
};
use crate::{
    table::{Column, Loci, TableError, Values, are_dates},
    vector::product,
};

pub(super) struct DesignBuilder<'a> {
    n: usize,
    table: String,
    options: DesignOptions<'a>,
    making: Making<'a>,
    /// The weights at mean one, if the observations are weighted.
    weights: Option<Vec<f64>>,
    x: Room,
    /// The columns so far, if they stay in their file.
    in_file: Option<ColumnsInFile>,
    /// Those of genotypes, behind those of numbers.
    packed: Option<PackedColumns>,
    /// The variables so far, each with whether every model holds it.
    variables: Vec<(Variable, bool)>,
    hashes: EqualHashes,
    set_aside: Vec<SetAside>,
    /// The factors so far.
    factors: Vec<FactorCoding>,
    /// The references that the options name: columns with their levels.
    references: Vec<(&'a str, &'a str)>,
    warnings: Vec<String>,
    /// Whether a factor was seen: without an intercept the first keeps all levels.
    full_factor: bool,
    /// Which columns are a term.
    plan: Option<TermPlan>,
    /// Where the variants of the table lie.
    loci: Option<Arc<Loci>>,
}

impl<'a> DesignBuilder<'a> {
    pub(super) fn new(
        (n, table): (usize, String),
        (options, references): (&DesignOptions<'a>, Vec<(&'a str, &'a str)>),
        weights: Option<Vec<f64>>,
        making: Making<'a>,
    ) -> Self {
        Self {
            n,
            table,
            options: *options,
            making,
            weights,
            x: Room::default(),
            in_file: None,
            packed: None,
            variables: Vec::new(),
            hashes: EqualHashes::default(),
            set_aside: Vec::new(),
            factors: Vec::new(),
            references,
            warnings: Vec::new(),
            full_factor: false,
            plan: None,
            loci: None,
        }
    }

    /// Adds warnings of this rank's columns.
    pub(super) fn with_warnings(mut self, warnings: Vec<String>) -> Self {
        self.warnings.extend(warnings);
        self
    }

    /// Takes the columns for those of these terms.
    pub(super) fn with_plan(mut self, plan: Option<TermPlan>) -> Self {
        self.plan = plan;
        self
    }

    /// Takes into account whether a rank with earlier columns has a factor.
    pub(super) fn after(mut self, own: &[Column]) -> Result<Self, DesignError> {
        if let Some(communicator) = self.making.communicator.filter(|_| !self.options.intercept) {
            let varies = |codes: &[u32]| codes.iter().any(|code| *code != codes[0]);
            let is_factor = |column: &Column| match &column.values {
                Values::Factor { codes, .. } => varies(codes),
                _ => false,
            };
            let factor = own.iter().any(is_factor);
            let all = communicator.gather(&factor).map_err(TableError::Ranks)?;
            self.full_factor = all[..communicator.rank()].contains(&true);
        }
        Ok(self)
    }

    /// Fails once an interrupt was requested: called before each column's work.
    fn heed_interrupt(&self) -> Result<(), DesignError> {
        Ok(self.making.interrupt.check().map_err(TableError::from)?)
    }

    /// Whether every model holds a column of numbers of this index, and whether it is a part of a term.
    fn part_of_term(&self, index: usize, kept: bool) -> (bool, bool) {
        let plan = self.plan.as_ref();
        let is_part = plan.is_some_and(|plan| plan.has_several_columns(index));
        (kept || plan.is_some_and(|plan| plan.keeps(index)), is_part)
    }

    /// Adds a column; a factor becomes dummies.
    fn push(&mut self, column: Column, index: usize) -> Result<(), DesignError> {
        let name = column.name;
        let kept = self.options.keep.contains(&name);
        match column.values {
            Values::Remote => Ok(()),
            Values::Factor { levels, codes } => {
                // Dropping rows may have emptied levels: the first that
                // occurs is the one the others are compared with.
                let mut used = vec![false; levels.len()];
                for &code in &codes {
                    used[code as usize] = true;
                }
                let present: Vec<usize> = (0..levels.len()).filter(|&l| used[l]).collect();
                if present.len() == self.n {
                    return Err(DesignError::Identifier {
                        name,
                        n: self.n,
                        are_dates: are_dates(&levels),
                    });
                }
                if present.len() == 1 {
                    return self.put_aside(name, kept, "constant".to_owned());
                }
                let reference = self.reference_of(&name, &levels, &present);
                // A dummy of a whole factor is a duplicate of no other column.
                let dummies = present.len() - usize::from(reference.is_some());
                let plan = self.plan.as_ref();
                let is_part = !self.options.split_factors && dummies > 1
                    || plan.is_some_and(|plan| plan.has_several_columns(index));
                let kept = kept || plan.is_some_and(|plan| plan.keeps(index));
                for &level in present.iter().filter(|level| Some(**level) != reference) {
                    let dummy = dummy_name(&name, &levels[level]);
                    let kept = kept || self.options.keep.contains(&dummy);
                    let values: Vec<f64> = codes
                        .iter()
                        .map(|&code| f64::from(u8::from(code as usize == level)))
                        .collect();
                    let level = Some(&*levels[level]);
                    self.push_numbers((dummy, level), index, (kept, is_part), &values)?;
                }
                Ok(())
            }
            values => {
                if self.references.iter().any(|(other, _)| *other == name) {
                    return Err(DesignError::ReferenceOfNumbers { name });
                }
                if matches!(&values, Values::Genotypes(own) if own.known() == 0) {
                    return self.put_aside(name, kept, "missing in every row".to_owned());
                }
                let values = match &values {
                    // Others that miss values were refused, or have their mean.
                    Values::Genotypes(own) => own.numbers_with_mean(),
                    values => values.numbers(self.n).unwrap_or_default().into_owned(),
                };
                let term = self.part_of_term(index, kept);
                self.push_numbers((name, None), index, term, &values)
            }
        }
    }

    /// The level that a factor's dummies are compared with, of those that occur: the one asked for,
    /// or else the first. Records how the factor is coded.
    fn reference_of(&mut self, name: &str, levels: &[String], present: &[usize]) -> Option<usize> {
        let mut asked = self.references.iter().filter(|(other, _)| *other == name);
        let asked = asked.next().map(|(_, level)| *level);
        let has = |level: &str| present.iter().copied().find(|at| levels[*at] == level);
        // Without an intercept the first factor keeps all its levels, or its first group would be
        // held at zero.
        let is_full = !self.options.intercept && !self.full_factor;
        self.full_factor = true;
        let reference = match is_full {
            true => None,
            // Dropped rows may have emptied the level.
            false => asked.and_then(has).or(Some(present[0])),
        };
        let name_of = |level: usize| levels[level].clone();
        if let Some(level) = asked.filter(|level| reference.is_none_or(|at| levels[at] != *level)) {
            let reason = match is_full {
                true => "without an intercept the first factor keeps all its levels",
                false => "no observation that is used has the level",
            };
            let warning = format!("--reference {name}={level} has no effect: {reason}");
            self.warnings.push(warning);
        }
        self.factors.push(FactorCoding {
            name: name.to_owned(),
            reference: reference.map(name_of),
            levels: present.iter().copied().map(name_of).collect(),
            coding: if is_full { "indicator" } else { "treatment" }.into(),
        });
        reference
    }

    fn push_numbers(
        &mut self,
        (name, level): (String, Option<&str>),
        index: usize,
        (kept, is_part): (bool, bool),
        values: &[f64],
    ) -> Result<(), DesignError> {
        self.heed_interrupt()?;
        self.check_finite(&name, values)?;
        let (place, rest) = self.x.rest();
        let own = &mut rest[..self.n];
        own.copy_from_slice(values);
        let scale = standardise(own, self.options.intercept, self.weights.as_deref());
        self.push_standardised((name, level), index, (kept, is_part), (place, scale))
    }

    /// Adds the column that stands at a place of the room, with its mean and norm; none of a constant.
    fn push_standardised(
        &mut self,
        (name, level): (String, Option<&str>),
        index: usize,
        (kept, is_part): (bool, bool),
        (place, scale): (usize, Option<(f64, f64)>),
    ) -> Result<(), DesignError> {
        match scale {
            Some((mean, norm)) => {
                self.take_column(place);
                self.push_variable((name, level), index, kept, (mean, norm));
                if !is_part {
                    self.hash_last();
                }
                Ok(())
            }
            // A term is kept by what is left of it.
            None => self.put_aside(name, kept && !is_part, "constant".to_owned()),
        }
    }

    fn push_variable(
        &mut self,
        (name, level): (String, Option<&str>),
        index: usize,
        kept: bool,
        (mean, norm): (f64, f64),
    ) {
        let variable = Variable {
            name,
            level: level.map(Into::into),
            class: None,
            index,
            mean,
            norm,
        };
        self.variables.push((variable, kept));
    }

    fn put_aside(&mut self, name: String, kept: bool, reason: String) -> Result<(), DesignError> {
        if kept {
            return Err(DesignError::KeptSetAside { name, reason });
        }
        self.set_aside.push(SetAside {
            name,
            reason,
            copy_of: None,
        });
        Ok(())
    }

    fn check_finite(&self, name: &str, values: &[f64]) -> Result<(), DesignError> {
        match values.iter().position(|v| !v.is_finite()) {
            None => Ok(()),
            Some(at) => Err(DesignError::Value {
                table: self.table.clone(),
                name: name.to_owned(),
                row: at + 1,
                value: values[at],
                weights: false,
            }),
        }
    }

    /// The design of these columns, which lacks its response, called so: the indexes of its variables count as if no
    /// column were the response.
    pub(super) fn finish(mut self, response: &str) -> Result<Design, DesignError> {
        let gathered = self.gather()?;
        self.check_kept()?;
        let counts = self.set_duplicates_aside(gathered)?;
        self.set_dependent_aside()?;
        self.check_kept_terms()?;
        if self.variables.is_empty() {
            return Err(DesignError::NoVariables {
                table: self.table,
                response: response.to_owned(),
                set_aside: self.set_aside.len(),
            });
        }
        let is_split = self.options.split_factors
            || self.packed.is_some()
            || self.making.communicator.is_some();
        let (terms, term_names) = match &self.plan {
            Some(plan) => plan.terms(&self.x, self.n, &self.variables),
            None if is_split => (None, Vec::new()),
            None => {
                let widths = term_widths(self.variables.iter().map(|(variable, _)| variable));
                let terms = Terms::of_widths(&self.x, self.n, &widths);
                (terms, Vec::new())
            }
        };
        let p = terms.as_ref().map_or(self.variables.len(), Terms::count);
        if let Some(p_total) = self.options.p_total.filter(|total| *total < p) {
            let table = self.table;
            return Err(DesignError::Total { table, p_total, p });
        }
        let term_of = |j| terms.as_ref().map_or(j, |terms| terms.of(j));
        let keep = (0u32..).zip(&self.variables);
        let keep = keep.filter_map(|(j, (_, kept))| kept.then_some(term_of(j)));
        let mut keep: Vec<u32> = keep.collect();
        keep.dedup();
        let is_whole = !self.options.split_factors && self.packed.is_none();
        let numbers = self.columns_of_numbers(&counts)?;
        let remote = |communicator| Arc::new(RemoteColumns::new(communicator, &counts, numbers));
        let design = Design {
            n: self.n,
            x: self.x.finish(),
            remote: self.making.communicator.map(remote),
            in_file: self.in_file.map(|file| Arc::new(file.finish())),
            genotypic: None,
            loci: self.loci,
            packed: self.packed.map(|packed| Arc::new(packed.finish())),
            y: Vec::new(),
            variables: Arc::new(self.variables.into_iter().map(|(v, _)| v).collect()),
            response: Variable {
                name: response.to_owned(),
                level: None,
                class: None,
                index: 0,
                mean: 0.0,
                norm: 1.0,
            },
            terms: terms.map(Arc::new),
            is_whole,
            term_names,
            formula: None,
            wide: None,
            blocks: 1,
            formula_terms: Vec::new(),
            keep,
            set_aside: self.set_aside,
            factors: self.factors,
            intercept: self.options.intercept,
            weights: self.options.weights.map(str::to_owned),
            weight_values: self.weights.unwrap_or_default(),
            mean_weight: 1.0,
            rows: Vec::new(),
            p_total: self.options.p_total,
            warnings: self.warnings,
            truth: Vec::new(),
            labels: Vec::new(),
            fills_missing: false,
            likelihood: None,
            survival_columns: [None, None, None],
            strata_levels: Vec::new(),
            event: None,
            response_levels: Vec::new(),
            firth: false,
            covariance: CovarianceEstimator::Model,
            clusters: None,
            trials: None,
            offset: None,
        };
        // Every model holds them.
        let kept = design.columns().fetch(design.keep.iter().copied());
        kept.map_err(TableError::Ranks)?;
        Ok(design)
    }
}

/// Whether a multiple of x leaves nothing of y but rounding, both of unit norm.
pub(super) fn is_copy(x: &[f64], y: &[f64]) -> bool {
    let c = product(x, y);
    let rest = x.iter().zip(y).map(|(x, y)| (y - c * x).powi(2));
    let most = 16.0 * x.len() as f64 * f64::EPSILON.powi(2);
    c.abs() > 0.5 && rest.sum::<f64>() <= most
}
