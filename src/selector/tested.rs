//! What is known of the permutation tests of a selection: an interrupted one goes on from there,
//! because it is these tests that take long. The rest of a selection is done again.

use serde::{Deserialize, Serialize};

use crate::search::{CheckpointWriter, bits};

/// What a selection tells while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectionProgress {
    /// The numbers of variables chosen and wanted.
    Variables(usize, usize),
    /// The numbers of permutations made and to be made, in the test of one more variable.
    Permutations(usize, usize),
}

/// A candidate and its scores.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct StandardisedCandidate {
    #[serde(with = "bits")]
    pub(super) standardised: f64,
    pub(super) column: u32,
    #[serde(with = "bits")]
    pub(super) score: f64,
    #[serde(with = "bits")]
    pub(super) relevance: f64,
}

/// A test that is complete.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Tested {
    /// The number of permutations that reach the candidate.
    pub(super) reached: usize,
    /// The candidate, where standardised scores chose it; else it is the best by its score.
    pub(super) winner: Option<StandardisedCandidate>,
}

/// A test that is not complete, of a single process.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct OpenTest {
    /// Whether each permutation reaches the candidate; `None` where it was not made yet.
    pub(super) reached: Vec<Option<bool>>,
    /// By standardised scores: how many of the columns are done,
    columns: usize,
    /// the best of them,
    best: Option<StandardisedCandidate>,
    /// and the bits of the largest standardised score of each permutation.
    maxima: Vec<u64>,
}

/// All tests of a selection, the last of which may not be complete.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct TestState {
    done: Vec<Tested>,
    open: OpenTest,
}

impl TestState {
    /// Whether it is a valid state of a selection from p columns with n permutations.
    pub(super) fn is_sound(&self, p: usize, n: usize) -> bool {
        let is_column = |own: &StandardisedCandidate| (own.column as usize) < p;
        let is_test =
            |test: &Tested| test.reached <= n && test.winner.as_ref().is_none_or(is_column);
        let OpenTest {
            reached,
            columns,
            best,
            maxima,
        } = &self.open;
        self.done.len() <= p
            && self.done.iter().all(is_test)
            && [0, n].contains(&reached.len())
            && *columns <= p
            && best.as_ref().is_none_or(is_column)
            && maxima.len() == if *columns == 0 { 0 } else { n }
    }
}

/// What is known of the tests of a selection, who keeps it, and who is told.
pub(super) struct TestLog<'k, 'a> {
    state: TestState,
    keeper: Option<CheckpointWriter<'k, TestState>>,
    /// The permutations of the present test: made, and to be made.
    counts: (usize, usize),
    observe: &'a mut (dyn FnMut(SelectionProgress) + Send),
}

impl<'k, 'a> TestLog<'k, 'a> {
    /// A log of tests, from this state on.
    pub(super) fn new(
        (keeper, state): (Option<CheckpointWriter<'k, TestState>>, Option<TestState>),
        observe: &'a mut (dyn FnMut(SelectionProgress) + Send),
    ) -> Self {
        Self {
            state: state.unwrap_or_default(),
            keeper,
            counts: (0, 0),
            observe,
        }
    }

    /// The test of this step, counted from 0, if it is complete.
    pub(super) fn known(&self, step: usize) -> Option<Tested> {
        self.state.done.get(step).copied()
    }

    /// Notes that the test of the next step is complete.
    pub(super) fn complete(&mut self, test: Tested) {
        self.state.done.push(test);
        self.state.open = OpenTest::default();
        self.keep();
    }

    /// Whether each of n permutations of the open test reaches the candidate, as far as known.
    pub(super) fn reached(&self, n: usize) -> Vec<Option<bool>> {
        let mut reached = self.state.open.reached.clone();
        reached.resize(n, None);
        reached
    }

    /// Notes whether a permutation of n reaches the candidate.
    pub(super) fn reach(&mut self, at: usize, n: usize, reaches: bool) {
        self.state.open.reached.resize(n, None);
        self.state.open.reached[at] = Some(reaches);
        self.keep();
    }

    /// The columns of the open test that are done, with the best and the maxima of n permutations.
    pub(super) fn maxima(&self, n: usize) -> (usize, Option<StandardisedCandidate>, Vec<f64>) {
        let open = &self.state.open;
        let known = open.maxima.iter().map(|bits| f64::from_bits(*bits));
        let mut maxima: Vec<f64> = known.collect();
        maxima.resize(n, f64::NEG_INFINITY);
        (open.columns, open.best, maxima)
    }

    /// Notes that so many columns of the open test are done.
    pub(super) fn note_maxima(
        &mut self,
        columns: usize,
        best: Option<StandardisedCandidate>,
        maxima: &[f64],
    ) {
        let open = &mut self.state.open;
        (open.columns, open.best) = (columns, best);
        open.maxima = maxima.iter().map(|maximum| maximum.to_bits()).collect();
        self.keep();
    }

    fn keep(&mut self) {
        if let Some(keeper) = &mut self.keeper
            && keeper.is_due()
        {
            keeper.at(self.state.clone());
        }
    }

    /// Writes the state of a selection that ends early; a note if that fails.
    pub(super) fn end(self) -> Option<String> {
        let mut keeper = self.keeper?;
        keeper.at(self.state);
        keeper.end()
    }

    /// Begins to count the permutations of a test, so many of which were made before.
    pub(super) fn begin(&mut self, made: usize, all: usize) {
        self.counts = (made, all);
    }

    /// Tells of one more permutation.
    pub(super) fn count(&mut self, more: usize) {
        self.counts.0 += more;
        let (made, all) = self.counts;
        (self.observe)(SelectionProgress::Permutations(made, all));
    }

    /// Tells of the variables chosen and wanted.
    pub(super) fn chosen(&mut self, chosen: usize, wanted: usize) {
        (self.observe)(SelectionProgress::Variables(chosen, wanted));
    }
}
