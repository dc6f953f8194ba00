use passel_sdk::{
    Parameter, ParameterKind, Score, Selector,
    combinations::{X_W, X_W_GIVEN_Y},
};

/// Every sum of relevance and the two redundancies: **I(x;y) − Σ [β·I(w;x) − γ·I(w;x|y)]**
/// over the chosen w.
///
/// (β, 0) is `mifs`, (1, 1) `cife`, (0, 1) `condred`, (0, 0) `mim`.
///
/// *Source*: G. Brown, A. Pocock, M.-J. Zhao and M. Luján, Conditional likelihood
/// maximisation: a unifying framework for information theoretic feature selection, JMLR 13
/// (2012) 27–66.
///
/// ```
/// use passel_information::BETAGAMMA;
/// use passel_sdk::trial;
///
/// // y = x and w; v is x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let v = x;
/// // I(x;y) = 0.215762; Σ I(w;x) = 0.693147, Σ I(w;x|y) = 0.130812 + 0.477386.
/// let score = (BETAGAMMA.score)(&[1.0, 1.0])?;
/// let value = trial::score(&score, &x, &[&w, &v], &y);
/// assert!((value - 0.130812).abs() < 1e-6);
/// let score = (BETAGAMMA.score)(&[0.5, 0.5])?;
/// let value = trial::score(&score, &x, &[&w, &v], &y);
/// assert!((value - 0.173287).abs() < 1e-6);
/// # Ok::<(), String>(())
/// ```
pub const BETAGAMMA: Selector = Selector {
    name: "betagamma",
    title: "redundancy and conditional redundancy, weighed",
    formula: "I(x;y) − Σ [beta·I(w;x) − gamma·I(w;x|y)]",
    source: "G. Brown, A. Pocock, M.-J. Zhao and M. Luján, Conditional likelihood maximisation: a unifying framework for information theoretic feature selection, JMLR 13 (2012) 27–66",
    parameters: &[
        Parameter {
            name: "beta",
            help: "What redundancy takes away",
            default: 1.0,
            least: 0.0,
            most: 100.0,
            kind: ParameterKind::Number,
        },
        Parameter {
            name: "gamma",
            help: "What redundancy within the classes gives back",
            default: 1.0,
            least: 0.0,
            most: 100.0,
            kind: ParameterKind::Number,
        },
    ],
    score: |values| {
        let (beta, gamma) = (values[0], values[1]);
        Ok(Score {
            terms: vec![X_W.weighing(-beta), X_W_GIVEN_Y.weighing(gamma)],
            ..Score::default()
        })
    },
};
