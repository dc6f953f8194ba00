//! Writes simulated genotypes as a fileset of PLINK 1, with the truth beside it.

use std::{io::Write, path::Path};

use super::RunError;
use crate::{
    device::Resources,
    family::Distribution,
    interrupt::Interrupt,
    job::Simulation,
    output::{OutputFile, Replaces, sweep_beside},
    simulate::{COUNTED_ALLELE, OTHER_ALLELE, SimulatedTrait, variants},
    table::{BED_MAGIC, companion, truth_text},
    threads::with_helpers,
};

/// Bytes of lines that are written at a time.
const AT_ONCE: usize = 1 << 20;

/// Returns true for the name of a `.bed`.
pub(super) fn is_bed(path: &Path) -> bool {
    let ending = path.extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("bed"))
}

/// Writes the `.bed`, the `.bim`, the `.fam` and the truth of a model of genotypes, whose settings were checked.
/// `ended` is why an interrupt ended the work.
///
/// # Errors
/// The output, an interrupt, a timeout, or that no true variant varies.
pub(super) fn write(
    simulation: &Simulation,
    interrupt: &Interrupt,
    ended: &dyn Fn() -> RunError,
) -> Result<(), RunError> {
    let (model, settings) = (simulation.model, &simulation.settings);
    let bed = &*simulation.output;
    sweep_beside([bed].into_iter());
    let replaces = Replaces::SimulatedData.or_any(simulation.overwrite);
    let create = |path: &Path| -> Result<Part, RunError> {
        Ok(Part {
            file: OutputFile::create(path, replaces)?,
            bytes: 0,
            interrupt,
            ended,
        })
    };
    let beside = |ending: &str| companion(bed, &[ending]);
    let (mut bed, mut bim) = (create(bed)?, create(&beside("bim"))?);
    let (mut fam, mut truth) = (create(&beside("fam"))?, create(&beside("truth"))?);

    let _heeding = interrupt.heeding();
    bed.put(&BED_MAGIC)?;
    let threads = Resources::default().thread_count();
    let drawn = with_helpers(threads, || {
        SimulatedTrait::draw(model, settings, |rows| bed.put(rows))
    })?;
    bim.put_lines(variants(settings).map(|own| {
        let (chromosome, position, name) = (own.chromosome, own.position, own.name);
        format!("{chromosome}\t{name}\t0\t{position}\t{COUNTED_ALLELE}\t{OTHER_ALLELE}\n")
    }))?;
    let people = (1_u64..).zip(&drawn.values).map(|(id, value)| {
        let value = match settings.family {
            // Controls are 1 and cases 2, for 0 is a missing status.
            Distribution::Binomial => value + 1.0,
            _ => *value,
        };
        format!("{id}\t{id}\t0\t0\t0\t{value}\n")
    });
    fam.put_lines(people)?;
    let bytes = [bed.bytes, bim.bytes, fam.bytes];
    let lines = drawn.truth.iter();
    let lines = lines.map(|(name, effect)| (&**name, COUNTED_ALLELE, *effect));
    truth.put(truth_text(&model.command(settings), bytes, lines).as_bytes())?;
    // The truth, by which passel knows the others, comes last.
    for part in [bed, bim, fam, truth] {
        part.file.commit()?;
    }
    Ok(())
}

/// One of the files.
struct Part<'a> {
    file: OutputFile,
    /// What was written of it.
    bytes: u64,
    interrupt: &'a Interrupt,
    ended: &'a dyn Fn() -> RunError,
}

impl Part<'_> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), RunError> {
        let mut sink = self.interrupt.heeded_by(&mut self.file);
        let written = sink.write_all(bytes);
        self.bytes += bytes.len() as u64;
        written.map_err(|source| match self.interrupt.requested() {
            true => (self.ended)(),
            false => self.file.write_error(source).into(),
        })
    }

    fn put_lines(&mut self, lines: impl Iterator<Item = String>) -> Result<(), RunError> {
        let mut text = String::with_capacity(AT_ONCE + 256);
        for line in lines {
            text.push_str(&line);
            if text.len() > AT_ONCE {
                self.put(text.as_bytes())?;
                text.clear();
            }
        }
        self.put(text.as_bytes())
    }
}
