//! Parquet by the command line: with the feature, and without it.

use crate::support::Folder;

const SELECT: [&str; 6] = [
    "select",
    "data.csv",
    "--response",
    "y",
    "--format",
    "parquet",
];

#[cfg(not(feature = "parquet"))]
#[test]
fn without_the_feature_it_is_named() {
    let folder = Folder::new();
    folder.write("t.parquet", "PAR1");
    for (arguments, told) in [
        (
            &["select", "t.parquet", "--response", "y"][..],
            "t.parquet: ",
        ),
        (
            &[&SELECT[..], &["--output", "o.parquet"]].concat(),
            "format = parquet: ",
        ),
    ] {
        let ran = folder.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
        assert!(
            ran.stderr.starts_with(&format!("error: {told}")),
            "{}",
            ran.stderr
        );
        for part in [
            "built without",
            "`cargo install --path . --features parquet`",
        ] {
            assert!(ran.stderr.contains(part), "{}", ran.stderr);
        }
    }
    assert_eq!(folder.names(), ["data.csv", "t.parquet"]);
}

#[cfg(feature = "parquet")]
mod built {
    use passel::table::{ReadOptions, Table, Values, read};

    use super::*;

    fn numbers<'a>(table: &'a Table, name: &str) -> &'a [f64] {
        match &table.columns[table.position(name).unwrap()].values {
            Values::Numbers(values) => values,
            _ => panic!("{name} is no column of numbers"),
        }
    }

    #[test]
    fn the_table_is_that_of_the_csv() {
        let folder = Folder::new();
        let table = |form: &str, criterion: &str| {
            let more = ["--criterion", criterion, "--keep", "b,c"];
            let name = format!("o.{form}");
            let to = ["--format", form, "--output", &name];
            let ran = folder.run(&[&SELECT[..4], &to, &more].concat());
            assert_eq!(
                (ran.code, ran.stdout.as_str()),
                (Some(0), ""),
                "{}",
                ran.stderr
            );
            read(&folder.path(&name), &ReadOptions::default()).unwrap()
        };
        let [parquet, _] = ["aic", "aic,bic"].map(|criterion| {
            let (csv, parquet) = (table("csv", criterion), table("parquet", criterion));
            assert!(parquet.rows >= 3);
            // Bit for bit: `{:?}` tells numbers apart, and takes NaN for NaN.
            assert_eq!(
                format!("{:?}", parquet.columns),
                format!("{:?}", csv.columns)
            );
            parquet
        });
        let index = numbers(&parquet, "index");
        assert!(index[0].is_nan() && index[1] >= 0.0, "{index:?}");
    }

    #[test]
    fn an_exact_fit_has_nulls_and_no_intercept_no_row() {
        let folder = Folder::new();
        folder.write("e.csv", "y,a,b\n2,1,0\n5,2,1\n9,3,3\n8,4,0\n11,5,1\n");
        let arguments = [
            "select",
            "e.csv",
            "--response",
            "y",
            "--no-intercept",
            "--format",
        ];
        let more = ["parquet", "--output", "o.parquet"];
        let ran = folder.run(&[&arguments[..], &more].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let table = read(&folder.path("o.parquet"), &ReadOptions::default()).unwrap();
        assert_eq!(numbers(&table, "index"), [0.0, 1.0]);
        assert!(numbers(&table, "upper").iter().all(|value| value.is_nan()));
        assert!((numbers(&table, "coefficient")[0] - 2.0).abs() < 1e-12);
    }

    #[test]
    fn a_run_has_its_tables_as_parquet_too() {
        let folder = Folder::new();
        let text = "[[job]]\ndata = 'data.csv'\nresponse = 'y'\ncriterion = ['bic', 'ebic']\n\
                    seed = [1, 2]\n[[job]]\nname = 'bad'\ndata = 'bad.csv'\nresponse = 'y'\n";
        folder.write("jobs.toml", text);
        folder.write("bad.csv", "y,a\n1,2,3\n");
        assert_eq!(folder.run(&["run", "jobs.toml"]).code, Some(1));
        let results = folder.path("jobs-results");
        let jobs = read(&results.join("jobs.parquet"), &ReadOptions::default()).unwrap();
        let csv = read(&results.join("jobs.csv"), &ReadOptions::default()).unwrap();
        assert_eq!((jobs.rows, jobs.columns.len()), (5, csv.columns.len()));
        let name = |column: &passel::table::Column| column.name.clone();
        assert!(
            jobs.columns
                .iter()
                .map(name)
                .eq(csv.columns.iter().map(name))
        );
        assert_eq!(numbers(&jobs, "n")[..4], [60.0; 4]);
        assert!(numbers(&jobs, "n")[4].is_nan());
        assert_eq!(
            numbers(&jobs, "criterion_value")[..4],
            numbers(&csv, "criterion_value")[..4]
        );
        let variables = read(&results.join("results.parquet"), &ReadOptions::default()).unwrap();
        assert_eq!(numbers(&variables, "coefficient").len(), variables.rows);
        assert!(variables.rows >= 4);
    }

    #[test]
    fn it_is_for_a_file() {
        let folder = Folder::new();
        let ran = folder.run(&SELECT);
        assert_eq!(
            (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
            (
                Some(2),
                "",
                "error: format = parquet needs a file: name it with output\n"
            )
        );
    }

    #[test]
    fn a_damaged_file_is_one_error_and_no_panic() {
        let folder = Folder::new();
        let whole = include_bytes!("../table/columns.parquet");
        for at in (0..whole.len()).step_by(7) {
            let mut bytes = whole.to_vec();
            bytes[at] ^= 0x5a;
            std::fs::write(folder.path("t.parquet"), bytes).unwrap();
            let arguments = [
                "select",
                "t.parquet",
                "--response",
                "y",
                "--missing",
                "drop-rows",
            ];
            let ran = folder.run(&arguments);
            assert_eq!(ran.code, Some(2), "{}", ran.stderr);
            assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
        }
    }
}
