//! Which kernel counts a pack of columns, and which form a column gets: walks over one list of
//! launchers. docs/performance.md says what the rules follow from.

use passel_kernels::wide;
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
    tiny::Tiny,
    wide::Wide,
};
use crate::binning::BinnedColumn;

/// Every kernel but [`Wide`], which counts what suits none of these: those that come first are
/// faster where they suit.
pub(super) const KERNELS: [&dyn CountKernel; 5] = [&Tiny, &Dense, &ShortEntries, &Entries, &Rows];

/// A kernel and how it is launched.
pub(super) type KernelChoice = (&'static dyn CountKernel, LaunchConfig);

pub(super) const WIDE: KernelChoice = (&Wide, Wide::CONFIG);

/// The kernel for a pack of this shape, none of whose columns misses values.
pub(super) fn choose(pack: &PackShape, gpu: GpuLimits) -> KernelChoice {
    let mut kernels = KERNELS.into_iter().filter(|_| pack.is_small());
    let suited = kernels.find_map(|kernel| Some((kernel, kernel.suits(pack, gpu)?)));
    suited.unwrap_or(WIDE)
}

/// Whether some pack is counted by [`Wide`], which reads codes of u32, against an anchor of so many
/// levels and classes, which may miss values.
pub(super) fn needs_wide_codes(
    gpu: &Gpu,
    packs: &Packs,
    against: (usize, usize),
    misses: bool,
) -> bool {
    let wide = |pack: &Pack| {
        let shape = PackShape::of(pack, packs.layout.n, against);
        pack.misses || choose(&shape, gpu.into()).1.is_of(&wide::KERNEL)
    };
    misses || packs.layout.packs.iter().any(wide)
}

/// Columns, each with its cheapest form: of equal ones that of the kernel listed first.
pub(super) fn plan_columns(
    columns: &[BinnedColumn],
    (n, classes): (usize, usize),
) -> Vec<PlannedColumn<'_>> {
    let plan = |column| {
        let traits = ColumnTraits::of(column);
        let costs = KERNELS
            .iter()
            .filter_map(|kernel| kernel.cost(&traits, n, classes));
        let cheapest = costs.min_by(|a, b| a.1.total_cmp(&b.1));
        // A code of 16 bits for every row holds any column.
        let form = cheapest.map_or(Form::Dense { bits: 16 }, |(form, _)| form);
        PlannedColumn {
            column,
            traits,
            form,
        }
    };
    columns.par_iter().map(plan).collect()
}
