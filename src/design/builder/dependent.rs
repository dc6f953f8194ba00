//! Columns that others of their term explain.

use super::DesignBuilder;
use crate::{design::DesignError, vector::orthonormalise};

/// Least norm that the columns before it in its term leave of a column of unit norm. R's `lm` uses the same.
const LEAST_REST: f64 = 1e-7;

impl DesignBuilder<'_> {
    /// Sets aside the columns of terms that those before them in the same term explain, as cells
    /// without an observation make them.
    pub(super) fn set_dependent_aside(&mut self) -> Result<(), DesignError> {
        let Some(plan) = &self.plan else {
            return Ok(());
        };
        let (n, mut first) = (self.n, 0);
        let mut dependent = vec![false; self.variables.len()];
        for (_, width) in plan.ranges(&self.variables) {
            let mut basis: Vec<Vec<f64>> = Vec::new();
            let own = dependent.iter_mut().enumerate().skip(first);
            let own = own.take(if width > 1 { width } else { 0 });
            for (column, is_dependent) in own {
                self.heed_interrupt()?;
                let mut rest = self.x[column * n..][..n].to_vec();
                let norm = orthonormalise(&mut rest, &basis);
                *is_dependent = norm < LEAST_REST;
                if !*is_dependent {
                    basis.push(rest);
                }
            }
            first += width;
        }
        if !dependent.contains(&true) {
            return Ok(());
        }
        let mut stay = 0;
        let variables = std::mem::take(&mut self.variables);
        for (at, (variable, kept)) in variables.into_iter().enumerate() {
            if dependent[at] {
                let reason = "explained by the columns before it in its term";
                self.put_aside(variable.name, false, reason.to_owned())?;
                continue;
            }
            self.move_column(at, stay);
            stay += 1;
            self.variables.push((variable, kept));
        }
        self.truncate_columns(stay);
        Ok(())
    }
}
