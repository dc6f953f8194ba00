//! The models that a search visited: the best of all, and the best of each size.

use std::{cmp::Ordering, collections::HashSet};

use serde::{Deserialize, Serialize};

use super::{bits, problem::rises};

const REMEMBERED: usize = 1000;

/// A model that a search visited.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VisitedModel {
    /// φ; serialised as its bits.
    #[serde(with = "bits")]
    pub value: f64,
    /// Its terms, ascending: columns of the design matrix, unless factors are whole.
    pub members: Box<[u32]>,
}

impl VisitedModel {
    pub(super) fn pair(&self) -> (f64, &[u32]) {
        (self.value, &self.members)
    }

    /// The order by φ, then by size, then by columns.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let size = |model: &Self| model.members.len();
        self.value
            .total_cmp(&other.value)
            .then_with(|| size(self).cmp(&size(other)))
            .then_with(|| self.members.cmp(&other.members))
    }
}

/// The distinct models of lowest φ that a search visited, and the lowest of each size.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct VisitedModels {
    /// Unordered, and with repetitions, between two prunings.
    models: Vec<VisitedModel>,
    /// Only models with φ below this are kept.
    #[serde(with = "bits")]
    threshold: f64,
    front: Vec<Option<VisitedModel>>,
    /// Whether these are all models: none is forgotten then.
    #[serde(default)]
    is_complete: bool,
}

impl Default for VisitedModels {
    fn default() -> Self {
        Self {
            models: Vec::new(),
            threshold: f64::INFINITY,
            front: Vec::new(),
            is_complete: false,
        }
    }
}

impl VisitedModels {
    /// All models of a problem, each once.
    pub(super) fn complete(models: Vec<VisitedModel>) -> Self {
        let mut all = Self {
            is_complete: true,
            threshold: f64::NEG_INFINITY,
            ..Self::default()
        };
        for model in &models {
            all.offer(model.value, &model.members);
        }
        Self { models, ..all }
    }

    /// An empty list with this one's threshold.
    pub(super) fn like(&self) -> Self {
        Self {
            threshold: self.threshold,
            ..Self::default()
        }
    }

    pub(super) fn wants(&self, value: f64) -> bool {
        value < self.threshold
    }

    /// All models, some of them more than once.
    pub(super) fn models(&self) -> impl Iterator<Item = &VisitedModel> {
        self.models.iter().chain(self.front.iter().flatten())
    }

    /// Whether a list that was read is valid: every model is, and there is at least one.
    pub(super) fn holds(&self, is_model: impl Fn(&[u32]) -> bool) -> bool {
        let mut sizes = self.front.iter().enumerate();
        self.front.iter().any(Option::is_some)
            && self.models().all(|met| is_model(&met.members))
            && sizes.all(|(size, met)| met.as_ref().is_none_or(|met| met.members.len() == size))
    }

    /// Adds a model, if it is among the best.
    pub(crate) fn offer(&mut self, value: f64, members: &[u32]) {
        let met = || VisitedModel {
            value,
            members: members.into(),
        };
        if self.wants(value) {
            self.models.push(met());
            if self.models.len() >= 4 * REMEMBERED {
                self.prune();
            }
        }
        let size = members.len();
        if size >= self.front.len() {
            self.front.resize(size + 1, None);
        }
        if self.front[size]
            .as_ref()
            .is_none_or(|best| rises(value, best.value))
        {
            self.front[size] = Some(met());
        }
    }

    pub(super) fn absorb(&mut self, other: Self) {
        for met in other.models() {
            self.offer(met.value, &met.members);
        }
    }

    /// The best model of each size visited, ascending by size.
    pub(super) fn front(&self) -> Vec<VisitedModel> {
        self.front.iter().flatten().cloned().collect()
    }

    /// The best model of each of the `count` best sizes, best first.
    pub(super) fn starts(&self, count: usize) -> Vec<VisitedModel> {
        let mut front = self.front();
        front.sort_by(VisitedModel::order);
        front.truncate(count);
        front
    }

    /// The kept models, each once, best first.
    pub(super) fn best(mut self) -> Vec<VisitedModel> {
        self.prune();
        self.models
    }

    fn prune(&mut self) {
        // φ of one model may differ in its last digits with the way it was reached: the
        // lower value, which comes first, stays.
        self.models.sort_unstable_by(VisitedModel::order);
        let mut met = HashSet::with_capacity(self.models.len());
        let new: Vec<bool> = self
            .models
            .iter()
            .map(|model| met.insert(&model.members))
            .collect();
        let mut new = new.into_iter();
        self.models.retain(|_| new.next().unwrap_or(true));
        if self.models.len() > REMEMBERED && !self.is_complete {
            self.models.truncate(REMEMBERED);
            self.threshold = self.models[REMEMBERED - 1].value;
        }
    }
}
