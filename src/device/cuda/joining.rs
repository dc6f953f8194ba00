//! Columns whose joining may lower the loss of a model of logistic or Poisson regression by more than a number, by
//! bounds on a GPU.

use std::collections::HashSet;

use passel_kernels::joining::{BoundedModel, JoiningArgs, KERNEL};

use super::{
    super::{
        DeviceError,
        cpu::joining_by,
        gain::{factor_width, push_orthonormal},
    },
    Cuda,
    gpu::arguments,
    host_products::GpuProducts,
    neighbours::packed,
    products::MatrixProduct,
    squares::Squares,
};
use crate::{family::Likelihood, least_squares::FitView};

const DURING: &str = "sweeping for bounds";

/// Models at a time.
const MODELS: usize = 64;

/// Columns a thread looks at, about.
const STRIDE: usize = 4;

/// Open columns there is room for at first.
const OPEN: usize = 1 << 14;

impl Cuda<'_> {
    /// See [`super::super::Device::find_joining`].
    pub(super) fn joining(
        &mut self,
        likelihood: &Likelihood,
        (anchors, least): (&[FitView], &[f64]),
        part: (usize, usize),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vec<u32>>, DeviceError> {
        if likelihood.is_survival() {
            // The host's threads look at these.
            let (shard, given) = (self.shard.part(part), (anchors, least));
            let threads = rayon::current_num_threads();
            let mut source = GpuProducts {
                cuda: self,
                part,
                stop,
                squares: None,
            };
            return joining_by(&mut source, shard, likelihood, given, threads, stop);
        }
        let mut all = Vec::with_capacity(anchors.len());
        let mut room = OPEN;
        for (anchors, least) in anchors.chunks(MODELS).zip(least.chunks(MODELS)) {
            loop {
                match self.joining_in(likelihood, (anchors, least), part, room, stop)? {
                    Ok(found) => {
                        all.extend(found);
                        break;
                    }
                    // Once more, with room for all of them.
                    Err(opened) => room = opened,
                }
            }
        }
        Ok(all)
    }

    /// Of a few models: with room for so many open columns, or else how many there are.
    fn joining_in(
        &mut self,
        likelihood: &Likelihood,
        (anchors, least): (&[FitView], &[f64]),
        part: (usize, usize),
        room: usize,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Result<Vec<Vec<u32>>, usize>, DeviceError> {
        let (n, m, x) = (self.y.len(), anchors.len(), self.shard.x);
        let Self {
            gpu,
            columns,
            scratch,
            ..
        } = self;
        let gpu = &*gpu;
        let support = anchors.iter().flat_map(|anchor| anchor.support).copied();
        columns.bring(gpu, support, HashSet::new)?;
        let mut batch = Vec::new();
        let mut weights = Vec::with_capacity(n * m);
        // Of the models side by side: 64-bit words, of which the places become addresses.
        let mut words: Vec<u64> = Vec::new();
        let mut models = Vec::with_capacity(m);
        let mut widest = 0;
        for (anchor, least) in anchors.iter().zip(least) {
            let Some(weighted) = anchor.weighted else {
                // Nothing bounds it.
                let own = columns.numbers();
                return Ok(Ok(vec![own.collect(); m]));
            };
            let (start, k) = (batch.len() / n, anchor.support.len());
            let (_, before) = factor_width(anchor);
            push_orthonormal(x, anchor, &mut batch);
            let vectors = batch[(start + before) * n..].chunks(n);
            let largest = vectors.map(|q| {
                let rows = q.iter().zip(weighted.weights).filter(|(_, w)| **w > 0.0);
                rows.map(|(q, w)| (q / w).abs()).fold(0.0, f64::max)
            });
            let largest: Vec<f64> = largest.collect();
            let mut put = |values: &mut dyn Iterator<Item = u64>| {
                let at = 8 * words.len() as u64;
                words.extend(values);
                at
            };
            let addresses = anchor.support.iter().map(|column| columns.address(*column));
            let addresses: Option<Vec<u64>> = addresses.collect();
            let addresses = addresses.ok_or_else(|| gpu.lacks_column())?;
            models.push(BoundedModel {
                scores: start as u64,
                weights: weights.len() as u64,
                inverse: put(&mut anchor.inverse.iter().map(|t| t.to_bits())),
                intercept: put(&mut weighted.intercept.iter().map(|t| t.to_bits())),
                addresses: put(&mut addresses.into_iter()),
                support: put(&mut packed(anchor.support)),
                largest: put(&mut largest.iter().map(|t| t.to_bits())),
                mean: weighted.intercept.first().copied().unwrap_or(0.0),
                least: *least,
                start: start as i64,
                k: k as i32,
                before: before as i32,
            });
            weights.extend_from_slice(weighted.weights);
            widest = widest.max(k);
        }
        let width = batch.len() / n;
        let response = likelihood.response();
        let held = words.len();
        // Behind them the response, the models themselves, and what is listed and open.
        let described = m * size_of::<BoundedModel>() / 8;
        let on_gpu = scratch
            .found
            .room(gpu, held + 2 * n + described + 2 + room, DURING)?;
        gpu.upload(&words, on_gpu)?;
        let [y, prior] = [0, n].map(|at| on_gpu + 8 * (held + at) as u64);
        gpu.upload(response.y(), y)?;
        gpu.upload(response.weights(), prior)?;
        let described_at = prior + 8 * n as u64;
        let counters = described_at + (m * size_of::<BoundedModel>()) as u64;
        let (listed, opened, open) = (counters, counters + 8, counters + 16);
        gpu.zero(counters, 16)?;
        let products = scratch.batch.room(gpu, n * width, DURING)?;
        gpu.upload(&batch, products)?;
        let (squares, most) = Squares::new(
            gpu,
            &mut scratch.squares,
            (&weights, n),
            columns.count(),
            DURING,
        )?;
        for model in &mut models {
            model.scores = products + 8 * n as u64 * model.scores;
            model.weights = squares.weights + 8 * model.weights;
            for place in [
                &mut model.inverse,
                &mut model.intercept,
                &mut model.addresses,
                &mut model.support,
                &mut model.largest,
            ] {
                *place += on_gpu;
            }
        }
        gpu.upload(&models, described_at)?;
        let (e, most) = scratch.e.products(gpu, (most, 1), width + m, DURING)?;
        let list = e + 8 * (most * width) as u64;
        let blocks = 4 * gpu.processors as usize;
        let (spare, blocks) = scratch.near.as_many(gpu, n + widest, (1, blocks), DURING)?;
        let (of_scores, _) = likelihood.scales();
        let args = JoiningArgs {
            n: n as i64,
            y,
            weights: prior,
            of_scores,
            coefficient_scale: likelihood.coefficient_scale(),
            loss_scale: likelihood.loss_scale(),
            is_binomial: i32::from(likelihood.is_logistic()),
        };
        columns.sweep(gpu, part, most, |block| {
            if stop() {
                return Ok(());
            }
            let own = (block.address, block.count);
            gpu.product(MatrixProduct::of_columns(own, (products, width), n, e))?;
            squares.fill(gpu, &block)?;
            gpu.zero(listed, 8)?;
            let (rows, from, scale) = (block.count as i64, block.first, args.coefficient_scale);
            let (of_squares, largest) = (squares.products, squares.largest);
            let grid = (block.count.div_ceil(256 * STRIDE) as u32, m as u32, 1);
            let given = arguments![
                described_at,
                scale,
                e,
                of_squares,
                largest,
                rows,
                from,
                list,
                listed
            ];
            gpu.launch(&KERNEL, "bound_by_score", grid, 256, 0, given)?;
            let (x, widest, places) = (block.address, widest as i64, room as u64);
            let given = arguments![
                args,
                described_at,
                x,
                e,
                of_squares,
                rows,
                from,
                list,
                listed,
                widest,
                spare,
                open,
                opened,
                places
            ];
            gpu.launch(
                &KERNEL,
                "bound_by_divergence",
                (blocks as u32, 1, 1),
                256,
                0,
                given,
            )
        })?;
        let answers = scratch.answers.room(gpu, 1 + room)?;
        gpu.download(opened, answers)?;
        gpu.wait(DURING)?;
        let count = usize::try_from(answers[0]).unwrap_or(usize::MAX);
        if count > room {
            return Ok(Err(count));
        }
        let mut all = vec![Vec::new(); m];
        for entry in &answers[1..][..count] {
            all[(entry >> 32) as usize].push(*entry as u32);
        }
        all.iter_mut().for_each(|own| own.sort_unstable());
        Ok(Ok(all))
    }
}
