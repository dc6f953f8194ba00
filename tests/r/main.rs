//! Selections beside R's: best subsets by leaps, `lm`, `extractAIC`, `AIC`, `BIC` and `step`. The answers on the
//! diabetes data that ship with passel are stored in `tests/golden`; tests that need R are
//! ignored, and `.ci/run` runs them. `reference.R` makes every answer.

#![allow(clippy::unwrap_used)]

#[path = "../support/responses.rs"]
mod responses;
#[path = "../support/program.rs"]
mod support;

mod compare;
mod diagnostics;
mod families;
mod levels;
mod page;
mod prediction;
mod requests;
mod robust;
mod survival;
mod terms;

use std::{fs, path::Path, process::Command};

use requests::{Request, of_diabetes, of_sets};
use serde_json::Value;
use support::Folder;

/// What a test needs that is not run everywhere: the packages of Debian and Ubuntu.
const NEEDS: &str = "R is needed: apt-get install -y r-base-core r-cran-leaps r-cran-glmnet r-cran-jsonlite r-cran-mass \
     r-cran-cardata r-cran-survival r-cran-nnet r-cran-sandwich r-cran-lmtest";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs a script of this folder by R.
fn rscript(script: &str, arguments: &[&Path]) -> String {
    let script = root().join("tests/r").join(script);
    let mut command = Command::new("Rscript");
    let output = command
        .arg(script)
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("{NEEDS}: {error}"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}\n{NEEDS}");
    String::from_utf8(output.stdout).unwrap()
}

/// R's answers to requests about files of a folder.
fn ask(requests: &[Request], folder: &Path) -> Vec<Value> {
    let own = Folder::new();
    let json: Vec<Value> = requests.iter().map(Request::json).collect();
    own.write("requests.json", &Value::from(json).to_string());
    let answers = rscript("reference.R", &[&own.path("requests.json"), folder]);
    serde_json::from_str(&answers).unwrap()
}

#[test]
#[ignore = "needs R with leaps and jsonlite"]
fn ten_of_r_s_own_sets() {
    let folder = Folder::new();
    rscript("sets.R", &[&folder.path(".")]);
    let requests = of_sets();
    let answers = ask(&requests, &folder.path("."));
    assert_eq!(requests.len(), answers.len());
    for (request, answer) in requests.iter().zip(&answers) {
        compare::selection(request, &request.select(&folder), answer);
    }
}

#[test]
fn stored_answers_of_r() {
    let folder = Folder::new();
    fs::copy(
        root().join("examples/data/diabetes.csv"),
        folder.path("diabetes.csv"),
    )
    .unwrap();
    for (request, answer) in of_diabetes().iter().zip(stored()) {
        compare::selection(request, &request.select(&folder), &answer);
    }
}

/// `tests/golden/r_diabetes.json`: `PASSEL_BLESS=1 cargo test --test r -- --ignored` writes it.
fn stored() -> Vec<Value> {
    let text = fs::read_to_string(root().join("tests/golden/r_diabetes.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
#[ignore = "needs R with leaps and jsonlite"]
fn stored_answers_are_what_r_says() {
    let answers = ask(&of_diabetes(), &root().join("examples/data"));
    if std::env::var_os("PASSEL_BLESS").is_some() {
        let lines: Vec<String> = answers.iter().map(Value::to_string).collect();
        let text = format!("[\n{}\n]\n", lines.join(",\n"));
        fs::write(root().join("tests/golden/r_diabetes.json"), text).unwrap();
    }
    let stored = stored();
    assert_eq!(answers.len(), stored.len());
    for (answer, stored) in answers.iter().zip(&stored) {
        compare::same(answer, stored, "");
    }
}
