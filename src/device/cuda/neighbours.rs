//! The neighbours of models on a GPU: products with r and Q of each, what every column
//! would do, and the list of those that may be among the strongest.

use std::iter::repeat_n;

use passel_kernels::neighbours;

use super::{
    super::{
        DeviceError, Neighbours,
        gain::{factor_width, push_orthonormal},
        neighbours::{ExchangeTerms, ModelChange, is_flat},
    },
    Cuda,
    blocks::Block,
    digits::{Accuracy, Digits},
    gpu::arguments,
    products::{Arithmetic, MatrixProduct},
    squares::Squares,
};
use crate::least_squares::FitView;

/// Groups of columns whose largest falls bound the threshold: GROUPS in
/// kernels/neighbours.cu.
const GROUPS: usize = 1024;

/// Columns a thread looks at, about.
const STRIDE: usize = 256;

/// One anchor on the GPU.
struct OnGpu {
    model: ExchangeTerms,
    /// Its first column among the products, and the vectors before its variables' there.
    start: usize,
    before: usize,
    /// Its place among the weights, where it has some.
    weights: Option<usize>,
    /// Whether its loss is as low as it gets.
    is_flat: bool,
    transposed: u64,
    places: u64,
    support: u64,
    groups: u64,
    least: u64,
    found: u64,
}

/// Columns two a word, as kernels read them.
pub(super) fn packed(columns: &[u32]) -> impl Iterator<Item = u64> {
    columns.chunks(2).map(|pair| {
        let second = pair.get(1).copied().unwrap_or(0);
        u64::from(pair[0]) | u64::from(second) << 32
    })
}

impl Cuda<'_> {
    /// See [`super::super::Device::find_neighbours`].
    pub(super) fn near(
        &mut self,
        anchors: &[FitView],
        (keep, count): (&[u32], usize),
        part: (usize, usize),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Neighbours>, DeviceError> {
        let mut all = Vec::with_capacity(anchors.len());
        let mut room = (4 * count + 256).max(self.scratch.neighbours_room);
        // One model's products may fill the memory: a few at a time.
        for anchors in anchors.chunks(8) {
            loop {
                match self.near_in(anchors, (keep, count), part, room, stop)? {
                    Ok(found) => {
                        all.extend(found);
                        break;
                    }
                    // Many equal columns: once more, with room for all of them.
                    Err(listed) => {
                        room = listed;
                        self.scratch.neighbours_room = room;
                    }
                }
            }
        }
        Ok(all)
    }

    /// The same with room for so many columns a model, or how many there were.
    fn near_in(
        &mut self,
        anchors: &[FitView],
        (keep, count): (&[u32], usize),
        part: (usize, usize),
        room: usize,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Result<Vec<Neighbours>, usize>, DeviceError> {
        const DURING: &str = "sweeping for neighbours";
        let n = self.y.len();
        let gpu = &self.gpu;
        let mut width = 0;
        let mut batch = Vec::new();
        // What the kernels are told of each model, side by side: 64-bit words.
        let mut words: Vec<u64> = Vec::new();
        let mut models = Vec::with_capacity(anchors.len());
        let mut weights: Vec<f64> = Vec::new();
        let bits = |value: f64| value.to_bits();
        for anchor in anchors {
            push_orthonormal(self.shard.x, anchor, &mut batch);
            let model = ExchangeTerms::new(anchor, keep);
            let mut put = |values: &mut dyn Iterator<Item = u64>| {
                let at = 8 * words.len() as u64;
                words.extend(values);
                at
            };
            let places = model.positions.iter();
            let places = places.flat_map(|at| at.unwrap_or([f64::NAN, 0.0, 0.0]));
            let (own_width, before) = factor_width(anchor);
            let of_weights = anchor.weighted.map(|own| {
                weights.extend_from_slice(own.weights);
                weights.len() / n - 1
            });
            models.push(OnGpu {
                start: width,
                before,
                weights: of_weights,
                is_flat: is_flat(anchor),
                transposed: put(&mut model.transposed.iter().copied().map(bits)),
                places: put(&mut places.map(bits)),
                support: put(&mut packed(anchor.support)),
                groups: put(&mut repeat_n(0, 2 * GROUPS)),
                least: put(&mut repeat_n(bits(f64::NEG_INFINITY), 2)),
                found: put(&mut repeat_n(0, 1 + 3 * room)),
                model,
            });
            width += own_width;
        }
        let on_gpu = self.scratch.found.room(gpu, words.len(), DURING)?;
        gpu.upload(&words, on_gpu)?;
        let products = self.scratch.batch.room(gpu, n * width, DURING)?;
        gpu.upload(&batch, products)?;
        // Products, U of one model, and three numbers a column.
        let widest = models.iter().map(|own| own.model.k).max().unwrap_or(0);
        let unit = width + widest + 3;
        let (e, most) = self
            .scratch
            .e
            .products(gpu, (self.columns.count(), 1), unit, DURING)?;
        let squares = match weights.is_empty() {
            true => None,
            false => {
                let own = (&weights[..], n);
                let scratch = &mut self.scratch.squares;
                let (mut own, most) = Squares::new(gpu, scratch, own, most, DURING)?;
                own.risk = match &mut self.risk {
                    Some(risk) => risk.squares(gpu, anchors, DURING)?,
                    None => None,
                };
                Some((own, most))
            }
        };
        // Weights need the squares of columns, which are numbers.
        let genotypes = self.columns.genotypes.as_ref();
        let genotypes = genotypes.filter(|_| squares.is_none());
        let digits = match genotypes {
            Some(own) => {
                let (room, given) = (&mut self.scratch.digits, (products, width, n));
                let cut = Digits::cut(gpu, room, given, own.roots(), Accuracy::Full, DURING);
                Some(cut?)
            }
            None => None,
        };
        let after = |columns: usize| e + 8 * (most * columns) as u64;
        let (u, joining) = (after(width), after(width + widest));
        let (replacing, place) = (after(width + widest + 1), after(width + widest + 2));
        let at_once = squares.as_ref().map_or(most, |(_, columns)| *columns);
        let work = |block: Block| {
            if stop() {
                return Ok(());
            }
            match (block.genotypes, genotypes, &digits) {
                (Some(laid), Some(own), Some(digits)) => {
                    digits.multiply(gpu, (own, laid), block.count, e)?;
                }
                _ => {
                    let own = (block.address, block.count);
                    gpu.product(MatrixProduct::of_columns(own, (products, width), n, e))?;
                }
            }
            if let Some((squares, _)) = &squares {
                squares.fill(gpu, &block)?;
            }
            let (rows, first, count) = (block.count as i64, block.first, count as u32);
            let grid = (block.count.div_ceil(STRIDE) as u32, 1, 1);
            for own in models.iter().filter(|own| !own.is_flat) {
                let k = own.model.k as i32;
                let products = e + 8 * (block.count * own.start) as u64;
                if own.model.k > 0 {
                    gpu.product(MatrixProduct {
                        transposed: false,
                        rows: block.count,
                        columns: own.model.k,
                        inner: own.model.k,
                        a: products + 8 * (own.before * block.count) as u64,
                        b: on_gpu + own.transposed,
                        c: u,
                        kind: Arithmetic::F64,
                    })?;
                }
                let (places, support) = (on_gpu + own.places, on_gpu + own.support);
                let (groups, least) = (on_gpu + own.groups, on_gpu + own.least);
                let vectors = k + own.before as i32 - 1;
                let of_squares = match (&squares, own.weights) {
                    (Some((squares, _)), Some(model)) => squares.of(model, block.count),
                    _ => 0,
                };
                let changes = arguments![
                    products, vectors, of_squares, u, places, support, k, rows, first, joining,
                    replacing, place, groups
                ];
                gpu.launch(&neighbours::KERNEL, "changes", grid, 256, 0, changes)?;
                if count as usize <= GROUPS {
                    let bound = arguments![groups, count, least];
                    let (grid, threads) = ((2, 1, 1), GROUPS as u32);
                    gpu.launch(&neighbours::KERNEL, "threshold", grid, threads, 0, bound)?;
                }
                let listed = on_gpu + own.found;
                let (list, places) = (listed + 8, room as u64);
                let falls = list + 8 * places;
                let near = arguments![
                    joining, replacing, place, rows, first, least, list, falls, listed, places
                ];
                gpu.launch(&neighbours::KERNEL, "collect", grid, 256, 0, near)?;
            }
            Ok(())
        };
        match &digits {
            Some(_) => self.columns.sweep_packed(gpu, part, at_once, work)?,
            None => self.columns.sweep(gpu, part, at_once, work)?,
        }
        let answers = self
            .scratch
            .answers
            .room(gpu, (1 + 3 * room) * models.len())?;
        for (own, answers) in models.iter().zip(answers.chunks_mut(1 + 3 * room)) {
            gpu.download(on_gpu + own.found, answers)?;
        }
        gpu.wait(DURING)?;
        let all = models.iter().zip(anchors);
        let mut found = Vec::with_capacity(anchors.len());
        let mut most = 0;
        for ((own, anchor), answers) in all.zip(answers.chunks(1 + 3 * room)) {
            let listed = usize::try_from(answers[0]).unwrap_or(usize::MAX);
            most = most.max(listed);
            if listed > room {
                continue;
            }
            let (list, falls) = answers[1..].split_at(room);
            let mut neighbours = Neighbours::default();
            for (entry, falls) in list[..listed].iter().zip(falls.chunks(2)) {
                let (column, place) = (*entry as u32, (*entry >> 32) as usize);
                let (mut join, swap) = (f64::from_bits(falls[0]), f64::from_bits(falls[1]));
                let mut exchange = ModelChange {
                    column,
                    fall: swap,
                    replaces: Some(place),
                    parameters: 0,
                };
                if join == f64::INFINITY {
                    (join, exchange) = own.model.evaluate_collinear(self.shard.x, anchor, column);
                }
                neighbours.additions.push(ModelChange {
                    column,
                    fall: join,
                    replaces: None,
                    parameters: 1,
                });
                // Nothing falls by −∞: a column that no exchange is open to.
                if exchange.fall > f64::NEG_INFINITY {
                    neighbours.exchanges.push(exchange);
                }
            }
            found.push(neighbours.strongest(count));
        }
        Ok(match most > room {
            true => Err(most),
            false => Ok(found),
        })
    }
}
