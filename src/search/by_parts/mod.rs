//! The search of a formula with more interactions of two variables than are made at once ([`Design::from_formula`]):
//! its main effects first, then these with all interactions that the main effects of the best models have, until the
//! best model of such a part has no others.

mod advance;
mod course;
mod parts;
#[cfg(test)]
mod tests;

use std::time::Instant;

use passel_criteria::Criterion;

use super::{
    Checkpointing, IterationRecord, Pass, SearchError, SearchResult, SettingsError, Start,
    fit_kept, search_from, settings::ProofEffort,
};
use crate::{design::Design, device::Resources, interrupt::Interrupt};
use parts::Parts;

/// Numbers of a part's design, and its most and fewest columns.
const ELEMENTS: usize = 1 << 26;
const MOST: usize = 250_000;
const FEWEST: usize = 4096;

/// Searches a design as [`search`](super::search::search) does. Where it is of a formula with more interactions of two
/// variables than are made at once, it has none of them: then its main effects are searched first, and after that
/// parts of the formula, each with all interactions that the main effects of the best models so far have, until
/// none is left. The best model is then [certified](SearchResult::certified) over all terms of which a main effect is
/// in it. Returns the design of the last part with what was found in it; none where the design is whole.
///
/// # Errors
/// As [`search`](super::search), and as [`Design::from_formula`].
pub fn search_by_parts(
    design: &Design,
    criterion: &dyn Criterion,
    pass: &Pass,
    resources: &Resources,
    interrupt: &Interrupt,
    checkpointing: Option<Checkpointing>,
    observe: &mut (dyn FnMut(&Design, &IterationRecord) + Send),
) -> Result<(Option<Design>, SearchResult), SearchError> {
    let Some(part) = design.wide() else {
        let mut observe = |iteration: &IterationRecord| observe(design, iteration);
        let (start, observe) = (Start::default(), &mut observe);
        let found = search_from(
            design,
            criterion,
            pass,
            resources,
            interrupt,
            checkpointing,
            observe,
            &start,
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
    let search = Parts {
        first: design,
        wide: &part.of,
        criterion,
        pass: wide_pass(design, pass)?,
        resources,
        interrupt,
        columns: (ELEMENTS / design.n()).clamp(FEWEST, MOST),
        began: Instant::now(),
    };
    search.run(checkpointing, observe)
}

/// The settings of a part: the largest model is that of the whole formula, and no optimum is proved.
fn wide_pass(design: &Design, pass: &Pass) -> Result<Pass, SearchError> {
    let (_, kept) = fit_kept(design, pass)?;
    let terms = design.candidate_terms();
    let max_size = pass.check(design.n(), terms, kept.support().len())?;
    Ok(Pass {
        max_size: Some(max_size),
        proof: ProofEffort::None,
        ..pass.clone()
    })
}
