//! The CUDA libraries and GPUs of this machine.

use cudarc::driver::{
    CudaContext, DriverError,
    result::device,
    sys::CUdevice_attribute::{
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR as MAJOR,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR as MINOR,
    },
};

use super::{
    super::DeviceError,
    library::{self, Version},
};
use crate::panics::catch_panic;

/// The CUDA libraries and GPUs of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CudaInfo {
    /// The newest CUDA that the driver supports; none without a driver.
    pub driver: Option<Version>,
    /// The version of NVRTC, which compiles kernels; none where it is missing.
    pub nvrtc: Option<Version>,
    /// The version of cuBLAS, which multiplies matrices; none where it is missing.
    pub cublas: Option<Version>,
    /// The GPUs, in the order of their ordinals.
    pub gpus: Vec<GpuInfo>,
    /// Why no GPU can be used; none where one can.
    pub obstacle: Option<DeviceError>,
}

/// One GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuInfo {
    /// The ordinal by which CUDA numbers it: 0 for `cuda:0`.
    pub ordinal: usize,
    /// The name of its model.
    pub name: String,
    /// Compute capability, as in (9, 0).
    pub capability: (u32, u32),
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes of memory that are free, or why the GPU cannot be queried: another program may use it
    /// exclusively.
    pub free: Result<u64, DeviceError>,
}

/// Queries the libraries and every GPU; each GPU is opened for a moment, to ask for its free memory.
pub fn cuda() -> CudaInfo {
    let (gpus, lost) = match library::gpus().and_then(|count| (0..count).map(gpu).collect()) {
        Ok(gpus) => (gpus, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    CudaInfo {
        driver: library::driver().ok(),
        nvrtc: library::nvrtc().ok(),
        cublas: library::cublas().ok(),
        gpus,
        // A missing GPU is told before a library that it would need.
        obstacle: lost.or(library::start().err()),
    }
}

fn gpu(ordinal: usize) -> Result<GpuInfo, DeviceError> {
    let name = format!("cuda:{ordinal}");
    let asked = catch_panic(|| asked(ordinal)).map_err(|panic| DeviceError::Failed {
        device: name.clone(),
        during: "asking what it is".into(),
        reason: panic,
    })?;
    asked.map_err(|error| library::failed(&name, "asking what it is", error))
}

#[allow(unsafe_code)]
fn asked(ordinal: usize) -> Result<GpuInfo, DriverError> {
    let device = device::get(i32::try_from(ordinal).unwrap_or(i32::MAX))?;
    // SAFETY: the device was got from the driver, which was started to count them.
    let (major, minor, memory) = unsafe {
        (
            device::get_attribute(device, MAJOR)?,
            device::get_attribute(device, MINOR)?,
            device::total_mem(device)?,
        )
    };
    // Free memory is asked in a context, which a GPU in use by one program alone refuses.
    let free = CudaContext::new(ordinal).and_then(|context| context.mem_get_info());
    Ok(GpuInfo {
        ordinal,
        name: device::get_name(device)?,
        capability: (major.unsigned_abs(), minor.unsigned_abs()),
        memory: memory as u64,
        free: free.map(|(free, _)| free as u64).map_err(|error| {
            library::failed(&format!("cuda:{ordinal}"), "asking for its memory", error)
        }),
    })
}
