//! `passel run --check` and `--list`: what they find out, and that they run no code that a job names.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};

use crate::support::{Folder, Ran};

#[track_caller]
fn assert_told(ran: &Ran, code: i32, told: &[&str]) {
    assert_eq!(ran.code, Some(code), "{ran:?}");
    let all = format!("{}{}", ran.stdout, ran.stderr);
    for text in told {
        assert!(all.contains(text), "no {text:?}: {all}");
    }
}

#[test]
fn no_library_that_a_job_names_is_loaded_to_look_at_jobs() {
    let folder = Folder::new();
    // Were it loaded, that would fail.
    let library = format!("{DLL_PREFIX}passel_fake{DLL_SUFFIX}");
    folder.write(&library, "no library");
    let jobs = |library: &str, more: &str| {
        format!(
            "[defaults]\nresponse = \"y\"\n\
             [[job]]\nname = \"own\"\ndata = \"data.csv\"\n\
             [[job]]\nname = \"others\"\ndata = \"data.csv\"\nmethod = \"fakery\"\n\
             plugins = [\"{library}\"]\n{more}"
        )
    };
    folder.write("jobs.toml", &jobs(&library, ""));
    let run = |more: &[&str]| folder.run(&[&["run", "jobs.toml"], more].concat());
    let told = ["no mistakes, 2 jobs", "1 of them ask", "--open loads"];
    assert_told(&run(&["--check"]), 0, &told);
    let told = ["missing", "unknown", "others", "2 jobs, 1 to do, 1 unknown"];
    assert_told(&run(&["--list"]), 0, &told);
    let listed = run(&["--list", "--only", "own"]);
    assert_told(&listed, 0, &["missing", "1 job, 1 to do\n"]);
    let listed = run(&["--list", "--only", "others"]);
    assert_told(&listed, 0, &["unknown", "1 job, 0 to do, 1 unknown\n"]);
    assert_told(&run(&["--list", "--only", "none"]), 2, &["matches no job"]);
    for more in [&["--check", "--open"][..], &["--list", "--open"], &[]] {
        assert_told(&run(more), 2, &[&library, "does not load it"]);
    }
    // What is wrong without loading it is told all the same.
    folder.write("jobs.toml", &jobs(&library, "keep = 3.5\ntop = 0\n"));
    assert_told(&run(&["--check"]), 2, &["top = 0", "1 mistake"]);
    folder.write("jobs.toml", &jobs("libpassel_none.so", ""));
    assert_told(
        &run(&["--check"]),
        2,
        &["libpassel_none.so", "cannot be read"],
    );
}

#[test]
fn headers_tell_whether_data_have_the_columns_that_jobs_name() {
    let folder = Folder::new();
    // Values are not looked at.
    folder.write("broken.csv", "y,a,b\n1,2\n");
    folder.write(
        "d.arff",
        "@relation r\n@attribute a numeric\n@attribute c {u,v}\n@data\n",
    );
    folder.write("d.dat", "set\n9 2\n");
    folder.write("d.libsvm", "1 1:2\n");
    folder.write("cut.npy", "no array");
    let job = |id: &str, data: &str, more: &str| {
        format!("[[job]]\nname = \"{id}\"\ndata = \"{data}\"\n{more}\n")
    };
    let good = [
        job(
            "g1",
            "broken.csv",
            "response = \"y\"\nkeep = [\"a\"]\ndrop = [\"b\"]",
        ),
        job(
            "g2",
            "data.csv",
            "response = \"y\"\nkeep = [\"a=level\"]\nweights = \"d\"",
        ),
        job("g3", "d.arff", "method = \"mim\"\ndrop = [\"a\"]"),
        job("g4", "d.dat", "keep = [\"x1\"]"),
        job("g5", "d.libsvm", "keep = [\"f7\"]"),
    ]
    .concat();
    let bad = [
        job("b1", "data.csv", "response = \"yy\""),
        job("b2", "data.csv", "response = \"y\"\nkeep = [\"aa\"]"),
        job(
            "b3",
            "data.csv",
            "response = \"y\"\nmethod = \"mim\"\ndrop = [\"e\"]",
        ),
        job("b4", "data.csv", "response = \"y\"\nweights = \"w\""),
        job("b5", "d.arff", "reference = [\"f=u\"]"),
        job("b6", "d.dat", "keep = [\"x2\"]"),
        job("b7", "cut.npy", "response = \"r.npy\""),
    ]
    .concat();
    folder.write("good.toml", &good);
    let ran = folder.run(&["run", "good.toml", "--check", "--open"]);
    assert_told(&ran, 0, &["good.toml: no mistakes, 5 jobs"]);
    folder.write("r.npy", "");
    folder.write("all.toml", &(good + &bad));
    assert_told(
        &folder.run(&["run", "all.toml", "--check"]),
        0,
        &["12 jobs"],
    );
    let ran = folder.run(&["run", "all.toml", "--check", "--open"]);
    let told = [
        "error: b1: --response names `yy`, which is no column of data.csv",
        "error: b2: --keep names `aa`",
        "error: b3: --drop names `e`",
        "error: b4: --weights names `w`",
        "error: b5: --reference names `f`",
        "error: b6: --keep names `x2`",
        "error: b7: cut.npy: not an .npy array",
        "7 of 12 jobs cannot be run on their data",
    ];
    assert_told(&ran, 2, &told);
    assert_eq!(ran.stderr.lines().count(), 7, "{}", ran.stderr);
    assert!(!folder.names().iter().any(|name| name.ends_with("-results")));
}
