//! Scores from sums, by the reference.

use super::*;
use crate::{
    counting::tests::{codes, terms},
    wide,
};

/// I(x;y) less I(x;w), of each step.
fn rule(gather: i32, join: i32) -> ScoreRule {
    let mut rule = ScoreRule {
        terms: 1,
        gather,
        join,
        unit: 100 << 20,
        ..ScoreRule::default()
    };
    rule.term[0].weight = -(1 << 32);
    rule.term[0].over = [1, -1, -1, 0, 1, 0, 0, 0];
    rule.term[1].over = [1, -1, 0, -1, 0, 1, 0, 0];
    rule
}

/// Tables of one candidate against several anchors, the first of one level.
fn tables(anchors: u64) -> Vec<TableSums> {
    let (x, y, terms) = (codes(100, 4, 31), codes(100, 2, 32), terms(100));
    let of = |w: &[u32]| wide::reference((&x, None), (w, 9), &y, &terms);
    let anchors = (0..anchors).map(|anchor| of(&codes(100, 3, 33 + anchor)));
    std::iter::once(of(&[0; 100])).chain(anchors).collect()
}

#[test]
fn the_nearest_integer_is_the_nearest() {
    for over in -40..40 {
        for under in 1..12 {
            let off = under * nearest(over, under) - over;
            assert!(-under < 2 * off && 2 * off <= under, "{over} {under}");
        }
    }
}

#[test]
fn a_ratio_does_not_show_by_what_both_are_multiplied() {
    let table = tables(1)[1];
    let term = ScoreTerm {
        over: [1, -1, -1, 0, 1, 0, 0, 0],
        under: [1, 0, -1, 0, 0, 0, 0, 0],
        is_ratio: 1,
        ..ScoreTerm::default()
    };
    let by = |by: i32| ScoreTerm {
        over: term.over.map(|factor| by * factor),
        under: term.under.map(|factor| by * factor),
        ..term
    };
    let value = quantity(&term, &table, 100, 100 << 20);
    assert!((1..100 << 20).contains(&value));
    for times in [-3, -1, 2, 7] {
        assert_eq!(quantity(&by(times), &table, 100, 100 << 20), value);
    }
    // S(n) / (S(n) − S(w)) is past 64 bits.
    let of = [1 << 60, 0, (1 << 60) - 1, 0, 0, 0, 0, 0];
    let (wide, mut term) = (TableSums { of, left: 100 }, term);
    term.over = [1, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(quantity(&term, &wide, 100, 100 << 20), i64::MAX);
}

#[test]
fn steps_gather_as_they_are_declared() {
    let tables = tables(5);
    let (first, steps) = tables.split_at(1);
    let score = |gather, join| reference(&rule(gather, join), 100, &first[0], steps).unwrap();
    let last = |table| gathered(&rule(2, 1), 0, table, 100);
    let each: Vec<i128> = steps.iter().map(last).collect();
    assert_eq!(score(0, 1), each.iter().sum::<i128>());
    assert_eq!(Some(&score(1, 1)), each.iter().min());
    assert_eq!(Some(&score(2, 1)), each.last());
    let relevance = reference(&rule(0, 0), 100, &first[0], &[]).unwrap();
    assert_eq!(score(0, 0), relevance + score(0, 1));
    assert_eq!(score(1, 2), relevance.min(score(1, 1)));
    assert_eq!(reference(&rule(0, 3), 100, &first[0], steps), None);
    let mut mean = rule(0, 0);
    mean.mean = 1;
    let score = reference(&mean, 100, &first[0], steps);
    assert_eq!(score, Some(5 * relevance + each.iter().sum::<i128>()));
}

#[test]
fn the_part_below_0_alone_counts_where_it_is_asked_for() {
    let table = tables(1)[1];
    let mut rule = rule(2, 1);
    let whole = gathered(&rule, 0, &table, 100);
    assert!(whole < 0);
    rule.term[0].below_zero = 1;
    assert_eq!(gathered(&rule, 0, &table, 100), 0);
    rule.term[0].over = rule.term[0].over.map(|factor| -factor);
    assert_eq!(gathered(&rule, 0, &table, 100), -whole);
}

#[test]
fn a_table_of_half_the_rows_has_the_value_of_one_that_is_twice_as_large() {
    let mut half = tables(1)[1];
    let term = rule(0, 0).term[0];
    let value = quantity(&term, &half, 100, 0);
    half.left = 50;
    assert_eq!(quantity(&term, &half, 100, 0), 2 * value);
    half.left = 0;
    assert_eq!(quantity(&term, &half, 100, 0), 0);
}
