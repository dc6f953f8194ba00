//! Coded scores: values by a tolerance, for two compilers made them; picks and errors the same.

use std::sync::Arc;

use super::*;
use crate::score::{CountTable, Gather, Join, Measure, ScoreFunction, TableFunction};

const TOLERANCE: f64 = 1e-12;

/// A parameter times the mean share of an observation's class among those of its x and w, which
/// is Gini's impurity less 1; no number where there is no observation.
#[derive(Debug)]
struct Gini([f64; 1]);

impl TableFunction for Gini {
    fn value(&self, table: &CountTable) -> f64 {
        let (mut n, mut sum) = (0.0, 0.0);
        for classes in table.counts.chunks(table.y) {
            let (mut all, mut squares) = (0.0, 0.0);
            for count in classes.iter().map(|count| f64::from(*count)) {
                all += count;
                squares += count * count;
            }
            n += all;
            if all > 0.0 {
                sum += squares / all;
            }
        }
        assert_eq!(table.counts.len(), table.x * table.w * table.y);
        self.0[0] * sum / n
    }

    fn tolerance(&self) -> f64 {
        TOLERANCE
    }

    fn name(&self) -> &str {
        "gini"
    }

    fn values(&self) -> &[f64] {
        &self.0
    }

    fn cuda(&self) -> Option<&str> {
        Some(
            "__device__ double passel_value(const double* values, const unsigned* counts,
                                   unsigned x, unsigned w, unsigned y, unsigned step)
{
    double n = 0.0, sum = 0.0;
    for (unsigned long long at = 0; at < (unsigned long long)x * w; at++) {
        double all = 0.0, squares = 0.0;
        for (unsigned l = 0; l < y; l++) {
            const double count = counts[at * y + l];
            all += count;
            squares += count * count;
        }
        n += all;
        if (all > 0.0) {
            sum += squares / all;
        }
    }
    return values[0] * sum / n;
}",
        )
    }
}

fn scores() -> Vec<Score> {
    let of = |gather, join| Score {
        measure: Measure::Function(ScoreFunction(Arc::new(Gini([1.7])))),
        gather,
        join,
        ..Score::default()
    };
    vec![
        of(Gather::Sum, Join::Alone),
        of(Gather::Mean, Join::Added),
        of(Gather::Minimum, Join::Least),
        of(Gather::Last, Join::Alone),
    ]
}

/// Tables of a moderate size in every kind of column: of halves of words, whole ones and shared
/// columns, entries, and by both codes where some are missing or tables are large.
fn cases() -> Vec<Case> {
    let most = |case: &Case| {
        case.columns
            .iter()
            .map(|column| column.levels)
            .max()
            .unwrap_or(1)
    };
    let cells = |case: &Case| most(case) * most(case) * case.response.levels;
    let mut cases = super::cases();
    cases.retain(|case| cells(case) <= 1 << 20);
    assert!(cases.len() > 3);
    cases.push(case("large tables", (900, 31), 3, 500, 0));
    cases.push(case("words", (70_000, 13), 2, 40, 0));
    cases.push(case("shared columns", (140_000, 11), 3, 30, 0));
    cases.push(case("shared columns, missing", (140_000, 11), 3, 30, 4));
    cases
}

/// Asserts that two walks tell the same but for rounding.
fn assert_near(told: &Trace, expected: &Trace, of: &str) {
    assert_eq!(told.columns, expected.columns, "{of}");
    assert_eq!(told.numbers.len(), expected.numbers.len(), "{of}");
    for (a, b) in told.numbers.iter().zip(&expected.numbers) {
        let (a, b) = (f64::from_bits(*a), f64::from_bits(*b));
        let far = (a - b).abs() > 4.0 * TOLERANCE * a.abs().max(b.abs());
        assert!(!far && a.is_nan() == b.is_nan(), "{of}: {a} is not {b}");
    }
}

fn places_hardly_show(places: impl Fn(&Case) -> Vec<Setup>) {
    // Those of bits have no way of their own to whole tables.
    let all = cases()
        .into_iter()
        .filter(|case| case.name != "tiny tables");
    for case in wanted(all.collect()) {
        for score in scores() {
            let expected = case.walk(&score, &Setup::Cpu(1, 1));
            for place in places(&case) {
                let of = format!("{} by {:?} on {place:?}", case.name, score.gather);
                eprintln!("{of}");
                assert_near(&case.walk(&score, &place), &expected, &of);
            }
        }
    }
}

#[test]
fn cpu_shards_do_not_show() {
    places_hardly_show(|_| vec![Setup::Cpu(3, 1)]);
}

#[test]
fn cuda_evaluates_as_the_cpu_does() {
    if let Some(count) = gpus() {
        places_hardly_show(|case| {
            let mut places = on_gpus(case, count);
            // No such score is put off.
            places.retain(|place| !matches!(place, Setup::Waves(_)));
            places
        });
    }
}

#[test]
fn the_text_for_cards_compiles_and_agrees() {
    let coded = ScoreFunction(Arc::new(Gini([1.7])));
    match cuda::functions::check("gini", &coded) {
        Ok(checked) => assert!(checked.is_some()),
        Err(DeviceError::MissingLibrary { .. }) => {
            let required = std::env::var_os("PASSEL_REQUIRE_NVRTC").is_some();
            assert!(!required, "there is no NVRTC");
        }
        Err(error) => panic!("{error}"),
    }
}

/// What sweeps of two steps say: of columns one of which has a table of too many cells beside
/// the second.
fn faults(place: &Setup) -> [Result<(), DeviceError>; 2] {
    let n = 50;
    let codes = |step: u16| (0..n).map(|row| row * step).collect();
    let columns = [
        column(codes(1), 60, false, false),
        column(codes(1000), 50_000, false, false),
        column(codes(100), 5000, true, false),
    ];
    let response = column((0..n).map(|row| row % 2).collect(), 2, false, false);
    let score = scores().remove(0);
    let evaluator = ScoreEvaluator::new(score, n.into());
    let response = evaluator.categorical(&response);
    let mut counters = place.counters(&columns, &response, &evaluator);
    let mut swept = |column| {
        counters.sweep(&ConditioningVariable::of_column(
            column, &columns, &evaluator,
        ))
    };
    [swept(0), swept(2)]
}

#[test]
fn tables_of_too_many_cells_are_told_before_they_are_counted() {
    let mut places = vec![Setup::Cpu(1, 1), Setup::Cpu(2, 1)];
    if gpus().is_some() {
        places.push(Setup::Cuda(vec![0], None));
    }
    for place in places {
        let [few, many] = faults(&place);
        assert_eq!(few, Ok(()), "{place:?}");
        let Err(DeviceError::UndefinedScore(unscored)) = many else {
            panic!("{many:?} on {place:?}");
        };
        let cells = ScoreFault::TooManyCells {
            cells: 50_000 * 5000 * 2,
            most: margins::MAX_CELLS,
        };
        assert_eq!((unscored.column, unscored.reason), (1, cells), "{place:?}");
    }
}
