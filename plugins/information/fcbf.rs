use passel_sdk::{
    Combination, Gather, Join, Parameter, ParameterKind, Quantity, Score, Selector,
    combinations::{H_W, H_X, H_Y, X_W, X_Y},
};

/// Fast correlation-based filter: those of **SU(x;y)** above a threshold, in this order, without
/// each x that a chosen w tells more of than y does, SU(x;w) > SU(x;y); ends where none is left.
///
/// Symmetric uncertainty SU(a;b) = 2·I(a;b) / (H(a) + H(b)) is 0 … 1, whatever the levels.
/// The others here weigh redundancy against relevance; this one only compares the two, so that
/// it says by itself how many to choose.
///
/// Where the two are equal x stays, as in FEAST; the paper drops it.
///
/// *Source*: L. Yu and H. Liu, Feature selection for high-dimensional data: a fast
/// correlation-based filter solution, ICML (2003) 856–863.
///
/// ```
/// use passel_information::FCBF;
/// use passel_sdk::trial;
///
/// // y = x and w; v is x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let v = x;
/// // SU(x;y) = 2·0.215762 / (0.693147 + 0.562335), SU(x;w) = 0, SU(x;v) = 1.
/// let score = (FCBF.score)(&[0.0])?;
/// let value = trial::score(&score, &x, &[&w], &y);
/// assert!((value - 0.343711).abs() < 1e-6);
/// let value = trial::score(&score, &x, &[&w, &v], &y);
/// assert_eq!(value, f64::NEG_INFINITY);
/// # Ok::<(), String>(())
/// ```
pub const FCBF: Selector = Selector {
    name: "fcbf",
    title: "fast correlation-based filter",
    formula: "SU(x;y) > threshold, never where SU(x;w) > SU(x;y); SU(a;b) = 2·I(a;b) / (H(a) + H(b))",
    source: "L. Yu and H. Liu, Feature selection for high-dimensional data: a fast correlation-based filter solution, ICML (2003) 856–863",
    parameters: &[Parameter {
        name: "threshold",
        help: "Symmetric uncertainty with the response that is not enough",
        default: 0.0,
        least: 0.0,
        most: 1.0,
        kind: ParameterKind::Number,
    }],
    score: |values| {
        let relevance = uncertainty(X_Y, H_X + H_Y);
        let redundancy = uncertainty(X_W, H_X + H_W);
        Ok(Score {
            relevance,
            terms: vec![relevance.into(), redundancy.weighing(-1.0)],
            gather: Gather::Minimum,
            join: Join::Guarded,
            floor: Some(values[0]),
            ..Score::default()
        })
    },
};

fn uncertainty(shared: Combination, entropies: Combination) -> Quantity {
    (2 * shared).over(entropies)
}
