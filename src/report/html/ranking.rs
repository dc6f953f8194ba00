//! The page of a ranking: scores in the order of choice, and what they are made of.

use serde_json::Value;

use super::{
    draw::{Axis, Mark, plane},
    labels::shortened,
    page::{Cell, Data, Figure, Key, Page, Shape, Table, raw},
    told::{Fact, all, count, list, number, of, shown, spec, text, truth},
};
use crate::report::text::significant;

/// Variables named in a plot.
const NAMED: usize = 12;

/// Points of a plot.
pub(super) const POINTS: usize = 2000;

/// What came out in a sentence, and how it was found.
pub(super) fn head(told: &Value) -> (String, Vec<Fact>) {
    let (p, k) = (count(told, "p"), count(told, "k"));
    let method = spec(&told["method"], &["plugin"]);
    let lead = format!(
        "{} chosen of {p} by {method}; {}.",
        of(k, "variable", "variables"),
        ended(told)
    );
    let mut facts = counted(told);
    facts.push(("method", method));
    facts.extend(rules(told));
    let stop = &told["stop"];
    if !stop.is_null() {
        let (n, alpha) = (shown(&stop["n"]), shown(&stop["alpha"]));
        facts.push((
            "stop",
            format!("{}:n={n},alpha={alpha}", text(stop, "rule")),
        ));
    }
    facts.push(("seed", shown(&told["seed"])));
    facts.extend(truth(told).map(|it| ("truth", it)));
    (lead, facts)
}

/// What was counted.
pub(super) fn counted(told: &Value) -> Vec<Fact> {
    let levels = of(count(told, "classes"), "level", "levels");
    vec![
        ("response", format!("{}, {levels}", text(told, "response"))),
        ("observations", count(told, "n").to_string()),
        ("candidates", count(told, "p").to_string()),
    ]
}

/// How values became codes.
pub(super) fn rules(told: &Value) -> Option<Fact> {
    let binning = &told["binning"];
    let rules = [text(binning, "rule"), text(binning, "response_rule")];
    (!binning.is_null()).then(|| {
        (
            "binning",
            format!("{}, of the response {}", rules[0], rules[1]),
        )
    })
}

fn ended(told: &Value) -> &'static str {
    match text(told, "termination") {
        "top" => "as many as were wanted, or as there are",
        "threshold" => "the next one's score is below the threshold",
        "permutation" => "the next one was not shown to be better than the best of chance",
        "zero" => "no other's score is above zero",
        "interrupted" => "interrupted: what was chosen before",
        "fault" => "ended by a failure: what was chosen before",
        "time-limit" => "time limit: what was chosen until then",
        _ => "ended by itself",
    }
}

pub(super) fn sections(page: &mut Page, told: &Value) {
    let selected = list(told, "selected");
    page.section("Variables in the order of choice");
    let refused = &told["refused"];
    if !refused.is_null() {
        page.text(&format!(
            "Not chosen: {}, permutation p {}.",
            text(refused, "name"),
            number(refused, "permutation_p").map_or("–".to_owned(), |it| significant(it, 3))
        ));
    }
    if selected.is_empty() {
        return;
    }
    page.text(
        "Relevance is what the method sees in x alone, I(x;y) as a rule; redundancy the mean of I(x;w) over the \
         variables w chosen before. Informations are in nats, by counts: with few observations a cell they \
         are too large. p (G) is of the G-test of x and y alone; x was chosen by looking, so it is optimistic.",
    );
    if !told["stop"].is_null() {
        page.text(
            "p (permutations): the share of permutations of the response whose best candidate scores no less, \
             itself counted: one step's chance, not corrected for the steps before.",
        );
    }
    let count = all(told, "selected");
    by_rank(page, selected, count);
    plane_of(page, selected, count);
    table(page, told, selected);
}

fn points(selected: &[Value], of: impl Fn(&Value) -> Option<f64>) -> Vec<(f64, f64)> {
    let all = selected.iter().take(POINTS).enumerate();
    all.filter_map(|(at, it)| Some((at as f64 + 1.0, of(it)?)))
        .collect()
}

/// How many are drawn, where these are not all.
fn first_of(all: usize) -> String {
    match all > POINTS {
        true => format!(" The first {POINTS} of {all} are drawn."),
        false => String::new(),
    }
}

fn by_rank(page: &mut Page, selected: &[Value], all: usize) {
    let scores = points(selected, |it| number(it, "score"));
    let relevances = points(selected, |it| number(it, "relevance"));
    let told: Vec<String> = selected
        .iter()
        .take(POINTS)
        .filter(|it| number(it, "score").is_some())
        .map(|it| text(it, "name").to_owned())
        .collect();
    let first: Vec<String> = selected
        .iter()
        .take(5)
        .filter_map(|it| {
            Some(format!(
                "{} {}",
                text(it, "name"),
                significant(number(it, "score")?, 3)
            ))
        })
        .collect();
    let data = selected.iter().take(POINTS).enumerate().map(|(at, it)| {
        let numbers =
            ["score", "relevance"].map(|member| number(it, member).map_or_else(String::new, raw));
        let own = [(at + 1).to_string(), text(it, "name").to_owned()];
        own.into_iter().chain(numbers).collect()
    });
    let count = scores.len();
    let marks = vec![
        Mark::dots(relevances, "var(--e)", 2.5),
        Mark::line(scores.clone(), "var(--a)", 1.5),
        Mark::Dots {
            points: scores,
            color: "var(--a)",
            size: if count > 100 { 2.0 } else { 3.5 },
            told,
            names: Vec::new(),
            smooth: None,
        },
    ];
    page.figure(&Figure {
        title: "Scores by rank".to_owned(),
        alt: format!("Scores of {count} variables by rank: {}", first.join(", ")),
        caption: format!(
            "The score that each was chosen for, in the method's own unit: by some methods it is a sum over \
             those chosen before, and need not fall.{}",
            first_of(all)
        ),
        legend: vec![
            Key::new("var(--a)", Shape::Line, "score"),
            Key::new("var(--e)", Shape::Dot, "relevance"),
        ],
        svg: plane(marks, Axis::counts("rank"), Axis::of("score")),
        data: Data::of(&["rank", "variable", "score", "relevance"], data),
        heat: false,
    });
}

/// The relevance-redundancy plane.
fn plane_of(page: &mut Page, selected: &[Value], all: usize) {
    let place = |it: &Value| {
        // The first has none before it.
        let redundancy = number(it, "redundancy").unwrap_or(0.0);
        Some((redundancy, number(it, "relevance")?))
    };
    let known: Vec<(&str, (f64, f64))> = selected
        .iter()
        .take(POINTS)
        .filter_map(|it| Some((text(it, "name"), place(it)?)))
        .collect();
    if known.len() < 2 {
        return;
    }
    let (named, others) = known.split_at(known.len().min(NAMED));
    let first = selected.iter().map(|it| number(it, "redundancy"));
    let data = known
        .iter()
        .zip(first)
        .enumerate()
        .map(|(at, ((name, it), redundancy))| {
            vec![
                (at + 1).to_string(),
                (*name).to_owned(),
                redundancy.map_or_else(String::new, raw),
                raw(it.1),
            ]
        });
    let marks = vec![
        Mark::dots(others.iter().map(|it| it.1).collect(), "var(--thin)", 2.5),
        Mark::Dots {
            points: named.iter().map(|it| it.1).collect(),
            color: "var(--a)",
            size: 3.5,
            told: named.iter().map(|it| it.0.to_owned()).collect(),
            names: shortened(&named.iter().map(|it| it.0).collect::<Vec<_>>()),
            smooth: None,
        },
    ];
    page.figure(&Figure {
        title: "Relevance and redundancy".to_owned(),
        alt: format!(
            "Relevance against redundancy of {} variables, the first of them {}",
            known.len(),
            known[0].0
        ),
        caption: format!(
            "Up: it tells much about the response; to the right: others chosen before told it already. \
             The first has none before it and stands at 0.{}",
            match others.is_empty() {
                true => String::new(),
                false => format!(" The first {} are named.{}", named.len(), first_of(all)),
            }
        ),
        legend: Vec::new(),
        svg: plane(
            marks,
            Axis::of("redundancy: mean I(x;w)"),
            Axis::of("relevance"),
        ),
        data: Data::of(&["rank", "variable", "redundancy", "relevance"], data),
        heat: false,
    });
}

fn table(page: &mut Page, told: &Value, selected: &[Value]) {
    let permuted = !told["stop"].is_null();
    let mut names = ["#", "variable", "score", "relevance", "redundancy", "p (G)"]
        .map(str::to_owned)
        .to_vec();
    names.extend(permuted.then(|| "p (permutations)".to_owned()));
    let rows = selected.iter().enumerate().map(|(at, it)| {
        let mut row = vec![
            Cell::count(at + 1),
            Cell::text(text(it, "name")),
            Cell::number(number(it, "score"), 6),
            Cell::number(number(it, "relevance"), 6),
            Cell::number(number(it, "redundancy"), 6),
            Cell::p_value(number(it, "p_value")),
        ];
        row.extend(permuted.then(|| Cell::p_value(number(it, "permutation_p"))));
        row
    });
    page.table(&Table {
        title: "Chosen variables",
        caption: "",
        names,
        rows: rows.collect(),
        of: all(told, "selected"),
    });
}
