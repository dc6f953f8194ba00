//! What cards tell one another, and who watches, while they search.

use std::sync::atomic::{AtomicU64, Ordering};

/// The highest floor of all cards: as many pairs as are wanted reach it.
#[derive(Default)]
pub(super) struct Floor(AtomicU64);

impl Floor {
    /// In the order of integers; 0 is below all.
    fn key(floor: f32) -> u64 {
        let bits = floor.to_bits();
        1 + u64::from(if bits >> 31 == 1 {
            !bits
        } else {
            bits | 1 << 31
        })
    }

    pub(super) fn raise(&self, floor: f32) {
        self.0.fetch_max(Self::key(floor), Ordering::Relaxed);
    }

    /// The highest, if it is above this one.
    pub(super) fn above(&self, floor: f32) -> Option<f32> {
        let key = self.0.load(Ordering::Relaxed);
        let bits = (key > Self::key(floor)).then(|| (key - 1) as u32)?;
        Some(f32::from_bits(if bits >> 31 == 1 {
            bits & !(1 << 31)
        } else {
            !bits
        }))
    }
}

/// Tells who watches that columns are done, by the share of the work.
pub(super) struct Progress<'d> {
    columns: usize,
    told: usize,
    done: &'d (dyn Fn() + Sync),
}

impl<'d> Progress<'d> {
    pub(super) fn new(columns: usize, done: &'d (dyn Fn() + Sync)) -> Self {
        Self {
            columns,
            told: 0,
            done,
        }
    }

    /// So much of all is done.
    pub(super) fn at(&mut self, part: usize, all: usize) {
        let now = (part as u128 * self.columns as u128 / all.max(1) as u128) as usize;
        while self.told < now {
            (self.done)();
            self.told += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floor_is_the_highest_of_all() {
        let floor = Floor::default();
        assert_eq!(floor.above(f32::NEG_INFINITY), None);
        for (told, above) in [(-2.5, -2.5), (-3.0, -2.5), (0.0, 0.0), (1e-30, 1e-30)] {
            floor.raise(told);
            assert_eq!(floor.above(f32::NEG_INFINITY), Some(above));
            assert_eq!(floor.above(above), None);
        }
    }

    #[test]
    fn every_column_is_told_once() {
        let told = AtomicU64::new(0);
        let done = || {
            told.fetch_add(1, Ordering::Relaxed);
        };
        let mut progress = Progress::new(7, &done);
        for (part, columns) in [(0, 0), (50, 3), (50, 3), (99, 6), (100, 7)] {
            progress.at(part, 100);
            assert_eq!(told.load(Ordering::Relaxed), columns);
        }
    }
}
