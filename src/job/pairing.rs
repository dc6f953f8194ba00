//! What `passel pairs` is asked for.

use std::path::{Path, PathBuf};

use super::{Draft, Job, OptionError, same_file};
use crate::{plugin::PairMethod, table::is_npy};

/// All pairs of one file.
#[derive(Debug, Clone)]
pub struct Pairing {
    /// Data, binning, where scores end, resources and report.
    pub job: Job,
    /// The name of the score, as it was given.
    pub score: String,
    /// The score of that name.
    pub method: Option<PairMethod>,
    /// Where the scores of all pairs go; none for nowhere.
    pub matrix: Option<PathBuf>,
}

impl Pairing {
    /// Defaults, for options to be set in.
    pub(super) fn new(job: Job) -> Self {
        Self {
            job,
            score: "mi3".to_owned(),
            method: None,
            matrix: None,
        }
    }

    /// With the options that `select` has too.
    ///
    /// # Errors
    /// Every two options that contradict each other, and a score that there is not.
    pub(super) fn check(mut self, shared: Draft) -> Result<Self, Vec<OptionError>> {
        let (job, method) = shared.check_pairs(&self.score)?;
        (self.job, self.method) = (job, Some(method));
        let mut errors = Vec::new();
        if let Some(matrix) = &self.matrix {
            let response = self.job.response.as_deref();
            let response = response.filter(|_| is_npy(&self.job.data));
            let others = [
                ("output", self.job.output.as_deref()),
                ("the data", Some(&*self.job.data)),
                ("the response", response.map(Path::new)),
            ];
            for (other, path) in others {
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
            Ok(self)
        } else {
            Err(errors)
        }
    }
}
