//! The parts of a model, which are its JSON.

use serde::{Deserialize, Serialize};

use super::{Equation, ModelColumn, ModelVariable};
use crate::{family::Link, formula::LearntColumns};

/// The version of the JSON of a model. Fields are added without a new one; a new one says that older programs would
/// predict wrongly.
pub const MODEL_VERSION: u32 = 1;

/// A model that predicts, whatever data it was fitted to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Model {
    /// See [`MODEL_VERSION`].
    pub version: u32,
    /// The name of the response.
    pub response: String,
    /// The distribution of the response, `gaussian` of least squares.
    pub family: String,
    /// The link, `identity` of least squares.
    pub link: String,
    /// Of a plugin's family how it is asked for: `PLUGIN/NAME:PARAMETER=NUMBER`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin_family: Option<String>,
    /// The link of a plugin, once that is there.
    #[serde(skip)]
    pub(crate) plugin_link: Option<Link>,
    /// Of a response of levels these, in their order; of levels without order the baseline first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<String>,
    /// The column that is added to the linear predictor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<String>,
    /// The column of weights. It is needed for intervals of new observations alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
    /// Of survival times the column of strata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strata: Option<String>,
    /// The columns of the data that it uses.
    pub columns: Vec<ModelColumn>,
    /// The columns of a formula.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<LearntColumns>,
    /// The variables of its equations.
    pub variables: Vec<ModelVariable>,
    /// The equation of the selected model.
    pub equation: Equation,
    /// The equations of the best models met, the selected one first, with their weights: `--average` predicts by them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub met: Vec<Equation>,
}
