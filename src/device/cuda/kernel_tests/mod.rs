//! Every kernel alone, launched as its docs say, against its reference: one test body, and one
//! case a stem.
//!
//! A case makes inputs of a size from a seed. Sizes lie on both sides of the edges of blocks, and
//! beyond 46,341 (whose square passes 2³¹) where counting that far is cheap. Integers are equal bit
//! for bit; floats are within the tolerance that the case states.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::c_void,
    sync::{atomic::Ordering, mpsc::channel},
    thread,
    time::Duration,
};

use passel_kernels::{
    ALL, Kernel,
    counting::{AnchorSums, packed, sum},
};

use super::{
    super::{DeviceError, counting::tests::gpus},
    gpu::Gpu,
    memory::{Buffer, Pinned, as_launching_thread, with_waiting_kernels},
};
use crate::random::{Stream, uniform_below};

const DURING: &str = "testing a kernel";

/// What compares the kernel of one stem with its reference.
trait KernelCase {
    /// Kernels that are loaded first.
    const KERNELS: &'static [Kernel];

    /// Sizes of inputs; what they measure is the case's own.
    const SIZES: &'static [usize];

    /// Makes inputs of a size, launches every function of the kernel and compares.
    fn check(test: &mut TestGpu, size: usize) -> Result<(), DeviceError>;
}

/// Declares a module and a test for each stem.
macro_rules! cases {
    ($($stem:ident),+) => {
        $(
            mod $stem;

            #[test]
            fn $stem() {
                run_case::<$stem::Case>(stringify!($stem));
            }
        )+
    };
}

passel_kernels::for_each_stem!(cases);

/// Runs a case at each of its sizes on the first GPU; says so and passes where there is none and
/// none is required.
fn run_case<C: KernelCase>(stem: &str) {
    if gpus().is_none() {
        eprintln!("skipped, there is no GPU: {stem}");
        return;
    }
    let gpu = Gpu::open(0, C::KERNELS).unwrap();
    let mut test = TestGpu {
        gpu,
        buffers: Vec::new(),
        random: Stream::new(0, 0),
    };
    for (seed, &size) in (1..).zip(C::SIZES) {
        test.random = Stream::new(seed, 0);
        println!("{stem}: size {size}");
        C::check(&mut test, size).unwrap();
        test.gpu.wait(DURING).unwrap();
        test.buffers.clear();
    }
}

/// A GPU, the buffers of one check and its random words.
struct TestGpu {
    gpu: Gpu,
    buffers: Vec<Buffer<u8>>,
    random: Stream,
}

impl TestGpu {
    /// The address of a copy of these values on the GPU.
    fn put<T: Copy>(&mut self, values: &[T]) -> Result<u64, DeviceError> {
        let bytes = size_of_val(values).max(16);
        let buffer = self.gpu.buffer::<u8>(bytes, DURING)?;
        let address = buffer.address();
        self.gpu.upload(values, address)?;
        self.gpu.wait(DURING)?;
        self.buffers.push(buffer);
        Ok(address)
    }

    /// Copies values to where others lie.
    fn set<T: Copy>(&self, address: u64, values: &[T]) -> Result<(), DeviceError> {
        self.gpu.upload(values, address)?;
        self.gpu.wait(DURING)
    }

    /// Values from the GPU, after all its work.
    fn get<T: Copy + Default>(&self, address: u64, len: usize) -> Result<Vec<T>, DeviceError> {
        let mut values = vec![T::default(); len];
        self.gpu.download(address, &mut values)?;
        self.gpu.wait(DURING)?;
        Ok(values)
    }

    /// Launches with `shared` bytes of dynamic shared memory.
    fn launch(
        &self,
        kernel: &Kernel,
        function: &'static str,
        grid: (u32, u32),
        (threads, shared): (u32, usize),
        arguments: &mut [*mut c_void],
    ) -> Result<(), DeviceError> {
        let grid = (grid.0, grid.1, 1);
        self.gpu
            .launch(kernel, function, grid, threads, shared as u32, arguments)
    }

    /// A random integer below `count`.
    fn below(&mut self, count: usize) -> usize {
        uniform_below(self.random.next_word(), count)
    }

    /// Random codes of `n` rows, low ones more often.
    fn codes(&mut self, n: usize, levels: u32) -> Vec<u32> {
        let mut code = || self.below(levels as usize).min(self.below(levels as usize)) as u32;
        (0..n).map(|_| code()).collect()
    }

    /// Bytes of `n` rows.
    fn bytes(&mut self, n: usize, levels: u32) -> Vec<u8> {
        let codes = self.codes(n, levels);
        codes.into_iter().map(|code| code as u8).collect()
    }

    /// A random order of 0 … n − 1.
    fn order(&mut self, n: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..n as u32).collect();
        self.random.shuffle(&mut order);
        order
    }

    /// A number in −1 … 1.
    fn number(&mut self) -> f64 {
        (self.random.next_word() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Columns, column-major, and a response, all at unit norm: n × p, and n.
    fn regression(&mut self, n: usize, p: usize) -> (Vec<f64>, Vec<f64>) {
        let mut column = || {
            let values: Vec<f64> = (0..n).map(|_| self.number()).collect();
            let norm = values.iter().map(|value| value * value).sum::<f64>().sqrt();
            values.into_iter().map(move |value| value / norm)
        };
        let y = column().collect();
        ((0..p).flat_map(|_| column()).collect(), y)
    }

    /// An anchor of `w` levels beside `classes` of a response.
    fn anchor(&mut self, n: usize, w: u32, classes: u32) -> TestAnchor {
        let (level, class) = (self.codes(n, w), self.codes(n, classes));
        let joint = level.iter().zip(class).map(|(w, y)| w * classes + y);
        TestAnchor {
            joint: joint.collect(),
            levels: w,
            classes,
        }
    }

    /// Addresses of the [`AnchorSums`] of anchors, and of their joint codes of so many bits; bytes
    /// from one to the next.
    fn put_anchors(
        &mut self,
        anchors: &[TestAnchor],
        bits: u32,
    ) -> Result<(u64, u64, i64), DeviceError> {
        let n = anchors[0].joint.len();
        let sums: Vec<AnchorSums> = anchors.iter().map(TestAnchor::sums).collect();
        let joint: Vec<Vec<u8>> = anchors.iter().map(|it| packed(&it.joint, bits)).collect();
        let stride = 2 * n.div_ceil(16) * bits as usize;
        Ok((self.put(&sums)?, self.put(&joint.concat())?, stride as i64))
    }

    /// Work that lets kernels wait for a word of the host's memory, which is raised after a while:
    /// so that what would hang ends instead. False where it was raised.
    fn with_stop(
        &self,
        work: impl FnOnce(u64) -> Result<(), DeviceError>,
    ) -> Result<bool, DeviceError> {
        let stop: Pinned<u32> = self.gpu.pinned(1)?;
        let (ended, wait) = channel::<()>();
        let launch = || work(stop.address()).and_then(|()| self.gpu.wait(DURING));
        thread::scope(|scope| {
            let word = stop.word();
            scope.spawn(move || {
                if wait.recv_timeout(Duration::from_secs(20)).is_err() {
                    word.store(1, Ordering::Relaxed);
                }
            });
            // No other test frees memory meanwhile, which would wait for these kernels.
            let done = with_waiting_kernels(|| as_launching_thread(launch));
            let _ = ended.send(());
            done.map(|()| word.load(Ordering::Relaxed) == 0)
        })
    }
}

/// c·ln c of 0 … n with 20 fraction bits.
fn terms(n: usize) -> Vec<i64> {
    let term = |c: usize| c as f64 * (c.max(1) as f64).ln() * (1 << 20) as f64;
    (0..=n).map(|c| term(c).round() as i64).collect()
}

/// Joint codes of an anchor.
struct TestAnchor {
    joint: Vec<u32>,
    levels: u32,
    classes: u32,
}

impl TestAnchor {
    /// Rows of each joint code, and of each level.
    fn margins(&self) -> (Vec<u32>, Vec<u32>) {
        let mut by_joint = vec![0; (self.levels * self.classes) as usize];
        for &joint in &self.joint {
            by_joint[joint as usize] += 1;
        }
        let by_level = by_joint.chunks(self.classes as usize);
        let by_level = by_level.map(|counts| counts.iter().sum()).collect();
        (by_joint, by_level)
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

/// Panics unless two floats are within a relative tolerance of one another, or within it of 0.
#[track_caller]
fn assert_near(kernel: f64, reference: f64, tolerance: f64) {
    let off = (kernel - reference).abs() / reference.abs().max(1.0);
    assert!(off <= tolerance, "{kernel} is not {reference}");
}

/// Two kernels may export functions of one name: each is found in its own kernel.
#[test]
fn functions_are_those_of_their_own_kernels() {
    let names: BTreeSet<&str> = ALL.iter().map(|kernel| kernel.name).collect();
    assert_eq!(names.len(), ALL.len());
    if gpus().is_none() {
        return;
    }
    let gpu = Gpu::open(0, ALL).unwrap();
    let functions = ALL.iter().flat_map(|kernel| {
        kernel
            .functions
            .iter()
            .map(move |name| (kernel.name, *name))
    });
    let mut modules = BTreeMap::new();
    let mut handles = BTreeSet::new();
    for (kernel, name) in functions {
        let (handle, module) = gpu.identity(kernel, name).unwrap();
        assert!(handles.insert(handle), "{kernel}: {name}");
        assert_eq!(*modules.entry(kernel).or_insert(module), module, "{name}");
    }
    let distinct: BTreeSet<usize> = modules.values().copied().collect();
    assert_eq!(distinct.len(), ALL.len());
}
