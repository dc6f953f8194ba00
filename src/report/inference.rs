//! Inference on the choice of variables, for a reader.

use super::{
    numbers::percent,
    table::{Table, count, number, probability, text as text_cell},
};
use crate::selection::{Inference, InferredVariable, Selection};

/// Variables listed; the JSON has all.
const LISTED: usize = 20;

/// Characters of a line of sentences.
const WIDTH: usize = 90;

/// The variables that were chosen, those of the model first.
pub(super) fn listed(inference: &Inference) -> Vec<&InferredVariable> {
    let (own, others): (Vec<_>, Vec<_>) = inference.variables.iter().partition(|own| own.selected);
    own.into_iter().chain(others).take(LISTED).collect()
}

/// What splits or resamples are called.
pub(super) fn draws(inference: &Inference) -> &'static str {
    match &*inference.method {
        "split" => "splits",
        _ => "resamples",
    }
}

/// The table of variables.
pub(super) fn table<'a>(
    inference: &'a Inference,
    variables: Vec<&'a InferredVariable>,
) -> Table<'a, &'a InferredVariable> {
    let is_split = inference.method == "split";
    let tail = 50.0 * (1.0 - inference.level);
    let names = [percent(tail), percent(100.0 - tail)];
    let plain = names.clone().map(|name| format!("{name} plain"));
    let [low, high] = names;
    let [plain_low, plain_high] = plain;
    Table::of(variables)
        .column("variable", |own| text_cell(&*own.name))
        .column("model", |own| {
            text_cell(if own.selected { "in" } else { "" })
        })
        .column("chosen", |own| count(own.chosen))
        .column("coefficient", |own| number(own.coefficient, 6))
        .column_if(is_split, "p", |own| probability(own.p_value))
        .column_if(is_split, "FDR", |own| probability(own.false_discovery_rate))
        .column(low, |own| number(own.lower, 6))
        .column(high, |own| number(own.upper, 6))
        .column_if(!is_split, plain_low, |own| number(own.percentile_lower, 6))
        .column_if(!is_split, plain_high, |own| number(own.percentile_upper, 6))
}

/// What the table says.
pub(super) fn about(inference: &Inference) -> String {
    let by = match &inference.cluster {
        Some(name) => format!(", rows of one {name} together"),
        None => String::new(),
    };
    let (done, draws) = (inference.done, draws(inference));
    match &*inference.method {
        "split" => format!(
            "{done} {draws} of the rows{by}: one half chooses, the other estimates. chosen: by how many halves; coefficient: the median of \
             the estimates; p: of all {draws}, adjusted for all variables; FDR: the least false discovery rate at which the variable is found."
        ),
        _ => format!(
            "{done} {draws} of the rows{by}, each of which chooses anew. chosen: by how many; coefficient: the median, 0 where it is not \
             chosen; intervals bias-corrected and accelerated, then plain percentiles{}.",
            match inference
                .variables
                .iter()
                .any(|own| own.uncorrected.is_some())
            {
                true => {
                    ", which stand alone where the corrected interval would leave out the median, or 0 though many resamples do not \
                     choose the variable"
                }
                false => "",
            }
        ),
    }
}

/// The inference of a report, if there is one.
pub(super) fn text(selection: &Selection) -> String {
    let Some(inference) = &selection.inference else {
        return String::new();
    };
    let listed = listed(inference);
    let more = inference.variables.len() - listed.len();
    let mut page = format!("{}\n\n", wrapped(&about(inference)));
    page += &table(inference, listed).aligned(&[0, 1]);
    if more > 0 {
        page += &format!("and {more} more, which the JSON report has\n");
    }
    page + &format!("\n{}\n\n", wrapped(&inference.promise))
}

/// A sentence in lines of at most so many characters.
fn wrapped(text: &str) -> String {
    let (mut lines, mut width) = (String::new(), 0);
    for word in text.split(' ') {
        let size = word.chars().count();
        if width > 0 {
            let fits = width + 1 + size <= WIDTH;
            lines.push(if fits { ' ' } else { '\n' });
            width = if fits { width + 1 } else { 0 };
        }
        lines += word;
        width += size;
    }
    lines
}
