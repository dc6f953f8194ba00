//! A method, pair score or criterion asked for by name and parameters: `mifs:beta=0.5`.

use std::sync::Arc;

use passel_criteria::Criterion;

use super::{
    Plugins,
    description::{
        MethodCall, MethodInfo, PairMeasure, Plugin, PluginCriterion, PluginMethod, PluginPairScore,
    },
    error::{ContractError, MethodError, PASS},
};
use crate::{
    nearest::nearest,
    score::{PairScore, Score, ScoreFunction},
    selector::Procedure,
    spec::parse_spec,
};

/// A method that was asked for by name, with a value for each of its parameters.
#[derive(Debug, Clone)]
pub struct ResolvedMethod<T> {
    /// Its name.
    pub name: String,
    /// Every parameter with its value; defaults where none was given.
    pub parameters: Vec<(String, f64)>,
    /// The plugin that brings it.
    pub plugin: String,
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
        let (name, values) = parse(text)?;
        if let (PASS, Some((parameter, _))) = (name, values.first()) {
            return Err(MethodError::UnknownParameter {
                what: "method",
                method: PASS.to_owned(),
                parameter: parameter.clone(),
                known: Vec::new(),
                nearest: None,
            });
        }
        let methods = || self.methods().map(|method| (&method.info, method));
        let method = by_name("method", name, methods, [PASS])?;
        let resolve = |values: &[f64]| method.kind(values);
        method.info.resolve("method", &values, resolve)
    }

    /// Resolves a pair score.
    ///
    /// # Errors
    /// An unknown name or parameter, or a value outside its range.
    pub fn pair_score(&self, text: &str) -> Result<ResolvedMethod<PairScore>, MethodError> {
        let (name, values) = parse(text)?;
        let scores = || self.pair_scores().map(|score| (&score.info, score));
        let score = by_name("pair score", name, scores, [])?;
        let resolve = |values: &[f64]| Ok(score.score(values));
        score.info.resolve("pair score", &values, resolve)
    }

    /// Resolves a criterion of a plugin. (An error suggests one of passel's own where the name
    /// resembles it.)
    ///
    /// # Errors
    /// An unknown name or parameter, a value outside its range, or values for which the
    /// criterion is NaN or falls with rising RSS.
    pub fn criterion(&self, text: &str) -> Result<ResolvedMethod<Arc<dyn Criterion>>, MethodError> {
        let (name, values) = parse(text)?;
        let criteria = || {
            self.criteria()
                .map(|criterion| (&criterion.info, criterion))
        };
        let own = passel_criteria::ALL.iter().map(|own| own.name);
        let criterion = by_name("criterion", name, criteria, own)?;
        let resolve = |values: &[f64]| criterion.with(values);
        criterion.info.resolve("criterion", &values, resolve)
    }
}

impl Plugin {
    /// The plugin's functions of tables with the names of their methods, at default parameters.
    pub fn functions(&self) -> Vec<(&str, ScoreFunction)> {
        let methods = self.methods.iter().filter_map(|method| {
            let Ok(MethodKind::Score(score)) = method.kind(&method.info.defaults()) else {
                return None;
            };
            Some((&*method.info.name, score.function()?.clone()))
        });
        let pairs = self.pair_scores.iter().filter_map(|pair| {
            let PairScore::Function(function) = pair.score(&pair.info.defaults()) else {
                return None;
            };
            Some((&*pair.info.name, function))
        });
        methods.chain(pairs).collect()
    }
}

/// A name, and parameters by name.
type Spec<'a> = (&'a str, Vec<(String, f64)>);

/// The name and the parameters of a text.
fn parse(text: &str) -> Result<Spec<'_>, MethodError> {
    let parsed = parse_spec(text).filter(|(name, _)| !name.is_empty());
    parsed.ok_or_else(|| MethodError::Form {
        text: text.to_owned(),
    })
}

/// The entry of a name; else an error with the nearest of all names and of `others`.
fn by_name<'a, T: 'a, I: Iterator<Item = (&'a MethodInfo, &'a T)>>(
    what: &'static str,
    name: &str,
    entries: impl Fn() -> I,
    others: impl IntoIterator<Item = &'a str>,
) -> Result<&'a T, MethodError> {
    let found = entries().find(|(info, _)| info.name == name);
    found.map(|(_, entry)| entry).ok_or_else(|| {
        let known = entries().map(|(info, _)| info.name.as_str());
        MethodError::UnknownName {
            what,
            name: name.to_owned(),
            nearest: nearest(name, known.chain(others)).map(str::to_owned),
        }
    })
}

impl MethodInfo {
    /// Resolves this method with these parameters, and defaults for the others.
    fn resolve<T>(
        &self,
        what: &'static str,
        parameters: &[(String, f64)],
        resolve: impl FnOnce(&[f64]) -> Result<T, ContractError>,
    ) -> Result<ResolvedMethod<T>, MethodError> {
        let method = || self.name.clone();
        let mut values = self.defaults();
        for (at, (name, value)) in parameters.iter().enumerate() {
            if parameters[..at].iter().any(|before| before.0 == *name) {
                return Err(MethodError::Twice {
                    what,
                    method: method(),
                    parameter: name.clone(),
                });
            }
            let at = self.parameters.iter().position(|known| known.name == *name);
            let at = at.ok_or_else(|| {
                let known = self.parameters.iter().map(|known| known.name.clone());
                let known: Vec<String> = known.collect();
                let near = nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
                MethodError::UnknownParameter {
                    what,
                    method: method(),
                    parameter: name.clone(),
                    nearest: near,
                    known,
                }
            })?;
            let parameter = &self.parameters[at];
            if !(parameter.least..=parameter.most).contains(value) {
                return Err(MethodError::OutOfRange {
                    what,
                    method: method(),
                    parameter: name.clone(),
                    value: *value,
                    least: parameter.least,
                    most: parameter.most,
                });
            }
            values[at] = *value;
        }
        let value = resolve(&values).map_err(|violation| MethodError::Declare {
            what,
            method: method(),
            plugin: self.plugin.clone(),
            violation,
        })?;
        let names = self.parameters.iter().map(|known| known.name.clone());
        Ok(ResolvedMethod {
            name: method(),
            parameters: names.zip(values).collect(),
            plugin: self.plugin.clone(),
            value,
        })
    }
}

impl PluginMethod {
    fn kind(&self, values: &[f64]) -> Result<MethodKind, ContractError> {
        Ok(match &self.call {
            MethodCall::Score(declare) => MethodKind::Score(declare.score(values)?),
            MethodCall::Ranking(run) => MethodKind::Ranking(Arc::new(run.with(values))),
            MethodCall::Regression(run) => MethodKind::Regression(Arc::new(run.with(values))),
        })
    }
}

impl PluginPairScore {
    fn score(&self, values: &[f64]) -> PairScore {
        match &self.measure {
            PairMeasure::Quantity(quantity) => PairScore::Declared(*quantity),
            PairMeasure::Function(function) => {
                PairScore::Function(ScoreFunction(Arc::new(function.with(values))))
            }
        }
    }
}

impl PluginCriterion {
    fn with(&self, values: &[f64]) -> Result<Arc<dyn Criterion>, ContractError> {
        Ok(Arc::new(self.call.with(values).checked()?))
    }
}
