use passel_sdk::{
    Combine, Finish, Gathered, Score, Selector,
    combinations::{H_X, H_XW, H_XWY, H_XY, X_W},
};

/// Feature selection by the uncertainty change ratio: **I(x;y) − (1/|S|)·Σ I(w;x) + Σ I(w;y|x) /
/// (H(y|x) + H(y|x,w))** over the chosen w ∈ S.
///
/// `mrmr`, and for each w how much of what x leaves uncertain of y it takes away, as a share of what is
/// uncertain before and after.
///
/// *Source*: P. Zhang and W. Gao, Feature selection considering uncertainty change ratio of the
/// class label, Applied Soft Computing 95 (2020) 106537.
///
/// ```
/// use passel_information::UCRFS;
/// use passel_sdk::trial;
///
/// // y = x and w; v is x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let v = x;
/// // 0.215762 − 0.346574; w takes away all that is left, v nothing: 1 + 0.
/// let score = (UCRFS.score)(&[])?;
/// let value = trial::score(&score, &x, &[&w, &v], &y);
/// assert!((value - 0.869188).abs() < 1e-6);
/// # Ok::<(), String>(())
/// ```
pub const UCRFS: Selector = Selector {
    name: "ucrfs",
    title: "feature selection by the uncertainty change ratio",
    formula: "I(x;y) − (1/|S|)·Σ I(w;x) + Σ I(w;y|x) / (H(y|x) + H(y|x,w))",
    source: "P. Zhang and W. Gao, Feature selection considering uncertainty change ratio of the class label, Applied Soft Computing 95 (2020) 106537",
    parameters: &[],
    score: |_| {
        // H(y|x) and H(y|x,w); their difference is I(w;y|x).
        let (before, after) = (H_XY - H_X, H_XWY - H_XW);
        Ok(Score {
            terms: vec![X_W.into(), (before - after).over(before + after).into()],
            combine: Combine::Apart,
            finish: Some(&CHANGE),
            ..Score::default()
        })
    },
};

static CHANGE: Finish = Finish::new(change);

fn change(_: &[f64], own: &Gathered) -> f64 {
    let mean = own.values[0] / own.steps.max(1) as f64;
    own.relevance - mean + own.values[1]
}
