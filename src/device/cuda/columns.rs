//! A shard on a GPU: the columns that have room are resident, the others are streamed through two
//! buffers in every sweep, and single columns of other shards are copied when a model needs them.

use std::collections::{HashMap, HashSet};

use passel_kernels::{gather, strongest};
use rayon::prelude::*;

use super::{
    super::{DeviceError, Resources, Shard},
    blocks::StreamBuffers,
    genotypes::{GpuGenotypes, LaidGenotypes, PeerGenotypes, bytes_beside},
    gpu::{GRID, Gpu, arguments},
    memory::Buffer,
    scratch::StagingBuffer,
};
use crate::design::Terms;

/// Bytes of one of the two buffers that columns are streamed through.
const STREAM_BYTES: usize = 128 << 20;

/// Bytes allocated for other shards' columns before there are any, at most.
const FIRST_COPIES: usize = 256 << 20;

/// Bytes of columns that are copied to or from the host at once, at most.
pub(super) const STAGED: usize = 8 << 20;

/// Bytes of columns that are pinned while they are copied, at least.
const PINNED: usize = 64 << 20;

/// Attempts at fewer columns before memory is said to be out.
const ATTEMPTS: usize = 8;

/// The columns of one GPU.
pub(super) struct GpuColumns<'x> {
    pub(super) shard: Shard<'x>,
    pub(super) n: usize,
    /// How many of its own, from the first on, are resident as numbers.
    pub(super) numbers: usize,
    pub(super) values: Buffer<f64>,
    /// The same in f32.
    pub(super) narrow: Option<Buffer<f32>>,
    /// Its own columns behind them, where these are genotypes.
    pub(super) genotypes: Option<GpuGenotypes<'x>>,
    pub(super) stream: Option<StreamBuffers<'x>>,
    copies: HashMap<u32, u64>,
    /// Columns resident on other GPUs that this one can read: the first, how many, and their
    /// address.
    peers: Vec<(usize, usize, u64)>,
    peer_genotypes: Vec<PeerGenotypes>,
    pairs: StagingBuffer<u64>,
    triples: StagingBuffer<u64>,
    /// Columns that are being copied to or from the host.
    pub(super) staged: StagingBuffer<f64>,
    slabs: Vec<Buffer<f64>>,
    vacant: Vec<u64>,
}

impl<'x> GpuColumns<'x> {
    /// Lays as many of a shard's columns on the GPU as the limit of the resources, and what is free
    /// less `reserve`, have room for.
    pub(super) fn new(
        gpu: &Gpu,
        mut shard: Shard<'x>,
        (resources, reserve): (&Resources, u64),
        narrow: bool,
    ) -> Result<Self, DeviceError> {
        let (n, packed) = (shard.own.n(), shard.own.packed());
        // What may stream: genotypes, or all columns.
        let (p, unit) = match &packed {
            Some(part) => (part.count(), part.stride()),
            None => (shard.own.p(), n),
        };
        let column = unit * size_of::<u64>();
        let each = if narrow { column + column / 2 } else { column };
        let widest = shard.x.terms().map_or(1, Terms::widest);
        let free = gpu.free()?;
        // Of little memory half is for columns: the rest makes do with smaller blocks.
        let left = free.saturating_sub(reserve).max(free / 2);
        let left = left.min(resources.memory_limit.unwrap_or(u64::MAX));
        let mut room = usize::try_from(left).unwrap_or(usize::MAX);
        let mut attempts = 0..ATTEMPTS;
        loop {
            let beside = packed.map_or(0, |part| bytes_beside(&part, n, room));
            let left = room.saturating_sub(beside);
            if p * each > left && packed.is_none() {
                // What streams is in the host's memory.
                shard.x = shard.x.in_memory(&resources.memory)?;
                shard.own = shard.own.in_memory(&resources.memory)?;
            }
            let (resident, stream) = match p * each <= left {
                true => (p, 0),
                false => {
                    // An eighth for each of the two buffers, if that is little.
                    let stream = (STREAM_BYTES.min(left / 8) / column).clamp(widest.min(p), p);
                    let resident = left.saturating_sub(2 * stream * column) / each;
                    (resident.min(p), stream)
                }
            };
            match Self::laid(gpu, shard, (resident, room), stream, narrow) {
                Err(DeviceError::OutOfMemory { .. }) if attempts.next().is_some() => {
                    room = room.min(beside + p * each) / 2;
                }
                laid => return laid,
            }
        }
    }

    /// With so many columns resident of those that may stream, and buffers for so many.
    fn laid(
        gpu: &Gpu,
        shard: Shard<'x>,
        (resident, room): (usize, usize),
        stream: usize,
        narrow: bool,
    ) -> Result<Self, DeviceError> {
        let (n, packed) = (shard.own.n(), shard.own.packed());
        let numbers = match &packed {
            Some(part) => part.numbers().len() / n,
            // No term is divided.
            None => shard.term_start(resident),
        };
        let values = gpu.buffer(numbers * n, "laying out the columns")?;
        let narrowed = narrow.then(|| gpu.buffer(numbers * n, "laying out the columns"));
        let narrowed: Option<Buffer<f32>> = narrowed.transpose()?;
        let stream = match stream {
            0 => None,
            columns => {
                let (unit, pinned) = match &packed {
                    Some(part) => (
                        part.stride(),
                        part.memory().into_iter().map(|own| gpu.pin(own)).collect(),
                    ),
                    None => (n, vec![gpu.pin(shard.x.values())]),
                };
                let pinned = pinned.into_iter().flatten().collect();
                Some(StreamBuffers::new(gpu, (columns, unit), pinned)?)
            }
        };
        let genotypes = packed.map(|part| GpuGenotypes::new(gpu, part, n, (resident, room)));
        let genotypes = genotypes.transpose()?;
        match (shard.own.in_file(), &packed) {
            (Some(file), _) => gpu.upload_from(file, shard.own.p(), &values)?,
            (None, Some(part)) => gpu.upload(part.numbers(), values.address())?,
            (None, None) => {
                let own = &shard.own.values()[..numbers * n];
                // While they are copied: five times as fast, which pays for the pin of many.
                // Of one GPU alone: parts for several may share a page.
                let is_alone = shard.own.p() == shard.x.p();
                let is_worth = is_alone && stream.is_none() && size_of_val(own) >= PINNED;
                let _pinned = is_worth.then(|| gpu.pin(own)).flatten();
                gpu.upload(own, values.address())?;
            }
        }
        if let Some(narrowed) = &narrowed {
            let (from, count, to) = (values.address(), (numbers * n) as i64, narrowed.address());
            let grid = (16 * gpu.processors, 1, 1);
            let given = arguments![from, count, to];
            gpu.launch(&strongest::KERNEL, "narrow", grid, 256, 0, given)?;
        }
        gpu.wait("laying out the columns")?;
        Ok(Self {
            shard,
            n,
            numbers,
            values,
            narrow: narrowed,
            genotypes,
            stream,
            copies: HashMap::new(),
            peers: Vec::new(),
            peer_genotypes: Vec::new(),
            pairs: StagingBuffer::default(),
            triples: StagingBuffer::default(),
            staged: StagingBuffer::default(),
            slabs: Vec::new(),
            vacant: Vec::new(),
        })
    }

    /// Whether some of its columns pass through.
    pub(super) fn streams(&self) -> bool {
        self.stream.is_some()
    }

    /// The numbers of its own columns.
    pub(super) fn numbers(&self) -> std::ops::Range<u32> {
        self.shard.first as u32..(self.shard.first + self.count()) as u32
    }

    pub(super) fn count(&self) -> usize {
        self.shard.own.p()
    }

    /// The column, if its numbers lie on the GPU.
    pub(super) fn own(&self, column: u32) -> Option<u64> {
        let at = (column as usize).checked_sub(self.shard.first)?;
        (at < self.numbers).then(|| self.values.at(at * self.n))
    }

    /// Where a column lies that was brought.
    pub(super) fn address(&self, column: u32) -> Option<u64> {
        self.own(column)
            .or_else(|| self.copies.get(&column).copied())
    }

    /// Brings columns to the GPU, those of other shards too. Guests that are not in
    /// `used` leave where there is no room.
    pub(super) fn bring(
        &mut self,
        gpu: &Gpu,
        columns: impl Iterator<Item = u32>,
        used: impl Fn() -> HashSet<u32>,
    ) -> Result<(), DeviceError> {
        let asked: Vec<u32> = columns.collect();
        let away = asked
            .iter()
            .filter(|number| self.address(**number).is_none());
        let mut away: Vec<u32> = away.copied().collect();
        if away.is_empty() {
            return Ok(());
        }
        away.sort_unstable();
        away.dedup();
        if self.vacant.len() < away.len() {
            // Those that no model has leave first.
            let stay: HashSet<u32> = asked.iter().copied().chain(used()).collect();
            let vacant = &mut self.vacant;
            self.copies.retain(|column, address| {
                let stays = stay.contains(column);
                if !stays {
                    vacant.push(*address);
                }
                stays
            });
        }
        if self.vacant.len() < away.len() {
            // Twice as many each time: while others reach a GPU, its memory is slow to grow.
            let more = away.len() - self.vacant.len();
            let held = self.slabs.iter().map(Buffer::len).sum::<usize>() / self.n;
            self.make_room(gpu, more.max(held))
                .or_else(|_| self.make_room(gpu, more))?;
        }
        let (mut pairs, mut packed, mut hosts) = (Vec::new(), Vec::new(), Vec::new());
        for column in away {
            let Some(address) = self.vacant.pop() else {
                break;
            };
            match (self.laid_genotypes(column), self.on_peer(column)) {
                (Some(own), _) => packed.push([own.words, own.values, address]),
                (None, Some(from)) => pairs.extend([from, address]),
                (None, None) => hosts.push((column, address)),
            }
            self.copies.insert(column, address);
        }
        if let Some(genotypes) = self.genotypes.as_ref().filter(|_| !packed.is_empty()) {
            genotypes.unpack_listed(gpu, &packed, &mut self.triples)?;
        }
        if self.shard.x.in_file().is_some() {
            let columns = hosts.iter().map(|(column, _): &(u32, u64)| *column);
            self.shard.x.fetch(columns)?;
        }
        // Few at a time lie in memory that the GPU reads itself: one launch takes all.
        let (x, mut few) = (self.shard.x, hosts.len() <= STAGED / (8 * self.n));
        if few && !hosts.is_empty() {
            match self.staged.room(gpu, hosts.len() * self.n) {
                Ok(staged) => {
                    let each = staged.par_chunks_mut(self.n).zip(&hosts);
                    each.for_each(|(to, (column, _))| to.copy_from_slice(&x.column_once(*column)));
                }
                // One after the other needs none of it.
                Err(_) => few = false,
            }
        }
        for (at, (column, address)) in hosts.into_iter().enumerate() {
            match few {
                true => pairs.extend([self.staged.address() + 8 * (at * self.n) as u64, address]),
                false => gpu.upload(&x.column_once(column), address)?,
            }
        }
        if pairs.is_empty() {
            return Ok(());
        }
        self.pairs.room(gpu, pairs.len())?.copy_from_slice(&pairs);
        let (all, n) = (pairs.len() / 2, self.n as i64);
        // The second dimension of a grid has no room for more.
        for at in (0..all).step_by(GRID) {
            let from = self.pairs.address() + 16 * at as u64;
            let grid = (self.n.div_ceil(1024) as u32, GRID.min(all - at) as u32, 1);
            let given = arguments![from, n];
            gpu.launch(&gather::KERNEL, "fetch", grid, 256, 0, given)?;
        }
        Ok(())
    }

    /// Makes room for so many copies.
    fn make_room(&mut self, gpu: &Gpu, copies: usize) -> Result<(), DeviceError> {
        let slab = gpu.buffer(copies * self.n, "taking in columns of models")?;
        self.vacant
            .extend((0..copies).map(|at| slab.at(at * self.n)));
        self.slabs.push(slab);
        Ok(())
    }

    /// Makes room for the first copies of so many models, if there will be any, and as
    /// far as there is room.
    pub(super) fn expect(&mut self, gpu: &Gpu, models: usize, limit: Option<u64>) {
        let away = self.shard.x.p() - self.numbers;
        let limit = limit.map_or(FIRST_COPIES, |bytes| FIRST_COPIES.min(bytes as usize));
        let most = limit / (8 * self.n);
        let copies = (8 * models + 1024).min(away).min(most);
        if copies > 0 {
            // Without it the first copies make their own.
            let _ = self.make_room(gpu, copies);
        }
    }

    /// Where a column lies as genotypes, here or on another GPU.
    fn laid_genotypes(&self, column: u32) -> Option<LaidGenotypes> {
        let own = self.genotypes.as_ref().and_then(|own| {
            let at = (column as usize).checked_sub(self.shard.first + self.numbers)?;
            (at < own.resident).then(|| own.laid(at))
        });
        let mut peers = self.peer_genotypes.iter();
        own.or_else(|| peers.find_map(|peer| peer.column(column as usize)))
    }

    /// Where a column lies as numbers on another GPU.
    fn on_peer(&self, column: u32) -> Option<u64> {
        let column = column as usize;
        let holds =
            |(first, count, _): &&(usize, usize, u64)| (*first..first + count).contains(&column);
        let (first, _, address) = self.peers.iter().find(holds)?;
        Some(address + 8 * ((column - first) * self.n) as u64)
    }

    /// Lets columns come from another GPU, which this one reaches.
    pub(super) fn enable_peer(&mut self, other: &Self) {
        let there = (other.shard.first, other.numbers, other.values.address());
        self.peers.push(there);
        let first = other.shard.first + other.numbers;
        let genotypes = other.genotypes.as_ref();
        self.peer_genotypes
            .extend(genotypes.map(|own| own.of_peer(first)));
    }
}
