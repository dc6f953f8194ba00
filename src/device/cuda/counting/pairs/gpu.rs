//! One GPU that screens pairs: its buffers, and the launches of its kernels.

use passel_kernels::{
    Kernel, bits,
    pair_floor::{self, PairFloorArgs},
    pair_sums::{self, BitColumn, PairSumsArgs},
    pair_tables::PairTablesArgs,
    pairs::{BitProducts, ColumnGroup, PairArgs, PairBounds},
};

use super::{
    super::packs::{put, room},
    launch::{PairKernel, PairLaunch, fastest},
    layout::{BitLayout, TileGroup},
    screen::Screen,
};
use crate::device::{
    DeviceError,
    cuda::{
        gpu::{Gpu, arguments},
        memory::{Buffer, Pinned},
        scratch::GrowableBuffer,
    },
};

pub(super) const DURING: &str = "laying out columns as bits";

/// Bytes of codes that are uploaded at a time.
pub(super) const STAGING_BYTES: usize = 64 << 20;

/// A group's columns on a GPU.
pub(super) struct ResidentGroup {
    /// u8: tiles of bits, as [`passel_kernels::bits`] lays them out.
    pub(super) tiles: Buffer<u8>,
    /// u8: a code each observation, column by column; none where no table is made of them.
    pub(super) codes: Option<Buffer<u8>>,
}

/// Places for pairs found, at least.
const ROOM: usize = 1 << 20;

/// One GPU.
pub(super) struct PairGpu {
    pub(super) gpu: Gpu,
    products: BitProducts,
    /// By group; none of a panel that is not on the GPU.
    pub(super) resident: Vec<Option<ResidentGroup>>,
    pub(super) margins: Vec<Buffer<u32>>,
    facts: Vec<Buffer<f32>>,
    numbers: Vec<Buffer<u32>>,
    pub(super) variables: Buffer<BitColumn>,
    pub(super) order: Buffer<u32>,
    pub(super) edges: Buffer<u32>,
    whole: Buffer<u32>,
    sizes: Buffer<u32>,
    /// The class of each observation.
    y: Buffer<u8>,
    terms: Buffer<i64>,
    floor: Buffer<f32>,
    /// By place, the floor of each column as an ordered integer.
    floors: Buffer<u32>,
    /// Their address where partners are wanted, else 0.
    floors_used: u64,
    found_count: Buffer<u32>,
    out: Pinned<u32>,
    pub(super) found: Buffer<PairBounds>,
    sums: Buffer<i64>,
    supers: GrowableBuffer<u32>,
}

/// What became of the pairs that a launch found.
pub(super) struct ScreenOutcome {
    /// So many are kept now.
    pub(super) kept: u32,
    pub(super) floor: f32,
    /// There was no room for all: these tiles have to be screened again, in smaller parts.
    pub(super) overflow: bool,
}

impl PairGpu {
    /// Opens a GPU for so many wanted pairs; it, and its room for columns, within a limit of bytes.
    pub(super) fn open(
        ordinal: usize,
        (wanted, limit): (usize, Option<u64>),
    ) -> Result<(Gpu, usize), DeviceError> {
        let kernels = [bits::KERNEL, pair_floor::KERNEL, pair_sums::KERNEL];
        let gpu = Gpu::open(ordinal, &kernels)?;
        // Beside them what is brought, and what columns say of themselves.
        let beside = 64 * places(wanted) + 4 * STAGING_BYTES;
        let room = room(&gpu, beside, limit)?;
        Ok((gpu, room))
    }

    /// For so many wanted pairs; none where tables have no room in the GPU's shared memory.
    pub(super) fn new(
        mut gpu: Gpu,
        (layout, screen): (&BitLayout, &Screen),
        products: Option<BitProducts>,
        wanted: usize,
    ) -> Result<Option<Self>, DeviceError> {
        let mut products = match products {
            Some(products) => products,
            None => fastest(&gpu)?,
        };
        let launches = |products| -> Vec<PairLaunch> {
            let (by, groups) = ((layout, screen.classes()), layout.group_pairs().into_iter());
            let launch = |groups| PairLaunch::of(by, groups, (products, gpu.has_tf32));
            groups.map(launch).collect()
        };
        // A few hundred bytes are the kernels' own.
        let shared = gpu.shared as usize - 1024;
        let fit = |all: &[PairLaunch]| all.iter().all(|launch| launch.shared as usize <= shared);
        let mut all = launches(products);
        if products == BitProducts::Groups && !fit(&all) {
            // Fewer chunks at a time leave tables more room.
            products = BitProducts::Bits;
            all = launches(products);
        }
        if layout.table_bytes() > shared || !fit(&all) {
            return Ok(None);
        }
        let mut kernels: Vec<Kernel> = all.iter().map(|launch| launch.kernel).collect();
        kernels.sort_by_key(|kernel| kernel.name);
        kernels.dedup_by_key(|kernel| kernel.name);
        gpu.load(&kernels)?;
        let (places, classes) = (places(wanted), layout.sizes.len());
        let groups = &layout.groups;
        let margins =
            |group: &TileGroup| gpu.buffer::<u32>(group.count * classes * group.planes, DURING);
        let numbers = |group: &TileGroup| put(&gpu, &layout.numbers[group.first..][..group.count]);
        Ok(Some(Self {
            resident: groups.iter().map(|_| None).collect(),
            margins: groups.iter().map(margins).collect::<Result<_, _>>()?,
            facts: Vec::new(),
            numbers: groups.iter().map(numbers).collect::<Result<_, _>>()?,
            variables: gpu.buffer(layout.numbers.len(), DURING)?,
            order: put(&gpu, &layout.order)?,
            edges: put(&gpu, &layout.edges)?,
            // All classes as one.
            whole: put(&gpu, &[0, layout.chunks() as u32])?,
            sizes: put(&gpu, &layout.sizes)?,
            y: put(&gpu, &layout.classes)?,
            terms: put(&gpu, screen.evaluator.logs().terms())?,
            floor: gpu.buffer(1, DURING)?,
            floors: gpu.buffer(layout.numbers.len(), DURING)?,
            floors_used: 0,
            found_count: put(&gpu, &[0])?,
            out: gpu.pinned(3)?,
            found: gpu.buffer(places, DURING)?,
            sums: gpu.buffer(2 * places, DURING)?,
            supers: GrowableBuffer::default(),
            gpu,
            products,
        }))
    }

    /// Brings what a score needs of every column: see [`ColumnGroup`].
    pub(super) fn upload_facts(
        &mut self,
        layout: &BitLayout,
        facts: &[Vec<f32>],
    ) -> Result<(), DeviceError> {
        let groups = layout.groups.iter();
        let facts =
            groups.map(|group| put(&self.gpu, &facts[group.first..][..group.count].concat()));
        self.facts = facts.collect::<Result<_, _>>()?;
        self.gpu.wait(DURING)
    }

    /// Starts a search with this floor; `own` is that of each column's partner, if these are wanted.
    pub(super) fn start_search(&mut self, floor: f32, own: Option<f32>) -> Result<(), DeviceError> {
        self.set_floor(floor)?;
        self.floors_used = own.map_or(0, |_| self.floors.address());
        if let Some(own) = own {
            let all = vec![ordered_32(own); self.floors.len()];
            self.gpu.upload(&all, self.floors.address())?;
        }
        self.clear_found()
    }

    /// Clears the pairs found, not the floor.
    pub(super) fn clear_found(&self) -> Result<(), DeviceError> {
        self.gpu.zero(self.found_count.address(), 4)
    }

    /// Sets a higher floor.
    pub(super) fn set_floor(&self, floor: f32) -> Result<(), DeviceError> {
        self.gpu.upload(&[floor], self.floor.address())
    }

    /// Places for pairs found.
    pub(super) fn places(&self) -> u32 {
        self.found.len() as u32
    }

    /// Uploads super-tiles of two groups ([`BitLayout::super_tiles`]); their address.
    pub(super) fn upload_super_tiles(&mut self, supers: &[u32]) -> Result<u64, DeviceError> {
        let to = self.supers.room(&self.gpu, supers.len(), DURING)?;
        self.gpu.upload(supers, to)?;
        Ok(to)
    }

    /// Screens the pairs of `count` tiles of two groups, from tile `first` of the super-tiles on: keeps
    /// those whose score may reach the floor, behind the `kept` before them, and raises the floor to
    /// the `wanted`-th best lower bound.
    pub(super) fn screen_tiles(
        &self,
        (layout, screen): (&BitLayout, &Screen),
        (a, b): (usize, usize),
        supers: u64,
        (first, count): (usize, usize),
        (kept, wanted): (u32, usize),
    ) -> Result<ScreenOutcome, DeviceError> {
        let resident = |at: usize| self.resident[at].as_ref();
        let side = |at: usize| {
            let group = &layout.groups[at];
            ColumnGroup {
                tiles: resident(at).map_or(0, |own| own.tiles.address()),
                facts: self.facts[at].address(),
                numbers: self.numbers[at].address(),
                count: group.count as u32,
                first: group.first as u32,
                planes: group.planes as u32,
                each: group.each as u32,
            }
        };
        let (gpu, classes) = (&self.gpu, screen.classes());
        let by = (self.products, gpu.has_tf32);
        let launch = PairLaunch::of((layout, classes), (a, b), by);
        let levels = [a, b].map(|at| layout.groups[at].levels());
        let [over, under] = screen.values(levels, launch.kind);
        let quick = screen.quick(&over, levels);
        let tiles = PairArgs {
            a: side(a),
            b: side(b),
            edges: match classes {
                1 => self.whole.address(),
                _ => self.edges.address(),
            },
            chunks: layout.chunks() as u32,
            classes: classes as u32,
            per_row: 1.0 / layout.n as f32,
            is_ratio: screen.is_ratio().into(),
            over,
            under,
            quick,
            sided: screen.is_sided().into(),
            same: (a == b).into(),
            supers,
            first: first as i64,
            floor: self.floor.address(),
            floors: self.floors_used,
            found: self.found.address(),
            found_count: self.found_count.address(),
            room: self.places(),
        };
        let codes = |group| {
            let codes = resident(group).and_then(|own| own.codes.as_ref());
            codes.map_or(0, Buffer::address)
        };
        let tables = PairTablesArgs {
            tiles,
            codes_a: codes(a),
            codes_b: codes(b),
            y: self.y.address(),
            stride: layout.stride() as i64,
            rows: layout.n as u32,
        };
        let args = match launch.kind {
            PairKernel::PairTables => arguments![tables],
            PairKernel::Pairs | PairKernel::PairLevels => arguments![tiles],
        };
        let (function, grid) = (launch.function, (count as u32, 1, 1));
        let (threads, shared) = (launch.threads, launch.shared);
        gpu.launch(&launch.kernel, function, grid, threads, shared, args)?;
        let given = PairFloorArgs {
            found: self.found.address(),
            found_count: self.found_count.address(),
            room: self.places(),
            kept,
            wanted: wanted as u64,
            floor: self.floor.address(),
            out: self.out.address(),
            floors: self.floors_used,
        };
        let (kernel, args) = (&pair_floor::KERNEL, arguments![given]);
        gpu.launch(kernel, "pair_floor", (1, 1, 1), 1024, 0, args)?;
        gpu.wait("scoring pairs")?;
        let [found_count, kept, floor] = [0, 1, 2].map(|at| self.out.get()[at]);
        Ok(ScreenOutcome {
            kept,
            floor: f32::from_bits(floor),
            overflow: found_count > self.places(),
        })
    }

    /// The first `count` pairs found, and their exact Σ c·L(c) over (x, w) and over (x, w, y).
    pub(super) fn count_exactly(
        &self,
        layout: &BitLayout,
        count: u32,
    ) -> Result<Vec<(PairBounds, [i64; 2])>, DeviceError> {
        let mut found = vec![PairBounds::default(); count as usize];
        self.gpu.download(self.found.address(), &mut found)?;
        let given = PairSumsArgs {
            variables: self.variables.address(),
            sizes: self.sizes.address(),
            edges: self.edges.address(),
            classes: layout.sizes.len() as u32,
            count,
            terms: self.terms.address(),
            found: self.found.address(),
            sums: self.sums.address(),
        };
        let (kernel, shared) = (&pair_sums::KERNEL, layout.table_bytes() as u32);
        let (grid, args) = ((count.clamp(1, 1 << 16), 1, 1), arguments![given]);
        self.gpu
            .launch(kernel, "pair_sums", grid, 128, shared, args)?;
        let mut sums = vec![[0i64; 2]; count as usize];
        self.gpu.download(self.sums.address(), &mut sums)?;
        self.gpu.wait("counting pairs")?;
        Ok(found.into_iter().zip(sums).collect())
    }
}

/// A float as an integer of the same order, as `common.cuh` makes it.
fn ordered_32(value: f32) -> u32 {
    let bits = value.to_bits();
    match bits >> 31 {
        0 => bits | 1 << 31,
        _ => !bits,
    }
}

/// Places for pairs found, for so many wanted ones.
fn places(wanted: usize) -> usize {
    wanted.saturating_mul(8).clamp(ROOM, 16 * ROOM)
}
