use passel_sdk::{Gather, Score, Selector, combinations::X_W};

/// Minimum redundancy, maximum relevance: **I(x;y) − (1/|S|)·Σ I(w;x)** over the chosen w ∈
/// S.
///
/// `mifs` with β = 1/|S|: redundancy is a mean, so it keeps its weight however many are
/// chosen. Blind, as `mifs` is, to what x and w tell together (`jmi`).
///
/// *Source*: H. Peng, F. Long and C. Ding, Feature selection based on mutual information:
/// criteria of max-dependency, max-relevance, and min-redundancy, IEEE TPAMI 27 (2005)
/// 1226–1238.
///
/// ```
/// use passel_information::MRMR;
/// use passel_sdk::trial;
///
/// // y = x and w; v is x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let v = x;
/// // I(x;y) = 0.215762; I(w;x) = 0 and I(v;x) = 0.693147 have the mean 0.346574.
/// let score = (MRMR.score)(&[])?;
/// let value = trial::score(&score, &x, &[&w, &v], &y);
/// assert!((value + 0.130812).abs() < 1e-6);
/// # Ok::<(), String>(())
/// ```
pub const MRMR: Selector = Selector {
    name: "mrmr",
    title: "minimum redundancy, maximum relevance",
    formula: "I(x;y) − (1/|S|)·Σ I(w;x)",
    source: "H. Peng, F. Long and C. Ding, Feature selection based on mutual information: criteria of max-dependency, max-relevance, and min-redundancy, IEEE TPAMI 27 (2005) 1226–1238",
    parameters: &[],
    score: |_| {
        Ok(Score {
            terms: vec![X_W.weighing(-1.0)],
            gather: Gather::Mean,
            ..Score::default()
        })
    },
};
