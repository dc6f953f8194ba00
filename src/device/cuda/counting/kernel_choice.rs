//! Which kernel counts a pack of columns, and which form a column gets: walks over one list of
//! launchers. docs/performance.md says what the rules follow from.

use rayon::prelude::*;

use super::{
    super::gpu::Gpu,
    count_kernel::{CountKernel, GpuLimits, LaunchConfig, PackShape},
    dense::Dense,
    entries::Entries,
    form::{ColumnTraits, Form, PlannedColumn},
    layout::Pack,
    packs::Packs,
    rows::Rows,
    short_entries::ShortEntries,
    sweep_buffers::AnchorBuffers,
    tiny::Tiny,
    wide::Wide,
};

/// Every kernel but [`Wide`], which counts what suits none of these: those that come first are
/// faster where they suit.
pub(super) const KERNELS: [&dyn CountKernel; 5] = [&Tiny, &Dense, &ShortEntries, &Entries, &Rows];

/// A kernel and how it is launched.
#[derive(Clone, Copy)]
pub(super) struct KernelChoice {
    pub(super) kernel: &'static dyn CountKernel,
    pub(super) config: LaunchConfig,
}

impl KernelChoice {
    pub(super) const WIDE: Self = Self {
        kernel: &Wide,
        config: Wide::CONFIG,
    };

    /// The kernel for a pack of this shape, none of whose columns misses values.
    pub(super) fn of(pack: &PackShape, gpu: GpuLimits) -> Self {
        if !pack.is_small() {
            return Self::WIDE;
        }
        let suited = KERNELS.into_iter().find_map(|kernel| {
            let config = kernel.suits(pack, gpu)?;
            Some(Self { kernel, config })
        });
        suited.unwrap_or(Self::WIDE)
    }

    /// Whether it is [`Wide`], which reads codes of u32 of the anchor and the response.
    pub(super) fn is_wide(&self) -> bool {
        self.config.stem == Wide::CONFIG.stem
    }

    /// Whether it is [`Tiny`], which reads the bits of joint codes.
    pub(super) fn is_tiny(&self) -> bool {
        self.config.stem == passel_kernels::tiny::KERNEL.name
    }

    /// The kernel for a pack against an anchor.
    pub(super) fn for_anchor(
        pack: &Pack,
        n: usize,
        anchor: &AnchorBuffers,
        gpu: GpuLimits,
    ) -> Self {
        if pack.misses || anchor.misses {
            return Self::WIDE;
        }
        let shape = PackShape::of(pack, n, (anchor.levels, anchor.classes));
        let columns = pack.count * anchor.batch.max(1);
        Self::of(&PackShape { columns, ..shape }, gpu)
    }
}

/// Whether some pack is counted by codes of u32 against an anchor of so many levels and classes,
/// which may miss values.
pub(super) fn needs_wide_codes(
    gpu: &Gpu,
    packs: &Packs,
    against: (usize, usize),
    misses: bool,
) -> bool {
    let (limits, n) = (GpuLimits::from(gpu), packs.layout.n);
    let wide = |pack: &Pack| {
        pack.misses || KernelChoice::of(&PackShape::of(pack, n, against), limits).is_wide()
    };
    misses || packs.layout.packs.iter().any(wide)
}

/// Columns of these traits, each with its cheapest form: of equal ones that of the kernel listed
/// first.
pub(super) fn plan_columns(
    traits: impl IndexedParallelIterator<Item = ColumnTraits>,
    (n, classes): (usize, usize),
) -> Vec<PlannedColumn> {
    let planned = traits.map(|traits| {
        let costs = KERNELS
            .iter()
            .filter_map(|kernel| kernel.cost(&traits, n, classes));
        let cheapest = costs.min_by(|a, b| a.1.total_cmp(&b.1));
        // A code of 16 bits for every row holds any column.
        let form = cheapest.map_or(Form::Dense { bits: 16 }, |(form, _)| form);
        PlannedColumn { traits, form }
    });
    planned.collect()
}
