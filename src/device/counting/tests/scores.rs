//! Scores of every kind.

use crate::score::{Combination, Gather, Join, Measure, Part, Quantity, Score, Term};

/// I(x;y|w) − I(x;y).
const GAINED: Combination = Combination::of([-1, 1, 1, 1, -1, -1, -1, 1]);
/// H(x,w,y).
const ENTROPY: Combination = Combination::of([1, 0, 0, 0, 0, 0, 0, -1]);

pub(crate) fn scores() -> Vec<(&'static str, Score)> {
    let score = |terms: &[Term], gather, join| Score {
        measure: Measure::of_terms(terms),
        gather,
        join,
        ..Score::default()
    };
    let ratio = Quantity {
        over: Combination::XW_Y,
        under: Some(ENTROPY),
    };
    let ratio = ratio.weighing(1.0);
    let redundancy = Combination::X_W.weighing(-1.0);
    let joint = Combination::XW_Y.weighing(1.0);
    let given = Combination::X_Y_GIVEN_W.weighing(1.0);
    let below = Term {
        part: Part::BelowZero,
        ..GAINED.weighing(1.0)
    };
    let gained = GAINED.weighing(0.5);
    let guard = GAINED.weighing(0.4);
    let two = [
        Combination::X_W.weighing(-0.7),
        Combination::X_Y_GIVEN_W.weighing(0.3),
    ];
    vec![
        ("relevance", score(&[], Gather::Sum, Join::Added)),
        ("mrmr", score(&[redundancy], Gather::Mean, Join::Added)),
        ("jmi", score(&[joint], Gather::Sum, Join::Alone)),
        ("disr", score(&[ratio], Gather::Sum, Join::Alone)),
        ("njmim", score(&[ratio], Gather::Minimum, Join::Alone)),
        ("cmim", score(&[given], Gather::Minimum, Join::Least)),
        ("jmim", score(&[joint], Gather::Minimum, Join::Alone)),
        ("added", score(&[gained], Gather::Minimum, Join::Added)),
        ("icap", score(&[below], Gather::Sum, Join::Added)),
        ("last", score(&[joint], Gather::Last, Join::Added)),
        ("two terms", score(&two, Gather::Mean, Join::Added)),
        ("guarded sum", score(&[guard], Gather::Sum, Join::Guarded)),
        ("guarded mean", score(&[guard], Gather::Mean, Join::Guarded)),
        (
            "guarded least",
            score(&[guard], Gather::Minimum, Join::Guarded),
        ),
        ("guarded last", score(&[guard], Gather::Last, Join::Guarded)),
    ]
}
