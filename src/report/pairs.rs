//! All pairs: text, JSON, CSV.

use std::{fmt::Write, path::Path};

use super::{
    Format, PageExtras, field, html, json,
    ranking::{header, number, table, warnings},
    text,
};
use crate::selection::{PairsReport, RankSummary, StopReason, VariablePartner};

/// Variables told of before the pairs, alone and with their partners, in a report for a reader.
const SINGLE: usize = 10;

pub(super) fn pairs(
    found: &PairsReport,
    data: &Path,
    format: Format,
    beside: &PageExtras,
) -> Option<String> {
    match format {
        Format::Text => Some(pairs_text(found, data)),
        Format::Json => Some(json::pretty(found)),
        Format::Csv => Some(pairs_csv(found)),
        Format::Html => Some(html::page(json::value(found), data, beside)),
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
    page += &and(more);
    if let Some(partners) = &found.partners {
        page += &partners_text(partners);
    }
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
        "{} pairs of {}{}; {:.3} s on {}{}",
        found.pairs.len(),
        found.p * found.p.saturating_sub(1) / 2,
        match found.termination {
            StopReason::Interrupted => ", interrupted: not all were scored",
            StopReason::Fault => ", a device failed: not all were scored",
            _ => "",
        },
        found.elapsed_seconds.search,
        found.devices.join(", "),
        RankSummary::suffix(found.rank_summary.as_ref())
    );
    page
}

/// The end of a table that has so many rows more.
fn and(more: usize) -> String {
    match more {
        0 => "\n".to_owned(),
        more => format!("… and {more} more (--format csv or json has all)\n\n"),
    }
}

/// Those of the best scores, the best first.
fn partners_text(partners: &[VariablePartner]) -> String {
    let mut best: Vec<_> = partners.iter().collect();
    let score = |it: &VariablePartner| it.score.unwrap_or(f64::NEG_INFINITY);
    best.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.index.cmp(&b.index)));
    let known = |it: Option<f64>| it.map_or_else(|| "–".to_owned(), number);
    let rows = best.iter().take(SINGLE).map(|it| {
        vec![
            text::printable(&it.name),
            it.partner
                .as_deref()
                .map_or_else(|| "–".to_owned(), text::printable),
            known(it.score),
            known(it.synergy),
        ]
    });
    let head = ["variable", "best partner", "score", "synergy"];
    table(&head, &[0, 1], rows) + &and(best.len().saturating_sub(SINGLE))
}

/// Every variable alone, with its partner where these were asked for; then the pairs.
fn pairs_csv(found: &PairsReport) -> String {
    let mut page = String::from("a,a_index,b,b_index,score,synergy,p_value");
    let partners = found.partners.as_deref();
    // A row of a pair has no partner, and as many fields.
    let (head, none) = match partners {
        Some(_) => (
            ",partner,partner_index,partner_score,partner_synergy",
            ",,,,",
        ),
        None => ("", ""),
    };
    page += head;
    page.push('\n');
    for (at, it) in found.single.iter().enumerate() {
        let _ = write!(
            page,
            "{},{},,,{:?},,{:?}",
            field(&it.name),
            it.index,
            it.score,
            it.p_value
        );
        match partners.and_then(|partners| partners.get(at)) {
            Some(VariablePartner {
                partner: Some(name),
                partner_index: Some(index),
                score: Some(score),
                synergy: Some(synergy),
                ..
            }) => {
                let _ = write!(page, ",{},{index},{score:?},{synergy:?}", field(name));
            }
            _ => page += none,
        }
        page.push('\n');
    }
    for it in &found.pairs {
        let (a, b) = (field(&it.a), field(&it.b));
        let _ = writeln!(
            page,
            "{a},{},{b},{},{:?},{:?},{none}",
            it.a_index, it.b_index, it.score, it.synergy
        );
    }
    page
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, value::to_raw_value};

    use super::*;
    use crate::selection::{Elapsed, SingleVariable, VariablePair};

    fn method(name: &str) -> Map<String, Value> {
        let fields = [("name", Value::from(name)), ("beta", 0.5.into())];
        let fields = fields.into_iter().chain([("plugin", "information".into())]);
        fields.map(|(key, value)| (key.to_owned(), value)).collect()
    }

    fn found() -> PairsReport {
        let single = |name: &str, index, score| SingleVariable {
            name: name.to_owned(),
            index,
            score,
            p_value: 0.25,
        };
        PairsReport {
            passel: "0.1.0",
            method: method("mi3"),
            response: "class".to_owned(),
            classes: 2,
            n: 50,
            p: 2,
            single: vec![single("a", 0, 0.125), single("b", 1, 0.5)],
            pairs: vec![VariablePair {
                a: "a".to_owned(),
                b: "b".to_owned(),
                a_index: 0,
                b_index: 1,
                score: 0.5,
                synergy: -0.125,
            }],
            partners: None,
            binning: to_raw_value(&serde_json::json!({ "rule": "levels" })).unwrap(),
            devices: vec!["cpu".to_owned()],
            precision: "exact",
            termination: StopReason::Top,
            rank_summary: None,
            elapsed_seconds: Elapsed::default(),
            warnings: Vec::new(),
        }
    }

    #[test]
    fn pairs_are_told_behind_the_variables() {
        let found = found();
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

    #[test]
    fn partners_are_told_with_their_variables() {
        let partner = |name: &str, index, partner: Option<(&str, usize)>, score| VariablePartner {
            name: name.to_owned(),
            index,
            partner: partner.map(|it| it.0.to_owned()),
            partner_index: partner.map(|it| it.1),
            score,
            synergy: score.map(|it: f64| it - 0.625),
        };
        let mut told = found();
        told.partners = Some(vec![
            partner("a", 0, Some(("b, \"c\"", 1)), Some(0.5)),
            partner("b", 1, None, None),
        ]);
        let rows = "a,0,,,0.125,,0.25,\"b, \"\"c\"\"\",1,0.5,-0.125\n\
                    b,1,,,0.5,,0.25,,,,\n\
                    a,0,b,1,0.5,-0.125,,,,,\n";
        let head = "a,a_index,b,b_index,score,synergy,p_value,\
                    partner,partner_index,partner_score,partner_synergy\n";
        assert_eq!(pairs_csv(&told), format!("{head}{rows}"));
        let page = pairs_text(&told, Path::new("d.csv"));
        let place = |line: &str| page.find(line).unwrap_or_else(|| panic!("{page}"));
        let best = place("a         b, \"c\"        0.500000  -0.125000\n");
        assert!(place("variable  best partner     score    synergy\n") < best);
        assert!(best < place("b         –                    –          –\n\na  b"));
        told.partners = Some(
            (0..12)
                .map(|at| partner("v", at, Some(("a", 0)), Some(0.5)))
                .collect(),
        );
        let page = pairs_text(&told, Path::new("d.csv"));
        assert!(page.contains("… and 2 more (--format csv or json has all)\n\na  b"));
        let json = json::pretty(&told);
        assert!(json.contains("\"partners\""), "{json}");
        assert!(!json::pretty(&found()).contains("\"partners\""));
    }
}
