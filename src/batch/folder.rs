//! The folder of results: one file per job, written whole or not at all, by one process at a time.

use std::{
    collections::{HashMap, HashSet},
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
};

use serde::{
    Deserialize, Serialize,
    de::{DeserializeOwned, IgnoredAny},
};
use serde_json::Value;

use super::{
    BatchError,
    lock::{LOCK, lock_exclusively},
    manifest::{InputFile, Manifest},
    times::{self, EndedJob, LastEnd},
};
use crate::{
    fnv::Fnv,
    output::{OutputError, OutputFile, Replaces, sweep},
    sha256,
    whole_file::read_regular,
};

/// The file in which rank 0 says how its run stands; further ranks have one each, with `-RANK`. It is no
/// part of the results, and differs from run to run.
pub(super) const STATUS: &str = ".status";

/// The subfolder of results that are being written, and of checkpoints. It holds nothing else.
const WORK: &str = ".work";

/// Follows the name of a failed job in the file of what it found. No job's name ends like this.
const PARTIAL: &str = "~partial";

/// Follows the name of a job in the file that lists the hashes of its other output files.
const OUTPUTS: &str = "~files";

/// The file to which each job that ends is appended, with its times.
const TIMES: &str = "times.csv";

/// The tables and the page of a run.
pub(super) const TABLES: [&str; 9] = [
    "jobs.csv",
    "results.csv",
    "pairs.csv",
    "errors.csv",
    "report.html",
    "jobs.parquet",
    "results.parquet",
    "pairs.parquet",
    "errors.parquet",
];

/// A folder of results that belongs to this process or to its ranks.
#[derive(Debug)]
pub(super) struct ResultFolder {
    path: PathBuf,
    /// Whether files that passel did not write may be replaced.
    overwrite: bool,
    /// Holds the lock; `None` where rank 0 holds it.
    lock: Option<File>,
}

/// Why there is no result to believe.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum NoResult {
    /// There is no file.
    Missing,
    /// The file is not as it was written; the text says in what.
    Damaged(String),
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StoredResult {
    pub(super) manifest: Manifest,
    /// The report, without its times.
    pub(super) result: Value,
}

impl ResultFolder {
    /// Creates the folder if it is not there, and locks it. Nothing in it is changed before it is locked.
    ///
    /// # Errors
    /// The folder cannot be written to, another process has locked it, or a file in the place of a
    /// table is not passel's and may not be overwritten.
    pub(super) fn open(path: &Path, overwrite: bool) -> Result<Self, BatchError> {
        let shown = path.display();
        let is_foreign = |name: &str, kind: Replaces| {
            let path = path.join(name);
            path.exists() && !kind.or_any(overwrite).allows(&path)
        };
        let tables = TABLES.into_iter().map(|name| (name, Replaces::Table));
        let mut own = tables.chain([(TIMES, Replaces::Times)]);
        if let Some((name, _)) = own.find(|(name, kind)| is_foreign(name, *kind)) {
            return Err(BatchError::Refused(format!(
                "{} is not a file that passel wrote, and a run into {shown} would replace it; name \
                 another folder with --output, move the file away, or replace it with --overwrite",
                path.join(name).display()
            )));
        }
        let unwritable =
            |reason| BatchError::Refused(format!("cannot write to the folder {shown}: {reason}"));
        if path.is_symlink() && !path.exists() {
            let reason = "it is a link that leads nowhere; remove it, or make what it leads to";
            return Err(unwritable(io::Error::other(reason)));
        }
        fs::create_dir_all(path).map_err(unwritable)?;
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let lock = options.open(path.join(LOCK)).map_err(unwritable)?;
        lock_exclusively(&lock).map_err(|error| match error {
            TryLockError::WouldBlock => BatchError::Refused(format!(
                "another passel runs jobs into {shown}; wait for it, or name another folder with \
                 --output"
            )),
            TryLockError::Error(reason) => unwritable(reason),
        })?;
        let work = path.join(WORK);
        fs::create_dir_all(&work).map_err(unwritable)?;
        // Files that a killed process left half-written.
        sweep(&work, true);
        sweep(path, true);
        let replaces = Replaces::Times.or_any(overwrite);
        times::prepare(&path.join(TIMES), &work, replaces).map_err(unwritable)?;
        Ok(Self {
            path: path.to_owned(),
            overwrite,
            lock: Some(lock),
        })
    }

    /// A folder that rank 0 has opened and locked.
    pub(super) fn opened_by_root(path: &Path, overwrite: bool) -> Self {
        Self {
            path: path.to_owned(),
            overwrite,
            lock: None,
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
            let path = json_path(&self.path, id, OUTPUTS);
            self.write_json(&path, Replaces::FileList, &outputs)?;
        }
        let path = json_path(&self.path, id, "");
        self.write_json(&path, Replaces::Result, stored)?;
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
        self.write_json(&path, Replaces::Result, stored)?;
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
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if is_checkpoint(&name) && !kept.contains(&*name) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Creates a file of the run's own, with its temporary file where no user looks.
    pub(super) fn create(&self, path: &Path, kind: Replaces) -> Result<OutputFile, OutputError> {
        let work = self.path.join(WORK);
        OutputFile::create_staged(path, kind.or_any(self.overwrite), Some(&work))
    }

    /// Writes a file of this kind; a result ends with the checksum of all before it.
    fn write_json(
        &self,
        path: &Path,
        kind: Replaces,
        contents: &impl Serialize,
    ) -> Result<(), OutputError> {
        let file = self.create(path, kind)?;
        let text = serde_json::to_vec_pretty(contents);
        let mut text = text.map_err(|error| file.write_error(error.into()))?;
        match kind {
            Replaces::Result => sha256::seal(&mut text),
            _ => text.push(b'\n'),
        }
        file.finish(&text)
    }

    /// Checks that the result of a job can be written, before it is worked for.
    ///
    /// # Errors
    /// A file in its place is not passel's.
    pub(super) fn check_place(&self, id: &str) -> Result<(), OutputError> {
        let kinds = [("", Replaces::Result), (OUTPUTS, Replaces::FileList)];
        let mut kinds = kinds.into_iter();
        kinds.try_for_each(|(suffix, kind)| {
            let path = json_path(&self.path, id, suffix);
            self.create(&path, kind).map(drop)
        })
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
            let job = job_of_stem(stem);
            !job.starts_with('.') && !jobs.contains(job)
        };
        let mut orphans: Vec<String> = stems.filter(is_orphan).collect();
        orphans.sort();
        orphans
    }
}

impl Drop for ResultFolder {
    fn drop(&mut self) {
        // Without the lock it may be another process's.
        if self.lock.is_some() {
            // This fails, as it should, while checkpoints are in it.
            let _ = fs::remove_dir(self.path.join(WORK));
        }
    }
}

/// How each job of a folder ended the last time, by its name.
pub(super) fn last_ends(folder: &Path) -> HashMap<String, LastEnd> {
    times::last_ends(&folder.join(TIMES))
}

/// The files of a folder that a run of these jobs writes, if they exist.
pub(super) fn own_files(folder: &Path, jobs: &HashSet<&str>) -> Vec<PathBuf> {
    let is_own = |name: &str| {
        let stem = name.strip_suffix(".json").map(job_of_stem);
        let is_table = TABLES.contains(&name) || [LOCK, TIMES].contains(&name);
        is_table || name.starts_with(STATUS) || stem.is_some_and(|job| jobs.contains(job))
    };
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let tables = entries(folder).filter(|entry| entry.file_name().to_str().is_some_and(is_own));
    let all = tables.chain(entries(&folder.join(WORK)));
    all.map(|entry| entry.path()).collect()
}

/// The job that a JSON file belongs to, by its name without ending.
fn job_of_stem(stem: &str) -> &str {
    let job = stem.strip_suffix(PARTIAL).or(stem.strip_suffix(OUTPUTS));
    job.unwrap_or(stem)
}

fn checkpoint_name(manifest: &Manifest) -> String {
    let mut manifest = manifest.clone();
    // The devices are not known before the job has ended.
    manifest.devices = Value::Null;
    let text = serde_json::to_vec(&manifest).unwrap_or_default();
    format!("{:032x}.json", Fnv::new().part(&text).finish())
}

/// Whether a file in the folder of checkpoints has the name of one.
fn is_checkpoint(name: &str) -> bool {
    let stem = name.strip_suffix(".json").unwrap_or_default();
    stem.len() == 32 && stem.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The file of a job's result, or of what follows its name.
fn json_path(folder: &Path, id: &str, suffix: &str) -> PathBuf {
    folder.join(format!("{id}{suffix}.json"))
}

/// The manifest of a job's result, whose report is not parsed.
pub(super) fn read_manifest(folder: &Path, id: &str) -> Result<Manifest, NoResult> {
    #[derive(Deserialize)]
    struct Head {
        manifest: Manifest,
        #[serde(rename = "result")]
        _result: IgnoredAny,
    }
    read_sealed(folder, id).map(|head: Head| head.manifest)
}

/// The other files that a job wrote, each under the name of its option, as they were then.
pub(super) fn read_output_hashes(folder: &Path, id: &str) -> Vec<InputFile> {
    read_json(&json_path(folder, id, OUTPUTS)).unwrap_or_default()
}

/// The result of a job.
pub(super) fn read_result(folder: &Path, id: &str) -> Result<Value, NoResult> {
    read_sealed(folder, id).map(|stored: StoredResult| stored.result)
}

/// What is stored of a job, if it is as it was written.
fn read_sealed<T: DeserializeOwned>(folder: &Path, id: &str) -> Result<T, NoResult> {
    let damaged = |reason: String| NoResult::Damaged(reason);
    let text = read_regular(&json_path(folder, id, "")).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => NoResult::Missing,
        _ => damaged(format!("its result cannot be read: {error}")),
    })?;
    sha256::check_seal(&text)
        .map_err(|reason| damaged(format!("its result is damaged: {reason}")))?;
    let stored = serde_json::from_slice(&text);
    stored.map_err(|error| damaged(format!("its result is of another form: {error}")))
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&read_regular(path).ok()?).ok()
}
