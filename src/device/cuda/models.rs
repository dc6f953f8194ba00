//! The swarm's models on a card: residuals, factors and supports, updated in place by the
//! kernel `update`.

#![allow(unsafe_code)]

use std::collections::HashSet;

use cudarc::driver::DeviceRepr;

use super::{
    super::{DeviceError, Update, Updated},
    card::{Buffer, Card, arguments},
    columns::CardColumns,
    scratch::Staged,
};
use crate::least_squares::Fit;

/// Threads of a block that works on one model: THREADS in kernels/common.cuh.
pub(super) const THREADS: u32 = 512;

/// Variables a model has room for at first.
const FEWEST: usize = 32;

const HOLDING: &str = "holding the models";

/// `struct Models` of kernels/least_squares.cuh, field by field.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Held {
    n: i64,
    capacity: i32,
    y: u64,
    residual: u64,
    rest: u64,
    inverse: u64,
    coefficients: u64,
    support: u64,
    addresses: u64,
    sizes: u64,
    rss: u64,
    keep: u64,
    kept: i32,
    spare: u64,
}

// SAFETY: plain numbers in C's order.
unsafe impl DeviceRepr for Held {}

/// All models, and what of them the host has to know.
pub(super) struct Models {
    n: usize,
    capacity: usize,
    y: Buffer<f64>,
    pub(super) residual: Buffer<f64>,
    rest: Buffer<f64>,
    per_variable: PerVariable,
    pub(super) sizes: Buffer<i32>,
    pub(super) rss: Buffer<f64>,
    keep: Buffer<u32>,
    kept: usize,
    /// Of each model, in the order of entry.
    supports: Vec<Vec<u32>>,
    residuals: Vec<f64>,
    orders: Staged<u64>,
    on_card: Buffer<u64>,
    told: Staged<u64>,
}

/// What grows with the largest model.
struct PerVariable {
    inverse: Buffer<f64>,
    coefficients: Buffer<f64>,
    support: Buffer<u32>,
    addresses: Buffer<u64>,
    /// Where a block's vectors do not fit into shared memory.
    spare: Option<Buffer<f64>>,
}

impl PerVariable {
    fn new(card: &Card, count: usize, capacity: usize) -> Result<Self, DeviceError> {
        let spare = shared(capacity) > card.shared;
        let spare = spare.then(|| card.buffer(3 * capacity * count, HOLDING));
        Ok(Self {
            inverse: card.buffer(count * triangle(capacity), HOLDING)?,
            coefficients: card.buffer(count * capacity, HOLDING)?,
            support: card.buffer(count * capacity, HOLDING)?,
            addresses: card.buffer(count * capacity, HOLDING)?,
            spare: spare.transpose()?,
        })
    }
}

/// Numbers of a packed triangle.
fn triangle(k: usize) -> usize {
    k * (k + 1) / 2
}

/// Bytes of a block's three vectors, with what the kernels have of their own.
fn shared(capacity: usize) -> u32 {
    u32::try_from(3 * 8 * capacity).map_or(u32::MAX, |it| it.saturating_add(2048))
}

impl Models {
    /// `count` models like `model`.
    pub(super) fn new(
        card: &Card,
        columns: &mut CardColumns,
        y: &[f64],
        model: &Fit,
        count: usize,
    ) -> Result<Self, DeviceError> {
        let (n, k) = (y.len(), model.support().len());
        let capacity = (k + 1).next_power_of_two().max(FEWEST);
        let kept = model.support();
        columns.bring(card, kept.iter().copied(), HashSet::new)?;
        let addresses: Vec<u64> = kept.iter().filter_map(|it| columns.address(*it)).collect();
        let per_variable = PerVariable::new(card, count, capacity)?;
        let models = Self {
            n,
            capacity,
            y: card.buffer(n, HOLDING)?,
            residual: card.buffer(count * n, HOLDING)?,
            rest: card.buffer(count * n, HOLDING)?,
            per_variable,
            sizes: card.buffer(count, HOLDING)?,
            rss: card.buffer(count, HOLDING)?,
            keep: card.buffer(k, HOLDING)?,
            kept: k,
            supports: vec![kept.to_vec(); count],
            residuals: vec![model.rss(); count],
            orders: Staged::new(),
            on_card: card.buffer(6 * count, HOLDING)?,
            told: Staged::new(),
        };
        card.upload(y, models.y.address())?;
        card.upload(kept, models.keep.address())?;
        let all = &models.per_variable;
        for model_at in 0..count {
            card.upload(model.residual(), models.residual.at(model_at * n))?;
            if k > 0 {
                let inverse = all.inverse.at(model_at * triangle(capacity));
                card.upload(model.inverse(), inverse)?;
                let coefficients = all.coefficients.at(model_at * capacity);
                card.upload(model.coefficients(), coefficients)?;
                card.upload(kept, all.support.at(model_at * capacity))?;
                card.upload(&addresses, all.addresses.at(model_at * capacity))?;
            }
        }
        card.upload(&vec![k as i32; count], models.sizes.address())?;
        card.upload(&vec![model.rss(); count], models.rss.address())?;
        card.wait(HOLDING)?;
        Ok(models)
    }

    /// What the kernels are given.
    pub(super) fn held(&self) -> Held {
        let all = &self.per_variable;
        Held {
            n: self.n as i64,
            capacity: self.capacity as i32,
            y: self.y.address(),
            residual: self.residual.address(),
            rest: self.rest.address(),
            inverse: all.inverse.address(),
            coefficients: all.coefficients.address(),
            support: all.support.address(),
            addresses: all.addresses.address(),
            sizes: self.sizes.address(),
            rss: self.rss.address(),
            keep: self.keep.address(),
            kept: self.kept as i32,
            spare: all.spare.as_ref().map_or(0, Buffer::address),
        }
    }

    /// The supports' columns, `capacity` a model.
    pub(super) fn support(&self) -> (u64, i32) {
        (self.per_variable.support.address(), self.capacity as i32)
    }

    /// Bytes of shared memory for a block that works on a model.
    pub(super) fn shared(&self) -> u32 {
        match self.per_variable.spare {
            Some(_) => 0,
            None => (3 * 8 * self.capacity) as u32,
        }
    }

    /// Models there are: as many blocks have room to work.
    pub(super) fn count(&self) -> usize {
        self.supports.len()
    }

    /// Variables of a model.
    pub(super) fn size(&self, model: usize) -> usize {
        self.supports[model].len()
    }

    /// RSS of a model.
    pub(super) fn rss_of(&self, model: usize) -> f64 {
        self.residuals[model]
    }

    /// See [`super::super::Device::update`].
    pub(super) fn update(
        &mut self,
        card: &Card,
        columns: &mut CardColumns,
        updates: &[(usize, Update)],
    ) -> Result<Vec<Updated>, DeviceError> {
        let added = updates.iter().filter_map(|(_, update)| match update {
            Update::Add(column) => Some(*column),
            _ => None,
        });
        let supports = &self.supports;
        let used = || supports.iter().flatten().copied().collect();
        columns.bring(card, added, used)?;
        let largest = updates.iter().map(|(model, _)| self.size(*model)).max();
        if largest.unwrap_or(0) >= self.capacity {
            self.grow(card)?;
        }
        let count = updates.len();
        let orders = self.orders.room(card, 4 * count)?;
        for (order, &(model, update)) in orders.chunks_mut(4).zip(updates) {
            let (kind, variable) = match update {
                Update::Add(column) => (0, column),
                Update::Drop(column) => (1, column),
                Update::DropCheapest => (2, 0),
                Update::Refactor => (3, 0),
            };
            let address = columns.address(variable).unwrap_or(0);
            order.copy_from_slice(&[model as u64, kind, variable.into(), address]);
        }
        let on_card = self.on_card.address();
        card.upload(orders, on_card)?;
        let told = self.on_card.at(4 * count);
        let (held, shared) = (self.held(), self.shared());
        let grid = (count as u32, 1, 1);
        card.launch(
            "update",
            grid,
            THREADS,
            shared,
            arguments![held, on_card, told],
        )?;
        let answers = self.told.room(card, 2 * count)?;
        card.download(told, answers)?;
        card.wait("kernel update")?;
        let mut all = Vec::with_capacity(count);
        for (answer, &(model, update)) in answers.chunks(2).zip(updates) {
            let done = u32::try_from(answer[1]).ok().filter(|it| *it != u32::MAX);
            let rss = f64::from_bits(answer[0]);
            let support = &mut self.supports[model];
            match (update, done) {
                (Update::Add(_), Some(variable)) => support.push(variable),
                (Update::Drop(_) | Update::DropCheapest, Some(variable)) => {
                    support.retain(|it| *it != variable);
                }
                (Update::Refactor, _) => support.sort_unstable(),
                _ => {}
            }
            self.residuals[model] = rss;
            all.push(Updated {
                variable: done,
                rss,
            });
        }
        Ok(all)
    }

    /// Doubles the room for variables.
    fn grow(&mut self, card: &Card) -> Result<(), DeviceError> {
        let (old, capacity) = (self.capacity, 2 * self.capacity);
        let grown = PerVariable::new(card, self.count(), capacity)?;
        let before = &self.per_variable;
        for (model, support) in self.supports.iter().enumerate() {
            let k = support.len();
            let from = [
                before.inverse.at(model * triangle(old)),
                before.coefficients.at(model * old),
                before.support.at(model * old),
                before.addresses.at(model * old),
            ];
            let to = [
                grown.inverse.at(model * triangle(capacity)),
                grown.coefficients.at(model * capacity),
                grown.support.at(model * capacity),
                grown.addresses.at(model * capacity),
            ];
            let bytes = [8 * triangle(k), 8 * k, 4 * k, 8 * k];
            for ((from, to), bytes) in from.into_iter().zip(to).zip(bytes) {
                if bytes > 0 {
                    card.copy(from, to, bytes)?;
                }
            }
        }
        card.wait("making room for larger models")?;
        (self.per_variable, self.capacity) = (grown, capacity);
        Ok(())
    }
}
