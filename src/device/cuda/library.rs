//! The libraries of CUDA, looked for such that a missing one is an error and no panic.

#![allow(unsafe_code)]

use std::{ffi::c_int, fmt, sync::OnceLock};

use cudarc::{cublas, driver, nvrtc};

use super::super::DeviceError;
use crate::panics::catch_panic;

/// A version of a library, or of the CUDA that a driver supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The number before the dot.
    pub major: u32,
    /// The number after the dot.
    pub minor: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// One library: how it is asked for, and what this program calls in it.
struct Library {
    name: &'static str,
    help: &'static str,
    present: unsafe fn() -> bool,
    /// Only where it is present.
    has: fn(&str) -> bool,
    version: fn() -> Result<Version, String>,
    /// What this program and its wrapper call, by spaces: an absent one would be a panic.
    functions: &'static str,
}

/// Older libraries lack functions or architectures.
const OLDEST: Version = Version {
    major: 12,
    minor: 0,
};

/// Whether a library has a function.
macro_rules! has {
    ($library:expr) => {
        // SAFETY: the address is only asked for, never called by this type.
        |name| unsafe { $library.get::<unsafe extern "C" fn()>(name).is_ok() }
    };
}

const DRIVER: Library = Library {
    name: "the NVIDIA driver (libcuda.so.1)",
    help: "install the NVIDIA driver, 525 or newer; a container must be given the GPU",
    present: driver::sys::is_culib_present,
    has: has!(driver::sys::culib()),
    version: || {
        let mut version = 0;
        // SAFETY: writes one integer.
        match unsafe { driver::sys::cuDriverGetVersion(&mut version) } {
            driver::sys::CUresult::CUDA_SUCCESS => Ok(Version {
                major: version.unsigned_abs() / 1000,
                minor: version.unsigned_abs() % 1000 / 10,
            }),
            error => Err(format!("{error:?}")),
        }
    },
    functions: "cuCtxEnablePeerAccess cuCtxGetCurrent cuCtxSetCurrent cuCtxSynchronize \
        cuDeviceCanAccessPeer cuDeviceGet cuDeviceGetAttribute cuDeviceGetCount cuDeviceGetName \
        cuDevicePrimaryCtxRelease_v2 cuDevicePrimaryCtxRetain cuDeviceTotalMem_v2 \
        cuDriverGetVersion cuEventCreate cuEventDestroy_v2 cuEventQuery cuEventRecord \
        cuEventSynchronize cuFuncSetAttribute cuGetErrorString cuInit cuLaunchKernel \
        cuMemAlloc_v2 cuMemFreeHost cuMemFree_v2 cuMemGetInfo_v2 cuMemHostAlloc \
        cuMemHostRegister_v2 cuMemHostUnregister cuMemcpy2DAsync_v2 cuMemcpyDtoDAsync_v2 cuMemcpyDtoHAsync_v2 \
        cuMemcpyHtoDAsync_v2 cuMemsetD8Async cuModuleGetFunction cuModuleLoadData cuModuleUnload \
        cuPointerGetAttribute \
        cuStreamCreate cuStreamDestroy_v2 cuStreamSynchronize cuStreamWaitEvent",
};

const NVRTC: Library = Library {
    name: "NVRTC (libnvrtc.so.13 or .12)",
    help: "install the CUDA toolkit, or pip install nvidia-cuda-nvrtc (CUDA 12: \
           nvidia-cuda-nvrtc-cu12) and put the folder of the library in LD_LIBRARY_PATH",
    present: nvrtc::sys::is_culib_present,
    has: has!(nvrtc::sys::culib()),
    version: || {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: writes two integers.
        match unsafe { nvrtc::sys::nvrtcVersion(&mut major, &mut minor) } {
            nvrtc::sys::nvrtcResult::NVRTC_SUCCESS => Ok(Version {
                major: major.unsigned_abs(),
                minor: minor.unsigned_abs(),
            }),
            error => Err(format!("{error:?}")),
        }
    },
    functions: "nvrtcCompileProgram nvrtcCreateProgram nvrtcDestroyProgram nvrtcGetCUBIN \
        nvrtcGetCUBINSize nvrtcGetNumSupportedArchs nvrtcGetPTX nvrtcGetPTXSize \
        nvrtcGetProgramLog nvrtcGetProgramLogSize nvrtcGetSupportedArchs nvrtcVersion",
};

const CUBLAS: Library = Library {
    name: "cuBLAS (libcublas.so.13 or .12)",
    help: "install the CUDA toolkit, or pip install nvidia-cublas (CUDA 12: \
           nvidia-cublas-cu12) and put the folder of the library in LD_LIBRARY_PATH",
    present: cublas::sys::is_culib_present,
    has: has!(cublas::sys::culib()),
    version: || {
        use cublas::sys::libraryPropertyType_t::{MAJOR_VERSION, MINOR_VERSION};
        let property = |which| {
            let mut value: c_int = 0;
            // SAFETY: writes one integer, and needs no handle, hence no device.
            match unsafe { cublas::sys::cublasGetProperty(which, &mut value) } {
                cublas::sys::cublasStatus_t::CUBLAS_STATUS_SUCCESS => Ok(value.unsigned_abs()),
                error => Err(format!("{error:?}")),
            }
        };
        Ok(Version {
            major: property(MAJOR_VERSION)?,
            minor: property(MINOR_VERSION)?,
        })
    },
    functions: "cublasCreate_v2 cublasDestroy_v2 cublasGemmEx cublasGetProperty cublasSetStream_v2",
};

impl Library {
    fn missing(&self, reason: impl Into<String>) -> DeviceError {
        DeviceError::MissingLibrary {
            library: self.name,
            reason: reason.into(),
            help: self.help,
        }
    }

    fn open(&self) -> Result<Version, DeviceError> {
        // Presence is asked first; what else may panic is caught.
        catch_panic(|| {
            // SAFETY: opens and closes the library, whose own start-up code runs.
            if !unsafe { (self.present)() } {
                return Err(self.missing("was not found"));
            }
            let lacks = |name: &&str| !(self.has)(name);
            if let Some(name) = self.functions.split_whitespace().find(lacks) {
                return Err(self.missing(format!("is too old, it lacks {name}")));
            }
            let version =
                (self.version)().map_err(|error| self.missing(format!("fails with {error}")))?;
            if version < OLDEST {
                let reason = format!("is too old: it is of CUDA {version}, and {OLDEST} is needed");
                return Err(self.missing(reason));
            }
            Ok(version)
        })
        .unwrap_or_else(|panic| Err(self.missing(format!("cannot be used ({panic})"))))
    }
}

/// The driver, and the newest CUDA that it supports.
pub(crate) fn driver() -> Result<Version, DeviceError> {
    static ASKED: OnceLock<Result<Version, DeviceError>> = OnceLock::new();
    ASKED.get_or_init(|| DRIVER.open()).clone()
}

/// The compiler of kernels.
pub(crate) fn nvrtc() -> Result<Version, DeviceError> {
    static ASKED: OnceLock<Result<Version, DeviceError>> = OnceLock::new();
    ASKED.get_or_init(|| NVRTC.open()).clone()
}

/// The products of matrices.
pub(crate) fn cublas() -> Result<Version, DeviceError> {
    static ASKED: OnceLock<Result<Version, DeviceError>> = OnceLock::new();
    ASKED.get_or_init(|| CUBLAS.open()).clone()
}

/// A library may be of a newer minor version than the driver, never of a newer major one.
fn agree(driver: Version, nvrtc: Version, cublas: Version) -> Result<(), DeviceError> {
    let newer = [("NVRTC", nvrtc), ("cuBLAS", cublas)]
        .into_iter()
        .filter(|(_, version)| version.major > driver.major);
    let (names, of): (Vec<_>, Vec<_>) = newer
        .map(|(name, version)| (name, format!("{name} is of CUDA {version}")))
        .unzip();
    if names.is_empty() {
        return Ok(());
    }
    Err(DeviceError::Incompatible(format!(
        "the driver supports CUDA {driver}, {}; update the driver, or put {} of CUDA {} \
         first in LD_LIBRARY_PATH",
        of.join(", "),
        names.join(" and "),
        driver.major
    )))
}

/// Opens the three libraries, once: afterwards no call of a function named here panics.
///
/// # Errors
/// A library that is missing, too old, or too new for the driver.
pub(crate) fn start() -> Result<(), DeviceError> {
    agree(driver()?, nvrtc()?, cublas()?)
}

/// GPUs that can be used, at least one.
///
/// # Errors
/// As [`start`], and where the driver has no GPU to offer.
pub(crate) fn count() -> Result<usize, DeviceError> {
    // A GPU that is not there is told before a library that it would need.
    let count = gpus()?;
    start()?;
    Ok(count)
}

/// GPUs, at least one, whether the other libraries are there or not.
pub(crate) fn gpus() -> Result<usize, DeviceError> {
    driver()?;
    let none = |reason: &str| DeviceError::NoDevice(reason.to_owned());
    let found = catch_panic(driver::CudaContext::device_count).map_err(|panic| none(&panic))?;
    match found.map(usize::try_from) {
        Ok(Ok(count)) if count > 0 => Ok(count),
        Ok(_) | Err(driver::DriverError(driver::sys::CUresult::CUDA_ERROR_NO_DEVICE)) => Err(none(
            "the driver finds no GPU; if there is one, see whether nvidia-smi lists it and \
             CUDA_VISIBLE_DEVICES does not hide it",
        )),
        Err(error) => Err(none(&format!(
            "the driver says {}; see whether nvidia-smi works",
            describe_error(error)
        ))),
    }
}

/// What the driver says of an error: its name, then a sentence where it has one.
pub(crate) fn describe_error(error: driver::DriverError) -> String {
    let name = format!("{:?}", error.0);
    // The sentence comes from the driver, which may not be there to ask.
    let sentence = || Some(error.error_string().ok()?.to_string_lossy().into_owned());
    let sentence = driver().ok().and_then(|_| catch_panic(sentence).ok()?);
    match sentence {
        Some(sentence) => format!("{name} ({sentence})"),
        None => name,
    }
}

/// A call of the driver that failed, for a reason other than memory.
pub(crate) fn failed(device: &str, during: &str, error: driver::DriverError) -> DeviceError {
    DeviceError::Failed {
        device: device.to_owned(),
        during: during.to_owned(),
        reason: describe_error(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(major: u32, minor: u32) -> Version {
        Version { major, minor }
    }

    /// On a machine without CUDA, and on one with it.
    #[test]
    fn absence_is_an_error_and_never_a_panic() {
        match count() {
            Ok(count) => assert!(count > 0),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        let error = driver::DriverError(driver::sys::CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
        let error = failed("cuda:0", "gather", error).to_string();
        let start = "cuda:0 failed during gather: CUDA_ERROR_ILLEGAL_ADDRESS";
        assert!(error.starts_with(start), "{error}");
    }

    #[test]
    fn a_library_that_lacks_a_function_or_is_old_is_refused() {
        let library = Library {
            present: || true,
            has: |name| name != "cuInit",
            version: || Ok(version(11, 8)),
            ..DRIVER
        };
        let reason = |library: &Library| match library.open() {
            Err(DeviceError::MissingLibrary { reason, .. }) => reason,
            other => panic!("{other:?}"),
        };
        assert_eq!(reason(&library), "is too old, it lacks cuInit");
        let library = Library {
            has: |_| true,
            ..library
        };
        assert_eq!(
            reason(&library),
            "is too old: it is of CUDA 11.8, and 12.0 is needed"
        );
        let library = Library {
            version: || panic!("Missing symbol"),
            ..library
        };
        assert_eq!(reason(&library), "cannot be used (Missing symbol)");
    }

    #[test]
    fn libraries_newer_than_the_driver_are_refused() {
        assert!(agree(version(12, 2), version(12, 9), version(12, 4)).is_ok());
        assert!(agree(version(13, 0), version(12, 9), version(13, 1)).is_ok());
        let error = agree(version(12, 9), version(12, 9), version(13, 0)).unwrap_err();
        assert!(error.to_string().contains("cuBLAS of CUDA 12 first"));
    }
}
