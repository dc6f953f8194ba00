//! From the text of a kernel to a module on a GPU.

#![allow(unsafe_code)]

use std::{
    ffi::{CString, c_int},
    path::Path,
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
pub(super) fn compile(kernel: &Kernel, architecture: &str) -> Result<Vec<u8>, DeviceError> {
    library::nvrtc()?;
    let wrong = |log: String| DeviceError::Compile {
        kernel: kernel.name.to_owned(),
        architecture: architecture.to_owned(),
        log,
    };
    let zero = |_| wrong("its text holds a zero byte".to_owned());
    let text = CString::new(kernel.text()).map_err(zero)?;
    let name = CString::new(format!("{}.cu", kernel.name)).map_err(zero)?;
    let program = result::create_program(&text, Some(&name));
    let mut program = program.map_err(|error| wrong(error.to_string()))?;
    // SAFETY: the program and its texts are there until it is destroyed.
    let image = unsafe {
        let image = match result::compile_program(program, &options(architecture)) {
            Ok(()) => image_of(program, architecture).map_err(|error| error.to_string()),
            Err(error) => {
                let log = result::get_program_log(program).unwrap_or_default();
                let log: Vec<u8> = log.into_iter().map(|byte| byte as u8).collect();
                let log = String::from_utf8_lossy(&log);
                Err(format!("{error}\n{}", log.trim_end_matches(['\0', '\n'])))
            }
        };
        let _ = sys::nvrtcDestroyProgram(&mut program);
        image
    };
    image.map_err(wrong)
}

/// # Safety
/// The program is there.
unsafe fn image_of(
    program: sys::nvrtcProgram,
    architecture: &str,
) -> Result<Vec<u8>, result::NvrtcError> {
    // SAFETY: the caller's, and the image has the size that was asked for.
    unsafe {
        if !architecture.starts_with("sm_") {
            let ptx = result::get_ptx(program)?;
            return Ok(ptx.into_iter().map(|byte| byte as u8).collect());
        }
        let mut size = 0;
        sys::nvrtcGetCUBINSize(program, &mut size).result()?;
        let mut cubin = vec![0u8; size];
        sys::nvrtcGetCUBIN(program, cubin.as_mut_ptr().cast()).result()?;
        Ok(cubin)
    }
}

fn options(architecture: &str) -> Vec<String> {
    let architecture = format!("--gpu-architecture={architecture}");
    [OPTIONS, &[&architecture]]
        .concat()
        .into_iter()
        .map(str::to_owned)
        .collect()
}

/// The image of a kernel for `sm_…` or `compute_…`: from the user's cache, or compiled and
/// kept there.
fn image(kernel: &Kernel, architecture: &str, anew: bool) -> Result<Image, DeviceError> {
    let parts = cached_parts(kernel, architecture)?;
    let parts = parts.each_ref().map(String::as_str);
    let compile = || compile(kernel, architecture);
    match anew {
        false => Cache::of_user().image(&stem(kernel, architecture), &parts, compile),
        true => Cache::of_user().renew(&stem(kernel, architecture), &parts, compile),
    }
}

/// The beginning of the name of an image's file.
fn stem(kernel: &Kernel, architecture: &str) -> String {
    format!("{}-{architecture}", kernel.name)
}

/// What an image depends on, whatever compiled it.
fn parts(kernel: &Kernel, architecture: &str) -> [String; 3] {
    let options = options(architecture).join(" ");
    [kernel.text(), options, env!("CARGO_PKG_VERSION").to_owned()]
}

/// Puts the image of a kernel into a folder that serves as the program's, or else into the user's cache, unless it is
/// there; its bytes.
pub(super) fn keep(
    kernel: &Kernel,
    architecture: &str,
    folder: Option<&Path>,
) -> Result<usize, DeviceError> {
    let stem = stem(kernel, architecture);
    let (cache, parts) = match folder {
        Some(folder) => (Cache::of(folder), parts(kernel, architecture).to_vec()),
        None => (
            Cache::of_user(),
            cached_parts(kernel, architecture)?.to_vec(),
        ),
    };
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let kept = folder.is_none().then(|| cache.kept(&stem, &parts));
    if let Some(bytes) = kept.flatten() {
        return Ok(bytes.len());
    }
    let bytes = compile(kernel, architecture)?;
    let kept = cache.keep(&stem, &parts, &bytes);
    kept.map_err(|error| DeviceError::Kept {
        folder: cache.folder().unwrap_or(Path::new("the cache")).to_owned(),
        reason: error.to_string(),
    })?;
    Ok(bytes.len())
}

/// What an image of the user's cache depends on.
fn cached_parts(kernel: &Kernel, architecture: &str) -> Result<[String; 4], DeviceError> {
    let nvrtc = format!("NVRTC {}", library::nvrtc()?);
    let [text, options, version] = parts(kernel, architecture);
    Ok([text, options, nvrtc, version])
}

/// The image of a kernel that came with the program.
fn shipped(kernel: &Kernel, architecture: &str) -> Option<Image> {
    let parts = parts(kernel, architecture);
    let parts = parts.each_ref().map(String::as_str);
    let bytes = Cache::of_program().kept(&stem(kernel, architecture), &parts)?;
    Some(Image { bytes, kept: true })
}

/// Kernels, ready on a GPU; compiled beside one another where they are not kept.
///
/// # Errors
/// As [`compile`]; a GPU that this NVRTC cannot compile for; a driver that refuses.
pub(crate) fn modules(
    context: &Arc<CudaContext>,
    kernels: &[Kernel],
) -> Result<Vec<Arc<CudaModule>>, DeviceError> {
    let architecture = own_architecture(context)?;
    let load = |bytes: Vec<u8>| {
        let _held = sync_guard();
        context.load_module(Ptx::from_binary(bytes))
    };
    let images = kernels
        .par_iter()
        .map(|kernel| match shipped(kernel, &architecture) {
            Some(image) => Ok((image, true)),
            None => Ok((image(kernel, &architecture, false)?, false)),
        });
    let images: Vec<Result<(Image, bool), DeviceError>> = images.collect();
    // Of several that fail the first is told, whichever failed first.
    let images: Vec<_> = images.into_iter().collect::<Result<_, _>>()?;
    let module = |(kernel, (mut image, is_shipped)): (&Kernel, (Image, bool))| {
        let mut loaded = load(image.bytes);
        // One that came with the program may be of a newer CUDA than the driver.
        if loaded.is_err() && is_shipped {
            image = self::image(kernel, &architecture, false)?;
            loaded = load(image.bytes);
        }
        // What was kept may be whole and yet no image of a kernel.
        if loaded.is_err() && image.kept {
            loaded = load(self::image(kernel, &architecture, true)?.bytes);
        }
        let device = format!("cuda:{}", context.ordinal());
        let during = format!("loading kernel {}", kernel.name);
        loaded.map_err(|error| library::failed(&device, &during, error))
    };
    kernels.iter().zip(images).map(module).collect()
}

/// What to compile for on a GPU.
pub(super) fn own_architecture(context: &CudaContext) -> Result<String, DeviceError> {
    let (major, minor) = context.compute_capability().map_err(|error| {
        let device = format!("cuda:{}", context.ordinal());
        library::failed(&device, "asking what it is", error)
    })?;
    architecture(major * 10 + minor, &supported()?, library::nvrtc()?)
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
    let below = supported.iter().filter(|&&sm| sm < capability).max();
    below.map(|sm| format!("compute_{sm}")).ok_or_else(|| {
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
