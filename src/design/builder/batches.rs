//! Columns of numbers, which threads standardise side by side.

use super::{DesignBuilder, DesignError, standardise};
use crate::{
    table::{Column, Values},
    threads::map_each,
};

/// Values of columns that are standardised at a time.
const BATCH: usize = 1 << 23;

/// A column with its index, and where it stands in the room if it is there already.
type Placed = (usize, Column, Option<usize>);

/// Where a column begins in the room, its values there, and those that it is to get.
type Slot<'a> = (usize, &'a mut [f64], Option<&'a [f64]>);

impl DesignBuilder<'_> {
    /// Adds columns with these indexes. Columns of numbers are standardised by many threads, some at a time.
    pub(in crate::design) fn push_all(
        &mut self,
        indexes: Vec<usize>,
        mut columns: Vec<Column>,
    ) -> Result<(), DesignError> {
        if let Some(array) = self.making.in_file {
            return self.push_in_file(array, indexes, columns);
        }
        if let Some(first) = self.first_packed(&columns)? {
            let (mut indexes, packed) = (indexes, columns.split_off(first));
            let behind = indexes.split_off(first);
            self.push_numbers_of(indexes, columns)?;
            return self.push_genotypes(behind, packed);
        }
        self.push_numbers_of(indexes, columns)
    }

    fn push_numbers_of(
        &mut self,
        indexes: Vec<usize>,
        mut columns: Vec<Column>,
    ) -> Result<(), DesignError> {
        let places = self.make_room(&mut columns)?;
        let mut batch: Vec<Placed> = Vec::new();
        let most = (BATCH / self.n.max(1)).max(1);
        for ((index, column), place) in indexes.into_iter().zip(columns).zip(places) {
            let mut references = self.references.iter();
            let is_plain = matches!(column.values, Values::Numbers(_))
                && !references.any(|(other, _)| *other == column.name);
            if !is_plain {
                self.push_batch(std::mem::take(&mut batch))?;
                self.push(column, index)?;
                continue;
            }
            batch.push((index, column, place));
            if batch.len() == most {
                self.push_batch(std::mem::take(&mut batch))?;
            }
        }
        self.push_batch(batch)
    }

    /// Adds columns of numbers.
    fn push_batch(&mut self, batch: Vec<Placed>) -> Result<(), DesignError> {
        self.heed_interrupt()?;
        let (n, intercept) = (self.n, self.options.intercept);
        let weights = self.weights.as_deref();
        let (end, mut rest) = self.x.rest();
        let mut before = end;
        let slots = batch.iter().enumerate().map(|(at, (_, column, place))| {
            let start = place.unwrap_or(end + at * n);
            let (own, others) = std::mem::take(&mut rest)[start - before..].split_at_mut(n);
            (rest, before) = (others, start + n);
            let values = match &column.values {
                Values::Numbers(values) if place.is_none() => Some(&values[..]),
                _ => None,
            };
            (start, own, values)
        });
        let scales = map_each(slots.collect(), |(start, own, values): Slot| {
            if let Some(values) = values {
                own.copy_from_slice(values);
            }
            let is_finite = own.iter().fold(true, |all, value| all & value.is_finite());
            // What is not finite stays as it is, to be told of.
            let scale = is_finite.then(|| standardise(own, intercept, weights));
            (start, scale)
        });
        for ((index, column, _), (start, scale)) in batch.into_iter().zip(scales) {
            if scale.is_none() {
                self.check_finite(&column.name, self.x.at(start, n))?;
            }
            let kept = self.options.keep.contains(&column.name);
            let part = self.part_of_term(index, kept);
            let own = (start, scale.flatten());
            self.push_standardised((column.name, None), index, part, own)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::{
        design::{Design, DesignOptions, Making},
        interrupt::Interrupt,
        memory::MemoryBudget,
        random::{Stream, uniform_below},
        table::{Column, Numbers, Table, Values},
        threads::with_helpers,
    };

    const N: usize = 9;

    /// Columns among which are constants, equal ones and, if wanted, a factor.
    fn columns(has_factor: bool) -> Vec<Column> {
        let mut stream = Stream::new(63, 0);
        let mut draw = |end: usize| uniform_below(stream.next_word(), end);
        let columns = (0..40).map(|at| {
            let own: Vec<f64> = (0..N)
                .map(|_| match at % 7 {
                    3 => 4.0,
                    _ => draw(3) as f64,
                })
                .collect();
            let levels = (0..N).map(|row| Some(if row % 3 == 0 { "a" } else { "b" }));
            let values: Values = match at {
                5 if has_factor => levels.collect(),
                _ => own.into(),
            };
            Column::from((format!("c{at}"), values))
        });
        columns.collect()
    }

    /// The same columns with their numbers in one vector, some values apart.
    fn together(columns: &[Column], apart: usize) -> Vec<Column> {
        let mut all = vec![f64::NAN; columns.len() * (N + apart)];
        for (own, column) in all.chunks_mut(N + apart).zip(columns) {
            if let Some(numbers) = column.values.numbers(N) {
                own[..N].copy_from_slice(&numbers);
            }
        }
        let all = Arc::new(all);
        let columns = columns.iter().enumerate();
        let columns = columns.map(|(at, column)| {
            let own = Numbers::part(Arc::clone(&all), at * (N + apart), N);
            let values = match &column.values {
                Values::Numbers(_) => Values::Numbers(own),
                others => others.clone(),
            };
            Column::from((column.name.clone(), values))
        });
        columns.collect()
    }

    /// The values, the names and what was set aside; and bytes that were taken for the matrix.
    fn design(
        columns: Vec<Column>,
        response: &str,
        threads: usize,
    ) -> (impl PartialEq + std::fmt::Debug, u64) {
        let columns = columns
            .into_iter()
            .map(|column| (column.name, column.values));
        let table = Table::in_memory("t", columns).unwrap();
        let options = DesignOptions {
            response: Some(response),
            ..DesignOptions::default()
        };
        let (interrupt, charge) = (Interrupt::default(), MemoryBudget::default().charge());
        let making = Making {
            memory: Some(&charge),
            ..Making::alone(&interrupt)
        };
        let made = || Design::from_partitioned_table(table, &options, making);
        let design = with_helpers(threads, made).unwrap();
        let names: Vec<String> = design.variables().iter().map(|v| v.name.clone()).collect();
        let aside: Vec<String> = (design.set_aside().iter())
            .map(|own| format!("{}: {}", own.name, own.reason))
            .collect();
        assert!(aside.len() > 5 && names.len() > 20);
        (
            (design.columns().values().to_vec(), names, aside),
            charge.bytes(),
        )
    }

    #[test]
    fn designs_are_those_of_one_thread_and_of_columns_that_stand_apart() {
        for (has_factor, constant_first) in
            [(false, false), (true, false), (false, true), (true, true)]
        {
            let mut columns = columns(has_factor);
            if constant_first {
                columns.swap(0, 3);
            }
            for response in ["c0", "c1", "c39"] {
                let one = design(columns.clone(), response, 1);
                assert!(one.1 > 0);
                assert_eq!(design(columns.clone(), response, 3).0, one.0);
                for (apart, threads) in [(0, 1), (2, 3), (0, 3), (6, 2)] {
                    let own = design(together(&columns, apart), response, threads);
                    assert_eq!(own.0, one.0);
                    // Nothing beside the vector that they stand in; a factor needs the room of a column that is no
                    // candidate.
                    if !has_factor || response == "c1" {
                        assert_eq!(own.1, 0, "{has_factor} {response} {apart}");
                    }
                }
            }
        }
    }

    #[test]
    fn columns_that_others_share_or_that_stand_in_another_order_are_copied() {
        let columns = columns(false);
        let one = design(columns.clone(), "c1", 1);
        let shared = together(&columns, 0);
        let own = design(shared.clone(), "c1", 2);
        assert_eq!(own, one);
        assert_eq!(shared, columns);
        drop(shared);
        for (apart, response) in [(0, "c1"), (3, "c1"), (3, "c15"), (20, "c39")] {
            for (one, other) in [(2, 30), (14, 16), (38, 0)] {
                let (mut turned, mut others) = (together(&columns, apart), columns.clone());
                turned.swap(one, other);
                others.swap(one, other);
                let own = design(turned, response, 1);
                assert_eq!(own, design(others, response, 1), "{apart} {response} {one}");
            }
        }
    }
}
