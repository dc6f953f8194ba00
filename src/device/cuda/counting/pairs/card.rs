//! A card with all columns as bits.

use passel_kernels::{
    bits::{BITS, Bits, PIECES},
    cells::Cells,
    pairs::{Found, Group as OnCard, Tiles},
    raise::Raise,
    recount::{Recount, Variable},
};
use rayon::prelude::*;

use super::{
    super::{
        super::{
            super::{DeviceError, counting::Logs},
            card::{Card, arguments},
            memory::{Buffer, Pinned},
        },
        packs::{put, room},
    },
    plan::{Group, Plan},
    screen::Screen,
    shape::{Products, Shape, Way},
};
use crate::binning::{BinnedColumn, Codes};

const DURING: &str = "laying out columns as bits";

/// Bytes of codes that are brought at a time.
const BROUGHT: usize = 64 << 20;

/// Least places for pairs found.
const ROOM: usize = 1 << 20;

/// A column's own counts.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Margins {
    /// Σ c·L(c) over it, and over it and the response.
    pub(super) x: i64,
    pub(super) xy: i64,
}

/// One card.
pub(super) struct PairCard {
    pub(super) card: Card,
    tiles: Vec<Buffer<u8>>,
    margins: Vec<Buffer<u32>>,
    facts: Vec<Buffer<f32>>,
    numbers: Vec<Buffer<u32>>,
    variables: Buffer<Variable>,
    edges: Buffer<u32>,
    whole: Buffer<u32>,
    sizes: Buffer<u32>,
    terms: Buffer<i64>,
    floor: Buffer<f32>,
    told: Buffer<u32>,
    out: Pinned<u32>,
    found: Buffer<Found>,
    sums: Buffer<i64>,
    /// Of each group, and of the response, where tables are made of them.
    codes: Vec<Buffer<u8>>,
    y: Option<Buffer<u8>>,
}

/// How a wave went.
pub(super) enum Wave {
    /// So many pairs are kept.
    Kept(u32),
    /// There was no room for all.
    Lost,
}

impl PairCard {
    /// Opens a card and lays the columns out, for so many pairs found; none where it has too little
    /// shared memory.
    pub(super) fn new(
        ordinal: usize,
        columns: &[BinnedColumn],
        (plan, screen): (&Plan, &Screen),
        logs: &Logs,
        products: Option<Products>,
        (wanted, limit): (usize, Option<u64>),
    ) -> Result<Option<Self>, DeviceError> {
        let mut card = Card::open(ordinal, passel_kernels::PAIRS)?;
        let shape = |it| Shape::of(plan, screen, it, card.has_tf32);
        let shapes: Vec<Shape> = plan.jobs().map(shape).collect();
        let most = plan.groups.iter().map(Group::levels).max().unwrap_or(1);
        let exact = (4 * most * most * plan.sizes.len())
            .try_into()
            .unwrap_or(u32::MAX);
        // A few hundred bytes are the kernels' own.
        let shared = card.shared.saturating_sub(1 << 10);
        if exact > shared || shapes.iter().any(|it| it.shared > shared) {
            return Ok(None);
        }
        let codes = shapes.iter().any(|it| it.way == Way::Cells);
        let products = match products {
            Some(products) => products,
            None => Products::of(&card)?,
        };
        card.load(&Shape::kernels(&shapes, products))?;
        let places = wanted.saturating_mul(8).clamp(ROOM, 16 * ROOM);
        let beside = 64 * places + (1 << 28);
        let bits: usize = plan.groups.iter().map(|it| bytes(plan, it)).sum();
        let needed = bits
            + if codes {
                columns.len() * stride(plan)
            } else {
                0
            };
        let free = room(&card, beside, limit)?;
        if needed > free {
            return Err(DeviceError::OutOfMemory {
                device: card.name.clone(),
                during: DURING.to_owned(),
                needed: needed as u64,
                free: free as u64,
            });
        }
        let mut new = Self {
            tiles: Vec::new(),
            margins: Vec::new(),
            facts: Vec::new(),
            numbers: Vec::new(),
            variables: card.buffer(columns.len(), DURING)?,
            edges: put(&card, &plan.edges)?,
            // All classes as one.
            whole: put(&card, &[0, plan.chunks() as u32])?,
            sizes: put(&card, &plan.sizes)?,
            terms: put(&card, logs.terms())?,
            floor: card.buffer(1, DURING)?,
            told: put(&card, &[0])?,
            out: card.pinned(3)?,
            found: card.buffer(places, DURING)?,
            codes: Vec::new(),
            y: match codes {
                true => Some(put(&card, &response(plan))?),
                false => None,
            },
            sums: card.buffer(2 * places, DURING)?,
            card,
        };
        new.lay(columns, plan)?;
        Ok(Some(new))
    }

    fn lay(&mut self, columns: &[BinnedColumn], plan: &Plan) -> Result<(), DeviceError> {
        let (card, classes) = (&self.card, plan.sizes.len());
        let order = put(card, &plan.order)?;
        let stride = stride(plan);
        let each = (BROUGHT / stride).clamp(1, columns.len().max(1));
        let passing = card.buffer::<u8>(each * stride, DURING)?;
        let mut staged = card.pinned::<u8>(each * stride)?;
        let mut variables = Vec::new();
        for group in &plan.groups {
            let tiles = card.buffer::<u8>(bytes(plan, group), DURING)?;
            card.zero(tiles.address(), tiles.len())?;
            let margins = card.buffer::<u32>(group.count * classes * group.planes, DURING)?;
            let own = &plan.numbers[group.first..][..group.count];
            let kept = self
                .y
                .as_ref()
                .map(|_| card.buffer::<u8>(own.len() * stride, DURING));
            let kept = kept.transpose()?;
            for (at, numbers) in own.chunks(each).enumerate() {
                card.wait(DURING)?;
                let to = staged.values().par_chunks_mut(stride);
                to.zip(numbers).for_each(|(to, &number)| {
                    fill(&mut to[..plan.n], &columns[number as usize].codes);
                });
                let codes = match &kept {
                    Some(kept) => kept.at(at * each * stride),
                    None => passing.address(),
                };
                card.upload(&staged.get()[..numbers.len() * stride], codes)?;
                let given = Bits {
                    codes,
                    stride: stride as i64,
                    order: order.address(),
                    rows: plan.n as u32,
                    chunks: plan.chunks() as u32,
                    planes: group.planes as u32,
                    each: group.each as u32,
                    first: (at * each) as u32,
                    columns: numbers.len() as u32,
                    tiles: tiles.address(),
                    edges: self.edges.address(),
                    classes: classes as u32,
                    margins: margins.address(),
                };
                let parts = (plan.chunks() * BITS / 1024).div_ceil(8).clamp(1, 1 << 15);
                let grid = (numbers.len() as u32, parts as u32, 1);
                card.launch("bits", grid, 256, 0, arguments![given])?;
                let rows = (numbers.len() * group.planes).div_ceil(8);
                let grid = (rows.min(1 << 20) as u32, 1, 1);
                card.launch("margins", grid, 256, 0, arguments![given])?;
            }
            let tile = plan.chunks() * PIECES;
            variables.extend((0..group.count).map(|at| Variable {
                tile: tiles.at(at / group.each * tile),
                margins: margins.at(at * classes * group.planes),
                planes: group.planes as u32,
                within: (at % group.each) as u32,
            }));
            let numbers = put(card, own)?;
            self.tiles.push(tiles);
            self.margins.push(margins);
            self.numbers.push(numbers);
            self.codes.extend(kept);
        }
        card.upload(&variables, self.variables.address())?;
        card.wait(DURING)
    }

    /// Every column's counts: of each place, of each class, of each level of its group's.
    pub(super) fn counts(&self, plan: &Plan) -> Result<Vec<Vec<u32>>, DeviceError> {
        let mut all = Vec::new();
        for (group, margins) in plan.groups.iter().zip(&self.margins) {
            let mut told = vec![0; margins.len()];
            self.card.download(margins.address(), &mut told)?;
            self.card.wait(DURING)?;
            let of = |own: &[u32]| -> Vec<u32> {
                let class = |(own, &size): (&[u32], &u32)| {
                    let last = size - own.iter().sum::<u32>();
                    own.iter().copied().chain([last]).collect::<Vec<_>>()
                };
                own.chunks(group.planes)
                    .zip(&plan.sizes)
                    .flat_map(class)
                    .collect()
            };
            let own = told.par_chunks(group.planes * plan.sizes.len());
            all.par_extend(own.take(group.count).map(of));
        }
        Ok(all)
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
            let buffer = put(&self.card, &all)?;
            self.facts.push(buffer);
        }
        self.card.wait(DURING)
    }

    /// Begins a search, with this floor.
    pub(super) fn begin(&self, floor: f32) -> Result<(), DeviceError> {
        self.card.upload(&[floor], self.floor.address())?;
        self.forget()
    }

    /// Forgets the pairs found; not the floor.
    pub(super) fn forget(&self) -> Result<(), DeviceError> {
        self.card.zero(self.told.address(), 4)
    }

    /// Lets the floor be this, which is higher.
    pub(super) fn lift(&self, floor: f32) -> Result<(), DeviceError> {
        self.card.upload(&[floor], self.floor.address())
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
            OnCard {
                tiles: self.tiles[at].address(),
                facts: self.facts[at].address(),
                numbers: self.numbers[at].address(),
                count: group.count as u32,
                first: group.first as u32,
                planes: group.planes as u32,
                each: group.each as u32,
            }
        };
        let shape = Shape::of(plan, screen, (a, b), self.card.has_tf32);
        let levels = [a, b].map(|at| plan.groups[at].levels());
        let [over, under] = screen.values(levels, shape.way);
        let classes = screen.classes();
        let given = Tiles {
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
            sided: screen.is_sided().into(),
            same: (a == b).into(),
            supers,
            first: first as i64,
            floor: self.floor.address(),
            found: self.found.address(),
            told: self.told.address(),
            room: self.places(),
        };
        let launch = |given: &mut [_]| {
            let grid = (tiles as u32, 1, 1);
            let Shape {
                function,
                threads,
                shared,
                ..
            } = shape;
            self.card.launch(function, grid, threads, shared, given)
        };
        match (&self.y, shape.way) {
            (Some(y), Way::Cells) => {
                let given = Cells {
                    tiles: given,
                    codes_a: self.codes[a].address(),
                    codes_b: self.codes[b].address(),
                    y: y.address(),
                    stride: stride(plan) as i64,
                    rows: plan.n as u32,
                };
                launch(arguments![given])?;
            }
            _ => launch(arguments![given])?,
        }
        let given = Raise {
            found: self.found.address(),
            told: self.told.address(),
            room: self.places(),
            kept,
            wanted: wanted as u64,
            floor: self.floor.address(),
            out: self.out.address(),
        };
        self.card
            .launch("raise", (1, 1, 1), 1024, 0, arguments![given])?;
        self.card.wait("scoring pairs")?;
        let [told, stay] = [0, 1].map(|at| self.out.get()[at]);
        Ok(match told > self.places() {
            true => Wave::Lost,
            false => Wave::Kept(stay),
        })
    }

    /// The places of the first pairs found, and their exact sums.
    pub(super) fn exact(
        &self,
        plan: &Plan,
        count: u32,
    ) -> Result<Vec<(Found, [i64; 2])>, DeviceError> {
        let mut found = vec![Found::default(); count as usize];
        self.card.download(self.found.address(), &mut found)?;
        let planes = plan.groups.iter().map(|it| it.levels());
        let most = planes.max().unwrap_or(1);
        let given = Recount {
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
        self.card
            .launch("recount", grid, 128, shared as u32, arguments![given])?;
        let mut sums = vec![[0i64; 2]; count as usize];
        self.card.download(self.sums.address(), &mut sums)?;
        self.card.wait("counting pairs")?;
        Ok(found.into_iter().zip(sums).collect())
    }

    /// Sets the pairs found, to have their sums.
    pub(super) fn set(&self, pairs: &[Found]) -> Result<(), DeviceError> {
        self.card.upload(pairs, self.found.address())
    }
}

/// Bytes of a column's codes.
fn stride(plan: &Plan) -> usize {
    plan.n.next_multiple_of(16).max(16)
}

/// The class of each observation, of so few that tables have room for all.
fn response(plan: &Plan) -> Vec<u8> {
    let mut classes = vec![0; stride(plan)];
    for (k, edge) in plan.edges.windows(2).enumerate() {
        let own = &plan.order[edge[0] as usize * BITS..edge[1] as usize * BITS];
        for &row in own.iter().filter(|it| (**it as usize) < plan.n) {
            classes[row as usize] = k as u8;
        }
    }
    classes
}

/// Bytes of a group's tiles.
fn bytes(plan: &Plan, group: &Group) -> usize {
    group.tiles() * plan.chunks() * PIECES
}

/// Codes one behind the other.
fn fill(to: &mut [u8], codes: &Codes) {
    match codes {
        Codes::Byte(codes) => to.copy_from_slice(codes),
        Codes::Word(codes) => {
            to.iter_mut()
                .zip(codes)
                .for_each(|(to, &code)| *to = code as u8);
        }
        Codes::Sparse {
            most, rows, codes, ..
        } => {
            to.fill(*most as u8);
            for (&row, &code) in rows.iter().zip(codes) {
                to[row as usize] = code as u8;
            }
        }
    }
}
