//! Methods by name and parameters: what is declared, and what is refused.

use passel::{
    plugin::{MethodKind, Plugins, ResolvedMethod},
    score::{
        Against, Combination, Combine, Gather, Join, Measure, PairScore, Part, Quantity, Score,
        Term,
    },
};

use super::{beside, without_line};

fn plugins() -> Plugins {
    Plugins::find(&[beside("faulty")]).unwrap()
}

fn asked(text: &str) -> ResolvedMethod<MethodKind> {
    plugins().method(text).unwrap()
}

/// The score that a text asks for.
fn declared(text: &str) -> Score {
    match asked(text).value {
        MethodKind::Score(score) => score,
        other => panic!("{text}: {other:?}"),
    }
}

fn refused(text: &str) -> String {
    plugins().method(text).unwrap_err().to_string()
}

fn term(weight: f64, over: Combination) -> Term {
    Term {
        weight,
        quantity: Quantity::plain(over),
        part: Part::Whole,
    }
}

fn of_terms(terms: &[Term]) -> Measure {
    Measure::Declared {
        relevance: Quantity::plain(Combination::X_Y),
        terms: terms.to_vec(),
    }
}

/// Relevance alone: what the scores below differ from.
fn mim() -> Score {
    Score {
        measure: of_terms(&[]),
        gather: Gather::Sum,
        join: Join::Added,
        against: Against::Last,
        ..Score::default()
    }
}

// From the definitions, by margin: n, x, w, y, xw, xy, wy, xwy.
const X_Y_GIVEN_W: Combination = Combination::of([0, 0, 1, 0, -1, 0, -1, 1]);
const X_W_GIVEN_Y: Combination = Combination::of([0, 0, 0, 1, 0, -1, -1, 1]);
const INTERACTION: Combination = Combination::of([-1, 1, 1, 1, -1, -1, -1, 1]);
const H_XWY: Combination = Combination::of([1, 0, 0, 0, 0, 0, 0, -1]);
const W_Y: Combination = Combination::of([1, 0, -1, -1, 0, 0, 1, 0]);
const H_W: Combination = Combination::of([1, 0, -1, 0, 0, 0, 0, 0]);

#[test]
fn every_selector_arrives_as_the_score_of_its_definition() {
    let ratio = Term {
        quantity: Quantity {
            over: Combination::XW_Y,
            under: Some(H_XWY),
        },
        ..term(1.0, H_XWY)
    };
    let of = |terms: &[Term], gather, join| Score {
        measure: of_terms(terms),
        gather,
        join,
        ..mim()
    };
    let (sum, least) = (Gather::Sum, Gather::Minimum);
    let joint = term(1.0, Combination::XW_Y);
    let redundancy = |beta: f64| term(-beta, Combination::X_W);
    let below = Term {
        part: Part::BelowZero,
        ..term(1.0, INTERACTION)
    };
    let weighed = [redundancy(0.5), term(0.25, X_W_GIVEN_Y)];
    for (text, score) in [
        ("mim", mim()),
        ("mifs", of(&[redundancy(1.0)], sum, Join::Added)),
        ("mifs:beta=0.5", of(&[redundancy(0.5)], sum, Join::Added)),
        ("mrmr", of(&[redundancy(1.0)], Gather::Mean, Join::Added)),
        ("jmi", of(&[joint], sum, Join::Alone)),
        ("disr", of(&[ratio], sum, Join::Alone)),
        ("cmim", of(&[term(1.0, X_Y_GIVEN_W)], least, Join::Least)),
        ("cife", of(&[term(1.0, INTERACTION)], sum, Join::Added)),
        ("icap", of(&[below], sum, Join::Added)),
        ("condred", of(&[term(1.0, X_W_GIVEN_Y)], sum, Join::Added)),
        (
            "betagamma: beta = 0.5, gamma=0.25",
            of(&weighed, sum, Join::Added),
        ),
        (
            "cmi",
            Score {
                against: Against::Joint,
                floor: Some(0.0),
                ..of(&[term(1.0, X_Y_GIVEN_W)], Gather::Last, Join::Alone)
            },
        ),
        ("jmim", of(&[joint], least, Join::Alone)),
        ("njmim", of(&[ratio], least, Join::Alone)),
        (
            "jmi3",
            Score {
                against: Against::Pairs,
                ..of(&[joint], sum, Join::Alone)
            },
        ),
        ("fcbf:threshold=0.25", fcbf(0.25)),
        (
            "mmifs-u",
            Score {
                combine: Combine::Product,
                ..of(
                    &[
                        Term {
                            quantity: Quantity {
                                over: W_Y,
                                under: Some(H_W),
                            },
                            ..redundancy(1.0)
                        },
                        term(1.0, Combination::X_W),
                    ],
                    least,
                    Join::Added,
                )
            },
        ),
    ] {
        assert_eq!(declared(text), score, "{text}");
    }
    let of_plugin = |plugin: &str| {
        let all = plugins();
        let methods = all.methods().filter(|method| method.info.plugin == plugin);
        methods.count()
    };
    assert_eq!((of_plugin("information"), of_plugin("faulty")), (24, 5));
    let ucrfs = declared("ucrfs");
    assert_eq!((ucrfs.combine, ucrfs.terms().len()), (Combine::Apart, 2));
    assert!(ucrfs.finish.is_some() && !ucrfs.is_exact());
    // What no combination says.
    let jim = declared("jim");
    assert!(
        jim.function()
            .is_some_and(|function| function.0.cuda().is_some())
    );
    assert_eq!(jim.join, Join::Alone);
}

/// SU(x;y), where no SU(x;w) is above it; SU(a;b) = 2·I(a;b) / (H(a) + H(b)).
fn fcbf(threshold: f64) -> Score {
    let uncertainty = |over, under| Quantity {
        over,
        under: Some(under),
    };
    let with_y = uncertainty(
        Combination::of([2, -2, 0, -2, 0, 2, 0, 0]),
        Combination::of([2, -1, 0, -1, 0, 0, 0, 0]),
    );
    let with_w = uncertainty(
        Combination::of([2, -2, -2, 0, 2, 0, 0, 0]),
        Combination::of([2, -1, -1, 0, 0, 0, 0, 0]),
    );
    let weighed = |weight, quantity| Term {
        weight,
        quantity,
        part: Part::Whole,
    };
    Score {
        measure: Measure::Declared {
            relevance: with_y,
            terms: vec![weighed(1.0, with_y), weighed(-1.0, with_w)],
        },
        gather: Gather::Minimum,
        join: Join::Guarded,
        against: Against::Last,
        floor: Some(threshold),
        ..Score::default()
    }
}

#[test]
fn pair_scores_arrive_as_their_definitions() {
    let plugins = plugins();
    let score = |name: &str| plugins.pair_score(name).unwrap().value;
    let of = |combination| PairScore::Declared(Quantity::plain(combination));
    assert_eq!(score("mi3"), of(Combination::XW_Y));
    assert_eq!(score("synergy"), of(INTERACTION));
    let told = plugins.pair_score("sinergy").unwrap_err().to_string();
    assert_eq!(
        told,
        "there is no pair score `sinergy`; did you mean `synergy`?"
    );
}

#[test]
fn all_parameters_are_told_with_the_plugin() {
    let settled = asked("betagamma:gamma=0.25");
    assert_eq!(settled.name, "betagamma");
    assert_eq!(settled.plugin, "information");
    let expected = [
        ("beta".to_owned(), 1.0.into()),
        ("gamma".to_owned(), 0.25.into()),
    ];
    assert_eq!(settled.parameters, expected);
}

#[test]
fn what_cannot_be_asked_is_told_with_what_can() {
    for (text, told) in [
        ("jmii", "there is no method `jmii`; did you mean `jmi`?"),
        ("pas", "there is no method `pas`; did you mean `pass`?"),
        ("boosting", "there is no method `boosting`"),
        (
            "mifs:bta=1",
            "method `mifs` takes beta, not `bta`; did you mean `beta`?",
        ),
        ("jmi:beta=1", "method `jmi` takes no parameters, not `beta`"),
        (
            "mifs:beta=-1",
            "beta = -1 of method `mifs` lies outside 0 … 100",
        ),
        (
            "mifs:beta=nan",
            "beta = NaN of method `mifs` lies outside 0 … 100",
        ),
        (
            "mifs:beta",
            "`mifs:beta` must be NAME or NAME:PARAMETER=VALUE,…",
        ),
        ("", "`` must be NAME or NAME:PARAMETER=VALUE,…"),
    ] {
        assert_eq!(refused(text), told);
    }
}

#[test]
fn errors_and_panics_of_a_plugin_in_rust_are_told() {
    assert_eq!(declared("faulty"), mim());
    for (fault, reason) in [
        (1, "it has no such score: no score at 1"),
        (
            2,
            "it has no such score: it panicked at tests/support/faulty/lib.rs:LINE: no way to 2",
        ),
        (3, "it has no such score: 9 terms; at most 8 are summed"),
        (
            4,
            "relevance has a margin of the anchor; it is of x and y alone",
        ),
    ] {
        assert_eq!(
            without_line(&refused(&format!("faulty:fault={fault}"))),
            format!("method `faulty` of plugin `faulty`: {reason}")
        );
    }
}
