//! Where plugins are found, and the two lists of the program.

use std::{
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    fs,
    path::PathBuf,
};

use passel::{job::JobDraft, plugin::Plugins};
use serde_json::Value;

use super::{
    beside, c_plugin,
    program::{Folder, Ran, ran},
};

fn library(stem: &str) -> String {
    format!("{DLL_PREFIX}{stem}{DLL_SUFFIX}")
}

fn list(folder: &Folder, path: &str, arguments: &[&str]) -> Ran {
    let mut command = folder.passel(arguments);
    command.env("PASSEL_PLUGIN_PATH", path);
    ran(command)
}

#[test]
fn the_first_party_is_found_beside_a_program_and_a_test() {
    let names = |plugins: &Plugins| -> Vec<String> {
        let names = plugins.plugins().iter().map(|plugin| plugin.name.clone());
        names.collect()
    };
    let here = Plugins::find(&[]).unwrap();
    assert_eq!(names(&here), ["information", "relief"]);
    assert_eq!(here.refused(), []);
    assert_eq!(here.plugins()[0].path, beside("passel_information"));
    // Loaded again, or named though it is there, it is the same.
    let again = Plugins::find(&[beside("passel_information")]).unwrap();
    assert_eq!(names(&again), ["information", "relief"]);
    let folder = Folder::new();
    let told = list(&folder, "", &["plugins"]);
    assert_eq!((told.code, told.stderr.as_str()), (Some(0), ""));
    assert!(told.stdout.starts_with("information 0."), "{}", told.stdout);
    assert!(!told.stdout.contains("Not used"), "{}", told.stdout);
}

#[test]
fn methods_are_listed_with_all_that_is_known_of_them() {
    let folder = Folder::new();
    let text = list(&folder, "", &["methods"]);
    assert_eq!((text.code, text.stderr.as_str()), (Some(0), ""));
    let entry = "\nmifs  mutual information feature selection\n    \
                 formula    I(x;y) − beta·Σ I(w;x)\n    \
                 parameter  beta = 1, in 0 … 100: What redundancy counts beside relevance\n    \
                 source     R. Battiti, ";
    assert!(text.stdout.contains(entry), "{}", text.stdout);
    let pass = text.stdout.find("\npass  ").unwrap();
    assert!(pass < text.stdout.find("\nmim  ").unwrap());
    assert!(text.stdout.find("\nPair scores").unwrap() < text.stdout.find("\nmi3  ").unwrap());
    let json = list(&folder, "", &["methods", "--format", "json"]);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["methods"][0]["name"], "pass");
    assert_eq!(json["methods"][0]["plugin"], Value::Null);
    assert_eq!(json["methods"][2]["name"], "mifs");
    assert_eq!(json["methods"][2]["plugin"], "information");
    assert_eq!(json["methods"][2]["parameters"][0]["max"], 100.0);
    assert_eq!(json["pair_scores"][1]["name"], "synergy");
}

#[test]
fn a_folder_of_libraries_gives_what_it_can_and_tells_the_rest() {
    let folder = Folder::new();
    fs::create_dir(folder.path("more")).unwrap();
    fs::copy(
        beside("faulty"),
        folder.path("more").join(library("faulty")),
    )
    .unwrap();
    folder.write(&format!("more/{}", library("text")), "no library\n");
    folder.write(&format!("more/{}", library("2nd")), "");
    folder.write("more/README", "");
    fs::create_dir(folder.path("more").join(library("folder"))).unwrap();
    let told = list(&folder, "more:lost", &["plugins", "--format", "json"]);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    // What a plugin logs goes to standard error, under its name.
    assert_eq!(told.stderr, "warning: faulty: declared without fault\n");
    let json: Value = serde_json::from_str(&told.stdout).unwrap();
    assert_eq!(json["plugins"][0]["name"], "faulty");
    assert_eq!(json["plugins"][0]["methods"][0], "faulty");
    let refused = |at: usize, key: &str| json["refused"][at][key].as_str().unwrap().to_owned();
    let mut reasons: Vec<(String, String)> = (0..4)
        .map(|at| (refused(at, "path"), refused(at, "reason")))
        .collect();
    reasons.sort();
    let ends = |at: usize, path: &str, reason: &str| {
        let (is, because) = &reasons[at];
        assert!(
            is.ends_with(path) && because.contains(reason),
            "{reasons:?}"
        );
    };
    ends(0, &library("2nd"), "is no plugin's");
    ends(1, &library("folder"), "it is not a file");
    ends(2, &library("text"), "the system does not load it: ");
    ends(3, "lost", "it cannot be read: ");
    let methods = list(&folder, "more", &["methods"]);
    assert_eq!(methods.code, Some(0));
    assert_eq!(methods.stderr.matches("warning: ").count(), 4);
    assert!(methods.stdout.contains("\nfaulty  a selector that fails"));
}

#[test]
fn what_was_named_must_load() {
    let folder = Folder::new();
    folder.write(&library("text"), "no library\n");
    // The working directory is looked into by nobody.
    let told = list(&folder, ":", &["plugins"]);
    assert!(!told.stdout.contains("text"), "{}", told.stdout);
    for name in [library("text"), library("nowhere")] {
        let told = list(&folder, "", &["plugins", "--plugins", &name]);
        assert_eq!((told.code, told.stdout.as_str()), (Some(2), ""));
        assert!(told.stderr.starts_with("error: "), "{}", told.stderr);
        assert!(told.stderr.contains(&name), "{}", told.stderr);
        assert_eq!(told.stderr.lines().count(), 1);
    }
    // By a bare name, from the working directory.
    fs::copy(beside("faulty"), folder.path(&library("faulty"))).unwrap();
    let told = list(&folder, "", &["plugins", "--plugins", &library("faulty")]);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    assert!(told.stdout.starts_with("faulty 0."), "{}", told.stdout);
}

#[cfg(target_os = "linux")]
#[test]
fn a_library_copied_halfway_is_refused_and_not_the_end() {
    let folder = Folder::new();
    let whole = fs::read(beside("faulty")).unwrap();
    for length in [0, 100, 3_000, 20_000, 200_000] {
        fs::write(folder.path(&library("faulty")), &whole[..length]).unwrap();
        let told = list(&folder, "", &["plugins", "--plugins", &library("faulty")]);
        assert_eq!(told.code, Some(2), "{length}: {}", told.stderr);
        assert!(told.stderr.starts_with("error: "), "{}", told.stderr);
        assert_eq!(told.stderr.contains("it is cut short: "), length > 1_000);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_library_of_the_system_is_no_plugin() {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let paths = maps
        .lines()
        .filter_map(|line| line.split_whitespace().nth(5));
    let libc = paths.into_iter().find(|path| path.contains("/libc."));
    let Some(libc) = libc else {
        eprintln!("skipped: this test is linked without a libc that could be named");
        return;
    };
    let folder = Folder::new();
    let copy = folder.path(&library("c"));
    fs::copy(libc, &copy).unwrap();
    let told = Plugins::find(std::slice::from_ref(&copy)).unwrap_err();
    let reason = "not a plugin of this name: it has no `passel_plugin_c`";
    assert_eq!(told.to_string(), format!("{}: {reason}", copy.display()));
}

#[test]
fn a_plugin_that_is_there_twice_is_loaded_once_and_a_second_one_refused() {
    let (folder, other) = (Folder::new(), Folder::new());
    let Some(path) = c_plugin(&folder.path(""), &[]) else {
        return;
    };
    let places = folder.path("").display().to_string();
    let named = path.display().to_string();
    let told = list(&folder, &places, &["plugins", "--plugins", &named]);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    assert_eq!(told.stdout.matches("plain 1.2  ").count(), 1);
    // In a folder behind it, it is not used, and that is told; named, it stands in the place of the one that was found.
    let second = c_plugin(&other.path(""), &["NAME=\"other\""]).unwrap();
    let both = format!("{places}:{}", other.path("").display());
    let told = list(&folder, &both, &["plugins"]);
    let reason = format!("plugin `plain` is there already, from {}", path.display());
    assert!(told.stdout.contains(&reason), "{}", told.stdout);
    let named = second.display().to_string();
    let told = list(&folder, &places, &["plugins", "--plugins", &named]);
    assert_eq!(
        (told.code, told.stdout.matches("\nplain 1.2  ").count()),
        (Some(0), 0),
        "{}",
        told.stderr
    );
    assert!(told.stdout.starts_with("plain 1.2  "), "{}", told.stdout);
    assert!(!told.stdout.contains("Not used"), "{}", told.stdout);
}

#[test]
fn plugins_of_a_job_start_at_its_file() {
    let folder = Folder::new();
    let text = "[[job]]\ndata = 'data.csv'\nresponse = 'y'\nplugins = ['a.so', 'b, c/d.so']\n";
    folder.write("jobs.toml", text);
    let jobs = passel::job::file::read(&folder.path("jobs.toml")).unwrap();
    let expected = [folder.path("a.so"), folder.path("b, c/d.so")];
    assert_eq!(jobs.jobs[0].task.job().plugins, expected);
    let mut draft = JobDraft::new("data.csv");
    draft
        .set("plugins", &["a.so,\"b, c.so\"".to_owned()])
        .unwrap();
    let job = draft.check().unwrap();
    assert_eq!(job.plugins, ["a.so", "b, c.so"].map(PathBuf::from));
}

#[test]
fn a_library_by_whose_path_a_job_names_a_method_starts_at_its_file_too() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("sub")).unwrap();
    fs::create_dir_all(folder.path("deep/sub")).unwrap();
    let own = c_plugin(&folder.path("deep/sub"), &["DEFAULT=3.0"]);
    if own.is_none() || c_plugin(&folder.path("sub"), &[]).is_none() {
        return;
    }
    let name = library("plain");
    let jobs = format!(
        "[defaults]\nresponse = 'y'\nplugins = ['../sub/{name}', 'sub/{name}']\n\
         [[job]]\nname = 'own'\nDATA\nmethod = './sub/{name}/c-jmi'\n\
         [[job]]\nname = 'other'\nDATA\nmethod = '../sub/{name}/c-jmi'\n\
         [[job]]\nname = 'pairs'\nDATA\ncommand = 'pairs'\nscore = './sub/{name}/c-mi3'\n"
    );
    let jobs = jobs.replace("DATA", "data = '../data.csv'");
    folder.write("deep/jobs.toml", &jobs);
    for more in [&[][..], &["--isolate"]] {
        let _ = fs::remove_dir_all(folder.path("deep/jobs-results"));
        let ran = folder.run(&[&["run", "deep/jobs.toml"][..], more].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        for (job, weight) in [("own", 3.0), ("other", 1.0)] {
            let result = folder.read(&format!("deep/jobs-results/{job}.json"));
            let result: Value = serde_json::from_str(&result).unwrap();
            assert_eq!(result["result"]["method"]["weight"], weight, "{job}");
        }
    }
    // On the command line paths start at the working directory.
    let plugins = format!("sub/{name},deep/sub/{name}");
    let method = format!("./deep/sub/{name}/c-jmi");
    let select = ["select", "data.csv", "--response", "y", "--format", "json"];
    let with = ["--plugins", &*plugins, "--method", &*method];
    let ran = folder.run(&[&select[..], &with].concat());
    let report: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    assert_eq!(report["method"]["weight"], 3.0);
}

#[test]
fn a_library_that_is_not_used_is_told_where_methods_are_looked_for() {
    let folder = Folder::new();
    fs::create_dir(folder.path("more")).unwrap();
    folder.write(&format!("more/{}", library("text")), "no library\n");
    let select = ["select", "data.csv", "--response", "y", "--method", "jmi"];
    let told = list(&folder, "more", &select);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    assert!(told.stderr.contains("it is not used\n"), "{}", told.stderr);
    assert_eq!(
        told.stderr.matches("warning: ").count(),
        1,
        "{}",
        told.stderr
    );
}

#[cfg(unix)]
#[test]
fn a_program_alone_has_every_method_that_ships() {
    let folder = Folder::new();
    // By another process: a child of another test might hold the file open for writing, and it could not be run.
    let mut copy = std::process::Command::new("cp");
    copy.arg(env!("CARGO_BIN_EXE_passel"))
        .arg(folder.path("alone"));
    assert!(copy.status().unwrap().success());
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(folder.path("alone"));
        ran({
            command.args(arguments).current_dir(folder.path(""));
            command.env_remove("PASSEL_PLUGIN_PATH");
            command
        })
    };
    let alone = run(&["methods", "--format", "json"]);
    let beside = list(&folder, "", &["methods", "--format", "json"]);
    assert_eq!(
        (alone.code, &alone.stdout),
        (Some(0), &beside.stdout),
        "{}",
        alone.stderr
    );
    let select = [
        "select",
        "data.csv",
        "--response",
        "y",
        "--method",
        "jmi",
        "--format",
        "json",
    ];
    let report: Value = serde_json::from_str(&run(&select).stdout).unwrap();
    assert_eq!(report["method"]["plugin"], "information");
    assert_eq!(report["method"]["plugin_sha256"], Value::Null);
}
