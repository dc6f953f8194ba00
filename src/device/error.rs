//! What can go wrong with a device.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a device cannot do its work.
///
/// Every field is plain data: telling an error needs no library of CUDA, so it can be
/// told where none is.
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
    /// A library is of a newer CUDA than the driver, or does not know the card.
    #[error("CUDA cannot be used: {reason}")]
    Incompatible {
        /// What does not fit, and what to do.
        reason: String,
    },
    /// Another process of the same work.
    #[error("the ranks cannot go on together: {reason}")]
    Ranks {
        /// What the one that looked for it saw.
        reason: String,
    },
    /// The driver is there, a GPU it can use is not.
    #[error("no GPU can be used: {reason}")]
    NoDevice {
        /// What the driver said, and what to do.
        reason: String,
    },
    /// There is no device of that number.
    #[error("cuda:{asked} does not exist: {}", there_are(*count))]
    NoSuchDevice {
        /// The number asked for.
        asked: usize,
        /// How many there are.
        count: usize,
    },
    /// A plugin's function in CUDA C does not compile.
    #[error(
        "{name}.cu does not compile for {architecture}; it is to define `__device__ double \
         passel_value(const double *values, const unsigned *counts, unsigned x, unsigned w, \
         unsigned y)`:\n{log}"
    )]
    PluginCompile {
        /// Its method.
        name: String,
        /// As in `sm_90a`.
        architecture: String,
        /// What the compiler said.
        log: String,
    },
    /// A kernel does not compile: a defect of passel or of the compiler.
    #[error("kernel {kernel} does not compile for {architecture}; please report this:\n{log}")]
    Compile {
        /// The stem of its file.
        kernel: String,
        /// As in `sm_90a`.
        architecture: String,
        /// What the compiler said.
        log: String,
    },
    /// The memory of the device does not suffice.
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
        /// The step that asked.
        during: String,
        /// Bytes asked for.
        needed: u64,
        /// Bytes free then.
        free: u64,
    },
    /// The device failed in its work: lost, or a fault in a kernel.
    #[error("{device} failed during {during}: {reason}")]
    Failed {
        /// As in `cuda:0`.
        device: String,
        /// The kernel or step.
        during: String,
        /// What the driver said.
        reason: String,
    },
    /// The table of a column gave no score.
    #[error("{}", .0.describe(|column| format!("column {column}")))]
    UndefinedScore(UndefinedScore),
}

/// Why the table of a column, or of two, gave no score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndefinedScore {
    /// The column, from 0 among the candidates.
    pub column: u32,
    /// The other of a pair.
    pub other: Option<u32>,
    /// What is wrong.
    pub reason: ScoreFault,
}

/// What is wrong with a table or with what was made of it.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum ScoreFault {
    /// The score's code gave NaN.
    #[error("is not a number")]
    NotANumber,
    /// The score's code gave +∞.
    #[error("is infinite")]
    Infinite,
    /// The score's code panicked.
    #[error("could not be computed: {0}")]
    Panicked(String),
    /// The whole table has more cells than are counted.
    #[error(
        "needs a table of {cells} cells, and {most} are the most that are counted; make fewer \
         levels, with --binning equal-frequency:5, say"
    )]
    TooManyCells {
        /// How many.
        cells: u128,
        /// At most.
        most: usize,
    },
}

impl UndefinedScore {
    /// The message, with columns as they are to be called.
    pub fn describe(&self, name: impl Fn(u32) -> String) -> String {
        let column = name(self.column);
        let whose = match self.other {
            Some(other) => format!("{column} and {}", name(other)),
            None => column,
        };
        format!("score of {whose} {}", self.reason)
    }
}

impl DeviceError {
    /// What became of a message to the other ranks.
    pub(crate) fn from_rank_error(error: std::io::Error) -> Self {
        Self::Ranks {
            reason: error.to_string(),
        }
    }
}

fn there_are(count: usize) -> String {
    match count {
        0 => "there is no CUDA device".to_owned(),
        1 => "the only device is cuda:0".to_owned(),
        _ => format!("devices are cuda:0 to cuda:{}", count - 1),
    }
}

/// A number of bytes in the unit that reads best: `1.5 GiB`, `12.0 MiB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const KIB: f64 = 1024.0;
        let bytes = self.0 as f64;
        let units = [("GiB", KIB * KIB * KIB), ("MiB", KIB * KIB), ("KiB", KIB)];
        // 1,023.96 MiB would be rounded to 1024.0 of them.
        match units.iter().find(|(_, size)| bytes >= size * 0.9999) {
            Some((unit, size)) => write!(f, "{:.1} {unit}", bytes / size),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_score_is_told_by_number_or_by_name() {
        let unscored = |beside, reason| UndefinedScore {
            column: 3,
            other: beside,
            reason,
        };
        let alone = unscored(None, ScoreFault::NotANumber);
        assert_eq!(
            DeviceError::UndefinedScore(alone).to_string(),
            "score of column 3 is not a number"
        );
        let both = unscored(Some(7), ScoreFault::Panicked("index 2".to_owned()));
        assert_eq!(
            both.describe(|column| format!("`x{column}`")),
            "score of `x3` and `x7` could not be computed: index 2"
        );
    }

    #[test]
    fn bytes_are_read_in_their_unit() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (1000, "1000 bytes"),
            (1 << 10, "1.0 KiB"),
            (3 << 19, "1.5 MiB"),
            ((1 << 30) - 1, "1.0 GiB"),
            (139 << 30, "139.0 GiB"),
        ] {
            assert_eq!(Bytes(bytes).to_string(), text);
        }
    }

    #[test]
    fn messages_tell_the_fact_and_the_mend() {
        let error = DeviceError::OutOfMemory {
            device: "cuda:1".into(),
            during: "the design matrix".into(),
            needed: 3 << 30,
            free: 1 << 29,
        };
        let text = error.to_string();
        assert!(
            text.starts_with(
                "cuda:1 has too little memory: the design matrix needs 3.0 GiB, \
                 512.0 MiB are free; "
            ),
            "{text}"
        );
        let ordinal = |count| DeviceError::NoSuchDevice { asked: 9, count }.to_string();
        assert_eq!(
            ordinal(2),
            "cuda:9 does not exist: devices are cuda:0 to cuda:1"
        );
        assert_eq!(
            ordinal(1),
            "cuda:9 does not exist: the only device is cuda:0"
        );
    }
}
