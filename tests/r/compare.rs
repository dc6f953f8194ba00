//! A report of passel beside R's answer, number by number.

use std::f64::consts::PI;

use serde_json::Value;

use crate::requests::Request;

/// Both compute in f64 by orthogonal transformations: what they differ by is rounding, times the
/// condition of the worst of the sets.
const RELATIVE: f64 = 1e-9;

fn number(json: &Value, field: &str) -> f64 {
    let value = json[field].as_f64();
    value.unwrap_or_else(|| panic!("{field} is {}", json[field]))
}

fn numbers(json: &Value, field: &str) -> Vec<f64> {
    let array = json[field].as_array().unwrap().iter();
    array.map(|value| value.as_f64().unwrap()).collect()
}

fn names(json: &Value) -> Vec<String> {
    let array = json.as_array().unwrap().iter();
    let mut names: Vec<_> = array
        .map(|name| name.as_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

#[track_caller]
fn near(found: f64, expected: f64, what: &str) {
    let off = (found - expected).abs();
    assert!(
        off <= RELATIVE * expected.abs().max(1e-300),
        "{what}: {found}, but R has {expected}"
    );
}

/// A criterion near zero is a difference of large numbers: what counts is its error beside one.
#[track_caller]
fn near_value(found: f64, expected: f64, what: &str) {
    let off = (found - expected).abs();
    assert!(
        off <= RELATIVE * expected.abs().max(1.0),
        "{what}: {found}, but R has {expected}"
    );
}

/// One selection.
pub fn selection(request: &Request, report: &Value, answer: &Value) {
    let what = request.words();
    for field in ["n", "p"] {
        near(
            number(report, field),
            number(answer, field),
            &format!("{what}: {field}"),
        );
    }
    chosen(report, answer, &what);
    estimates(request, report, answer, &what);
    offsets(request, report, answer, &what);
    by_size(report, answer, &what);
    if let Some(step) = answer["step"].as_array() {
        for value in step {
            // The offset of extractAIC is the same for both models.
            let above = value.as_f64().unwrap() - number(answer, extract(request));
            assert!(
                above >= -1e-9,
                "{what}: `step` finds a model lower by {above}"
            );
        }
    }
}

/// The best subset, and its value.
fn chosen(report: &Value, answer: &Value, what: &str) {
    let selected = report["selected"].as_array().unwrap().iter();
    let mut selected: Vec<_> = selected
        .map(|variable| variable["name"].as_str().unwrap())
        .collect();
    selected.sort_unstable();
    assert_eq!(selected, names(&answer["best"]), "{what}");
    near_value(
        number(&report["criterion"], "value"),
        number(answer, "value"),
        what,
    );
}

/// What `summary(lm)`, `confint` and `vcov` say.
fn estimates(request: &Request, report: &Value, answer: &Value, what: &str) {
    let selected = report["selected"].as_array().unwrap();
    let mut rows: Vec<&Value> = selected.iter().collect();
    if request.intercept {
        rows.insert(0, &report["intercept"]);
    } else {
        assert!(report["intercept"].is_null());
    }
    for (ours, theirs) in [
        ("coefficient", "coefficients"),
        ("std_error", "std_error"),
        ("t", "t"),
        ("p_value", "p_value"),
        ("lower", "lower"),
        ("upper", "upper"),
    ] {
        let theirs = numbers(answer, theirs);
        assert_eq!(rows.len(), theirs.len(), "{what}");
        for (row, expected) in rows.iter().zip(theirs) {
            near(
                number(row, ours),
                expected,
                &format!("{what}: {ours} of {}", row["name"]),
            );
        }
    }
    // Weights have mean one in passel.
    let rss = number(report, "rss") * number(answer, "log_mean_weight").exp();
    near(rss, number(answer, "deviance"), &format!("{what}: rss"));
    for field in [
        "df_residual",
        "sigma",
        "r_squared",
        "adjusted_r_squared",
        "log_likelihood",
    ] {
        near(
            number(report, field),
            number(answer, field),
            &format!("{what}: {field}"),
        );
    }
    if !answer["f_statistic"].is_null() {
        let theirs = numbers(answer, "f_statistic");
        for (field, expected) in ["value", "df", "df_residual"].into_iter().zip(theirs) {
            let found = number(&report["f_statistic"], field);
            near(found, expected, &format!("{what}: F-test, {field}"));
        }
    }
    covariance(report, answer, what);
}

/// `vcov`, each entry beside the two standard errors.
fn covariance(report: &Value, answer: &Value, what: &str) {
    let ours = report["covariance"]["matrix"].as_array().unwrap();
    let errors = numbers(answer, "std_error");
    assert_eq!(ours.len(), errors.len(), "{what}");
    for (i, row) in ours.iter().enumerate() {
        for (j, ours) in row.as_array().unwrap().iter().enumerate() {
            let theirs = answer["covariance"][i][j].as_f64().unwrap();
            let off = (ours.as_f64().unwrap() - theirs).abs();
            let scale = errors[i] * errors[j];
            assert!(
                off <= RELATIVE * scale,
                "{what}: covariance {i}, {j}: {ours}, but R has {theirs}"
            );
        }
    }
}

/// `docs/from-r-and-sas.md`: what to take to reach R's values.
fn offsets(request: &Request, report: &Value, answer: &Value, what: &str) {
    let n = number(answer, "n");
    let intercept = f64::from(u8::from(request.intercept));
    let value = number(&report["criterion"], "value");
    let tss = number(report, "tss");
    // Of weights.
    let scale = n * number(answer, "log_mean_weight");
    let likelihood = scale + n * (1.0 + (2.0 * PI).ln()) - n * number(answer, "mean_log_weight");
    let found = |field: &str, found: f64| {
        near_value(found, number(answer, field), &format!("{what}: {field}"));
    };
    let by_leaps = |field: &str, found: f64| {
        if let Some(leaps) = answer["leaps"].as_object() {
            near_value(
                found,
                leaps[field].as_f64().unwrap(),
                &format!("{what}: leaps' {field}"),
            );
        }
    };
    match request.criterion {
        "aic" => {
            found("extract_aic", value + 2.0 * intercept + scale);
            found("aic", value + 2.0 * (intercept + 1.0) + likelihood);
        }
        "aicc" => found("aicc", value + 2.0 * (intercept + 1.0) + likelihood),
        "bic" => {
            found("extract_bic", value + n.ln() * intercept + scale);
            found("bic", value + n.ln() * (intercept + 1.0) + likelihood);
            by_leaps("bic", value + n.ln() - n * (tss / n).ln());
        }
        "cp" => {
            found("extract_cp", value);
            by_leaps("cp", value);
        }
        "adjr2" => {
            let adjusted = 1.0 - (value / n).exp() * (n - intercept) / tss;
            found("adjusted_r_squared", adjusted);
            by_leaps("adjr2", adjusted);
        }
        _ => {}
    }
}

fn extract(request: &Request) -> &'static str {
    if request.criterion == "bic" {
        "extract_bic"
    } else {
        "extract_aic"
    }
}

/// No model met is better than the best of its size; where all models were enumerated, the best of every size
/// was met, and the weights are those of all models.
fn by_size(report: &Value, answer: &Value, what: &str) {
    assert_eq!(report["certified"], "global", "{what}");
    let is_enumerated = report["proof"]["models"].is_u64();
    assert!(is_enumerated || answer["inclusion"].is_null(), "{what}");
    let subsets = answer["subsets"].as_array().unwrap();
    let front = report["front"].as_array().unwrap();
    for met in front {
        let found = names(&met["variables"]);
        let mut of_size = subsets.iter().filter(|subset| subset["k"] == found.len());
        let best = number(of_size.next().unwrap(), "value");
        let size = format!("{what}: size {}", found.len());
        let met = number(met, "criterion");
        if is_enumerated || found == names(&answer["best"]) {
            near_value(met, best, &size);
        } else {
            // Models met on the way are valued by products of columns, which lose digits.
            assert!(met > best - 1e-4, "{size}: {met}, but R has {best}");
        }
    }
    if is_enumerated {
        assert_eq!(front.len(), subsets.len(), "{what}");
        inclusion(report, answer, what);
    }
}

/// The weight of each candidate over all models, which passel lists down to 10⁻⁴.
fn inclusion(report: &Value, answer: &Value, what: &str) {
    let ours = report["inclusion"].as_array().unwrap();
    for (name, expected) in answer["inclusion"].as_object().unwrap() {
        let expected = expected.as_f64().unwrap();
        let weight = ours.iter().find(|weight| weight["name"] == **name);
        let found = weight.map_or(0.0, |weight| number(weight, "weight"));
        let allowed = if weight.is_some() { 1e-9 } else { 1e-4 };
        let off = (found - expected).abs();
        assert!(
            off <= allowed,
            "{what}: {name} has weight {found}, but R has {expected}"
        );
    }
}

/// Two answers of R, which may come of two versions.
pub fn same(one: &Value, other: &Value, what: &str) {
    match (one, other) {
        (Value::Number(_), Value::Number(_)) => {
            near_value(one.as_f64().unwrap(), other.as_f64().unwrap(), what);
        }
        (Value::Array(ones), Value::Array(others)) => {
            assert_eq!(ones.len(), others.len(), "{what}");
            for (one, other) in ones.iter().zip(others) {
                same(one, other, what);
            }
        }
        (Value::Object(ones), Value::Object(others)) => {
            let keys = |object: &serde_json::Map<String, Value>| {
                object.keys().cloned().collect::<Vec<_>>()
            };
            assert_eq!(keys(ones), keys(others), "{what}");
            for (key, value) in ones {
                same(value, &others[key], &format!("{what}.{key}"));
            }
        }
        _ => assert_eq!(one, other, "{what}"),
    }
}
