//! Questions about plugins that another process answers, which loads their libraries: whatever these do to it, this one goes on.

use std::{
    collections::HashMap,
    fmt,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use serde::{Deserialize, Serialize};

use super::{OptionError, path_text::to_text};
use crate::{
    foreign_calls::Work,
    plugin::{MethodError, Offered, PluginError, ResolvedMethod, Told, What},
    printable::printable,
};

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Asked {
    /// Whether these libraries can be loaded, beside those that are installed.
    Libraries,
    /// What a name with its parameters is.
    Spec(What, String),
}

/// A question, as the other process is told of it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Question {
    /// The libraries named, as texts of paths.
    pub(super) libraries: Vec<String>,
    /// Where other paths of libraries start.
    pub(super) folder: String,
    pub(super) asked: Asked,
    /// How much time each call has, before the grace that calls have.
    pub(super) within: Option<Duration>,
}

/// The answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Answer {
    /// The libraries are loaded, but for those that were found and refused, each with its path and the reason.
    Loaded(Vec<(String, String)>),
    /// One that was named cannot be used.
    Unusable(String, String),
    Found(Box<Told>),
    /// There is nothing of this name; the one nearest to it.
    Unknown {
        name: String,
        nearest: Option<String>,
    },
    Refused(String),
}

/// The job that looks something up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asking<'a> {
    /// The libraries that it names.
    pub(super) named: &'a [PathBuf],
    /// Where other paths of libraries start.
    pub(super) folder: &'a Path,
    /// The time that it has.
    pub(super) timeout: Option<Duration>,
}

/// What a look-up found, and the libraries that were refused.
pub(super) struct Looked<T> {
    pub(super) found: Result<ResolvedMethod<T>, MethodError>,
    pub(super) refused: Vec<PluginError>,
}

/// The error for a library that cannot be used.
pub(super) fn of_plugins(error: PluginError) -> OptionError {
    OptionError::new("plugins", error.to_string())
}

/// Hands a line to another process, which has so much time, and returns the line that it answers; the error says how it ended instead.
pub(crate) type AskLine = dyn Fn(&str, Option<Duration>) -> Result<String, String> + Send + Sync;

/// The answers of another process, each asked for once.
pub(super) struct PluginAsker {
    ask: Box<AskLine>,
    known: Mutex<HashMap<Key, Result<Answer, String>>>,
}

/// The libraries, what is asked of them, and the time that the job has.
type Key = (Vec<PathBuf>, Asked, Option<Duration>);

impl fmt::Debug for PluginAsker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PluginAsker").finish_non_exhaustive()
    }
}

impl PluginAsker {
    pub(super) fn new(ask: Box<AskLine>) -> Self {
        Self {
            ask,
            known: Mutex::default(),
        }
    }

    /// Looks something up for a job that has so much time.
    ///
    /// # Errors
    /// A library that cannot be used, or one that ended the other process.
    pub(super) fn ask<T: Offered>(
        &self,
        asking: Asking<'_>,
        spec: &str,
    ) -> Result<Looked<T>, OptionError> {
        let what = T::WHAT.name();
        let error = |path: &str, reason: &str| PluginError {
            path: path.into(),
            reason: reason.to_owned(),
        };
        let of = |asked: Asked| self.answer(asking, asked);
        // First of all: libraries that end the process when they are loaded do so once, whatever jobs ask of them.
        let refused = match of(Asked::Libraries)? {
            Answer::Unusable(path, reason) => return Err(of_plugins(error(&path, &reason))),
            Answer::Loaded(refused) => refused,
            _ => Vec::new(),
        };
        let refused = refused.iter().map(|(path, reason)| error(path, reason));
        let found = match of(Asked::Spec(T::WHAT, spec.to_owned()))? {
            Answer::Found(told) => told.resolved().ok_or_else(|| {
                let message =
                    format!("{what} `{spec}` is something else to the process that looked it up");
                MethodError::refused(what, message)
            }),
            Answer::Unknown { name, nearest } => Err(MethodError::UnknownName {
                what,
                name,
                nearest,
            }),
            Answer::Refused(message) => Err(MethodError::refused(what, message)),
            Answer::Unusable(path, reason) => return Err(of_plugins(error(&path, &reason))),
            Answer::Loaded(_) => Err(MethodError::refused(
                what,
                format!("{what} `{spec}` was not looked up"),
            )),
        };
        Ok(Looked {
            found,
            refused: refused.collect(),
        })
    }

    fn answer(&self, asking: Asking<'_>, asked: Asked) -> Result<Answer, OptionError> {
        // The folder is that of the job file.
        let key = (asking.named.to_owned(), asked, asking.timeout);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = known
            .entry(key)
            .or_insert_with_key(|(named, asked, timeout)| {
                let times = [*timeout, Work::current().time_left()];
                let within = times.into_iter().flatten().min();
                let texts = named.iter().map(|path| to_text(path.as_os_str()));
                let question = Question {
                    libraries: texts.collect(),
                    folder: to_text(asking.folder.as_os_str()),
                    asked: asked.clone(),
                    within,
                };
                let question =
                    serde_json::to_string(&question).map_err(|error| error.to_string())?;
                let answer = (self.ask)(&question, within);
                let read =
                    |line: String| serde_json::from_str(&line).map_err(|error| error.to_string());
                answer.and_then(read).map_err(|reason| lost(named, &reason))
            });
        answer
            .clone()
            .map_err(|reason| OptionError::of_library("plugins", reason))
    }
}

/// What became of a process that was to load these libraries, and those that are installed.
fn lost(named: &[PathBuf], reason: &str) -> String {
    let names: Vec<String> = named
        .iter()
        .map(|path| printable(&path.display().to_string()).into_owned())
        .collect();
    match &names[..] {
        [] => format!(
            "lost while the plugins that are installed were asked what they bring: {reason}"
        ),
        [name] => format!("lost while {name} was asked what it brings: {reason}"),
        names => format!(
            "lost while {} were asked what they bring: {reason}",
            names.join(", ")
        ),
    }
}
