//! The trace of a search: every step of every particle, as a CSV file that appears when it is complete.

use std::path::Path;

use crate::{
    output::{OutputBuffer, OutputError, OutputFile, Replaces},
    search::{IterationRecord, MoveKind},
    table::csv_field,
};

const HEADER: &str = "iteration,particle,move,variable,size,criterion,best\n";

/// A trace being written. Its first error stops the writing, not the search:
/// [`finish`](Self::finish) returns it.
#[derive(Debug)]
pub struct Trace {
    file: OutputBuffer,
    names: Vec<String>,
    /// What each row begins with: its criterion, where there are several.
    criterion: Option<String>,
}

impl Trace {
    /// Opens the file, which replaces a trace, or any file if `overwrite` is true, and writes the header;
    /// rows of several searches begin with their criterion.
    ///
    /// # Errors
    /// The file cannot be written, or may not be replaced.
    pub fn create(path: &Path, overwrite: bool, by_criterion: bool) -> Result<Self, OutputError> {
        let file = OutputFile::create(path, Replaces::Trace.or_any(overwrite))?;
        let mut file = OutputBuffer::new(file);
        let first = if by_criterion { "criterion," } else { "" };
        file.add(|file| write!(file, "{first}{HEADER}"));
        Ok(Self {
            file,
            names: Vec::new(),
            criterion: by_criterion.then(String::new),
        })
    }

    /// Sets the criterion of the rows to come, where they say it.
    pub fn name_criterion(&mut self, spec: &str) {
        if let Some(criterion) = &mut self.criterion {
            *criterion = csv_field(spec).into_owned() + ",";
        }
    }

    /// Sets the names of variables, by column of the design matrix.
    pub fn name_columns<'a>(&mut self, names: impl Iterator<Item = &'a str>) {
        self.names = names.map(|name| csv_field(name).into_owned()).collect();
    }

    /// Writes one row a particle.
    pub fn record(&mut self, iteration: &IterationRecord<'_>) {
        let names = &self.names;
        let criterion = self.criterion.as_deref().unwrap_or_default();
        self.file.add(|file| {
            for (particle, step) in iteration.steps.iter().enumerate() {
                let name = step
                    .variable
                    .and_then(|variable| names.get(variable as usize));
                writeln!(
                    file,
                    "{criterion}{},{particle},{},{},{},{:?},{:?}",
                    iteration.number,
                    word(step.kind),
                    name.map_or("", String::as_str),
                    step.size,
                    step.value,
                    iteration.best_value,
                )?;
            }
            Ok(())
        });
    }

    /// Completes the trace and moves it to its place.
    ///
    /// # Errors
    /// The first write that failed, or a failure to move the file.
    pub fn finish(self) -> Result<(), OutputError> {
        self.file.finish()
    }
}

fn word(kind: MoveKind) -> &'static str {
    match kind {
        MoveKind::Start => "start",
        MoveKind::AddBest => "add-best",
        MoveKind::AddImprove => "add-improve",
        MoveKind::AddRandom => "add-random",
        MoveKind::DropImprove => "drop-improve",
        MoveKind::DropRandom => "drop-random",
        MoveKind::Stay => "stay",
        MoveKind::Walk => "walk",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::StepRecord;

    #[test]
    fn one_row_a_particle_by_the_variables_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.csv");
        let mut trace = Trace::create(&path, false, false).unwrap();
        trace.name_columns(["a", "b,c"].into_iter());
        let step = |kind, variable, value| StepRecord {
            kind,
            variable,
            size: 1,
            value,
        };
        trace.record(&IterationRecord {
            number: 1,
            of: 2,
            wave: None,
            proof: None,
            best_value: -3.5,
            best_size: 1,
            steps: &[
                step(MoveKind::Start, Some(1), -3.5),
                step(MoveKind::Stay, None, 2.0),
            ],
        });
        assert!(!path.exists());
        trace.finish().unwrap();
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            "iteration,particle,move,variable,size,criterion,best\n\
             1,0,start,\"b,c\",1,-3.5,-3.5\n\
             1,1,stay,,1,2.0,-3.5\n"
        );
    }
}
