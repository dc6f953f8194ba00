use passel_sdk::{
    Finish, Gather, Gathered, Score, Selector,
    combinations::{H_X, H_Y, X_Y, X_Y_GIVEN_W},
};

/// Dynamic weighting-based feature selection: **SU(x;y)·Π (1 + 2·(I(x;y|w) − I(x;y)) / (H(x) + H(y)))**
/// over the chosen w, with SU(x;y) = 2·I(x;y) / (H(x) + H(y)).
///
/// The weight of a candidate rises with every chosen variable beside which it tells more of y, and
/// falls with every one that tells the same.
///
/// *Source*: X. Sun, Y. Liu, M. Xu, H. Chen, J. Han and K. Wang, Feature selection using
/// dynamic weights for classification, Knowledge-Based Systems 37 (2013) 541–549.
///
/// ```
/// use passel_information::DWFS;
/// use passel_sdk::trial;
///
/// // y = x and w; v is x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let v = x;
/// // SU = 2 · 0.215762 / 1.255482 = 0.343711; I(x;y|w) = 0.346574 and I(x;y|v) = 0, so that the
/// // factors are 1.208385 and 0.656289.
/// let score = (DWFS.score)(&[])?;
/// let value = trial::score(&score, &x, &[&w, &v], &y);
/// assert!((value - 0.272580).abs() < 1e-6);
/// # Ok::<(), String>(())
/// ```
pub const DWFS: Selector = Selector {
    name: "dwfs",
    title: "dynamic weighting-based feature selection",
    formula: "SU(x;y)·Π (1 + 2·(I(x;y|w) − I(x;y)) / (H(x) + H(y))), SU(x;y) = 2·I(x;y) / (H(x) + H(y))",
    source: "X. Sun, Y. Liu, M. Xu, H. Chen, J. Han and K. Wang, Feature selection using dynamic weights for classification, Knowledge-Based Systems 37 (2013) 541–549",
    parameters: &[],
    score: |_| {
        let both = H_X + H_Y;
        Ok(Score {
            relevance: (2 * X_Y).over(both),
            terms: vec![(both + 2 * (X_Y_GIVEN_W - X_Y)).over(both).into()],
            gather: Gather::Product,
            finish: Some(&WEIGHED),
            ..Score::default()
        })
    },
};

static WEIGHED: Finish = Finish::new(weighed);

fn weighed(_: &[f64], own: &Gathered) -> f64 {
    match own.steps {
        0 => own.relevance,
        _ => own.relevance * own.values[0],
    }
}
