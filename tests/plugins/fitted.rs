//! Procedures of plugins that choose models of every family, and of terms of several columns.

use serde_json::Value;

use super::{
    built,
    families::c_family,
    likelihoods::data,
    program::{Folder, Ran},
};

/// A folder with data of every family, and the procedure; none where there is no compiler.
fn folder(defined: &[&str]) -> Option<Folder> {
    let folder = Folder::new();
    folder.write("families.csv", &data());
    built(
        &folder.path(""),
        "tests/plugins/forward.c",
        "forward",
        defined,
    )?;
    c_family(&folder, &[])?;
    Some(folder)
}

fn select(folder: &Folder, response: &str, more: &[&str]) -> Ran {
    let others = ["y", "success", "count", "time", "event", "level"];
    let is_other = |name: &&str| *name != response && !more.contains(name);
    let drop: Vec<&str> = others.into_iter().filter(is_other).collect();
    let drop = drop.join(",");
    let select = [
        "select",
        "families.csv",
        "--response",
        response,
        "--drop",
        &drop,
    ];
    let plugins = [
        "--plugins",
        "libforward.so,libfamilies.so",
        "--method",
        "forward",
        "--criterion",
        "bic",
    ];
    folder.run(&[&select[..], &plugins, more].concat())
}

fn report(folder: &Folder, response: &str, more: &[&str]) -> Value {
    let ran = select(folder, response, &[more, &["--format", "json"]].concat());
    assert_eq!(ran.code, Some(0), "{more:?}: {}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

fn names(report: &Value) -> Vec<&str> {
    let selected = report["selected"].as_array().unwrap().iter();
    selected.map(|own| own["name"].as_str().unwrap()).collect()
}

/// What the procedure was told of the model that it ended with is what the report says of it.
#[track_caller]
fn assert_told(report: &Value, family: &str) {
    let told = report["numbers"][family].as_f64();
    let value = report["criterion"]["value"].as_f64().unwrap();
    let told = told.unwrap_or_else(|| panic!("{family}: {}", report["numbers"]));
    assert!(
        (told - value).abs() < 1e-8 * value.abs(),
        "{family}: {told} {value}"
    );
}

#[test]
fn it_is_lent_fits_of_the_family_that_is_asked_for() {
    let Some(folder) = folder(&[]) else { return };
    for (family, response, more) in [
        ("gaussian", "y", &[][..]),
        ("binomial", "success", &[]),
        ("binomial", "success", &["--link", "probit"]),
        ("binomial", "success", &["--firth"]),
        ("poisson", "count", &["--offset", "d"]),
        ("poisson", "count", &["--dispersion", "1.7"]),
        ("negative-binomial", "count", &[]),
        ("gamma", "time", &[]),
        ("cox", "time", &["--event", "event"]),
        ("ordinal", "level", &["--levels", "low,middle,high"]),
        ("c-counts", "count", &[]),
    ] {
        let own = report(&folder, response, &[&["--family", family], more].concat());
        assert_told(&own, family);
        // The first column is in every response, and stands for all that are chosen.
        assert!(names(&own).contains(&"a"), "{family}: {:?}", names(&own));
    }
}

#[test]
fn a_column_of_a_factor_stands_for_all_of_it() {
    // One that says nothing of families, too.
    for defined in [&[][..], &["LIKELIHOODS=0"]] {
        let Some(folder) = folder(defined) else {
            return;
        };
        let own = report(&folder, "y", &["--factor", "g"]);
        assert_told(&own, "gaussian");
        let chosen = names(&own);
        let dummies = chosen.iter().filter(|name| name.starts_with("g=")).count();
        assert_eq!(dummies, 3, "{chosen:?}");
        assert!(chosen.contains(&"a") && chosen.contains(&"c"), "{chosen:?}");
        // At most so many terms: the factor is one.
        let few = report(&folder, "y", &["--factor", "g", "--max-size", "2"]);
        assert!(
            few["terms"].as_array().unwrap().len() <= 2,
            "{}",
            few["terms"]
        );
        let kept = report(&folder, "y", &["--factor", "g", "--keep", "g"]);
        assert_told(&kept, "gaussian");
        assert_eq!(names(&kept), chosen);
        let split = report(&folder, "y", &["--factor", "g", "--split"]);
        assert_told(&split, "gaussian");
        assert!(names(&split).contains(&"g=r"), "{:?}", names(&split));
    }
    let Some(folder) = folder(&[]) else { return };
    let own = report(&folder, "count", &["--family", "poisson", "--factor", "g"]);
    assert_told(&own, "poisson");
    let formula = ["--formula", "~ a + b + c + g", "--family", "binomial"];
    let own = report(&folder, "success", &formula);
    assert_told(&own, "binomial");
}

#[test]
fn one_of_linear_regressions_alone_is_refused_with_another_family_before_data_are_read() {
    let Some(folder) = folder(&["LIKELIHOODS=0"]) else {
        return;
    };
    std::fs::remove_file(folder.path("families.csv")).unwrap();
    let ran = select(&folder, "count", &["--family", "poisson"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    let told = "family = poisson: the method forward chooses models of linear regressions alone, as its plugin says";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    // A linear predictor an observation is lent, and no more.
    let Some(folder) = self::folder(&[]) else {
        return;
    };
    let ran = select(&folder, "level", &["--family", "multinomial"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    let told = "family = multinomial: it has several linear predictors an observation, and the method forward is lent one";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    let Some(folder) = self::folder(&["LIKELIHOODS=2"]) else {
        return;
    };
    let ran = select(&folder, "count", &[]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("likelihoods is 2, which means nothing"),
        "{}",
        ran.stderr
    );
}
