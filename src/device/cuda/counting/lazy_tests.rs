//! Columns that are put off, against the CPU: walks that need many waves, lists that are too
//! short, more anchors than there is room for.

use std::ops::Range;

use super::{super::facts, CudaCounter, Waves};
use crate::{
    binning::{BinnedColumn, Codes, Rule},
    device::{
        counting::{Anchor, Best, Counter, Logs, Step, Tally, information},
        cpu::CpuCounter,
    },
    random::{Stream, below},
    score::{Against, Combination, Gather, Join, Measure, Part, Quantity, Score, Term},
};

/// A walk.
struct Case {
    columns: Vec<BinnedColumn>,
    response: BinnedColumn,
    picks: usize,
    /// Picks behind which the host has codes of its own swept.
    breaks: Vec<usize>,
}

fn column(codes: Vec<u8>, levels: usize) -> BinnedColumn {
    BinnedColumn {
        name: String::new(),
        index: 0,
        levels,
        codes: Codes::Byte(codes),
        rule: Rule::Edges(Vec::new()),
        missing: None,
    }
}

impl Case {
    /// n × p columns, a third of them copies of others, of so many levels.
    fn new((n, p): (usize, usize), levels: Range<usize>, picks: usize, breaks: Vec<usize>) -> Self {
        let mut stream = Stream::new(n as u64, p as u64);
        let mut draw = |bound: usize| below(stream.word(), bound);
        let response: Vec<u8> = (0..n).map(|_| draw(3) as u8).collect();
        let mut columns: Vec<BinnedColumn> = Vec::new();
        for at in 0..p {
            if at % 3 == 2 {
                columns.push(columns[draw(at)].clone());
                continue;
            }
            let (levels, told) = (levels.start + draw(levels.len()), draw(5));
            let code = |row: usize, draw: &mut dyn FnMut(usize) -> usize| match draw(8) < told {
                true => usize::from(response[row]) * 7 % levels,
                false => draw(levels),
            };
            let codes = (0..n).map(|row| code(row, &mut draw) as u8).collect();
            columns.push(column(codes, levels));
        }
        Self {
            columns,
            response: column(response, 3),
            picks,
            breaks,
        }
    }

    /// What is picked, by a score; with facts that are so.
    fn walk(&self, counter: &mut dyn Counter, tally: &Tally, logs: &Logs) -> Vec<Best> {
        let mut picked: Vec<Best> = Vec::new();
        let mut steps: Vec<Step> = Vec::new();
        let mut plain = true;
        for at in 0..self.picks {
            let next = self.breaks.iter().find(|it| **it >= at);
            counter.expect(next.unwrap_or(&(self.picks - 1)) - at + 1);
            let Some(found) = counter.best().unwrap() else {
                break;
            };
            let own = Anchor::of(&self.columns[found.column.0 as usize]);
            let facts = counter.facts(found.column.0).unwrap();
            if let Some(redundancy) = facts.and_then(|it| it.redundancy).filter(|_| plain) {
                let (own, mut cells) = ((&own, own.sum(logs)), Vec::new());
                let each = steps.iter().map(|it| it.summed(logs));
                let each = each.map(|it| i128::from(information(own, it, logs, &mut cells)));
                assert_eq!(redundancy, each.sum(), "{}", found.column.0);
            }
            picked.push(found);
            counter.take(found.column.0);
            if at + 1 == self.picks {
                break;
            }
            let step = match (self.breaks.contains(&at), steps.last()) {
                (true, Some(last)) => {
                    plain = false;
                    own.joined(last.anchor()).into()
                }
                _ => Step::of(found.column.0, &self.columns, tally),
            };
            counter.sweep(&step).unwrap();
            steps.push(step);
        }
        picked
    }

    /// Holds walks with lists of so many items against one on the CPU. How many items were
    /// counted, of those that all columns would be.
    fn holds(&self, name: &str, score: &Score, capacity: Option<usize>) -> (u64, u64) {
        let n = self.response.codes.n();
        let logs = Logs::new(n, score.reach());
        let tally = Tally::new(score.clone(), &logs, n);
        let response = tally.anchor(&self.response);
        let by = (&logs, &tally);
        let mut cpu = CpuCounter::new(&self.columns, 0, &response, by, 1);
        let expected = self.walk(&mut cpu, &tally, &logs);
        let waves = Waves::always(capacity);
        let on = (&[0][..], None);
        let mut card = CudaCounter::with(&self.columns[..], &response, by, on, waves).unwrap();
        assert!(card.shards[0].lazy.is_some());
        let told = self.walk(&mut card, &tally, &logs);
        assert_eq!(told, expected, "{name}, {capacity:?}");
        let all = self.columns.len() * (told.len() - 1);
        (card.shards[0].items().unwrap(), all as u64)
    }
}

fn scores() -> Vec<(&'static str, Score)> {
    let score = |quantity, weight, join| Score {
        measure: Measure::Declared {
            relevance: Quantity::plain(Combination::X_Y),
            terms: vec![Term {
                weight,
                quantity,
                part: Part::Whole,
            }],
        },
        gather: Gather::Minimum,
        join,
        against: Against::Last,
        floor: None,
    };
    let given = Quantity::plain(Combination::of(0, 0, 1, 0, -1, 0, -1, 1));
    let gained = Quantity::plain(Combination::of(-1, 1, 1, 1, -1, -1, -1, 1));
    let joint = Quantity::plain(Combination::XW_Y);
    let ratio = Quantity {
        under: Some(Combination::of(1, 0, 0, 0, 0, 0, 0, -1)),
        ..joint
    };
    vec![
        ("cmim", score(given, 1.0, Join::Least)),
        ("jmim", score(joint, 1.0, Join::Alone)),
        ("njmim", score(ratio, 1.0, Join::Alone)),
        ("added", score(gained, 0.5, Join::Added)),
        ("guarded", score(gained, 0.4, Join::Guarded)),
    ]
}

/// Whether there is no card.
fn absent() -> bool {
    let required = std::env::var_os("PASSEL_REQUIRE_CUDA").is_some();
    let obstacle = facts::cuda().obstacle;
    assert!(!required || obstacle.is_none(), "{obstacle:?}");
    obstacle.is_some()
}

#[test]
fn most_columns_need_not_be_counted_against_most_anchors() {
    if absent() {
        return;
    }
    let case = Case::new((700, 3000), 2..13, 20, Vec::new());
    for (name, score) in scores() {
        let (counted, all) = case.holds(name, &score, None);
        eprintln!("{name}: {counted} of {all}");
        assert!(
            counted > 0 && counted < all / 2,
            "{name}: {counted} of {all}"
        );
    }
}

#[test]
fn lists_that_are_too_short_do_not_show() {
    if absent() {
        return;
    }
    let case = Case::new((700, 1000), 2..13, 20, Vec::new());
    for (name, score) in scores() {
        for capacity in [1, 40] {
            case.holds(name, &score, Some(capacity));
        }
    }
}

#[test]
fn any_number_of_anchors_is_kept_until_the_host_sweeps_its_own() {
    if absent() {
        return;
    }
    let case = Case::new((700, 400), 2..31, 170, vec![0, 9, 10, 160]);
    for (name, score) in scores() {
        case.holds(name, &score, None);
        case.holds(name, &score, Some(7));
    }
}
