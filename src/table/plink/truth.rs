//! The truth beside simulated genotypes, `cohort.truth` of `cohort.bed`: the command that made the files, how many bytes
//! they have, and a line for each variant of the model that made the phenotype.
//!
//! A line is the variant's id, the allele of which copies are counted and the effect of a copy, as `plink2 --score` reads
//! them; `--extract`, here and there, reads the ids.

use std::collections::HashSet;
#[cfg(feature = "program")]
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use super::super::error::as_given;
use super::super::format::companion;
use super::super::head::MARK;
use super::super::lines::Lines;
use super::super::{Column, ReadOptions, TableError};

/// The ending of the file.
pub(super) const ENDING: &str = "truth";

/// The endings of the files that lie beside it.
const PARTS: [&str; 3] = ["bed", "bim", "fam"];

/// The beginning of the first line, and of the second.
const COMMAND: &str = "simulate genotypes ";
const BYTES: &str = "bytes";

/// Most bytes of the first two lines, which hold nothing but numbers.
const HEAD: u64 = 4096;

/// The text of a truth.
///
/// `command` is what made the files, without `passel`, and `bytes` are those of the `.bed`, the `.bim` and the `.fam`; of
/// each true variant its name, the allele that is counted, and the effect of a copy.
#[cfg(feature = "program")]
pub(crate) fn truth_text<'a>(
    command: &str,
    bytes: [u64; 3],
    truth: impl Iterator<Item = (&'a str, &'a str, f64)>,
) -> String {
    let mut text = format!("{MARK}{command}\n{MARK}{BYTES}");
    // Writing to a String cannot fail.
    for (part, bytes) in PARTS.iter().zip(bytes) {
        let _ = write!(text, " {part} {bytes}");
    }
    text.push('\n');
    for (name, allele, effect) in truth {
        let _ = writeln!(text, "{name}\t{allele}\t{effect}");
    }
    text
}

/// Whether a file is part of simulated genotypes: a truth beside it says so, and how many bytes it has.
pub(crate) fn is_simulated_part(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    let ending = ending.to_ascii_lowercase();
    let told = || {
        let file = File::open(companion(path, &[ENDING])).ok()?;
        let mut head = Vec::new();
        file.take(HEAD).read_to_end(&mut head).ok()?;
        let text = String::from_utf8_lossy(&head);
        let mut lines = text.lines().map(|line| line.strip_prefix(MARK));
        lines.next()??.strip_prefix(COMMAND)?;
        let mut words = lines.next()??.strip_prefix(BYTES)?.split(' ');
        words.find(|word| *word == ending)?;
        words.next()?.parse::<u64>().ok()
    };
    let bytes = fs::metadata(path).map(|facts| facts.len()).ok();
    PARTS.contains(&&*ending) && bytes.is_some() && told() == bytes
}

/// The positions of the true variants among columns, ascending, and what a user should know of those that are not there.
/// None if there is no truth beside the `.bed`; a file of that name that passel did not write is none.
pub(super) fn truth(
    bed: &Path,
    columns: &[Column],
    options: &ReadOptions,
) -> Result<(Vec<usize>, Option<String>), TableError> {
    let path = companion(bed, &[ENDING]);
    let Some(names) = true_names(&path, options)? else {
        return Ok((Vec::new(), None));
    };
    let positions = columns.iter().enumerate();
    let positions = positions.filter(|(_, column)| names.contains(&column.name));
    let positions: Vec<usize> = positions.map(|(position, _)| position).collect();
    let absent = names.len() - positions.len();
    let warning = (absent > 0).then(|| {
        format!(
            "{absent} of the {} true variants in {} are no columns here: how much of the truth was found is told of the others",
            names.len(),
            as_given(&path)
        )
    });
    Ok((positions, warning))
}

/// The true variants that a file names; `None` if it is no truth.
fn true_names(path: &Path, options: &ReadOptions) -> Result<Option<HashSet<String>>, TableError> {
    if !path.is_file() {
        return Ok(None);
    }
    let mut lines = Lines::open(path, options)?;
    let first = format!("{MARK}{COMMAND}");
    if !lines.advance()? || !lines.text.starts_with(first.as_bytes()) {
        return Ok(None);
    }
    let mut names = HashSet::new();
    while lines.advance()? {
        let is_marked = lines.text.starts_with(MARK.as_bytes());
        if !is_marked && lines.fields().next().is_some() {
            names.insert(lines.field(0)?.to_owned());
        }
    }
    Ok(Some(names))
}
