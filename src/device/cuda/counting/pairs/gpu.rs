//! A GPU with columns as bits, and the launches of its kernels.

use passel_kernels::{
    pair_floor::PairFloorArgs,
    pair_sums::{BitColumn, PairSumsArgs},
    pair_tables::PairTablesArgs,
    pairs::{BitProducts, ColumnGroup, PairArgs, PairBounds},
};
use rayon::prelude::*;

use super::{
    super::{
        super::{
            super::{DeviceError, counting::LogTable},
            gpu::{Gpu, arguments},
            memory::{Buffer, Pinned},
            scratch::GrowableBuffer,
        },
        packs::{put, room},
    },
    lay::{BROUGHT, DURING, Laid},
    plan::{Group, Plan},
    screen::Screen,
    shape::{Shape, Way, fastest},
};

/// Least places for pairs found.
const ROOM: usize = 1 << 20;

/// One GPU.
pub(super) struct PairGpu {
    pub(super) gpu: Gpu,
    products: BitProducts,
    /// Of each group, where its panel is on the GPU.
    pub(super) laid: Vec<Option<Laid>>,
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
    /// Of each place, in the order of integers; whether they are asked.
    floors: Buffer<u32>,
    by_column: bool,
    found_count: Buffer<u32>,
    out: Pinned<u32>,
    found: Buffer<PairBounds>,
    sums: Buffer<i64>,
    supers: GrowableBuffer<u32>,
}

/// How a wave went.
pub(super) enum Wave {
    /// So many pairs are kept.
    Kept(u32),
    /// There was no room for all.
    Lost,
}

impl PairGpu {
    /// Opens a GPU; it and the bytes that it has room for, beside those for so many pairs found.
    pub(super) fn open(
        ordinal: usize,
        (wanted, limit): (usize, Option<u64>),
    ) -> Result<(Gpu, usize), DeviceError> {
        let gpu = Gpu::open(ordinal, passel_kernels::PAIRS)?;
        // Beside them what is brought, and what columns say of themselves.
        let beside = 64 * places(wanted) + 4 * BROUGHT;
        let room = room(&gpu, beside, limit)?;
        Ok((gpu, room))
    }

    /// Lets a GPU begin, for so many pairs found; none where it has too little shared memory.
    pub(super) fn new(
        mut gpu: Gpu,
        (plan, screen): (&Plan, &Screen),
        logs: &LogTable,
        products: Option<BitProducts>,
        wanted: usize,
    ) -> Result<Option<Self>, DeviceError> {
        let mut products = match products {
            Some(products) => products,
            None => fastest(&gpu)?,
        };
        let shapes = |products| -> Vec<Shape> {
            let shape = |it| Shape::of((plan, screen), it, (products, gpu.has_tf32));
            plan.jobs().into_iter().map(shape).collect()
        };
        let most = plan.groups.iter().map(Group::levels).max().unwrap_or(1);
        let exact = 4 * most * most * plan.sizes.len();
        // A few hundred bytes are the kernels' own.
        let shared = gpu.shared as usize - 1024;
        let fit = |all: &[Shape]| all.iter().all(|it| it.shared as usize <= shared);
        let mut all = shapes(products);
        if products == BitProducts::Groups && !fit(&all) {
            // Fewer chunks at a time leave tables more room.
            products = BitProducts::Bits;
            all = shapes(products);
        }
        if exact > shared || !fit(&all) {
            return Ok(None);
        }
        gpu.load(&Shape::kernels(&all))?;
        let (places, classes) = (places(wanted), plan.sizes.len());
        let margins = plan
            .groups
            .iter()
            .map(|group| gpu.buffer::<u32>(group.count * classes * group.planes, DURING));
        let numbers = plan
            .groups
            .iter()
            .map(|group| put(&gpu, &plan.numbers[group.first..][..group.count]));
        Ok(Some(Self {
            laid: plan.groups.iter().map(|_| None).collect(),
            margins: margins.collect::<Result<_, _>>()?,
            facts: Vec::new(),
            numbers: numbers.collect::<Result<_, _>>()?,
            variables: gpu.buffer(plan.numbers.len(), DURING)?,
            order: put(&gpu, &plan.order)?,
            edges: put(&gpu, &plan.edges)?,
            // All classes as one.
            whole: put(&gpu, &[0, plan.chunks() as u32])?,
            sizes: put(&gpu, &plan.sizes)?,
            y: put(&gpu, &plan.classes())?,
            terms: put(&gpu, logs.terms())?,
            floor: gpu.buffer(1, DURING)?,
            floors: gpu.buffer(plan.numbers.len(), DURING)?,
            by_column: false,
            found_count: put(&gpu, &[0])?,
            out: gpu.pinned(3)?,
            found: gpu.buffer(places, DURING)?,
            sums: gpu.buffer(2 * places, DURING)?,
            supers: GrowableBuffer::default(),
            gpu,
            products,
        }))
    }

    /// Brings what a score needs of every column: see [`passel_kernels::pairs::Group`].
    pub(super) fn tell(
        &mut self,
        plan: &Plan,
        facts: impl Fn(usize) -> Vec<f32> + Sync,
    ) -> Result<(), DeviceError> {
        self.facts.clear();
        for group in &plan.groups {
            let places = (group.first..group.first + group.count).into_par_iter();
            let all: Vec<f32> = places.flat_map_iter(&facts).collect();
            let buffer = put(&self.gpu, &all)?;
            self.facts.push(buffer);
        }
        self.gpu.wait(DURING)
    }

    /// Begins a search, with this floor, and with one for each column's own best if there is one.
    pub(super) fn begin(&mut self, floor: f32, own: Option<f32>) -> Result<(), DeviceError> {
        self.gpu.upload(&[floor], self.floor.address())?;
        self.by_column = own.is_some();
        if let Some(own) = own {
            let all = vec![ordered_32(own); self.floors.len()];
            self.gpu.upload(&all, self.floors.address())?;
        }
        self.forget()
    }

    fn floors(&self) -> u64 {
        if self.by_column {
            self.floors.address()
        } else {
            0
        }
    }

    /// Forgets the pairs found; not the floor.
    pub(super) fn forget(&self) -> Result<(), DeviceError> {
        self.gpu.zero(self.found_count.address(), 4)
    }

    /// Lets the floor be this, which is higher.
    pub(super) fn lift(&self, floor: f32) -> Result<(), DeviceError> {
        self.gpu.upload(&[floor], self.floor.address())
    }

    /// The floor after the last wave.
    pub(super) fn reached(&self) -> f32 {
        f32::from_bits(self.out.get()[2])
    }

    /// Pairs that are kept after the last wave.
    pub(super) fn kept(&self) -> u32 {
        self.out.get()[1]
    }

    /// Places for pairs found.
    pub(super) fn places(&self) -> u32 {
        self.found.len() as u32
    }

    fn laid(&self, group: usize) -> Option<&Laid> {
        self.laid.get(group)?.as_ref()
    }

    /// Brings the tiles of a job, as [`Plan::supers`] tells them.
    pub(super) fn bring(&mut self, supers: &[u32]) -> Result<u64, DeviceError> {
        let to = self.supers.room(&self.gpu, supers.len(), DURING)?;
        self.gpu.upload(supers, to)?;
        Ok(to)
    }

    /// Bounds the pairs of some tiles of two groups, and raises the floor to the wanted-th.
    pub(super) fn wave(
        &self,
        (plan, screen): (&Plan, &Screen),
        (a, b): (usize, usize),
        supers: u64,
        (first, tiles): (usize, usize),
        (kept, wanted): (u32, usize),
    ) -> Result<Wave, DeviceError> {
        let side = |at: usize| {
            let group = &plan.groups[at];
            ColumnGroup {
                tiles: self.laid(at).map_or(0, |it| it.tiles.address()),
                facts: self.facts[at].address(),
                numbers: self.numbers[at].address(),
                count: group.count as u32,
                first: group.first as u32,
                planes: group.planes as u32,
                each: group.each as u32,
            }
        };
        let shape = Shape::of((plan, screen), (a, b), (self.products, self.gpu.has_tf32));
        let levels = [a, b].map(|at| plan.groups[at].levels());
        let [over, under] = screen.values(levels, shape.way);
        let quick = screen.quick(&over, levels);
        let classes = screen.classes();
        let given = PairArgs {
            a: side(a),
            b: side(b),
            edges: match classes {
                1 => self.whole.address(),
                _ => self.edges.address(),
            },
            chunks: plan.chunks() as u32,
            classes: classes as u32,
            per_row: 1.0 / plan.n as f32,
            is_ratio: screen.is_ratio().into(),
            over,
            under,
            quick,
            sided: screen.is_sided().into(),
            same: (a == b).into(),
            supers,
            first: first as i64,
            floor: self.floor.address(),
            floors: self.floors(),
            found: self.found.address(),
            found_count: self.found_count.address(),
            room: self.places(),
        };
        let launch = |given: &mut [_]| {
            let grid = (tiles as u32, 1, 1);
            let Shape {
                kernel,
                function,
                threads,
                shared,
                ..
            } = shape;
            self.gpu
                .launch(&kernel, function, grid, threads, shared, given)
        };
        match shape.way {
            Way::Cells => {
                let codes = |at| self.laid(at).and_then(|it| it.codes.as_ref());
                let codes = |at| codes(at).map_or(0, Buffer::address);
                let given = PairTablesArgs {
                    tiles: given,
                    codes_a: codes(a),
                    codes_b: codes(b),
                    y: self.y.address(),
                    stride: plan.stride() as i64,
                    rows: plan.n as u32,
                };
                launch(arguments![given])?;
            }
            Way::Whole | Way::Levels => launch(arguments![given])?,
        }
        let given = PairFloorArgs {
            found: self.found.address(),
            found_count: self.found_count.address(),
            room: self.places(),
            kept,
            wanted: wanted as u64,
            floor: self.floor.address(),
            out: self.out.address(),
            floors: self.floors(),
        };
        self.gpu.launch(
            &passel_kernels::pair_floor::KERNEL,
            "pair_floor",
            (1, 1, 1),
            1024,
            0,
            arguments![given],
        )?;
        self.gpu.wait("scoring pairs")?;
        let [found_count, stay] = [0, 1].map(|at| self.out.get()[at]);
        Ok(match found_count > self.places() {
            true => Wave::Lost,
            false => Wave::Kept(stay),
        })
    }

    /// The places of the first pairs found, and their exact sums.
    pub(super) fn exact(
        &self,
        plan: &Plan,
        count: u32,
    ) -> Result<Vec<(PairBounds, [i64; 2])>, DeviceError> {
        let mut found = vec![PairBounds::default(); count as usize];
        self.gpu.download(self.found.address(), &mut found)?;
        let planes = plan.groups.iter().map(|it| it.levels());
        let most = planes.max().unwrap_or(1);
        let given = PairSumsArgs {
            variables: self.variables.address(),
            sizes: self.sizes.address(),
            edges: self.edges.address(),
            classes: plan.sizes.len() as u32,
            count,
            terms: self.terms.address(),
            found: self.found.address(),
            sums: self.sums.address(),
        };
        let shared = 4 * most * most * plan.sizes.len();
        let grid = (count.clamp(1, 1 << 16), 1, 1);
        self.gpu.launch(
            &passel_kernels::pair_sums::KERNEL,
            "pair_sums",
            grid,
            128,
            shared as u32,
            arguments![given],
        )?;
        let mut sums = vec![[0i64; 2]; count as usize];
        self.gpu.download(self.sums.address(), &mut sums)?;
        self.gpu.wait("counting pairs")?;
        Ok(found.into_iter().zip(sums).collect())
    }

    /// Sets the pairs found, to have their sums.
    pub(super) fn set(&self, pairs: &[PairBounds]) -> Result<(), DeviceError> {
        self.gpu.upload(pairs, self.found.address())
    }
}

/// A number in the order of integers, as kernels have it.
fn ordered_32(value: f32) -> u32 {
    let bits = value.to_bits();
    match bits >> 31 {
        0 => bits | 1 << 31,
        _ => !bits,
    }
}

/// Places for pairs found, where so many are wanted.
fn places(wanted: usize) -> usize {
    wanted.saturating_mul(8).clamp(ROOM, 16 * ROOM)
}
