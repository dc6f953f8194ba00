use passel_sdk::{
    Combine, Parameter, ParameterKind, Score, Selector,
    combinations::{H_W, W_Y, X_W},
};

/// Mutual information feature selection under uniform information: **I(x;y) − β·Σ
/// (I(w;y)/H(w))·I(w;x)** over the chosen w.
///
/// `mifs` with each redundancy counted by the share of w that tells of y: what x and w have in common
/// besides costs nothing.
///
/// *Source*: N. Kwak and C.-H. Choi, Input feature selection for classification problems, IEEE
/// Transactions on Neural Networks 13 (2002) 143–159.
///
/// ```
/// use passel_information::MIFS_U;
/// use passel_sdk::trial;
///
/// // y = x and w; v is x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let v = x;
/// // I(x;y) = 0.215762, I(w;x) = 0, and (0.215762 / 0.693147) · 0.693147 = 0.215762 of v.
/// let score = (MIFS_U.score)(&[0.5])?;
/// let value = trial::score(&score, &x, &[&w, &v], &y);
/// assert!((value - 0.107881).abs() < 1e-6);
/// # Ok::<(), String>(())
/// ```
pub const MIFS_U: Selector = Selector {
    name: "mifs-u",
    title: "mutual information feature selection under uniform information",
    formula: "I(x;y) − beta·Σ (I(w;y)/H(w))·I(w;x)",
    source: "N. Kwak and C.-H. Choi, Input feature selection for classification problems, IEEE Transactions on Neural Networks 13 (2002) 143–159",
    parameters: &[Parameter {
        name: "beta",
        help: "What redundancy counts beside relevance",
        default: 1.0,
        least: 0.0,
        most: 100.0,
        kind: ParameterKind::Number,
    }],
    score: |values| {
        Ok(Score {
            terms: vec![W_Y.over(H_W).weighing(-values[0]), X_W.into()],
            combine: Combine::Product,
            ..Score::default()
        })
    },
};
