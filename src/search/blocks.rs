//! The terms of several columns in a tableau: what the model leaves of each, and the best steps.
//!
//! The formulas are those of [`crate::device`]'s neighbours of terms, by products of columns alone.

use super::{
    block_gains::{Gained, Group, LANES, Leaving, WIDEST, gains},
    closures::{ClosureScratch, Families},
    gains::LEAST,
    step::Step,
};
use crate::{cholesky, design::Terms, device::GramPool};

/// The model of a tableau, whose fields have the names of those here.
pub(super) struct SweptModel<'a> {
    pub(super) members: &'a [usize],
    pub(super) columns: &'a [usize],
    pub(super) rows: &'a [f64],
    pub(super) inverse: &'a [f64],
    pub(super) coefficients: &'a [f64],
    pub(super) products: &'a [f64],
    pub(super) blocks: &'a Blocks,
    pub(super) families: &'a Families,
}

/// Falls whose ratio is closer to one than this count as equal.
const TIE: f64 = 1e-9;

/// S of each term of a pool: w × w numbers, of which the lower triangle is used; none where each column
/// is a term.
#[derive(Debug, Clone, Default)]
pub(super) struct Blocks {
    values: Vec<f64>,
    /// For each term its first place, its columns, and where its values begin.
    terms: Vec<(usize, usize, usize)>,
}

impl Blocks {
    /// Of the empty model.
    pub(super) fn new(pool: &GramPool) -> Self {
        let mut blocks = Self::default();
        if pool.is_plain() {
            return blocks;
        }
        for term in 0..pool.len() {
            let (places, start) = (pool.places(term), blocks.values.len());
            let w = places.len();
            blocks.terms.push((places.start, w, start));
            blocks.values.resize(start + w * w, 0.0);
            for at in 0..w {
                blocks.values[start + at * w + at] = 1.0;
            }
        }
        blocks
    }

    /// Adds factor·c·cᵀ for a vector c by place.
    pub(super) fn change(&mut self, c: &[f64], factor: f64) {
        for &(first, w, start) in &self.terms {
            let c = &c[first..first + w];
            cholesky::add_square(&mut self.values[start..start + w * w], c, factor);
        }
    }

    fn of(&self, term: usize) -> &[f64] {
        let (_, w, start) = self.terms[term];
        &self.values[start..start + w * w]
    }
}

/// The best steps of each kind and number of parameters; see [`super::tableau`].
pub(super) fn best_steps(
    model: &SweptModel,
    pool: &GramPool,
    open: &[f64],
    (free, rule): (impl Fn(usize) -> bool, &Terms),
) -> Vec<Step> {
    let held: Vec<u32> = model.members.iter().map(|term| pool.term(*term)).collect();
    let mut best = Best::default();
    let mut leaving = Vec::new();
    for (index, term) in model.members.iter().enumerate() {
        if !free(*term) {
            continue;
        }
        let beside = rule.standing_on(held[index], &held);
        let drop = |cost: f64, columns: usize| Step {
            fall: -cost,
            leaves: Some(index),
            joins: None,
            beside: Vec::new(),
            parameters: -(columns as i32),
        };
        if beside.is_empty() {
            let own = leaves(model, pool, index, *term);
            best.drops.offer(drop(own.cost, own.z.len()), &[]);
            leaving.push(own);
            continue;
        }
        let with = model.members.iter().zip(&held);
        let with = with.filter(|(_, own)| beside.contains(own));
        let beside: Vec<usize> = with.map(|(place, _)| *place).collect();
        if beside.iter().all(|other| free(*other)) {
            let (_, _, z) = factored(model, pool, &[&[*term], &*beside].concat());
            let cost = z.iter().map(|z| z * z).sum();
            best.drops.offer(drop(cost, z.len()), &beside);
        }
    }
    let mut closure = ClosureScratch::default();
    // The open terms that the model admits, by their width.
    let mut joining: Vec<(usize, Vec<usize>)> = Vec::new();
    for (term, is_open) in open.iter().enumerate().take(pool.len()) {
        if *is_open == 0.0 {
            continue;
        }
        if !rule.admits(pool.term(term), &held, None) {
            let closures = &mut best.closures;
            let known = (model.products, &mut closure);
            let model = (model.families, (model.members, &*held));
            model
                .0
                .ways_in(term, (pool, rule), model.1, open, known, |step, beside| {
                    closures.offer(step, beside);
                });
            continue;
        }
        let width = pool.places(term).len();
        match joining.iter_mut().find(|(own, _)| *own == width) {
            Some((_, terms)) => terms.push(term),
            None => joining.push((width, vec![term])),
        }
    }
    let mut gained = Vec::new();
    for (width, terms) in joining {
        for terms in terms.chunks(if width > WIDEST { 1 } else { LANES }) {
            match width > WIDEST {
                true => gains_of_one(model, pool, terms[0], &leaving, &mut gained),
                false => gains(&group(model, pool, terms), &leaving, &mut gained),
            }
            for (lane, term) in terms.iter().enumerate() {
                let needed = rule.parents(pool.term(*term));
                let changes = std::iter::once(None).chain(leaving.iter().map(Some));
                for (change, gained) in changes.zip(&gained) {
                    let (fall, rank) = (gained.falls[lane], gained.ranks[lane] as i32);
                    if rank == 0 || fall <= 0.0 {
                        continue;
                    }
                    let kind = match change {
                        Some(own) if needed.contains(&held[own.index]) => continue,
                        Some(_) => &mut best.exchanges,
                        None => &mut best.additions,
                    };
                    let step = Step {
                        fall: fall - change.map_or(0.0, |own| own.cost),
                        leaves: change.map(|own| own.index),
                        joins: Some(*term),
                        beside: Vec::new(),
                        parameters: rank - change.map_or(0, |own| own.z.len() as i32),
                    };
                    kind.offer(step, &[]);
                }
            }
        }
    }
    let Best {
        exchanges,
        additions,
        closures,
        drops,
    } = best;
    let kinds = [exchanges, additions, closures, drops].into_iter();
    kinds.flat_map(|kind| kind.0).collect()
}

/// Terms of one width, at most as many as there are lanes.
fn group<'a>(model: &'a SweptModel, pool: &GramPool, terms: &[usize]) -> Group<'a> {
    let term = |lane: usize| terms[lane.min(terms.len() - 1)];
    Group {
        rests: std::array::from_fn(|lane| model.blocks.of(term(lane))),
        firsts: std::array::from_fn(|lane| pool.places(term(lane)).start),
        products: model.products,
        width: pool.places(terms[0]).len(),
    }
}

/// As [`gains`], of a wider term alone, in the first lane.
fn gains_of_one(
    model: &SweptModel,
    pool: &GramPool,
    term: usize,
    leaving: &[Leaving],
    gained: &mut Vec<Gained>,
) {
    gained.clear();
    let (places, rest) = (pool.places(term), model.blocks.of(term));
    let (mut matrix, mut vector) = (Vec::new(), Vec::new());
    for change in std::iter::once(None).chain(leaving.iter().map(Some)) {
        matrix.clear();
        matrix.extend_from_slice(rest);
        vector.clear();
        vector.extend_from_slice(&model.products[places.clone()]);
        let own = change
            .into_iter()
            .flat_map(|own| own.rows.iter().zip(&own.z));
        for (row, z) in own {
            let v = &row[places.clone()];
            vector.iter_mut().zip(v).for_each(|(e, v)| *e += z * v);
            cholesky::add_square(&mut matrix, v, 1.0);
        }
        let (fall, rank) = cholesky::explained(&mut matrix, &mut vector, LEAST);
        let mut one = Gained::default();
        (one.falls[0], one.ranks[0]) = (fall, rank as f64);
        gained.push(one);
    }
}

#[derive(Default)]
struct Best {
    exchanges: BestOf,
    additions: BestOf,
    closures: BestOf,
    drops: BestOf,
}

/// The best step of each number of parameters and terms, of equal ones the first.
#[derive(Default)]
struct BestOf(Vec<Step>);

impl BestOf {
    /// Offers a step with the terms that go with it.
    fn offer(&mut self, step: Step, beside: &[usize]) {
        let is_like =
            |own: &&mut Step| own.parameters == step.parameters && own.beside.len() == beside.len();
        let known = self.0.iter_mut().find(is_like);
        let wins = |own: &Step| step.fall > own.fall + TIE * step.fall.abs();
        if known.as_ref().is_some_and(|own| !wins(own)) {
            return;
        }
        let beside = beside.to_vec();
        let step = Step { beside, ..step };
        match known {
            Some(own) => *own = step,
            None => self.0.push(step),
        }
    }
}

/// The positions of the columns of terms of the model, the factor L of their block of G, and L⁻¹β̂.
fn factored(
    model: &SweptModel,
    pool: &GramPool,
    terms: &[usize],
) -> (Vec<usize>, Vec<f64>, Vec<f64>) {
    let is_of = |place: &usize| terms.iter().any(|term| pool.places(*term).contains(place));
    let positions = model.columns.iter().enumerate();
    let positions = positions.filter(|(_, place)| is_of(place));
    let positions: Vec<usize> = positions.map(|(position, _)| position).collect();
    let k = model.columns.len();
    let inverse = positions.iter().flat_map(|a| {
        let row = &model.inverse[a * k..][..k];
        positions.iter().map(move |b| row[*b])
    });
    let mut factor: Vec<f64> = inverse.collect();
    let own = positions.iter().map(|at| model.coefficients[*at]);
    let mut z: Vec<f64> = own.collect();
    cholesky::factor(&mut factor, z.len(), 0.0);
    cholesky::solve(&factor, &mut z);
    (positions, factor, z)
}

fn leaves(model: &SweptModel, pool: &GramPool, index: usize, term: usize) -> Leaving {
    let (positions, factor, z) = factored(model, pool, &[term]);
    let width = model.products.len();
    // L⁻¹ times these rows of U, all places at a time.
    let mut rows: Vec<Vec<f64>> = Vec::with_capacity(z.len());
    for (at, position) in positions.iter().enumerate() {
        let mut row = model.rows[position * width..][..width].to_vec();
        let l = &factor[at * z.len()..][..=at];
        for (other, l) in rows.iter().zip(l) {
            row.iter_mut().zip(other).for_each(|(own, x)| *own -= l * x);
        }
        let scale = if l[at] > 0.0 { 1.0 / l[at] } else { 0.0 };
        row.iter_mut().for_each(|own| *own *= scale);
        rows.push(row);
    }
    Leaving {
        index,
        rows,
        cost: z.iter().map(|z| z * z).sum(),
        z,
    }
}
