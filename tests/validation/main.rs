//! `passel validate` by its command line: held against a script of `select` and `predict`, and against the definitions of its
//! measures.

#![allow(clippy::unwrap_used)]

mod beside;
mod by_bootstrap;
mod by_splits;
mod ends;
mod inference;
mod leaks;
mod measures;
mod mistakes;
mod plain;
mod plain_limits;
mod reports;
mod schemes;
mod script;
mod sizes;
mod sizes_told;
#[path = "../support/program.rs"]
mod support;

use serde_json::Value;
use support::{Folder, Ran};

/// Uniform numbers in −0.5 … 0.5.
pub(crate) fn noise(mut state: u64) -> impl FnMut() -> f64 {
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1_u32 << 31) - 0.5
    }
}

/// A data file: its header, and the line of each row.
pub(crate) struct Data {
    pub(crate) header: String,
    pub(crate) lines: Vec<String>,
}

impl Data {
    /// Columns of every kind of response, and x0 … x9 on which they depend, g a factor, w weights, o an offset, id groups.
    pub(crate) fn of(rows: usize, seed: u64) -> Self {
        let mut draw = noise(seed);
        let names: Vec<String> = (0..10).map(|j| format!("x{j}")).collect();
        let header = format!("y,b,c,t,event,grade,kind,g,w,o,id,{}", names.join(","));
        let line = |row: usize| {
            let x: Vec<f64> = (0..10).map(|_| draw()).collect();
            let g = ["u", "v", "w"][row * 7 % 5 % 3];
            let of_g = if g == "v" { 0.8 } else { 0.0 };
            let eta = 2.0 * x[1] - 1.6 * x[4] + of_g;
            let y = eta + 0.7 * draw();
            let b = usize::from(draw() + 0.5 < 1.0 / (1.0 + (-2.0 * eta).exp()));
            let c = (1.8 * (0.6 * eta).exp() + 2.0 * (draw() + 0.5)) as usize;
            let t = 0.1 + (-eta).exp() * -(draw() + 0.500_001).ln();
            let event = usize::from(draw() > -0.25);
            let grade = 1 + usize::from(y > -0.6) + usize::from(y > 0.8);
            let kinds =
                usize::from(eta + 0.8 * draw() > 0.0) + usize::from(x[4] + 0.2 * draw() > 0.25);
            let kind = ["ash", "elm", "oak"][kinds];
            let w = 1.0 + (row * 5 % 4) as f64 / 2.0;
            let o = (row % 3) as f64 / 4.0;
            let x: Vec<String> = x.iter().map(f64::to_string).collect();
            let id = row / 3;
            format!(
                "{y},{b},{c},{t},{event},{grade},{kind},{g},{w},{o},p{id},{}",
                x.join(",")
            )
        };
        let lines = (0..rows).map(line).collect();
        Self { header, lines }
    }

    /// Writes some of the rows, counted from 1.
    pub(crate) fn write(&self, folder: &Folder, name: &str, rows: impl Iterator<Item = usize>) {
        let mut text = self.header.clone() + "\n";
        rows.for_each(|row| text += &(self.lines[row - 1].clone() + "\n"));
        folder.write(name, &text);
    }

    pub(crate) fn write_all(&self, folder: &Folder) {
        self.write(folder, "d.csv", 1..=self.lines.len());
    }

    /// The numbers of a column.
    pub(crate) fn numbers(&self, column: &str) -> Vec<f64> {
        let at = self
            .header
            .split(',')
            .position(|own| own == column)
            .unwrap();
        let number = |line: &String| line.split(',').nth(at).unwrap().parse().unwrap();
        self.lines.iter().map(number).collect()
    }
}

/// Every column that is a response, weights or groups, but for those named.
pub(crate) fn others_than(used: &[&str]) -> String {
    let all = ["y", "b", "c", "t", "event", "grade", "kind", "w", "o", "id"];
    let others: Vec<&str> = all.into_iter().filter(|own| !used.contains(own)).collect();
    others.join(",")
}

#[track_caller]
pub(crate) fn json(ran: &Ran) -> Value {
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

/// The report of a validation of `d.csv`.
#[track_caller]
pub(crate) fn validate(folder: &Folder, options: &[&str]) -> Value {
    let arguments = [&["validate", "d.csv", "--format", "json"], options].concat();
    json(&folder.run(&arguments))
}

pub(crate) fn numbers(list: &Value) -> Vec<f64> {
    let all = list.as_array().unwrap_or_else(|| panic!("{list}")).iter();
    all.map(|own| own.as_f64().unwrap_or(f64::NAN)).collect()
}

pub(crate) fn counts(list: &Value) -> Vec<usize> {
    numbers(list).into_iter().map(|own| own as usize).collect()
}

/// A measure among the errors of a model.
#[track_caller]
pub(crate) fn error<'r>(errors: &'r Value, name: &str) -> &'r Value {
    let mut all = errors.as_array().unwrap().iter();
    all.find(|own| own["name"] == name)
        .unwrap_or_else(|| panic!("{name} in {errors}"))
}

#[track_caller]
pub(crate) fn value(errors: &Value, name: &str) -> f64 {
    let own = &error(errors, name)["value"];
    own.as_f64().unwrap_or_else(|| panic!("{name} in {errors}"))
}

#[track_caller]
pub(crate) fn near(own: f64, expected: f64, what: &str) {
    let far = (own - expected).abs() > 1e-10 * (1.0 + expected.abs());
    assert!(
        !far && !own.is_nan(),
        "{what}: {own}, and {expected} by definition"
    );
}
