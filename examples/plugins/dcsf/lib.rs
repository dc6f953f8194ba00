//! A selector in Rust: its score is declared.

use passel_sdk::{
    Join, Score, Selector,
    combinations::{X_W, X_Y, X_Y_GIVEN_W, XW_Y},
};

/// **Σ [I(x;y|w) + I(w;y|x) − I(x;w)]** over the chosen w: what x tells beyond each chosen
/// variable, what that tells beyond x, less what both share.
pub const DCSF: Selector = Selector {
    name: "dcsf",
    title: "dynamic change of selected features with the class",
    formula: "Σ [I(x;y|w) + I(w;y|x) − I(x;w)]",
    source: "W. Gao, L. Hu and P. Zhang, Class-specific mutual information variation for feature selection, Pattern Recognition 79 (2018) 328–339",
    parameters: &[],
    score: |_| {
        Ok(Score {
            // I(w;y|x) is what I((x,w);y) leaves of I(x;y).
            terms: vec![(X_Y_GIVEN_W + XW_Y - X_Y - X_W).into()],
            join: Join::Alone,
            ..Score::default()
        })
    },
};

passel_sdk::plugin! { name: dcsf, selectors: [DCSF] }

#[cfg(test)]
mod tests {
    use super::*;
    use passel_sdk::trial;

    #[test]
    fn both_halves_of_an_exclusive_or_tell_all() {
        // y is 1 where x and w differ: I(x;w) = 0, I(x;y|w) = I(w;y|x) = ln 2.
        let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]);
        let score = (DCSF.score)(&[]).unwrap();
        let value = trial::score(&score, &x, &[&w], &y);
        assert!((value - 2.0 * 2f64.ln()).abs() < 1e-12);
    }
}
