//! Methods, criteria and binning rules with their parameters, as a report names them.

use std::fmt;

use passel_criteria::{Criterion, Origin};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, value::RawValue};

use crate::spec::written;

/// A method or a criterion by its name, with the parameters it ran with.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct NamedParameters {
    /// The name on the command line.
    pub name: String,
    /// The parameters in the order they are documented, defaults filled in; of a method of a
    /// plugin also `plugin`, its plugin's name, `plugin_version`, and `plugin_sha256`, the hash of its library.
    #[serde(flatten)]
    pub parameters: Map<String, Value>,
}

impl NamedParameters {
    pub(crate) fn new(name: &str, all: impl IntoIterator<Item = (String, Value)>) -> Self {
        Self {
            name: name.to_owned(),
            parameters: all.into_iter().collect(),
        }
    }

    /// What a report says of the plugin that brings a method or a criterion.
    pub(crate) fn of_origin(origin: &Origin) -> impl Iterator<Item = (String, Value)> {
        let sha256 = origin.sha256.as_ref();
        let all = [
            ("plugin", Some(&origin.plugin)),
            ("plugin_version", Some(&origin.version)),
            ("plugin_sha256", sha256),
        ];
        let all = all.map(|(name, text)| Some((name.to_owned(), text?.clone().into())));
        all.into_iter().flatten()
    }

    /// The parameters of a criterion, and of a plugin's what there is of that.
    pub(crate) fn of_criterion(criterion: &dyn Criterion) -> impl Iterator<Item = (String, Value)> {
        let own = criterion.parameters().into_iter().map(|(name, value)| {
            let word = criterion.word(name);
            (name.to_owned(), word.map_or(value.into(), Value::from))
        });
        own.chain(criterion.origin().into_iter().flat_map(Self::of_origin))
    }

    /// Adds an option of the job; where the method has a parameter of its name it is called `option_NAME`.
    pub(crate) fn add_option(&mut self, name: &str, value: Value) {
        let name = match self.parameters.contains_key(name) {
            true => format!("option_{name}"),
            false => name.to_owned(),
        };
        self.parameters.insert(name, value);
    }

    /// Name and parameters as the command line takes them, without the options of the job.
    pub(crate) fn spec_of_method(&self) -> String {
        let options = ["top", "threshold", "correction"];
        let is_own = |name: &&str| !self.parameters.contains_key(&format!("option_{name}"));
        let without = options.into_iter().filter(is_own);
        let others = ["option_top", "option_threshold", "option_correction"];
        let without: Vec<&str> = without.chain(others).collect();
        spec(&self.name, &self.parameters, &without)
    }

    /// Name and parameters of a plugin's method; the name alone of one of passel's own, whose parameters are options.
    pub(crate) fn spec_of_plugin(&self) -> String {
        match self.parameters.contains_key("plugin") {
            true => self.spec_of_method(),
            false => self.name.clone(),
        }
    }

    /// A parameter that is a number.
    pub(crate) fn number(&self, parameter: &str) -> Option<f64> {
        self.parameters.get(parameter)?.as_f64()
    }

    /// Name and parameters as the command line takes them, without some: `mifs:beta=0.5`.
    pub(crate) fn spec(&self, without: &[&str]) -> String {
        spec(&self.name, &self.parameters, without)
    }
}

/// A criterion and its value for the chosen model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CriterionValue {
    /// The name on the command line.
    pub name: String,
    /// φ of the chosen model: smaller is better.
    #[serde(deserialize_with = "super::number_or_nan")]
    pub value: f64,
    /// The parameters, defaults filled in.
    #[serde(flatten)]
    pub parameters: Map<String, Value>,
}

impl CriterionValue {
    /// Name and parameters as the command line takes them: `ebic:gamma=1`.
    pub(crate) fn spec(&self) -> String {
        spec(&self.name, &self.parameters, &[])
    }
}

/// Whether a key of a report stands beside parameters and is none: what a plugin is, and the hash of a file.
fn is_beside(key: &str, parameters: &Map<String, Value>) -> bool {
    let of_file = key.strip_suffix("_sha256");
    key.starts_with("plugin") || of_file.is_some_and(|own| parameters.contains_key(own))
}

fn spec(name: &str, parameters: &Map<String, Value>, without: &[&str]) -> String {
    let own = parameters
        .iter()
        .map(|(key, value)| (key.as_str(), value))
        .filter(|(key, _)| !without.contains(key) && !is_beside(key, parameters));
    written(name, own)
}

/// The rules by which values became codes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BinningRules {
    /// The rule of the candidates.
    pub rule: String,
    /// The rule of the response.
    pub response_rule: String,
}

impl BinningRules {
    /// The two rules of a saved binning; none where nothing was saved.
    pub(crate) fn of(saved: &RawValue) -> Option<Self> {
        serde_json::from_str(saved.get()).ok()
    }
}

impl fmt::Display for BinningRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, of the response {}", self.rule, self.response_rule)
    }
}
