//! Criteria of plugins for every family, against passel's own.

use serde_json::Value;

use super::{c_runs, problems::Random, program::Folder};

/// Responses of every family of the same four columns and a factor of four levels.
pub(super) fn data() -> String {
    let mut random = Random::new(17);
    let mut text = String::from("a,b,c,d,g,y,success,count,time,event,level\n");
    for _ in 0..150 {
        let x: Vec<f64> = (0..4).map(|_| random.normal()).collect();
        let group = ["p", "q", "r", "s"][random.below(4)];
        let eta = 0.8 * x[0] - 0.6 * x[2] + f64::from(group == "r");
        let count = (1..30).map(|_| f64::from(random.uniform() < eta.exp() / 29.0));
        let count: f64 = count.sum();
        let success = u8::from(random.uniform() < 1.0 / (1.0 + (-2.0 * eta).exp()));
        let time = -random.uniform().ln() / (1.5 * eta).exp();
        let event = u8::from(random.uniform() < 0.7);
        let latent = 2.5 * eta + (1.0 / random.uniform() - 1.0).ln();
        let level =
            ["low", "middle", "high"][usize::from(latent > -1.0) + usize::from(latent > 1.0)];
        let y = eta + random.normal();
        for value in x {
            text += &format!("{value:.6},");
        }
        text += &format!("{group},{y:.6},{success},{count},{time:.6},{event},{level}\n");
    }
    text
}

/// A family with its options.
const FAMILIES: [(&str, &str, &[&str]); 8] = [
    ("gaussian", "y", &[]),
    ("binomial", "success", &[]),
    ("poisson", "count", &[]),
    ("poisson", "count", &["--dispersion", "1.7"]),
    ("negative-binomial", "count", &[]),
    ("cox", "time", &["--event", "event"]),
    ("ordinal", "level", &["--levels", "low,middle,high"]),
    ("multinomial", "level", &[]),
];

/// A report of a family by a criterion, without what names the criterion and the time that it took.
fn report(
    folder: &Folder,
    (family, response, more): (&str, &str, &[&str]),
    criterion: &str,
) -> Value {
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
        "--drop", &drop, "--factor", "g", "--keep", "b", "--format", "json",
    ];
    let by = ["--plugins", "libruns.so", "--criterion", criterion];
    // Few: all models are fitted whatever the swarm does.
    let swarm = ["--particles", "2", "--iterations", "2", "--islands", "1"];
    let ran = folder.run(&[&select[..], &options, more, &by, &swarm].concat());
    assert_eq!(ran.code, Some(0), "{family} {criterion}: {}", ran.stderr);
    let mut report: Value = serde_json::from_str(&ran.stdout).unwrap();
    report.as_object_mut().unwrap().remove("elapsed_seconds");
    for name in ["name", "price", "plugin", "plugin_version", "plugin_sha256"] {
        report["criterion"].as_object_mut().unwrap().remove(name);
    }
    report
}

#[test]
fn bic_and_aicc_of_a_plugin_give_what_passels_own_give_for_every_family() {
    let folder = Folder::new();
    folder.write("families.csv", &data());
    let penalties = [
        ("bic", "(double)k * log((double)n)"),
        (
            "aicc",
            "(2.0 * (double)k + 2.0 * estimates * (estimates + 1.0) / ((double)n - estimates - 1.0))",
        ),
    ];
    for (own, penalty) in penalties {
        let criterion = format!("CRITERION=model->misfit + {penalty}");
        if c_runs(&folder.path(""), &[&criterion, "LIKELIHOODS=1"]).is_none() {
            return;
        }
        for family in FAMILIES {
            let (expected, found) = (
                report(&folder, family, own),
                report(&folder, family, "c-price"),
            );
            // The variable that is kept, and others.
            assert!(
                expected["k"].as_u64().unwrap() > 1,
                "{family:?}: {}",
                expected["selected"]
            );
            let expected = expected.as_object().unwrap();
            assert_eq!(expected.len(), found.as_object().unwrap().len());
            for (key, expected) in expected {
                assert_eq!(*expected, found[key], "{own} {family:?}: {key}");
            }
        }
    }
}

#[test]
fn one_of_linear_regressions_alone_is_refused_with_another_family_before_data_are_read() {
    let folder = Folder::new();
    if c_runs(&folder.path(""), &[]).is_none() {
        return;
    }
    let select = [
        "select",
        "nowhere.csv",
        "--response",
        "y",
        "--family",
        "poisson",
    ];
    let by = ["--plugins", "libruns.so", "--criterion", "c-price"];
    let ran = folder.run(&[&select[..], &by].concat());
    assert_eq!(
        (ran.code, &*ran.stderr),
        (
            Some(2),
            "error: criterion c-price is of linear regressions alone, as its plugin says, and the family is poisson; use \
             aic, bic, ebic or ebic-monotone\n"
        )
    );
}

#[test]
fn one_of_likelihoods_is_tried_with_them_at_load() {
    let folder = Folder::new();
    let of_20 = "its value of 0 of 20 variables and 100 observations of the family binomial";
    let falls = format!("{of_20} falls from -50 to -100 where misfit rises from 50 to 100");
    for (criterion, likelihoods, told) in [
        ("n * log(rss / n)", 1, &*format!("{of_20} is not a number")),
        ("rss > 0 ? rss : -model->misfit", 1, &falls),
        ("rss", 2, "likelihoods is 2, which means nothing"),
    ] {
        let defined = [
            format!("CRITERION={criterion}"),
            format!("LIKELIHOODS={likelihoods}"),
        ];
        let defined: Vec<&str> = defined.iter().map(String::as_str).collect();
        let Some(library) = c_runs(&folder.path(""), &defined) else {
            return;
        };
        let ran = folder.run(&["criteria", "--plugins", "libruns.so"]);
        let told = format!("{}: criterion 1 (c-price): {told}\n", library.display());
        assert_eq!((ran.code, ran.stderr), (Some(2), format!("error: {told}")));
    }
}
