//! Brings the next anchor to a GPU: its sums, its codes, and its joint codes with the response.

use passel_kernels::{
    counting::{AnchorSums, ColumnCodes},
    joint_codes::JointCodesArgs,
};

use super::{
    super::{gpu::Gpu, memory::Buffer, scratch::GrowableBuffer},
    form::{Form, VECTOR},
    joint_codes::{JointCodeCounts, make_joint_codes},
    kernel_choice::needs_wide_codes,
    packs::{Packs, put},
    rows::sort_rows,
    sweep_buffers::AnchorBuffers,
};
use crate::{
    binning::Codes,
    device::{DeviceError, counting::Categorical},
};

/// Bytes of a column from which on copying it from another GPU is faster than reading it there.
pub(super) const LONG: usize = 1 << 20;

const DURING: &str = "laying out an anchor";

/// Where the next anchor comes from.
#[derive(Clone, Copy)]
pub(super) enum AnchorSource<'s> {
    /// The column that was chosen on the GPU; it may have as many levels as any.
    Chosen { levels: usize },
    /// A column of the GPU's, of these sums.
    Place(AnchorSums),
    /// Codes of the host's.
    Codes(AnchorSums, &'s Categorical),
    /// A column of the host's, of no more levels than joint codes have room for.
    Remote(AnchorSums, &'s Codes),
    /// A column in the memory of another GPU.
    Peer(AnchorSums, ColumnCodes),
    /// One level: sums over (x, w) are sums over x.
    Constant,
}

/// The response on a GPU, and the memory that anchors are laid out in.
pub(super) struct AnchorWorkspace {
    n: usize,
    /// The sums of an anchor of one level.
    pub(super) constant: AnchorSums,
    /// Levels of the response, and those of them that joint codes tell apart after relevance.
    pub(super) y_levels: usize,
    pub(super) classes: usize,
    /// The class that most rows have.
    y_most: u32,
    y: Buffer<u16>,
    y_wide: Buffer<u32>,
    joint: Buffer<u8>,
    counts: JointCodeCounts,
    /// Whether packs of entries ask for rows of each joint code.
    counts_rows: bool,
    /// Rows in the order of joint codes, where packs ask for it.
    pub(super) order: Option<Buffer<u64>>,
    /// A column that is not the GPU's.
    guest: GrowableBuffer<u16>,
    w: GrowableBuffer<u32>,
}

impl AnchorWorkspace {
    /// For a response of which joint codes tell `classes` apart, against these packs.
    pub(super) fn new(
        gpu: &Gpu,
        packs: &Packs,
        response: &Categorical,
        classes: usize,
        constant: AnchorSums,
    ) -> Result<Self, DeviceError> {
        let n = response.codes.len();
        let y: Vec<u16> = response.codes.iter().map(|&code| code as u16).collect();
        let forms = || packs.layout.packs.iter().map(|pack| pack.form);
        let sorts = forms().any(|form| form == Form::Rows);
        let order = sorts.then(|| gpu.buffer(n, DURING));
        Ok(Self {
            n,
            constant,
            y_levels: response.levels,
            classes,
            y_most: most_frequent(&response.codes, response.levels),
            y: put(gpu, &y)?,
            y_wide: put(gpu, &response.codes)?,
            joint: gpu.buffer(2 * n.next_multiple_of(VECTOR), DURING)?,
            counts: JointCodeCounts::default(),
            counts_rows: forms().any(|form| !matches!(form, Form::Rows | Form::Dense { .. })),
            order: order.transpose()?,
            guest: GrowableBuffer::default(),
            w: GrowableBuffer::default(),
        })
    }

    /// Lays an anchor out for `classes` classes of the response: its sums where `anchors` says,
    /// joint codes where `to` says if it does, of so many bits.
    pub(super) fn lay_out(
        &mut self,
        (gpu, packs): (&Gpu, &Packs),
        anchors: &Buffer<AnchorSums>,
        (source, classes): (AnchorSource, usize),
        to: Option<(u64, u32)>,
    ) -> Result<AnchorBuffers, DeviceError> {
        let (levels, sums) = match source {
            AnchorSource::Chosen { levels } => (levels, None),
            AnchorSource::Place(sums) => (sums.levels as usize, Some(sums)),
            AnchorSource::Constant => (1, Some(self.constant)),
            AnchorSource::Peer(sums, _)
            | AnchorSource::Codes(sums, _)
            | AnchorSource::Remote(sums, _) => {
                // Behind all places is what is none of the GPU's columns.
                let place = packs.count() as u32;
                (sums.levels as usize, Some(AnchorSums { place, ..sums }))
            }
        };
        let misses = matches!(source, AnchorSource::Codes(_, codes) if codes.missing);
        if let Some(sums) = sums {
            gpu.upload(&[sums], anchors.address())?;
        }
        let joint_levels = levels * classes;
        let bits = if joint_levels <= 1 << 8 { 8 } else { 16 };
        let (joint, bits) = to.unwrap_or((self.joint.address(), bits));
        let mut buffers = AnchorBuffers {
            batch: 1,
            anchors: anchors.address(),
            levels,
            classes,
            bits,
            joint,
            misses,
            y_most: if classes > 1 { self.y_most } else { 0 },
            y: self.y_wide.address(),
            y_levels: self.y_levels,
            order: self.order.as_ref().map_or(0, Buffer::address),
            ..AnchorBuffers::default()
        };
        let zeros;
        let codes = match source {
            AnchorSource::Constant => {
                zeros = Categorical::constant(self.n);
                Some(&zeros)
            }
            AnchorSource::Codes(_, codes)
                if needs_wide_codes(gpu, packs, (levels, classes), misses) =>
            {
                Some(codes)
            }
            _ => None,
        };
        if let Some(codes) = codes {
            buffers.w = self.w.room(gpu, self.n, DURING)?;
            gpu.upload(&codes.codes, buffers.w)?;
        }
        // Nobody reads joint codes of more bits, or of what misses values.
        if misses || joint_levels > 1 << 16 {
            return Ok(buffers);
        }
        let column = match source {
            AnchorSource::Chosen { .. } | AnchorSource::Place(_) => None,
            AnchorSource::Codes(_, anchor) => {
                let codes = anchor.codes.iter().map(|&code| code as u16).collect();
                Some(self.upload(gpu, &Codes::Word(codes), anchor.levels)?)
            }
            AnchorSource::Remote(sums, codes) => {
                Some(self.upload(gpu, codes, sums.levels as usize)?)
            }
            AnchorSource::Peer(_, column) => Some(self.fetch(gpu, column)?),
            AnchorSource::Constant => Some(ColumnCodes::default()),
        };
        if let Some(column) = column {
            gpu.upload(&[column], packs.places.at(packs.count()))?;
        }
        let counts = match self.counts_rows {
            true => self.counts.room(gpu, levels, classes)?,
            false => JointCodesArgs::default(),
        };
        let y = if classes > 1 { self.y.address() } else { 0 };
        make_joint_codes(gpu, packs, (self.n, y), &mut buffers, counts)?;
        sort_rows(gpu, self.n, &buffers)?;
        Ok(buffers)
    }

    /// Brings codes of the host's.
    fn upload(
        &mut self,
        gpu: &Gpu,
        codes: &Codes,
        levels: usize,
    ) -> Result<ColumnCodes, DeviceError> {
        let address = self.guest_room(gpu)?;
        let (bits, uploaded) = match codes {
            Codes::Byte(codes) => (8, gpu.upload(codes, address)),
            Codes::Word(codes) => (16, gpu.upload(codes, address)),
            Codes::Sparse { .. } => (16, gpu.upload(&codes.dense(), address)),
        };
        uploaded?;
        Ok(ColumnCodes {
            address,
            length: 1,
            levels: levels as u32,
            bits,
            ..ColumnCodes::default()
        })
    }

    /// Room for any dense column that is not the GPU's; it stays where it is.
    pub(super) fn guest_room(&mut self, gpu: &Gpu) -> Result<u64, DeviceError> {
        let codes = self.n.next_multiple_of(VECTOR);
        self.guest.room(gpu, codes, DURING)
    }

    /// A column of another GPU's, copied if it is long: kernels read it slower than copies do.
    fn fetch(&mut self, gpu: &Gpu, column: ColumnCodes) -> Result<ColumnCodes, DeviceError> {
        let bytes = bytes_of(self.n, column.bits);
        if bytes < LONG || (column.bits == 8 && column.length != 1) {
            return Ok(column);
        }
        let address = self.guest_room(gpu)?;
        gpu.copy(column.address, address, bytes)?;
        Ok(ColumnCodes { address, ..column })
    }
}

/// Bytes of so many dense codes, of whole words as kernels read them.
fn bytes_of(n: usize, bits: u32) -> usize {
    (n * bits as usize).div_ceil(8).next_multiple_of(4)
}

/// The code that comes most often.
fn most_frequent(codes: &[u32], levels: usize) -> u32 {
    let mut counts = vec![0usize; levels];
    codes.iter().for_each(|&code| counts[code as usize] += 1);
    let most = (0..).zip(counts).max_by_key(|(_, count)| *count);
    most.map_or(0, |(code, _)| code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copied_bytes_hold_every_code() {
        for (n, bits, bytes) in [(16, 4, 8), (17, 4, 12), (25, 4, 16), (3, 8, 4), (5, 16, 12)] {
            assert_eq!(bytes_of(n, bits), bytes, "{n} {bits}");
        }
        assert_eq!(bytes_of(2_097_153, 4), (1 << 20) + 4);
    }
}
