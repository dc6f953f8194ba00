//! Polynomials and splines.

use passel::formula::{Expansion, Formula, Variable, Variables, Warning};

use nalgebra::DMatrix;

use crate::data::{Data, data_set};

fn columns(text: &str, fit: &Data, new: &Data) -> Vec<Vec<f64>> {
    let formula = Formula::parse(&format!("~ {text}")).unwrap();
    let expansion = Expansion::of(&formula, fit).unwrap();
    expansion.apply(new).unwrap().columns(0)
}

fn points(values: &[f64]) -> Data {
    Data::default().numbers("wt", values)
}

/// A divided difference of order four: zero for a cubic.
fn fourth_difference(values: &[f64]) -> f64 {
    values[4] - 4.0 * values[3] + 6.0 * values[2] - 4.0 * values[1] + values[0]
}

#[test]
#[ignore = "needs the folder shared"]
fn b_splines_sum_to_one() {
    let cars = data_set("mtcars");
    for text in [
        "bs(wt, df = 7, intercept = TRUE)",
        "bs(wt, knots = c(2, 3, 3, 4), degree = 2, intercept = TRUE)",
        "bs(wt, degree = 1, intercept = TRUE)",
        "bs(wt, df = 9, degree = 5, intercept = TRUE, Boundary.knots = c(1, 6))",
    ] {
        let columns = columns(text, &cars, &cars);
        for row in 0..cars.rows {
            let sum: f64 = columns.iter().map(|column| column[row]).sum();
            assert!((sum - 1.0).abs() < 1e-13, "{text}");
        }
    }
}

/// A B-spline by its definition; the last interval is closed.
fn by_definition(knots: &[f64], function: usize, order: usize, x: f64) -> f64 {
    let (left, right) = (knots[function], knots[function + order]);
    if order == 1 {
        let is_last = right == knots[knots.len() - 1] && x == right && left < right;
        return f64::from(u8::from(left <= x && x < right || is_last));
    }
    let share = |above: f64, below: f64| if below == 0.0 { 0.0 } else { above / below };
    let rising = share(x - left, knots[function + order - 1] - left);
    let falling = share(right - x, right - knots[function + 1]);
    rising * by_definition(knots, function, order - 1, x)
        + falling * by_definition(knots, function + 1, order - 1, x)
}

#[test]
fn b_splines_are_those_of_the_definition() {
    let values: Vec<f64> = (0..=60).map(|place| f64::from(place) / 10.0).collect();
    let data = points(&values);
    for (degree, inner) in [
        (1, vec![2.5]),
        (2, vec![1.0, 4.5]),
        (3, vec![1.5, 3.0, 3.0]),
        (4, vec![]),
    ] {
        let list: Vec<String> = inner.iter().map(f64::to_string).collect();
        let text = format!("bs(wt, knots = c({}), degree = {degree})", list.join(", "));
        let own = columns(&text, &data, &data);
        let mut knots = vec![0.0; degree + 1];
        knots.extend(&inner);
        knots.extend(vec![6.0; degree + 1]);
        assert_eq!(own.len(), degree + inner.len());
        for (place, column) in own.iter().enumerate() {
            for (x, value) in values.iter().zip(column) {
                let expected = by_definition(&knots, place + 1, degree + 1, *x);
                assert!((value - expected).abs() < 1e-14, "{text}: {x}");
            }
        }
    }
}

#[test]
#[ignore = "needs the folder shared"]
fn natural_splines_span_the_truncated_powers() {
    let cars = data_set("mtcars");
    let own = columns("ns(wt, knots = c(2.5, 3, 3.5))", &cars, &cars);
    let Some(Variable::Numeric(wt)) = cars.variable("wt") else {
        panic!("no weights");
    };
    // Natural cubic splines by truncated powers (Hastie, Tibshirani and Friedman, section 5.2.1).
    let knots = [1.513, 2.5, 3.0, 3.5, 5.424];
    let cube = |x: f64, knot: f64| (x - knot).max(0.0).powi(3);
    let slope = |x: f64, k: usize| (cube(x, knots[k]) - cube(x, knots[4])) / (knots[4] - knots[k]);
    let mut both = vec![vec![1.0; wt.len()], wt.to_vec()];
    both.extend((0..3).map(|k| wt.iter().map(|x| slope(*x, k) - slope(*x, 3)).collect()));
    assert_eq!(rank(&both), 5);
    both.extend(own);
    assert_eq!(rank(&both), 5);
}

fn rank(columns: &[Vec<f64>]) -> usize {
    DMatrix::from_fn(columns[0].len(), columns.len(), |row, column| {
        columns[column][row]
    })
    .rank(1e-9)
}

#[test]
#[ignore = "needs the folder shared"]
fn degrees_of_freedom_count_columns() {
    let cars = data_set("mtcars");
    for (text, count) in [
        ("bs(wt)", 3),
        ("bs(wt, 6)", 6),
        ("bs(wt, df = 6, intercept = TRUE)", 6),
        ("bs(wt, knots = 3, degree = 1)", 2),
        ("ns(wt)", 1),
        ("ns(wt, 4)", 4),
        ("ns(wt, df = 4, intercept = TRUE)", 4),
        ("ns(wt, knots = c(2, 3))", 3),
        ("poly(wt)", 1),
        ("poly(wt, degree = 4)", 4),
    ] {
        assert_eq!(columns(text, &cars, &cars).len(), count, "{text}");
    }
}

#[test]
#[ignore = "needs the folder shared"]
fn b_splines_go_on_as_polynomials_beyond_the_boundary() {
    let cars = data_set("mtcars");
    // The first interval is 1.513 to 3, so the first two points are beyond it.
    let new = points(&[1.0, 1.4, 1.8, 2.2, 2.6]);
    for column in columns("bs(wt, knots = 3)", &cars, &new) {
        assert!(fourth_difference(&column).abs() < 1e-12);
    }
    let formula = Formula::parse("~ bs(wt, knots = 3)").unwrap();
    let expansion = Expansion::of(&formula, &cars).unwrap();
    let [
        Warning::BeyondBoundary {
            count: 2,
            first_row: 1,
            ..
        },
    ] = expansion.apply(&new).unwrap().warnings()
    else {
        panic!("no warning");
    };
}

#[test]
#[ignore = "needs the folder shared"]
fn natural_splines_go_on_as_lines_beyond_the_boundary() {
    let cars = data_set("mtcars");
    for text in [
        "ns(wt, df = 4)",
        "ns(wt, knots = c(2.5, 3), intercept = TRUE)",
    ] {
        for column in columns(
            text,
            &cars,
            &points(&[5.424, 6.0, 6.576, 1.513, 1.0, 0.487]),
        ) {
            for end in [&column[..3], &column[3..]] {
                assert!((end[0] - 2.0 * end[1] + end[2]).abs() < 1e-12, "{text}");
            }
        }
        // No jump of value or slope at the boundary, and no bend inside it.
        let step = 1e-4;
        let near = [5.424 - 2.0 * step, 5.424 - step, 5.424, 5.424 + step];
        for column in columns(text, &cars, &points(&near)) {
            let bend = column[0] - 2.0 * column[1] + column[2];
            assert!(bend.abs() < 1e-10, "{text}: {bend}");
            let slopes = (column[2] - column[1]) - (column[3] - column[2]);
            assert!(slopes.abs() < 1e-10, "{text}: {slopes}");
        }
    }
}

#[test]
#[ignore = "needs the folder shared"]
fn polynomials_are_orthogonal() {
    let cars = data_set("mtcars");
    let columns = columns("poly(wt, 6)", &cars, &cars);
    for (place, one) in columns.iter().enumerate() {
        assert!(one.iter().sum::<f64>().abs() < 1e-9);
        for (other_place, other) in columns.iter().enumerate() {
            let product: f64 = one.iter().zip(other).map(|(a, b)| a * b).sum();
            let expected = f64::from(u8::from(place == other_place));
            assert!((product - expected).abs() < 1e-9, "{place} {other_place}");
        }
    }
}

#[test]
#[ignore = "needs the folder shared"]
fn scaled_variables_have_mean_zero_and_deviation_one() {
    let cars = data_set("mtcars");
    let own = &columns("scale(wt)", &cars, &cars)[0];
    let count = own.len() as f64;
    assert!(own.iter().sum::<f64>().abs() < 1e-12);
    let variance = own.iter().map(|value| value * value).sum::<f64>() / (count - 1.0);
    assert!((variance - 1.0).abs() < 1e-12);
    let own = &columns(
        "scale(wt, center = 3, scale = FALSE)",
        &cars,
        &points(&[4.0]),
    )[0];
    assert_eq!(own, &[1.0]);
    // Without centering, R divides by the root of the mean square over n − 1.
    let own = &columns(
        "scale(wt, center = FALSE)",
        &points(&[3.0, 4.0]),
        &points(&[10.0]),
    )[0];
    assert!((own[0] - 2.0).abs() < 1e-14);
}

#[test]
fn intervals_are_those_of_cut() {
    let data = points(&[1.0, 2.0, 3.0, 4.0]);
    let names = |text: &str| {
        let formula = Formula::parse(&format!("~ {text} - 1")).unwrap();
        let expansion = Expansion::of(&formula, &data).unwrap();
        let design = expansion.apply(&data).unwrap();
        let columns = design.columns(0).into_iter();
        let codes = columns.map(|column| column.iter().sum::<f64>());
        let names = expansion.column_names(0).into_iter();
        let names = names.map(|name| name[text.len()..].to_owned());
        names.zip(codes).collect::<Vec<_>>()
    };
    let expect = |list: &[(&str, f64)]| -> Vec<(String, f64)> {
        list.iter()
            .map(|(name, count)| ((*name).to_owned(), *count))
            .collect()
    };
    assert_eq!(
        names("cut(wt, c(-Inf, 2, 3.5, Inf))"),
        expect(&[
            ("(-Inf,2]", 2.0),
            ("(2,3.5]", 1.0),
            ("(3.5, Inf]".replace(' ', "").as_str(), 1.0)
        ])
    );
    assert_eq!(
        names("cut(wt, c(1, 2, 4), include.lowest = TRUE)"),
        expect(&[("[1,2]", 2.0), ("(2,4]", 2.0)])
    );
    assert_eq!(
        names("cut(wt, c(1, 2, 4), right = FALSE, include.lowest = TRUE)"),
        expect(&[("[1,2)", 1.0), ("[2,4]", 3.0)])
    );
    assert_eq!(
        names("cut(wt, 3)"),
        expect(&[("(0.997,2]", 2.0), ("(2,3]", 1.0), ("(3,4]", 1.0)])
    );
    assert_eq!(
        names("cut(wt, 2, labels = c(\"l\", \"h\"))"),
        expect(&[("l", 2.0), ("h", 2.0)])
    );
}
