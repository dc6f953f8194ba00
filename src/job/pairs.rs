//! The options of `passel pairs`.

use std::path::{Path, PathBuf};

use super::{Job, JobDraft, OptionError, conflicts::overwrites};
use crate::{plugin::ResolvedMethod, score::PairScore};

/// The scores of all pairs of one file, checked as far as that is possible without its data.
#[derive(Debug, Clone)]
pub struct PairsJob {
    /// The data, the binning, how many pairs are reported, the resources and the report.
    pub job: Job,
    /// The score of a pair.
    pub method: ResolvedMethod<PairScore>,
    /// Whether the best partner of every variable is reported too.
    pub partners: bool,
    /// Where the scores of all pairs go; `None` for nowhere.
    pub matrix: Option<PathBuf>,
}

impl PairsJob {
    /// Scores the pairs of a job's data by a score of a plugin, with the other options at their
    /// defaults.
    pub fn new(job: Job, method: ResolvedMethod<PairScore>) -> Self {
        Self {
            job,
            method,
            partners: false,
            matrix: None,
        }
    }
}

/// The options that only `passel pairs` has, being set.
#[derive(Debug, Clone)]
pub struct PairsDraft {
    /// The name of the score.
    pub(super) score: String,
    /// See [`PairsJob::partners`].
    pub(super) partners: bool,
    /// See [`PairsJob::matrix`].
    pub(super) matrix: Option<PathBuf>,
}

impl Default for PairsDraft {
    fn default() -> Self {
        Self {
            score: "mi3".to_owned(),
            partners: false,
            matrix: None,
        }
    }
}

impl PairsDraft {
    /// The checked job; `shared` has the options that `select` has too.
    ///
    /// # Errors
    /// Every conflict between options, and a score that does not exist.
    pub(super) fn check(self, shared: JobDraft) -> Result<PairsJob, Vec<OptionError>> {
        let (job, method) = shared.check_pairs(&self.score)?;
        if let Some(matrix) = &self.matrix {
            let inputs = job.named_input_files();
            let inputs = inputs.iter().map(|(name, path)| (*name, &**path));
            let output = job.output.as_deref().map(|path: &Path| ("output", path));
            let errors = overwrites("matrix", matrix, inputs.chain(output));
            if !errors.is_empty() {
                return Err(errors);
            }
        }
        Ok(PairsJob {
            job,
            method,
            partners: self.partners,
            matrix: self.matrix,
        })
    }
}
