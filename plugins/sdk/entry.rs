//! What [`plugin!`](crate::plugin) is made of: the safe description becomes the contract's
//! tables, once, and a panic becomes an error text. Authors need none of it.

// The contract is pointers.
#![allow(unsafe_code)]

use std::{
    ffi::{CStr, CString, OsStr, c_char, c_void},
    mem::offset_of,
    path::PathBuf,
    ptr,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicPtr, Ordering},
    },
};

use passel_abi as abi;
pub use passel_abi::{passel_engine as Engine, passel_entry as Entry, passel_plugin as Plugin};

use crate::{
    Criterion, Family, PairMeasure, PairScore, Parameter, ParameterKind, Procedure, Run, Selector,
    family::family, panics::catch, score,
};

mod calls;

use calls::{check, declare, run, value};

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

/// The path of the file that a parameter of [`ParameterKind::File`] has, by its value; none where none is given.
///
/// ```
/// assert_eq!(passel_sdk::file(0.0), None);
/// ```
pub fn file(value: f64) -> Option<PathBuf> {
    if value < 0.0 {
        return tried_file(value);
    }
    let engine = ENGINE.load(Ordering::Acquire).cast_const();
    if engine.is_null() || value == 0.0 {
        return None;
    }
    // SAFETY: the engine's table is valid as long as the process lives, and as large as it says.
    let path = unsafe {
        match (*engine).size > offset_of!(Engine, path) {
            true => (&raw const (*engine).path).read(),
            false => None,
        }
    }?;
    let mut room = vec![0u8; LONGEST_PATH];
    // SAFETY: the very pointer that the entry was given, and room of this size.
    let told = unsafe { path(engine, value, room.as_mut_ptr().cast(), room.len()) };
    let text = CStr::from_bytes_until_nul(&room).ok()?.to_bytes();
    #[cfg(unix)]
    let own = std::os::unix::ffi::OsStrExt::from_bytes(text);
    #[cfg(not(unix))]
    let own = OsStr::new(std::str::from_utf8(text).ok()?);
    let own: &OsStr = own;
    (told == 0).then(|| PathBuf::from(own))
}

/// Bytes of a path, at most.
const LONGEST_PATH: usize = 1 << 16;

/// The files that were tried without an engine: the first has the value −1.
static TRIED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

pub(crate) fn try_file(path: PathBuf) -> f64 {
    let mut all = TRIED.lock().unwrap_or_else(PoisonError::into_inner);
    all.push(path);
    -(all.len() as f64)
}

fn tried_file(value: f64) -> Option<PathBuf> {
    let all = TRIED.lock().unwrap_or_else(PoisonError::into_inner);
    all.get(-value as usize - 1).cloned()
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
            ParameterKind::Number | ParameterKind::Whole | ParameterKind::File => (ptr::null(), 0),
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
            file: usize::from(parameter.kind == ParameterKind::File),
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
        likelihoods: 0,
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
            Run::Regression(_) | Run::Likelihood(_) => abi::PASSEL_OVER_REGRESSION,
        },
        data: ptr::from_ref(procedure).cast::<c_void>(),
        likelihoods: usize::from(matches!(procedure.run, Run::Likelihood(_))),
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

#[cfg(test)]
mod tests;
