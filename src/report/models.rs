//! The part of the text report about the models met beside the one chosen.

use std::fmt::Write;

use comfy_table::Table;

use super::text::{aligned, printable, significant};
use crate::selection::Selection;

/// Names told of one difference; more are only counted.
pub(super) const NAMED: usize = 4;

/// Sizes told on either side of the selection's.
const SIZES: usize = 3;

/// Variables outside the selection are told from this weight on.
const NOTED: f64 = 0.01;

/// How far behind the other models are, by what they differ, and what the
/// criterion says of each size; nothing where no other model was met.
pub(super) fn render(selection: &Selection) -> String {
    let Some((best, others)) = selection.models.split_first() else {
        return String::new();
    };
    if others.is_empty() {
        return String::new();
    }
    let mut table = Table::new();
    table.set_header(["Δ", "weight", "k", "beside the selection"]);
    for model in &selection.models {
        table.add_row([
            format!("{:.3}", model.delta),
            format!("{:.3}", model.weight),
            model.variables.len().to_string(),
            difference(&model.variables, &best.variables, NAMED),
        ]);
    }
    let mut page = format!(
        "The best of {} models met; weight: exp(−Δ/2), over the sum of it for all of them.\n\n",
        selection.met
    );
    page += &aligned(table, &[3]);
    // Writing to a String cannot fail.
    let _ = writeln!(page, "\nbest met by size: {}", sizes(selection));
    let outside: Vec<String> = selection
        .inclusion
        .iter()
        .filter(|it| it.weight >= NOTED && !best.variables.contains(&it.name))
        .map(|it| format!("{} {:.3}", printable(&it.name), it.weight))
        .collect();
    if !outside.is_empty() {
        let _ = writeln!(page, "inclusion of others: {}", list(&outside, 10));
    }
    page.push('\n');
    page
}

/// `+ a, b − c`: what a model has and the best has not, and the reverse; so many names of each at
/// most.
pub(super) fn difference<T: AsRef<str> + PartialEq>(
    model: &[T],
    best: &[T],
    most: usize,
) -> String {
    let only = |here: &[T], there: &[T]| {
        let names = here.iter().filter(|it| !there.contains(it));
        names.map(|it| printable(it.as_ref())).collect::<Vec<_>>()
    };
    [("+", only(model, best)), ("−", only(best, model))]
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(sign, names)| format!("{sign} {}", list(&names, most)))
        .collect::<Vec<_>>()
        .join(" ")
}

/// `5: 124.7, 6: 126.1, …` around the selection's size.
fn sizes(selection: &Selection) -> String {
    let near = selection
        .front
        .iter()
        .filter(|it| it.variables.len().abs_diff(selection.k) <= SIZES)
        .map(|it| format!("{}: {}", it.variables.len(), significant(it.criterion, 7)));
    near.collect::<Vec<_>>().join(", ")
}

/// The first names, and how many more there are.
fn list(names: &[String], most: usize) -> String {
    match names.len() {
        count if count > most => {
            format!("{}, … {} more", names[..most].join(", "), count - most)
        }
        _ => names.join(", "),
    }
}
