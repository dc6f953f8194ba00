//! The file in which a search keeps its state, and in a second line what a page draws of it.

use std::{
    error::Error,
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::RunError;
use crate::{
    device::DeviceError,
    fnv::Fnv,
    job::Job,
    output::{OutputError, OutputFile, Replaces},
    presentation::Curves,
    ranks::Communicator,
    search::{Checkpoint, CheckpointError},
    selector::SelectorError,
};

/// The longest file that is read, in bytes: 65,536 particles of 2,000 variables.
const LONGEST: u64 = 1 << 30;

/// What lies in the file, if it is there; whether the file can be written is found before
/// any work is done. Of ranks the first looks, and tells the others.
pub(super) fn open(
    path: &Path,
    communicator: Option<&Communicator>,
) -> Result<Option<(Checkpoint, Option<Curves>)>, RunError> {
    let text = match communicator {
        None => opened(path)?,
        Some(communicator) => {
            let own = communicator.is_root().then(|| opened(path)).transpose()?;
            let told = communicator.broadcast_first(|| own.flatten());
            told.map_err(DeviceError::from)?
        }
    };
    let saved = text.map(|text| read(&text)).transpose();
    saved.map_err(|source| refused(path, source))
}

/// The second line of a checkpoint.
#[derive(Serialize, Deserialize)]
struct Drawn<'a> {
    #[serde(borrow)]
    curves: &'a RawValue,
    /// A checksum of the text of the curves.
    checksum: &'a str,
}

fn checksum(curves: &RawValue) -> String {
    let hash = Fnv::new().part(curves.get().as_bytes());
    format!("{:032x}", hash.finish())
}

/// The text of a checkpoint whose search a page is to draw: the state, and the course of the search until
/// then or a few iterations later.
pub(super) fn with_curves(
    text: &str,
    curves: &Curves,
) -> Result<String, Box<dyn Error + Send + Sync>> {
    let curves = serde_json::value::to_raw_value(curves)?;
    let drawn = Drawn {
        curves: &curves,
        checksum: &checksum(&curves),
    };
    Ok(format!("{text}{}\n", serde_json::to_string(&drawn)?))
}

fn read(text: &str) -> Result<(Checkpoint, Option<Curves>), CheckpointError> {
    let (state, drawn) = text.split_once('\n').unwrap_or((text, ""));
    let checkpoint = Checkpoint::read(state)?;
    let curves = (!drawn.is_empty()).then(|| read_curves(drawn).ok_or(CheckpointError::Damaged));
    Ok((checkpoint, curves.transpose()?))
}

fn read_curves(line: &str) -> Option<Curves> {
    let drawn: Drawn = serde_json::from_str(line).ok()?;
    let is_whole = drawn.checksum == checksum(drawn.curves);
    serde_json::from_str(drawn.curves.get())
        .ok()
        .filter(|_| is_whole)
}

pub(super) fn refused(path: &Path, source: CheckpointError) -> RunError {
    RunError::Checkpoint {
        path: path.to_owned(),
        source,
    }
}

fn opened(path: &Path) -> Result<Option<String>, RunError> {
    let known = path.metadata().ok();
    if known.is_some_and(|facts| !facts.is_dir() && (!facts.is_file() || facts.len() > LONGEST)) {
        // A pipe, to open which may take for ever, or a device.
        return Err(refused(path, CheckpointError::Foreign));
    }
    // Left without a commit, this changes nothing. What is no checkpoint is refused by its content.
    OutputFile::create(path, Replaces::AnyFile)?;
    let text = File::open(path).and_then(|file| io::read_to_string(file.take(LONGEST)));
    text.map(Some).or_else(|source| match source.kind() {
        io::ErrorKind::NotFound => Ok(None),
        io::ErrorKind::InvalidData => Err(refused(path, CheckpointError::Foreign)),
        _ => Err(RunError::Unread {
            path: path.to_owned(),
            source,
        }),
    })
}

/// Removes what is of no more use; of a link what it leads to, as it was written.
pub(super) fn remove(path: PathBuf) -> Result<(), OutputError> {
    match path.canonicalize().and_then(fs::remove_file) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(OutputError::place(&path, source))
        }
        _ => Ok(()),
    }
}

/// What writes the checkpoints of a job, on the rank that writes.
pub(super) fn writer(
    job: &Job,
) -> impl FnMut(&str) -> Result<(), Box<dyn Error + Send + Sync>> + Send + '_ {
    let path = job.checkpoint.as_deref().unwrap_or(Path::new(""));
    move |text| match job.resources.is_root() {
        true => write(path, text.as_bytes()),
        false => Ok(()),
    }
}

/// The error of a job whose selector could not begin, or not go on from its checkpoint.
pub(super) fn of_selector(job: &Job, error: SelectorError) -> RunError {
    match (error, &job.checkpoint) {
        (SelectorError::Checkpoint(source), Some(path)) => refused(path, source),
        (error, _) => error.into(),
    }
}

/// Puts a state in the place of the one before it.
pub(super) fn write(path: &Path, text: &[u8]) -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut file = OutputFile::create(path, Replaces::Checkpoint)?;
    file.write_all(text)?;
    Ok(file.commit()?)
}
