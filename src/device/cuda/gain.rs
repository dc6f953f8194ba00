//! The strongest column of each model by the exact fall in RSS: products with r and Q
//! bound it, and what the bounds leave open is projected by itself.

use passel_kernels::gain;

use super::{
    super::{Candidate, DeviceError, ModelView, gain::tie_width},
    Cuda,
    gpu::arguments,
    models::THREADS,
    products::{Arithmetic, MatrixProduct, PRODUCTS},
};

/// Columns of r and Q at a time.
const WIDTH: usize = 2048;

/// Rows of E a thread looks at, about.
const STRIDE: usize = 1024;

impl Cuda<'_> {
    /// By the exact gain; see [`super::super::Device::find_strongest`].
    pub(super) fn by_gain(
        &mut self,
        models: &[ModelView],
    ) -> Result<Vec<Vec<Candidate>>, DeviceError> {
        let held = self.models.as_ref().ok_or_else(|| self.unheld())?;
        let mut parts: Vec<Vec<usize>> = Vec::new();
        let most = (PRODUCTS / (8 * self.y.len())).clamp(1, WIDTH);
        let mut width = most;
        for model in models.iter().map(|model| model.number) {
            let more = held.size(model) + 1;
            if width + more > most {
                parts.push(Vec::new());
                width = 0;
            }
            width += more;
            if let Some(part) = parts.last_mut() {
                part.push(model);
            }
        }
        let mut all = Vec::with_capacity(models.len());
        for part in parts {
            all.extend(self.sweep_gains(&part)?);
        }
        Ok(all)
    }

    fn sweep_gains(&mut self, models: &[usize]) -> Result<Vec<Vec<Candidate>>, DeviceError> {
        let (n, m) = (self.y.len(), models.len());
        let gpu = &self.gpu;
        let held = self.models.as_ref().ok_or_else(|| self.unheld())?;
        let mut width = 0;
        let mut starts = Vec::with_capacity(m);
        for &model in models {
            starts.push(width);
            width += held.size(model) + 1;
        }
        let which: Vec<u32> = models.iter().map(|model| *model as u32).collect();
        let offsets: Vec<u64> = starts.iter().map(|start| (start * n) as u64).collect();
        let on_gpu = self.scratch.which.room(gpu, m, "sweeping")?;
        let largest = self.scratch.largest.room(gpu, 2 * m, "sweeping")?;
        let offsets_on_gpu = largest + 8 * m as u64;
        gpu.upload(&which, on_gpu)?;
        gpu.upload(&offsets, offsets_on_gpu)?;
        let batch = self.scratch.batch.room(gpu, n * width, "sweeping")?;
        let most_columns = models.iter().map(|model| held.size(*model) + 1).max();
        let columns = most_columns.unwrap_or(1).min(65_535) as u32;
        let grid = ((n.div_ceil(STRIDE)) as u32, columns, m as u32);
        let all = held.held();
        let given = arguments![all, on_gpu, offsets_on_gpu, batch];
        gpu.launch(&gain::KERNEL, "orthonormal", grid, 256, 0, given)?;
        // With the bounds of one model's gains behind the products.
        let (e, most) =
            self.scratch
                .e
                .products(gpu, (self.columns.count(), 1), width + 1, "sweeping")?;
        let upper = e + 8 * (most * width) as u64;
        let mut room = (4 * m).max(1024);
        loop {
            let counter = self.scratch.found.room(gpu, 1 + 2 * room, "sweeping")?;
            gpu.zero(largest, 8 * m)?;
            gpu.zero(counter, 8 * (1 + 2 * room))?;
            let (list, places) = (counter + 8, room as u64);
            let scores = list + 8 * places;
            self.columns.sweep(gpu, (0, 1), most, |block| {
                gpu.product(MatrixProduct {
                    transposed: true,
                    rows: block.count,
                    columns: width,
                    inner: n,
                    a: block.address,
                    b: batch,
                    c: e,
                    kind: Arithmetic::F64,
                })?;
                let (rows, first) = (block.count as i64, block.first);
                let grid = (block.count.div_ceil(STRIDE) as u32, 1, 1);
                for (at, (&model, start)) in models.iter().zip(&starts).enumerate() {
                    let k = held.size(model);
                    let products = e + 8 * (block.count * start) as u64;
                    let (support, capacity) = held.support();
                    let support = support + 4 * model as u64 * capacity as u64;
                    let off = tie_width(n, held.rss_of(model).sqrt());
                    // k squares, each off by twice the error of a product.
                    let error = 16.0 * ((k + 1) * n) as f64 * f64::EPSILON;
                    let largest = largest + 8 * at as u64;
                    let (k, at) = (k as i32, at as u64);
                    let bounds = arguments![
                        products, support, k, rows, first, off, error, upper, largest
                    ];
                    gpu.launch(&gain::KERNEL, "bounds", grid, 256, 0, bounds)?;
                    let open = arguments![upper, rows, first, at, largest, list, counter, places];
                    gpu.launch(&gain::KERNEL, "collect_gains", grid, 256, 0, open)?;
                }
                let (columns, count) = (block.address, block.count as u32);
                let blocks = (held.count() as u32).min(4 * gpu.processors);
                let exact = arguments![
                    all, columns, first, count, on_gpu, list, counter, places, scores
                ];
                let (grid, shared) = ((blocks, 1, 1), held.shared());
                gpu.launch(&gain::KERNEL, "gain", grid, THREADS, shared, exact)
            })?;
            let answers = self.scratch.answers.room(gpu, 1 + 2 * room)?;
            gpu.download(counter, answers)?;
            gpu.wait("a sweep for exact gains")?;
            let listed = usize::try_from(answers[0]).unwrap_or(usize::MAX);
            if listed > room {
                room = listed;
                continue;
            }
            let (list, scores) = answers[1..].split_at(room);
            let mut all = vec![Vec::new(); m];
            for (pair, score) in list[..listed].iter().zip(scores) {
                let score = f64::from_bits(*score);
                // A collinear column gains nothing.
                if score > 0.0 {
                    let column = *pair as u32;
                    all[(pair >> 32) as usize].push(Candidate { column, score });
                }
            }
            return Ok(all);
        }
    }
}
