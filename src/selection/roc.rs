//! The receiver operating characteristic of fitted probabilities.

use serde::{Deserialize, Serialize};

use super::number_or_nan;

/// The largest number of points kept.
const KEPT: usize = 200;

/// How events and others are told where what has at least some fitted probability is called an event.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RocPoint {
    /// The least fitted probability that is called an event; none where nothing is.
    pub threshold: Option<f64>,
    /// The share of events that are called so.
    #[serde(deserialize_with = "number_or_nan")]
    pub sensitivity: f64,
    /// The share of others that are not.
    #[serde(deserialize_with = "number_or_nan")]
    pub specificity: f64,
}

impl RocPoint {
    /// The share of others that are called events.
    pub(crate) fn false_positives(&self) -> f64 {
        1.0 - self.specificity
    }
}

/// The points of the curve from (0, 0) to (1, 1), the largest threshold first: its corners, and of more than 200 so many
/// evenly along it. `rows` are probability, trials and events, by probability, with some events and some others.
pub(super) fn roc(rows: &[[f64; 3]]) -> Vec<RocPoint> {
    let total: f64 = rows.iter().map(|[_, trials, _]| trials).sum();
    let all_events: f64 = rows.iter().map(|[.., events]| events).sum();
    let all_others = total - all_events;
    let mut points = vec![RocPoint {
        threshold: None,
        sensitivity: 0.0,
        specificity: 1.0,
    }];
    let (mut events, mut others) = (0.0, 0.0);
    let mut before = [true; 2];
    let mut groups = rows.chunk_by(|a, b| a[0] == b[0]).rev().peekable();
    while let Some(equal) = groups.next() {
        let own: f64 = equal.iter().map(|[.., events]| events).sum();
        let trials: f64 = equal.iter().map(|[_, trials, _]| trials).sum();
        events += own;
        others += trials - own;
        let is_last = groups.peek().is_none();
        // What goes on in a level or an upright line has no corner.
        let moves = [own > 0.0, trials - own > 0.0];
        if moves == before && moves != [true; 2] {
            points.pop();
        }
        before = moves;
        points.push(RocPoint {
            threshold: Some(equal[0][0]),
            sensitivity: if is_last { 1.0 } else { events / all_events },
            specificity: if is_last {
                0.0
            } else {
                1.0 - others / all_others
            },
        });
    }
    if points.len() > KEPT {
        let last = points.len() - 1;
        let part = |own: &RocPoint| {
            let way = (own.sensitivity + own.false_positives()) / 2.0;
            (way * (KEPT - 2) as f64) as usize
        };
        let mut kept: Option<usize> = None;
        let mut at = 0;
        points.retain(|own| {
            let is_end = at == 0 || at == last;
            at += 1;
            let is_new = kept != Some(part(own));
            if is_new {
                kept = Some(part(own));
            }
            is_end || is_new
        });
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(points: &[RocPoint]) -> f64 {
        let trapezia = points.windows(2).map(|pair| {
            let width = pair[1].false_positives() - pair[0].false_positives();
            width * (pair[0].sensitivity + pair[1].sensitivity) / 2.0
        });
        trapezia.sum()
    }

    /// The share of pairs of an event and another whose probabilities are in order, by looking at each.
    fn concordance(rows: &[[f64; 3]]) -> f64 {
        let (mut pairs, mut all) = (0.0, 0.0);
        for [event, _, events] in rows {
            for [other, trials, own] in rows {
                let weight = events * (trials - own);
                all += weight;
                pairs +=
                    weight * f64::from(1 + i8::from(event > other) - i8::from(event < other)) / 2.0;
            }
        }
        pairs / all
    }

    fn rows(n: usize, distinct: usize) -> Vec<[f64; 3]> {
        let mut rows: Vec<[f64; 3]> = (0..n)
            .map(|i| {
                let probability = (i * 37 % distinct) as f64 / distinct as f64;
                let trials = 1.0 + (i % 3) as f64;
                let events = if (i * 53 % n) as f64 / n as f64 <= probability {
                    trials
                } else {
                    0.0
                };
                [
                    probability,
                    trials,
                    (events - (i % 2) as f64 * 0.5).max(0.0),
                ]
            })
            .collect();
        rows.sort_by(|a, b| a[0].total_cmp(&b[0]));
        rows
    }

    #[test]
    fn the_curve_rises_from_end_to_end_over_the_area_that_counts_pairs() {
        for (n, distinct) in [(2, 2), (40, 7), (150, 151), (5000, 4999), (3000, 13)] {
            let rows = rows(n, distinct);
            let points = roc(&rows);
            assert!(points.len() <= KEPT, "{}", points.len());
            let ends = [&points[0], &points[points.len() - 1]];
            let ends = ends.map(|own| (own.false_positives(), own.sensitivity));
            assert_eq!(ends, [(0.0, 0.0), (1.0, 1.0)]);
            assert!(points.is_sorted_by(|a, b| {
                a.sensitivity <= b.sensitivity
                    && a.specificity >= b.specificity
                    && b.threshold < a.threshold.or(Some(2.0))
            }));
            // Of thinned points the chords are beside the curve.
            let tolerance = if n < KEPT { 1e-12 } else { 1e-4 };
            assert!(
                (area(&points) - concordance(&rows)).abs() < tolerance,
                "{n} {}",
                area(&points) - concordance(&rows)
            );
        }
    }

    #[test]
    fn a_point_is_what_its_threshold_tells() {
        let rows = rows(90, 31);
        for point in &roc(&rows)[1..] {
            let least = point.threshold.unwrap();
            let called = rows.iter().filter(|row| row[0] >= least);
            let events: f64 = called.map(|row| row[2]).sum();
            let all: f64 = rows.iter().map(|row| row[2]).sum();
            assert!((point.sensitivity - events / all).abs() < 1e-12);
        }
    }
}
