//! The joint codes of an anchor, made on a GPU, and what is counted of them.

use passel_kernels::joint_codes::JointCodesArgs;

use super::{
    super::{
        super::DeviceError,
        gpu::{Gpu, arguments},
    },
    layout::VECTOR,
    rows::sort_rows,
    shard::Shard,
    sweep::{AnchorBuffers, ZeroedBuffer},
};

/// Threads of a block, and the rows that it has at least.
const THREADS: usize = 512;

/// Rows of each joint code and of each level, kept twice: where some are counted, what the next
/// ones are counted in is emptied.
#[derive(Default)]
pub(super) struct Counts {
    kept: [ZeroedBuffer; 2],
    /// Cells of each that may not be 0.
    cells: [usize; 2],
    now: usize,
}

/// Room for counts, and what is to be emptied.
pub(super) struct Room {
    by_joint: u64,
    by_level: u64,
    next: u64,
    cells: usize,
}

impl Counts {
    /// For joint codes of so many levels and classes.
    pub(super) fn room(
        &mut self,
        gpu: &Gpu,
        levels: usize,
        classes: usize,
    ) -> Result<Room, DeviceError> {
        let (now, next, wide) = (self.now, 1 - self.now, levels * classes);
        let by_joint = self.kept[now].room(gpu, 4 * (wide + levels))?;
        let room = Room {
            by_joint,
            by_level: by_joint + 4 * wide as u64,
            next: self.kept[next].room(gpu, 4)?,
            cells: self.cells[next],
        };
        self.cells[now] = wide + levels;
        (self.cells[next], self.now) = (0, next);
        Ok(room)
    }
}

impl Shard {
    /// Makes joint codes, and counts them where packs ask for that.
    pub(super) fn spread(&mut self, laid: &mut AnchorBuffers) -> Result<(), DeviceError> {
        let gpu = &self.gpu;
        let filled = self.n.next_multiple_of(VECTOR);
        let room = match self.lists {
            true => Some(self.counts.room(gpu, laid.levels, laid.classes)?),
            false => None,
        };
        let room = room.as_ref();
        laid.by_joint = room.map_or(0, |it| it.by_joint);
        laid.by_level = room.map_or(0, |it| it.by_level);
        let given = JointCodesArgs {
            anchor: laid.anchors,
            places: self.packs.places.address(),
            rows: self.n as i64,
            filled: filled as i64,
            y: if laid.classes > 1 {
                self.y.address()
            } else {
                0
            },
            classes: laid.classes as u32,
            joint: laid.joint,
            by_joint: laid.by_joint,
            by_level: laid.by_level,
            next: room.map_or(0, |it| it.next),
            cells: room.map_or(0, |it| it.cells) as i64,
        };
        let blocks = (filled.div_ceil(THREADS) as u32).clamp(1, 4 * gpu.processors);
        let (name, threads) = (
            laid.sized("joint_codes_8", "joint_codes_16"),
            THREADS as u32,
        );
        gpu.launch(
            &passel_kernels::joint_codes::KERNEL,
            name,
            (blocks, 1, 1),
            threads,
            0,
            arguments![given],
        )?;
        match laid.order {
            0 => Ok(()),
            to => sort_rows(gpu, self.n, laid, to),
        }
    }
}
