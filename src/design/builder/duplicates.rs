//! Columns that are equal, on one rank or on several.

use std::{collections::HashMap, mem::take, ops::Range};

use super::{super::Variable, DesignBuilder};
use crate::{design::DesignError, fnv::Fnv, ranks::Communicator, table::TableError};

/// The range of variables of each rank, and hashes of the columns that may equal another rank's;
/// no hashes where one process holds all columns.
pub(super) struct Gathered {
    ranges: Vec<Range<usize>>,
    hashes: Option<HashMap<usize, u128>>,
}

/// The bits of mean and norm, in which equal columns agree.
fn scale(variable: &Variable) -> [u64; 2] {
    [variable.mean.to_bits(), variable.norm.to_bits()]
}

impl DesignBuilder<'_> {
    pub(super) fn gather(&mut self) -> Result<Gathered, DesignError> {
        let Some(communicator) = self.communicator else {
            return Ok(Gathered {
                ranges: std::iter::once(0..self.variables.len()).collect(),
                hashes: None,
            });
        };
        let own = (
            take(&mut self.variables),
            take(&mut self.set_aside),
            take(&mut self.factors),
            take(&mut self.warnings),
        );
        let all = communicator.gather(&own).map_err(TableError::Ranks)?;
        let mut ranges = Vec::new();
        for (variables, aside, factors, warnings) in all {
            let start = self.variables.len();
            self.variables.extend(variables);
            ranges.push(start..self.variables.len());
            self.set_aside.extend(aside);
            self.factors.extend(factors);
            // Of the response all ranks say the same.
            let is_known = |warning: &String| !self.warnings.contains(warning);
            let new: Vec<String> = warnings.into_iter().filter(is_known).collect();
            self.warnings.extend(new);
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

    /// Of columns that are equal value by value only the first stays, kept ones before others.
    /// Columns of different ranks count as equal where their hashes are. Returns how many columns
    /// each rank has then.
    pub(super) fn set_duplicates_aside(
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
        let variables = take(&mut self.variables);
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
