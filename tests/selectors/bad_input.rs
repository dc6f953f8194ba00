//! What cannot be done is refused with one line and exit code 2; what tells nothing is no
//! reason to fail.

use super::{
    program::{csv, pairs, run, select},
    reference::{METHODS, Set},
    support::Folder,
};

/// The arguments are refused, and the message holds all that is `told`.
#[track_caller]
fn refused(arguments: &[&str], told: &[&str]) {
    let ran = run(arguments);
    assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.stderr);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "one error: {}", ran.stderr);
    for part in told {
        assert!(ran.stderr.contains(part), "no {part:?} in {}", ran.stderr);
    }
}

/// Five variables, of which none is constant, nor the response.
fn right() -> Set {
    let column = |j: u32| (0..24).map(|t| (t * (j + 1) + t / 5) % 4).collect();
    Set {
        columns: (0..5).map(column).collect(),
        y: (0..24).map(|t| t / 3 % 2).collect(),
    }
}

/// A folder with the set as `set.csv`, and its path.
fn written(set: &Set) -> (Folder, String) {
    let folder = Folder::new();
    folder.write("set.csv", &csv(set, 0));
    let data = folder.path("set.csv").to_str().unwrap().to_owned();
    (folder, data)
}

#[test]
fn more_choices_than_variables_are_refused_with_both_numbers() {
    let (_folder, data) = written(&right());
    for (method, ..) in METHODS {
        let select = ["select", &data, "--response", "y", "--method", method];
        let six = [&select[..], &["--top", "6"]].concat();
        refused(&six, &["top"]);
        // As words, for the folder's name may have digits of its own.
        let told = run(&six).stderr;
        let words: Vec<&str> = told.split(|c: char| !c.is_alphanumeric()).collect();
        assert!(words.contains(&"6") && words.contains(&"5"), "{told}");
        let five = run(&[&select[..], &["--top", "5"]].concat());
        assert_eq!(five.code, Some(0), "{method}: {}", five.stderr);
        let none = run(&[&select[..], &["--top", "0"]].concat());
        assert_eq!(none.code, Some(2), "{method}: {}", none.stderr);
    }
}

#[test]
fn more_levels_than_codes_are_refused_by_name() {
    let folder = Folder::new();
    let rows = (0..65_537).map(|t| format!("{},{},{t}\n", t % 2, t % 3));
    folder.write(
        "set.csv",
        &format!("y,few,many\n{}", rows.collect::<String>()),
    );
    let data = folder.path("set.csv");
    let jmi = [
        "select",
        data.to_str().unwrap(),
        "--response",
        "y",
        "--method",
        "jmi",
    ];
    let levels = ["--top", "1", "--binning", "levels"];
    refused(&[&jmi[..], &levels].concat(), &["`many`"]);
}

#[test]
fn nothing_is_chosen_twice_where_every_score_is_zero() {
    let mut set = right();
    set.columns = (0..5).map(|j| vec![j; 24]).collect();
    let (folder, _) = written(&set);
    let data = folder.path("set.csv");
    for (method, ..) in METHODS {
        let found = select(&data, method, 5, &["--response", "y"]);
        let ends = ["cmi", "fcbf"].contains(method);
        let expected = if ends { 0 } else { 5 };
        assert_eq!(found.order(), (0..expected).collect::<Vec<_>>(), "{method}");
        assert!(found.picks.iter().all(|pick| pick.score == 0.0), "{method}");
        assert!(
            found.picks.iter().all(|pick| pick.relevance == 0.0),
            "{method}"
        );
    }
    let found = pairs(&data, "mi3", 10, &["--response", "y"]);
    assert!(
        found
            .pairs
            .iter()
            .all(|pair| pair.score == 0.0 && pair.synergy == 0.0)
    );
}

#[test]
fn a_constant_response_has_no_information() {
    let mut set = right();
    set.y.fill(1);
    let (folder, _) = written(&set);
    let data = folder.path("set.csv");
    for method in ["mim", "jmi", "disr", "cmim", "jmim", "njmim"] {
        let found = select(&data, method, 5, &["--response", "y"]);
        assert_eq!(found.order(), [0, 1, 2, 3, 4], "{method}");
        assert!(found.picks.iter().all(|pick| pick.score == 0.0), "{method}");
    }
    let found = select(&data, "cmi", 5, &["--response", "y"]);
    assert!(found.picks.is_empty(), "{:?}", found.picks);
}

#[test]
fn an_unknown_method_is_refused_with_the_nearest() {
    let (_folder, data) = written(&right());
    for (name, nearest) in [
        ("njmin", "did you mean `njmim`"),
        ("mrmrr", "did you mean `mrmr`"),
        ("disrr", "did you mean `disr`"),
        ("condered", "did you mean `condred`"),
        ("betagama:beta=1", "did you mean `betagamma`"),
    ] {
        let wrong = name.split(':').next().unwrap();
        let arguments = ["select", &data, "--response", "y", "--method", name];
        refused(
            &[&arguments[..], &["--top", "2"]].concat(),
            &[wrong, nearest],
        );
    }
}

#[test]
fn a_parameter_that_is_wrong_is_refused_by_name() {
    let (_folder, data) = written(&right());
    for (method, told) in [
        ("mifs:beta=1e9", &["beta", "mifs"][..]),
        ("mifs:beta=NaN", &["beta"]),
        ("mifs:beta=much", &["beta", "much"]),
        ("mifs:gamma=0.5", &["gamma", "mifs"]),
        ("betagamma:beta=0.5,gamma=-1e9", &["gamma"]),
        ("jmi:beta=1", &["beta", "jmi"]),
    ] {
        let arguments = ["select", &data, "--response", "y", "--method", method];
        refused(&[&arguments[..], &["--top", "2"]].concat(), told);
    }
}

#[test]
fn a_response_that_is_not_there_is_refused() {
    let (folder, data) = written(&right());
    let jmi = ["select", &data, "--method", "jmi", "--top", "2"];
    refused(&jmi, &["--response"]);
    refused(
        &[&jmi[..], &["--response", "z"]].concat(),
        &["`z`", "set.csv"],
    );
    refused(&["pairs", &data], &["--response"]);
    refused(&["pairs", &data, "--response", "z"], &["`z`", "set.csv"]);
    // No variable is left beside it.
    folder.write("set.csv", "y\n1\n2\n1\n");
    refused(&[&jmi[..], &["--response", "y"]].concat(), &["set.csv"]);
}

#[test]
fn a_missing_value_is_refused_with_its_place_or_its_row_dropped() {
    let (folder, data) = written(&right());
    let whole = csv(&right(), 0);
    let lines: Vec<&str> = whole.lines().collect();
    let more = format!("{whole}NA,0,0,0,0,0\n1,0,,0,0,0\n");
    let jmi = [
        "select",
        &data,
        "--method",
        "jmi",
        "--top",
        "5",
        "--response",
        "y",
    ];
    folder.write("set.csv", &format!("{}\nNA,1,1,1,1,1\n", lines.join("\n")));
    refused(&jmi, &["set.csv", "`y`"]);
    let path = folder.path("set.csv");
    folder.write("set.csv", &whole);
    let expected = select(&path, "jmi", 5, &["--response", "y"]);
    folder.write("set.csv", &more);
    let drop = ["--response", "y", "--missing", "drop-rows"];
    let found = select(&path, "jmi", 5, &drop);
    assert_eq!(found.printed, expected.printed);
    assert_eq!(found.json["n"], 24);
}

#[test]
fn what_has_no_way_on_gpus_is_refused_whether_there_are_any_or_not() {
    let (_folder, data) = written(&right());
    let gpus = ["--response", "y", "--device", "cuda"];
    let relief = ["select", &data, "--method", "relieff"];
    refused(
        &[&relief[..], &gpus].concat(),
        &["way of their own", "--device cpu"],
    );
}

#[test]
fn a_rule_of_permutations_that_cannot_be_is_refused_with_the_mend() {
    let (_folder, data) = written(&right());
    let with = |method: &'static str, more: &[&'static str], told: &[&str]| {
        let arguments = ["select", &data, "--response", "y", "--method", method];
        refused(&[&arguments[..], more].concat(), told);
    };
    let stop = |rule: &'static str, told: &[&str]| with("jmi", &["--stop", rule], told);
    let range = &["stop", "N in 19 … 1000000 and A above 0 and below 1"];
    for rule in [
        "permutation:n=18",
        "permutation:n=1000001",
        "permutation:n=99.5",
        "permutation:n=NaN",
        "permutation:n=-100",
        "permutation:n=many",
        "permutation:n=99,n=99",
        "permutation:alpha=0",
        "permutation:alpha=1",
        "permutation:alpha=NaN",
        "permutation:",
        "permutation:raw,",
        "permutation:raw,raw",
        "permutation:raw=1",
        "permutation:n=99,raw",
    ] {
        stop(rule, &[rule, range[0], range[1]]);
    }
    stop("permutaton:n=99", &["did you mean `permutation`?"]);
    stop("permutation:alpa=0.1", &["did you mean `alpha`?"]);
    stop(
        "permutation:n=98,alpha=0.01",
        &["alpha = 0.01 is below 1/99", "use n=99 or more"],
    );
    stop("permutation:alpha=1e-7", &["1/1001", "an alpha of 1e-6"]);
    with("jmi", &["--seed", "3"], &["seed", "stop = permutation"]);
    with("pass", &["--stop", "permutation"], &["stop", "selectors"]);
}

#[test]
fn an_unknown_score_of_pairs_is_refused_with_the_nearest() {
    let (_folder, data) = written(&right());
    let arguments = ["pairs", &data, "--response", "y", "--score", "sinergy"];
    refused(&arguments, &["sinergy", "did you mean `synergy`"]);
    let one = Set {
        columns: vec![right().columns.remove(0)],
        ..right()
    };
    let (folder, _) = written(&one);
    let more = ["--response", "y", "--partners"];
    let found = pairs(&folder.path("set.csv"), "mi3", 1, &more);
    assert_eq!((found.single.len(), found.pairs.len()), (1, 0));
    // Nobody is beside it.
    assert!(matches!(found.partners.as_deref(), Some([None])));
    // Those of a selection are none.
    let ran = run(&["select", &data, "--response", "y", "--partners"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("--partners"), "{}", ran.stderr);
}
