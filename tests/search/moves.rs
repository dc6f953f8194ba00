//! Every particle's walk, replayed from the definition of PaSS.

use std::{collections::HashMap, rc::Rc};

use nalgebra::{DMatrix, DVector};
use passel::{
    Design, Pass,
    criteria::named,
    search::{Gain, MoveKind, StepRecord},
};

use crate::{
    problems::small,
    reference::{Reference, default_bound, fit, phi, run, standardised, tss},
};

/// One observed run and what it is replayed on.
struct Replay {
    pass: Pass,
    criterion: &'static str,
    x: DMatrix<f64>,
    y: DVector<f64>,
    tss: f64,
    iterations: Vec<Vec<StepRecord>>,
    fits: HashMap<Vec<u32>, Rc<Reference>>,
    tally: Tally,
}

/// How often each move was made where the probabilities are the same.
#[derive(Default)]
struct Tally {
    /// Best, improve, random, where the best model has something to add.
    forward: [u64; 3],
    /// Improve, random, where it has nothing.
    alone: [u64; 2],
    /// Improve, random.
    backward: [u64; 2],
    /// Steps made where the size left one direction only.
    at_zero: u64,
    at_bound: u64,
    flips: u64,
    /// Of random moves, by variable: count, its expectation and variance.
    uniform: HashMap<(&'static str, u32), [f64; 3]>,
}

impl Tally {
    /// A draw from `open`, all equally likely.
    fn draw(&mut self, kind: &'static str, open: &[u32], drawn: u32) {
        let probability = 1.0 / open.len() as f64;
        for &variable in open {
            let [count, mean, variance] = self.uniform.entry((kind, variable)).or_default();
            *count += f64::from(u8::from(variable == drawn));
            *mean += probability;
            *variance += probability * (1.0 - probability);
        }
    }
}

/// One particle, as the definition has it.
struct Walker {
    members: Vec<u32>,
    forward: bool,
    value: f64,
}

impl Replay {
    /// Runs `small(n, p, seed)` and keeps every step.
    fn of(n: usize, p: usize, seed: u64, criterion: &'static str, pass: Pass) -> Self {
        let (x, y) = small(n, p, seed);
        let design = Design::from_matrices(&x, &y, &Default::default()).unwrap();
        let mut iterations = Vec::new();
        run(
            &design,
            &*named(criterion, &[]).unwrap(),
            &pass,
            1,
            |iteration| {
                assert_eq!(iteration.number, iterations.len() + 1);
                assert_eq!(iteration.of, pass.iterations);
                iterations.push(iteration.steps.to_vec());
            },
        );
        let total = tss(&y);
        let (x, y) = standardised(&x, &y);
        Self {
            pass,
            criterion,
            x,
            y,
            tss: total,
            iterations,
            fits: HashMap::new(),
            tally: Tally::default(),
        }
    }

    fn fit(&mut self, support: &[u32]) -> Rc<Reference> {
        if let Some(known) = self.fits.get(support) {
            return Rc::clone(known);
        }
        let fitted = Rc::new(fit(&self.x, &self.y, support));
        self.fits.insert(support.to_vec(), Rc::clone(&fitted));
        fitted
    }

    fn phi(&mut self, support: &[u32]) -> f64 {
        let rss = self.fit(support).rss * self.tss;
        let (n, p) = self.x.shape();
        phi(self.criterion, n, p, support.len(), rss)
    }

    fn outside(&self, members: &[u32]) -> Vec<u32> {
        let all = 0..self.x.ncols() as u32;
        all.filter(|j| !members.contains(j)).collect()
    }

    /// Replays every particle; every claim is asserted.
    fn replay(&mut self) {
        let iterations = std::mem::take(&mut self.iterations);
        assert_eq!(iterations.len(), self.pass.iterations);
        let (mut best, mut lowest) = (Vec::new(), self.phi(&[]));
        let mut walkers: Vec<Walker> = Vec::new();
        for step in &iterations[0] {
            assert_eq!((step.kind, step.variable), (MoveKind::Start, None));
            let members = self.start(step);
            let value = self.phi(&members);
            self.same_value(step, value);
            walkers.push(Walker {
                members,
                forward: true,
                value,
            });
        }
        assert_eq!(walkers.len(), self.pass.particles);
        for steps in &iterations[1..] {
            // The best as it stood after the iteration before, the first of equals.
            for walker in &walkers {
                if walker.value < lowest - 1e-9 {
                    (lowest, best) = (walker.value, walker.members.clone());
                }
            }
            for (walker, step) in walkers.iter_mut().zip(steps) {
                self.step(walker, step, &best);
            }
        }
    }

    /// The support a particle started with: none, or the one variable whose φ
    /// is the value recorded.
    fn start(&mut self, step: &StepRecord) -> Vec<u32> {
        assert_eq!(step.size, self.pass.start_size);
        if step.size == 0 {
            return Vec::new();
        }
        assert_eq!(step.size, 1);
        let near = |replay: &mut Self, j: u32| (replay.phi(&[j]) - step.value).abs() < 1e-9;
        let all: Vec<u32> = (0..self.x.ncols() as u32).collect();
        let those: Vec<u32> = all.into_iter().filter(|&j| near(self, j)).collect();
        assert_eq!(those.len(), 1, "no one variable has the start's value");
        self.tally.draw("start", &self.outside(&[]), those[0]);
        those
    }

    fn same_value(&self, step: &StepRecord, value: f64) {
        // 1e-9·n is a relative error of 1e-9 in RSS; rounding is far below.
        let tolerance = 1e-9 * self.x.nrows() as f64;
        assert!(
            (step.value - value).abs() <= tolerance,
            "{step:?}, not {value}"
        );
    }

    fn step(&mut self, walker: &mut Walker, step: &StepRecord, best: &[u32]) {
        let (n, p) = self.x.shape();
        let bound = self.pass.max_size.unwrap_or(default_bound(n, p));
        let size = walker.members.len();
        let adds = matches!(
            step.kind,
            MoveKind::AddBest | MoveKind::AddImprove | MoveKind::AddRandom
        );
        let drops = matches!(step.kind, MoveKind::DropImprove | MoveKind::DropRandom);
        assert!(adds != drops, "{step:?}");
        if size == 0 {
            self.tally.at_zero += 1;
            walker.forward = true;
        } else if size == bound {
            self.tally.at_bound += 1;
            walker.forward = false;
        }
        assert_eq!(adds, walker.forward, "{step:?} of size {size}");
        let variable = step.variable.unwrap();
        let at = walker.members.binary_search(&variable);
        assert_eq!(at.is_err(), adds, "{step:?}");
        let outside = self.outside(&walker.members);
        let fresh: Vec<u32> = best
            .iter()
            .copied()
            .filter(|j| outside.contains(j))
            .collect();
        match (step.kind, fresh.is_empty()) {
            (MoveKind::AddBest, true) => panic!("the best model has nothing to add: {step:?}"),
            (MoveKind::AddBest, false) => self.tally.forward[0] += 1,
            (MoveKind::AddImprove, false) => self.tally.forward[1] += 1,
            (MoveKind::AddRandom, false) => self.tally.forward[2] += 1,
            (MoveKind::AddImprove, true) => self.tally.alone[0] += 1,
            (MoveKind::AddRandom, true) => self.tally.alone[1] += 1,
            (MoveKind::DropImprove, _) => self.tally.backward[0] += 1,
            (MoveKind::DropRandom, _) => self.tally.backward[1] += 1,
            (MoveKind::Start | MoveKind::Stay | MoveKind::Walk, _) => panic!("{step:?}"),
        }
        match step.kind {
            MoveKind::AddBest => {
                assert!(fresh.contains(&variable), "{step:?}");
                self.tally.draw("best", &fresh, variable);
            }
            MoveKind::AddRandom => self.tally.draw("add", &outside, variable),
            MoveKind::DropRandom => self.tally.draw("drop", &walker.members, variable),
            MoveKind::AddImprove => self.strongest(&walker.members, &outside, variable),
            MoveKind::DropImprove => self.cheapest(&walker.members, variable),
            MoveKind::Start | MoveKind::Stay | MoveKind::Walk => {}
        }
        match at {
            Ok(at) => drop(walker.members.remove(at)),
            Err(at) => walker.members.insert(at, variable),
        }
        assert_eq!(step.size, walker.members.len());
        assert!(step.size <= bound);
        let value = self.phi(&walker.members);
        self.same_value(step, value);
        // Two models one variable apart never tie on these data, so that the
        // reference alone says whether φ rose.
        assert!(
            (value - walker.value).abs() > 1e-8,
            "a tie: choose another seed"
        );
        if value > walker.value {
            self.tally.flips += 1;
            walker.forward = !walker.forward;
        }
        walker.value = value;
    }

    /// An improving forward step takes the largest |xᵢᵀr|, or the largest fall
    /// of RSS. Of unit columns and ‖r‖ ≤ 1, 1e-10 is far above rounding.
    fn strongest(&mut self, members: &[u32], outside: &[u32], chosen: u32) {
        let before = self.fit(members);
        let gains: Vec<f64> = match self.pass.gain {
            Gain::Correlation => outside
                .iter()
                .map(|&j| self.x.column(j as usize).dot(&before.residual).abs())
                .collect(),
            Gain::Exact => outside
                .iter()
                .map(|&j| {
                    let mut larger = members.to_vec();
                    larger.insert(members.partition_point(|m| *m < j), j);
                    before.rss - self.fit(&larger).rss
                })
                .collect(),
        };
        let most = gains.iter().copied().fold(0.0, f64::max);
        let own = gains[outside.iter().position(|j| *j == chosen).unwrap()];
        assert!(
            own >= most - 1e-10,
            "{chosen} gains {own}, the strongest {most}"
        );
    }

    /// An improving backward step raises RSS least.
    fn cheapest(&mut self, members: &[u32], chosen: u32) {
        let whole = self.fit(members).rss;
        let mut cost = |j: u32| {
            let rest: Vec<u32> = members.iter().copied().filter(|m| *m != j).collect();
            self.fit(&rest).rss - whole
        };
        let own = cost(chosen);
        let least = members
            .iter()
            .map(|&j| cost(j))
            .fold(f64::INFINITY, f64::min);
        assert!(
            own <= least + 1e-10,
            "{chosen} costs {own}, the cheapest {least}"
        );
    }

    /// Frequencies within five standard deviations of their probabilities:
    /// of some hundred checks none fails by chance (6e-7 each).
    fn frequencies(&self) {
        self.frequencies_beside_alone();
        let [_, improve, random] = self.pass.forward;
        let rest = improve + random;
        shares("alone", &self.tally.alone, &[improve / rest, random / rest]);
    }

    fn frequencies_beside_alone(&self) {
        let [best, improve, random] = self.pass.forward;
        shares("forward", &self.tally.forward, &[best, improve, random]);
        shares("backward", &self.tally.backward, &self.pass.backward);
        for ((kind, variable), [count, mean, variance]) in &self.tally.uniform {
            // Below ten expected draws the normal law does not hold.
            if *mean >= 10.0 {
                let distance = (count - mean).abs() / variance.sqrt();
                assert!(distance < 5.0, "{kind} {variable}: {count} of {mean}");
            }
        }
    }
}

fn shares(kind: &str, counts: &[u64], probabilities: &[f64]) {
    let total = counts.iter().sum::<u64>() as f64;
    assert!(total >= 400.0, "{kind}: only {total} steps");
    for (&count, &probability) in counts.iter().zip(probabilities) {
        let sigma = (total * probability * (1.0 - probability)).sqrt();
        let expected = total * probability;
        // With a probability of 0 or 1 nothing may differ.
        assert!(
            (count as f64 - expected).abs() <= 5.0 * sigma + 1e-9 * total,
            "{kind}: {counts:?} of {probabilities:?}"
        );
    }
}

fn pass(forward: [f64; 3], backward: [f64; 2], gain: Gain) -> Pass {
    Pass {
        particles: 30,
        iterations: 250,
        start_size: 0,
        forward,
        backward,
        gain,
        polish: false,
        ..Pass::default()
    }
}

#[test]
fn defaults() {
    let pass = pass([0.2, 0.6, 0.2], [0.2, 0.8], Gain::Correlation);
    let mut replay = Replay::of(40, 15, 600, "ebic", pass);
    replay.replay();
    replay.frequencies();
    assert!(replay.tally.flips > 500 && replay.tally.at_zero > 29);
}

#[test]
fn exact_gain() {
    let pass = pass([0.3, 0.4, 0.3], [0.6, 0.4], Gain::Exact);
    let mut replay = Replay::of(40, 14, 601, "bic", pass);
    replay.replay();
    replay.frequencies();
}

#[test]
fn bound_on_size() {
    // AIC grows to the bound of 5 again and again.
    let pass = Pass {
        max_size: Some(5),
        seed: 9,
        ..pass([0.1, 0.5, 0.4], [0.5, 0.5], Gain::Correlation)
    };
    let mut replay = Replay::of(50, 16, 602, "aic", pass);
    replay.replay();
    // A best model at the bound leaves nothing to add only where none may be.
    replay.frequencies_beside_alone();
    assert!(replay.tally.at_bound > 400, "{}", replay.tally.at_bound);
}

#[test]
fn no_best_and_no_random() {
    let pass = pass([0.0, 1.0, 0.0], [0.0, 1.0], Gain::Correlation);
    let mut replay = Replay::of(40, 12, 603, "hdbic", pass);
    replay.replay();
    assert_eq!((replay.tally.forward[0], replay.tally.forward[2]), (0, 0));
    replay.frequencies();
}

#[test]
fn one_random_start() {
    let pass = Pass {
        particles: 400,
        iterations: 12,
        start_size: 1,
        ..pass([0.2, 0.6, 0.2], [0.2, 0.8], Gain::Correlation)
    };
    let mut replay = Replay::of(45, 15, 604, "bic", pass);
    replay.replay();
    replay.frequencies();
}

#[test]
fn wide_correlation() {
    // n < p: many more columns than the sweep's blocks hold, sizes up to 30.
    let pass = Pass {
        particles: 12,
        iterations: 120,
        ..pass([0.2, 0.6, 0.2], [0.3, 0.7], Gain::Correlation)
    };
    Replay::of(60, 400, 605, "ebic", pass).replay();
}

#[test]
fn wide_exact() {
    let pass = Pass {
        particles: 4,
        iterations: 40,
        max_size: Some(12),
        ..pass([0.2, 0.6, 0.2], [0.3, 0.7], Gain::Exact)
    };
    Replay::of(40, 150, 606, "hdaic", pass).replay();
}
