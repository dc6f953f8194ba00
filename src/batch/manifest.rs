//! Everything that shapes a result: a result with another manifest is out of date.

use std::{
    collections::{BTreeMap, HashMap},
    fs::File,
    io,
    path::{Path, PathBuf, absolute},
    time::SystemTime,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    interrupt::{Interrupt, Interrupted},
    job::{Task, file::PlannedJob},
    sha256,
};

/// Options that do not change the result.
pub(super) const WITHOUT_EFFECT: &[&str] = &[
    "threads",
    "device",
    "precision",
    "over",
    "memory-limit",
    "scratch",
    "timeout",
    "output",
    "trace",
    "matrix",
    "format",
    "plugins",
];

/// Everything that shaped a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Manifest {
    passel: String,
    pub(super) job: String,
    command: String,
    /// The data file, relative to the folder of the job file.
    pub(super) data: String,
    /// Every file that the job read.
    inputs: Vec<InputFile>,
    /// The options that were given and shape the result.
    options: BTreeMap<String, Vec<String>>,
    seed: u64,
    /// The kinds of device it was computed on, which do not change the result.
    #[serde(default)]
    pub(super) devices: Value,
}

/// A file and the hash of its contents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct InputFile {
    /// Its path relative to the folder of the job file; of plugins, the file name alone.
    path: String,
    bytes: u64,
    /// Its SHA-256, in hexadecimal digits.
    sha256: String,
}

impl Manifest {
    /// The manifest that a job's result would have now; `folder` is that of the job file.
    pub(super) fn of(
        planned: &PlannedJob,
        folder: &Path,
        hashes: &mut FileHashes,
    ) -> Result<Self, String> {
        let job = planned.task.job();
        let mut inputs = Vec::new();
        for path in job.input_files() {
            let name = relative_path(&path, folder);
            inputs.push(hashes.hash(&path)?.named(name));
        }
        // Plugins are known by name: the same one may be installed elsewhere.
        for path in &job.libraries {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            inputs.push(hashes.hash(path)?.named(name.into_owned()));
        }
        let options = planned.options.iter();
        let shaping = options.filter(|(name, _)| !WITHOUT_EFFECT.contains(name));
        Ok(Self {
            passel: env!("CARGO_PKG_VERSION").to_owned(),
            job: planned.id.clone(),
            command: planned.task.command().name().to_owned(),
            data: relative_path(&job.data, folder),
            inputs,
            options: shaping
                .map(|(name, texts)| ((*name).to_owned(), texts.clone()))
                .collect(),
            seed: job.pass.seed,
            devices: Value::Null,
        })
    }

    /// Describes the first difference to `new` that changes the result; `None` if there is none.
    pub(super) fn difference(&self, new: &Self) -> Option<String> {
        let changed = |what: &str, old: &str, new: &str| {
            (old != new).then(|| format!("{what}: {old} → {new}"))
        };
        let option = || {
            let mut names = self.options.keys().chain(new.options.keys());
            let name = names.find(|name| self.options.get(*name) != new.options.get(*name))?;
            let [old, new] = [self, new].map(|manifest| match manifest.options.get(name) {
                Some(texts) => texts.join(","),
                None => "not given".to_owned(),
            });
            Some(format!("{name}: {old} → {new}"))
        };
        let file = || {
            let mut files = self.inputs.iter().zip(&new.inputs);
            files.find_map(|(old, new)| {
                let moved = changed("file", &old.path, &new.path);
                moved.or_else(|| (old != new).then(|| format!("{} has changed", new.path)))
            })
        };
        let has_others = self.inputs.len() != new.inputs.len();
        changed("passel", &self.passel, &new.passel)
            .or_else(|| changed("command", &self.command, &new.command))
            .or_else(option)
            .or_else(|| changed("data", &self.data, &new.data))
            .or_else(file)
            .or_else(|| changed("seed", &self.seed.to_string(), &new.seed.to_string()))
            .or_else(|| has_others.then(|| "it reads other files".to_owned()))
    }
}

/// The hashes of files that jobs read, each computed once.
#[derive(Debug)]
pub(super) struct FileHashes {
    known: HashMap<PathBuf, FileHash>,
    interrupt: Interrupt,
}

#[derive(Debug, Clone)]
struct FileHash {
    bytes: u64,
    sha256: String,
    modified: Option<SystemTime>,
}

impl FileHash {
    fn named(self, path: String) -> InputFile {
        InputFile {
            path,
            bytes: self.bytes,
            sha256: self.sha256,
        }
    }
}

impl FileHashes {
    /// No hashes yet; `interrupt` ends the hashing of a large file.
    pub(super) fn new(interrupt: &Interrupt) -> Self {
        Self {
            known: HashMap::new(),
            interrupt: interrupt.clone(),
        }
    }

    fn hash(&mut self, path: &Path) -> Result<FileHash, String> {
        if let Some(known) = self.known.get(path) {
            return Ok(known.clone());
        }
        let hash = hash_file(path, &self.interrupt);
        let hash = hash.map_err(|reason| format!("cannot read {}: {reason}", path.display()))?;
        self.known.insert(path.to_owned(), hash.clone());
        Ok(hash)
    }

    /// The present hash of a file that a job wrote, under the name of its option; `None` if it
    /// cannot be read.
    ///
    /// # Errors
    /// An interrupt ended the hashing, which says nothing of the file.
    pub(super) fn hash_output(
        &self,
        path: &Path,
        option: &str,
    ) -> Result<Option<InputFile>, Interrupted> {
        match hash_file(path, &self.interrupt) {
            Ok(hash) => Ok(Some(hash.named(option.to_owned()))),
            Err(error) if is_interrupted(&error) => Err(Interrupted),
            Err(_) => Ok(None),
        }
    }

    /// Checks that the files that a task reads have not changed since they were hashed.
    pub(super) fn check_unchanged(&self, task: &Task) -> Result<(), PathBuf> {
        let job = task.job();
        for path in job.input_files().iter().chain(&job.libraries) {
            let Some(known) = self.known.get(path) else {
                continue;
            };
            let is_same = path
                .metadata()
                .is_ok_and(|now| now.len() == known.bytes && now.modified().ok() == known.modified);
            if !is_same {
                return Err(path.clone());
            }
        }
        Ok(())
    }
}

/// The SHA-256 of a file, in hexadecimal digits.
pub(crate) fn sha256(path: &Path) -> io::Result<String> {
    Ok(hash_file(path, &Interrupt::default())?.sha256)
}

/// A path relative to a folder if it is inside, else absolute; both may be given either way.
pub(super) fn relative_path(path: &Path, folder: &Path) -> String {
    let whole = |path: &Path| absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = match folder.as_os_str().is_empty() {
        true => whole(Path::new(".")),
        false => whole(folder),
    };
    let path = whole(path);
    let short = path.strip_prefix(&folder).unwrap_or(&path);
    short.to_string_lossy().into_owned()
}

fn is_interrupted(error: &io::Error) -> bool {
    error
        .get_ref()
        .is_some_and(|cause| cause.is::<Interrupted>())
}

fn hash_file(path: &Path, interrupt: &Interrupt) -> io::Result<FileHash> {
    if !path.metadata()?.is_file() {
        // A pipe can be read only once, and the job has to read it.
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    let (bytes, sha256) = sha256::of_opened(&mut file, interrupt)?;
    Ok(FileHash {
        bytes,
        sha256,
        modified: metadata.modified().ok(),
    })
}
