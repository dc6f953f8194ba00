//! Groups of columns, empty cells, and terms in job files and resamples.

use serde_json::Value;

use crate::formulas::{LEVELS, SEXES, folder, names, refused, rows, select, select_from};

#[test]
fn groups_are_in_a_model_together_or_not_at_all() {
    let folder = folder();
    let whole = |more: &[&str]| select(&folder, &[&["--response", "y"][..], more].concat());
    let json = whole(&["--group", "numbers=x,z,w", "--group", "who=se*"]);
    assert_eq!(json["candidate_terms"], 3);
    assert_eq!(names(&json["terms"]), ["g", "numbers", "who"]);
    let own = json["terms"]
        .as_array()
        .unwrap()
        .iter()
        .find(|own| own["name"] == "numbers");
    assert_eq!(
        own.unwrap()["variables"],
        serde_json::json!(["x", "z", "w"])
    );
    folder.write(
        "groups.csv",
        "column,group\nx,numbers\nz,numbers\nw,numbers\nsex,who\n",
    );
    let from_file = whole(&["--groups", "groups.csv"]);
    for field in ["selected", "terms", "models", "rss"] {
        assert_eq!(from_file[field], json[field]);
    }
    let kept = whole(&["--group", "noise=z,w", "--keep", "noise"]);
    assert_eq!(kept["kept"], serde_json::json!(["noise"]));
    folder.write(
        "jobs.toml",
        "[[job]]\ndata = \"d.csv\"\nname = \"a\"\nresponse = \"y\"\ngroup = [\"numbers=x,z,w\", \"who=se*\"]\n\
         [[job]]\ndata = \"d.csv\"\nname = \"b\"\nresponse = \"y\"\ngroups = \"groups.csv\"\n",
    );
    let ran = folder.run(&["run", "jobs.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for name in ["a", "b"] {
        let stored: Value =
            serde_json::from_str(&folder.read(&format!("jobs-results/{name}.json"))).unwrap();
        assert_eq!(stored["result"]["terms"], json["terms"]);
    }
    // Another file of groups is another job.
    folder.write("groups.csv", "column,group\nx,numbers\nz,numbers\n");
    let again = folder.run(&["run", "jobs.toml", "--list"]).stdout;
    assert!(
        again.contains("changed") || again.contains("groups.csv"),
        "{again}"
    );
    for (more, part) in [
        (&["--group", "a"][..], "NAME=A,B"),
        (&["--group", "a=x,xx"], "did you mean `x`"),
        (
            &["--group", "a=x,z", "--group", "b=x"],
            "in the group a too",
        ),
        (&["--group", "a=x,y"], "no candidate is called `y`"),
        (&["--group", "a=x", "--split"], "exclude each other"),
        (
            &["--group", "a=x", "--degree", "2"],
            "group and degree exclude each other",
        ),
        (
            &["--group", "a=x", "--contrasts", "sum"],
            "group and contrasts exclude each other",
        ),
        (
            &["--split", "--contrasts", "sum"],
            "split makes a term of each dummy",
        ),
        (&["--groups", "nothing.csv"], "nothing.csv"),
        (&["--groups", "d.csv"], "`group`"),
        (
            &[
                "--groups",
                "groups.csv",
                "--output",
                "groups.csv",
                "--overwrite",
            ],
            "same file",
        ),
    ] {
        let arguments = [&["select", "d.csv", "--response", "y"][..], more].concat();
        let told = refused(&folder, &arguments);
        assert!(told.contains(part), "{more:?}: {told}");
    }
}

#[test]
fn jobs_and_resamples_take_formulas() {
    let folder = folder();
    folder.write(
        "jobs.toml",
        "[[job]]\ndata = \"d.csv\"\nname = \"given\"\nformula = \"y ~ g * x + sex + z\"\nkeep = [\"z\"]\n\
         [[job]]\ndata = \"d.csv\"\nname = \"made\"\nresponse = \"y\"\ninteractions = 2\n\
         [[job]]\ndata = \"d.csv\"\nname = \"halves\"\ncommand = \"stability\"\nformula = \"y ~ g * x + sex + z\"\nresamples = 10\n",
    );
    let ran = folder.run(&["run", "jobs.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let read = |name: &str| -> Value {
        let stored: Value =
            serde_json::from_str(&folder.read(&format!("jobs-results/{name}.json"))).unwrap();
        stored["result"].clone()
    };
    assert_eq!(
        names(&read("given")["terms"]),
        ["g", "x", "sex", "z", "g:x"]
    );
    assert_eq!(read("made")["formula"], "y ~ (.)^2");
    let halves = read("halves");
    assert_eq!(halves["p"], 5);
    let mut chosen = names(&halves["variables"]);
    chosen.truncate(4);
    chosen.sort();
    assert_eq!(chosen, ["g", "g:x", "sex", "x"]);
    // A mistake is marked where it is, and a name that the data lack is found by their header.
    folder.write(
        "bad.toml",
        "[[job]]\ndata = \"d.csv\"\nformula = \"y ~ g * )x\"\n",
    );
    let told = refused(&folder, &["run", "bad.toml"]);
    assert!(
        told.contains("3 | formula = \"y ~ g * )x\"") && told.contains("^ here"),
        "{told}"
    );
    folder.write(
        "bad.toml",
        "[[job]]\ndata = \"d.csv\"\nformula = \"y ~ g * xx\"\n",
    );
    let told = folder.run(&["run", "bad.toml", "--check", "--open"]);
    assert_eq!(told.code, Some(2));
    assert!(
        told.stderr.contains("\n  y ~ g * xx\n          ^^\n"),
        "{}",
        told.stderr
    );
}

#[test]
fn cells_without_observations_cost_no_parameter() {
    let folder = folder();
    // No observation has the level top of g and the level m of sex.
    let text: String = rows(LEVELS, SEXES)
        .lines()
        .filter(|line| !(line.contains(",top,") && line.contains(",m,")))
        .map(|line| format!("{line}\n"))
        .collect();
    folder.write("empty.csv", &text);
    let json = select_from(
        &folder,
        "empty.csv",
        &["--formula", "y ~ g * sex + x", "--keep", "g:sex"],
    );
    let aside = names(&json["set_aside"]);
    assert_eq!(aside, ["gtop:sexm"]);
    let own = json["terms"]
        .as_array()
        .unwrap()
        .iter()
        .find(|term| term["name"] == "g:sex")
        .unwrap();
    assert_eq!(own["df"], 1);
    // What no observation tells is no number: the level m beside top, and top beside m.
    let means = json["marginal_means"].as_array().unwrap();
    let known: Vec<bool> = means.iter().map(|own| own["mean"].is_number()).collect();
    assert_eq!(known, [true, true, false, true, false]);
}
