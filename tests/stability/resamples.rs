//! Each resample is a selection from a file of its rows.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use passel::{
    Job, Pass, StabilityJob, Table,
    criteria::{Bic, Criterion, Model},
    search::ProofEffort,
    select_stable,
    stability::Resampling,
};
use serde_json::Value;

use super::{counts, json, noise, planted, support::Folder};

/// What `select` chooses from each resample of these lines, in all: what `stability` says must
/// be it.
fn selected_one_by_one(
    folder: &Folder,
    (head, lines): (&str, &[String]),
    (how, seed, number): (Resampling, u64, usize),
    more: &[&str],
    seeded: bool,
) -> BTreeMap<u64, u64> {
    let mut counts = BTreeMap::new();
    for at in 0..number {
        let drawn = how.resample(at, lines.len(), seed);
        let rows = drawn.rows.iter().map(|row| lines[*row].as_str());
        let text: Vec<&str> = std::iter::once(head).chain(rows).collect();
        folder.write("part.csv", &(text.join("\n") + "\n"));
        let own = drawn.seed.to_string();
        let mut arguments = vec!["select", "part.csv", "--response", "y", "--format", "json"];
        arguments.extend(more);
        if seeded {
            arguments.extend(["--seed", &own]);
        }
        let ran = folder.run(&arguments);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let told: Value = serde_json::from_str(&ran.stdout).unwrap();
        let chosen = told["selected"].as_array().unwrap().iter();
        let mut chosen: Vec<u64> = chosen
            .map(|variable| variable["index"].as_u64().unwrap())
            .collect();
        chosen.sort_unstable();
        chosen.dedup();
        for index in chosen {
            *counts.entry(index).or_insert(0) += 1;
        }
    }
    counts
}

#[test]
fn a_resample_is_a_selection_from_a_file_of_its_rows() {
    let folder = Folder::new();
    let mut draw = noise(5);
    // A factor with a rare level, a column that is constant in some halves, a kept one, weights of
    // which some are 0, and rows that miss a value.
    let head = "w,y,rare,group,kept,a,b,c,unused";
    let line = |row: usize| {
        let [a, b, c, e] = [draw(), draw(), draw(), draw()];
        let group = ["u", "v", "w"][(row % 7 + row % 3) % 3];
        let group = if row == 3 { "once" } else { group };
        let y = a + 0.6 * f64::from(u8::from(group == "v")) + 0.4 * b + 0.5 * e;
        let c = if row % 11 == 4 {
            "NA".to_owned()
        } else {
            c.to_string()
        };
        let (w, rare) = (row % 5, u8::from(row == 8));
        format!("{w},{y},{rare},{group},{},{a},{b},{c},NA", row % 2)
    };
    let lines: Vec<String> = (0..70).map(line).collect();
    folder.write("data.csv", &format!("{head}\n{}\n", lines.join("\n")));
    let options = [
        "--weights",
        "w",
        "--missing",
        "drop-rows",
        "--keep",
        "kept",
        "--drop",
        "unused",
        "--criterion",
        "aic",
        "--preset",
        "paper",
    ];
    let used = |line: &&String| !line.contains("NA,NA") && !line.starts_with('0');
    let used: Vec<String> = lines.iter().filter(used).cloned().collect();
    assert!(used.len() < 60);
    for (name, how) in [
        ("complementary", Resampling::Complementary),
        ("subsample", Resampling::Subsample(0.5)),
        ("bootstrap", Resampling::Bootstrap),
    ] {
        let more = ["--resampling", name, "--resamples", "4", "--seed", "9"];
        let told = json(&folder, &[&options[..], &more].concat());
        assert_eq!(told["n"].as_u64(), Some(used.len() as u64));
        let number = told["resamples"].as_u64().unwrap() as usize;
        let mut expected =
            selected_one_by_one(&folder, (head, &used), (how, 9, number), &options, true);
        // The kept variable is no choice.
        assert_eq!(expected.remove(&2), Some(number as u64));
        assert_eq!(counts(&told), expected, "{name}");
        assert_eq!(told["kept"][0], "kept");
        assert_eq!(told["p"].as_u64(), Some(5), "rare, group, a, b, c");
    }
    // One half of each pair lacks the level that occurs once, which is told where the factor is used.
    let lost =
        "in 4 resamples: `group` has fewer levels, for some of them have no observation there";
    let few = [
        "--resamples",
        "4",
        "--missing",
        "drop-rows",
        "--weights",
        "w",
    ];
    for (more, is_told) in [
        (&["--drop", "unused"][..], true),
        (&["--drop", "unused,group"], false),
        (&["--formula", "~ a + group"], true),
        (&["--formula", "~ a + b"], false),
    ] {
        let warnings = json(&folder, &[&few, more].concat())["warnings"].to_string();
        assert_eq!(warnings.contains(lost), is_told, "{more:?} {warnings}");
    }
}

#[test]
fn bins_are_those_of_the_resample() {
    let folder = Folder::new();
    let text = planted(90);
    folder.write("data.csv", &text);
    let mut lines = text.lines().map(str::to_owned);
    let head = lines.next().unwrap();
    let lines: Vec<String> = lines.collect();
    let options = [
        "--method",
        "mrmr",
        "--top",
        "4",
        "--bin-response",
        "equal-frequency:4",
    ];
    let told = json(
        &folder,
        &[&options[..], &["--resamples", "4", "--seed", "3"]].concat(),
    );
    let how = (Resampling::Complementary, 3, 8);
    let expected = selected_one_by_one(&folder, (&head, &lines), how, &options, false);
    assert_eq!(counts(&told), expected);
    assert_eq!(told["binning"]["response_rule"], "equal-frequency:4");
}

/// BIC, which counts how often it is asked.
#[derive(Debug, Default)]
struct Counted(AtomicUsize);

impl Criterion for Counted {
    fn name(&self) -> &str {
        "counted"
    }

    fn penalty(&self, model: &Model) -> f64 {
        self.0.fetch_add(1, Ordering::Relaxed);
        Bic.penalty(model)
    }
}

/// Of twelve candidates a proof enumerates all 4,096 models.
#[test]
fn resamples_prove_nothing_unless_that_is_asked_for() {
    let mut draw = noise(5);
    let columns: Vec<Vec<f64>> = (0..12).map(|_| (0..80).map(|_| draw()).collect()).collect();
    let y: Vec<f64> = (0..80)
        .map(|t| columns[3][t] - columns[7][t] + 0.3 * draw())
        .collect();
    let asked = |proof| {
        let named = columns.iter().cloned().chain([y.clone()]).enumerate();
        let named = named.map(|(j, values)| (format!("x{j}"), values.into()));
        let criterion = Arc::new(Counted::default());
        let job = Job {
            response: Some("x12".to_owned()),
            criterion: criterion.clone(),
            pass: Pass {
                proof,
                ..Pass::default()
            },
            ..Job::from_table(Table::from_columns(named).unwrap())
        };
        let found = select_stable(&StabilityJob {
            resamples: 3,
            ..StabilityJob::new(job)
        });
        (found.unwrap(), criterion.0.load(Ordering::Relaxed))
    };
    let [none, bounded, complete] = [
        ProofEffort::None,
        ProofEffort::Bounded,
        ProofEffort::Complete,
    ]
    .map(asked);
    assert_eq!(bounded.1, none.1);
    assert!(complete.1 >= none.1 + 6 * (1 << 12));
    let chosen = |(report, _): &(passel::StabilityReport, usize)| report.variables.clone();
    assert_eq!(chosen(&bounded), chosen(&none));
    assert_eq!(chosen(&bounded), chosen(&complete));
}

/// Of a response that nearly always is the same, some resamples have one value alone.
#[test]
fn rows_that_cannot_choose_choose_nothing() {
    let folder = Folder::new();
    let mut random = noise(5);
    let lines: Vec<String> = (0..40)
        .map(|row| {
            let y = if row % 20 == 3 { 5.0 + random() } else { 0.0 };
            format!("{y},{},{}", random(), random())
        })
        .collect();
    folder.write("rare.csv", &format!("y,a,b\n{}\n", lines.join("\n")));
    let arguments = [
        "stability",
        "rare.csv",
        "--response",
        "y",
        "--resamples",
        "20",
        "--format",
        "json",
    ];
    let ran = folder.run(&arguments);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["resamples"], 40);
    // By the rows of each resample.
    let constant = (0..40).filter(|at| {
        let drawn = Resampling::Complementary.resample(*at, 40, 1);
        drawn.rows.iter().all(|row| row % 20 != 3)
    });
    let constant = constant.count();
    assert!(constant > 1 && constant < 40);
    let warnings = report["warnings"].as_array().unwrap();
    let start =
        format!("in {constant} resamples: nothing was chosen: the response `y` is constant (0)");
    let told = |own: &Value| own.as_str().unwrap().starts_with(&start);
    assert!(warnings.iter().any(told), "{warnings:?}");
    // Where none can choose, that is an error.
    let lines: Vec<String> = (0..40)
        .map(|row| format!("{},{row},{}", u8::from(row == 3), random()))
        .collect();
    folder.write("once.csv", &format!("y,a,b\n{}\n", lines.join("\n")));
    let ran = folder.run(&[
        "stability",
        "once.csv",
        "--response",
        "y",
        "--resamples",
        "2",
        "--resampling",
        "subsample",
        "--fraction",
        "0.1",
    ]);
    assert_eq!(ran.code, Some(2), "{}", ran.stdout);
    assert!(ran.stderr.contains("resample 1 of 2"), "{}", ran.stderr);
}
