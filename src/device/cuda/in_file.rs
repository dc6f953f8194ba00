//! Columns that stay in a file: their way to a GPU, and back to the host.

use std::{io, ops::Range};

use rayon::prelude::*;

use super::{
    DeviceError,
    columns::{GpuColumns, STAGED},
    gpu::Gpu,
    memory::Buffer,
};
use crate::design::ColumnsInFile;

impl Gpu {
    /// Lays so many columns of a file out, from a first one on: threads read some while those before them are copied.
    pub(super) fn upload_from(
        &self,
        (file, first): (&ColumnsInFile, usize),
        count: usize,
        values: &Buffer<f64>,
    ) -> Result<(), DeviceError> {
        let ordinal = self.context.ordinal();
        if file.lay_out(ordinal, first..first + count, values.address())? {
            return Ok(());
        }
        let (n, room) = (values.len() / count.max(1), file.block_values());
        let to = |columns: &Range<usize>| values.at((columns.start - first) * n);
        let read = |columns: Range<usize>, staged: &mut [f64]| {
            let count = columns.len();
            file.read(columns, staged)?;
            Ok(count * n)
        };
        self.upload_in_turn(file.blocks(first..first + count), room, to, read)
    }

    /// Uploads blocks of columns, each of which `fill` writes to memory of so many values and says how many they are:
    /// some are written while those before them are copied.
    pub(super) fn upload_in_turn<T: Copy + Default>(
        &self,
        blocks: impl Iterator<Item = Range<usize>>,
        room: usize,
        to: impl Fn(&Range<usize>) -> u64,
        fill: impl Fn(Range<usize>, &mut [T]) -> io::Result<usize>,
    ) -> Result<(), DeviceError> {
        // Memory that cannot be pinned is read by the driver before the copy returns.
        let mut halves = [self.pinned(room).ok(), self.pinned(room).ok()];
        let mut unpinned = Vec::new();
        if halves.iter().any(Option::is_none) {
            unpinned.resize(room, T::default());
        }
        let copied = [self.event()?, self.event()?];
        for (turn, columns) in blocks.enumerate() {
            let half = turn % 2;
            if turn > 1 {
                self.wait_for(&copied[half])?;
            }
            let staged = match &mut halves[half] {
                Some(pinned) => pinned.values(),
                None => &mut unpinned[..],
            };
            let to = to(&columns);
            let count = fill(columns, staged)?;
            self.upload(&staged[..count], to)?;
            self.mark(&copied[half])?;
        }
        self.wait("laying out the columns")
    }
}

impl GpuColumns<'_> {
    /// Those of some columns that are resident, copied back.
    pub(super) fn copies_of(
        &mut self,
        gpu: &Gpu,
        columns: &[u32],
    ) -> Result<Vec<(u32, Vec<f64>)>, DeviceError> {
        let own = columns.iter().filter_map(|j| Some((*j, self.own(*j)?)));
        let own: Vec<(u32, u64)> = own.collect();
        let mut copies = Vec::with_capacity(own.len());
        for some in own.chunks((STAGED / (8 * self.n)).max(1)) {
            let staged = self.staged.room(gpu, some.len() * self.n)?;
            for (to, (_, from)) in staged.chunks_mut(self.n).zip(some) {
                gpu.download(*from, to)?;
            }
            gpu.wait("copying columns back")?;
            let staged = self.staged.get(some.len() * self.n).par_chunks(self.n);
            copies.par_extend(
                some.par_iter()
                    .zip(staged)
                    .map(|(own, x)| (own.0, x.to_vec())),
            );
        }
        Ok(copies)
    }
}
