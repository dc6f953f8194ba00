//! One device or several that score all pairs as one.

use std::io;

use super::{
    super::{
        DeviceError,
        cuda::counting::{CudaPairs, CudaSwept, CudaValues},
    },
    AllPairs, Anchor, CodedCounter, Logs, PairCounter, Pairs, Partner, Partners, Tally,
    counters::{Part, shards_on_cpu},
};
use crate::{
    binning::{BinnedColumn, BinnedColumns},
    ranks::Among,
};

/// The devices, each with its range of the columns.
pub(crate) struct PairCounters<'a> {
    devices: Vec<Box<dyn PairCounter + 'a>>,
    logs: &'a Logs,
    tally: &'a Tally,
    /// The other processes.
    among: Option<Among>,
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

/// The column that another scores best with, as [`FoundPair`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FoundPartner {
    pub(crate) column: u32,
    pub(crate) score: f64,
    pub(crate) synergy: f64,
}

/// Which pairs are asked for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Few {
    /// So many of the best.
    pub(crate) most: usize,
    /// None of a score below it, in nats.
    pub(crate) least: Option<f64>,
    /// Besides, whatever these are, the best of every column.
    pub(crate) partners: bool,
}

/// What was asked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct FoundPairs {
    /// The best first.
    pub(crate) pairs: Vec<FoundPair>,
    /// Of every column, in their order, where they were asked for; none where no score may be
    /// chosen.
    pub(crate) partners: Vec<Option<FoundPartner>>,
    /// Whether the end came before all pairs were scored.
    pub(crate) cut: bool,
}

impl<'a> PairCounters<'a> {
    /// The CPU in so many shards, which lay out their columns for this response
    /// ([`Tally::anchor`]); inside a pool of so many threads.
    pub(crate) fn cpu(
        own: &'a [BinnedColumn],
        response: &Anchor,
        by: (&'a Logs, &'a Tally),
        shards: usize,
        threads: usize,
    ) -> Self {
        let devices = shards_on_cpu::<Box<dyn PairCounter + 'a>>(
            Part::from(own),
            response,
            by,
            (shards, threads),
            |it| Box::new(it),
            |it| Box::new(it),
        );
        Self::of(devices, by)
    }

    /// The GPUs of these ordinals, which share the work; each takes so many bytes for columns at
    /// most. So many pairs are wanted at most.
    ///
    /// # Errors
    /// A GPU that is not there, cannot be used or has no room.
    pub(crate) fn cuda(
        own: &'a [BinnedColumn],
        response: &Anchor,
        by @ (_, tally): (&'a Logs, &'a Tally),
        ordinals: &[usize],
        (wanted, limit): (usize, Option<u64>),
    ) -> Result<Self, DeviceError> {
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
        Ok(Self::of(vec![cards], by))
    }

    /// The same, of a declared score, by a sweep of all columns for each.
    ///
    /// # Errors
    /// The same.
    pub(crate) fn swept(
        own: &'a [BinnedColumn],
        response: &Anchor,
        by: (&'a Logs, &'a Tally),
        ordinals: &[usize],
        limit: Option<u64>,
    ) -> Result<Self, DeviceError> {
        let cards = CudaSwept::new(own, response, by, ordinals, limit)?;
        Ok(Self::of(vec![Box::new(cards)], by))
    }

    /// Devices that have their columns.
    pub(crate) fn of(
        devices: Vec<Box<dyn PairCounter + 'a>>,
        (logs, tally): (&'a Logs, &'a Tally),
    ) -> Self {
        Self {
            devices,
            logs,
            tally,
            among: None,
        }
    }

    /// With those of other ranks, each of which takes some of the anchors.
    pub(crate) fn among(self, among: Option<&Among>) -> Self {
        Self {
            among: among.cloned(),
            ..self
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

    /// See [`PairCounter::pairs`]; of all columns.
    pub(crate) fn pairs(
        &mut self,
        columns: &BinnedColumns,
        synergy: &Tally,
        few: Few,
        mut matrix: Option<&mut [f64]>,
        stop: &(dyn Fn() -> bool + Sync),
        done: &(dyn Fn() + Sync),
    ) -> Result<FoundPairs, DeviceError> {
        let (tally, least) = (self.tally, few.least);
        if let Some(among) = &self.among {
            let own: Vec<String> = self.devices.iter().map(|it| it.shares()).collect();
            let own = own.first().cloned().unwrap_or_default();
            let all = among.gather(&own).map_err(DeviceError::ranks)?;
            if all.iter().any(|it| *it != all[0]) {
                let what = "their devices share pairs in different ways: give all of them the same \
                            --device, and where GPUs differ in free memory a --memory-limit";
                return Err(DeviceError::ranks(io::Error::other(what)));
            }
        }
        let mut wanted = Pairs::new(few.most, tally.bound(least));
        if few.partners {
            wanted = wanted.and(Partners::new(columns.columns.len(), tally.bound(None)));
        }
        let mut best = wanted.clone();
        for device in &mut self.devices {
            best = best.with(
                device.pairs(AllPairs {
                    turn: self
                        .among
                        .as_ref()
                        .map_or((0, 1), |it| (it.rank(), it.size())),
                    columns: &columns.columns,
                    synergy,
                    logs: self.logs,
                    wanted: &wanted,
                    matrix: matrix.as_deref_mut(),
                    stop,
                    done,
                })?,
            );
        }
        let mut cut = stop();
        if let Some(among) = &self.among {
            let told = among.gather(&(best, stop()));
            let told = told.map_err(DeviceError::ranks)?;
            cut = told.iter().any(|it| it.1);
            best = told
                .into_iter()
                .fold(wanted.empty(), |all, it| all.with(it.0));
            if let Some(matrix) = matrix {
                add_up(matrix, among).map_err(DeviceError::ranks)?;
            }
        }
        let partner = |it: Partner| FoundPartner {
            column: it.column,
            score: tally.nats(it.score, 1),
            synergy: synergy.nats(it.synergy, 1),
        };
        let partners = best.partners().into_iter().map(|it| it.map(partner));
        let partners = partners.collect();
        let pairs = best.sorted().into_iter().map(|it| FoundPair {
            a: it.a,
            b: it.b,
            score: tally.nats(it.score, 1),
            synergy: synergy.nats(it.synergy, 1),
        });
        // The bound of a threshold is near it only.
        let above = |it: &FoundPair| least.is_none_or(|least| it.score >= least);
        Ok(FoundPairs {
            pairs: pairs.filter(above).collect(),
            partners,
            cut,
        })
    }
}

/// Numbers of a matrix that go over at a time.
const PIECE: usize = 1 << 20;

/// Adds up what all ranks have of a matrix: each number is one's, and 0 on the others.
fn add_up(matrix: &mut [f64], among: &Among) -> io::Result<()> {
    for piece in matrix.chunks_mut(PIECE) {
        let own = piece.iter().flat_map(|it| it.to_le_bytes()).collect();
        let all = among.gather_bytes(own)?;
        piece.fill(0.0);
        for theirs in all {
            for (sum, it) in piece.iter_mut().zip(theirs.chunks_exact(8)) {
                *sum += it.try_into().map(f64::from_le_bytes).unwrap_or(f64::NAN);
            }
        }
    }
    Ok(())
}
