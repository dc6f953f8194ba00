//! Families of plugins that cannot be: each is one error that names the plugin and the family.

use super::{
    families::{SOFTPLUS, arguments, c_family, folder, run},
    likelihoods::data,
    program::Folder,
};

#[test]
fn one_that_contradicts_itself_is_refused() {
    let folder = Folder::new();
    folder.write("families.csv", &data());
    for (defined, told) in [
        (&["VARIANCE=-m"][..], "the variance at the mean 0.1 is -0.1"),
        (&["VARIANCE=0.0/0.0"], "the variance at the mean 0.1 is NaN"),
        (&["VARIANCES=0"], "variance is null"),
        (
            &["DEVIANCE=0.0/0.0"],
            "the deviance of the response 0 at the mean 0.1 is NaN",
        ),
        (
            &["VARIANCE=2 * m"],
            "the derivative of the deviance of the response 0 at the mean 0.101 is ",
        ),
        (
            &["SATURATED=1.0/0.0"],
            "the log-likelihood of the response 0 at the mean 0 is inf",
        ),
        (
            &["START=0.0/0.0"],
            "the first mean of the response 0 is NaN",
        ),
        (
            &[
                "LINK=\"square\"",
                "MEAN=e * e",
                "SLOPE=2 * e",
                "PREDICTOR=m < 1 ? -sqrt(m) : sqrt(m)",
            ],
            "its link is not monotone: the derivative of the mean at the linear predictor ",
        ),
        (
            &["LINK=\"own\"", "MEAN=exp(e)", "SLOPE=2 * exp(e)"],
            "the derivative of the mean at the linear predictor ",
        ),
        (
            &["LINK=\"own\"", "MEAN=exp(e)", "PREDICTOR=log(m) + 1"],
            "the mean 0.1 has the linear predictor ",
        ),
        (
            &["LINK=\"own\""],
            "the link own is none of passel's, and mean or predictor is null",
        ),
        (
            &["MEAN=exp(e)"],
            "the link log is passel's, and mean or predictor is not null",
        ),
        (&["DISPERSION=2"], "dispersion is 2, which means nothing"),
        (&["NAME=\"poisson\""], "the name `poisson` is taken"),
    ] {
        if c_family(&folder, defined).is_none() {
            return;
        }
        let ran = folder.run(&["plugins", "--plugins", "libfamilies.so"]);
        assert_eq!(ran.code, Some(2), "{defined:?} {}", ran.stdout);
        let library = folder.path("libfamilies.so");
        let place = format!("error: {}: family 1", library.display());
        assert!(ran.stderr.starts_with(&place), "{}", ran.stderr);
        assert!(ran.stderr.contains(told), "{defined:?}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    }
}

/// What shows with some values of its parameters, or with the data alone.
#[test]
fn what_goes_wrong_later_names_plugin_and_family() {
    let wrong = [
        "VARIANCE=values[0] > 5 ? -m : m",
        "SATURATED=y == 5 ? 0.0 / 0.0 : 0",
    ];
    let Some(folder) = folder(&wrong) else {
        return;
    };
    for (family, told) in [
        (
            "c-counts:power=6",
            "error: family `c-counts` of plugin `families`: the variance at the mean 0.1 is -0.1\n",
        ),
        (
            "c-counts",
            "the family c-counts of plugin families: the log-likelihood of the response 5 at the mean 5 is NaN\n",
        ),
        (
            "c-counts:power=11",
            "error: power = 11 of family `c-counts` lies outside 0 … 10\n",
        ),
        (
            "c-counts:shape=1",
            "error: family `c-counts` takes power, not `shape`\n",
        ),
        (
            "c-count",
            "error: there is no family `c-count`; did you mean `c-counts`?\n",
        ),
        ("poison", "did you mean `poisson`?"),
    ] {
        let ran = run(&folder, &arguments(family, "count", &[]));
        assert_eq!(
            (ran.code, &*ran.stdout),
            (Some(2), ""),
            "{family} {}",
            ran.stderr
        );
        assert!(ran.stderr.contains(told), "{family}: {}", ran.stderr);
    }
    for (more, told) in [
        (
            &["--link", "probit"][..],
            "the family c-counts has no link probit: use log",
        ),
        (
            &["--dispersion", "2"],
            "dispersion is of the families binomial and poisson, not of c-counts",
        ),
        (&["--firth"], "not of c-counts with log"),
        (
            &["--trials", "d"],
            "trials is of the family binomial, not of c-counts",
        ),
    ] {
        let ran = run(&folder, &arguments("c-counts", "count", more));
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{}", ran.stderr);
        assert!(ran.stderr.contains(told), "{more:?}: {}", ran.stderr);
    }
}

#[test]
fn predictions_by_another_library_than_the_one_of_the_fit_are_told() {
    let Some(folder) = folder(&SOFTPLUS) else {
        return;
    };
    let own = [
        "--criterion",
        "bic,aic",
        "--format",
        "json",
        "--output",
        "own.json",
    ];
    let ran = run(&folder, &arguments("c-counts", "count", &own));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let predict = || {
        let with = ["--plugins", "libfamilies.so"];
        folder.run(&[&["predict", "own.json", "families.csv"][..], &with].concat())
    };
    let first = predict();
    assert_eq!((first.code, &*first.stderr), (Some(0), ""));
    // Another library of the same plugin, whose family has the same link.
    let other = [&SOFTPLUS[..], &["DISPERSION=1"]].concat();
    c_family(&folder, &other).unwrap();
    let second = predict();
    assert_eq!((second.code, second.stdout), (Some(0), first.stdout));
    let told = "warning: the family families/c-counts:power=1 is that of ";
    assert!(
        second.stderr.starts_with(told)
            && second.stderr.contains("libfamilies.so, which is not the library that the model was fitted with: its SHA-256 is "),
        "{}",
        second.stderr
    );
    assert_eq!(second.stderr.lines().count(), 1, "{}", second.stderr);
}
