//! The page of all pairs: the strongest of them as a map and as a network.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    maps::{heat, network},
    page::{Cell, Data, Figure, Page, Table, raw},
    ranking::{counted, rules},
    told::{Fact, all, count, list, number, of, spec, text},
};
use crate::report::text::significant;

/// Variables of a map, and of a network.
const MAPPED: usize = 16;
const JOINED: usize = 18;

/// What came out in a sentence, and how it was found.
pub(super) fn head(told: &Value) -> (String, Vec<Fact>) {
    let p = count(told, "p");
    let pairs = list(told, "pairs");
    let method = spec(&told["method"], &["plugin"]);
    let best = match pairs.first() {
        Some(it) => format!("; the strongest: {} and {}", text(it, "a"), text(it, "b")),
        None => String::new(),
    };
    let whole = match text(told, "termination") {
        "interrupted" => " (interrupted: not all were scored)",
        "fault" => " (a device failed: not all were scored)",
        _ => "",
    };
    let lead = format!(
        "{} of {} by {method}{whole}{best}.",
        of(all(told, "pairs"), "pair", "pairs"),
        p * p.saturating_sub(1) / 2
    );
    let mut facts = counted(told);
    facts.push(("score", method));
    facts.extend(rules(told));
    facts.push(("seed", "none: nothing is drawn".to_owned()));
    (lead, facts)
}

pub(super) fn sections(page: &mut Page, told: &Value) {
    let pairs = list(told, "pairs");
    page.section("Pairs");
    page.text(
        "Synergy is I((a,b);y) − I(a;y) − I(b;y): what two variables tell together beyond what each tells \
         alone; the score mi3 is I((a,b);y) itself. Informations are in nats, by counts: with few \
         observations a cell they are too large. The best of many pairs is large by chance too: the same \
         with a shuffled response shows how large.",
    );
    if !pairs.is_empty() {
        map(page, pairs);
        joined(page, pairs);
        page.table(&Table {
            title: "The strongest pairs",
            caption: "",
            names: ["#", "a", "b", "score", "synergy"]
                .map(str::to_owned)
                .to_vec(),
            rows: pairs
                .iter()
                .take(super::page::ROWS)
                .enumerate()
                .map(pair)
                .collect(),
            of: all(told, "pairs"),
        });
    }
    // The best first.
    let best = list(told, "single");
    let row = |it: &Value| {
        vec![
            Cell::text(text(it, "name")),
            Cell::number(number(it, "score"), 6),
            Cell::p_value(number(it, "p_value")),
        ]
    };
    page.section("Variables alone");
    page.table(&Table {
        title: "Every variable by I(x;y)",
        caption: "",
        names: ["variable", "I(x;y)", "p (G)"].map(str::to_owned).to_vec(),
        rows: best.iter().take(super::page::ROWS).map(row).collect(),
        of: all(told, "single"),
    });
    partners(page, told);
}

fn pair((at, it): (usize, &Value)) -> Vec<Cell> {
    vec![
        Cell::count(at + 1),
        Cell::text(text(it, "a")),
        Cell::text(text(it, "b")),
        Cell::number(number(it, "score"), 6),
        Cell::number(number(it, "synergy"), 6),
    ]
}

/// Of every variable the one it scores best with, where that was asked for.
fn partners(page: &mut Page, told: &Value) {
    let best = list(told, "partners");
    if best.is_empty() {
        return;
    }
    let row = |it: &Value| {
        vec![
            Cell::text(text(it, "name")),
            Cell::text(match text(it, "partner") {
                "" => "–",
                name => name,
            }),
            Cell::number(number(it, "score"), 6),
            Cell::number(number(it, "synergy"), 6),
        ]
    };
    page.table(&Table {
        title: "Best partners",
        caption: "",
        names: ["variable", "partner", "score", "synergy"]
            .map(str::to_owned)
            .to_vec(),
        rows: best.iter().take(super::page::ROWS).map(row).collect(),
        of: all(told, "partners"),
    });
}

fn map(page: &mut Page, pairs: &[Value]) {
    let mut names: Vec<String> = Vec::new();
    for it in pairs {
        let own = [text(it, "a"), text(it, "b")].map(str::to_owned);
        let new: Vec<String> = own.into_iter().filter(|it| !names.contains(it)).collect();
        if names.len() + new.len() > MAPPED {
            break;
        }
        names.extend(new);
    }
    let mut cells = vec![vec![f64::NAN; names.len()]; names.len()];
    let mut data = Vec::new();
    for it in pairs {
        let place = |member| names.iter().position(|name| name == text(it, member));
        if let (Some(a), Some(b), Some(score)) = (place("a"), place("b"), number(it, "score")) {
            (cells[a][b], cells[b][a]) = (score, score);
            data.push(vec![names[a].clone(), names[b].clone(), raw(score)]);
        }
    }
    let best = data.first().map_or_else(String::new, |it| {
        format!(", the strongest {} and {}", it[0], it[1])
    });
    page.figure(&Figure {
        title: "Map of the strongest".to_owned(),
        alt: format!("Heat map of the scores of pairs of {} variables{best}", names.len()),
        caption: format!(
            "Scores of pairs of the {} variables that the strongest pairs are made of; a pair that is not \
             among the {} told of has an empty cell.",
            names.len(),
            pairs.len()
        ),
        legend: Vec::new(),
        svg: heat(&names, &cells, false, None),
        data: Data::of(&["a", "b", "score"], data.into_iter()),
        heat: true,
    });
}

fn joined(page: &mut Page, pairs: &[Value]) {
    let (mut names, mut edges) = (BTreeSet::new(), Vec::new());
    for it in pairs {
        let (a, b) = (text(it, "a"), text(it, "b"));
        names.extend([a, b]);
        if names.len() > JOINED {
            break;
        }
        edges.extend(number(it, "score").map(|score| (a, b, score)));
    }
    if edges.is_empty() {
        return;
    }
    let mut ties: Vec<(&str, usize)> = Vec::new();
    for name in edges.iter().flat_map(|it| [it.0, it.1]) {
        match ties.iter_mut().find(|it| it.0 == name) {
            Some(it) => it.1 += 1,
            None => ties.push((name, 1)),
        }
    }
    ties.sort_by_key(|it| std::cmp::Reverse(it.1));
    let hub = ties.first().map_or_else(String::new, |it| {
        format!("; {} is in {} of them", it.0, it.1)
    });
    let data = edges
        .iter()
        .map(|it| vec![it.0.to_owned(), it.1.to_owned(), raw(it.2)]);
    page.figure(&Figure {
        title: "Network of the strongest".to_owned(),
        alt: format!("Network of the {} strongest pairs{hub}", edges.len()),
        caption: format!(
            "The {} strongest pairs, the thinnest line of score {}, the thickest of {}.",
            edges.len(),
            significant(edges[edges.len() - 1].2, 3),
            significant(edges[0].2, 3)
        ),
        legend: Vec::new(),
        svg: network(&edges),
        data: Data::of(&["a", "b", "score"], data),
        heat: false,
    });
}
