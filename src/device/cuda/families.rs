//! Families in CUDA C, as plugins bring them: made into the kernel that fits their models, compiled for every architecture, and
//! compared on a GPU with the plugin's functions for the CPU.

use passel_kernels::{Kernel, family_values, newton};

use super::{
    super::DeviceError,
    functions::{Checked, Ran, checked, difference, kept},
    gpu::{Gpu, arguments},
    library,
};
use crate::family::PluginFamily;

/// How near functions are to be, relative to the value; of deviances relative to 1 where they are less.
const TOLERANCE: f64 = 1e-9;

/// Observations that are compared.
const OBSERVATIONS: usize = 1000;

/// The kernel that fits models of a family which is there in CUDA C, where NVRTC is there to compile it.
pub(super) fn fits(family: PluginFamily) -> Option<Kernel> {
    library::nvrtc()
        .is_ok()
        .then(|| kernels(family))?
        .map(|[_, fits]| fits)
}

/// The kernels that try and that fit a family; `None` without its text.
pub(super) fn kernels(family: PluginFamily) -> Option<[Kernel; 2]> {
    let (text, name) = (family.cuda.as_deref()?, family.name.to_string_lossy());
    let link = family.link.as_ref().ok().map(|own| own.name());
    let tries = Kernel {
        source: kept(family_values::with(&name, link, text)),
        ..family_values::KERNEL
    };
    let fits = Kernel {
        source: kept(newton::with(&name, link, text)),
        ..newton::FAMILY
    };
    Some([tries, fits])
}

/// Compiles the CUDA source of a family; where there is a GPU, compares its values with those on the CPU. A family without CUDA
/// source gives `None`.
///
/// # Errors
/// NVRTC is missing or refuses the source, a GPU fails, or a value differs by more than the tolerance.
pub fn check(family: PluginFamily) -> Result<Option<Checked>, DeviceError> {
    let Some(kernels) = kernels(family) else {
        return Ok(None);
    };
    let name = family.name.to_string_lossy();
    checked(&name, &kernels, || compare(family, &kernels[0])).map(Some)
}

fn compare(family: PluginFamily, kernel: &Kernel) -> Result<Ran, DeviceError> {
    const DURING: &str = "trying a plugin's family";
    let gpu = Gpu::open(0, &[*kernel])?;
    let responses = family.tried(OBSERVATIONS);
    let count = responses.len();
    let mut means = vec![f64::NAN; count];
    family.functions.start(&responses, &mut means);
    // Each response at the mean of another.
    means.rotate_left(count / 3);
    let predictors: Vec<f64> = means.iter().map(|mean| family.predictor(*mean)).collect();
    let values: Vec<f64> = family.parameters.iter().map(|(_, value)| *value).collect();
    let [parameters, eta, y] =
        [&values, &predictors, &responses].map(|all| -> Result<_, DeviceError> {
            let held = gpu.buffer::<f64>(all.len(), DURING)?;
            gpu.upload(all, held.address())?;
            Ok(held)
        });
    let (parameters, eta, y) = (parameters?, eta?, y?);
    let out = gpu.buffer::<f64>(4 * count, DURING)?;
    let (values_at, eta_at, y_at, out_at) = (
        parameters.address(),
        eta.address(),
        y.address(),
        out.address(),
    );
    let rows = count as i64;
    let given = arguments![values_at, eta_at, y_at, rows, out_at];
    gpu.launch(
        &family_values::KERNEL,
        "family_values",
        (8, 1, 1),
        128,
        0,
        given,
    )?;
    let mut theirs = vec![0f64; 4 * count];
    gpu.download(out_at, &mut theirs)?;
    gpu.wait(DURING)?;
    let [means, slopes, variances] = family.moments(&predictors);
    let mut deviances = vec![f64::NAN; count];
    family
        .functions
        .deviances(&responses, &means, &mut deviances);
    let mut largest = 0.0f64;
    let kinds = ["mean", "derivative of the mean", "variance", "deviance"];
    for (kind, (name, ours)) in kinds
        .into_iter()
        .zip([means, slopes, variances, deviances])
        .enumerate()
    {
        for (row, (ours, theirs)) in ours.iter().zip(&theirs[kind * count..]).enumerate() {
            let difference = match kind {
                // What is left of the terms of a deviance near 0 is their rounding.
                3 => difference(*ours, *theirs).min((ours - theirs).abs()),
                _ => difference(*ours, *theirs),
            };
            // Written so that what is not a number is one.
            let near = difference <= TOLERANCE || (ours.is_nan() && theirs.is_nan());
            if !near {
                return Err(DeviceError::Failed {
                    device: gpu.name.clone(),
                    during: format!("{DURING}, {}", family.spec()),
                    reason: format!(
                        "of the response {} at the linear predictor {} the {name} is {ours} and that of its twin in CUDA C \
                         {theirs}; the tolerance is {TOLERANCE:e}",
                        responses[row], predictors[row]
                    ),
                });
            }
            largest = largest.max(difference);
        }
    }
    Ok(Ran {
        device: gpu.name.clone(),
        compared: format!("{count} observations"),
        difference: largest,
    })
}
