//! The columns of a GPU: packs that lie there, and packs that pass through two buffers in
//! every sweep.

use cudarc::driver::CudaEvent;
use passel_kernels::counting::ColumnCodes;
use rayon::prelude::*;

use super::{
    super::{
        super::DeviceError,
        gpu::Gpu,
        memory::{Buffer, PinnedBytes},
    },
    column_traits::ColumnTraits,
    layout::{Form, Layout, Pack, SourceColumn},
};
use crate::binning::BinnedColumn;

/// Bytes of one of the two buffers that packs pass through, and of one upload.
const PASSING: usize = 128 << 20;

/// What the tables of a GPU say a column's code of missing values is where it misses none.
pub(super) const NONE: u32 = u32::MAX;

/// Where a pack lies.
enum PackStorage {
    Gpu(Buffer<u8>),
    /// With its places for either buffer.
    Host(PinnedBytes, [Vec<ColumnCodes>; 2]),
}

/// The columns of a GPU.
pub(super) struct Packs {
    pub(super) layout: Layout,
    homes: Vec<PackStorage>,
    passing: Option<StreamBuffers>,
    /// Of each place; those of packs that pass through are not set.
    pub(super) places: Buffer<ColumnCodes>,
    pub(super) numbers: Buffer<u32>,
    pub(super) levels: Buffer<u32>,
    pub(super) most: Buffer<u32>,
    pub(super) left_out: Buffer<u32>,
    /// Whether it misses values; none where no column of any GPU does.
    pub(super) misses: Option<Buffer<u8>>,
}

struct StreamBuffers {
    buffers: [Buffer<u8>; 2],
    places: [Buffer<ColumnCodes>; 2],
    copied: [CudaEvent; 2],
    used: [CudaEvent; 2],
}

/// A pack on the GPU.
pub(super) struct ResidentPack<'a> {
    pub(super) pack: &'a Pack,
    pub(super) address: u64,
    /// Of its columns.
    pub(super) places: u64,
}

const DURING: &str = "laying out the columns";

impl Packs {
    /// Lays columns numbered from `first` on out in at most so many bytes, for responses of so
    /// many classes; whether a column of any GPU misses values, which may be an anchor here.
    pub(super) fn new(
        gpu: &Gpu,
        columns: &[BinnedColumn],
        first: usize,
        (n, classes): (usize, usize),
        any_misses: bool,
        room: usize,
    ) -> Result<Self, DeviceError> {
        let traits: Vec<ColumnTraits> = columns.par_iter().map(ColumnTraits::of).collect();
        let whole = Layout::of(&traits, first, n, classes, usize::MAX);
        let bytes = |layout: &Layout| layout.packs.iter().map(|it| it.bytes).sum::<usize>();
        let (layout, buffer) = match bytes(&whole) <= room {
            true => (whole, 0),
            false => {
                let most = PASSING.min(room / 8).max(1);
                let layout = Layout::of(&traits, first, n, classes, most);
                let buffer = layout.packs.iter().map(|it| it.bytes).max();
                (layout, buffer.unwrap_or(0))
            }
        };
        let mut left = match buffer {
            0 => usize::MAX,
            buffer => room.saturating_sub(2 * buffer),
        };
        let own = |number: &u32| {
            let at = *number as usize - first;
            let (column, traits) = (&columns[at], &traits[at]);
            SourceColumn { column, traits }
        };
        let order: Vec<SourceColumn> = layout.numbers.iter().map(own).collect();
        let mut places = Vec::new();
        let mut homes = Vec::new();
        for pack in &layout.packs {
            let own = &order[pack.first..][..pack.count];
            let of = || own.iter().map(|it| it.traits);
            if pack.bytes <= left {
                left -= pack.bytes;
                let buffer = gpu.buffer::<u8>(pack.bytes, DURING)?;
                fill(gpu, pack, own, &buffer)?;
                places.extend(pack.places(buffer.address(), of()));
                homes.push(PackStorage::Gpu(buffer));
            } else {
                // Those that pass through have places for either buffer.
                places.resize(places.len() + pack.count, ColumnCodes::default());
                homes.push(PackStorage::Host(
                    gpu.pin_bytes(pack.bytes_of(own)),
                    Default::default(),
                ));
            }
        }
        // One more, for a column that is brought.
        places.push(ColumnCodes::default());
        let mut passing = None;
        if homes.iter().any(|it| matches!(it, PackStorage::Host(..))) {
            let bytes = || gpu.buffer::<u8>(buffer, "streaming the columns");
            let widest = layout.packs.iter().map(|it| it.count).max().unwrap_or(0);
            let places = || gpu.buffer::<ColumnCodes>(widest, "streaming the columns");
            let made = StreamBuffers {
                buffers: [bytes()?, bytes()?],
                places: [places()?, places()?],
                copied: [gpu.event()?, gpu.event()?],
                used: [gpu.event()?, gpu.event()?],
            };
            for (pack, home) in layout.packs.iter().zip(&mut homes) {
                if let PackStorage::Host(_, places) = home {
                    let own = &order[pack.first..][..pack.count];
                    *places = [0, 1].map(|at| {
                        let address = made.buffers[at].address();
                        pack.places(address, own.iter().map(|it| it.traits))
                    });
                }
            }
            passing = Some(made);
        }
        let levels: Vec<u32> = order.iter().map(|it| it.traits.levels as u32).collect();
        let modes: Vec<u32> = order.iter().map(|it| it.traits.most.into()).collect();
        let left_out = |it: &SourceColumn| it.column.excluded_code().map_or(NONE, u32::from);
        let left_out: Vec<u32> = order.iter().map(left_out).collect();
        let misses = any_misses.then(|| {
            let misses: Vec<u8> = left_out.iter().map(|it| u8::from(*it != NONE)).collect();
            put(gpu, &misses)
        });
        Ok(Self {
            places: put(gpu, &places)?,
            numbers: put(gpu, &layout.numbers)?,
            levels: put(gpu, &levels)?,
            most: put(gpu, &modes)?,
            left_out: put(gpu, &left_out)?,
            misses: misses.transpose()?,
            layout,
            homes,
            passing,
        })
    }

    /// Columns.
    pub(super) fn count(&self) -> usize {
        self.layout.numbers.len()
    }

    /// Whether some of its columns pass through.
    pub(super) fn streams(&self) -> bool {
        self.passing.is_some()
    }

    /// Whether the column of a place lies on the GPU.
    pub(super) fn has(&self, place: usize) -> bool {
        let at = self.layout.packs.partition_point(|it| it.first <= place);
        matches!(
            self.homes.get(at.wrapping_sub(1)),
            Some(PackStorage::Gpu(_))
        )
    }

    /// Works through all packs. The work is put on the GPU one after another; nothing waits
    /// for its end.
    pub(super) fn sweep(
        &self,
        gpu: &Gpu,
        mut work: impl FnMut(ResidentPack) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        let all = || self.layout.packs.iter().zip(&self.homes);
        let streamed: Vec<_> = all()
            .filter_map(|(pack, home)| match home {
                PackStorage::Host(bytes, places) => Some((pack, bytes, places)),
                PackStorage::Gpu(_) => None,
            })
            .collect();
        let fetch = |number: usize| {
            let (Some(passing), Some((_, bytes, places))) = (&self.passing, streamed.get(number))
            else {
                return Ok(());
            };
            let to = number % 2;
            let (used, copied) = (&passing.used[to], &passing.copied[to]);
            let (buffer, here) = (&passing.buffers[to], &passing.places[to]);
            gpu.prefetch(&places[to], here.address(), used, copied)?;
            gpu.prefetch(bytes.get(), buffer.address(), used, copied)
        };
        fetch(0)?;
        fetch(1)?;
        for (pack, home) in all() {
            if let PackStorage::Gpu(buffer) = home {
                work(ResidentPack {
                    pack,
                    address: buffer.address(),
                    places: self.places.at(pack.first),
                })?;
            }
        }
        let Some(passing) = &self.passing else {
            return Ok(());
        };
        for (number, (pack, ..)) in streamed.iter().enumerate() {
            let to = number % 2;
            gpu.after(&passing.copied[to])?;
            work(ResidentPack {
                pack,
                address: passing.buffers[to].address(),
                places: passing.places[to].address(),
            })?;
            gpu.mark(&passing.used[to])?;
            fetch(number + 2)?;
        }
        Ok(())
    }
}

/// Bytes that columns may take on a GPU, where so many are wanted beside them.
pub(super) fn room(gpu: &Gpu, beside: usize, limit: Option<u64>) -> Result<usize, DeviceError> {
    let all = usize::try_from(gpu.free()?).unwrap_or(usize::MAX);
    // Of little memory half is for columns.
    let free = all.saturating_sub(beside).max(all / 2);
    let limit = limit.map_or(usize::MAX, |it| usize::try_from(it).unwrap_or(usize::MAX));
    Ok((free - free / 16).min(limit))
}

/// Values on the GPU.
pub(super) fn put<T: Copy>(gpu: &Gpu, values: &[T]) -> Result<Buffer<T>, DeviceError> {
    let buffer = gpu.buffer::<T>(values.len(), DURING)?;
    gpu.upload(values, buffer.address())?;
    Ok(buffer)
}

/// Brings a pack to its place, a part at a time.
fn fill(
    gpu: &Gpu,
    pack: &Pack,
    columns: &[SourceColumn],
    to: &Buffer<u8>,
) -> Result<(), DeviceError> {
    let Form::Dense { .. } = pack.form else {
        return gpu.upload(&pack.bytes_of(columns), to.address());
    };
    let each = (PASSING / pack.stride.max(1)).max(1);
    for (at, columns) in columns.chunks(each).enumerate() {
        let part = pack.part(columns.len());
        let bytes = part.bytes_of(columns);
        gpu.upload(&bytes, to.at(at * each * pack.stride))?;
    }
    Ok(())
}
