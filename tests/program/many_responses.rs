//! Several responses of one load: each model is that of its response alone.

use serde_json::Value;

use crate::support::Folder;

pub(crate) const ROWS: u32 = 60;

/// The response columns y0, y1, y2 of sixty rows, y1 with values missing, and k, a constant.
fn responses(row: u32) -> [String; 4] {
    let mixed = f64::from(row * 37 % 61);
    let other = f64::from(row * row % 53);
    let [noise, more] = [f64::from(row * 29 % 23), f64::from(row * 17 % 19)];
    let y1 = match row {
        7 | 31 => String::new(),
        _ => format!("{}", other - 2.0 * mixed + 0.5 * more + 0.25),
    };
    let y0 = 3.0 * mixed + 0.3 * noise + 0.125;
    let y2 = mixed + other - 0.2 * noise + 0.1 * more;
    [y0.to_string(), y1, y2.to_string(), "4".to_owned()]
}

/// Candidates a to f, a factor, weights and counts.
pub(crate) fn candidates(row: u32) -> String {
    let (mixed, other) = (row * 37 % 61, row * row % 53);
    let level = ["u", "v", "w"][(row * 5 % 7 % 3) as usize];
    format!(
        "{mixed},{other},{},{},{},{},{level},{},{}",
        row * 11 % 47,
        row * 13 % 43,
        row * 19 % 41,
        row * row * row % 59,
        1 + row % 4,
        mixed * other / 300,
    )
}

/// `data.csv`, whose responses stand before, among and behind the candidates; the candidates alone in `x.csv`, the
/// responses in `y.csv`, and for each response `x-NAME.csv` with it behind the candidates.
pub(crate) fn folder() -> Folder {
    let folder = Folder::new();
    let x = "a,b,c,d,e,f,kind,weight,count";
    let names = ["y0", "y1", "y2", "k"];
    let mut data = format!("y0,{x},y1,g,y2,k\n");
    let (mut alone, mut all) = (format!("{x}\n"), names.join(",") + "\n");
    let mut each = names.map(|name| format!("{x},{name}\n"));
    for row in 0..ROWS {
        let (x, y) = (candidates(row), responses(row));
        data += &format!(
            "{},{x},{},{},{},{}\n",
            y[0],
            y[1],
            row * 23 % 37,
            y[2],
            y[3]
        );
        alone += &format!("{x}\n");
        all += &format!("{}\n", y.join(","));
        for (text, y) in each.iter_mut().zip(&y) {
            *text += &format!("{x},{y}\n");
        }
    }
    folder.write("data.csv", &data);
    folder.write("x.csv", &alone);
    folder.write("y.csv", &all);
    for (name, text) in names.iter().zip(each) {
        folder.write(&format!("x-{name}.csv"), &text);
    }
    folder
}

/// The report in JSON, with nothing that may differ from one run to the next.
fn json(folder: &Folder, arguments: &[&str], code: i32) -> Value {
    let small = ["--particles", "8", "--iterations", "12", "--format", "json"];
    let ran = folder.run(&[&["select"], arguments, &small].concat());
    assert_eq!(ran.code, Some(code), "{arguments:?}: {}", ran.stderr);
    let mut report: Value = serde_json::from_str(&ran.stdout).unwrap();
    forget(&mut report);
    report
}

fn forget(value: &mut Value) {
    match value {
        Value::Object(all) => {
            all.remove("elapsed_seconds");
            all.remove("data");
            all.values_mut().for_each(forget);
        }
        Value::Array(all) => all.iter_mut().for_each(forget),
        _ => {}
    }
}

/// What `--response` of several gives is what each alone gives where the others are dropped.
#[test]
fn each_model_is_that_of_its_response_alone() {
    let folder = folder();
    let cases: [&[&str]; 6] = [
        &["--missing", "drop-rows"],
        &[
            "--missing",
            "drop-rows",
            "--threads",
            "1",
            "--weights",
            "weight",
            "--keep",
            "c",
        ],
        &[
            "--missing",
            "drop-rows",
            "--criterion",
            "aic,bic",
            "--no-intercept",
        ],
        &[
            "--missing",
            "drop-rows",
            "--split",
            "--reference",
            "kind=v",
            "--offset",
            "d",
        ],
        &["--missing", "drop-rows", "--formula", "~ a + b * c + kind"],
        &[
            "--missing",
            "drop-rows",
            "--group",
            "pair=a,g",
            "--gain",
            "exact",
        ],
    ];
    for more in cases {
        let data = ["data.csv", "--drop", "k,count", "--response"];
        let all = json(&folder, &[&data[..], &["y0,y1,y2"], more].concat(), 0);
        for (at, (name, others)) in [("y0", "y1,y2"), ("y1", "y0,y2"), ("y2", "y0,y1")]
            .into_iter()
            .enumerate()
        {
            let drop = format!("k,count,{others}");
            let own = ["data.csv", "--drop", &drop, "--response", name];
            let own = json(&folder, &[&own[..], more].concat(), 0);
            let n = if name == "y1" { 58 } else { 60 };
            assert_eq!(own["n"], n);
            assert_eq!(all["responses"][at], own, "{name} {more:?}");
        }
    }
}

/// The same of a table of responses beside the data, and of another family.
#[test]
fn a_table_of_responses_is_as_a_column_of_each() {
    let folder = folder();
    for more in [
        &["--missing", "drop-rows"][..],
        &["--missing", "drop-rows", "--formula", "~ .^2"],
    ] {
        let all = ["x.csv", "--responses", "y.csv"];
        // One of them is constant.
        let all = json(&folder, &[&all[..], more].concat(), 1);
        for (at, name) in ["y0", "y1", "y2"].into_iter().enumerate() {
            let own = format!("x-{name}.csv");
            let own = json(&folder, &[&[&own, "--response", name], more].concat(), 0);
            assert_eq!(all["responses"][at], own, "{name} {more:?}");
        }
        assert_eq!(all["failed"][0]["response"], "k");
    }
    let counts = ["data.csv", "--family", "poisson", "--drop"];
    let all = [&counts[..], &["y0,y1,y2,k", "--response", "count,c"]].concat();
    let all = json(&folder, &all, 0);
    for (at, (name, other)) in [("count", "c"), ("c", "count")].into_iter().enumerate() {
        let drop = format!("y0,y1,y2,k,{other}");
        let own = [&counts[..], &[&drop, "--response", name]].concat();
        assert_eq!(all["responses"][at], json(&folder, &own, 0), "{name}");
    }
}

#[test]
fn a_response_that_fails_costs_the_others_nothing() {
    let folder = folder();
    let select = ["select", "data.csv", "--drop", "g", "--response", "y0,y1,k"];
    let ran = folder.run(&select);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    for told in ["no model of 2 of 3 responses", "y1: ", "k: the response"] {
        assert!(ran.stderr.contains(told), "{told} in {}", ran.stderr);
    }
    for told in [
        "models of 1 response; no model of 2\n",
        "\nresponse  has no model\ny1        data.csv",
        "\ny0\n──\n\ndata                 data.csv\nresponse             y0\n",
    ] {
        assert!(ran.stdout.contains(told), "{told} in {}", ran.stdout);
    }
    let none = folder.run(&["select", "data.csv", "--drop", "g", "--response", "y1,k"]);
    assert_eq!((none.code, &*none.stdout), (Some(2), ""), "{}", none.stderr);
    let told = "no model was selected of any response; of y1: data.csv";
    assert!(none.stderr.contains(told), "{}", none.stderr);
}

#[test]
fn errors_about_a_table_of_responses_name_it_and_drop_names_its_columns() {
    let folder = folder();
    let select = ["select", "x.csv", "--responses", "y.csv", "--drop"];
    let told = |file: &str, more: &[&str]| {
        let own = ["select", "x.csv", "--responses", file];
        folder.run(&[&own[..], more].concat()).stderr
    };
    let refused = folder.run(&[&select[..], &["k"]].concat());
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    let y1 = "no model of 1 of 3 responses: y1: y.csv: 2 missing values in 1 of 4 columns: `y1` 2 (first in row 8)";
    assert!(refused.stderr.contains(y1), "{}", refused.stderr);
    let by_formula = told("y.csv", &["--drop", "k", "--formula", "~ a"]);
    assert!(by_formula.contains(y1), "{by_formula}");
    let all = folder.run(&[&select[..], &["k,y1,kind"]].concat());
    assert_eq!(all.code, Some(0), "{}", all.stderr);
    assert!(all.stdout.contains("models of 2 responses"));

    let rows = |header: &str, row: fn(u32) -> String| {
        let rows: String = (0..ROWS).map(|own| row(own) + "\n").collect();
        folder.write("z.csv", &format!("{header}\n{rows}"));
    };
    rows("z0,plot", |row| format!("{},p{row}", row * 31 % 59));
    let identifier = told("z.csv", &[]);
    assert!(identifier.contains("--drop plot"), "{identifier}");
    assert_eq!(told("z.csv", &["--drop", "plot"]), "");
    rows("z0,soil", |row| {
        format!("{},{}", row * 31 % 59, ["u", "v"][(row % 2) as usize])
    });
    let text = told("z.csv", &[]);
    let mend = "z.csv: the column `soil` holds text (`u`), where the family gaussian takes numbers: leave it out with --drop soil";
    assert!(text.contains(mend), "{text}");
    rows("z0", |row| format!("{}", i64::from(row * 31 % 59) - 1));
    let negative = told("z.csv", &["--family", "poisson"]);
    assert!(
        negative.contains("z.csv: response `z0`: row 1: -1"),
        "{negative}"
    );
    rows("z0", |_| "NA".to_owned());
    let none = told("z.csv", &["--missing", "drop-rows"]);
    assert!(none.contains("z.csv: each of the 60 rows"), "{none}");
}

#[test]
fn tables_and_pages_have_a_column_of_the_response() {
    let folder = folder();
    let select = |more: &[&str]| {
        let all = [
            "select",
            "data.csv",
            "--drop",
            "k,y1",
            "--response",
            "y0,y2",
        ];
        let ran = folder.run(&[&all[..], more].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran.stdout
    };
    let csv = select(&["--format", "csv"]);
    assert!(csv.starts_with("response,name,"), "{csv}");
    for start in [
        "\ny0,(intercept),",
        "\ny0,a,",
        "\ny2,(intercept),",
        "\ny2,b,",
    ] {
        assert!(csv.contains(start), "{start} in {csv}");
    }
    let page = select(&["--format", "html"]);
    for told in ["2 responses in data.csv", "What responses share", "y0: "] {
        assert!(page.contains(told), "{told}");
    }
    if cfg!(feature = "parquet") {
        select(&["--format", "parquet", "--output", "out.parquet"]);
        let table = std::fs::read(folder.path("out.parquet")).unwrap();
        assert!(table.starts_with(b"PAR1"));
    }
}

#[test]
fn a_job_is_done_though_a_response_can_have_no_model() {
    let folder = folder();
    folder.write(
        "jobs.toml",
        "[defaults]\nparticles = 8\niterations = 12\n\
         [[job]]\nname = \"some\"\ndata = \"data.csv\"\nresponse = \"y0,k,y2\"\ndrop = \"y1\"\n\
         [[job]]\nname = \"none\"\ndata = \"data.csv\"\nresponse = \"k,y1\"\n",
    );
    let told = "some: no model of 1 of 3 responses: k: the response `k` is constant";
    // The other responses are not searched again.
    for summary in [
        "1 of 2 jobs done, 1 of them without a model of some responses, 1 failed",
        "1 of 2 jobs done, 1 of them before, 1 of them without a model",
    ] {
        let ran = folder.run(&["run", "jobs.toml"]);
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        assert!(ran.stdout.starts_with(summary), "{}", ran.stdout);
        assert!(
            ran.stderr.contains(&format!("warning: {told}")),
            "{}",
            ran.stderr
        );
    }
    let jobs = folder.read("jobs-results/jobs.csv");
    assert!(jobs.contains("no model of 1 of 3 responses: k"), "{jobs}");
    let page = folder.read("jobs-results/report.html");
    assert!(page.contains("some: no model of 1 of 3 responses"));
    let variables = folder.read("jobs-results/results.csv");
    assert!(
        variables.contains(",y0\n") && variables.contains(",y2\n"),
        "{variables}"
    );
}

#[test]
fn a_job_of_a_file_may_have_several_responses() {
    let folder = folder();
    folder.write(
        "jobs.toml",
        "[defaults]\nmissing = \"drop-rows\"\nparticles = 8\niterations = 12\n\
         [[job]]\nname = \"columns\"\ndata = \"data.csv\"\nresponse = \"y0,y2\"\ndrop = [\"k\", \"y1\"]\n\
         [[job]]\nname = \"table\"\ndata = \"x.csv\"\nresponses = \"z.csv\"\n",
    );
    let all = folder.read("y.csv");
    let three = all.lines().map(|line| line.rsplit_once(',').unwrap().0);
    folder.write("z.csv", &three.collect::<Vec<_>>().join("\n"));
    let ran = folder.run(&["run", "jobs.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for (job, count) in [("columns", 2), ("table", 3)] {
        let stored = folder.read(&format!("jobs-results/{job}.json"));
        let stored: Value = serde_json::from_str(&stored).unwrap();
        let reports = stored["result"]["responses"].as_array().unwrap();
        assert_eq!(reports.len(), count, "{job}");
        assert!(
            reports
                .iter()
                .all(|own| own.get("elapsed_seconds").is_none())
        );
    }
    let variables = folder.read("jobs-results/results.csv");
    for start in ["columns,", "table,"] {
        assert!(
            variables.lines().any(|line| line.starts_with(start)),
            "{variables}"
        );
    }
    // Another table of responses is other work.
    folder.write("z.csv", &folder.read("z.csv").replacen("0.125", "0.25", 1));
    let listed = folder.run(&["run", "jobs.toml", "--list"]).stdout;
    let line = |name: &str| {
        listed
            .lines()
            .find(|line| line.contains(name))
            .unwrap_or_default()
    };
    assert!(
        line("columns").contains("done") && !line("table").contains("done"),
        "{listed}"
    );
}
