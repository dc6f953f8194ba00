use passel_sdk::{Against, Join, Score, Selector, combinations::XW_Y};

/// Joint mutual information of third order: **Σ I((s,t,x);y)** over every two chosen s and t;
/// while one is chosen, its I((s,x);y).
///
/// `jmi` with pairs in place of single variables, so that what three tell together counts; the
/// second choice is that of `jmi`. A step takes as many counts as variables are chosen, and the
/// joined levels of two soon leave few observations to each.
///
/// *Source*: K. Sechidis, L. Azzimonti, A. Pocock, G. Corani, J. Weatherall and G. Brown,
/// Efficient feature selection using shrinkage estimators, Machine Learning 108 (2019)
/// 1261–1286; with entropies as they are counted, not shrunken.
///
/// ```
/// use passel_information::JMI3;
/// use passel_sdk::trial;
///
/// // y = x and w; u and v are x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let (u, v) = (x, x);
/// let score = (JMI3.score)(&[])?;
/// // One is chosen: I((w,x);y) = H(y) = 0.562335.
/// let value = trial::score(&score, &x, &[&w], &y);
/// assert!((value - 0.562335).abs() < 1e-6);
/// // (w,u) and (w,v) with x tell H(y); (u,v) with x tells I(x;y) = 0.215762.
/// let value = trial::score(&score, &x, &[&w, &u, &v], &y);
/// assert!((value - 1.340432).abs() < 1e-6);
/// # Ok::<(), String>(())
/// ```
pub const JMI3: Selector = Selector {
    name: "jmi3",
    title: "joint mutual information of third order",
    formula: "Σ I((s,t,x);y) over pairs s, t",
    source: "K. Sechidis, L. Azzimonti, A. Pocock, G. Corani, J. Weatherall and G. Brown, Efficient feature selection using shrinkage estimators, Machine Learning 108 (2019) 1261–1286",
    parameters: &[],
    score: |_| {
        Ok(Score {
            terms: vec![XW_Y.into()],
            join: Join::Alone,
            against: Against::Pairs,
            ..Score::default()
        })
    },
};
