//! The credible set of each chosen variable, from the exchanges of the model.

use std::collections::{BTreeMap, BTreeSet};

use super::{CONFIDENCE_LEVEL, CredibleSet, SelectedVariable, SetMember};
use crate::{
    design::{Columns, Design, SetAside},
    least_squares::Fit,
    table::Locus,
};

/// Members that are listed, and the share of the weight beyond which none is.
const LISTED: usize = 500;
const FULL: f64 = 0.999;

/// Members of which each is compared with each.
const COMPARED: usize = 100;

/// What could stand in the place of one variable of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Alternatives {
    /// The column that leaves the model.
    pub leaves: u32,
    /// Columns outside of the model that could join it then, with the rise in φ, the least first.
    pub joins: Vec<(u32, f64)>,
}

/// A candidate that could stand somewhere, or a copy of it.
struct Alternative<'a> {
    column: u32,
    delta: f64,
    copy: Option<&'a SetAside>,
}

/// Gives each chosen variable whose alternatives are known its credible set.
pub(crate) fn describe_alternatives(
    design: &Design,
    fit: &Fit,
    alternatives: &[Alternatives],
    selected: &mut [SelectedVariable],
) {
    let mut copies: BTreeMap<&str, Vec<&SetAside>> = BTreeMap::new();
    for own in design.set_aside() {
        if let Some(of) = &own.copy_of {
            copies.entry(of).or_default().push(own);
        }
    }
    for own in alternatives {
        let mut places = fit.support().iter().zip(selected.iter_mut());
        let Some((_, chosen)) = places.find(|(column, _)| **column == own.leaves) else {
            continue;
        };
        chosen.credible_set = Some(set_of(design, own, &copies));
    }
    let sets = || selected.iter().filter_map(|own| own.credible_set.as_ref());
    let names = sets().flat_map(|own| &own.members).map(|own| &*own.name);
    let names: BTreeSet<String> = names.map(str::to_owned).collect();
    // In one pass: there may be millions.
    let loci = design.loci().into_iter().flat_map(|loci| loci.all());
    let loci = loci.filter(|(name, _)| names.contains(*name));
    let loci: BTreeMap<&str, Locus> = loci.map(|(name, locus)| (name, locus())).collect();
    let sets = selected
        .iter_mut()
        .filter_map(|own| own.credible_set.as_mut());
    for own in sets.flat_map(|set| &mut set.members) {
        if let Some(locus) = loci.get(&*own.name).cloned() {
            own.chromosome = Some(locus.chromosome);
            own.position = Some(locus.position);
            own.counted_allele = Some(locus.counted_allele);
            own.other_allele = Some(locus.other_allele);
        }
    }
}

fn set_of(
    design: &Design,
    own: &Alternatives,
    copies: &BTreeMap<&str, Vec<&SetAside>>,
) -> CredibleSet {
    let name = |column: u32| &*design.variables()[column as usize].name;
    // The chosen one first of those that are as good.
    let joins = own
        .joins
        .iter()
        .map(|(column, rise)| (*column, rise.max(0.0)));
    let mut all = Vec::new();
    for (column, delta) in [(own.leaves, 0.0)].into_iter().chain(joins) {
        let copies = copies.get(name(column)).into_iter().flatten();
        let one = |copy| Alternative {
            column,
            delta,
            copy,
        };
        all.push(one(None));
        all.extend(copies.map(|copy| one(Some(*copy))));
    }
    let weight = |own: &Alternative| (-0.5 * own.delta).exp();
    let sum: f64 = all.iter().map(weight).sum();
    let alternatives = all.len();
    let mut before = 0.0;
    let listed = all.iter().take(LISTED).take_while(|own| {
        let is_wanted = before < FULL;
        before += weight(own) / sum;
        is_wanted
    });
    let count = listed.count();
    all.truncate(count);
    let x = design.columns();
    let columns: Vec<u32> = all.iter().map(|own| own.column).collect();
    let mut with_chosen = vec![0.0; count];
    x.products_with(own.leaves, &columns, &mut with_chosen);
    let mut least = Some(1.0);
    let pairs = least_r_squared(x, &columns[..count.min(COMPARED)]);
    let pairs = pairs.into_iter().map(Some).chain(std::iter::repeat(None));
    let members = all.iter().zip(&with_chosen).zip(pairs);
    let members = members.map(|((member, r), pair)| {
        least = least
            .zip(pair)
            .map(|(least, pair): (f64, f64)| least.min(pair));
        let genotypes = design.genotypes(member.column);
        let frequency = genotypes.map(|own| own.mean() / 2.0);
        SetMember {
            name: member
                .copy
                .map_or(name(member.column), |own| &*own.name)
                .to_owned(),
            copy_of: member.copy.and_then(|own| own.copy_of.clone()),
            maf: frequency.map(|own| own.min(1.0 - own)),
            weight: weight(member) / sum,
            delta: member.delta,
            r_squared: squared(*r),
            purity: least,
            ..SetMember::default()
        }
    });
    let mut set = CredibleSet {
        alternatives,
        members: members.collect(),
        ..CredibleSet::default()
    };
    set.set_level(CONFIDENCE_LEVEL);
    set
}

/// r² of columns of unit norm with this product.
fn squared(r: f64) -> f64 {
    (r * r).min(1.0)
}

/// For each column the least r² with those before it; 1 for the first.
fn least_r_squared(x: Columns, columns: &[u32]) -> Vec<f64> {
    let each = columns.iter().enumerate().map(|(at, column)| {
        let mut products = vec![0.0; at];
        x.products_with(*column, &columns[..at], &mut products);
        products.into_iter().map(squared).fold(1.0, f64::min)
    });
    each.collect()
}
