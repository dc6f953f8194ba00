//! What is a score, and what is refused.

use super::*;

#[test]
fn a_score_without_meaning_or_room_is_refused() {
    let of = |relevance: Combination, terms: Vec<Term>| Score {
        measure: Measure::Declared {
            relevance: Quantity::plain(relevance),
            terms,
        },
        gather: Gather::Sum,
        join: Join::Added,
        against: Against::Last,
        floor: None,
    };
    let mim = of(Combination::X_Y, Vec::new());
    assert_eq!(mim.clone().checked(), Ok(mim.clone()));
    let anchored = of(Combination::X_W, Vec::new());
    assert_eq!(anchored.checked(), Err(ScoreError::AnchoredRelevance));
    let term = |weight: f64, n: i32| Term {
        weight,
        quantity: Quantity::plain(Combination {
            n,
            ..Combination::XW_Y
        }),
        part: Part::Whole,
    };
    let with = |terms: Vec<Term>| of(Combination::X_Y, terms);
    assert!(with(vec![term(-0.5, 1)]).checked().is_ok());
    let refused = with(vec![term(1.0, 1), term(f64::NAN, 1)]).checked();
    assert!(matches!(refused, Err(ScoreError::Weight { term: 1, .. })));
    let refused = with(vec![term(1.0, 2)]).checked();
    assert_eq!(refused, Err(ScoreError::Unbalanced { sum: 1 }));
    let empty = of(Combination::default(), Vec::new());
    assert_eq!(empty.checked(), Err(ScoreError::NoRelevance));
    let refused = with(vec![term(1.0, 64)]).checked();
    assert_eq!(refused, Err(ScoreError::Reach { reach: 65 }));
    let refused = with(vec![term(1.0, 1); 9]).checked();
    assert_eq!(refused, Err(ScoreError::Terms { count: 9 }));
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
            gather: Gather::Sum,
            join: Join::Added,
            against: Against::Last,
            floor: None,
        };
        assert!(score.has_steps() && score.terms().is_empty());
        assert_eq!(score.clone(), score);
        assert_eq!(score.checked().is_ok(), right, "{tolerance}");
    }
}
