//! The report of all pairs as text and CSV.

use std::path::Path;

use super::{
    ranking::{header, work},
    table::{self, ABSENT, Table, count, exact, facts, number, position, probability, warnings},
};
use crate::selection::{PairsReport, SingleVariable, VariablePartner};

/// Variables listed alone and with their partners in a report for a reader.
const SINGLE: usize = 10;

/// The report for a reader: the best variables alone, the best partners, the pairs.
pub(super) fn text(report: &PairsReport, data: &Path) -> String {
    let rows = header(
        (&report.response, report.classes),
        (report.n, report.p),
        (&report.method, &report.binning),
        data,
    );
    let mut page = facts(&rows) + &warnings(&report.run.warnings) + "\n";
    page += &singles(best(&report.single, SINGLE, |own| Some(own.score))).aligned(&[0]);
    page += &more(report.single.len());
    if let Some(all) = &report.partners {
        let table = partners(best(all, SINGLE, |own| own.score), "best partner");
        page += &(table.aligned(&[0, 1]) + &more(all.len()));
    }
    page += &Table::of(&report.pairs)
        .column("a", |pair| table::text(&pair.a))
        .column("b", |pair| table::text(&pair.b))
        .column("score", |pair| number(pair.score, 6))
        .column("synergy", |pair| number(pair.synergy, 6))
        .aligned(&[0, 1]);
    page += "\nSynergy is I((a,b);y) − I(a;y) − I(b;y); informations are in nats, by counts: with few\n\
             observations a cell they are too large.\n\n";
    let (count, all) = (report.pairs.len(), report.all());
    let ended = report.cut_short().map(|cut| format!(", {cut}"));
    let ended = ended.unwrap_or_default();
    let work = work(&report.run);
    page + &format!("{count} pairs of {all}{ended}; {work}\n")
}

/// The rows that have the highest scores, best first, of equal ones in the file's order.
pub(super) fn best<T>(all: &[T], most: usize, score: impl Fn(&T) -> Option<f64>) -> Vec<&T> {
    let score = |own: &T| score(own).filter(|score| score.is_finite());
    let score = |own: &T| score(own).unwrap_or(f64::NEG_INFINITY);
    let mut rows: Vec<&T> = all.iter().collect();
    rows.sort_by(|a, b| score(b).total_cmp(&score(a)));
    rows.truncate(most);
    rows
}

/// The table of variables alone for a reader.
pub(super) fn singles<'a>(
    rows: impl IntoIterator<Item = &'a SingleVariable>,
) -> Table<'a, &'a SingleVariable> {
    Table::of(rows)
        .column("variable", |own| table::text(&own.name))
        .column("I(x;y)", |variable| number(variable.score, 6))
        .column("p (G)", |own| probability(own.p_value))
}

/// The table of best partners for a reader; `partner` heads their names.
pub(super) fn partners<'a>(
    rows: impl IntoIterator<Item = &'a VariablePartner>,
    partner: &'a str,
) -> Table<'a, &'a VariablePartner> {
    Table::of(rows)
        .column("variable", |own| table::text(&own.name))
        .column(partner, |own| {
            table::text(own.partner.as_deref().unwrap_or(ABSENT))
        })
        .column("score", |own| number(own.score, 6))
        .column("synergy", |own| number(own.synergy, 6))
}

/// The line below a table of the first rows of `all`.
fn more(all: usize) -> String {
    match all.saturating_sub(SINGLE) {
        0 => "\n".to_owned(),
        more => format!("… and {more} more (--format csv or json has all)\n\n"),
    }
}

/// A row of the CSV: a variable alone, or a pair.
#[derive(Default)]
struct Row<'a> {
    a: (&'a str, usize),
    b: Option<(&'a str, usize)>,
    score: f64,
    synergy: Option<f64>,
    p_value: Option<f64>,
    partner: Option<&'a VariablePartner>,
}

/// Every variable alone, with its partner where these were asked for; then the pairs.
pub(super) fn csv(report: &PairsReport) -> String {
    let partners = report.partners.as_deref();
    let single = report.single.iter().enumerate().map(|(at, own)| Row {
        a: (&own.name, own.index),
        score: own.score,
        p_value: Some(own.p_value),
        partner: partners.and_then(|partners| partners.get(at)),
        ..Row::default()
    });
    let pairs = report.pairs.iter().map(|pair| Row {
        a: (&pair.a, pair.a_index),
        b: Some((&pair.b, pair.b_index)),
        score: pair.score,
        synergy: Some(pair.synergy),
        ..Row::default()
    });
    let mut table = Table::of(single.chain(pairs))
        .column("a", |row| table::text(row.a.0))
        .column("a_index", |row| count(row.a.1))
        .column("b", |row| table::text(row.b.map_or("", |b| b.0)))
        .column("b_index", |row| position(row.b.map(|b| b.1)))
        .column("score", |row| exact(row.score))
        .column("synergy", |row| exact(row.synergy))
        .column("p_value", |row| exact(row.p_value));
    if partners.is_some() {
        let partner = |row: &Row| row.partner.cloned().unwrap_or_default();
        table = table
            .column("partner", move |row| {
                table::text(partner(row).partner.unwrap_or_default())
            })
            .column("partner_index", move |row| {
                position(partner(row).partner_index)
            })
            .column("partner_score", move |row| exact(partner(row).score))
            .column("partner_synergy", move |row| exact(partner(row).synergy));
    }
    table.csv()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report() -> PairsReport {
        let stored = json!({
            "response": "class", "classes": 2, "n": 50, "p": 2,
            "single": [
                { "name": "a", "index": 0, "score": 0.125, "p_value": 0.25 },
                { "name": "b", "index": 1, "score": 0.5, "p_value": 0.25 },
            ],
            "pairs": [
                { "a": "a", "b": "b", "a_index": 0, "b_index": 1, "score": 0.5, "synergy": -0.125 },
            ],
            "devices": ["cpu"],
            "termination": "top",
        });
        serde_json::from_value(stored).unwrap()
    }

    #[test]
    fn pairs_follow_the_variables() {
        let report = report();
        let rows = "a,a_index,b,b_index,score,synergy,p_value\n\
                    a,0,,,0.125,,0.25\nb,1,,,0.5,,0.25\na,0,b,1,0.5,-0.125,\n";
        assert_eq!(csv(&report), rows);
        let page = text(&report, Path::new("d.csv"));
        let place = |line: &str| page.find(line).unwrap_or_else(|| panic!("{page}"));
        // The best variable first.
        assert!(place("b         0.500000  0.250") < place("a         0.125000  0.250"));
        assert!(page.ends_with("1 pairs of 1; on cpu\n"), "{page}");
    }

    #[test]
    fn partners_stand_beside_their_variables() {
        let mut report = report();
        let partners = json!([
            { "name": "a", "partner": "b, \"c\"", "partner_index": 1, "score": 0.5, "synergy": -0.125 },
            { "name": "b", "index": 1 },
        ]);
        let partners: Vec<VariablePartner> = serde_json::from_value(partners).unwrap();
        report.partners = Some(partners.clone());
        let rows = "a,0,,,0.125,,0.25,\"b, \"\"c\"\"\",1,0.5,-0.125\n\
                    b,1,,,0.5,,0.25,,,,\n\
                    a,0,b,1,0.5,-0.125,,,,,\n";
        let head = "a,a_index,b,b_index,score,synergy,p_value,\
                    partner,partner_index,partner_score,partner_synergy\n";
        assert_eq!(csv(&report), format!("{head}{rows}"));
        let page = text(&report, Path::new("d.csv"));
        let place = |line: &str| page.find(line).unwrap_or_else(|| panic!("{page}"));
        let best = place("a         b, \"c\"        0.500000  -0.125000\n");
        assert!(place("variable  best partner     score    synergy\n") < best);
        assert!(best < place("b         –                    –          –\n\na  b"));
        report.partners = Some(vec![partners[0].clone(); 12]);
        let page = text(&report, Path::new("d.csv"));
        assert!(page.contains("… and 2 more (--format csv or json has all)\n\na  b"));
        let json = crate::report::json(&report);
        assert!(json.contains("\"partners\""), "{json}");
        assert!(!crate::report::json(&self::report()).contains("\"partners\""));
    }
}
