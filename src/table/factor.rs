//! Factors: texts that become levels in bytewise order, so that the order of rows cannot matter.

use std::collections::HashMap;

use super::{MISSING, Values};

/// Collects the values of a factor row by row.
#[derive(Default)]
pub(super) struct FactorBuilder {
    /// The levels, each with its code in order of appearance.
    levels: HashMap<String, u32>,
    codes: Vec<u32>,
}

impl FactorBuilder {
    /// Begins with so many missing values.
    pub(super) fn after_missing(count: usize) -> Self {
        Self {
            levels: HashMap::new(),
            codes: vec![MISSING; count],
        }
    }

    /// Appends one value; `None` is missing.
    pub(super) fn push(&mut self, level: Option<&str>) {
        let code = level.map_or(MISSING, |level| match self.levels.get(level) {
            Some(&code) => code,
            None => {
                let code = self.levels.len() as u32;
                self.levels.insert(level.to_owned(), code);
                code
            }
        });
        self.codes.push(code);
    }

    #[cfg(feature = "parquet")]
    pub(super) fn len(&self) -> usize {
        self.codes.len()
    }

    pub(super) fn finish(self) -> Values {
        factor(self.levels, self.codes)
    }
}

/// A column while its rows are read.
pub(super) enum ColumnBuilder {
    /// NaN is missing.
    Numbers(Vec<f64>),
    Factor(FactorBuilder),
}

impl ColumnBuilder {
    pub(super) fn finish(self) -> Values {
        match self {
            Self::Numbers(mut values) => {
                values.shrink_to_fit();
                Values::Numbers(values)
            }
            Self::Factor(factor) => factor.finish(),
        }
    }
}

impl<'a> FromIterator<Option<&'a str>> for Values {
    fn from_iter<I: IntoIterator<Item = Option<&'a str>>>(values: I) -> Self {
        let mut factor = FactorBuilder::default();
        values.into_iter().for_each(|value| factor.push(value));
        factor.finish()
    }
}

/// Makes a factor of levels in any order, each with its code. Levels that no observation has are
/// left out, the others stand in bytewise order.
pub(super) fn factor(
    levels: impl IntoIterator<Item = (String, u32)>,
    mut codes: Vec<u32>,
) -> Values {
    let mut levels: Vec<(String, u32)> = levels.into_iter().collect();
    let mut places = vec![MISSING; levels.len()];
    for code in codes.iter().filter(|code| **code != MISSING) {
        places[*code as usize] = 0;
    }
    levels.retain(|(_, code)| places[*code as usize] != MISSING);
    levels.sort_unstable();
    for (place, (_, code)) in (0..).zip(&levels) {
        places[*code as usize] = place;
    }
    for code in codes.iter_mut().filter(|code| **code != MISSING) {
        *code = places[*code as usize];
    }
    codes.shrink_to_fit();
    let levels = levels.into_iter().map(|(level, _)| level).collect();
    Values::Factor { levels, codes }
}
