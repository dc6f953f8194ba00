//! Columns loaded on a GPU: codes uploaded, and bits made of them.

use passel_kernels::{
    bits::{BITS, BitsArgs, KERNEL, PIECES},
    pair_sums::BitColumn,
};
use rayon::prelude::*;

use super::{
    super::packs::read,
    gpu::{DURING, PairGpu, ResidentGroup, STAGING_BYTES},
    layout::BitLayout,
};
use crate::{
    binning::{BinnedColumn, Codes},
    device::{
        DeviceError,
        cuda::{
            gpu::arguments,
            memory::{Buffer, Pinned},
        },
    },
};

impl PairGpu {
    /// Makes two panels resident, and no others.
    pub(super) fn load_panels(
        &mut self,
        columns: &[BinnedColumn],
        layout: &BitLayout,
        panels: [usize; 2],
    ) -> Result<(), DeviceError> {
        let mut missing = Vec::new();
        for (at, group) in layout.groups.iter().enumerate() {
            match panels.contains(&group.panel) {
                true if self.resident[at].is_none() => missing.push(at),
                true => {}
                false => self.resident[at] = None,
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let each = (STAGING_BYTES / layout.stride()).clamp(1, columns.len().max(1));
        let bytes = each * layout.stride();
        let passing = self.gpu.buffer::<u8>(bytes, DURING)?;
        let mut staged = self.gpu.pinned::<u8>(bytes)?;
        for at in missing {
            let resident = self.load_group(columns, layout, at, (&passing, &mut staged))?;
            self.resident[at] = Some(resident);
        }
        self.gpu.wait(DURING)
    }

    fn load_group(
        &self,
        columns: &[BinnedColumn],
        layout: &BitLayout,
        number: usize,
        (passing, staged): (&Buffer<u8>, &mut Pinned<u8>),
    ) -> Result<ResidentGroup, DeviceError> {
        let (gpu, group, stride) = (&self.gpu, &layout.groups[number], layout.stride());
        let (classes, tile) = (layout.sizes.len(), layout.chunks() * PIECES);
        let tiles = gpu.buffer::<u8>(group.tiles() * tile, DURING)?;
        gpu.zero(tiles.address(), tiles.len())?;
        let codes = || gpu.buffer::<u8>(group.count * stride, DURING);
        let codes = layout.has_codes(group).then(codes).transpose()?;
        let margins = &self.margins[number];
        let each = passing.len() / stride;
        let own = &layout.numbers[group.first..][..group.count];
        for (at, numbers) in own.chunks(each).enumerate() {
            // What was brought before has been read.
            gpu.wait(DURING)?;
            let to = staged.values().par_chunks_mut(stride);
            to.zip(numbers).for_each(|(to, &number)| {
                fill(&mut to[..layout.n], &columns[number as usize].codes);
            });
            let to = match &codes {
                Some(codes) => codes.at(at * each * stride),
                None => passing.address(),
            };
            gpu.upload(&staged.get()[..numbers.len() * stride], to)?;
            let given = BitsArgs {
                codes: to,
                stride: stride as i64,
                order: self.order.address(),
                rows: layout.n as u32,
                chunks: layout.chunks() as u32,
                planes: group.planes as u32,
                each: group.each as u32,
                first: (at * each) as u32,
                columns: numbers.len() as u32,
                tiles: tiles.address(),
                edges: self.edges.address(),
                classes: classes as u32,
                margins: margins.address(),
            };
            let parts = (layout.chunks() * BITS / 1024)
                .div_ceil(8)
                .clamp(1, 1 << 15);
            let grid = (numbers.len() as u32, parts as u32, 1);
            gpu.launch(&KERNEL, "bits", grid, 256, 0, arguments![given])?;
            let rows = (numbers.len() * group.planes).div_ceil(8);
            let grid = (rows.min(1 << 20) as u32, 1, 1);
            gpu.launch(&KERNEL, "margins", grid, 256, 0, arguments![given])?;
        }
        let variable = |at| BitColumn {
            tile: tiles.at(at / group.each * tile),
            margins: margins.at(at * classes * group.planes),
            planes: group.planes as u32,
            within: (at % group.each) as u32,
        };
        let variables: Vec<BitColumn> = (0..group.count).map(variable).collect();
        gpu.upload(&variables, self.variables.at(group.first))?;
        Ok(ResidentGroup { tiles, codes })
    }

    /// The counts of a panel's columns, which are or were resident: by place, then by class and by
    /// level of the group.
    pub(super) fn margin_counts(
        &self,
        layout: &BitLayout,
        panel: usize,
    ) -> Result<Vec<Vec<u32>>, DeviceError> {
        let mut all = Vec::new();
        let groups = layout.groups.iter().zip(&self.margins);
        for (group, margins) in groups.filter(|(group, _)| group.panel == panel) {
            let counts = read(&self.gpu, margins, DURING)?;
            let of = |own: &[u32]| -> Vec<u32> {
                let class = |(own, &size): (&[u32], &u32)| {
                    let last = size - own.iter().sum::<u32>();
                    own.iter().copied().chain([last]).collect::<Vec<_>>()
                };
                let classes = own.chunks(group.planes).zip(&layout.sizes);
                classes.flat_map(class).collect()
            };
            let own = counts.par_chunks(group.planes * layout.sizes.len());
            all.par_extend(own.take(group.count).map(of));
        }
        Ok(all)
    }
}

/// Writes a column's codes, a byte each.
fn fill(to: &mut [u8], codes: &Codes) {
    match codes {
        Codes::Byte(codes) => to.copy_from_slice(codes),
        Codes::Word(codes) => {
            to.iter_mut()
                .zip(codes)
                .for_each(|(to, &code)| *to = code as u8);
        }
        Codes::Sparse {
            mode, rows, codes, ..
        } => {
            to.fill(*mode as u8);
            for (&row, &code) in rows.iter().zip(codes) {
                to[row as usize] = code as u8;
            }
        }
    }
}
