//! From the text of a kernel to a module on a GPU.

#![allow(unsafe_code)]

use std::{
    ffi::{CString, c_int},
    ptr,
    sync::Arc,
};

use cudarc::{
    driver::{CudaContext, CudaModule},
    nvrtc::{Ptx, result, sys},
};
use passel_kernels::{Kernel, OPTIONS};
use rayon::prelude::*;

use super::{
    super::DeviceError,
    cache::{Cache, Image},
    library::{self, Version},
    memory::sync_guard,
};

/// Compiles a kernel, whatever lies in the cache: machine code for `sm_…`; PTX, with a zero at its
/// end, for `compute_…`.
///
/// # Errors
/// NVRTC missing; a kernel that does not compile.
pub(super) fn compile(kernel: &Kernel, architecture: &str) -> Result<Vec<u8>, DeviceError> {
    library::nvrtc()?;
    let wrong = |log: String| DeviceError::Compile {
        kernel: kernel.name.to_owned(),
        architecture: architecture.to_owned(),
        log,
    };
    let program = Program::new(kernel).map_err(&wrong)?;
    program
        .compile(&options(architecture))
        .map_err(|error| wrong(format!("{error}\n{}", program.log())))?;
    let image = match architecture.starts_with("sm_") {
        true => program.cubin(),
        false => program.ptx(),
    };
    image.map_err(wrong)
}

fn options(architecture: &str) -> Vec<String> {
    let mut options: Vec<String> = OPTIONS.iter().map(|&it| it.to_owned()).collect();
    options.push(format!("--gpu-architecture={architecture}"));
    options
}

/// A program of NVRTC; exists only where the library does.
struct Program {
    program: sys::nvrtcProgram,
    /// The program may point into them.
    _text: (CString, CString),
}

impl Program {
    fn new(kernel: &Kernel) -> Result<Self, String> {
        let zero = |_| "its text holds a zero byte".to_owned();
        let text = CString::new(kernel.text()).map_err(zero)?;
        let name = CString::new(format!("{}.cu", kernel.name)).map_err(zero)?;
        let program = result::create_program(&text, Some(&name)).map_err(|it| it.to_string())?;
        Ok(Self {
            program,
            _text: (text, name),
        })
    }

    fn compile(&self, options: &[String]) -> Result<(), String> {
        // SAFETY: the program lives as long as self.
        let done = unsafe { result::compile_program(self.program, options) };
        done.map_err(|it| it.to_string())
    }

    fn log(&self) -> String {
        // SAFETY: as above.
        let log = unsafe { result::get_program_log(self.program) }.unwrap_or_default();
        let log: Vec<u8> = log.into_iter().map(|it| it as u8).collect();
        String::from_utf8_lossy(&log)
            .trim_end_matches(['\0', '\n'])
            .to_owned()
    }

    fn ptx(&self) -> Result<Vec<u8>, String> {
        // SAFETY: as above.
        let ptx = unsafe { result::get_ptx(self.program) }.map_err(|it| it.to_string())?;
        Ok(ptx.into_iter().map(|it| it as u8).collect())
    }

    fn cubin(&self) -> Result<Vec<u8>, String> {
        let mut size = 0;
        // SAFETY: as above; writes one number.
        let asked = unsafe { sys::nvrtcGetCUBINSize(self.program, &mut size) };
        asked.result().map_err(|it| it.to_string())?;
        let mut cubin = vec![0u8; size];
        // SAFETY: the buffer has the size that was asked for.
        let got = unsafe { sys::nvrtcGetCUBIN(self.program, cubin.as_mut_ptr().cast()) };
        got.result().map_err(|it| it.to_string())?;
        Ok(cubin)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and nobody uses it after this.
        let _ = unsafe { sys::nvrtcDestroyProgram(ptr::from_mut(&mut self.program)) };
    }
}

/// The image of a kernel for `sm_…` or `compute_…`: from the user's cache, or compiled and
/// kept there.
fn image(kernel: &Kernel, architecture: &str, anew: bool) -> Result<Image, DeviceError> {
    let nvrtc = format!("NVRTC {}", library::nvrtc()?);
    let (text, options) = (kernel.text(), options(architecture).join(" "));
    let parts = [&text, &options, &nvrtc, env!("CARGO_PKG_VERSION")];
    let stem = format!("{}-{architecture}", kernel.name);
    let compile = || compile(kernel, architecture);
    match anew {
        false => Cache::of_user().image(&stem, &parts, compile),
        true => Cache::of_user().renew(&stem, &parts, compile),
    }
}

/// Kernels, ready on a GPU; compiled beside one another where they are not kept.
///
/// # Errors
/// As [`compile`]; a GPU that this NVRTC cannot compile for; a driver that refuses.
pub(crate) fn modules(
    context: &Arc<CudaContext>,
    kernels: &[Kernel],
) -> Result<Vec<Arc<CudaModule>>, DeviceError> {
    let failed = |during: &str, error| {
        let device = format!("cuda:{}", context.ordinal());
        library::failed(&device, during, error)
    };
    let capability = context.compute_capability();
    let (major, minor) = capability.map_err(|it| failed("asking what it is", it))?;
    let capability = major * 10 + minor;
    let architecture = architecture(capability, &supported()?, library::nvrtc()?)?;
    let load = |bytes: Vec<u8>| {
        let _held = sync_guard();
        context.load_module(Ptx::from_binary(bytes))
    };
    let images = kernels.par_iter();
    let images: Vec<_> = images.map(|it| image(it, &architecture, false)).collect();
    // Of several that fail the first is told, whichever failed first.
    let images: Vec<Image> = images.into_iter().collect::<Result<_, _>>()?;
    let module = |(kernel, image): (&Kernel, Image)| {
        let failed = |error| failed(&format!("loading kernel {}", kernel.name), error);
        match load(image.bytes) {
            // What was kept may be whole and yet no image of a kernel.
            Err(_) if image.kept => {
                let image = self::image(kernel, &architecture, true)?;
                load(image.bytes).map_err(failed)
            }
            loaded => loaded.map_err(failed),
        }
    };
    kernels.iter().zip(images).map(module).collect()
}

/// The capabilities NVRTC compiles for, 90 for 9.0.
fn supported() -> Result<Vec<c_int>, DeviceError> {
    library::nvrtc()?;
    let mut count = 0;
    // SAFETY: writes one number.
    let asked = unsafe { sys::nvrtcGetNumSupportedArchs(&mut count) };
    let mut all = vec![0; usize::try_from(count).unwrap_or(0)];
    // SAFETY: the buffer has the size that was asked for.
    let asked = asked
        .result()
        .and_then(|()| unsafe { sys::nvrtcGetSupportedArchs(all.as_mut_ptr()) }.result());
    asked.map_err(|error| {
        DeviceError::Incompatible(format!("NVRTC does not say what it compiles for: {error}"))
    })?;
    Ok(all)
}

/// What to compile for on a GPU: its own machine code, or, where NVRTC does not know it,
/// PTX of the newest capability below, which the driver translates.
fn architecture(
    capability: c_int,
    supported: &[c_int],
    nvrtc: Version,
) -> Result<String, DeviceError> {
    if supported.contains(&capability) {
        // Only with the `a` are Hopper's own instructions to be had.
        let own = if capability == 90 { "a" } else { "" };
        return Ok(format!("sm_{capability}{own}"));
    }
    let below = supported.iter().filter(|&&it| it < capability).max();
    below.map(|it| format!("compute_{it}")).ok_or_else(|| {
        DeviceError::Incompatible(format!(
            "the gpu is of compute capability {}.{}, older than NVRTC {nvrtc} knows; use \
             NVRTC of an older CUDA, or --device cpu",
            capability / 10,
            capability % 10
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_gets_its_own_code_or_ptx_that_its_driver_translates() {
        let nvrtc = Version {
            major: 13,
            minor: 0,
        };
        let supported = [75, 80, 86, 87, 88, 89, 90, 100, 110, 103, 120, 121];
        let of = |capability| architecture(capability, &supported, nvrtc);
        for (capability, text) in [
            (75, "sm_75"),
            (89, "sm_89"),
            (90, "sm_90a"),
            (103, "sm_103"),
            (120, "sm_120"),
            (101, "compute_100"),
            (150, "compute_121"),
        ] {
            assert_eq!(of(capability).as_deref(), Ok(text));
        }
        let error = of(70).unwrap_err().to_string();
        assert!(error.contains("capability 7.0, older than NVRTC 13.0"));
    }
}
