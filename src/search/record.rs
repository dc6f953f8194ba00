//! What a search reports while it runs: one record an iteration, for the trace and the progress bar.

/// One iteration of the whole swarm, one wave of the polish, or how far a proof got.
#[derive(Debug, Clone, Copy)]
pub struct IterationRecord<'a> {
    /// 1-based; the starts are iteration 1.
    pub number: usize,
    /// The largest number of iterations.
    pub of: usize,
    /// The wave of the polish, 1-based, which counts on from the swarm's last
    /// iteration; none for an iteration of the swarm.
    pub wave: Option<usize>,
    /// How far the proof got that was asked for; none before it.
    pub proof: Option<ProofRecord>,
    /// The lowest criterion value so far, this iteration included.
    pub best_value: f64,
    /// Size of the model that has it.
    pub best_size: usize,
    /// What each particle did, in particle order; of a wave, each island.
    pub steps: &'a [StepRecord],
}

/// How far a proof by branch and bound got.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProofRecord {
    /// Subproblems explored.
    pub nodes: u64,
    /// Branches of the tree whose models are not all decided.
    pub open: usize,
    /// The share of all sets of candidates that these branches hold. It is no share of the work.
    pub undecided: f64,
    /// No model has a lower φ: the least bound of an open branch, or the best φ where that is lower.
    pub bound: f64,
}

/// What one particle did in one iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepRecord {
    /// The kind of move.
    pub kind: MoveKind,
    /// The term added or dropped: a column of the design matrix, where each is a term.
    pub variable: Option<u32>,
    /// Size of the model after the move.
    pub size: usize,
    /// Criterion value after the move.
    pub value: f64,
}

/// The kinds of move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveKind {
    /// The random start.
    Start,
    /// Added a variable of the best model.
    AddBest,
    /// Added the most improving variable.
    AddImprove,
    /// Added a random variable.
    AddRandom,
    /// Dropped the variable whose loss costs least.
    DropImprove,
    /// Dropped a random variable.
    DropRandom,
    /// Nothing could be added or dropped.
    Stay,
    /// The tabu search of an island; the record is of its current model.
    Walk,
}
