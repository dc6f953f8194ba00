//! The search of one part after another.

use serde_json::json;

use super::{advance::Next, course::Course, parts::Parts};
use crate::{
    design::{Design, size::MatrixSize},
    device::DeviceError,
    interrupt::Interrupt,
    memory::MemoryCharge,
    search::{
        Checkpoint, Checkpointing, IterationRecord, Pass, SearchError, SearchResult, SharedDevices,
        Start, error::CheckpointError, search_from, settings::ProofEffort,
    },
    selection::{Certificate, Termination},
};

impl Parts<'_> {
    pub(super) fn run(
        &self,
        checkpointing: Option<Checkpointing>,
        observe: &mut (dyn FnMut(&Design, &IterationRecord) + Send),
    ) -> Result<(Option<Design>, SearchResult), SearchError> {
        let (mut resume_from, mut write) = match checkpointing {
            Some(Checkpointing { resume_from, write }) => (resume_from, Some(write)),
            None => (None, None),
        };
        let course = resume_from.as_ref().map(|kept| self.course_of(kept));
        let mut course = course.transpose()?.unwrap_or_default();
        let mut last: Option<(Option<Held>, SearchResult)> = None;
        let (mut seconds, mut starting) = (0.0, 0.0);
        loop {
            let checkpointing = write.as_deref_mut().map(|write| Checkpointing {
                resume_from: resume_from.take(),
                write,
            });
            let searched = self.part(&course).and_then(|part| {
                let design = part.as_ref().map_or(self.first, |held| &held.design);
                let found = self.search(&course, design, checkpointing, observe)?;
                Ok((part, found))
            });
            let (part, found) = match (searched, &mut last) {
                (Ok(searched), _) => searched,
                // What was found stands.
                (Err(error), Some((_, found))) => {
                    found.certified = None;
                    match (error, self.ended()) {
                        (_, Some(termination)) => found.termination = termination,
                        (SearchError::Device(error), None) if !is_for_later(&error) => {
                            found.fault = Some(error);
                        }
                        (error, None) => return Err(error),
                    }
                    break;
                }
                (Err(error), None) => return Err(error),
            };
            (seconds, starting) = (seconds + found.seconds, starting + found.starting);
            course.note(&found);
            let (part, found) = last.insert((part, found));
            let design = part.as_ref().map_or(self.first, |held| &held.design);
            let is_cut = found.fault.is_some()
                || !matches!(
                    found.termination,
                    Termination::Iterations | Termination::Patience
                );
            let next = match is_cut {
                true => {
                    course.count(design, found);
                    Next::Cut(found.termination)
                }
                false => match self.advance(&mut course, design, found) {
                    Err(SearchError::Device(error)) if !is_for_later(&error) => {
                        found.fault = Some(error);
                        Next::Cut(found.termination)
                    }
                    next => next?,
                },
            };
            found.certified = match next {
                Next::Part => continue,
                Next::Done => course.certified.then_some(Certificate::Local),
                Next::Cut(termination) => {
                    found.termination = termination;
                    None
                }
            };
            break;
        }
        let (held, mut found) = last.ok_or(CheckpointError::Damaged)?;
        found.iterations = course.iterations;
        (found.seconds, found.starting) = (seconds, starting);
        found.notes = Vec::from_iter(course.notes.iter().cloned());
        found
            .notes
            .push(self.summary(&course, found.certified.is_some()));
        if self.pass.proof == ProofEffort::Complete {
            let note = "no optimum is proved: not all terms of the formula were made";
            found.notes.push(note.to_owned());
        }
        Ok((held.map(|held| held.design), found))
    }

    /// The design of the next part; none for the first.
    fn part(&self, course: &Course) -> Result<Option<Held>, SearchError> {
        if course.parts == 0 {
            return Ok(None);
        }
        let mut blocks = course
            .blocks(self.wide, (self.columns, self.fewest))
            .into_iter();
        let others = blocks.nth(course.block).unwrap_or_default();
        let charge = self.resources.memory.charge();
        let never = Interrupt::default();
        // Ranks agree on when to end during a search alone.
        let interrupt = match self.resources.distributed() {
            Some(_) => &never,
            None => self.interrupt,
        };
        let variables = (&course.active, &others);
        let hold = |size: &MatrixSize| {
            // The columns, and the matrix that they become.
            let bytes = self.wide.table_bytes() + 2 * size.bytes();
            let held = charge.set(bytes, size);
            held.map_err(|error| SearchError::from(DeviceError::from(error)))
        };
        let design = self.wide.design(&course.best, variables, interrupt, hold)?;
        charge.shrink((charge.bytes() - self.wide.table_bytes()) / 2);
        Ok(Some(Held {
            design,
            _charge: charge,
        }))
    }

    /// Searches a part from the best model so far.
    fn search(
        &self,
        course: &Course,
        design: &Design,
        checkpointing: Option<Checkpointing>,
        observe: &mut (dyn FnMut(&Design, &IterationRecord) + Send),
    ) -> Result<SearchResult, SearchError> {
        let own = design.wide().filter(|_| course.parts > 0);
        let start = Start {
            models: own
                .into_iter()
                .map(|part| part.terms(&course.best))
                .collect(),
            part: Some(json!({ "formula": self.first.formula(), "course": course })),
        };
        let pass = Pass {
            max_size: self.pass.max_size.map(|size| size.min(design.p())),
            proof: ProofEffort::None,
            time_limit: self.pass.time_limit.map(|limit| self.left(limit)),
            ..self.pass.clone()
        };
        search_from(
            design,
            self.criterion,
            &pass,
            self.resources,
            self.interrupt,
            checkpointing,
            &mut |iteration| observe(design, iteration),
            &start,
            &mut SharedDevices::of(design.columns()),
        )
    }

    /// Where a search that wrote a checkpoint was.
    fn course_of(&self, checkpoint: &Checkpoint) -> Result<Course, SearchError> {
        let Some(part) = checkpoint.part() else {
            let what = "another search: one of all terms at once".to_owned();
            return Err(CheckpointError::Other(what).into());
        };
        let course: Option<Course> = serde_json::from_value(part["course"].clone()).ok();
        let course = course.filter(|course| course.is_sound(self.wide));
        Ok(course.ok_or(CheckpointError::Damaged)?)
    }

    /// What a reader should know of the search.
    fn summary(&self, course: &Course, is_certified: bool) -> String {
        let terms = self.wide.term_count();
        let searched = match course.parts {
            0 | 1 => "only without the interactions of its square".to_owned(),
            parts => format!(
                "in {parts} parts of at most {} terms, with all interactions of {} of its variables",
                course.terms,
                course.active.len(),
            ),
        };
        let certificate = match is_certified {
            true => "; its certificate covers all interactions of the model's own main effects",
            false => "",
        };
        format!(
            "the formula has {terms} terms, too many to be made at once: it was searched {searched}{certificate}"
        )
    }
}

/// Whether a job that failed so may succeed once others have ended.
fn is_for_later(error: &DeviceError) -> bool {
    matches!(error, DeviceError::Memory(error) if error.has_rivals())
}

/// A design of a part, and the memory held for it.
struct Held {
    design: Design,
    _charge: MemoryCharge,
}
