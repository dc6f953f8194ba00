//! The folder of results: one file per job, written whole or not at all, by one process at a time.

use std::{
    collections::{HashMap, HashSet},
    fs::{self, File, OpenOptions, TryLockError},
    path::{Path, PathBuf},
};

use serde::{
    Deserialize, Serialize,
    de::{DeserializeOwned, IgnoredAny},
};
use serde_json::Value;

use super::{
    BatchError,
    manifest::{InputFile, Manifest},
    times::{self, EndedJob, LastEnd},
};
use crate::{
    fnv::Fnv,
    output::{OutputError, OutputFile},
};

/// The file that a process locks while it runs jobs into the folder. The system releases the lock
/// however the process ends.
const LOCK: &str = ".lock";

/// The subfolder of results that are being written, and of checkpoints. It holds nothing else.
const WORK: &str = ".work";

/// Follows the name of a failed job in the file of what it found. No job's name ends like this.
const PARTIAL: &str = "~partial";

/// Follows the name of a job in the file that lists the hashes of its other output files.
const OUTPUTS: &str = "~files";

/// The file to which each job that ends is appended, with its times.
const TIMES: &str = "times.csv";

/// A folder of results that belongs to this process or to its ranks.
#[derive(Debug)]
pub(super) struct ResultFolder {
    path: PathBuf,
    /// Holds the lock; `None` where rank 0 holds it.
    _lock: Option<File>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StoredResult {
    pub(super) manifest: Manifest,
    /// The report, without its times.
    pub(super) result: Value,
}

impl ResultFolder {
    /// Creates the folder if it is not there, and locks it.
    ///
    /// # Errors
    /// The folder cannot be written to, or another process has locked it.
    pub(super) fn open(path: &Path) -> Result<Self, BatchError> {
        let shown = path.display();
        let unwritable =
            |reason| BatchError::Refused(format!("cannot write to the folder {shown}: {reason}"));
        fs::create_dir_all(path).map_err(unwritable)?;
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let lock = options.open(path.join(LOCK)).map_err(unwritable)?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => BatchError::Refused(format!(
                "another passel runs jobs into {shown}; wait for it, or name another folder with \
                 --output"
            )),
            TryLockError::Error(reason) => unwritable(reason),
        })?;
        let work = path.join(WORK);
        fs::create_dir_all(&work).map_err(unwritable)?;
        // Files that a killed process left half-written.
        for entry in fs::read_dir(&work).map_err(unwritable)?.flatten() {
            if entry.file_name().to_string_lossy().starts_with(".passel-") {
                let _ = fs::remove_file(entry.path());
            }
        }
        times::prepare(&path.join(TIMES), &work).map_err(unwritable)?;
        Ok(Self {
            path: path.to_owned(),
            _lock: Some(lock),
        })
    }

    /// A folder that rank 0 has opened and locked.
    pub(super) fn opened_by_root(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            _lock: None,
        }
    }

    pub(super) fn exists(&self) -> bool {
        self.path.join(WORK).is_dir()
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the result of a job and the hashes of its other output files.
    ///
    /// # Errors
    /// The result cannot be written; then none of it is there.
    pub(super) fn write(
        &self,
        stored: &StoredResult,
        outputs: &[InputFile],
    ) -> Result<(), OutputError> {
        let id = &stored.manifest.job;
        if !outputs.is_empty() {
            self.write_json(&json_path(&self.path, id, OUTPUTS), &outputs)?;
        }
        self.write_json(&json_path(&self.path, id, ""), stored)?;
        for obsolete in [
            json_path(&self.path, id, PARTIAL),
            self.checkpoint(&stored.manifest),
        ] {
            let _ = fs::remove_file(obsolete);
        }
        Ok(())
    }

    /// Writes what a failed job had found; returns the path of that file.
    pub(super) fn write_partial(&self, stored: &StoredResult) -> Result<PathBuf, OutputError> {
        let path = json_path(&self.path, &stored.manifest.job, PARTIAL);
        self.write_json(&path, stored)?;
        Ok(path)
    }

    /// The path of the checkpoint of a job with this manifest. Jobs with different manifests have
    /// different checkpoints.
    pub(super) fn checkpoint(&self, manifest: &Manifest) -> PathBuf {
        self.path.join(WORK).join(checkpoint_name(manifest))
    }

    /// Removes all checkpoints but those of jobs with these manifests.
    pub(super) fn remove_checkpoints_except<'a>(
        &self,
        pending: impl Iterator<Item = &'a Manifest>,
    ) {
        let kept: HashSet<String> = pending.map(checkpoint_name).collect();
        let entries = fs::read_dir(self.path.join(WORK)).into_iter().flatten();
        for entry in entries.flatten() {
            if !kept.contains(&*entry.file_name().to_string_lossy()) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    fn write_json(&self, path: &Path, contents: &impl Serialize) -> Result<(), OutputError> {
        let file = OutputFile::create_staged(path, Some(&self.path.join(WORK)))?;
        let text = serde_json::to_vec_pretty(contents);
        let mut text = text.map_err(|error| file.write_error(error.into()))?;
        text.push(b'\n');
        file.finish(&text)
    }

    /// Adds a job that has ended to the table of times.
    pub(super) fn append_times(&self, ended: &EndedJob) {
        // Times are no part of a result: a line that is lost does no harm.
        let _ = times::append(&self.path.join(TIMES), ended);
    }

    /// How each job ended the last time, by its name.
    pub(super) fn last_ends(&self) -> HashMap<String, LastEnd> {
        last_ends(&self.path)
    }

    /// The stems of JSON files that belong to none of these jobs, in order.
    pub(super) fn orphans(&self, jobs: &HashSet<&str>) -> Vec<String> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let stems = names.filter_map(|name| name.strip_suffix(".json").map(str::to_owned));
        let is_orphan = |stem: &String| {
            let job = stem.strip_suffix(PARTIAL).or(stem.strip_suffix(OUTPUTS));
            let job = job.unwrap_or(stem);
            !job.starts_with('.') && !jobs.contains(job)
        };
        let mut orphans: Vec<String> = stems.filter(is_orphan).collect();
        orphans.sort();
        orphans
    }
}

impl Drop for ResultFolder {
    fn drop(&mut self) {
        // This fails, as it should, while checkpoints are in it.
        let _ = fs::remove_dir(self.path.join(WORK));
    }
}

/// How each job of a folder ended the last time, by its name.
pub(super) fn last_ends(folder: &Path) -> HashMap<String, LastEnd> {
    times::last_ends(&folder.join(TIMES))
}

fn checkpoint_name(manifest: &Manifest) -> String {
    let mut manifest = manifest.clone();
    // The devices are not known before the job has ended.
    manifest.devices = Value::Null;
    let text = serde_json::to_vec(&manifest).unwrap_or_default();
    format!("{:032x}.json", Fnv::new().part(&text).finish())
}

/// The file of a job's result, or of what follows its name.
fn json_path(folder: &Path, id: &str, suffix: &str) -> PathBuf {
    folder.join(format!("{id}{suffix}.json"))
}

/// The manifest of a job's result; `None` if there is no result, or an unreadable one. The report
/// is not parsed.
pub(super) fn read_manifest(folder: &Path, id: &str) -> Option<Manifest> {
    #[derive(Deserialize)]
    struct Head {
        manifest: Manifest,
        #[serde(rename = "result")]
        _result: IgnoredAny,
    }
    read_json(&json_path(folder, id, "")).map(|head: Head| head.manifest)
}

/// The other files that a job wrote, each under the name of its option, as they were then.
pub(super) fn read_output_hashes(folder: &Path, id: &str) -> Vec<InputFile> {
    read_json(&json_path(folder, id, OUTPUTS)).unwrap_or_default()
}

/// The result of a job; `None` if there is none, or an unreadable one.
pub(super) fn read_result(folder: &Path, id: &str) -> Option<Value> {
    read_json(&json_path(folder, id, "")).map(|stored: StoredResult| stored.result)
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}
