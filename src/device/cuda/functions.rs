//! Scores of contingency tables in CUDA C, as plugins bring them, and families beside them: made into kernels, compiled for
//! every architecture, and compared on a GPU with the plugin's function for the CPU.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

use passel_kernels::{ARCHITECTURES, Kernel, family_values, newton, plugin_values};
use rayon::prelude::*;

use super::{
    super::DeviceError,
    compile,
    gpu::{Gpu, arguments},
    library::{self, Version},
};
use crate::{
    random::{Stream, uniform_below},
    score::{CountTable, ScoreFunction},
};

/// A function in CUDA C that was compiled, and on a GPU gave the values of the function for the CPU.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// The version of NVRTC that compiled it.
    pub nvrtc: Version,
    /// The architectures it was compiled for.
    pub architectures: &'static [&'static str],
    /// The GPU it ran on, if there is one.
    pub ran: Option<Ran>,
}

/// How close the values on a GPU are to those on the CPU.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    /// The GPU.
    pub device: String,
    /// What was compared, as in `6000 tables`.
    pub compared: String,
    /// The largest difference, relative to the value.
    pub difference: f64,
}

/// Tables of each shape.
const TABLES: usize = 1000;

/// Levels of x, w and y.
const SHAPES: [[usize; 3]; 6] = [
    [2, 1, 2],
    [2, 2, 2],
    [3, 5, 2],
    [10, 10, 2],
    [7, 4, 11],
    [64, 3, 10],
];

/// Compiles the CUDA source of a score for every architecture; where there is a GPU, compares its
/// values for random tables with those on the CPU. `name` is that of its method, for messages; a score
/// without CUDA source gives `None`.
///
/// # Errors
/// NVRTC is missing or refuses the source, a GPU fails, or a value differs by more than the tolerance.
pub fn check(name: &str, function: &ScoreFunction) -> Result<Option<Checked>, DeviceError> {
    let Some(text) = function.0.cuda() else {
        return Ok(None);
    };
    let kernel = kernel(name, text);
    checked(name, &[kernel], || compare(name, &kernel, function)).map(Some)
}

/// Compiles the kernels of what a plugin brings under this name, the first for every architecture and the others, of the same
/// text, as far as PTX, where names would meet; and compares, where there is a GPU.
pub(super) fn checked(
    name: &str,
    kernels: &[Kernel],
    compare: impl FnOnce() -> Result<Ran, DeviceError>,
) -> Result<Checked, DeviceError> {
    let all = kernels.iter().enumerate().flat_map(|(at, kernel)| {
        let own = if at == 0 {
            ARCHITECTURES
        } else {
            &["compute_75"]
        };
        own.iter().map(move |architecture| (kernel, *architecture))
    });
    let all: Vec<_> = all.collect();
    let compiled = all.par_iter().map(|(kernel, architecture)| {
        let compiled = compile::compile(kernel, architecture);
        compiled.map_err(|error| attribute(name, error)).map(drop)
    });
    let compiled: Vec<Result<(), DeviceError>> = compiled.collect();
    compiled.into_iter().collect::<Result<(), _>>()?;
    Ok(Checked {
        nvrtc: library::nvrtc()?,
        architectures: ARCHITECTURES,
        ran: is_there().then(compare).transpose()?,
    })
}

/// Whether there is a GPU to run on.
pub fn is_there() -> bool {
    matches!(library::gpus(), Ok(1..))
}

/// The kernel that evaluates this text, a method's.
pub(super) fn kernel(name: &str, text: &str) -> Kernel {
    Kernel {
        source: kept(plugin_values::with(name, text)),
        ..plugin_values::KERNEL
    }
}

/// A text that stays as long as the program; of equal ones there is one.
pub(super) fn kept(text: String) -> &'static str {
    static ALL: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(there) = all.get(text.as_str()) {
        return there;
    }
    let text: &'static str = Box::leak(text.into());
    all.insert(text);
    text
}

/// What the text of a score is to define.
const OF_SCORE: &str = "`__device__ double passel_value(const double *values, const unsigned *counts, unsigned x, unsigned w, \
                     unsigned y, unsigned step)`";

/// What the text of a family is to define.
const OF_FAMILY: &str = "`__device__ double passel_variance(const double *values, double mean)`, `__device__ double \
                                  passel_deviance(const double *values, double y, double mean)` and, of a link of its own, \
                                  `__device__ void passel_mean(const double *values, double predictor, double *mean, \
                                  double *slope)`";

/// What the compiler says of a kernel that is made of a plugin's text is of that text.
pub(super) fn attribute(name: &str, error: DeviceError) -> DeviceError {
    match error {
        DeviceError::Compile {
            kernel,
            architecture,
            log,
        } if defines(&kernel).is_some() => DeviceError::PluginCompile {
            name: name.to_owned(),
            defines: defines(&kernel).unwrap_or_default(),
            architecture,
            log,
        },
        other => other,
    }
}

/// What the text of a plugin is to define that this kernel is made of; `None` of passel's own kernels.
fn defines(kernel: &str) -> Option<&'static str> {
    let all = [
        (plugin_values::KERNEL, OF_SCORE),
        (family_values::KERNEL, OF_FAMILY),
        (newton::FAMILY, OF_FAMILY),
    ];
    let own = all.iter().find(|(own, _)| own.name == kernel);
    own.map(|(_, defines)| *defines)
}

/// How far two values are apart, as a share of the larger; not a number where one is none.
pub(super) fn difference(ours: f64, theirs: f64) -> f64 {
    match ours == theirs {
        true => 0.0,
        false => (ours - theirs).abs() / ours.abs().max(theirs.abs()),
    }
}

fn compare(name: &str, kernel: &Kernel, function: &ScoreFunction) -> Result<Ran, DeviceError> {
    const DURING: &str = "trying a plugin's function";
    let gpu = Gpu::open(0, &[*kernel])?;
    let values = function.0.values();
    let mut words = Stream::new(1, 0);
    let mut largest = 0.0f64;
    for shape @ [x, w, y] in SHAPES {
        let cells = x * w * y;
        // Few, many and no observations a cell.
        let count = |at: usize| {
            let most = [1, 3, 40, 100_000][at / cells % 4];
            let drawn = uniform_below(words.next_word(), most + 1);
            if uniform_below(words.next_word(), 3) == 0 {
                0
            } else {
                drawn as u32
            }
        };
        let mut counts: Vec<u32> = (0..TABLES * cells).map(count).collect();
        for table in counts.chunks_mut(cells) {
            // One without observations is never handed over.
            table[0] += u32::from(table.iter().all(|count| *count == 0));
        }
        let on_gpu = gpu.buffer::<u32>(counts.len(), DURING)?;
        gpu.upload(&counts, on_gpu.address())?;
        let parameters = gpu.buffer::<f64>(values.len(), DURING)?;
        gpu.upload(values, parameters.address())?;
        let out = gpu.buffer::<f64>(TABLES, DURING)?;
        let (counts_at, values_at, out_at) =
            (on_gpu.address(), parameters.address(), out.address());
        let ([x, w, y], tables) = (shape.map(|levels| levels as u32), TABLES as i64);
        // Relevance where there is no anchor, and the third step.
        let step = if w == 1 { 0_u32 } else { 3 };
        let given = arguments![values_at, counts_at, x, w, y, step, tables, out_at];
        gpu.launch(&plugin_values::KERNEL, "tables", (8, 1, 1), 128, 0, given)?;
        let mut theirs = vec![0f64; TABLES];
        gpu.download(out_at, &mut theirs)?;
        gpu.wait(DURING)?;
        let ours = plugin_values::reference(&counts, shape, |counts| {
            let [x, w, y] = shape;
            let step = step as usize;
            function.0.value(&CountTable {
                counts,
                x,
                w,
                y,
                step,
            })
        });
        for (table, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            let difference = difference(*ours, *theirs);
            // Written so that what is not a number is one.
            let near = difference <= function.0.tolerance().max(f64::EPSILON);
            if !near {
                let counts = &counts[table * cells..][..cells];
                return Err(DeviceError::Failed {
                    device: gpu.name.clone(),
                    during: format!("{DURING}, {name}"),
                    reason: format!(
                        "of the {} × {} × {} table {counts:?} its twin makes {ours}, it makes \
                         {theirs}; the tolerance is {}",
                        shape[0],
                        shape[1],
                        shape[2],
                        function.0.tolerance()
                    ),
                });
            }
            largest = largest.max(difference);
        }
    }
    Ok(Ran {
        device: gpu.name.clone(),
        compared: format!("{} tables", TABLES * SHAPES.len()),
        difference: largest,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_kept_once() {
        let [a, b, other] = ["a", "a", "b"].map(|text| kernel("method", text).source);
        assert!(std::ptr::eq(a, b) && !std::ptr::eq(a, other));
        assert!(other.starts_with("#line 1 \"method.cu\"\nb\n"), "{other}");
    }

    #[test]
    fn what_is_no_number_is_near_nothing() {
        assert_eq!(difference(0.0, -0.0), 0.0);
        assert_eq!(difference(f64::NEG_INFINITY, f64::NEG_INFINITY), 0.0);
        assert_eq!(difference(-1.0, -2.0), 0.5);
        for other in [0.0, 1.0, f64::NAN] {
            assert!(difference(f64::NAN, other).is_nan() && difference(other, f64::NAN).is_nan());
        }
    }

    #[test]
    fn an_error_of_its_own_kernel_alone_is_the_methods() {
        let of = |kernel: &str| DeviceError::Compile {
            kernel: kernel.to_owned(),
            architecture: "sm_75".to_owned(),
            log: "method.cu(3): error".to_owned(),
        };
        assert_eq!(attribute("method", of("dense")), of("dense"));
        let own = attribute("method", of("plugin_values")).to_string();
        let start = "method.cu does not compile for sm_75; it is to define `__device__ double passel_value(";
        assert!(own.starts_with(start), "{own}");
        for kernel in ["newton_family", "family_values"] {
            let own = attribute("method", of(kernel)).to_string();
            assert!(
                own.contains(" passel_variance(const double *values"),
                "{own}"
            );
        }
    }
}
