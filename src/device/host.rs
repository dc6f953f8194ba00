//! The CPU and the host's memory, for listings of devices.

use std::{any::type_name, fs, num::NonZero, thread};

use pulp::{Arch, Simd, WithSimd};

/// The CPU and the host's memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostInfo {
    /// The CPU's model name, if the system reports it.
    pub name: Option<String>,
    /// Cores that this program may run on.
    pub cores: usize,
    /// Bytes of memory, if the system reports them.
    pub memory: Option<u64>,
    /// Bytes of memory still available, if the system reports them.
    pub free: Option<u64>,
    /// The vector instructions that this program uses here.
    pub vectors: &'static str,
    /// Number of f64 values in one vector.
    pub width: usize,
}

/// Reads the host's properties from the system.
pub fn host_info() -> HostInfo {
    let (vectors, width) = Arch::new().dispatch(Vectors);
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let bytes = |name| {
        let kib = value(&memory, name)?.trim_end_matches(" kB");
        kib.parse::<u64>().ok().map(|kib| kib * 1024)
    };
    HostInfo {
        name: value(&processor, "model name").map(str::to_owned),
        cores: thread::available_parallelism().map_or(1, NonZero::get),
        memory: bytes("MemTotal"),
        free: bytes("MemAvailable"),
        vectors,
        width,
    }
}

/// The value of the first line `name : value` of a text.
fn value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    let mut values = lines.filter(|(key, _)| key.trim() == name);
    values.next().map(|(_, value)| value.trim())
}

/// Finds the instructions that vector loops are dispatched to.
struct Vectors;

impl WithSimd for Vectors {
    type Output = (&'static str, usize);

    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let name = match type_name::<S>().rsplit("::").next() {
            Some("V4") => "AVX-512",
            Some("V3") => "AVX2 and FMA",
            Some("Neon") => "NEON",
            Some("Scalar") => "none",
            _ => "others",
        };
        (name, S::F64_LANES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_files_are_parsed() {
        let text = "processor\t: 0\nmodel name\t: A: B\nMemTotal:       16 kB\n";
        assert_eq!(value(text, "model name"), Some("A: B"));
        assert_eq!(value(text, "MemTotal"), Some("16 kB"));
        assert_eq!(value(text, "none"), None);
    }

    #[test]
    fn the_vector_instructions_are_known() {
        let host = host_info();
        assert_ne!(host.vectors, "others");
        assert_eq!(host.vectors == "none", host.width == 1);
        assert!(host.cores >= 1);
    }
}
