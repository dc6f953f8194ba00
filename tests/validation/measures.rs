//! The measures, from their definitions and what a report says was predicted.

use serde_json::Value;

use crate::{Data, counts, error, near, numbers, others_than, support::Folder, validate, value};

/// What was held out, and what was predicted of it by the first criterion.
struct HeldOut {
    row: Vec<usize>,
    split: Vec<usize>,
    observed: Vec<f64>,
    weight: Vec<f64>,
    predicted: Vec<f64>,
    null: Vec<f64>,
}

impl HeldOut {
    fn of(report: &Value) -> Self {
        let own = &report["held_out"];
        let row = counts(&own["row"]);
        Self {
            split: counts(&own["split"]),
            observed: numbers(&own["observed"]),
            weight: match own.get("weight") {
                Some(weight) => numbers(weight),
                None => vec![1.0; row.len()],
            },
            predicted: numbers(&own["predicted"][0]),
            null: numbers(&own["null"]),
            row,
        }
    }

    /// The weighted mean of what is said of each row.
    fn mean(&self, of: impl Fn(usize) -> f64) -> f64 {
        let rows = || 0..self.row.len();
        let total: f64 = self.weight.iter().sum();
        rows().map(|at| self.weight[at] * of(at)).sum::<f64>() / total
    }
}

fn report(options: &[&str], used: &[&str], rows: usize) -> (Value, Data) {
    let folder = Folder::new();
    let data = Data::of(rows, 8);
    data.write_all(&folder);
    let others = others_than(used);
    let more = [
        "--drop",
        &others,
        "--criterion",
        "bic",
        "--scheme",
        "folds:k=6",
    ];
    (validate(&folder, &[options, &more].concat()), data)
}

#[test]
fn of_numbers() {
    for weights in [false, true] {
        let options: &[&str] = match weights {
            false => &["--response", "y"],
            true => &["--response", "y", "--weights", "w"],
        };
        let used: &[&str] = if weights { &["y", "w"] } else { &["y"] };
        let (report, data) = report(options, used, 90);
        let (own, errors) = (HeldOut::of(&report), &report["models"][0]["errors"]);
        let off = |at: usize| own.observed[at] - own.predicted[at];
        near(
            value(errors, "rmse"),
            own.mean(|at| off(at).powi(2)).sqrt(),
            "rmse",
        );
        near(value(errors, "mae"), own.mean(|at| off(at).abs()), "mae");
        near(
            value(errors, "deviance"),
            own.mean(|at| off(at).powi(2)),
            "deviance",
        );
        // The means of the training rows.
        let (y, w) = (data.numbers("y"), data.numbers("w"));
        let w = |row: usize| if weights { w[row] } else { 1.0 };
        let center = |split: usize| {
            let out: Vec<usize> = (0..own.row.len())
                .filter(|at| own.split[*at] == split)
                .map(|at| own.row[at] - 1)
                .collect();
            let rows = (0..y.len()).filter(|row| !out.contains(row));
            let sums = rows.fold((0.0, 0.0), |sums, row| {
                (sums.0 + w(row) * y[row], sums.1 + w(row))
            });
            sums.0 / sums.1
        };
        let centers: Vec<f64> = (1..=6).map(center).collect();
        let spread = own.mean(|at| (own.observed[at] - centers[own.split[at] - 1]).powi(2));
        let r_squared = 1.0 - own.mean(|at| off(at).powi(2)) / spread;
        near(value(errors, "r_squared"), r_squared, "R²");
        for at in 0..own.row.len() {
            near(
                own.null[at],
                centers[own.split[at] - 1],
                "the null model is the training mean",
            );
            assert_eq!(own.observed[at], y[own.row[at] - 1]);
        }
        near(value(&report["null"], "rmse"), spread.sqrt(), "null rmse");
        // The null model's variance is that of its training rows, over their number less one.
        let variance = |split: usize| {
            let out: Vec<usize> = (0..own.row.len())
                .filter(|at| own.split[*at] == split)
                .map(|at| own.row[at] - 1)
                .collect();
            let rows = (0..y.len()).filter(|row| !out.contains(row));
            let squares = rows.map(|row| w(row) * (y[row] - centers[split - 1]).powi(2));
            squares.sum::<f64>() / (y.len() - out.len() - 1) as f64
        };
        let variances: Vec<f64> = (1..=6).map(variance).collect();
        let log_loss = own.mean(|at| {
            let variance = variances[own.split[at] - 1] / own.weight[at];
            let square = (own.observed[at] - own.null[at]).powi(2);
            0.5 * (2.0 * std::f64::consts::PI * variance).ln() + square / (2.0 * variance)
        });
        near(
            value(&report["null"], "log_loss"),
            log_loss,
            "null log loss",
        );
        assert!(value(errors, "log_loss") < log_loss);
        // Of equal folds the jackknife's error of a mean is that of the folds' means.
        if !weights {
            let means: Vec<f64> = (1..=6)
                .map(|split| {
                    let of: Vec<f64> = (0..90)
                        .filter(|at| own.split[*at] == split)
                        .map(|at| off(at).abs())
                        .collect();
                    assert_eq!(of.len(), 15);
                    of.iter().sum::<f64>() / 15.0
                })
                .collect();
            let mean = means.iter().sum::<f64>() / 6.0;
            let square = means.iter().map(|own| (own - mean).powi(2)).sum::<f64>();
            let expected = (square / 5.0 / 6.0).sqrt();
            near(
                error(errors, "mae")["std_error"].as_f64().unwrap(),
                expected,
                "std. error",
            );
        }
    }
}

/// The share of pairs of one split in order, by looking at each pair.
fn auc(own: &HeldOut) -> f64 {
    let (mut concordant, mut pairs) = (0.0, 0.0);
    for a in 0..own.row.len() {
        for b in 0..own.row.len() {
            if own.split[a] != own.split[b] || own.observed[a] != 1.0 || own.observed[b] != 0.0 {
                continue;
            }
            let (p, q) = (own.predicted[a], own.predicted[b]);
            concordant += f64::from(u8::from(p > q)) + 0.5 * f64::from(u8::from(p == q));
            pairs += 1.0;
        }
    }
    concordant / pairs
}

#[test]
fn of_events() {
    let (report, _) = report(&["--response", "b", "--family", "binomial"], &["b"], 120);
    let (own, errors) = (HeldOut::of(&report), &report["models"][0]["errors"]);
    let (y, p) = (&own.observed, &own.predicted);
    near(value(errors, "auc"), auc(&own), "AUC");
    near(
        value(errors, "brier"),
        own.mean(|at| (y[at] - p[at]).powi(2)),
        "Brier",
    );
    let of_observed = |at: usize| if y[at] == 1.0 { p[at] } else { 1.0 - p[at] };
    let log_loss = own.mean(|at| -of_observed(at).ln());
    near(value(errors, "log_loss"), log_loss, "log loss");
    near(value(errors, "deviance"), 2.0 * log_loss, "deviance");
    let right = own.mean(|at| f64::from(u8::from((p[at] >= 0.5) == (y[at] == 1.0))));
    near(value(errors, "accuracy"), right, "accuracy");
    // At the estimates of a calibration the scores are 0.
    let logit = |at: usize| (p[at] / (1.0 - p[at])).ln();
    let inverse = |eta: f64| 1.0 / (1.0 + (-eta).exp());
    let intercept = value(errors, "calibration_intercept");
    let score = own.mean(|at| y[at] - inverse(intercept + logit(at)));
    assert!(score.abs() < 1e-8, "{score}");
    let slope = value(errors, "calibration_slope");
    let (mut low, mut high) = (-20.0, 20.0);
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        match own.mean(|at| y[at] - inverse(middle + slope * logit(at))) > 0.0 {
            true => low = middle,
            false => high = middle,
        }
    }
    let score = own.mean(|at| (y[at] - inverse(low + slope * logit(at))) * logit(at));
    assert!(score.abs() < 1e-8, "{score}");
    // All have the same probability, so that no pair of a fold is in order.
    assert_eq!(value(&report["null"], "auc"), 0.5);
    assert!(error(&report["null"], "calibration_slope")["value"].is_null() || slope != 0.0);
    // Every fold has its share of events.
    for split in 1..=6 {
        let events = (0..120).filter(|at| own.split[*at] == split && y[*at] == 1.0);
        let all = y.iter().sum::<f64>();
        assert!((events.count() as f64 - all / 6.0).abs() < 1.0);
    }
}

#[test]
fn of_counts() {
    let (report, _) = report(&["--response", "c", "--family", "poisson"], &["c"], 90);
    let (own, errors) = (HeldOut::of(&report), &report["models"][0]["errors"]);
    let (y, mean) = (&own.observed, &own.predicted);
    let deviance = own.mean(|at| {
        let log = if y[at] > 0.0 {
            y[at] * (y[at] / mean[at]).ln()
        } else {
            0.0
        };
        2.0 * (log - (y[at] - mean[at]))
    });
    near(value(errors, "deviance"), deviance, "deviance");
    let log_loss = own.mean(|at| {
        let factorial: f64 = (1..=y[at] as u64).map(|k| (k as f64).ln()).sum();
        mean[at] - y[at] * mean[at].ln() + factorial
    });
    near(value(errors, "log_loss"), log_loss, "log loss");
}

/// Where a shape is the reciprocal of Pearson's χ² over its degrees of freedom.
#[test]
fn of_positive_numbers() {
    let options = ["--response", "t", "--family", "gamma"];
    let (report, data) = report(&options, &["t"], 90);
    let (own, y) = (HeldOut::of(&report), data.numbers("t"));
    let log_loss = own.mean(|at| {
        let rows = (0..90).filter(|row| {
            let mut places = (0..90).filter(|other| own.row[*other] == row + 1);
            places.any(|other| own.split[other] != own.split[at])
        });
        let train: Vec<f64> = rows.map(|row| y[row]).collect();
        let mean = train.iter().sum::<f64>() / train.len() as f64;
        let squares = train.iter().map(|y| ((y - mean) / mean).powi(2));
        let shape = (train.len() - 1) as f64 / squares.sum::<f64>();
        let (y, rate) = (own.observed[at], shape / mean);
        ln_gamma(shape) - shape * rate.ln() - (shape - 1.0) * y.ln() + rate * y
    });
    near(value(&report["null"], "log_loss"), log_loss, "log loss");
    let selected = error(&report["models"][0]["errors"], "log_loss");
    assert!(selected["value"].as_f64().unwrap() < log_loss);
    assert!(selected["std_error"].as_f64().unwrap() > 0.0);
}

/// lnΓ(x) = lnΓ(x + 30) − Σ ln(x + k), by Stirling's series.
fn ln_gamma(x: f64) -> f64 {
    let below: f64 = (0..30).map(|k| (x + f64::from(k)).ln()).sum();
    let z = x + 30.0;
    let series = 1.0 / (12.0 * z) - 1.0 / (360.0 * z.powi(3)) + 1.0 / (1260.0 * z.powi(5));
    (z - 0.5) * z.ln() - z + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - below
}

#[test]
fn of_levels() {
    let (report, _) = report(
        &["--response", "kind", "--family", "multinomial"],
        &["kind"],
        90,
    );
    let own = numbers(&report["held_out"]["probability"][0]);
    let log_loss = own.iter().map(|p| -p.ln()).sum::<f64>() / own.len() as f64;
    let errors = &report["models"][0]["errors"];
    near(value(errors, "log_loss"), log_loss, "log loss");
    // Of three levels one with more than half is the likeliest, one with less than a third is not.
    let share =
        |of: &dyn Fn(f64) -> bool| own.iter().filter(|p| of(**p)).count() as f64 / own.len() as f64;
    let accuracy = value(errors, "accuracy");
    assert!(accuracy >= share(&|p| p > 0.5) && accuracy <= 1.0 - share(&|p| p < 1.0 / 3.0));
}

#[test]
fn of_survival_times() {
    let options = ["--response", "t", "--event", "event", "--family", "cox"];
    let (report, _) = report(&options, &["t", "event"], 90);
    let (own, event) = (HeldOut::of(&report), numbers(&report["held_out"]["event"]));
    let (time, eta) = (&own.observed, &own.predicted);
    let (mut concordant, mut pairs, mut loss) = (0.0, 0.0, 0.0);
    for a in (0..90).filter(|a| event[*a] == 1.0) {
        let together = |b: &usize| own.split[a] == own.split[*b];
        for b in (0..90).filter(together) {
            let is_later = time[b] > time[a] || time[b] == time[a] && event[b] == 0.0;
            if is_later {
                pairs += 1.0;
                concordant += f64::from(u8::from(eta[a] > eta[b]))
                    + 0.5 * f64::from(u8::from(eta[a] == eta[b]));
            }
        }
        let at_risk = (0..90).filter(together).filter(|b| time[*b] >= time[a]);
        loss -= 2.0 * (eta[a] - at_risk.map(|b| eta[b].exp()).sum::<f64>().ln());
    }
    let errors = &report["models"][0]["errors"];
    near(
        value(errors, "concordance"),
        concordant / pairs,
        "concordance",
    );
    near(
        value(errors, "deviance"),
        loss / event.iter().sum::<f64>(),
        "deviance",
    );
    assert_eq!(value(&report["null"], "concordance"), 0.5);
}

#[test]
fn sizes_are_compared_on_the_same_rows() {
    let (report, _) = report(&["--response", "y"], &["y"], 90);
    let sizes = report["by_size"].as_array().unwrap();
    assert_eq!(report["size_measure"], "rmse");
    // Without a term it is the null model.
    assert_eq!(sizes[0]["size"], 0);
    near(
        sizes[0]["value"].as_f64().unwrap(),
        value(&report["null"], "rmse"),
        "size 0",
    );
    let least = |a: &&Value, b: &&Value| {
        a["value"]
            .as_f64()
            .unwrap()
            .total_cmp(&b["value"].as_f64().unwrap())
    };
    let best = sizes.iter().min_by(least).unwrap();
    assert_eq!(report["best_size"], best["size"]);
    let most = best["value"].as_f64().unwrap() + best["std_error"].as_f64().unwrap();
    let within = sizes
        .iter()
        .find(|own| own["value"].as_f64().unwrap() <= most)
        .unwrap();
    assert_eq!(report["size_within_one_std_error"], within["size"]);
    // The model of all terms is that of the largest size, where the search met it.
    let full = value(&report["full"], "rmse");
    if let Some(own) = sizes.iter().find(|own| own["size"] == report["p"]) {
        near(own["value"].as_f64().unwrap(), full, "full");
    }
}
