//! Splits that are done, kept in a file while others are not.

use std::{
    collections::BTreeMap,
    fs::OpenOptions,
    io::Write,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use super::{
    checkpoint,
    resample_checkpoint::ResampleCheckpoint,
    split_models::{Selected, SplitResult},
};
use crate::{
    family::Scatter,
    validation::{Predicted, Splits},
    whole_file::read_regular,
};

/// Between two writings at least.
const PAUSE: Duration = Duration::from_secs(10);

/// The first line of the file.
#[derive(Serialize, Deserialize)]
struct Header {
    of: String,
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Line {
    /// Which of the methods and families that are validated.
    method: usize,
    split: usize,
    rows: Vec<usize>,
    /// Of each criterion the terms that it chose.
    chosen: Vec<Vec<String>>,
    selected: Vec<StoredPrediction>,
    null: StoredPrediction,
    full: Option<StoredPrediction>,
    by_size: BTreeMap<usize, StoredPrediction>,
    notes: Vec<String>,
    devices: Vec<String>,
}

/// A prediction by the bits of its numbers: of those that are not finite, too, nothing is lost.
#[derive(Serialize, Deserialize)]
struct StoredPrediction {
    values: Vec<u64>,
    levels: Vec<Vec<u64>>,
    scatter: [u64; 2],
}

impl From<&Predicted> for StoredPrediction {
    fn from(own: &Predicted) -> Self {
        let bits = |all: &[f64]| all.iter().map(|value| value.to_bits()).collect();
        Self {
            values: bits(&own.values),
            levels: own.levels.iter().map(|own| bits(own)).collect(),
            scatter: [own.scatter.dispersion, own.scatter.theta].map(f64::to_bits),
        }
    }
}

impl From<StoredPrediction> for Predicted {
    fn from(own: StoredPrediction) -> Self {
        let numbers = |all: Vec<u64>| all.into_iter().map(f64::from_bits).collect();
        let [dispersion, theta] = own.scatter.map(f64::from_bits);
        Self {
            values: numbers(own.values),
            levels: own.levels.into_iter().map(numbers).collect(),
            scatter: Scatter { dispersion, theta },
        }
    }
}

impl Line {
    fn of(method: usize, split: usize, own: &SplitResult) -> Self {
        let selected = own.selected.iter();
        Self {
            method,
            split,
            rows: own.rows.clone(),
            chosen: selected.clone().map(|own| own.terms.clone()).collect(),
            selected: selected.map(|own| (&own.predicted).into()).collect(),
            null: (&own.null).into(),
            full: own.full.as_ref().map(Into::into),
            by_size: own.by_size.iter().map(|(k, v)| (*k, v.into())).collect(),
            notes: own.notes.clone(),
            devices: own.devices.clone(),
        }
    }

    fn result(self, splits: &Splits) -> SplitResult {
        let selected = self.chosen.into_iter().zip(self.selected);
        let selected = selected.map(|(terms, own)| Selected {
            terms,
            predicted: own.into(),
        });
        SplitResult {
            split: splits.split(self.split),
            rows: self.rows,
            selected: selected.collect(),
            null: self.null.into(),
            full: self.full.map(Into::into),
            by_size: self
                .by_size
                .into_iter()
                .map(|(k, v)| (k, v.into()))
                .collect(),
            notes: self.notes,
            devices: self.devices,
        }
    }
}

/// The splits of a validation that are done, and their file: a line for the job that they belong to, then one for each, added
/// as they come, so that predictions of many rows are written once.
pub(super) struct KeptSplits<'a> {
    keep: Option<ResampleCheckpoint<'a>>,
    /// What was kept before of the same job.
    before: Vec<Line>,
    /// Whether the file has the line of this job.
    is_begun: bool,
    /// Lines that are not written.
    new: Vec<u8>,
    written: Instant,
}

impl<'a> KeptSplits<'a> {
    /// What was kept before of the same job, or nothing.
    pub(super) fn new(keep: Option<ResampleCheckpoint<'a>>) -> Self {
        let lines = keep.and_then(|keep| {
            let bytes = read_regular(keep.path).ok()?;
            let mut lines = bytes.split(|byte| *byte == b'\n');
            let header: Header = serde_json::from_slice(lines.next()?).ok()?;
            // A line that was cut short is that of a split which is not done.
            let lines = lines.filter_map(|line| serde_json::from_slice(line).ok());
            (header.of == keep.fingerprint).then(|| lines.collect())
        });
        Self {
            keep,
            is_begun: lines.is_some(),
            before: lines.unwrap_or_default(),
            new: Vec::new(),
            written: Instant::now(),
        }
    }

    /// The splits of a method and family that are done.
    pub(super) fn done(&mut self, method: usize, splits: &Splits) -> BTreeMap<usize, SplitResult> {
        let is_own = |own: &mut Line| own.method == method && own.split < splits.len();
        let own = self.before.extract_if(.., is_own);
        own.map(|own| (own.split, own.result(splits))).collect()
    }

    /// Keeps one more, and writes now and then.
    pub(super) fn add(&mut self, method: usize, split: usize, own: &SplitResult) {
        if self.keep.is_none() {
            return;
        }
        self.new.push(b'\n');
        let line = serde_json::to_vec(&Line::of(method, split, own));
        self.new.extend(line.unwrap_or_default());
        if self.written.elapsed() >= PAUSE {
            self.write();
        }
    }

    /// Writes what is new, if that can be: what cannot be kept is done twice, and no more.
    pub(super) fn write(&mut self) {
        let Some(keep) = self.keep.filter(|_| !self.new.is_empty()) else {
            return;
        };
        let is_written = match self.is_begun {
            true => OpenOptions::new()
                .append(true)
                .open(keep.path)
                .and_then(|mut file| file.write_all(&self.new))
                .is_ok(),
            false => {
                let of = keep.fingerprint.to_owned();
                let mut text = serde_json::to_vec(&Header { of }).unwrap_or_default();
                text.extend_from_slice(&self.new);
                checkpoint::write(keep.path, &text).is_ok()
            }
        };
        self.is_begun |= is_written;
        self.new.clear();
        self.written = Instant::now();
    }
}
