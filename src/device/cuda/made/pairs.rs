//! All pairs of columns that are drawn, timed: what `benches/pairs.rs` calls.

use std::time::Instant;

use rayon::prelude::*;

use crate::{
    binning::{BinnedColumn, BinnedColumns, Codes, Rule},
    device::{
        DeviceError,
        counting::{LogTable, PairCounter, PairCounterGroup, PairRequest, ScoreEvaluator},
        cuda::counting::{CudaPairSweep, CudaPairs},
    },
    random::{Stream, uniform_below},
    score::{Combination, PairScore, Quantity},
};

/// What is drawn, and asked for.
#[derive(Debug, Clone, Copy)]
pub struct PairProblem {
    /// Observations.
    pub n: usize,
    /// Columns.
    pub p: usize,
    /// Of every column, at most 256.
    pub levels: usize,
    /// Of the response, at most 256.
    pub classes: usize,
    /// The best pairs.
    pub top: usize,
    /// Whether the partner of every column is wanted too.
    pub partners: bool,
}

/// What was found, and how long it took.
#[derive(Debug, Clone)]
pub struct PairsMeasured {
    /// Until columns are laid out.
    pub layout: f64,
    /// Seconds of each search.
    pub searches: Vec<f64>,
    /// Two columns and their score, the best first.
    pub pairs: Vec<(u32, u32, f64)>,
}

impl PairProblem {
    /// Its columns, each level as likely as any other, and a response that none tells of.
    pub fn draw(&self) -> BinnedColumns {
        let column = |at: usize, levels: usize| {
            let mut words = Stream::new(1, at as u64);
            let codes = (0..self.n).map(|_| uniform_below(words.next_word(), levels) as u8);
            BinnedColumn {
                name: String::new(),
                index: at,
                levels,
                codes: Codes::Byte(codes.collect()),
                rule: Rule::Edges(Vec::new()),
                missing: None,
            }
        };
        let columns = (0..self.p).into_par_iter();
        BinnedColumns {
            n: self.n,
            columns: columns.map(|at| column(at, self.levels)).collect(),
            response: column(self.p, self.classes),
            local: None,
        }
    }

    /// Searches for the best pairs by I((x,w);y) on the GPUs of these ordinals, so many times;
    /// by sweeps, or as it is fastest.
    ///
    /// # Errors
    /// A GPU that cannot be used, or has too little memory.
    pub fn measure(
        &self,
        columns: &BinnedColumns,
        ordinals: &[usize],
        (runs, swept): (usize, bool),
    ) -> Result<PairsMeasured, DeviceError> {
        let started = Instant::now();
        let own = PairScore::Declared(Quantity::plain(Combination::XW_Y)).score();
        let by_class = PairScore::SYNERGY.score();
        let logs = LogTable::new(self.n, own.reach().max(by_class.reach()));
        let evaluator = ScoreEvaluator::new(own, &logs, self.n);
        let synergy = ScoreEvaluator::new(by_class, &logs, self.n);
        let response = evaluator.categorical(&columns.response);
        let (own, by) = (&columns.columns[..], (&logs, &evaluator));
        let few = PairRequest {
            max_pairs: self.top,
            partners: self.partners,
            ..PairRequest::default()
        };
        let limits = (few.max_pairs, None);
        let products = match swept {
            true => None,
            false => CudaPairs::new(own.into(), &response, by, ordinals, limits)?,
        };
        let counter: Box<dyn PairCounter> = match products {
            Some(counter) => Box::new(counter),
            None => Box::new(CudaPairSweep::new(own, &response, by, ordinals, None)?),
        };
        let mut counters = PairCounterGroup::new(vec![counter], own.into(), by);
        let layout = started.elapsed().as_secs_f64();
        let (mut searches, mut pairs) = (Vec::new(), Vec::new());
        for _ in 0..runs {
            let started = Instant::now();
            let wanted = few.empty_pairs(self.p, &evaluator);
            let best = counters.pairs(&synergy, &wanted, None, &|| false, &|| ())?;
            pairs = few.to_scores(best, &evaluator, &synergy).pairs;
            searches.push(started.elapsed().as_secs_f64());
        }
        Ok(PairsMeasured {
            layout,
            searches,
            pairs: pairs.into_iter().map(|it| (it.a, it.b, it.score)).collect(),
        })
    }
}
