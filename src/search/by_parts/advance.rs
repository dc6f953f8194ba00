//! From one part to the next: which variables interact in it.

use std::collections::BTreeSet;

use super::{course::Course, parts::Parts};
use crate::{
    design::{Design, WidePart},
    device::{DeviceError, PairSweep},
    search::{SearchError, SearchResult, problem::rises},
    selection::Termination,
    threads,
};

/// The best models visited whose main effects may interact in the next part, and the strongest interactions that
/// may be in it.
const LEADING: usize = 10;
const STRONGEST: usize = 8;

/// Multiply-adds of a sweep over all interactions beyond which none is made: about a minute of two cores.
const SWEEP_WORK: f64 = (1_u64 << 41) as f64;

/// What comes after a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Part,
    Done,
    Cut(Termination),
}

impl Parts<'_> {
    /// Goes on to the next part.
    pub(super) fn advance(
        &self,
        course: &mut Course,
        design: &Design,
        found: &SearchResult,
    ) -> Result<Next, SearchError> {
        let Some(part) = design.wide() else {
            return Ok(Next::Done);
        };
        let is_first = course.parts == 0;
        let is_better = is_first || rises(found.value, course.value);
        // An interaction that the parts so far made may be set aside for a column that equals it.
        let is_worse = !is_first && rises(course.value, found.value);
        course.count(design, found);
        let members = found.fit.terms();
        (course.best, course.variables) = (part.names(members), part.variables(members));
        course.value = found.value;
        if is_better {
            (course.improved, course.swept) = (true, false);
        }
        course.certified = found.certified.is_some() && !is_worse && (is_first || course.certified);
        let mut is_covered = false;
        if !is_first {
            course.block += 1;
            let blocks = course.blocks(self.wide, (self.columns, self.fewest)).len();
            if course.block < blocks {
                return Ok(Next::Part);
            }
            // In one block the search itself went on until nothing improved the model.
            let is_final = !course.improved || blocks == 1;
            is_covered = is_final && course.variables.is_subset(&course.active);
        }
        let before = course.active.len();
        if !is_covered {
            self.lead(course, part, found);
        }
        if !course.swept {
            self.sweep(course, found)?;
            if let Some(termination) = self.ended() {
                return Ok(Next::Cut(termination));
            }
        }
        let mut is_done = course.active.is_empty() || (is_covered && course.active.len() == before);
        if !is_done {
            (course.block, course.improved, course.certified) = (0, false, true);
        }
        if let Some(ranks) = self.resources.distributed() {
            // Rounding may differ between their processors.
            let first = ranks.broadcast_first(|| (course.clone(), is_done));
            (*course, is_done) = first.map_err(DeviceError::from)?;
        }
        Ok(if is_done { Next::Done } else { Next::Part })
    }

    /// Lets the variables of the best model interact, and those of other models as far as one part holds all that
    /// comes of it.
    fn lead(&self, course: &mut Course, part: &WidePart, found: &SearchResult) {
        course.active.extend(&course.variables);
        for model in found.models.iter().take(LEADING) {
            let more = &course.active | &part.variables(&model.members);
            if self.fits(&more) {
                course.active = more;
            }
        }
    }

    /// Whether one part has room for all interactions of these variables.
    fn fits(&self, variables: &BTreeSet<usize>) -> bool {
        let own: usize = variables.iter().map(|own| self.wide.width(*own)).sum();
        let all = (0..self.wide.variable_count()).map(|variable| self.wide.width(variable));
        own.saturating_mul(all.sum()) <= self.columns
    }

    /// Lets the variables interact of which the interaction alone explains most of what the best model leaves: its
    /// parts need no effect of their own.
    fn sweep(&self, course: &mut Course, found: &SearchResult) -> Result<(), SearchError> {
        let x = self.first.columns();
        let variable = |column: u32| {
            let first = self.first.wide();
            first.and_then(|first| first.variable(x.term_of(column)))
        };
        let of: Vec<Option<usize>> = (0..x.p() as u32).map(variable).collect();
        let is_wanted = |a: u32, b: u32| match (of[a as usize], of[b as usize]) {
            (Some(a), Some(b)) if a != b => {
                let is_new = |variable: usize| !course.active.contains(&variable);
                is_new(a) && is_new(b) && self.wide.has_interaction(a, b)
            }
            _ => false,
        };
        let sweep = PairSweep {
            x: x.values(),
            residual: found.fit.residual(),
            weights: self.first.weight_values(),
            is_centred: self.first.intercept(),
        };
        course.swept = true;
        if sweep.work() > SWEEP_WORK {
            let note = "no sweep over all interactions was made, which would have taken minutes: one whose parts have no \
                        effects may be missing";
            course.notes.insert(note.to_owned());
            return Ok(());
        }
        let threads = self.resources.thread_count();
        let memory = &self.resources.memory;
        let held = memory.take(
            sweep.bytes() * threads as u64,
            "products of pairs of columns",
        );
        let _held = held.map_err(DeviceError::from)?;
        let pool = threads::pool(threads)?;
        let stop = || self.ended().is_some();
        let strongest = pool.install(|| sweep.strongest(STRONGEST, is_wanted, stop));
        for (at, pair) in strongest.iter().enumerate() {
            let (a, b) = pair.columns;
            let own = [of[a as usize], of[b as usize]];
            let more: BTreeSet<usize> = own
                .into_iter()
                .flatten()
                .chain(course.active.iter().copied())
                .collect();
            if at == 0 || self.fits(&more) {
                course.active = more;
            }
        }
        Ok(())
    }
}
