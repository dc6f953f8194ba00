//! Any table written in any way, and any bytes at all.

use proptest::prelude::*;

use super::*;

/// A value and a way to write it.
fn any_cell() -> impl Strategy<Value = (Option<f64>, String)> {
    let number = prop_oneof![
        any::<f64>().prop_filter("finite", |value| value.is_finite()),
        Just(-0.0),
        Just(f64::MIN_POSITIVE / 3.0),
        Just(f64::MAX),
        (-1000..1000).prop_map(f64::from),
    ];
    let spelling = prop_oneof![Just("{}"), Just("{:e}"), Just(" {} ")];
    prop_oneof![
        8 => (number, spelling).prop_map(|(value, spelling)| {
            let text = match spelling {
                "{:e}" => format!("{value:e}"),
                " {} " => format!(" {value} "),
                _ => value.to_string(),
            };
            (Some(value), text)
        }),
        1 => prop::sample::select(vec!["", "NA", "N/A", "NULL", "null", "NaN", "nan", " "])
            .prop_map(|text| (None, text.to_owned())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_table_reads_back_bit_for_bit(
        cells in (2_usize..9).prop_flat_map(|width| {
            prop::collection::vec(prop::collection::vec(any_cell(), width), 1..20)
        }),
        quoted in prop::collection::vec(any::<bool>(), 7),
        crlf in any::<bool>(),
        last_line_end in any::<bool>(),
        tabs in any::<bool>(),
    ) {
        let width = cells[0].len();
        let end = if crlf { "\r\n" } else { "\n" };
        let delimiter = if tabs { "\t" } else { "," };
        let header: Vec<String> = (0..width).map(|column| format!("v{column}")).collect();
        // Written bare the quick reader takes it; with one quote the general one does.
        let written = |quoted: &[bool]| {
            let mut lines = vec![header.join(delimiter)];
            for (row, cells) in cells.iter().enumerate() {
                let cells: Vec<String> = cells.iter().enumerate().map(|(column, (_, text))| {
                    match quoted[(row * width + column) % quoted.len()] {
                        true => format!("\"{text}\""),
                        false => text.clone(),
                    }
                }).collect();
                lines.push(cells.join(delimiter));
            }
            let last = if last_line_end { end } else { "" };
            lines.join(end) + last
        };
        let name = if tabs { "t.tsv" } else { "t.csv" };
        for quoted in [&[false][..], &quoted, &[true]] {
            let table = read_as(name, written(quoted)).expect("good");
            prop_assert_eq!(table.rows, cells.len());
            prop_assert_eq!(table.columns.len(), width);
            for (position, column) in table.columns.iter().enumerate() {
                let expected: Vec<Option<u64>> =
                    cells.iter().map(|row| row[position].0.map(f64::to_bits)).collect();
                prop_assert_eq!(bits(column), expected);
            }
        }
    }

    #[test]
    fn no_bytes_make_a_panic(
        bytes in prop::collection::vec(prop::sample::select(b"01.-e,\n\r\"\t #*aN\xff".to_vec()), 0..60),
    ) {
        for name in ["t.csv", "t.tsv", "t.dat", "t.arff", "t.svm", "t.mrmr"] {
            let _ = read_as(name, &bytes);
            let _ = read_as(name, [b"# passel truth ", &bytes[..]].concat());
        }
    }

    #[test]
    fn no_bytes_of_weka_or_libsvm_make_a_panic(
        bytes in prop::collection::vec(
            prop::sample::select("01:-,\n\r\"'\\{}%?\t @é#".chars().collect::<Vec<char>>()),
            0..40,
        ),
    ) {
        let text: String = bytes.into_iter().collect();
        for header in ["@attribute a", "@attribute a {0,1", "@attribute a {0}\n@attribute b real\n@data\n"] {
            let _ = read_as("t.arff", format!("{header}{text}"));
            let _ = read_as("t.arff", format!("{header}{text}\n@data\n{text}"));
        }
        let _ = read_as("t.svm", format!("1 {text}"));
    }
}

/// Lines, line ends and blank lines fall on every place of the quick reader's window, and the
/// general reader reads the same.
#[test]
fn rows_across_the_edges_of_the_window() {
    for width in [2, 3, 9] {
        let row = |row: usize| -> Vec<String> {
            (0..width)
                .map(|column| format!("{}", (row * width + column) as f64 / 7.0))
                .collect()
        };
        let rows = 40_000;
        let header: Vec<String> = (0..width).map(|column| format!("v{column}")).collect();
        let mut content = header.join(",") + "\n";
        for position in 0..rows {
            content += &row(position).join(",");
            content += if position % 1000 == 0 {
                "\r\n\r\n"
            } else {
                "\n"
            };
        }
        let quick = csv(&content).expect("good");
        let general = csv(content
            .replacen("v0", "\"v0\"", 1)
            .replacen("\n0,", "\n\"0\",", 1));
        assert_eq!(quick.columns, general.expect("good").columns);
        assert_eq!(quick.rows, rows);
        content += "1,x";
        let line = 1 + rows + rows / 1000 + 1;
        if width == 2 {
            assert_told(
                csv(content),
                &[&format!("line {line}, row {}", rows + 1), "`v1`"],
            );
        }
    }
}

#[test]
fn a_relative_path_is_told_as_given() {
    assert!(matches!(
        read(Path::new("no/such/file.csv"), &ReadOptions::default()),
        Err(TableError::NotFound { path, .. }) if path == "no/such/file.csv"
    ));
}
