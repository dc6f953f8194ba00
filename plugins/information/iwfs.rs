use passel_sdk::{
    Finish, Gather, Gathered, Score, Selector,
    combinations::{H_W, H_X, H_Y, X_Y, X_Y_GIVEN_W},
};

/// Interaction weight based feature selection: **(1 + SU(x;y))·Π (1 + (I(x;y|w) − I(x;y)) / (H(x) +
/// H(w)))** over the chosen w, with SU(x;y) = 2·I(x;y) / (H(x) + H(y)).
///
/// As `dwfs`, but what tells nothing of y alone keeps a chance by what it tells beside others.
///
/// *Source*: Z. Zeng, H. Zhang, R. Zhang and C. Yin, A novel feature selection method
/// considering feature interaction, Pattern Recognition 48 (2015) 2656–2666.
///
/// ```
/// use passel_information::IWFS;
/// use passel_sdk::trial;
///
/// // y = x and w; v is x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let v = x;
/// // SU = 0.343711; I(x;y|w) − I(x;y) = 0.130812 and −0.215762 of v, over 1.386294: the factors are
/// // 1.094361 and 0.844361.
/// let score = (IWFS.score)(&[])?;
/// let value = trial::score(&score, &x, &[&w, &v], &y);
/// assert!((value - 1.241637).abs() < 1e-5);
/// # Ok::<(), String>(())
/// ```
pub const IWFS: Selector = Selector {
    name: "iwfs",
    title: "interaction weight based feature selection",
    formula: "(1 + SU(x;y))·Π (1 + (I(x;y|w) − I(x;y)) / (H(x) + H(w))), SU(x;y) = 2·I(x;y) / (H(x) + H(y))",
    source: "Z. Zeng, H. Zhang, R. Zhang and C. Yin, A novel feature selection method considering feature interaction, Pattern Recognition 48 (2015) 2656–2666",
    parameters: &[],
    score: |_| {
        let both = H_X + H_W;
        Ok(Score {
            relevance: (2 * X_Y).over(H_X + H_Y),
            terms: vec![(both + X_Y_GIVEN_W - X_Y).over(both).into()],
            gather: Gather::Product,
            finish: Some(&WEIGHED),
            ..Score::default()
        })
    },
};

static WEIGHED: Finish = Finish::new(weighed);

fn weighed(_: &[f64], own: &Gathered) -> f64 {
    let alone = 1.0 + own.relevance;
    match own.steps {
        0 => alone,
        _ => alone * own.values[0],
    }
}
