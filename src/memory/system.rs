//! What the system lets this process have.

use std::fs;

use crate::machine::{kibibytes, process_status};

/// Bytes from which the system is asked whether they are there, before they are taken.
const LARGE: u64 = 1 << 20;

/// Whether the system has so many bytes in one piece: a program that takes memory which is not there
/// would be ended.
pub(super) fn is_there(bytes: u64) -> bool {
    let mut room: Vec<u8> = Vec::new();
    let Ok(bytes) = usize::try_from(bytes) else {
        return false;
    };
    bytes < LARGE as usize || room.try_reserve_exact(bytes).is_ok()
}

/// The share of a system's bound that jobs may count on: the rest is for what is not counted.
const COUNTED: (u64, u64) = (7, 8);

/// The tightest bound of the system on this process's memory, and what of it jobs may take.
pub(super) fn system_bound() -> Option<(&'static str, u64)> {
    let file = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let used = process_status("VmSize").and_then(|size| kibibytes(&size));
    let used = used.unwrap_or(0);
    let group = file("/proc/self/cgroup");
    let group = group.lines().find_map(|line| line.strip_prefix("0::"));
    let group = format!(
        "/sys/fs/cgroup{}/memory.max",
        group.unwrap_or("").trim_end()
    );
    let number = |path: &str| file(path).trim().parse::<u64>().ok();
    let bounds = [
        (
            "the limit on address space (ulimit -v)",
            address_space(&file("/proc/self/limits")).map(|bytes| bytes.saturating_sub(used)),
        ),
        ("the control group", number(&group)),
        ("the control group", number("/sys/fs/cgroup/memory.max")),
        (
            "the control group",
            number("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        ),
        ("this machine", total_memory(&file("/proc/meminfo"))),
    ];
    let known = bounds
        .into_iter()
        .filter_map(|(name, bytes)| Some((name, bytes?)));
    let (name, bytes) = known.min_by_key(|(_, bytes)| *bytes)?;
    Some((name, bytes / COUNTED.1 * COUNTED.0))
}

/// The machine's memory in `/proc/meminfo`.
fn total_memory(text: &str) -> Option<u64> {
    let mut lines = text.lines();
    let line = lines.find_map(|line| line.strip_prefix("MemTotal:"))?;
    kibibytes(line.trim())
}

/// The soft limit on the address space in `/proc/self/limits`; `None` without one.
fn address_space(limits: &str) -> Option<u64> {
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_system_are_parsed() {
        assert_eq!(total_memory("A: 1 kB\nMemTotal:   16 kB\n"), Some(16 << 10));
        let limits = "Limit  Soft  Hard  Units\nMax address space   5000   unlimited   bytes\n";
        assert_eq!(address_space(limits), Some(5000));
        assert_eq!(
            address_space("Max address space  unlimited  unlimited  bytes"),
            None
        );
    }
}
