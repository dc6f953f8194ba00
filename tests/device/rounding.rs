//! Another arithmetic on the CPU: the same observations in another order, so every sum
//! rounds otherwise. What parts here would part on a GPU too, and no device is to blame.
//!
//! The swarm alone: the polish walks by products made on the CPU whatever the device,
//! and where columns are mirrored or nearly collinear their rounding decides.

use passel::{
    Design,
    design::DesignOptions,
    table::{Column, Table, Values},
};

use crate::{
    cases::Case,
    places::plain,
    problems::Random,
    same::{compare, run},
};

/// The design with its observations in another order.
fn reordered(design: &Design, seed: u64) -> Design {
    let order = Random::new(seed).order(design.n());
    let column = |name: &str, values: &[f64], scale: f64| Column {
        name: name.to_owned(),
        values: Values::Numbers(order.iter().map(|&row| scale * values[row]).collect()),
    };
    let mut columns = vec![column("y", design.y(), design.tss().sqrt())];
    for (j, variable) in (0..).zip(design.variables()) {
        columns.push(column(&variable.name, design.columns().column(j), 1.0));
    }
    let table = Table {
        source: "reordered".to_owned(),
        columns,
        rows: design.n(),
        response: Some(0),
        truth: Vec::new(),
        ..Table::default()
    };
    let keep = design.keep().iter();
    let keep: Vec<String> = keep
        .map(|&j| design.variables()[j as usize].name.clone())
        .collect();
    let options = DesignOptions {
        keep: &keep,
        ..DesignOptions::default()
    };
    Design::from_table(table, &options).unwrap()
}

/// Every case walks the same path in any order of its observations.
pub fn same_in_any_order(cases: Vec<Case>) {
    let mut parted = Vec::new();
    for mut case in cases {
        case.pass.polish = false;
        let before = run(&case, &plain());
        for seed in [951, 952] {
            let design = reordered(&case.design, seed);
            if design.p() != case.design.p() {
                // Two columns were apart by rounding alone.
                continue;
            }
            let moved = Case {
                name: case.name.clone(),
                design,
                criterion: passel::criteria::named(case.criterion.name(), &[]).unwrap(),
                pass: case.pass.clone(),
                rounding_decides: case.rounding_decides,
            };
            if let Err(what) = compare(&moved, &before, &run(&moved, &plain()), false) {
                parted.push(format!("{}, order {seed}: {what}", case.name));
            }
        }
    }
    assert!(parted.is_empty(), "\n{}", parted.join("\n"));
}
