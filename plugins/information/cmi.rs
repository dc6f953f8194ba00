use passel_sdk::{Against, Gather, Join, Score, Selector, combinations::X_Y_GIVEN_W};

/// Conditional mutual information: **I(x;y|S)**, S all chosen variables joined; ends where
/// nothing is left to tell.
///
/// The exact gain that all others here approximate by pairs. The joined levels soon
/// outnumber the observations: then every candidate seems to tell nothing more.
///
/// *Source*: G. Brown, A. Pocock, M.-J. Zhao and M. Luján, Conditional likelihood
/// maximisation: a unifying framework for information theoretic feature selection, JMLR 13
/// (2012) 27–66.
///
/// ```
/// use passel_information::CMI;
/// use passel_sdk::trial;
///
/// // y = x and w; v is x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let v = x;
/// // I(x;y|w) = H(y|w) = 0.346574; v is x again, with which nothing is left.
/// let score = (CMI.score)(&[])?;
/// let value = trial::score(&score, &x, &[&w], &y);
/// assert!((value - 0.346574).abs() < 1e-6);
/// let score = (CMI.score)(&[])?;
/// let value = trial::score(&score, &x, &[&v, &w], &y);
/// assert!(value.abs() < 1e-6);
/// # Ok::<(), String>(())
/// ```
pub const CMI: Selector = Selector {
    name: "cmi",
    title: "conditional mutual information",
    formula: "I(x;y|S)",
    source: "G. Brown, A. Pocock, M.-J. Zhao and M. Luján, Conditional likelihood maximisation: a unifying framework for information theoretic feature selection, JMLR 13 (2012) 27–66",
    parameters: &[],
    score: |_| {
        Ok(Score {
            terms: vec![X_Y_GIVEN_W.into()],
            gather: Gather::Last,
            join: Join::Alone,
            against: Against::Joint,
            floor: Some(0.0),
            ..Score::default()
        })
    },
};
