//! The numbers of a column, as rules are made of them.

/// The numbers of a column; NaN is missing.
pub(super) struct Numbers<'a> {
    values: &'a [f64],
    /// Observations of value 0 that are not in `values`.
    zeros: usize,
}

impl<'a> Numbers<'a> {
    pub(super) fn new(values: &'a [f64], zeros: usize) -> Self {
        Self { values, zeros }
    }

    /// Every value that occurs, at least once.
    pub(super) fn each(&self) -> impl Iterator<Item = f64> {
        let zero = (self.zeros > 0).then_some(0.0);
        let values = self.values.iter().copied().filter(|value| !value.is_nan());
        zero.into_iter().chain(values)
    }

    /// The least and the largest number; `None` where all are missing.
    pub(super) fn extent(&self) -> Option<(f64, f64)> {
        self.each().fold(None, |extent, value| match extent {
            None => Some((value, value)),
            Some((least, most)) => Some((value.min(least), value.max(most))),
        })
    }

    pub(super) fn sorted(&self) -> Sorted {
        let values = self.values.iter().copied();
        let mut values: Vec<f64> = values.filter(|value| !value.is_nan()).collect();
        values.sort_unstable_by(f64::total_cmp);
        let below = values.partition_point(|value| *value < 0.0);
        Sorted {
            values,
            below,
            zeros: self.zeros,
        }
    }
}

/// The numbers of the bytes that occur, each once and ascending; NaN for a missing one.
pub(super) fn each_once(bytes: &[u8], number: impl Fn(u8) -> f64) -> Vec<f64> {
    let mut seen = [false; 256];
    bytes
        .iter()
        .for_each(|byte| seen[usize::from(*byte)] = true);
    let all = (0..=u8::MAX).filter(|byte| seen[usize::from(*byte)]);
    all.map(number).collect()
}

pub(super) struct Sorted {
    values: Vec<f64>,
    /// How many of `values` are negative: the other zeros follow these.
    below: usize,
    zeros: usize,
}

impl Sorted {
    /// Numbers, the other zeros included.
    pub(super) fn len(&self) -> usize {
        self.values.len() + self.zeros
    }

    /// The number at a position below `len`.
    pub(super) fn at(&self, place: usize) -> f64 {
        match place {
            _ if place < self.below => self.values[place],
            _ if place < self.below + self.zeros => 0.0,
            _ => self.values[place - self.zeros],
        }
    }

    pub(super) fn distinct(mut self) -> Vec<f64> {
        if self.zeros > 0 {
            self.values.insert(self.below, 0.0);
        }
        self.values.dedup();
        // −0 is 0, however it was written.
        self.values.iter_mut().for_each(|value| *value += 0.0);
        self.values
    }
}
