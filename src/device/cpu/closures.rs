//! Terms that join a model together with those that they need, in a sweep of terms on the CPU.
//!
//! The closure C of a term, its columns and those of the terms that it needs and the model lacks, gains
//! eᵀS⁻¹e as one term would, with e = X_Cᵀr and S = X_CᵀX_C − (QᵀX_C)ᵀQᵀX_C.

use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};

use crate::{
    cholesky,
    design::{Columns, Terms},
    device::{
        ClosureChange,
        neighbours::{MIN_UNEXPLAINED, strongest_closures, tie_threshold},
    },
    vector::product,
};

const NO_ROW: u32 = u32::MAX;

/// The products of all terms that others need with the vectors of a sweep.
pub(super) struct ParentProducts {
    /// The first row of each term.
    rows: Vec<u32>,
    /// *Shapes:* `width` numbers a column of a parent, columns orthonormal within terms.
    values: Vec<f64>,
    width: usize,
}

impl ParentProducts {
    /// None where no term needs others. *Shapes:* `batch` is n × width, column-major.
    pub(super) fn new(x: Columns, terms: &Terms, batch: &[f64]) -> Option<Self> {
        if terms.are_free() {
            return None;
        }
        let (n, width) = (x.n(), batch.len() / x.n());
        let mut is_parent = vec![false; terms.count()];
        for term in 0..terms.count() as u32 {
            let parents = terms.parents(term).iter();
            parents.for_each(|parent| is_parent[*parent as usize] = true);
        }
        let mut rows = vec![NO_ROW; terms.count()];
        let (mut columns, mut parents) = (Vec::new(), Vec::new());
        for term in (0..terms.count() as u32).filter(|term| is_parent[*term as usize]) {
            rows[term as usize] = (columns.len() / n) as u32;
            parents.push(term);
            let own = terms.columns(term);
            own.for_each(|column| columns.extend_from_slice(x.column(column)));
        }
        let count = columns.len() / n;
        let mut values = vec![0.0; width * count];
        matmul(
            MatMut::from_column_major_slice_mut(&mut values, width, count),
            Accum::Replace,
            MatRef::from_column_major_slice(batch, n, width).transpose(),
            MatRef::from_column_major_slice(&columns, n, count),
            1.0,
            Par::Seq,
        );
        let mut one = Vec::new();
        for term in parents
            .into_iter()
            .filter(|term| terms.columns(*term).len() > 1)
        {
            let first = rows[term as usize] as usize;
            let own = first..first + terms.columns(term).len();
            for at in 0..width {
                one.clear();
                one.extend(own.clone().map(|row| values[row * width + at]));
                terms.orthonormalise(term, &mut one);
                for (row, value) in own.clone().zip(&one) {
                    values[row * width + at] = *value;
                }
            }
        }
        Some(Self {
            rows,
            values,
            width,
        })
    }

    /// The products of a parent's columns with the vectors of a range, one column after another.
    fn of<'a>(
        &'a self,
        terms: &Terms,
        term: u32,
        vectors: std::ops::Range<usize>,
    ) -> impl Iterator<Item = &'a [f64]> {
        let first = self.rows[term as usize] as usize;
        let rows = first..first + terms.columns(term).len();
        rows.map(move |row| &self.values[row * self.width..][vectors.clone()])
    }
}

/// The products among the columns of a term and those of all that it needs, orthonormal within terms.
pub(super) struct Family {
    /// The terms, the one itself last, and where the columns of each begin.
    members: Vec<u32>,
    starts: Vec<usize>,
    /// A square matrix, of which the lower triangle is used.
    gram: Vec<f64>,
    size: usize,
}

impl Family {
    pub(super) fn of(x: Columns, terms: &Terms, term: u32) -> Self {
        let members = [terms.parents(term), &[term]].concat();
        let (mut starts, mut size) = (Vec::with_capacity(members.len()), 0);
        for member in &members {
            starts.push(size);
            size += terms.columns(*member).len();
        }
        let mut gram = vec![0.0; size * size];
        let mut one = Vec::new();
        for (at, (a, first)) in members.iter().zip(&starts).enumerate() {
            let rows = terms.columns(*a);
            for row in 0..rows.len() {
                gram[(first + row) * size + first + row] = 1.0;
            }
            for (b, start) in members[..at].iter().zip(&starts) {
                let columns = terms.columns(*b);
                for (row, i) in rows.clone().enumerate() {
                    let out = &mut gram[(first + row) * size + start..][..columns.len()];
                    for (out, j) in out.iter_mut().zip(columns.clone()) {
                        *out = product(x.column(i), x.column(j));
                    }
                    terms.orthonormalise(*b, out);
                }
                if rows.len() == 1 {
                    continue;
                }
                for column in *start..start + columns.len() {
                    let place = |row: usize| (first + row) * size + column;
                    one.clear();
                    one.extend((0..rows.len()).map(|row| gram[place(row)]));
                    terms.orthonormalise(*a, &mut one);
                    for (row, value) in one.iter().enumerate() {
                        gram[place(row)] = *value;
                    }
                }
            }
        }
        Self {
            members,
            starts,
            gram,
            size,
        }
    }
}

/// Room for the evaluation of one closure.
#[derive(Default)]
pub(super) struct Closure {
    /// Rows of [`Family::gram`].
    places: Vec<usize>,
    /// For each column e and Qᵀx.
    products: Vec<f64>,
    matrix: Vec<f64>,
    vector: Vec<f64>,
}

impl Closure {
    /// What a family's term gains by joining with those of its parents that are `beside`: the fall in RSS
    /// and the parameters, or none where the products do not tell. `own` has e and Qᵀx of each of the
    /// term's own columns, k + 1 numbers each; `vectors` are these of the parents.
    pub(super) fn gain(
        &mut self,
        (terms, family): (&Terms, &Family),
        beside: &[u32],
        (parents, vectors): (&ParentProducts, std::ops::Range<usize>),
        own: &[f64],
    ) -> Option<(f64, i32)> {
        let each = vectors.len();
        self.places.clear();
        self.products.clear();
        let term = family.members.last();
        for (member, start) in family.members.iter().zip(&family.starts) {
            if beside.contains(member) {
                for products in parents.of(terms, *member, vectors.clone()) {
                    self.products.extend_from_slice(products);
                }
            } else if Some(member) == term {
                self.products.extend_from_slice(own);
            } else {
                continue;
            }
            let columns = terms.columns(*member).len();
            self.places.extend(*start..start + columns);
        }
        let w = self.places.len();
        self.matrix.clear();
        self.vector.clear();
        let rows = || self.products.chunks(each);
        for (a, (place, row)) in self.places.iter().zip(rows()).enumerate() {
            self.vector.push(row[0]);
            let others = self.places.iter().zip(rows()).take(a + 1);
            self.matrix.extend(others.map(|(other, products)| {
                let explained = row[1..].iter().zip(&products[1..]).map(|(a, b)| a * b);
                family.gram[place * family.size + other] - explained.sum::<f64>()
            }));
            self.matrix.resize((a + 1) * w, 0.0);
        }
        let (fall, rank) = cholesky::explained(&mut self.matrix, &mut self.vector, MIN_UNEXPLAINED);
        (rank == w).then_some((fall, w as i32))
    }
}

/// The strongest closures so far of each size, and some weaker ones that are dropped from time to time.
pub(super) struct StrongestClosures {
    count: usize,
    kinds: Vec<Kind>,
}

/// Closures of one size.
struct Kind {
    size: (usize, i32),
    /// Weaker ones are not among the strongest.
    least: f64,
    changes: Vec<ClosureChange>,
    /// The number of changes at which the weaker ones are dropped next.
    full: usize,
}

impl StrongestClosures {
    pub(super) fn new(count: usize) -> Self {
        Self {
            count,
            kinds: Vec::new(),
        }
    }

    pub(super) fn offer(&mut self, term: u32, beside: &[u32], (fall, parameters): (f64, i32)) {
        let (size, count) = ((beside.len() + 1, parameters), self.count);
        let at = self.kinds.iter().position(|kind| kind.size == size);
        let at = at.unwrap_or_else(|| {
            self.kinds.push(Kind {
                size,
                least: f64::NEG_INFINITY,
                changes: Vec::new(),
                full: 4 * count + 64,
            });
            self.kinds.len() - 1
        });
        let kind = &mut self.kinds[at];
        if fall < kind.least {
            return;
        }
        kind.changes.push(ClosureChange {
            term,
            beside: beside.to_vec(),
            fall,
            parameters,
        });
        if kind.changes.len() >= kind.full {
            kind.changes = strongest_closures(std::mem::take(&mut kind.changes), count);
            if let Some(last) = kind.changes.get(count - 1) {
                kind.least = tie_threshold(last.fall);
            }
            kind.full = (2 * kind.changes.len()).max(4 * count + 64);
        }
    }

    pub(super) fn finish(self) -> Vec<ClosureChange> {
        self.kinds
            .into_iter()
            .flat_map(|kind| kind.changes)
            .collect()
    }
}
