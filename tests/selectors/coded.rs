//! Coded scores the whole way, from file to report: what a caller of the library hands in.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use passel::{
    job::{Job, JobDraft, PairsJob},
    plugin::{MethodKind, ResolvedMethod},
    report::Format,
    run::{Fault, Outcome, Report, RunError, rank_pairs, run},
    score::{CountTable, Gather, Join, Measure, PairScore, Score, ScoreFunction, TableFunction},
    table::Missing,
};

use super::{
    problems::Random,
    program::{assert_near, csv, made, select},
    reference::{NONE, joint_entropy},
    support::Folder,
};

#[derive(Debug)]
struct Function(fn(&CountTable) -> f64);

/// The same of three tables at a time, which it counts.
#[derive(Debug)]
struct OfMany(fn(&CountTable) -> f64, AtomicUsize);

impl TableFunction for OfMany {
    fn value(&self, _: &CountTable) -> f64 {
        panic!("many are asked for")
    }

    fn most_tables(&self) -> usize {
        3
    }

    fn many(&self, tables: &[CountTable]) -> Vec<f64> {
        assert!((1..=3).contains(&tables.len()));
        self.1.fetch_max(tables.len(), Ordering::Relaxed);
        tables.iter().map(self.0).collect()
    }

    fn tolerance(&self) -> f64 {
        1e-10
    }
}

impl TableFunction for Function {
    fn value(&self, table: &CountTable) -> f64 {
        (self.0)(table)
    }

    fn tolerance(&self) -> f64 {
        1e-10
    }
}

/// A job of the sum of the function, over the variables chosen.
fn job(data: &Path, function: fn(&CountTable) -> f64) -> Job {
    let mut job = JobDraft::new(data).check().unwrap();
    job.response = Some("y".to_owned());
    job.binning = "levels".parse().unwrap();
    job.format = Format::Json;
    job.stop.top = Some(5);
    job.method = "own".to_owned();
    job.selector = Some(ResolvedMethod {
        name: "own".to_owned(),
        parameters: Vec::new(),
        plugin: "none".to_owned(),
        version: "0".to_owned(),
        library: "none".into(),
        sha256: None,
        files: Vec::new(),
        value: MethodKind::Score(Score {
            measure: Measure::Function(ScoreFunction(Arc::new(Function(function)))),
            gather: Gather::Sum,
            join: Join::Alone,
            ..Score::default()
        }),
    });
    job
}

/// I((x,w);y), of the codes that the counts stand for.
fn information(table: &CountTable) -> f64 {
    let (mut xw, mut of_y) = (Vec::new(), Vec::new());
    for (at, &count) in table.counts.iter().enumerate() {
        for _ in 0..count {
            xw.push((at / table.y) as u32);
            of_y.push((at % table.y) as u32);
        }
    }
    joint_entropy(&[&xw]) + joint_entropy(&[&of_y]) - joint_entropy(&[&xw, &of_y])
}

fn written(folder: &Folder, holes: bool) -> std::path::PathBuf {
    let mut random = Random::new(70);
    let mut set = made(&mut random, 120, 8, 4, 3);
    if holes {
        set.columns[1][5..40].fill(NONE);
        set.columns[4][60..].fill(NONE);
    }
    folder.write("set.csv", &csv(&set, 2));
    folder.path("set.csv")
}

#[test]
fn coded_information_is_reported_as_that_of_the_plugin() {
    let folder = Folder::new();
    for holes in [false, true] {
        let data = written(&folder, holes);
        let mut job = job(&data, information);
        job.missing = Missing::Pairwise;
        let Report { outcome, .. } = run(&job).unwrap();
        let Outcome::Ranking(own) = outcome else {
            panic!("no ranking");
        };
        let more = ["--response", "y", "--missing", "pairwise"];
        let declared = select(&data, "jmi", 5, &more);
        for (own, declared) in own.selected.iter().zip(&declared.picks) {
            assert_eq!(own.index, declared.index);
            assert_near(own.choice.score, declared.score, &own.name);
            assert_near(own.choice.relevance, declared.relevance, &own.name);
            assert_eq!(own.choice.redundancy, declared.redundancy);
        }
    }
}

#[test]
fn a_function_of_many_tables_at_a_time_has_the_report_of_one() {
    let folder = Folder::new();
    let data = written(&folder, true);
    let mut job = job(&data, information);
    job.missing = Missing::Pairwise;
    let many = Arc::new(OfMany(information, AtomicUsize::new(0)));
    let function = ScoreFunction(Arc::clone(&many) as Arc<dyn TableFunction>);
    let chosen = |job: &Job| match run(job).unwrap().outcome {
        Outcome::Ranking(own) => own.selected,
        _ => panic!("no ranking"),
    };
    let one = chosen(&job);
    let pairs = |value: PairScore| {
        let method = ResolvedMethod {
            name: "own".to_owned(),
            parameters: Vec::new(),
            plugin: "none".to_owned(),
            version: "0".to_owned(),
            library: "none".into(),
            sha256: None,
            files: Vec::new(),
            value,
        };
        rank_pairs(&PairsJob::new(job.clone(), method))
            .unwrap()
            .pairs
    };
    let alone = ScoreFunction(Arc::new(Function(information)));
    assert_eq!(
        pairs(PairScore::Function(function.clone())),
        pairs(PairScore::Function(alone))
    );
    let Some(MethodKind::Score(score)) = job.selector.as_mut().map(|own| &mut own.value) else {
        panic!("no score");
    };
    score.measure = Measure::Function(function);
    assert_eq!(chosen(&job), one);
    assert_eq!(many.1.load(Ordering::Relaxed), 3);
}

#[test]
fn a_function_knows_the_step_of_its_anchor_and_relevance() {
    let folder = Folder::new();
    let data = written(&folder, false);
    let step = |table: &CountTable| match table.step {
        0 => {
            assert_eq!(table.w, 1);
            0.5
        }
        step => step as f64,
    };
    let Outcome::Ranking(own) = run(&job(&data, step)).unwrap().outcome else {
        panic!("no ranking");
    };
    let scores: Vec<f64> = own.selected.iter().map(|own| own.choice.score).collect();
    // The steps before, summed.
    assert_eq!(scores, [0.5, 1.0, 3.0, 6.0, 10.0]);
    assert!(own.selected.iter().all(|own| own.choice.relevance == 0.5));
}

#[test]
fn what_is_not_a_number_is_told_by_name_with_what_was_chosen_before() {
    let folder = Folder::new();
    let data = written(&folder, false);
    for (function, told) in [
        (
            (|table| {
                if table.w > 1 {
                    f64::NAN
                } else {
                    information(table)
                }
            }) as fn(&CountTable) -> f64,
            "is not a number",
        ),
        (
            |table| {
                assert!(table.w == 1, "no way");
                information(table)
            },
            "could not be computed: no way",
        ),
    ] {
        let mut job = job(&data, function);
        let output = folder.path("report.json");
        job.output = Some(output.clone());
        let error = run(&job).unwrap_err();
        assert_eq!(error.exit_code(), 1);
        let message = error.to_string();
        let RunError::Incomplete(incomplete) = error else {
            panic!("{error}");
        };
        let Fault::UndefinedScore(reason) = incomplete.fault else {
            panic!("{}", incomplete.fault);
        };
        let Some(Outcome::Ranking(ranking)) = incomplete.report.map(|report| report.outcome) else {
            panic!("no ranking");
        };
        assert_eq!(ranking.selected.len(), 1);
        // The first of those that are left.
        let first = usize::from(ranking.selected[0].index == 0);
        assert_eq!(
            reason,
            format!("method `own` of plugin `none`: score of `x{first}` {told}")
        );
        assert!(message.starts_with(&reason), "{message}");
        let written = fs::read_to_string(output).unwrap();
        assert!(
            written.contains(&format!("before the end: {reason}")),
            "{written}"
        );
        assert!(written.contains("\"fault\""), "{written}");
    }
}

#[test]
fn a_table_without_room_is_refused_with_the_mend() {
    let folder = Folder::new();
    let mut text = "y,a,b\n".to_owned();
    for t in 0..9000 {
        text += &format!("{},{t},{t}\n", t % 2);
    }
    folder.write("set.csv", &text);
    let mut job = job(&folder.path("set.csv"), |_| 0.0);
    job.stop.top = Some(2);
    let error = run(&job).unwrap_err();
    assert_eq!(error.exit_code(), 2);
    let told = error.to_string();
    for part in [
        "`a` and `b`",
        "162000000 cells",
        "--binning equal-frequency:5",
    ] {
        assert!(told.contains(part), "{told}");
    }
    job.stop.top = Some(1);
    assert!(run(&job).is_ok());
}
