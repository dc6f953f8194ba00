//! What a result was made of: it is out of date where any of this is different.

use std::{
    collections::{BTreeMap, HashMap},
    fs::{File, Metadata},
    io::{self, Read},
    path::{Path, PathBuf},
    time::SystemTime,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{
    binning::Binning,
    job::{Task, file::Planned},
    table::{files, is_npy},
};

/// Options that change no result.
const WITHOUT_EFFECT: &[&str] = &[
    "threads",
    "device",
    "precision",
    "memory-limit",
    "output",
    "trace",
    "matrix",
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
    pub fn of(planned: &Planned, folder: &Path, inputs: &mut Inputs) -> Result<Self, InputError> {
        let job = planned.task.job();
        let own = |path: &Path| {
            let short = path.strip_prefix(folder).unwrap_or(path);
            short.to_string_lossy().into_owned()
        };
        let read = read_by(&planned.task).into_iter().map(|path| {
            let (bytes, sha256) = inputs.of(&path)?;
            let path = own(&path);
            Ok(Input {
                path,
                bytes,
                sha256,
            })
        });
        let shaping = planned
            .options
            .iter()
            .filter(|it| !WITHOUT_EFFECT.contains(&it.0));
        Ok(Self {
            passel: env!("CARGO_PKG_VERSION").to_owned(),
            job: planned.id.clone(),
            command: planned.task.command().name().to_owned(),
            data: own(&job.data),
            inputs: read.collect::<Result<_, _>>()?,
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
            if own != others {
                return Some(format!("{} has changed", others.path));
            }
        }
        let same = self.inputs.len() == other.inputs.len() && self.seed == other.seed;
        (!same).then(|| "it reads other files".to_owned())
    }
}

/// The files that a task reads.
fn read_by(task: &Task) -> Vec<PathBuf> {
    let job = task.job();
    let mut all = files(&job.data);
    // A response is a file where the data are an array.
    let response = job.response.as_ref().filter(|_| is_npy(&job.data));
    all.extend(response.map(PathBuf::from));
    for binning in [&job.binning, &job.bin_response] {
        if let Binning::Edges(file) = binning {
            all.push(file.clone());
        }
    }
    all.extend(job.plugins.iter().cloned());
    all
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
#[derive(Debug, Default)]
pub struct Inputs {
    known: HashMap<PathBuf, Known>,
}

#[derive(Debug)]
struct Known {
    bytes: u64,
    sha256: String,
    changed: Option<SystemTime>,
}

impl Inputs {
    fn of(&mut self, path: &Path) -> Result<(u64, String), InputError> {
        if let Some(known) = self.known.get(path) {
            return Ok((known.bytes, known.sha256.clone()));
        }
        let failed = |source| InputError {
            path: path.to_owned(),
            source,
        };
        let known = hashed(path).map_err(failed)?;
        let told = (known.bytes, known.sha256.clone());
        self.known.insert(path.to_owned(), known);
        Ok(told)
    }

    /// Whether the files that a task reads are as they were when they were hashed.
    pub fn unchanged(&self, task: &Task) -> Result<(), PathBuf> {
        for path in read_by(task) {
            let Some(known) = self.known.get(&path) else {
                continue;
            };
            let now = path.metadata().ok();
            let same = now.is_some_and(|it| it.len() == known.bytes && time(&it) == known.changed);
            if !same {
                return Err(path);
            }
        }
        Ok(())
    }
}

fn time(metadata: &Metadata) -> Option<SystemTime> {
    metadata.modified().ok()
}

fn hashed(path: &Path) -> io::Result<Known> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    let mut hasher = Sha256::new();
    let mut part = vec![0; 1 << 20];
    let mut bytes = 0;
    loop {
        match file.read(&mut part)? {
            0 => break,
            count => {
                bytes += count as u64;
                hasher.update(&part[..count]);
            }
        }
    }
    let digits = hasher
        .finalize()
        .iter()
        .map(|it| format!("{it:02x}"))
        .collect();
    Ok(Known {
        bytes,
        sha256: digits,
        changed: time(&metadata),
    })
}
