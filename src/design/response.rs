//! What a response may be that least squares is not made for.

/// Most distinct values of a response that is few-valued.
const FEW: usize = 10;

/// Fewest observations for each distinct value of a response that is few-valued: of fewer the
/// repeats are chance.
const EACH: usize = 5;

/// Counts are below this; from here on whole numbers are as good as measurements.
const COUNTS_END: f64 = 100.0;

/// The warning of a response that looks like a class, a score of few steps or a count, for which a
/// linear model has wrong standard errors; none of any other.
///
/// A response is few-valued if it has at most ten distinct values, and five times as many
/// observations. It looks like counts if all its values are whole numbers from 0 to 99, its skewness is
/// more than two standard errors, 2·√(6/n), above 0, and its deviation is more than a third of its
/// mean, as that of Poisson counts below nine is: ages, say, spread less.
///
/// *Shapes:* n values, on the file's scale.
pub(super) fn caution(name: &str, y: &[f64]) -> Option<String> {
    let mut distinct: Vec<f64> = Vec::new();
    for value in y {
        let at = distinct.partition_point(|other| other < value);
        if distinct.get(at) != Some(value) {
            distinct.insert(at, *value);
            if distinct.len() > FEW {
                break;
            }
        }
    }
    let text = |value: &f64| value.to_string();
    match &distinct[..] {
        [_] => None,
        few if few.len() <= FEW => (few.len() * EACH <= y.len()).then(|| match few {
            [low, high] => format!(
                "the response {name} has two values, {low} and {high}: least squares take the class for \
                 a number, and its standard errors and p-values are rough; {} is logistic regression, and \
                 selectors of information take it as it is: --method jmi",
                match (*low, *high) {
                    (0.0, 1.0) => "--family binomial".to_owned(),
                    _ => format!("--family binomial --success {high}"),
                }
            ),
            few => format!(
                "the response {name} has only {} distinct values ({}): least squares take them for a \
                 measurement, and the standard errors and p-values are rough; selectors of information \
                 take them for classes: --method jmi",
                few.len(),
                few.iter().map(text).collect::<Vec<_>>().join(", ")
            ),
        }),
        _ => counts(name, y),
    }
}

/// The warning of a response that looks like counts.
fn counts(name: &str, y: &[f64]) -> Option<String> {
    let is_count = |value: &f64| value.fract() == 0.0 && (0.0..COUNTS_END).contains(value);
    if !y.iter().all(is_count) {
        return None;
    }
    let n = y.len() as f64;
    let mean = y.iter().sum::<f64>() / n;
    let moment = |power| {
        y.iter()
            .map(|value| (value - mean).powi(power))
            .sum::<f64>()
            / n
    };
    let skewness = moment(3) / moment(2).powf(1.5);
    let (least, most) = (
        y.iter().copied().fold(f64::INFINITY, f64::min),
        y.iter().copied().fold(0.0, f64::max),
    );
    let (is_skewed, is_wide) = (
        skewness > 2.0 * (6.0 / n).sqrt(),
        moment(2).sqrt() > mean / 3.0,
    );
    (is_skewed && is_wide).then(|| {
        format!(
            "the response {name} looks like counts (whole numbers from {least} to {most}, skewed to the \
             right): their variance grows with their mean, so that the standard errors and p-values are \
             rough; --family poisson or negative-binomial is made for them, and selectors of \
             information take bins of them: --method jmi --bin-response equal-frequency:5"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_says(y: &[f64], expected: Option<&str>) {
        let told = caution("y", y);
        match expected {
            None => assert_eq!(told, None),
            Some(part) => assert!(
                told.as_deref().is_some_and(|told| told.contains(part)),
                "{told:?}"
            ),
        }
    }

    fn repeated(values: &[f64], times: usize) -> Vec<f64> {
        values.repeat(times)
    }

    #[test]
    fn classes_and_scores_of_few_steps_are_told() {
        assert_says(&repeated(&[0.0, 1.0], 20), Some("two values, 0 and 1"));
        assert_says(&repeated(&[2.0, -1.5], 20), Some("two values, -1.5 and 2"));
        let likert = repeated(&[1.0, 2.0, 3.0, 4.0, 5.0], 5);
        assert_says(&likert, Some("only 5 distinct values (1, 2, 3, 4, 5)"));
        // Too few observations for repeats to mean anything.
        assert_says(&likert[..24], None);
        assert_says(&[0.0, 1.0, 1.0, 0.0, 1.0], None);
        // A constant is an error elsewhere.
        assert_says(&[3.0; 50], None);
    }

    #[test]
    fn counts_are_told_by_whole_numbers_and_skewness() {
        // warpbreaks of R: breaks of 54 looms.
        let breaks = [
            26, 30, 54, 25, 70, 52, 51, 26, 67, 18, 21, 29, 17, 12, 18, 35, 30, 36, 36, 21, 24, 18,
            10, 43, 28, 15, 26, 27, 14, 29, 19, 29, 31, 41, 20, 44, 42, 26, 19, 16, 39, 28, 21, 39,
            29, 20, 21, 24, 17, 13, 15, 15, 16, 28,
        ];
        let breaks = breaks.map(f64::from);
        assert_says(
            &breaks,
            Some("looks like counts (whole numbers from 10 to 70"),
        );
        // Not whole, or not small, or below zero: measurements.
        assert_says(&breaks.map(|count| count + 0.5), None);
        assert_says(&breaks.map(|count| count + 100.0), None);
        assert_says(&breaks.map(|count| count - 11.0), None);
        // Skewed, but narrow: ages.
        let ages = breaks.map(|count| (count / 3.0).round() + 20.0);
        assert_says(&ages, None);
        // Not skewed: 0 … 49, each once.
        let even: Vec<f64> = (0..50).map(f64::from).collect();
        assert_says(&even, None);
    }
}
