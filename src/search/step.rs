//! A step of a tableau.

/// A step: the term of the model that leaves, by its index there, the one of the pool that joins, the terms
/// of the pool that go with it, the parameters that the model has more then, and the fall of RSS.
#[derive(Debug, Clone, Default)]
pub(super) struct Step {
    pub(super) fall: f64,
    pub(super) leaves: Option<usize>,
    pub(super) joins: Option<usize>,
    /// What a term that joins needs, or what needs one that leaves.
    pub(super) beside: Vec<usize>,
    pub(super) parameters: i32,
}

impl Step {
    /// The terms that the model has more then.
    pub(super) fn terms(&self) -> isize {
        let beside = self.beside.len() as isize;
        match (self.leaves, self.joins) {
            (Some(_), None) => -1 - beside,
            (None, Some(_)) => 1 + beside,
            _ => 0,
        }
    }
}
