use passel_sdk::{Function, Join, Score, Selector, Table};

/// Joint impurity: **Σ G((x,w);y)** over the chosen w, with G(x;y) = Σ p(x,y)²/p(x) − Σ p(y)²,
/// what x takes from the Gini impurity of y. The first choice is the largest G(x;y).
///
/// `jmi` with impurity in place of entropy: rare classes count less, and no logarithm is taken.
/// Not a sum of entropies, so the score is a function of the whole table, and beside anchors of
/// many levels slower than those that are declared.
///
/// *Source*: M. B. Kursa, Praznik: high performance information-based feature selection,
/// SoftwareX 16 (2021) 100819.
///
/// ```
/// use passel_information::JIM;
/// use passel_sdk::trial;
///
/// // y = x and w; v is x again.
/// let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]);
/// let v = x;
/// let score = (JIM.score)(&[])?;
/// // Σ p(y)² = 9/16 + 1/16. By x: (1/2)²/(1/2) + 2·(1/4)²/(1/2) − 10/16 = 1/8.
/// let value = trial::score(&score, &x, &[], &y);
/// assert!((value - 0.125).abs() < 1e-12);
/// // By x and w: 4·(1/4)²/(1/4) − 10/16 = 3/8; x and v tell what x does.
/// let value = trial::score(&score, &x, &[&w, &v], &y);
/// assert!((value - 0.5).abs() < 1e-12);
/// # Ok::<(), String>(())
/// ```
pub const JIM: Selector = Selector {
    name: "jim",
    title: "joint impurity",
    formula: "Σ G((x,w);y), G(x;y) = Σ p(x,y)²/p(x) − Σ p(y)²",
    source: "M. B. Kursa, Praznik: high performance information-based feature selection, SoftwareX 16 (2021) 100819",
    parameters: &[],
    score: |_| {
        Ok(Score {
            function: Some(&IMPURITY),
            join: Join::Alone,
            ..Score::default()
        })
    },
};

// One rounded product and quotient a cell, added up with no term below zero: what is equal but
// for the order of 50,000 cells differs by less.
static IMPURITY: Function = Function::new(impurity)
    .cuda(include_str!("jim.cu"))
    .tolerance(1e-11);

fn impurity(_: &[f64], table: &Table) -> f64 {
    // G = Σ (p(x,y) − p(x)·p(y))² / p(x): nothing cancels, and independence gives 0 itself, for
    // the differences are of integers.
    let n = table.n() as f64;
    let whole = |row: &[u32]| row.iter().map(|&count| u64::from(count)).sum::<u64>() as f64;
    let wholes: Vec<f64> = table.rows().map(whole).collect();
    let mut sum = 0.0;
    // In the order of jim.cu, so that both have the same bits.
    for (level, &response) in table.responses().iter().enumerate() {
        for (row, &whole) in table.rows().zip(&wholes) {
            if whole > 0.0 {
                let beyond = n * f64::from(row[level]) - whole * response as f64;
                sum += beyond * beyond / whole;
            }
        }
    }
    sum / (n * n * n)
}
