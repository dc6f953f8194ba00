//! Splits of rows whose columns stay on GPUs.

use std::sync::Arc;

use passel::{
    Pass,
    criteria::CrossValidation,
    device::{DeviceChoice, Resources},
    inference::InferenceMethod,
    job::{Job, JobDraft, StabilityJob, ValidationJob},
    run::{self, Outcome},
    table::Table,
    validation::Scheme,
};
use serde::Serialize;
use serde_json::Value;

use crate::{places::cuda_is_there, problems::Random};

/// Enough columns that they stay on a GPU.
const SHAPE: (usize, usize) = (120, 72_000);

/// A response of four columns, among which are copies, constants, zeros and ones, and one that is a multiple of another.
fn table() -> Table {
    let mut random = Random::new(9);
    let (n, p) = SHAPE;
    let mut columns: Vec<Vec<f64>> = (0..p)
        .map(|_| (0..n).map(|_| random.normal()).collect())
        .collect();
    columns[7] = columns[3].clone();
    columns[8] = vec![2.5; n];
    columns[9] = columns[3].iter().map(|x| 1e-3 * x).collect();
    for column in &mut columns[20..40] {
        *column = (0..n).map(|_| random.below(2) as f64).collect();
    }
    let y = (0..n).map(|row| {
        let signal = columns[3][row] - columns[25][row] + columns[100][row] + columns[71_999][row];
        signal + 0.5 * random.normal()
    });
    let y: Vec<f64> = y.collect();
    let names = (0..p).map(|at| format!("x{at}"));
    let columns = columns.into_iter().map(Into::into);
    let response = std::iter::once(("y".to_owned(), y.into()));
    Table::in_memory("columns", names.zip(columns).chain(response)).unwrap()
}

/// A small search of the table.
fn job(table: &Arc<Table>, resources: &Resources) -> Job {
    let mut draft = JobDraft::new("columns");
    draft.set("response", &["y".to_owned()]).unwrap();
    let job = draft.check().unwrap();
    Job {
        table: Some(Arc::clone(table)),
        drop: vec!["x11".to_owned()],
        pass: Pass {
            particles: 4,
            iterations: 10,
            max_size: Some(8),
            ..job.pass
        },
        resources: resources.clone(),
        ..job
    }
}

/// A report without what depends on where it was made.
fn without_place(report: impl Serialize) -> Value {
    let mut value = serde_json::to_value(report).unwrap();
    for name in ["devices", "elapsed_seconds"] {
        value.as_object_mut().unwrap().remove(name).unwrap();
    }
    value
}

/// Compares what a work finds on all GPUs with what it finds on the CPU.
fn compare(name: &str, work: impl Fn(Job) -> Value) {
    if !cuda_is_there() {
        return;
    }
    let table = Arc::new(table());
    let gpus = Resources {
        devices: DeviceChoice::Cuda(Vec::new()),
        ..Resources::default()
    };
    let expected = work(job(&table, &Resources::cpu(0)));
    let there = work(job(&table, &gpus));
    assert_eq!(there, expected, "{name}");
}

fn validated(job: Job, scheme: Scheme) -> Value {
    let validation = ValidationJob {
        scheme,
        ..ValidationJob::new(job)
    };
    let value = without_place(run::validate(&validation).unwrap());
    assert!(value["splits"][0]["sizes"][0].as_u64() > Some(0));
    value
}

const FOLDS: Scheme = Scheme::Folds { k: 4, repeats: 2 };

#[test]
fn folds_of_columns_on_gpus_are_those_of_the_host() {
    compare("folds", |job| validated(job, FOLDS));
}

#[test]
fn bootstraps_of_columns_on_gpus_are_those_of_the_host() {
    let scheme = Scheme::Bootstrap { resamples: 5 };
    compare("bootstrap", |job| validated(job, scheme));
}

#[test]
fn sizes_by_folds_of_columns_on_gpus_are_those_of_the_host() {
    let cv = || CrossValidation {
        folds: 3,
        repeats: 1,
        std_errors: 0.0,
        size: None,
    };
    let scheme = Scheme::Folds { k: 4, repeats: 1 };
    compare("cv", |job| {
        let criterion = Arc::new(cv());
        validated(Job { criterion, ..job }, scheme)
    });
}

#[test]
fn resamples_of_columns_on_gpus_are_those_of_the_host() {
    compare("stability", |job| {
        let stability = StabilityJob {
            resamples: 4,
            ..StabilityJob::new(job)
        };
        without_place(run::select_stable(&stability).unwrap())
    });
}

#[test]
fn inference_from_columns_on_gpus_is_that_of_the_host() {
    compare("inference", |job| {
        let inference = Some(InferenceMethod::Split { splits: 6 });
        let outcome = run::run(&Job { inference, ..job }).unwrap().outcome;
        let Outcome::Selection(selection) = outcome else {
            panic!("a selection has another outcome");
        };
        let value = serde_json::to_value(&selection).unwrap();
        assert!(value["inference"]["variables"][0]["p_value"].is_number());
        value["inference"].clone()
    });
}
