//! The steps of a search, thinned as they come, so that a page can draw them.

use crate::search::IterationRecord;

/// Particles of which steps are kept.
const PARTICLES: usize = 256;

/// Steps kept of all of them together.
const STEPS: usize = 24_576;

/// What a search told, iteration by iteration.
#[derive(Debug, Clone, Default)]
pub struct Curves {
    /// Particles that there are, and of how many one is kept.
    particles: usize,
    every: usize,
    /// Of how many iterations one is kept.
    stride: usize,
    /// The first iteration and the last of the swarm, and the last of all.
    first: usize,
    swarm: usize,
    last: usize,
    kept: Vec<Kept>,
    /// The last of the swarm, which may be between two that are kept.
    latest: Option<Kept>,
    /// The iterations that lowered the criterion, and to what.
    best: Vec<(usize, f64)>,
}

/// The particles that are kept, at one iteration.
#[derive(Debug, Clone)]
struct Kept {
    iteration: usize,
    /// Criterion and size of each.
    models: Vec<(f64, usize)>,
}

impl Curves {
    /// Takes in one iteration, or one wave of the polish.
    pub fn record(&mut self, iteration: &IterationRecord<'_>) {
        let number = iteration.number;
        self.last = number;
        if self
            .best
            .last()
            .is_none_or(|it| iteration.best_value < it.1)
        {
            self.best.push((number, iteration.best_value));
        }
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
        let own = iteration.steps.iter().step_by(self.every);
        let kept = Kept {
            iteration: number,
            models: own.map(|it| (it.value, it.size)).collect(),
        };
        if (number - self.first).is_multiple_of(self.stride) {
            self.kept.push(kept.clone());
        }
        self.latest = Some(kept);
        let lines = self.particles.div_ceil(self.every);
        while self.kept.len() * lines > STEPS && self.kept.len() > 2 {
            self.stride *= 2;
            let (first, stride) = (self.first, self.stride);
            self.kept
                .retain(|it| (it.iteration - first).is_multiple_of(stride));
        }
    }

    /// Those that are kept, with the last.
    fn all(&self) -> impl Iterator<Item = &Kept> {
        let end = self.kept.last().map(|it| it.iteration);
        let latest = self.latest.iter();
        let latest = latest.filter(move |it| Some(it.iteration) != end);
        self.kept.iter().chain(latest)
    }

    /// Whether there is anything to draw.
    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Of each particle kept its number, from 0 on, and its criterion by iteration, where that is
    /// a number.
    pub(super) fn lines(&self) -> Vec<(usize, Vec<(f64, f64)>)> {
        let lines = self.particles.div_ceil(self.every.max(1));
        let line = |at: usize| {
            let values = self.all().filter_map(move |it| {
                let (value, _) = *it.models.get(at)?;
                value.is_finite().then_some((it.iteration as f64, value))
            });
            (at * self.every, values.collect())
        };
        (0..lines).map(line).collect()
    }

    /// Size and criterion of the models that particles stood at.
    pub(super) fn models(&self) -> impl Iterator<Item = (usize, f64)> {
        let models = self.all().flat_map(|it| &it.models);
        models.map(|it| (it.1, it.0)).filter(|it| it.1.is_finite())
    }

    /// The lowest criterion so far: where it changes, and where it ends.
    pub(super) fn best(&self) -> Vec<(f64, f64)> {
        let finite = self.best.iter().filter(|it| it.1.is_finite());
        let mut line: Vec<(f64, f64)> = finite.map(|it| (it.0 as f64, it.1)).collect();
        line.extend(line.last().map(|it| (self.last as f64, it.1)));
        line
    }

    /// The last iteration of the swarm, where the polish went on from there.
    pub(super) fn polished_from(&self) -> Option<usize> {
        (self.last > self.swarm).then_some(self.swarm)
    }

    /// What was left out, in a sentence; nothing where nothing was.
    pub(super) fn thinned(&self) -> String {
        let mut parts = Vec::new();
        if self.every > 1 {
            let (kept, of) = (self.particles.div_ceil(self.every), self.particles);
            parts.push(format!("{kept} of {of} particles"));
        }
        if self.stride > 1 {
            parts.push(format!("every {}th iteration", self.stride));
        }
        let mut told = match parts.is_empty() {
            true => String::new(),
            false => format!(
                " Thinned: {} drawn; --trace has every step.",
                parts.join(", ")
            ),
        };
        if self
            .all()
            .flat_map(|it| &it.models)
            .any(|it| !it.0.is_finite())
        {
            told += " Models whose criterion is no number are left out.";
        }
        if self.first > 1 {
            told += &format!(
                " The search went on from a checkpoint: steps before iteration {} are not known.",
                self.first
            );
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{MoveKind, StepRecord};

    fn search(particles: usize, iterations: usize, waves: usize) -> Curves {
        let mut curves = Curves::default();
        for number in 1..=iterations + waves {
            let wave = number.checked_sub(iterations).filter(|it| *it > 0);
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
                best_value: value(0),
                best_size: 1,
                steps: &steps,
            });
        }
        curves
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
        let told = curves.thinned();
        assert!(
            told.contains("250 of 1000 particles, every 16th iteration"),
            "{told}"
        );
    }
}
