//! Several responses where one is meant, and tables of responses that are not those of the data.

use crate::many_responses::{ROWS, candidates, folder};

#[test]
fn several_responses_are_refused_where_one_is_meant() {
    let folder = folder();
    folder.write("short.csv", "y\n1\n2\n");
    let labelled = |second: &str| {
        let rows = (0..ROWS).map(|row| match row {
            1 => format!("{second},{}\n", row % 7),
            _ => format!("r{row},{}\n", row * 5 % 17),
        });
        String::from(",z\n") + &rows.collect::<String>()
    };
    folder.write("labels.csv", &labelled("r1"));
    folder.write("others.csv", &labelled("s1"));
    let text = |names: &str| names.replace(",z", "id,z");
    folder.write("identifiers.csv", &text(&labelled("r1")));
    folder.write("wrong.csv", &text(&labelled("s1")));
    folder.write("a.csv", &labelled("r1").replace(",z", ",a"));
    let select = "select";
    let cases: [(&[&str], &str); 16] = [
        (
            &["pairs", "data.csv", "--response", "y0,y2"],
            "passel pairs is of one",
        ),
        (
            &["stability", "data.csv", "--response", "y0,y2"],
            "passel stability is of one",
        ),
        (
            &["stability", "x.csv", "--responses", "y.csv"],
            "passel stability is of one",
        ),
        (
            &[select, "data.csv", "--response", "y0,y2", "--method", "jmi"],
            "the method jmi is of one",
        ),
        (
            &[
                select,
                "data.csv",
                "--responses",
                "y.csv",
                "--method",
                "jmi",
            ],
            "responses has no effect",
        ),
        (
            &[
                select,
                "data.csv",
                "--response",
                "y0,y2",
                "--checkpoint",
                "c",
            ],
            "checkpoint is of one",
        ),
        (
            &[
                select,
                "data.csv",
                "--response",
                "y0,y2",
                "--trace",
                "t.csv",
            ],
            "trace is of one",
        ),
        (
            &[
                select,
                "data.csv",
                "--response",
                "y0,y2",
                "--family",
                "cox",
                "--event",
                "k",
            ],
            "the family cox is of one",
        ),
        (
            &[select, "data.csv", "--response", "y0,y0"],
            "response names y0 twice",
        ),
        (
            &[select, "data.csv", "--response", "y0,y2", "--keep", "y2"],
            "keep and response both name y2",
        ),
        (&[select, "data.csv", "--response", "y0,y9"], "y9"),
        (
            &[select, "x.csv", "--responses", "y.csv", "--response", "a"],
            "leave one of them out",
        ),
        (
            &[
                select,
                "data.csv",
                "--response",
                "y0,y2",
                "--formula",
                "y0 ~ a",
            ],
            "so does the formula",
        ),
        (
            &[select, "x.csv", "--responses", "short.csv"],
            "short.csv: 2 rows, and the data, x.csv, have 60",
        ),
        (
            &[select, "x.csv", "--responses", "a.csv"],
            "the column `a` is in the data, x.csv, too",
        ),
        (
            &[select, "x.csv", "--responses", "identifiers.csv"],
            "like an identifier",
        ),
    ];
    for (arguments, told) in cases {
        let ran = folder.run(arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(told), "{told} in {}", ran.stderr);
    }
    folder.write("comma.csv", "\"u, v\",w,x\n1,2,3\n2,1,4\n3,5,1\n4,4,4\n");
    let comma = folder.run(&[select, "comma.csv", "--response", "u, v"]);
    let told = "`u`, which is no column of comma.csv, but a part of `u, v`: write a name with a comma in double quotes";
    assert!(
        comma.code == Some(2) && comma.stderr.contains(told),
        "{}",
        comma.stderr
    );
    // Labels, and columns of identifiers, are compared with those of the data.
    for (file, told) in [
        ("labels.csv", None),
        (
            "others.csv",
            Some("others.csv: row 2 is `s1`, and in the data, data-l.csv, it is `r1`"),
        ),
        ("identifiers.csv", None),
        ("wrong.csv", Some("wrong.csv: row 2 is `s1`")),
    ] {
        let rows = (0..ROWS).map(|row| format!("r{row},{}\n", candidates(row)));
        let data = String::from(",a,b,c,d,e,f,kind,weight,count\n") + &rows.collect::<String>();
        folder.write("data-l.csv", &data);
        let ran = folder.run(&[select, "data-l.csv", "--responses", file]);
        match told {
            None => assert_eq!(ran.code, Some(0), "{}", ran.stderr),
            Some(told) => assert!(ran.stderr.contains(told), "{}", ran.stderr),
        }
    }
}
