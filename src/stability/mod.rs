//! Stability selection: a method is run on many resamples of the rows, and what it chooses from
//! most of them is selected, with a bound on how much of that is false.
//!
//! *Sources*: N. Meinshausen and P. Bühlmann, Stability selection, J. R. Statist. Soc. B 72,
//! 2010; R. D. Shah and R. J. Samworth, Variable selection with error control: another look at
//! stability selection, J. R. Statist. Soc. B 75, 2013.

mod bounds;
mod resample;
mod tail;

use std::collections::{BTreeMap, BTreeSet};

pub use bounds::{Bound, BoundInput};
pub use resample::{Resample, Resampling};

/// The variables selected from each resample done so far; a run resumes from these.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResampledSelections {
    /// The indexes of the variables selected, each once, by the number of the resample, from 0.
    pub done: BTreeMap<usize, Vec<usize>>,
}

/// How often one variable was selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frequency {
    /// The variable's index.
    pub index: usize,
    /// The number of resamples it was selected from.
    pub count: usize,
    /// The number of complementary pairs of which it was selected from both halves.
    pub both: usize,
}

impl ResampledSelections {
    /// Leaves out halves of pairs whose other half is not done: bounds hold for whole pairs.
    pub fn complete_groups(mut self, resampling: Resampling) -> Self {
        let size = resampling.group_size();
        let done: BTreeSet<usize> = self.done.keys().copied().collect();
        self.done.retain(|number, _| {
            let first = number / size * size;
            (first..first + size).all(|number| done.contains(&number))
        });
        self
    }

    /// The mean number of variables selected from a resample; 0 where none is done.
    pub fn mean(&self) -> f64 {
        let chosen: usize = self.done.values().map(Vec::len).sum();
        chosen as f64 / self.done.len().max(1) as f64
    }

    /// The variables selected at least once, the most frequent first, of equal ones the lowest.
    pub fn frequencies(&self, resampling: Resampling) -> Vec<Frequency> {
        let mut counts: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        let paired = resampling.group_size() == 2;
        for (number, chosen) in &self.done {
            // The other half of its pair, seen from the second of them.
            let first = number.checked_sub(1).filter(|_| paired && number % 2 == 1);
            let other = first.and_then(|number| self.done.get(&number));
            for index in chosen {
                let (count, both) = counts.entry(*index).or_default();
                *count += 1;
                *both += usize::from(other.is_some_and(|selected| selected.contains(index)));
            }
        }
        let counts = counts.into_iter();
        let frequencies = counts.map(|(index, (count, both))| Frequency { index, count, both });
        let mut frequencies: Vec<Frequency> = frequencies.collect();
        frequencies.sort_by(|a, b| b.count.cmp(&a.count).then(a.index.cmp(&b.index)));
        frequencies
    }
}
