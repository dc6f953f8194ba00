//! The methods among the options.

use super::*;

fn refused(options: &[(&str, &str)]) -> Vec<String> {
    let errors = job(options).unwrap_err();
    let text = |error: &OptionError| match &error.help {
        Some(help) => format!("{error}; {help}"),
        None => error.to_string(),
    };
    errors.iter().map(text).collect()
}

#[test]
fn a_method_is_found_with_its_parameters() {
    let job = job(&[("method", "betagamma:gamma=0.25"), ("top", "3")]).unwrap();
    let declared = job.selector.unwrap();
    assert_eq!(declared.name, "betagamma");
    let parameters = [
        ("beta".to_owned(), 1.0.into()),
        ("gamma".to_owned(), 0.25.into()),
    ];
    assert_eq!(declared.parameters, parameters);
    assert_eq!(job.stop.top, Some(3));
}

#[test]
fn a_parameter_given_twice_is_refused() {
    let refused_with = refused(&[("method", "mifs:beta=1,beta=2")]);
    assert_eq!(refused_with, ["method `mifs` is given `beta` twice"]);
    assert_eq!(
        message("criterion", &["ebic:gamma=0,gamma=1"]),
        "criterion = ebic:gamma=0,gamma=1: criterion `ebic` is given `gamma` twice"
    );
}

#[test]
fn options_that_the_method_does_not_use_are_refused() {
    assert_eq!(
        refused(&[("method", "jmi"), ("particles", "9"), ("level", "0.9")]),
        [
            "particles has no effect with the method jmi; it is for the method pass",
            "level has no effect with the method jmi; it is for regressions: by the method pass, or \
             by a plugin",
        ]
    );
    // Once, whatever the value would be worth to another method.
    for (option, value) in [("link", "logit"), ("success", "yes")] {
        let told = refused(&[("method", "jmi"), (option, value)]);
        let expected = format!(
            "{option} has no effect with the method jmi; it is for regressions: by the method pass, or by a plugin"
        );
        assert_eq!(told, [expected]);
    }
    assert_eq!(
        refused(&[("top", "3")]),
        [
            "top has no effect with the method pass; it is for selectors that rank: name one with method"
        ]
    );
    assert_eq!(
        refused(&[("method", "jmi"), ("format", "parquet")])
            .last()
            .unwrap(),
        "format = parquet is only for one selection by the method pass: use csv, json or html"
    );
}

#[test]
fn defaults_of_a_job_file_may_be_of_other_methods() {
    let mut draft = draft(&[("particles", &["9"]), ("top", &["4"])]).unwrap();
    draft.mark_defaults(|_| true);
    let mut second = draft.clone();
    second.set("method", &["jmi".to_owned()]).unwrap();
    assert_eq!(draft.check().unwrap().pass.particles, 9);
    assert_eq!(second.check().unwrap().stop.top, Some(4));
}

#[test]
fn an_unknown_method_gets_the_nearest_name() {
    let refused_with = refused(&[("method", "jmj")]);
    assert_eq!(
        refused_with,
        ["there is no method `jmj`; did you mean `jmi`?"]
    );
    let pass = refused(&[("method", "pass:gamma=1")]);
    assert_eq!(pass, ["method `pass` takes no parameters, not `gamma`"]);
    assert!(job(&[("method", " pass ")]).unwrap().selector.is_none());
    let far = refused(&[("method", "vivaldi")]);
    assert_eq!(
        far,
        ["there is no method `vivaldi`; `passel methods` lists them"]
    );
}

#[test]
fn selectors_that_permute_use_the_seed() {
    let options = [
        ("method", "jmi"),
        ("stop", "permutation:n=99"),
        ("seed", "7"),
    ];
    let rule = job(&options).unwrap().stop.permutation.unwrap();
    assert_eq!((rule.n, rule.alpha, rule.seed), (99, 0.05, 7));
    assert!(rule.standardise);
    for (text, n) in [("permutation:raw", 1000), ("permutation: raw , n=50", 50)] {
        let rule = job(&[("stop", text), ("method", "mim")]).unwrap();
        let rule = rule.stop.permutation.unwrap();
        assert_eq!((rule.n, rule.standardise), (n, false));
    }
    let rule = job(&[("stop", "permutation"), ("method", "mim")]).unwrap();
    let rule = rule.stop.permutation.unwrap();
    assert_eq!((rule.n, rule.alpha, rule.seed), (1000, 0.05, 1));
    assert_eq!(
        refused(&[("method", "jmi"), ("seed", "7")]),
        [
            "seed has no effect with the method jmi; it is for the method pass, and for selectors with \
          stop = permutation"
        ]
    );
    // The others stay what they are.
    let mut more = options.to_vec();
    more.push(("particles", "9"));
    assert_eq!(refused(&more).len(), 1);
}
