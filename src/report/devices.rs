//! The list of devices that `passel devices` prints.

use serde_json::{Value, json};

use crate::{
    device::{
        cuda::{
            Version,
            ahead::Compiled,
            facts::{CudaInfo, GpuInfo},
        },
        host::HostInfo,
    },
    memory::Bytes,
};

/// The CPU, every GPU and the libraries, for a reader.
pub fn text(host: &HostInfo, cuda: &CudaInfo) -> String {
    let mut page = String::new();
    let mut line = |name: &str, text: String| page += &format!("{name:<8} {text}\n");
    line("cpu", processor(host));
    for gpu in &cuda.gpus {
        line(&format!("cuda:{}", gpu.ordinal), describe(gpu));
    }
    for (name, version) in libraries(cuda) {
        let version = version.map_or("none".into(), |version| format!("CUDA {version}"));
        line(name, version);
    }
    if let Some(obstacle) = &cuda.obstacle {
        line("no CUDA", obstacle.to_string());
    }
    page
}

/// The kernels that were compiled, for a reader.
pub fn compiled_text(compiled: &Compiled) -> String {
    format!(
        "{} kernels for {}, {}, in {}\n",
        compiled.kernels,
        compiled.architectures.join(", "),
        Bytes(compiled.bytes),
        compiled.folder.display()
    )
}

/// The kernels that were compiled, as JSON.
pub fn compiled_json(compiled: &Compiled) -> String {
    let compiled = json!({
        "kernels": compiled.kernels,
        "architectures": compiled.architectures,
        "bytes": compiled.bytes,
        "folder": compiled.folder.display().to_string(),
    });
    format!("{compiled:#}\n")
}

fn processor(host: &HostInfo) -> String {
    let mut facts = Vec::from_iter(host.name.clone());
    facts.push(match host.cores {
        1 => "1 core".to_owned(),
        cores => format!("{cores} cores"),
    });
    facts.extend(host.memory.map(|memory| match host.free {
        Some(free) => format!("{}, {} free", Bytes(memory), Bytes(free)),
        None => Bytes(memory).to_string(),
    }));
    facts.push(match host.width {
        1 => "no vector instructions".to_owned(),
        width => format!("vectors of {width} f64 ({})", host.vectors),
    });
    facts.join(", ")
}

fn describe(gpu: &GpuInfo) -> String {
    let (major, minor) = gpu.capability;
    let free = match &gpu.free {
        Ok(free) => format!("{} free", Bytes(*free)),
        Err(error) => format!("not usable now: {error}"),
    };
    let (name, memory) = (&gpu.name, Bytes(gpu.memory));
    format!("{name}, compute capability {major}.{minor}, {memory}, {free}")
}

fn libraries(cuda: &CudaInfo) -> [(&'static str, Option<Version>); 3] {
    [
        ("driver", cuda.driver),
        ("NVRTC", cuda.nvrtc),
        ("cuBLAS", cuda.cublas),
    ]
}

/// The CPU, every GPU and the libraries as JSON.
///
/// *Units:* bytes, for memory.
pub fn json(host: &HostInfo, cuda: &CudaInfo) -> String {
    let version = |version: Option<Version>| version.map(|version| version.to_string());
    let gpus = cuda.gpus.iter().map(|gpu| {
        json!({
            "device": format!("cuda:{}", gpu.ordinal),
            "name": gpu.name,
            "compute_capability": format!("{}.{}", gpu.capability.0, gpu.capability.1),
            "memory": gpu.memory,
            "free": gpu.free.as_ref().ok(),
            "problem": gpu.free.as_ref().err().map(ToString::to_string),
        })
    });
    let all = json!({
        "passel": env!("CARGO_PKG_VERSION"),
        "cpu": {
            "device": "cpu",
            "name": host.name,
            "cores": host.cores,
            "memory": host.memory,
            "free": host.free,
            "vectors": host.vectors,
            "vector_f64": host.width,
        },
        "cuda": {
            "driver": version(cuda.driver),
            "nvrtc": version(cuda.nvrtc),
            "cublas": version(cuda.cublas),
            "devices": gpus.collect::<Vec<Value>>(),
            "problem": cuda.obstacle.as_ref().map(ToString::to_string),
        },
    });
    format!("{all:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceError;

    fn host() -> HostInfo {
        HostInfo {
            name: Some("A CPU".into()),
            cores: 16,
            memory: Some(128 << 30),
            free: Some(100 << 30),
            vectors: "AVX-512",
            width: 8,
        }
    }

    fn version(major: u32, minor: u32) -> Option<Version> {
        Some(Version { major, minor })
    }

    fn cuda() -> CudaInfo {
        let gpu = |ordinal, free| GpuInfo {
            ordinal,
            name: "NVIDIA H200".into(),
            capability: (9, 0),
            memory: 139 << 30,
            free,
        };
        let busy = DeviceError::Failed {
            device: "cuda:1".into(),
            during: "asking for its memory".into(),
            reason: "CUDA_ERROR_DEVICE_UNAVAILABLE".into(),
        };
        CudaInfo {
            driver: version(13, 0),
            nvrtc: version(12, 9),
            cublas: version(13, 1),
            gpus: vec![gpu(0, Ok(137 << 30)), gpu(1, Err(busy))],
            obstacle: None,
        }
    }

    #[test]
    fn two_gpus_and_their_libraries_are_listed() {
        let expected = "\
cpu      A CPU, 16 cores, 128.0 GiB, 100.0 GiB free, vectors of 8 f64 (AVX-512)
cuda:0   NVIDIA H200, compute capability 9.0, 139.0 GiB, 137.0 GiB free
cuda:1   NVIDIA H200, compute capability 9.0, 139.0 GiB, not usable now: cuda:1 failed \
during asking for its memory: CUDA_ERROR_DEVICE_UNAVAILABLE
driver   CUDA 13.0
NVRTC    CUDA 12.9
cuBLAS   CUDA 13.1
";
        assert_eq!(text(&host(), &cuda()), expected);
        let json: Value = serde_json::from_str(&json(&host(), &cuda())).unwrap();
        assert_eq!(json["cuda"]["devices"][0]["free"], 137u64 << 30);
        assert_eq!(json["cuda"]["devices"][1]["free"], Value::Null);
        assert_eq!(json["cuda"]["nvrtc"], "12.9");
        assert_eq!(json["cuda"]["problem"], Value::Null);
    }
}
