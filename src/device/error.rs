//! Errors of devices.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{
    design::UnreadColumns,
    memory::{Bytes, MemoryError},
};

/// Why a device cannot do its work.
///
/// Every field is plain data, so that an error can be shown where no library of CUDA is installed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DeviceError {
    /// A library of CUDA cannot be opened, or is too old.
    #[error(
        "{library} {reason}; {help} (`passel devices` lists what there is, --device cpu does \
         without)"
    )]
    MissingLibrary {
        /// The library and its file, as in `the NVIDIA driver (libcuda.so.1)`.
        library: &'static str,
        /// `was not found`, or what it lacks.
        reason: String,
        /// What to install.
        help: &'static str,
    },
    /// A library is of a newer CUDA than the driver, or does not support the GPU.
    #[error("CUDA cannot be used: {0}")]
    Incompatible(String),
    /// Compiled kernels that could not be put where they were wanted.
    #[error("the kernels could not be put into {}: {reason}", folder.display())]
    Kept {
        /// Where they were wanted.
        folder: PathBuf,
        /// Why not.
        reason: String,
    },
    /// Another rank failed or is gone.
    #[error("the ranks cannot go on together: {0}")]
    Ranks(String),
    /// Columns that stayed in their file cannot be read.
    #[error("columns that stayed in their file cannot be read: {0}")]
    Unread(String),
    /// The driver is installed but finds no usable GPU.
    #[error("no GPU can be used: {0}")]
    NoDevice(String),
    /// There is no GPU of that ordinal.
    #[error("cuda:{asked} does not exist: {}", there_are(*count))]
    NoSuchDevice {
        /// The ordinal that was requested.
        asked: usize,
        /// Number of GPUs.
        count: usize,
    },
    /// What a plugin brings in CUDA C does not compile.
    #[error("{name}.cu does not compile for {architecture}; it is to define {defines}:\n{log}")]
    PluginCompile {
        /// The name of its method, or of its family.
        name: String,
        /// The functions that its text is to have.
        defines: &'static str,
        /// As in `sm_90a`.
        architecture: String,
        /// The compiler's messages.
        log: String,
    },
    /// A kernel does not compile: a defect of passel or of the compiler.
    #[error("kernel {kernel} does not compile for {architecture}; please report this:\n{log}")]
    Compile {
        /// The stem of its file.
        kernel: String,
        /// As in `sm_90a`.
        architecture: String,
        /// The compiler's messages.
        log: String,
    },
    /// The device has too little memory.
    #[error(
        "{device} has too little memory: {during} needs {}, {} are free; set a smaller \
         --memory-limit, end other programs on it, spread the columns over more devices, or \
         use --device cpu",
        Bytes(*needed),
        Bytes(*free)
    )]
    OutOfMemory {
        /// As in `cuda:0`.
        device: String,
        /// What the memory is for.
        during: String,
        /// Bytes requested.
        needed: u64,
        /// Bytes that were free.
        free: u64,
    },
    /// The CPU's copies would take more memory than the job may have.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The device failed: it was lost, or a kernel faulted.
    #[error("{device} failed during {during}: {reason}")]
    Failed {
        /// As in `cuda:0`.
        device: String,
        /// The kernel or step.
        during: String,
        /// The driver's message.
        reason: String,
    },
    /// A column or a pair of columns has no score.
    #[error("{}", .0.describe(|column| format!("column {column}")))]
    UndefinedScore(UndefinedScore),
}

/// A column, or a pair of columns, whose contingency table gave no score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndefinedScore {
    /// The column's number among the candidates, from 0.
    pub column: u32,
    /// The other column of a pair.
    pub other: Option<u32>,
    /// Why there is no score.
    pub reason: ScoreFault,
}

/// Why a contingency table gave no score.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum ScoreFault {
    /// The score's function returned NaN.
    #[error("is not a number")]
    NotANumber,
    /// The score's function returned +∞.
    #[error("is infinite")]
    Infinite,
    /// The score's function panicked.
    #[error("could not be computed: {0}")]
    Panicked(String),
    /// The table has more cells than can be counted.
    #[error(
        "needs a table of {cells} cells, and {most} are the most that are counted; make fewer \
         levels, with --binning equal-frequency:5, say"
    )]
    TooManyCells {
        /// Its number of cells.
        cells: u128,
        /// The largest number allowed.
        most: usize,
    },
}

impl UndefinedScore {
    /// The one of the lower columns.
    pub(crate) fn lower(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        let both = a.into_iter().chain(b);
        both.min_by_key(|fault| (fault.column, fault.other))
    }

    /// The message, with columns called what `name` returns for their numbers.
    pub fn describe(&self, name: impl Fn(u32) -> String) -> String {
        let column = name(self.column);
        let columns = match self.other {
            Some(other) => format!("{column} and {}", name(other)),
            None => column,
        };
        format!("score of {columns} {}", self.reason)
    }
}

/// A failure of communication with the other ranks.
impl From<std::io::Error> for DeviceError {
    fn from(error: std::io::Error) -> Self {
        let error = match error.downcast::<MemoryError>() {
            Ok(refused) => return refused.into(),
            Err(error) => error,
        };
        match error.downcast::<UnreadColumns>() {
            Ok(unread) => Self::Unread(unread.to_string()),
            Err(error) => Self::Ranks(error.to_string()),
        }
    }
}

/// A GPU fails on which columns lie that are read.
impl From<DeviceError> for std::io::Error {
    fn from(error: DeviceError) -> Self {
        Self::other(error)
    }
}

fn there_are(count: usize) -> String {
    match count {
        0 => "there is no CUDA device".to_owned(),
        1 => "the only device is cuda:0".to_owned(),
        _ => format!("devices are cuda:0 to cuda:{}", count - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_state_the_fact_and_the_remedy() {
        let undefined = |other, reason| UndefinedScore {
            column: 3,
            other,
            reason,
        };
        let alone = undefined(None, ScoreFault::NotANumber);
        let no_such_device = |count| DeviceError::NoSuchDevice { asked: 9, count };
        let out_of_memory = DeviceError::OutOfMemory {
            device: "cuda:1".into(),
            during: "the design matrix".into(),
            needed: 3 << 30,
            free: 1 << 29,
        };
        for (error, start) in [
            (
                DeviceError::UndefinedScore(alone),
                "score of column 3 is not a number",
            ),
            (
                no_such_device(2),
                "cuda:9 does not exist: devices are cuda:0 to cuda:1",
            ),
            (
                no_such_device(1),
                "cuda:9 does not exist: the only device is cuda:0",
            ),
            (
                out_of_memory,
                "cuda:1 has too little memory: the design matrix needs 3.0 GiB, 512.0 MiB are free; ",
            ),
        ] {
            let message = error.to_string();
            assert!(message.starts_with(start), "{message}");
            assert!(start.ends_with("; ") || message == start, "{message}");
        }
        let both = undefined(Some(7), ScoreFault::Panicked("index 2".to_owned()));
        assert_eq!(
            both.describe(|column| format!("`x{column}`")),
            "score of `x3` and `x7` could not be computed: index 2"
        );
    }
}
