//! What the tests launch kernels with: random columns, anchors and regressions, and room for sums.

use passel_kernels::{
    counting::{AnchorSums, ColumnCodes, UNFILLED, packed, sum},
    dense,
};

use super::TestGpu;

/// Sums that a kernel has not written, or must leave.
pub const LEFT: i64 = -7;

/// c·ln c of 0 … n with 20 fraction bits.
pub fn terms(n: usize) -> Vec<i64> {
    let term = |c: usize| c as f64 * (c.max(1) as f64).ln() * (1 << 20) as f64;
    (0..=n).map(|c| term(c).round() as i64).collect()
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The entries of a column off a code.
pub fn entries_off(codes: &[u32], most: u32) -> (Vec<u32>, Vec<u16>) {
    let entries = (0u32..).zip(codes).filter(|entry| *entry.1 != most);
    entries.map(|(row, &code)| (row, code as u16)).unzip()
}

/// Panics unless two floats are within a relative tolerance of one another, or within it of 0.
#[track_caller]
pub fn assert_near(kernel: f64, reference: f64, tolerance: f64) {
    let off = (kernel - reference).abs() / reference.abs().max(1.0);
    assert!(off <= tolerance, "{kernel} is not {reference}");
}

/// Compares whole tables of columns of so many levels, beside one anchor.
#[track_caller]
pub fn compare_tables<'c>(
    test: &TestGpu,
    tables: u64,
    columns: impl ExactSizeIterator<Item = &'c Vec<u32>>,
    levels: u32,
    anchor: &TestAnchor,
) {
    let cells = levels as usize * anchor.wide();
    let tables = test.get::<u32>(tables, columns.len() * cells);
    for (table, codes) in tables.chunks(cells).zip(columns) {
        let expected = dense::table(codes, &anchor.joint, levels, anchor.wide() as u32);
        assert!(table.iter().map(|count| u64::from(*count)).eq(expected));
    }
}

/// Joint codes of an anchor of so many levels beside so many classes of a response.
#[derive(Clone)]
pub struct TestAnchor {
    pub joint: Vec<u32>,
    pub levels: u32,
    pub classes: u32,
}

impl TestAnchor {
    /// Joint codes that there may be.
    pub fn wide(&self) -> usize {
        (self.levels * self.classes) as usize
    }

    /// The same of the rows in another order.
    pub fn permuted(&self, order: &[u32]) -> Self {
        let joint = order.iter().map(|&row| self.joint[row as usize]);
        Self {
            joint: joint.collect(),
            ..*self
        }
    }

    /// Rows of each joint code, and of each level.
    pub fn margins(&self) -> [Vec<u32>; 2] {
        let mut by_joint = vec![0; self.wide()];
        for &joint in &self.joint {
            by_joint[joint as usize] += 1;
        }
        let by_level = by_joint.chunks(self.classes as usize);
        let by_level = by_level.map(|counts| counts.iter().sum()).collect();
        [by_joint, by_level]
    }

    fn sums(&self) -> AnchorSums {
        let terms = terms(self.joint.len());
        let level = self.joint.iter().map(|joint| joint / self.classes);
        AnchorSums {
            w: sum(level, &terms),
            wy: sum(&self.joint, &terms),
            levels: self.levels,
            place: 0,
        }
    }
}

/// A batch of anchors on the GPU: their [`AnchorSums`], and their joint codes.
pub struct Batch {
    pub sums: u64,
    pub joint: u64,
    /// Bytes from one to the next.
    pub stride: i64,
}

/// Sums of so many columns beside each anchor of a batch, [`LEFT`] at first.
pub struct TestSums {
    pub xw: u64,
    pub xwy: u64,
    columns: usize,
}

impl TestSums {
    /// Compares the sums of some columns with what they ought to be beside the joint codes of each
    /// anchor, none where they are left. Of one class those over (x, w, y) always are.
    pub fn compare(
        &self,
        test: &TestGpu,
        anchors: &[TestAnchor],
        columns: impl Iterator<Item = usize> + Clone,
        expected: impl Fn(usize, &[u32]) -> Option<[i64; 2]>,
        what: &str,
    ) {
        let count = self.columns * anchors.len();
        let found = [self.xw, self.xwy].map(|sums| test.get::<i64>(sums, count));
        for (batch, anchor) in anchors.iter().enumerate() {
            for column in columns.clone() {
                let mut expected = expected(column, &anchor.joint).unwrap_or([LEFT; 2]);
                if anchor.classes == 1 {
                    expected[1] = LEFT;
                }
                let found = found
                    .each_ref()
                    .map(|sums| sums[batch * self.columns + column]);
                let classes = anchor.classes;
                assert_eq!(
                    found, expected,
                    "{what}, {classes} classes, column {column}"
                );
            }
        }
    }
}

/// Random inputs, and their place on the GPU.
impl TestGpu {
    /// A random word, by SplitMix64.
    pub fn word(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A random integer below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        (self.word() % count as u64) as usize
    }

    /// Random codes of `n` rows, low ones more often.
    pub fn codes(&mut self, n: usize, levels: u32) -> Vec<u32> {
        let mut code = || self.below(levels as usize).min(self.below(levels as usize)) as u32;
        (0..n).map(|_| code()).collect()
    }

    /// The same as bytes.
    pub fn bytes(&mut self, n: usize, levels: u32) -> Vec<u8> {
        let codes = self.codes(n, levels);
        codes.into_iter().map(|code| code as u8).collect()
    }

    /// A random order of 0 … n − 1.
    pub fn order(&mut self, n: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..n as u32).collect();
        for at in (1..n).rev() {
            order.swap(at, self.below(at + 1));
        }
        order
    }

    /// Columns, column-major, and a response, all at unit norm: n × p, and n.
    pub fn regression(&mut self, n: usize, p: usize) -> (Vec<f64>, Vec<f64>) {
        let mut number = || (self.word() >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        let mut column = || {
            let values: Vec<f64> = (0..n).map(|_| number()).collect();
            let norm = dot(&values, &values).sqrt();
            values.into_iter().map(move |value| value / norm)
        };
        let y = column().collect();
        ((0..p).flat_map(|_| column()).collect(), y)
    }

    /// A random anchor.
    pub fn anchor(&mut self, n: usize, levels: u32, classes: u32) -> TestAnchor {
        let (level, class) = (self.codes(n, levels), self.codes(n, classes));
        let joint = level.iter().zip(class).map(|(w, y)| w * classes + y);
        TestAnchor {
            joint: joint.collect(),
            levels,
            classes,
        }
    }

    /// Anchors whose joint codes have so many bits.
    pub fn put_anchors(&mut self, anchors: &[TestAnchor], bits: u32) -> Batch {
        let sums: Vec<AnchorSums> = anchors.iter().map(TestAnchor::sums).collect();
        let joint = anchors.iter().map(|anchor| packed(&anchor.joint, bits));
        let joint: Vec<Vec<u8>> = joint.collect();
        Batch {
            sums: self.put(&sums),
            joint: self.put(&joint.concat()),
            stride: joint[0].len() as i64,
        }
    }

    /// Room for the sums of so many columns beside so many anchors.
    pub fn put_sums(&mut self, anchors: usize, columns: usize) -> TestSums {
        TestSums {
            xw: self.fill(LEFT, anchors * columns),
            xwy: self.fill(LEFT, anchors * columns),
            columns,
        }
    }

    /// A column of so many bits a code.
    pub fn put_dense(&mut self, codes: &[u32], levels: u32, bits: u32) -> ColumnCodes {
        ColumnCodes {
            address: self.put(&packed(codes, bits)),
            length: 1,
            levels,
            bits,
            ..ColumnCodes::default()
        }
    }

    /// A column that lists its entries off a code, with so many places not filled.
    pub fn put_entries(
        &mut self,
        codes: &[u32],
        levels: u32,
        most: u32,
        unfilled: usize,
    ) -> ColumnCodes {
        let (mut rows, mut own) = entries_off(codes, most);
        rows.resize(rows.len() + unfilled, 0);
        own.resize(rows.len(), UNFILLED);
        ColumnCodes {
            address: self.put(&rows),
            codes: self.put(&own),
            length: rows.len() as u32,
            most,
            levels,
            bits: 0,
        }
    }
}
