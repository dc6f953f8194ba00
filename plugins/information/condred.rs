use passel_sdk::{Score, Selector, combinations::X_W_GIVEN_Y};

/// Conditional redundancy: **I(x;y) + Σ I(w;x|y)** over the chosen w.
///
/// `betagamma` with β = 0, γ = 1: the half of `cife` that rewards. It asks for variables
/// that go together within the classes, copies included.
///
/// *Source*: G. Brown, A. Pocock, M.-J. Zhao and M. Luján, Conditional likelihood
/// maximisation: a unifying framework for information theoretic feature selection, JMLR 13
/// (2012) 27–66.
///
/// ```
/// use passel_information::CONDRED;
/// use passel_sdk::trial;
///
/// // y = x and w; v is x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let v = x;
/// // I(x;y) = 0.215762, I(w;x|y) = 0.130812, I(v;x|y) = H(x|y) = 0.477386.
/// let score = (CONDRED.score)(&[])?;
/// let value = trial::score(&score, &x, &[&w, &v], &y);
/// assert!((value - 0.823959).abs() < 1e-6);
/// # Ok::<(), String>(())
/// ```
pub const CONDRED: Selector = Selector {
    name: "condred",
    title: "conditional redundancy",
    formula: "I(x;y) + Σ I(w;x|y)",
    source: "G. Brown, A. Pocock, M.-J. Zhao and M. Luján, Conditional likelihood maximisation: a unifying framework for information theoretic feature selection, JMLR 13 (2012) 27–66",
    parameters: &[],
    score: |_| {
        Ok(Score {
            terms: vec![X_W_GIVEN_Y.into()],
            ..Score::default()
        })
    },
};
