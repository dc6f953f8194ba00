//! The rows of each model, and those that it is judged on.

use std::collections::BTreeMap;

use super::{Scheme, SchemeError};
use crate::random::{Stream, uniform_below};

/// The first random stream of splits. Resamples of stability selection have those from 2⁶¹ on.
const STREAMS: u64 = 1 << 60;

/// One split of the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Which time the rows were dealt out, from 0.
    pub repeat: usize,
    /// Its number in the repeat, from 0.
    pub number: usize,
    /// The rows of the model, ascending; with replacement some repeatedly.
    pub train: Vec<usize>,
    /// The rows that it is judged on, ascending.
    pub test: Vec<usize>,
}

/// All splits of n rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Splits {
    scheme: Scheme,
    seed: u64,
    /// Of each row its group; each row is one where there are no groups. Of an order its place.
    units: Vec<u32>,
    unit_count: usize,
    /// Of each repeat and each row the part that judges it.
    parts: Vec<Vec<u32>>,
    /// Parts of each repeat.
    part_count: usize,
}

impl Splits {
    /// The splits of n rows by a scheme. `classes` are what parts should have equal shares of: the levels of a response, say;
    /// `by` is the column that the user names: groups, numbered in any way, whose rows stay together; of the scheme `time` the
    /// places of rows in time; of `marked` 0 for rows that are not held out.
    ///
    /// A repeat r has the ChaCha stream 2⁶⁰ + r of the seed.
    ///
    /// *Shapes:* n classes or none; n numbers or none.
    ///
    /// # Errors
    /// Fewer rows, groups or times than parts; marks of all rows, or of none.
    pub fn of(
        scheme: Scheme,
        (n, classes): (usize, &[u32]),
        by: Option<(&str, &[u32])>,
        seed: u64,
    ) -> Result<Self, SchemeError> {
        let mut own = Self {
            scheme,
            seed,
            units: dense(n, by.map(|(_, numbers)| numbers)),
            unit_count: 0,
            parts: Vec::new(),
            part_count: 1,
        };
        own.unit_count = own
            .units
            .iter()
            .map(|unit| *unit as usize + 1)
            .max()
            .unwrap_or(0);
        let count = own.unit_count;
        let needs = |least: usize| match count < least {
            true => Err(SchemeError::FewUnits {
                scheme: format!("--scheme {scheme}"),
                what: match (scheme, by) {
                    (_, None) => "rows",
                    (Scheme::Time { .. }, _) => "times",
                    _ => "groups of rows",
                },
                found: count,
                least,
            }),
            false => Ok(()),
        };
        match scheme {
            Scheme::Folds { k, repeats } => {
                needs(k)?;
                own.part_count = k;
                let deal = |repeat| own.dealt(k, repeat, classes, by.is_some());
                own.parts = (0..repeats).map(deal).collect();
            }
            Scheme::LeaveOneOut => {
                needs(2)?;
                own.part_count = count;
                own.parts = vec![own.units.clone()];
            }
            Scheme::Time { blocks } => {
                needs(blocks + 1)?;
                own.part_count = blocks;
                own.parts = vec![own.blocks(blocks + 1)];
            }
            Scheme::Holdout { share, repeats } => {
                needs(2)?;
                let draw = |repeat| own.drawn(share, repeat, classes, by.is_some());
                own.parts = (0..repeats).map(draw).collect();
            }
            Scheme::Marked => {
                let (column, marks) = by.unwrap_or_default();
                let is_marked = |row: usize| marks.get(row).is_some_and(|mark| *mark != 0);
                let part = |row| u32::from(!is_marked(row));
                own.parts = vec![(0..n).map(part).collect()];
                let marked = (0..n).filter(|row| is_marked(*row)).count();
                if marked == 0 || marked == n {
                    let column = column.to_owned();
                    return Err(SchemeError::Marks { column, marked, n });
                }
            }
            Scheme::Bootstrap { resamples } => {
                needs(2)?;
                own.part_count = resamples + 1;
            }
        }
        Ok(own)
    }

    /// The number of splits.
    pub fn len(&self) -> usize {
        self.part_count * self.parts.len().max(1)
    }

    /// How often the rows are dealt out.
    pub(crate) fn repeats(&self) -> usize {
        match self.scheme {
            // A row is judged in about every third of its resamples.
            Scheme::Bootstrap { resamples } => resamples.div_ceil(2),
            _ => self.parts.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A split by its number, from 0. The first one of a bootstrap is of all rows, and judged on them.
    pub fn split(&self, at: usize) -> Split {
        let (repeat, number) = (at / self.part_count, at % self.part_count);
        let rows = 0..self.units.len();
        let of = |train: Vec<usize>, test| Split {
            repeat,
            number,
            train,
            test,
        };
        if let Scheme::Bootstrap { .. } = self.scheme {
            return match number {
                0 => of(rows.clone().collect(), rows.collect()),
                number => {
                    let drawn = self.resampled(number);
                    let times = |row: usize| drawn[self.units[row] as usize];
                    let train = rows
                        .clone()
                        .flat_map(|row| std::iter::repeat_n(row, times(row)));
                    of(
                        train.collect(),
                        rows.filter(|row| times(*row) == 0).collect(),
                    )
                }
            };
        }
        let part = |row: &usize| self.parts[repeat][*row] as usize;
        let (train, test): (Vec<usize>, Vec<usize>) = match self.scheme {
            // Blocks count from the first, which is only a past.
            Scheme::Time { .. } => {
                let until = rows.filter(|row| part(row) <= number + 1);
                until.partition(|row| part(row) <= number)
            }
            _ => rows.partition(|row| part(row) != number),
        };
        of(train, test)
    }

    /// How often each unit is drawn with replacement.
    fn resampled(&self, number: usize) -> Vec<usize> {
        let mut stream = Stream::new(self.seed, STREAMS + number as u64);
        let mut drawn = vec![0; self.unit_count];
        for _ in 0..self.unit_count {
            drawn[uniform_below(stream.next_word(), self.unit_count)] += 1;
        }
        drawn
    }

    /// The units in random order; those of a class behind one another.
    fn shuffled(&self, repeat: usize, classes: &[u32]) -> Vec<usize> {
        let mut stream = Stream::new(self.seed, STREAMS + repeat as u64);
        let mut order: Vec<usize> = (0..self.unit_count).collect();
        stream.shuffle(&mut order);
        if let (false, true) = (classes.is_empty(), self.unit_count == self.units.len()) {
            // Each unit is the row of its number then.
            order.sort_by_key(|unit| classes[*unit]);
        }
        order
    }

    /// The rows of each unit.
    fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.unit_count];
        self.units
            .iter()
            .for_each(|unit| sizes[*unit as usize] += 1);
        sizes
    }

    /// Deals the units out to k parts, one after another: those of a class to all parts alike. Groups go to the part with the
    /// fewest rows, the largest groups first.
    fn dealt(&self, k: usize, repeat: usize, classes: &[u32], has_groups: bool) -> Vec<u32> {
        let mut order = self.shuffled(repeat, classes);
        let mut part = vec![0_u32; self.unit_count];
        match has_groups {
            false => {
                let dealt = order.iter().zip((0..k as u32).cycle());
                dealt.for_each(|(unit, own)| part[*unit] = own);
            }
            true => {
                let sizes = self.sizes();
                order.sort_by_key(|unit| std::cmp::Reverse(sizes[*unit]));
                let mut filled = vec![0; k];
                for unit in order {
                    let least = (0..k).min_by_key(|part| filled[*part]).unwrap_or_default();
                    filled[least] += sizes[unit];
                    part[unit] = least as u32;
                }
            }
        }
        self.by_row(&part)
    }

    /// Part 0 for about this share of the rows, of each class alike, and part 1 for the others.
    fn drawn(&self, share: f64, repeat: usize, classes: &[u32], has_groups: bool) -> Vec<u32> {
        let order = self.shuffled(repeat, classes);
        let sizes = self.sizes();
        let n = self.units.len();
        let mut part = vec![1_u32; self.unit_count];
        let wanted = ((share * n as f64).round() as usize).clamp(1, n - 1);
        let (mut passed, mut taken) = (0, 0);
        for (place, unit) in order.iter().enumerate() {
            passed += sizes[*unit];
            let is_due = match has_groups {
                true => taken < wanted && place + 1 < order.len(),
                // Evenly along the order, in which classes are behind one another.
                false => taken < (passed * wanted) / n,
            };
            if is_due {
                taken += sizes[*unit];
                part[*unit] = 0;
            }
        }
        self.by_row(&part)
    }

    /// Of each row the block that it is in, of so many of about one size; rows of one time are in one.
    fn blocks(&self, count: usize) -> Vec<u32> {
        let sizes = self.sizes();
        let mut left_rows: usize = sizes.iter().sum();
        let (mut block, mut filled) = (0_u32, 0);
        let mut part = Vec::with_capacity(sizes.len());
        for (time, size) in sizes.iter().enumerate() {
            let left_blocks = count - block as usize;
            let left_times = sizes.len() - time;
            // A new block where this one has its share of what was left, or where each of the others needs a time.
            let is_full = filled > 0 && filled * left_blocks >= left_rows;
            if left_blocks > 1 && filled > 0 && (is_full || left_times < left_blocks) {
                block += 1;
                left_rows -= filled;
                filled = 0;
            }
            part.push(block);
            filled += size;
        }
        self.by_row(&part)
    }

    fn by_row(&self, part: &[u32]) -> Vec<u32> {
        let units = self.units.iter();
        units.map(|unit| part[*unit as usize]).collect()
    }
}

/// Numbers 0, 1, … in the order of given ones, equal for equal ones; of none those of the rows.
fn dense(n: usize, numbers: Option<&[u32]>) -> Vec<u32> {
    let Some(numbers) = numbers else {
        return (0..n as u32).collect();
    };
    let places: BTreeMap<u32, u32> = numbers.iter().map(|own| (*own, 0)).collect();
    let places: BTreeMap<u32, u32> = places.into_keys().zip(0..).collect();
    numbers.iter().map(|own| places[own]).collect()
}
