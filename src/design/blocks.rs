//! Designs of responses of several levels without order: each candidate has a coefficient for each level but the first.
//!
//! Linear predictors of the levels stand below one another, and so do columns: the one that a candidate has for a level holds
//! its values in that level's block, and zeros in the others. All columns of a candidate, or of a term, are one term: it
//! enters for all levels or for none.

use std::sync::Arc;

use super::{Design, DesignError, Terms};

impl Design {
    /// Gives each column one for each level of the response but the first. The design has all columns.
    ///
    /// # Errors
    /// Columns that have no room in memory.
    pub(super) fn stand_in_blocks(&mut self, table: &str) -> Result<(), DesignError> {
        let levels = self.response_levels.get(1..).unwrap_or_default();
        let (n, p, blocks) = (self.n, self.variables.len(), levels.len());
        let terms = self.columns().term_count() as u32;
        self.term_names = (0..terms)
            .map(|term| self.term_name(term).to_owned())
            .collect();
        let widths = (0..terms).map(|term| blocks * self.columns().columns_of(term).len());
        let widths: Vec<usize> = widths.collect();
        let variables = self
            .variables
            .iter()
            .flat_map(|variable| levels.iter().map(|level| variable.of_class(level)));
        let variables = variables.collect();
        if blocks > 1 {
            let rows = n * blocks;
            let mut x = Vec::new();
            let room = rows.checked_mul(p).and_then(|all| all.checked_mul(blocks));
            if room.is_none_or(|room| x.try_reserve_exact(room).is_err()) {
                let widest = self.variables.first().map(|own| own.name.clone());
                return Err(DesignError::TooLarge {
                    table: table.to_owned(),
                    n: rows,
                    p: p * blocks,
                    widest: widest.unwrap_or_default(),
                });
            }
            for column in self.x.chunks(n) {
                for block in 0..blocks {
                    let start = x.len();
                    x.resize(start + rows, 0.0);
                    x[start + block * n..][..n].copy_from_slice(column);
                }
            }
            self.x = x.into();
            self.blocks = blocks;
            let own = Terms::new(&self.x, rows, &widths);
            let own = match &self.terms {
                None => own,
                Some(before) => {
                    let parents = (0..terms).map(|term| before.parents(term).into());
                    own.with_parents(parents.collect(), before.hierarchy())
                }
            };
            self.terms = Some(Arc::new(own));
        }
        self.variables = Arc::new(variables);
        Ok(())
    }

    /// Levels of the response with coefficients of their own: how often the rows stand below one another.
    pub(crate) fn blocks(&self) -> usize {
        self.blocks
    }

    /// The values of a column where it is not made of zeros.
    ///
    /// *Shapes:* n values.
    pub(crate) fn own_rows(&self, j: u32) -> &[f64] {
        let start = (j as usize % self.blocks) * self.n;
        &self.columns().column(j)[start..][..self.n]
    }
}
