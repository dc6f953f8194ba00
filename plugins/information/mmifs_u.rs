use passel_sdk::{
    Combine, Gather, Score, Selector,
    combinations::{H_W, W_Y, X_W},
};

/// Modified mutual information feature selection under uniform information: **I(x;y) − max
/// (I(w;y)/H(w))·I(w;x)** over the chosen w.
///
/// `mifs-u` with the largest redundancy in place of their sum, which does not grow with what is
/// chosen.
///
/// *Source*: J. Novovičová, P. Somol, M. Haindl and P. Pudil, Conditional mutual information
/// based feature selection for classification task, CIARP (2007) 417–426.
///
/// ```
/// use passel_information::MMIFS_U;
/// use passel_sdk::trial;
///
/// // y = x and w; v is x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let v = x;
/// // I(x;y) = 0.215762; of w 0, of v 0.215762.
/// let score = (MMIFS_U.score)(&[])?;
/// let value = trial::score(&score, &x, &[&w, &v], &y);
/// assert!(value.abs() < 1e-12);
/// let value = trial::score(&score, &x, &[&w], &y);
/// assert!((value - 0.215762).abs() < 1e-6);
/// # Ok::<(), String>(())
/// ```
pub const MMIFS_U: Selector = Selector {
    name: "mmifs-u",
    title: "modified mutual information feature selection under uniform information",
    formula: "I(x;y) − max (I(w;y)/H(w))·I(w;x)",
    source: "J. Novovičová, P. Somol, M. Haindl and P. Pudil, Conditional mutual information based feature selection for classification task, CIARP (2007) 417–426",
    parameters: &[],
    score: |_| {
        Ok(Score {
            terms: vec![W_Y.over(H_W).weighing(-1.0), X_W.into()],
            combine: Combine::Product,
            gather: Gather::Minimum,
            ..Score::default()
        })
    },
};
