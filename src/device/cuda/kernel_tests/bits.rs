//! Columns as rows of bits, and the counts of each; the same tiles serve the kernels of pairs. By
//! rows.

use passel_kernels::{
    Kernel,
    bits::{self, BITS, BitsArgs, PIECES, SIDE, row_of, word_at},
};

use super::{super::gpu::arguments, DeviceError, KernelCase, TestGpu};

pub(super) struct Case;

/// Columns of as many levels each, with their tiles as the reference says.
pub(super) struct BitColumns {
    pub(super) n: usize,
    pub(super) levels: usize,
    pub(super) classes: usize,
    pub(super) codes: Vec<Vec<u8>>,
    pub(super) y: Vec<u8>,
    /// The observation of each bit.
    pub(super) order: Vec<u32>,
    /// The chunk where each class begins, and the end.
    pub(super) edges: Vec<u32>,
    /// Observations of each class.
    pub(super) sizes: Vec<u32>,
    pub(super) tiles: Vec<u8>,
    /// Of each column, of each class, of each plane.
    pub(super) margins: Vec<u32>,
}

impl BitColumns {
    pub(super) fn new(
        test: &mut TestGpu,
        (n, count): (usize, usize),
        levels: usize,
        classes: usize,
    ) -> Self {
        let y = test.bytes(n, classes as u32);
        let codes: Vec<Vec<u8>> = (0..count).map(|_| test.bytes(n, levels as u32)).collect();
        let (mut order, mut edges, mut sizes) = (Vec::new(), vec![0], Vec::new());
        for class in 0..classes {
            let own = (0..n as u32).filter(|&row| usize::from(y[row as usize]) == class);
            let before = order.len();
            order.extend(own);
            sizes.push((order.len() - before) as u32);
            order.resize(order.len().next_multiple_of(BITS), n as u32);
            edges.push((order.len() / BITS) as u32);
        }
        let mut columns = Self {
            n,
            levels,
            classes,
            codes,
            y,
            order,
            edges,
            sizes,
            tiles: Vec::new(),
            margins: Vec::new(),
        };
        columns.lay();
        columns
    }

    /// Makes tiles and margins, by the reference.
    fn lay(&mut self) {
        let tile = self.chunks() * PIECES;
        self.tiles = vec![0; self.codes.len().div_ceil(self.each()) * tile];
        for (column, codes) in self.codes.iter().enumerate() {
            let from = column / self.each() * tile;
            let planes: Vec<Vec<bool>> = (0..self.planes())
                .map(|plane| bits::reference(codes, &self.order, plane as u8))
                .collect();
            for (plane, set) in planes.iter().enumerate() {
                let row = row_of(column % self.each(), plane, self.planes());
                for at in (0..set.len()).filter(|at| set[*at]) {
                    let byte = from + word_at(row, at / 32) + at % 32 / 8;
                    self.tiles[byte] |= 1 << (at % 8);
                }
            }
            for edges in self.edges.windows(2) {
                let own = edges[0] as usize * BITS..edges[1] as usize * BITS;
                let count = |set: &Vec<bool>| set[own.clone()].iter().filter(|set| **set).count();
                self.margins.extend(planes.iter().map(|set| count(set) as u32));
            }
        }
    }

    pub(super) fn planes(&self) -> usize {
        self.levels - 1
    }

    /// Columns of a tile.
    pub(super) fn each(&self) -> usize {
        SIDE / self.planes()
    }

    pub(super) fn chunks(&self) -> usize {
        self.order.len() / BITS
    }
}

impl KernelCase for Case {
    const KERNELS: &'static [Kernel] = &[bits::KERNEL];
    const SIZES: &'static [usize] = &[1, 511, 512, 513, 1025, 5000];

    fn check(test: &mut TestGpu, n: usize) -> Result<(), DeviceError> {
        for planes in [1, 2, 3, 9, 63, 128] {
            let count = 2 * (SIDE / planes) + 1;
            let columns = BitColumns::new(test, (n, count), planes + 1, 3);
            let (tiles, margins) = (
                test.put(&vec![0u8; columns.tiles.len()])?,
                test.put(&vec![u32::MAX; columns.margins.len()])?,
            );
            let args = BitsArgs {
                codes: test.put(&columns.codes.concat())?,
                stride: n as i64,
                order: test.put(&columns.order)?,
                rows: n as u32,
                chunks: columns.chunks() as u32,
                planes: planes as u32,
                each: columns.each() as u32,
                first: 0,
                columns: count as u32,
                tiles,
                edges: test.put(&columns.edges)?,
                classes: 3,
                margins,
            };
            let grid = (count as u32, 2);
            test.launch(&bits::KERNEL, "bits", grid, (256, 0), arguments![args])?;
            test.launch(&bits::KERNEL, "margins", (5, 1), (256, 0), arguments![args])?;
            let found = test.get::<u8>(tiles, columns.tiles.len())?;
            assert!(found == columns.tiles, "{planes} planes");
            let found = test.get::<u32>(margins, columns.margins.len())?;
            assert_eq!(found, columns.margins, "{planes} planes");
        }
        Ok(())
    }
}
