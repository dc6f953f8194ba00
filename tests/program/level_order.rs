//! How the levels of a response are read, and in what order.

use crate::levels::{folder, report};

/// Numbers beside texts, dates, and what a formula says of the response's levels.
#[test]
fn levels_are_read_as_options_and_formulas_name_them() {
    let folder = folder();
    let data = folder.read("t.csv");
    folder.write(
        "t.csv",
        &data.replace("\nworse,", "\n1,").replace("\nsame,", "\n2,"),
    );
    let select = |more: &[&str]| {
        let own = ["select", "t.csv", "--family", "ordinal", "--drop", "grade"];
        folder.run(&[&own[..], &["--response", "mood"], more].concat())
    };
    let refused = select(&[]).stderr;
    assert!(refused.contains("--factor mood"), "{refused}");
    let refused = select(&["--factor", "mood"]).stderr;
    assert!(refused.contains("--levels 1,2,better"), "{refused}");
    let constants = |more: &[&str]| {
        let report = report(
            &folder,
            &[
                &[
                    "--family",
                    "ordinal",
                    "--particles",
                    "4",
                    "--iterations",
                    "4",
                ],
                more,
            ]
            .concat(),
        );
        let names = report["constants"].as_array().unwrap().iter();
        let names: Vec<String> = names
            .map(|own| own["name"].as_str().unwrap().to_owned())
            .collect();
        (names.join(" "), report["criterion"].clone())
    };
    let mixed = [
        "--response",
        "mood",
        "--drop",
        "grade",
        "--levels",
        "\"1\",2,better",
    ];
    assert_eq!(constants(&mixed).0, "1|2 2|better");

    folder.write("t.csv", &data);
    let of = |response: &str| constants(&["--formula", &format!("{response} ~ age + dose + site")]);
    let plain = of("grade");
    assert_eq!(plain.0, "0|10 10|20");
    for same in [
        "factor(grade)",
        "ordered(grade)",
        "factor(grade, levels = c(0, 10, 20))",
    ] {
        assert_eq!(of(same), plain, "{same}");
    }
    assert_eq!(of("factor(grade, levels = c(10, 0, 20))").0, "10|0 0|20");
    let words = of("ordered(mood, c('worse', 'same', 'better'))");
    assert_eq!(
        words,
        ("worse|same same|better".to_owned(), plain.1.clone())
    );
    let named = of("factor(grade, labels = c('low', 'mid', 'high'))");
    assert_eq!(named, ("low|mid mid|high".to_owned(), plain.1));

    let dates = data
        .replace("\nworse,", "\n2020-01-31,")
        .replace("\nsame,", "\n2020-02-29,");
    folder.write("t.csv", &dates.replace("\nbetter,", "\n2020-03-31,"));
    let dates = [
        "--response",
        "mood",
        "--family",
        "multinomial",
        "--date",
        "mood",
        "--drop",
        "grade",
    ];
    let dates = report(&folder, &dates);
    assert_eq!(dates["family"]["levels"][1]["level"], "2020-02-29");
}
