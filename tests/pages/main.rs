//! Reports as pages: whole, in need of nothing beside themselves, safe whatever a file calls its
//! columns, and of the same numbers as the JSON. `tools/page-check` opens them in a browser.

#![allow(clippy::unwrap_used)]

mod cohort;
mod families;
mod jobs;
mod model;
#[path = "../support/program.rs"]
mod support;
mod taken;
mod variants;

use serde_json::Value;
use support::Folder;
use taken::Page;

/// A page, and the JSON of the same command.
pub fn both(folder: &Folder, arguments: &[&str]) -> (Page, Value) {
    let report = |form: &str| {
        let format = [arguments, &["--format", form, "--progress", "none"]].concat();
        let ran = folder.run(&format);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran.stdout
    };
    let json = serde_json::from_str(&report("json")).unwrap();
    (Page::of(report("html")), json)
}

/// A field that is one.
pub fn number(text: &str) -> f64 {
    text.parse().unwrap()
}

#[test]
fn a_regression_has_its_model_its_residuals_and_its_search() {
    let folder = Folder::new();
    let (page, json) = both(&folder, &["select", "data.csv", "--response", "y"]);
    page.has("<h1>y in data.csv</h1>");
    page.has("<dt>seed</dt><dd>1</dd>");
    page.has("<dt>devices</dt><dd>cpu");
    page.has("No warnings.");
    // The command breaks between its options.
    page.has(
        "<code><span>passel select data.csv</span> <span>--response y</span> <span>--format html</span> \
         <span>--progress none</span></code>",
    );
    // What comes first is what there is to know, and not what came out.
    let place = |part: &str| page.text.find(part).unwrap();
    assert!(place("No warnings.") < place("The chosen model"));
    let rows = page.rows("Selected variables");
    assert_eq!(
        rows[0][..5],
        ["variable", "coefficient", "std. error", "t", "p"]
    );
    assert_eq!(rows[1][0], "(intercept)");
    for (row, told) in rows[2..].iter().zip(json["selected"].as_array().unwrap()) {
        assert_eq!(row[0], told["name"].as_str().unwrap());
        for (at, member) in [
            (1, "coefficient"),
            (2, "std_error"),
            (4, "p_value"),
            (6, "upper"),
        ] {
            assert_eq!(number(&row[at]), told[member].as_f64().unwrap(), "{member}");
        }
    }
    assert_eq!(rows.len() as u64, 2 + json["k"].as_u64().unwrap());
    // The forest is of the same estimates, times the deviation of each variable.
    let table = folder.read("data.csv");
    let a: Vec<f64> = table
        .lines()
        .skip(1)
        .map(|line| number(line.split(',').nth(1).unwrap()))
        .collect();
    let mean = a.iter().sum::<f64>() / 60.0;
    let deviation = (a.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 60.0).sqrt();
    let forest = &page.rows("Coefficients")[1];
    let own = json["selected"]
        .as_array()
        .unwrap()
        .iter()
        .find(|variable| variable["name"] == "a");
    for (at, member) in [(1, "coefficient"), (2, "lower"), (3, "upper")] {
        let told = own.unwrap()[member].as_f64().unwrap() * deviation;
        assert!((number(&forest[at]) - told).abs() < 1e-12, "{member}");
    }
    // Residuals sum to zero, and their squares to rss.
    let residuals = &page.rows("Residuals and fitted values")[1..];
    let column = |at: usize| residuals.iter().map(move |row| number(&row[at]));
    assert_eq!(residuals.len(), 60);
    assert!(column(2).sum::<f64>().abs() < 1e-12);
    let rss = column(2).map(|r| r * r).sum::<f64>();
    assert!((rss - json["rss"].as_f64().unwrap()).abs() < 1e-12);
    // Leverages sum to the number of coefficients.
    let k = json["k"].as_f64().unwrap();
    let leverages = &page.rows("Residuals and leverage")[1..];
    let leverages = leverages.iter().map(|row| number(&row[1]));
    assert!((leverages.clone().sum::<f64>() - k - 1.0).abs() < 1e-9);
    // Cook's distance from its definition, and what is observed.
    let standardised = &page.rows("Residuals and leverage")[1..];
    let distances = &page.rows("Cook's distance")[1..];
    for ((h, t), distance) in leverages.zip(standardised).zip(distances) {
        let told = number(&t[2]).powi(2) * h / ((1.0 - h) * (k + 1.0));
        assert!((number(&distance[2]) - told).abs() < 1e-12);
    }
    let pairs = page.rows("Observed and fitted values");
    for (pair, residual) in pairs[1..].iter().zip(residuals) {
        let observed = number(&residual[1]) + number(&residual[2]);
        assert!((number(&pair[2]) - observed).abs() < 1e-12);
    }
    page.has("Named: the largest by Cook's distance, ");
    let y = table.lines().nth(1).unwrap().split(',').next().unwrap();
    assert!((number(&residuals[0][1]) + number(&residuals[0][2]) - number(y)).abs() < 1e-12);
    // Every particle, and the best of all at the end.
    let curves = page.rows("Criterion by iteration");
    let particles = json["method"]["particles"].as_u64().unwrap() as usize;
    assert_eq!(curves[0].len(), particles + 2);
    let best = number(curves[curves.len() - 1].last().unwrap());
    assert_eq!(best, json["criterion"]["value"].as_f64().unwrap());
    let models = page.rows("Size and criterion");
    assert!(models.iter().any(|row| row[0] == "best of its size"));
    assert!(page.rows("Inclusion weights").len() > 1);
    assert!(page.rows("The best models met").len() > 1);
    page.has("Settings of the method");
}

#[test]
fn weights_warnings_and_what_was_set_aside_are_told_first() {
    let folder = Folder::new();
    let table = folder.read("data.csv");
    let mut wide = String::new();
    for (at, line) in table.lines().enumerate() {
        let more = match at {
            0 => "w,one,again".to_owned(),
            _ => format!("{},1,{}", at % 4, line.split(',').nth(1).unwrap()),
        };
        wide += &format!("{line},{more}\n");
    }
    folder.write("wide.csv", &wide);
    let arguments = ["select", "wide.csv", "--response", "y", "--weights", "w"];
    let (page, json) = both(&folder, &arguments);
    page.has("<dt>weights</dt><dd>w</dd>");
    page.has("To know first");
    page.has("15 of 60 observations have weight 0 and were left out");
    page.has("2 variables were set aside, and never a candidate");
    let aside = page.rows("Set aside");
    assert_eq!(
        aside[1..],
        [["one", "constant"], ["again", "duplicate of a"]]
    );
    let place = |part: &str| page.text.find(part).unwrap();
    assert!(place("duplicate of a") < place("The chosen model"));
    // Residuals are those that the weighted sum is of; fitted values are on y's own scale.
    let residuals = &page.rows("Residuals and fitted values")[1..];
    // Rows are those of the file, of which every fourth has no weight.
    let numbers: Vec<&str> = residuals.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(numbers[..5], ["1", "2", "3", "5", "6"]);
    let squares = residuals.iter().map(|row| number(&row[2]).powi(2));
    let rss = squares.sum::<f64>() / json["rss"].as_f64().unwrap();
    assert!((rss - 1.0).abs() < 1e-9);
    let used: Vec<&str> = wide
        .lines()
        .skip(1)
        .filter(|line| !line.ends_with(",0"))
        .collect();
    let first = used[0].split(',').map(number).collect::<Vec<_>>();
    // At mean one the weights 1, 2, 3 are halved.
    let root = (first[5] / 2.0).sqrt();
    let fitted = number(&residuals[0][1]) + number(&residuals[0][2]) / root;
    assert!((fitted - first[0]).abs() < 1e-9, "{fitted} {}", first[0]);
    page.has("residual × √weight");
}

#[test]
fn names_of_a_file_are_texts_whatever_they_are() {
    let folder = Folder::new();
    let table = folder.read("data.csv");
    let (_, rows) = table.split_once('\n').unwrap();
    let names = [
        "y</script><b>\"",
        "<script>alert(1)</script>",
        "$x_1$ & 'more'",
        "\"two \"\"quotes\"\", and a comma\"",
        "a_very_long_name_of_a_column_that_no_plot_has_room_for_γ",
    ];
    let head = "\"y</script><b>\"\"\",".to_owned() + &names[1..].join(",");
    folder.write("odd & <i>.csv", &format!("{head}\n{rows}"));
    let run = |more: &[&str]| {
        let first = ["select", "odd & <i>.csv", "--response", names[0]];
        both(&folder, &[&first, more].concat()).0
    };
    let regression = run(&[
        "--keep",
        "<script>alert(1)</script>",
        "--keep",
        "$x_1$ & 'more'",
    ]);
    let bins = [
        "--binning",
        "equal-width:3",
        "--bin-response",
        "equal-width:2",
    ];
    let ranking = run(&[&["--method", "mrmr"][..], &bins].concat());
    for page in [&regression, &ranking] {
        assert!(!page.text.contains("<script>alert"));
        page.has("&lt;script&gt;alert(1)&lt;/script&gt;");
        page.has("y&lt;/script&gt;&lt;b&gt;&quot; in odd &amp; &lt;i&gt;.csv");
    }
    let told = ranking.rows("Chosen variables");
    let told: Vec<&str> = told[1..].iter().map(|row| row[1].as_str()).collect();
    assert!(told.contains(&"two \"quotes\", and a comma"), "{told:?}");
    assert!(told.contains(&names[4]), "{told:?}");
    ranking.has(names[4]);
    ranking.has("a_very_lon…_room_for_γ</text>");
    // A dollar sign begins no formula.
    regression.has("$x_1$ &amp; &apos;more&apos;</text>");
}

#[test]
fn nothing_chosen_and_an_exact_fit_are_pages_too() {
    let folder = Folder::new();
    let noise = [
        "select",
        "data.csv",
        "--response",
        "d",
        "--criterion",
        "hdbic",
    ];
    let (page, json) = both(&folder, &noise);
    assert_eq!(json["k"], 0);
    page.has("0 variables chosen of 4;");
    assert!(page.data.iter().all(|table| table.0 != "Coefficients"));
    let exact: String = (0..9)
        .map(|i| format!("{},{i},{}\n", i + 2 * (i * i % 5), i * i % 5))
        .collect();
    folder.write("exact.csv", &format!("y,a,b\n{exact}"));
    let (page, _) = both(&folder, &["select", "exact.csv", "--response", "y"]);
    assert!(
        page.data
            .iter()
            .all(|table| !table.0.starts_with("Residuals"))
    );
}

#[test]
fn rankings_pairs_and_stability_have_their_figures() {
    let folder = Folder::new();
    let bins = [
        "--binning",
        "equal-width:4",
        "--bin-response",
        "equal-width:3",
    ];
    let of = |command: &[&str]| {
        let first = [command[0], "data.csv", "--response", "y"];
        both(&folder, &[&first, &command[1..], &bins].concat())
    };
    let (page, json) = of(&[
        "select",
        "--method",
        "jmi",
        "--top",
        "3",
        "--stop",
        "permutation:n=19",
    ]);
    for title in ["Scores by rank", "Chosen variables"] {
        let rows = &page.rows(title)[1..];
        assert_eq!(rows.len() as u64, json["k"].as_u64().unwrap());
        assert_eq!(rows[0][1], json["selected"][0]["name"].as_str().unwrap());
        assert_eq!(
            number(&rows[0][2]),
            json["selected"][0]["score"].as_f64().unwrap()
        );
    }
    page.has("<dt>stop</dt><dd>permutation:n=19,alpha=0.05</dd>");
    page.has("p (permutations)");
    let (page, json) = of(&["select", "--method", "jmi", "--top", "3"]);
    let places = &page.rows("Relevance and redundancy")[1..];
    let second = &json["selected"][1];
    assert_eq!(
        number(&places[1][2]),
        second["redundancy"].as_f64().unwrap()
    );
    assert_eq!(number(&places[1][3]), second["relevance"].as_f64().unwrap());

    let (page, json) = of(&["pairs", "--score", "synergy", "--top", "5", "--partners"]);
    for title in ["Map of the strongest", "Network of the strongest"] {
        let rows = &page.rows(title)[1..];
        assert_eq!(rows.len(), 5, "{title}");
        for (row, told) in rows.iter().zip(json["pairs"].as_array().unwrap()) {
            assert_eq!(
                (row[0].as_str(), row[1].as_str()),
                (told["a"].as_str().unwrap(), told["b"].as_str().unwrap())
            );
            assert_eq!(number(&row[2]), told["score"].as_f64().unwrap());
        }
    }
    assert_eq!(page.rows("Every variable by I(x;y)").len(), 5);
    assert_eq!(page.rows("Best partners").len(), 5);

    let first = [
        "stability",
        "data.csv",
        "--response",
        "y",
        "--resamples",
        "10",
    ];
    let (page, json) = both(&folder, &first);
    let rows = &page.rows("The most frequent")[1..];
    for (row, told) in rows.iter().zip(json["variables"].as_array().unwrap()) {
        assert_eq!(row[0], told["name"].as_str().unwrap());
        assert_eq!(number(&row[1]), told["frequency"].as_f64().unwrap());
    }
    assert_eq!(page.rows("Bounds on the expected false picks").len(), 4);
    page.has("<dt>method</dt><dd>pass</dd>");
}

#[test]
fn ten_thousand_variables_and_a_long_search_stay_below_two_megabytes() {
    let folder = Folder::new();
    let made = [
        "simulate", "ing-lai", "--n", "60", "--p", "10000", "--output", "wide.csv",
    ];
    assert_eq!(folder.run(&made).code, Some(0));
    let arguments = [
        "select",
        "wide.csv",
        "--response",
        "y",
        "--particles",
        "256",
        "--iterations",
        "1000",
        "--format",
        "html",
        "--output",
        "wide.html",
        "--no-polish",
        "--progress",
        "none",
    ];
    let ran = folder.run(&arguments);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let page = Page::of(folder.read("wide.html"));
    assert!(page.text.len() < 2_000_000, "{}", page.text.len());
    page.has("Thinned: every 16th iteration drawn; --trace has every step.");
    let curves = page.rows("Criterion by iteration");
    assert_eq!(curves[0].len(), 258);
    assert_eq!(curves[curves.len() - 1][0], "1000");
    let bins = [
        "--binning",
        "equal-width:2",
        "--bin-response",
        "equal-width:2",
    ];
    let first = [
        "pairs",
        "wide.csv",
        "--response",
        "y",
        "--top",
        "3000",
        "--partners",
    ];
    let ran = folder.run(
        &[
            &first[..],
            &bins,
            &["--format", "html", "--progress", "none"],
        ]
        .concat(),
    );
    let page = Page::of(ran.stdout);
    assert!(page.text.len() < 2_000_000, "{}", page.text.len());
    page.has("The first 1000 of 10000 rows.");
    page.has("The first 1000 of 3000 rows.");
}
