//! What whole tables are counted beside, made on the host once for all GPUs.

use super::{super::super::counting::Categorical, layout::VECTOR};

/// An anchor and the response, for all GPUs.
pub(super) struct JointCodes<'b> {
    pub(super) anchor: &'b Categorical,
    pub(super) response: &'b Categorical,
    /// Joint codes, and the rows of each; none where nobody reads them.
    pub(super) joint: Vec<u8>,
    pub(super) by_joint: Vec<u32>,
    pub(super) bits: u32,
}

impl<'b> JointCodes<'b> {
    pub(super) fn new(anchor: &'b Categorical, response: &'b Categorical) -> Self {
        let wide = anchor.levels.saturating_mul(response.levels);
        let mut it = Self {
            anchor,
            response,
            joint: Vec::new(),
            by_joint: Vec::new(),
            bits: if wide <= 1 << 8 { 8 } else { 16 },
        };
        // Then all columns are counted by both codes.
        if anchor.missing || wide > 1 << 16 {
            return it;
        }
        let filled = anchor.codes.len().next_multiple_of(VECTOR);
        it.joint.resize(filled * it.bits as usize / 8, 0);
        it.by_joint.resize(wide, 0);
        let rows = anchor.codes.iter().zip(&response.codes);
        let codes = rows.map(|(&w, &y)| w * response.levels as u32 + y);
        let each = it.joint.chunks_exact_mut(it.bits as usize / 8);
        for (code, to) in codes.zip(each) {
            it.by_joint[code as usize] += 1;
            to.copy_from_slice(&code.to_le_bytes()[..to.len()]);
        }
        it
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
