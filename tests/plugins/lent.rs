//! What a procedure is lent beside columns: names, what is kept, measures of its own anchors, numbers for
//! the report; and parameters that are names or whole.

use super::{
    c_runs,
    program::{Folder, Ran},
};

const LEVELS: &str = "OVER=PASSEL_OVER_LEVELS";

/// y = x and w; v is x again.
const AND: &str = "x,w,v,y\n0,0,0,0\n0,1,0,0\n1,0,1,0\n1,1,1,1\n";

fn selected(folder: &Folder, more: &[&str]) -> Ran {
    let select = [
        "select",
        "and.csv",
        "--response",
        "y",
        "--plugins",
        "libruns.so",
        "--format",
        "json",
    ];
    folder.run(&[&select[..], more].concat())
}

fn made(defined: &[&str]) -> Option<Folder> {
    let folder = Folder::new();
    folder.write("and.csv", AND);
    c_runs(&folder.path(""), defined)?;
    Some(folder)
}

/// Names of all columns, and whether they are kept, to a file; then two numbers for the report.
const NAMES: &str = "BODY=FILE*to=fopen(\"told\",\"w\");char name[3];\
    for(column=0;column<=problem->p;column++){\
    problem->name(problem,column,name,sizeof name);\
    fprintf(to,\"%s %d\\n\",name,problem->kept(problem,column));}fclose(to);\
    problem->choose(problem,0,1.5);\
    problem->tell(problem,\"rounds\",7);problem->tell(problem,\"rounds\",8);\
    problem->tell(problem,\"far-out\",0.25)";

#[test]
fn names_and_what_is_kept_are_lent_and_numbers_go_into_the_report() {
    let Some(folder) = made(&[LEVELS, NAMES]) else {
        return;
    };
    let ran = selected(&folder, &["--method", "c-run"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert_eq!(folder.read("told"), "x 0\nw 0\nv 0\ny 0\n");
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let numbers = serde_json::json!({"rounds": 8.0, "far-out": 0.25});
    assert_eq!(json["numbers"], numbers);
    let ran = folder.run(&[
        "select",
        "and.csv",
        "--response",
        "y",
        "--plugins",
        "libruns.so",
        "--method",
        "c-run",
    ]);
    assert!(
        ran.stdout.contains("far-out = 0.25, rounds = 8"),
        "{}",
        ran.stdout
    );
    let page = folder.run(&[
        "select",
        "and.csv",
        "--response",
        "y",
        "--plugins",
        "libruns.so",
        "--method",
        "c-run",
        "--format",
        "html",
    ]);
    assert!(page.stdout.contains("far-out = 0.25, rounds = 8"));
    // Over a regression; names are cut to the room, between two letters.
    let Some(folder) = made(&[NAMES]) else { return };
    folder.write(
        "and.csv",
        "a\u{e4}\u{e4},w,long,y\n0,1,5,1\n1,3,2,0\n2,0,7,3\n4,1,1,1\n5,2,2,8\n9,3,4,2\n",
    );
    let ran = selected(&folder, &["--method", "c-run", "--keep", "w"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert_eq!(folder.read("told"), "a 0\nw 1\nlo 0\ny 0\n");
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["numbers"], numbers);
}

/// I((x,w);y) of every candidate with an anchor, as a text of six decimals each.
fn measure(anchor: &str, levels: usize) -> String {
    format!(
        "BODY=const passel_quantity joint={{{{1,0,0,-1,-1,0,0,1}},{{0,0,0,0,0,0,0,0}}}};\
         problem->codes(problem,1,codes,&levels);\
         int32_t done=problem->measure(problem,&joint,{anchor},{levels},products);\
         FILE*to=fopen(\"told\",\"w\");\
         fprintf(to,\"%d %.6f %.6f %.6f\",done,products[0],products[1],products[2]);fclose(to)"
    )
}

#[test]
fn own_anchors_are_measured_as_declared_scores_are() {
    for (anchor, levels, told) in [
        ("codes", 2, "0 0.562335 0.215762 0.562335"),
        ("0", 1, "0 0.215762 0.215762 0.215762"),
    ] {
        let body = measure(anchor, levels);
        let Some(folder) = made(&[LEVELS, &body]) else {
            return;
        };
        let ran = selected(&folder, &["--method", "c-run", "--binning", "levels"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        assert_eq!(folder.read("told"), told);
    }
}

#[test]
fn what_is_wrong_with_a_call_is_told() {
    let unbalanced = "BODY=const passel_quantity lone={{1,0,0,0,0,0,0,0},{0,0,0,0,0,0,0,0}};\
        problem->measure(problem,&lone,0,1,products)";
    for (defined, told) in [
        (
            &[LEVELS, &measure("codes", 0)][..],
            "code 1 of its anchor is above its 0 levels",
        ),
        (&[LEVELS, unbalanced], "a combination's integers sum to 1"),
        (
            &[
                "BODY=const passel_quantity own={{0},{0}};problem->measure(problem,&own,0,1,products)",
            ],
            "it asked for levels, which a regression does not have",
        ),
        (
            &["BODY=problem->tell(problem,\"n\",0.0/0.0)"],
            "it told n = NaN",
        ),
        (
            &["BODY=problem->tell(problem,\"Not one\",1)"],
            "the name `Not one` is not a small letter",
        ),
        (&["BODY=problem->tell(problem,0,1)"], "name is null"),
        (
            &["BODY=char name[9];problem->name(problem,9,name,9)"],
            "it named column 9 of 2",
        ),
    ] {
        let defined: Vec<&str> = defined.iter().map(|text| &**text).collect();
        let Some(folder) = made(&defined) else { return };
        let ran = selected(&folder, &["--method", "c-run"]);
        assert_eq!(ran.code, Some(1), "{told}: {}", ran.stderr);
        assert!(ran.stderr.contains(told), "{told}: {}", ran.stderr);
    }
}

#[test]
fn parameters_are_names_or_whole_and_are_checked_before_data_are_read() {
    let defined = [
        LEVELS,
        "PARAMETERS=two,2",
        "CHECK=check",
        "BODY=problem->choose(problem,0,values[0])",
    ];
    let Some(folder) = made(&defined) else { return };
    let ran = selected(&folder, &["--method", "c-run:kernel=gauss,rounds=4"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["method"]["kernel"], "gauss");
    assert_eq!(json["method"]["rounds"], 4.0);
    assert_eq!(json["selected"][0]["score"], 1.0);
    for (method, told) in [
        (
            "c-run:kernel=gaus",
            "kernel = gaus of method `c-run` is none of box, gauss; did you mean `gauss`?",
        ),
        (
            "c-run:kernel=1",
            "kernel = 1 of method `c-run` is none of box, gauss",
        ),
        (
            "c-run:rounds=2.5",
            "rounds = 2.5 of method `c-run` is no whole number",
        ),
        (
            "c-run:rounds=101",
            "rounds = 101 of method `c-run` lies outside 1 … 100",
        ),
        (
            "c-run:rounds=few",
            "rounds = few of method `c-run` is no number",
        ),
        (
            "c-run:kernel=gauss,rounds=3",
            "c-run wants even rounds by gauss",
        ),
    ] {
        let ran = folder.run(&[
            "select",
            "absent.csv",
            "--response",
            "y",
            "--plugins",
            "libruns.so",
            "--method",
            method,
        ]);
        assert_eq!(ran.code, Some(2), "{method}");
        assert!(ran.stderr.contains(told), "{method}: {}", ran.stderr);
        assert!(!ran.stderr.contains("absent.csv"), "{}", ran.stderr);
    }
    let ran = folder.run(&["methods", "--plugins", "libruns.so"]);
    assert!(
        ran.stdout
            .contains("parameter  kernel = box, of box, gauss: Which kernel"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout
            .contains("parameter  rounds = 20, a whole number, in 1 … 100: How often"),
        "{}",
        ran.stdout
    );
}

#[test]
fn parameters_that_contradict_themselves_are_refused_at_load() {
    for (defined, told) in [
        (&["KERNELS=0,2"][..], "choices is null"),
        (
            &["KERNELS=kernels,1"],
            "its 1 choices stand for 0 … 0, and it has 0 … 1",
        ),
        (&["ROUNDS=2.5,1,100"], "its default 2.5 is no whole number"),
        (&["WHOLE=2"], "whole is 2, which means nothing"),
    ] {
        let all = [&[LEVELS, "PARAMETERS=two,2"], defined].concat();
        let Some(folder) = made(&all) else { return };
        let ran = selected(&folder, &["--method", "c-run"]);
        assert_eq!(ran.code, Some(2), "{defined:?}");
        assert!(ran.stderr.contains(told), "{defined:?}: {}", ran.stderr);
    }
}
