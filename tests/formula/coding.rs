//! How factors are coded.

use nalgebra::DMatrix;
use passel::formula::{Contrast, Expansion, ExpansionOptions, Fault, Formula, Warning};

use crate::data::{Column, Data};
use crate::random::Random;

/// Every combination of three factors thrice, with two numeric variables.
fn factorial() -> Data {
    let mut random = Random::new(4);
    let (mut f, mut g, mut h) = (Vec::new(), Vec::new(), Vec::new());
    let (mut x, mut z) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        for a in ["f1", "f2"] {
            for b in ["g1", "g2", "g3"] {
                for c in ["h1", "h2"] {
                    f.push(a);
                    g.push(b);
                    h.push(c);
                    x.push(random.unit());
                    z.push(random.unit());
                }
            }
        }
    }
    Data::default()
        .factor("f", &f, &[])
        .factor("g", &g, &[])
        .factor("h", &h, &[])
        .numbers("x", &x)
        .numbers("z", &z)
}

fn design(text: &str, data: &Data) -> (Vec<String>, Vec<Vec<f64>>) {
    let formula = Formula::parse(text).unwrap();
    let expansion = Expansion::of(&formula, data).unwrap();
    let applied = expansion.apply(data).unwrap();
    let (mut names, mut columns) = (Vec::new(), Vec::new());
    if expansion.terms().has_intercept() {
        names.push("1".to_owned());
        columns.push(vec![1.0; data.rows]);
    }
    for term in 0..expansion.terms().len() {
        names.extend(expansion.column_names(term));
        columns.extend(applied.columns(term));
    }
    (names, columns)
}

fn rank(columns: &[Vec<f64>]) -> usize {
    match columns {
        [] => 0,
        [first, ..] => {
            DMatrix::from_fn(first.len(), columns.len(), |r, c| columns[c][r]).rank(1e-8)
        }
    }
}

/// All indicators of all combinations of levels, times the numbers, of each term.
fn full(labels: &[String], has_intercept: bool, data: &Data) -> Vec<Vec<f64>> {
    let mut all = Vec::new();
    if has_intercept {
        all.push(vec![1.0; data.rows]);
    }
    for label in labels {
        let mut columns = vec![vec![1.0; data.rows]];
        for name in label.split(':') {
            let (_, column) = data.columns.iter().find(|(own, _)| own == name).unwrap();
            columns = match column {
                Column::Numbers(values) => {
                    let product =
                        |own: &Vec<f64>| own.iter().zip(values).map(|(a, b)| a * b).collect();
                    columns.iter().map(product).collect()
                }
                Column::Factor { levels, codes, .. } => {
                    let levels = 0..levels.len() as u32;
                    let of_level = |level: u32| {
                        let is_level = move |code: &u32| f64::from(u8::from(*code == level));
                        let product = move |own: &Vec<f64>| -> Vec<f64> {
                            own.iter()
                                .zip(codes)
                                .map(|(a, code)| a * is_level(code))
                                .collect()
                        };
                        columns.iter().map(product).collect::<Vec<_>>()
                    };
                    levels.flat_map(of_level).collect()
                }
            };
        }
        all.extend(columns);
    }
    all
}

#[test]
fn columns_span_what_all_indicators_span() {
    let data = factorial();
    let mut random = Random::new(5);
    let names = ["f", "g", "h", "x", "z"];
    let mut warned = 0;
    for _ in 0..400 {
        let count = 1 + random.below(5);
        let terms = (0..count).map(|_| {
            let degree = 1 + random.below(3);
            let names = (0..degree)
                .map(|_| *random.pick(&names))
                .collect::<Vec<_>>();
            names.join(if random.below(4) == 0 { "*" } else { ":" })
        });
        let mut text = format!("~ {}", terms.collect::<Vec<_>>().join(" + "));
        if random.below(3) == 0 {
            text.push_str(" - 1");
        }
        let formula = Formula::parse(&text).unwrap();
        let terms = formula.terms(&names).unwrap();
        let labels: Vec<String> = terms.labels().collect();
        let expansion = Expansion::of(&formula, &data).unwrap();
        let is_warned = |warning: &Warning| matches!(warning, Warning::MarginNotSpanned { .. });
        if expansion.warnings().iter().any(is_warned) {
            warned += 1;
            continue;
        }
        let (_, own) = design(&text, &data);
        let full = full(&labels, terms.has_intercept(), &data);
        let both: Vec<Vec<f64>> = own.iter().chain(&full).cloned().collect();
        let rank_of_both = rank(&both);
        assert_eq!(rank(&own), rank_of_both, "{text}: too few columns");
        assert_eq!(rank(&full), rank_of_both, "{text}: too many columns");
    }
    assert!(warned < 100, "{warned}");
}

#[test]
fn coding_follows_the_terms_before() {
    let data = factorial();
    let names = |text: &str| design(text, &data).0;
    assert_eq!(names("~ f + g"), ["1", "ff2", "gg2", "gg3"]);
    // Without an intercept only the first factor has all indicators.
    assert_eq!(names("~ f + g - 1"), ["ff1", "ff2", "gg2", "gg3"]);
    assert_eq!(names("~ x + f - 1"), ["x", "ff1", "ff2"]);
    assert_eq!(
        names("~ f:h - 1"),
        ["ff1:hh1", "ff2:hh1", "ff1:hh2", "ff2:hh2"]
    );
    assert_eq!(names("~ f + f:h"), ["1", "ff2", "ff1:hh2", "ff2:hh2"]);
    assert_eq!(names("~ x:f"), ["1", "x:ff1", "x:ff2"]);
    assert_eq!(names("~ x + x:f"), ["1", "x", "x:ff2"]);
    // A part of an earlier term of the same degree counts, as in R.
    let text = "~ f:x + f:h";
    assert_eq!(names(text), ["1", "ff1:x", "ff2:x", "ff1:hh2", "ff2:hh2"]);
    let expansion = Expansion::of(&Formula::parse(text).unwrap(), &data).unwrap();
    let warning = expansion.warnings()[0].to_string();
    assert!(
        warning.contains("no columns span `f`; add the term `f`"),
        "{warning}"
    );
    // R codes the first factor so, even where its contrasts would do.
    assert_eq!(names("~ x + x:f - 1"), ["x", "x:ff1", "x:ff2"]);
}

#[test]
fn options_choose_contrasts() {
    let data = factorial();
    let formula = Formula::parse("~ f + g").unwrap();
    let mut options = ExpansionOptions {
        unordered: Contrast::Sum,
        ..ExpansionOptions::default()
    };
    let reference = Some("g2".to_owned());
    options
        .by_variable
        .insert("g".to_owned(), Contrast::Treatment { reference });
    let expansion = Expansion::with_options(&formula, &data, &options).unwrap();
    assert_eq!(expansion.column_names(0), ["f1"]);
    assert_eq!(expansion.column_names(1), ["gg1", "gg3"]);
    options.by_variable.insert("ff".to_owned(), Contrast::Sum);
    let error = Expansion::with_options(&formula, &data, &options).unwrap_err();
    assert!(matches!(error.fault(), Fault::UnusedContrasts { .. }));
    options.by_variable.remove("ff");
    let reference = Some("g4".to_owned());
    options
        .by_variable
        .insert("g".to_owned(), Contrast::Treatment { reference });
    let error = Expansion::with_options(&formula, &data, &options)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("`g4` is no level of `g` (levels: g1, g2, g3)"),
        "{error}"
    );
}

#[test]
fn contrasts_of_the_formula() {
    let data = factorial();
    let names = |text: &str| design(text, &data).0[1..].to_vec();
    assert_eq!(
        names("~ C(g, contr.sum)"),
        ["C(g, contr.sum)1", "C(g, contr.sum)2"]
    );
    assert_eq!(
        names("~ C(g, contr.treatment, base = 2)"),
        [
            "C(g, contr.treatment, base = 2)g1",
            "C(g, contr.treatment, base = 2)g3"
        ]
    );
    assert_eq!(
        names("~ C(g, contr.treatment(base = 'g3'))"),
        [
            "C(g, contr.treatment(base = \"g3\"))g1",
            "C(g, contr.treatment(base = \"g3\"))g2"
        ]
    );
    assert_eq!(
        names("~ C(g, contr.SAS)"),
        ["C(g, contr.SAS)g1", "C(g, contr.SAS)g2"]
    );
    assert_eq!(names("~ C(g, poly, 1)"), ["C(g, poly, 1).L"]);
    assert_eq!(
        names("~ relevel(g, ref = 'g2')")[0],
        "relevel(g, ref = \"g2\")g1"
    );
    assert_eq!(names("~ ordered(g)"), ["ordered(g).L", "ordered(g).Q"]);
    assert_eq!(
        names("~ ordered(g, levels = c('g3', 'g1', 'g2')):x")[2],
        "ordered(g, levels = c(\"g3\", \"g1\", \"g2\"))g2:x"
    );
    assert_eq!(
        names("~ factor(g, labels = c('u', 'v', 'u'))"),
        ["factor(g, labels = c(\"u\", \"v\", \"u\"))v"]
    );
    assert_eq!(names("~ I(x > 0.5)"), ["I(x > 0.5)TRUE"]);
    assert_eq!(names("~ I(g %in% c('g1', 'g2')):x").len(), 2);
}

#[test]
fn polynomial_contrasts_have_the_scores() {
    let data = Data::default().factor("f", &["a", "b", "c", "d"], &[]);
    let (names, columns) = design("~ C(f, contr.poly)", &data);
    assert_eq!(names[3], "C(f, contr.poly).C");
    // contr.poly(4)
    let expected = [
        [-0.670_820_393_249_936_9, -0.223_606_797_749_978_97],
        [0.5, -0.5],
        [-0.223_606_797_749_978_97, 0.670_820_393_249_936_9],
    ];
    for (column, expected) in columns[1..].iter().zip(expected) {
        assert!((column[0] - expected[0]).abs() < 1e-14);
        assert!((column[1] - expected[1]).abs() < 1e-14);
    }
    let (_, columns) = design("~ C(f, contr.poly, scores = c(1, 2, 4, 8))", &data);
    // Centered scores over their norm.
    let centered = [-2.75, -1.75, 0.25, 4.25];
    let norm = centered
        .iter()
        .map(|value: &f64| value * value)
        .sum::<f64>()
        .sqrt();
    for (value, score) in columns[1].iter().zip(centered) {
        assert!((value - score / norm).abs() < 1e-14);
    }
}
