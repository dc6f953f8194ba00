//! Scores of every kind.

use crate::score::{Against, Combination, Gather, Join, Measure, Part, Quantity, Score, Term};

/// I(x;y|w).
const GIVEN: Combination = Combination::of(0, 0, 1, 0, -1, 0, -1, 1);
/// I(x;y|w) − I(x;y).
const GAINED: Combination = Combination::of(-1, 1, 1, 1, -1, -1, -1, 1);
/// H(x,w,y).
const ENTROPY: Combination = Combination::of(1, 0, 0, 0, 0, 0, 0, -1);

fn term(weight: f64, over: Combination, part: Part) -> Term {
    Term {
        weight,
        quantity: Quantity::plain(over),
        part,
    }
}

pub(super) fn scores() -> Vec<(&'static str, Score)> {
    let score = |terms: &[Term], gather, join| Score {
        measure: Measure::Declared {
            relevance: Quantity::plain(Combination::X_Y),
            terms: terms.to_vec(),
        },
        gather,
        join,
        against: Against::Last,
        floor: None,
    };
    let plain = |weight, over| term(weight, over, Part::Whole);
    let ratio = Term {
        weight: 1.0,
        quantity: Quantity {
            over: Combination::XW_Y,
            under: Some(ENTROPY),
        },
        part: Part::Whole,
    };
    let (redundancy, joint) = (plain(-1.0, Combination::X_W), plain(1.0, Combination::XW_Y));
    let given = plain(1.0, GIVEN);
    let below = term(1.0, GAINED, Part::BelowZero);
    let guard = plain(0.4, GAINED);
    vec![
        ("relevance", score(&[], Gather::Sum, Join::Added)),
        ("mrmr", score(&[redundancy], Gather::Mean, Join::Added)),
        ("jmi", score(&[joint], Gather::Sum, Join::Alone)),
        ("disr", score(&[ratio], Gather::Sum, Join::Alone)),
        ("njmim", score(&[ratio], Gather::Minimum, Join::Alone)),
        ("cmim", score(&[given], Gather::Minimum, Join::Least)),
        ("jmim", score(&[joint], Gather::Minimum, Join::Alone)),
        ("icap", score(&[below], Gather::Sum, Join::Added)),
        ("last", score(&[joint], Gather::Last, Join::Added)),
        (
            "two terms",
            score(
                &[plain(-0.7, Combination::X_W), plain(0.3, GIVEN)],
                Gather::Mean,
                Join::Added,
            ),
        ),
        ("guarded sum", score(&[guard], Gather::Sum, Join::Guarded)),
        ("guarded mean", score(&[guard], Gather::Mean, Join::Guarded)),
        (
            "guarded least",
            score(&[guard], Gather::Minimum, Join::Guarded),
        ),
        ("guarded last", score(&[guard], Gather::Last, Join::Guarded)),
    ]
}
