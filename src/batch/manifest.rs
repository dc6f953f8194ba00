//! What a result was made of: it is out of date where any of this is different.

use std::{
    collections::{BTreeMap, HashMap},
    fs::{File, Metadata},
    io::{self, Read},
    path::{Path, PathBuf, absolute},
    time::SystemTime,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{
    interrupt::Interrupt,
    job::{Task, file::PlannedJob},
};

/// Options that change no result.
pub(super) const WITHOUT_EFFECT: &[&str] = &[
    "threads",
    "device",
    "precision",
    "over",
    "memory-limit",
    "output",
    "trace",
    "matrix",
    "format",
    "plugins",
];

/// What a result was made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of passel.
    pub passel: String,
    /// What the job is called.
    pub job: String,
    /// The command that it stands for.
    pub command: String,
    /// The file of data, as the job file has it.
    pub data: String,
    /// Every file that it reads.
    pub inputs: Vec<Input>,
    /// The options that were given and shape the result.
    pub options: BTreeMap<String, Vec<String>>,
    /// The seed.
    pub seed: u64,
    /// Where it was computed; the result does not depend on it.
    #[serde(default)]
    pub devices: Value,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// Its path, as the job file leads to it.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal digits.
    pub sha256: String,
}

impl Manifest {
    /// What a job's result will be made of.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn of(
        planned: &PlannedJob,
        folder: &Path,
        inputs: &mut Inputs,
    ) -> Result<Self, InputError> {
        let job = planned.task.job();
        let own = |path: &Path| shown(path, folder);
        let (read, libraries) = read_by(&planned.task);
        let mut all = Vec::new();
        for path in read {
            let shown = own(&path);
            all.push(inputs.of(&path)?.called(shown));
        }
        // Wherever they were found.
        for path in libraries {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            all.push(inputs.of(path)?.called(name.into_owned()));
        }
        let shaping = planned
            .options
            .iter()
            .filter(|it| !WITHOUT_EFFECT.contains(&it.0));
        Ok(Self {
            passel: env!("CARGO_PKG_VERSION").to_owned(),
            job: planned.id.clone(),
            command: planned.task.command().name().to_owned(),
            data: own(&job.data),
            inputs: all,
            options: shaping.map(|it| (it.0.to_owned(), it.1.clone())).collect(),
            seed: job.pass.seed,
            devices: Value::Null,
        })
    }

    /// What of it another has otherwise; none where both make the same result.
    pub fn differs(&self, other: &Self) -> Option<String> {
        let changed = |what: &str, from: &str, to: &str| Some(format!("{what}: {from} → {to}"));
        if self.passel != other.passel {
            return changed("passel", &self.passel, &other.passel);
        }
        if self.command != other.command {
            return changed("command", &self.command, &other.command);
        }
        for name in self.options.keys().chain(other.options.keys()) {
            let shown = |it: &Self| match it.options.get(name) {
                Some(texts) => texts.join(","),
                None => "not given".to_owned(),
            };
            if self.options.get(name) != other.options.get(name) {
                return changed(name, &shown(self), &shown(other));
            }
        }
        if self.data != other.data {
            return changed("data", &self.data, &other.data);
        }
        for (own, others) in self.inputs.iter().zip(&other.inputs) {
            if own.path != others.path {
                return changed("file", &own.path, &others.path);
            }
            if own != others {
                return Some(format!("{} has changed", others.path));
            }
        }
        if self.seed != other.seed {
            return changed("seed", &self.seed.to_string(), &other.seed.to_string());
        }
        let same = self.inputs.len() == other.inputs.len();
        (!same).then(|| "it reads other files".to_owned())
    }
}

/// The files that a task reads: data, then libraries.
fn read_by(task: &Task) -> (Vec<PathBuf>, &[PathBuf]) {
    let job = task.job();
    (job.input_files(), &job.libraries)
}

/// A file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}", path.display())]
pub struct InputError {
    /// The file.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// The files read, each hashed once.
#[derive(Debug)]
pub struct Inputs {
    known: HashMap<PathBuf, Known>,
    interrupt: Interrupt,
}

#[derive(Debug, Clone)]
struct Known {
    bytes: u64,
    sha256: String,
    changed: Option<SystemTime>,
}

impl Known {
    fn called(self, path: String) -> Input {
        let Self { bytes, sha256, .. } = self;
        Input {
            path,
            bytes,
            sha256,
        }
    }
}

impl Inputs {
    /// None yet; the end of the work may be asked for while they are read.
    pub fn heeding(interrupt: &Interrupt) -> Self {
        Self {
            known: HashMap::new(),
            interrupt: interrupt.clone(),
        }
    }

    fn of(&mut self, path: &Path) -> Result<Known, InputError> {
        if let Some(known) = self.known.get(path) {
            return Ok(known.clone());
        }
        let known = hashed(path, &self.interrupt).map_err(|source| InputError {
            path: path.to_owned(),
            source,
        })?;
        self.known.insert(path.to_owned(), known.clone());
        Ok(known)
    }

    /// A file that a job wrote by this option, as it is now.
    pub fn anew(&self, path: &Path, option: &str) -> Option<Input> {
        let known = hashed(path, &self.interrupt).ok()?;
        Some(known.called(option.to_owned()))
    }

    /// Whether the files that a task reads are as they were when they were hashed; else the one
    /// that is not.
    pub fn unchanged(&self, task: &Task) -> Result<(), PathBuf> {
        let (read, libraries) = read_by(task);
        for path in read.iter().chain(libraries) {
            let Some(known) = self.known.get(path) else {
                continue;
            };
            let now = path.metadata().ok();
            let same = now.is_some_and(|it| it.len() == known.bytes && time(&it) == known.changed);
            if !same {
                return Err(path.clone());
            }
        }
        Ok(())
    }
}

/// The SHA-256 of a file, in hexadecimal digits.
///
/// # Errors
/// What the system says.
pub fn sha256(path: &Path) -> io::Result<String> {
    Ok(hashed(path, &Interrupt::default())?.sha256)
}

/// A path as it leads from a folder, where it lies there; whichever way the two were told.
pub fn shown(path: &Path, folder: &Path) -> String {
    let whole = |path: &Path| absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = match folder.as_os_str().is_empty() {
        true => whole(Path::new(".")),
        false => whole(folder),
    };
    let path = whole(path);
    let short = path.strip_prefix(&folder).unwrap_or(&path);
    short.to_string_lossy().into_owned()
}

fn time(metadata: &Metadata) -> Option<SystemTime> {
    metadata.modified().ok()
}

fn hashed(path: &Path, interrupt: &Interrupt) -> io::Result<Known> {
    if !path.metadata()?.is_file() {
        // A pipe gives what it has once.
        return Err(io::Error::other("it is no file"));
    }
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    let mut hasher = Sha256::new();
    let mut part = vec![0; 1 << 20];
    let mut bytes = 0;
    loop {
        if interrupt.requested() {
            return Err(io::Error::other("interrupted"));
        }
        match file.read(&mut part)? {
            0 => break,
            count => {
                bytes += count as u64;
                hasher.update(&part[..count]);
            }
        }
    }
    let sum = hasher.finalize();
    Ok(Known {
        bytes,
        sha256: sum.iter().map(|it| format!("{it:02x}")).collect(),
        changed: time(&metadata),
    })
}
