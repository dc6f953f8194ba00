//! Ranks that are threads: any number of them finds what one does.

#![allow(clippy::unwrap_used)]

#[path = "../support/files.rs"]
mod files;
mod genotypes;
mod tables;

use std::thread;

use serde_json::Value;

use passel::{
    Design, Interrupt, Pass,
    criteria::Ebic,
    design::MatrixOptions,
    device::{DeviceChoice, Partition, Resources},
    family::{Distribution, Family, Link},
    job::{self, task::Command},
    ranks::{Communicator, thread_transports},
    run::{self, RunContext},
    search::{IterationRecord, SearchResult, StepRecord, search},
    selection::Proof,
};

/// What each of so many ranks gives, by rank.
fn each<T: Send>(size: usize, work: impl Fn(Communicator, &Interrupt) -> T + Sync) -> Vec<T> {
    let work = &work;
    thread::scope(|scope| {
        let ranks: Vec<_> = thread_transports(size)
            .into_iter()
            .map(|ranks| {
                scope.spawn(move || {
                    let interrupt = Interrupt::default();
                    work(Communicator::new(ranks, &interrupt).unwrap(), &interrupt)
                })
            })
            .collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}

fn problem(family: Family, n: usize, p: usize) -> Design {
    let mut state = 17_u64;
    let mut draw = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1_u32 << 31) - 0.5
    };
    let x = nalgebra::DMatrix::from_fn(n, p, |_, _| draw());
    let y = nalgebra::DVector::from_fn(n, |i, _| {
        x[(i, 1)] - 2.0 * x[(i, p - 1)] + 0.7 * x[(i, p / 2)] + 0.3 * draw()
    });
    let y = y.map(|y| match family.distribution() {
        Distribution::Binomial => f64::from(u8::from(y > 0.2 * draw())),
        Distribution::Poisson => (2.0 + y).max(0.0).floor(),
        _ => y,
    });
    let options = MatrixOptions {
        family,
        ..MatrixOptions::default()
    };
    Design::from_matrices(&x, &y, &options).unwrap()
}

type Walked = (
    Vec<u32>,
    u64,
    Option<Proof>,
    Vec<(usize, u64, Vec<StepRecord>)>,
);

fn walked(
    design: &Design,
    pass: &Pass,
    resources: &Resources,
    interrupt: &Interrupt,
) -> (Walked, SearchResult) {
    let mut steps = Vec::new();
    let mut observe = |record: &IterationRecord| {
        steps.push((
            record.number,
            record.best_value.to_bits(),
            record.steps.to_vec(),
        ));
    };
    let criterion = Ebic { gamma: 1.0 };
    let found = search(
        design,
        &criterion,
        pass,
        resources,
        interrupt,
        None,
        &mut observe,
    )
    .unwrap();
    let support = found.fit.support().to_vec();
    (
        (support, found.value.to_bits(), found.proof.clone(), steps),
        found,
    )
}

#[test]
fn a_search_walks_move_by_move_as_one_process_does() {
    use Distribution::{Binomial, Gaussian, Poisson};
    let problems = [
        (Gaussian, None, 40, 5),
        (Gaussian, None, 60, 130),
        (Gaussian, None, 90, 300),
        (Binomial, None, 90, 130),
        (Binomial, Some(Link::Probit), 80, 20),
        (Poisson, None, 60, 130),
    ];
    for (distribution, link, n, p) in problems {
        let design = problem(Family::new(distribution, link).unwrap(), n, p);
        let pass = Pass {
            particles: 8,
            iterations: 20,
            ..Pass::default()
        };
        let one = Resources::cpu(1);
        let (whole, _) = walked(&design, &pass, &one, &Interrupt::default());
        for (size, over) in [1, 2, 3, 4, 7].into_iter().flat_map(|size| {
            [Partition::Columns, Partition::Sweeps, Partition::Particles].map(|over| (size, over))
        }) {
            let all = each(size, |communicator, interrupt| {
                let resources = Resources {
                    communicator: Some(communicator.clone()),
                    partition: Some(over),
                    devices: DeviceChoice::Cpu(
                        std::num::NonZeroUsize::new(1 + communicator.rank() % 2).unwrap(),
                    ),
                    ..Resources::cpu(1)
                };
                let (walked, _) = walked(&design, &pass, &resources, interrupt);
                (walked, communicator.traffic())
            });
            for (rank, (walked, _)) in all.iter().enumerate() {
                let what = format!("{distribution}, {n} × {p}, {over:?}");
                assert_eq!(*walked, whole, "rank {rank} of {size}, {what}");
            }
            eprintln!("{distribution} {n} × {p}, {size} {over:?}: {:?}", all[0].1);
        }
    }
}

/// What `passel` reports of a command on so many ranks, without times and devices; by rank.
fn reported(size: usize, arguments: &[&str]) -> Vec<Value> {
    each(size, |communicator, interrupt| {
        report(arguments, Some(communicator), interrupt)
    })
}

fn alone(arguments: &[&str]) -> Value {
    report(arguments, None, &Interrupt::default())
}

fn report(arguments: &[&str], communicator: Option<Communicator>, interrupt: &Interrupt) -> Value {
    let all = ["passel"].iter().chain(arguments).chain(&[
        "--format",
        "json",
        "--device",
        "cpu",
        "--threads",
        "1",
    ]);
    let matches = job::arguments::command().try_get_matches_from(all).unwrap();
    let (name, own) = matches.subcommand().unwrap();
    let command = Command::named(name).unwrap();
    let mut task = job::arguments::task(command, own).unwrap();
    task.job_mut().interrupt = interrupt.clone();
    task.job_mut().resources.communicator = communicator;
    let report = run::run_task(&task, &RunContext::default());
    let mut told: Value = serde_json::from_slice(&report.unwrap().render().unwrap()).unwrap();
    let members = told.as_object_mut().unwrap();
    members.remove("elapsed_seconds");
    for name in ["devices", "screen", "together"] {
        members.remove(name);
    }
    told
}

/// The same, whatever the number of ranks, as one process reports.
fn same(command: &[&str], sizes: &[usize]) {
    let whole = alone(command);
    for &size in sizes {
        for (rank, told) in reported(size, command).iter().enumerate() {
            assert_eq!(*told, whole, "{command:?}, rank {rank} of {size}");
        }
    }
}

const CANCER: [&str; 3] = ["examples/data/breast_cancer.csv.gz", "--response", "class"];

fn with<'a>(command: &'a str, data: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [&[command], data, more].concat()
}

#[test]
fn selectors_are_those_of_one_process() {
    for method in ["mrmr", "jmi", "cmim", "jim", "disr"] {
        same(&with("select", &CANCER, &["--method", method]), &[2, 3]);
    }
    let stop = [
        "--method",
        "jmi",
        "--top",
        "3",
        "--stop",
        "permutation:n=29",
    ];
    same(&with("select", &CANCER, &stop), &[2, 3]);
    let threshold = ["--method", "mim", "--threshold", "0.3", "--top", "30"];
    // More ranks than columns: some have none.
    same(&with("select", &CANCER, &threshold), &[2, 3, 37]);
    let mdlp = ["--method", "jmi", "--binning", "mdlp"];
    same(&with("select", &CANCER, &mdlp), &[3]);
    let genotypes = ["examples/data/epistasis.bed", "--missing", "pairwise"];
    same(&with("select", &genotypes, &["--method", "mrmr"]), &[2, 3]);
    same(
        &with(
            "select",
            &genotypes,
            &["--method", "cmim", "--missing", "level"][..2],
        ),
        &[2],
    );
}

#[test]
fn terms_are_those_of_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.csv");
    let mut text = String::from("y,g,x,h,z,w\n");
    for row in 0..80_u32 {
        let noise = |factor: u32| f64::from(row * factor % 31) / 31.0 - 0.5;
        let (g, h) = (row * 7 % 4, row * 11 % 3);
        let y =
            [0.0, 2.0, -1.0, 3.0][g as usize] + noise(5) * [1.0, -2.0, 3.0][h as usize] + noise(17);
        text += &format!("{y},g{g},{},h{h},{},{}\n", noise(5), noise(13), noise(29));
    }
    std::fs::write(&path, text).unwrap();
    let data = [path.to_str().unwrap()];
    let walk = [
        "--particles",
        "6",
        "--iterations",
        "10",
        "--criterion",
        "bic",
    ];
    for more in [
        &["--response", "y"][..],
        &["--response", "y", "--keep", "h"],
        &["--response", "y", "--split"],
        &["--response", "y", "--group", "noise=z,w"],
        &["--formula", "y ~ (g + x + h + z + w)^2"],
        &[
            "--formula",
            "y ~ g * x * h + poly(z, 2)",
            "--hierarchy",
            "weak",
        ],
    ] {
        // More ranks than terms: some have none.
        same(&with("select", &data, &[more, &walk].concat()), &[2, 3, 7]);
    }
}

#[test]
fn formulas_searched_by_parts_are_those_of_one_process() {
    let (n, p) = (40, 710);
    let design = problem(Family::NORMAL, n, p);
    let x = design.columns();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wide.csv");
    let names: Vec<String> = (0..p).map(|j| format!("v{j}")).collect();
    let mut text = format!("y,{}\n", names.join(","));
    for row in 0..n {
        let value = |j: u32| x.column(j)[row];
        let y = design.y()[row] + 20.0 * value(5) * value(600);
        let values: Vec<String> = (0..p as u32).map(|j| format!("{:.4}", value(j))).collect();
        text += &format!("{y:.6},{}\n", values.join(","));
    }
    std::fs::write(&path, text).unwrap();
    let data = [path.to_str().unwrap(), "--formula", "y ~ .^2"];
    let walk = ["--particles", "4", "--iterations", "5", "--islands", "2"];
    same(&with("select", &data, &walk), &[2, 3]);
}

#[test]
fn pairs_are_those_of_one_process() {
    same(&with("pairs", &CANCER, &["--top", "25"]), &[2, 3, 37]);
    let partners = ["--score", "synergy", "--top", "7", "--partners"];
    same(&with("pairs", &CANCER, &partners), &[2, 3]);
    let threshold = ["--threshold", "0.8"];
    same(&with("pairs", &CANCER, &threshold), &[2]);
    // The first writes the matrix, which all have added to.
    let folder = tempfile::tempdir().unwrap();
    let matrix = |size: usize| {
        let path = folder.path().join(format!("{size}.npy"));
        let told = ["--matrix", path.to_str().unwrap()];
        match size {
            0 => drop(alone(&with("pairs", &CANCER, &told))),
            _ => drop(reported(size, &with("pairs", &CANCER, &told))),
        }
        std::fs::read(path).unwrap()
    };
    let whole = matrix(0);
    assert!(whole.len() > 30 * 30 * 8);
    assert!(matrix(1) == whole && matrix(2) == whole && matrix(3) == whole);
}

/// A file in which everything comes that is no plain number: factors, missing values, constants,
/// duplicates far apart, weights.
fn messy() -> String {
    let mut text = "a,f,b,one,w,c,g,d,copy,e,y,x,again\n".to_owned();
    let mut state = 5_u64;
    let mut draw = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 40) as f64 / f64::from(1 << 24) - 0.5
    };
    for t in 0..90 {
        let [a, b, c, d, e, x] = [0; 6].map(|_| draw());
        let f = ["red", "green", "blue"][(t * 7) % 3];
        let g = ["no", "yes"][t % 2];
        let y = a - 2.0 * c + f64::from(u8::from(f == "blue")) + 0.3 * draw() + e;
        let w = 1 + t % 4;
        let missing = match t {
            11 => String::new(),
            _ => b.to_string(),
        };
        let late = if t == 50 {
            "NA".to_owned()
        } else {
            x.to_string()
        };
        text += &format!("{a},{f},{missing},7,{w},{c},{g},{d},{a},{e},{y},{late},{c}\n");
    }
    text
}

#[test]
fn searches_of_messy_files_are_those_of_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("messy.csv");
    std::fs::write(&path, messy()).unwrap();
    let data = [
        path.to_str().unwrap(),
        "--response",
        "y",
        "--missing",
        "drop-rows",
    ];
    for more in [
        &[][..],
        &["--weights", "w"],
        &["--no-intercept"],
        &["--keep", "f=green,copy", "--drop", "d"],
        &["--particles", "5", "--start-size", "2"],
        &["--criterion", "hdbic", "--gain", "exact"],
    ] {
        for over in ["columns", "sweeps", "particles"] {
            let more = [more, &["--over", over]].concat();
            same(&with("select", &data, &more), &[2, 3, 14]);
        }
    }
    same(&with("select", &data, &["--method", "jmi"]), &[2, 3, 14]);
    let data = [data[0], "--response", "g", "--missing", "drop-rows"];
    for more in [
        &["--drop", "d"][..],
        &["--link", "probit", "--gain", "exact"],
    ] {
        for over in ["columns", "sweeps", "particles"] {
            let family = ["--family", "binomial", "--criterion", "aic", "--over", over];
            let more = [more, &family].concat();
            same(&with("select", &data, &more), &[2, 3]);
        }
    }
}
