//! A pass over all columns of a GPU, in blocks.

use std::ops::Range;

use super::{
    super::DeviceError, blocks::Block, columns::GpuColumns, genotypes::GpuGenotypes, gpu::Gpu,
};

impl GpuColumns<'_> {
    /// Works through the numbers of all columns of the shard, or of the part `at` of `of`, at most so many columns at
    /// a time, or those of one term. The work is put on the GPU one after another; nothing waits for its end.
    pub(super) fn sweep(
        &self,
        gpu: &Gpu,
        part: (usize, usize),
        most: usize,
        mut work: impl FnMut(Block) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        let Some(own) = &self.genotypes else {
            return self.sweep_packed(gpu, part, most, work);
        };
        self.sweep_packed(gpu, part, most.min(own.at_once()), |block| {
            let address = match block.genotypes {
                Some(laid) => own.unpack(gpu, laid, block.count)?,
                None => block.address,
            };
            work(Block { address, ..block })
        })
    }

    /// The same of columns as they lie on the GPU: genotypes are at two bits.
    pub(super) fn sweep_packed(
        &self,
        gpu: &Gpu,
        (at, of): (usize, usize),
        most: usize,
        mut work: impl FnMut(Block) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        let [start, end] = [at, at + 1].map(|at| self.shard.term_start(self.count() * at / of));
        let resident = self.numbers + self.genotypes.as_ref().map_or(0, |own| own.resident);
        let streamed: Vec<Range<usize>> = match &self.stream {
            Some(stream) => {
                let most = stream.columns.min(most);
                self.shard.pieces(resident.max(start)..end, most).collect()
            }
            None => Vec::new(),
        };
        self.fetch(gpu, &streamed, 0)?;
        self.fetch(gpu, &streamed, 1)?;
        let numbers = start..self.numbers.min(end);
        for columns in self.shard.pieces(numbers, most) {
            let at = columns.start * self.n;
            work(Block {
                first: (self.shard.first + columns.start) as u32,
                count: columns.len(),
                address: self.values.at(at),
                narrow: self.narrow.as_ref().map(|values| values.at(at)),
                genotypes: None,
            })?;
        }
        let genotypes = self.genotypes.as_ref();
        let own = self.numbers.max(start)..resident.min(end);
        for columns in self.shard.pieces(own, most).filter(|_| genotypes.is_some()) {
            work(Block {
                first: (self.shard.first + columns.start) as u32,
                count: columns.len(),
                address: 0,
                narrow: None,
                genotypes: genotypes.map(|own| own.laid(columns.start - self.numbers)),
            })?;
        }
        let Some(stream) = &self.stream else {
            return Ok(());
        };
        for (number, columns) in streamed.iter().enumerate() {
            let to = number % 2;
            gpu.after(&stream.copied[to])?;
            let address = stream.buffers[to].address();
            let copied = |own: &GpuGenotypes| own.copied(columns.start - self.numbers, address);
            work(Block {
                first: (self.shard.first + columns.start) as u32,
                count: columns.len(),
                address: if genotypes.is_some() { 0 } else { address },
                narrow: None,
                genotypes: genotypes.map(copied),
            })?;
            gpu.mark(&stream.used[to])?;
            self.fetch(gpu, &streamed, number + 2)?;
        }
        Ok(())
    }

    /// Orders the copy of streamed columns by their number, if there are so many.
    fn fetch(
        &self,
        gpu: &Gpu,
        streamed: &[Range<usize>],
        number: usize,
    ) -> Result<(), DeviceError> {
        let (Some(stream), Some(columns)) = (&self.stream, streamed.get(number)) else {
            return Ok(());
        };
        let to = number % 2;
        let buffer = stream.buffers[to].address();
        let events = (&stream.used[to], &stream.copied[to]);
        match &self.genotypes {
            Some(own) => {
                let [start, end] = [columns.start, columns.end].map(|at| at - self.numbers);
                gpu.prefetch(own.part.words(start..end), buffer, events)
            }
            None => {
                let values = self.shard.own.values();
                let own = &values[columns.start * self.n..columns.end * self.n];
                gpu.prefetch([own].into_iter(), buffer, events)
            }
        }
    }
}
