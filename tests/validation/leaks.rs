//! Nothing of the rows that are held out is in the models that they are judged by.

use crate::{Data, error, noise, others_than, support::Folder, validate, value};

/// A response and 300 candidates that have nothing to do with it, a few of them factors or with missing values.
fn pure_noise(folder: &Folder, rows: usize, columns: usize) {
    let mut draw = noise(29);
    let names: Vec<String> = (0..columns).map(|j| format!("x{j}")).collect();
    let mut text = format!("y,b,{}\n", names.join(","));
    for _ in 0..rows {
        let y = (0..6).map(|_| draw()).sum::<f64>();
        let b = usize::from(draw() > 0.0);
        let x = (0..columns).map(|j| match j % 25 {
            7 => ["a", "b", "c"][((draw() + 0.5) * 3.0) as usize].to_owned(),
            9 if draw() < -0.35 => String::new(),
            _ => draw().to_string(),
        });
        text += &format!("{y},{b},{}\n", x.collect::<Vec<_>>().join(","));
    }
    folder.write("d.csv", &text);
}

#[test]
fn noise_is_not_predicted_better_than_by_the_mean() {
    let folder = Folder::new();
    pure_noise(&folder, 60, 300);
    // The default criterion, and one that lets in as much as it may.
    for more in [&[][..], &["--criterion", "aic", "--max-size", "8"]] {
        let options = [
            "--response",
            "y",
            "--drop",
            "b",
            "--missing",
            "mean",
            "--scheme",
            "folds:k=5",
        ];
        let report = validate(&folder, &[&options[..], more].concat());
        let errors = &report["models"][0]["errors"];
        let (own, null) = (value(errors, "rmse"), value(&report["null"], "rmse"));
        let margin = error(&report["null"], "rmse")["std_error"]
            .as_f64()
            .unwrap();
        assert!(own > null - margin, "{own} {null} {margin}");
        if !more.is_empty() {
            assert!(
                own > 1.1 * null,
                "a model of noise is worse than none: {own}, {null}"
            );
        }
    }
    let options = [
        "--response",
        "b",
        "--family",
        "binomial",
        "--drop",
        "y",
        "--missing",
        "mean",
    ];
    let report = validate(
        &folder,
        &[&options[..], &["--criterion", "aic", "--max-size", "4"]].concat(),
    );
    let errors = &report["models"][0]["errors"];
    let auc = value(errors, "auc");
    assert!((auc - 0.5).abs() < 0.25, "{auc}");
    assert!(value(errors, "log_loss") > value(&report["null"], "log_loss"));
}

#[test]
fn what_one_row_holds_changes_no_model_that_judges_it() {
    let folder = Folder::new();
    let mut data = Data::of(50, 6);
    let others = others_than(&["y"]);
    let formula = "~ ns(x1, 3) + poly(x4, 2) + scale(x2) + x3 + g";
    let options = [
        "--response",
        "y",
        "--formula",
        formula,
        "--drop",
        &others,
        "--criterion",
        "bic",
        "--scheme",
        "folds:k=5",
    ];
    data.write_all(&folder);
    let before = validate(&folder, &options);
    // Another response, and values as large as any, of row 17.
    let mut fields: Vec<String> = data.lines[16].split(',').map(str::to_owned).collect();
    fields[0] = "0.25".to_owned();
    data.lines[16] = fields.join(",");
    data.write_all(&folder);
    let after = validate(&folder, &options);
    let rows = crate::counts(&before["held_out"]["row"]);
    let split = crate::counts(&before["held_out"]["split"]);
    let own = split[rows.iter().position(|row| *row == 17).unwrap()];
    assert_eq!(
        rows,
        crate::counts(&after["held_out"]["row"]),
        "splits do not depend on the response"
    );
    let [before, after] =
        [before, after].map(|report| crate::numbers(&report["held_out"]["predicted"][0]));
    let mut changed = 0;
    for (split, (before, after)) in split.iter().zip(before.iter().zip(&after)) {
        match *split == own {
            // The models that judge row 17 did not see it.
            true => assert_eq!(before, after),
            false => changed += usize::from(before != after),
        }
    }
    assert!(changed > 20, "all others did: {changed}");
}

#[test]
fn rows_of_levels_that_no_training_row_has_are_not_judged() {
    let folder = Folder::new();
    let mut data = Data::of(60, 6);
    // Of one row, and of one group of rows.
    let at = data.header.split(',').position(|own| own == "g").unwrap();
    for (row, level) in [(7, "rare"), (20, "v")] {
        let mut fields: Vec<String> = data.lines[row - 1].split(',').map(str::to_owned).collect();
        fields[at] = level.to_owned();
        data.lines[row - 1] = fields.join(",");
    }
    data.write_all(&folder);
    let others = others_than(&["y"]);
    let options = [
        "--response",
        "y",
        "--drop",
        &others,
        "--keep",
        "g",
        "--scheme",
        "folds:k=6",
    ];
    let report = validate(&folder, &options);
    assert_eq!(report["judged"], 59);
    assert!(!crate::counts(&report["held_out"]["row"]).contains(&7));
    let lacking: u64 = report["splits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|own| own["not_judged"].as_u64().unwrap())
        .sum();
    assert_eq!(lacking, 1);
    let warnings = report["warnings"].to_string();
    assert!(
        warnings.contains("1 prediction could not be made"),
        "{warnings}"
    );
    assert!(warnings.contains("`g` has fewer levels"), "{warnings}");
}
