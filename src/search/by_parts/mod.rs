//! The search of a formula with more interactions of two variables than are made at once ([`Design::from_formula`]):
//! its main effects first, then these with all interactions that the main effects of the best models have, until the
//! best model of such a part has no others.

mod advance;
mod course;
mod parts;
mod run;
#[cfg(test)]
mod tests;

use std::time::Instant;

use passel_criteria::Criterion;

use super::{
    Checkpointing, IterationRecord, Pass, SearchError, SearchResult, SettingsError, SharedDevices,
    Start, fit_kept, search_from,
};
use crate::{design::Design, device::Resources, interrupt::Interrupt};
use parts::Parts;

/// Numbers in the interactions of a part, and its most and fewest columns of these; and the most terms of a part, below
/// the most of a formula.
const ELEMENTS: usize = 1 << 26;
const MOST: usize = 200_000;
const FEWEST: usize = 4096;
const MOST_TERMS: usize = 240_000;

/// The fewest variables of which a part has the interactions with the active ones, where they do not fit all.
const FEWEST_VARIABLES: usize = 32;

/// Searches a design as [`search`](super::search()) does. Where it is of a formula with more interactions of two
/// variables than are made at once, it has none of them: then its main effects are searched first, and after that
/// parts of the formula, each with all interactions that the main effects of the best models so far have, until
/// none is left. The best model is then [certified](SearchResult::certified) over all terms of which a main effect is
/// in it. Returns the design of the last part with what was found in it; none where the design is whole.
///
/// # Errors
/// As [`search`](super::search()), and as [`Design::from_formula`].
pub fn search_by_parts(
    design: &Design,
    criterion: &dyn Criterion,
    pass: &Pass,
    resources: &Resources,
    interrupt: &Interrupt,
    checkpointing: Option<Checkpointing>,
    observe: &mut (dyn FnMut(&Design, &IterationRecord) + Send),
) -> Result<(Option<Design>, SearchResult), SearchError> {
    search_by_parts_on(
        design,
        criterion,
        pass,
        resources,
        interrupt,
        checkpointing,
        observe,
        &mut SharedDevices::of(design.columns()),
    )
}

/// Searches a design as [`search_by_parts`] does, a whole one on devices that searches of other responses of its columns
/// may have opened.
#[expect(
    clippy::too_many_arguments,
    reason = "those of a search, and the devices"
)]
pub(crate) fn search_by_parts_on(
    design: &Design,
    criterion: &dyn Criterion,
    pass: &Pass,
    resources: &Resources,
    interrupt: &Interrupt,
    checkpointing: Option<Checkpointing>,
    observe: &mut (dyn FnMut(&Design, &IterationRecord) + Send),
    shared: &mut SharedDevices,
) -> Result<(Option<Design>, SearchResult), SearchError> {
    let Some(part) = design.wide() else {
        let found = search_from(
            design,
            criterion,
            pass,
            resources,
            interrupt,
            checkpointing,
            &mut |iteration| observe(design, iteration),
            &Start::default(),
            shared,
        )?;
        return Ok((None, found));
    };
    if criterion.needs_error_variance() {
        return Err(SettingsError(format!(
            "criterion {} takes the error variance from the model of all terms, and the formula has {} of them: use \
             bic or ebic-monotone",
            criterion.name(),
            design.candidate_terms()
        ))
        .into());
    }
    let columns = (ELEMENTS / design.n()).clamp(FEWEST, MOST);
    let search = Parts {
        first: design,
        wide: &part.of,
        criterion,
        pass: wide_pass(design, pass)?,
        resources,
        interrupt,
        columns: columns.min(MOST_TERMS.saturating_sub(design.columns().term_count())),
        fewest: FEWEST_VARIABLES,
        began: Instant::now(),
    };
    search.run(checkpointing, observe)
}

/// The settings of the whole formula, of which the largest model is.
fn wide_pass(design: &Design, pass: &Pass) -> Result<Pass, SearchError> {
    let unbounded = Pass {
        max_size: None,
        ..pass.clone()
    };
    let (_, kept) = fit_kept(design, &unbounded)?;
    let terms = design.candidate_terms();
    let max_size = pass.check(
        design.n(),
        terms,
        (design.keep().len(), kept.support().len()),
    )?;
    Ok(Pass {
        max_size: Some(max_size),
        ..pass.clone()
    })
}
