//! Rankings: text, JSON, CSV; what they and pairs begin with.

use std::{fmt::Write, path::Path};

use comfy_table::Table;
use serde_json::{Map, Value};

use super::{Format, PageExtras, field, html, json, text};
use crate::selection::{RankSummary, Ranking, StopReason, StopRule};

pub(super) fn rank(
    ranking: &Ranking,
    data: &Path,
    format: Format,
    beside: &PageExtras,
) -> Option<String> {
    match format {
        Format::Text => Some(ranking_text(ranking, data)),
        Format::Json => Some(json::pretty(ranking)),
        Format::Csv => Some(ranking_csv(ranking)),
        Format::Html => Some(html::page(json::value(ranking), data, beside)),
        Format::Parquet => None,
    }
}

/// Name and parameters as they would be asked for, without some of them: `mifs:beta=0.5`.
pub(super) fn spec(method: &Map<String, Value>, without: &[&str]) -> String {
    let name = method.get("name").and_then(Value::as_str);
    let parameters = method
        .iter()
        .filter(|it| it.0 != "name" && !without.contains(&it.0.as_str()))
        // A list is no number: the search's parameters stand elsewhere.
        .filter_map(|(name, value)| Some(format!("{name}={}", value.as_f64()?)));
    let parameters: Vec<String> = parameters.collect();
    let colon = if parameters.is_empty() { "" } else { ":" };
    format!("{}{colon}{}", name.unwrap_or(""), parameters.join(","))
}

/// The first lines of both.
pub(super) fn header(
    (response, classes): (&str, usize),
    (n, p): (usize, usize),
    (method, binning): (&Map<String, Value>, &str),
    data: &Path,
) -> String {
    let rules: Asked = serde_json::from_str(binning).unwrap_or_default();
    let rows = [
        ("data", text::printable(&data.display().to_string())),
        (
            "response",
            format!(
                "{}, {classes} {} ({})",
                text::printable(response),
                if classes == 1 { "level" } else { "levels" },
                rules.response_rule
            ),
        ),
        ("observations n", n.to_string()),
        ("candidates p", p.to_string()),
        ("method", spec(method, &["plugin"])),
        ("binning", rules.rule),
    ];
    let mut page = String::new();
    for (label, value) in rows {
        // Writing to a String cannot fail.
        let _ = writeln!(page, "{label:<20} {value}");
    }
    page
}

/// What was asked for, of a saved binning.
#[derive(Default, serde::Deserialize)]
struct Asked {
    rule: String,
    response_rule: String,
}

pub(super) fn warnings(page: &mut String, warnings: &[String]) {
    for warning in warnings {
        let _ = writeln!(page, "warning: {warning}");
    }
    page.push('\n');
}

pub(super) fn table(
    head: &[&str],
    texts: &[usize],
    rows: impl Iterator<Item = Vec<String>>,
) -> String {
    let mut table = Table::new();
    table.set_header(head.iter().copied());
    for row in rows {
        table.add_row(row);
    }
    text::aligned(table, texts)
}

pub(super) fn number(value: f64) -> String {
    text::significant(value, 6)
}

fn ending(termination: StopReason, k: usize) -> String {
    match termination {
        StopReason::Top if k == 1 => "ended at the one variable wanted".to_owned(),
        StopReason::Top => format!("ended at the {k} variables wanted"),
        StopReason::Threshold => "ended before a score below the threshold".to_owned(),
        StopReason::Permutation => {
            "ended before a variable no better than the best of chance".to_owned()
        }
        StopReason::Zero => "ended where no candidate's score is above zero".to_owned(),
        StopReason::Interrupted => "interrupted: what was chosen before".to_owned(),
        StopReason::Fault => "ended by a failure: what was chosen before".to_owned(),
        StopReason::TimeLimit => "time limit: what was chosen until then".to_owned(),
        StopReason::Done => "ended by itself".to_owned(),
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
    if let (Some(stop), Some(seed)) = (ranking.stop, ranking.seed) {
        let StopRule { rule, n, alpha } = stop;
        let _ = writeln!(
            page,
            "{:<20} {rule}:n={n},alpha={alpha}, seed {seed}",
            "stop"
        );
    }
    warnings(&mut page, &ranking.warnings);
    let tested = ranking.stop.is_some();
    let rows = ranking.selected.iter().enumerate().map(|(at, it)| {
        let mut row = vec![
            (at + 1).to_string(),
            text::printable(&it.name),
            number(it.score),
            number(it.relevance),
            it.redundancy.map_or_else(|| "–".to_owned(), number),
            text::p_value(it.independence.p_value),
        ];
        row.extend(it.permutation_p.map(text::p_value));
        row
    });
    let mut head = vec!["#", "variable", "score", "relevance", "redundancy", "p (G)"];
    head.extend(tested.then_some("p (perm.)"));
    page += &table(&head, &[1], rows);
    page += "\nRelevance is what the method sees in x alone, I(x;y) as a rule; redundancy the mean\n\
             of I(x;w) over the variables w chosen before. Informations are in nats, by counts:\n\
             with few observations a cell they are too large.\n\
             p (G) is of the G-test of x and y alone; x was chosen by looking, so it is optimistic.\n\n";
    if let Some(it) = &ranking.refused {
        let _ = writeln!(
            page,
            "not chosen: {}, score {}, permutation p {}",
            text::printable(&it.name),
            number(it.score),
            text::p_value(it.permutation_p)
        );
    }
    let _ = writeln!(
        page,
        "{}; {:.3} s on {}{}",
        ending(ranking.termination, ranking.k),
        ranking.elapsed_seconds.search,
        ranking.devices.join(", "),
        RankSummary::suffix(ranking.rank_summary.as_ref())
    );
    page
}

fn ranking_csv(ranking: &Ranking) -> String {
    let mut page =
        String::from("name,index,score,relevance,redundancy,g,df,p_value,permutation_p\n");
    for it in &ranking.selected {
        let absent = |it: Option<f64>| it.map_or(String::new(), |it| format!("{it:?}"));
        let [redundancy, permuted] = [it.redundancy, it.permutation_p].map(absent);
        let _ = writeln!(
            page,
            "{},{},{:?},{:?},{redundancy},{:?},{},{:?},{permuted}",
            field(&it.name),
            it.index,
            it.score,
            it.relevance,
            it.independence.g,
            it.independence.df,
            it.independence.p_value
        );
    }
    page
}

#[cfg(test)]
mod tests {
    use serde_json::value::to_raw_value;

    use super::*;
    use crate::selection::{Elapsed, Independence, RankedVariable};

    fn method(name: &str) -> Map<String, Value> {
        let fields = [("name", Value::from(name)), ("beta", 0.5.into())];
        let fields = fields.into_iter().chain([("plugin", "information".into())]);
        fields.map(|(key, value)| (key.to_owned(), value)).collect()
    }

    fn ranking() -> Ranking {
        let variable = |name: &str, index, redundancy| RankedVariable {
            name: name.to_owned(),
            index,
            score: 0.1 + 0.2,
            relevance: 0.25,
            redundancy,
            independence: Independence {
                g: 25.0,
                df: 2,
                p_value: 3.7e-6,
            },
            permutation_p: None,
        };
        Ranking {
            passel: "0.1.0",
            method: method("mifs"),
            criterion: None,
            response: "class".to_owned(),
            classes: 2,
            n: 50,
            p: 9,
            k: 2,
            selected: vec![variable("a,b", 7, None), variable("c", 0, Some(0.125))],
            refused: None,
            stop: None,
            seed: None,
            binning: to_raw_value(
                &serde_json::json!({ "rule": "auto", "response_rule": "levels" }),
            )
            .unwrap(),
            set_aside: Vec::new(),
            truth: None,
            devices: vec!["cpu".to_owned()],
            precision: "exact",
            termination: StopReason::Threshold,
            rank_summary: None,
            elapsed_seconds: Elapsed::default(),
            warnings: vec!["3 of 53 rows were dropped for missing values".to_owned()],
        }
    }

    #[test]
    fn a_ranking_is_told_in_the_order_of_choice() {
        let page = ranking_text(&ranking(), Path::new("d.csv"));
        for line in [
            "response             class, 2 levels (levels)",
            "method               mifs:beta=0.5",
            "binning              auto",
            "warning: 3 of 53 rows were dropped for missing values",
            "1  a,b       0.300000   0.250000           –  3.7e-06",
            "2  c         0.300000   0.250000    0.125000  3.7e-06",
            "ended before a score below the threshold; 0.000 s on cpu",
        ] {
            assert!(page.lines().any(|it| it == line), "no {line:?} in\n{page}");
        }
    }

    #[test]
    fn a_table_of_a_ranking_reads_back_to_the_same_numbers() {
        let page = ranking_csv(&ranking());
        let head = "name,index,score,relevance,redundancy,g,df,p_value,permutation_p\n";
        let rows = "\"a,b\",7,0.30000000000000004,0.25,,25.0,2,3.7e-6,\n\
                    c,0,0.30000000000000004,0.25,0.125,25.0,2,3.7e-6,\n";
        assert_eq!(page, format!("{head}{rows}"));
    }
}
