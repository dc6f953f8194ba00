//! The chosen variants on a page.

use super::page::Body;
use crate::{report::regression::variants as table_of, selection::Selection};

/// What is known of each chosen variant, where some are genotypes.
pub(super) fn variants(body: &mut Body, report: &Selection) {
    let Some(table) = table_of(report) else {
        return;
    };
    let caption = "Frequency: of the counted allele, whose copies the coefficient is an effect of; ΔR²: by how much R² falls \
                   without the variant; copies: variants that tell the same, of which one can be a candidate.";
    body.table("Variants", caption, &table, table.rows.len());
}
