//! One device or several that count as one.

use std::ops::Range;

use super::{
    super::{
        DeviceError,
        cpu::{CodedCounter, CpuCounter},
    },
    Anchor, Counter, Logs, Pairs, Tally,
};
use crate::binning::{BinnedColumn, BinnedColumns};

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

/// Two columns, a < b, and their score, as [`Found`] has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FoundPair {
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) score: f64,
    /// I((a,b);y) − I(a;y) − I(b;y) in nats.
    pub(crate) synergy: f64,
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
        let device = |range: Range<usize>| -> Box<dyn Counter + 'a> {
            let (first, own) = (range.start, &own[range]);
            let score = (logs, tally);
            match tally.score().coded() {
                Some(coded) => {
                    let coded = coded.clone();
                    Box::new(CodedCounter::new(
                        own, first, response, coded, score, threads,
                    ))
                }
                None => Box::new(CpuCounter::new(own, first, response, score, threads)),
            }
        };
        Self {
            devices: super::super::shards(own.len(), shards)
                .map(device)
                .collect(),
            tally,
            steps: 0,
        }
    }

    /// Their names.
    pub(crate) fn names(&self) -> Vec<String> {
        self.devices.iter().map(|it| it.name()).collect()
    }

    /// See [`Counter::sweep`].
    pub(crate) fn sweep(&mut self, anchor: &Anchor) -> Result<(), DeviceError> {
        self.steps += 1;
        self.devices.iter_mut().try_for_each(|it| it.sweep(anchor))
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
        Ok(best.map(|it| Found {
            column: it.column.0,
            score: self.tally.nats(it.score, self.steps),
            relevance: self.tally.relevance_nats(it.relevance),
        }))
    }

    /// See [`Counter::take`].
    pub(crate) fn take(&mut self, column: u32) {
        self.devices.iter_mut().for_each(|it| it.take(column));
    }

    /// Relevance of every column.
    pub(crate) fn relevance(&mut self) -> Result<Vec<f64>, DeviceError> {
        let mut all = Vec::new();
        for device in &mut self.devices {
            all.extend(device.relevance()?);
        }
        let nats = |it| self.tally.relevance_nats(it);
        Ok(all.into_iter().map(nats).collect())
    }

    /// See [`Counter::pairs`]; of all columns, the best first: so many, none of a score below
    /// `least`.
    pub(crate) fn pairs(
        &mut self,
        columns: &BinnedColumns,
        synergy: &Tally,
        (most, least): (usize, Option<f64>),
        mut matrix: Option<&mut [f64]>,
        stop: &(dyn Fn() -> bool + Sync),
        done: &(dyn Fn() + Sync),
    ) -> Result<Vec<FoundPair>, DeviceError> {
        let (anchors, tally) = (&columns.columns, self.tally);
        let wanted = Pairs::new(most, tally.bound(least));
        let mut best = wanted.clone();
        for device in &mut self.devices {
            best = best.with(device.pairs(
                anchors,
                synergy,
                &wanted,
                matrix.as_deref_mut(),
                stop,
                done,
            )?);
        }
        let pairs = best.sorted().into_iter().map(|it| FoundPair {
            a: it.a,
            b: it.b,
            score: tally.nats(it.score, 1),
            synergy: synergy.nats(it.synergy, 1),
        });
        // The bound of a threshold is near it only.
        let above = |it: &FoundPair| least.is_none_or(|least| it.score >= least);
        Ok(pairs.filter(above).collect())
    }
}
