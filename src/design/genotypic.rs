//! Variants as terms of two columns: the copies of an allele, and whether there is one of each.

use std::collections::HashMap;

use super::{Hierarchy, term_plan::TermPlan};
use crate::table::{Column, Genotypes, Values};

/// The genotypes of variants by name, of which columns of numbers are made.
pub(super) type ByName = HashMap<String, Genotypes>;

/// What the name of a column of heterozygotes ends with, behind that of its variant.
const HETEROZYGOTES: &str = "=het";

/// The variant that a column is of, and whether the column has its heterozygotes.
pub(super) fn variant<'a>(all: &ByName, name: &'a str) -> (&'a str, bool) {
    let own = name.strip_suffix(HETEROZYGOTES);
    match own.filter(|own| !all.contains_key(name) && all.contains_key(*own)) {
        Some(variant) => (variant, true),
        None => (name, false),
    }
}

/// Puts the column of heterozygotes, `NAME=het`, behind that of the copies of each variant of which all three genotypes occur;
/// which columns are a term then. `places` are the indexes of the columns.
pub(super) fn with_heterozygotes(
    keep: &[String],
    places: &mut Vec<usize>,
    columns: &mut Vec<Column>,
) -> (TermPlan, ByName) {
    let (old_places, old) = (std::mem::take(places), std::mem::take(columns));
    let count = old.len();
    let mut plan = TermPlan {
        of: vec![usize::MAX; old_places.iter().max().map_or(0, |last| last + 1)],
        labels: Vec::with_capacity(count),
        parents: vec![Vec::new(); count],
        hierarchy: Hierarchy::None,
        keep: Vec::with_capacity(count),
        widths: Vec::with_capacity(count),
    };
    let mut by_name = ByName::new();
    for (place, column) in old_places.into_iter().zip(old) {
        let name = column.name.clone();
        plan.of[place] = plan.labels.len();
        plan.keep.push(keep.contains(&name));
        let (mut width, mut second) = (1, None);
        match &column.values {
            Values::Genotypes(own) => {
                if own.counts().copies.iter().all(|count| *count > 0) {
                    width = 2;
                    let values = Values::Genotypes(own.heterozygotes());
                    second = Some(Column::from((format!("{name}{HETEROZYGOTES}"), values)));
                }
                by_name.insert(name.clone(), own.clone());
            }
            Values::Factor { levels, .. } => width = levels.len().saturating_sub(1).max(1),
            _ => {}
        }
        plan.labels.push(name);
        plan.widths.push(width);
        for own in [Some(column), second].into_iter().flatten() {
            places.push(place);
            columns.push(own);
        }
    }
    (plan, by_name)
}
