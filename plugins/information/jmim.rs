use passel_sdk::{Gather, Join, Score, Selector, combinations::XW_Y};

/// Joint mutual information maximisation: **min I((x,w);y)** over the chosen w.
///
/// `jmi` with the least in place of the sum: one chosen variable that makes x superfluous
/// is not outweighed by many that do not.
///
/// *Source*: M. Bennasar, Y. Hicks and R. Setchi, Feature selection using joint mutual
/// information maximisation, Expert Systems with Applications 42 (2015) 8520–8532.
///
/// ```
/// use passel_information::JMIM;
/// use passel_sdk::trial;
///
/// // y = x and w; v is x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let v = x;
/// // I((x,w);y) = H(y) = 0.562335, and I((x,v);y) = I(x;y) = 0.215762.
/// let score = (JMIM.score)(&[])?;
/// let value = trial::score(&score, &x, &[&w, &v], &y);
/// assert!((value - 0.215762).abs() < 1e-6);
/// # Ok::<(), String>(())
/// ```
pub const JMIM: Selector = Selector {
    name: "jmim",
    title: "joint mutual information maximisation",
    formula: "min I((x,w);y)",
    source: "M. Bennasar, Y. Hicks and R. Setchi, Feature selection using joint mutual information maximisation, Expert Systems with Applications 42 (2015) 8520–8532",
    parameters: &[],
    score: |_| {
        Ok(Score {
            terms: vec![XW_Y.into()],
            gather: Gather::Minimum,
            join: Join::Alone,
            ..Score::default()
        })
    },
};
