//! Factors: texts that become levels in an order of their own, so that the order of rows cannot matter, and categories in
//! the order that they have.

use std::collections::HashMap;

use super::{MISSING, Values};

/// Collects the values of a factor row by row.
#[derive(Default)]
pub(super) struct FactorBuilder {
    /// The levels, each with its code in order of appearance.
    levels: HashMap<String, u32>,
    codes: Vec<u32>,
    /// Bytes of the levels' texts.
    text: usize,
}

/// What a level takes beside its text while the table of levels grows.
const PER_LEVEL: usize = 112;

impl FactorBuilder {
    /// Begins with so many missing values.
    pub(super) fn after_missing(count: usize) -> Self {
        Self {
            levels: HashMap::new(),
            codes: vec![MISSING; count],
            text: 0,
        }
    }

    /// Appends one value; `None` is missing.
    pub(super) fn push(&mut self, level: Option<&str>) {
        let code = level.map_or(MISSING, |level| match self.levels.get(level) {
            Some(&code) => code,
            None => {
                let code = self.levels.len() as u32;
                self.text += level.len();
                self.levels.insert(level.to_owned(), code);
                code
            }
        });
        self.codes.push(code);
    }

    /// Bytes that it takes.
    fn bytes(&self) -> usize {
        self.codes.capacity() * size_of::<u32>() + self.levels.len() * PER_LEVEL + self.text
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
    /// Bytes that its values take.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Numbers(values) => values.capacity() * size_of::<f64>(),
            Self::Factor(factor) => factor.bytes(),
        }
    }

    pub(super) fn finish(self) -> Values {
        match self {
            Self::Numbers(mut values) => {
                values.shrink_to_fit();
                values.into()
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

impl Values {
    /// A factor whose levels stand in the given order, which says the reference of a treatment and the order of contrasts.
    /// Levels that no observation has are left out, and two of one text are one.
    ///
    /// Codes are indexes into `levels`; others are missing values.
    ///
    /// ```
    /// use passel::table::Values;
    ///
    /// let doses = ["none", "low", "high"].map(str::to_owned);
    /// let dose = Values::factor(doses.to_vec(), vec![2, 0, 2]);
    /// let levels = ["none", "high"].map(str::to_owned).to_vec();
    /// assert_eq!(dose, Values::Factor { levels, codes: vec![1, 0, 1] });
    /// ```
    pub fn factor(levels: Vec<String>, codes: Vec<u32>) -> Self {
        let mut first: HashMap<&str, u32> = HashMap::new();
        let texts = (0..).zip(levels.iter().map(String::as_str));
        let places = texts.map(|(place, level)| *first.entry(level).or_insert(place));
        let places: Vec<u32> = places.collect();
        let place = |code: &u32| places.get(*code as usize).copied().unwrap_or(MISSING);
        let codes = codes.iter().map(place).collect();
        arranged(levels.into_iter().zip(0..), codes, |_| {})
    }
}

/// Makes a factor of levels in any order, each with its code. Levels that no observation has are
/// left out; the others ascend as numbers if all of them are numbers, else they stand in bytewise
/// order.
pub(super) fn factor(levels: impl IntoIterator<Item = (String, u32)>, codes: Vec<u32>) -> Values {
    arranged(levels, codes, |levels| {
        match all_numbers(levels.iter().map(|(level, _)| level)) {
            Some(numbers) => {
                let own = std::mem::take(levels);
                let mut ordered: Vec<_> = numbers.into_iter().zip(own).collect();
                // Two spellings of one number are two levels.
                ordered
                    .sort_unstable_by(|(a, one), (b, other)| a.total_cmp(b).then(one.cmp(other)));
                *levels = ordered.into_iter().map(|(_, level)| level).collect();
            }
            None => levels.sort_unstable(),
        }
    })
}

/// Makes a factor of some of the observations of another. Levels in the order of texts are put in that order again: of
/// `10`, `9` and `none` the first two ascend without the third. Others keep theirs, which they were given.
pub(super) fn factor_of_part(levels: &[String], codes: Vec<u32>) -> Values {
    let are_of_texts = match all_numbers(levels.iter()) {
        Some(numbers) => {
            let pairs: Vec<(f64, &String)> = numbers.into_iter().zip(levels).collect();
            pairs.is_sorted_by(|(a, one), (b, other)| a.total_cmp(b).then(one.cmp(other)).is_le())
        }
        None => levels.is_sorted(),
    };
    match are_of_texts {
        true => factor(levels.iter().cloned().zip(0..), codes),
        false => Values::factor(levels.to_vec(), codes),
    }
}

/// The numbers that levels are, if all of them are.
fn all_numbers<'a>(levels: impl Iterator<Item = &'a String>) -> Option<Vec<f64>> {
    levels.map(|level| number(level)).collect()
}

/// Makes a factor of levels, each with its code, those of which that observations have are put in order.
fn arranged(
    levels: impl IntoIterator<Item = (String, u32)>,
    mut codes: Vec<u32>,
    put_in_order: impl FnOnce(&mut Vec<(String, u32)>),
) -> Values {
    let mut levels: Vec<(String, u32)> = levels.into_iter().collect();
    let mut places = vec![MISSING; levels.len()];
    for code in codes.iter().filter(|code| **code != MISSING) {
        places[*code as usize] = 0;
    }
    levels.retain(|(_, code)| places[*code as usize] != MISSING);
    put_in_order(&mut levels);
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

/// The number that a level's text is, if it is one.
fn number(level: &str) -> Option<f64> {
    let number = level.trim().parse::<f64>().ok();
    number.filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_levels(values: &[&str], expected: &[&str]) {
        let column: Values = values.iter().copied().map(Some).collect();
        let Values::Factor { levels, codes } = column else {
            panic!("no factor");
        };
        assert_eq!(levels, expected);
        let told = codes.iter().map(|code| &*levels[*code as usize]);
        assert_eq!(told.collect::<Vec<_>>(), values);
    }

    #[test]
    fn given_levels_keep_their_order() {
        let given = ["mid", "low", "none", "low", "high"].map(str::to_owned);
        let factor = Values::factor(given.to_vec(), vec![4, MISSING, 0, 3, 9, 1]);
        let levels = ["mid", "low", "high"].map(str::to_owned).to_vec();
        let codes = vec![2, MISSING, 0, 1, MISSING, 1];
        assert_eq!(factor, Values::Factor { levels, codes });
    }

    #[test]
    fn levels_of_a_part_are_ordered_as_its_texts_or_as_they_were_given() {
        let levels = |values: &Values| match values {
            Values::Factor { levels, .. } => levels.clone(),
            _ => panic!("no factor"),
        };
        let texts = ["9", "10", "none", "11"].map(Some);
        let Values::Factor { levels: all, codes } = texts.into_iter().collect() else {
            panic!("no factor");
        };
        assert_eq!(all, ["10", "11", "9", "none"]);
        let without = |code: &u32| if *code == 3 { MISSING } else { *code };
        let part = factor_of_part(&all, codes.iter().map(without).collect());
        assert_eq!(levels(&part), ["9", "10", "11"]);
        let given = ["none", "9", "11", "10"].map(str::to_owned);
        let part = factor_of_part(&given, vec![1, 2, 3, MISSING]);
        assert_eq!(levels(&part), ["9", "11", "10"]);
    }

    #[test]
    fn levels_that_are_numbers_ascend_as_numbers() {
        assert_levels(&["11", "9", "10", "9"], &["9", "10", "11"]);
        assert_levels(&["2.5", "-1", "1e1", "2.50"], &["-1", "2.5", "2.50", "1e1"]);
    }

    #[test]
    fn other_levels_stand_in_bytewise_order() {
        assert_levels(&["b", "B", "a10", "a9"], &["B", "a10", "a9", "b"]);
        // One text makes texts of all; nor is an infinity a number.
        assert_levels(&["9", "10", "x"], &["10", "9", "x"]);
        assert_levels(&["9", "10", "inf"], &["10", "9", "inf"]);
    }
}
