//! The folder of results: one file a job, written whole or not at all; one process at a time.

use std::{
    collections::HashSet,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde::{
    Deserialize, Serialize,
    de::{DeserializeOwned, IgnoredAny},
};
use serde_json::Value;
use thiserror::Error;

use super::manifest::{Input, Manifest};
use crate::{
    fnv::Fnv,
    output::{OutputError, OutputFile},
};

/// Locked while a process runs jobs into the folder; the system unlocks it however that ends.
const LOCK: &str = ".lock";

/// Where files are that are not whole yet: results being written, and what searches can go on
/// from. Nothing else is there.
const WORK: &str = ".work";

/// Behind the name of a job that failed, and of what other files one wrote: no name has such a
/// sign there.
const PARTIAL: &str = "~partial";
const FILES: &str = "~files";

/// Where the times of jobs are appended.
const TIMES: &str = "times.csv";

/// Why no job can be run into a folder.
#[derive(Debug, Error)]
pub enum FolderError {
    /// It cannot be made, or not written to.
    #[error("cannot write to the folder {}", path.display())]
    Place {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process is at it.
    #[error("another passel runs jobs into {}; wait for it, or name another folder with --output", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
}

/// A folder that is this process's own.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Holds the lock; none where another rank does.
    _lock: Option<File>,
}

/// A result as it lies in its file.
#[derive(Debug, Serialize, Deserialize)]
pub struct Stored {
    /// What it was made of.
    pub manifest: Manifest,
    /// The report, without the times.
    pub result: Value,
}

/// The same, of which the report is there but not read.
#[derive(Debug, Deserialize)]
pub struct Head {
    /// As of [`Stored`].
    pub manifest: Manifest,
    #[serde(rename = "result")]
    _result: IgnoredAny,
}

/// Seconds that a job took.
#[derive(Debug, Clone, Copy, Default)]
pub struct Times {
    /// Threads that it had.
    pub threads: usize,
    /// To read its data, where they were not read before.
    pub read: f64,
    /// To start its devices.
    pub devices: f64,
    /// To search.
    pub search: f64,
    /// From its start to its end.
    pub total: f64,
}

impl Folder {
    /// Makes the folder where it is not there, and keeps others out.
    ///
    /// # Errors
    /// [`FolderError`].
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let place = |source| FolderError::Place {
            path: path.to_owned(),
            source,
        };
        fs::create_dir_all(path).map_err(place)?;
        let mut open = OpenOptions::new();
        let open = open.read(true).write(true).create(true).truncate(false);
        let lock = open.open(path.join(LOCK)).map_err(place)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(FolderError::Busy {
                    path: path.to_owned(),
                });
            }
            Err(TryLockError::Error(source)) => return Err(place(source)),
        }
        let work = path.join(WORK);
        fs::create_dir_all(&work).map_err(place)?;
        // What a killed process left half-written is nobody's.
        for entry in fs::read_dir(&work).map_err(place)?.flatten() {
            if entry.file_name().to_string_lossy().starts_with(".passel-") {
                let _ = fs::remove_file(entry.path());
            }
        }
        let times = path.join(TIMES);
        if !times.exists() {
            fs::write(times, "job,threads,read,devices,search,total\n").map_err(place)?;
        }
        Ok(Self {
            path: path.to_owned(),
            _lock: Some(lock),
        })
    }

    /// The same folder, which another rank has opened.
    pub fn beside(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            _lock: None,
        }
    }

    /// Whether this machine sees what the one that opened it has made.
    pub fn is_there(&self) -> bool {
        self.path.join(WORK).is_dir()
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where a job's result lies.
    pub fn result(&self, id: &str) -> PathBuf {
        result(&self.path, id)
    }

    /// Writes a result and its times.
    ///
    /// # Errors
    /// The file cannot be written: nothing of it is there then.
    pub fn write(
        &self,
        stored: &Stored,
        files: &[Input],
        times: &Times,
    ) -> Result<(), OutputError> {
        let id = &stored.manifest.job;
        if !files.is_empty() {
            self.put(&self.path.join(format!("{id}{FILES}.json")), &files)?;
        }
        self.put(&self.result(id), stored)?;
        for beside in [self.partial(id), self.checkpoint(&stored.manifest)] {
            let _ = fs::remove_file(beside);
        }
        // They are of no result: a line that is lost is no harm.
        let _ = self.add(id, times);
        Ok(())
    }

    /// Writes what a job that failed found until then.
    ///
    /// # Errors
    /// As [`Folder::write`].
    pub fn write_partial(&self, stored: &Stored) -> Result<PathBuf, OutputError> {
        let path = self.partial(&stored.manifest.job);
        self.put(&path, stored)?;
        Ok(path)
    }

    /// Where a search of this keeps what it can go on from: not where one of anything else does.
    pub fn checkpoint(&self, of: &Manifest) -> PathBuf {
        self.path.join(WORK).join(checkpoint(of))
    }

    /// Removes what searches kept that are none of these.
    pub fn sweep<'a>(&self, open: impl Iterator<Item = &'a Manifest>) {
        let own: HashSet<String> = open.map(checkpoint).collect();
        for entry in fs::read_dir(self.path.join(WORK))
            .into_iter()
            .flatten()
            .flatten()
        {
            if !own.contains(&*entry.file_name().to_string_lossy()) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// No job is called so.
    fn partial(&self, id: &str) -> PathBuf {
        self.path.join(format!("{id}{PARTIAL}.json"))
    }

    fn put(&self, path: &Path, stored: &impl Serialize) -> Result<(), OutputError> {
        let file = OutputFile::create_staged(path, Some(&self.path.join(WORK)))?;
        let text = serde_json::to_vec_pretty(stored);
        let mut text = text.map_err(|error| file.write_error(error.into()))?;
        text.push(b'\n');
        file.finish(&text)
    }

    fn add(&self, id: &str, times: &Times) -> io::Result<()> {
        let path = self.path.join(TIMES);
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        let Times {
            threads,
            read,
            devices,
            search,
            total,
        } = times;
        let line = format!("\"{id}\",{threads},{read:.6},{devices:.6},{search:.6},{total:.6}\n");
        file.write_all(line.as_bytes())
    }

    /// Results that belong to no job, by what they are called, in order.
    pub fn strangers(&self, own: &HashSet<&str>) -> Vec<String> {
        let names = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let names = names.filter_map(|it| it.file_name().into_string().ok());
        let ids = names.filter_map(|it| it.strip_suffix(".json").map(str::to_owned));
        let strange = |id: &String| {
            let beside = id.strip_suffix(PARTIAL).or(id.strip_suffix(FILES));
            let id = beside.unwrap_or(id);
            !id.starts_with('.') && !own.contains(id)
        };
        let mut all: Vec<String> = ids.filter(strange).collect();
        all.sort();
        all
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // If it is empty.
        let _ = fs::remove_dir(self.path.join(WORK));
    }
}

/// What a file of a search is called.
fn checkpoint(of: &Manifest) -> String {
    let of = Manifest {
        // Where it runs is known at the end.
        devices: Value::Null,
        ..of.clone()
    };
    let text = serde_json::to_vec(&of).unwrap_or_default();
    format!("{:032x}.json", Fnv::new().part(&text).finish())
}

/// Where a job's result lies in a folder.
fn result(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.json"))
}

/// What the result of a job in a folder was made of; none where there is none, or none that can
/// be read.
pub fn head(folder: &Path, id: &str) -> Option<Head> {
    read(&result(folder, id))
}

/// Other files that a job wrote, each by its option, as they were then.
pub fn files(folder: &Path, id: &str) -> Vec<Input> {
    read(&folder.join(format!("{id}{FILES}.json"))).unwrap_or_default()
}

/// The result of a job in a folder.
pub fn stored(folder: &Path, id: &str) -> Option<Stored> {
    read(&result(folder, id))
}

/// What lies in a file, if it is there and whole.
fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}
