//! `cut`: a variable → the intervals that its values lie in.

use super::bases::range;
use super::error::Located;
use super::evaluate::Evaluator;
use super::expression::{Call, Expression};
use super::fault::Fault;
use super::functions::match_arguments;
use super::learnt::Learnt;
use super::number::significant_text;
use super::value::{FactorValue, Value};

/// Digits that the text of an interval has at least and at most.
const DIGITS: std::ops::RangeInclusive<usize> = 3..=15;

const BREAKS: &str = "two or more different numbers, or the number of intervals, 2 to 1000";

impl<'d> Evaluator<'d> {
    /// `cut(x, breaks, labels =, include.lowest =, right =, ordered_result =)`.
    pub(super) fn cut(&mut self, call: &Call, of: &Expression) -> Result<Value<'d>, Located> {
        let names = &[
            "x",
            "breaks",
            "labels",
            "include.lowest",
            "right",
            "ordered_result",
        ];
        let matched = match_arguments(call, of.span, names)?;
        let x = matched.require("x")?;
        matched.require("breaks")?;
        let values = self.finite_numbers(x)?;
        let given = self
            .number_list(&matched, "breaks", BREAKS)?
            .unwrap_or_default();
        let labels = self.text_list(&matched, "labels")?;
        let includes_lowest = self.flag(&matched, "include.lowest", false)?;
        let is_right = self.flag(&matched, "right", true)?;
        let is_ordered = self.flag(&matched, "ordered_result", false)?;
        let mut breaks = match given[..] {
            [count] => {
                if !(2.0..=1000.0).contains(&count) {
                    return Err(matched.refuse("breaks", BREAKS));
                }
                let learn = || Ok(Learnt::Breaks(equal_widths(&values, count as usize)));
                self.learn(of, learn, |learnt| match learnt {
                    Learnt::Breaks(breaks) if breaks.len() > 1 => Some(breaks),
                    _ => None,
                })?
            }
            _ => given,
        };
        breaks.sort_by(f64::total_cmp);
        if breaks.len() < 2 || breaks.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(matched.refuse("breaks", BREAKS));
        }
        let levels = match labels {
            None => interval_texts(&breaks, is_right, includes_lowest),
            Some(labels) if labels.len() == breaks.len() - 1 => labels,
            Some(_) => return Err(matched.refuse("labels", "one text an interval")),
        };
        let codes = values.iter().enumerate().map(|(row, value)| {
            let interval = interval_of(*value, &breaks, is_right, includes_lowest);
            interval.ok_or_else(|| {
                of.span.fault(Fault::OutsideBreaks {
                    expression: x.to_string(),
                    row: row + 1,
                })
            })
        });
        Ok(Value::Factor(FactorValue {
            codes: codes.collect::<Result<Vec<u32>, Located>>()?.into(),
            levels: levels.into(),
            is_ordered,
            contrast: None,
        }))
    }
}

/// Breaks of intervals of one width over the range of values, the outer two a thousandth of it wider.
fn equal_widths(values: &[f64], count: usize) -> Vec<f64> {
    let (mut low, mut high) = range(values);
    let mut extra = (high - low) / 1000.0;
    if high == low {
        let width = if low == 0.0 { 1.0 } else { low.abs() };
        (low, high) = (low - width / 1000.0, high + width / 1000.0);
        extra = 0.0;
    }
    let step = (high - low) / count as f64;
    let breaks = (0..=count).map(|place| match place {
        0 => low - extra,
        _ if place == count => high + extra,
        _ => low + step * place as f64,
    });
    breaks.collect()
}

/// The interval of a value; none if it is in none of them.
fn interval_of(value: f64, breaks: &[f64], is_right: bool, includes_lowest: bool) -> Option<u32> {
    let last = breaks.len() - 1;
    // Breaks below the value, those equal to it among them unless intervals are closed to the right.
    let below = breaks.partition_point(|edge| *edge < value || !is_right && *edge == value);
    let is_end = match is_right {
        true => value == breaks[0],
        false => value == breaks[last],
    };
    match below {
        _ if is_end && includes_lowest => Some(if is_right { 0 } else { last as u32 - 1 }),
        0 => None,
        _ if below > last => None,
        _ => Some(below as u32 - 1),
    }
}

/// `(10,20]`, with as many digits as make the breaks differ.
fn interval_texts(breaks: &[f64], is_right: bool, includes_lowest: bool) -> Vec<String> {
    let texts = |digits| -> Vec<String> {
        breaks
            .iter()
            .map(|edge| significant_text(*edge, digits))
            .collect()
    };
    let differ = |texts: &Vec<String>| texts.windows(2).all(|pair| pair[0] != pair[1]);
    let mut tries = DIGITS.map(texts);
    let found = tries.find(differ);
    let edges = found.unwrap_or_else(|| texts(17));
    let (open, close) = if is_right { ("(", "]") } else { ("[", ")") };
    let count = breaks.len() - 1;
    let intervals = edges.windows(2).enumerate().map(|(place, pair)| {
        let is_end = place == if is_right { 0 } else { count - 1 };
        let (open, close) = match is_end && includes_lowest {
            true => ("[", "]"),
            false => (open, close),
        };
        format!("{open}{},{}{close}", pair[0], pair[1])
    });
    intervals.collect()
}
