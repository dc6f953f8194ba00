//! `--criterion cv`: the size whose best models, selected without a fold, predict that fold best.

use nalgebra::{DMatrix, DVector};
use serde_json::Value;

use crate::{Data, counts, json, near, noise, others_than, script, support::Folder, validate};

/// A table of a few columns: its values by column, the response last.
pub(crate) fn small(folder: &Folder, n: usize, p: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut draw = crate::noise(seed);
    let mut columns: Vec<Vec<f64>> = (0..p).map(|_| (0..n).map(|_| draw()).collect()).collect();
    let y = (0..n).map(|row| columns[1][row] - 0.8 * columns[3][row] + 0.9 * draw());
    let y: Vec<f64> = y.collect();
    columns.push(y);
    let names: Vec<String> = (0..p).map(|j| format!("x{j}")).collect();
    let mut text = format!("{},y\n", names.join(","));
    for row in 0..n {
        let cells: Vec<String> = columns.iter().map(|own| own[row].to_string()).collect();
        text += &(cells.join(",") + "\n");
    }
    folder.write("small.csv", &text);
    columns
}

/// The best subset of a size on some rows by the definition: all are tried. Its columns, and its coefficients, the intercept first.
fn best(columns: &[Vec<f64>], rows: &[usize], size: usize) -> (Vec<usize>, DVector<f64>) {
    let p = columns.len() - 1;
    let y = DVector::from_iterator(rows.len(), rows.iter().map(|row| columns[p][*row]));
    let subsets = (0_u32..1 << p).filter(|own| own.count_ones() as usize == size);
    let fits = subsets.map(|subset| {
        let members: Vec<usize> = (0..p).filter(|j| subset >> j & 1 == 1).collect();
        let x = DMatrix::from_fn(rows.len(), size + 1, |at, column| match column {
            0 => 1.0,
            column => columns[members[column - 1]][rows[at]],
        });
        let normal = x.transpose() * &x;
        let beta = normal.cholesky().unwrap().solve(&(x.transpose() * &y));
        let rss = (&y - &x * &beta).norm_squared();
        (rss, members, beta)
    });
    let least = fits.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
    (least.1, least.2)
}

#[test]
fn it_is_what_a_script_of_all_subsets_makes() {
    let (n, p) = (60, 6);
    let folder = Folder::new();
    let columns = small(&folder, n, p, 9);
    let seed = [
        "small.csv",
        "--response",
        "y",
        "--seed",
        "4",
        "--format",
        "json",
    ];
    // The same rows are dealt out to the folds of a validation.
    let scheme = ["--scheme", "folds:k=5,repeats=2"];
    let folds = json(&folder.run(&[&["validate"], &seed[..], &scheme].concat()));
    let held_out = &folds["held_out"];
    let (rows, splits) = (counts(&held_out["row"]), counts(&held_out["split"]));
    let mut squares = vec![vec![0.0; p + 1]; 2];
    for split in 1..=10 {
        let places = (0..rows.len()).filter(|at| splits[*at] == split);
        let test: Vec<usize> = places.map(|at| rows[at] - 1).collect();
        let train: Vec<usize> = (0..n).filter(|row| !test.contains(row)).collect();
        for (size, sum) in squares[(split - 1) / 5].iter_mut().enumerate() {
            let (members, beta) = best(&columns, &train, size);
            *sum += test.iter().fold(0.0, |sum, row| {
                let of = members.iter().zip(beta.iter().skip(1));
                let mean: f64 = of.map(|(j, beta)| columns[*j][*row] * beta).sum();
                sum + (columns[p][*row] - beta[0] - mean).powi(2)
            });
        }
    }
    let expected: Vec<f64> = (0..=p)
        .map(|size| {
            squares
                .iter()
                .map(|own| (own[size] / n as f64).sqrt())
                .sum::<f64>()
                / 2.0
        })
        .collect();
    let own = ["select", "--criterion", "cv:k=5,repeats=2"];
    let report = json(&folder.run(&[&own, &seed[..]].concat()));
    let choice = &report["cross_validation"];
    let sizes = choice["by_size"].as_array().unwrap();
    assert_eq!(sizes.len(), p + 1);
    for (size, expected) in expected.iter().enumerate() {
        assert_eq!(sizes[size]["size"], size);
        near(
            sizes[size]["value"].as_f64().unwrap(),
            *expected,
            &format!("size {size}"),
        );
    }
    let least = (0..=p)
        .min_by(|a, b| expected[*a].total_cmp(&expected[*b]))
        .unwrap();
    assert_eq!(choice["size"], least);
    assert_eq!(
        (&choice["measure"], &choice["folds"]),
        (&"rmse".into(), &10.into())
    );
    // The model is the best of that size on all rows.
    let (members, beta) = best(&columns, &(0..n).collect::<Vec<_>>(), least);
    let selected = report["selected"].as_array().unwrap();
    let names: Vec<String> = members.iter().map(|j| format!("x{j}")).collect();
    let chosen: Vec<&str> = selected
        .iter()
        .map(|own| own["name"].as_str().unwrap())
        .collect();
    assert_eq!(chosen, names);
    for (own, beta) in selected.iter().zip(beta.iter().skip(1)) {
        near(own["coefficient"].as_f64().unwrap(), *beta, "coefficient");
    }
    assert_eq!(report["criterion"]["name"], "cv");
    assert_eq!(report["certified"], "global");
    let warnings = report["warnings"].to_string();
    assert!(
        !warnings.contains("as many variables as allowed") && !warnings.contains("noise may be"),
        "{warnings}"
    );
}

/// The size that `cv` with these parameters chooses, and the report.
fn chosen(folder: &Folder, file: &str, cv: &str, more: &[&str]) -> (u64, Value) {
    let own = ["select", file, "--criterion", cv, "--format", "json"];
    let report = json(&folder.run(&[&own, more].concat()));
    (report["cross_validation"]["size"].as_u64().unwrap(), report)
}

#[test]
fn standard_errors_threads_and_clusters() {
    let folder = Folder::new();
    small(&folder, 60, 6, 9);
    let y = ["--response", "y"];
    let (least, report) = chosen(&folder, "small.csv", "cv", &y);
    let choice = &report["cross_validation"];
    assert_eq!(choice["best_size"], least);
    let (within, _) = chosen(&folder, "small.csv", "cv:se=1", &y);
    assert_eq!(choice["size_within_one_std_error"], within);
    assert!(within <= least);
    let (_, four) = chosen(
        &folder,
        "small.csv",
        "cv",
        &[&y[..], &["--threads", "4"]].concat(),
    );
    assert_eq!(four["cross_validation"], *choice);
    assert_eq!(four["selected"], report["selected"]);
    // Rows of one cluster are held out together: 20 of them in 20 folds, and in no more.
    let data = Data::of(60, 5);
    data.write_all(&folder);
    let others = others_than(&["y", "id"]);
    let clustered = ["--response", "y", "--drop", &others, "--cluster", "id"];
    let (_, report) = chosen(&folder, "d.csv", "cv:k=20", &clustered);
    assert_eq!(report["cross_validation"]["folds"], 20);
    let refused = ["select", "d.csv", "--criterion", "cv:k=21"];
    let ran = folder.run(&[&refused, &clustered[..]].concat());
    assert_eq!(ran.code, Some(2));
    let told =
        "--criterion cv:k=21,repeats=1,se=0 needs 21 groups of rows or more, and there are 20";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
}

#[test]
fn noise_has_no_size_and_a_signal_more_than_ten() {
    let folder = Folder::new();
    let mut draw = crate::noise(11);
    let names: Vec<String> = (0..60).map(|j| format!("x{j}")).collect();
    let mut text = format!("noise,signal,{}\n", names.join(","));
    for _ in 0..120 {
        let x: Vec<f64> = (0..60).map(|_| draw()).collect();
        let signal: f64 = x[..14].iter().sum::<f64>() + 0.2 * draw();
        let x: Vec<String> = x.iter().map(f64::to_string).collect();
        text += &format!("{},{signal},{}\n", draw(), x.join(","));
    }
    folder.write("wide.csv", &text);
    let of = |response: &str, other: &str| {
        chosen(
            &folder,
            "wide.csv",
            "cv:k=5,se=1",
            &["--response", response, "--drop", other],
        )
    };
    let (size, report) = of("noise", "signal");
    assert_eq!(
        (size, &report["k"], &report["selected"]),
        (0, &0.into(), &Value::Array(Vec::new()))
    );
    let (size, report) = of("signal", "noise");
    assert!((14..20).contains(&size), "{size}");
    let selected = report["selected"].as_array().unwrap();
    let names: Vec<&str> = selected
        .iter()
        .map(|own| own["name"].as_str().unwrap())
        .collect();
    assert!(
        (0..14).all(|j| names.contains(&&*format!("x{j}"))),
        "{names:?}"
    );
    assert!(
        report["cross_validation"]["by_size"]
            .as_array()
            .unwrap()
            .len()
            > 15
    );
}

#[test]
fn families_factors_and_kept_variables() {
    let folder = Folder::new();
    let data = Data::of(72, 5);
    data.write_all(&folder);
    for (response, family) in [("b", "binomial"), ("c", "poisson"), ("grade", "ordinal")] {
        let others = others_than(&[response]);
        let options = [
            "--response",
            response,
            "--family",
            family,
            "--drop",
            &others,
            "--keep",
            "x2",
        ];
        let (size, report) = chosen(&folder, "d.csv", "cv:k=4", &options);
        assert_eq!(report["cross_validation"]["measure"], "log_loss");
        let kept = report["kept"].as_array().unwrap().len() as u64;
        assert_eq!(kept, 1);
        assert!(report["k"].as_u64().unwrap() <= size + kept, "{family}");
        assert!(size > 0, "{family}");
    }
    let others = others_than(&["t", "event"]);
    let options = [
        "--response",
        "t",
        "--event",
        "event",
        "--family",
        "cox",
        "--drop",
        &others,
    ];
    let (size, report) = chosen(&folder, "d.csv", "cv:k=4", &options);
    assert_eq!((&report["k"], size > 0), (&size.into(), true));
    // Each variable has a coefficient for each level but one: there are no sizes between.
    let others = others_than(&["kind"]);
    let options = [
        "--response",
        "kind",
        "--family",
        "multinomial",
        "--drop",
        &(others + ",g"),
        "--max-size",
        "4",
    ];
    let (_, report) = chosen(&folder, "d.csv", "cv:k=3", &options);
    let sizes = report["cross_validation"]["by_size"].as_array().unwrap();
    let sizes: Vec<u64> = sizes
        .iter()
        .map(|own| own["size"].as_u64().unwrap())
        .collect();
    assert_eq!(sizes, [0, 2, 4]);
}

#[test]
fn every_fold_of_a_validation_chooses_its_own_size() {
    let folder = Folder::new();
    let data = Data::of(72, 5);
    data.write_all(&folder);
    let others = others_than(&["y"]);
    let options = [
        "--response",
        "y",
        "--criterion",
        "cv:k=4,bic",
        "--drop",
        &others,
        "--seed",
        "3",
    ];
    let report = validate(
        &folder,
        &[&options[..], &["--scheme", "folds:k=3"]].concat(),
    );
    script::is_the_script(&folder, &data, &report, &options, "response");
    // A row that a resample holds twice is on one side of each inner split.
    let bootstrap = ["--scheme", "bootstrap:resamples=3"];
    let report = validate(&folder, &[&options[..], &bootstrap].concat());
    assert_eq!(report["done"], 4);
}

/// Of factors of unlike widths the sizes told are those that a model has.
#[test]
fn sizes_that_no_model_has_are_not_told() {
    let folder = Folder::new();
    let mut random = noise(11);
    let lines = (0..90).map(|row| {
        let (f, g) = (row % 4, row / 4 % 3);
        let y = f64::from(f) + 3.0 * f64::from(u8::from(g == 1)) + random();
        format!("{y},f{f},g{g}\n")
    });
    let lines: String = lines.collect();
    folder.write("d.csv", &format!("y,f,g\n{lines}"));
    let report = json(&folder.run(&[
        "select",
        "d.csv",
        "--response",
        "y",
        "--criterion",
        "cv:k=3",
        "--format",
        "json",
    ]));
    let by_size = report["cross_validation"]["by_size"].as_array().unwrap();
    let sizes: Vec<u64> = by_size
        .iter()
        .map(|own| own["size"].as_u64().unwrap())
        .collect();
    assert_eq!(sizes, [0, 2, 3, 5]);
    assert_eq!(report["cross_validation"]["size"], 5);
}
