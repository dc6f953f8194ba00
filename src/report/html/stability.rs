//! The page of a stability selection: how often each variable was chosen, and the bounds.

use serde_json::Value;

use super::{
    draw::{Axis, Mark, plane},
    page::{Cell, Data, Figure, Key, Page, Shape, Table, raw},
    ranking::rules,
    regression::parameters,
    shares::Shares,
    told::{Fact, all, count, list, number, of, shown, spec, text, texts, truth},
};
use crate::report::text::significant;

/// Variables of a plot with names, and of one without.
const NAMED: usize = 30;
const POINTS: usize = 2000;

/// What came out in a sentence, and how it was found.
pub(super) fn head(told: &Value) -> (String, Vec<Fact>) {
    let (p, k) = (count(told, "p"), count(told, "k"));
    let decides = text(told, "decides");
    let lead = match (number(told, "cutoff"), number(told, "false_picks")) {
        (Some(cutoff), Some(wanted)) => format!(
            "{} of {p}, chosen from {} % of the resamples or more: the cut-off at which the bound {decides} \
             expects at most {wanted} false.",
            of(k, "stable variable", "stable variables"),
            significant(100.0 * cutoff, 3),
        ),
        (Some(cutoff), None) => format!(
            "{} of {p}, chosen from {} % of the resamples or more, as asked for.",
            of(k, "stable variable", "stable variables"),
            significant(100.0 * cutoff, 3),
        ),
        (None, _) => {
            "No variable: no cut-off keeps the expected false picks as low as wanted.".to_owned()
        }
    };
    let (resamples, rows) = (count(told, "resamples"), count(told, "rows"));
    let made = match text(told, "resampling") {
        "complementary" => format!("{} complementary pairs of {rows} rows each", resamples / 2),
        "bootstrap" => format!("{resamples} bootstraps of {rows} rows"),
        _ => format!("{resamples} subsamples of {rows} rows"),
    };
    // The search's parameters are many; the JSON has them.
    let method = match told["criterion"].is_null() || !told["method"]["plugin"].is_null() {
        true => spec(&told["method"], &["plugin", "top", "threshold"]),
        false => text(&told["method"], "name").to_owned(),
    };
    let mut facts = vec![
        ("response", text(told, "response").to_owned()),
        ("observations", count(told, "n").to_string()),
        ("candidates", p.to_string()),
        ("method", method),
    ];
    let kept = texts(told, "kept");
    facts.extend((!kept.is_empty()).then(|| ("always kept", kept.join(", "))));
    if !told["criterion"].is_null() {
        facts.push(("criterion", spec(&told["criterion"], &[])));
    }
    facts.extend(rules(told));
    facts.push(("resamples", made));
    if text(told, "termination") == "interrupted" {
        facts.push((
            "ended",
            format!("interrupted after {resamples} of {}", count(told, "wanted")),
        ));
    }
    let q = number(told, "q").map_or("–".to_owned(), |it| significant(it, 4));
    facts.push(("chosen of each", format!("{q} on average")));
    facts.push(("seed", shown(&told["seed"])));
    facts.extend(truth(told).map(|it| ("truth", it)));
    (lead, facts)
}

pub(super) fn sections(page: &mut Page, told: &Value) {
    page.section("How often each was chosen");
    frequencies(page, told);
    by_rank(page, told);
    bounds(page, told);
    let variables = list(told, "variables");
    let k = count(told, "k");
    let paired = variables.iter().any(|it| !it["simultaneous"].is_null());
    let mut names = ["variable", "frequency", "times"]
        .map(str::to_owned)
        .to_vec();
    names.extend(paired.then(|| "both halves".to_owned()));
    names.push("selected".to_owned());
    let rows = variables
        .iter()
        .take(super::page::ROWS)
        .enumerate()
        .map(|(at, it)| {
            let mut row = vec![
                Cell::text(text(it, "name")),
                Cell::number(number(it, "frequency"), 3),
                Cell::count(count(it, "count")),
            ];
            row.extend(paired.then(|| Cell::number(number(it, "simultaneous"), 3)));
            // The most frequent are selected.
            row.push(Cell::text(if at < k { "yes" } else { "" }));
            row
        });
    page.table(&Table {
        title: "Variables chosen at least once",
        caption: "",
        names,
        rows: rows.collect(),
        of: all(told, "variables"),
    });
    parameters(page, told);
}

fn frequencies(page: &mut Page, told: &Value) {
    let (variables, k) = (list(told, "variables"), count(told, "k"));
    let rows = variables.iter().take(NAMED).enumerate();
    let rows =
        rows.filter_map(|(at, it)| Some((text(it, "name"), number(it, "frequency")?, at < k)));
    let rows: Vec<_> = rows.collect();
    Shares {
        title: "The most frequent",
        alt: "Bars of the shares of resamples that chose a variable",
        caption: format!(
            "The share of resamples from which each was chosen.{}",
            match all(told, "variables") > rows.len() {
                true => format!(" The first {} of {}.", rows.len(), all(told, "variables")),
                false => String::new(),
            }
        ),
        rows: &rows,
        of: ("frequency", "frequency"),
        cutoff: number(told, "cutoff"),
    }
    .put(page);
}

/// All frequencies, so that a gap among them is seen, or that there is none.
fn by_rank(page: &mut Page, told: &Value) {
    let variables = list(told, "variables");
    let points: Vec<(f64, f64)> = variables
        .iter()
        .take(POINTS)
        .enumerate()
        .filter_map(|(at, it)| Some((at as f64 + 1.0, number(it, "frequency")?)))
        .collect();
    if points.len() < 2 {
        return;
    }
    let mut marks = vec![Mark::Dots {
        told: variables
            .iter()
            .take(POINTS)
            .map(|it| text(it, "name").to_owned())
            .collect(),
        points: points.clone(),
        color: "var(--a)",
        size: 3.0,
        names: Vec::new(),
        smooth: None,
    }];
    let decides = text(told, "decides");
    let mut legend = Vec::new();
    for bound in list(told, "bounds") {
        let name = text(bound, "name");
        if let Some(cutoff) = number(bound, "cutoff").filter(|_| name != decides) {
            marks.push(Mark::Across(cutoff, "var(--axis)"));
        }
    }
    if marks.len() > 1 {
        legend.push(Key::new(
            "var(--axis)",
            Shape::Dashed,
            "cut-offs of the other bounds",
        ));
    }
    if let Some(cutoff) = number(told, "cutoff") {
        marks.push(Mark::Across(cutoff, "var(--b)"));
        legend.insert(
            0,
            Key::new("var(--b)", Shape::Dashed, &format!("cut-off ({decides})")),
        );
    }
    let data = variables.iter().zip(&points);
    let data =
        data.map(|(it, point)| vec![raw(point.0), text(it, "name").to_owned(), raw(point.1)]);
    let data: Vec<Vec<String>> = data.collect();
    page.figure(&Figure {
        title: "Frequencies by rank".to_owned(),
        alt: format!(
            "Frequencies of {} variables by rank; {} reach the cut-off",
            variables.len(),
            count(told, "k")
        ),
        caption: format!(
            "A gap parts what is chosen again and again from what chance brings in.{}",
            match all(told, "variables") > points.len() {
                true => format!(
                    " The first {} of {} are drawn.",
                    points.len(),
                    all(told, "variables")
                ),
                false => String::new(),
            }
        ),
        legend,
        svg: plane(
            marks,
            Axis::counts("rank"),
            Axis::of("frequency").between(0.0, 1.04),
        ),
        data: Data::of(&["rank", "variable", "frequency"], data.into_iter()),
        heat: false,
    });
}

fn bounds(page: &mut Page, told: &Value) {
    let decides = text(told, "decides");
    let rows = list(told, "bounds").iter().map(|it| {
        let name = text(it, "name");
        let mark = if name == decides { "yes" } else { "" };
        let selected = list(it, "variables").len();
        vec![
            Cell::text(name),
            Cell::number(number(it, "cutoff"), 3),
            Cell::number(number(it, "false_picks"), 3),
            match number(it, "cutoff") {
                Some(_) => Cell::count(selected),
                None => Cell::number(None, 1),
            },
            Cell::text(mark),
        ]
    });
    let rows: Vec<Vec<Cell>> = rows.collect();
    let q = number(told, "q").unwrap_or_default() / (count(told, "p").max(1) as f64);
    page.section("What the bounds say");
    page.text(&format!(
        "They are of an expected number, with q measured, not of this selection. By the bounds of \
         complementary pairs a false pick is a variable that the method itself chooses rarely: from half of \
         the rows with a chance of at most θ = q/p, here {}. The worst case takes nothing for granted; \
         unimodal and r-concave assume a shape of the shares of resamples, which no theorem promises. By \
         Meinshausen and Bühlmann's a false pick is a variable without an effect, where all of these are \
         chosen alike. A dash: the bound says nothing there.",
        significant(q, 2)
    ));
    page.table(&Table {
        title: "Bounds on the expected false picks",
        caption: match told["false_picks"].is_null() {
            true => "The cut-off was given.",
            false => "Each at the least cut-off above one half that keeps what is allowed.",
        },
        names: [
            "bound",
            "cut-off",
            "false picks at most",
            "selected",
            "decides",
        ]
        .map(str::to_owned)
        .to_vec(),
        of: rows.len(),
        rows,
    });
}
