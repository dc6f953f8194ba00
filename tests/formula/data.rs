//! Data sets in memory.

use std::borrow::Cow;
use std::path::Path;

use passel::formula::{Variable, Variables};

#[derive(Clone)]
pub enum Column {
    Numbers(Vec<f64>),
    Factor {
        levels: Vec<String>,
        codes: Vec<u32>,
        is_ordered: bool,
    },
}

/// Named columns.
#[derive(Clone, Default)]
pub struct Data {
    pub columns: Vec<(String, Column)>,
    pub rows: usize,
}

impl Variables for Data {
    fn names(&self) -> Vec<&str> {
        self.columns.iter().map(|(name, _)| &**name).collect()
    }

    fn variable(&self, name: &str) -> Option<Variable<'_>> {
        let (_, column) = self.columns.iter().find(|(own, _)| own == name)?;
        Some(match column {
            Column::Numbers(values) => Variable::Numeric(Cow::Borrowed(values)),
            Column::Factor {
                levels,
                codes,
                is_ordered,
            } => Variable::Factor {
                levels: Cow::Borrowed(levels),
                codes: Cow::Borrowed(codes),
                is_ordered: *is_ordered,
            },
        })
    }

    fn rows(&self) -> usize {
        self.rows
    }
}

impl Data {
    pub fn numbers(mut self, name: &str, values: &[f64]) -> Self {
        self.rows = values.len();
        let column = Column::Numbers(values.to_vec());
        self.columns.push((name.to_owned(), column));
        self
    }

    /// A factor; its levels are in alphabetical order unless others are given.
    pub fn factor(mut self, name: &str, values: &[&str], levels: &[&str]) -> Self {
        self.rows = values.len();
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let levels = if levels.is_empty() { &sorted } else { levels };
        let code = |value: &&str| levels.iter().position(|level| level == value).unwrap() as u32;
        let column = Column::Factor {
            codes: values.iter().map(code).collect(),
            levels: levels.iter().map(|level| (*level).to_owned()).collect(),
            is_ordered: false,
        };
        self.columns.push((name.to_owned(), column));
        self
    }

    /// Some of the rows.
    pub fn take(&self, rows: &[usize]) -> Self {
        let columns = self.columns.iter().map(|(name, column)| {
            let column = match column {
                Column::Numbers(values) => {
                    Column::Numbers(rows.iter().map(|row| values[*row]).collect())
                }
                Column::Factor {
                    levels,
                    codes,
                    is_ordered,
                } => Column::Factor {
                    levels: levels.clone(),
                    codes: rows.iter().map(|row| codes[*row]).collect(),
                    is_ordered: *is_ordered,
                },
            };
            (name.clone(), column)
        });
        Self {
            columns: columns.collect(),
            rows: rows.len(),
        }
    }
}

/// A data set of the goldens. Text columns are factors with levels in alphabetical order, but for the
/// tensions of `warpbreaks`, which R orders low, medium, high.
pub fn data_set(name: &str) -> Data {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/golden/formulas");
    let mut reader = csv::Reader::from_path(folder.join(format!("{name}.csv"))).unwrap();
    let names: Vec<String> = reader
        .headers()
        .unwrap()
        .iter()
        .map(str::to_owned)
        .collect();
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let mut data = Data::default();
    for (place, name) in names.iter().enumerate() {
        let texts: Vec<&str> = records.iter().map(|record| &record[place]).collect();
        let numbers: Option<Vec<f64>> = texts.iter().map(|text| text.parse().ok()).collect();
        data = match numbers {
            Some(numbers) => data.numbers(name, &numbers),
            None if name == "tension" => data.factor(name, &texts, &["L", "M", "H"]),
            None => data.factor(name, &texts, &[]),
        };
    }
    data
}
