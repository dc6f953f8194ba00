//! My selectors.

use passel_sdk::{
    Gather, Parameter, ParameterKind, Score, Selector,
    combinations::{X_W, X_Y_GIVEN_W},
};

/// **I(x;y) + mean over the chosen w of [I(x;y|w) − a·I(x;w)]**: x is the candidate, w a chosen
/// variable, y the response.
pub const MINE: Selector = Selector {
    name: "mine",
    title: "what is new, less what is known",
    formula: "I(x;y) + (1/|S|)·Σ [I(x;y|w) − a·I(x;w)]",
    source: "unpublished",
    parameters: &[Parameter {
        name: "a",
        help: "What redundancy takes away",
        default: 0.5,
        least: 0.0,
        most: 10.0,
        kind: ParameterKind::Number,
    }],
    score: |values| {
        Ok(Score {
            terms: vec![X_Y_GIVEN_W.into(), X_W.weighing(-values[0])],
            gather: Gather::Mean,
            ..Score::default()
        })
    },
};

passel_sdk::plugin! { name: mine, selectors: [MINE] }

#[cfg(test)]
mod tests {
    use super::*;
    use passel_sdk::trial;

    #[test]
    fn a_number_worked_by_hand() {
        // y is 1 where x and w differ: I(x;y) = I(x;w) = 0, I(x;y|w) = ln 2.
        let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]);
        let score = (MINE.score)(&[0.5]).unwrap();
        let value = trial::score(&score, &x, &[&w], &y);
        assert!((value - 2f64.ln()).abs() < 1e-12);
    }
}
