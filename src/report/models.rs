//! Other models that a search met, in text reports.

use super::{
    numbers::{first_names, listed, printable, significant},
    table::{self, Table, count, number, share},
};
use crate::selection::{Selection, VisitedModel};

/// Names listed of one difference; more are only counted.
pub(super) const NAMED: usize = 4;

/// Sizes listed on either side of the selection's.
const SIZES: usize = 3;

/// The least inclusion weight for which a variable outside the selection is listed.
const NOTED: f64 = 0.01;

/// How far behind the other models are, by which variables they differ, and the best criterion
/// of each size; nothing where no other model was met.
pub(super) fn text(selection: &Selection) -> String {
    let [best, _, ..] = &*selection.models else {
        return String::new();
    };
    let (of, met) = match are_all(selection) {
        true => ("all ", ""),
        false => ("", " met"),
    };
    let mut page = format!(
        "The best of {of}{} models{met}; weight: exp(−Δ/2), over the sum of it for all of them.\n\n",
        selection.met
    );
    page += &Table::of(&selection.models)
        .column("Δ", |own| share(own.delta))
        .column("weight", |own| share(own.weight))
        .column(size_name(selection), |own| count(own.variables.len()))
        .column("beside the selection", |own| {
            table::text(difference(&own.variables, &best.variables, NAMED))
        })
        .aligned(&[3]);
    page += &match selection.candidate_terms {
        _ if selection.front.is_empty() => "\n".to_owned(),
        Some(_) => format!(
            "\nthe best model{met} of each size:\n\n{}\n",
            steps(selection).aligned(&[2])
        ),
        None => format!("\nbest{met} by size: {}\n", sizes(selection)),
    };
    let outside = selection.inclusion.iter();
    let outside = outside.filter(|own| own.weight >= NOTED && !best.variables.contains(&own.name));
    let outside = outside.map(|own| format!("{} {:.3}", printable(&own.name), own.weight));
    let outside: Vec<String> = outside.collect();
    if !outside.is_empty() {
        page += &format!("inclusion of others: {}\n", first_names(&outside, 10));
    }
    let unit = unit(selection);
    page += &match are_all(selection) {
        true => format!("inclusion: the weight of the models that contain the {unit}\n"),
        false => format!(
            "inclusion: the weight of the models met that contain the {unit}; these are the best ones,\n\
             so it lies nearer to 0 and 1 than over all models\n"
        ),
    };
    page.push('\n');
    page
}

/// What models are made of.
pub(super) fn unit(selection: &Selection) -> &'static str {
    match selection.candidate_terms {
        Some(_) => "term",
        None => "variable",
    }
}

/// What the number of terms of a model is called.
pub(super) fn size_name(selection: &Selection) -> &'static str {
    match selection.candidate_terms {
        Some(_) => "terms",
        None => "k",
    }
}

/// A best model of its number of terms, and the best one of the number before, if there is one.
type Step<'a> = (&'a VisitedModel, Option<&'a VisitedModel>);

/// Which terms enter and leave from one number of terms to the next, around the selection's.
pub(super) fn steps(selection: &Selection) -> Table<'_, Step<'_>> {
    let front = &selection.front;
    let before = std::iter::once(None).chain(front.iter().map(Some));
    let own = selection
        .models
        .first()
        .map_or(0, |model| model.variables.len());
    let steps = front.iter().zip(before);
    let near = steps.filter(move |(model, _)| model.variables.len() <= own + SIZES);
    Table::of(near)
        .column("terms", |step| count(step.0.variables.len()))
        .column("criterion", |step| number(step.0.criterion, 7))
        .column("enters and leaves", |(model, before)| {
            let none = Vec::new();
            let before = before.map_or(&none, |before| &before.variables);
            table::text(difference(&model.variables, before, NAMED))
        })
}

/// Whether the models met are all models that are allowed: weights and inclusion are exact then.
pub(super) fn are_all(selection: &Selection) -> bool {
    let proof = selection.proof.as_ref();
    proof.is_some_and(|proof| proof.models.is_some())
}

/// `+ a, b − c`: variables of a model that the best lacks, and the reverse, each with `most` names
/// at most.
pub(super) fn difference(model: &[String], best: &[String], most: usize) -> String {
    let only = |here: &[String], there: &[String]| {
        let names = here.iter().filter(|name| !there.contains(name));
        names.map(|name| printable(name)).collect::<Vec<_>>()
    };
    [("+", only(model, best)), ("−", only(best, model))]
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(sign, names)| format!("{sign} {}", first_names(&names, most)))
        .collect::<Vec<_>>()
        .join(" ")
}

/// `5: 124.7, 6: 126.1, …` around the selection's size.
fn sizes(selection: &Selection) -> String {
    let sizes = selection
        .front
        .iter()
        .map(|model| (model.variables.len(), model.criterion));
    let own = selection
        .models
        .first()
        .map_or(0, |model| model.variables.len());
    let near = sizes.filter(|(size, _)| size.abs_diff(own) <= SIZES);
    listed(near.map(|(size, value)| format!("{size}: {}", significant(value, 7))))
}
