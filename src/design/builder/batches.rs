//! Columns of numbers, which threads standardise side by side.

use super::{DesignBuilder, DesignError, standardise};
use crate::{
    table::{Column, Values},
    threads::map_each,
};

/// Values of columns that are standardised at a time.
const BATCH: usize = 1 << 23;

impl DesignBuilder<'_> {
    /// Adds columns with their indexes. Columns of numbers are standardised by many threads, some at a time.
    pub(in crate::design) fn push_all(
        &mut self,
        columns: impl Iterator<Item = (usize, Column)>,
    ) -> Result<(), DesignError> {
        let mut batch: Vec<(usize, Column)> = Vec::new();
        let most = (BATCH / self.n.max(1)).max(1);
        for (index, column) in columns {
            let is_plain = matches!(column.values, Values::Numbers(_))
                && !self
                    .references
                    .iter()
                    .any(|(other, _)| *other == column.name);
            if !is_plain {
                self.push_batch(std::mem::take(&mut batch))?;
                self.push(column, index)?;
                continue;
            }
            batch.push((index, column));
            if batch.len() == most {
                self.push_batch(std::mem::take(&mut batch))?;
            }
        }
        self.push_batch(batch)
    }

    /// Adds columns of numbers.
    fn push_batch(&mut self, batch: Vec<(usize, Column)>) -> Result<(), DesignError> {
        self.heed_interrupt()?;
        let (n, from, intercept) = (self.n, self.filled, self.options.intercept);
        let weights = self.weights.as_deref();
        let values = batch.iter().map(|(_, column)| match &column.values {
            Values::Numbers(values) => &values[..],
            _ => &[],
        });
        let places = self.x[from..].chunks_exact_mut(n.max(1)).zip(values);
        let scales = map_each(places.collect(), |(place, values)| {
            place.copy_from_slice(values);
            // Not even one that is no number: its column is told of below.
            let is_finite = values
                .iter()
                .fold(true, |all, value| all & value.is_finite());
            (is_finite, standardise(place, intercept, weights))
        });
        for (at, ((index, column), (is_finite, scale))) in batch.into_iter().zip(scales).enumerate()
        {
            if !is_finite {
                let values = column.values.numbers(n).unwrap_or_default();
                self.check_finite(&column.name, &values)?;
            }
            let start = from + at * n;
            if start != self.filled {
                // Constants before it left a gap.
                self.x.copy_within(start..start + n, self.filled);
            }
            let kept = self.options.keep.contains(&column.name);
            self.push_standardised(
                (column.name, None),
                index,
                self.part_of_term(index, kept),
                scale,
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        design::{Design, DesignOptions},
        random::{Stream, uniform_below},
        table::Table,
        threads::with_helpers,
    };

    #[test]
    fn designs_are_those_of_one_thread() {
        let mut stream = Stream::new(63, 0);
        let mut draw = |end: usize| uniform_below(stream.next_word(), end);
        let (n, p) = (9, 40);
        let columns: Vec<(String, Vec<f64>)> = (0..p)
            .map(|at| {
                let own = (0..n).map(|_| match at % 7 {
                    3 => 4.0,
                    _ => draw(3) as f64,
                });
                (format!("c{at}"), own.collect())
            })
            .collect();
        let told = |threads: usize| {
            let columns = columns.iter();
            let columns = columns.map(|(name, values)| (name.as_str(), values.as_slice().into()));
            let table = Table::in_memory("t", columns).unwrap();
            let options = DesignOptions {
                response: Some("c1"),
                ..DesignOptions::default()
            };
            let design = with_helpers(threads, || Design::from_table(table, &options)).unwrap();
            let values = design.columns().values().to_vec();
            let names: Vec<String> = design.variables().iter().map(|v| v.name.clone()).collect();
            let aside: Vec<String> = (design.set_aside().iter())
                .map(|own| format!("{}: {}", own.name, own.reason))
                .collect();
            (values, names, aside)
        };
        let one = told(1);
        assert!(one.2.len() > 5 && one.1.len() > 20);
        assert_eq!(told(3), one);
    }
}
