//! Exact sums of pairs of columns of one and of different numbers of levels. By rows.

use passel_kernels::{
    bits::PIECES,
    pair_sums::{self, BitColumn, PairSumsArgs},
    pairs::PairBounds,
};

use super::{TestGpu, arguments, bits::BitColumns, terms};

pub const SIZES: &[usize] = &[1, 511, 512, 513, 3000, 46_349];

pub fn check(test: &mut TestGpu, n: usize) {
    let terms = terms(n);
    for (levels, classes) in [(2, 2), (3, 1), (12, 3)] {
        let columns = BitColumns::new(test, (n, 5), levels, classes);
        let (tiles, margins) = (test.put(&columns.tiles), test.put(&columns.margins));
        let (planes, each) = (columns.planes(), columns.each());
        let place = |at: usize| BitColumn {
            tile: tiles + (at / each * columns.chunks() * PIECES) as u64,
            margins: margins + (4 * at * classes * planes) as u64,
            planes: planes as u32,
            within: (at % each) as u32,
        };
        let pairs = [(0, 1), (4, 2), (3, 3), (1, 4)];
        let found = pairs.map(|(a, b)| PairBounds {
            a,
            b,
            ..PairBounds::default()
        });
        let args = PairSumsArgs {
            variables: test.put(&[0, 1, 2, 3, 4].map(place)),
            sizes: test.put(&columns.sizes),
            edges: test.put(&columns.edges),
            classes: classes as u32,
            count: 4,
            terms: test.put(&terms),
            found: test.put(&found),
            sums: test.fill(0i64, 8),
        };
        let shape = (128, 4 * levels * levels * classes);
        let given = arguments![args];
        test.launch(&pair_sums::KERNEL, "pair_sums", (3, 1), shape, given);
        let found = test.get::<[i64; 2]>(args.sums, 4);
        for ((a, b), sums) in pairs.into_iter().zip(found) {
            let [x, w] = [a, b].map(|at: u32| &columns.codes[at as usize]);
            let expected = pair_sums::reference(x, w, &columns.y, &terms);
            assert_eq!((sums[0], sums[1]), expected, "{a} {b}, {classes} classes");
        }
    }
}
