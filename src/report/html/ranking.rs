//! The page of a ranking: scores in the order of choice, and what they are made of.

use serde_json::value::RawValue;

use super::{
    Fact, counted,
    draw::{Mark, Scale, plane},
    finite, first_of,
    labels::{SIGNS, apart},
    page::{Body, DOT, Figure, LINE},
    truth,
};
use crate::{
    report::{
        numbers::{listed, significant, when},
        ranking::{is_standardised, variables},
        table::{Table, count, exact, number, text, told},
    },
    selection::{BinningRules, RankedVariable, Ranking, StopReason},
};

/// Variables named in a plot.
const NAMED: usize = 12;

/// Points of a plot.
pub(super) const POINTS: usize = 2000;

/// The result in a sentence, and the facts of the selection.
pub(super) fn summary(report: &Ranking) -> (String, Vec<Fact>) {
    let method = report.method.spec(&["plugin"]);
    let lead = format!(
        "{} chosen of {} by {method}; {}.",
        counted(report.k, "variable", "variables"),
        report.p,
        ending(report.run.termination)
    );
    let mut facts = problem(&report.response, report.classes, report.n, report.p);
    facts.push(("method", method));
    facts.extend(binning(&report.binning));
    let correction = report.correction.as_ref();
    facts.extend(correction.map(|name| ("correction", name.to_string())));
    facts.extend(report.stop.as_ref().map(|stop| ("stop", stop.to_string())));
    let seed = report.seed.map(|seed| seed.to_string());
    facts.push(("seed", seed.unwrap_or("none".to_owned())));
    facts.extend(truth(report.truth.as_ref()));
    facts.extend(told(&report.run.numbers));
    (lead, facts)
}

/// Response, observations and candidates of what is counted.
pub(super) fn problem(response: &str, classes: usize, n: usize, p: usize) -> Vec<Fact> {
    let levels = counted(classes, "level", "levels");
    vec![
        ("response", format!("{response}, {levels}")),
        ("observations", n.to_string()),
        ("candidates", p.to_string()),
    ]
}

pub(super) fn binning(saved: &RawValue) -> Option<Fact> {
    Some(("binning", BinningRules::of(saved)?.to_string()))
}

fn ending(termination: StopReason) -> &'static str {
    match termination {
        StopReason::Top => "as many as were wanted, or as there are",
        StopReason::Threshold => "the next one's score is below the threshold",
        StopReason::Permutation => {
            "the next one was not shown to be better than the best of chance"
        }
        StopReason::Zero => "no other's score is above zero",
        StopReason::Interrupted => "interrupted: what was chosen before",
        StopReason::Fault => "ended by a failure: what was chosen before",
        StopReason::TimeLimit => "time limit: what was chosen until then",
        StopReason::Done => "ended by itself",
    }
}

pub(super) fn sections(body: &mut Body, report: &Ranking) {
    let selected = &report.selected;
    body.section("Variables in the order of choice");
    if let Some(rejected) = &report.refused {
        let p = number(rejected.rejection.permutation_p, 3).shown();
        body.text(&format!(
            "Not chosen: {}, permutation p {p}.",
            rejected.name
        ));
    }
    if selected.is_empty() {
        return;
    }
    body.text(
        "Relevance is what the method sees in x alone, I(x;y) as a rule; redundancy the mean of I(x;w) over the \
         variables w chosen before. Informations are in nats, by counts: with few observations a cell they \
         are too large. p (G) is of the G-test of x and y alone; x was chosen by looking, so it is optimistic.",
    );
    if report.stop.is_some() {
        body.text(
            "p (permutations): the share of permutations of the response whose best candidate scores no less, \
             itself counted: one step's chance, not corrected for the steps before.",
        );
    }
    if is_standardised(report) {
        body.text(
            "z (perm.): the score less the mean of its permutations, in deviations of these. Variables are chosen by \
             it, so that many levels are no advantage, and p is of the largest one.",
        );
    }
    scores(body, selected);
    relevances(body, selected);
    let table = variables(report, "p (permutations)");
    body.table("Chosen variables", "", &table, selected.len());
}

fn scores(body: &mut Body, selected: &[RankedVariable]) {
    let all = selected.len();
    let selected = &selected[..all.min(POINTS)];
    let points = |value: fn(&RankedVariable) -> f64| {
        let ranked = selected.iter().enumerate();
        let point = |(at, chosen)| Some((at as f64 + 1.0, finite(value(chosen))?));
        ranked.filter_map(point).collect::<Vec<_>>()
    };
    let scores = points(|chosen| chosen.choice.score);
    let relevances = points(|chosen| chosen.choice.relevance);
    let scored = selected.iter().map(|own| (&own.name, own.choice.score));
    let scored = scored.filter(|(_, score)| score.is_finite());
    let names = scored.clone().map(|(name, _)| name.clone()).collect();
    let first = scored.take(5);
    let first = listed(first.map(|(name, score)| format!("{name} {}", significant(score, 3))));
    let count_drawn = scores.len();
    let size = if count_drawn > 100 { 2.0 } else { 3.5 };
    let marks = vec![
        Mark::dots(relevances, "var(--e)", 2.5),
        Mark::line(scores.clone(), "var(--a)", 1.5),
        Mark {
            tooltips: names,
            ..Mark::dots(scores, "var(--a)", size)
        },
    ];
    body.figure(Figure {
        title: "Scores by rank".to_owned(),
        alt: format!("Scores of {count_drawn} variables by rank: {first}"),
        caption: format!(
            "The score that each was chosen for, in the method's own unit: by some methods it is a sum over \
             those chosen before, and need not fall.{}",
            first_of(selected.len(), all, " are drawn")
        ),
        legend: vec![
            ("var(--a)", LINE, "score".to_owned()),
            ("var(--e)", DOT, "relevance".to_owned()),
        ],
        svg: plane(marks, ("rank", Scale::Counts), ("score", Scale::Points)),
        data: Table::of(selected.iter().enumerate())
            .column("rank", |(at, _)| count(at + 1))
            .column("variable", |(_, own)| text(&own.name))
            .column("score", |(_, own)| exact(own.choice.score))
            .column("relevance", |(_, own)| exact(own.choice.relevance))
            .data(POINTS),
        heat: false,
    });
}

/// The relevance-redundancy plane.
fn relevances(body: &mut Body, selected: &[RankedVariable]) {
    let known = selected.iter().take(POINTS);
    let known = known.filter(|own| own.choice.relevance.is_finite());
    let known: Vec<_> = known.collect();
    if known.len() < 2 {
        return;
    }
    // The first has none before it.
    let place = |own: &&RankedVariable| {
        let redundancy = own.choice.redundancy.unwrap_or(0.0);
        (redundancy, own.choice.relevance)
    };
    let (named, others) = known.split_at(known.len().min(NAMED));
    let names: Vec<&str> = named.iter().map(|chosen| &*chosen.name).collect();
    let marks = vec![
        Mark::dots(others.iter().map(place).collect(), "var(--thin)", 2.5),
        Mark {
            tooltips: names.iter().map(|name| (*name).to_owned()).collect(),
            names: apart(&names, SIGNS),
            ..Mark::dots(named.iter().map(place).collect(), "var(--a)", 3.5)
        },
    ];
    let more = first_of(selected.len().min(POINTS), selected.len(), " are drawn");
    body.figure(Figure {
        title: "Relevance and redundancy".to_owned(),
        alt: format!(
            "Relevance against redundancy of {} variables, the first of them {}",
            known.len(),
            names[0]
        ),
        caption: format!(
            "Up: it tells much about the response; to the right: others chosen before told it already. \
             The first has none before it and stands at 0.{}",
            when(!others.is_empty(), &format!(" The first {} are named where there is room.{more}", named.len()))
        ),
        svg: plane(
            marks,
            ("redundancy: mean I(x;w)", Scale::Points),
            ("relevance", Scale::Points),
        ),
        data: Table::of(known.iter().enumerate())
            .column("rank", |(at, _)| count(at + 1))
            .column("variable", |(_, own)| text(&own.name))
            .column("redundancy", |(_, own)| exact(own.choice.redundancy))
            .column("relevance", |(_, own)| exact(own.choice.relevance))
            .data(POINTS),
        ..Figure::default()
    });
}
