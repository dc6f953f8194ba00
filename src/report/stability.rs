//! Stability selection: text, JSON, CSV.

use std::{fmt::Write, path::Path};

use serde_json::{Map, Value};

use super::{
    Format, PageExtras, field, html, json,
    ranking::{number, spec, table, warnings},
    text,
};
use crate::selection::{StabilityReport, StableVariable, StopReason};

/// Variables that are not selected told of in a report for a reader.
const OTHERS: usize = 10;

pub(super) fn stability(
    told: &StabilityReport,
    data: &Path,
    format: Format,
    beside: &PageExtras,
) -> Option<String> {
    match format {
        Format::Text => Some(page(told, data)),
        Format::Json => Some(json::pretty(told)),
        Format::Csv => Some(rows(told)),
        Format::Html => Some(html::page(json::value(told), data, beside)),
        Format::Parquet => None,
    }
}

/// A share, with the digits that matter.
fn share(value: f64) -> String {
    format!("{value:.3}")
}

/// A text of the parameters that a method was told, of which there may be lists.
fn text_of<'a>(told: Option<&'a Map<String, Value>>, key: &str) -> &'a str {
    let value = told.and_then(|it| it.get(key));
    value.and_then(Value::as_str).unwrap_or_default()
}

fn header(told: &StabilityReport, data: &Path) -> String {
    let method = match told.criterion {
        // The search's parameters are many; the JSON has them.
        Some(_) if !told.method.contains_key("plugin") => {
            text_of(Some(&told.method), "name").to_owned()
        }
        _ => spec(&told.method, &["plugin", "top", "threshold"]),
    };
    let candidates = match told.kept.len() {
        0 => told.p.to_string(),
        kept => format!("{}, and {kept} kept in every model", told.p),
    };
    let made = match told.resampling {
        "complementary" => format!(
            "{} complementary pairs of {} rows each",
            told.resamples / 2,
            told.rows
        ),
        "bootstrap" => format!("{} bootstraps of {} rows", told.resamples, told.rows),
        _ => format!("{} subsamples of {} rows", told.resamples, told.rows),
    };
    let mut rows = vec![
        ("data", text::printable(&data.display().to_string())),
        ("response", text::printable(&told.response)),
        ("observations n", told.n.to_string()),
        ("candidates p", candidates),
        ("method", method),
    ];
    rows.extend(
        told.criterion
            .as_ref()
            .map(|it| ("criterion", spec(it, &[]))),
    );
    if let Some(rules) = told.binning.as_ref() {
        let (rule, response) = (
            text_of(Some(rules), "rule"),
            text_of(Some(rules), "response_rule"),
        );
        rows.push(("binning", format!("{rule}, of the response {response}")));
    }
    rows.push(("resamples", format!("{made}, seed {}", told.seed)));
    rows.push((
        "chosen from each q",
        format!("{} on average", number(told.q)),
    ));
    if let Some(truth) = &told.truth {
        let (found, of) = (truth.found, truth.variables);
        let rates = format!("PSR {:.3}, FDR {:.3}", truth.psr, truth.fdr);
        rows.push(("truth", format!("{found} of {of} found: {rates}")));
    }
    let mut page = String::new();
    for (label, value) in rows {
        // Writing to a String cannot fail.
        let _ = writeln!(page, "{label:<20} {value}");
    }
    page
}

fn page(told: &StabilityReport, data: &Path) -> String {
    let mut page = header(told, data);
    warnings(&mut page, &told.warnings);
    let none = || "–".to_owned();
    let bounds = told.bounds.iter().map(|it| {
        let decides = if it.name == told.decides { " *" } else { "" };
        vec![
            format!("{}{decides}", it.name),
            it.cutoff.map_or_else(none, share),
            it.false_picks
                .map_or_else(none, |it| text::significant(it, 3)),
            match it.cutoff {
                Some(_) => it.variables.len().to_string(),
                None => none(),
            },
        ]
    });
    page += &table(
        &["bound", "cut-off", "false picks at most", "selected"],
        &[0],
        bounds,
    );
    page += &match told.false_picks {
        Some(wanted) => format!(
            "\nEach at the least cut-off above one half that keeps the expected false picks at {wanted};\n\
             * decides.\n\n"
        ),
        None => "\nThe cut-off was given.\n\n".to_owned(),
    };
    let paired = told.variables.iter().any(|it| it.simultaneous.is_some());
    let row = |it: &StableVariable, selected: bool| {
        let mut row = vec![text::printable(&it.name), share(it.frequency)];
        row.extend(it.simultaneous.map(share));
        row.push(if selected { "yes" } else { "" }.to_owned());
        row
    };
    let mut head = vec!["variable", "frequency"];
    head.extend(paired.then_some("both halves"));
    head.push("selected");
    // The most frequent are selected.
    let others = told.variables.iter().skip(told.k);
    let more = told.variables.len().saturating_sub(told.k + OTHERS);
    let each = told.selected.iter().map(|it| row(it, true));
    let each = each.chain(others.take(OTHERS).map(|it| row(it, false)));
    page += &table(&head, &[0], each);
    page += &match more {
        0 => "\n".to_owned(),
        more => format!("… and {more} less frequent (--format csv or json has all)\n\n"),
    };
    let _ = writeln!(
        page,
        "{} of {} selected{}; {:.3} s on {}",
        told.k,
        told.p,
        match told.termination {
            StopReason::Interrupted => format!(
                ", interrupted after {} of {} resamples",
                told.resamples, told.wanted
            ),
            _ => String::new(),
        },
        told.elapsed_seconds.search,
        told.devices.join(", ")
    );
    page
}

/// Every variable that was ever chosen, the most frequent first.
fn rows(told: &StabilityReport) -> String {
    let mut page = String::from("name,index,frequency,count,simultaneous,selected\n");
    for (at, it) in told.variables.iter().enumerate() {
        let both = it
            .simultaneous
            .map_or(String::new(), |it| format!("{it:?}"));
        let _ = writeln!(
            page,
            "{},{},{:?},{},{both},{}",
            field(&it.name),
            it.index,
            it.frequency,
            it.count,
            at < told.k
        );
    }
    page
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::selection::{Elapsed, StabilityBound};

    fn map(value: Value) -> Map<String, Value> {
        serde_json::from_value(value).unwrap()
    }

    fn told() -> StabilityReport {
        let variable = |name: &str, index, count| StableVariable {
            name: name.to_owned(),
            index,
            frequency: f64::from(count) / 8.0,
            count: count as usize,
            simultaneous: Some(0.25),
        };
        let variables = vec![variable("a,\"b\"", 3, 8_u32), variable("c", 0, 3)];
        let bound = |name, cutoff: Option<f64>| StabilityBound {
            name,
            cutoff,
            false_picks: cutoff.map(|_| 0.123_456),
            variables: cutoff.iter().map(|_| "a,\"b\"".to_owned()).collect(),
        };
        StabilityReport {
            passel: "0.1.0",
            method: map(json!({ "name": "pass", "particles": 32, "forward": [0.2, 0.8] })),
            criterion: Some(map(json!({ "name": "ebic", "gamma": 1.0 }))),
            binning: None,
            response: "y".to_owned(),
            n: 60,
            p: 4,
            kept: Vec::new(),
            resampling: "complementary",
            wanted: 8,
            resamples: 8,
            rows: 30,
            q: 1.375,
            false_picks: Some(1.0),
            decides: "r-concave",
            cutoff: Some(0.75),
            bounds: vec![bound("worst-case", None), bound("r-concave", Some(0.75))],
            k: 1,
            selected: variables[..1].to_vec(),
            variables,
            truth: None,
            seed: 7,
            devices: vec!["cpu".to_owned()],
            termination: StopReason::Done,
            elapsed_seconds: Elapsed::default(),
            warnings: vec!["a warning".to_owned()],
        }
    }

    #[test]
    fn every_chosen_variable_is_a_row() {
        assert_eq!(
            rows(&told()),
            "name,index,frequency,count,simultaneous,selected\n\
             \"a,\"\"b\"\"\",3,1.0,8,0.25,true\nc,0,0.375,3,0.25,false\n"
        );
    }

    #[test]
    fn the_page_tells_how_what_and_how_sure() {
        let page = page(&told(), Path::new("d.csv"));
        for line in [
            "method               pass\n",
            "criterion            ebic:gamma=1\n",
            "resamples            4 complementary pairs of 30 rows each, seed 7\n",
            "chosen from each q   1.37500 on average\n",
            "warning: a warning\n",
            "worst-case         –                    –         –\n",
            "r-concave *    0.750                0.123         1\n",
            "a,\"b\"         1.000        0.250       yes\n",
        ] {
            assert!(page.contains(line), "{line}{page}");
        }
        assert!(
            page.ends_with("1 of 4 selected; 0.000 s on cpu\n"),
            "{page}"
        );
    }

    #[test]
    fn other_methods_and_resamples_have_other_lines() {
        let mut told = told();
        told.method =
            map(json!({ "name": "mifs", "beta": 0.5, "plugin": "information", "top": 3 }));
        told.criterion = None;
        told.binning = Some(map(json!({ "rule": "auto", "response_rule": "levels" })));
        (told.resampling, told.termination) = ("bootstrap", StopReason::Interrupted);
        (told.wanted, told.false_picks, told.decides) = (100, None, "given");
        told.variables
            .iter_mut()
            .for_each(|it| it.simultaneous = None);
        let page = page(&told, Path::new("d.csv"));
        for line in [
            "method               mifs:beta=0.5\n",
            "binning              auto, of the response levels\n",
            "resamples            8 bootstraps of 30 rows, seed 7\n",
            "The cut-off was given.\n",
            "1 of 4 selected, interrupted after 8 of 100 resamples; ",
        ] {
            assert!(page.contains(line), "{line}{page}");
        }
        assert!(!page.contains("both halves") && !page.contains("criterion"));
        assert!(rows(&told).contains("c,0,0.375,3,,false\n"));
    }
}
