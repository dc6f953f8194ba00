use passel_sdk::{
    Combine, Gather, Score, Selector,
    combinations::{H_W, H_X, X_W},
};

/// Normalised mutual information feature selection: **I(x;y) − (1/|S|)·Σ I(w;x) / min(H(w), H(x))**
/// over the chosen w ∈ S.
///
/// `mrmr` with each redundancy on a scale of 0 to 1, so that variables of many levels are not
/// taken for redundant ones.
///
/// *Source*: P. A. Estévez, M. Tesmer, C. A. Perez and J. M. Zurada, Normalized mutual
/// information feature selection, IEEE Transactions on Neural Networks 20 (2009) 189–201.
///
/// ```
/// use passel_information::NMIFS;
/// use passel_sdk::trial;
///
/// // y = x and w; v is x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let v = x;
/// // I(x;y) = 0.215762; the shares are 0 and 1.
/// let score = (NMIFS.score)(&[])?;
/// let value = trial::score(&score, &x, &[&w, &v], &y);
/// assert!((value + 0.284238).abs() < 1e-6);
/// # Ok::<(), String>(())
/// ```
pub const NMIFS: Selector = Selector {
    name: "nmifs",
    title: "normalised mutual information feature selection",
    formula: "I(x;y) − (1/|S|)·Σ I(w;x) / min(H(w), H(x))",
    source: "P. A. Estévez, M. Tesmer, C. A. Perez and J. M. Zurada, Normalized mutual information feature selection, IEEE Transactions on Neural Networks 20 (2009) 189–201",
    parameters: &[],
    score: |_| {
        // By the lesser entropy it is the larger of two shares: less it, the lesser.
        let less = |entropy| X_W.over(entropy).weighing(-1.0);
        Ok(Score {
            terms: vec![less(H_X), less(H_W)],
            combine: Combine::Least,
            gather: Gather::Mean,
            ..Score::default()
        })
    },
};
