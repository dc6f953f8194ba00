//! One device or several that count as one.

use std::ops::Range;

use super::{
    super::{DeviceError, cpu::CpuCounter},
    Anchor, Best, Counter, Logs, Pair, Pairs, Tally,
};
use crate::binning::BinnedColumn;

/// The devices, each with its range of the columns.
pub(crate) struct Counters<'a> {
    devices: Vec<Box<dyn Counter + 'a>>,
}

impl<'a> Counters<'a> {
    /// The CPU in so many shards, which lay out their columns for this response; inside a
    /// pool of so many threads.
    pub(crate) fn cpu(
        columns: &'a [BinnedColumn],
        response: &Anchor,
        score: (&'a Logs, &'a Tally),
        shards: usize,
        threads: usize,
    ) -> Self {
        let device = |range: Range<usize>| {
            let first = range.start;
            let counter = CpuCounter::new(&columns[range], first, response, score, threads);
            Box::new(counter) as Box<dyn Counter + 'a>
        };
        Self {
            devices: super::super::shards(columns.len(), shards)
                .map(device)
                .collect(),
        }
    }

    /// Their names.
    pub(crate) fn names(&self) -> Vec<String> {
        self.devices.iter().map(|it| it.name()).collect()
    }

    /// See [`Counter::sweep`].
    pub(crate) fn sweep(&mut self, anchor: &Anchor) -> Result<(), DeviceError> {
        self.devices.iter_mut().try_for_each(|it| it.sweep(anchor))
    }

    /// The best candidate of all; of equal scores the lowest column.
    pub(crate) fn best(&mut self) -> Result<Option<Best>, DeviceError> {
        let mut best = None;
        for device in &mut self.devices {
            best = best.max(device.best()?);
        }
        Ok(best)
    }

    /// See [`Counter::take`].
    pub(crate) fn take(&mut self, column: u32) {
        self.devices.iter_mut().for_each(|it| it.take(column));
    }

    /// Relevance of every column.
    pub(crate) fn relevance(&mut self) -> Result<Vec<i64>, DeviceError> {
        let mut all = Vec::new();
        for device in &mut self.devices {
            all.extend(device.relevance()?);
        }
        Ok(all)
    }

    /// See [`Counter::pairs`]; of all columns, the best first.
    pub(crate) fn pairs(
        &mut self,
        anchors: &[BinnedColumn],
        synergy: &Tally,
        wanted: &Pairs,
        mut matrix: Option<&mut [f64]>,
        stop: &(dyn Fn() -> bool + Sync),
        done: &(dyn Fn() + Sync),
    ) -> Result<Vec<Pair>, DeviceError> {
        let mut best = wanted.clone();
        for device in &mut self.devices {
            best = best.with(device.pairs(
                anchors,
                synergy,
                wanted,
                matrix.as_deref_mut(),
                stop,
                done,
            )?);
        }
        Ok(best.sorted())
    }
}
