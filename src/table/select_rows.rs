//! Tables of some rows of another table, each row in any number of copies.

use super::{Column, Table, Values, factor, sparse};

impl Table {
    /// Makes the table of some rows, each as often as `rows` names it. Columns keep their kind
    /// (numbers, factors); levels that none of the rows has are left out.
    ///
    /// *Shapes:* `rows` ascend and are counted from 0.
    pub(crate) fn select_rows(&self, rows: &[usize]) -> Self {
        let sparse = |column: &Column| matches!(column.values, Values::Sparse { .. });
        let places = match self.columns.iter().any(sparse) {
            true => sparse::spans(rows, self.rows),
            false => Vec::new(),
        };
        let columns = self.columns.iter().map(|column| Column {
            name: column.name.clone(),
            values: match &column.values {
                Values::Numbers(values) => Values::Numbers(of(values, rows)),
                Values::Bytes(values) => Values::Bytes(of(values, rows)),
                Values::Gapped(values) => Values::Gapped(of(values, rows)),
                Values::Sparse { rows, values } => {
                    let (rows, values) = sparse::take(rows, values, &places);
                    Values::Sparse { rows, values }
                }
                Values::Remote => Values::Remote,
                Values::Factor { levels, codes } => {
                    let (mut levels, mut codes) = (levels.clone(), of(codes, rows));
                    factor::drop_unused(&mut levels, &mut codes);
                    Values::Factor { levels, codes }
                }
            },
        });
        Self {
            source: self.source.clone(),
            columns: columns.collect(),
            rows: rows.len(),
            response: self.response,
            truth: self.truth.clone(),
        }
    }
}

/// The values of these rows.
fn of<T: Copy>(values: &[T], rows: &[usize]) -> Vec<T> {
    rows.iter().map(|row| values[*row]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::MISSING;

    #[test]
    fn rows_are_taken_as_often_as_they_are_named() {
        let column = |values| Column {
            name: "x".to_owned(),
            values,
        };
        let table = Table {
            source: "t.csv".to_owned(),
            columns: vec![
                column(Values::Numbers(vec![0.5, 1.5, 2.5, 3.5])),
                column(Values::Bytes(vec![0, 1, 2, 3])),
                column(Values::Gapped(vec![9, 255, 8, 7])),
                column(Values::Sparse {
                    rows: vec![1, 3],
                    values: vec![4.0, f64::NAN],
                }),
                column(Values::Factor {
                    levels: ["a", "b", "c"].map(str::to_owned).to_vec(),
                    codes: vec![0, 2, MISSING, 1],
                }),
            ],
            rows: 4,
            response: Some(1),
            truth: vec![2],
        };
        let taken = table.select_rows(&[1, 1, 2]);
        assert_eq!((taken.rows, taken.response), (3, Some(1)));
        let values: Vec<_> = taken
            .columns
            .into_iter()
            .map(|column| column.values)
            .collect();
        assert_eq!(values[0], Values::Numbers(vec![1.5, 1.5, 2.5]));
        assert_eq!(values[1], Values::Bytes(vec![1, 1, 2]));
        assert_eq!(values[2], Values::Gapped(vec![255, 255, 8]));
        let (rows, entries) = (vec![0, 1], vec![4.0, 4.0]);
        let sparse = Values::Sparse {
            rows,
            values: entries,
        };
        assert_eq!(values[3], sparse);
        let (levels, codes) = (vec!["c".to_owned()], vec![0, 0, MISSING]);
        assert_eq!(values[4], Values::Factor { levels, codes });
        let all = table.select_rows(&[0, 1, 2, 3]);
        assert_eq!(all.columns[4], table.columns[4]);
    }
}
