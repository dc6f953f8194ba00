//! Criteria: the list of them, and several at once.

use serde_json::Value;

use crate::{cli::select, support::Folder};

#[test]
fn criteria_are_listed_with_their_parameters() {
    let folder = Folder::new();
    let text = folder.run(&["criteria"]).stdout;
    assert!(text.contains("\nebic  extended BIC\n"), "{text}");
    assert!(
        text.contains("    parameter  gamma = 1, in 0 … 1\n"),
        "{text}"
    );
    let json = folder.run(&["criteria", "--format", "json"]).stdout;
    let json: Vec<Value> = serde_json::from_str(&json).unwrap();
    let ebic = json
        .iter()
        .find(|criterion| criterion["name"] == "ebic")
        .unwrap();
    assert_eq!(ebic["parameters"][0]["default"], 1.0);
    assert_eq!(json.len(), 14);
    // n decides where no other is given.
    assert!(text.contains("    parameter  n, in 1 … "), "{text}");
}

#[test]
fn several_criteria_choose_a_model_each() {
    let folder = Folder::new();
    let specs = ["aic", "bic:n=40", "ebic:gamma=0.5"];
    let run = |criterion: &str, format: &str| {
        let ran = folder.run(&select(&["--criterion", criterion, "--format", format]));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran.stdout
    };
    let json = |criterion: &str| serde_json::from_str::<Value>(&run(criterion, "json")).unwrap();
    let all = json(&specs.join(","));
    let others = all["by_other_criteria"].as_array().unwrap();
    assert_eq!(others.len(), 2);
    for (spec, by) in specs.iter().zip([&all].into_iter().chain(others)) {
        let alone = json(spec);
        assert!(alone.get("by_other_criteria").is_none());
        for field in [
            "criterion",
            "k",
            "selected",
            "rss",
            "models",
            "warnings",
            "data",
        ] {
            assert_eq!(by[field], alone[field], "{spec}: {field}");
        }
    }
    let text = run(&specs.join(","), "text");
    for spec in specs {
        let alone = run(spec, "text");
        let model = alone
            .find("\n\nvariable ")
            .map(|at| &alone[at..alone.find("\nFound by").unwrap()]);
        assert!(text.contains(&format!("\nChosen by {spec}\n")), "{text}");
        assert!(text.contains(model.unwrap()), "{text}");
    }
    let csv = run(&specs.join(","), "csv");
    for spec in specs {
        assert!(csv.contains(&format!("\n{spec},(intercept),,")), "{csv}");
    }
}

#[test]
fn a_trace_has_the_steps_of_each_criterion() {
    let folder = Folder::new();
    let trace = |criterion: &str| {
        let ran = folder.run(&select(&["--criterion", criterion, "--trace", "trace.csv"]));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        folder.read("trace.csv")
    };
    let specs = ["bic", "ebic:gamma=0.5"];
    let alone = specs.map(trace);
    let head = alone[0].lines().next().unwrap();
    let mut expected = vec![format!("criterion,{head}")];
    for (spec, alone) in specs.iter().zip(&alone) {
        expected.extend(alone.lines().skip(1).map(|row| format!("{spec},{row}")));
    }
    assert!(trace("bic,ebic:gamma=0.5").lines().eq(expected));
}

#[test]
fn a_checkpoint_is_refused_where_there_are_several() {
    let folder = Folder::new();
    for (more, told) in [
        (
            ["--checkpoint", "state"],
            "criterion names 2 criteria, and checkpoint is of one search; run each criterion by itself",
        ),
        (["--criterion", "aic,"], "criterion = aic, must be a name"),
        (
            ["--criterion", "aic,bicx"],
            "there is no criterion `bicx`; did you mean `bic`?",
        ),
    ] {
        let mut arguments = select(&more);
        if !more.contains(&"--criterion") {
            arguments.extend(["--criterion", "aic,bic"]);
        }
        let ran = folder.run(&arguments);
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.contains(told), "{}", ran.stderr);
    }
}
