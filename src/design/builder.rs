//! Columns, one after another, to a design matrix.

use std::{collections::HashMap, ops::Range, sync::Arc};

use super::{
    Design, DesignError, DesignOptions, RemoteColumns, SetAside, Variable, dummy_name,
    gathered::{Gathered, scale},
    standardise::standardise,
};
use crate::{
    fnv::Fnv,
    nearest::as_option,
    ranks::Communicator,
    table::{Column, Table, TableError, Values},
    vector::product,
};

/// Builds a design column by column.
pub(super) struct DesignBuilder<'a> {
    n: usize,
    table: String,
    options: DesignOptions<'a>,
    /// The ranks that partition the columns, if any do.
    communicator: Option<&'a Communicator>,
    /// The weights at mean one, if the observations are weighted.
    weights: Option<Vec<f64>>,
    x: Vec<f64>,
    /// The variables so far, each with whether every model holds it.
    variables: Vec<(Variable, bool)>,
    set_aside: Vec<SetAside>,
    /// Whether a factor was seen: without an intercept the first one keeps all its levels.
    full_factor: bool,
}

impl<'a> DesignBuilder<'a> {
    /// Allocates room for every column.
    ///
    /// # Errors
    /// Too little memory.
    pub(super) fn new(
        n: usize,
        table: &Table,
        options: &DesignOptions<'a>,
        weights: Option<Vec<f64>>,
        communicator: Option<&'a Communicator>,
    ) -> Result<Self, DesignError> {
        let width = |column: &Column| match &column.values {
            Values::Remote => 0,
            Values::Numbers(_) | Values::Sparse { .. } | Values::Bytes(_) | Values::Gapped(_) => 1,
            // An identifier is refused when its turn comes.
            Values::Factor { levels, .. } if levels.len() >= n => 0,
            Values::Factor { levels, .. } => levels.len(),
        };
        let p = table.columns.iter().map(width).sum::<usize>();
        let mut x = Vec::new();
        let room = n.checked_mul(p).map(|values| x.try_reserve_exact(values));
        if !matches!(room, Some(Ok(()))) {
            let widest = table.columns.iter().max_by_key(|column| width(column));
            let (source, widest) = (&table.source, widest.map_or("", |column| &column.name));
            return Err(format!(
                "{source} makes a design matrix of {n} × {p}, more than fits into memory; most of \
                 it may come from `{widest}`"
            )
            .into());
        }
        Ok(Self {
            n,
            table: table.source.clone(),
            options: *options,
            communicator,
            weights,
            x,
            variables: Vec::new(),
            set_aside: Vec::new(),
            full_factor: false,
        })
    }

    /// Takes into account whether a rank with earlier columns has a factor.
    pub(super) fn after(mut self, own: &[Column]) -> Result<Self, DesignError> {
        if let Some(communicator) = self.communicator.filter(|_| !self.options.intercept) {
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

    /// Adds a column; a factor becomes dummies.
    pub(super) fn push(&mut self, column: Column, index: usize) -> Result<(), DesignError> {
        let name = column.name;
        let kept = self.options.keep.contains(&name);
        match column.values {
            Values::Remote => Ok(()),
            Values::Numbers(values) => self.push_numbers(name, index, kept, &values),
            values @ (Values::Sparse { .. } | Values::Bytes(_) | Values::Gapped(_)) => {
                let values = values.numbers(self.n).unwrap_or_default();
                self.push_numbers(name, index, kept, &values)
            }
            Values::Factor { levels, codes } => {
                // Dropping rows may have emptied levels: the first that
                // occurs is the one the others are compared with.
                let mut used = vec![false; levels.len()];
                for &code in &codes {
                    used[code as usize] = true;
                }
                let present: Vec<usize> = (0..levels.len()).filter(|&l| used[l]).collect();
                if present.len() == self.n {
                    return Err(format!(
                        "the factor `{name}` has a level of its own in each of {} rows, like an \
                         identifier: leave it out with --drop {}",
                        self.n,
                        as_option(&name)
                    )
                    .into());
                }
                if present.len() == 1 {
                    return self.put_aside(name, kept, "constant".to_owned());
                }
                // Without an intercept the first factor keeps all its levels, or
                // its first group would be held at zero.
                let reference = usize::from(self.options.intercept || self.full_factor);
                self.full_factor = true;
                for &level in &present[reference..] {
                    let dummy = dummy_name(&name, &levels[level]);
                    let kept = kept || self.options.keep.contains(&dummy);
                    let values: Vec<f64> = codes
                        .iter()
                        .map(|&code| f64::from(u8::from(code as usize == level)))
                        .collect();
                    self.push_numbers(dummy, index, kept, &values)?;
                }
                Ok(())
            }
        }
    }

    fn push_numbers(
        &mut self,
        name: String,
        index: usize,
        kept: bool,
        values: &[f64],
    ) -> Result<(), DesignError> {
        self.check_finite(&name, values)?;
        let start = self.x.len();
        self.x.extend_from_slice(values);
        match standardise(
            &mut self.x[start..],
            self.options.intercept,
            self.weights.as_deref(),
        ) {
            Some((mean, norm)) => {
                let variable = Variable {
                    name,
                    index,
                    mean,
                    norm,
                };
                self.variables.push((variable, kept));
                Ok(())
            }
            None => {
                self.x.truncate(start);
                self.put_aside(name, kept, "constant".to_owned())
            }
        }
    }

    fn put_aside(&mut self, name: String, kept: bool, reason: String) -> Result<(), DesignError> {
        if kept {
            return Err(kept_aside(&name, &reason));
        }
        self.set_aside.push(SetAside { name, reason });
        Ok(())
    }

    fn check_finite(&self, name: &str, values: &[f64]) -> Result<(), DesignError> {
        match values.iter().position(|v| !v.is_finite()) {
            None => Ok(()),
            Some(at) => {
                let (table, value, row) = (&self.table, values[at], at + 1);
                Err(format!(
                    "{table}: {value} in row {row} of column `{name}` is not a finite number"
                )
                .into())
            }
        }
    }

    pub(super) fn finish(
        mut self,
        response: Option<Column>,
        name: &str,
    ) -> Result<Design, DesignError> {
        let mut y = match response.map(|column| column.values) {
            Some(Values::Numbers(values)) => values,
            Some(values @ (Values::Sparse { .. } | Values::Bytes(_) | Values::Gapped(_))) => {
                values.numbers(self.n).unwrap_or_default().into_owned()
            }
            Some(Values::Factor { levels, .. }) => {
                let level = levels.first().map_or("", String::as_str);
                return Err(format!(
                    "the response `{name}` holds text (`{level}`), where numbers must be"
                )
                .into());
            }
            Some(Values::Remote) | None => Vec::new(),
        };
        self.check_finite(name, &y)?;
        let value = y[0];
        let (mean, norm) = standardise(&mut y, self.options.intercept, self.weights.as_deref())
            .ok_or_else(|| {
                format!("the response `{name}` is constant ({value}): there is nothing to explain")
            })?;
        if !(norm * norm).is_normal() {
            return Err(format!(
                "the response `{name}` has norm {norm:e}, whose square f64 cannot hold: change its \
                 unit"
            )
            .into());
        }
        self.refuse_copies(name, &y)?;
        let spread = self.gather()?;
        self.check_kept()?;
        let counts = self.set_duplicates_aside(spread)?;
        if self.variables.is_empty() {
            let aside = match self.set_aside.len() {
                0 => String::new(),
                aside => format!(": {aside} were set aside, being constant or duplicates"),
            };
            let table = &self.table;
            return Err(format!(
                "{table} has no variable to choose from beside the response `{name}`{aside}"
            )
            .into());
        }
        let p = self.variables.len();
        if let Some(p_total) = self.options.p_total.filter(|total| *total < p) {
            let table = &self.table;
            return Err(format!(
                "--p-total = {p_total} is below the {p} candidates in {table}: give the number \
                 before screening"
            )
            .into());
        }
        let keep = (0u32..)
            .zip(&self.variables)
            .filter(|(_, (_, kept))| *kept)
            .map(|(j, _)| j)
            .collect();
        let remote = |communicator| Arc::new(RemoteColumns::new(communicator, &counts));
        let design = Design {
            n: self.n,
            x: self.x,
            remote: self.communicator.map(remote),
            y,
            variables: self.variables.into_iter().map(|(v, _)| v).collect(),
            response: Variable {
                name: name.to_owned(),
                index: 0,
                mean,
                norm,
            },
            keep,
            set_aside: self.set_aside,
            intercept: self.options.intercept,
            weights: self.options.weights.map(str::to_owned),
            weight_values: self.weights.unwrap_or_default(),
            rows: Vec::new(),
            p_total: self.options.p_total,
            warnings: Vec::new(),
            truth: Vec::new(),
        };
        // Every model holds them.
        let kept = design.columns().fetch(design.keep.iter().copied());
        kept.map_err(TableError::Ranks)?;
        Ok(design)
    }

    /// Gathers the variables of all ranks.
    fn gather(&mut self) -> Result<Gathered, DesignError> {
        let Some(communicator) = self.communicator else {
            return Ok(Gathered::alone(self.variables.len()));
        };
        let aside = self.set_aside.iter();
        let aside: Vec<_> = aside
            .map(|aside| (aside.name.clone(), aside.reason.clone()))
            .collect();
        let own = (std::mem::take(&mut self.variables), aside);
        let all = communicator.gather(&own).map_err(TableError::Ranks)?;
        self.set_aside.clear();
        let mut ranges = Vec::new();
        for (variables, aside) in all {
            let start = self.variables.len();
            self.variables.extend(variables);
            ranges.push(start..self.variables.len());
            let aside = aside.into_iter();
            self.set_aside
                .extend(aside.map(|(name, reason)| SetAside { name, reason }));
        }
        let mut alike: HashMap<[u64; 2], usize> = HashMap::new();
        for (variable, _) in &self.variables {
            *alike.entry(scale(variable)).or_default() += 1;
        }
        let own = ranges[communicator.rank()].clone();
        let suspects = own
            .clone()
            .filter(|j| alike[&scale(&self.variables[*j].0)] > 1);
        let hashed = suspects.map(|j| {
            // As == has it, zeros of both signs are the same.
            let column = self.x[(j - own.start) * self.n..][..self.n].iter();
            let column: Vec<f64> = column.map(|value| value + 0.0).collect();
            (j, Fnv::new().numbers(&column).finish())
        });
        let hashed: Vec<(usize, u128)> = hashed.collect();
        let all = communicator.gather(&hashed).map_err(TableError::Ranks)?;
        Ok(Gathered {
            ranges,
            hashes: Some(all.into_iter().flatten().collect()),
        })
    }

    /// Every kept name must have become a variable: rows that were dropped may
    /// have taken a level with them, or made it the one others compare with.
    fn check_kept(&self) -> Result<(), DesignError> {
        let absent = self.options.keep.iter().find(|name| {
            let dummy = format!("{name}=");
            let is = |v: &Variable| v.name == **name || v.name.starts_with(&dummy);
            !self.variables.iter().any(|(v, kept)| *kept && is(v))
        });
        match absent {
            None => Ok(()),
            Some(name) => {
                let reason = "not among the variables once columns and rows are dropped";
                Err(kept_aside(name, reason))
            }
        }
    }

    /// Refuses a column that is the response itself up to scale: it would always be chosen alone.
    fn refuse_copies(&self, response: &str, y: &[f64]) -> Result<(), DesignError> {
        let copy = self.x.chunks(self.n).position(|x| {
            // Does a multiple of x leave nothing of y but rounding?
            let c = product(x, y);
            let rest = x.iter().zip(y).map(|(x, y)| (y - c * x).powi(2));
            c.abs() > 0.5 && rest.sum::<f64>() <= 16.0 * self.n as f64 * f64::EPSILON.powi(2)
        });
        match copy {
            None => Ok(()),
            Some(j) => {
                let name = &self.variables[j].0.name;
                let option = as_option(name);
                Err(format!(
                    "`{name}` is the response `{response}` again, up to scale: leave it out with \
                     --drop {option}"
                )
                .into())
            }
        }
    }

    /// Of columns that are equal value by value only the first stays, kept ones before others.
    /// Columns of different ranks count as equal where their hashes are. Returns how many columns
    /// each rank has then.
    fn set_duplicates_aside(
        &mut self,
        Gathered { ranges, hashes }: Gathered,
    ) -> Result<Vec<usize>, DesignError> {
        let n = self.n;
        let counts = || ranges.iter().map(Range::len).collect();
        let equal = |i: usize, j: usize| match &hashes {
            Some(all) => all.get(&i) == all.get(&j),
            None => self.x[i * n..][..n] == self.x[j * n..][..n],
        };
        // Equal columns have equal means and norms, bit for bit.
        let mut seen: HashMap<[u64; 2], Vec<usize>> = HashMap::new();
        let mut order: Vec<usize> = (0..self.variables.len()).collect();
        order.sort_by_key(|&j| !self.variables[j].1);
        let mut original: Vec<Option<usize>> = vec![None; order.len()];
        for j in order {
            let twins = seen.entry(scale(&self.variables[j].0)).or_default();
            original[j] = twins.iter().copied().find(|&i| equal(i, j));
            if original[j].is_none() {
                twins.push(j);
            }
        }
        if original.iter().all(Option::is_none) {
            return Ok(counts());
        }
        let variables = std::mem::take(&mut self.variables);
        let names: Vec<String> = variables.iter().map(|(v, _)| v.name.clone()).collect();
        let own = ranges[self.communicator.map_or(0, Communicator::rank)].clone();
        let mut x = Vec::with_capacity(self.x.len());
        let mut left = counts();
        for (j, (variable, kept)) in variables.into_iter().enumerate() {
            match original[j] {
                Some(i) => {
                    left[ranges.partition_point(|range| range.end <= j)] -= 1;
                    let reason = format!("duplicate of {}", names[i]);
                    self.put_aside(variable.name, kept, reason)?;
                }
                None => {
                    if own.contains(&j) {
                        x.extend_from_slice(&self.x[(j - own.start) * n..][..n]);
                    }
                    self.variables.push((variable, kept));
                }
            }
        }
        self.x = x;
        Ok(left)
    }
}

fn kept_aside(name: &str, reason: &str) -> DesignError {
    format!("--keep names `{name}`, which is {reason} and cannot be in a model").into()
}
