use passel_sdk::{Gather, Join, Score, Selector, combinations::X_Y_GIVEN_W};

/// Conditional mutual information maximisation: **min(I(x;y), min I(x;y|w))** over the
/// chosen w.
///
/// x is worth what it adds to the one chosen variable that makes it most superfluous.
/// `jmim` takes the least of I((x,w);y), which counts what w tells by itself.
///
/// *Source*: F. Fleuret, Fast binary feature selection with conditional mutual information,
/// JMLR 5 (2004) 1531–1555.
///
/// ```
/// use passel_information::CMIM;
/// use passel_sdk::trial;
///
/// // y = x and w; v is x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let v = x;
/// // I(x;y) = 0.215762, I(x;y|w) = H(y|w) = 0.346574; v is x again, and I(x;y|v) = 0.
/// let score = (CMIM.score)(&[])?;
/// let value = trial::score(&score, &x, &[&w], &y);
/// assert!((value - 0.215762).abs() < 1e-6);
/// let score = (CMIM.score)(&[])?;
/// let value = trial::score(&score, &x, &[&w, &v], &y);
/// assert!(value.abs() < 1e-6);
/// # Ok::<(), String>(())
/// ```
pub const CMIM: Selector = Selector {
    name: "cmim",
    title: "conditional mutual information maximisation",
    formula: "min(I(x;y), min I(x;y|w))",
    source: "F. Fleuret, Fast binary feature selection with conditional mutual information, JMLR 5 (2004) 1531–1555",
    parameters: &[],
    score: |_| {
        Ok(Score {
            terms: vec![X_Y_GIVEN_W.into()],
            gather: Gather::Minimum,
            join: Join::Least,
            ..Score::default()
        })
    },
};
