//! Scores that a function finishes, and terms that are multiplied or compared: against declared scores
//! of the same value, on any device.

use std::sync::{Arc, atomic::AtomicUsize, atomic::Ordering};

use passel::{
    Interrupt,
    binning::BinnedColumns,
    score::{
        Combination, Combine, Finish, FinishFunction, Gather, Gathered, Join, Measure, Part,
        Quantity, Score, Term,
        combinations::{H_X, H_Y, X_W, X_Y, X_Y_GIVEN_W},
    },
    selection::{RankedColumns, StopReason},
    selector::{PermutationTest, Stop, rank},
};

use super::fixtures::{PLACES, columns, holed, in_every_form, of_term, ranked, resources, score};

struct Closure<F>(F);

impl<F> std::fmt::Debug for Closure<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("closure")
    }
}

impl<F: Fn(&Gathered) -> f64 + Send + Sync> FinishFunction for Closure<F> {
    fn score(&self, gathered: &Gathered) -> f64 {
        (self.0)(gathered)
    }

    fn tolerance(&self) -> f64 {
        1e-12
    }
}

fn finish(of: impl Fn(&Gathered) -> f64 + Send + Sync + 'static) -> Option<Finish> {
    Some(Finish(Arc::new(Closure(of))))
}

fn measure(terms: Vec<Term>) -> Measure {
    Measure::Declared {
        relevance: Quantity::plain(X_Y),
        terms,
    }
}

fn data() -> Vec<BinnedColumns> {
    vec![
        in_every_form(columns(3, 300, 25, 6)),
        holed(4, 400, 5),
        columns(5, 2000, 40, 9),
    ]
}

/// Whether two scores choose the same variables for the same values, and the first the same bits
/// wherever it runs.
fn agrees(columns: &BinnedColumns, own: &Score, other: &Score) {
    let expected = ranked(columns, other, 10, (1, 1));
    let found = ranked(columns, own, 10, (1, 1));
    assert_eq!((found.chosen.len(), &found.fault), (10, &None));
    for (one, expected) in found.chosen.iter().zip(&expected.chosen) {
        let what = format!("{own:?}: {one:?} {expected:?}");
        assert_eq!(one.column, expected.column, "{what}");
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9 * a.abs().max(1.0);
        assert!(near(one.score, expected.score), "{what}");
        assert!(near(one.relevance, expected.relevance), "{what}");
        assert_eq!(one.redundancy, expected.redundancy, "{what}");
    }
    for places in PLACES {
        assert_eq!(ranked(columns, own, 10, places).chosen, found.chosen);
    }
}

#[test]
fn a_join_written_as_a_function_chooses_as_the_join_does() {
    let finishes = [
        (
            Join::Added,
            finish(|own| own.relevance + own.values.iter().sum::<f64>()),
        ),
        (
            Join::Alone,
            finish(|own| match own.steps {
                0 => own.relevance,
                _ => own.values[0],
            }),
        ),
        (
            Join::Least,
            finish(|own| match own.steps {
                0 => own.relevance,
                _ => own.relevance.min(own.values[0]),
            }),
        ),
    ];
    for columns in data() {
        for gather in [Gather::Sum, Gather::Mean, Gather::Minimum, Gather::Last] {
            for (join, finish) in &finishes {
                let term = of_term(Combination::XW_Y, 1.0, Part::Whole);
                let declared = score(term.clone(), gather, *join);
                let own = Score {
                    finish: finish.clone(),
                    ..score(term, gather, Join::Added)
                };
                agrees(&columns, &own, &declared);
            }
        }
    }
}

#[test]
fn terms_apart_add_up_to_their_sum() {
    let terms = vec![X_W.weighing(-0.7), X_Y_GIVEN_W.weighing(0.3).below_zero()];
    for columns in data() {
        for gather in [Gather::Sum, Gather::Mean] {
            let declared = score(measure(terms.clone()), gather, Join::Added);
            let own = Score {
                combine: Combine::Apart,
                finish: finish(|own| own.relevance + own.values[0] + own.values[1]),
                ..declared.clone()
            };
            agrees(&columns, &own, &declared);
        }
    }
}

#[test]
fn the_largest_is_the_least_of_the_negative() {
    let (one, two) = (X_W.over(H_X), X_Y_GIVEN_W.weighing(2.0));
    let of = |sign: f64, combine, gather| {
        let terms = vec![
            one.weighing(sign),
            Term {
                weight: sign * two.weight,
                ..two
            },
        ];
        Score {
            combine,
            ..score(measure(terms), gather, Join::Added)
        }
    };
    for columns in data() {
        let largest = Score {
            finish: finish(|own| own.relevance - own.values[0]),
            ..of(1.0, Combine::Largest, Gather::Maximum)
        };
        agrees(
            &columns,
            &largest,
            &of(-1.0, Combine::Least, Gather::Minimum),
        );
        agrees(
            &columns,
            &of(-1.0, Combine::Least, Gather::Minimum),
            &largest,
        );
    }
}

#[test]
fn products_are_sums_of_logarithms() {
    // 1 + share, of what is never 0.
    let both = H_X + H_Y;
    let factor = (both + X_Y_GIVEN_W).over(both);
    for columns in data() {
        let product = score(
            measure(vec![factor.weighing(1.0)]),
            Gather::Product,
            Join::Alone,
        );
        let in_steps = AtomicUsize::new(0);
        // A step's two equal terms, multiplied, are the square of one.
        let squared = Score {
            combine: Combine::Product,
            finish: finish(move |own| match own.steps {
                0 => own.relevance,
                steps => {
                    in_steps.fetch_max(steps, Ordering::Relaxed);
                    own.values[0].sqrt()
                }
            }),
            ..score(
                measure(vec![factor.weighing(1.0); 2]),
                Gather::Product,
                Join::Added,
            )
        };
        agrees(&columns, &squared, &product);
    }
}

#[test]
fn what_was_chosen_is_known_with_what_it_had() {
    for columns in data() {
        let score = Score {
            finish: finish(|own| {
                // Of all pairs that are chosen, whoever scores.
                let pairs = own.chosen.values[0] + own.values[0];
                let relevance = own.chosen.relevance + own.relevance;
                relevance - pairs / (own.chosen.count + 1) as f64
            }),
            ..score(measure(vec![X_W.weighing(1.0)]), Gather::Sum, Join::Added)
        };
        let found = ranked(&columns, &score, 8, (1, 1));
        assert_eq!(found.fault, None);
        let (mut relevance, mut pairs) = (0.0, 0.0);
        for (before, own) in found.chosen.iter().enumerate() {
            relevance += own.relevance;
            // Reported as a mean.
            pairs += own.redundancy.unwrap_or(0.0) * before as f64;
            let expected = relevance - pairs / (before + 1) as f64;
            assert!((own.score - expected).abs() < 1e-9, "{own:?} {expected}");
        }
        for places in PLACES {
            assert_eq!(ranked(&columns, &score, 8, places).chosen, found.chosen);
        }
    }
}

/// A selection by a score with a permutation test.
fn tested(
    columns: &BinnedColumns,
    score: &Score,
    standardise: bool,
    places: (usize, usize),
) -> RankedColumns {
    let stop = Stop {
        top: Some(5),
        threshold: None,
        permutation: Some(PermutationTest {
            n: 39,
            alpha: 0.6,
            standardise,
            seed: 3,
        }),
    };
    let never = Interrupt::default();
    rank(
        columns,
        score,
        &stop,
        &resources(places),
        &never,
        &mut |_, _| {},
    )
    .unwrap()
}

#[test]
fn permutations_ask_what_the_observed_order_does() {
    let columns = columns(9, 200, 12, 4);
    let declared = score(measure(vec![X_W.weighing(-1.0)]), Gather::Mean, Join::Added);
    let own = Score {
        finish: finish(|own| own.relevance + own.values[0]),
        ..declared.clone()
    };
    // What was chosen has the same in every order, so that it moves no score past another.
    let shifted = Score {
        finish: finish(|own| own.relevance + own.values[0] + own.chosen.relevance),
        ..declared.clone()
    };
    for standardise in [false, true] {
        let expected = tested(&columns, &declared, standardise, (1, 1));
        assert!(expected.chosen.len() > 1);
        for own in [&own, &shifted] {
            for places in PLACES {
                let found = tested(&columns, own, standardise, places);
                assert_eq!(
                    (&found.fault, found.termination),
                    (&None, expected.termination)
                );
                let of = |ranked: &RankedColumns| -> Vec<(usize, Option<f64>)> {
                    let chosen = ranked.chosen.iter();
                    chosen.map(|own| (own.column, own.permutation_p)).collect()
                };
                assert_eq!(of(&found), of(&expected));
            }
        }
    }
}

#[test]
fn never_ends_a_selection_and_what_is_no_number_is_told_by_its_column() {
    let columns = columns(11, 200, 9, 4);
    let of = |own: fn(&Gathered) -> f64| Score {
        finish: finish(own),
        ..score(measure(vec![X_W.weighing(1.0)]), Gather::Sum, Join::Added)
    };
    let after_three = of(|own| match own.chosen.count {
        3 => f64::NEG_INFINITY,
        _ => own.relevance,
    });
    let ended = ranked(&columns, &after_three, 9, (3, 3));
    assert_eq!(
        (ended.chosen.len(), ended.termination),
        (3, StopReason::Done)
    );
    for (own, told) in [
        (of(|own| own.values[0] / own.values[0]), "is not a number"),
        (of(|_| f64::INFINITY), "is infinite"),
        (of(|_| panic!("no way")), "could not be computed: no way"),
    ] {
        for places in PLACES {
            let found = ranked(&columns, &own, 9, places);
            assert_eq!(found.termination, StopReason::Fault);
            let fault = found.fault.unwrap().to_string();
            assert!(fault.contains(told), "{fault}");
        }
    }
}

#[test]
fn a_score_that_contradicts_itself_is_refused() {
    let apart = Score {
        combine: Combine::Apart,
        ..Score::default()
    };
    let joined = Score {
        finish: finish(|own| own.relevance),
        join: Join::Alone,
        ..Score::default()
    };
    for (score, expected) in [
        (
            apart,
            "its terms are gathered apart, and nothing finishes the score",
        ),
        (
            joined,
            "it has a join, and what finishes a score takes the place of that",
        ),
    ] {
        assert_eq!(score.checked().unwrap_err().to_string(), expected);
    }
}
