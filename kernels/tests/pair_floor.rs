//! The floor that found pairs raise, with and without a loss. By pairs.

use passel_kernels::{
    pair_floor::{self, PairFloorArgs},
    pairs::PairBounds,
};

use super::{TestGpu, arguments};

pub const SIZES: &[usize] = &[1, 1023, 1024, 1025, 5000];

pub fn check(test: &mut TestGpu, count: usize) {
    let pair = |a: usize| {
        // Some are equal.
        let least = (test.below(count) as f32) - 20.5;
        PairBounds {
            a: a as u32,
            b: 1,
            least,
            most: least + test.below(9) as f32,
        }
    };
    let all: Vec<PairBounds> = (0..count).map(pair).collect();
    for (room, kept, wanted) in [
        (count, 0, 10),
        (count, count / 2, count),
        (count - count / 4, count / 3, 5),
    ] {
        for floor in [f32::NEG_INFINITY, 7.25] {
            let args = PairFloorArgs {
                found: test.put(&all),
                found_count: test.put(&[count as u32]),
                room: room as u32,
                kept: kept as u32,
                wanted: wanted as u64,
                floor: test.put(&[floor]),
                out: test.fill(0u32, 3),
                floors: 0,
            };
            let given = arguments![args];
            test.launch(&pair_floor::KERNEL, "pair_floor", (1, 1), (1024, 0), given);
            let (raised, stay) = pair_floor::reference(&all, (room, kept), wanted, floor);
            let (bits, stays) = (raised.to_bits(), stay.len() as u32);
            assert_eq!(test.get::<u32>(args.out, 3), [count as u32, stays, bits]);
            assert_eq!(test.get::<u32>(args.found_count, 1), [stays]);
            assert_eq!(test.get::<f32>(args.floor, 1)[0].to_bits(), bits);
            assert_eq!(test.get::<PairBounds>(args.found, stay.len()), stay);
        }
    }
}
