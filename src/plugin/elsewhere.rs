//! What plugins bring where another process has loaded them: how that process tells it, and what stands here in its place, which
//! can be checked and shown, and not run.

use std::{
    collections::BTreeMap,
    ffi::{CString, OsString},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use passel_criteria::{Criterion, Model, Origin};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{MethodError, MethodKind, Plugins, ResolvedMethod};
use crate::{
    family::{Distribution, FamilyDefinition, FamilyFunctions, Link, PluginFamily},
    score::{PairScore, Score},
    selector::{Problem, Procedure},
};

/// What plugins may be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum What {
    Method,
    PairScore,
    Criterion,
    Family,
}

impl What {
    /// What messages call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Method => "method",
            Self::PairScore => "pair score",
            Self::Criterion => "criterion",
            Self::Family => "family",
        }
    }
}

/// Something that plugins bring.
pub(crate) trait Offered: Sized {
    const WHAT: What;

    /// Looks it up by name and parameters.
    fn look_up(plugins: &Plugins, spec: &str) -> Result<ResolvedMethod<Self>, MethodError>;

    /// What others are told of it.
    fn kind(&self) -> Kind;

    /// What stands for it where it is not loaded; `None` of another kind.
    fn stand_in(told: &Told) -> Option<Self>;
}

/// What others are told of something that a plugin brings.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Kind {
    Score,
    Ranking,
    Regression {
        has_likelihoods: bool,
    },
    PairScore,
    Criterion {
        needs_least_squares: bool,
    },
    Family {
        values: Vec<(String, f64)>,
        responses: String,
        /// The name of one of passel's own links, or that of its own.
        link: Result<String, String>,
        has_dispersion: bool,
    },
}

/// A [`ResolvedMethod`] as others are told of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Told {
    name: String,
    parameters: Vec<(String, Value)>,
    plugin: String,
    version: String,
    // A path need not be UTF-8.
    library: OsString,
    sha256: Option<String>,
    files: Vec<OsString>,
    kind: Kind,
}

impl ResolvedMethod<PairScore> {
    /// What stands for a pair score that was asked for by this name and not found.
    pub(crate) fn unresolved(name: String) -> Self {
        Self {
            name,
            parameters: Vec::new(),
            plugin: String::new(),
            version: String::new(),
            library: PathBuf::new(),
            sha256: None,
            files: Vec::new(),
            value: PairScore::SYNERGY,
        }
    }
}

impl Told {
    pub(crate) fn of<T: Offered>(found: ResolvedMethod<T>) -> Self {
        Self {
            kind: found.value.kind(),
            name: found.name,
            parameters: found.parameters,
            plugin: found.plugin,
            version: found.version,
            library: found.library.into_os_string(),
            sha256: found.sha256,
            files: found
                .files
                .into_iter()
                .map(PathBuf::into_os_string)
                .collect(),
        }
    }

    /// What stands here for what was told of; `None` of another kind.
    pub(crate) fn resolved<T: Offered>(&self) -> Option<ResolvedMethod<T>> {
        Some(ResolvedMethod {
            value: T::stand_in(self)?,
            name: self.name.clone(),
            parameters: self.parameters.clone(),
            plugin: self.plugin.clone(),
            version: self.version.clone(),
            library: self.library.clone().into(),
            sha256: self.sha256.clone(),
            files: self.files.iter().map(PathBuf::from).collect(),
        })
    }

    fn origin(&self) -> Origin {
        Origin {
            plugin: self.plugin.clone(),
            version: self.version.clone(),
            sha256: self.sha256.clone(),
        }
    }
}

/// What stands for functions that this process has not loaded.
#[derive(Debug, Default)]
struct NotLoaded {
    has_likelihoods: bool,
}

impl Procedure for NotLoaded {
    fn run(&self, _: &dyn Problem) -> Result<(), String> {
        Err("its library is not loaded in this process".to_owned())
    }

    fn has_likelihoods(&self) -> bool {
        self.has_likelihoods
    }
}

impl FamilyFunctions for NotLoaded {
    fn is_response(&self, _: f64) -> bool {
        false
    }

    fn start(&self, _: &[f64], means: &mut [f64]) {
        means.fill(f64::NAN);
    }

    fn predictor(&self, _: f64) -> f64 {
        f64::NAN
    }

    fn means(&self, _: &[f64], means: &mut [f64], slopes: &mut [f64]) {
        means.fill(f64::NAN);
        slopes.fill(f64::NAN);
    }

    fn variances(&self, _: &[f64], variances: &mut [f64]) {
        variances.fill(f64::NAN);
    }

    fn deviances(&self, _: &[f64], _: &[f64], deviances: &mut [f64]) {
        deviances.fill(f64::NAN);
    }

    fn saturated(&self, _: &[f64], log_likelihoods: &mut [f64]) {
        log_likelihoods.fill(f64::NAN);
    }
}

/// What stands for a criterion that this process has not loaded.
#[derive(Debug)]
struct NamedCriterion {
    name: String,
    origin: Origin,
    needs_least_squares: bool,
}

impl Criterion for NamedCriterion {
    fn name(&self) -> &str {
        &self.name
    }

    fn penalty(&self, _: &Model) -> f64 {
        f64::NAN
    }

    fn needs_least_squares(&self) -> bool {
        self.needs_least_squares
    }

    fn origin(&self) -> Option<&Origin> {
        Some(&self.origin)
    }
}

impl Offered for MethodKind {
    const WHAT: What = What::Method;

    fn look_up(plugins: &Plugins, spec: &str) -> Result<ResolvedMethod<Self>, MethodError> {
        plugins.method(spec)
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Score(_) => Kind::Score,
            Self::Ranking(_) => Kind::Ranking,
            Self::Regression(own) => Kind::Regression {
                has_likelihoods: own.has_likelihoods(),
            },
        }
    }

    fn stand_in(told: &Told) -> Option<Self> {
        match &told.kind {
            Kind::Score => Some(Self::Score(Score::default())),
            Kind::Ranking => Some(Self::Ranking(Arc::new(NotLoaded::default()))),
            Kind::Regression { has_likelihoods } => Some(Self::Regression(Arc::new(NotLoaded {
                has_likelihoods: *has_likelihoods,
            }))),
            _ => None,
        }
    }
}

impl Offered for PairScore {
    const WHAT: What = What::PairScore;

    fn look_up(plugins: &Plugins, spec: &str) -> Result<ResolvedMethod<Self>, MethodError> {
        plugins.pair_score(spec)
    }

    fn kind(&self) -> Kind {
        Kind::PairScore
    }

    fn stand_in(told: &Told) -> Option<Self> {
        matches!(told.kind, Kind::PairScore).then_some(Self::SYNERGY)
    }
}

impl Offered for Arc<dyn Criterion> {
    const WHAT: What = What::Criterion;

    fn look_up(plugins: &Plugins, spec: &str) -> Result<ResolvedMethod<Self>, MethodError> {
        plugins.criterion(spec)
    }

    fn kind(&self) -> Kind {
        Kind::Criterion {
            needs_least_squares: self.needs_least_squares(),
        }
    }

    fn stand_in(told: &Told) -> Option<Self> {
        let Kind::Criterion {
            needs_least_squares,
        } = told.kind
        else {
            return None;
        };
        Some(Arc::new(NamedCriterion {
            name: told.name.clone(),
            origin: told.origin(),
            needs_least_squares,
        }))
    }
}

impl Offered for Distribution {
    const WHAT: What = What::Family;

    fn look_up(plugins: &Plugins, spec: &str) -> Result<ResolvedMethod<Self>, MethodError> {
        plugins.family(spec)
    }

    fn kind(&self) -> Kind {
        // Plugins bring no other.
        let own = self.plugin();
        let link = own.map_or_else(|| Err(String::new()), |own| own.link.clone());
        Kind::Family {
            values: own.map_or_else(Vec::new, |own| own.parameters.clone()),
            responses: own.map_or_else(String::new, |own| own.responses.clone()),
            link: link.map(|own| own.name().to_owned()),
            has_dispersion: own.is_some_and(|own| own.has_dispersion),
        }
    }

    /// The same for the same family: families are compared by where they lie, and never freed.
    fn stand_in(told: &Told) -> Option<Self> {
        static KNOWN: Mutex<BTreeMap<String, PluginFamily>> = Mutex::new(BTreeMap::new());
        let Kind::Family {
            values,
            responses,
            link,
            has_dispersion,
        } = &told.kind
        else {
            return None;
        };
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || {
            let link = match link {
                Ok(name) => Ok(Link::ALL.into_iter().find(|own| own.name() == name)?),
                Err(own) => Err(own.clone()),
            };
            Some(PluginFamily::new(FamilyDefinition {
                name: CString::new(&*told.name).ok()?,
                parameters: values.clone(),
                shown: told.parameters.clone(),
                origin: told.origin(),
                responses: responses.clone(),
                link,
                has_dispersion: *has_dispersion,
                functions: Box::new(NotLoaded::default()),
                cuda: None,
            }))
        };
        let key = format!("{told:?}");
        let own = match known.get(&key) {
            Some(own) => *own,
            None => *known.entry(key).or_insert(new()?),
        };
        Some(Self::Plugin(own))
    }
}

#[cfg(test)]
mod tests;
