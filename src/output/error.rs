//! Why a file could not be written.

use std::{io, path::Path};

use thiserror::Error;

use crate::system_limits::{is_disk_full, with_mend};

/// Why a file could not be written.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct OutputError {
    pub(super) message: String,
    pub(super) source: Option<io::Error>,
    /// Whether the place was wrong from the start, before any work was done.
    pub(super) is_place: bool,
}

impl OutputError {
    /// The place cannot take a file; `reason` goes on after its name.
    pub(super) fn refuse(path: &Path, reason: &str) -> Self {
        Self {
            message: format!("cannot write {}{reason}", path.display()),
            source: None,
            is_place: true,
        }
    }

    /// The system says that the place cannot take a file.
    pub fn place(path: &Path, source: io::Error) -> Self {
        let source = Some(with_mend(source));
        Self {
            source,
            ..Self::refuse(path, "")
        }
    }

    /// Writing failed half-way; a file that was there before is unchanged.
    pub(super) fn write(path: &Path, source: io::Error) -> Self {
        Self {
            message: format!("writing {} failed", path.display()),
            source: Some(with_mend(source)),
            is_place: false,
        }
    }

    /// Whether the disk is full, on which whatever is written next fails too.
    pub fn is_disk_full(&self) -> bool {
        self.source.as_ref().is_some_and(is_disk_full)
    }

    /// 2 for a place that was wrong from the start, 1 for a disk that failed.
    pub fn exit_code(&self) -> u8 {
        1 + u8::from(self.is_place)
    }
}
