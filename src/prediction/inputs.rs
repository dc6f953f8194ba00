//! The columns of a table that a model uses, checked, and which rows have all of them.

use std::{borrow::Cow, collections::HashMap};

use super::{
    Alleles, Model, ModelColumn, PredictionError, UnknownLevels,
    lacking::{Lack, Lacking},
};
use crate::{
    formula::{Variable, Variables},
    nearest::near,
    table::{Column, Table, Values, are_dates},
};

/// The columns of a table that a model uses.
pub(super) struct Inputs<'t> {
    pub(super) rows: usize,
    /// Parallel to the columns of the model; none of those that are not used.
    columns: Vec<Option<Input<'t>>>,
    names: HashMap<&'t str, usize>,
    /// Whether a row has a value of each.
    pub(super) known: Vec<bool>,
    /// Why the other rows have no prediction.
    pub(super) lacking: Lacking,
    /// How many values are those that missing ones count as.
    pub(super) replaced: usize,
    levels: Vec<&'t [String]>,
}

enum Input<'t> {
    Numbers(Cow<'t, [f64]>),
    /// The places of levels among those of the model.
    Levels(Vec<u32>),
}

/// The place of a level that is not there.
pub(super) const NONE: u32 = u32::MAX;

/// Finds columns of a table by their names.
pub(super) struct Finder<'t> {
    table: &'t Table,
    places: HashMap<&'t str, usize>,
}

impl<'t> Finder<'t> {
    /// Looks for columns of these names.
    pub(super) fn of(table: &'t Table, names: &[&str]) -> Self {
        let wanted: std::collections::HashSet<&str> = names.iter().copied().collect();
        let columns = table.columns.iter().enumerate();
        let found = columns.filter(|(_, own)| wanted.contains(&*own.name));
        Self {
            table,
            places: found.map(|(at, own)| (&*own.name, at)).collect(),
        }
    }

    /// The file or other source of the table.
    pub(super) fn source(&self) -> &'t str {
        &self.table.source
    }

    /// The column of a name, if it is there.
    pub(super) fn get(&self, name: &str) -> Option<&'t Column> {
        self.places.get(name).map(|at| &self.table.columns[*at])
    }

    /// The column of a name, of which only that may be known.
    ///
    /// # Errors
    /// It is not there.
    pub(super) fn require_name(&self, name: &str) -> Result<&'t Column, PredictionError> {
        self.get(name).ok_or_else(|| {
            let names = || self.table.columns.iter().map(|own| &*own.name);
            PredictionError::NoColumn {
                path: self.table.source.clone(),
                name: name.to_owned(),
                near: near(name, names()),
                columns: names().take(9).map(str::to_owned).collect(),
            }
        })
    }

    /// The column of a name.
    ///
    /// # Errors
    /// It is not there, or another rank holds its values.
    pub(super) fn require(&self, name: &str) -> Result<&'t Column, PredictionError> {
        let column = self.require_name(name)?;
        match &column.values {
            Values::Remote => Err(PredictionError::NoColumn {
                path: self.table.source.clone(),
                name: name.to_owned(),
                near: Vec::new(),
                columns: Vec::new(),
            }),
            _ => Ok(column),
        }
    }

    /// The numbers of a column.
    ///
    /// # Errors
    /// It is not there, or text.
    pub(super) fn numbers(&self, name: &str) -> Result<Cow<'t, [f64]>, PredictionError> {
        let column = self.require(name)?;
        match &column.values {
            Values::Factor { levels, codes } => {
                let row = codes
                    .iter()
                    .position(|code| (*code as usize) < levels.len());
                let row = row.unwrap_or_default();
                let level = codes.get(row).and_then(|code| levels.get(*code as usize));
                Err(PredictionError::Text {
                    path: self.table.source.clone(),
                    name: name.to_owned(),
                    level: level.cloned().unwrap_or_default(),
                    row: row + 1,
                    are_dates: are_dates(levels),
                })
            }
            values => Ok(values.numbers(self.table.rows).unwrap_or_default()),
        }
    }
}

/// The places of a column's levels among given ones, by row: [`NONE`] of a missing value, and an error or, where rows are to
/// have no prediction, [`NONE`] of another level.
pub(super) fn places_of_levels(
    (table, column): (&Table, &Column),
    levels: &[String],
    unknown: UnknownLevels,
) -> Result<Vec<u32>, PredictionError> {
    let places: HashMap<&str, u32> = levels.iter().map(String::as_str).zip(0..).collect();
    let as_factor;
    let values = match &column.values {
        factor @ Values::Factor { .. } => factor,
        numbers => {
            // Of 0 and −0 one is the other.
            let numbers = numbers.numbers(table.rows).unwrap_or_default();
            let texts: Vec<String> = numbers.iter().map(|x| (x + 0.0).to_string()).collect();
            let texts = numbers.iter().zip(&texts);
            let texts = texts.map(|(x, text)| (!x.is_nan()).then_some(text.as_str()));
            as_factor = texts.collect::<Values>();
            &as_factor
        }
    };
    let Values::Factor { levels: own, codes } = values else {
        return Ok(vec![NONE; table.rows]);
    };
    let of_own: Vec<Option<u32>> = own
        .iter()
        .map(|level| places.get(&**level).copied())
        .collect();
    let place = |(row, code): (usize, &u32)| match of_own.get(*code as usize) {
        None => Ok(NONE),
        Some(Some(place)) => Ok(*place),
        Some(None) if unknown == UnknownLevels::Missing => Ok(NONE),
        Some(None) => Err(PredictionError::UnknownLevel {
            path: table.source.clone(),
            name: column.name.clone(),
            level: own[*code as usize].clone(),
            row: row + 1,
            levels: levels.to_vec(),
        }),
    };
    codes.iter().enumerate().map(place).collect()
}

impl<'t> Inputs<'t> {
    /// Those columns of a table that a model needs for what is `used` of its columns, and for its offset.
    ///
    /// # Errors
    /// A column that is not there or of another kind; a level that the fit did not have; alleles that are others.
    pub(super) fn of(
        model: &'t Model,
        used: &[bool],
        (table, finder): (&'t Table, &Finder<'t>),
        unknown: UnknownLevels,
    ) -> Result<Self, PredictionError> {
        let rows = table.rows;
        let mut own = Self {
            rows,
            columns: Vec::with_capacity(used.len()),
            names: model
                .columns
                .iter()
                .map(|own| &*own.name)
                .zip(0..)
                .collect(),
            known: vec![true; rows],
            lacking: Lacking::default(),
            replaced: 0,
            levels: model.columns.iter().map(|own| &*own.levels).collect(),
        };
        for (column, is_used) in model.columns.iter().zip(used) {
            let input = match is_used {
                false => None,
                true if column.is_factor() => {
                    let found = finder.require(&column.name)?;
                    let places = places_of_levels((table, found), &column.levels, unknown)?;
                    own.note_levels(&places, found);
                    Some(Input::Levels(places))
                }
                true => Some(Input::Numbers(own.numbers(column, table, finder)?)),
            };
            own.columns.push(input);
        }
        Ok(own)
    }

    /// Notes which rows have no value of a column.
    pub(super) fn note(&mut self, known: impl Iterator<Item = bool>, name: &str) {
        for (row, known) in known.enumerate() {
            if !known {
                self.note_row(row, Lack::Value, || name.to_owned());
            }
        }
    }

    /// Notes which rows have no level of a column, or none that the model knows.
    pub(super) fn note_levels(&mut self, places: &[u32], column: &Column) {
        let name = &column.name;
        for row in (0..self.rows).filter(|row| places[*row] == NONE) {
            let level = match &column.values {
                Values::Factor { levels, codes } => levels.get(codes[row] as usize).cloned(),
                values => {
                    let value = values.numbers(self.rows).map(|own| own[row]);
                    value.filter(|own| !own.is_nan()).map(|own| own.to_string())
                }
            };
            match level {
                None => self.note_row(row, Lack::Value, || name.clone()),
                Some(level) => {
                    self.note_row(row, Lack::Level, || format!("`{level}` in column {name}"));
                }
            }
        }
    }

    /// Notes why a row has no prediction, where it has one by all that is known.
    pub(super) fn note_row(&mut self, row: usize, lack: Lack, what: impl FnOnce() -> String) {
        if std::mem::replace(&mut self.known[row], false) {
            self.lacking.note(lack, row, what);
        }
    }

    fn numbers(
        &mut self,
        column: &'t ModelColumn,
        table: &Table,
        finder: &Finder<'t>,
    ) -> Result<Cow<'t, [f64]>, PredictionError> {
        let mut numbers = finder.numbers(&column.name)?;
        if let Some(alleles) = &column.alleles
            && are_exchanged(&column.name, alleles, table)?
        {
            let exchanged = numbers.iter().map(|copies| 2.0 - copies);
            numbers = Cow::Owned(exchanged.collect());
        }
        if column.heterozygotes {
            let is_one = |copies: &f64| match copies {
                copies if copies.is_nan() => f64::NAN,
                copies => f64::from(u8::from(*copies == 1.0)),
            };
            numbers = Cow::Owned(numbers.iter().map(is_one).collect());
        }
        match column.missing {
            Some(value) if numbers.iter().any(|x| x.is_nan()) => {
                for x in numbers.to_mut().iter_mut().filter(|x| x.is_nan()) {
                    *x = value;
                    self.replaced += 1;
                }
            }
            Some(_) => {}
            None => self.note(numbers.iter().map(|x| !x.is_nan()), &column.name),
        }
        Ok(numbers)
    }

    /// Gives rows that lack a value the values of the first row that has all, so that each can be evaluated; false where
    /// there is no such row.
    pub(super) fn fill(&mut self) -> bool {
        let Some(donor) = self.known.iter().position(|known| *known) else {
            return false;
        };
        if self.lacking.is_empty() {
            return true;
        }
        let known = &self.known;
        for column in self.columns.iter_mut().flatten() {
            match column {
                Input::Numbers(numbers) => {
                    let numbers = numbers.to_mut();
                    let value = numbers[donor];
                    let all = numbers.iter_mut().zip(known);
                    all.filter(|(_, known)| !**known)
                        .for_each(|(x, _)| *x = value);
                }
                Input::Levels(places) => {
                    let value = places[donor];
                    let all = places.iter_mut().zip(known);
                    all.filter(|(_, known)| !**known)
                        .for_each(|(x, _)| *x = value);
                }
            }
        }
        true
    }

    /// The numbers of a column of the model; none of a factor.
    pub(super) fn number_column(&self, at: usize) -> Option<&[f64]> {
        match self.columns.get(at)?.as_ref()? {
            Input::Numbers(numbers) => Some(numbers),
            Input::Levels(_) => None,
        }
    }

    /// The values of a variable that is a column of the model, or the dummy of a level of it.
    pub(super) fn values(&self, at: usize, level: Option<&str>) -> Option<Vec<f64>> {
        match (self.columns.get(at)?.as_ref()?, level) {
            (Input::Numbers(numbers), None) => Some(numbers.to_vec()),
            (Input::Levels(places), Some(level)) => {
                let own = self.levels[at].iter().position(|own| own == level)? as u32;
                let dummy = places
                    .iter()
                    .map(|place| f64::from(u8::from(*place == own)));
                Some(dummy.collect())
            }
            _ => None,
        }
    }
}

impl Variables for Inputs<'_> {
    fn names(&self) -> Vec<&str> {
        let columns = self.names.iter();
        let there = columns.filter(|(_, at)| self.columns[**at].is_some());
        there.map(|(name, _)| *name).collect()
    }

    fn variable(&self, name: &str) -> Option<Variable<'_>> {
        let at = *self.names.get(name)?;
        Some(match self.columns.get(at)?.as_ref()? {
            Input::Numbers(numbers) => Variable::Numeric(Cow::Borrowed(numbers)),
            Input::Levels(places) => Variable::Factor {
                levels: Cow::Borrowed(self.levels[at]),
                codes: Cow::Borrowed(places),
                is_ordered: false,
            },
        })
    }

    fn rows(&self) -> usize {
        self.rows
    }
}

/// Whether a variant's alleles are exchanged in a table, so that copies of the other one are counted. A table that says
/// nothing of alleles is taken at its word.
fn are_exchanged(name: &str, expected: &Alleles, table: &Table) -> Result<bool, PredictionError> {
    let locus = table.loci.as_ref().and_then(|loci| loci.of(name));
    let Some(found) = locus else {
        return Ok(false);
    };
    let (counted, other) = (&found.counted_allele, &found.other_allele);
    if (counted, other) == (&expected.counted, &expected.other) {
        return Ok(false);
    }
    let is_exchanged = (counted, other) == (&expected.other, &expected.counted);
    // Of these both columns of a variant are made of copies.
    let is_of_copies = ["", "additive", "genotypic"].contains(&&*expected.encoding);
    if is_exchanged && is_of_copies {
        return Ok(true);
    }
    let of = |counted: &str, other: &str| {
        format!("{counted} and {other}, of which {counted} is counted")
    };
    Err(PredictionError::Alleles {
        path: table.source.clone(),
        name: name.to_owned(),
        found: of(counted, other),
        expected: of(&expected.counted, &expected.other),
        mend: match is_exchanged {
            true => {
                "; of copies that count as dominant or recessive exchange them, as plink2 --ref-allele does"
            }
            false => "; it is another variant, or on the other strand",
        },
    })
}
