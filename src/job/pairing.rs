//! What `passel pairs` is asked for.

use std::path::{Path, PathBuf};

use super::{Job, JobDraft, OptionError, same_file};
use crate::{
    plugin::ResolvedMethod,
    score::PairScore,
    table::{input_files, is_npy},
};

/// All pairs of one file, checked as far as it can be without its data.
#[derive(Debug, Clone)]
pub struct PairsJob {
    /// Data, binning, where scores end, resources and report.
    pub job: Job,
    /// The score of a pair.
    pub method: ResolvedMethod<PairScore>,
    /// Whether the best partner of every variable is told as well.
    pub partners: bool,
    /// Where the scores of all pairs go; none for nowhere.
    pub matrix: Option<PathBuf>,
}

/// What only `passel pairs` has, being filled in.
#[derive(Debug, Clone)]
pub struct PairsDraft {
    /// The name of the score.
    pub(super) score: String,
    /// Whether the best partner of every variable is told.
    pub(super) partners: bool,
    /// Where the scores of all pairs go.
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
    /// With the options that `select` has too.
    ///
    /// # Errors
    /// Every two options that contradict each other, and a score that there is not.
    pub(super) fn check(self, shared: JobDraft) -> Result<PairsJob, Vec<OptionError>> {
        let (job, method) = shared.check_pairs(&self.score)?;
        let mut errors = Vec::new();
        if let Some(matrix) = &self.matrix {
            let response = job.response.as_deref();
            let response = response.filter(|_| is_npy(&job.data));
            let others = [
                ("output", job.output.as_deref()),
                ("the response", response.map(Path::new)),
            ];
            let data = input_files(&job.data);
            let data = data.iter().map(|it| ("the data", Some(&**it)));
            for (other, path) in data.chain(others) {
                if path.is_some_and(|path| same_file(matrix, path)) {
                    errors.push(OptionError::SameFile {
                        option: "matrix",
                        other,
                        path: matrix.clone(),
                    });
                }
            }
        }
        if errors.is_empty() {
            Ok(PairsJob {
                job,
                method,
                partners: self.partners,
                matrix: self.matrix,
            })
        } else {
            Err(errors)
        }
    }
}
