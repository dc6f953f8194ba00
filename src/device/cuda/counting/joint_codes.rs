//! Joint codes of an anchor and the response: made and counted on a GPU by `joint_codes`, or on
//! the host where whole tables are wanted of several GPUs.

use passel_kernels::joint_codes::{JointCodesArgs, KERNEL};

use super::{
    super::gpu::{Gpu, arguments},
    form::VECTOR,
    packs::Packs,
    sweep_buffers::{AnchorBuffers, ZeroedBuffer},
};
use crate::device::{DeviceError, counting::Categorical};

/// Threads of a block, and the rows that it has at least.
const THREADS: usize = 512;

/// Rows of each joint code and of each level, kept twice: while the GPU counts in one, it empties
/// the other for the next anchor.
#[derive(Default)]
pub(super) struct JointCodeCounts {
    kept: [ZeroedBuffer; 2],
    /// Cells of each that may not be 0.
    cells: [usize; 2],
    now: usize,
}

impl JointCodeCounts {
    /// Room for joint codes of so many levels and classes; each call takes the other buffer.
    pub(super) fn room(
        &mut self,
        gpu: &Gpu,
        levels: usize,
        classes: usize,
    ) -> Result<JointCodesArgs, DeviceError> {
        let (now, next, joint) = (self.now, 1 - self.now, levels * classes);
        let by_joint = self.kept[now].room(gpu, 4 * (joint + levels))?;
        let args = JointCodesArgs {
            by_joint,
            by_level: by_joint + 4 * joint as u64,
            next: self.kept[next].room(gpu, 4)?,
            cells: self.cells[next] as i64,
            ..JointCodesArgs::default()
        };
        self.cells[now] = joint + levels;
        (self.cells[next], self.now) = (0, next);
        Ok(args)
    }
}

/// Makes the joint codes of an anchor with the response at `y`, of `n` rows; counts them in `counts`.
pub(super) fn make_joint_codes(
    gpu: &Gpu,
    packs: &Packs,
    (n, y): (usize, u64),
    buffers: &mut AnchorBuffers,
    counts: JointCodesArgs,
) -> Result<(), DeviceError> {
    let filled = n.next_multiple_of(VECTOR);
    let args = JointCodesArgs {
        anchor: buffers.anchors,
        places: packs.places.address(),
        rows: n as i64,
        filled: filled as i64,
        y,
        classes: buffers.classes as u32,
        joint: buffers.joint,
        ..counts
    };
    (buffers.by_joint, buffers.by_level) = (counts.by_joint, counts.by_level);
    let blocks = (filled.div_ceil(THREADS) as u32).clamp(1, 4 * gpu.processors);
    let function = buffers.sized("joint_codes_8", "joint_codes_16");
    let (grid, threads) = ((blocks, 1, 1), THREADS as u32);
    gpu.launch(&KERNEL, function, grid, threads, 0, arguments![args])
}

/// An anchor, the response and their joint codes, made on the host once for all GPUs.
pub(super) struct JointCodes<'b> {
    pub(super) anchor: &'b Categorical,
    pub(super) response: &'b Categorical,
    /// Joint codes of `bits` bits, filled to whole vectors, and the rows of each; empty where all
    /// columns are counted by both codes.
    pub(super) joint: Vec<u8>,
    pub(super) by_joint: Vec<u32>,
    pub(super) bits: u32,
}

impl<'b> JointCodes<'b> {
    pub(super) fn new(anchor: &'b Categorical, response: &'b Categorical) -> Self {
        let levels = anchor.levels.saturating_mul(response.levels);
        let bits = if levels <= 1 << 8 { 8 } else { 16 };
        let (mut joint, mut by_joint) = (Vec::new(), Vec::new());
        if !anchor.missing && levels <= 1 << 16 {
            let bytes = bits as usize / 8;
            joint.resize(anchor.codes.len().next_multiple_of(VECTOR) * bytes, 0);
            by_joint.resize(levels, 0);
            let rows = anchor.codes.iter().zip(&response.codes);
            let codes = rows.map(|(&w, &y)| w * response.levels as u32 + y);
            for (code, to) in codes.zip(joint.chunks_exact_mut(bytes)) {
                by_joint[code as usize] += 1;
                to.copy_from_slice(&code.to_le_bytes()[..bytes]);
            }
        }
        Self {
            anchor,
            response,
            joint,
            by_joint,
            bits,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joint_codes_are_those_of_the_cells_and_have_their_rows_counted() {
        let anchor = |codes: &[u32], levels, missing| Categorical {
            codes: codes.to_vec(),
            levels,
            missing,
        };
        let (w, y) = (
            anchor(&[0, 2, 1, 2], 3, false),
            anchor(&[1, 0, 1, 0], 2, false),
        );
        let few = JointCodes::new(&w, &y);
        assert_eq!((few.bits, &few.joint[..5]), (8, &[1, 4, 3, 4, 0][..]));
        assert_eq!(
            (few.joint.len(), few.by_joint),
            (16, vec![0, 1, 0, 1, 2, 0])
        );
        let (w, y) = (anchor(&[0, 2], 3, false), anchor(&[1, 100], 101, false));
        let many = JointCodes::new(&w, &y);
        let codes = [1, 0, 302u16 as u8, 1, 0, 0];
        assert_eq!((many.bits, &many.joint[..6]), (16, &codes[..]));
        assert_eq!((many.joint.len(), many.by_joint.len()), (32, 303));
        let (w, y) = (anchor(&[0, 1], 1, true), anchor(&[1, 0], 2, false));
        assert!(JointCodes::new(&w, &y).joint.is_empty());
    }
}
