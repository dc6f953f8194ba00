//! Fits of survival times beside those of the reference, with ties, strata and weights, several a block; those that are to be left. By
//! observations.

use passel_kernels::{
    cox::{self, BEGINS, CoxArgs, KERNEL, ReferenceTimes, RiskGroup, RiskRows, room_each},
    newton::{NewtonJob, shared_bytes},
};

use super::{TestGpu, arguments, assert_near};

pub const SIZES: &[usize] = &[70, 255, 257, 500];

/// Columns, and those of the largest model.
const COLUMNS: usize = 40;
const MOST: usize = 35;

/// Times of their own.
pub struct Times {
    time: Vec<f64>,
    event: Vec<bool>,
    stratum: Vec<u32>,
    weights: Vec<f64>,
    offset: Vec<f64>,
    is_efron: bool,
}

impl Times {
    /// Of so many strata, tied or not, which some columns shorten.
    pub fn of(columns: &[f64], noise: &[f64], strata: u32, is_tied: bool, is_efron: bool) -> Self {
        let n = noise.len();
        let root = (n as f64).sqrt();
        let time = |row: usize| {
            let eta = root * (0.5 * columns[row] - 0.3 * columns[n + row]);
            let time = -(root * noise[row]).abs().min(8.0) * (-eta).exp();
            match is_tied {
                true => (-4.0 * time).ceil(),
                false => -time,
            }
        };
        Self {
            time: (0..n).map(time).collect(),
            event: (0..n).map(|row| row % 5 != 1).collect(),
            stratum: (0..n).map(|row| row as u32 * 7 % strata).collect(),
            weights: (0..n).map(|row| [1.0, 0.5, 2.0, 0.0][row % 4]).collect(),
            offset: (0..n).map(|row| 0.1 * (row % 3) as f64).collect(),
            is_efron,
        }
    }

    pub fn reference(&self) -> ReferenceTimes<'_> {
        ReferenceTimes {
            time: &self.time,
            event: &self.event,
            stratum: &self.stratum,
            weights: &self.weights,
            offset: &self.offset,
            is_efron: self.is_efron,
        }
    }

    /// Rows in their order, and the groups.
    pub fn rows(&self) -> (Vec<usize>, Vec<RiskGroup>) {
        let n = self.time.len();
        let is_event = |row: usize| self.event[row] && self.weights[row] > 0.0;
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|a, b| {
            let strata = self.stratum[*a].cmp(&self.stratum[*b]);
            let times = self.time[*b].total_cmp(&self.time[*a]);
            strata.then(times).then(is_event(*a).cmp(&is_event(*b)))
        });
        let mut groups: Vec<RiskGroup> = Vec::new();
        let mut begin = 0;
        for (at, row) in order.iter().enumerate() {
            let before = at.checked_sub(1).map(|at| order[at]);
            let is_same = before.is_some_and(|before| self.stratum[before] == self.stratum[*row]);
            begin = if is_same { begin } else { at as u32 };
            if !is_event(*row) {
                continue;
            }
            let weight = self.weights[*row];
            let is_tied =
                before.is_some_and(|b| is_same && is_event(b) && self.time[b] == self.time[*row]);
            match groups.last_mut().filter(|_| is_tied) {
                Some(group) => {
                    group.end += 1;
                    group.weight += weight;
                }
                None => groups.push(RiskGroup {
                    begin,
                    start: at as u32,
                    end: at as u32 + 1,
                    spare: 0,
                    weight,
                }),
            }
        }
        (order, groups)
    }

    pub fn put(&self, test: &mut TestGpu) -> RiskRows {
        let (order, groups) = self.rows();
        let words: Vec<u32> = (order.iter().enumerate())
            .map(|(at, row)| {
                let begins = at == 0 || self.stratum[order[at - 1]] != self.stratum[*row];
                *row as u32 | if begins { BEGINS } else { 0 }
            })
            .collect();
        let of_row = |at: usize| {
            let stratum = |row: u32| self.stratum[order[row as usize]];
            let is_first = |group: &RiskGroup| {
                group.end as usize > at && stratum(group.begin) == self.stratum[order[at]]
            };
            groups.iter().position(is_first).unwrap_or(groups.len()) as u32
        };
        let of_rows: Vec<u32> = (0..order.len()).map(of_row).collect();
        RiskRows {
            n: order.len() as i64,
            order: test.put(&words),
            group: test.put(&of_rows),
            groups: test.put(&groups),
            count: groups.len() as i32,
            is_efron: i32::from(self.is_efron),
            has_ties: i32::from(self.is_efron && groups.iter().any(|own| own.end > own.start + 1)),
            spare: 0,
        }
    }
}

pub fn check(test: &mut TestGpu, n: usize) {
    for (strata, is_tied, is_efron) in [(1, false, true), (3, true, true), (2, true, false)] {
        check_times(test, n, strata, is_tied, is_efron);
    }
}

fn check_times(test: &mut TestGpu, n: usize, strata: u32, is_tied: bool, is_efron: bool) {
    let (mut columns, noise) = test.regression(n, COLUMNS);
    // The last column is nearly the second.
    let (head, last) = columns.split_at_mut((COLUMNS - 1) * n);
    last.iter_mut()
        .zip(&head[n..])
        .for_each(|(x, own)| *x = own + 1e-5 * *x);
    let times = Times::of(&columns, &noise, strata, is_tied, is_efron);
    let x = test.put(&columns);
    let address = |at: &u32| x + 8 * n as u64 * u64::from(*at);
    let most = (n / 8).min(MOST);
    let mut supports: Vec<Vec<u32>> = ([1, 2, 6, 7, 8, 15, 16, 23, 24, MOST].into_iter())
        .filter(|size| *size <= most)
        .map(|size| {
            let member = |at: u32| (at * 7 + 3) % (COLUMNS as u32 - 1);
            (0..size as u32).map(member).collect()
        })
        .collect();
    // Left: a column that is nearly another.
    supports.push(vec![1, COLUMNS as u32 - 1]);
    let blocks = 3u32;
    let rows = times.put(test);
    let each = room_each(&rows, MOST);
    let (shift, first) = (-7.0, test.put(&times.offset));
    let args = CoxArgs {
        rows,
        weights: test.put(&times.weights),
        offset: first,
        shift,
        least_change: 1e-12,
        of_scores: 2.0,
        of_costs: 3.0,
        first,
        room: test.fill(0.0f64, each * blocks as usize),
        room_each: each as i64,
    };
    let count = supports.len();
    let (predictors, scores) = (test.fill(0.0f64, n * count), test.fill(0.0f64, n * count));
    let costs = test.fill(0.0f64, MOST * count);
    let at = |of: u64, each: usize, job: usize| of + 8 * (each * job) as u64;
    let jobs = |test: &mut TestGpu, again: bool| -> Vec<NewtonJob> {
        let job = |(job, support): (usize, &Vec<u32>)| {
            let addresses: Vec<u64> = support.iter().map(address).collect();
            NewtonJob {
                addresses: test.put(&addresses),
                // Near the fit of another model, too.
                start: match again && job > 0 {
                    true => at(predictors, n, job - 1),
                    false => first,
                },
                predictors: if again { 0 } else { at(predictors, n, job) },
                scores: if again { 0 } else { at(scores, n, job) },
                costs: at(costs, MOST, job),
                k: support.len() as i64,
            }
        };
        supports.iter().enumerate().map(job).collect()
    };
    let told = test.fill(0.0f64, 4 * count);
    let mut run = |again: bool| {
        let jobs = jobs(test, again);
        let jobs = test.put(&jobs);
        let given = arguments![args, jobs, (count as i32), told];
        let shape = (256, shared_bytes(MOST));
        test.launch(&KERNEL, "cox", (blocks, 1), shape, given);
        (
            test.get::<f64>(told, 4 * count),
            test.get::<f64>(predictors, n * count),
            test.get::<f64>(scores, n * count),
            test.get::<f64>(costs, MOST * count),
        )
    };
    let (answers, predictors, scores, costs) = run(false);
    let again = run(true).0;
    let mut fitted = 0;
    for (job, support) in supports.iter().enumerate() {
        let answer = &answers[4 * job..][..4];
        if job == count - 1 {
            assert_eq!(answer[2], 1.0, "{support:?}");
            continue;
        }
        let own = support.iter().map(|at| &columns[*at as usize * n..][..n]);
        let own: Vec<&[f64]> = own.collect();
        let expected = cox::reference(&own, &times.reference());
        assert_eq!(answer[2], 0.0, "{support:?} was left: {answer:?}");
        fitted += 1;
        let value = expected.minus_two_log_likelihood;
        let tolerance = 1e-9 * (1.0 + value);
        assert_near(answer[0], value + 2.0 * shift, tolerance);
        if again[4 * job + 2] == 0.0 {
            assert_near(again[4 * job], value + 2.0 * shift, tolerance);
        }
        let square: f64 = expected.scores.iter().map(|s| 4.0 * s * s).sum();
        assert_near(answer[1], square, 1e-6 * square);
        for (at, cost) in expected.costs.iter().enumerate() {
            assert_near(costs[MOST * job + at], 3.0 * cost, 1e-6 * (1.0 + cost));
        }
        for row in 0..n {
            let pairs = own.iter().zip(&expected.coefficients);
            let eta: f64 = pairs.map(|(x, b)| x[row] * b).sum();
            assert_near(predictors[n * job + row], times.offset[row] + eta, 1e-6);
            assert_near(scores[n * job + row], 2.0 * expected.scores[row], 1e-6);
        }
    }
    assert!(fitted > 2, "{fitted}");
}
