//! The best models that a proof knows.

use super::super::{problem::rises, visited::VisitedModel};

/// Most models of equal φ that are remembered.
const TIES: usize = 64;

/// The models of lowest φ: equal up to the tolerance with which φ is compared, by size, then by columns.
#[derive(Debug, Clone)]
pub(super) struct BestModels {
    pub(super) models: Vec<VisitedModel>,
    lowest: f64,
}

impl BestModels {
    pub(super) fn new(model: VisitedModel) -> Self {
        Self {
            lowest: model.value,
            models: vec![model],
        }
    }

    /// The best of these models, if there are any.
    pub(super) fn of(models: &[VisitedModel]) -> Option<Self> {
        let (first, others) = models.split_first()?;
        let mut best = Self::new(first.clone());
        for model in others {
            best.offer(model.clone());
        }
        Some(best)
    }

    /// Takes up a model unless a better one is known; true where it is better than all.
    pub(super) fn offer(&mut self, model: VisitedModel) -> bool {
        let mut known = self.models.iter();
        if rises(self.lowest, model.value) || known.any(|own| own.members == model.members) {
            return false;
        }
        let is_better = rises(model.value, self.lowest);
        self.lowest = self.lowest.min(model.value);
        self.models.push(model);
        let lowest = self.lowest;
        self.models.retain(|own| !rises(lowest, own.value));
        self.models.sort_by(|a, b| {
            let sizes = a.members.len().cmp(&b.members.len());
            sizes.then_with(|| a.members.cmp(&b.members))
        });
        self.models.truncate(TIES);
        is_better
    }

    /// Of the models of lowest φ that of fewest columns, then of the lowest ones.
    pub(super) fn first(&self) -> &VisitedModel {
        &self.models[0]
    }

    /// The lowest φ, and the size of the first model.
    pub(super) fn target(&self) -> (f64, usize) {
        (self.lowest, self.models[0].members.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_are_kept_and_the_smallest_comes_first() {
        let model = |value: f64, members: &[u32]| VisitedModel {
            value,
            members: members.into(),
        };
        let mut best = BestModels::new(model(5.0, &[1, 2]));
        assert!(!best.offer(model(6.0, &[1])));
        assert!(!best.offer(model(5.0 + 1e-12, &[0, 3])));
        assert!(!best.offer(model(5.0, &[1, 2])));
        let members = |best: &BestModels| best.first().members.to_vec();
        assert_eq!((members(&best), best.models.len()), (vec![0, 3], 2));
        assert!(!best.offer(model(5.0 - 1e-12, &[7])));
        assert_eq!((members(&best), best.models.len()), (vec![7], 3));
        assert!(best.offer(model(4.0, &[4, 5, 6])));
        assert_eq!(best.target(), (4.0, 3));
        assert_eq!(best.models.len(), 1);
    }
}
