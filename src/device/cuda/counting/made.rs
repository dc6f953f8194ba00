//! Columns that are made on the GPUs, for benchmarks: the host has none of them.

use std::{collections::HashSet, ops::Range};

use passel_kernels::{
    counting::ColumnCodes,
    made::{Made as Given, Recipe},
};
use rayon::prelude::*;

use super::{
    super::{
        super::{DeviceError, counting::Counter},
        gpu::{Gpu, arguments},
        memory::Buffer,
    },
    CudaCounter,
    column_traits::ColumnTraits,
    layout::{Form, Layout, Pack},
    packs::{Packs, put},
};

/// Number of the column that makes the response.
const RESPONSE: u32 = u32::MAX;

const DURING: &str = "making columns";

/// So many columns by a recipe.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) recipe: Recipe,
    pub(crate) p: usize,
}

impl Made {
    pub(super) fn levels(&self) -> usize {
        self.recipe.levels as usize
    }

    /// Whether all of a column's rows but some have code 0.
    pub(crate) fn is_sparse(&self) -> bool {
        self.recipe.scale != 0
    }

    /// Entries off code 0 of all columns; without any, all rows.
    pub(crate) fn entries(&self) -> u64 {
        let all = (0..self.p as u32).into_par_iter();
        match self.is_sparse() {
            true => all.map(|it| self.recipe.length(it) as u64).sum(),
            false => (self.p * self.recipe.rows) as u64,
        }
    }

    /// Classes of the observations.
    pub(crate) fn response(&self, classes: usize) -> Vec<u8> {
        let class = |row| ((self.recipe.word(RESPONSE, row) >> 32) * classes as u64) >> 32;
        let rows = (0..self.recipe.rows).into_par_iter();
        rows.map(|row| class(row) as u8).collect()
    }

    /// Levels of a column that occur.
    pub(crate) fn occurring(&self, column: u32) -> usize {
        let levels = self.levels();
        let mut seen = HashSet::new();
        if !self.is_sparse() {
            // Who lies dense is counted on the GPU.
            let codes = passel_kernels::made::reference(&self.recipe, column);
            return codes.into_iter().collect::<HashSet<_>>().len();
        }
        for (_, code) in self.recipe.entries(column) {
            seen.insert(code);
            // With 0 these are all.
            if seen.len() + 1 == levels {
                break;
            }
        }
        let other = usize::from(self.recipe.length(column) < self.recipe.rows);
        seen.len() + other
    }

    /// Forms that its columns have on one GPU.
    #[cfg(test)]
    pub(crate) fn forms(&self, n: usize, classes: usize) -> Vec<String> {
        let layout = self.layout(0..self.p, n, classes);
        let packs = layout.packs.iter();
        packs.map(|it| format!("{:?}", it.form)).collect()
    }

    /// How these columns lie.
    fn layout(&self, own: Range<usize>, n: usize, classes: usize) -> Layout {
        let first = own.start;
        let traits: Vec<ColumnTraits> = own.into_par_iter().map(|it| self.traits(it)).collect();
        Layout::of(&traits, first, n, classes, usize::MAX)
    }

    /// What the form of a column follows from.
    fn traits(&self, column: usize) -> ColumnTraits {
        ColumnTraits {
            levels: self.levels(),
            misses: false,
            most: 0,
            // Bell-shaped codes have entries of no code, so that none may be listed.
            entries: match self.is_sparse() {
                true => self.recipe.length(column as u32),
                false => u32::MAX as usize,
            },
        }
    }
}

impl Packs {
    /// Makes the columns of these numbers on the GPU, for n observations and responses of so
    /// many classes.
    pub(super) fn made(
        gpu: &Gpu,
        made: &Made,
        own: Range<usize>,
        (n, classes): (usize, usize),
    ) -> Result<Self, DeviceError> {
        let layout = made.layout(own, n, classes);
        let count = layout.numbers.len();
        let table = || gpu.buffer::<u32>(count, DURING);
        let told = Told {
            places: gpu.buffer(count + 1, DURING)?,
            numbers: put(gpu, &layout.numbers)?,
            levels: table()?,
            most: table()?,
            left_out: table()?,
        };
        gpu.upload(&[ColumnCodes::default()], told.places.at(count))?;
        let packs = layout.packs.iter().map(|pack| {
            let numbers = &layout.numbers[pack.first..][..pack.count];
            told.pack(gpu, made, (pack, numbers))
        });
        let packs: Vec<Buffer<u8>> = packs.collect::<Result<_, _>>()?;
        gpu.wait(DURING)?;
        let Told {
            places,
            numbers,
            levels,
            most,
            left_out,
        } = told;
        Ok(Self::lying(
            layout,
            packs,
            places,
            [numbers, levels, most, left_out],
        ))
    }

    /// Bytes of the columns.
    pub(super) fn bytes(&self) -> u64 {
        let packs = self.layout.packs.iter();
        packs.map(|it| it.bytes as u64).sum()
    }
}

/// What is told of each place.
struct Told {
    places: Buffer<ColumnCodes>,
    numbers: Buffer<u32>,
    levels: Buffer<u32>,
    most: Buffer<u32>,
    left_out: Buffer<u32>,
}

impl Told {
    /// Makes a pack of the columns of these numbers.
    fn pack(
        &self,
        gpu: &Gpu,
        made: &Made,
        (pack, numbers): (&Pack, &[u32]),
    ) -> Result<Buffer<u8>, DeviceError> {
        let buffer = gpu.buffer::<u8>(pack.bytes, DURING)?;
        let recipe = &made.recipe;
        let given = Given {
            numbers: self.numbers.at(pack.first),
            places: self.places.at(pack.first),
            of_levels: self.levels.at(pack.first),
            of_most: self.most.at(pack.first),
            of_left_out: self.left_out.at(pack.first),
            ..given(recipe, pack, buffer.address())
        };
        let blocks = |all: usize| all.clamp(1, 16 * gpu.processors as usize) as u32;
        let columns = (blocks(pack.count), 1);
        let launch = |function, (x, y)| {
            let grid = (x, y, 1);
            gpu.launch(
                &passel_kernels::made::KERNEL,
                function,
                grid,
                256,
                0,
                arguments![given],
            )
        };
        match pack.form {
            Form::Dense { .. } | Form::Rows if made.is_sparse() => {
                gpu.zero(buffer.address(), pack.bytes)?;
                launch("made_scattered", columns)?;
            }
            Form::Dense { .. } | Form::Rows => {
                let by_row = given.by_row != 0;
                let lines = if by_row { recipe.rows } else { pack.count };
                let words = blocks(pack.stride.div_ceil(4 * 256));
                launch("made_bell", (words, lines.clamp(1, 1 << 15) as u32))?;
            }
            Form::Short { each } => {
                let places = blocks((pack.count << each).div_ceil(256));
                launch("made_short", (places, 1))?;
            }
            Form::Few | Form::Many { .. } => {
                gpu.upload(&starts(recipe, numbers), given.starts)?;
                launch("made_listed", columns)?;
            }
        }
        launch("made_places", (blocks(pack.count.div_ceil(256)), 1))?;
        Ok(buffer)
    }
}

/// What the functions take for a pack that lies there, but for what is told of each place.
fn given(recipe: &Recipe, pack: &Pack, address: u64) -> Given {
    let given = Given {
        seed: recipe.seed,
        rows: recipe.rows as i64,
        scale: recipe.scale,
        stride: pack.stride as i64,
        levels: recipe.levels,
        columns: pack.count as u32,
        ..Default::default()
    };
    let listed = Given {
        listed: address + pack.rows_at as u64,
        listed_codes: address + pack.codes_at as u64,
        ..given
    };
    let dense = |bits, by_row| Given {
        codes: address,
        bits,
        by_row,
        ..given
    };
    match pack.form {
        Form::Dense { bits } => dense(bits, 0),
        Form::Rows => dense(8, 1),
        Form::Short { each } => Given { each, ..listed },
        Form::Few | Form::Many { .. } => Given {
            starts: address + pack.starts_at as u64,
            ..listed
        },
    }
}

/// Where the entries of columns of these numbers begin, and the end.
fn starts(recipe: &Recipe, numbers: &[u32]) -> Vec<u64> {
    let ends = numbers.iter().scan(0, |end, &number| {
        *end += recipe.length(number) as u64;
        Some(*end)
    });
    [0].into_iter().chain(ends).collect()
}

impl CudaCounter<'_> {
    /// As it was before the first pick.
    pub(crate) fn again(&mut self) -> Result<(), DeviceError> {
        for shard in &self.shards {
            let taken = &shard.taken;
            shard.gpu.zero(taken.address(), taken.len())?;
        }
        self.ahead = 1;
        self.reset();
        let mut gpus = self.shards.iter();
        gpus.try_for_each(|it| it.gpu.wait("beginning again"))
    }

    /// Bytes of the columns, on all GPUs.
    pub(crate) fn bytes(&self) -> u64 {
        self.shards.iter().map(|it| it.packs.bytes()).sum()
    }
}
