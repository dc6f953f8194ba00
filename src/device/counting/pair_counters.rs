//! One device or several that score all pairs as one.

use super::{
    super::{
        DeviceError,
        cuda::counting::{CudaPairSweep, CudaPairs, CudaValues},
    },
    Categorical, CodedCounter, LogTable, PairCounter, PairDomain, PairSearch, Partner,
    ScoreEvaluator, TopPairs, TopPartners,
    counters::{LocalColumns, shards_on_cpu},
};

/// The devices, each with its range of the columns.
pub(crate) struct PairCounterGroup<'a> {
    devices: Vec<Box<dyn PairCounter + 'a>>,
    block: PairDomain<'a>,
    logs: &'a LogTable,
    evaluator: &'a ScoreEvaluator,
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
pub(crate) struct PairRequest {
    /// So many of the best.
    pub(crate) max_pairs: usize,
    /// None of a score below it, in nats.
    pub(crate) min_score: Option<f64>,
    /// Besides, whatever these are, the best of every column.
    pub(crate) partners: bool,
}

/// What was asked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PairScores {
    /// The best first.
    pub(crate) pairs: Vec<FoundPair>,
    /// Of every column, in their order, where they were asked for; none where no score may be
    /// chosen.
    pub(crate) partners: Vec<Option<FoundPartner>>,
}

impl PairRequest {
    /// None of so many columns found yet.
    pub(crate) fn empty_pairs(&self, columns: usize, evaluator: &ScoreEvaluator) -> TopPairs {
        let wanted = TopPairs::new(self.max_pairs, evaluator.score_threshold(self.min_score));
        match self.partners {
            true => {
                wanted.with_partners(TopPartners::new(columns, evaluator.score_threshold(None)))
            }
            false => wanted,
        }
    }

    /// Those of the best that are asked for, in nats.
    pub(crate) fn to_scores(
        &self,
        best: TopPairs,
        evaluator: &ScoreEvaluator,
        synergy: &ScoreEvaluator,
    ) -> PairScores {
        let partner = |it: Partner| FoundPartner {
            column: it.column,
            score: evaluator.score_nats(it.score, 1),
            synergy: synergy.score_nats(it.synergy, 1),
        };
        let partners = best.partners().into_iter().map(|it| it.map(partner));
        let partners = partners.collect();
        let pairs = best.into_sorted().into_iter().map(|it| FoundPair {
            a: it.a,
            b: it.b,
            score: evaluator.score_nats(it.score, 1),
            synergy: synergy.score_nats(it.synergy, 1),
        });
        // The bound of a threshold is near it only.
        let above = |it: &FoundPair| self.min_score.is_none_or(|least| it.score >= least);
        PairScores {
            pairs: pairs.filter(above).collect(),
            partners,
        }
    }
}

impl<'a> PairCounterGroup<'a> {
    /// The CPU in so many shards, which lay out their columns for this response
    /// ([`ScoreEvaluator::anchor`]); inside a pool of so many threads.
    pub(crate) fn cpu(
        block: impl Into<PairDomain<'a>>,
        response: &Categorical,
        by @ (_, evaluator): (&'a LogTable, &'a ScoreEvaluator),
        shards: usize,
        threads: usize,
    ) -> Self {
        let block = block.into();
        // Of a coded score candidates are the first of a pair, anchors the second.
        let part = match evaluator.score().function() {
            Some(_) => LocalColumns::from(&block.columns[..block.first_end()]),
            None => LocalColumns {
                columns: &block.columns[block.second_start()..],
                first: block.second_start(),
            },
        };
        let devices = shards_on_cpu::<Box<dyn PairCounter + 'a>>(
            part,
            response,
            by,
            (shards, threads),
            |it| Box::new(it),
            |it| Box::new(it),
        );
        Self::from_devices(devices, block, by)
    }

    /// The GPUs of these ordinals, which share the work; each takes so many bytes for columns at
    /// most. So many pairs are wanted at most.
    ///
    /// # Errors
    /// A GPU that is not there, cannot be used or has no room.
    pub(crate) fn cuda(
        block: impl Into<PairDomain<'a>>,
        response: &Categorical,
        by @ (_, evaluator): (&'a LogTable, &'a ScoreEvaluator),
        ordinals: &[usize],
        (wanted, limit): (usize, Option<u64>),
    ) -> Result<Self, DeviceError> {
        let block = block.into();
        let own = block.columns;
        let cards: Box<dyn PairCounter + 'a> = match evaluator.score().function().cloned() {
            Some(coded) => {
                let values = CudaValues::new(own, response, &coded, ordinals, limit)?;
                Box::new(CodedCounter::new(values, 0..own.len(), response, evaluator))
            }
            None => match CudaPairs::new(block, response, by, ordinals, (wanted, limit))? {
                Some(cards) => Box::new(cards),
                None => Box::new(CudaPairSweep::new(own, response, by, ordinals, limit)?),
            },
        };
        Ok(Self::from_devices(vec![cards], block, by))
    }

    /// The same, of a declared score, by a sweep of all columns for each.
    ///
    /// # Errors
    /// The same.
    pub(crate) fn swept(
        block: impl Into<PairDomain<'a>>,
        response: &Categorical,
        by: (&'a LogTable, &'a ScoreEvaluator),
        ordinals: &[usize],
        limit: Option<u64>,
    ) -> Result<Self, DeviceError> {
        let block = block.into();
        let cards = CudaPairSweep::new(block.columns, response, by, ordinals, limit)?;
        Ok(Self::from_devices(vec![Box::new(cards)], block, by))
    }

    /// Devices that have their columns.
    pub(crate) fn from_devices(
        devices: Vec<Box<dyn PairCounter + 'a>>,
        block: PairDomain<'a>,
        (logs, evaluator): (&'a LogTable, &'a ScoreEvaluator),
    ) -> Self {
        Self {
            devices,
            block,
            logs,
            evaluator,
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
        let nats = |it| self.evaluator.relevance_nats(it);
        Ok(all.into_iter().map(nats).collect())
    }

    /// See [`PairCounter::pairs`]; of all columns.
    pub(crate) fn pairs(
        &mut self,
        synergy: &ScoreEvaluator,
        wanted: &TopPairs,
        mut matrix: Option<&mut [f64]>,
        stop: &(dyn Fn() -> bool + Sync),
        done: &(dyn Fn() + Sync),
    ) -> Result<TopPairs, DeviceError> {
        let mut best = wanted.clone();
        for device in &mut self.devices {
            best = best.merge(device.pairs(PairSearch {
                block: self.block,
                synergy,
                logs: self.logs,
                wanted,
                matrix: matrix.as_deref_mut(),
                stop,
                progress: done,
            })?);
        }
        Ok(best)
    }
}
