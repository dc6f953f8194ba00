//! Columns that list their entries, counted.

use std::ffi::c_void;

use passel_kernels::{
    entries::{EntriesArgs, reciprocal},
    short_entries::ShortEntriesArgs,
};

use super::{
    super::{
        super::DeviceError,
        gpu::{Gpu, arguments},
    },
    kernel_choice::{KernelChoice, OWN, THREADS, few_cells, held},
    layout::{Form, VECTOR},
    packs::ResidentPack,
    sweep::{AnchorBuffers, Sweep},
};

/// Most bytes of joint codes that blocks of short columns copy to shared memory.
const COPIED: usize = 48 << 10;

/// Entries of short columns for every thread of the GPU from which that pays.
const PAID: usize = 8;

/// Adds a pack of short columns of a kind.
pub(super) fn add(shorts: &mut ShortEntriesArgs, here: &ResidentPack, kind: usize) {
    let pack = here.pack;
    shorts.rows[kind] = here.address + pack.rows_at as u64;
    shorts.codes[kind] = here.address + pack.codes_at as u64;
    shorts.columns[kind] = pack.count as u32;
    shorts.first[kind] = pack.first as u32;
}

pub(super) fn one(here: &ResidentPack, kind: usize) -> ShortEntriesArgs {
    let mut one = ShortEntriesArgs::default();
    add(&mut one, here, kind);
    one
}

/// Whether blocks of short columns have joint codes and their counts in shared memory, and its
/// bytes: where they are few bytes, and every warp of the GPU has work enough to pay for it.
fn copied(n: usize, laid: &AnchorBuffers, slots: usize, gpu: &Gpu) -> (bool, usize) {
    let counts = laid.levels + laid.levels * laid.classes;
    let bytes = n * laid.bits as usize / 8 + VECTOR + 4 * counts;
    let pays = slots >= PAID * THREADS * gpu.processors as usize;
    match pays && bytes <= COPIED.min(gpu.shared as usize - OWN) {
        true => (true, bytes),
        false => (false, 0),
    }
}

impl Sweep<'_> {
    pub(super) fn shorts(&self, shorts: &ShortEntriesArgs) -> Result<(), DeviceError> {
        let (gpu, laid) = (self.gpu, &self.laid);
        let n = self.packs.layout.n;
        let slots = |(each, &columns): (u32, &u32)| (columns as usize) << each;
        let slots: usize = (0..).zip(&shorts.columns).map(slots).sum();
        if slots == 0 {
            return Ok(());
        }
        let given = EntriesArgs {
            places: self.packs.count() as u32,
            rows_all: n as i64,
            xw: self.out.xw,
            xwy: self.out.xwy,
            ..self.beside()
        };
        let (copied, bytes) = copied(n, laid, slots, gpu);
        let given = EntriesArgs {
            copied: u8::from(copied),
            ..given
        };
        let shorts = *shorts;
        let function = laid.sized("short_entries_8", "short_entries_16");
        let held = held(gpu.shared as usize, 512, bytes);
        let most = gpu.processors as usize * held;
        let blocks = slots.div_ceil(32 * 16).clamp(1, most) as u32;
        let grid = (blocks, laid.batch as u32, 1);
        gpu.launch(
            &passel_kernels::short_entries::KERNEL,
            function,
            grid,
            512,
            bytes as u32,
            arguments![given, shorts],
        )
    }

    /// What all kernels of entries are told of an anchor.
    fn beside(&self) -> EntriesArgs {
        let laid = &self.laid;
        EntriesArgs {
            joint: laid.joint,
            joint_stride: laid.joint_stride as i64,
            anchors: laid.anchors,
            all: self.packs.places.address(),
            classes: laid.classes as u32,
            reciprocal: reciprocal(laid.classes as u32),
            y_most: laid.y_most,
            by_joint: laid.by_joint,
            by_level: laid.by_level,
            terms: self.terms,
            ..EntriesArgs::default()
        }
    }

    /// What they are told of a pack; of short columns rows and codes have a place of their own.
    pub(super) fn listed(&self, here: &ResidentPack) -> EntriesArgs {
        let pack = here.pack;
        let (xw, xwy, taken) = self.out(here);
        EntriesArgs {
            rows: here.address + pack.rows_at as u64,
            codes: here.address + pack.codes_at as u64,
            starts: match pack.form {
                Form::Few | Form::Many { .. } => here.address + pack.starts_at as u64,
                _ => 0,
            },
            most: self.packs.most.at(pack.first),
            levels: self.packs.levels.at(pack.first),
            taken,
            columns: pack.count as u32,
            places: self.packs.count() as u32,
            rows_all: self.packs.layout.n as i64,
            xw,
            xwy,
            tables: self.out.tables,
            cells: self.out.cells as i64,
            ..self.beside()
        }
    }

    pub(super) fn entries(&self, here: &ResidentPack) -> Result<(), DeviceError> {
        let (gpu, laid, pack) = (self.gpu, &self.laid, here.pack);
        let given = self.listed(here);
        let launch = |function, threads: usize, bytes: usize, given: &mut [*mut c_void]| {
            let held = held(gpu.shared as usize, threads, bytes);
            let blocks = (gpu.processors as usize * held).min(pack.count) as u32;
            let grid = (blocks, laid.batch as u32, 1);
            gpu.launch(
                &passel_kernels::entries::KERNEL,
                function,
                grid,
                threads as u32,
                bytes as u32,
                given,
            )
        };
        match self.how(here.pack) {
            KernelChoice::Few { threads, cell } => {
                let function = match cell {
                    1 => laid.sized("few_8", "few_16"),
                    _ => laid.sized("some_8", "some_16"),
                };
                let cells = few_cells(pack.levels, laid.levels, laid.classes);
                let bytes = (cell * cells).next_multiple_of(VECTOR);
                let most = pack.levels as u32;
                launch(function, threads, bytes, arguments![given, most])
            }
            KernelChoice::Many { threads } => {
                let bytes = 4 * pack.levels * laid.levels * laid.classes;
                let function = laid.sized("many_8", "many_16");
                launch(function, threads, bytes, arguments![given])
            }
            _ => Ok(()),
        }
    }
}
