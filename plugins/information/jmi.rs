use passel_sdk::{Join, Score, Selector, combinations::XW_Y};

/// Joint mutual information: **Σ I((x,w);y)** over the chosen w.
///
/// x is judged by what it tells together with each chosen variable, so that synergy counts
/// for it. The plain sum, which orders as the mean does. `disr` divides each summand by the
/// entropy, `jmim` takes the least in place of the sum.
///
/// *Source*: H. H. Yang and J. Moody, Data visualization and feature selection: new
/// algorithms for nongaussian data, NIPS 12 (1999) 687–693.
///
/// ```
/// use passel_information::JMI;
/// use passel_sdk::trial;
///
/// // y = x and w; v is x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let v = x;
/// // I((x,w);y) = H(y) = 0.562335, and I((x,v);y) = I(x;y) = 0.215762.
/// let score = (JMI.score)(&[])?;
/// let value = trial::score(&score, &x, &[&w, &v], &y);
/// assert!((value - 0.778097).abs() < 1e-6);
/// # Ok::<(), String>(())
/// ```
pub const JMI: Selector = Selector {
    name: "jmi",
    title: "joint mutual information",
    formula: "Σ I((x,w);y)",
    source: "H. H. Yang and J. Moody, Data visualization and feature selection: new algorithms for nongaussian data, NIPS 12 (1999) 687–693",
    parameters: &[],
    score: |_| {
        Ok(Score {
            terms: vec![XW_Y.into()],
            join: Join::Alone,
            ..Score::default()
        })
    },
};
