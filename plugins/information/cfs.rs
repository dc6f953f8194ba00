use passel_sdk::{
    Finish, Gathered, Score, Selector,
    combinations::{H_W, H_X, H_Y, X_W, X_Y},
};

/// Correlation-based feature selection: the **merit Σ SU(s;y) / √(k + 2·Σ SU(s;t))** over all s and all
/// pairs s, t of the k variables that are the chosen and x, with SU(a;b) = 2·I(a;b) / (H(a) + H(b)).
///
/// It scores the set rather than the candidate, and the selection ends where no candidate makes it
/// better (forward selection, as WEKA's `GreedyStepwise`).
///
/// *Source*: M. A. Hall, Correlation-based feature selection for discrete and numeric class
/// machine learning, ICML (2000) 359–366.
///
/// ```
/// use passel_information::CFS;
/// use passel_sdk::trial;
///
/// // y = x and w; v is x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let v = x;
/// // SU(x;y) = SU(w;y) = 0.343711, SU(w;x) = 0: 0.687422 / √2.
/// let score = (CFS.score)(&[])?;
/// let value = trial::score(&score, &x, &[&w], &y);
/// assert!((value - 0.486081).abs() < 1e-6);
/// // v is x again: 1.031133 / √5 = 0.461137 is less than without it.
/// assert_eq!(trial::score(&score, &v, &[&w, &x], &y), f64::NEG_INFINITY);
/// # Ok::<(), String>(())
/// ```
pub const CFS: Selector = Selector {
    name: "cfs",
    title: "correlation-based feature selection",
    formula: "Σ SU(s;y) / √(k + 2·Σ SU(s;t)) over all s and all pairs s, t of the chosen and x, k in number",
    source: "M. A. Hall, Correlation-based feature selection for discrete and numeric class machine learning, ICML (2000) 359–366",
    parameters: &[],
    score: |_| {
        Ok(Score {
            relevance: (2 * X_Y).over(H_X + H_Y),
            terms: vec![(2 * X_W).over(H_X + H_W).into()],
            finish: Some(&MERIT),
            // What makes the set no better is −∞.
            floor: Some(0.0),
            ..Score::default()
        })
    },
};

static MERIT: Finish = Finish::new(merit);

fn merit(_: &[f64], own: &Gathered) -> f64 {
    let of = |k: usize, relevance: f64, pairs: f64| relevance / (k as f64 + 2.0 * pairs).sqrt();
    let relevance = own.chosen_relevance + own.relevance;
    let merit = of(
        own.chosen + 1,
        relevance,
        own.chosen_values[0] + own.values[0],
    );
    if own.chosen == 0 {
        return merit;
    }
    // Rounded sums may differ in their last digits.
    let before = of(own.chosen, own.chosen_relevance, own.chosen_values[0]);
    match merit > before * (1.0 + 1e-12) {
        true => merit,
        false => f64::NEG_INFINITY,
    }
}
