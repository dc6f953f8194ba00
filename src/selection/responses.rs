//! The report of several responses: a model of each, and which variables they share.

use std::{cmp::Reverse, collections::HashMap};

use serde::{Deserialize, Serialize};

use super::{Elapsed, Label, Selection};

/// The models of several responses, selected each by itself from the same candidates.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ResponsesReport {
    /// The version of passel that made the report.
    pub passel: Label,
    /// The data file as it was given; none for data in memory.
    pub data: Option<String>,
    /// The report of each response that has a model, in the order in which they were named.
    pub responses: Vec<Selection>,
    /// The responses that have none, with the reasons.
    pub failed: Vec<FailedResponse>,
    /// Whether an interrupt ended the work before all were searched.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// The chosen variables, or terms, those of most responses first; kept ones were not chosen.
    pub shared: Vec<SharedVariable>,
    /// Wall-clock seconds of all responses together.
    #[serde(skip_serializing_if = "Elapsed::is_unknown")]
    pub elapsed_seconds: Elapsed,
}

/// A response of which no model was selected.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FailedResponse {
    /// Its name.
    pub response: String,
    /// Why.
    pub reason: String,
}

/// Failures that an error names one by one; the report has all of them.
const NAMED: usize = 5;

impl FailedResponse {
    /// How many responses failed, of how many, and why.
    pub(crate) fn all(failed: &[Self], count: usize) -> String {
        let all = format!("no model of {} of {count} responses", failed.len());
        let named = failed.iter().take(NAMED);
        let named = named.map(|own| format!("{}: {}", own.response, own.reason));
        let named = named.collect::<Vec<_>>().join("; ");
        match failed.len().saturating_sub(NAMED) {
            0 => format!("{all}: {named}"),
            more => format!("{all}: {named}; … and {more} more: the report has all of them"),
        }
    }
}

/// A variable, or a term, that the models of some responses chose.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SharedVariable {
    /// Its name.
    pub name: String,
    /// The criterion that chose it, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criterion: Option<String>,
    /// The number of responses whose models have it.
    pub count: usize,
    /// These responses, in their order.
    pub responses: Vec<String>,
}

impl ResponsesReport {
    /// The report of these models and failures.
    pub(crate) fn of(responses: Vec<Selection>, failed: Vec<FailedResponse>) -> Self {
        Self {
            passel: env!("CARGO_PKG_VERSION").into(),
            data: None,
            shared: shared_variables(&responses),
            responses,
            failed,
            interrupted: false,
            elapsed_seconds: Elapsed::default(),
        }
    }
}

impl Selection {
    /// The names of what was chosen: terms, where variables are not terms each, and none that was kept.
    pub(crate) fn chosen_names(&self) -> impl Iterator<Item = &str> {
        let terms = self.terms.iter().map(|term| &*term.name);
        let variables = self.selected.iter().map(|own| &*own.name);
        let variables = variables.filter(|_| self.terms.is_empty());
        let all = terms.chain(variables);
        all.filter(|name| self.kept.iter().all(|kept| kept != name))
    }
}

/// The variables that models chose, by one criterion after another: those of most models first, and of as many in the
/// order of their first model.
fn shared_variables(responses: &[Selection]) -> Vec<SharedVariable> {
    let others = responses.iter().map(|own| own.by_other_criteria.len());
    let others = others.max().unwrap_or_default();
    let by_criterion = |at: usize| {
        let models = responses.iter().filter_map(move |own| match at {
            0 => Some(own),
            at => own.by_other_criteria.get(at - 1),
        });
        shared_by_one(models, others > 0)
    };
    (0..=others).flat_map(by_criterion).collect()
}

/// The variables that models of one criterion chose; `is_named` where its name goes with them.
fn shared_by_one<'a>(
    models: impl Iterator<Item = &'a Selection>,
    is_named: bool,
) -> Vec<SharedVariable> {
    let (mut all, mut places) = (Vec::<SharedVariable>::new(), HashMap::new());
    for report in models {
        for name in report.chosen_names() {
            let place = *places.entry(name).or_insert_with(|| {
                all.push(SharedVariable {
                    name: name.to_owned(),
                    criterion: is_named.then(|| report.criterion.spec()),
                    ..SharedVariable::default()
                });
                all.len() - 1
            });
            all[place].count += 1;
            all[place].responses.push(report.response.clone());
        }
    }
    all.sort_by_key(|own| Reverse(own.count));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selection::SelectedVariable;

    fn report(response: &str, chosen: &[&str], kept: &[&str]) -> Selection {
        let variable = |name: &&str| SelectedVariable {
            name: (*name).to_owned(),
            ..SelectedVariable::default()
        };
        Selection {
            response: response.to_owned(),
            kept: kept.iter().map(|name| (*name).to_owned()).collect(),
            selected: chosen.iter().map(variable).collect(),
            ..Selection::default()
        }
    }

    #[test]
    fn variables_of_most_responses_come_first_and_kept_ones_not_at_all() {
        let responses = vec![
            report("a", &["x", "age", "u"], &["age"]),
            report("b", &["age"], &["age"]),
            report("c", &["u", "z", "age"], &["age"]),
        ];
        let shared = ResponsesReport::of(responses, Vec::new()).shared;
        let told = shared
            .iter()
            .map(|own| (&*own.name, own.count, own.responses.join("+")));
        let expected = [
            ("u", 2, "a+c".to_owned()),
            ("x", 1, "a".to_owned()),
            ("z", 1, "c".to_owned()),
        ];
        assert!(told.eq(expected), "{shared:?}");
    }

    #[test]
    fn what_several_criteria_chose_is_told_apart() {
        let spec = |name: &str| crate::selection::CriterionValue {
            name: name.into(),
            ..Default::default()
        };
        let of = |response: &str, by_aic: &[&str], by_bic: &[&str]| Selection {
            criterion: spec("aic"),
            by_other_criteria: vec![Selection {
                criterion: spec("bic"),
                ..report(response, by_bic, &[])
            }],
            ..report(response, by_aic, &[])
        };
        let responses = vec![of("a", &["x", "u"], &["u"]), of("b", &["u"], &[])];
        let shared = ResponsesReport::of(responses, Vec::new()).shared;
        let told = shared.iter().map(|own| {
            let criterion = own.criterion.as_deref().unwrap();
            (criterion, &*own.name, own.count)
        });
        assert!(
            told.eq([("aic", "u", 2), ("aic", "x", 1), ("bic", "u", 1)]),
            "{shared:?}"
        );
    }
}
