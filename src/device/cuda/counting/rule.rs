//! A declared score as `kernels/score.cu` reads it.

use passel_kernels::score::{ScoreRule, ScoreTerm, TERMS};

use crate::{
    device::counting::ScoreEvaluator,
    score::{Gather, Join, Measure, Part, Quantity},
};

/// The rule of a declared score, where Σ c·L(c) over the response is this.
pub(super) fn rule(evaluator: &ScoreEvaluator, y: i64) -> ScoreRule {
    let score = evaluator.score();
    let mut term = [ScoreTerm::default(); TERMS + 1];
    let terms = score.terms();
    for (to, (of, &weight)) in term.iter_mut().zip(terms.iter().zip(&evaluator.weights)) {
        *to = ScoreTerm {
            weight,
            below_zero: i32::from(of.part == Part::BelowZero),
            ..quantity(&of.quantity)
        };
    }
    if let Measure::Declared { relevance, .. } = &score.measure {
        term[terms.len()] = quantity(relevance);
    }
    ScoreRule {
        terms: terms.len() as i32,
        gather: match score.gather {
            Gather::Sum | Gather::Mean => 0,
            Gather::Minimum => 1,
            Gather::Last => 2,
        },
        join: match score.join {
            Join::Added => 0,
            Join::Alone => 1,
            Join::Least => 2,
            Join::Guarded => 3,
        },
        mean: i32::from(score.gather == Gather::Mean),
        n: evaluator.logs().full_term(),
        y,
        unit: evaluator.ratio_unit(),
        term,
    }
}

fn quantity(of: &Quantity) -> ScoreTerm {
    ScoreTerm {
        over: of.over.integers(),
        under: of.under.unwrap_or_default().integers(),
        is_ratio: i32::from(of.under.is_some()),
        ..ScoreTerm::default()
    }
}
