//! The floor that found pairs raise, with and without a loss. By pairs.

use passel_kernels::{
    Kernel,
    pair_floor::{self, PairFloorArgs},
    pairs::PairBounds,
};

use super::{super::gpu::arguments, DeviceError, KernelCase, TestGpu};

pub(super) struct Case;

impl KernelCase for Case {
    const KERNELS: &'static [Kernel] = &[pair_floor::KERNEL];
    const SIZES: &'static [usize] = &[1, 1023, 1024, 1025, 5000];

    fn check(test: &mut TestGpu, count: usize) -> Result<(), DeviceError> {
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
        for (room, kept, wanted) in [(count, 0, 10), (count, count / 2, count), (count - count / 4, count / 3, 5)] {
            for floor in [f32::NEG_INFINITY, 7.25] {
                let (found, found_count) = (test.put(&all)?, test.put(&[count as u32])?);
                let (floor_address, out) = (test.put(&[floor])?, test.put(&[0u32; 3])?);
                let args = PairFloorArgs {
                    found,
                    found_count,
                    room: room as u32,
                    kept: kept as u32,
                    wanted: wanted as u64,
                    floor: floor_address,
                    out,
                    floors: 0,
                };
                test.launch(&pair_floor::KERNEL, "pair_floor", (1, 1), (1024, 0), arguments![args])?;
                let (raised, stay) = pair_floor::reference(&all, (room, kept), wanted, floor);
                let bits = raised.to_bits();
                let expected = [count as u32, stay.len() as u32, bits];
                assert_eq!(test.get::<u32>(out, 3)?, expected);
                assert_eq!(test.get::<u32>(found_count, 1)?, [stay.len() as u32]);
                assert_eq!(test.get::<f32>(floor_address, 1)?[0].to_bits(), bits);
                assert_eq!(test.get::<PairBounds>(found, stay.len())?, stay);
            }
        }
        Ok(())
    }
}
