//! One half chooses, the other estimates.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    inference::{report, table, variable},
    support::Folder,
};

#[test]
fn a_signal_is_found_and_noise_is_not() {
    let folder = Folder::new();
    folder.write("data.csv", &table(120, 40, 3));
    let report = report(
        &folder,
        &[
            "--drop",
            "g",
            "--criterion",
            "bic",
            "--infer",
            "split:splits=20",
        ],
    );
    let inference = &report["inference"];
    assert_eq!([&inference["wanted"], &inference["done"]], [20, 20]);
    let signal = variable(&report, "x0");
    assert_eq!(signal["chosen"], 20);
    assert!(signal["p_value"].as_f64().unwrap() < 1e-6, "{signal}");
    let ends = ["lower", "upper"].map(|end| signal[end].as_f64().unwrap());
    assert!(
        ends[0] > 1.0 && ends[0] < 2.0 && ends[1] > 2.0 && ends[1] < 3.0,
        "{ends:?}"
    );
    let harmonic: f64 = (1..=40).map(|rank| 1.0 / f64::from(rank)).sum();
    let [p, rate] = ["p_value", "false_discovery_rate"].map(|own| signal[own].as_f64().unwrap());
    assert!((rate / (p * harmonic) - 1.0).abs() < 1e-9, "{signal}");
    let mut noise = 0;
    for own in inference["variables"].as_array().unwrap() {
        if own["name"] != "x0" {
            assert!(own["p_value"].as_f64().unwrap() > 0.05, "{own}");
            noise += 1;
        }
    }
    // The criterion is mild, so that halves choose noise.
    assert!(noise > 5, "{noise}");
}

/// The same numbers by a script: the rows of each split are found in what `validate` says of the same scheme and seed.
#[test]
fn it_is_what_a_script_of_halves_makes() {
    let folder = Folder::new();
    let text = table(60, 6, 11);
    folder.write("data.csv", &text);
    let options = ["--drop", "g", "--criterion", "aic", "--seed", "5"];
    let mut arguments = options.to_vec();
    arguments.extend(["--infer", "split:splits=4"]);
    let own = report(&folder, &arguments);
    let mut validate = vec![
        "validate",
        "data.csv",
        "--response",
        "y",
        "--format",
        "json",
        "--scheme",
        "holdout:share=0.5,repeats=4",
    ];
    validate.extend(options);
    let ran = folder.run(&validate);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let validated: Value = serde_json::from_str(&ran.stdout).unwrap();
    let halves = held_out(&validated, 60);
    assert_eq!(halves.len(), 4);
    let lines: Vec<&str> = text.lines().collect();
    let part = |rows: &dyn Fn(usize) -> bool| {
        let kept = lines[1..].iter().enumerate().filter(|(row, _)| rows(*row));
        let kept: Vec<&str> = kept.map(|(_, line)| *line).collect();
        format!("{}\n{}\n", lines[0], kept.join("\n"))
    };
    // By variable the p-values of the halves, times how many were chosen.
    let mut p: Vec<Vec<f64>> = vec![Vec::new(); 6];
    let mut estimates: Vec<Vec<f64>> = vec![Vec::new(); 6];
    for half in &halves {
        let other = Folder::new();
        other.write("data.csv", &part(&|row| !half.contains(&row)));
        let first = report(&other, &options);
        let chosen: Vec<&str> = first["selected"]
            .as_array()
            .unwrap()
            .iter()
            .map(|own| own["name"].as_str().unwrap())
            .collect();
        other.write("data.csv", &part(&|row| half.contains(&row)));
        let keep = chosen.join(",");
        let mut again = vec!["--drop", "g", "--criterion", "bic", "--max-size"];
        let size = chosen.len().max(1).to_string();
        again.push(&size);
        if !chosen.is_empty() {
            again.extend(["--keep", &keep]);
        }
        let second = report(&other, &again);
        for (at, p) in p.iter_mut().enumerate() {
            let name = format!("x{at}");
            let mut rows = second["selected"].as_array().unwrap().iter();
            let row = rows.find(|own| own["name"] == *name && chosen.contains(&&*name));
            p.push(row.map_or(1.0, |own| {
                estimates[at].push(own["coefficient"].as_f64().unwrap());
                (own["p_value"].as_f64().unwrap() * chosen.len() as f64).min(1.0)
            }));
        }
    }
    let mut seen = 0;
    for (at, mut p) in p.into_iter().enumerate() {
        let Some(row) = own["inference"]["variables"]
            .as_array()
            .unwrap()
            .iter()
            .find(|own| own["name"] == format!("x{at}"))
        else {
            assert!(p.iter().all(|p| *p == 1.0));
            continue;
        };
        seen += 1;
        p.sort_by(f64::total_cmp);
        // Of four the first quantile from 0.05 on is the least.
        let least = p
            .iter()
            .enumerate()
            .map(|(rank, p)| p * 4.0 / (rank + 1) as f64);
        let expected = ((1.0 - 0.05_f64.ln()) * least.fold(f64::INFINITY, f64::min)).min(1.0);
        let p_value = row["p_value"].as_f64().unwrap();
        assert!(
            (p_value - expected).abs() <= 1e-9 * expected,
            "x{at}: {p_value} {expected}"
        );
        estimates[at].sort_by(f64::total_cmp);
        let middle = estimates[at].len();
        assert_eq!(row["chosen"], middle);
        if middle > 0 {
            let median = 0.5 * (estimates[at][(middle - 1) / 2] + estimates[at][middle / 2]);
            let own = row["coefficient"].as_f64().unwrap();
            assert!(
                (own - median).abs() < 1e-9 * median.abs(),
                "x{at}: {own} {median}"
            );
        }
    }
    assert!(seen > 1);
}

/// The rows of each repeat of a hold-out, counted from 0.
fn held_out(report: &Value, n: usize) -> Vec<Vec<usize>> {
    let of = |field: &str| {
        report["held_out"][field]
            .as_array()
            .unwrap_or_else(|| panic!("{report}"))
    };
    let mut repeats: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (row, split) in of("row").iter().zip(of("split")) {
        let place = row.as_u64().unwrap() as usize - 1;
        assert!(place < n);
        repeats
            .entry(split.as_u64().unwrap())
            .or_default()
            .push(place);
    }
    repeats.into_values().collect()
}

#[test]
fn threads_change_nothing_and_clusters_stay_together() {
    let folder = Folder::new();
    folder.write("data.csv", &table(90, 8, 7));
    let of = |threads: &str| {
        let arguments = [
            "--cluster",
            "g",
            "--infer",
            "split:splits=6",
            "--threads",
            threads,
        ];
        report(&folder, &arguments)
    };
    let one = of("1");
    assert_eq!(one["inference"], of("3")["inference"]);
    assert_eq!(one["inference"]["cluster"], "g");
    let warnings = one["warnings"].as_array().unwrap().iter();
    let few = warnings.filter(|own| own.as_str().unwrap().contains("clusters of `g`"));
    assert_eq!(few.count(), 1, "{}", one["warnings"]);
}

#[test]
fn factors_and_families_have_p_values_of_their_terms() {
    let folder = Folder::new();
    let mut text = String::from("y,f,x,z\n");
    for (row, line) in table(150, 2, 5).lines().skip(1).enumerate() {
        let cells: Vec<f64> = line
            .split(',')
            .filter_map(|cell| cell.parse().ok())
            .collect();
        let level = ["a", "b", "c"][row % 3];
        let shift = if level == "c" { 2.0 } else { 0.0 };
        let event = u8::from(cells[0] / 3.0 + shift > 0.8);
        text += &format!("{event},{level},{},{}\n", cells[1], cells[2]);
    }
    folder.write("data.csv", &text);
    let arguments = [
        "--family",
        "binomial",
        "--criterion",
        "aic",
        "--infer",
        "split:splits=10",
    ];
    let report = report(&folder, &arguments);
    let factor = variable(&report, "f");
    assert!(factor["coefficient"].is_null() && factor["lower"].is_null());
    assert!(factor["p_value"].as_f64().unwrap() < 0.05, "{factor}");
    assert!(variable(&report, "x")["p_value"].as_f64().unwrap() < 0.05);
}
