//! The course of a search, thinned as it comes, so that a page can draw it.

use serde::{Deserialize, Serialize};

use crate::search::{IterationRecord, bits};

/// The largest number of particles whose steps are kept.
const PARTICLES: usize = 256;

/// The largest number of steps kept, of all particles.
const STEPS: usize = 24_576;

/// The criteria and sizes of particles by iteration, and the best criterion.
///
/// A resumed search repeats iterations that came after its state, with the same bits, and the wave in
/// which it was cut: what is recorded again changes nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Curves {
    particles: usize,
    /// One of so many particles is kept.
    every: usize,
    /// One of so many iterations is kept.
    stride: usize,
    /// The first iteration and the last of the swarm, and the last of all.
    first: usize,
    swarm: usize,
    last: usize,
    kept: Vec<Snapshot>,
    /// The last iteration of the swarm, which may be between two that are kept.
    latest: Option<Snapshot>,
    /// The iterations that lowered the criterion, and to what.
    best: Vec<Lowest>,
    /// The lowest criterion that a proof has found, after the last iteration.
    proof: Option<Lowest>,
}

/// Criterion and size of the particles that are kept, at one iteration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Snapshot {
    iteration: usize,
    models: Vec<Model>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Model {
    #[serde(with = "bits")]
    value: f64,
    size: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Lowest {
    iteration: usize,
    #[serde(with = "bits")]
    value: f64,
}

impl Curves {
    /// Adds one iteration, or one wave of the polish.
    pub fn record(&mut self, iteration: &IterationRecord<'_>) {
        let number = iteration.number;
        if iteration.proof.is_some() {
            // A proof counts no iterations.
            let lowest = self.lowest(self.last, iteration.best_value);
            self.proof = lowest.or(self.proof);
            return;
        }
        match iteration.wave {
            // It may have been cut when it was recorded before.
            Some(_) => self.best.retain(|lowest| lowest.iteration < number),
            None if number <= self.swarm => return,
            None => {}
        }
        self.last = number;
        let lowest = self.lowest(number, iteration.best_value);
        self.best.extend(lowest);
        if iteration.wave.is_some() || iteration.steps.is_empty() {
            return;
        }
        if self.stride == 0 {
            self.first = number;
            self.stride = 1;
            self.particles = iteration.steps.len();
            self.every = self.particles.div_ceil(PARTICLES);
        }
        self.swarm = number;
        let steps = iteration.steps.iter().step_by(self.every);
        let snapshot = Snapshot {
            iteration: number,
            models: steps
                .map(|step| Model {
                    value: step.value,
                    size: step.size,
                })
                .collect(),
        };
        if (number - self.first).is_multiple_of(self.stride) {
            self.kept.push(snapshot.clone());
        }
        let lines = snapshot.models.len();
        self.latest = Some(snapshot);
        while self.kept.len() * lines > STEPS && self.kept.len() > 2 {
            self.stride *= 2;
            let (first, stride) = (self.first, self.stride);
            let stays = |own: &Snapshot| (own.iteration - first).is_multiple_of(stride);
            self.kept.retain(stays);
        }
    }

    /// A criterion, if it is the lowest so far.
    fn lowest(&self, iteration: usize, value: f64) -> Option<Lowest> {
        let before = self.proof.as_ref().or(self.best.last());
        let is_lowest = before.is_none_or(|before| value < before.value);
        is_lowest.then_some(Lowest { iteration, value })
    }

    /// The iterations kept, and the last.
    fn snapshots(&self) -> impl Iterator<Item = &Snapshot> {
        let end = self.kept.last().map(|own| own.iteration);
        let latest = self.latest.iter();
        let latest = latest.filter(move |own| Some(own.iteration) != end);
        self.kept.iter().chain(latest)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Particles kept, by their numbers from 0, with their criteria by iteration, where these are
    /// numbers.
    pub(crate) fn lines(&self) -> Vec<(usize, Vec<(f64, f64)>)> {
        let lines = self.particles.div_ceil(self.every.max(1));
        let line = |at: usize| {
            let values = self.snapshots().filter_map(move |own| {
                let value = own.models.get(at)?.value;
                value.is_finite().then_some((own.iteration as f64, value))
            });
            (at * self.every, values.collect())
        };
        (0..lines).map(line).collect()
    }

    /// Size and criterion of the models that particles had.
    pub(crate) fn models(&self) -> impl Iterator<Item = (usize, f64)> {
        let models = self.snapshots().flat_map(|own| &own.models);
        let models = models.filter(|model| model.value.is_finite());
        models.map(|model| (model.size, model.value))
    }

    /// The lowest criterion so far: where it changes, and at the last iteration.
    pub(crate) fn best(&self) -> Vec<(f64, f64)> {
        let best = self.best.iter().chain(&self.proof);
        let finite = best.filter(|lowest| lowest.value.is_finite());
        let point = |lowest: &Lowest| (lowest.iteration as f64, lowest.value);
        let mut line: Vec<(f64, f64)> = finite.map(point).collect();
        line.extend(line.last().map(|end| (self.last as f64, end.1)));
        line
    }

    /// The last iteration of the swarm, if the polish went on from there.
    pub(crate) fn polished_from(&self) -> Option<usize> {
        (self.last > self.swarm).then_some(self.swarm)
    }

    /// Says what was left out; empty if nothing was.
    pub(crate) fn thinned(&self) -> String {
        let mut parts = Vec::new();
        if self.every > 1 {
            let (kept, of) = (self.particles.div_ceil(self.every), self.particles);
            parts.push(format!("{kept} of {of} particles"));
        }
        if self.stride > 1 {
            parts.push(format!("every {}th iteration", self.stride));
        }
        let mut text = match parts.join(", ") {
            parts if parts.is_empty() => String::new(),
            parts => format!(" Thinned: {parts} drawn; --trace has every step."),
        };
        let mut models = self.snapshots().flat_map(|own| &own.models);
        if models.any(|model| !model.value.is_finite()) {
            text += " Models whose criterion is no number are left out.";
        }
        if self.first > 1 {
            text += &format!(
                " The search went on from a checkpoint: steps before iteration {} are not known.",
                self.first
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{MoveKind, ProofRecord, StepRecord};

    fn search(particles: usize, iterations: usize, waves: usize) -> Curves {
        let mut curves = Curves::default();
        go_on(&mut curves, (particles, iterations, waves), 1);
        curves
    }

    /// Records the iterations and waves of a search from one of them on.
    fn go_on(
        curves: &mut Curves,
        (particles, iterations, waves): (usize, usize, usize),
        first: usize,
    ) {
        for number in first..=iterations + waves {
            let wave = number.checked_sub(iterations).filter(|wave| *wave > 0);
            let value = |at: usize| (at + 10) as f64 - (number / 10) as f64;
            let steps: Vec<StepRecord> = (0..particles)
                .map(|at| StepRecord {
                    kind: MoveKind::Stay,
                    variable: None,
                    size: at + number,
                    value: value(at),
                })
                .collect();
            curves.record(&IterationRecord {
                number,
                of: iterations,
                wave,
                proof: None,
                best_value: value(0),
                best_size: 1,
                steps: &steps,
            });
        }
    }

    fn record_proof(curves: &mut Curves, best_value: f64) {
        curves.record(&IterationRecord {
            number: 25,
            of: 25,
            wave: None,
            proof: Some(ProofRecord {
                nodes: 1,
                open: 0,
                undecided: 0.0,
                bound: 6.5,
            }),
            best_value,
            best_size: 1,
            steps: &[],
        });
    }

    /// As a checkpoint stores them.
    fn stored(curves: &Curves) -> Curves {
        serde_json::from_str(&serde_json::to_string(curves).unwrap()).unwrap()
    }

    #[test]
    fn what_a_resumed_search_repeats_changes_nothing() {
        let (of, mut whole) = ((300, 300, 40), search(300, 300, 40));
        for (recorded, from) in [(1, 1), (7, 3), (150, 90), (300, 300), (340, 301)] {
            // Cut in the swarm or in the polish; the last wave of the latter was cut short.
            let mut curves = search(300, recorded.min(300), recorded.saturating_sub(300));
            if recorded > 300 {
                let last = curves.best.last_mut().unwrap();
                (last.iteration, last.value) = (340, -23.5);
            }
            let mut curves = stored(&curves);
            go_on(&mut curves, of, from);
            assert_eq!(curves, whole, "{recorded}, from {from}");
        }
        // A proof goes on from between two waves, and may have found more when it was cut.
        let mut cut = stored(&whole);
        record_proof(&mut cut, -30.0);
        let mut resumed = stored(&cut);
        for value in [-25.0, -30.0, -31.0] {
            record_proof(&mut whole, value);
            record_proof(&mut resumed, value);
        }
        assert_eq!(resumed, whole);
        assert!(whole.best().ends_with(&[(340.0, -31.0), (340.0, -31.0)]));
    }

    #[test]
    fn criteria_that_are_no_numbers_are_stored() {
        let mut curves = search(2, 3, 0);
        let models = &mut curves.kept[1].models;
        (models[0].value, models[1].value) = (f64::INFINITY, f64::NEG_INFINITY);
        assert_eq!(stored(&curves), curves);
    }

    #[test]
    fn a_short_search_is_kept_whole() {
        let curves = search(3, 25, 5);
        let lines = curves.lines();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[2].0, 2);
        assert_eq!(lines[2].1.len(), 25);
        assert_eq!(lines[2].1[24], (25.0, 10.0));
        assert_eq!(curves.models().count(), 75);
        assert_eq!(
            curves.best(),
            [
                (1.0, 10.0),
                (10.0, 9.0),
                (20.0, 8.0),
                (30.0, 7.0),
                (30.0, 7.0)
            ]
        );
        assert_eq!(curves.polished_from(), Some(25));
        assert_eq!(curves.thinned(), "");
        assert!(!curves.is_empty() && Curves::default().is_empty());
    }

    #[test]
    fn a_proof_lowers_the_criterion_after_the_last_wave() {
        let mut curves = search(3, 25, 5);
        record_proof(&mut curves, 6.5);
        assert_eq!(curves.best()[3..], [(30.0, 7.0), (30.0, 6.5), (30.0, 6.5)]);
        assert_eq!(curves.polished_from(), Some(25));
    }

    #[test]
    fn a_long_one_is_thinned_evenly_to_its_last_iteration() {
        let curves = search(1000, 1000, 0);
        let lines = curves.lines();
        assert_eq!((lines.len(), lines[249].0), (250, 996));
        let line = &lines[7].1;
        assert!(line.len() * lines.len() <= STEPS + lines.len());
        assert_eq!(
            (line[0].0, line[1].0, line[line.len() - 1].0),
            (1.0, 17.0, 1000.0)
        );
        assert_eq!(curves.polished_from(), None);
        let thinned = curves.thinned();
        assert!(
            thinned.contains("250 of 1000 particles, every 16th iteration"),
            "{thinned}"
        );
    }
}
