//! Launches `plugin_values`: a GPU counts its columns' whole tables, as many at a time as have room,
//! and evaluates a score's function of each where it lies.

use passel_kernels::{
    self as kernels, Kernel,
    counting::{AnchorSums, ColumnCodes},
    entries::EntriesArgs,
    wide::WideArgs,
};

use super::{
    super::{
        gpu::{Gpu, arguments},
        memory::Buffer,
        scratch::GrowableBuffer,
    },
    count_kernel::{CountKernel, GpuLimits, LaunchConfig, PackLaunch, PackShape},
    dense::Dense,
    entries::{self, Entries},
    form::{Form, VECTOR},
    joint_codes::JointCodes,
    kernel_choice::plan_columns,
    layout::Pack,
    packs::{Packs, ResidentPack, put, room},
    sweep_buffers::{AnchorBuffers, Sweep, SweepOutput, SweepScratch},
    wide::{self, Wide},
};
use crate::{
    binning::BinnedColumn,
    device::{
        DeviceError,
        counting::{Categorical, any_misses, table_cells},
    },
};

/// Bytes of the tables that are there at a time, unless one alone has more.
const TABLES: usize = 256 << 20;

/// Bytes of the codes that blocks lay out for columns of entries.
const SPREADS: usize = 128 << 20;

/// Threads of a block that counts a column of few entries, and of one that evaluates.
const THREADS: usize = 128;

const DURING: &str = "counting whole tables";

/// Columns of a pack, from its column `from` on, whose tables are there at a time.
#[derive(Debug, PartialEq)]
struct TableRun {
    from: usize,
    count: usize,
    /// Most levels of any that has a table.
    levels: usize,
}

/// The columns of a pack, of so many levels each, by runs.
fn runs(levels: &[usize], w: usize, y: usize) -> Vec<TableRun> {
    let most = TABLES / 4;
    let mut runs: Vec<TableRun> = Vec::new();
    for (from, &x) in levels.iter().enumerate() {
        // What may have no table takes no room.
        let levels = table_cells(x, w, y).map_or(0, |_| x);
        // It is alone: whoever reads tables must not take those behind it for its own.
        let fits = |run: &TableRun| levels != 0 && run.levels != 0;
        if let Some(run) = runs.last_mut().filter(|run| fits(run)) {
            let widest = run.levels.max(levels);
            if (run.count + 1) * widest * w * y <= most {
                (run.count, run.levels) = (run.count + 1, widest);
                continue;
            }
        }
        runs.push(TableRun {
            from,
            count: 1,
            levels,
        });
    }
    runs
}

/// A GPU, its columns, and the function.
pub(super) struct TableEvaluator {
    pub(super) gpu: Gpu,
    pub(super) packs: Packs,
    /// Of each place.
    levels: Vec<usize>,
    excluded: Buffer<u8>,
    /// The parameters of the function, its value of each place, and whether its table is empty.
    parameters: Buffer<f64>,
    values: Buffer<f64>,
    empty: Buffer<u8>,
    /// What is counted beside.
    anchor: Buffer<AnchorSums>,
    joint: Buffer<u8>,
    by_joint: GrowableBuffer<u32>,
    w: Buffer<u32>,
    y: Buffer<u32>,
    counts: GrowableBuffer<u32>,
    shared: SweepScratch,
}

impl TableEvaluator {
    /// Opens a GPU and lays columns numbered from `first` on out, for responses as this one.
    pub(super) fn new(
        ordinal: usize,
        (columns, first): (&[BinnedColumn], usize),
        response: &Categorical,
        (function, parameters): (&Kernel, &[f64]),
        limit: Option<u64>,
    ) -> Result<Self, DeviceError> {
        let kernels = [
            kernels::dense::KERNEL,
            kernels::entries::KERNEL,
            kernels::wide::KERNEL,
            *function,
        ];
        let gpu = Gpu::open(ordinal, &kernels)?;
        let (n, count) = (response.codes.len(), columns.len());
        let others = TABLES + SPREADS + 64 * count + 16 * n;
        let room = room(&gpu, others, limit)?;
        let misses = any_misses(columns);
        let planned = plan_columns(columns, (n, response.levels));
        let packs = Packs::new(&gpu, &planned, (first, n), misses, room)?;
        let numbers = packs.layout.numbers.iter();
        let levels = numbers.map(|number| columns[*number as usize - first].levels);
        Ok(Self {
            levels: levels.collect(),
            excluded: gpu.buffer(count, DURING)?,
            parameters: put(&gpu, parameters)?,
            values: gpu.buffer(count, DURING)?,
            empty: gpu.buffer(count, DURING)?,
            anchor: gpu.buffer(1, DURING)?,
            joint: gpu.buffer(2 * n.next_multiple_of(VECTOR), DURING)?,
            by_joint: GrowableBuffer::default(),
            w: gpu.buffer(n, DURING)?,
            y: gpu.buffer(n, DURING)?,
            counts: GrowableBuffer::default(),
            shared: SweepScratch::default(),
            packs,
            gpu,
        })
    }

    /// Counts and evaluates the table of every place that is not excluded; those that may have no
    /// table are. Nothing waits for the end.
    pub(super) fn evaluate(
        &mut self,
        against: &JointCodes,
        excluded: &[u8],
        step: usize,
    ) -> Result<(), DeviceError> {
        let buffers = self.lay_out(against)?;
        self.gpu.upload(excluded, self.excluded.address())?;
        let (gpu, packs, n) = (&self.gpu, &self.packs, self.packs.layout.n);
        packs.sweep(gpu, |resident| {
            let pack = resident.pack;
            let levels = &self.levels[pack.first..][..pack.count];
            for run in runs(levels, buffers.levels, buffers.classes) {
                let cells = run.levels * buffers.joint_levels();
                if cells == 0 {
                    continue;
                }
                let tables = self.counts.room(gpu, run.count * cells, DURING)?;
                // What is not counted is empty.
                gpu.zero(tables, 4 * run.count * cells)?;
                let part = Pack {
                    first: pack.first + run.from,
                    ..pack.part(run.count)
                };
                let part = ResidentPack {
                    pack: &part,
                    // Entries have no stride, and begin where those of all do.
                    address: resident.address + (run.from * pack.stride) as u64,
                    places: resident.places + (run.from * size_of::<ColumnCodes>()) as u64,
                };
                let out = SweepOutput {
                    excluded: self.excluded.address(),
                    tables,
                    cells,
                    ..SweepOutput::default()
                };
                let sweep = Sweep {
                    gpu,
                    packs,
                    terms: 0,
                    anchor: buffers,
                    out,
                };
                let config = table_config(gpu.into(), n, pack, &buffers, run.levels);
                let launch = PackLaunch {
                    sweep: &sweep,
                    resident: &part,
                    config: config.unwrap_or(Wide::CONFIG),
                    scratch: &mut self.shared,
                };
                match (config, pack.form) {
                    (None, _) => count_wide(launch)?,
                    (Some(_), Form::Dense { .. }) => Dense.launch(launch)?,
                    (Some(_), _) => count_entries(launch, run.from)?,
                }
                let at = part.pack.first;
                let (values, counts) = (self.parameters.address(), tables);
                let (cells, levels) = (cells as i64, packs.levels.at(at));
                let (w, y) = (buffers.levels as u32, buffers.classes as u32);
                let (count, out) = (run.count as i64, self.values.at(at));
                let empty = self.empty.at(at);
                let step = step as u32;
                let args = arguments![values, counts, cells, levels, w, y, step, count, out, empty];
                let blocks = run.count.div_ceil(THREADS) as u32;
                let (kernel, grid) = (&kernels::plugin_values::KERNEL, (blocks, 1, 1));
                gpu.launch(kernel, "values", grid, THREADS as u32, 0, args)?;
            }
            Ok(())
        })
    }

    /// Waits for the values of all places; none where no observation is in a table.
    pub(super) fn values(&self) -> Result<Vec<Option<f64>>, DeviceError> {
        let count = self.packs.count();
        let (mut values, mut empty) = (vec![0f64; count], vec![0u8; count]);
        self.gpu.download(self.values.address(), &mut values)?;
        self.gpu.download(self.empty.address(), &mut empty)?;
        self.gpu.wait("evaluating tables")?;
        let value = |(value, empty)| (empty == 0).then_some(value);
        Ok(values.into_iter().zip(empty).map(value).collect())
    }

    /// Lays an anchor and the response out.
    fn lay_out(&mut self, against: &JointCodes) -> Result<AnchorBuffers, DeviceError> {
        let (gpu, n) = (&self.gpu, self.packs.layout.n);
        let (anchor, response) = (against.anchor, against.response);
        let by_joint = self.by_joint.room(gpu, against.by_joint.len(), DURING)?;
        let buffers = AnchorBuffers {
            batch: 1,
            anchors: self.anchor.address(),
            levels: anchor.levels,
            classes: response.levels,
            bits: against.bits,
            joint: self.joint.address(),
            by_joint,
            misses: anchor.missing,
            w: self.w.address(),
            y: self.y.address(),
            y_levels: response.levels,
            ..AnchorBuffers::default()
        };
        let sums = AnchorSums {
            levels: anchor.levels as u32,
            ..AnchorSums::default()
        };
        gpu.upload(&[sums], buffers.anchors)?;
        gpu.upload(&against.joint, buffers.joint)?;
        gpu.upload(&against.by_joint, by_joint)?;
        let wide = |pack: &Pack| table_config(gpu.into(), n, pack, &buffers, pack.levels).is_none();
        if self.packs.layout.packs.iter().any(wide) {
            gpu.upload(&anchor.codes, buffers.w)?;
            gpu.upload(&response.codes, buffers.y)?;
        }
        Ok(buffers)
    }
}

/// How columns of up to so many levels are counted in shared memory; none where `wide` counts them.
fn table_config(
    limits: GpuLimits,
    n: usize,
    pack: &Pack,
    anchor: &AnchorBuffers,
    levels: usize,
) -> Option<LaunchConfig> {
    let mut shape = PackShape::of(pack, n, (anchor.levels, anchor.classes));
    shape.form = match pack.form {
        Form::Short { .. } | Form::Few => Form::Many {
            threads: THREADS as u32,
        },
        form => form,
    };
    let is_dense = matches!(shape.form, Form::Dense { .. });
    // Of dense columns all: blocks of two columns count an excluded one too.
    if !is_dense {
        shape.x = levels;
    }
    if pack.misses || anchor.misses || shape.form == Form::Rows || !shape.is_small() {
        return None;
    }
    if is_dense {
        return Dense.suits(&shape, limits);
    }
    // Narrow cells give sums alone.
    let config = Entries.suits(&shape, limits);
    config.filter(|_| limits.fits(4 * shape.cells()))
}

/// Counts columns of entries in shared memory, those of a pack from its column `from` on.
fn count_entries(launch: PackLaunch, from: usize) -> Result<(), DeviceError> {
    let (sweep, resident, threads) = (launch.sweep, launch.resident, launch.config.threads);
    let (gpu, pack) = (sweep.gpu, resident.pack);
    let all = entries::arguments_of(sweep, resident);
    let args = match pack.form {
        // All have as many places.
        Form::Short { each } => EntriesArgs {
            rows: all.rows + 4 * ((from as u64) << each),
            codes: all.codes + 2 * ((from as u64) << each),
            each,
            ..all
        },
        _ => EntriesArgs {
            starts: all.starts + (from * size_of::<u64>()) as u64,
            ..all
        },
    };
    let function = sweep.anchor.sized("many_8", "many_16");
    let blocks = (16 * gpu.processors).min(pack.count as u32);
    let bytes = 4 * sweep.out.cells as u32;
    let (kernel, grid, args) = (&kernels::entries::KERNEL, (blocks, 1, 1), arguments![args]);
    gpu.launch(kernel, function, grid, threads as u32, bytes, args)
}

/// Counts columns of any form where their tables lie.
fn count_wide(launch: PackLaunch) -> Result<(), DeviceError> {
    let (sweep, resident) = (launch.sweep, launch.resident);
    let (gpu, pack, n) = (sweep.gpu, resident.pack, sweep.packs.layout.n);
    let mut blocks = (4 * gpu.processors as usize).min(pack.count);
    let mut room = 0;
    if !matches!(pack.form, Form::Dense { .. } | Form::Rows) {
        blocks = blocks.min(SPREADS / (2 * n.max(1))).max(1);
        room = launch.scratch.spreads.room(gpu, blocks * n, DURING)?;
    }
    let args = WideArgs {
        spreads: room,
        ..wide::arguments_of(sweep, resident)
    };
    let (kernel, grid) = (&kernels::wide::KERNEL, (blocks as u32, 1, 1));
    gpu.launch(kernel, "wide", grid, 512, 0, arguments![args])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_room_for_its_widest_table_as_often_as_it_has_columns() {
        let run = |from, count, levels| TableRun {
            from,
            count,
            levels,
        };
        let most = TABLES / 4;
        assert_eq!(runs(&[3, 2, 5], 2, 2), [run(0, 3, 5)]);
        assert_eq!(runs(&[], 2, 2), []);
        // The third has room for itself alone, the last for none, which nobody shares.
        let levels = [2, 2, most / 4, 1, most];
        let all = runs(&levels, 2, 2);
        let alone = [run(2, 1, most / 4), run(3, 1, 1), run(4, 1, 0)];
        assert_eq!((&all[0], &all[1..]), (&run(0, 2, 2), &alone[..]));
        assert_eq!(
            runs(&[most, most], 2, 1),
            [run(0, 1, most), run(1, 1, most)]
        );
        assert_eq!(runs(&[7; 5], 0, 2), [run(0, 5, 7)]);
    }
}
