//! Quasi-likelihood, for responses that scatter more than their family.

use serde_json::Value;

use crate::families::{folder, select};

const VARIABLES: &str = "age,dose,group,noise";

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// The dispersion is that of the model of all candidates; the criterion is −2ℓ over it, and standard errors have its root.
#[test]
fn a_dispersion_divides_the_likelihood_and_widens_errors() {
    let folder = folder();
    let count = ["--family", "poisson"];
    let events = ["--family", "binomial", "--trials", "of"];
    for (response, used, family) in [("visits", &[][..], &count[..]), ("sick", &["of"], &events)] {
        let run = |more: &[&str]| select(&folder, response, used, &[family, more].concat());
        let whole = run(&["--keep", VARIABLES]);
        let of_all = number(&whole["family"]["pearson_dispersion"]);
        let quasi = run(&["--criterion", "bic", "--dispersion", "estimate"]);
        let own = &quasi["family"];
        let used_one = number(&own["dispersion"]);
        assert!(
            (used_one - of_all.max(1.0)).abs() < 1e-8,
            "{used_one} {of_all}"
        );
        assert_eq!(own["quasi_likelihood"], "estimated");
        let misfit = -2.0 * number(&quasi["log_likelihood"]) / used_one;
        let df: f64 = quasi["terms"]
            .as_array()
            .unwrap()
            .iter()
            .map(|own| number(&own["df"]))
            .sum();
        let value = misfit + df * 80_f64.ln();
        assert!(
            (number(&quasi["criterion"]["value"]) - value).abs() < 1e-6,
            "{value} {}",
            quasi["criterion"]["value"]
        );
        assert!(!quasi["warnings"].to_string().contains("over-dispersion"));
        // The same model by its likelihood.
        let chosen = quasi["terms"].as_array().unwrap().iter();
        let chosen: Vec<&str> = chosen.map(|own| own["name"].as_str().unwrap()).collect();
        let (chosen, k) = (chosen.join(","), quasi["k"].to_string());
        let same = run(&["--keep", &chosen, "--max-size", &k]);
        for variable in quasi["selected"].as_array().unwrap() {
            let all = same["selected"].as_array().unwrap();
            let other = all
                .iter()
                .find(|own| own["name"] == variable["name"])
                .unwrap();
            let ratio = number(&variable["std_error"]) / number(&other["std_error"]);
            assert!((ratio - used_one.sqrt()).abs() < 1e-6, "{ratio}");
            assert!(variable["z"].is_null() && variable["t"].is_number());
        }
        for term in quasi["terms"].as_array().unwrap() {
            let f = number(&term["deviance"]) / number(&term["df"]) / used_one;
            assert!((number(&term["f"]) - f).abs() < 1e-9 * f && term["chi_squared"].is_null());
        }
    }
}

/// A dispersion that is given is known: z and χ². More of it takes up less.
#[test]
fn a_dispersion_that_is_given_is_known() {
    let folder = folder();
    let run = |more: &[&str]| {
        let own = ["--family", "poisson", "--criterion", "aic"];
        select(&folder, "visits", &[], &[&own, more].concat())
    };
    let (one, none, many) = (
        run(&["--dispersion", "1"]),
        run(&[]),
        run(&["--dispersion", "1e6"]),
    );
    assert_eq!(one["criterion"], none["criterion"]);
    assert_eq!(one["selected"], none["selected"]);
    assert_eq!(one["family"]["quasi_likelihood"], "given");
    assert!(none["family"]["quasi_likelihood"].is_null());
    assert_eq!(many["k"], 0);
    let two = run(&["--dispersion", "2"]);
    let term = &two["terms"][0];
    assert!((number(&term["chi_squared"]) - number(&term["deviance"]) / 2.0).abs() < 1e-9);
    assert!(two["selected"][0]["z"].is_number() && two["selected"][0]["t"].is_null());
    let text = folder.run(&[
        "select",
        "d.csv",
        "--response",
        "visits",
        "--family",
        "poisson",
        "--dispersion",
        "2",
    ]);
    assert!(
        text.stdout.contains("dispersion 2.000, given"),
        "{}",
        text.stdout
    );
}

#[test]
fn a_dispersion_that_cannot_be_is_one_error() {
    let folder = folder();
    let own = ["select", "d.csv", "--response"];
    for (more, wanted) in [
        (
            &[
                "coded",
                "--family",
                "binomial",
                "--success",
                "2",
                "--drop",
                "low",
                "--dispersion",
                "estimate",
            ][..],
            "one trial",
        ),
        (&["visits", "--dispersion", "2"], "not of gaussian"),
        (
            &[
                "visits",
                "--family",
                "poisson",
                "--dispersion",
                "2",
                "--firth",
            ],
            "exclude each other",
        ),
        (
            &[
                "visits",
                "--family",
                "negative-binomial",
                "--dispersion",
                "2",
            ],
            "not of negative-binomial",
        ),
        (
            &["visits", "--family", "poisson", "--dispersion", "0"],
            "a number above 0",
        ),
        (
            &["visits", "--family", "poisson", "--dispersion", "full"],
            "a number above 0",
        ),
        (
            &[
                "visits",
                "--family",
                "poisson",
                "--dispersion",
                "estimate",
                "--formula",
                "~ factor(noise) * group + age + dose",
            ],
            "no degrees of freedom",
        ),
    ] {
        let ran = folder.run(&[&own, more].concat());
        assert_eq!(ran.code, Some(2), "{more:?}: {}", ran.stdout);
        assert!(ran.stderr.contains(wanted), "{more:?}: {}", ran.stderr);
    }
}

/// Columns that say what the response says are told: the share of events, and the trials without one.
#[test]
fn what_is_the_response_of_trials_again_is_refused() {
    let folder = folder();
    let text = std::fs::read_to_string(folder.path("d.csv")).unwrap();
    let with = text.lines().enumerate().map(|(at, line)| {
        let cells: Vec<&str> = line.split(',').collect();
        let own = match (at, cells[2].parse::<f64>(), cells[3].parse::<f64>()) {
            (0, ..) => "share,well".to_owned(),
            (_, Ok(sick), Ok(of)) => format!("{},{}", sick / of, of - sick),
            _ => unreachable!(),
        };
        format!("{line},{own}\n")
    });
    folder.write("e.csv", &with.collect::<String>());
    let others = "low,coded,visits,cost,log_time,w";
    for (drop, wanted) in [
        (
            "well",
            "`share` is the response `sick` as a share of the trials",
        ),
        ("share", "`well` is the response `sick` turned round"),
    ] {
        let drop = format!("{others},{drop}");
        let ran = folder.run(&[
            "select",
            "e.csv",
            "--response",
            "sick",
            "--family",
            "binomial",
            "--trials",
            "of",
            "--drop",
            &drop,
        ]);
        assert_eq!(ran.code, Some(2), "{drop}: {}", ran.stdout);
        assert!(ran.stderr.contains(wanted), "{drop}: {}", ran.stderr);
    }
}
