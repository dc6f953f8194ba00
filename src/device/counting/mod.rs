//! The seam of counting: the contingency table of every column with a conditioning variable and the
//! response, reduced to margin sums, these to scores, and these to the best candidate.
//!
//! Here are traits and plain data alone; [`super::counters`] opens the devices that implement them.
//!
//! Counts are integers and sums are fixed-point, so the order of additions does not show: any
//! number of threads, devices or machines and any layout of the columns gives the same bits. A
//! score that is a function of tables takes one table at a time, so it has the same bits too.

mod categorical;
mod conditioning;
mod counter;
mod counter_group;
mod evaluator;
mod floats;
mod function_counter;
mod margins;
mod ordered;
mod pair_counter;
#[cfg(test)]
pub(crate) mod tests;
mod top_pairs;

pub(crate) use categorical::{Categorical, complete_cases};
pub(crate) use conditioning::{CandidateStatistics, ConditioningVariable, RemoteColumn};
pub(crate) use counter::{Counter, LocalColumns, ScoredColumn, any_misses};
pub(crate) use counter_group::{BestCandidate, CounterGroup};
pub(crate) use evaluator::{EXCLUDED_SCORE, ScoreEvaluator, Terms};
pub(crate) use function_counter::{FunctionCounter, TableScorer, TableValue, check_value};
pub(crate) use margins::{MarginSums, mutual_information, table_cells};
pub(crate) use ordered::{from_ordered, to_ordered};
pub(crate) use pair_counter::{PairCounter, PairCounterGroup, PairDomain, PairSearch};
pub(crate) use top_pairs::{Pair, TopPairs};

pub(crate) use crate::logs::LogTable;
