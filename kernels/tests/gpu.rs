//! The first GPU, as far as tests need one: kernels are compiled when they are first launched.

#![allow(unsafe_code)]

use std::{
    any::Any,
    cell::RefCell,
    collections::HashMap,
    env,
    ffi::c_void,
    ptr,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
        mpsc::channel,
    },
    thread,
    time::Duration,
};

use cudarc::{
    driver::{
        CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, result,
        sys::{
            self,
            CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN as SHARED,
            CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as DYNAMIC,
        },
    },
    nvrtc::Ptx,
};
use passel_kernels::Kernel;

use crate::compile::{compile, nvrtc};

/// A queue of launches that others do not wait for.
pub type Stream = Arc<CudaStream>;

/// A GPU, the buffers of one check and its random words.
pub struct TestGpu {
    context: Arc<CudaContext>,
    stream: Stream,
    /// By the names of kernel and function.
    functions: RefCell<HashMap<(&'static str, &'static str), CudaFunction>>,
    buffers: Vec<CudaSlice<u8>>,
    pub random: u64,
}

/// The arguments of a launch, of just the types that the kernel has.
macro_rules! arguments {
    ($($value:expr),* $(,)?) => {
        &[$(&$value as &dyn std::any::Any),*]
    };
}
pub(crate) use arguments;

/// Opens the GPU, where there is one and kernels can be compiled.
fn context() -> Result<Arc<CudaContext>, String> {
    // SAFETY: opens the library and closes it.
    if !unsafe { sys::is_culib_present() } {
        return Err("there is no NVIDIA driver".to_owned());
    }
    nvrtc()?;
    CudaContext::new(0).map_err(|error| error.to_string())
}

impl TestGpu {
    /// The first GPU.
    ///
    /// # Panics
    /// If there is none and `PASSEL_REQUIRE_CUDA` is set.
    pub fn open() -> Option<Self> {
        let context = match context() {
            Ok(context) => context,
            Err(reason) => {
                assert!(env::var_os("PASSEL_REQUIRE_CUDA").is_none(), "{reason}");
                return None;
            }
        };
        Some(Self {
            stream: context.new_stream().unwrap(),
            context,
            functions: RefCell::default(),
            buffers: Vec::new(),
            random: 0,
        })
    }

    /// Begins a check: with other random words, and without the buffers of the last.
    pub fn begin(&mut self, seed: u64) {
        self.random = seed << 32;
        self.buffers.clear();
    }

    pub fn capability(&self) -> (i32, i32) {
        self.context.compute_capability().unwrap()
    }

    /// Bytes of shared memory that a block may have.
    pub fn shared(&self) -> usize {
        self.context.attribute(SHARED).unwrap() as usize
    }

    /// A stream beside that of [`launch`](Self::launch).
    pub fn side(&self) -> Stream {
        self.context.new_stream().unwrap()
    }

    /// The address of a copy of these values on the GPU, at a multiple of 256 bytes.
    pub fn put<T: Copy>(&mut self, values: &[T]) -> u64 {
        let bytes = size_of_val(values).max(16);
        let buffer = self.stream.alloc_zeros::<u8>(bytes).unwrap();
        let (address, _) = buffer.device_ptr(&self.stream);
        self.set(address, values);
        self.buffers.push(buffer);
        address
    }

    /// The address of so many values on the GPU, all of them this one.
    pub fn fill<T: Copy>(&mut self, value: T, count: usize) -> u64 {
        self.put(&vec![value; count])
    }

    /// Copies values to where others lie.
    pub fn set<T: Copy>(&self, address: u64, values: &[T]) {
        if !values.is_empty() {
            // SAFETY: the address is of a buffer of `put` with room for them, and they stay until the
            // wait below.
            unsafe { result::memcpy_htod_async(address, values, self.stream.cu_stream()) }.unwrap();
        }
        self.stream.synchronize().unwrap();
    }

    /// Values from the GPU, after the work launched there.
    pub fn get<T: Copy + Default>(&self, address: u64, count: usize) -> Vec<T> {
        let mut values = vec![T::default(); count];
        if count > 0 {
            // SAFETY: the address is of a buffer of `put` that holds them; any bits are a value of
            // what kernels write, and it is there until the wait below.
            unsafe { result::memcpy_dtoh_async(&mut values, address, self.stream.cu_stream()) }
                .unwrap();
        }
        self.stream.synchronize().unwrap();
        values
    }

    /// Launches a function with `shared` bytes of dynamic shared memory.
    pub fn launch(
        &self,
        kernel: &Kernel,
        function: &'static str,
        grid: (u32, u32),
        shape: (u32, usize),
        arguments: &[&dyn Any],
    ) {
        self.launch_on(&self.stream, kernel, function, grid, shape, arguments);
    }

    /// The same on another stream.
    pub fn launch_on(
        &self,
        stream: &Stream,
        kernel: &Kernel,
        function: &'static str,
        (x, y): (u32, u32),
        (threads, shared): (u32, usize),
        arguments: &[&dyn Any],
    ) {
        let mut functions = self.functions.borrow_mut();
        if !functions.contains_key(&(kernel.name, function)) {
            let module = self.context.load_module(self.compiled(kernel)).unwrap();
            for name in kernel.functions {
                let loaded = module.load_function(name).unwrap();
                functions.insert((kernel.name, name), loaded);
            }
        }
        let function = &functions[&(kernel.name, function)];
        // With what kernels have of their own, 48 KiB take no asking.
        if shared > 46 << 10 {
            function.set_attribute(DYNAMIC, shared as i32).unwrap();
        }
        let address = |value: &&dyn Any| ptr::from_ref(*value).cast_mut().cast::<c_void>();
        let mut arguments: Vec<*mut c_void> = arguments.iter().map(address).collect();
        // SAFETY: the callers pass what the kernels' docs ask for; arguments are read before this
        // returns.
        unsafe {
            result::launch_kernel(
                function.cu_function(),
                (x, y, 1),
                (threads, 1, 1),
                shared as u32,
                stream.cu_stream(),
                &mut arguments,
            )
        }
        .unwrap();
    }

    /// A kernel for this GPU.
    fn compiled(&self, kernel: &Kernel) -> Ptx {
        let capability @ (major, minor) = self.capability();
        // Only with the `a` are Hopper's own instructions to be had.
        let own = if capability == (9, 0) { "a" } else { "" };
        let compiled = compile(kernel, &format!("sm_{major}{minor}{own}"), &[]);
        Ptx::from_binary(compiled.unwrap_or_else(|log| panic!("{log}")).0)
    }

    /// Runs work that lets kernels wait for a word of the host's memory, and waits for the streams.
    /// The word is raised after 20 s, so that what would hang ends instead; false where it was.
    pub fn with_stop(&self, streams: &[Stream], work: impl FnOnce(u64)) -> bool {
        // SAFETY: the one value is set before it is read.
        let mut pinned = unsafe { self.context.alloc_pinned_with_flags::<u32>(1, 0) }.unwrap();
        pinned.as_mut_slice().unwrap()[0] = 0;
        let address = pinned.as_mut_ptr().unwrap();
        // SAFETY: it lies there until the end, and host and GPU alike take it as one word.
        let word = unsafe { AtomicU32::from_ptr(address) };
        let (ended, wait) = channel::<()>();
        thread::scope(|scope| {
            scope.spawn(move || {
                if wait.recv_timeout(Duration::from_secs(20)).is_err() {
                    word.store(1, Ordering::Relaxed);
                }
            });
            work(address as u64);
            for stream in streams {
                stream.synchronize().unwrap();
            }
            let _ = ended.send(());
        });
        word.load(Ordering::Relaxed) == 0
    }
}
