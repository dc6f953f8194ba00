//! The columns of a GPU: packs that stay in its memory, and packs that are streamed from the
//! host's through two buffers in every sweep.

use cudarc::driver::CudaEvent;
use passel_kernels::counting::ColumnCodes;

use super::{
    super::{
        gpu::Gpu,
        memory::{Buffer, PinnedBytes},
    },
    form::{ColumnTraits, Form, PlannedColumn},
    layout::{Layout, Pack},
};
use crate::device::DeviceError;

/// Most bytes of one of the two buffers that packs are streamed through, and of one upload.
const STREAMED: usize = 128 << 20;

/// In place of a column's code of missing values where it misses none.
pub(super) const NONE: u32 = u32::MAX;

/// The memory that a pack lies in.
enum PackStorage {
    Gpu(Buffer<u8>),
    /// With its columns' codes as they lie in either buffer.
    Host(PinnedBytes, [Vec<ColumnCodes>; 2]),
}

/// The columns of a GPU, whose *places* are their order in memory.
///
/// *Shapes*: one value of each place in every buffer on the GPU.
pub(super) struct Packs {
    pub(super) layout: Layout,
    storage: Vec<PackStorage>,
    stream: Option<[StreamBuffer; 2]>,
    /// Where the codes of each place lie, and one more for a column of elsewhere; those of
    /// streamed packs are not set.
    pub(super) places: Buffer<ColumnCodes>,
    /// Of each place: its column's number, levels, most frequent code, and code of missing values
    /// or [`NONE`].
    pub(super) numbers: Buffer<u32>,
    pub(super) levels: Buffer<u32>,
    pub(super) most: Buffer<u32>,
    pub(super) left_out: Buffer<u32>,
    /// Whether each place misses values; none where no column of any GPU does.
    pub(super) misses: Option<Buffer<u8>>,
}

/// One of two buffers that packs are streamed through, and what marks that it was filled and used.
struct StreamBuffer {
    codes: Buffer<u8>,
    places: Buffer<ColumnCodes>,
    copied: CudaEvent,
    used: CudaEvent,
}

impl StreamBuffer {
    /// For packs of at most so many bytes and columns.
    fn new(gpu: &Gpu, bytes: usize, columns: usize) -> Result<Self, DeviceError> {
        const DURING: &str = "streaming the columns";
        Ok(Self {
            codes: gpu.buffer(bytes, DURING)?,
            places: gpu.buffer(columns, DURING)?,
            copied: gpu.event()?,
            used: gpu.event()?,
        })
    }
}

/// A pack while it is in the GPU's memory.
pub(super) struct ResidentPack<'a> {
    pub(super) pack: &'a Pack,
    pub(super) address: u64,
    /// Where `ColumnCodes` of its columns are.
    pub(super) places: u64,
}

const DURING: &str = "laying out the columns";

impl Packs {
    /// Lays columns numbered from `first` on out in at most so many bytes; `any_misses` tells
    /// whether a column of any GPU misses values, which may be an anchor here.
    pub(super) fn new(
        gpu: &Gpu,
        planned: &[PlannedColumn],
        (first, n): (usize, usize),
        any_misses: bool,
        room: usize,
    ) -> Result<Self, DeviceError> {
        let whole = Layout::of(planned, first, n, usize::MAX);
        let bytes = whole.packs.iter().map(|pack| pack.bytes).sum::<usize>();
        let (layout, buffer) = match bytes <= room {
            true => (whole, 0),
            false => {
                let most = STREAMED.min(room / 8).max(1);
                let layout = Layout::of(planned, first, n, most);
                let buffer = layout.packs.iter().map(|pack| pack.bytes).max();
                (layout, buffer.unwrap_or(0))
            }
        };
        let mut left = match buffer {
            0 => usize::MAX,
            buffer => room.saturating_sub(2 * buffer),
        };
        let order = layout.numbers.iter();
        let order = order.map(|number| &planned[*number as usize - first]);
        let order: Vec<&PlannedColumn> = order.collect();
        let widest = layout.packs.iter().map(|pack| pack.count).max();
        let stream_buffer = || StreamBuffer::new(gpu, buffer, widest.unwrap_or(0));
        let stream = match buffer {
            0 => None,
            _ => Some([stream_buffer()?, stream_buffer()?]),
        };
        let mut places = Vec::new();
        let mut storage = Vec::new();
        for pack in &layout.packs {
            let own = &order[pack.first..][..pack.count];
            if let Some(stream) = stream.as_ref().filter(|_| pack.bytes > left) {
                places.resize(places.len() + pack.count, ColumnCodes::default());
                let bytes = gpu.pin_bytes(pack.bytes_of(own));
                let buffers = stream.each_ref();
                let places = buffers.map(|buffer| pack.places(buffer.codes.address(), own));
                storage.push(PackStorage::Host(bytes, places));
            } else {
                left -= pack.bytes;
                let buffer = gpu.buffer::<u8>(pack.bytes, DURING)?;
                fill(gpu, pack, own, &buffer)?;
                places.extend(pack.places(buffer.address(), own));
                storage.push(PackStorage::Gpu(buffer));
            }
        }
        // One more, for a column that is brought.
        places.push(ColumnCodes::default());
        let of_traits = |value: fn(&ColumnTraits) -> u32| {
            let values: Vec<u32> = order.iter().map(|own| value(&own.traits)).collect();
            put(gpu, &values)
        };
        let left_out = |own: &&PlannedColumn| own.column.excluded_code().map_or(NONE, u32::from);
        let left_out: Vec<u32> = order.iter().map(left_out).collect();
        let misses = any_misses.then(|| {
            let misses = left_out.iter().map(|code| u8::from(*code != NONE));
            put(gpu, &misses.collect::<Vec<_>>())
        });
        Ok(Self {
            places: put(gpu, &places)?,
            numbers: put(gpu, &layout.numbers)?,
            levels: of_traits(|traits| traits.levels as u32)?,
            most: of_traits(|traits| traits.most.into())?,
            left_out: put(gpu, &left_out)?,
            misses: misses.transpose()?,
            layout,
            storage,
            stream,
        })
    }

    pub(super) fn count(&self) -> usize {
        self.layout.numbers.len()
    }

    pub(super) fn streams(&self) -> bool {
        self.stream.is_some()
    }

    /// Whether the column of a place stays in the GPU's memory.
    pub(super) fn has(&self, place: usize) -> bool {
        let packs = &self.layout.packs;
        let after = packs.partition_point(|pack| pack.first <= place);
        let storage = self.storage.get(after.wrapping_sub(1));
        matches!(storage, Some(PackStorage::Gpu(_)))
    }

    /// Has work put on the GPU for every pack, those that stay first; each streamed pack is copied
    /// while the one before it is worked on. Nothing waits for the end.
    pub(super) fn sweep(
        &self,
        gpu: &Gpu,
        mut work: impl FnMut(ResidentPack) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        let all = || self.layout.packs.iter().zip(&self.storage);
        let streamed = all().filter_map(|(pack, storage)| match storage {
            PackStorage::Host(bytes, places) => Some((pack, bytes, places)),
            PackStorage::Gpu(_) => None,
        });
        let streamed: Vec<_> = streamed.collect();
        let fetch = |number: usize| {
            let (Some(stream), Some((_, bytes, places))) = (&self.stream, streamed.get(number))
            else {
                return Ok(());
            };
            let to = &stream[number % 2];
            let (places, events) = (&places[number % 2], (&to.used, &to.copied));
            gpu.prefetch([&places[..]].into_iter(), to.places.address(), events)?;
            gpu.prefetch([bytes.get()].into_iter(), to.codes.address(), events)
        };
        fetch(0)?;
        fetch(1)?;
        for (pack, storage) in all() {
            if let PackStorage::Gpu(buffer) = storage {
                work(ResidentPack {
                    pack,
                    address: buffer.address(),
                    places: self.places.at(pack.first),
                })?;
            }
        }
        let Some(stream) = &self.stream else {
            return Ok(());
        };
        for (number, (pack, ..)) in streamed.iter().enumerate() {
            let from = &stream[number % 2];
            gpu.after(&from.copied)?;
            work(ResidentPack {
                pack,
                address: from.codes.address(),
                places: from.places.address(),
            })?;
            gpu.mark(&from.used)?;
            fetch(number + 2)?;
        }
        Ok(())
    }
}

/// Bytes that columns may take on a GPU of which so many are wanted for other things.
pub(super) fn room(gpu: &Gpu, others: usize, limit: Option<u64>) -> Result<usize, DeviceError> {
    let all = usize::try_from(gpu.free()?).unwrap_or(usize::MAX);
    // Of little memory half is for columns.
    let free = all.saturating_sub(others).max(all / 2);
    let limit = usize::try_from(limit.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
    Ok((free - free / 16).min(limit))
}

/// A buffer on the GPU with these values.
pub(super) fn put<T: Copy>(gpu: &Gpu, values: &[T]) -> Result<Buffer<T>, DeviceError> {
    let buffer = gpu.buffer::<T>(values.len(), DURING)?;
    gpu.upload(values, buffer.address())?;
    Ok(buffer)
}

/// Values on the GPU, once all work is done.
pub(super) fn read<T: Copy + Default>(
    gpu: &Gpu,
    buffer: &Buffer<T>,
    during: &str,
) -> Result<Vec<T>, DeviceError> {
    let mut values = vec![T::default(); buffer.len()];
    gpu.download(buffer.address(), &mut values)?;
    gpu.wait(during)?;
    Ok(values)
}

/// Copies a pack to its place, a part at a time.
fn fill(
    gpu: &Gpu,
    pack: &Pack,
    columns: &[&PlannedColumn],
    to: &Buffer<u8>,
) -> Result<(), DeviceError> {
    let Form::Dense { .. } = pack.form else {
        return gpu.upload(&pack.bytes_of(columns), to.address());
    };
    let each = (STREAMED / pack.stride.max(1)).max(1);
    for (at, columns) in columns.chunks(each).enumerate() {
        let part = pack.part(columns.len());
        let bytes = part.bytes_of(columns);
        gpu.upload(&bytes, to.at(at * each * pack.stride))?;
    }
    Ok(())
}
