//! What is a score, and what is refused.

use super::*;

fn error(score: Score) -> String {
    score
        .checked()
        .map_or_else(|error| error.to_string(), |_| String::new())
}

#[test]
fn a_score_without_meaning_or_room_is_refused() {
    let of = |relevance: Combination, terms: Vec<Term>| Score {
        measure: Measure::Declared {
            relevance: Quantity::plain(relevance),
            terms,
        },
        ..Score::default()
    };
    let mim = of(Combination::X_Y, Vec::new());
    assert_eq!(mim.clone().checked(), Ok(mim));
    let term = |weight: f64, n: i32| {
        let combination = Combination {
            n,
            ..Combination::XW_Y
        };
        combination.weighing(weight)
    };
    let with = |terms: Vec<Term>| of(Combination::X_Y, terms);
    for (score, expected) in [
        (with(vec![term(-0.5, 1)]), ""),
        (
            of(Combination::X_W, Vec::new()),
            "relevance has a margin of the anchor; it is of x and y alone",
        ),
        (
            with(vec![term(1.0, 1), term(f64::NAN, 1)]),
            "the weight of term 1 is NaN; weights are −1048576 … 1048576",
        ),
        (
            with(vec![term(1.0, 2)]),
            "a combination's integers sum to 1; those of entropies and informations sum to 0",
        ),
        (
            of(Combination::default(), Vec::new()),
            "relevance is empty; it is I(x;y), as a rule",
        ),
        (
            with(vec![term(1.0, 64)]),
            "a combination's integers sum to 65; at most 64 have room",
        ),
        (with(vec![term(1.0, 1); 9]), "9 terms; at most 8 are summed"),
    ] {
        assert_eq!(error(score), expected);
    }
}

#[derive(Debug)]
struct Constant(f64);

impl TableFunction for Constant {
    fn value(&self, _: &CountTable) -> f64 {
        0.0
    }

    fn tolerance(&self) -> f64 {
        self.0
    }
}

#[test]
fn a_tolerance_is_a_share() {
    for (tolerance, right) in [
        (0.0, true),
        (0.5, true),
        (1.0, false),
        (-1e-9, false),
        (f64::NAN, false),
    ] {
        let score = Score {
            measure: Measure::Function(ScoreFunction(std::sync::Arc::new(Constant(tolerance)))),
            ..Score::default()
        };
        assert!(score.has_steps() && score.terms().is_empty());
        assert_eq!(score.clone(), score);
        assert_eq!(error(score).is_empty(), right, "{tolerance}");
    }
}
