//! Splits of rows whose columns stay on GPUs.

use std::sync::Arc;

use passel::{
    Pass,
    criteria::CrossValidation,
    device::{DeviceChoice, Resources},
    job::{JobDraft, ValidationJob},
    run,
    table::Table,
    validation::Scheme,
};
use serde_json::Value;

use crate::{
    places::{cuda_is_there, plain},
    problems::Random,
};

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
    for at in 20..40 {
        columns[at] = (0..n).map(|_| random.below(2) as f64).collect();
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

/// What a validation found, without what depends on where.
fn found(table: &Arc<Table>, resources: Resources, scheme: Scheme, cv: bool) -> Value {
    let mut draft = JobDraft::new("columns");
    draft.set("response", &["y".to_owned()]).unwrap();
    let mut job = draft.check().unwrap();
    job.table = Some(Arc::clone(table));
    job.drop = vec!["x11".to_owned()];
    job.pass = Pass {
        particles: 4,
        iterations: 10,
        max_size: Some(8),
        ..job.pass
    };
    job.resources = resources;
    if cv {
        job.criterion = Arc::new(CrossValidation {
            folds: 3,
            repeats: 1,
            std_errors: 0.0,
            size: None,
        });
    }
    let validation = ValidationJob {
        scheme,
        ..ValidationJob::new(job)
    };
    let report = run::validate(&validation).unwrap();
    let mut value = serde_json::to_value(report).unwrap();
    let run = value.as_object_mut().unwrap().remove("run").unwrap();
    value["warnings"] = run["warnings"].clone();
    value
}

#[test]
fn splits_of_columns_on_gpus_are_those_of_the_host() {
    if !cuda_is_there() {
        return;
    }
    let table = Arc::new(table());
    let gpus = Resources {
        devices: DeviceChoice::Cuda(Vec::new()),
        ..plain()
    };
    let folds = Scheme::Folds { k: 4, repeats: 2 };
    let bootstrap = Scheme::Bootstrap { resamples: 5 };
    for (scheme, cv) in [(folds, false), (bootstrap, false), (folds, true)] {
        let expected = found(&table, plain(), scheme, cv);
        assert!(expected["splits"][0]["sizes"][0].as_u64() > Some(0));
        let there = found(&table, gpus.clone(), scheme, cv);
        assert_eq!(there, expected, "{scheme:?}, by cross-validation: {cv}");
    }
}
