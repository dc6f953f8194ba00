//! The chosen variants on a page, and what could stand in the place of each chosen variable.

use super::{PageExtras, page::Body, scan};
use crate::{
    report::{
        numbers::percent,
        variants::{MEANING, level, members, sets, variants as table_of},
    },
    selection::Selection,
};

/// What is known of each chosen variant, where some are genotypes, and the credible sets.
pub(super) fn variants(body: &mut Body, report: &Selection) {
    if let Some(table) = table_of(report) {
        let caption = "Frequency: of the counted allele, whose copies the coefficient is an effect of; ΔR²: by how much R² falls \
                       without the variant; copies: variants that tell the same, of which one can be a candidate.";
        body.table("Variants", caption, &table, table.rows.len());
    }
    let Some(table) = sets(report) else {
        return;
    };
    let caption = format!(
        "Of each chosen variable those that could stand in its place, all others staying, up to {} of the weight; {MEANING}: about \
         the probability that it is this one if one of them stands there. Least r²: between any two of the set.",
        percent(100.0 * level(report))
    );
    body.table("Credible sets", &caption, &table, table.rows.len());
    let table = members(report);
    let caption =
        "Δ: by how much the criterion rises if it stands there; r²: with the chosen variable.";
    body.table(
        "Members of the credible sets",
        caption,
        &table,
        table.rows.len(),
    );
}

/// The tests of all variants, where they were made.
pub(super) fn scan(body: &mut Body, report: &Selection, extras: &PageExtras) {
    if let Some(tests) = &extras.scan {
        scan::sections(body, tests, report);
    }
}
