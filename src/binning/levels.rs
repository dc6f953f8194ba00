//! Each distinct number is a level.

use super::{Rule, numbers::Numbers};

pub(super) fn rule(numbers: &Numbers) -> Rule {
    Rule::Numbers(numbers.sorted().distinct())
}

/// The distinct numbers as levels, if all are integers and there are at most `most`.
pub(super) fn of_few_integers(numbers: &Numbers, most: usize) -> Option<Rule> {
    let mut levels: Vec<f64> = Vec::new();
    for value in numbers.each() {
        if value.fract() != 0.0 {
            return None;
        }
        let at = levels.partition_point(|level| *level < value);
        if levels.get(at) != Some(&value) {
            if levels.len() == most {
                return None;
            }
            // −0 is 0, however it was written.
            levels.insert(at, value + 0.0);
        }
    }
    Some(Rule::Numbers(levels))
}
