//! What a file says of the model that made its response, and files written and read back.

use super::*;

use passel::table::OutputFormat;

/// The same rows for the quick reader and, with a quoted value, for the general one.
fn both(head: &str) -> [String; 2] {
    ["1,2,3\n", "\"1\",2,3\n"].map(|row| format!("{head}y,a,\"b,c\"\n{row}4,5,6\n"))
}

#[test]
fn head_lines_name_the_true_variables() {
    for (head, truth) in [
        ("", &[][..]),
        ("# passel simulate ar1 --seed 1\n", &[]),
        ("# passel truth a\n", &[1]),
        (
            "# passel simulate ar1 --seed 1\r\n# passel truth \"b,c\", a\r\n\r\n",
            &[1, 2],
        ),
        (
            "\u{feff}# passel truth a\n# passel truth \"b,c\",a\n",
            &[1, 2],
        ),
        ("# passel truth \"b,c\"\r", &[2]),
    ] {
        for content in both(head) {
            let plain = csv(&content).expect(&content);
            assert_eq!(plain.truth, truth, "{content:?}");
            assert_eq!(names(&plain), ["y", "a", "b,c"], "{content:?}");
            assert_numbers(&plain, 2, &[3.0, 6.0]);
            let packed = read_as("t.csv.gz", gzip(content.as_bytes())).expect("good");
            assert_eq!(packed.columns, plain.columns);
            assert_eq!(packed.truth, truth);
        }
    }
    let tabs = read_as("t.tsv", "# passel truth a,y\ny\ta\n1\t2\n").expect("good");
    assert_eq!((tabs.truth, tabs.response), (vec![0, 1], None));
}

#[test]
fn no_other_line_is_a_head_line() {
    for header in ["#CHROM,a", "# comment,a", "#passel truth,a", "# passel,a"] {
        let first = header.split(',').next().unwrap();
        for content in [
            format!("{header}\n1,2\n"),
            format!("# passel truth a\n{header}\n\"1\",2\n"),
        ] {
            assert_eq!(names(&csv(&content).expect(&content)), [first, "a"]);
        }
    }
    // Below the header it is a row like any other.
    assert_told(csv("a\n1\n# passel truth a\n"), &["line 3", "row 2"]);
}

#[test]
fn head_lines_longer_than_what_is_read_at_once() {
    let truth: Vec<String> = (0..30_000).map(|j| format!("x{j}")).collect();
    let row = vec!["7"; 30_000].join(",");
    let content = format!(
        "# passel truth {}\n{}\n{row}\n",
        truth.join(","),
        truth.join(",")
    );
    let table = csv(&content).expect("good");
    assert_eq!(table.truth, (0..30_000).collect::<Vec<_>>());
    // A line end on either side of every edge of what is read.
    for length in (1 << 16) - 2..(1 << 16) + 3 {
        let simulate = "# passel simulate ";
        let head = format!("{simulate}{}\r\n", "-".repeat(length - simulate.len()));
        let table = csv(format!("{head}y,a\n1,2\n3,x\n").replace('x', "4")).expect("good");
        assert_numbers(&table, 1, &[2.0, 4.0]);
    }
}

#[test]
fn lines_are_counted_from_the_top_of_the_file() {
    let head = "# passel simulate ar1\n# passel truth a\n";
    for (content, told) in [
        ("y,a\n1,2\n3,x\n", "line 5, row 2"),
        ("y,a\n1,2\n\n3\n", "line 6, row 2"),
        ("y,,a\n1,2,3\n", "line 3: column 2"),
        ("\ny,,a\n\"1\",2,3\n", "line 4: column 2"),
        ("y,a\n1,\"2\n", "line 4"),
    ] {
        assert_told(csv(format!("{head}{content}")), &[told]);
    }
    assert_told(csv(head), &["empty"]);
    assert_told(csv(format!("{head}y,a\n")), &["no observations"]);
}

#[test]
fn head_lines_that_say_nothing_right_are_refused() {
    for (line, told) in [
        (
            "# passel truth b",
            "the truth names `b`, which is no column",
        ),
        ("# passel truth height,wieght", "did you mean `weight`?"),
        ("# passel truth", "a name is empty"),
        ("# passel truth ", "a name is empty"),
        ("# passel truth height,", "a name is empty"),
        ("# passel truth \"height", "a double quote does not close"),
        ("# passel thruth height", "neither"),
    ] {
        for row in ["1,2,3", "\"1\",2,3"] {
            let content = format!("# passel simulate\n{line}\ny,height,weight\n{row}\n");
            assert_told(csv(content), &["t.csv", "line 2: ", told]);
        }
    }
    assert_told(
        csv(b"# passel truth \xff\na\n1\n"),
        &["line 1", "column 1", "UTF-8"],
    );
}

#[test]
fn marks_of_a_set_are_its_truth() {
    let set = |marks: &str| format!("# x\nset\n2 3\n* {marks}\n1 2 3 4\n5 6 7 9\n");
    assert_eq!(read_as("t.dat", set("1 0 1")).expect("good").truth, [1, 3]);
    assert!(
        read_as("t.dat", set("0 0 0"))
            .expect("good")
            .truth
            .is_empty()
    );
}

#[test]
fn what_is_written_reads_back_bit_for_bit() {
    let column = |name: &str, values: &[f64]| Column {
        name: name.to_owned(),
        values: Values::from(values.to_vec()),
    };
    let table = Table {
        source: String::new(),
        rows: 3,
        columns: vec![
            column("y", &[0.1, -1.0 / 3.0, 1e300]),
            column("x0", &[f64::MIN_POSITIVE / 8.0, 0.0, -0.0]),
            column("x1", &[2.0, NAN, 123_456_789.0]),
        ],
        response: Some(0),
        truth: vec![2],
        ..Table::default()
    };
    let folder = Folder::new();
    for name in [
        "t.csv", "t.tsv", "t.dat", "t.csv.gz", "t.tsv.gz", "t.dat.gz",
    ] {
        let path = folder.write(name, "");
        let file = fs::File::create(&path).expect("our own file");
        let form = OutputFormat::of(&path).expect("a form");
        form.write(&table, "simulate by hand", file).expect("room");
        let back = read(&path, &ReadOptions::default()).expect(name);
        assert_eq!(back.truth, table.truth);
        for (back, column) in back.columns.iter().zip(&table.columns) {
            assert_eq!((&back.name, bits(back)), (&column.name, bits(column)));
        }
    }
    let text = fs::read_to_string(folder.0.path().join("t.csv")).expect("text");
    let head = "# passel simulate by hand\n# passel truth x1\ny,x0,x1\n0.1,";
    assert!(text.starts_with(head), "{text}");
}

#[test]
fn names_and_levels_with_delimiters_are_written_quoted() {
    let mut table = csv("\"a,b\",f,y\n1,\"u,\"\"v\"\"\",2\n2,w,3\n3,NA,1\n").expect("good");
    table.truth = vec![0, 1];
    let folder = Folder::new();
    let path = folder.write("t.csv", "");
    let mut bytes = Vec::new();
    let form = OutputFormat::of(&path).expect("a form");
    form.write(&table, "simulate", &mut bytes).expect("room");
    let back = csv(&bytes).expect("good");
    assert_eq!(
        (back.columns, back.truth),
        (table.columns.clone(), vec![0, 1])
    );
    let form = OutputFormat::of(Path::new("t.dat")).expect("a form");
    let refused = form.write(&table, "simulate", &mut bytes);
    assert!(
        refused
            .expect_err("a factor")
            .to_string()
            .contains("factor")
    );
    for name in ["t.npy", "t.txt", "t", "t.npy.gz"] {
        let told = OutputFormat::of(Path::new(name))
            .expect_err(name)
            .to_string();
        assert!(told.contains(name) && told.contains(".csv, .tsv or .dat"));
    }
}
