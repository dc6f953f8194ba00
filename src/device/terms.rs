//! Terms of several columns: what joining a model gains, and what exchanges for a term of it do.
//!
//! For a term with orthonormal columns X_t, of which the model has the products e = X_tᵀr and W = QᵀX_t:
//!
//! ```text
//! joining        RSS falls by eᵀS⁻¹e                 S = I − WᵀW
//! replacing i    RSS falls by e'ᵀS'⁻¹e' − zᵢᵀzᵢ      e' = e + Vᵢᵀzᵢ, S' = S + VᵢᵀVᵢ
//!                Vᵢ = Lᵢ⁻¹TᵢW, zᵢ = Lᵢ⁻¹β̂ᵢ, LᵢLᵢᵀ the block of (XᵀX)⁻¹ of term i's columns
//! ```
//!
//! where Tᵢ are the rows of T of these columns. With single columns these are the formulas of
//! [`super::neighbours`].

use std::ops::Range;

use super::{
    TermChange,
    neighbours::{MIN_UNEXPLAINED, ModelChange},
};
use crate::{cholesky, design::Columns, least_squares::FitView, vector::packed_columns};

/// Of what dropping each of a model's terms costs, and the columns that would leave, the terms that may leave
/// with all that stand on them: none is kept.
pub(super) fn free_drops(
    x: Columns,
    keep: &[u32],
    terms: &[u32],
    costs: Vec<(f64, usize)>,
) -> Vec<TermChange> {
    let is_kept = |term: &u32| keep.binary_search(term).is_ok();
    let free = terms
        .iter()
        .zip(costs)
        .filter(|(term, _)| !is_kept(term) && !x.standing_on(**term, terms).iter().any(is_kept));
    let changes = free.map(|(term, (rss, parameters))| TermChange {
        term: *term,
        parameters,
        rss,
    });
    changes.collect()
}

/// The terms of a model, as exchanges need them.
pub(super) struct ExchangedTerms {
    pub(super) k: usize,
    /// The rows of Lᵢ⁻¹Tᵢ of all terms, one after another, as the columns of a k × k matrix: W times
    /// this has the rows of all Vᵢ as columns.
    pub(super) transposed: Vec<f64>,
    /// The terms of the model; none for those that are kept, or that others need.
    terms: Vec<Option<LeavingTerm>>,
}

/// A term of the model that may leave.
struct LeavingTerm {
    term: u32,
    /// Its columns of [`ExchangedTerms::transposed`].
    rows: Range<usize>,
    z: Vec<f64>,
    /// zᵀz: what dropping it alone costs.
    cost: f64,
}

impl ExchangedTerms {
    pub(super) fn new(x: Columns, anchor: &FitView, keep: &[u32]) -> Self {
        let k = anchor.support.len();
        // T by rows.
        let mut rows = vec![0.0; k * k];
        for (c, column) in packed_columns(anchor.inverse).enumerate() {
            for (row, t) in column.iter().enumerate() {
                rows[row * k + c] = *t;
            }
        }
        let (mut transposed, mut terms) = (Vec::with_capacity(k * k), Vec::new());
        for term in anchor.terms {
            let columns = x.columns_of(*term);
            let own = (0..k).filter(|at| columns.contains(&anchor.support[*at]));
            let own: Vec<usize> = own.collect();
            let row = |at: usize| &rows[own[at] * k..][..k];
            let w = own.len();
            let mut block = vec![0.0; w * w];
            for a in 0..w {
                for b in 0..=a {
                    block[a * w + b] = row(a).iter().zip(row(b)).map(|(t, u)| t * u).sum();
                }
            }
            cholesky::factor(&mut block, w, 0.0);
            let start = transposed.len() / k.max(1);
            transposed.resize(transposed.len() + w * k, 0.0);
            let mut one = vec![0.0; w];
            for c in 0..k {
                for (at, value) in one.iter_mut().enumerate() {
                    *value = row(at)[c];
                }
                cholesky::solve(&block, &mut one);
                for (at, value) in one.iter().enumerate() {
                    transposed[(start + at) * k + c] = *value;
                }
            }
            let mut z: Vec<f64> = own.iter().map(|at| anchor.coefficients[*at]).collect();
            cholesky::solve(&block, &mut z);
            let cost = z.iter().map(|z| z * z).sum();
            let is_free = x.may_leave(*term, anchor.terms) && keep.binary_search(term).is_err();
            terms.push(is_free.then_some(LeavingTerm {
                term: *term,
                rows: start..start + w,
                z,
                cost,
            }));
        }
        Self {
            k,
            transposed,
            terms,
        }
    }

    /// Of a model of k columns that makes no exchanges.
    pub(super) fn none(k: usize) -> Self {
        Self {
            k,
            transposed: Vec::new(),
            terms: Vec::new(),
        }
    }

    /// What joining gains, and the best exchange for each number of parameters, which `best` gets. In
    /// exchanges what the model leaves of a direction below [`MIN_UNEXPLAINED`] counts as nothing. Terms
    /// of the model that are among `needed` do not leave.
    pub(super) fn evaluate(
        &self,
        term: u32,
        (products, needed): (&TermProducts, &[u32]),
        scratch: &mut Scratch,
        best: &mut Vec<ModelChange>,
    ) -> Joining {
        let w = products.width;
        scratch.rest.clear();
        scratch.rest.resize(w * w, 0.0);
        for a in 0..w {
            scratch.rest[a * w + a] = 1.0;
        }
        for c in 0..self.k {
            cholesky::add_square(&mut scratch.rest, products.of(products.q, c), -1.0);
        }
        best.clear();
        for (position, own) in self.terms.iter().enumerate() {
            let Some(LeavingTerm {
                term: own,
                rows,
                z,
                cost,
            }) = own
            else {
                continue;
            };
            if needed.contains(own) {
                continue;
            }
            scratch.start(products);
            for (c, z) in rows.clone().zip(z) {
                let v = products.of(products.v, c);
                let e = scratch.vector.iter_mut().zip(v);
                e.for_each(|(e, v)| *e += v * z);
                cholesky::add_square(&mut scratch.matrix, v, 1.0);
            }
            let (gained, rank) = scratch.gain();
            let change = ModelChange {
                column: term,
                fall: gained - cost,
                replaces: Some(position),
                parameters: rank as i32 - rows.len() as i32,
            };
            let like = |own: &&mut ModelChange| own.parameters == change.parameters;
            match best.iter_mut().find(like) {
                _ if rank == 0 => {}
                Some(own) if own.fall >= change.fall => {}
                Some(own) => *own = change,
                None => best.push(change),
            }
        }
        scratch.start(products);
        let (fall, rank) = scratch.gain();
        Joining { fall, rank }
    }
}

/// What a term gains by joining, as far as the products tell.
pub(super) struct Joining {
    pub(super) fall: f64,
    /// The directions of which the model leaves enough for products to judge them.
    pub(super) rank: usize,
}

/// The products of a term's columns, orthonormal among themselves, within those of a block of rows.
pub(super) struct TermProducts<'a> {
    /// The first row of the term, and its columns.
    pub(super) first: usize,
    pub(super) width: usize,
    /// Of all rows of the block: with r, with the columns of Q, and of these with those of
    /// [`ExchangedTerms::transposed`]. *Shapes:* rows, and twice rows × k, column-major.
    pub(super) rows: usize,
    pub(super) e: &'a [f64],
    pub(super) q: &'a [f64],
    pub(super) v: &'a [f64],
}

impl<'a> TermProducts<'a> {
    fn of(&self, block: &'a [f64], column: usize) -> &'a [f64] {
        &block[column * self.rows + self.first..][..self.width]
    }
}

/// Room for the evaluation of one term.
#[derive(Default)]
pub(super) struct Scratch {
    /// S, of which the lower triangle is used.
    rest: Vec<f64>,
    matrix: Vec<f64>,
    vector: Vec<f64>,
}

impl Scratch {
    fn start(&mut self, products: &TermProducts) {
        self.matrix.clone_from(&self.rest);
        self.vector.clear();
        let e = products.of(products.e, 0);
        self.vector.extend_from_slice(e);
    }

    /// vᵀM⁻¹v of the vector and the matrix, and the rank of the matrix.
    fn gain(&mut self) -> (f64, usize) {
        let Self { matrix, vector, .. } = self;
        cholesky::explained(matrix, vector, MIN_UNEXPLAINED)
    }
}
