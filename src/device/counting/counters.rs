//! One device or several that count as one.

use std::ops::Range;

use super::{
    super::{
        DeviceError,
        cpu::{CpuCounter, CpuValues},
        cuda::counting::{CudaCounter, CudaValues},
    },
    Anchor, Best, CodedCounter, Counter, Facts, Logs, Step, Tally,
};
use crate::binning::BinnedColumn;

/// The devices, each with its range of the columns.
pub(crate) struct Counters<'a> {
    devices: Vec<Box<dyn Counter + 'a>>,
    tally: &'a Tally,
    /// Anchors swept.
    steps: usize,
}

/// The best candidate; of equal scores the lowest column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Found {
    pub(crate) column: u32,
    /// In nats, or in the unit of a ratio or of a coded score.
    pub(crate) score: f64,
    /// In the same.
    pub(crate) relevance: f64,
}

/// So many shards of the CPU, of so many threads, as devices of whichever kind.
pub(super) fn shards_on_cpu<'a, D>(
    own: &'a [BinnedColumn],
    response: &Anchor,
    by @ (logs, tally): (&'a Logs, &'a Tally),
    (shards, threads): (usize, usize),
    coded: fn(CodedCounter<'a, CpuValues<'a>>) -> D,
    declared: fn(CpuCounter<'a>) -> D,
) -> Vec<D> {
    let device = |range: Range<usize>| {
        let (first, own) = (range.start, &own[range.clone()]);
        match tally.score().coded().cloned() {
            Some(function) => {
                let values = CpuValues::new(own, first, function, logs, threads);
                coded(CodedCounter::new(values, range, response, tally))
            }
            None => declared(CpuCounter::new(own, first, response, by, threads)),
        }
    };
    super::super::shards(own.len(), shards)
        .map(device)
        .collect()
}

impl<'a> Counters<'a> {
    /// The CPU in so many shards, which lay out their columns for this response
    /// ([`Tally::anchor`]); inside a pool of so many threads.
    pub(crate) fn cpu(
        own: &'a [BinnedColumn],
        response: &Anchor,
        (logs, tally): (&'a Logs, &'a Tally),
        shards: usize,
        threads: usize,
    ) -> Self {
        let by = (logs, tally);
        let devices = shards_on_cpu::<Box<dyn Counter + 'a>>(
            own,
            response,
            by,
            (shards, threads),
            |it| Box::new(it),
            |it| Box::new(it),
        );
        Self::of(devices, tally)
    }

    /// The GPUs of these ordinals, which share the columns; each takes so many bytes for them
    /// at most.
    ///
    /// # Errors
    /// A GPU that is not there, cannot be used or has no room.
    pub(crate) fn cuda(
        own: &'a [BinnedColumn],
        response: &Anchor,
        (logs, tally): (&'a Logs, &'a Tally),
        ordinals: &[usize],
        memory_limit: Option<u64>,
    ) -> Result<Self, DeviceError> {
        let by = (logs, tally);
        let cards: Box<dyn Counter + 'a> = match tally.score().coded().cloned() {
            Some(coded) => {
                let values = CudaValues::new(own, response, &coded, ordinals, memory_limit)?;
                Box::new(CodedCounter::new(values, 0..own.len(), response, tally))
            }
            None => Box::new(CudaCounter::new(own, response, by, ordinals, memory_limit)?),
        };
        Ok(Self::of(vec![cards], tally))
    }

    /// Devices that have their columns.
    pub(crate) fn of(devices: Vec<Box<dyn Counter + 'a>>, tally: &'a Tally) -> Self {
        Self {
            devices,
            tally,
            steps: 0,
        }
    }

    /// Their names.
    pub(crate) fn names(&self) -> Vec<String> {
        self.devices.iter().flat_map(|it| it.names()).collect()
    }

    /// See [`Counter::sweep`].
    pub(crate) fn sweep(&mut self, step: &Step) -> Result<(), DeviceError> {
        self.steps += 1;
        self.devices.iter_mut().try_for_each(|it| it.sweep(step))
    }

    /// See [`Counter::expect`].
    pub(crate) fn expect(&mut self, picks: usize) {
        self.devices.iter_mut().for_each(|it| it.expect(picks));
    }

    /// See [`Counter::forget`].
    pub(crate) fn forget(&mut self) {
        self.steps = 0;
        self.devices.iter_mut().for_each(|it| it.forget());
    }

    /// The best candidate of all; none where all are taken, or none may be chosen.
    ///
    /// Scores of one device are exact, or the same bits on any: so the best of all is the best
    /// of the best. Of a coded score those within its tolerance are as good.
    pub(crate) fn best(&mut self) -> Result<Option<Found>, DeviceError> {
        let mut best = None;
        for device in &mut self.devices {
            best = best.max(device.best()?);
        }
        let least = best.map(|it| self.tally.as_good(it.score));
        if let (Some(least), Some(_)) = (least, self.tally.score().coded()) {
            best = None;
            for device in &mut self.devices {
                // Shards ascend.
                if best.is_none() {
                    best = device.first(least)?;
                }
            }
        }
        Ok(best.map(|it| self.found(it, self.steps)))
    }

    /// A candidate after so many steps.
    fn found(&self, best: Best, steps: usize) -> Found {
        Found {
            column: best.column.0,
            score: self.tally.nats(best.score, steps),
            relevance: self.tally.relevance_nats(best.relevance),
        }
    }

    /// See [`Counter::facts`].
    pub(crate) fn facts(&mut self, column: u32) -> Result<Option<Facts>, DeviceError> {
        for device in &mut self.devices {
            if let Some(facts) = device.facts(column)? {
                return Ok(Some(facts));
            }
        }
        Ok(None)
    }

    /// See [`Counter::permuted`]; of all columns.
    pub(crate) fn permuted(
        &mut self,
        orders: &[Vec<u32>],
        swept: &[&Anchor],
    ) -> Option<Result<Vec<Option<Found>>, DeviceError>> {
        let mut best = vec![None; orders.len()];
        for device in &mut self.devices {
            match device.permuted(orders, swept)? {
                Err(error) => return Some(Err(error)),
                Ok(own) => {
                    for (best, own) in best.iter_mut().zip(own) {
                        *best = own.max(*best);
                    }
                }
            }
        }
        let found = |it: Option<Best>| it.map(|it| self.found(it, swept.len()));
        Some(Ok(best.into_iter().map(found).collect()))
    }

    /// See [`Counter::take`].
    pub(crate) fn take(&mut self, column: u32) {
        self.devices.iter_mut().for_each(|it| it.take(column));
    }

    /// Relevance of every column.
    #[cfg(test)]
    pub(crate) fn relevance(&mut self) -> Result<Vec<f64>, DeviceError> {
        let mut all = Vec::new();
        for device in &mut self.devices {
            all.extend(device.relevance()?);
        }
        let nats = |it| self.tally.relevance_nats(it);
        Ok(all.into_iter().map(nats).collect())
    }
}
