//! All pairs: text, JSON, CSV.

use std::{fmt::Write, path::Path};

use super::{
    Format, field, json,
    ranking::{header, number, table, warnings},
    text,
};
use crate::selection::{Ending, PairsReport};

/// Variables told of alone before the pairs, in a report for a reader.
const SINGLE: usize = 10;

pub(super) fn pairs(found: &PairsReport, data: &Path, format: Format) -> Option<String> {
    match format {
        Format::Text => Some(pairs_text(found, data)),
        Format::Json => Some(json::pretty(found)),
        Format::Csv => Some(pairs_csv(found)),
        Format::Parquet => None,
    }
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
    let rows = rows.map(|it| {
        vec![
            text::printable(&it.name),
            number(it.score),
            text::p_value(it.p_value),
        ]
    });
    page += &table(&["variable", "I(x;y)", "p (G)"], &[0], rows);
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
    page += "\nSynergy is I((a,b);y) − I(a;y) − I(b;y); informations are in nats, by counts: with few\n\
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
    let mut page = String::from("a,a_index,b,b_index,score,synergy,p_value\n");
    for it in &found.single {
        let _ = writeln!(
            page,
            "{},{},,,{:?},,{:?}",
            field(&it.name),
            it.index,
            it.score,
            it.p_value
        );
    }
    for it in &found.pairs {
        let (a, b) = (field(&it.a), field(&it.b));
        let _ = writeln!(
            page,
            "{a},{},{b},{},{:?},{:?},",
            it.a_index, it.b_index, it.score, it.synergy
        );
    }
    page
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, value::to_raw_value};

    use super::*;
    use crate::selection::{Elapsed, NamedPair, Single};

    fn method(name: &str) -> Map<String, Value> {
        let fields = [("name", Value::from(name)), ("beta", 0.5.into())];
        let fields = fields.into_iter().chain([("plugin", "information".into())]);
        fields.map(|(key, value)| (key.to_owned(), value)).collect()
    }

    #[test]
    fn pairs_are_told_behind_the_variables() {
        let single = |name: &str, index, score| Single {
            name: name.to_owned(),
            index,
            score,
            p_value: 0.25,
        };
        let found = PairsReport {
            passel: "0.1.0",
            method: method("mi3"),
            response: "class".to_owned(),
            classes: 2,
            n: 50,
            p: 2,
            single: vec![single("a", 0, 0.125), single("b", 1, 0.5)],
            pairs: vec![NamedPair {
                a: "a".to_owned(),
                b: "b".to_owned(),
                a_index: 0,
                b_index: 1,
                score: 0.5,
                synergy: -0.125,
            }],
            binning: to_raw_value(&serde_json::json!({ "rule": "levels" })).unwrap(),
            devices: vec!["cpu".to_owned()],
            precision: "exact",
            termination: Ending::Top,
            elapsed_seconds: Elapsed::default(),
            warnings: Vec::new(),
        };
        let rows = "a,0,,,0.125,,0.25\nb,1,,,0.5,,0.25\na,0,b,1,0.5,-0.125,\n";
        assert_eq!(
            pairs_csv(&found),
            format!("a,a_index,b,b_index,score,synergy,p_value\n{rows}")
        );
        let page = pairs_text(&found, Path::new("d.csv"));
        let place = |line: &str| page.find(line).unwrap_or_else(|| panic!("{page}"));
        // The best variable first.
        assert!(place("b         0.500000  0.2500") < place("a         0.125000  0.2500"));
        assert!(page.ends_with("1 pairs of 1; 0.000 s on cpu\n"), "{page}");
    }
}
