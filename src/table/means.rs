//! Missing values that are replaced by the mean of a column's others.

use std::sync::Arc;

use super::{Missing, Table, TableError, Values};
use crate::{ranks::Communicator, threads::map_each};

impl Missing {
    /// What is done with the missing values of a table that a regression is made of.
    pub(crate) fn of(self, table: &Table) -> Self {
        let is_genotypes = |values: &Values| matches!(values, Values::Genotypes(_));
        let has_genotypes = || {
            table
                .columns
                .iter()
                .any(|column| is_genotypes(&column.values))
        };
        match self {
            // Each rank has the loci, and some of the columns.
            Self::Auto if table.loci.is_some() || has_genotypes() => Self::Mean,
            Self::Auto => Self::Refuse,
            told => told,
        }
    }
}

impl Table {
    /// Puts the mean of the column's others where a value is missing; genotypes stay as they are, for theirs is known
    /// wherever they are unpacked. A column without any value becomes zeros. Returns what a user should know of it.
    ///
    /// # Errors
    /// A factor with missing values, which has no mean; a lost rank.
    pub(crate) fn fill_with_means(
        &mut self,
        communicator: Option<&Communicator>,
    ) -> Result<Option<String>, TableError> {
        let (rows, path) = (self.rows, &self.source);
        let filled = map_each(self.columns.iter_mut().collect(), |column| {
            let missing = match &column.values {
                Values::Genotypes(genotypes) => return Ok(genotypes.missing()),
                Values::Factor { .. } => match column.missing_rows(rows).len() {
                    0 => return Ok(0),
                    count => {
                        return Err(TableError::MeanOfFactor {
                            path: path.clone(),
                            name: column.name.clone(),
                            count,
                        });
                    }
                },
                _ if !column.has_missing() => return Ok(0),
                values => values.numbers(rows).unwrap_or_default().into_owned(),
            };
            let mut numbers = missing;
            let known = numbers.iter().filter(|value| !value.is_nan());
            let (count, sum) = known.fold((0, 0.0), |(count, sum), value| (count + 1, sum + value));
            let mean = if count == 0 {
                0.0
            } else {
                sum / f64::from(count)
            };
            for value in numbers.iter_mut().filter(|value| value.is_nan()) {
                *value = mean;
            }
            column.values = numbers.into();
            Ok(rows - count as usize)
        });
        let filled: Vec<usize> = filled.into_iter().collect::<Result<_, _>>()?;
        let of_dosages = |name: &str| {
            let loci = self.loci.as_ref();
            loci.is_some_and(|loci| loci.missing_dosages(name).is_some())
        };
        let numbers = self.columns.iter().zip(&filled);
        let of_dosages = numbers.filter(|(column, count)| **count > 0 && of_dosages(&column.name));
        let of_dosages = of_dosages.map(|(column, count)| (column.name.clone(), *count));
        let mut of_dosages: Vec<(String, usize)> = of_dosages.collect();
        let columns = filled.iter().filter(|count| **count > 0).count();
        let (mut values, mut columns) = (filled.iter().sum::<usize>(), columns);
        if let Some(communicator) = communicator {
            let all = communicator.gather(&(values, columns, std::mem::take(&mut of_dosages)));
            (values, columns) = (0, 0);
            for own in all.map_err(TableError::Ranks)? {
                values += own.0;
                columns += own.1;
                of_dosages.extend(own.2);
            }
        }
        if let Some(loci) = self.loci.as_mut().filter(|_| !of_dosages.is_empty()) {
            let loci = Arc::make_mut(loci);
            for (name, count) in &of_dosages {
                loci.count_missing(name, *count);
            }
        }
        let (were, of) = match (values, columns) {
            (0, _) => return Ok(None),
            (1, _) => ("value was", "its column".to_owned()),
            (_, 1) => ("values were", "their column".to_owned()),
            (_, columns) => ("values were", format!("their {columns} columns")),
        };
        Ok(Some(format!(
            "{values} missing {were} replaced by the mean of {of}"
        )))
    }
}
