//! Sweeps of the terms of a design of which some have several columns, on the CPU.

use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};

use super::{
    closures::{Closure, Family, ParentProducts, StrongestClosures},
    neighbours::Strongest,
    products::ProductSource,
};
use crate::{
    design::{Columns, Terms},
    device::{
        DeviceError, Neighbours, Shard, TermChange,
        gain::push_orthonormal,
        neighbours::ModelChange,
        terms::{ExchangedTerms, Scratch, TermProducts},
    },
    least_squares::{Fit, FitView},
};

/// Columns of X multiplied at a time.
pub(super) const ROWS: usize = 512;

/// Bytes of residuals and factors that are swept at a time.
const BATCH: usize = 256 << 20;

/// Most numbers of a block's products, so that they stay in the cache.
const BLOCK: usize = 1 << 16;

pub(in crate::device) type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// Turns a block's products, each column of `rows` numbers, into those of orthonormal columns in each
/// term, and returns the terms.
pub(super) fn orthonormalise(
    terms: &Terms,
    first: usize,
    rows: usize,
    products: &mut [f64],
) -> std::ops::Range<u32> {
    let own = terms.of(first as u32)..terms.of((first + rows - 1) as u32) + 1;
    for column in products.chunks_mut(rows) {
        for term in own.clone() {
            let range = within(terms, term, first);
            terms.orthonormalise(term, &mut column[range]);
        }
    }
    own
}

/// The rows of a term in a block that begins with this column.
pub(super) fn within(terms: &Terms, term: u32, first: usize) -> std::ops::Range<usize> {
    let columns = terms.columns(term);
    columns.start as usize - first..columns.end as usize - first
}

/// For each model and each number of parameters the terms of a shard, outside the model, that gain most by
/// the exact fall in RSS.
pub(in crate::device) fn strongest_exactly(
    source: &mut impl ProductSource,
    (shard, terms): (Shard, &Terms),
    fits: &[Fit],
    stop: Stop,
) -> Result<Vec<Vec<TermChange>>, DeviceError> {
    let sweeps: Vec<Sweep> = fits.iter().map(Sweep::additions).collect();
    let found = sweep(source, (shard, terms), &sweeps, 1, stop)?;
    let near = |(fit, near): (&Fit, Neighbours)| {
        let exact = |change: &ModelChange| joined(shard.x, fit, change.column);
        let near = near.additions.iter().filter_map(exact);
        let near = near.map(|change| TermChange {
            term: change.column,
            parameters: change.parameters as usize,
            rss: change.fall,
        });
        near.collect()
    };
    Ok(fits.iter().zip(found).map(near).collect())
}

/// The change of a model by a term that joins, fitted; none where the model explains it.
fn joined(x: Columns, fit: &Fit, term: u32) -> Option<ModelChange> {
    let (fall, parameters) = gained(x, fit, &[], term)?;
    Some(ModelChange {
        column: term,
        fall,
        replaces: None,
        parameters,
    })
}

/// The fall in RSS and the parameters that terms bring which join a model, fitted; none where the model and
/// those before explain one of them.
fn gained(x: Columns, fit: &Fit, beside: &[u32], term: u32) -> Option<(f64, i32)> {
    let mut larger = fit.clone();
    let mut terms = beside.iter().chain([&term]);
    terms.try_for_each(|term| larger.add(x, *term)).ok()?;
    let parameters = larger.support().len() - fit.support().len();
    Some((fit.rss() - larger.rss(), parameters as i32))
}

/// The `count` strongest additions and exchanges of each number of parameters for each model of y; see
/// [`crate::device::Device::find_neighbours`].
pub(in crate::device) fn neighbours(
    source: &mut impl ProductSource,
    (shard, terms): (Shard, &Terms),
    (y, anchors): (&[f64], &[FitView]),
    (keep, count): (&[u32], usize),
    stop: Stop,
) -> Result<Vec<Neighbours>, DeviceError> {
    let x = shard.x;
    let fitted = |anchor: &FitView| Fit::of(x, y, anchor.terms).0;
    let fits: Vec<Fit> = anchors.iter().map(fitted).collect();
    // Where columns of a term are left out, others that leave may let them in: each exchange is then an
    // addition to the model without the term that leaves.
    let reduced = |fit: &Fit| -> Vec<(usize, Fit)> {
        let free = fit.terms().iter().enumerate();
        let free = free.filter(|(_, term)| {
            let may_leave =
                keep.binary_search(term).is_err() && terms.may_leave(**term, fit.terms());
            fit.is_partial() && may_leave
        });
        let without = |(position, _)| {
            let mut fit = fit.clone();
            fit.drop(x, position);
            (position, fit)
        };
        free.map(without).collect()
    };
    let reduced: Vec<Vec<(usize, Fit)>> = fits.iter().map(reduced).collect();
    let mut sweeps = Vec::new();
    for (fit, reduced) in fits.iter().zip(&reduced) {
        sweeps.push(match fit.is_partial() {
            true => Sweep {
                has_closures: true,
                ..Sweep::additions(fit)
            },
            false => Sweep {
                exchanges: ExchangedTerms::new(x, &fit.view(), keep),
                has_closures: true,
                ..Sweep::additions(fit)
            },
        });
        sweeps.extend(reduced.iter().map(|(_, own)| Sweep {
            whole: fit,
            ..Sweep::additions(own)
        }));
    }
    let mut found = sweep(source, (shard, terms), &sweeps, count, stop)?.into_iter();
    let mut all = Vec::with_capacity(fits.len());
    for ((fit, reduced), anchor) in fits.iter().zip(&reduced).zip(anchors) {
        let mut near = found.next().unwrap_or_default();
        for ((position, own), other) in reduced.iter().zip(&mut found) {
            let joining = other.additions.into_iter();
            near.exchanges
                .extend(joining.map(|change| as_exchange(change, (*position, own), fit)));
        }
        keep_best_of_each(&mut near.exchanges);
        let mut near = near.strongest(count);
        // These fits have the terms in ascending order, the anchors as they were added.
        for change in &mut near.exchanges {
            let leaves = change.replaces.map(|at| fit.terms()[at]);
            change.replaces = anchor.terms.iter().position(|term| Some(*term) == leaves);
        }
        all.push(near);
    }
    Ok(all)
}

/// A model that is swept.
struct Sweep<'a> {
    fit: &'a Fit,
    /// The model whose terms are no candidates.
    whole: &'a Fit,
    exchanges: ExchangedTerms,
    /// Whether terms are wanted that join with what they need.
    has_closures: bool,
}

impl<'a> Sweep<'a> {
    fn additions(fit: &'a Fit) -> Self {
        Self {
            fit,
            whole: fit,
            exchanges: ExchangedTerms::none(fit.support().len()),
            has_closures: false,
        }
    }
}

/// The strongest changes found in a range of the columns, by the parameters that they bring.
struct Found {
    additions: Vec<(i32, Strongest)>,
    exchanges: Vec<(i32, Strongest)>,
    closures: StrongestClosures,
}

impl Found {
    fn new(count: usize) -> Self {
        Self {
            additions: Vec::new(),
            exchanges: Vec::new(),
            closures: StrongestClosures::new(count),
        }
    }
}

/// Room for what a sweep evaluates.
#[derive(Default)]
struct SweepScratch {
    one: Scratch,
    v: Vec<f64>,
    best: Vec<ModelChange>,
    closure: Closure,
    /// Of the terms of a block that need others, one after another.
    families: Vec<Option<Family>>,
    own: Vec<f64>,
}

/// The change of a model by a term that joins it without the one at a position.
pub(super) fn as_exchange(
    change: ModelChange,
    (position, without): (usize, &Fit),
    whole: &Fit,
) -> ModelChange {
    let fewer = whole.support().len() as i32 - without.support().len() as i32;
    ModelChange {
        fall: change.fall - (without.rss() - whole.rss()),
        replaces: Some(position),
        parameters: change.parameters - fewer,
        ..change
    }
}

/// Keeps of each term the best exchange for each number of parameters.
pub(super) fn keep_best_of_each(exchanges: &mut Vec<ModelChange>) {
    exchanges.sort_by(|a, b| {
        (a.column, a.parameters)
            .cmp(&(b.column, b.parameters))
            .then(b.fall.total_cmp(&a.fall))
    });
    exchanges.dedup_by_key(|change| (change.column, change.parameters));
}

pub(super) fn offer(lists: &mut Vec<(i32, Strongest)>, count: usize, change: ModelChange) {
    let known = lists.iter().position(|(own, _)| *own == change.parameters);
    let at = known.unwrap_or_else(|| {
        lists.push((change.parameters, Strongest::new(count)));
        lists.len() - 1
    });
    lists[at].1.offer(change);
}

/// Sweeps models, as many at a time as there is room for their residuals and factors.
fn sweep(
    source: &mut impl ProductSource,
    own: (Shard, &Terms),
    sweeps: &[Sweep],
    count: usize,
    stop: Stop,
) -> Result<Vec<Neighbours>, DeviceError> {
    let (most, mut parts, mut width) = (BATCH / (8 * own.0.x.n()), Vec::new(), 0);
    for (at, sweep) in sweeps.iter().enumerate() {
        let more = sweep.fit.support().len() + 1;
        if parts.is_empty() || width + more > most {
            parts.push(at..at);
            width = 0;
        }
        width += more;
        if let Some(part) = parts.last_mut() {
            part.end = at + 1;
        }
    }
    let mut all = Vec::with_capacity(sweeps.len());
    for part in parts {
        all.extend(sweep_together(source, own, &sweeps[part], count, stop)?);
    }
    Ok(all)
}

fn sweep_together(
    source: &mut impl ProductSource,
    (shard, terms): (Shard, &Terms),
    sweeps: &[Sweep],
    count: usize,
    stop: Stop,
) -> Result<Vec<Neighbours>, DeviceError> {
    let (x, n) = (shard.x, shard.x.n());
    let sizes: Vec<usize> = sweeps.iter().map(|own| own.fit.support().len()).collect();
    let width = sizes.iter().sum::<usize>() + sizes.len();
    let mut batch = Vec::with_capacity(n * width);
    for own in sweeps {
        push_orthonormal(x, &own.fit.view(), &mut batch);
    }
    let has_closures = sweeps.iter().any(|own| own.has_closures);
    let parents = has_closures.then(|| ParentProducts::new(x, terms, &batch));
    let parents = parents.flatten();
    let start = || {
        let found = sweeps.iter().map(|_| Found::new(count));
        (found.collect(), SweepScratch::default())
    };
    let visit = |(found, scratch): &mut (Vec<Found>, SweepScratch), first, products: &mut [f64]| {
        let rows = products.len() / width;
        let own = orthonormalise(terms, first, rows, products);
        scratch.families.clear();
        scratch.families.resize_with(own.len(), || None);
        let SweepScratch { one, v, best, .. } = scratch;
        let mut from = 0;
        let mut rest = &*products;
        for ((sweep, k), found) in sweeps.iter().zip(&sizes).zip(found) {
            let (e, after) = rest.split_at(rows);
            let (q, after) = after.split_at(rows * k);
            rest = after;
            let vectors = from..from + k + 1;
            from = vectors.end;
            let model = &sweep.exchanges;
            v.resize(rows * k, 0.0);
            if !model.transposed.is_empty() {
                matmul(
                    MatMut::from_column_major_slice_mut(v, rows, *k),
                    Accum::Replace,
                    MatRef::from_column_major_slice(q, rows, *k),
                    MatRef::from_column_major_slice(&model.transposed, *k, *k),
                    1.0,
                    Par::Seq,
                );
            }
            for term in own.clone() {
                if sweep.whole.terms().contains(&term) {
                    continue;
                }
                let range = within(terms, term, first);
                // What a model does not admit, it does not admit for another term either.
                if !terms.admits(term, sweep.fit.terms(), None) {
                    if let Some(parents) = parents.as_ref().filter(|_| sweep.has_closures) {
                        let family = scratch.families[(term - own.start) as usize]
                            .get_or_insert_with(|| Family::of(x, terms, term));
                        scratch.own.clear();
                        for row in range {
                            scratch.own.push(e[row]);
                            scratch.own.extend(q.chunks(rows).map(|q| q[row]));
                        }
                        terms.each_way_in(term, sweep.fit.terms(), |beside| {
                            let parents = (parents, vectors.clone());
                            let known = (terms, &*family);
                            let gain = scratch.closure.gain(known, beside, parents, &scratch.own);
                            let gain = gain.or_else(|| gained(x, sweep.fit, beside, term));
                            if let Some(gain) = gain {
                                found.closures.offer(term, beside, gain);
                            }
                        });
                    }
                    continue;
                }
                let products = TermProducts {
                    first: range.start,
                    width: range.len(),
                    rows,
                    e,
                    q,
                    v,
                };
                let joining = model.evaluate(term, (&products, terms.parents(term)), one, best);
                let change = match joining.rank == range.len() {
                    true => Some(ModelChange {
                        column: term,
                        fall: joining.fall,
                        replaces: None,
                        parameters: joining.rank as i32,
                    }),
                    false => joined(x, sweep.fit, term),
                };
                if let Some(change) = change {
                    offer(&mut found.additions, count, change);
                }
                for change in best.drain(..) {
                    offer(&mut found.exchanges, count, change);
                }
            }
        }
        !stop()
    };
    let rows = (BLOCK / width).clamp(16, ROWS);
    let found = source.visit(&batch, rows, start, visit)?.into_iter();
    let found = found.map(|(found, ..)| {
        let all = |lists: Vec<(i32, Strongest)>| {
            let lists = lists.into_iter();
            lists.flat_map(|(_, list)| list.changes).collect()
        };
        let near = found.into_iter().map(|own| Neighbours {
            additions: all(own.additions),
            exchanges: all(own.exchanges),
            closures: own.closures.finish(),
        });
        near.collect()
    });
    Ok(Neighbours::merge(found, sweeps.len(), count))
}
