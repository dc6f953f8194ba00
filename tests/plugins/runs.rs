//! A selector in C that runs, and all that it may not do.

use serde_json::Value;

use super::{
    c_runs,
    program::{Folder, Ran},
};

/// Columns y, a, b, c, d, in this order of the file; the method is compiled with these
/// definitions. None where there is no compiler.
fn run(folder: &Folder, defined: &[&str], more: &[&str]) -> Option<Ran> {
    let library = c_runs(&folder.path(""), defined)?;
    let library = library.display().to_string();
    let select = ["select", "data.csv", "--response", "y", "--method", "c-run"];
    let rest = ["--format", "json", "--plugins", &library];
    Some(folder.run(&[&select[..], &rest, more].concat()))
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap()
}

fn names(report: &Value) -> Vec<&str> {
    let selected = report["selected"].as_array().unwrap();
    selected
        .iter()
        .map(|variable| variable["name"].as_str().unwrap())
        .collect()
}

const LEVELS: &str = "OVER=PASSEL_OVER_LEVELS";
const REGRESSION: &str = "OVER=PASSEL_OVER_REGRESSION";

#[test]
fn what_it_chooses_is_reported() {
    let folder = Folder::new();
    let body = "BODY=problem->choose(problem,2,5.0);problem->choose(problem,0,4.0)";
    let Some(levels) = run(&folder, &[LEVELS, body], &[]) else {
        return;
    };
    assert_eq!((levels.code, levels.stderr.as_str()), (Some(0), ""));
    let report = json(&levels);
    assert_eq!(names(&report), ["c", "a"]);
    assert_eq!(report["selected"][0]["score"], 5.0);
    assert_eq!(report["method"]["name"], "c-run");
    assert_eq!(report["method"]["plugin"], "runs");
    assert_eq!(report["termination"], "done");
    let regression = run(&folder, &[REGRESSION, body], &["--max-size", "2"]).unwrap();
    assert_eq!((regression.code, regression.stderr.as_str()), (Some(0), ""));
    let report = json(&regression);
    assert_eq!(names(&report), ["a", "c"]);
    assert_eq!(report["method"]["plugin"], "runs");
    assert_eq!(report["termination"], "done");
    // Nothing is a choice too.
    for over in [LEVELS, REGRESSION] {
        let nothing = run(&folder, &[over], &[]).unwrap();
        assert_eq!((nothing.code, nothing.stderr.as_str()), (Some(0), ""));
        assert_eq!(json(&nothing)["k"], 0);
    }
}

#[test]
fn every_misuse_is_one_error_with_method_and_plugin() {
    let folder = Folder::new();
    let both = [LEVELS, REGRESSION];
    let levels = [LEVELS, ""];
    let regression = [REGRESSION, ""];
    for (over, body, told) in [
        (
            both,
            "problem->choose(problem,4,1.0)",
            "it named column 4 of 4",
        ),
        (
            both,
            "problem->choose(problem,SIZE_MAX,1.0)",
            "it named column 18446744073709551615 of 4",
        ),
        (
            both,
            "problem->choose(problem,0,0.0/0.0)",
            "its score of column 0 is NaN",
        ),
        (
            both,
            "problem->choose(problem,0,INFINITY)",
            "its score of column 0 is inf",
        ),
        (
            both,
            "problem->numbers(problem,5,numbers)",
            "it named column 5 of 4",
        ),
        (
            both,
            "problem->numbers(problem,0,0)",
            "it handed over a null pointer, not room for numbers",
        ),
        (
            levels,
            "problem->codes(problem,5,codes,&levels)",
            "it named column 5 of 4",
        ),
        (
            levels,
            "problem->codes(problem,0,0,&levels)",
            "it handed over a null pointer, not room for codes",
        ),
        (
            levels,
            "problem->codes(problem,0,codes,0)",
            "it handed over a null pointer, not room for levels",
        ),
        (
            levels,
            "problem->sweep(problem,numbers,1,1,columns,products)",
            "it asked for sweeps, which a problem over levels does not have",
        ),
        (
            levels,
            "problem->fit(problem,columns,1,numbers,&number)",
            "it asked for fits, which a problem over levels does not have",
        ),
        (
            regression,
            "problem->codes(problem,0,codes,&levels)",
            "it asked for codes, which a regression does not have",
        ),
        (
            regression,
            "problem->sweep(problem,numbers,1,5,columns,products)",
            "it asked for the 5 strongest of 4 candidates",
        ),
        (
            regression,
            "problem->sweep(problem,numbers,SIZE_MAX/2,1,columns,products)",
            "it handed over anchors that no memory can hold",
        ),
        (
            regression,
            "problem->sweep(problem,0,1,1,columns,products)",
            "it handed over a null pointer, not anchors",
        ),
        (
            regression,
            "problem->sweep(problem,numbers,1,1,0,products)",
            "it handed over a null pointer, not room for columns",
        ),
        (
            regression,
            "problem->sweep(problem,numbers,1,1,columns,0)",
            "it handed over a null pointer, not room for products",
        ),
        (
            regression,
            "numbers[problem->n+1]=0.0/0.0;problem->sweep(problem,numbers,2,1,columns,products)",
            "its anchor 1 holds NaN",
        ),
        (
            regression,
            "numbers[0]=-INFINITY;problem->sweep(problem,numbers,1,1,columns,products)",
            "its anchor 0 holds -inf",
        ),
        (
            regression,
            "columns[1]=4;problem->fit(problem,columns,2,0,&number)",
            "it named column 4 of 4",
        ),
        (
            regression,
            "columns[1]=0;problem->fit(problem,columns,2,0,&number)",
            "it chose column 0 twice",
        ),
        (
            regression,
            "problem->fit(problem,columns,SIZE_MAX,0,&number)",
            "it chose more than 4 variables",
        ),
        (
            regression,
            "problem->fit(problem,0,1,0,&number)",
            "it handed over a null pointer, not columns",
        ),
        (
            both,
            "problem->each(problem,3,0,0)",
            "it handed over a null pointer, not work",
        ),
        (
            both,
            "problem->random(problem,0,0,3)",
            "it handed over a null pointer, not room for words",
        ),
        (both, "return 3", "it returned 3 and did not say why"),
        (
            both,
            "snprintf(error,error_size,\"%s\",\"no\\nway\");return 1",
            "no way",
        ),
    ] {
        for over in over.into_iter().filter(|text| !text.is_empty()) {
            let body = format!("BODY={body}");
            let Some(ran) = run(&folder, &[over, &body], &["--output", "o.json"]) else {
                return;
            };
            let expected = format!("error: method `c-run` of plugin `runs` failed: {told}\n");
            assert_eq!((ran.code, ran.stderr), (Some(1), expected), "{over} {body}");
            // Nothing was chosen: nothing is reported.
            assert_eq!(ran.stdout, "");
            assert!(!folder.path("o.json").exists(), "{over} {body}");
        }
    }
}

#[test]
fn what_was_chosen_before_a_fault_is_reported() {
    let folder = Folder::new();
    for over in [LEVELS, REGRESSION] {
        for (body, more, told) in [
            (
                "problem->choose(problem,0,2.0)",
                &[][..],
                "it chose column 0 twice",
            ),
            ("return 1", &[], "it returned 1 and did not say why"),
            // What it heeds or not, the first misuse is told.
            (
                "problem->choose(problem,9,2.0);problem->choose(problem,8,2.0);return 5",
                &[],
                "it named column 9 of 4",
            ),
        ] {
            let body = format!("BODY=problem->choose(problem,0,2.0);{body}");
            let Some(ran) = run(&folder, &[over, &body], more) else {
                return;
            };
            let expected = format!("error: method `c-run` of plugin `runs` failed: {told}\n");
            assert_eq!(
                (ran.code, ran.stderr.as_str()),
                (Some(1), &*expected),
                "{body}"
            );
            let report = json(&ran);
            assert_eq!(
                (names(&report), &report["termination"]),
                (vec!["a"], &"fault".into())
            );
            let warned = format!("what was chosen before the selector failed: {told}");
            let warnings = report["warnings"].as_array().unwrap();
            assert!(warnings.contains(&warned.into()), "{warnings:?}");
        }
    }
    let three = "BODY=for(int i=0;i<3;i++)problem->choose(problem,i,1.0)";
    let told = "error: method `c-run` of plugin `runs` failed: it chose more than 2 variables\n";
    for (over, more) in [(LEVELS, ["--top", "2"]), (REGRESSION, ["--max-size", "2"])] {
        let ran = run(&folder, &[over, three], &more).unwrap();
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), told));
        assert_eq!(names(&json(&ran)), ["a", "b"]);
    }
    // Those kept are in the model anyway, and may be chosen as well.
    let all = "BODY=for(int i=0;i<4;i++)problem->choose(problem,i,1.0)";
    let kept = ["--keep", "b,c", "--max-size", "3"];
    let ran = run(&folder, &[REGRESSION, all], &kept).unwrap();
    let told = told.replace('2', "1");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), &*told));
    assert_eq!(names(&json(&ran)), ["a", "b", "c"]);
    let ran = run(&folder, &[REGRESSION, three], &kept).unwrap();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert_eq!(names(&json(&ran)), ["a", "b", "c"]);
}

#[test]
fn a_collinear_choice_is_left_out_and_said_so() {
    let folder = Folder::new();
    let rows = folder.read("data.csv");
    let rows = rows.lines().enumerate().map(|(at, row)| {
        let numbers: Vec<f64> = row
            .split(',')
            .filter_map(|field| field.parse().ok())
            .collect();
        match at {
            0 => "y,a,b,c,d\n".to_owned(),
            // d is a − 2b.
            _ => format!(
                "{},{},{},{},{}\n",
                numbers[0],
                numbers[1],
                numbers[2],
                numbers[3],
                numbers[1] - 2.0 * numbers[2]
            ),
        }
    });
    folder.write("data.csv", &rows.collect::<String>());
    let all = "BODY=for(int i=0;i<4;i++)problem->choose(problem,3-i,1.0)";
    let Some(ran) = run(&folder, &[REGRESSION, all], &[]) else {
        return;
    };
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let report = json(&ran);
    // a comes last.
    assert_eq!(names(&report), ["b", "c", "d"]);
    let told = "a was chosen and is left out: it is collinear with those chosen before it";
    let warnings = report["warnings"].as_array().unwrap();
    assert!(warnings.contains(&told.into()), "{warnings:?}");
}

#[test]
fn a_selector_is_refused_at_load_where_it_cannot_run() {
    let folder = Folder::new();
    let place = "selector 1 (c-run): ";
    for (defined, told) in [
        ("RUN=0", "it has neither declare nor run"),
        (
            "DECLARE=(int32_t(*)(const passel_selector*,const double*,passel_score*,char*,\
             size_t))run",
            "it has both declare and run; one of them is to be null",
        ),
        ("OVER=2", "over is 2, which means nothing"),
        ("OVER=UINT32_MAX", "over is 4294967295, which means nothing"),
    ] {
        let Some(ran) = run(&folder, &[defined], &[]) else {
            return;
        };
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
        assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains("libruns"));
        assert!(
            ran.stderr.ends_with(&format!(": {place}{told}\n")),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn what_the_engine_lends_says_how_large_it_is() {
    let folder = Folder::new();
    let body = "BODY=if(problem->size!=sizeof(passel_problem)||problem->n!=60||problem->p!=4)\
                return 2;problem->each(problem,0,none,0);problem->choose(problem,0,1.0)";
    for over in [LEVELS, REGRESSION] {
        let Some(ran) = run(&folder, &[over, body], &[]) else {
            return;
        };
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    }
}
