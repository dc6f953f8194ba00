use passel_sdk::{
    Gather, Join, Score, Selector,
    combinations::{H_XWY, XW_Y},
};

/// Normalised joint mutual information maximisation: **min I((x,w);y) / H(x,w,y)** over the
/// chosen w.
///
/// `jmim` with each value divided by the entropy of all three, as `disr` is `jmi` so
/// divided.
///
/// *Source*: M. Bennasar, Y. Hicks and R. Setchi, Feature selection using joint mutual
/// information maximisation, Expert Systems with Applications 42 (2015) 8520–8532.
///
/// ```
/// use passel_information::NJMIM;
/// use passel_sdk::trial;
///
/// // y = x and w; v is x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let v = x;
/// // 0.562335 / 1.386294 = 0.405639, and 0.215762 / 1.039721 = 0.207519.
/// let score = (NJMIM.score)(&[])?;
/// let value = trial::score(&score, &x, &[&w, &v], &y);
/// assert!((value - 0.207519).abs() < 1e-6);
/// # Ok::<(), String>(())
/// ```
pub const NJMIM: Selector = Selector {
    name: "njmim",
    title: "normalised joint mutual information maximisation",
    formula: "min I((x,w);y) / H(x,w,y)",
    source: "M. Bennasar, Y. Hicks and R. Setchi, Feature selection using joint mutual information maximisation, Expert Systems with Applications 42 (2015) 8520–8532",
    parameters: &[],
    score: |_| {
        Ok(Score {
            terms: vec![XW_Y.over(H_XWY).into()],
            gather: Gather::Minimum,
            join: Join::Alone,
            ..Score::default()
        })
    },
};
