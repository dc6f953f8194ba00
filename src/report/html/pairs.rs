//! The page of all pairs: the strongest of them as a map and as a network.

use std::collections::BTreeSet;

use super::{
    Fact, counted, finite,
    maps::{heat, network},
    page::{Body, Figure, ROWS},
    ranking::{POINTS, binning, problem},
};
use crate::{
    report::{
        numbers::significant,
        pairs::{self, best, singles},
        table::{Table, count, exact, number, text},
    },
    selection::{PairsReport, VariablePair},
};

/// Variables of a map, and of a network.
const MAPPED: usize = 16;
const JOINED: usize = 18;

/// The result in a sentence, and the facts of the scan.
pub(super) fn summary(report: &PairsReport) -> (String, Vec<Fact>) {
    let method = report.method.spec(&["plugin"]);
    let best = report.pairs.first();
    let best = best.map_or_else(String::new, |pair| {
        format!("; the strongest: {} and {}", pair.a, pair.b)
    });
    let cut_short = report.cut_short().map(|cut| format!(" ({cut})"));
    let cut_short = cut_short.unwrap_or_default();
    let (count, all) = (counted(report.pairs.len(), "pair", "pairs"), report.all());
    let lead = format!("{count} of {all} by {method}{cut_short}{best}.");
    let mut facts = problem(&report.response, report.classes, report.n, report.p);
    facts.push(("score", method));
    facts.extend(binning(&report.binning));
    facts.push(("seed", "none: nothing is drawn".to_owned()));
    (lead, facts)
}

pub(super) fn sections(body: &mut Body, report: &PairsReport) {
    let pairs = &report.pairs[..report.pairs.len().min(POINTS)];
    body.section("Pairs");
    body.text(
        "Synergy is I((a,b);y) − I(a;y) − I(b;y): what two variables tell together beyond what each tells \
         alone; the score mi3 is I((a,b);y) itself. Informations are in nats, by counts: with few \
         observations a cell they are too large. The best of many pairs is large by chance too: the same \
         with a shuffled response shows how large.",
    );
    if !pairs.is_empty() {
        map(body, pairs);
        joined(body, pairs);
        let table = Table::of(pairs.iter().enumerate().take(ROWS))
            .column("#", |(at, _)| count(at + 1))
            .column("a", |(_, pair)| text(&pair.a))
            .column("b", |(_, pair)| text(&pair.b))
            .column("score", |(_, pair)| number(pair.score, 6))
            .column("synergy", |(_, pair)| number(pair.synergy, 6));
        body.table("The strongest pairs", "", &table, report.pairs.len());
    }
    body.section("Variables alone");
    let table = singles(best(&report.single, ROWS, |own| Some(own.score)));
    body.table("Every variable by I(x;y)", "", &table, report.single.len());
    if let Some(partners) = report.partners.as_ref().filter(|all| !all.is_empty()) {
        let table = pairs::partners(best(partners, ROWS, |own| own.score), "partner");
        body.table("Best partners", "", &table, partners.len());
    }
}

fn map(body: &mut Body, pairs: &[VariablePair]) {
    let mut names: Vec<String> = Vec::new();
    for pair in pairs {
        let mut new = vec![pair.a.clone(), pair.b.clone()];
        new.retain(|name| !names.contains(name));
        if names.len() + new.len() > MAPPED {
            break;
        }
        names.extend(new);
    }
    let place = |name: &str| names.iter().position(|own| own == name);
    let mut cells = vec![vec![f64::NAN; names.len()]; names.len()];
    let mut mapped = Vec::new();
    for pair in pairs {
        let score = finite(pair.score);
        if let (Some(a), Some(b), Some(score)) = (place(&pair.a), place(&pair.b), score) {
            (cells[a][b], cells[b][a]) = (score, score);
            mapped.push(pair);
        }
    }
    let (count, told) = (names.len(), pairs.len());
    let best = mapped.first().map_or_else(String::new, |pair| {
        format!(", the strongest {} and {}", pair.a, pair.b)
    });
    body.figure(Figure {
        title: "Map of the strongest".to_owned(),
        alt: format!("Heat map of the scores of pairs of {count} variables{best}"),
        caption: format!(
            "Scores of pairs of the {count} variables that the strongest pairs are made of; a pair that \
             is not among the {told} told of has an empty cell."
        ),
        svg: heat(&names, &cells, false, None),
        data: data(&mapped),
        heat: true,
        ..Figure::default()
    });
}

fn data(pairs: &[&VariablePair]) -> String {
    Table::of(pairs)
        .column("a", |pair| text(&pair.a))
        .column("b", |pair| text(&pair.b))
        .column("score", |pair| exact(pair.score))
        .data(pairs.len())
}

fn joined(body: &mut Body, pairs: &[VariablePair]) {
    let (mut names, mut joined) = (BTreeSet::new(), Vec::new());
    for pair in pairs {
        names.extend([&pair.a, &pair.b]);
        if names.len() > JOINED {
            break;
        }
        joined.extend(finite(pair.score).map(|_| pair));
    }
    let (Some(first), Some(last)) = (joined.first(), joined.last()) else {
        return;
    };
    // Of equally many ties the name that comes first.
    let named = || joined.iter().flat_map(|pair| [&*pair.a, &*pair.b]);
    let ties = |name: &str| named().filter(|own| *own == name).count();
    let hub = named()
        .rev()
        .max_by_key(|name| ties(name))
        .unwrap_or_default();
    let of_hub = ties(hub);
    let edges = joined.iter().map(|pair| (&*pair.a, &*pair.b, pair.score));
    let edges: Vec<_> = edges.collect();
    let count = edges.len();
    body.figure(Figure {
        title: "Network of the strongest".to_owned(),
        alt: format!("Network of the {count} strongest pairs; {hub} is in {of_hub} of them"),
        caption: format!(
            "The {count} strongest pairs, the thinnest line of score {}, the thickest of {}.",
            significant(last.score, 3),
            significant(first.score, 3)
        ),
        svg: network(&edges),
        data: data(&joined),
        ..Figure::default()
    });
}
