//! A plugin in Rust that fails as its user wants, for `tests/plugins`.

use passel_sdk::{Parameter, Score, Selector, combinations::XW_Y};

/// Fails in the way of its parameter: 1 with an error, 2 with a panic, 3 with a score that
/// has no room, 4 with one that cannot be.
pub const FAULTY: Selector = Selector {
    name: "faulty",
    title: "a selector that fails",
    formula: "none",
    source: "the tests",
    parameters: &[Parameter {
        name: "fault",
        help: "Which",
        default: 0.0,
        least: 0.0,
        most: 4.0,
    }],
    score: |values| match values[0] {
        1.0 => Err("no score at 1".to_owned()),
        2.0 => panic!("no way to {}", values[0]),
        3.0 => Ok(Score {
            terms: vec![XW_Y.into(); 9],
            ..Score::default()
        }),
        4.0 => Ok(Score {
            relevance: XW_Y.into(),
            ..Score::default()
        }),
        _ => {
            passel_sdk::warn("declared without fault");
            Ok(Score::default())
        }
    },
};

passel_sdk::plugin! { name: faulty, selectors: [FAULTY], pair_scores: [] }
