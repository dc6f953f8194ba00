use passel_sdk::{Parameter, ParameterKind, Score, Selector, combinations::X_W};

/// Mutual information feature selection: **I(x;y) − β·Σ I(w;x)** over the chosen w.
///
/// Redundancy grows with every choice and soon outweighs relevance; `mrmr` divides it by
/// the number chosen.
///
/// *Source*: R. Battiti, Using mutual information for selecting features in supervised
/// neural net learning, IEEE Transactions on Neural Networks 5 (1994) 537–550.
///
/// ```
/// use passel_information::MIFS;
/// use passel_sdk::trial;
///
/// // y = x and w; v is x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let v = x;
/// // I(x;y) = 0.215762, I(w;x) = 0, I(v;x) = ln 2 = 0.693147.
/// let score = (MIFS.score)(&[1.0])?;
/// let value = trial::score(&score, &x, &[&w, &v], &y);
/// assert!((value + 0.477386).abs() < 1e-6);
/// let score = (MIFS.score)(&[0.5])?;
/// let value = trial::score(&score, &x, &[&w, &v], &y);
/// assert!((value + 0.130812).abs() < 1e-6);
/// # Ok::<(), String>(())
/// ```
pub const MIFS: Selector = Selector {
    name: "mifs",
    title: "mutual information feature selection",
    formula: "I(x;y) − beta·Σ I(w;x)",
    source: "R. Battiti, Using mutual information for selecting features in supervised neural net learning, IEEE Transactions on Neural Networks 5 (1994) 537–550",
    parameters: &[Parameter {
        name: "beta",
        help: "What redundancy counts beside relevance",
        default: 1.0,
        least: 0.0,
        most: 100.0,
        kind: ParameterKind::Number,
    }],
    score: |values| {
        Ok(Score {
            terms: vec![X_W.weighing(-values[0])],
            ..Score::default()
        })
    },
};
