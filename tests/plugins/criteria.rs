//! Criteria of plugins: listed, asked for, refused, and the same as one of passel's own would be.

use passel::{
    Interrupt, Pass,
    criteria::{Criterion, Model},
    design::{Design, DesignOptions},
    device::Resources,
    search::search,
    table::{self, ReadOptions},
};
use serde_json::Value;

use super::{
    built, c_runs,
    program::{Folder, Ran},
};

fn select(folder: &Folder, library: &str, more: &[&str]) -> Ran {
    let select = ["select", "data.csv", "--response", "y", "--format", "json"];
    folder.run(&[&select[..], &["--plugins", library], more].concat())
}

fn json(ran: &Ran) -> Value {
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn they_are_listed_and_asked_for_like_passels_own() {
    let folder = Folder::new();
    let Some(library) = c_runs(&folder.path(""), &[]) else {
        return;
    };
    let library = library.display().to_string();
    let text = folder.run(&["criteria", "--plugins", &library]);
    assert!(text.stdout.contains("c-price"), "{}", text.stdout);
    assert!(
        text.stdout
            .contains("price = 10, in 0 … 1000: Of a variable"),
        "{}",
        text.stdout
    );
    let listed = json(&folder.run(&["criteria", "--plugins", &library, "--format", "json"]));
    let listed = listed.as_array().or(listed["criteria"].as_array()).unwrap();
    let price = listed
        .iter()
        .find(|criterion| criterion["name"] == "c-price")
        .unwrap();
    assert_eq!(price["plugin"], "runs");
    let parameter = &price["parameters"][0];
    assert_eq!(
        (&parameter["default"], &parameter["max"]),
        (&10.0.into(), &1000.0.into())
    );

    for (asked, price) in [("c-price", 10.0), ("c-price:price=3", 3.0)] {
        let report = json(&select(&folder, &library, &["--criterion", asked]));
        assert_eq!(report["criterion"]["name"], "c-price");
        assert_eq!(report["criterion"]["price"], price);
    }
    let job = "[[job]]\ndata = 'data.csv'\nresponse = 'y'\nplugins = ['libruns.so']\n\
               criterion = 'c-price:price=3'\nformat = 'json'\n";
    folder.write("jobs.toml", job);
    assert_eq!(folder.run(&["run", "jobs.toml"]).code, Some(0));
    let report: Value = serde_json::from_str(&folder.read("jobs-results/data.json")).unwrap();
    assert_eq!(report["result"]["criterion"]["price"], 3.0);
    // The library is among what the result was made of.
    assert_eq!(report["manifest"]["inputs"][1]["path"], "libruns.so");

    for (asked, told) in [
        (
            "c-price:price=-1",
            "price = -1 of criterion `c-price` lies outside 0 … 1000",
        ),
        (
            "c-price:price=nan",
            "price = NaN of criterion `c-price` lies outside 0 … 1000",
        ),
        (
            "c-price:prize=1",
            "criterion `c-price` takes price, not `prize`; did you mean `price`?",
        ),
        (
            "c-prise",
            "criterion = c-prise: there is no criterion `c-prise`; did you mean `c-price`?",
        ),
        (
            "bicx",
            "criterion = bicx: there is no criterion `bicx`; did you mean `bic`?",
        ),
        (
            "lasso",
            "criterion = lasso: there is no criterion `lasso`; `passel criteria` lists them",
        ),
    ] {
        let ran = select(&folder, &library, &["--criterion", asked]);
        let told = format!("error: {told}\n");
        assert_eq!((ran.code, ran.stderr), (Some(2), told), "{asked}");
    }
}

#[test]
fn one_that_makes_no_sense_is_refused() {
    let folder = Folder::new();
    let of_20 = "its value of 0 of 20 variables and 100 observations";
    let falls = format!("{of_20} falls from -50 to -100 where rss rises from 50 to 100");
    for (defined, told) in [
        ("CRITERION=0.0/0.0", &*format!("{of_20} is not a number")),
        ("CRITERION=-rss", &falls),
        ("VALUE=0", "value is null"),
        ("CRITERION_NAME=\"bic\"", "the name `bic` is taken"),
        (
            "CRITERION_NAME=\"BIC\"",
            "the name `BIC` is not a small letter",
        ),
        (
            "CRITERION_SIZE=8",
            "its size is 8, at least 64 is needed: start it with its own sizeof",
        ),
    ] {
        let Some(library) = c_runs(&folder.path(""), &[defined]) else {
            return;
        };
        let asked = ["--criterion", "c-price", "--method", "c-run"];
        let ran = select(&folder, &library.display().to_string(), &asked);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
        let place = format!("error: {}: criterion 1", library.display());
        assert!(ran.stderr.starts_with(&place), "{}", ran.stderr);
        assert!(ran.stderr.contains(told), "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1);
    }
    let at_three = "CRITERION=values[0]==3?0.0/0.0:values[0]==4?-rss:rss";
    let library = c_runs(&folder.path(""), &[at_three]).unwrap();
    let library = library.display().to_string();
    assert_eq!(
        select(&folder, &library, &["--criterion", "c-price"]).code,
        Some(0)
    );
    for (asked, told) in [
        ("c-price:price=3", &*format!("{of_20} is not a number")),
        ("c-price:price=4", &falls),
    ] {
        let ran = select(&folder, &library, &["--criterion", asked]);
        let told = format!("error: criterion `c-price` of plugin `runs`: {told}\n");
        assert_eq!((ran.code, ran.stderr), (Some(2), told));
    }
}

/// The example's formula, from its source.
#[derive(Debug)]
struct Mbic;

impl Criterion for Mbic {
    fn name(&self) -> &str {
        "mbic"
    }

    fn penalty(&self, model: &Model) -> f64 {
        let [n, p, k] = [model.n, model.candidates, model.chosen].map(|count| count as f64);
        model.parameters() as f64 * n.ln() + 2.0 * k * (p / 4.0).ln().max(0.0)
    }
}

#[test]
fn the_example_in_c_gives_what_the_same_formula_in_rust_gives() {
    let folder = Folder::new();
    let source = "examples/plugins/mbic/mbic.c";
    let Some(library) = built(&folder.path(""), source, "mbic", &[]) else {
        return;
    };
    let library = library.display().to_string();
    let report = json(&select(
        &folder,
        &library,
        &["--criterion", "mbic", "--seed", "7"],
    ));
    let reading = ReadOptions {
        response: Some("y"),
        factors: &[],
        ..ReadOptions::default()
    };
    let table = table::read(&folder.path("data.csv"), &reading).unwrap();
    let options = DesignOptions {
        response: Some("y"),
        ..DesignOptions::default()
    };
    let design = Design::from_table(table, &options).unwrap();
    let pass = Pass {
        seed: 7,
        ..Pass::default()
    };
    let never = Interrupt::default();
    let found = search(
        &design,
        &Mbic,
        &pass,
        &Resources::cpu(2),
        &never,
        None,
        &mut |_| {},
    )
    .unwrap();
    let own = found.selection(&design, &Mbic, &pass);
    let names: Vec<&str> = own
        .selected
        .iter()
        .map(|variable| &*variable.name)
        .collect();
    let theirs = report["selected"].as_array().unwrap();
    let theirs: Vec<&str> = theirs
        .iter()
        .map(|variable| variable["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, theirs);
    let value = report["criterion"]["value"].as_f64().unwrap();
    assert!((value - own.criterion.value).abs() <= 1e-10 * value.abs());
}
