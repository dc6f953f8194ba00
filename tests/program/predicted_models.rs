//! `passel predict` by models of every kind: what comes back is what the fit says.

use std::fs;

use crate::{
    many_responses,
    predictions::{car, cars, fit, numbers, predict, refused, select, succeeds},
    support::Folder,
};

#[test]
fn residuals_of_predictions_are_those_of_the_fit_for_every_kind_of_term() {
    let folder = Folder::new();
    cars(&folder);
    for options in [
        &["--response", "price", "--drop", "sales,sold,w"][..],
        &[
            "--response",
            "price",
            "--drop",
            "sales,sold,w",
            "--split",
            "--reference",
            "kind=saloon",
        ],
        &[
            "--response",
            "price",
            "--drop",
            "sales,sold,w",
            "--no-intercept",
        ],
        &[
            "--response",
            "price",
            "--drop",
            "sales,sold,w",
            "--degree",
            "3",
            "--interactions",
            "2",
        ],
        &["--formula", "price ~ weight * kind + I(power^2)"],
        &[
            "--formula",
            "price ~ weight * kind + power:kind",
            "--hierarchy",
            "none",
        ],
        &[
            "--formula",
            "price ~ poly(power, 3) + ns(weight, df = 4) + C(kind, contr.sum)",
        ],
        &[
            "--formula",
            "price ~ bs(power, knots = c(80, 150)) + scale(weight) + ordered(w)",
        ],
        &["--formula", "price ~ cut(power, 4) + factor(w) + kind - 1"],
        &[
            "--formula",
            "price ~ log(power) + I(weight > 1400) + offset(weight / 400)",
        ],
        &["--formula", "price ~ power * kind", "--offset", "w"],
        &[
            "--formula",
            "price ~ power * kind",
            "--contrasts",
            "kind=helmert",
        ],
    ] {
        let report = select(&folder, "cars.csv", &[options, &["--overwrite"]].concat());
        let own = fit(&predict(&folder, "cars.csv", &[]));
        let square = |(row, own): (usize, &f64)| (car(row).0 - own).powi(2);
        let rss: f64 = own.iter().enumerate().map(square).sum();
        let expected = report["rss"].as_f64().unwrap();
        assert!(
            (rss - expected).abs() < 1e-9 * expected,
            "{options:?}: {rss} {expected}"
        );
        assert!(report["k"].as_u64().unwrap() > 0, "{options:?}");
    }
    // The deviances of counts and of events.
    let counts = [
        "--response",
        "sales",
        "--family",
        "poisson",
        "--drop",
        "price,sold,w",
        "--overwrite",
    ];
    let report = select(&folder, "cars.csv", &counts);
    let own = fit(&predict(&folder, "cars.csv", &[]));
    let link = fit(&predict(&folder, "cars.csv", &["--scale", "link"]));
    assert!(
        own.iter()
            .zip(&link)
            .all(|(mean, eta)| (mean / eta.exp() - 1.0).abs() < 1e-12)
    );
    let deviance = own.iter().enumerate().map(|(row, mean)| {
        let y = (car(row).0 + (row * 13 % 7) as f64 / 2.0).trunc();
        let log = if y > 0.0 { y * (y / mean).ln() } else { 0.0 };
        2.0 * (log - (y - mean))
    });
    let (deviance, expected) = (
        deviance.sum::<f64>(),
        report["family"]["deviance"].as_f64().unwrap(),
    );
    assert!(
        (deviance - expected).abs() < 1e-9 * expected,
        "{deviance} {expected}"
    );
}

#[test]
fn averages_are_those_of_the_models_by_their_weights() {
    let folder = Folder::new();
    let report = select(
        &folder,
        "data.csv",
        &["--response", "y", "--criterion", "aic"],
    );
    let told = predict(&folder, "data.csv", &["--average", "--interval", "mean"]);
    let met = report["model"]["met"].as_array().unwrap();
    let models = report["models"].as_array().unwrap();
    assert_eq!(met.len(), models.len());
    assert!(met.len() > 3);
    // By the fits of each model alone.
    let text = folder.read("data.csv");
    let mut sums = vec![0.0; 60];
    let mut squares = vec![(0.0, 0.0); 60];
    let total: f64 = models
        .iter()
        .map(|own| own["weight"].as_f64().unwrap())
        .sum();
    for own in models {
        let variables = own["variables"].as_array().unwrap();
        let names: Vec<&str> = variables.iter().map(|own| own.as_str().unwrap()).collect();
        let keep = ["y"].iter().chain(&names).copied().collect::<Vec<_>>();
        let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let header = lines.next().unwrap();
        let places: Vec<usize> = keep
            .iter()
            .map(|name| header.iter().position(|own| own == name).unwrap())
            .collect();
        let rows = lines.map(|line| {
            places
                .iter()
                .map(|at| line[*at])
                .collect::<Vec<_>>()
                .join(",")
        });
        let part = keep.join(",") + "\n" + &rows.collect::<Vec<_>>().join("\n") + "\n";
        folder.write("part.csv", &part);
        if names.is_empty() {
            continue;
        }
        select(
            &folder,
            "part.csv",
            &["--response", "y", "--keep", &names.join(","), "--overwrite"],
        );
        let alone = predict(&folder, "part.csv", &["--interval", "mean"]);
        let weight = own["weight"].as_f64().unwrap() / total;
        let errors = numbers(&alone["predictions"][0]["std_error"]);
        for (row, (own, error)) in fit(&alone).iter().zip(errors).enumerate() {
            sums[row] += weight * own;
            squares[row].0 += weight * (error * error + own * own);
        }
    }
    let errors = numbers(&told["predictions"][0]["std_error"]);
    for (row, own) in fit(&told).iter().enumerate() {
        assert!((own - sums[row]).abs() < 1e-9, "{row}: {own} {}", sums[row]);
        let expected = (squares[row].0 - sums[row] * sums[row]).sqrt();
        assert!(
            (errors[row] - expected).abs() < 1e-7,
            "{row}: {} {expected}",
            errors[row]
        );
    }
}

/// Writes the same genotypes once more, as copies of the other allele.
pub fn exchange_alleles(folder: &Folder, from: &str, to: &str) {
    let of = |name: &str, ending: &str| format!("{name}.{ending}");
    let bim = folder.read(&of(from, "bim"));
    let exchanged = bim.lines().map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        [&fields[..4], &[fields[5], fields[4]]].concat().join("\t") + "\n"
    });
    folder.write(&of(to, "bim"), &exchanged.collect::<String>());
    let mut bed = fs::read(folder.path(&of(from, "bed"))).unwrap();
    for byte in &mut bed[3..] {
        // 00 and 11 are the copies, 01 is missing.
        let turned = (0..4).map(|at| match *byte >> (2 * at) & 3 {
            code @ (0 | 3) => (3 - code) << (2 * at),
            code => code << (2 * at),
        });
        *byte = turned.fold(0, |all, code| all | code);
    }
    fs::write(folder.path(&of(to, "bed")), bed).unwrap();
    fs::copy(folder.path(&of(from, "fam")), folder.path(&of(to, "fam"))).unwrap();
}

#[test]
fn genotypes_are_read_by_name_and_exchanged_alleles_are_turned_round() {
    let folder = Folder::new();
    let simulate = [
        "simulate",
        "genotypes",
        "--n",
        "200",
        "--p",
        "300",
        "--r",
        "4",
        "--missing",
        "0.02",
        "--heritability",
        "0.7",
    ];
    succeeds(folder.run(&[&simulate[..], &["--output", "c.bed"]].concat()));
    let report = select(&folder, "c.bed", &["--criterion", "bic"]);
    let own = predict(&folder, "c.bed", &["--interval", "mean"]);
    assert!(
        own["warnings"][0]
            .as_str()
            .unwrap()
            .contains("missing value"),
        "{own}"
    );
    let fitted = fit(&own);
    // Missing genotypes are the mean: the residuals are those of the fit.
    let fam = folder.read("c.fam");
    let trait_of = |line: &str| {
        line.split_whitespace()
            .last()
            .unwrap()
            .parse::<f64>()
            .unwrap()
    };
    let rss: f64 = fam
        .lines()
        .zip(&fitted)
        .map(|(line, own)| (trait_of(line) - own).powi(2))
        .sum();
    let expected = report["rss"].as_f64().unwrap();
    assert!((rss - expected).abs() < 1e-9 * expected, "{rss} {expected}");
    exchange_alleles(&folder, "c", "e");
    let again = fit(&predict(&folder, "e.bed", &[]));
    assert!(
        fitted
            .iter()
            .zip(&again)
            .all(|(a, b)| (a - b).abs() < 1e-12 * a.abs())
    );
    let bim = folder.read("c.bim");
    folder.write("e.bim", &bim.replace("\tA\tG\n", "\tA\tC\n"));
    refused(
        folder.run(&["predict", "report.json", "e.bed"]),
        &[
            "has the alleles A and C, of which A is counted",
            "on the other strand",
        ],
    );
    // A variant that is not there.
    let chosen = report["selected"][0]["name"].as_str().unwrap();
    folder.write("e.bim", &bim.replace(&format!("\t{chosen}\t"), "\tother\t"));
    refused(
        folder.run(&["predict", "report.json", "e.bed"]),
        &["the model needs the column", chosen],
    );
}

#[test]
fn every_response_and_criterion_has_its_columns() {
    let folder = many_responses::folder();
    let options = [
        "--response",
        "y0,y1",
        "--drop",
        "y2,k",
        "--criterion",
        "aic,bic",
        "--missing",
        "drop-rows",
    ];
    let report = select(&folder, "data.csv", &options);
    let ran = succeeds(folder.run(&["predict", "report.json", "data.csv"]));
    let header = ran.stdout.lines().next().unwrap();
    assert_eq!(
        header,
        "predicted_row,y0:aic:fit,y0:bic:fit,y1:aic:fit,y1:bic:fit"
    );
    assert_eq!(ran.stdout.lines().count(), 61);
    // Each is that of its own report.
    let one = &report["responses"][1]["by_other_criteria"][0];
    assert_eq!(
        (one["response"].as_str(), one["criterion"]["name"].as_str()),
        (Some("y1"), Some("bic"))
    );
    let whole = predict(&folder, "data.csv", &[]);
    folder.write("report.json", &one.to_string());
    assert_eq!(
        fit(&predict(&folder, "data.csv", &[])),
        numbers(&whole["predictions"][3]["fit"])
    );
}

#[test]
fn results_of_runs_predict() {
    let folder = Folder::new();
    cars(&folder);
    folder.write(
        "jobs.toml",
        "[[job]]\ndata = \"cars.csv\"\nresponse = \"price\"\ndrop = [\"sales\", \"sold\", \"w\"]\n",
    );
    succeeds(folder.run(&["run", "jobs.toml"]));
    select(
        &folder,
        "cars.csv",
        &["--response", "price", "--drop", "sales,sold,w"],
    );
    let own = succeeds(folder.run(&["predict", "report.json", "cars.csv"]));
    let results = fs::read_dir(folder.path("jobs-results")).unwrap();
    let results = results.map(|own| own.unwrap().path());
    let results = results.filter(|own| own.extension().is_some_and(|ending| ending == "json"));
    let result: Vec<_> = results.collect();
    let [result] = &result[..] else {
        panic!("{result:?}");
    };
    let of_run = succeeds(folder.run(&["predict", result.to_str().unwrap(), "cars.csv"]));
    assert_eq!(of_run.stdout, own.stdout);
}
