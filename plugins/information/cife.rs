use passel_sdk::{
    Score, Selector,
    combinations::{X_W, X_W_GIVEN_Y},
};

/// Conditional infomax feature extraction: **I(x;y) + Σ [I(w;x|y) − I(w;x)]** over the
/// chosen w.
///
/// `betagamma` with β = γ = 1: redundancy within the classes is no fault. Each summand is
/// synergy where it is above zero; `icap` counts only those below.
///
/// *Source*: D. Lin and X. Tang, Conditional infomax learning: an integrated framework for
/// feature extraction and fusion, ECCV (2006) 68–82.
///
/// ```
/// use passel_information::CIFE;
/// use passel_sdk::trial;
///
/// // y = x and w; v is x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let v = x;
/// // I(x;y) = 0.215762; w gives 0.130812 − 0, v gives 0.477386 − 0.693147.
/// let score = (CIFE.score)(&[])?;
/// let value = trial::score(&score, &x, &[&w, &v], &y);
/// assert!((value - 0.130812).abs() < 1e-6);
/// # Ok::<(), String>(())
/// ```
pub const CIFE: Selector = Selector {
    name: "cife",
    title: "conditional infomax feature extraction",
    formula: "I(x;y) + Σ [I(w;x|y) − I(w;x)]",
    source: "D. Lin and X. Tang, Conditional infomax learning: an integrated framework for feature extraction and fusion, ECCV (2006) 68–82",
    parameters: &[],
    score: |_| {
        Ok(Score {
            terms: vec![(X_W_GIVEN_Y - X_W).into()],
            ..Score::default()
        })
    },
};
