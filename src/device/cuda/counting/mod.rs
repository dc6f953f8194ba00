//! Counting on GPUs: each has a share of the columns, counts them against one anchor after another
//! and finds the best candidate; the host names anchors and reads picks.
//!
//! | what | where |
//! | --- | --- |
//! | the columns, over GPUs | `counter`; how far GPUs pick ahead of the host: `run_ahead` |
//! | one GPU's share | `shard`; its columns: `form`, `layout`, `packs` |
//! | the next anchor | `host_anchors`, `anchors`, `joint_codes` |
//! | counting against it | `sweep`, by the kernel of `kernel_choice`'s list: `dense`, `tiny`, `entries`, `short_entries`, `rows`, `wide` |
//! | scores and the best of them | `score`; agreed on by several GPUs: `peer_argmax` |
//! | lazy evaluation | `deferred`, `waves` |
//! | permutations | `permutations` |
//! | functions of whole tables | `table_scorer`, `plugin_values` |
//! | terms that the host combines | `term_scorer` |
//! | all pairs | `pairs`; where these have no room: `pair_sweep` |
//!
//! A file that launches a kernel has its stem: `dense.rs` launches `kernels/dense.cu`, whose
//! reference is `kernels/dense.rs`.

mod anchors;
mod count_kernel;
mod counter;
mod deferred;
#[cfg(test)]
mod deferred_tests;
mod dense;
mod entries;
mod form;
mod host_anchors;
mod joint_codes;
mod kernel_choice;
#[cfg(test)]
mod kernel_choice_tests;
mod layout;
#[cfg(test)]
mod layout_tests;
mod packs;
mod pair_sweep;
mod pairs;
mod peer_argmax;
#[cfg(test)]
mod peer_argmax_tests;
mod permutations;
mod plugin_values;
mod rows;
mod run_ahead;
mod score;
mod shard;
mod short_entries;
mod sweep;
mod sweep_buffers;
mod table_scorer;
mod term_scorer;
mod tiny;
mod waves;
mod wide;

pub(crate) use counter::CudaCounter;
pub(crate) use deferred::LazyOptions;
pub(crate) use pairs::CudaPairs;
pub(crate) use table_scorer::CudaTableScorer;
pub(crate) use term_scorer::CudaTermScorer;
