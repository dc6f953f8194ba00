//! The models a search met: the best of them, and the best of each size.

use std::{cmp::Ordering, collections::HashSet};

use serde::{Deserialize, Serialize};

use super::{bits, objective::rises};

/// Best models remembered.
const REMEMBERED: usize = 1000;

/// One model met.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VisitedModel {
    /// φ; as JSON its bits.
    #[serde(with = "bits")]
    pub value: f64,
    /// Columns of the design matrix, ascending.
    pub members: Box<[u32]>,
}

impl VisitedModel {
    pub(super) fn pair(&self) -> (f64, &[u32]) {
        (self.value, &self.members)
    }

    /// By φ, then by size, then by columns.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let size = |it: &Self| it.members.len();
        self.value
            .total_cmp(&other.value)
            .then_with(|| size(self).cmp(&size(other)))
            .then_with(|| self.members.cmp(&other.members))
    }
}

/// The distinct models of lowest φ a search met, and the lowest of each size.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct VisitedModels {
    /// Unordered and with repetitions between two prunings.
    models: Vec<VisitedModel>,
    /// What is not below this need not be remembered.
    #[serde(with = "bits")]
    threshold: f64,
    /// By size.
    front: Vec<Option<VisitedModel>>,
}

impl Default for VisitedModels {
    fn default() -> Self {
        Self {
            models: Vec::new(),
            threshold: f64::INFINITY,
            front: Vec::new(),
        }
    }
}

impl VisitedModels {
    /// An empty list that takes only what this one would.
    pub(super) fn like(&self) -> Self {
        Self {
            threshold: self.threshold,
            ..Self::default()
        }
    }

    /// Whether a model of this φ would be among the best.
    pub(super) fn wants(&self, value: f64) -> bool {
        value < self.threshold
    }

    /// Whether every model is one, and at least one was met: a list that was read.
    pub(super) fn holds(&self, is_model: impl Fn(&[u32]) -> bool) -> bool {
        let mut sizes = self.front.iter().enumerate();
        self.front.iter().any(Option::is_some)
            && self.models.iter().all(|met| is_model(&met.members))
            && sizes.all(|(size, met)| {
                let fits = |it: &VisitedModel| it.members.len() == size && is_model(&it.members);
                met.as_ref().is_none_or(fits)
            })
    }

    /// Takes note of a model.
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

    /// Takes note of all that another list holds.
    pub(super) fn absorb(&mut self, other: Self) {
        for met in other.models.iter().chain(other.front.iter().flatten()) {
            self.offer(met.value, &met.members);
        }
    }

    /// Of each size met the best model, ascending by size.
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

    /// The remembered models, each once, best first.
    pub(super) fn best(mut self) -> Vec<VisitedModel> {
        self.prune();
        self.models
    }

    fn prune(&mut self) {
        // The same model by two ways may differ in its last digits: the lower, which
        // comes first, stays.
        self.models.sort_unstable_by(VisitedModel::order);
        let mut met = HashSet::with_capacity(self.models.len());
        let new: Vec<bool> = self
            .models
            .iter()
            .map(|it| met.insert(&it.members))
            .collect();
        let mut new = new.into_iter();
        self.models.retain(|_| new.next().unwrap_or(true));
        if self.models.len() > REMEMBERED {
            self.models.truncate(REMEMBERED);
            self.threshold = self.models[REMEMBERED - 1].value;
        }
    }
}
