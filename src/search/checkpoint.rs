//! Checkpoints: the state of a search ([`super::state`]), or of another long work, as a text.
//!
//! A checkpoint is one line of JSON: the version of the form and of passel, the identity of the
//! work, its state, and a checksum of these two. Floating-point numbers are stored as their bits.

use std::{
    error::Error,
    time::{Duration, Instant},
};

use rayon::prelude::*;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json, value::RawValue};

use super::{
    error::{CheckpointError, SearchError},
    problem::SearchProblem,
    state::State,
};
use crate::{device::DeviceError, fnv::Fnv};

const VERSION: u64 = 1;

const BEGINNING: &str = "{\"passel_checkpoint\":";

/// The interval between two checkpoints: a share of the time so far, within these bounds.
const LONGEST: Duration = Duration::from_secs(10);
const SHORTEST: Duration = Duration::from_millis(100);
const SHARE: u32 = 8;

/// Where a search writes checkpoints, and the one that it resumes from.
pub struct Checkpointing<'a> {
    /// The checkpoint to resume from; `None` starts anew.
    pub resume_from: Option<Checkpoint>,
    /// Replaces the checkpoint by this text; if that fails, the old one must stay.
    pub write: WriteCheckpoint<'a>,
}

/// See [`Checkpointing::write`].
pub type WriteCheckpoint<'a> =
    &'a mut (dyn FnMut(&str) -> Result<(), Box<dyn Error + Send + Sync>> + Send);

/// A checkpoint, as read from its text.
#[derive(Debug, Clone)]
pub struct Checkpoint {
    search: Map<String, Value>,
    state: Box<RawValue>,
}

/// The members that every version of the form begins with.
#[derive(Deserialize)]
struct Head {
    passel_checkpoint: u64,
    passel: String,
}

#[derive(Serialize, Deserialize)]
struct Form<'a> {
    passel_checkpoint: u64,
    passel: &'a str,
    #[serde(borrow)]
    search: &'a RawValue,
    #[serde(borrow)]
    state: &'a RawValue,
    /// A checksum of the texts of both.
    checksum: &'a str,
}

fn checksum(search: &RawValue, state: &RawValue) -> String {
    let hash = Fnv::new().part(search.get().as_bytes());
    let hash = hash.part(state.get().as_bytes());
    format!("{:032x}", hash.finish())
}

impl Checkpoint {
    /// Parses a text that [`Checkpointing::write`] was called with.
    ///
    /// # Errors
    /// A text that is no checkpoint, is damaged, or of another version of passel.
    pub fn read(text: &str) -> Result<Self, CheckpointError> {
        use CheckpointError::{Damaged, Foreign, Other};

        let Ok(head) = serde_json::from_str::<Head>(text) else {
            return Err(match text.starts_with(BEGINNING) {
                true => Damaged,
                false => Foreign,
            });
        };
        if head.passel_checkpoint != VERSION || head.passel != env!("CARGO_PKG_VERSION") {
            let (theirs, ours) = (head.passel, env!("CARGO_PKG_VERSION"));
            return Err(Other(format!("passel {theirs}, this is {ours}")));
        }
        let form: Form = serde_json::from_str(text).map_err(|_| Damaged)?;
        if form.checksum != checksum(form.search, form.state) {
            return Err(Damaged);
        }
        Ok(Self {
            search: serde_json::from_str(form.search.get()).map_err(|_| Damaged)?,
            state: form.state.to_owned(),
        })
    }

    /// Which part of a formula the search was at; none where it was of all terms at once.
    pub(super) fn part(&self) -> Option<&Value> {
        self.search.get("part")
    }

    /// The state, if it belongs to the work of this identity and is sound.
    fn of<S: DeserializeOwned>(
        self,
        search: &Map<String, Value>,
        is_sound: impl FnOnce(&S) -> bool,
    ) -> Result<S, CheckpointError> {
        let part = |search: &Map<String, Value>| search.get("part").is_some();
        if part(&self.search) != part(search) {
            let what = "another search: not of the same formula".to_owned();
            return Err(CheckpointError::Other(what));
        }
        for (name, ours) in search {
            let theirs = self.search.get(name).unwrap_or(&Value::Null);
            if theirs != ours {
                let what = difference(name, theirs, ours);
                return Err(CheckpointError::Other(format!("another search: {what}")));
            }
        }
        let state: Option<S> = serde_json::from_str(self.state.get()).ok();
        state.filter(is_sound).ok_or(CheckpointError::Damaged)
    }
}

fn difference(name: &str, theirs: &Value, ours: &Value) -> String {
    let text = |value: &Value| match value {
        Value::Null => "none".to_owned(),
        Value::String(string) => string.clone(),
        value => value.to_string(),
    };
    match name {
        "data" => "its data are others".to_owned(),
        "variables" => "its variables have other names".to_owned(),
        "keep" => "it keeps other variables".to_owned(),
        "part" => "it is of other terms of its formula".to_owned(),
        _ => {
            let name = name.replace('_', "-");
            format!("{name} {}, this one has {}", text(theirs), text(ours))
        }
    }
}

/// Everything that the result of a search depends on.
fn identity(problem: &SearchProblem) -> Result<Map<String, Value>, DeviceError> {
    let (design, criterion) = (problem.objective.design, problem.objective.criterion);
    let x = problem.x;
    let hashed = |j: usize| Fnv::new().numbers(&x.column_once(j as u32)).finish();
    let own: Vec<u128> = x.local().into_par_iter().map(hashed).collect();
    let columns = x.gather(own)?;
    let data = Fnv::new().numbers(design.y()).numbers(&[design.tss()]);
    let data = columns
        .iter()
        .fold(data, |all, column| all.bytes(&column.to_le_bytes()));
    let names = design.variables().iter().chain([design.response()]);
    let names = names.fold(Fnv::new(), |all, variable| {
        all.part(variable.name.as_bytes())
    });
    let mut named = criterion.name().to_owned();
    for (name, value) in criterion.parameters() {
        named += &format!(":{name}={value}");
    }
    let hash = |hash: Fnv| json!(format!("{:032x}", hash.finish()));
    let own = [
        ("method", json!("pass")),
        ("n", json!(design.n())),
        ("p", json!(design.p())),
        ("p_total", json!(design.p_total())),
        ("variables", hash(names)),
        ("keep", json!(design.keep())),
        ("data", hash(data)),
        ("criterion", json!(named)),
        ("seed", json!(problem.pass.seed)),
    ];
    // Where each column is a term, nothing is to be said of terms.
    let terms = design.columns().terms();
    let terms = terms.map(|terms| ("terms", json!(terms.count())));
    // Scores have no scale, and what a likelihood has beside them shows in no column.
    let likelihood = design.likelihood().map(|own| {
        let (family, response) = (own.response().family(), own.response());
        let values = Fnv::new().numbers(response.y()).numbers(response.weights());
        let mut values = values.numbers(response.offset());
        let mut ties = String::new();
        if let Some(survival) = response.survival() {
            let times: Vec<f64> = survival.times().map(|(time, _)| time).collect();
            values = values.numbers(&times);
            ties = format!(" {}", survival.ties().name());
        }
        let data = hash(values);
        let quasi = response
            .quasi_dispersion()
            .map(|(own, _)| format!(" over {own}"));
        let quasi = quasi.unwrap_or_default();
        let distribution = match family.distribution().plugin() {
            Some(own) => format!("{} {:?}", own.spec(), own.origin.sha256),
            None => family.distribution().to_string(),
        };
        let named = format!("{distribution} {}{quasi}{ties}", family.link());
        ("family", json!([named, data]))
    });
    let part = problem.part.map(|part| ("part", part.clone()));
    let own = own.into_iter().chain(terms).chain(likelihood).chain(part);
    let own = own.map(|(name, value)| (name.to_owned(), value));
    let parameters = problem.pass.parameters(problem.max_size);
    // How long a search may take is of one run, not of the search.
    let parameters = parameters
        .into_iter()
        .filter(|(name, _)| name != "time_limit" && name != "prove");
    Ok(own.chain(parameters).collect())
}

/// Writes the state `S` of a long work from time to time.
pub(crate) struct CheckpointWriter<'a, S> {
    write: WriteCheckpoint<'a>,
    search: Map<String, Value>,
    /// The last state, until it is written.
    last: Option<S>,
    began: Instant,
    written: Instant,
    /// Why the last write failed, if it did.
    failed: Option<String>,
}

impl<'a> CheckpointWriter<'a, State> {
    /// The writer of a search, and the state that it resumes from.
    pub(super) fn new(
        Checkpointing { resume_from, write }: Checkpointing<'a>,
        problem: &SearchProblem,
    ) -> Result<(Self, Option<State>), SearchError> {
        let is_sound = |state: &State| state.is_sound(problem);
        let checkpointing = Checkpointing { resume_from, write };
        Ok(Self::open(checkpointing, identity(problem)?, is_sound)?)
    }
}

impl<'a, S: Serialize + DeserializeOwned> CheckpointWriter<'a, S> {
    /// The writer of a work of this identity, and the state that it resumes from.
    pub(crate) fn open(
        Checkpointing { resume_from, write }: Checkpointing<'a>,
        search: Map<String, Value>,
        is_sound: impl FnOnce(&S) -> bool,
    ) -> Result<(Self, Option<S>), CheckpointError> {
        let resumed = resume_from
            .map(|checkpoint| checkpoint.of(&search, is_sound))
            .transpose()?;
        let now = Instant::now();
        let writer = Self {
            write,
            search,
            last: None,
            began: now,
            written: now,
            failed: None,
        };
        Ok((writer, resumed))
    }

    /// Notes a state from which the search can resume; writes it if enough time has passed.
    pub(crate) fn at(&mut self, state: S) {
        self.last = Some(state);
        if self.is_due() {
            self.write_last();
        }
    }

    /// Whether enough time has passed for a state to be written.
    pub(crate) fn is_due(&self) -> bool {
        let wait = (self.began.elapsed() / SHARE).clamp(SHORTEST, LONGEST);
        self.written.elapsed() >= wait
    }

    /// Writes the last state of a search that ends early; returns a note if that fails.
    pub(crate) fn end(mut self) -> Option<String> {
        self.write_last();
        let failed = self.failed?;
        Some(format!("the checkpoint was not written last: {failed}"))
    }

    fn write_last(&mut self) {
        let Some(state) = &self.last else { return };
        let kept = text(&self.search, state).and_then(|text| (self.write)(&text));
        self.failed = kept.err().map(|error| error.to_string());
        if self.failed.is_none() {
            self.last = None;
        }
        self.written = Instant::now();
    }
}

fn text(
    search: &Map<String, Value>,
    state: &impl Serialize,
) -> Result<String, Box<dyn Error + Send + Sync>> {
    let search = serde_json::value::to_raw_value(search)?;
    let state = serde_json::value::to_raw_value(state)?;
    let form = Form {
        passel_checkpoint: VERSION,
        passel: env!("CARGO_PKG_VERSION"),
        search: &search,
        state: &state,
        checksum: &checksum(&search, &state),
    };
    Ok(serde_json::to_string(&form)? + "\n")
}
