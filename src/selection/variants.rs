//! What there is to say of the chosen variants of a design.

use std::collections::HashMap;

use super::{SelectedVariable, SelectedVariant};
use crate::{design::Design, least_squares::Fit};

/// Says of each chosen variable that is genotypes, or dosages, what there is to say.
pub(crate) fn describe_variants(design: &Design, fit: &Fit, selected: &mut [SelectedVariable]) {
    let costs = fit.coefficients().iter().zip(fit.inverse_gram_diagonal());
    let costs = costs.map(|(b, diagonal)| b * b / diagonal);
    let mut costs: Vec<f64> = costs.collect();
    let x = design.columns();
    if x.terms().is_some() {
        // Without a column its term is out.
        let of_terms = fit.term_drop_costs(x);
        let of_terms: HashMap<u32, f64> = fit
            .terms()
            .iter()
            .zip(of_terms)
            .map(|(term, (cost, _))| (*term, cost))
            .collect();
        let own = fit.support().iter().map(|j| of_terms.get(&x.term_of(*j)));
        costs.iter_mut().zip(own).for_each(|(cost, own)| {
            *cost = own.copied().unwrap_or(*cost);
        });
    }
    for (place, own) in selected.iter_mut().enumerate() {
        let Some(j) = fit.support().get(place) else {
            return;
        };
        let packed = design.genotypes(*j);
        let packed = packed.map(|own| (own.mean(), own.missing()));
        let Some((mean, missing)) = packed.or_else(|| design.dosages(*j)) else {
            continue;
        };
        let locus = design.loci().and_then(|loci| loci.of(&own.name));
        let twins = design.set_aside().iter();
        let twins = twins.filter(|aside| aside.copy_of.as_deref() == Some(&own.name));
        let (chromosome, position, alleles) = match locus {
            Some(locus) => (
                Some(locus.chromosome),
                Some(locus.position),
                [locus.counted_allele, locus.other_allele].map(Some),
            ),
            None => (None, None, [None, None]),
        };
        let [counted_allele, other_allele] = alleles;
        own.variant = Some(SelectedVariant {
            chromosome,
            position,
            counted_allele,
            other_allele,
            frequency: mean / 2.0,
            missing,
            per_deviation: own.estimate.coefficient * design.deviation(*j),
            // TSS is one on the scale of the fit.
            explained: design.likelihood().is_none().then_some(costs[place]),
            twins: twins.map(|aside| aside.name.clone()).collect(),
        });
    }
}
