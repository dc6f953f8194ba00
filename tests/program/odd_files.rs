//! Files as people have them: each is either read for what it is, or refused with one clear error
//! that names the mend.

use crate::support::{Folder, ran};

/// The data that every file writes in its own way: y is 2·a but for small noise.
const ROWS: [(&str, [f64; 3]); 8] = [
    ("Aigle", [2.1, 1.0, 5.5]),
    ("Bex", [3.9, 2.0, 1.25]),
    ("Cully", [6.2, 3.0, 4.75]),
    ("Delemont", [7.9, 4.0, 2.5]),
    ("Echallens", [10.1, 5.0, 6.0]),
    ("Fribourg", [11.8, 6.0, 3.5]),
    ("Geneve", [14.2, 7.0, 0.5]),
    ("Herens", [15.9, 8.0, 4.25]),
];

/// The rows with a header, fields separated by this text, with labels or without.
fn written(separator: &str, label: Option<&str>, header: &str) -> String {
    let mut text = format!("{}\n", header.replace(',', separator));
    for (name, [y, a, b]) in ROWS {
        if let Some(quote) = label {
            text += &format!("{quote}{name}{quote}{separator}");
        }
        text += &format!("{y}{separator}{a}{separator}{b}\n");
    }
    text
}

pub fn plain() -> String {
    written(",", None, "y,a,b")
}

fn utf16(text: &str) -> Vec<u8> {
    let marked = format!("\u{feff}{text}");
    marked.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// A file or a mistake: its name, what it holds, the arguments besides its name and the response, and
/// what is told: `Ok` of a warning in the report (none where it is empty), `Err` of the one error.
pub type Odd = (
    &'static str,
    Vec<u8>,
    &'static [&'static str],
    Result<&'static str, &'static [&'static str]>,
);

/// Runs `select` on each file, in a folder of its own.
pub fn check(all: Vec<Odd>) {
    for (name, content, arguments, answer) in all {
        let folder = Folder::new();
        std::fs::write(folder.path(name), content).unwrap();
        let mut command = vec!["select", name, "--response", "y"];
        command.extend(arguments);
        let ran = folder.run(&command);
        match answer {
            Err(told) => {
                assert_eq!(
                    (ran.code, &*ran.stdout),
                    (Some(2), ""),
                    "{name}: {}",
                    ran.stderr
                );
                let errors = ran.stderr.matches("error: ").count();
                assert_eq!(errors, 1, "{name}: {}", ran.stderr);
                for part in told {
                    assert!(
                        ran.stderr.contains(part),
                        "{name}: no {part:?} in {}",
                        ran.stderr
                    );
                }
                assert!(!ran.stderr.contains("panic"), "{name}: {}", ran.stderr);
            }
            Ok(told) => {
                assert_eq!(ran.code, Some(0), "{name}: {}", ran.stderr);
                assert!(
                    ran.stdout.contains(told),
                    "{name}: no {told:?} in {}",
                    ran.stdout
                );
                // Whatever the writing, a explains y.
                let chosen = ran
                    .stdout
                    .lines()
                    .any(|line| line.trim_start().starts_with("a "));
                assert!(chosen, "{name}: {}", ran.stdout);
            }
        }
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn odd_files_are_read_for_what_they_are_or_refused() {
    let plain = plain();
    let semicolons = plain.replace(',', ";");
    let european = semicolons.replace('.', ",");
    let all: Vec<Odd> = vec![
        // Separators and decimal marks.
        (
            "semicolons.csv",
            semicolons.clone().into(),
            &[],
            Ok("`;` between columns"),
        ),
        (
            "european.csv",
            european.clone().into(),
            &[],
            Ok("`,` before decimals"),
        ),
        (
            "european_said.csv",
            european.clone().into(),
            &["--separator", ";", "--decimal", ","],
            Ok(""),
        ),
        (
            "tabs.csv",
            plain.replace(',', "\t").into(),
            &[],
            Ok("tabs between columns"),
        ),
        ("tabs.tsv", plain.replace(',', "\t").into(), &[], Ok("")),
        (
            "bars.csv",
            plain.replace(',', "|").into(),
            &["--separator", "bar"],
            Ok(""),
        ),
        (
            "excel.csv",
            format!("sep=;\r\n{european}").into(),
            &[],
            Ok("`,` before decimals"),
        ),
        ("spaces.txt", plain.replace(',', "   ").into(), &[], Ok("")),
        ("commas.txt", plain.clone().into(), &[], Ok("")),
        (
            "ambiguous.csv",
            b"y,a;b,c\n1,2;3,4\n2,3;4,5\n3,4;5,7\n".to_vec(),
            &[],
            Err(&["`,` (3 columns", "`;` (2 columns", "--separator ';'"]),
        ),
        (
            "thousands.csv",
            b"y;a\n1,234;5\n2,500;6\n4,125;8\n".to_vec(),
            &[],
            Err(&["1.234", "1234", "--decimal ,"]),
        ),
        (
            "both_commas.csv",
            plain.clone().into(),
            &["--separator", ",", "--decimal", ","],
            Err(&["separator and decimal"]),
        ),
        (
            "wrong_separator.csv",
            plain.clone().into(),
            &["--separator", "::"],
            Err(&["one character"]),
        ),
        // Names of rows.
        (
            "write_csv.csv",
            written(",", Some("\""), "\"\",y,a,b").into(),
            &[],
            Ok("labels the observations"),
        ),
        (
            "write_table.txt",
            written(" ", Some("\""), "y,a,b").into(),
            &[],
            Ok("one name fewer"),
        ),
        (
            "pandas.csv",
            written(",", Some(""), ",y,a,b").into(),
            &[],
            Ok("labels the observations"),
        ),
        (
            "trailing.csv",
            plain.replace('\n', ",\n").replacen(",\n", "\n", 1).into(),
            &[],
            Err(&["each row ends with `,`"]),
        ),
        // Encodings.
        ("utf16.csv", utf16(&plain), &[], Ok("")),
        (
            "bom.csv",
            format!("\u{feff}{plain}").replace('\n', "\r\n").into(),
            &[],
            Ok(""),
        ),
        (
            "latin1.csv",
            [
                b"y,a,b,\xe9t\xe9\n".to_vec(),
                plain.replace('\n', ",1\n").split_off(8).into_bytes(),
            ]
            .concat(),
            &[],
            Err(&["line 1, column 4", "--encoding latin1"]),
        ),
        (
            "latin1_said.csv",
            [
                b"y,a,b,\xe9t\xe9\n".to_vec(),
                plain.replace('\n', ",1\n").split_off(8).into_bytes(),
            ]
            .concat(),
            &["--encoding", "latin1"],
            Ok(""),
        ),
        (
            "no_mark.csv",
            utf16(&plain).split_off(2),
            &[],
            Err(&["--encoding utf-16"]),
        ),
    ];
    assert!(all.len() >= 20, "{} files", all.len());
    check(all);
}

#[test]
fn standard_input_is_read_by_its_content() {
    let folder = Folder::new();
    folder.write("d.csv", &plain());
    folder.write(
        "d.svm",
        "2.1 1:1 2:5\n3.9 1:2 2:1\n6.2 1:3 2:4\n7.9 1:4 2:2\n10.1 1:5 2:7\n",
    );
    let weka = "% a comment\n@relation r\n@attribute a numeric\n@attribute y numeric\n@data\n1,2.1\n2,3.9\n3,6.2\n4,7.9\n";
    folder.write("d.arff", weka);
    for (script, chosen) in [
        ("\"$passel\" select - --response y < d.csv", "a "),
        ("gzip -c d.csv | \"$passel\" select - --response y", "a "),
        (
            "tr , ';' < d.csv | tr . , | \"$passel\" select - --response y",
            "a ",
        ),
        ("\"$passel\" select - < d.svm", "f1 "),
        ("\"$passel\" select - < d.arff", "a "),
    ] {
        let ran = ran(folder.shell(script));
        assert_eq!(ran.code, Some(0), "{script}: {}", ran.stderr);
        let found = ran
            .stdout
            .lines()
            .any(|line| line.trim_start().starts_with(chosen));
        assert!(found, "{script}: {}", ran.stdout);
    }
    let ran = ran(folder.shell("printf '' | \"$passel\" select - --response y"));
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("standard input: empty"),
        "{}",
        ran.stderr
    );
}

#[test]
fn pages_name_observations_by_their_labels() {
    let folder = Folder::new();
    folder.write("d.csv", &written(",", Some("\""), "\"\",y,a,b"));
    let page = folder.run(&["select", "d.csv", "--response", "y", "--format", "html"]);
    assert_eq!(page.code, Some(0), "{}", page.stderr);
    for (name, _) in ROWS {
        let told = format!("observation {name}");
        assert!(page.stdout.contains(&told), "{told}");
    }
}

#[test]
fn a_job_file_has_the_same_options() {
    let folder = Folder::new();
    folder.write(
        "d.csv",
        &plain()
            .replace(',', "~")
            .replace('.', ",")
            .replace("1,25", "-999"),
    );
    folder.write(
        "jobs.toml",
        "[[job]]\ndata = \"d.csv\"\nresponse = \"y\"\nseparator = \"~\"\ndecimal = \",\"\n\
         na = [\"-999\", \"#N/A\"]\nmissing = \"drop-rows\"\n",
    );
    let ran = folder.run(&["run", "jobs.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let report = folder.read("jobs-results/d.json");
    assert!(report.contains("1 of 8 rows was dropped"), "{report}");
}
