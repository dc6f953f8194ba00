//! Sweeps of terms of several columns for models that have a likelihood.
//!
//! With the products of all columns with the scores r and with WX̃_A·T of a model at hand, any block B of columns that
//! joins it lowers the quadratic of its loss by eᵀS⁻¹e, e = X_Bᵀr, S = X_BᵀWX_B less what the model explains. So
//! terms, and terms with those that they need, are blocks; a term that replaces another one joins the model without
//! that.

use std::collections::{BTreeSet, HashMap};

use rayon::prelude::*;

use super::{
    neighbours::Strongest,
    products::ProductSource,
    terms::{Stop, as_exchange, keep_best_of_each, offer, orthonormalise, within},
};
use crate::{
    cholesky,
    design::Terms,
    device::{
        DeviceError, Neighbours, Shard, TermChange,
        gain::{RELATIVE_TIE, factor_width, push_orthonormal, tie_width},
        neighbours::{ClosureChange, ModelChange},
    },
    least_squares::{Fit, FitView, PIVOT_TOLERANCE, Weighted},
    vector::product,
};

/// Columns of X multiplied at a time.
const ROWS: usize = 512;

/// For each model and each number of parameters the terms of a shard, outside the model, whose columns are most
/// correlated with its scores, all ties included; see [`crate::device::Gain::Correlation`].
pub(super) fn strongest(
    source: &mut impl ProductSource,
    (shard, terms): (Shard, &Terms),
    anchors: &[FitView],
    stop: Stop,
) -> Result<Vec<Vec<TermChange>>, DeviceError> {
    let n = shard.x.n();
    let residuals = anchors.iter().flat_map(|anchor| anchor.residual).copied();
    let residuals: Vec<f64> = residuals.collect();
    let m = anchors.len();
    let visit = |found: &mut Vec<Vec<TermChange>>, first: usize, products: &mut [f64]| {
        let rows = products.len() / m;
        let own = orthonormalise(terms, first, rows, products);
        let models = products.chunks(rows).zip(anchors).zip(found);
        for ((products, anchor), found) in models {
            for term in own.clone() {
                if anchor.terms.contains(&term) || !terms.admits(term, anchor.terms, None) {
                    continue;
                }
                let products = &products[within(terms, term, first)];
                found.push(TermChange {
                    term,
                    parameters: products.len(),
                    rss: products.iter().map(|e| e * e).sum(),
                });
            }
        }
        !stop()
    };
    let start = || vec![Vec::new(); m];
    let parts = source.visit(&residuals, ROWS, start, visit)?;
    let mut all: Vec<Vec<TermChange>> = vec![Vec::new(); m];
    for part in parts {
        for (all, part) in all.iter_mut().zip(part) {
            all.extend(part);
        }
    }
    for (found, anchor) in all.iter_mut().zip(anchors) {
        let norm = product(anchor.residual, anchor.residual).sqrt();
        let tie = 2.0 * tie_width(n, norm) * terms.growth();
        keep_near(found, |most| (most.sqrt() - tie).max(0.0).powi(2));
    }
    Ok(all)
}

/// For each model and each number of parameters the terms of a shard, outside the model, by which the quadratic of its
/// loss falls most, all ties included.
pub(in crate::device) fn strongest_exactly(
    source: &mut impl ProductSource,
    (shard, terms): (Shard, &Terms),
    anchors: &[FitView],
    stop: Stop,
) -> Result<Vec<Vec<TermChange>>, DeviceError> {
    let swept = |anchor: &FitView| {
        let products = Products::of(source, (shard, terms), anchor, stop)?;
        let mut found: Vec<TermChange> = products
            .additions(anchor.terms)
            .map(|change| TermChange {
                term: change.column,
                parameters: change.parameters as usize,
                rss: change.fall,
            })
            .collect();
        keep_near(&mut found, |most| most * (1.0 - 2.0 * RELATIVE_TIE));
        Ok(found)
    };
    anchors.iter().map(swept).collect()
}

/// Keeps of each number of parameters the changes that are near the strongest.
fn keep_near(found: &mut Vec<TermChange>, least: impl Fn(f64) -> f64) {
    let mut most: Vec<(usize, f64)> = Vec::new();
    for change in &*found {
        match most.iter_mut().find(|(own, _)| *own == change.parameters) {
            Some((_, most)) => *most = most.max(change.rss),
            None => most.push((change.parameters, change.rss)),
        }
    }
    found.retain(|change| {
        let own = most.iter().find(|(own, _)| *own == change.parameters);
        own.is_some_and(|(_, most)| change.rss >= least(*most))
    });
}

/// The `count` strongest additions, exchanges and closures of each size for each model; see
/// [`crate::device::Device::find_neighbours`].
pub(in crate::device) fn neighbours(
    source: &mut impl ProductSource,
    (shard, terms): (Shard, &Terms),
    (y, anchors): (&[f64], &[FitView]),
    (keep, count): (&[u32], usize),
    stop: Stop,
) -> Result<Vec<Neighbours>, DeviceError> {
    let x = shard.x;
    let mut all = Vec::with_capacity(anchors.len());
    for anchor in anchors {
        let products = Products::of(source, (shard, terms), anchor, stop)?;
        let mut near = Neighbours {
            additions: strongest_of(count, products.additions(anchor.terms)),
            closures: products.closures(anchor.terms),
            ..Neighbours::default()
        };
        let (fit, _) = Fit::of(x, y, anchor.terms);
        for (position, term) in anchor.terms.iter().enumerate() {
            if keep.binary_search(term).is_ok() || !terms.may_leave(*term, anchor.terms) || stop() {
                continue;
            }
            let mut without = fit.clone();
            without.drop_all(x, &[*term]);
            let view = without.view();
            let products = Products::of(source, (shard, terms), &view, stop)?;
            let others = products.additions(view.terms);
            let others = others.filter(|change| !anchor.terms.contains(&change.column));
            near.exchanges
                .extend(others.map(|change| as_exchange(change, (position, &without), &fit)));
        }
        keep_best_of_each(&mut near.exchanges);
        all.push(near.strongest(count));
    }
    Ok(all)
}

fn strongest_of(count: usize, changes: impl Iterator<Item = ModelChange>) -> Vec<ModelChange> {
    let mut lists: Vec<(i32, Strongest)> = Vec::new();
    for change in changes {
        offer(&mut lists, count, change);
    }
    lists.into_iter().flat_map(|(_, own)| own.changes).collect()
}

/// The products of a shard's columns with the scores of a model and the vectors of its factor.
struct Products<'a> {
    shard: Shard<'a>,
    terms: &'a Terms,
    weighted: Weighted<'a>,
    /// `width` numbers a column.
    values: Vec<f64>,
    width: usize,
    /// The same of columns of other shards that terms of this one need.
    others: HashMap<u32, Vec<f64>>,
}

impl<'a> Products<'a> {
    fn of(
        source: &mut impl ProductSource,
        (shard, terms): (Shard<'a>, &'a Terms),
        anchor: &FitView<'a>,
        stop: Stop,
    ) -> Result<Self, DeviceError> {
        let mut factor = Vec::new();
        push_orthonormal(shard.x, anchor, &mut factor);
        let (width, _) = factor_width(anchor);
        let visit = |parts: &mut Vec<(usize, Vec<f64>)>, first: usize, products: &mut [f64]| {
            let rows = products.len() / width;
            let by_column = (0..rows).flat_map(|row| products[row..].iter().step_by(rows));
            parts.push((first, by_column.copied().collect()));
            !stop()
        };
        let parts = source.visit(&factor, ROWS, Vec::new, visit)?;
        let mut values = vec![0.0; shard.own.p() * width];
        for (first, part) in parts.into_iter().flatten() {
            values[(first - shard.first) * width..][..part.len()].copy_from_slice(&part);
        }
        let mut own = Self {
            shard,
            terms,
            weighted: anchor.weighted.unwrap_or_default(),
            values,
            width,
            others: HashMap::new(),
        };
        let mut away = BTreeSet::new();
        own.each_way_in(anchor.terms, |_, beside| {
            let columns = beside.iter().flat_map(|term| terms.columns(*term));
            away.extend(columns.filter(|column| own.place(*column).is_none()));
        });
        let products = |column: u32| {
            let vectors = factor.chunks(shard.x.n());
            (
                column,
                vectors
                    .map(|vector| product(shard.x.column(column), vector))
                    .collect(),
            )
        };
        own.others = away.into_par_iter().map(products).collect();
        Ok(own)
    }

    /// The place of a column in the shard.
    fn place(&self, column: u32) -> Option<usize> {
        let place = (column as usize).checked_sub(self.shard.first)?;
        (place < self.shard.own.p()).then_some(place)
    }

    /// The products of a column.
    fn products(&self, column: u32) -> &[f64] {
        match self.place(column) {
            Some(place) => &self.values[place * self.width..][..self.width],
            None => self.others.get(&column).map_or(&[], Vec::as_slice),
        }
    }

    /// The shard's terms.
    fn terms(&self) -> std::ops::Range<u32> {
        let (first, last) = (
            self.shard.first as u32,
            (self.shard.first + self.shard.own.p()) as u32,
        );
        match first < last {
            true => self.terms.of(first)..self.terms.of(last - 1) + 1,
            false => 0..0,
        }
    }

    /// Every way in which a term of the shard that needs others joins a model: the term, and these.
    fn each_way_in(&self, model: &[u32], mut visit: impl FnMut(u32, &[u32])) {
        if self.terms.are_free() {
            return;
        }
        for term in self.terms() {
            if !model.contains(&term) && !self.terms.admits(term, model, None) {
                self.terms
                    .each_way_in(term, model, |beside| visit(term, beside));
            }
        }
    }

    /// The fall of the quadratic if the columns of some terms join, and by how many the model has more then.
    fn gain(&self, columns: &[u32]) -> (f64, usize) {
        let w = columns.len();
        let mut block = vec![0.0; w * w];
        let mut e = Vec::with_capacity(w);
        let mut largest: f64 = 0.0;
        for (a, column) in columns.iter().enumerate() {
            let values = self.shard.x.column(*column);
            let square = self.weighted.square(values);
            largest = largest.max(square);
            let mut weighted = match a {
                0 => Vec::new(),
                _ => values.to_vec(),
            };
            if a > 0 {
                self.weighted.apply(&mut weighted);
            }
            for (b, other) in columns[..=a].iter().enumerate() {
                let whole = match a == b {
                    true => square,
                    false => product(&weighted, self.shard.x.column(*other)),
                };
                let explained =
                    (self.products(*column)[1..].iter()).zip(&self.products(*other)[1..]);
                block[a * w + b] = whole - explained.map(|(a, b)| a * b).sum::<f64>();
            }
            e.push(self.products(*column)[0]);
        }
        let least = PIVOT_TOLERANCE * PIVOT_TOLERANCE * largest;
        cholesky::explained(&mut block, &mut e, least.max(f64::MIN_POSITIVE))
    }

    /// The terms that may join a model by themselves.
    fn additions(&self, model: &[u32]) -> impl Iterator<Item = ModelChange> {
        let terms = self.terms;
        let may_join = |term: &u32| !model.contains(term) && terms.admits(*term, model, None);
        let joining: Vec<u32> = self.terms().filter(may_join).collect();
        let change = |term: &u32| {
            let columns: Vec<u32> = terms.columns(*term).collect();
            let (fall, rank) = self.gain(&columns);
            (rank > 0).then_some(ModelChange {
                column: *term,
                fall,
                replaces: None,
                parameters: rank as i32,
            })
        };
        let changes: Vec<Option<ModelChange>> = joining.par_iter().map(change).collect();
        changes.into_iter().flatten()
    }

    /// The terms that join a model with others that they need.
    fn closures(&self, model: &[u32]) -> Vec<ClosureChange> {
        let mut all = Vec::new();
        self.each_way_in(model, |term, beside| {
            let block = beside.iter().chain([&term]);
            let columns: Vec<u32> = block.flat_map(|own| self.terms.columns(*own)).collect();
            let (fall, rank) = self.gain(&columns);
            all.push(ClosureChange {
                term,
                beside: beside.to_vec(),
                fall,
                parameters: rank as i32,
            });
        });
        all
    }
}
