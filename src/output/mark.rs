//! What a new file may take the place of: files that passel wrote are known by marks in them.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

use crate::{
    table::{GZIP_COMMENT, MATRIX_HEADER, is_simulated_part},
    whole_file::check_regular,
};

/// Bytes of the beginning and of the end of a file that are looked at.
const HEAD: u64 = 1024;
const TAIL: u64 = 4096;

/// The first fields of CSV reports: of regressions, by several criteria, of rankings, of pairs, of
/// stability selection, of validations.
const CSV_REPORTS: [&str; 6] = [
    "name,index,coefficient,std_error,t,p_value,lower,upper",
    "criterion,name,index,coefficient,std_error,t,p_value,lower,upper",
    "name,index,score,relevance,redundancy,g,df,p_value",
    "a,a_index,b,b_index,score,synergy,p_value",
    "name,index,frequency,count,simultaneous,selected",
    "model,measure,value,std_error",
];

/// The files that a new file may replace: any, or those of one kind that passel wrote. Where there is
/// no file, or an empty one, any kind may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replaces {
    /// Any file: the user has said so.
    AnyFile,
    /// Reports of one job, in any format.
    Report,
    /// Predictions, in any format.
    Predictions,
    /// Traces.
    Trace,
    /// Matrices of pairs.
    Matrix,
    /// Simulated data.
    SimulatedData,
    /// Checkpoints.
    Checkpoint,
    /// Results of jobs, with their manifests.
    Result,
    /// Lists of the other files that a job wrote.
    FileList,
    /// Tables and the page of a run of jobs.
    Table,
    /// The times of jobs.
    Times,
}

impl Replaces {
    /// This kind, or any file if `overwrite` is true.
    pub fn or_any(self, overwrite: bool) -> Self {
        match overwrite {
            true => Self::AnyFile,
            false => self,
        }
    }

    /// Returns true if the file at a path may be replaced; false if it cannot be read, or is no regular
    /// file.
    pub(crate) fn allows(self, path: &Path) -> bool {
        self == Self::AnyFile
            || check_regular(path)
                .and_then(|()| ends(path))
                .is_ok_and(|ends| self.is_known_by(&ends))
            || self == Self::SimulatedData && is_simulated_part(path)
    }

    /// What a message calls files of this kind.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::AnyFile => "a file",
            Self::Report => "a report",
            Self::Predictions => "a file of predictions",
            Self::Trace => "a trace",
            Self::Matrix => "a matrix",
            Self::SimulatedData => "simulated data",
            Self::Checkpoint => "a checkpoint",
            Self::Result => "a result",
            Self::FileList => "a list of files",
            Self::Table => "a table of results",
            Self::Times => "a table of times",
        }
    }

    fn is_known_by(self, (head, tail): &(Vec<u8>, Vec<u8>)) -> bool {
        let starts = |mark: &str| head.starts_with(mark.as_bytes());
        let is_page = || {
            starts("<!doctype html>")
                && contains(head, b"<meta name=\"generator\" content=\"passel ")
        };
        let is_parquet = || starts("PAR1") && contains(tail, b"passel ");
        if head.is_empty() {
            return true;
        }
        match self {
            Self::AnyFile => true,
            Self::Report => {
                is_page()
                    || is_parquet()
                    || starts_as_json(head, "{\"passel\":\"")
                    || CSV_REPORTS.iter().any(|names| starts(names))
                    || ends_with_version(tail)
            }
            Self::Predictions => {
                is_parquet()
                    || starts("predicted_row,")
                    || starts_as_json(head, "{\"passel_predictions\":\"")
                    || starts("predicted_row ") && ends_with_version(tail)
            }
            Self::Trace => {
                let head = "iteration,particle,move,variable,size,criterion,best\n";
                starts(head) || starts(&format!("criterion,{head}"))
            }
            Self::Matrix => is_matrix(head),
            Self::SimulatedData => {
                starts("# passel simulate ")
                    || starts("\x1f") && contains(head, GZIP_COMMENT.as_bytes())
            }
            // Of searches, and of resamples.
            Self::Checkpoint => starts("{\"passel_checkpoint\":") || starts("{\"of\":"),
            Self::Result => starts_as_json(head, "{\"manifest\":{\"passel\":\""),
            Self::FileList => starts_as_json(head, "[{\"path\":\""),
            Self::Table => is_page() || is_parquet() || starts("job,command,data,method,"),
            Self::Times => starts("job,threads,"),
        }
    }
}

/// The beginning and the end of a file.
fn ends(path: &Path) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut file = File::open(path)?;
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    (&mut file).take(HEAD).read_to_end(&mut head)?;
    let bytes = file.metadata()?.len();
    file.seek(SeekFrom::Start(bytes.saturating_sub(TAIL)))?;
    file.take(TAIL).read_to_end(&mut tail)?;
    Ok((head, tail))
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// Whether bytes begin, but for spaces, as `mark`, or are a beginning of it.
fn starts_as_json(bytes: &[u8], mark: &str) -> bool {
    let bytes = bytes.iter().filter(|byte| !byte.is_ascii_whitespace());
    bytes.zip(mark.as_bytes()).all(|(own, mark)| own == mark)
}

/// Whether the last line of a text is `passel VERSION`.
fn ends_with_version(tail: &[u8]) -> bool {
    let line = tail.trim_ascii_end();
    let start = line.iter().rposition(|byte| *byte == b'\n');
    let line = &line[start.map_or(0, |start| start + 1)..];
    let version = line.strip_prefix(b"passel ");
    version.is_some_and(|version| version.first().is_some_and(u8::is_ascii_digit))
}

/// Whether bytes are an `.npy` header of the length that only passel's have.
fn is_matrix(head: &[u8]) -> bool {
    let length = ((MATRIX_HEADER - 10) as u16).to_le_bytes();
    head.starts_with(b"\x93NUMPY\x01\x00") && head.get(8..10) == Some(&length)
}
