//! Whether columns are in other units than where the model was fitted.

use super::ModelColumn;

/// By how much the size of values may differ.
const FACTOR: f64 = 10.0;

/// Rows of which small values say something: one that is near 0 happens among any numbers.
const FEWEST: usize = 5;

/// A warning where the values of a column are an order of magnitude apart from those of the fit, by the root of their mean
/// square.
pub(super) fn caution(column: &ModelColumn, values: &[f64]) -> Option<String> {
    let (mean, deviation) = (column.mean?, column.deviation?);
    let size = mean.hypot(deviation);
    let known = || values.iter().copied().filter(|x| !x.is_nan());
    let (count, square) = known().fold((0, 0.0), |(n, sum), x| (n + 1, sum + x * x));
    let own = (square / f64::from(count.max(1))).sqrt();
    let range = column.least.zip(column.largest);
    let largest = range.map_or(size, |(from, to)| to.abs().max(from.abs()));
    // One large value is no other unit where the fit had one as large.
    let is_large = own >= FACTOR * size && own > largest;
    let (least, most) = (
        known().fold(f64::INFINITY, f64::min),
        known().fold(f64::NEG_INFINITY, f64::max),
    );
    // Nor are small ones where 0 lay in the midst of the fit's, or where one value of its range is asked for.
    let is_usual = range.is_some_and(|(from, to)| {
        from <= least && most <= to && (least == most || from < 0.0 && to > 0.0)
    });
    let is_small = own <= size / FACTOR && count as usize >= FEWEST && !is_usual;
    if size == 0.0 || count == 0 || !(is_large || is_small) {
        return None;
    }
    let of_fit = match range {
        Some((from, to)) => format!("from {from} to {to}"),
        None => format!("{mean} on average"),
    };
    let name = &column.name;
    Some(format!(
        "column {name} has values from {least} to {most} here, and had {of_fit} where the model was fitted: an order of \
         magnitude apart, as of another unit"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_units_are_told_and_single_values_are_not() {
        let of = |values: &[f64]| ModelColumn::of_numbers("x", values);
        let normal = of(&[-1.0, 0.5, 1.2, -0.3, 2.0]);
        // A value near 0 is one of them, and so is a large one.
        assert_eq!(caution(&normal, &[0.01]), None);
        // As where a variable is held at a value, or rows are chosen by it.
        assert_eq!(caution(&normal, &[0.01; 20]), None);
        assert_eq!(caution(&normal, &[0.01, 0.02, -0.01, 0.0, 0.02]), None);
        let heights = of(&[0.0, 2438.0, 900.0, 1200.0, 300.0]);
        assert_eq!(caution(&heights, &[0.0; 20]), None);
        assert!(caution(&heights, &[0.0, 2.438, 0.9, 1.2, 0.3]).is_some());
        assert_eq!(caution(&normal, &[2.0, -1.5, 3.0]), None);
        assert_eq!(caution(&normal, &[f64::NAN]), None);
        let told = caution(&normal, &[1200.0, -400.0]).unwrap();
        assert!(
            told.contains("column x has values from -400 to 1200"),
            "{told}"
        );
        let kilograms = of(&[61.0, 72.5, 80.0, 55.0, 90.0]);
        assert!(caution(&kilograms, &[61_000.0]).is_some());
        let tonnes: Vec<f64> = [0.06, 0.07, 0.05, 0.09, 0.08].to_vec();
        assert!(
            caution(&kilograms, &tonnes)
                .unwrap()
                .contains("from 55 to 90")
        );
        // Of a column with one very large value, another such value is none of another unit.
        let mut skewed = vec![1.0; 999];
        skewed.push(1000.0);
        let skewed = of(&skewed);
        assert_eq!(caution(&skewed, &[900.0]), None);
        assert!(caution(&skewed, &[9000.0]).is_some());
    }
}
