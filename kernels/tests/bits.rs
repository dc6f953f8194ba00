//! Columns as rows of bits, and the counts of each; the same tiles serve the kernels of pairs. By
//! rows.

use passel_kernels::bits::{self, BITS, BitsArgs, PIECES, SIDE, row_of, word_at};

use super::{TestGpu, arguments};

pub const SIZES: &[usize] = &[1, 511, 512, 513, 1025, 5000];

/// Columns of as many levels each, with their tiles as the reference says.
#[derive(Default)]
pub struct BitColumns {
    pub n: usize,
    pub levels: usize,
    pub classes: usize,
    pub codes: Vec<Vec<u8>>,
    pub y: Vec<u8>,
    /// The observation of each bit.
    order: Vec<u32>,
    /// The chunk where each class begins, and the end.
    pub edges: Vec<u32>,
    /// Observations of each class.
    pub sizes: Vec<u32>,
    pub tiles: Vec<u8>,
    /// Of each column, of each class, of each plane.
    pub margins: Vec<u32>,
}

impl BitColumns {
    pub fn new(
        test: &mut TestGpu,
        (n, count): (usize, usize),
        levels: usize,
        classes: usize,
    ) -> Self {
        let mut columns = Self {
            n,
            levels,
            classes,
            y: test.bytes(n, classes as u32),
            codes: (0..count).map(|_| test.bytes(n, levels as u32)).collect(),
            edges: vec![0],
            ..Self::default()
        };
        let order = &mut columns.order;
        for class in 0..classes {
            let before = order.len();
            order.extend((0..n as u32).filter(|row| columns.y[*row as usize] == class as u8));
            columns.sizes.push((order.len() - before) as u32);
            order.resize(order.len().next_multiple_of(BITS), n as u32);
            columns.edges.push((order.len() / BITS) as u32);
        }
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
                self.margins
                    .extend(planes.iter().map(|set| count(set) as u32));
            }
        }
    }

    pub fn planes(&self) -> usize {
        self.levels - 1
    }

    /// Columns of a tile.
    pub fn each(&self) -> usize {
        SIDE / self.planes()
    }

    pub fn chunks(&self) -> usize {
        self.order.len() / BITS
    }
}

pub fn check(test: &mut TestGpu, n: usize) {
    for planes in [1, 2, 3, 9, 63, 128] {
        let count = 2 * (SIDE / planes) + 1;
        let columns = BitColumns::new(test, (n, count), planes + 1, 3);
        let args = BitsArgs {
            codes: test.put(&columns.codes.concat()),
            stride: n as i64,
            order: test.put(&columns.order),
            rows: n as u32,
            chunks: columns.chunks() as u32,
            planes: planes as u32,
            each: columns.each() as u32,
            first: 0,
            columns: count as u32,
            tiles: test.fill(0u8, columns.tiles.len()),
            edges: test.put(&columns.edges),
            classes: 3,
            margins: test.fill(u32::MAX, columns.margins.len()),
        };
        let given = arguments![args];
        test.launch(&bits::KERNEL, "bits", (count as u32, 2), (256, 0), given);
        test.launch(&bits::KERNEL, "margins", (5, 1), (256, 0), arguments![args]);
        let found = test.get::<u8>(args.tiles, columns.tiles.len());
        assert!(found == columns.tiles, "{planes} planes");
        let found = test.get::<u32>(args.margins, columns.margins.len());
        assert_eq!(found, columns.margins, "{planes} planes");
    }
}
