//! One device or several that score all pairs as one.

use std::ops::Range;

use super::{
    super::{
        DeviceError,
        cpu::{CpuCounter, CpuValues},
        cuda::counting::{CudaPairs, CudaSwept, CudaValues},
    },
    AllPairs, Anchor, CodedCounter, Logs, PairCounter, Pairs, Tally,
};
use crate::binning::{BinnedColumn, BinnedColumns};

/// The devices, each with its range of the columns.
pub(crate) struct PairCounters<'a> {
    devices: Vec<Box<dyn PairCounter + 'a>>,
    logs: &'a Logs,
    tally: &'a Tally,
}

/// Two columns, a < b, and their score, as [`super::Found`] has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FoundPair {
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) score: f64,
    /// I((a,b);y) − I(a;y) − I(b;y) in nats.
    pub(crate) synergy: f64,
}

impl<'a> PairCounters<'a> {
    /// The CPU in so many shards, which lay out their columns for this response
    /// ([`Tally::anchor`]); inside a pool of so many threads.
    pub(crate) fn cpu(
        own: &'a [BinnedColumn],
        response: &Anchor,
        (logs, tally): (&'a Logs, &'a Tally),
        shards: usize,
        threads: usize,
    ) -> Self {
        let device = |range: Range<usize>| -> Box<dyn PairCounter + 'a> {
            let (first, own) = (range.start, &own[range.clone()]);
            match tally.score().coded().cloned() {
                Some(coded) => {
                    let values = CpuValues::new(own, first, coded, logs, threads);
                    Box::new(CodedCounter::new(values, range, response, tally))
                }
                None => {
                    let by = (logs, tally);
                    Box::new(CpuCounter::new(own, first, response, by, threads))
                }
            }
        };
        let shards = super::super::shards(own.len(), shards);
        Self {
            devices: shards.map(device).collect(),
            logs,
            tally,
        }
    }

    /// The GPUs of these ordinals, which share the work; each takes so many bytes for columns at
    /// most. So many pairs are wanted at most.
    ///
    /// # Errors
    /// A GPU that is not there, cannot be used or has no room.
    pub(crate) fn cuda(
        own: &'a [BinnedColumn],
        response: &Anchor,
        (logs, tally): (&'a Logs, &'a Tally),
        ordinals: &[usize],
        (wanted, limit): (usize, Option<u64>),
    ) -> Result<Self, DeviceError> {
        let by = (logs, tally);
        let cards: Box<dyn PairCounter + 'a> = match tally.score().coded().cloned() {
            Some(coded) => {
                let values = CudaValues::new(own, response, &coded, ordinals, limit)?;
                Box::new(CodedCounter::new(values, 0..own.len(), response, tally))
            }
            None => match CudaPairs::new(own, response, by, ordinals, (wanted, limit))? {
                Some(cards) => Box::new(cards),
                None => Box::new(CudaSwept::new(own, response, by, ordinals, limit)?),
            },
        };
        Ok(Self {
            devices: vec![cards],
            logs,
            tally,
        })
    }

    /// The same, of a declared score, by a sweep of all columns for each.
    ///
    /// # Errors
    /// The same.
    pub(crate) fn swept(
        own: &'a [BinnedColumn],
        response: &Anchor,
        (logs, tally): (&'a Logs, &'a Tally),
        ordinals: &[usize],
        limit: Option<u64>,
    ) -> Result<Self, DeviceError> {
        let cards = CudaSwept::new(own, response, (logs, tally), ordinals, limit)?;
        Ok(Self {
            devices: vec![Box::new(cards)],
            logs,
            tally,
        })
    }

    /// Devices that have their columns.
    #[cfg(test)]
    pub(crate) fn of(
        devices: Vec<Box<dyn PairCounter + 'a>>,
        (logs, tally): (&'a Logs, &'a Tally),
    ) -> Self {
        Self {
            devices,
            logs,
            tally,
        }
    }

    /// Their names.
    pub(crate) fn names(&self) -> Vec<String> {
        self.devices.iter().flat_map(|it| it.names()).collect()
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

    /// See [`PairCounter::pairs`]; of all columns, the best first: so many, none of a score below
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
        let tally = self.tally;
        let wanted = Pairs::new(most, tally.bound(least));
        let mut best = wanted.clone();
        for device in &mut self.devices {
            best = best.with(device.pairs(AllPairs {
                columns: &columns.columns,
                synergy,
                logs: self.logs,
                wanted: &wanted,
                matrix: matrix.as_deref_mut(),
                stop,
                done,
            })?);
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
