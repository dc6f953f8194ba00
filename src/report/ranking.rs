//! The report of a ranking as text and CSV, and the first lines it shares with that of pairs.

use std::path::Path;

use serde_json::value::RawValue;

use super::{
    numbers::{p_value, printable},
    table::{self, Table, count, exact, facts, number, probability, warnings},
};
use crate::selection::{
    BinningRules, NamedParameters, RankSummary, RankedVariable, Ranking, RunSummary, StopReason,
};

/// The first lines of the reports of rankings and pairs.
pub(super) fn header(
    (response, classes): (&str, usize),
    (n, p): (usize, usize),
    (method, binning): (&NamedParameters, &RawValue),
    data: &Path,
) -> Vec<(&'static str, String)> {
    let levels = if classes == 1 { "level" } else { "levels" };
    let rules = BinningRules::of(binning).unwrap_or_default();
    let response = format!("{response}, {classes} {levels} ({})", rules.response_rule);
    vec![
        ("data", data.display().to_string()),
        ("response", response),
        ("observations n", n.to_string()),
        ("candidates p", p.to_string()),
        ("method", method.spec(&["plugin"])),
        ("binning", rules.rule),
    ]
}

fn ending(ranking: &Ranking) -> String {
    match ranking.run.termination {
        StopReason::Top if ranking.k == 1 => "ended at the one variable wanted".to_owned(),
        StopReason::Top => format!("ended at the {} variables wanted", ranking.k),
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

/// The report for a reader.
pub(super) fn text(ranking: &Ranking, data: &Path) -> String {
    let mut rows = header(
        (&ranking.response, ranking.classes),
        (ranking.n, ranking.p),
        (&ranking.method, &ranking.binning),
        data,
    );
    rows.extend(ranking.truth.as_ref().map(table::truth));
    let correction = ranking.correction.as_ref();
    rows.extend(correction.map(|name| ("correction", name.to_string())));
    let stop = ranking.stop.as_ref().zip(ranking.seed);
    rows.extend(stop.map(|(stop, seed)| ("stop", format!("{stop}, seed {seed}"))));
    rows.extend(table::told(&ranking.run.numbers));
    let mut page = facts(&rows) + &warnings(&ranking.run.warnings) + "\n";
    page += &variables(ranking, "p (perm.)").aligned(&[1]);
    page += "\nRelevance is what the method sees in x alone, I(x;y) as a rule; redundancy the mean\n\
             of I(x;w) over the variables w chosen before. Informations are in nats, by counts:\n";
    page += match ranking.correction {
        None => "with few observations a cell they are too large.\n",
        Some(_) => "corrected for their bias, so that some are below 0.\n",
    };
    page +=
        "p (G) is of the G-test of x and y alone; x was chosen by looking, so it is optimistic.\n";
    if is_standardised(ranking) {
        page += "z (perm.) is the score less the mean of its permutations, in deviations of these: by it\n\
                 variables are chosen, and p (perm.) is of the largest one.\n";
    }
    page += "\n";
    if let Some(rejected) = &ranking.refused {
        let (name, p) = (
            printable(&rejected.name),
            p_value(rejected.rejection.permutation_p),
        );
        let score = number(rejected.rejection.score, 6).shown();
        page += &format!("not chosen: {name}, score {score}, permutation p {p}\n");
    }
    let work = work(&ranking.run);
    page + &format!("{}; {work}\n", ending(ranking))
}

/// How long the work took, if that is known, and where it ran.
pub(super) fn work(run: &RunSummary) -> String {
    let ranks = RankSummary::suffix(&run.rank_summary);
    let (elapsed, devices) = (run.elapsed_seconds, run.devices.join(", "));
    match elapsed.is_unknown() {
        true => format!("on {devices}{ranks}"),
        false => format!("{:.3} s on {devices}{ranks}", elapsed.search),
    }
}

/// Whether a permutation test standardised the scores.
pub(super) fn is_standardised(ranking: &Ranking) -> bool {
    ranking.stop.as_ref().is_some_and(|stop| stop.standardised)
}

/// The table of chosen variables for a reader; `permuted` heads the p-values of permutations.
pub(super) fn variables<'a>(
    ranking: &'a Ranking,
    permuted: &'a str,
) -> Table<'a, (usize, &'a RankedVariable)> {
    Table::of(ranking.selected.iter().enumerate())
        .column("#", |(at, _)| count(at + 1))
        .column("variable", |(_, own)| table::text(&own.name))
        .column("score", |(_, own)| number(own.choice.score, 6))
        .column("relevance", |(_, own)| number(own.choice.relevance, 6))
        .column("redundancy", |(_, own)| number(own.choice.redundancy, 6))
        .column("p (G)", |(_, own)| {
            probability(own.choice.independence.p_value)
        })
        .column_if(is_standardised(ranking), "z (perm.)", |(_, own)| {
            number(own.choice.standardised, 4)
        })
        .column_if(ranking.stop.is_some(), permuted, |(_, own)| {
            probability(own.choice.permutation_p)
        })
}

/// One row a variable, in the order of choice.
pub(super) fn csv(ranking: &Ranking) -> String {
    Table::of(&ranking.selected)
        .column("name", |own| table::text(&own.name))
        .column("index", |own| count(own.index))
        .column("score", |own| exact(own.choice.score))
        .column("relevance", |own| exact(own.choice.relevance))
        .column("redundancy", |own| exact(own.choice.redundancy))
        .column("g", |own| exact(own.choice.independence.g))
        .column("df", |own| table::Cell::Count(own.choice.independence.df))
        .column("p_value", |own| exact(own.choice.independence.p_value))
        .column("permutation_p", |own| exact(own.choice.permutation_p))
        .column("standardised", |own| exact(own.choice.standardised))
        .csv()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ranking() -> Ranking {
        let variable = |name: &str, index: usize, redundancy: Option<f64>| {
            json!({ "name": name, "index": index, "score": 0.1 + 0.2, "relevance": 0.25,
                    "redundancy": redundancy, "g": 25.0, "df": 2, "p_value": 3.7e-6 })
        };
        let stored = json!({
            "method": { "name": "mifs", "beta": 0.5, "plugin": "information" },
            "response": "class", "classes": 2, "n": 50, "p": 9, "k": 2,
            "selected": [variable("a,b", 7, None), variable("c", 0, Some(0.125))],
            "binning": { "rule": "auto", "response_rule": "levels" },
            "devices": ["cpu"],
            "termination": "threshold",
            "warnings": ["3 of 53 rows were dropped for missing values"],
        });
        serde_json::from_value(stored).unwrap()
    }

    #[test]
    fn text_lists_variables_in_the_order_of_choice() {
        let page = text(&ranking(), Path::new("d.csv"));
        for line in [
            "response             class, 2 levels (levels)",
            "method               mifs:beta=0.5",
            "binning              auto",
            "warning: 3 of 53 rows were dropped for missing values",
            "1  a,b       0.300000   0.250000           –  3.70e-06",
            "2  c         0.300000   0.250000    0.125000  3.70e-06",
            "ended before a score below the threshold; on cpu",
        ] {
            assert!(page.lines().any(|own| own == line), "{line} {page}");
        }
    }

    #[test]
    fn csv_reads_back_to_the_same_numbers() {
        let page = csv(&ranking());
        let head =
            "name,index,score,relevance,redundancy,g,df,p_value,permutation_p,standardised\n";
        let rows = "\"a,b\",7,0.30000000000000004,0.25,,25.0,2,3.7e-6,,\n\
                    c,0,0.30000000000000004,0.25,0.125,25.0,2,3.7e-6,,\n";
        assert_eq!(page, format!("{head}{rows}"));
    }
}
