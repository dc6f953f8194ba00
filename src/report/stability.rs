//! The report of stability selection as text and CSV.

use std::path::Path;

use super::{
    goodness::facts_of_family,
    numbers::{significant, when},
    ranking::work,
    table::{self, Cell, Table, count, exact, facts, number, share, warnings},
};
use crate::selection::{StabilityBound, StabilityReport, StableVariable, StopReason};

/// Variables below the cut-off that are listed in a report for a reader.
const OTHERS: usize = 10;

/// The method as the command line takes it. A search by a criterion has many parameters, which
/// the JSON has: its name alone.
pub(super) fn method(report: &StabilityReport) -> String {
    match report.criterion.is_some() {
        true => report.method.spec_of_plugin(),
        false => report.method.spec_of_method(),
    }
}

/// The criterion and the binning, where the method has them.
pub(super) fn model(report: &StabilityReport) -> impl Iterator<Item = (&'static str, String)> {
    let criterion = report
        .criterion
        .as_ref()
        .map(|own| ("criterion", own.spec(&[])));
    let rules = report
        .binning
        .as_ref()
        .map(|rules| ("binning", rules.to_string()));
    criterion.into_iter().chain(rules)
}

/// How many variables reach the cut-off of a bound, if it has one.
pub(super) fn reached<'a>(bound: &&StabilityBound) -> Cell<'a> {
    let reached = bound.cutoff.map(|_| count(bound.variables.len()));
    reached.unwrap_or(number(None, 1))
}

/// The kind of resamples, how many there are, and their size.
pub(super) fn resamples(report: &StabilityReport) -> String {
    let (resamples, rows) = (report.resamples, report.rows);
    match &*report.resampling {
        "complementary" => format!("{} complementary pairs of {rows} rows each", resamples / 2),
        "bootstrap" => format!("{resamples} bootstraps of {rows} rows"),
        _ => format!("{resamples} subsamples of {rows} rows"),
    }
}

fn header(report: &StabilityReport, data: &Path) -> String {
    let kept = format!(", and {} kept in every model", report.kept.len());
    let candidates = report.p.to_string() + when(!report.kept.is_empty(), &kept);
    let mut rows = vec![
        ("data", data.display().to_string()),
        ("response", report.response.clone()),
    ];
    rows.extend(report.formula.clone().map(|formula| ("formula", formula)));
    rows.extend(facts_of_family(report.family.as_ref()));
    rows.extend(report.weights.clone().map(|weights| ("weights", weights)));
    rows.extend([
        ("observations n", report.n.to_string()),
        ("candidates p", candidates),
        ("method", method(report)),
    ]);
    rows.extend(model(report));
    let (q, seed) = (significant(report.q, 6), report.seed);
    rows.push(("resamples", format!("{}, seed {seed}", resamples(report))));
    rows.push(("chosen from each q", format!("{q} on average")));
    rows.extend(report.truth.as_ref().map(table::truth));
    facts(&rows)
}

/// The report for a reader: the bounds, then the most frequent variables.
pub(super) fn text(report: &StabilityReport, data: &Path) -> String {
    let mut page = header(report, data) + &warnings(&report.run.warnings) + "\n";
    page += &Table::of(&report.bounds)
        .column("bound", |bound| {
            let decides = when(bound.name == report.decides, " *");
            table::text(format!("{}{decides}", bound.name))
        })
        .column("cut-off", |bound| share(bound.cutoff))
        .column("false picks at most", |bound| number(bound.false_picks, 3))
        .column("selected", reached)
        .aligned(&[0]);
    page += &match report.false_picks {
        Some(wanted) => format!(
            "\nEach at the least cut-off above one half that keeps the expected false picks at {wanted};\n\
             * decides.\n\n"
        ),
        None => "\nThe cut-off was given.\n\n".to_owned(),
    };
    // The most frequent are selected.
    let others = report.variables.iter().skip(report.k).take(OTHERS);
    let selected = report.selected.iter().map(|variable| (variable, "yes"));
    page += &Table::of(selected.chain(others.map(|variable| (variable, ""))))
        .column("variable", |(own, _)| table::text(&own.name))
        .column("frequency", |(own, _)| share(own.frequency))
        .column_if(paired(&report.variables), "both halves", |(own, _)| {
            share(own.simultaneous)
        })
        .column("selected", |(_, selected)| table::text(*selected))
        .aligned(&[0]);
    page += &match report.variables.len().saturating_sub(report.k + OTHERS) {
        0 => "\n".to_owned(),
        more => format!("… and {more} less frequent (--format csv or json has all)\n\n"),
    };
    let StabilityReport {
        k, p, resamples, ..
    } = report;
    let wanted = report.wanted;
    let cut_short = match report.run.termination {
        StopReason::Interrupted => format!(", interrupted after {resamples} of {wanted} resamples"),
        StopReason::TimeLimit => format!(", time limit after {resamples} of {wanted} resamples"),
        _ => String::new(),
    };
    let work = work(&report.run);
    page + &format!("{k} of {p} selected{cut_short}; {work}\n")
}

/// Whether variables were counted in complementary pairs.
pub(super) fn paired(variables: &[StableVariable]) -> bool {
    variables
        .iter()
        .any(|variable| variable.simultaneous.is_some())
}

/// One row for every variable that was ever chosen, the most frequent first.
pub(super) fn csv(report: &StabilityReport) -> String {
    Table::of(report.variables.iter().enumerate())
        .column("name", |(_, own)| table::text(&own.name))
        .column("index", |(_, own)| count(own.index))
        .column("frequency", |(_, own)| exact(own.frequency))
        .column("count", |(_, own)| count(own.count))
        .column("simultaneous", |(_, own)| exact(own.simultaneous))
        .column("selected", |(at, _)| {
            table::text((*at < report.k).to_string())
        })
        .csv()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report() -> StabilityReport {
        let quoted = "a,\"b\"";
        let first = json!({ "name": quoted, "index": 3, "frequency": 1.0, "count": 8,
                            "simultaneous": 0.25 });
        let second = json!({ "name": "c", "index": 0, "frequency": 0.375, "count": 3,
                             "simultaneous": 0.25 });
        let stored = json!({
            "method": { "name": "pass", "particles": 32, "forward": [0.2, 0.8] },
            "criterion": { "name": "ebic", "gamma": 1.0 },
            "response": "y", "n": 60, "p": 4,
            "resampling": "complementary", "wanted": 8, "resamples": 8, "rows": 30, "q": 1.375,
            "false_picks": 1.0, "decides": "r-concave", "cutoff": 0.75,
            "bounds": [
                { "name": "worst-case", "cutoff": null, "false_picks": null, "variables": [] },
                { "name": "r-concave", "cutoff": 0.75, "false_picks": 0.123_456, "variables": [quoted] },
            ],
            "k": 1, "selected": [first], "variables": [first, second],
            "seed": 7, "devices": ["cpu"], "termination": "done", "warnings": ["a warning"],
        });
        serde_json::from_value(stored).unwrap()
    }

    #[test]
    fn every_chosen_variable_is_a_row() {
        assert_eq!(
            csv(&report()),
            "name,index,frequency,count,simultaneous,selected\n\
             \"a,\"\"b\"\"\",3,1.0,8,0.25,true\nc,0,0.375,3,0.25,false\n"
        );
    }

    #[test]
    fn text_has_method_bounds_and_frequencies() {
        let page = text(&report(), Path::new("d.csv"));
        for line in [
            "method               pass\n",
            "criterion            ebic:gamma=1\n",
            "resamples            4 complementary pairs of 30 rows each, seed 7\n",
            "chosen from each q   1.37500 on average\n",
            "warning: a warning\n",
            "worst-case         –                    –         –\n",
            "r-concave *    0.750                0.123         1\n",
            "a,\"b\"         1.000        0.250       yes\n",
            "\n1 of 4 selected; on cpu\n",
        ] {
            assert!(page.contains(line), "{line}{page}");
        }
    }

    #[test]
    fn other_methods_and_resamples_have_other_lines() {
        let mut report = report();
        let method = json!({ "name": "mifs", "beta": 0.5, "plugin": "information", "top": 3 });
        report.method = serde_json::from_value(method).unwrap();
        report.criterion = None;
        report.binning = serde_json::from_str(r#"{"rule":"auto","response_rule":"levels"}"#).ok();
        (report.resampling, report.run.termination) = ("bootstrap".into(), StopReason::Interrupted);
        (report.wanted, report.false_picks, report.decides) = (100, None, "given".into());
        for variable in &mut report.variables {
            variable.simultaneous = None;
        }
        let page = text(&report, Path::new("d.csv"));
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
        assert!(csv(&report).contains("c,0,0.375,3,,false\n"));
    }
}
