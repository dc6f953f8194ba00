//! Random texts never panic.

use passel::formula::{Expansion, Formula};

use crate::data::Data;
use crate::random::Random;

const TOKENS: [&str; 58] = [
    "y",
    "a",
    "f",
    "o",
    "zz",
    ".",
    "0",
    "1",
    "2",
    "2.5",
    "-1",
    "1e3",
    "3L",
    "\"u\"",
    "'v",
    "`a`",
    "`",
    "+",
    "-",
    "*",
    "/",
    ":",
    "%in%",
    "%%",
    "%/%",
    "^",
    "**",
    "(",
    ")",
    "(",
    ")",
    ",",
    "=",
    "~",
    "==",
    "<",
    ">=",
    "!",
    "&",
    "|",
    "I(",
    "log(",
    "poly(",
    "bs(",
    "ns(",
    "scale(",
    "factor(",
    "C(",
    "cut(",
    "c(",
    "offset(",
    "relevel(",
    "df = ",
    "contr.sum",
    "TRUE",
    "NULL",
    "é",
    " ",
];

fn data() -> Data {
    Data::default()
        .numbers("y", &[1.0, 2.0, 4.0, 3.0, 7.0, 5.0])
        .numbers("a", &[0.5, 1.5, -1.0, 2.0, 3.0, 0.0])
        .factor("f", &["u", "v", "w", "u", "v", "w"], &[])
        .factor("o", &["u", "u", "u", "u", "u", "u"], &[])
}

/// Everything that can be asked of a formula.
fn use_it(text: &str, data: &Data) -> bool {
    let formula = match Formula::parse(text) {
        Ok(formula) => formula,
        Err(error) => {
            assert!(error.to_string().contains('^'));
            return false;
        }
    };
    assert_eq!(
        Formula::parse(&formula.to_string()).unwrap(),
        formula,
        "{text}"
    );
    let expansion = match Expansion::of(&formula, data) {
        Ok(expansion) => expansion,
        Err(error) => {
            assert!(error.to_string().contains('^'));
            return false;
        }
    };
    let design = expansion.apply(data).unwrap();
    for term in 0..expansion.terms().len() {
        let count = expansion.column_names(term).len();
        let columns = design.columns(term);
        assert_eq!(columns.len(), count, "{text}");
        let values = columns.iter().flatten();
        assert!(values.into_iter().all(|value| !value.is_nan()), "{text}");
    }
    let _ = (expansion.response(data), expansion.offset(data));
    true
}

#[test]
fn random_tokens_never_panic() {
    let data = data();
    let mut random = Random::new(2);
    for _ in 0..200_000 {
        let count = 1 + random.below(14);
        let tokens = (0..count).map(|_| *random.pick(&TOKENS));
        let text: String = tokens.collect();
        let text = if random.below(2) == 0 {
            text
        } else {
            format!("y~{text}")
        };
        use_it(&text, &data);
    }
}

/// Texts that are formulas more often.
fn grown(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return (*random.pick(&["a", "f", "y", "2", "1", "o", ".", "TRUE", "'u'"])).to_owned();
    }
    let mut inner = || grown(random, depth - 1);
    let (one, other) = (inner(), inner());
    match random.below(24) {
        0 => format!("({one})"),
        1 => format!("I({one})"),
        2 => format!("poly({one}, {other})"),
        3 => format!("bs({one}, df = {other})"),
        4 => format!("ns({one}, knots = {other})"),
        5 => format!("scale({one}, {other})"),
        6 => format!("factor({one}, levels = {other})"),
        7 => format!("C({one}, contr.poly, {other})"),
        8 => format!("cut({one}, {other})"),
        9 => format!("relevel({one}, {other})"),
        10 => format!("c({one}, {other})"),
        11 => format!("log({one}, {other})"),
        12 => format!("offset({one})"),
        13 => format!("-{one}"),
        14 => format!("{one}^{other}"),
        15 => format!("mean({one})"),
        16 => format!("ordered({one}, labels = {other})"),
        _ => {
            let operators = ["+", "-", "*", "/", ":", "%in%", "%%", "==", "<", "&", "!="];
            format!("{one} {} {other}", random.pick(&operators))
        }
    }
}

#[test]
fn random_formulas_never_panic() {
    let data = data();
    let mut random = Random::new(3);
    let mut whole = 0;
    for _ in 0..60_000 {
        let depth = 1 + random.below(4);
        let text = format!("y ~ {}", grown(&mut random, depth));
        whole += usize::from(use_it(&text, &data));
    }
    assert!(whole > 2_000, "{whole}");
}
