//! Stability selection: a method is run on many resamples of the rows, and what it chooses from
//! most of them is selected, with a bound on how much of that is false.
//!
//! *Sources*: N. Meinshausen and P. Bühlmann, Stability selection, J. R. Statist. Soc. B 72,
//! 2010; R. D. Shah and R. J. Samworth, Variable selection with error control: another look at
//! stability selection, J. R. Statist. Soc. B 75, 2013.

mod bounds;
mod resample;
mod tail;

use std::collections::BTreeMap;

pub use bounds::{Bound, BoundInput};
pub use resample::{Resample, Resampling};

/// What was chosen from the resamples done so far: all there is to go on from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResampledSelections {
    /// By the number of the resample, from 0 on: the indexes of the variables chosen, each once.
    pub done: BTreeMap<usize, Vec<usize>>,
}

/// How often one variable was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frequency {
    /// Its index.
    pub index: usize,
    /// From how many resamples.
    pub count: usize,
    /// From both halves of how many pairs.
    pub both: usize,
}

impl ResampledSelections {
    /// Leaves out halves whose other half is not done: bounds are of whole pairs.
    pub fn complete_groups(mut self, resampling: Resampling) -> Self {
        let together = resampling.group_size();
        let numbers: Vec<usize> = self.done.keys().copied().collect();
        for number in numbers {
            let first = number / together * together;
            let mut all = first..first + together;
            if !all.all(|it| self.done.contains_key(&it)) {
                self.done.remove(&number);
            }
        }
        self
    }

    /// Variables chosen from a resample, on average; 0 where none is done.
    pub fn mean(&self) -> f64 {
        let chosen: usize = self.done.values().map(Vec::len).sum();
        chosen as f64 / self.done.len().max(1) as f64
    }

    /// The variables chosen at least once, the most frequent first, of equal ones the lowest.
    pub fn frequencies(&self, resampling: Resampling) -> Vec<Frequency> {
        let mut counts: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        let paired = resampling.group_size() == 2;
        for (number, chosen) in &self.done {
            // The other half of its pair, seen from the second of them.
            let first = number.checked_sub(1).filter(|_| paired && number % 2 == 1);
            let other = first.and_then(|it| self.done.get(&it));
            for index in chosen {
                let (count, both) = counts.entry(*index).or_default();
                *count += 1;
                *both += usize::from(other.is_some_and(|it| it.contains(index)));
            }
        }
        let told = counts.into_iter();
        let told = told.map(|(index, (count, both))| Frequency { index, count, both });
        let mut told: Vec<Frequency> = told.collect();
        told.sort_by(|a, b| b.count.cmp(&a.count).then(a.index.cmp(&b.index)));
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_are_of_all_and_of_pairs() {
        let done = [vec![4, 1], vec![1], vec![4], vec![4, 2], vec![9]];
        let picks = ResampledSelections {
            done: done.into_iter().enumerate().collect(),
        };
        assert_eq!(picks.mean(), 7.0 / 5.0);
        let frequency = |index, count, both| Frequency { index, count, both };
        let whole = picks.clone().complete_groups(Resampling::Complementary);
        assert_eq!(whole.done.len(), 4, "the last has no other half");
        assert_eq!(
            whole.frequencies(Resampling::Complementary),
            [frequency(4, 3, 1), frequency(1, 2, 1), frequency(2, 1, 0)]
        );
        let alone = picks.complete_groups(Resampling::Bootstrap);
        let told = alone.frequencies(Resampling::Bootstrap);
        assert_eq!(told.len(), 4);
        assert!(told.iter().all(|it| it.both == 0));
        assert_eq!(ResampledSelections::default().mean(), 0.0);
    }
}
