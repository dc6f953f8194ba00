//! A method, pair score or criterion asked for by name and parameters: `mifs:beta=0.5`.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use passel_criteria::{Criterion, Origin};
use serde_json::Value;

use super::{
    Plugins,
    description::{CriterionCall, FamilyCall, MethodCall, Offer, PairCall, Plugin},
    error::{Breach, MethodError, PASS},
    files::{self, NamedFile},
    find::canonical,
    warn_once,
};
use crate::{
    family::{Distribution, PluginFamily},
    nearest::{did_you_mean, nearest},
    score::{PairScore, Score, ScoreFunction},
    selector::Procedure,
    spec::parse_texts,
};

/// A method that was asked for by name, with a value for each of its parameters.
#[derive(Debug, Clone)]
pub struct ResolvedMethod<T> {
    /// Its name.
    pub name: String,
    /// Every parameter with its value, a number, the name of a choice or the path of a file, behind which its hash stands as
    /// `NAME_sha256`; defaults where none was given.
    pub parameters: Vec<(String, Value)>,
    /// The plugin that brings it.
    pub plugin: String,
    /// The version of that.
    pub version: String,
    /// The library; of a plugin that is part of the program no file.
    pub library: PathBuf,
    /// The SHA-256 of the library.
    pub sha256: Option<String>,
    /// The files that parameters name.
    pub files: Vec<PathBuf>,
    /// What was resolved: a [`MethodKind`], a [`PairScore`] or a criterion.
    pub value: T,
}

/// The kind of a selection method, with what runs it.
#[derive(Debug, Clone)]
pub enum MethodKind {
    /// Greedy forward selection by a declared score.
    Score(Score),
    /// A procedure of a plugin that ranks variables by their levels.
    Ranking(Arc<dyn Procedure>),
    /// A procedure of a plugin that chooses the model of a linear regression.
    Regression(Arc<dyn Procedure>),
}

impl Plugins {
    /// Resolves a method: `jmi`, `mifs:beta=0.5`. ([`PASS`] is not a plugin's; an error suggests
    /// it where the name resembles it.)
    ///
    /// # Errors
    /// An unknown name or parameter, a value outside its range (NaN included), or the plugin's
    /// own objection to these values.
    pub fn method(&self, text: &str) -> Result<ResolvedMethod<MethodKind>, MethodError> {
        if let Some((PASS, values)) = parse_texts(text)
            && let Some((parameter, _)) = values.first()
        {
            let what = "method";
            let message = format!("{what} `{PASS}` takes no parameters, not `{parameter}`");
            return Err(MethodError::refused(what, message));
        }
        let offers = self.offers(|plugin| &plugin.methods);
        let kind = |_: &Plugin, call: &MethodCall, values: &[f64]| call.kind(values);
        resolve("method", (text, &self.folder), offers, [PASS], kind)
    }

    /// Resolves a pair score.
    ///
    /// # Errors
    /// An unknown name or parameter, or a value outside its range.
    pub fn pair_score(&self, text: &str) -> Result<ResolvedMethod<PairScore>, MethodError> {
        let score = |_: &Plugin, call: &PairCall, values: &[f64]| Ok(call.score(values));
        let offers = self.offers(|plugin| &plugin.pair_scores);
        resolve("pair score", (text, &self.folder), offers, [], score)
    }

    /// Resolves a criterion of a plugin. (An error suggests one of passel's own where the name
    /// resembles it.)
    ///
    /// # Errors
    /// An unknown name or parameter, a value outside its range, or values for which the
    /// criterion is NaN or falls with rising RSS.
    pub fn criterion(&self, text: &str) -> Result<ResolvedMethod<Arc<dyn Criterion>>, MethodError> {
        let own = passel_criteria::ALL.iter().map(|own| own.name);
        let offers = self.offers(|plugin| &plugin.criteria);
        let criterion = |plugin: &Plugin, call: &CriterionCall, values: &[f64]| {
            Ok(Arc::new(call.with(plugin.origin(), values).checked()?) as Arc<dyn Criterion>)
        };
        resolve("criterion", (text, &self.folder), offers, own, criterion)
    }

    /// Resolves a family of a plugin. (An error suggests one of passel's own where the name resembles it.)
    ///
    /// # Errors
    /// An unknown name or parameter, a value outside its range, or values for which its functions contradict one another.
    pub fn family(&self, text: &str) -> Result<ResolvedMethod<Distribution>, MethodError> {
        let own = Distribution::ALL.map(Distribution::name);
        let offers = self.offers(|plugin| &plugin.families);
        let family = |plugin: &Plugin, call: &FamilyCall, values: &[f64]| {
            call.family(plugin.origin(), values)
        };
        resolve("family", (text, &self.folder), offers, own, family)
    }

    /// What all plugins offer of a kind, each with whether its plugin was named.
    fn offers<'p, C: 'p>(
        &'p self,
        of: fn(&Plugin) -> &Vec<Offer<C>>,
    ) -> impl Iterator<Item = (&'p Plugin, bool, &'p Offer<C>)> + Clone {
        let plugins = self.set.plugins.iter().enumerate();
        let named = self.set.named;
        plugins.flat_map(move |(at, plugin)| {
            of(plugin)
                .iter()
                .map(move |offer| (plugin, at < named, offer))
        })
    }
}

impl Plugin {
    /// The plugin's functions of tables with the names of their methods, at default parameters.
    pub fn functions(&self) -> Vec<(&str, ScoreFunction)> {
        let methods = self.methods.iter().filter_map(|method| {
            let Ok(MethodKind::Score(score)) = method.call.kind(&method.info.defaults()) else {
                return None;
            };
            Some((&*method.info.name, score.function()?.clone()))
        });
        let pairs = self.pair_scores.iter().filter_map(|pair| {
            let PairScore::Function(function) = pair.call.score(&pair.info.defaults()) else {
                return None;
            };
            Some((&*pair.info.name, function))
        });
        methods.chain(pairs).collect()
    }

    /// The plugin's families, at default parameters.
    pub fn own_families(&self) -> Vec<PluginFamily> {
        let families = self.families.iter().filter_map(|family| {
            let own = family.call.family(self.origin(), &family.info.defaults());
            own.ok()?.plugin()
        });
        families.collect()
    }
}

/// Whether a text is a plugin's name, or the path of its library, from a folder, or the end of that.
fn is_called(plugin: &Plugin, text: &str, folder: &Path) -> bool {
    let path = folder.join(text);
    match path.is_file() {
        true => plugin.name == text || canonical(&path) == canonical(&plugin.path),
        false => !text.is_empty() && (plugin.name == text || plugin.path.ends_with(text)),
    }
}

/// Resolves `NAME:PARAMETER=VALUE,…` or `PLUGIN/NAME:…` by what plugins offer, with defaults for parameters that are
/// not named; a library's path starts at the folder. An unknown name is compared with `others` too.
fn resolve<'a, C: 'a, T>(
    what: &'static str,
    (text, folder): (&str, &Path),
    offers: impl Iterator<Item = (&'a Plugin, bool, &'a Offer<C>)> + Clone,
    others: impl IntoIterator<Item = &'a str>,
    make: impl FnOnce(&Plugin, &C, &[f64]) -> Result<T, Breach>,
) -> Result<ResolvedMethod<T>, MethodError> {
    let parsed = parse_texts(text).filter(|(name, _)| !name.is_empty());
    let (name, parameters) = parsed.ok_or_else(|| {
        let message = format!("`{text}` must be NAME or NAME:PARAMETER=VALUE,…");
        MethodError::refused("method", message)
    })?;
    let (of, plain) = match name.rsplit_once('/') {
        Some((of, plain)) => (Some(of), plain),
        None => (None, name),
    };
    let is_of = |plugin: &Plugin| of.is_none_or(|of| is_called(plugin, of, folder));
    let is_meant =
        |(plugin, _, offer): &(&Plugin, bool, &Offer<C>)| offer.info.name == plain && is_of(plugin);
    let mut meant = offers.clone().filter(is_meant);
    let Some((plugin, is_named, Offer { info, call })) = meant.next() else {
        let known = offers.filter(|(plugin, ..)| is_of(plugin));
        let known = known.map(|(_, _, offer)| offer.info.name.as_str());
        return Err(MethodError::UnknownName {
            what,
            name: name.to_owned(),
            nearest: nearest(plain, known.chain(others)).map(str::to_owned),
        });
    };
    if let (Some((other, ..)), false) = (meant.next(), is_named) {
        let [first, second] = [plugin, other].map(|own| &*own.name);
        warn_once(&format!(
            "{what} `{plain}` is that of plugin {first}, and plugin {second} has one, too: write {first}/{plain} or {second}/{plain}"
        ));
    }
    let name = plain;
    let refused = |message| MethodError::refused(what, message);
    let mut values = info.defaults();
    let mut named: Vec<Option<(&str, NamedFile)>> = vec![None; values.len()];
    for (at, (key, value)) in parameters.iter().enumerate() {
        if parameters[..at].iter().any(|before| before.0 == *key) {
            return Err(refused(format!("{what} `{name}` is given `{key}` twice")));
        }
        let Some(at) = info.parameters.iter().position(|known| known.name == *key) else {
            let known: Vec<&str> = info.parameters.iter().map(|known| &*known.name).collect();
            let takes = match known.is_empty() {
                true => "takes no parameters".to_owned(),
                false => format!("takes {}", known.join(", ")),
            };
            let hint = did_you_mean(key, known);
            return Err(refused(format!(
                "{what} `{name}` {takes}, not `{key}`{hint}"
            )));
        };
        if info.parameters[at].is_file {
            let file = files::named(&folder.join(value)).map_err(|error| {
                refused(format!(
                    "{key} = {value} of {what} `{name}` cannot be read: {error}"
                ))
            })?;
            values[at] = files::number(&file);
            named[at] = Some((value, file));
            continue;
        }
        let value = info.parameters[at].value(value, &format!("{what} `{name}`"));
        values[at] = value.map_err(refused)?;
    }
    let value = make(plugin, call, &values).map_err(|breach| {
        let (plugin, reason) = (&plugin.name, breach.message);
        MethodError::Refused {
            what,
            message: format!("{what} `{name}` of plugin `{plugin}`: {reason}"),
            is_objection: breach.is_objection,
        }
    })?;
    let shown = info.parameters.iter().zip(values).zip(&named);
    let shown = shown.flat_map(|((known, value), named)| {
        let value = match named {
            Some((text, _)) => (*text).into(),
            None if known.is_file => Value::Null,
            None => known.shown(value),
        };
        let hash = named.iter().map(|(_, file)| {
            let name = format!("{}_sha256", known.name);
            (name, file.sha256.as_str().into())
        });
        [(known.name.clone(), value)].into_iter().chain(hash)
    });
    let library = plugin.path.clone();
    let Origin {
        plugin,
        version,
        sha256,
    } = plugin.origin();
    Ok(ResolvedMethod {
        name: name.to_owned(),
        parameters: shown.collect(),
        files: named
            .iter()
            .flatten()
            .map(|(_, file)| file.path.clone())
            .collect(),
        plugin,
        version,
        library,
        sha256,
        value,
    })
}

impl MethodCall {
    fn kind(&self, values: &[f64]) -> Result<MethodKind, Breach> {
        Ok(match self {
            Self::Score(declare) => MethodKind::Score(declare.score(values)?),
            Self::Ranking(run) => MethodKind::Ranking(Arc::new(run.with(values)?)),
            Self::Regression(run) => MethodKind::Regression(Arc::new(run.with(values)?)),
        })
    }
}

impl PairCall {
    fn score(&self, values: &[f64]) -> PairScore {
        match self {
            Self::Quantity(quantity) => PairScore::Declared(*quantity),
            Self::Function(function) => {
                PairScore::Function(ScoreFunction(Arc::new(function.with(values))))
            }
        }
    }
}
