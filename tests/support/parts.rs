//! A search in parts: from the checkpoint of the part before, if there is one.

#![allow(dead_code, clippy::unwrap_used)]

use passel::{
    Design, Interrupt, Pass,
    criteria::Criterion,
    device::Resources,
    search::{Checkpoint, Checkpointing, IterationRecord, SearchError, SearchResult, search},
};

/// Goes on from the checkpoint that is kept, and keeps the one written last; who observes may interrupt.
pub fn go_on(
    (design, criterion, pass): (&Design, &dyn Criterion, &Pass),
    kept: &mut Option<String>,
    resources: &Resources,
    observe: &mut (dyn FnMut(&IterationRecord, &Interrupt) + Send),
) -> Result<SearchResult, SearchError> {
    let resume_from = kept.as_deref().map(Checkpoint::read).transpose()?;
    let interrupt = Interrupt::default();
    let mut write = |text: &str| {
        *kept = Some(text.to_owned());
        Ok(())
    };
    let checkpointing = Checkpointing {
        resume_from,
        write: &mut write,
    };
    search(
        design,
        criterion,
        pass,
        resources,
        &interrupt,
        Some(checkpointing),
        &mut |iteration: &IterationRecord| observe(iteration, &interrupt),
    )
}
