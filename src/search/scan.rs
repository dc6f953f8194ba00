//! The test of every variant, one at a time, beside the model of what is kept alone and beside the chosen model.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    design::Design,
    device::falls_by_joining,
    family::{two_sided, two_sided_normal},
    least_squares::{Fit, FitView},
    selection::{CredibleSet, SelectedVariable},
    table::Locus,
    threads,
};

/// On either side of a chosen variant, what is drawn of its chromosome.
///
/// *Units:* base pairs.
pub(crate) const REGION: i64 = 500_000;

/// Chosen variants whose regions are drawn, the strongest.
const REGIONS: usize = 12;

/// Variants of a smaller −log₁₀ p have no name, unless they are chosen or in a credible set.
pub(crate) const NAMED: f64 = 2.0;

/// The largest −log₁₀ p that is told apart.
const LARGEST: f64 = 300.0;

/// What a scan of the variants found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VariantScan {
    /// The chromosomes, in the order of the file.
    pub chromosomes: Vec<String>,
    /// The variants whose place is known, by chromosome and position.
    pub variants: Vec<ScannedVariant>,
    /// Around the strongest of the chosen variants, in their order.
    pub regions: Vec<Region>,
}

/// A variant, with its test beside each of two models.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScannedVariant {
    /// Its name, if it is chosen or in a credible set, or −log₁₀ p is at least 2 beside either model; else empty.
    pub name: String,
    /// The number of its chromosome in the scan.
    pub chromosome: usize,
    /// The base pair.
    pub position: i64,
    /// −log₁₀ p beside the model of the kept variables alone, at most 300; none where they explain it.
    pub null: Option<f64>,
    /// −log₁₀ p beside the chosen model; of a chosen variant that of its coefficient there.
    pub model: Option<f64>,
    /// Whether the model holds it.
    pub is_chosen: bool,
}

/// The variants around a chosen one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Region {
    /// The chosen variant, by its place among the variants of the scan.
    pub chosen: usize,
    /// Variants by their place there, itself among them, with r² with it.
    pub variants: Vec<(usize, f64)>,
}

/// What a rank knows of one of its variants.
#[derive(Serialize, Deserialize)]
struct Tested {
    scores: [Option<f64>; 2],
    /// r² with chosen variants nearby, by the number of the region.
    near: Vec<(usize, f64)>,
}

impl VariantScan {
    /// Tests every variant of a design whose place is known, on so many threads: by Student's t of least squares, and by
    /// Rao's score test of a likelihood. All ranks that share the columns call it together. None of other data, of terms of
    /// several columns, or where the message of a rank is lost.
    pub fn of(
        design: &Design,
        fit: &Fit,
        selected: &[SelectedVariable],
        threads: usize,
    ) -> Option<Self> {
        let x = design.columns();
        let loci = design.loci().filter(|_| x.terms().is_none())?;
        let names = design.variables().iter().enumerate();
        let columns: HashMap<&str, usize> = names.map(|(j, own)| (&*own.name, j)).collect();
        let mut chromosomes: Vec<String> = Vec::new();
        let mut places: Vec<Option<(usize, i64)>> = vec![None; design.p()];
        for (name, locus) in loci.all() {
            if let Some(j) = columns.get(name) {
                let Locus {
                    chromosome,
                    position,
                    ..
                } = locus();
                let last = chromosomes.iter().rposition(|own| *own == chromosome);
                let number = last.unwrap_or_else(|| {
                    chromosomes.push(chromosome);
                    chromosomes.len() - 1
                });
                places[*j] = Some((number, position));
            }
        }
        drop(columns);
        let (null, _) = Fit::of(x, design.y(), design.keep());
        let own_scores: HashMap<u32, Option<f64>> = chosen_scores(design, fit);
        let mut chosen: Vec<u32> = own_scores.keys().copied().collect();
        chosen.retain(|j| places[*j as usize].is_some());
        let strength = |j: &u32| own_scores[j].unwrap_or(0.0);
        chosen.sort_by(|a, b| strength(b).total_cmp(&strength(a)).then(a.cmp(b)));
        chosen.truncate(REGIONS);
        chosen.sort_unstable();
        let pool = threads::pool(threads).ok()?;
        let tested = pool.install(|| {
            let mut scores = [&null, fit].map(|own| {
                let views: [FitView; 1] = [own.view()];
                let falls = falls_by_joining(x, &views, threads).swap_remove(0);
                let tests = falls.into_iter();
                let tests = tests.map(|(j, fall)| (j, test(design, own, fall)));
                tests.collect::<HashMap<u32, Option<f64>>>()
            });
            scores[1].extend(own_scores.iter().map(|(j, own)| (*j, *own)));
            let local: Vec<usize> = x.local().collect();
            let tested = local.par_iter().map(|j| {
                let near = places[*j].map(|own| {
                    let regions = chosen.iter().enumerate();
                    let regions = regions.filter(|(_, of)| {
                        let of = places[**of as usize];
                        of.is_some_and(|of| of.0 == own.0 && (of.1 - own.1).abs() <= REGION)
                    });
                    let correlation = |(region, of): (usize, &u32)| {
                        let mut r = [0.0];
                        x.products_with(*of, &[*j as u32], &mut r);
                        (region, (r[0] * r[0]).min(1.0))
                    };
                    regions.map(correlation).collect()
                });
                let of = |at: usize| scores[at].get(&(*j as u32)).copied().flatten();
                Tested {
                    scores: [of(0), of(1)],
                    near: near.unwrap_or_default(),
                }
            });
            tested.collect::<Vec<Tested>>()
        });
        let tested = x.gather(tested).ok()?;
        let sets = selected.iter().filter_map(|own| own.credible_set.as_ref());
        let members = sets.flat_map(CredibleSet::set).map(|own| &*own.name);
        let members: HashSet<&str> = members.collect();
        let mut order: Vec<(usize, i64, usize)> = places
            .iter()
            .enumerate()
            .filter_map(|(j, place)| place.map(|(chromosome, position)| (chromosome, position, j)))
            .collect();
        order.sort_unstable();
        let mut regions: Vec<Region> = chosen.iter().map(|_| Region::default()).collect();
        let mut variants = Vec::with_capacity(order.len());
        for (chromosome, position, j) in order {
            let Tested { scores, near } = tested.get(j)?;
            for (region, r_squared) in near {
                regions[*region].variants.push((variants.len(), *r_squared));
                if chosen[*region] == j as u32 {
                    regions[*region].chosen = variants.len();
                }
            }
            let [null, model] = *scores;
            let is_chosen = own_scores.contains_key(&(j as u32));
            let name = &design.variables()[j].name;
            let is_strong = scores.iter().flatten().any(|own| *own >= NAMED);
            variants.push(ScannedVariant {
                name: match is_strong || is_chosen || members.contains(&**name) {
                    true => name.clone(),
                    false => String::new(),
                },
                chromosome,
                position,
                null,
                model,
                is_chosen,
            });
        }
        (!variants.is_empty()).then_some(Self {
            chromosomes,
            variants,
            regions,
        })
    }
}

/// −log₁₀ p of each chosen variable that is not kept: of its coefficient in the model.
fn chosen_scores(design: &Design, fit: &Fit) -> HashMap<u32, Option<f64>> {
    let costs = fit.drop_costs().zip(fit.support());
    let free = costs.filter(|(_, j)| design.keep().binary_search(j).is_err());
    let score = |(cost, j): (f64, &u32)| (*j, score(design, fit, cost, fit.rss(), 0));
    free.map(score).collect()
}

/// −log₁₀ p of a column by which the loss of a model would fall so much; none of one that the model explains.
fn test(design: &Design, fit: &Fit, fall: f64) -> Option<f64> {
    let is_new = fall > 0.0;
    is_new.then(|| score(design, fit, fall, fit.rss() - fall, 1))?
}

/// −log₁₀ p of one coefficient of a model with so much loss and so many coefficients more than a fit, without which the
/// loss is higher by `cost`.
fn score(design: &Design, fit: &Fit, cost: f64, loss: f64, more: usize) -> Option<f64> {
    let p = match (design.likelihood(), fit.family()) {
        (Some(likelihood), Some(own)) => {
            two_sided_normal((cost * likelihood.loss_scale() / own.dispersion()).sqrt())
        }
        _ => {
            let fixed = usize::from(design.intercept()) + fit.support().len() + more;
            let freedom = design.n().checked_sub(fixed).filter(|own| *own > 0)? as f64;
            two_sided((cost / (loss / freedom)).sqrt(), freedom)
        }
    };
    (!p.is_nan()).then(|| -p.max(10_f64.powf(-LARGEST)).log10())
}
