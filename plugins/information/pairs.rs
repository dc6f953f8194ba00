//! Scores of every pair of variables.

use passel_sdk::{
    PairMeasure, PairScore,
    combinations::{W_Y, X_Y, XW_Y},
};

/// Mutual information of two variables and the response: **I((x,w);y)**.
///
/// What the pair tells of y, whoever of the two tells it; `synergy` is what neither tells
/// alone.
///
/// *Source*: W. J. McGill, Multivariate information transmission, Psychometrika 19 (1954)
/// 97–116.
///
/// ```
/// use passel_information::MI3;
/// use passel_sdk::trial;
///
/// // y = x and w: the pair tells all of it, H(y) = ln 4 − ¾·ln 3.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let value = trial::pair_score(&MI3, &[], &x, &w, &y);
/// assert!((value - 0.562335).abs() < 1e-6);
/// ```
pub const MI3: PairScore = PairScore {
    name: "mi3",
    title: "three-variate mutual information",
    formula: "I((x,w);y)",
    source: "W. J. McGill, Multivariate information transmission, Psychometrika 19 (1954) 97–116",
    parameters: &[],
    measure: PairMeasure::Quantity(|| XW_Y.into()),
};

/// Synergy: **I((x,w);y) − I(x;y) − I(w;y)**.
///
/// Above zero where the two tell of y what neither tells alone, below where they tell the same
/// twice. It is −I(x;w) + I(x;w|y), McGill's interaction information.
///
/// *Source*: D. Anastassiou, Computational analysis of the synergy among multiple interacting
/// genes, Molecular Systems Biology 3 (2007) 83.
///
/// ```
/// use passel_information::SYNERGY;
/// use passel_sdk::trial;
///
/// // y = x and w: 0.562335 − 2·0.215762.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let value = trial::pair_score(&SYNERGY, &[], &x, &w, &y);
/// assert!((value - 0.130812).abs() < 1e-6);
/// // A variable beside itself tells the same twice: −I(x;y).
/// let value = trial::pair_score(&SYNERGY, &[], &x, &x, &y);
/// assert!((value + 0.215762).abs() < 1e-6);
/// ```
pub const SYNERGY: PairScore = PairScore {
    name: "synergy",
    title: "synergy of two variables",
    formula: "I((x,w);y) − I(x;y) − I(w;y)",
    source: "D. Anastassiou, Computational analysis of the synergy among multiple interacting genes, Molecular Systems Biology 3 (2007) 83",
    parameters: &[],
    measure: PairMeasure::Quantity(|| (XW_Y - X_Y - W_Y).into()),
};
