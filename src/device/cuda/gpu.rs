//! One GPU: its context, streams and kernels. All calls of the driver but those of
//! `library` and `compile` are here.

#![allow(unsafe_code)]

use std::{cell::Cell, collections::HashMap, ffi::c_void, marker::PhantomData, sync::Arc};

use cudarc::{
    cublas::CudaBlas,
    driver::{CudaContext, CudaEvent, CudaFunction, CudaStream, DriverError, result, sys},
};
use passel_kernels::Kernel;

use super::{
    super::DeviceError,
    compile, library,
    memory::{Buffer, Pinned, sync_guard},
};
use crate::panics::catch_panic;

/// From so many times the rate of f64 on, f32 screens unasked.
const SLOW_F64: i32 = 8;

/// Blocks in the second dimension of a grid, which has no room for many more.
pub(super) const GRID: usize = 32_768;

/// An opened GPU. Nothing it does waits for its end but [`Gpu::wait`] and copies to
/// memory that is not pinned.
pub(super) struct Gpu {
    /// As in `cuda:0 NVIDIA H200`.
    pub(super) name: String,
    /// Whether f64 runs at a small share of the rate of f32.
    pub(super) slow_f64: bool,
    /// Whether it has tensor cores for tf32.
    pub(super) has_tf32: bool,
    /// Multiprocessors.
    pub(super) processors: u32,
    /// Bytes of shared memory a block may have.
    pub(super) shared: u32,
    pub(super) context: Arc<CudaContext>,
    pub(super) stream: Arc<CudaStream>,
    pub(super) copier: Arc<CudaStream>,
    /// Beside the stream, for launches that need not wait for one another.
    pub(super) sides: [Arc<CudaStream>; 3],
    pub(super) forked: CudaEvent,
    pub(super) joined: [CudaEvent; 3],
    /// Where launches go: 0 for the stream, else a side.
    pub(super) current_stream: Cell<usize>,
    /// Where it is to make products.
    pub(super) blas: Option<CudaBlas>,
    /// By the names of kernel and function; whether it was launched.
    functions: HashMap<(&'static str, &'static str), (CudaFunction, Cell<bool>)>,
}

impl Gpu {
    /// Opens the GPU of a number and loads kernels; it makes products where a search asks.
    pub(super) fn open(ordinal: usize, kernels: &[Kernel]) -> Result<Self, DeviceError> {
        library::start()?;
        let name = format!("cuda:{ordinal}");
        let opened = catch_panic(|| Self::opened(ordinal, &name, kernels));
        opened.unwrap_or_else(|panic| {
            Err(DeviceError::Failed {
                device: name.clone(),
                during: "opening it".to_owned(),
                reason: panic,
            })
        })
    }

    fn opened(ordinal: usize, name: &str, kernels: &[Kernel]) -> Result<Self, DeviceError> {
        use sys::CUdevice_attribute as ask;
        let failed = |error: DriverError| match error {
            // Before there is a context nobody can be asked how much is free.
            DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY) => DeviceError::Failed {
                device: name.to_owned(),
                during: "opening it".to_owned(),
                reason: "too little of its memory is free for CUDA to start, which takes about \
                         0.5 GiB; end other programs on it, or use --device cpu"
                    .to_owned(),
            },
            error => library::failed(name, "opening it", error),
        };
        let held = sync_guard();
        let context = CudaContext::new(ordinal).map_err(failed)?;
        // Streams are ordered by hand here.
        // SAFETY: no memory of the wrapper's own kind is ever allocated.
        unsafe { context.disable_event_tracking() };
        let stream = context.new_stream().map_err(failed)?;
        let copier = context.new_stream().map_err(failed)?;
        let side = || context.new_stream().map_err(failed);
        let event = || context.new_event(None).map_err(failed);
        let products = kernels.iter().any(|kernel| kernel.name == "strongest");
        let blas = products.then(|| CudaBlas::new(stream.clone()));
        let blas = blas.transpose().map_err(|error| DeviceError::Failed {
            device: name.to_owned(),
            during: "starting cuBLAS".to_owned(),
            reason: format!("{:?}", error.0),
        })?;
        let asked = |what| context.attribute(what).map_err(failed);
        let shared = asked(ask::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        let ratio = asked(ask::CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO)?;
        let processors = asked(ask::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let (major, _) = context.compute_capability().map_err(failed)?;
        let mut gpu = Self {
            name: format!("{name} {}", context.name().map_err(failed)?),
            slow_f64: ratio >= SLOW_F64,
            has_tf32: major >= 8,
            processors: processors.unsigned_abs().max(1),
            shared: shared.unsigned_abs(),
            sides: [side()?, side()?, side()?],
            forked: event()?,
            joined: [event()?, event()?, event()?],
            context,
            stream,
            copier,
            current_stream: Cell::new(0),
            blas,
            functions: HashMap::new(),
        };
        drop(held);
        gpu.load(kernels)?;
        Ok(gpu)
    }

    /// Loads the functions of kernels.
    pub(super) fn load(&mut self, kernels: &[Kernel]) -> Result<(), DeviceError> {
        let modules = compile::modules(&self.context, kernels)?;
        // The driver loads a function of a module when it is first asked for it.
        let _held = sync_guard();
        for (kernel, module) in kernels.iter().zip(modules) {
            for &function in kernel.functions {
                let loaded = module.load_function(function);
                let loaded = loaded.map_err(|error| self.failed("loading a kernel", error))?;
                let loaded = (loaded, Cell::new(false));
                self.functions.insert((kernel.name, function), loaded);
            }
        }
        Ok(())
    }

    pub(super) fn failed(&self, during: &str, error: DriverError) -> DeviceError {
        library::failed(&self.name, during, error)
    }

    /// A column that was brought before and is not there.
    pub(super) fn lacks_column(&self) -> DeviceError {
        DeviceError::Failed {
            device: self.name.clone(),
            during: "looking for a column".to_owned(),
            reason: "it was not brought".to_owned(),
        }
    }

    /// Makes this thread one that works on the GPU.
    pub(super) fn bind(&self) -> Result<(), DeviceError> {
        let bound = self.context.bind_to_thread();
        bound.map_err(|error| self.failed("taking it up", error))
    }

    /// Bytes free.
    pub(super) fn free(&self) -> Result<u64, DeviceError> {
        let asked = self.context.mem_get_info();
        asked
            .map(|(free, _)| free as u64)
            .map_err(|error| self.failed("asking for its memory", error))
    }

    /// Room for `len` values, none of them set.
    pub(super) fn buffer<T>(&self, len: usize, during: &str) -> Result<Buffer<T>, DeviceError> {
        let _held = sync_guard();
        self.bind()?;
        let bytes = len.max(1) * size_of::<T>();
        // SAFETY: nothing reads what was not written: every kernel says what it needs.
        match unsafe { result::malloc_sync(bytes) } {
            Ok(address) => Ok(Buffer {
                address,
                len,
                context: self.context.clone(),
                of: PhantomData,
            }),
            Err(DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY)) => {
                Err(DeviceError::OutOfMemory {
                    device: self.name.clone(),
                    during: during.to_owned(),
                    needed: bytes as u64,
                    free: self.free()?,
                })
            }
            Err(error) => Err(self.failed(during, error)),
        }
    }

    /// Room for `len` values in the host's memory that the GPU reads and writes itself.
    pub(super) fn pinned<T: Copy + Default>(&self, len: usize) -> Result<Pinned<T>, DeviceError> {
        let _held = sync_guard();
        self.bind()?;
        let len = len.max(1);
        // SAFETY: every value is set below, before a slice of it exists.
        let values = unsafe { result::malloc_host(len * size_of::<T>(), 0) };
        let values = values.map_err(|error| self.failed("taking pinned memory", error))?;
        let values = values.cast::<T>();
        for at in 0..len {
            // SAFETY: within the allocation, which is aligned to a page.
            unsafe { values.add(at).write(T::default()) };
        }
        Ok(Pinned {
            values,
            len,
            context: self.context.clone(),
        })
    }

    /// Copies to the GPU, in the order of the work. What is not pinned is read before
    /// this returns; what is must stay as it is until [`Gpu::wait`].
    pub(super) fn upload<T: Copy>(&self, from: &[T], to: u64) -> Result<(), DeviceError> {
        self.copy_in(&self.stream, from, to)
    }

    pub(super) fn copy_in<T: Copy>(
        &self,
        on: &CudaStream,
        from: &[T],
        to: u64,
    ) -> Result<(), DeviceError> {
        if from.is_empty() {
            return Ok(());
        }
        self.bind()?;
        // SAFETY: `to` has room for as many values: it comes from a `Buffer` of them.
        let copied = unsafe { result::memcpy_htod_async(to, from, on.cu_stream()) };
        copied.map_err(|error| self.failed("copying to it", error))
    }

    /// Copies from the GPU, in the order of the work; whole after [`Gpu::wait`].
    pub(super) fn download<T: Copy>(&self, from: u64, to: &mut [T]) -> Result<(), DeviceError> {
        if to.is_empty() {
            return Ok(());
        }
        self.bind()?;
        // SAFETY: `from` holds as many values, and `to` lives until the wait of the verb.
        let copied = unsafe { result::memcpy_dtoh_async(to, from, self.stream.cu_stream()) };
        copied.map_err(|error| self.failed("copying from it", error))
    }

    /// Copies bytes on the GPU, in the order of the work.
    pub(super) fn copy(&self, from: u64, to: u64, bytes: usize) -> Result<(), DeviceError> {
        self.bind()?;
        // SAFETY: both come from buffers of so many bytes.
        let copied = unsafe { result::memcpy_dtod_async(to, from, bytes, self.stream.cu_stream()) };
        copied.map_err(|error| self.failed("copying on it", error))
    }

    /// Sets bytes to zero, in the order of the work.
    pub(super) fn zero(&self, address: u64, bytes: usize) -> Result<(), DeviceError> {
        self.bind()?;
        // SAFETY: the address comes from a buffer of so many bytes.
        let set = unsafe { result::memset_d8_async(address, 0, bytes, self.stream.cu_stream()) };
        set.map_err(|error| self.failed("clearing memory", error))
    }

    /// Launches a function of a loaded kernel. `arguments` are the addresses of values of just the types that
    /// the kernel has: see [`arguments`].
    pub(super) fn launch(
        &self,
        kernel: &Kernel,
        function: &'static str,
        grid: (u32, u32, u32),
        threads: u32,
        shared: u32,
        arguments: &mut [*mut c_void],
    ) -> Result<(), DeviceError> {
        let Some((loaded, launched)) = self.functions.get(&(kernel.name, function)) else {
            return Err(self.failed(function, DriverError(sys::CUresult::CUDA_ERROR_NOT_FOUND)));
        };
        let failed = |error| self.failed(&format!("kernel {function}"), error);
        self.bind()?;
        // The first launch may wait for the GPU, to make room for the function's local memory.
        let _held = (!launched.replace(true)).then(sync_guard);
        // With what the kernels have of their own, 48 KiB take no asking.
        if shared > 46 << 10 {
            use sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            let attribute = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            let bytes = i32::try_from(shared).unwrap_or(i32::MAX);
            loaded.set_attribute(attribute, bytes).map_err(failed)?;
        }
        let stream = match self.current_stream.get() {
            0 => &self.stream,
            side => &self.sides[side - 1],
        };
        // SAFETY: the callers in this folder pass what the kernels' docs ask for.
        let launched = unsafe {
            result::launch_kernel(
                loaded.cu_function(),
                grid,
                (threads, 1, 1),
                shared,
                stream.cu_stream(),
                arguments,
            )
        };
        launched.map_err(failed)
    }

    /// Waits for all work; failures of kernels come out here.
    pub(super) fn wait(&self, during: &str) -> Result<(), DeviceError> {
        let waited = self.stream.synchronize();
        waited.map_err(|error| self.failed(during, error))
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // Whatever it reads or writes of the host's must be there until it is done. A GPU that
        // was lost has nothing under way.
        let streams = self.sides.iter().chain([&self.copier, &self.stream]);
        for stream in streams {
            let _ = stream.synchronize();
        }
        // Libraries free their memory, and the driver that of kernels.
        let _held = sync_guard();
        self.blas = None;
        self.functions.clear();
    }
}

/// The addresses of a kernel's arguments, which must be of just its types.
macro_rules! arguments {
    ($($value:expr),* $(,)?) => {
        &mut [$(std::ptr::from_ref(&$value).cast_mut().cast::<std::ffi::c_void>()),*]
    };
}
pub(super) use arguments;

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use passel_kernels::ALL;

    use super::*;
    use crate::device::counting::tests::gpus;

    /// Two kernels may export functions of one name: each is found in its own kernel.
    #[test]
    fn functions_are_those_of_their_own_kernels() {
        let names: BTreeSet<&str> = ALL.iter().map(|kernel| kernel.name).collect();
        assert_eq!(names.len(), ALL.len());
        if gpus().is_none() {
            return;
        }
        let gpu = Gpu::open(0, ALL).unwrap();
        let all = ALL.iter().flat_map(|kernel| {
            let functions = kernel.functions.iter();
            functions.map(|function| (kernel.name, *function))
        });
        let (mut modules, mut handles) = (BTreeMap::new(), BTreeSet::new());
        for (kernel, name) in all {
            let function = gpu.functions[&(kernel, name)].0.cu_function();
            let mut module = std::ptr::null_mut();
            // SAFETY: the function was loaded, and its module lives as long as it.
            let asked = unsafe { sys::cuFuncGetModule(&mut module, function) };
            asked.result().unwrap();
            assert!(handles.insert(function), "{kernel}: {name}");
            assert_eq!(*modules.entry(kernel).or_insert(module), module, "{name}");
        }
        let distinct: BTreeSet<_> = modules.values().collect();
        assert_eq!(distinct.len(), ALL.len());
    }
}
