//! My selector.

use passel_sdk::{
    Gather, Parameter, ParameterKind, Score, Selector,
    combinations::{X_W, X_Y_GIVEN_W},
};

/// **I(x;y) + mean over the chosen w of [I(x;y|w) − a·I(x;w)]**: x is the candidate, w a chosen
/// variable, y the response.
pub const SELECTOR: Selector = Selector {
    name: "my-score",
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

passel_sdk::plugin! { name: my_score, selectors: [SELECTOR] }

#[cfg(test)]
mod tests {
    use super::*;
    use passel_sdk::trial;

    #[test]
    fn the_numbers_worked_by_hand() {
        // y is 1 where u and v differ: I(u;y) = I(v;y) = I(u;v) = 0, I(v;y|u) = ln 2.
        let (u, v, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]);
        let score = (SELECTOR.score)(&[0.5]).unwrap();
        let value = trial::score(&score, &v, &[&u], &y);
        assert!((value - 2f64.ln()).abs() < 1e-12);
        // Of a copy of u, I(u;u) = ln 2 is known already.
        let value = trial::score(&score, &u, &[&u], &y);
        assert!((value + 0.5 * 2f64.ln()).abs() < 1e-12);
    }
}
