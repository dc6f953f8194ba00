//! The swarm's models where terms have several columns: an update of a term is one of its columns after another,
//! in one launch.

use passel_kernels::update::{ADD, DROP, REBUILD};

use super::{
    super::{DeviceError, ModelUpdate, UpdateOutcome},
    columns::GpuColumns,
    gpu::Gpu,
    models::{Models, number},
};
use crate::design::Columns;

impl Models {
    /// See [`super::super::Device::update_models`], by terms.
    pub(super) fn update_terms(
        &mut self,
        gpu: &Gpu,
        columns: &mut GpuColumns,
        x: Columns,
        updates: &[(usize, ModelUpdate)],
    ) -> Result<Vec<UpdateOutcome>, DeviceError> {
        // A model that is built again tries the columns that were left out.
        let is_rebuilt =
            |(model, update): &(usize, ModelUpdate)| match *update == ModelUpdate::Refactor {
                true => self.is_partial(x, *model).then_some(*model),
                false => None,
            };
        let rebuilt: Vec<usize> = updates.iter().filter_map(is_rebuilt).collect();
        if !rebuilt.is_empty() {
            let terms = rebuilt
                .into_iter()
                .map(|model| (model, self.terms[model].clone()));
            let terms: Vec<(usize, Vec<u32>)> = terms.collect();
            self.place_terms(gpu, columns, x, &terms)?;
        }
        let chains = updates
            .iter()
            .map(|(model, update)| self.orders_of(x, *model, *update));
        let chains: Vec<Vec<(u64, u32)>> = chains.collect();
        let added = |chain: &[(u64, u32)]| {
            let added = chain.iter().filter(|(kind, _)| *kind == ADD);
            added.map(|(_, column)| *column).collect::<Vec<u32>>()
        };
        let sizes = updates.iter().zip(&chains);
        let sizes = sizes.map(|((model, _), chain)| self.size(*model) + added(chain).len());
        let largest = sizes.max().unwrap_or(0);
        let all_added = chains.iter().flat_map(|chain| added(chain));
        self.make_room(gpu, columns, all_added, largest)?;
        let places = self.write_orders(gpu, columns, updates, &chains)?;
        let models = places.iter().filter(|places| !places.is_empty()).count();
        let count = chains.iter().map(Vec::len).sum();
        let answers = match models {
            0 => Vec::new(),
            _ => self.launch(gpu, (models, count), true)?.to_vec(),
        };
        let mut all = Vec::with_capacity(updates.len());
        for ((&(model, update), chain), places) in updates.iter().zip(&chains).zip(places) {
            let mut moved = false;
            for (place, (kind, column)) in places.into_iter().zip(chain) {
                self.residuals[model] = f64::from_bits(answers[2 * place]);
                let done = number(answers[2 * place + 1]);
                let support = &mut self.supports[model];
                match *kind {
                    ADD if done.is_some() => support.push(*column),
                    DROP => support.retain(|own| own != column),
                    REBUILD if done == Some(support.len() as u32) => support.sort_unstable(),
                    REBUILD => {
                        let left = done.unwrap_or(0) as usize;
                        self.supports[model] = self.download_support(gpu, model, left)?;
                    }
                    _ => {}
                }
                moved |= *kind == DROP || (*kind == ADD && done.is_some());
            }
            let terms = &mut self.terms[model];
            let variable = match update {
                ModelUpdate::Add(term) if moved => {
                    terms.push(term);
                    Some(term)
                }
                ModelUpdate::Drop(term) => {
                    let position = terms.iter().position(|own| *own == term);
                    position.map(|at| terms.remove(at))
                }
                ModelUpdate::Refactor => {
                    terms.sort_unstable();
                    None
                }
                _ => None,
            };
            all.push(UpdateOutcome {
                variable,
                parameters: self.size(model),
                rss: self.residuals[model],
                square: self.residuals[model],
            });
        }
        Ok(all)
    }

    /// Gives models other terms, all columns of which they hold until they are built again.
    pub(super) fn place_terms(
        &mut self,
        gpu: &Gpu,
        columns: &mut GpuColumns,
        x: Columns,
        models: &[(usize, Vec<u32>)],
    ) -> Result<(), DeviceError> {
        let all = |terms: &[u32]| -> Vec<u32> {
            terms.iter().flat_map(|term| x.columns_of(*term)).collect()
        };
        let supports: Vec<(usize, Vec<u32>)> = models
            .iter()
            .map(|(model, terms)| (*model, all(terms)))
            .collect();
        let supports: Vec<(usize, &[u32])> = supports
            .iter()
            .map(|(model, support)| (*model, support.as_slice()))
            .collect();
        for (model, terms) in models {
            self.terms[*model].clone_from(terms);
        }
        self.place(gpu, columns, &supports)
    }

    /// Whether columns of a model's terms are left out, which the others explain.
    pub(super) fn is_partial(&self, x: Columns, model: usize) -> bool {
        self.size(model) < x.width_of(&self.terms[model])
    }

    /// The orders (kind, column) of an update.
    fn orders_of(&self, x: Columns, model: usize, update: ModelUpdate) -> Vec<(u64, u32)> {
        let (support, terms) = (&self.supports[model], &self.terms[model]);
        match update {
            ModelUpdate::Add(term) => x.columns_of(term).map(|column| (ADD, column)).collect(),
            ModelUpdate::Drop(term) if terms.contains(&term) => {
                let columns = x.columns_of(term);
                let leaving = support.iter().rev().filter(|own| columns.contains(own));
                let mut orders: Vec<_> = leaving.map(|column| (DROP, *column)).collect();
                if self.is_partial(x, model) {
                    // Columns of the others that it alone explained enter.
                    let others = terms.iter().filter(|own| **own != term);
                    let columns = others.flat_map(|own| x.columns_of(*own));
                    let left_out = columns.filter(|column| !support.contains(column));
                    orders.extend(left_out.map(|column| (ADD, column)));
                }
                orders
            }
            ModelUpdate::Refactor => vec![(REBUILD, 0)],
            ModelUpdate::Drop(_) | ModelUpdate::DropCheapest => Vec::new(),
        }
    }

    /// Writes the orders of updates, each a chain; returns the places of each, the first of a chain among the
    /// first of all.
    fn write_orders(
        &mut self,
        gpu: &Gpu,
        columns: &GpuColumns,
        updates: &[(usize, ModelUpdate)],
        chains: &[Vec<(u64, u32)>],
    ) -> Result<Vec<Vec<usize>>, DeviceError> {
        let count: usize = chains.iter().map(Vec::len).sum();
        let orders = self.orders.room(gpu, 4 * count)?;
        let (mut first, mut next) = (0, chains.iter().filter(|chain| !chain.is_empty()).count());
        let mut all = Vec::with_capacity(chains.len());
        for ((model, _), chain) in updates.iter().zip(chains) {
            let mut places = Vec::with_capacity(chain.len());
            if let Some(others) = chain.len().checked_sub(1) {
                places.push(first);
                places.extend(next..next + others);
                first += 1;
                next += others;
            }
            for (at, &(kind, column)) in chain.iter().enumerate() {
                let behind = places.get(at + 1).copied().unwrap_or(0) as u64;
                let address = columns.address(column).unwrap_or(0);
                let words = [*model as u64, kind + 256 * behind, column.into(), address];
                orders[4 * places[at]..][..4].copy_from_slice(&words);
            }
            all.push(places);
        }
        Ok(all)
    }
}
