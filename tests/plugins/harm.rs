//! What a plugin does to its process: it is undone, or told with its name.

#![cfg(unix)]

use serde_json::Value;

use super::{
    built, c_runs,
    program::{Folder, Ran, ran},
};

/// A selection by the method of a plugin in C whose loop is this; none where there is no compiler.
fn select(body: &str, over: &str) -> Option<Ran> {
    let folder = Folder::new();
    select_in(&folder, body, over)
}

fn select_in(folder: &Folder, body: &str, over: &str) -> Option<Ran> {
    c_runs(&folder.path(""), &[&format!("BODY={body}"), over])?;
    let select = ["select", "data.csv", "--response", "y", "--method", "c-run"];
    let json = ["--format", "json", "--plugins", "libruns.so"];
    Some(ran(folder.passel(&[&select[..], &json].concat())))
}

const LEVELS: &str = "OVER=PASSEL_OVER_LEVELS";
const REGRESSION: &str = "OVER=PASSEL_OVER_REGRESSION";

#[test]
fn the_end_of_the_process_is_told() {
    for (body, code, told) in [
        (
            "exit(0)",
            Some(1),
            "it called exit, which ends this process",
        ),
        (
            "exit(7)",
            Some(1),
            "it called exit, which ends this process",
        ),
        ("abort()", None, "it ended this process (SIGABRT)"),
        (
            "*(volatile int*)8=1",
            None,
            "it ended this process (SIGSEGV)",
        ),
    ] {
        let Some(ran) = select(body, LEVELS) else {
            return;
        };
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (code, ""),
            "{body}: {}",
            ran.stderr
        );
        let told = format!("error: plugin runs, c-run: {told}; what was found is lost\n");
        assert!(ran.stderr.contains(&told), "{body}: {}", ran.stderr);
    }
}

#[test]
fn a_job_that_ends_a_run_is_the_last_one_of_the_next() {
    let folder = Folder::new();
    let defined = ["BODY=exit(0)", LEVELS];
    if c_runs(&folder.path(""), &defined).is_none() {
        return;
    }
    let job = |name: &str, more: &str| {
        format!("[[job]]\nname = \"{name}\"\ndata = \"data.csv\"\nresponse = \"y\"\n{more}\n")
    };
    let bad = "method = \"c-run\"\nplugins = [\"libruns.so\"]\n";
    let jobs = "[run]\nthreads = 1\n\n".to_owned()
        + &job("bad", bad)
        + &job("b", "")
        + &job("c", "seed = 2\n");
    folder.write("jobs.toml", &jobs);
    let run = || ran(folder.passel(&["run", "jobs.toml"]));
    let done = || {
        ["bad", "b", "c"].map(|name| folder.path(&format!("jobs-results/{name}.json")).is_file())
    };
    let first = run();
    assert_eq!(
        (first.code, done()),
        (Some(1), [false; 3]),
        "{}",
        first.stderr
    );
    assert!(
        first
            .stderr
            .contains("error: plugin runs, c-run: it called exit"),
        "{}",
        first.stderr
    );
    let status = ran(folder.passel(&["status", "jobs-results"])).stdout;
    assert!(status.contains("bad"), "{status}");
    let second = run();
    assert_eq!(
        (second.code, done()),
        (Some(1), [false, true, true]),
        "{}",
        second.stderr
    );
    let told = "1 job was under way when a run was killed, and is done last: bad";
    assert!(second.stderr.contains(told), "{}", second.stderr);
}

#[test]
fn what_it_prints_is_no_part_of_a_report() {
    let body =
        "printf(\"noise\\n\");fflush(stdout);problem->choose(problem,0,1.0);printf(\"late\\n\")";
    let Some(ran) = select(body, LEVELS) else {
        return;
    };
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["k"], 1);
    assert!(
        ran.stderr.contains("noise\n") && ran.stderr.contains("late\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn standard_output_may_be_named_as_a_file() {
    let folder = Folder::new();
    if c_runs(
        &folder.path(""),
        &["BODY=problem->choose(problem,0,1.0)", LEVELS],
    )
    .is_none()
    {
        return;
    }
    for name in ["/dev/stdout", "/dev/fd/1"] {
        let select = [
            "select",
            "data.csv",
            "--response",
            "y",
            "--method",
            "c-run",
            "--plugins",
            "libruns.so",
        ];
        let ran =
            ran(folder.passel(&[&select[..], &["--format", "json", "--output", name]].concat()));
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(report["k"], 1);
    }
}

#[test]
fn its_arithmetic_is_its_own() {
    // It asks passel for a fit meanwhile, whose criterion it writes to the last bit, and chooses.
    let fits = "size_t two[2]={0,1};double phi;problem->fit(problem,two,2,0,&phi);FILE*file=fopen(\"phi\",\"w\");\
                fprintf(file,\"%a\",phi);fclose(file);problem->choose(problem,1,1.0);problem->choose(problem,0,2.0)";
    let own = |body: &str| {
        let folder = Folder::new();
        let ran = select_in(&folder, &format!("{body}{fits}"), REGRESSION)?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        let fields = ["rss", "selected", "models", "covariance"];
        Some((
            folder.read("phi"),
            fields.map(|field| report[field].clone()),
        ))
    };
    let Some(plain) = own("") else { return };
    assert_eq!(own("fesetround(FE_UPWARD);").unwrap(), plain);
}

#[test]
fn reports_name_the_plugin_its_version_and_the_hash_of_its_library() {
    let Some(ran) = select("problem->choose(problem,0,1.0)", LEVELS) else {
        return;
    };
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let method = &report["method"];
    assert_eq!(
        (&method["plugin"], &method["plugin_version"]),
        (&"runs".into(), &"1".into())
    );
    let hash = method["plugin_sha256"].as_str().unwrap();
    assert!(
        hash.len() == 64 && hash.chars().all(|digit| digit.is_ascii_hexdigit()),
        "{hash}"
    );
}

/// The check of a plugin in C.
fn check(path: &std::path::Path) -> Ran {
    let folder = Folder::new();
    ran(folder.passel(&["plugins", "--check", &path.display().to_string()]))
}

#[test]
fn a_check_tells_what_is_wrong_with_a_library() {
    let folder = Folder::new();
    let Some(good) = super::c_plugin(&folder.path(""), &[]) else {
        return;
    };
    let told = check(&good);
    assert_eq!(told.code, Some(0), "{}{}", told.stdout, told.stderr);
    for line in [
        "ok      method c-jmi: declared, counted in integers; chooses ",
        "ok      pair score c-mi3: declared\n",
        "plain 1.2: 4 checked, 0 failed\n",
    ] {
        assert!(told.stdout.contains(line), "{line} in {}", told.stdout);
    }
    let cases: [(&[&str], &str); 4] = [
        (
            &["CRITERION=n*log(rss/n)+(k==3&&rss>n?-1e9:0)"],
            "FAILED  criterion c-price: it falls from ",
        ),
        (
            &["CRITERION=n*log(rss/n)+1e-9*(double)rand()"],
            "when it is asked again",
        ),
        (
            &["BODY=problem->choose(problem,(size_t)rand()%5,1.0)"],
            "FAILED  method c-run: what it chooses differs",
        ),
        (&["BODY=return 7"], "FAILED  method c-run: "),
    ];
    for (defined, line) in cases {
        let folder = Folder::new();
        let bad = c_runs(&folder.path(""), &[defined, &[LEVELS]].concat()).unwrap();
        let told = check(&bad);
        assert_eq!(
            told.code,
            Some(1),
            "{defined:?} {}{}",
            told.stdout,
            told.stderr
        );
        assert!(told.stdout.contains(line), "{line} in {}", told.stdout);
    }
    // One that ends its process ends that of the check alone.
    let bad = c_runs(&folder.path(""), &["BODY=abort()", LEVELS]).unwrap();
    let told = check(&bad);
    assert_eq!(told.code, Some(1), "{}", told.stderr);
    assert!(
        told.stderr.contains("it ended this process (SIGABRT)"),
        "{}",
        told.stderr
    );
    assert!(
        told.stderr.contains("the check did not come to its end: "),
        "{}",
        told.stderr
    );
    let bad = c_runs(&folder.path(""), &["BODY=_exit(0)", LEVELS]).unwrap();
    assert_eq!(check(&bad).code, Some(1));
    let lost = check(&folder.path("lost.so"));
    assert_eq!(lost.code, Some(2), "{}", lost.stderr);
}

#[test]
fn what_ships_is_found_good() {
    for name in ["passel_information", "passel_relief"] {
        let told = check(&super::beside(name));
        assert_eq!(told.code, Some(0), "{}{}", told.stdout, told.stderr);
        assert!(
            told.stdout.ends_with(" checked, 0 failed\n"),
            "{}",
            told.stdout
        );
    }
}

#[test]
fn what_it_would_do_at_the_end_of_the_process_is_not_done() {
    for at_end in [
        "abort()",
        "*(volatile int*)8=1",
        "for(;;)pause()",
        "exit(3)",
    ] {
        for defined in [
            &[
                "BODY=problem->choose(problem,0,1.0);printf(\"kept\")",
                &*format!("AT_END={at_end}"),
            ][..],
            &["BODY=problem->choose(problem,0,1.0);printf(\"kept\");atexit(abort)"],
        ] {
            let folder = Folder::new();
            if c_runs(&folder.path(""), &[defined, &[LEVELS]].concat()).is_none() {
                return;
            }
            let script = "timeout 60 \"$passel\" select data.csv --response y --method c-run --format json \
                          --plugins libruns.so";
            let ran = ran(folder.shell(script));
            // What it had not flushed is there, too.
            let told = (ran.code, ran.stderr.as_str());
            assert_eq!(told, (Some(0), "kept"), "{at_end}");
            let report: Value = serde_json::from_str(&ran.stdout).unwrap();
            assert_eq!(report["k"], 1);
        }
    }
}

#[test]
fn an_installed_library_that_ends_each_process_is_told_with_what_removes_it() {
    let folder = Folder::new();
    if built(&folder.path(""), "tests/plugins/harm.c", "harm", &[]).is_none() {
        return;
    }
    let installed = folder.run(&["plugins", "install", "libharm.so"]);
    assert_eq!(installed.code, Some(0), "{}", installed.stderr);
    let library = installed.stdout.trim_end().rsplit_once(" as ").unwrap().1;
    let select = ["select", "data.csv", "--response", "y", "--method", "mrmr"];
    let ends = "ended this process (SIGABRT)";
    let hangs = "a call of it did not return within 0.3 s after its time was over";
    let of = |what: &str, arguments: &[&str]| {
        let mut command = folder.passel(arguments);
        command.env("HARM", what).env("PASSEL_GRACE", "0.3");
        ran(command)
    };
    for arguments in [&["plugins"][..], &["methods"], &["criteria"], &select] {
        for (what, told) in [("entry abort", ends), ("entry loop", hangs)] {
            let ran = of(what, arguments);
            assert!(
                ran.code != Some(0) && ran.stdout.is_empty(),
                "{arguments:?}"
            );
            let named = format!(
                "error: plugin harm, installed as {library} (`passel plugins remove harm` removes it): "
            );
            let error = ran.stderr.lines().next_back().unwrap_or_default();
            assert!(
                error.starts_with(&named) && error.contains(told),
                "{arguments:?}, {what}: {}",
                ran.stderr
            );
        }
    }
    // By hand in a folder it has a path, and is not for `passel` to remove.
    let mut command = folder.passel(&select);
    command
        .env("HARM", "entry abort")
        .env("PASSEL_PLUGIN_PATH", folder.path(""));
    let told = ran(command).stderr;
    let named = format!(
        "error: plugin harm of {}: it ",
        folder.path("libharm.so").display()
    );
    assert!(told.contains(&named), "{told}");
    assert_eq!(
        of("entry loop", &["plugins", "remove", "harm"]).code,
        Some(0)
    );
    assert_eq!(of("entry loop", &select).code, Some(0));
}
