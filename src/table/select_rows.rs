//! Some rows of a table, each in any number of copies.

use std::sync::Arc;

use super::{Column, Numbers, Table, Values, factor::factor_of_part};
use crate::{memory::zeros, threads::map_each};

impl Table {
    /// Makes the table of some rows, each as often as `rows` names it. Columns keep their kind
    /// (numbers, factors); levels that none of the rows has are left out.
    ///
    /// *Shapes:* `rows` ascend and are counted from 0.
    pub(crate) fn select_rows(&self, rows: &[usize]) -> Self {
        let columns = self.columns.iter().zip(self.select_values(rows));
        let columns = columns.map(|(column, values)| Column {
            name: column.name.clone(),
            values,
        });
        Self {
            source: self.source.clone(),
            columns: columns.collect(),
            rows: rows.len(),
            response: self.response,
            truth: self.truth.clone(),
            kept: self.kept.clone(),
            loci: self.loci.clone(),
            labels: self.select_labels(rows),
            rounded: self.rounded.clone(),
            // They are of the whole table.
            warnings: Vec::new(),
        }
    }

    /// The values of the columns, by many threads; numbers stand in one vector, which a design takes over.
    fn select_values(&self, rows: &[usize]) -> Vec<Values> {
        let (n, spans) = (rows.len(), self.spans(rows));
        let are_numbers = |column: &&Column| matches!(column.values, Values::Numbers(_));
        let count = self.columns.iter().filter(are_numbers).count();
        let all = n.checked_mul(count).filter(|size| *size > 0);
        let Some(mut all) = all.and_then(zeros) else {
            let each = self
                .columns
                .iter()
                .map(|own| own.values.select(rows, &spans));
            return each.collect();
        };
        let mut rooms = all.chunks_mut(n);
        let columns = self.columns.iter().map(|column| match &column.values {
            Values::Numbers(own) => (&column.values, rooms.next().map(|room| (&own[..], room))),
            others => (others, None),
        });
        let selected = map_each(columns.collect(), |(values, numbers)| match numbers {
            Some((own, room)) => {
                room.iter_mut()
                    .zip(rows)
                    .for_each(|(to, row)| *to = own[*row]);
                None
            }
            None => Some(values.select(rows, &spans)),
        });
        let (all, mut starts) = (Arc::new(all), (0..).step_by(n));
        let mut numbers = || Numbers::part(Arc::clone(&all), starts.next().unwrap_or_default(), n);
        let values = selected.into_iter();
        values
            .map(|own| own.unwrap_or_else(|| Values::Numbers(numbers())))
            .collect()
    }

    fn select_labels(&self, rows: &[usize]) -> Vec<String> {
        let labels = rows.iter().filter_map(|row| self.labels.get(*row));
        labels.cloned().collect()
    }

    /// Leaves out the observations not marked, and the levels that only they had.
    pub(crate) fn keep_rows(&mut self, marked: &[bool]) {
        let rows: Vec<usize> = (0..self.rows).filter(|row| marked[*row]).collect();
        let spans = self.spans(&rows);
        for column in &mut self.columns {
            column.values = column.values.select(&rows, &spans);
        }
        self.labels = self.select_labels(&rows);
        self.rows = rows.len();
    }

    /// For sparse columns: row r is named at positions `spans[r]..spans[r + 1]`.
    fn spans(&self, named: &[usize]) -> Vec<u32> {
        let sparse = |column: &Column| matches!(column.values, Values::Sparse { .. });
        if !self.columns.iter().any(sparse) {
            return Vec::new();
        }
        let mut at = 0;
        let mut next = |row: usize| {
            let here = named[at..].iter().take_while(|named| **named < row);
            at += here.count();
            at as u32
        };
        (0..=self.rows).map(&mut next).collect()
    }
}

impl Column {
    /// The column of some rows, as that of [`Table::select_rows`]; a sparse one becomes one of numbers.
    pub(crate) fn select_rows(&self, rows: &[usize]) -> Self {
        let name = self.name.clone();
        let dense = match &self.values {
            Values::Sparse { rows: stored, .. } => {
                let last = stored.last().map_or(0, |last| *last as usize + 1);
                let n = rows.last().map_or(0, |last| last + 1).max(last);
                self.values.numbers(n).map(|own| own.into_owned().into())
            }
            _ => None,
        };
        let values = dense.as_ref().unwrap_or(&self.values).select(rows, &[]);
        Self { name, values }
    }
}

impl Values {
    fn select(&self, named: &[usize], spans: &[u32]) -> Self {
        match self {
            Self::Numbers(values) => of(values, named).into(),
            Self::Bytes(values) => Self::Bytes(of(values, named)),
            Self::Gapped(values) => Self::Gapped(of(values, named)),
            Self::Genotypes(genotypes) => Self::Genotypes(genotypes.select(named)),
            Self::Sparse { rows, values } => {
                let entries = rows.iter().zip(values).flat_map(|(row, value)| {
                    let row = *row as usize;
                    (spans[row]..spans[row + 1]).map(move |place| (place, *value))
                });
                let (rows, values) = entries.unzip();
                Self::Sparse { rows, values }
            }
            Self::Remote => Self::Remote,
            Self::Factor { levels, codes } => factor_of_part(levels, of(codes, named)),
        }
    }
}

fn of<T: Copy>(values: &[T], rows: &[usize]) -> Vec<T> {
    rows.iter().map(|row| values[*row]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::MISSING;

    #[test]
    fn rows_are_taken_as_often_as_they_are_named() {
        let column = |values: Values| Column::from(("x", values));
        let table = Table {
            source: "t.csv".to_owned(),
            columns: vec![
                column(vec![0.5, 1.5, 2.5, 3.5].into()),
                column(Values::Bytes(vec![0, 1, 2, 3])),
                column(Values::Gapped(vec![9, 255, 8, 7])),
                column(Values::Sparse {
                    rows: vec![1, 3],
                    values: vec![4.0, f64::NAN],
                }),
                column(Values::Factor {
                    levels: ["d", "b", "a"].map(str::to_owned).to_vec(),
                    codes: vec![0, 2, MISSING, 1],
                }),
            ],
            rows: 4,
            response: Some(1),
            truth: vec![2],
            labels: ["p", "q", "r", "s"].map(str::to_owned).to_vec(),
            ..Table::default()
        };
        let taken = table.select_rows(&[1, 1, 2]);
        assert_eq!((taken.rows, taken.response), (3, Some(1)));
        assert_eq!(taken.labels, ["q", "q", "r"]);
        let values: Vec<_> = taken
            .columns
            .into_iter()
            .map(|column| column.values)
            .collect();
        assert_eq!(values[0], vec![1.5, 1.5, 2.5].into());
        assert_eq!(values[1], Values::Bytes(vec![1, 1, 2]));
        assert_eq!(values[2], Values::Gapped(vec![255, 255, 8]));
        let (rows, entries) = (vec![0, 1], vec![4.0, 4.0]);
        let sparse = Values::Sparse {
            rows,
            values: entries,
        };
        assert_eq!(values[3], sparse);
        let (levels, codes) = (vec!["a".to_owned()], vec![0, 0, MISSING]);
        assert_eq!(values[4], Values::Factor { levels, codes });
        let all = table.select_rows(&[0, 1, 2, 3]);
        assert_eq!(all.columns[4], table.columns[4]);
    }
}
