//! Columns that are equal, on one rank or on several.

use std::{collections::HashMap, mem::take, ops::Range};

use super::{super::Variable, DesignBuilder};
use crate::{design::DesignError, fnv::Fnv, ranks::Communicator, table::TableError};

/// The range of variables of each rank, and hashes of the columns that may equal another.
pub(super) struct Gathered {
    ranges: Vec<Range<usize>>,
    hashes: HashMap<usize, u128>,
}

/// The bits of mean and norm, in which equal columns agree.
pub(super) fn scale_bits((mean, norm): (f64, f64)) -> [u64; 2] {
    [mean.to_bits(), norm.to_bits()]
}

fn scale(variable: &Variable) -> [u64; 2] {
    scale_bits((variable.mean, variable.norm))
}

/// Hashes of columns that may equal another.
#[derive(Default)]
pub(super) struct EqualHashes {
    /// By the column's place among the variables.
    pub(super) of: HashMap<usize, u128>,
    /// The first column of each mean and norm.
    first: HashMap<[u64; 2], usize>,
}

impl DesignBuilder<'_> {
    fn hash(&self, j: usize) -> u128 {
        let column = &self.x[j * self.n..][..self.n];
        Fnv::new().equal_numbers(column).finish()
    }

    /// Hashes the last column, which the cache still holds, if another before it may equal it.
    pub(super) fn hash_last(&mut self) {
        let last = self.variables.len() - 1;
        let first = *self
            .hashes
            .first
            .entry(scale(&self.variables[last].0))
            .or_insert(last);
        if first == last {
            return;
        }
        for j in [first, last] {
            if !self.hashes.of.contains_key(&j) {
                let hash = self.hash(j);
                self.hashes.of.insert(j, hash);
            }
        }
    }

    pub(super) fn gather(&mut self) -> Result<Gathered, DesignError> {
        let mut ranges = Vec::new();
        if let Some(communicator) = self.making.communicator {
            let own = (
                take(&mut self.variables),
                take(&mut self.set_aside),
                take(&mut self.factors),
                take(&mut self.warnings),
            );
            let all = communicator.gather(&own).map_err(TableError::Ranks)?;
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
        } else {
            ranges.push(0..self.variables.len());
        }
        let EqualHashes { of: mut hashes, .. } = take(&mut self.hashes);
        if let Some(communicator) = self.making.communicator {
            let mut alike: HashMap<[u64; 2], usize> = HashMap::new();
            for (variable, _) in &self.variables {
                *alike.entry(scale(variable)).or_default() += 1;
            }
            let mut own = Vec::new();
            for (j, place) in ranges[self.rank()].clone().enumerate() {
                // Of genotypes at two bits the copies were taken out before.
                let is_packed = self.packed.is_some() && j * self.n >= self.x.len();
                if !is_packed && alike[&scale(&self.variables[place].0)] > 1 {
                    self.heed_interrupt()?;
                    own.push((place, hashes.remove(&j).unwrap_or_else(|| self.hash(j))));
                }
            }
            let all = communicator.gather(&own).map_err(TableError::Ranks)?;
            hashes = all.into_iter().flatten().collect();
        }
        Ok(Gathered { ranges, hashes })
    }

    fn rank(&self) -> usize {
        self.making.communicator.map_or(0, Communicator::rank)
    }

    /// Of columns that are equal value by value only the first stays, kept ones before others.
    /// Columns of different ranks, and those that stay in a file, count as equal where their hashes are. Returns how many
    /// columns each rank has then.
    pub(super) fn set_duplicates_aside(
        &mut self,
        Gathered { ranges, hashes }: Gathered,
    ) -> Result<Vec<usize>, DesignError> {
        let n = self.n;
        let mut order: Vec<usize> = hashes.keys().copied().collect();
        order.sort_unstable_by_key(|&j| (!self.variables[j].1, j));
        // Equal columns have equal means and norms, bit for bit, and equal hashes.
        let key = |j: usize| (scale(&self.variables[j].0), hashes[&j]);
        let by_hash = self.making.communicator.is_some() || self.in_file.is_some();
        let equal = |i: usize, j: usize| by_hash || self.x[i * n..][..n] == self.x[j * n..][..n];
        let originals = originals(order, key, equal);
        let mut left: Vec<usize> = ranges.iter().map(Range::len).collect();
        if originals.is_empty() {
            return Ok(left);
        }
        let own = ranges[self.rank()].clone();
        let variables = take(&mut self.variables);
        let names: Vec<String> = variables.iter().map(|(v, _)| v.name.clone()).collect();
        let mut stay = 0;
        for (j, (variable, kept)) in variables.into_iter().enumerate() {
            if let Some(i) = originals.get(&j) {
                left[ranges.partition_point(|range| range.end <= j)] -= 1;
                let original = &names[*i];
                let reason = format!("duplicate of {original}");
                self.put_aside(variable.name, kept, reason)?;
                if let Some(aside) = self.set_aside.last_mut() {
                    aside.copy_of = Some(original.clone());
                }
                continue;
            }
            if own.contains(&j) {
                self.move_column(j - own.start, stay);
                stay += 1;
            }
            self.variables.push((variable, kept));
        }
        self.truncate_columns(stay);
        Ok(left)
    }
}

/// For each of these columns that equals an earlier one, the first that it equals. Equal columns have
/// equal keys; a column is compared only with those of its key that are unlike one another, so that
/// the work does not grow with the square of the columns.
fn originals<K: Eq + std::hash::Hash>(
    order: Vec<usize>,
    key: impl Fn(usize) -> K,
    equal: impl Fn(usize, usize) -> bool,
) -> HashMap<usize, usize> {
    let mut seen: HashMap<K, Vec<usize>> = HashMap::with_capacity(order.len());
    let mut originals = HashMap::new();
    for j in order {
        let unlike = seen.entry(key(j)).or_default();
        match unlike.iter().find(|i| equal(**i, j)) {
            Some(i) => {
                originals.insert(j, *i);
            }
            None => unlike.push(j),
        }
    }
    originals
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::{
        design::{Design, DesignOptions},
        interrupt::Interrupt,
        random::{Stream, uniform_below},
        table::Table,
    };

    /// The design of columns, and what their definition says of it: for each column, in the file's order
    /// but the kept ones first, the first equal column before it.
    fn check(columns: &[Vec<f64>], keep: &[usize], intercept: bool) {
        let n = columns[0].len();
        let names: Vec<String> = (0..columns.len()).map(|j| format!("c{j}")).collect();
        let y: Vec<f64> = (0..n).map(|i| (i * i % 7) as f64 + 0.125).collect();
        let values = columns.iter().map(|column| column.as_slice().into());
        let all = names.iter().map(String::as_str).zip(values);
        let table = all.chain([("y", y.as_slice().into())]);
        let kept: Vec<String> = keep.iter().map(|j| names[*j].clone()).collect();
        let options = DesignOptions {
            response: Some("y"),
            keep: &kept,
            intercept,
            ..DesignOptions::default()
        };
        let design = Design::from_table(Table::in_memory("t", table).unwrap(), &options).unwrap();
        let is_constant = |column: &[f64]| match intercept {
            true => column.iter().all(|value| *value == column[0]),
            false => column.iter().all(|value| *value == 0.0),
        };
        let mut expected = Vec::new();
        let mut places: Vec<usize> = (0..columns.len()).collect();
        places.sort_by_key(|j| !keep.contains(j));
        for (j, column) in columns.iter().enumerate() {
            if is_constant(column) {
                expected.push((j, "constant".to_owned()));
                continue;
            }
            let before = places.iter().take_while(|i| **i != j);
            if let Some(i) = before.copied().find(|i| columns[*i] == *column) {
                expected.push((j, format!("duplicate of c{i}")));
            }
        }
        let mut found: Vec<(String, String)> = Vec::new();
        for aside in design.set_aside() {
            found.push((aside.name.clone(), aside.reason.clone()));
        }
        found.sort();
        let mut wanted: Vec<(String, String)> = Vec::new();
        for (j, reason) in &expected {
            wanted.push((names[*j].clone(), reason.clone()));
        }
        wanted.sort();
        assert_eq!(found, wanted);
        let stay = (0..columns.len()).filter(|j| expected.iter().all(|(out, _)| out != j));
        let stay: Vec<&str> = stay.map(|j| &*names[j]).collect();
        let variables = design.variables().iter();
        assert_eq!(variables.map(|v| &*v.name).collect::<Vec<_>>(), stay);
        // The values moved with their names.
        for (at, name) in (0u32..).zip(&stay) {
            let own = Table::in_memory(
                "one",
                [
                    ("y", y.as_slice().into()),
                    (
                        "x",
                        columns[name[1..].parse::<usize>().unwrap()]
                            .as_slice()
                            .into(),
                    ),
                ],
            );
            let options = DesignOptions {
                keep: &[],
                ..options
            };
            let alone = Design::from_table(own.unwrap(), &options).unwrap();
            assert_eq!(design.columns().column(at), alone.columns().column(0));
        }
    }

    #[test]
    fn duplicates_are_what_their_definition_says() {
        let mut stream = Stream::new(5, 0);
        for case in 0..40 {
            let n = 5 + case % 7;
            let mut below = |end: usize| uniform_below(stream.next_word(), end);
            let columns = (0..60).map(|_| {
                let mut column = vec![0.0; n];
                // Ones at two places: mean and norm are all alike.
                column[below(n)] = 1.0;
                column[below(n)] = if case % 3 == 0 { -1.0 } else { 1.0 };
                // A zero of the other sign is the same number.
                let zero = below(n);
                column[zero] = if column[zero] == 0.0 {
                    -0.0
                } else {
                    column[zero]
                };
                column
            });
            let columns: Vec<Vec<f64>> = columns.collect();
            let varies = |j: &usize| {
                let column = &columns[*j];
                let others = columns.iter().enumerate().filter(|(i, _)| i != j);
                let is_first = others.clone().all(|(_, other)| other != column);
                column.iter().any(|value| *value != column[0]) && is_first
            };
            // A column that is alone may be kept: a kept duplicate of a kept one is refused.
            let keep: Vec<usize> = (0..columns.len()).filter(varies).take(case % 3).collect();
            check(&columns, &keep, case % 2 == 0);
        }
        // A kept column stays where an earlier one equals it.
        let (a, b) = (vec![1.0, 0.0, 2.0, 5.0, 1.0], vec![1.0, 1.0, 0.0, 0.0, 0.0]);
        check(&[a.clone(), b.clone(), a.clone(), b, a], &[2], true);
    }

    #[test]
    fn an_interrupt_ends_the_making_of_a_design() {
        let interrupt = Interrupt::default();
        interrupt.request();
        let columns = [
            ("y", [1.0, 2.0, 4.0].as_slice().into()),
            ("x", [1.0, 0.0, 0.0].as_slice().into()),
        ];
        let table = Table::in_memory("t", columns).unwrap();
        let options = DesignOptions {
            response: Some("y"),
            ..DesignOptions::default()
        };
        let made = Design::from_partitioned_table(
            table,
            &options,
            crate::design::Making::alone(&interrupt),
        );
        let interrupted = |error| matches!(error, DesignError::Table(TableError::Interrupted(_)));
        assert!(made.is_err_and(interrupted));
    }

    #[test]
    fn columns_are_compared_once_and_unlike_ones_of_one_hash_stay_apart() {
        let compared = Cell::new(0);
        let value = |j: usize| j % 1000;
        let equal = |i: usize, j: usize| {
            compared.set(compared.get() + 1);
            value(i) == value(j)
        };
        let found = originals((0..20_000).collect(), value, equal);
        assert_eq!((found.len(), compared.get()), (19_000, 19_000));
        assert!(found.iter().all(|(j, i)| *i == value(*j)));
        // Hashes that collide cost comparisons, never an answer.
        let collided = originals(
            (0..2_000).collect(),
            |j| j % 10,
            |i, j| value(i) == value(j),
        );
        assert_eq!(collided.len(), 1_000);
        assert!(collided.iter().all(|(j, i)| *i == value(*j)));
    }
}
