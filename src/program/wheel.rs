//! What a wheel of Python says of itself: in its file name the platforms that it is for, and in `RECORD` the hashes of its files.

use std::{
    env::consts::{ARCH, OS},
    path::Path,
};

use crate::{interrupt::Interrupt, sha256};

/// The largest `RECORD` that is read, in bytes.
pub(super) const LARGEST_RECORD: u64 = 1 << 26;

/// Refuses a wheel whose file name says that it is for other platforms; one without tags is taken as it is.
pub(super) fn fits(wheel: &Path) -> Result<(), String> {
    let stem = wheel.file_stem().unwrap_or_default().to_string_lossy();
    let parts: Vec<&str> = stem.split('-').collect();
    // NAME-VERSION[-BUILD]-PYTHON-ABI-PLATFORM.
    let ([_, _, _, _, tags] | [_, _, _, _, _, tags]) = parts[..] else {
        return Ok(());
    };
    match tags.split('.').any(|tag| is_of(tag, OS, ARCH)) {
        true => Ok(()),
        false => Err(format!(
            "it is a wheel for {tags}, this passel for {ARCH} on {OS}"
        )),
    }
}

/// Whether the tag of a platform is that of a system and a processor, by Rust's names of these.
fn is_of(tag: &str, system: &str, processor: &str) -> bool {
    let (systems, processors): (&[&str], &[&str]) = match (system, processor) {
        ("linux", "powerpc64") => (&["linux", "manylinux", "musllinux"], &["ppc64", "ppc64le"]),
        ("linux", _) => (&["linux", "manylinux", "musllinux"], &[processor]),
        ("macos", "aarch64") => (&["macosx"], &["arm64", "universal2"]),
        ("macos", _) => (&["macosx"], &[processor, "universal2", "intel"]),
        ("windows", "x86_64") => (&["win"], &["amd64"]),
        ("windows", _) => (&["win"], &["arm64"]),
        // What tags others have nobody says.
        _ => return true,
    };
    let tag = tag.to_ascii_lowercase();
    let is_system = systems.contains(
        &tag.split(|letter: char| !letter.is_ascii_lowercase())
            .next()
            .unwrap_or(""),
    );
    tag == "any"
        || is_system
            && processors
                .iter()
                .any(|own| tag.ends_with(&format!("_{own}")))
}

/// Whether an entry of a wheel is its `RECORD`.
pub(super) fn is_record(name: &str) -> bool {
    let folder = name.strip_suffix(".dist-info/RECORD");
    folder.is_some_and(|own| !own.contains('/'))
}

/// Refuses a library, a name in the wheel and a file, that is not the one of the wheel's `RECORD`, whose rows are a path, a hash and a length.
/// What it does not have, or by another hash than SHA-256, is taken as it is.
pub(super) fn check<'a>(
    record: &[u8],
    libraries: impl Iterator<Item = (&'a str, &'a Path)>,
) -> Result<(), String> {
    let record = String::from_utf8_lossy(record);
    for (name, path) in libraries {
        // As rows of CSV begin, which may be quoted.
        let starts = [
            format!("{name},sha256="),
            format!("\"{}\",sha256=", name.replace('"', "\"\"")),
        ];
        let of_row = |row: &'_ str| {
            let hash = starts
                .iter()
                .find_map(|start| row.strip_prefix(start.as_str()));
            hash.map(|hash| {
                hash.split(',')
                    .next()
                    .unwrap_or_default()
                    .trim_end()
                    .to_owned()
            })
        };
        let Some(recorded) = record.lines().find_map(of_row) else {
            continue;
        };
        let hash = sha256::of_file(path, &Interrupt::default())
            .map_err(|error| format!("its entry {name} cannot be read: {error}"))?;
        if in_base_64(&hash) != recorded {
            return Err(format!(
                "it is damaged: its entry {name} has another SHA-256, {hash}, than its RECORD says"
            ));
        }
    }
    Ok(())
}

/// A hash in hexadecimal digits as wheels have it: in base 64 with the letters for addresses, without padding.
fn in_base_64(hash: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let digits: Vec<usize> = hash
        .chars()
        .filter_map(|digit| digit.to_digit(16))
        .map(|digit| digit as usize)
        .collect();
    // Three digits are twelve bits, which are two letters; a digit alone is one.
    let letters = digits.chunks(3).flat_map(|three| {
        let bits = (0..3).fold(0, |bits, at| bits << 4 | three.get(at).unwrap_or(&0));
        let count = (4 * three.len()).div_ceil(6);
        [bits >> 6, bits & 63].into_iter().take(count)
    });
    letters.map(|at| char::from(LETTERS[at])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_platforms_of_a_wheel_are_those_of_its_tags() {
        for (tag, system, processor, is_own) in [
            ("any", "linux", "x86_64", true),
            ("manylinux_2_17_x86_64", "linux", "x86_64", true),
            ("manylinux2014_aarch64", "linux", "aarch64", true),
            ("musllinux_1_2_x86_64", "linux", "x86_64", true),
            ("linux_x86_64", "linux", "aarch64", false),
            ("win_amd64", "linux", "x86_64", false),
            ("win_amd64", "windows", "x86_64", true),
            ("macosx_11_0_arm64", "macos", "aarch64", true),
            ("macosx_10_9_universal2", "macos", "x86_64", true),
            ("macosx_10_9_x86_64", "linux", "x86_64", false),
        ] {
            assert_eq!(is_of(tag, system, processor), is_own, "{tag} on {system}");
        }
    }

    #[test]
    fn hashes_are_written_as_wheels_have_them() {
        // Of nothing, by RFC 4648 with the letters for addresses.
        let hash = sha256::of_text(b"");
        assert_eq!(
            in_base_64(&hash),
            "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"
        );
    }
}
