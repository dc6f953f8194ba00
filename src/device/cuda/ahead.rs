//! Kernels that are compiled before they are needed.

use std::path::{Path, PathBuf};

use cudarc::driver::CudaContext;
pub use passel_kernels::ARCHITECTURES;
use passel_kernels::{ALL, Kernel};
use rayon::prelude::*;

use super::{super::DeviceError, cache::Cache, compile, families, functions, library};
use crate::{family::PluginFamily, score::ScoreFunction};

/// Kernels that were compiled before they were needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiled {
    /// What they were compiled for, as in `sm_90a`.
    pub architectures: Vec<String>,
    /// How many there are, over all architectures.
    pub kernels: usize,
    /// Bytes of their images.
    pub bytes: u64,
    /// Where they were put.
    pub folder: PathBuf,
}

/// Compiles every kernel, and those of the functions and of the families that plugins bring, for some architectures (`here` for those of the GPUs of
/// this machine, `all` for all that there are) into a folder that serves as the program's, or else into the user's
/// cache. Those that are in the cache are not compiled again.
///
/// # Errors
/// A kernel that does not compile; an architecture that kernels are not made for; no GPU, where none is named; a folder that takes
/// no files.
pub fn compile_all(
    (functions, families): (&[(&str, ScoreFunction)], &[PluginFamily]),
    architectures: &[String],
    folder: Option<&Path>,
) -> Result<Compiled, DeviceError> {
    let own = functions.iter().filter_map(|(name, function)| {
        let text = function.0.cuda()?;
        Some(functions::kernel(name, text))
    });
    let of_families = families.iter();
    let of_families = of_families
        .filter_map(|own| families::kernels(*own))
        .flatten();
    let kernels: Vec<Kernel> = ALL.iter().copied().chain(own).chain(of_families).collect();
    let mut all: Vec<String> = Vec::new();
    for name in architectures {
        match name.as_str() {
            "here" => all.extend(architectures_here()?),
            "all" => all.extend(ARCHITECTURES.iter().map(|own| (*own).to_owned())),
            own => all.push(own.to_owned()),
        }
    }
    all.sort_unstable();
    all.dedup();
    let pairs = all
        .iter()
        .flat_map(|own| kernels.iter().map(move |kernel| (kernel, own)));
    let pairs: Vec<(&Kernel, &String)> = pairs.collect();
    let sizes = pairs.par_iter();
    let sizes = sizes.map(|(kernel, architecture)| compile::keep(kernel, architecture, folder));
    let sizes: Vec<Result<usize, DeviceError>> = sizes.collect();
    let bytes = sizes.into_iter().sum::<Result<usize, DeviceError>>()?;
    let own = Cache::of_user();
    let folder = folder.or(own.folder()).unwrap_or(Path::new(""));
    Ok(Compiled {
        kernels: pairs.len(),
        bytes: bytes as u64,
        folder: folder.to_owned(),
        architectures: all,
    })
}

/// What to compile for on the GPUs of this machine.
fn architectures_here() -> Result<Vec<String>, DeviceError> {
    let of = |ordinal| {
        let context = CudaContext::new(ordinal).map_err(|error| {
            library::failed(&format!("cuda:{ordinal}"), "asking what it is", error)
        });
        compile::own_architecture(&*context?)
    };
    (0..library::gpus()?).map(of).collect()
}
