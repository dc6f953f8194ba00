//! Families of plugins: the engine's own, built again in C, give what the engine's own give.

use serde_json::Value;

use super::{
    built,
    likelihoods::data,
    program::{Folder, Ran},
};

/// The C family as `libfamilies.so`; none where there is no compiler.
pub(super) fn c_family(folder: &Folder, defined: &[&str]) -> Option<()> {
    let source = "tests/plugins/families.c";
    built(&folder.path(""), source, "families", defined).map(drop)
}

/// Few: all models are fitted whatever the swarm does.
const SWARM: [&str; 6] = ["--particles", "2", "--iterations", "2", "--islands", "1"];

pub(super) fn arguments(family: &str, response: &str, more: &[&str]) -> Vec<String> {
    let others = ["y", "success", "count", "time", "event", "level"];
    let is_other = |name: &&str| *name != response && !more.contains(name);
    let drop: Vec<&str> = others.into_iter().filter(is_other).collect();
    let drop = drop.join(",");
    let select = [
        "select",
        "families.csv",
        "--response",
        response,
        "--family",
        family,
    ];
    let options = [
        "--factor",
        "g",
        "--drop",
        &drop,
        "--plugins",
        "libfamilies.so,libnb2.so",
    ];
    let all = [&select[..], &options, &SWARM, more].concat();
    all.into_iter().map(str::to_owned).collect()
}

pub(super) fn run(folder: &Folder, arguments: &[String]) -> Ran {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    folder.run(&arguments)
}

fn report(folder: &Folder, family: &str, response: &str, more: &[&str]) -> Value {
    let more = [more, &["--format", "json"]].concat();
    let ran = run(folder, &arguments(family, response, &more));
    assert_eq!(ran.code, Some(0), "{family}: {}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

/// A folder with data, the example and a C family.
pub(super) fn folder(defined: &[&str]) -> Option<Folder> {
    let folder = Folder::new();
    folder.write("families.csv", &data());
    let example = "examples/plugins/nb2/nb2.c";
    built(&folder.path(""), example, "nb2", &[])?;
    c_family(&folder, defined)?;
    Some(folder)
}

/// Numbers are the same to a tolerance, and all else is the same.
#[track_caller]
fn assert_same(own: &Value, other: &Value, tolerance: f64, at: &str) {
    match (own, other) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            assert!(
                (a - b).abs() <= tolerance * (1.0 + a.abs()),
                "{at}: {a} {b}"
            );
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{at}");
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                assert_same(a, b, tolerance, &format!("{at}[{i}]"));
            }
        }
        (Value::Object(a), Value::Object(b)) => {
            let keys =
                |own: &serde_json::Map<String, Value>| own.keys().cloned().collect::<Vec<_>>();
            assert_eq!(keys(a), keys(b), "{at}");
            for (key, a) in a {
                assert_same(a, &b[key], tolerance, &format!("{at}.{key}"));
            }
        }
        _ => assert_eq!(own, other, "{at}"),
    }
}

/// What a selection found.
const FOUND: [&str; 11] = [
    "criterion",
    "k",
    "log_likelihood",
    "intercept",
    "selected",
    "terms",
    "marginal_means",
    "covariance",
    "certified",
    "models",
    "inclusion",
];

/// What the summary of the family says that is of no family alone.
const OF_FAMILY: [&str; 9] = [
    "link",
    "deviance",
    "null_deviance",
    "df_null",
    "deviance_explained",
    "pearson_dispersion",
    "dispersion",
    "status",
    "offset",
];

#[track_caller]
fn assert_same_reports(own: &Value, other: &Value, tolerance: f64) {
    for key in FOUND {
        assert_same(&own[key], &other[key], tolerance, key);
    }
    for key in OF_FAMILY {
        assert_same(&own["family"][key], &other["family"][key], tolerance, key);
    }
}

/// Means above 40 are none: a step that leads there is taken back.
const BOUNDED: &str = "DEVIANCE=m > 40 ? 0.0 / 0.0 : 2 * ((y > 0 ? y * log(y / m) : 0) - (y - m))";

#[test]
fn poisson_in_c_is_poisson() {
    let Some(folder) = folder(&[BOUNDED]) else {
        return;
    };
    let bic = ["--criterion", "bic"];
    let reports = ["poisson", "c-counts"].map(|family| report(&folder, family, "count", &bic));
    assert_same_reports(&reports[0], &reports[1], 1e-8);
    c_family(&folder, &[]).unwrap();
    let profile = [
        "--criterion",
        "ebic",
        "--offset",
        "d",
        "--intervals",
        "profile",
    ];
    for (more, tolerance) in [
        (&["--criterion", "bic"][..], 1e-8),
        (
            &["--criterion", "aicc", "--weights", "time", "--keep", "b"],
            1e-8,
        ),
        // Ends of profiles are looked for to fewer digits.
        (&profile, 1e-5),
        (&["--criterion", "bic", "--covariance", "hc3"], 1e-8),
    ] {
        let own = report(&folder, "poisson", "count", more);
        let other = report(&folder, "c-counts", "count", more);
        assert!(own["k"].as_u64().unwrap() > 1);
        assert_same_reports(&own, &other, tolerance);
        let family = &other["family"];
        assert_eq!(
            (&family["name"], &family["ratio"]),
            (&"c-counts".into(), &"ratio of means".into())
        );
        let mut of_plugin = family["of_plugin"].clone();
        let hash = of_plugin
            .as_object_mut()
            .unwrap()
            .remove("plugin_sha256")
            .unwrap();
        assert_eq!(hash.as_str().unwrap().len(), 64);
        let expected = serde_json::json!({
            "name": "c-counts", "power": 1.0, "plugin": "families", "plugin_version": "1.5",
        });
        assert_eq!(of_plugin, expected);
    }
}

/// Of one model, whose θ is the likeliest, and so of all that follows for its coefficients.
#[test]
fn the_example_in_c_is_the_negative_binomial_with_a_given_shape() {
    let Some(folder) = folder(&[]) else {
        return;
    };
    let bic = ["--criterion", "bic"];
    let own = report(&folder, "negative-binomial", "count", &bic);
    let theta = own["family"]["theta"].as_f64().unwrap();
    let family = format!("nb2/nb2:theta={theta:?}");
    let other = report(&folder, &family, "count", &bic);
    for key in ["k", "log_likelihood", "intercept", "selected", "covariance"] {
        assert_same(&own[key], &other[key], 1e-8, key);
    }
    for key in [
        "deviance",
        "null_deviance",
        "pearson_dispersion",
        "dispersion",
    ] {
        assert_same(&own["family"][key], &other["family"][key], 1e-8, key);
    }
    assert_eq!(other["family"]["of_plugin"]["theta"], theta);
    // Here the engine's counts θ, which it estimates, and the plugin's does not.
    let aicc = |family: &str| {
        let kept = ["--criterion", "aicc", "--keep", "a,b,c,d,g"];
        let report = report(&folder, family, "count", &kept);
        report["criterion"]["value"].as_f64().unwrap()
            + 2.0 * report["log_likelihood"].as_f64().unwrap()
    };
    let (n, k) = (150.0, 7.0);
    let penalty =
        |estimates: f64| 2.0 * k + 2.0 * estimates * (estimates + 1.0) / (n - estimates - 1.0);
    assert!((aicc("negative-binomial") - penalty(k + 2.0)).abs() < 1e-8);
    assert!((aicc(&family) - penalty(k + 1.0)).abs() < 1e-8);
}

const GAMMA: [&str; 6] = [
    "RESPONSE=y > 0",
    "VARIANCE=m * m",
    "DEVIANCE=2 * ((y - m) / m - log(y / m))",
    "SATURATED=-log(y)",
    "START=y",
    "DISPERSION=1",
];

/// But for −2ℓ, which is that of the saddlepoint: n·(ln 2πφ + 1) + 2 Σ ln y at φ = deviance/n.
#[test]
fn a_family_with_a_dispersion_is_fitted_and_tested_as_gamma_is() {
    let Some(folder) = folder(&GAMMA) else {
        return;
    };
    let kept = ["--keep", "a,b,c,d,g", "--criterion", "aic"];
    let own = report(
        &folder,
        "gamma",
        "time",
        &[&kept[..], &["--link", "log"]].concat(),
    );
    let other = report(&folder, "c-counts", "time", &kept);
    for key in [
        "intercept",
        "selected",
        "terms",
        "marginal_means",
        "covariance",
    ] {
        assert_same(&own[key], &other[key], 1e-8, key);
    }
    for key in OF_FAMILY {
        assert_same(&own["family"][key], &other["family"][key], 1e-8, key);
    }
    let deviance = own["family"]["deviance"].as_f64().unwrap();
    let times = data()
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(8).unwrap().parse::<f64>().unwrap())
        .collect::<Vec<_>>();
    let n = times.len() as f64;
    let logs: f64 = times.iter().map(|time| time.ln()).sum();
    let expected = n * ((2.0 * std::f64::consts::PI * deviance / n).ln() + 1.0) + 2.0 * logs;
    let found = -2.0 * other["log_likelihood"].as_f64().unwrap();
    assert!((found - expected).abs() < 1e-6, "{found} {expected}");
}

/// ln(1 + eᵉ), of which passel has none.
pub(super) const SOFTPLUS: [&str; 4] = [
    "LINK=\"softplus\"",
    "MEAN=log1p(exp(e))",
    "SLOPE=1 / (1 + exp(-e))",
    "PREDICTOR=log(expm1(m))",
];

/// At the estimates the scores Σ (y − μ)μ′/V·x are 0, and the report predicts the means that it was fitted with.
#[test]
fn a_link_of_ones_own_is_fitted_and_predicts() {
    let Some(folder) = folder(&SOFTPLUS) else {
        return;
    };
    let own = [
        "--criterion",
        "bic",
        "--format",
        "json",
        "--output",
        "own.json",
    ];
    let ran = run(&folder, &arguments("c-counts", "count", &own));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let report: Value = serde_json::from_str(&folder.read("own.json")).unwrap();
    assert_eq!(report["family"]["link"], "softplus");
    let select = |name: &str| {
        report["selected"]
            .as_array()
            .unwrap()
            .iter()
            .any(|own| own["name"] == name)
    };
    assert!(select("a") && select("c"));
    let predict = ["predict", "own.json", "families.csv", "--interval", "mean"];
    let with = ["--plugins", "libfamilies.so"];
    let ran = folder.run(&[&predict[..], &with].concat());
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
    let rows: Vec<Vec<String>> = ran
        .stdout
        .lines()
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect();
    let at = |name: &str| rows[0].iter().position(|own| own == name).unwrap();
    let (fit, lower, upper) = (at("fit"), at("lower"), at("upper"));
    let number = |text: &str| text.parse::<f64>().unwrap();
    let data = data();
    let observed: Vec<Vec<&str>> = data
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect())
        .collect();
    let mut scores = [0.0; 3];
    for (row, observed) in rows[1..].iter().zip(&observed) {
        let (mean, y) = (number(&row[fit]), number(observed[7]));
        assert!(number(&row[lower]) < mean && mean < number(&row[upper]));
        let slope = 1.0 - (-mean).exp();
        let score = (y - mean) * slope / mean;
        let x = [1.0, number(observed[0]), number(observed[2])];
        scores
            .iter_mut()
            .zip(x)
            .for_each(|(sum, x)| *sum += score * x);
    }
    assert!(scores.iter().all(|own| own.abs() < 1e-5), "{scores:?}");
    // Without its library there is no link, and one error says so.
    let ran = folder.run(&predict);
    assert_eq!((ran.code, &*ran.stdout), (Some(2), ""));
    assert!(
        ran.stderr.contains("its model has the link softplus of the family families/c-counts:power=1: there is no family"),
        "{}",
        ran.stderr
    );
}

#[test]
fn validation_jobs_and_criteria_of_plugins_take_them() {
    let Some(folder) = folder(&[]) else {
        return;
    };
    let mut validate = arguments("poisson,c-counts,nb2:theta=3", "count", &[]);
    validate[0] = "validate".to_owned();
    validate.extend(["--scheme", "folds:k=3", "--format", "json"].map(str::to_owned));
    let ran = run(&folder, &validate);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let others = report["others"].as_array().unwrap();
    assert_eq!(others.len(), 2);
    let job = "[[job]]\ndata = 'families.csv'\nresponse = 'count'\nfamily = 'nb2:theta=3'\nfactor = ['g']\n\
               drop = ['y', 'success', 'time', 'event', 'level']\nplugins = ['libnb2.so']\nformat = 'json'\n\
               particles = 2\niterations = 2\n";
    folder.write("jobs.toml", job);
    let ran = folder.run(&["run", "jobs.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let report: Value = serde_json::from_str(&folder.read("jobs-results/families.json")).unwrap();
    assert_eq!(report["result"]["family"]["of_plugin"]["theta"], 3.0);
    assert_eq!(report["manifest"]["inputs"][1]["path"], "libnb2.so");
    let text = run(&folder, &arguments("nb2:theta=3", "count", &[]));
    assert!(
        text.stdout
            .contains("\nfamily               nb2:theta=3 of plugin nb2 0.1.0, link log\n"),
        "{}",
        text.stdout
    );
}

#[test]
fn what_it_computes_is_checked_for_its_author() {
    let Some(folder) = folder(&["VARIANCE=count > 1 ? m + 1e-9 : m"]) else {
        return;
    };
    let good = folder.run(&["plugins", "--check", "libnb2.so"]);
    assert_eq!((good.code, &*good.stderr), (Some(0), ""));
    assert!(
        good.stdout
            .contains("ok      family nb2:theta=0.001: 128 responses, "),
        "{}",
        good.stdout
    );
    let bad = folder.run(&["plugins", "--check", "libfamilies.so"]);
    assert_eq!(bad.code, Some(1));
    let told = "FAILED  family c-counts: variance, deviance or log-likelihood of the response 0 at the mean ";
    assert!(bad.stdout.contains(told), "{}", bad.stdout);
    let is_alone = "is another where other observations are asked for with it";
    assert!(bad.stdout.contains(is_alone), "{}", bad.stdout);
}
