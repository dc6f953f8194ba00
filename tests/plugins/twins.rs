//! Families in CUDA C: compiled where there is NVRTC, compared and fitted by where there is a GPU.

use std::env;

use serde_json::Value;

use super::{
    beside,
    families::{arguments, folder, run},
    program::Folder,
};

/// What `passel plugins --cuda` says of a library: whether the family works, and what is told; `None` where NVRTC is not there.
fn tried(folder: &Folder, library: &str, family: &str) -> Option<(bool, String)> {
    let ran = folder.run(&[
        "plugins",
        "--cuda",
        "--plugins",
        library,
        "--format",
        "json",
    ]);
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    let plugins = json["plugins"].as_array().unwrap().iter();
    let mut all = plugins.flat_map(|own| own["cuda"].as_array().unwrap());
    let own = all.find(|own| own["name"] == family).unwrap();
    let (works, told) = (
        own["works"].as_bool().unwrap(),
        own["told"].as_str().unwrap(),
    );
    if told.starts_with("NVRTC (") {
        assert!(env::var_os("PASSEL_REQUIRE_NVRTC").is_none(), "{told}");
        return None;
    }
    // Others may be there that do not work.
    assert!(works || ran.code == Some(1), "{told}");
    Some((works, told.to_owned()))
}

fn has_no_gpu(told: &str) -> bool {
    let none = told.ends_with("; there is no GPU to run it on");
    assert!(
        !none || env::var_os("PASSEL_REQUIRE_CUDA").is_none(),
        "{told}"
    );
    none
}

/// Poisson's functions, the first of them times `{}`.
const POISSON: &str = "__device__ double passel_variance(const double *, double mean) { return mean{}; }\n\
                       __device__ double passel_deviance(const double *, double y, double mean)\n\
                       { return 2.0 * ((y > 0.0 ? y * log(y / mean) : 0.0) - (y - mean)); }\n";

/// A definition of `TWIN`, for the C family.
fn twin(text: &str) -> String {
    format!("TWIN={:?}", text)
}

#[test]
fn twins_compile_and_give_what_their_families_give() {
    let Some(folder) = folder(&[&twin(&POISSON.replace("{}", ""))]) else {
        return;
    };
    let rust = beside("faulty").display().to_string();
    for (library, family) in [
        ("libnb2.so", "nb2"),
        ("libfamilies.so", "c-counts"),
        // In Rust, with a link of its own.
        (&*rust, "faulty-squares"),
    ] {
        let Some((works, told)) = tried(&folder, library, family) else {
            return;
        };
        assert!(works, "{family}: {told}");
        let start = "compiles for sm_75, sm_80, sm_86, sm_89, sm_90a, sm_100, sm_120 with NVRTC ";
        assert!(told.starts_with(start), "{told}");
        assert!(
            has_no_gpu(&told) || told.contains(" as its twin for "),
            "{told}"
        );
    }
}

#[test]
fn a_twin_that_does_not_compile_is_told_with_what_it_lacks() {
    let lacking = POISSON
        .replace("passel_deviance", "deviance")
        .replace("{}", "");
    let Some(folder) = folder(&[&twin(&lacking)]) else {
        return;
    };
    let Some((works, told)) = tried(&folder, "libfamilies.so", "c-counts") else {
        return;
    };
    assert!(!works, "{told}");
    for part in [
        "c-counts.cu does not compile for sm_75; it is to define `__device__ double passel_variance(const double *values, double mean)`",
        "passel_deviance\" is undefined",
    ] {
        assert!(told.contains(part), "{told}");
    }
}

#[test]
fn a_twin_that_gives_something_else_is_told() {
    let Some(folder) = folder(&[&twin(&POISSON.replace("{}", " * 1.001"))]) else {
        return;
    };
    let Some((works, told)) = tried(&folder, "libfamilies.so", "c-counts") else {
        return;
    };
    if has_no_gpu(&told) {
        return;
    }
    assert!(!works, "{told}");
    assert!(told.contains("the variance is "), "{told}");
    assert!(told.contains("and that of its twin in CUDA C "), "{told}");
    let checked = folder.run(&["plugins", "--check", "libfamilies.so"]);
    assert_eq!(checked.code, Some(1), "{}", checked.stdout);
    let said = "FAILED  family c-counts: cuda:0 ";
    assert!(checked.stdout.contains(said), "{}", checked.stdout);
}

/// By GPUs the same is found as by the CPU, with a twin and without.
#[test]
fn gpus_fit_by_a_twin_what_the_cpu_fits() {
    let Some(folder) = folder(&[&twin(&POISSON.replace("{}", ""))]) else {
        return;
    };
    let Some((_, told)) = tried(&folder, "libnb2.so", "nb2") else {
        return;
    };
    if has_no_gpu(&told) {
        return;
    }
    // Several columns a term are the host's to fit.
    let more = [
        "--drop",
        "g,y,success,time,event,level",
        "--criterion",
        "bic",
        "--format",
        "json",
    ];
    for family in ["nb2:theta=2", "c-counts"] {
        let [cpu, cuda] = ["cpu", "cuda:0"].map(|device| -> Value {
            let mut all = arguments(
                family,
                "count",
                &[&more[2..], &["--device", device]].concat(),
            );
            let drop = all.iter().position(|own| own == "--drop").unwrap();
            all[drop + 1] = more[1].to_owned();
            all.retain(|own| own != "--factor" && own != "g");
            let ran = run(&folder, &all);
            assert_eq!(ran.code, Some(0), "{family}: {}", ran.stderr);
            serde_json::from_str(&ran.stdout).unwrap()
        });
        let names = |own: &Value| -> Vec<Value> {
            let selected = own["selected"].as_array().unwrap().iter();
            selected.map(|own| own["name"].clone()).collect()
        };
        assert_eq!(names(&cpu), names(&cuda), "{family}");
        assert_eq!(cpu["certified"], cuda["certified"], "{family}");
        let [own, other] = [&cpu, &cuda].map(|own| own["criterion"]["value"].as_f64().unwrap());
        assert!(
            (own - other).abs() < 1e-9 * own.abs(),
            "{family}: {own} {other}"
        );
        assert!(!names(&cpu).is_empty(), "{family}");
    }
}
