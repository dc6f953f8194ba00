//! Which terms of a formula are powers of others.

use std::collections::HashMap;

/// The highest power that is known for one.
const HIGHEST: u32 = 9;

/// Of each term that is called `I(x^2)`, `I(x^3)`, … where `x` is a term too: `x` and the lower powers among the
/// terms, on which it stands. R asks nothing of powers; a model with x² and without x depends on where x is
/// zero.
///
/// *Source:* J. Peixoto, Hierarchical variable selection in polynomial regression models, The American
/// Statistician 41, 1987.
pub(super) fn powers(labels: &[String]) -> Vec<(usize, Vec<usize>)> {
    let places = labels.iter().enumerate();
    let places: HashMap<&str, usize> = places.map(|(at, label)| (&**label, at)).collect();
    let mut found = Vec::new();
    for (at, label) in labels.iter().enumerate() {
        let mut lower = vec![at];
        let powers = (2..=HIGHEST).filter_map(|power| places.get(&*format!("I({label}^{power})")));
        for power in powers {
            found.push((*power, lower.clone()));
            lower.push(*power);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_stand_on_all_lower_ones_that_are_terms() {
        let labels = ["x", "z", "I(x^2)", "I(z^3)", "I(w^2)", "I(x^3)", "x:z"];
        let labels = labels.map(str::to_owned);
        let found = powers(&labels);
        assert_eq!(found, [(2, vec![0]), (5, vec![0, 2]), (3, vec![1])]);
    }
}
