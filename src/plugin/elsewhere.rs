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
    Regression,
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
#[derive(Debug)]
struct NotLoaded;

impl Procedure for NotLoaded {
    fn run(&self, _: &dyn Problem) -> Result<(), String> {
        Err("its library is not loaded in this process".to_owned())
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
            Self::Regression(_) => Kind::Regression,
        }
    }

    fn stand_in(told: &Told) -> Option<Self> {
        match &told.kind {
            Kind::Score => Some(Self::Score(Score::default())),
            Kind::Ranking => Some(Self::Ranking(Arc::new(NotLoaded))),
            Kind::Regression => Some(Self::Regression(Arc::new(NotLoaded))),
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
                origin: told.origin(),
                responses: responses.clone(),
                link,
                has_dispersion: *has_dispersion,
                functions: Box::new(NotLoaded),
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
mod tests {
    use super::*;

    /// What arrives of something that plugins which are part of the program bring.
    fn arrived<T: Offered>(spec: &str) -> (ResolvedMethod<T>, ResolvedMethod<T>) {
        let plugins = [passel_information::PLUGIN, passel_relief::PLUGIN];
        let plugins = Plugins::linked(&plugins).unwrap();
        let found = T::look_up(&plugins, spec).unwrap();
        let told = serde_json::to_string(&Told::of(T::look_up(&plugins, spec).unwrap())).unwrap();
        let told: Told = serde_json::from_str(&told).unwrap();
        (found, told.resolved().unwrap())
    }

    #[test]
    fn what_arrives_is_what_was_told_of_but_for_its_functions() {
        for spec in ["jmi", "mifs:beta=0.25", "relieff:neighbours=3"] {
            let (found, here) = arrived::<MethodKind>(spec);
            assert_eq!(
                std::mem::discriminant(&found.value),
                std::mem::discriminant(&here.value)
            );
            assert_eq!(found.name, here.name);
            assert_eq!(found.parameters, here.parameters);
            assert_eq!(
                (found.plugin, found.version, found.library),
                (here.plugin, here.version, here.library)
            );
        }
        let (found, here) = arrived::<PairScore>("mi3");
        assert_eq!(found.name, here.name);
    }

    #[test]
    fn families_keep_what_designs_ask_of_them_and_are_one_where_they_are_equal() {
        let told = |link: Result<&str, &str>, theta: f64| Told {
            name: "nb".to_owned(),
            parameters: Vec::new(),
            plugin: "own".to_owned(),
            version: "1".to_owned(),
            library: "libown.so".into(),
            sha256: None,
            files: Vec::new(),
            kind: Kind::Family {
                values: vec![("theta".to_owned(), theta)],
                responses: "counts".to_owned(),
                link: link.map(str::to_owned).map_err(str::to_owned),
                has_dispersion: true,
            },
        };
        let family = |told: &Told| Distribution::stand_in(told).unwrap();
        let own = family(&told(Ok("log"), 2.0));
        assert_eq!(own, family(&told(Ok("log"), 2.0)));
        assert_ne!(own, family(&told(Ok("log"), 3.0)));
        assert_eq!(own.links(), [Link::Log]);
        assert_eq!(own.plugin().unwrap().spec(), "own/nb:theta=2");
        let other = family(&told(Err("quartic"), 2.0));
        assert_eq!(other.links()[0].name(), "quartic");
        assert!(MethodKind::stand_in(&told(Ok("log"), 2.0)).is_none());
    }
}
