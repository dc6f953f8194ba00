//! What the engine calls: each finds what its table was made of, and a panic becomes an error text.

use std::{
    ffi::{CStr, c_char},
    mem::MaybeUninit,
    ptr, slice,
};

use passel_abi as abi;

use super::{c_text, warn};
use crate::{
    Criterion, Levels, Model, Problem, Procedure, Regression, Run, Score, Selector,
    function::listed, panics::catch, score,
};

/// Of every criterion made above.
pub(super) unsafe extern "C" fn value(
    criterion: *const abi::passel_criterion,
    values: *const f64,
    model: *const abi::passel_model,
) -> f64 {
    // SAFETY: `criterion` is one made above, and its data what it was made of.
    let criterion = unsafe { &*(*criterion).data.cast::<Criterion>() };
    // SAFETY: the engine gives one value a parameter.
    let values = unsafe { listed(values, criterion.parameters.len()) };
    // SAFETY: lent until this returns; what is read has been there from the first version on.
    let model = unsafe { &*model };
    let model = Model {
        n: model.n,
        candidates: model.candidates,
        chosen: model.chosen,
        chosen_parameters: model.parameters.saturating_sub(model.kept),
        kept: model.kept,
        has_intercept: model.intercept != 0,
        rss: model.rss,
        misfit: model.misfit,
        // SAFETY: a text that lives as long as the model.
        family: unsafe { CStr::from_ptr(model.family) }
            .to_str()
            .unwrap_or_default(),
        scatter: model.scatter,
        dispersion: model.dispersion,
    };
    catch(|| (criterion.value)(values, &model)).unwrap_or_else(|panic| {
        warn(&format!("criterion {}: {panic}", criterion.name));
        f64::NAN
    })
}

/// Of every procedure made above.
pub(super) unsafe extern "C" fn run(
    selector: *const abi::passel_selector,
    values: *const f64,
    problem: *const abi::passel_problem,
    error: *mut c_char,
    error_size: usize,
) -> i32 {
    // SAFETY: `selector` is one made above, and its data what it was made of.
    let procedure = unsafe { &*(*selector).data.cast::<Procedure>() };
    // SAFETY: the engine gives one value a parameter, and lends the problem until this returns.
    let (values, problem) = unsafe {
        let values = listed(values, procedure.parameters.len());
        (values, Problem::new(problem))
    };
    let run = || match procedure.run {
        Run::Levels(run) => run(values, &Levels(problem)),
        Run::Regression(run) | Run::Likelihood(run) => run(values, &Regression(problem)),
    };
    let done = catch(run).unwrap_or_else(Err);
    // SAFETY: the engine's room, of this size.
    unsafe { code_of(done, error, error_size) }
}

/// Of every procedure made above.
pub(super) unsafe extern "C" fn check(
    selector: *const abi::passel_selector,
    values: *const f64,
    error: *mut c_char,
    error_size: usize,
) -> i32 {
    // SAFETY: `selector` is one made above, and its data what it was made of.
    let procedure = unsafe { &*(*selector).data.cast::<Procedure>() };
    // SAFETY: the engine gives one value a parameter.
    let values = unsafe { listed(values, procedure.parameters.len()) };
    let checked = catch(|| (procedure.check)(values)).unwrap_or_else(Err);
    // SAFETY: the engine's room, of this size.
    unsafe { code_of(checked, error, error_size) }
}

/// 0, or 1 with the reason written.
///
/// # Safety
/// `error` has room for `size` bytes.
unsafe fn code_of(result: Result<(), String>, error: *mut c_char, size: usize) -> i32 {
    match result {
        Ok(()) => 0,
        Err(reason) => {
            // SAFETY: the caller's.
            unsafe { write_reason(&reason, error, size) };
            1
        }
    }
}

/// Of every selector made above.
pub(super) unsafe extern "C" fn declare(
    selector: *const abi::passel_selector,
    values: *const f64,
    score: *mut abi::passel_score,
    error: *mut c_char,
    error_size: usize,
) -> i32 {
    // SAFETY: `selector` is one made above, and its data the selector it was made of.
    let selector = unsafe { &*(*selector).data.cast::<Selector>() };
    // SAFETY: the engine gives one value a parameter.
    let values = unsafe { listed(values, selector.parameters.len()) };
    let declared = catch(|| (selector.score)(values)).unwrap_or_else(Err);
    // SAFETY: the engine's score, with room for its terms.
    let filled = declared.and_then(|declared| unsafe { fill(&declared, score) });
    // SAFETY: the engine's room, of this size.
    unsafe { code_of(filled, error, error_size) }
}

/// As much of a score as the engine has; what lies behind its size is neither read nor written.
///
/// # Safety
/// A score of as many bytes as its size says, with room for `PASSEL_TERMS` terms.
pub(super) unsafe fn fill(from: &Score, there: *mut abi::passel_score) -> Result<(), String> {
    let mut to = MaybeUninit::<abi::passel_score>::zeroed();
    // SAFETY: the size comes first, and zero is a value of numbers and pointers.
    let (known, mut to) = unsafe {
        let known = there.cast::<usize>().read().min(size_of_val(&to));
        ptr::copy_nonoverlapping(there.cast::<u8>(), to.as_mut_ptr().cast(), known);
        (known, to.assume_init())
    };
    let (count, room) = (from.terms.len(), abi::PASSEL_TERMS);
    if count > room {
        return Err(format!("{count} terms; at most {room} are summed"));
    }
    for (at, term) in from.terms.iter().enumerate() {
        // SAFETY: inside the room.
        unsafe { to.terms.add(at).write(score::term(*term)) };
    }
    to.term_count = count;
    to.relevance = score::quantity(from.relevance);
    to.gather = score::gather(from.gather);
    to.join = score::join(from.join);
    to.against = score::against(from.against);
    to.ends = u32::from(from.floor.is_some());
    to.floor = from.floor.unwrap_or_default();
    to.function = from.function.map_or(ptr::null(), |function| function.abi());
    to.finish = from.finish.map_or(ptr::null(), |finish| finish.abi());
    to.combine = score::combine(from.combine);
    // SAFETY: a score without padding behind the known members, for `known` ends a member.
    let whole = unsafe { slice::from_raw_parts((&raw const to).cast::<u8>(), size_of_val(&to)) };
    // What an engine does not know it would leave out of the score, without a word.
    if whole[known..].iter().any(|byte| *byte != 0) {
        return Err(format!(
            "its score has what this passel does not know: {known} bytes of {}; a later passel does",
            whole.len()
        ));
    }
    // SAFETY: within both.
    unsafe { ptr::copy_nonoverlapping(whole.as_ptr(), there.cast(), known) };
    Ok(())
}

/// # Safety
/// `error` has room for `size` bytes.
pub(super) unsafe fn write_reason(reason: &str, error: *mut c_char, size: usize) {
    let Some(room) = size.checked_sub(1) else {
        return;
    };
    // Cut between two letters.
    let mut end = reason.len().min(room);
    while !reason.is_char_boundary(end) {
        end -= 1;
    }
    let reason = c_text(&reason[..end]);
    let bytes = reason.as_bytes_with_nul();
    // SAFETY: at most `room` bytes and the zero.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr().cast(), error, bytes.len()) };
}
