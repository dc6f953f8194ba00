//! The search of one part after another.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use passel_criteria::Criterion;
use serde_json::json;

use super::{
    advance::Next,
    course::{Course, blocks},
};
use crate::{
    design::{Design, WideFormula},
    device::{DeviceError, Resources},
    interrupt::Interrupt,
    memory::MemoryCharge,
    search::{
        Checkpoint, Checkpointing, IterationRecord, Pass, SearchError, SearchResult, Start,
        error::CheckpointError, problem::rises, search_from,
    },
    selection::{Certificate, Termination},
};

pub(super) struct Parts<'a> {
    pub(super) first: &'a Design,
    pub(super) wide: &'a Arc<WideFormula>,
    pub(super) criterion: &'a dyn Criterion,
    pub(super) pass: Pass,
    pub(super) resources: &'a Resources,
    pub(super) interrupt: &'a Interrupt,
    /// The most columns of a part.
    pub(super) columns: usize,
    pub(super) began: Instant,
}

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
            let part = match self.part(&course) {
                Err(error) => match (&mut last, self.ended()) {
                    // What was found stands.
                    (Some((_, found)), Some(termination)) => {
                        (found.termination, found.certified) = (termination, None);
                        break;
                    }
                    _ => return Err(error),
                },
                Ok(part) => part,
            };
            let design = part.as_ref().map_or(self.first, |held| &held.design);
            let own = design.wide().map(|part| part.terms(&course.best));
            let start = Start {
                models: own.into_iter().filter(|_| course.parts > 0).collect(),
                part: Some(json!(course)),
            };
            let before = course.iterations;
            let mut observe = |iteration: &IterationRecord| {
                course.iterations = course.iterations.max(before + iteration.number);
                let iteration = IterationRecord {
                    number: before + iteration.number,
                    of: before + iteration.of,
                    ..*iteration
                };
                observe(design, &iteration);
            };
            let checkpointing = write.as_deref_mut().map(|write| Checkpointing {
                resume_from: resume_from.take(),
                write,
            });
            let pass = Pass {
                max_size: self.pass.max_size.map(|size| size.min(design.p())),
                time_limit: self.pass.time_limit.map(|limit| self.left(limit)),
                ..self.pass.clone()
            };
            let found = search_from(
                design,
                self.criterion,
                &pass,
                self.resources,
                self.interrupt,
                checkpointing,
                &mut observe,
                &start,
            )?;
            (seconds, starting) = (seconds + found.seconds, starting + found.starting);
            let is_cut = found.fault.is_some()
                || !matches!(
                    found.termination,
                    Termination::Iterations | Termination::Patience
                );
            let is_worse = course.parts > 0 && rises(course.value, found.value);
            let next = match is_cut {
                true => Next::Cut(found.termination),
                false => self.advance(&mut course, design, &found)?,
            };
            last = Some(match last {
                // A duplicate of another column may be set aside in a part, and with it the best model.
                Some((held, before)) if is_worse => {
                    let SearchResult {
                        termination, fault, ..
                    } = found;
                    let found = SearchResult {
                        termination,
                        fault,
                        ..before
                    };
                    (held, found)
                }
                _ => (part, found),
            });
            if let (Next::Done | Next::Cut(_), Some((_, found))) = (&next, &mut last) {
                let is_certified = next == Next::Done && course.certified && !is_worse;
                found.certified = is_certified.then_some(Certificate::Local);
                if let Next::Cut(termination) = next {
                    found.termination = termination;
                }
                break;
            }
        }
        let (held, mut found) = last.ok_or(CheckpointError::Damaged)?;
        found.iterations = course.iterations;
        (found.seconds, found.starting) = (seconds, starting);
        found.notes.push(self.note(&course, held.as_ref()));
        Ok((held.map(|held| held.design), found))
    }

    /// The design of the next part; none for the first.
    fn part(&self, course: &Course) -> Result<Option<Held>, SearchError> {
        if course.parts == 0 {
            return Ok(None);
        }
        let mut blocks = blocks(self.wide, &course.active, self.columns).into_iter();
        let mut variables = blocks.nth(course.block).unwrap_or_default();
        variables.extend(course.active.iter().chain(&course.variables));
        let charge = self.resources.memory.charge();
        let never = Interrupt::default();
        // Ranks agree on when to end during a search alone.
        let interrupt = match self.resources.distributed() {
            Some(_) => &never,
            None => self.interrupt,
        };
        let design = self
            .wide
            .design(&variables, &course.active, interrupt, |size| {
                // The columns, and the matrix that they become.
                let held = charge.set(2 * size.bytes(), size);
                held.map_err(|error| SearchError::from(DeviceError::from(error)))
            })?;
        charge.shrink(charge.bytes() / 2);
        Ok(Some(Held {
            design,
            _charge: charge,
        }))
    }

    fn left(&self, limit: Duration) -> Duration {
        limit
            .saturating_sub(self.began.elapsed())
            .max(Duration::from_millis(1))
    }

    /// Where a search that wrote a checkpoint was.
    fn course_of(&self, checkpoint: &Checkpoint) -> Result<Course, SearchError> {
        let Some(part) = checkpoint.part() else {
            let what = "another search: one of all terms at once".to_owned();
            return Err(CheckpointError::Other(what).into());
        };
        let course: Option<Course> = serde_json::from_value(part.clone()).ok();
        let course = course.filter(|course| course.is_sound(self.wide));
        Ok(course.ok_or(CheckpointError::Damaged)?)
    }

    /// What a reader should know of the search.
    fn note(&self, course: &Course, last: Option<&Held>) -> String {
        let made = last
            .map_or(self.first, |held| &held.design)
            .columns()
            .term_count();
        format!(
            "the formula has {} terms, too many to be made at once: of its interactions the search made all of {} main effects \
             that its best models have, in {} parts of up to {made} terms; a certificate speaks of all interactions of the \
             model's own main effects",
            self.wide.term_count(),
            course.active.len(),
            course.parts,
        )
    }
}

/// A design of a part, and the memory held for it.
struct Held {
    design: Design,
    _charge: MemoryCharge,
}
