//! What [`plugin!`](crate::plugin) is made of: the safe description becomes the contract's
//! tables, once, and a panic becomes an error text. Authors need none of it.

// The contract is pointers.
#![allow(unsafe_code)]

use std::{
    ffi::{CStr, CString, c_char, c_void},
    mem::MaybeUninit,
    ptr, slice,
    sync::{
        OnceLock,
        atomic::{AtomicPtr, Ordering},
    },
};

use passel_abi as abi;
pub use passel_abi::{passel_engine as Engine, passel_entry as Entry, passel_plugin as Plugin};

use crate::{
    Criterion, Family, Levels, Model, PairMeasure, PairScore, Parameter, ParameterKind, Problem,
    Procedure, Regression, Run, Score, Selector, family::family, function::listed, panics::catch,
    score,
};

/// Who listens to [`warn`]: each plugin is linked with its own copy of this crate.
static ENGINE: AtomicPtr<Engine> = AtomicPtr::new(ptr::null_mut());

/// Writes a line on standard error, by way of the engine; from any thread.
pub fn warn(text: &str) {
    log(
        ENGINE.load(Ordering::Acquire),
        abi::PASSEL_LOG_WARNING,
        text,
    );
}

fn log(engine: *const Engine, level: u32, text: &str) {
    if engine.is_null() {
        return;
    }
    // SAFETY: the engine's table is valid as long as the process lives; every engine has a log,
    // whatever else it lacks.
    if let Some(log) = unsafe { (&raw const (*engine).log).read() } {
        let text = c_text(text);
        // SAFETY: the very pointer that the entry was given, and a text that ends.
        unsafe { log(engine, level, text.as_ptr()) }
    }
}

/// The text without zero bytes, which would end it.
pub(crate) fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', "")).unwrap_or_default()
}

/// A plugin, as its author describes it.
#[derive(Debug, Clone, Copy)]
pub struct Description {
    /// With `_` for `-`.
    pub name: &'static str,
    /// Of `Cargo.toml`.
    pub version: &'static str,
    /// Of `Cargo.toml`.
    pub description: &'static str,
    /// Licence, authors, separated by colons, homepage and repository of `Cargo.toml`, and the DOI of what describes it; empty
    /// for none.
    pub about: [&'static str; 5],
    /// All of them.
    pub selectors: &'static [Selector],
    /// All of them.
    pub procedures: &'static [Procedure],
    /// All of them.
    pub pair_scores: &'static [PairScore],
    /// All of them.
    pub criteria: &'static [Criterion],
    /// All of them.
    pub families: &'static [Family],
}

/// The tables of one plugin, made at the first call of its entry.
#[derive(Debug)]
pub struct LazyPlugin(OnceLock<Table>);

#[derive(Debug)]
struct Table(*const Plugin);

// SAFETY: made once, and only read from then on.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

impl LazyPlugin {
    /// A plugin whose tables are not made yet.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// The result of the entry; null if making the tables panics, which is logged as an error.
    pub fn enter(&'static self, engine: *const Engine, description: &Description) -> *const Plugin {
        ENGINE.store(engine.cast_mut(), Ordering::Release);
        catch(|| self.0.get_or_init(|| table(description)).0).unwrap_or_else(|panic| {
            log(engine, abi::PASSEL_LOG_ERROR, &panic);
            ptr::null()
        })
    }
}

/// Leaks a value: what a plugin hands out must live as long as the process.
pub(crate) fn forever<T>(value: T) -> *const T {
    Box::leak(Box::new(value))
}

pub(crate) fn text(text: &str) -> *const c_char {
    c_text(text).into_raw()
}

fn list<T>(entries: impl Iterator<Item = *const T>) -> (*const *const T, usize) {
    let entries: &[*const T] = Vec::leak(entries.collect());
    (entries.as_ptr(), entries.len())
}

fn table(description: &Description) -> Table {
    let procedures = description.procedures.iter().map(procedure);
    let (selectors, selector_count) =
        list(description.selectors.iter().map(selector).chain(procedures));
    let (pair_scores, pair_score_count) = list(description.pair_scores.iter().map(pair_score));
    let (criteria, criterion_count) = list(description.criteria.iter().map(criterion));
    let (families, family_count) = list(description.families.iter().map(family));
    let [licence, authors, homepage, repository, doi] = description.about;
    Table(forever(Plugin {
        size: size_of::<Plugin>(),
        abi_version: abi::PASSEL_ABI_VERSION,
        needs: 1,
        name: text(&description.name.replace('_', "-")),
        version: text(description.version),
        description: text(description.description),
        selectors,
        selector_count,
        pair_scores,
        pair_score_count,
        criteria,
        criterion_count,
        families,
        family_count,
        licence: stated(licence),
        authors: stated(&authors.replace(':', ", ")),
        url: stated(match homepage {
            "" => repository,
            page => page,
        }),
        doi: stated(doi),
    }))
}

/// A text; null for none.
fn stated(said: &str) -> *const c_char {
    match said {
        "" => ptr::null(),
        said => text(said),
    }
}

/// How a user asks for it: name, title, formula, source and parameters.
pub(crate) fn method(texts: [&str; 4], parameters: &[Parameter]) -> abi::passel_method {
    let parameters = parameters.iter().map(|parameter| {
        let (choices, choice_count) = match parameter.kind {
            ParameterKind::Choice(names) => list(names.iter().map(|name| text(name))),
            ParameterKind::Number | ParameterKind::Whole => (ptr::null(), 0),
        };
        forever(abi::passel_parameter {
            size: size_of::<abi::passel_parameter>(),
            name: text(parameter.name),
            help: text(parameter.help),
            default_value: parameter.default,
            least: parameter.least,
            most: parameter.most,
            choices,
            choice_count,
            whole: usize::from(parameter.kind == ParameterKind::Whole),
        })
    });
    let (parameters, parameter_count) = list(parameters);
    let [name, title, formula, source] = texts.map(text);
    abi::passel_method {
        name,
        title,
        formula,
        source,
        parameters,
        parameter_count,
    }
}

fn selector(selector: &'static Selector) -> *const abi::passel_selector {
    forever(abi::passel_selector {
        size: size_of::<abi::passel_selector>(),
        method: method(
            [
                selector.name,
                selector.title,
                selector.formula,
                selector.source,
            ],
            selector.parameters,
        ),
        declare: Some(declare),
        run: None,
        check: None,
        over: abi::PASSEL_OVER_LEVELS,
        data: ptr::from_ref(selector).cast::<c_void>(),
    })
}

fn procedure(procedure: &'static Procedure) -> *const abi::passel_selector {
    forever(abi::passel_selector {
        size: size_of::<abi::passel_selector>(),
        method: method(
            [
                procedure.name,
                procedure.title,
                procedure.formula,
                procedure.source,
            ],
            procedure.parameters,
        ),
        declare: None,
        run: Some(run),
        check: Some(check),
        over: match procedure.run {
            Run::Levels(_) => abi::PASSEL_OVER_LEVELS,
            Run::Regression(_) => abi::PASSEL_OVER_REGRESSION,
        },
        data: ptr::from_ref(procedure).cast::<c_void>(),
    })
}

fn pair_score(pair_score: &PairScore) -> *const abi::passel_pair_score {
    let (quantity, function) = match pair_score.measure {
        PairMeasure::Quantity(quantity) => (score::quantity(quantity()), ptr::null()),
        PairMeasure::Function(function) => (Default::default(), function.abi()),
    };
    forever(abi::passel_pair_score {
        size: size_of::<abi::passel_pair_score>(),
        method: method(
            [
                pair_score.name,
                pair_score.title,
                pair_score.formula,
                pair_score.source,
            ],
            pair_score.parameters,
        ),
        quantity,
        function,
    })
}

fn criterion(criterion: &'static Criterion) -> *const abi::passel_criterion {
    forever(abi::passel_criterion {
        size: size_of::<abi::passel_criterion>(),
        method: method(
            [
                criterion.name,
                criterion.title,
                criterion.formula,
                criterion.source,
            ],
            criterion.parameters,
        ),
        value: Some(value),
        data: ptr::from_ref(criterion).cast::<c_void>(),
        likelihoods: usize::from(criterion.likelihoods),
    })
}

/// Of every criterion made above.
unsafe extern "C" fn value(
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
unsafe extern "C" fn run(
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
        Run::Regression(run) => run(values, &Regression(problem)),
    };
    let done = catch(run).unwrap_or_else(Err);
    // SAFETY: the engine's room, of this size.
    unsafe { code_of(done, error, error_size) }
}

/// Of every procedure made above.
unsafe extern "C" fn check(
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
unsafe extern "C" fn declare(
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
unsafe fn fill(from: &Score, there: *mut abi::passel_score) -> Result<(), String> {
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
unsafe fn write_reason(reason: &str, error: *mut c_char, size: usize) {
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

#[cfg(test)]
mod tests;
