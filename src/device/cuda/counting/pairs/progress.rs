//! What GPUs share while they search: the highest floor, and the progress that is reported.

use std::sync::atomic::{AtomicI64, Ordering};

use crate::device::counting::{from_ordered, to_ordered};

/// The highest floor of all GPUs: at least as many pairs as are wanted score no less.
pub(super) struct SharedFloor(AtomicI64);

impl Default for SharedFloor {
    fn default() -> Self {
        Self(AtomicI64::new(to_ordered(f64::NEG_INFINITY)))
    }
}

impl SharedFloor {
    pub(super) fn raise(&self, floor: f32) {
        self.0
            .fetch_max(to_ordered(floor.into()), Ordering::Relaxed);
    }

    /// The highest, if it is above this one.
    pub(super) fn above(&self, floor: f32) -> Option<f32> {
        let highest = self.0.load(Ordering::Relaxed);
        (highest > to_ordered(floor.into())).then(|| from_ordered(highest) as f32)
    }
}

/// Tells who watches that columns are done, by the share of the work.
pub(super) struct Progress<'d> {
    columns: usize,
    reported: usize,
    done: &'d (dyn Fn(usize) + Sync),
}

impl<'d> Progress<'d> {
    pub(super) fn new(columns: usize, done: &'d (dyn Fn(usize) + Sync)) -> Self {
        Self {
            columns,
            reported: 0,
            done,
        }
    }

    /// So much of all is done.
    pub(super) fn at(&mut self, part: usize, all: usize) {
        let now = (part as u128 * self.columns as u128 / all.max(1) as u128) as usize;
        if now > self.reported {
            // At once: whoever is told may hold a lock that other GPUs wait for.
            (self.done)(now - self.reported);
            self.reported = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    #[test]
    fn a_floor_is_the_highest_of_all() {
        let floor = SharedFloor::default();
        assert_eq!(floor.above(f32::NEG_INFINITY), None);
        for (reported, above) in [(-2.5, -2.5), (-3.0, -2.5), (0.0, 0.0), (1e-30, 1e-30)] {
            floor.raise(reported);
            assert_eq!(floor.above(f32::NEG_INFINITY), Some(above));
            assert_eq!(floor.above(above), None);
        }
    }

    #[test]
    fn every_column_is_told_once() {
        let reported = AtomicU64::new(0);
        let done = |columns: usize| {
            reported.fetch_add(columns as u64, Ordering::Relaxed);
        };
        let mut progress = Progress::new(7, &done);
        for (part, columns) in [(0, 0), (50, 3), (50, 3), (99, 6), (100, 7)] {
            progress.at(part, 100);
            assert_eq!(reported.load(Ordering::Relaxed), columns);
        }
    }
}
