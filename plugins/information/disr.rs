use passel_sdk::{
    Join, Score, Selector,
    combinations::{H_XWY, XW_Y},
};

/// Double input symmetrical relevance: **Σ I((x,w);y) / H(x,w,y)** over the chosen w.
///
/// `jmi` with each summand divided by the entropy of all three, which takes away the favour
/// that variables of many levels find there.
///
/// *Source*: P. E. Meyer and G. Bontempi, On the use of variable complementarity for
/// feature selection in cancer classification, EvoWorkshops (2006) 91–102.
///
/// ```
/// use passel_information::DISR;
/// use passel_sdk::trial;
///
/// // y = x and w; v is x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let v = x;
/// // 0.562335 / 1.386294 = 0.405639, and 0.215762 / 1.039721 = 0.207519.
/// let score = (DISR.score)(&[])?;
/// let value = trial::score(&score, &x, &[&w, &v], &y);
/// assert!((value - 0.613158).abs() < 1e-6);
/// # Ok::<(), String>(())
/// ```
pub const DISR: Selector = Selector {
    name: "disr",
    title: "double input symmetrical relevance",
    formula: "Σ I((x,w);y) / H(x,w,y)",
    source: "P. E. Meyer and G. Bontempi, On the use of variable complementarity for feature selection in cancer classification, EvoWorkshops (2006) 91–102",
    parameters: &[],
    score: |_| {
        Ok(Score {
            terms: vec![XW_Y.over(H_XWY).into()],
            join: Join::Alone,
            ..Score::default()
        })
    },
};
