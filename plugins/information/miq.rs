use passel_sdk::{Finish, Gather, Gathered, Score, Selector, combinations::X_W};

/// Minimum redundancy, maximum relevance, by quotient: **I(x;y) / ((1/|S|)·Σ I(w;x))** over the
/// chosen w ∈ S.
///
/// `mrmr` with a quotient in place of the difference, which weighs redundancy by how much relevance
/// there is. A mean below 10⁻⁹ counts as that: what shares nothing with the chosen comes first, by
/// relevance.
///
/// *Source*: C. Ding and H. Peng, Minimum redundancy feature selection from microarray gene
/// expression data, Journal of Bioinformatics and Computational Biology 3 (2005) 185–205.
///
/// ```
/// use passel_information::MIQ;
/// use passel_sdk::trial;
///
/// // y = x and w; v is x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let v = x;
/// // I(x;y) = 0.215762; I(w;x) = 0 and I(v;x) = 0.693147 have the mean 0.346574.
/// let score = (MIQ.score)(&[])?;
/// let value = trial::score(&score, &x, &[&w, &v], &y);
/// assert!((value - 0.622556).abs() < 1e-6);
/// # Ok::<(), String>(())
/// ```
pub const MIQ: Selector = Selector {
    name: "miq",
    title: "minimum redundancy, maximum relevance, by quotient",
    formula: "I(x;y) / ((1/|S|)·Σ I(w;x))",
    source: "C. Ding and H. Peng, Minimum redundancy feature selection from microarray gene expression data, Journal of Bioinformatics and Computational Biology 3 (2005) 185–205",
    parameters: &[],
    score: |_| {
        Ok(Score {
            terms: vec![X_W.into()],
            gather: Gather::Mean,
            finish: Some(&QUOTIENT),
            ..Score::default()
        })
    },
};

/// The least redundancy that is divided by, in nats.
const LEAST: f64 = 1e-9;

static QUOTIENT: Finish = Finish::new(quotient);

fn quotient(_: &[f64], own: &Gathered) -> f64 {
    match own.steps {
        0 => own.relevance,
        _ => own.relevance / own.values[0].max(LEAST),
    }
}
