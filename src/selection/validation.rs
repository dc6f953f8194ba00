//! The report of a validation: the error of the whole procedure on rows that it did not see.

use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::Error};
use serde_json::value::to_raw_value;

use super::{Label, NamedParameters, ResponseFamily, RunSummary};

/// How well models predict rows that they were not selected on: each split of the rows is a selection of its own.
///
/// *Source:* T. Hastie, R. Tibshirani and J. Friedman, *The Elements of Statistical Learning* (2nd ed., 2009), sections 7.10
/// and 7.11; B. Efron and R. Tibshirani, Improvements on cross-validation: the .632+ bootstrap method (1997).
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ValidationReport {
    /// The version of passel that made the report.
    pub passel: Label,
    /// The data file as it was given.
    pub data: Option<String>,
    /// How rows were split: `folds`, `leave-one-out`, `time`, `holdout`, `marked` or `bootstrap`, with its parameters.
    pub scheme: NamedParameters,
    /// The column of groups, times or marks; none without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The method that selects, and its plugin, where it has one.
    pub method: NamedParameters,
    /// Of a method that ranks variables what predicts from those it chose: `ols`, `logistic` or `knn`; none of others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<NamedParameters>,
    /// The name of the response.
    pub response: String,
    /// The formula whose terms are the candidates; none without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// What kind of response it is, of models of maximum likelihood; none of least squares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<ResponseFamily>,
    /// The column of weights; none where all observations count alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
    /// Observations.
    pub n: usize,
    /// Candidates: terms of all rows, without those kept.
    pub p: usize,
    /// Terms that every model holds.
    pub kept: Vec<String>,
    /// Splits asked for.
    pub wanted: usize,
    /// Splits done: all that follows is about these.
    pub done: usize,
    /// Observations that some model was judged on.
    pub judged: usize,
    /// The errors of the models that each criterion selects.
    pub models: Vec<ValidatedModel>,
    /// The errors of the model of the kept terms and the offset alone.
    pub null: Vec<ErrorMeasure>,
    /// The errors of the model of all terms; none where some split has too many of them for its rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full: Option<Vec<ErrorMeasure>>,
    /// The measure by which sizes are compared.
    pub size_measure: Label,
    /// The errors of the best models of each size that the searches met, by the first criterion, or of those of the first
    /// variables of a ranking; of sizes that all have.
    pub by_size: Vec<SizeError>,
    /// The size of the least error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_size: Option<usize>,
    /// The smallest size whose error is within one standard error of the least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_within_one_std_error: Option<usize>,
    /// The splits that are done.
    pub splits: Vec<ValidationSplit>,
    /// What was observed and predicted of each row; none of more predictions than a report holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOut>,
    /// The reports of other methods and families, on the same splits of the same rows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<ValidationReport>,
    /// The seed of splits and selections.
    pub seed: u64,
    /// Where and how the selections ran: it ended `done`, or `interrupted` or at its `time-limit` before all splits were done.
    #[serde(flatten)]
    pub run: RunSummary,
}

/// The models that one criterion selects.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ValidatedModel {
    /// The criterion; of a method that ranks variables what predicts from those it chose.
    pub criterion: NamedParameters,
    /// The errors of its models.
    pub errors: Vec<ErrorMeasure>,
    /// The terms it chose in any split, the most frequent first.
    pub variables: Vec<ChosenTerm>,
}

/// One measure of held-out error.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ErrorMeasure {
    /// `rmse`, `mae`, `r_squared`, `deviance`, `log_loss`, `auc`, `brier`, `accuracy`, `calibration_slope`,
    /// `calibration_intercept` or `concordance`.
    pub name: Label,
    /// Its value; of a bootstrap by .632+. None where it is undefined.
    pub value: Option<f64>,
    /// Its standard error, by the jackknife over folds, or over rows where there is one part.
    pub std_error: Option<f64>,
    /// Of a bootstrap the value on the rows that the model is made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub apparent: Option<f64>,
    /// Of a bootstrap the value on the rows that resamples did not draw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out_of_bag: Option<f64>,
    /// Of a bootstrap the value by .632.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point_632: Option<f64>,
}

/// A term, and in how many splits it was chosen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ChosenTerm {
    /// The term.
    pub name: String,
    /// In how many splits.
    pub count: usize,
    /// In which share of them.
    pub share: f64,
}

/// The error of models of one size.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SizeError {
    /// Terms chosen, those kept not counted.
    pub size: usize,
    /// The error.
    pub value: f64,
    /// Its standard error.
    pub std_error: Option<f64>,
}

/// A size of models that cross-validation chose.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SizeChoice {
    /// The size, in coefficients without those of kept terms.
    pub size: usize,
    /// The measure by which sizes are compared.
    pub measure: Label,
    /// The folds that judged them.
    pub folds: usize,
    /// The error of the models of each size, ascending.
    pub by_size: Vec<SizeError>,
    /// The size of the least error.
    pub best_size: usize,
    /// The smallest size whose error is within one standard error of the least.
    pub size_within_one_std_error: usize,
}

/// One split of the rows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ValidationSplit {
    /// Which time the rows were dealt out, from 1.
    pub repeat: usize,
    /// Its number in the repeat, from 1; 0 of the model of all rows, with which a bootstrap begins.
    pub fold: usize,
    /// Rows that its models are made of.
    pub train: usize,
    /// Rows that they are judged on.
    pub judged: usize,
    /// Rows that they cannot predict: of levels that no training row has.
    pub not_judged: usize,
    /// Terms chosen by each criterion, those kept not counted.
    pub sizes: Vec<usize>,
}

/// What was observed and predicted of rows that were held out, in lists that go together.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HeldOut {
    /// The row of the data, from 1.
    #[serde(serialize_with = "on_one_line")]
    pub row: Vec<usize>,
    /// The place of its split in `splits`, from 1.
    #[serde(serialize_with = "on_one_line")]
    pub split: Vec<usize>,
    /// The response; of events their share, of levels the place of the level, from 1, of survival times the time.
    #[serde(serialize_with = "on_one_line")]
    pub observed: Vec<f64>,
    /// Of survival times 1 for an event, 0 for none.
    #[serde(serialize_with = "on_one_line", skip_serializing_if = "Vec::is_empty")]
    pub event: Vec<f64>,
    /// How much each counts; none where all count alike.
    #[serde(serialize_with = "on_one_line", skip_serializing_if = "Vec::is_empty")]
    pub weight: Vec<f64>,
    /// Of a response of levels these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<String>,
    /// What the models of each criterion predict: means, probabilities of an event, linear predictors of survival times; none
    /// of levels.
    #[serde(
        serialize_with = "lists_on_lines",
        deserialize_with = "lists_or_nan",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub predicted: Vec<Vec<f64>>,
    /// Of levels the probability of what was observed, by criterion.
    #[serde(
        serialize_with = "lists_on_lines",
        deserialize_with = "lists_or_nan",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub probability: Vec<Vec<f64>>,
    /// What the model of the kept terms alone predicts; none of levels.
    #[serde(
        serialize_with = "on_one_line",
        deserialize_with = "list_or_nan",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub null: Vec<f64>,
}

impl ValidationReport {
    /// The number of folds, resamples or other parts that were judged, without the model of all rows of a bootstrap.
    pub(crate) fn judged_splits(&self) -> impl Iterator<Item = &ValidationSplit> {
        self.splits.iter().filter(|own| own.fold > 0)
    }

    /// This report, and those of other methods and families.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.others)
    }

    /// What tells one of [`Self::all`] apart from the others: its method, and what predicts behind that, its family.
    pub(crate) fn name_among_all(&self, own: &Self) -> String {
        let differs = |of: fn(&Self) -> String| self.all().any(|other| of(other) != of(self));
        let method = |own: &Self| {
            let then = own
                .then
                .as_ref()
                .map(|then| format!(" then {}", then.spec(&[])));
            own.method.spec_of_plugin() + &then.unwrap_or_default()
        };
        let family = |own: &Self| match &own.family {
            Some(family) => family.spec(),
            None => "gaussian".to_owned(),
        };
        let mut parts = Vec::new();
        if differs(method) {
            parts.push(method(own));
        }
        if differs(family) {
            parts.push(family(own));
        }
        parts.join(" ")
    }

    /// The measure that a report begins with: the first one that has a value.
    pub(crate) fn headline(&self) -> Option<&ErrorMeasure> {
        let errors = &self.models.first()?.errors;
        errors.iter().find(|own| own.value.is_some())
    }
}

/// Writes a list on one line, where the rest is indented number by number.
fn on_one_line<T: Serialize, S: Serializer>(list: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    to_raw_value(list)
        .map_err(S::Error::custom)?
        .serialize(serializer)
}

/// Writes each list on a line of its own.
fn lists_on_lines<S: Serializer>(lists: &[Vec<f64>], serializer: S) -> Result<S::Ok, S::Error> {
    let lists = lists
        .iter()
        .map(to_raw_value)
        .collect::<Result<Vec<_>, _>>();
    serializer.collect_seq(lists.map_err(S::Error::custom)?)
}

/// A list in which null, which JSON has for what is infinite, is NaN.
fn list_or_nan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    let list = Vec::<Option<f64>>::deserialize(deserializer)?;
    Ok(numbers(list))
}

fn lists_or_nan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Vec<f64>>, D::Error> {
    let lists = Vec::<Vec<Option<f64>>>::deserialize(deserializer)?;
    Ok(lists.into_iter().map(numbers).collect())
}

fn numbers(list: Vec<Option<f64>>) -> Vec<f64> {
    let all = list.into_iter();
    all.map(|own| own.unwrap_or(f64::NAN)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An inverse link or exp may leave the range of f64: the report is read all the same.
    #[test]
    fn a_prediction_that_is_infinite_reads_back() {
        let own = HeldOut {
            row: vec![1, 2],
            predicted: vec![vec![f64::INFINITY, 2.5]],
            probability: vec![vec![0.5, f64::NAN]],
            null: vec![1.5, f64::NEG_INFINITY],
            ..HeldOut::default()
        };
        let text = serde_json::to_string(&own).unwrap();
        let back: HeldOut = serde_json::from_str(&text).unwrap();
        assert!(back.predicted[0][0].is_nan() && back.predicted[0][1] == 2.5);
        assert!(back.probability[0][0] == 0.5 && back.probability[0][1].is_nan());
        assert!(back.null[0] == 1.5 && back.null[1].is_nan());
    }
}
