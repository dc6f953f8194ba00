use passel_sdk::{
    Score, Selector, Term,
    combinations::{X_W, X_W_GIVEN_Y},
};

/// Interaction capping: **I(x;y) + Σ min(0, I(w;x|y) − I(w;x))** over the chosen w.
///
/// `cife` without its synergy: what x and a chosen variable tell beyond each other is no
/// merit, what they tell twice is a fault.
///
/// *Source*: A. Jakulin, Machine learning based on attribute interactions, PhD thesis,
/// University of Ljubljana (2005).
///
/// ```
/// use passel_information::ICAP;
/// use passel_sdk::trial;
///
/// // y = x and w; v is x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let v = x;
/// // I(x;y) = 0.215762; w's 0.130812 does not count, v's 0.477386 − 0.693147 does.
/// let score = (ICAP.score)(&[])?;
/// let value = trial::score(&score, &x, &[&w], &y);
/// assert!((value - 0.215762).abs() < 1e-6);
/// let score = (ICAP.score)(&[])?;
/// let value = trial::score(&score, &x, &[&w, &v], &y);
/// assert!(value.abs() < 1e-6);
/// # Ok::<(), String>(())
/// ```
pub const ICAP: Selector = Selector {
    name: "icap",
    title: "interaction capping",
    formula: "I(x;y) + Σ min(0, I(w;x|y) − I(w;x))",
    source: "A. Jakulin, Machine learning based on attribute interactions, PhD thesis, University of Ljubljana (2005)",
    parameters: &[],
    score: |_| {
        Ok(Score {
            terms: vec![Term::from(X_W_GIVEN_Y - X_W).below_zero()],
            ..Score::default()
        })
    },
};
