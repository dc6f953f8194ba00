//! Resamples that are done, kept in a file while others are not.

use std::{
    collections::BTreeMap,
    path::Path,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use super::checkpoint;
use crate::whole_file::read_regular;

/// Between two writings at least.
const PAUSE: Duration = Duration::from_secs(10);

/// The file of the resamples that are done, and the job that they belong to. Resamples of a job with
/// another fingerprint are ignored.
#[derive(Debug, Clone, Copy)]
pub struct ResampleCheckpoint<'a> {
    /// The file.
    pub path: &'a Path,
    /// A text of everything that shapes the result.
    pub fingerprint: &'a str,
}

/// What there is to go on from.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct State {
    of: String,
    /// As [`crate::stability::ResampledSelections`].
    pub(super) done: BTreeMap<usize, Vec<usize>>,
    /// Notes of selections, and how many had each.
    pub(super) notes: BTreeMap<String, usize>,
    /// Where the last one ran.
    pub(super) devices: Vec<String>,
}

/// The state, and its file.
#[derive(Debug)]
pub(super) struct Kept<'a> {
    keep: Option<ResampleCheckpoint<'a>>,
    pub(super) state: State,
    written: Instant,
}

impl<'a> Kept<'a> {
    /// What was kept before of the same, or nothing.
    pub(super) fn new(keep: Option<ResampleCheckpoint<'a>>) -> Self {
        let before = keep.and_then(|keep| {
            let state: State = serde_json::from_slice(&read_regular(keep.path).ok()?).ok()?;
            (state.of == keep.fingerprint).then_some(state)
        });
        Self {
            keep,
            state: before.unwrap_or_default(),
            written: Instant::now(),
        }
    }

    pub(super) fn write_now_and_then(&mut self) {
        if self.written.elapsed() >= PAUSE {
            self.write();
        }
    }

    /// Writes the state, if that can be: what cannot be kept is done twice, and no more.
    pub(super) fn write(&mut self) {
        if let Some(keep) = self.keep {
            self.state.of = keep.fingerprint.to_owned();
            let text = serde_json::to_vec(&self.state).unwrap_or_default();
            let _ = checkpoint::write(keep.path, &text);
        }
        self.written = Instant::now();
    }
}
