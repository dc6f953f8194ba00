//! Bytes as messages show them.

use std::fmt;

/// A number of bytes in the unit that reads best: `1.5 GiB`, `12.0 MiB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const KIB: f64 = 1024.0;
        let bytes = self.0 as f64;
        let units = [("GiB", KIB * KIB * KIB), ("MiB", KIB * KIB), ("KiB", KIB)];
        // 1,023.96 MiB would be rounded to 1024.0 MiB.
        match units.iter().find(|(_, size)| bytes >= size * 0.9999) {
            Some((unit, size)) => write!(f, "{:.1} {unit}", bytes / size),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_in_the_largest_unit() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (1000, "1000 bytes"),
            (1 << 10, "1.0 KiB"),
            (3 << 19, "1.5 MiB"),
            ((1 << 30) - 1, "1.0 GiB"),
            (139 << 30, "139.0 GiB"),
        ] {
            assert_eq!(Bytes(bytes).to_string(), text);
        }
    }
}
