//! Parameters that are choices: by name wherever they are asked for, reported and checked.

use serde_json::Value;

use super::{
    built,
    likelihoods::data,
    program::{Folder, Ran},
};

/// A folder with data and the plugin; none where there is no compiler.
fn folder(defined: &[&str]) -> Option<Folder> {
    let folder = Folder::new();
    folder.write("families.csv", &data());
    let source = "tests/plugins/choices.c";
    built(&folder.path(""), source, "choices", defined)?;
    Some(folder)
}

fn run(folder: &Folder, command: &str, response: &str, more: &[&str]) -> Ran {
    let others = ["y", "success", "count", "time", "event", "level", "g"];
    let drop: Vec<&str> = others.into_iter().filter(|own| *own != response).collect();
    let drop = drop.join(",");
    let own = [command, "families.csv", "--response", response];
    let options = ["--drop", &drop, "--plugins", "libchoices.so"];
    folder.run(&[&own[..], &options, more].concat())
}

const SWARM: [&str; 6] = ["--particles", "2", "--iterations", "2", "--islands", "1"];

fn json(ran: &Ran) -> Value {
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn a_model_of_a_family_with_a_choice_predicts() {
    let Some(folder) = folder(&[]) else { return };
    let asked = ["--family", "counted-by:how=tau", "--format", "json"];
    let ran = run(
        &folder,
        "select",
        "count",
        &[&asked[..], &["--output", "model.json"], &SWARM].concat(),
    );
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let report: Value = serde_json::from_str(&folder.read("model.json")).unwrap();
    assert_eq!(report["family"]["of_plugin"]["how"], "tau");
    let spec = "choices/counted-by:how=tau";
    assert_eq!(report["model"]["plugin_family"], spec);
    let predict = ["predict", "model.json", "families.csv"];
    let told = folder.run(&[&predict[..], &["--plugins", "libchoices.so"]].concat());
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    assert_eq!(told.stdout.lines().count(), 151, "{}", told.stdout);
}

#[test]
fn a_criterion_is_asked_for_by_its_choice() {
    let Some(folder) = folder(&[]) else { return };
    let asked = ["--criterion", "priced-by:how=tau"];
    let select = |more: &[&str]| {
        let more = [&asked[..], &SWARM, more].concat();
        run(&folder, "select", "y", &more)
    };
    assert_eq!(
        json(&select(&["--format", "json"]))["criterion"]["how"],
        "tau"
    );
    let text = select(&[]);
    assert!(
        text.stdout.contains("priced-by:how=tau = "),
        "{}",
        text.stdout
    );
    let job = "[defaults]\nplugins = [\"libchoices.so\"]\nresponse = \"y\"\n\
               drop = [\"success\", \"count\", \"time\", \"event\", \"level\", \"g\"]\nparticles = 2\niterations = 2\n\
               [[job]]\ndata = \"families.csv\"\ncriterion = \"priced-by:how=tau\"\n";
    folder.write("jobs.toml", job);
    let ran = folder.run(&["run", "jobs.toml", "--output", "results"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for (asked, told) in [
        (
            "priced-by:how=taw",
            "how = taw of criterion `priced-by` is none of gain, tau; did you mean `tau`?",
        ),
        ("bic:how=tau", "criterion = bic:how=tau must be"),
    ] {
        let refused = run(&folder, "select", "y", &["--criterion", asked]);
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        assert!(refused.stderr.contains(told), "{}", refused.stderr);
    }
}

#[test]
fn a_report_names_what_was_asked_for() {
    let Some(folder) = folder(&[]) else { return };
    let method = ["--method", "chosen-by:how=tau", "--top", "2"];
    let stability = run(
        &folder,
        "stability",
        "success",
        &[&method[..], &["--resamples", "4"]].concat(),
    );
    let ranking = run(&folder, "select", "success", &method);
    for ran in [stability, ranking] {
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let line = "method               chosen-by:how=tau\n";
        assert!(ran.stdout.contains(line), "{}", ran.stdout);
    }
}

#[test]
fn two_settings_of_a_family_or_a_method_stand_beside_each_other() {
    let Some(folder) = folder(&[]) else { return };
    let both = ["--family", "counted-by:how=tau,counted-by:how=gain"];
    let folds = ["--scheme", "folds:k=2"];
    let ran = run(
        &folder,
        "validate",
        "count",
        &[&both[..], &folds, &SWARM].concat(),
    );
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for name in ["counted-by:how=tau", "counted-by:how=gain"] {
        assert!(ran.stdout.contains(name), "{}", ran.stdout);
    }
    let twice = ["--family", "counted-by:how=tau,counted-by:how=tau"];
    let refused = run(&folder, "validate", "count", &[&twice[..], &folds].concat());
    let told = "family names choices/counted-by:how=tau twice";
    assert!(refused.stderr.contains(told), "{}", refused.stderr);
    let both = ["--method", "chosen-by:how=tau,chosen-by", "--top", "2"];
    let more = [&both[..], &folds, &["--then", "logistic"]].concat();
    let ran = run(&folder, "validate", "success", &more);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for name in ["chosen-by:how=tau then", "chosen-by:how=gain then"] {
        assert!(ran.stdout.contains(name), "{}", ran.stdout);
    }
}

fn check(defined: &[&str], more: &[&str]) -> Option<Ran> {
    let folder = folder(defined)?;
    Some(folder.run(&[&["plugins", "--check", "libchoices.so"], more].concat()))
}

#[test]
fn a_check_tries_every_choice_and_tells_whose_refusal_it_is() {
    let Some(good) = check(&[], &[]) else { return };
    assert_eq!(good.code, Some(0), "{}{}", good.stdout, good.stderr);
    for tried in [
        "ok      method chosen-by:how=tau: ",
        "ok      criterion priced-by:how=tau: ",
        "ok      family counted-by:how=tau: ",
    ] {
        assert!(good.stdout.contains(tried), "{}", good.stdout);
    }
    for (defined, told) in [
        ("CELL=NAN", "FAILED  method chosen-by:how=tau: "),
        ("PRICE=-m->misfit", "FAILED  criterion priced-by:how=tau: "),
        ("VARIANCE=2*mu", "FAILED  family counted-by:how=tau: "),
        (
            "RESPONSE=0",
            "FAILED  family counted-by:how=tau: it takes none of the responses",
        ),
    ] {
        let bad = check(&[defined], &[]).unwrap();
        assert_eq!(bad.code, Some(1), "{defined}: {}{}", bad.stdout, bad.stderr);
        assert!(bad.stdout.contains(told), "{defined}: {}", bad.stdout);
    }
    let objection = check(&["OBJECTS=1"], &[]).unwrap();
    assert_eq!(objection.code, Some(0), "{}", objection.stdout);
    let told = "ok      method chosen-by:how=tau: refused: ";
    assert!(objection.stdout.contains(told), "{}", objection.stdout);
}

#[test]
fn a_check_that_dies_tells_where() {
    let Some(dead) = check(&["CELL=(__builtin_trap(),1)"], &[]) else {
        return;
    };
    assert_eq!(dead.code, Some(1), "{}", dead.stderr);
    let told = "at method chosen-by:how=tau, tables of counts";
    assert!(dead.stderr.contains(told), "{}", dead.stderr);
    let before = "ok      method chosen-by: ";
    assert!(dead.stdout.contains(before), "{}", dead.stdout);
}

#[test]
fn a_check_is_given_values_of_parameters() {
    let Some(ran) = check(&[], &["--with", "chosen-by:how=tau"]) else {
        return;
    };
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let asked = ["method chosen-by:how=tau: ", "method chosen-by:how=gain: "];
    let is_tried = asked.map(|own| ran.stdout.contains(own));
    assert_eq!(is_tried, [true, false], "{}", ran.stdout);
    let unknown = check(&[], &["--with", "chosen"]).unwrap();
    assert_eq!(unknown.code, Some(2), "{}", unknown.stderr);
}

#[test]
fn families_are_listed_with_their_parameters() {
    let Some(folder) = folder(&[]) else { return };
    let list = ["methods", "--plugins", "libchoices.so"];
    let text = folder.run(&list).stdout;
    for line in [
        "counted-by  a test\n",
        "    responses  whole numbers\n",
        "    link       own-log\n",
        "    parameter  how = gain, of gain, tau: Which of two\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let listed = json(&folder.run(&[&list[..], &["--format", "json"]].concat()));
    let own = &listed["families"][0];
    assert_eq!(
        (&own["name"], &own["link"]),
        (&"counted-by".into(), &"own-log".into())
    );
    assert_eq!(own["parameters"][0]["choices"][1], "tau");
}

#[test]
fn a_method_that_cannot_be_read_is_one_error() {
    let folder = Folder::new();
    let select = ["select", "data.csv", "--response", "y"];
    let more = ["--method", "jmi:a=1,", "--top", "3"];
    let ran = folder.run(&[&select[..], &more].concat());
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(!ran.stderr.contains("has no effect"), "{}", ran.stderr);
}

#[test]
fn a_plugin_that_has_the_name_of_one_of_passels_own_is_not_installed() {
    let folder = Folder::new();
    let library = super::beside("passel_relief").display().to_string();
    let ran = folder.run(&["plugins", "install", &library]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    let told = "plugin `relief` is one of passel's own, which comes first: an installed one of this name is never used; nothing was installed";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
}

#[test]
fn a_check_gives_procedures_problems_of_every_kind() {
    let folder = Folder::new();
    for (body, told) in [
        (
            "BODY=if (problem->most < 2) return 7",
            "FAILED  method c-run: a problem of one variable at most: ",
        ),
        (
            "BODY=(void)problem",
            "ok      method c-run: a procedure; chooses 0 ",
        ),
    ] {
        if super::c_runs(&folder.path(""), &[body]).is_none() {
            return;
        }
        let ran = folder.run(&["plugins", "--check", "libruns.so"]);
        let all = format!("{body}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains(told), "{all}");
    }
}
