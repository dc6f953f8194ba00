//! Rankings and pairs: text, JSON, CSV.

use std::{fmt::Write, path::Path};

use comfy_table::Table;
use serde_json::{Map, Value};

use super::{Format, field, json, text};
use crate::selection::{Ending, PairsReport, Ranking};

/// Variables told of alone before the pairs, in a report for a reader.
const SINGLE: usize = 10;

pub(super) fn rank(ranking: &Ranking, data: &Path, format: Format) -> Option<String> {
    match format {
        Format::Text => Some(ranking_text(ranking, data)),
        Format::Json => Some(json::pretty(ranking)),
        Format::Csv => Some(ranking_csv(ranking)),
        Format::Parquet => None,
    }
}

pub(super) fn pairs(found: &PairsReport, data: &Path, format: Format) -> Option<String> {
    match format {
        Format::Text => Some(pairs_text(found, data)),
        Format::Json => Some(json::pretty(found)),
        Format::Csv => Some(pairs_csv(found)),
        Format::Parquet => None,
    }
}

/// The method as it would be asked for: `mifs:beta=0.5`.
fn method(method: &Map<String, Value>) -> String {
    let parameters = method
        .iter()
        .filter(|(key, _)| *key != "name" && *key != "plugin");
    let mut text = method
        .get("name")
        .and_then(Value::as_str)
        .unwrap_or("")
        .to_owned();
    for (at, (name, value)) in parameters.enumerate() {
        text += if at == 0 { ":" } else { "," };
        text += &format!("{name}={}", value.as_f64().unwrap_or(f64::NAN));
    }
    text
}

/// The first lines of both.
fn header(
    (response, classes): (&str, usize),
    (n, p): (usize, usize),
    (method, binning): (&Map<String, Value>, &str),
    data: &Path,
) -> String {
    let rows = [
        ("data", text::printable(&data.display().to_string())),
        (
            "response",
            format!("{}, {classes} levels", text::printable(response)),
        ),
        ("observations n", n.to_string()),
        ("candidates p", p.to_string()),
        ("method", self::method(method)),
        ("binning", rule(binning)),
    ];
    let mut page = String::new();
    for (label, value) in rows {
        // Writing to a String cannot fail.
        let _ = writeln!(page, "{label:<20} {value}");
    }
    page
}

/// What was asked for, of a saved binning.
fn rule(binning: &str) -> String {
    #[derive(serde::Deserialize)]
    struct Asked {
        rule: String,
    }
    let asked = serde_json::from_str::<Asked>(binning);
    asked.map_or_else(|_| String::new(), |it| it.rule)
}

fn warnings(page: &mut String, warnings: &[String]) {
    for warning in warnings {
        let _ = writeln!(page, "warning: {warning}");
    }
    page.push('\n');
}

fn table(head: &[&str], texts: &[usize], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.set_header(head.iter().copied());
    for row in rows {
        table.add_row(row);
    }
    text::aligned(table, texts)
}

fn number(value: f64) -> String {
    text::significant(value, 6)
}

fn ending(termination: Ending, k: usize) -> String {
    match termination {
        Ending::Top => format!("ended at {k} variables, as asked"),
        Ending::Threshold => "ended before a score below the threshold".to_owned(),
        Ending::Zero => "ended where no candidate's score is above zero".to_owned(),
        Ending::Interrupted => "interrupted: what was chosen before".to_owned(),
        Ending::Fault => "a device failed: what was chosen before".to_owned(),
    }
}

fn ranking_text(ranking: &Ranking, data: &Path) -> String {
    let mut page = header(
        (&ranking.response, ranking.classes),
        (ranking.n, ranking.p),
        (&ranking.method, ranking.binning.get()),
        data,
    );
    if let Some(truth) = &ranking.truth {
        let _ = writeln!(
            page,
            "{:<20} {} of {} found: PSR {:.3}, FDR {:.3}",
            "truth", truth.found, truth.variables, truth.psr, truth.fdr
        );
    }
    warnings(&mut page, &ranking.warnings);
    let rows = ranking.selected.iter().enumerate().map(|(at, it)| {
        vec![
            (at + 1).to_string(),
            text::printable(&it.name),
            number(it.score),
            number(it.relevance),
            it.redundancy.map_or_else(|| "–".to_owned(), number),
        ]
    });
    page += &table(
        &["#", "variable", "score", "relevance", "redundancy"],
        &[1],
        rows,
    );
    page += "\nRelevance is I(x;y), redundancy the mean of I(x;w) over the variables w chosen\n\
             before, both in nats, by counts: with few observations a cell they are too large.\n\n";
    let _ = writeln!(
        page,
        "{}; {:.3} s on {}",
        ending(ranking.termination, ranking.k),
        ranking.elapsed_seconds.search,
        ranking.devices.join(", ")
    );
    page
}

fn ranking_csv(ranking: &Ranking) -> String {
    let mut page = String::from("name,index,score,relevance,redundancy\n");
    for it in &ranking.selected {
        let redundancy = it.redundancy.map_or(String::new(), |it| format!("{it:?}"));
        let _ = writeln!(
            page,
            "{},{},{:?},{:?},{redundancy}",
            field(&it.name),
            it.index,
            it.score,
            it.relevance
        );
    }
    page
}

fn pairs_text(found: &PairsReport, data: &Path) -> String {
    let mut page = header(
        (&found.response, found.classes),
        (found.n, found.p),
        (&found.method, found.binning.get()),
        data,
    );
    warnings(&mut page, &found.warnings);
    let mut single: Vec<_> = found.single.iter().collect();
    single.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.index.cmp(&b.index)));
    let more = single.len().saturating_sub(SINGLE);
    let rows = single.iter().take(SINGLE);
    let rows = rows.map(|it| vec![text::printable(&it.name), number(it.score)]);
    page += &table(&["variable", "I(x;y)"], &[0], rows);
    if more > 0 {
        let _ = writeln!(page, "… and {more} more (--format csv or json has all)");
    }
    page.push('\n');
    let rows = found.pairs.iter().map(|it| {
        vec![
            text::printable(&it.a),
            text::printable(&it.b),
            number(it.score),
            number(it.synergy),
        ]
    });
    page += &table(&["a", "b", "score", "synergy"], &[0, 1], rows);
    page += "\nSynergy is I((a,b);y) − I(a;y) − I(b;y); all in nats, by counts: with few\n\
             observations a cell they are too large.\n\n";
    let _ = writeln!(
        page,
        "{} pairs of {}{}; {:.3} s on {}",
        found.pairs.len(),
        found.p * found.p.saturating_sub(1) / 2,
        match found.termination {
            Ending::Interrupted => ", interrupted: not all were scored",
            Ending::Fault => ", a device failed: not all were scored",
            _ => "",
        },
        found.elapsed_seconds.search,
        found.devices.join(", ")
    );
    page
}

/// Every variable alone, then the pairs.
fn pairs_csv(found: &PairsReport) -> String {
    let mut page = String::from("a,a_index,b,b_index,score,synergy\n");
    for it in &found.single {
        let _ = writeln!(page, "{},{},,,{:?},", field(&it.name), it.index, it.score);
    }
    for it in &found.pairs {
        let (a, b) = (field(&it.a), field(&it.b));
        let _ = writeln!(
            page,
            "{a},{},{b},{},{:?},{:?}",
            it.a_index, it.b_index, it.score, it.synergy
        );
    }
    page
}
