use passel_sdk::{Join, Score, Selector, combinations::XW_Y};
/// x
pub const JMI: Selector = Selector {
    name: "jmi",
    title: "joint mutual information",
    formula: "Σ I((x,w);y) over the chosen w",
    source: "H. H. Yang and J. Moody",
    parameters: &[],
    score: |_| Ok(Score { terms: vec![XW_Y.into()], join: Join::Alone, ..Score::default() }),
};
