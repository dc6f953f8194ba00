//! Whether what every model holds is there.

use super::DesignBuilder;
use crate::design::{DesignError, Variable};

impl DesignBuilder<'_> {
    /// Every kept name must have become a variable: rows that were dropped may
    /// have taken a level with them, or made it the one others compare with.
    pub(super) fn check_kept(&self) -> Result<(), DesignError> {
        for name in self.options.keep {
            let dummy = format!("{name}=");
            let is = |v: &Variable| v.name == *name || v.name.starts_with(&dummy);
            let is_group = self.options.groups.iter().any(|group| group.name == *name);
            if !is_group && !self.variables.iter().any(|(v, kept)| *kept && is(v)) {
                let reason = "not among the variables once columns and rows are dropped";
                return Err(DesignError::KeptSetAside {
                    name: name.clone(),
                    reason: reason.to_owned(),
                });
            }
        }
        Ok(())
    }

    /// Something must be left of every kept term.
    pub(super) fn check_kept_terms(&self) -> Result<(), DesignError> {
        if let Some(name) = self
            .plan
            .as_ref()
            .and_then(|plan| plan.lost(&self.variables))
        {
            let (name, reason) = (name.to_owned(), "constant".to_owned());
            return Err(DesignError::KeptSetAside { name, reason });
        }
        Ok(())
    }
}
