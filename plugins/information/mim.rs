use passel_sdk::{Score, Selector};

/// Mutual information maximisation: **I(x;y)**.
///
/// Every variable is judged by itself, and two alike are both chosen: all other selectors
/// here differ in what they make of the variables chosen before.
///
/// *Source*: D. D. Lewis, Feature selection and feature extraction for text categorization,
/// Speech and Natural Language (1992) 212–217.
///
/// ```
/// use passel_information::MIM;
/// use passel_sdk::trial;
///
/// // y = x and w; v is x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let v = x;
/// // H(y) − H(y|x) = 0.562335 − 0.346574, whatever was chosen.
/// let score = (MIM.score)(&[])?;
/// let value = trial::score(&score, &x, &[&w, &v], &y);
/// assert!((value - 0.215762).abs() < 1e-6);
/// # Ok::<(), String>(())
/// ```
pub const MIM: Selector = Selector {
    name: "mim",
    title: "mutual information maximisation",
    formula: "I(x;y)",
    source: "D. D. Lewis, Feature selection and feature extraction for text categorization, Speech and Natural Language (1992) 212–217",
    parameters: &[],
    score: |_| Ok(Score::default()),
};
