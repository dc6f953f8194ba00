//! Every kernel, for every architecture, without a GPU: no warning, no spill that is not
//! agreed upon.

#![allow(unsafe_code)]

use std::{env, ffi::CString};

use cudarc::nvrtc::{result, sys};
use passel_kernels::{ALL, ARCHITECTURES, Kernel, OPTIONS};
use rayon::prelude::*;

/// The version of NVRTC, or that there is none.
pub fn nvrtc() -> Result<String, String> {
    // SAFETY: opens the library and closes it.
    if !unsafe { sys::is_culib_present() } {
        return Err("there is no NVRTC".to_owned());
    }
    let (mut major, mut minor) = (0, 0);
    // SAFETY: writes two integers.
    let asked = unsafe { sys::nvrtcVersion(&mut major, &mut minor) }.result();
    asked.map_err(|error| error.to_string())?;
    Ok(format!("{major}.{minor}"))
}

/// The machine code of a kernel, and what the compiler said, most often nothing.
pub fn compile(
    kernel: &Kernel,
    architecture: &str,
    more: &[&str],
) -> Result<(Vec<u8>, String), String> {
    let architecture = format!("--gpu-architecture={architecture}");
    let options = [OPTIONS, more, &[&architecture]].concat();
    let text = CString::new(kernel.text()).unwrap();
    let name = CString::new(format!("{}.cu", kernel.name)).unwrap();
    let mut program =
        result::create_program(&text, Some(&name)).map_err(|error| error.to_string())?;
    // SAFETY: the program and its texts are there until it is destroyed, and the image has the size
    // that was asked for.
    let (image, log) = unsafe {
        let done = result::compile_program(program, &options);
        let log = result::get_program_log(program).unwrap_or_default();
        let image = done.and_then(|()| {
            let mut size = 0;
            sys::nvrtcGetCUBINSize(program, &mut size).result()?;
            let mut image = vec![0u8; size];
            sys::nvrtcGetCUBIN(program, image.as_mut_ptr().cast()).result()?;
            Ok(image)
        });
        let _ = sys::nvrtcDestroyProgram(&mut program);
        (image, log)
    };
    let log: Vec<u8> = log.into_iter().map(|byte| byte as u8).collect();
    let log = String::from_utf8_lossy(&log);
    let log = log.trim_end_matches(['\0', '\n']).to_owned();
    match image {
        Ok(image) => Ok((image, log)),
        Err(error) => Err(format!("{error}\n{log}")),
    }
}

/// What ptxas says of one function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Usage {
    function: String,
    registers: u32,
    /// Bytes of shared memory known when compiling.
    shared: u32,
    /// Bytes of local memory: arrays that do not fit registers.
    stack: u32,
    /// Bytes spilt, stores and loads.
    spilt: u32,
}

/// The number before `unit` in a line of ptxas.
fn number(line: &str, unit: &str) -> Option<u32> {
    line[..line.find(unit)?]
        .trim_end()
        .rsplit(' ')
        .next()?
        .parse()
        .ok()
}

/// Reads the log of `--ptxas-options=-v`: usages, then the lines that are complaints.
fn read(log: &str) -> (Vec<Usage>, Vec<&str>) {
    let (mut usages, mut complaints): (Vec<Usage>, Vec<&str>) = (Vec::new(), Vec::new());
    for line in log.lines().filter(|line| !line.trim().is_empty()) {
        // Its lines begin so, and continue so.
        if !line.starts_with("ptxas info") && !line.starts_with("ptxas         .") {
            complaints.push(line);
            continue;
        }
        if let Some((_, name)) = line.split_once("Function properties for ") {
            usages.push(Usage {
                function: name.trim().to_owned(),
                ..Usage::default()
            });
        }
        let Some(usage) = usages.last_mut() else {
            continue;
        };
        usage.registers = number(line, " registers").unwrap_or(usage.registers);
        usage.shared = number(line, " bytes smem").unwrap_or(usage.shared);
        usage.stack = number(line, " bytes stack frame").unwrap_or(usage.stack);
        for unit in [" bytes spill stores", " bytes spill loads"] {
            usage.spilt += number(line, unit).unwrap_or(0);
        }
    }
    (usages, complaints)
}

/// What a kernel uses on an architecture, and what is wrong with it.
fn examine(kernel: &Kernel, architecture: &str) -> (Vec<Usage>, Vec<String>) {
    // What NVRTC (12.9 and newer) takes from its cache bears no log.
    let options = ["--ptxas-options=-v", "--no-cache"];
    let (image, log) = match compile(kernel, architecture, &options) {
        Ok(compiled) => compiled,
        Err(error) => return (Vec::new(), vec![error]),
    };
    let of = format!("{} for {architecture}", kernel.name);
    let (usages, complaints) = read(&log);
    let mut faults: Vec<String> = complaints
        .iter()
        .map(|line| format!("{of}: {line}"))
        .collect();
    // "\x7fELF": machine code came out, not PTX.
    if !image.starts_with(b"\x7fELF") {
        faults.push(format!("{of}: no machine code"));
    }
    for function in kernel.functions {
        if !usages.iter().any(|usage| usage.function == *function) {
            faults.push(format!("{of}: there is no function {function}"));
        }
    }
    for usage in usages.iter().filter(|usage| usage.spilt > 0) {
        let name = usage.function.as_str();
        if !kernel.spills.contains(&(architecture, name)) {
            faults.push(format!("{of}: {name} spills {} bytes", usage.spilt));
        }
    }
    (usages, faults)
}

/// Compiles what the file of a stem holds for every architecture, by CUDA 12 for the first and the last.
fn compiles(stem: &str) {
    let required = env::var("PASSEL_REQUIRE_NVRTC").ok();
    let version = match nvrtc() {
        Ok(version) => version,
        Err(error) if required.is_some() => panic!("{error}"),
        Err(error) => {
            eprintln!("skipped, {stem} was not compiled: {error}");
            return;
        }
    };
    // A version, where one is asked for: another may lie in the system's folders.
    if let Some(wanted) = required.filter(|wanted| wanted.contains('.')) {
        assert_eq!(version, wanted);
    }
    println!("NVRTC {version}; bytes of shared memory, of stack, spilt");
    let own = ALL.iter().filter(|kernel| is_of(kernel, stem));
    // What an older compiler refuses it refuses at either end; what it makes for each is the newest one's to show.
    let between = if version.starts_with("12.") {
        ARCHITECTURES.len() - 1
    } else {
        1
    };
    let of = |kernel| {
        ARCHITECTURES
            .iter()
            .step_by(between)
            .map(move |name| (kernel, *name))
    };
    let pairs: Vec<(&Kernel, &str)> = own.flat_map(of).collect();
    assert!(!pairs.is_empty(), "no kernel is named {stem}");
    let examined: Vec<_> = pairs
        .par_iter()
        .map(|(kernel, architecture)| examine(kernel, architecture))
        .collect();
    let mut all = Vec::new();
    for ((_, architecture), (usages, faults)) in pairs.into_iter().zip(examined) {
        all.extend(faults);
        for usage in usages {
            println!(
                "{:<24} {architecture:<8} {:>3} registers {:>6} {:>6} {:>6}",
                usage.function, usage.registers, usage.shared, usage.stack, usage.spilt
            );
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// Whether a kernel comes from the file of a stem: its name is the stem, or begins with it.
fn is_of(kernel: &Kernel, stem: &str) -> bool {
    let rest = kernel.name.strip_prefix(stem);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}

/// Declares a test of each stem, and lists the stems.
macro_rules! compile_tests {
    ($($stem:ident),+) => {
        $(
            #[test]
            fn $stem() {
                super::compiles(stringify!($stem));
            }
        )+

        pub const STEMS: &[&str] = &[$(stringify!($stem)),+];
    };
}

/// A test for each stem, so that one kernel can be compiled without the others.
mod each {
    passel_kernels::for_each_stem!(compile_tests);
}

#[test]
fn every_kernel_is_of_a_stem() {
    for kernel in ALL {
        let known = each::STEMS.iter().any(|stem| is_of(kernel, stem));
        assert!(known, "{} begins with no stem", kernel.name);
    }
}

#[test]
fn faults_are_found() {
    if nvrtc().is_err() {
        return;
    }
    let of = |source, functions| Kernel {
        name: "bad",
        source,
        functions,
        spills: &[],
    };
    let unused = of(
        "extern \"C\" __global__ void f(int* a) { int unused; *a = 1; }",
        &["f", "g"],
    );
    let faults = |kernel| examine(kernel, "sm_90a").1.join("\n");
    let found = faults(&unused);
    assert!(found.contains("bad.cu(1): warning"), "{found}");
    assert!(found.contains("there is no function g"), "{found}");
    let broken = of("extern \"C\" __global__ void f(int* a) { *a = b; }", &["f"]);
    let found = faults(&broken);
    assert!(found.contains("bad.cu(1): error"), "{found}");
    // 32 registers a thread do not hold 64 values at once.
    let spilling = of(
        "extern \"C\" __global__ void __launch_bounds__(1024, 2) f(double* a) {\n\
         double x[64];\n\
         _Pragma(\"unroll\") for (int i = 0; i < 64; ++i) x[i] = a[i * 32 + threadIdx.x];\n\
         __syncthreads();\n\
         _Pragma(\"unroll\") for (int i = 0; i < 64; ++i) a[i * 32 + threadIdx.x] = x[63 - i];\n\
         }",
        &["f"],
    );
    let found = faults(&spilling);
    assert!(found.contains("f spills "), "{found}");
}

#[test]
fn the_words_of_ptxas_are_understood() {
    let log = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'f' for 'sm_75'
ptxas info    : Function properties for f
ptxas         .     40 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 40 bytes cumulative stack size, 4096 bytes smem, 392 bytes cmem[0]
k.cu(1): warning #177-D: variable \"unused\" was declared but never referenced
";
    let (usages, complaints) = read(log);
    let usage = Usage {
        function: "f".into(),
        registers: 32,
        shared: 4096,
        stack: 40,
        spilt: 40,
    };
    assert_eq!(usages, [usage]);
    assert_eq!(complaints.len(), 1);
}
