//! What lies in a plugin's memory, checked and copied into plain Rust types.

// Another's pointers are followed.
#![allow(unsafe_code)]

use std::{
    ffi::c_char,
    mem::{MaybeUninit, offset_of},
    path::Path,
    ptr,
};

use passel_abi::{
    PASSEL_ABI_VERSION, PASSEL_OVER_LEVELS, PASSEL_OVER_REGRESSION, PASSEL_TERMS, passel_criterion,
    passel_function, passel_method, passel_pair_score, passel_parameter, passel_plugin,
    passel_score, passel_selector,
};

use super::{
    About, Fault, Method, PASS, PairMethod, Parameter, Plugin, PluginCriterion, Way,
    calls::{Declare, Function, Run, Value},
    error::Slip,
    methods::{self, PairWay},
};
use crate::score::TERMS;

const _: () = assert!(PASSEL_TERMS == TERMS);

/// Longest text, in bytes: a formula or a source with room to spare.
const LONGEST: usize = 4096;

/// Most selectors, and most pair scores.
const MOST: usize = 1024;

/// Most parameters of a selector.
const MOST_PARAMETERS: usize = 64;

/// Longest text of a program: a function in CUDA C.
const LONGEST_CUDA: usize = 1 << 20;

/// A struct that may grow.
///
/// # Safety
/// Its size comes first, and all zero is a value of it.
unsafe trait Table: Copy {
    /// The bytes that no version is without.
    const LEAST: usize;
}

// SAFETY: numbers and pointers, the size first.
unsafe impl Table for passel_plugin {
    const LEAST: usize = offset_of!(Self, pair_scores);
}

// SAFETY: as above.
unsafe impl Table for passel_selector {
    const LEAST: usize = offset_of!(Self, over);
}

// SAFETY: as above.
unsafe impl Table for passel_criterion {
    const LEAST: usize = offset_of!(Self, data);
}

// SAFETY: as above.
unsafe impl Table for passel_function {
    const LEAST: usize = offset_of!(Self, data);
}

// SAFETY: as above.
unsafe impl Table for passel_parameter {
    const LEAST: usize = size_of::<Self>();
}

// SAFETY: as above.
unsafe impl Table for passel_pair_score {
    const LEAST: usize = offset_of!(Self, function);
}

/// As much of a struct as its maker knew of; the rest is zero.
///
/// # Safety
/// Null, or a struct with as many bytes as its size says.
unsafe fn table<T: Table>(there: *const T, member: &'static str) -> Result<T, Slip> {
    if there.is_null() {
        return Err(Slip::Null { member });
    }
    // SAFETY: the size comes first.
    let size = unsafe { there.cast::<usize>().read_unaligned() };
    if size < T::LEAST {
        let least = T::LEAST;
        return Err(Slip::Size { size, least });
    }
    let mut own = MaybeUninit::<T>::zeroed();
    let known = size.min(size_of::<T>());
    // SAFETY: within both; zero is a value, and so is what the plugin made.
    unsafe {
        ptr::copy_nonoverlapping(there.cast::<u8>(), own.as_mut_ptr().cast(), known);
        Ok(own.assume_init())
    }
}

/// # Safety
/// Null, or an array of this many pointers.
unsafe fn list<T>(
    there: *const *const T,
    count: usize,
    [member, number]: [&'static str; 2],
    most: usize,
) -> Result<Vec<*const T>, Slip> {
    if count > most {
        let member = number;
        return Err(Slip::Count {
            member,
            count,
            most,
        });
    }
    if there.is_null() && count > 0 {
        return Err(Slip::Null { member });
    }
    // SAFETY: inside the array.
    Ok((0..count)
        .map(|at| unsafe { there.add(at).read_unaligned() })
        .collect())
}

/// # Safety
/// Null, or a text that ends or is longer than any that is taken.
unsafe fn text(there: *const c_char, member: &'static str) -> Result<String, Slip> {
    let most = LONGEST;
    // SAFETY: the caller's.
    let text = unsafe { whole(there, member, most) }?;
    match text.contains(char::is_control) {
        true => Err(Slip::Text { member, most }),
        false => Ok(text),
    }
}

/// # Safety
/// As of [`text`].
unsafe fn whole(there: *const c_char, member: &'static str, most: usize) -> Result<String, Slip> {
    if there.is_null() {
        return Err(Slip::Null { member });
    }
    let mut bytes = Vec::new();
    for at in 0..=most {
        // SAFETY: it has not ended before.
        match unsafe { there.add(at).read() }.to_ne_bytes()[0] {
            0 => break,
            byte => bytes.push(byte),
        }
    }
    let text = String::from_utf8(bytes).ok().filter(|it| it.len() <= most);
    text.ok_or(Slip::Text { member, most })
}

/// # Safety
/// As of [`text`].
unsafe fn name(there: *const c_char) -> Result<String, Slip> {
    // SAFETY: the caller's.
    let name = unsafe { text(there, "name") }?;
    match is_name(&name) {
        true => Ok(name),
        false => Err(Slip::Name { name }),
    }
}

/// Whether a name can be asked for: a small letter, then small letters, digits, `-`.
pub(super) fn is_name(name: &str) -> bool {
    let part = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
    name.starts_with(|it: char| it.is_ascii_lowercase()) && name.chars().all(part)
}

/// A foreign text on one line.
pub(super) fn printable(text: &str) -> String {
    text.replace(char::is_control, " ").trim().to_owned()
}

/// All that a plugin brings.
///
/// # Safety
/// What the plugin's entry returned.
pub(super) unsafe fn plugin(
    there: *const passel_plugin,
    expected: &str,
    path: &Path,
) -> Result<Plugin, Fault> {
    let of = |place: String| move |slip| Fault::Slip { place, slip };
    let whole = || of("the plugin".to_owned());
    // Before all else: of another version not even the size may mean the same.
    // SAFETY: both come first in every version.
    let theirs = unsafe { ptr::addr_of!((*there).abi_version).read_unaligned() };
    let ours = PASSEL_ABI_VERSION;
    if theirs != ours {
        return Err(Fault::Version { theirs, ours });
    }
    // SAFETY: by the contract, here and below.
    let it = unsafe { table(there, "the plugin") }.map_err(whole())?;
    let name = unsafe { name(it.name) }.map_err(whole())?;
    if name != expected {
        let expected = expected.to_owned();
        return Err(whole()(Slip::Called { name, expected }));
    }
    let version = unsafe { text(it.version, "version") }.map_err(whole())?;
    let description = unsafe { text(it.description, "description") }.map_err(whole())?;
    let members = ["selectors", "selector_count"];
    let selectors = unsafe { list(it.selectors, it.selector_count, members, MOST) };
    let mut methods: Vec<Method> = Vec::new();
    for (at, there) in selectors.map_err(whole())?.into_iter().enumerate() {
        let (mut place, taken) = (format!("selector {}", at + 1), &methods);
        let method = unsafe { method(there, &name, &mut place) }.and_then(|it| {
            let name = &it.about.name;
            let twice = name == PASS || taken.iter().any(|has| has.about.name == *name);
            untaken(name.clone(), twice).map(|()| it)
        });
        methods.push(method.map_err(of(place))?);
    }
    let members = ["pair_scores", "pair_score_count"];
    let pairs = unsafe { list(it.pair_scores, it.pair_score_count, members, MOST) };
    let mut pair_scores: Vec<PairMethod> = Vec::new();
    for (at, there) in pairs.map_err(whole())?.into_iter().enumerate() {
        let (mut place, taken) = (format!("pair score {}", at + 1), &pair_scores);
        let pair = unsafe { pair(there, &name, &mut place) }.and_then(|it| {
            let name = &it.about.name;
            let twice = taken.iter().any(|has| has.about.name == *name);
            untaken(name.clone(), twice).map(|()| it)
        });
        pair_scores.push(pair.map_err(of(place))?);
    }
    let members = ["criteria", "criterion_count"];
    let there = unsafe { list(it.criteria, it.criterion_count, members, MOST) };
    let mut criteria: Vec<PluginCriterion> = Vec::new();
    for (at, there) in there.map_err(whole())?.into_iter().enumerate() {
        let (mut place, taken) = (format!("criterion {}", at + 1), &criteria);
        let criterion = unsafe { criterion(there, &name, &mut place) }.and_then(|it| {
            let name = &it.about.name;
            let own = passel_criteria::ALL.iter().any(|has| has.name == name);
            let twice = own || taken.iter().any(|has| has.about.name == *name);
            untaken(name.clone(), twice).map(|()| it)
        });
        criteria.push(criterion.map_err(of(place))?);
    }
    Ok(Plugin {
        name,
        version,
        description,
        path: path.to_owned(),
        methods,
        pair_scores,
        criteria,
    })
}

fn untaken(name: String, taken: bool) -> Result<(), Slip> {
    match taken {
        true => Err(Slip::Taken { name }),
        false => Ok(()),
    }
}

/// How it is asked for.
///
/// # Safety
/// Of a plugin that was entered.
unsafe fn about(it: &passel_method, plugin: &str, place: &mut String) -> Result<About, Slip> {
    // SAFETY: by the contract, here and below.
    let name = unsafe { name(it.name) }?;
    *place += &format!(" ({name})");
    let members = ["parameters", "parameter_count"];
    let count = it.parameter_count;
    let entries = unsafe { list(it.parameters, count, members, MOST_PARAMETERS) }?;
    let mut parameters: Vec<Parameter> = Vec::new();
    for there in entries {
        let it = unsafe { parameter(there) }?;
        // A report has the parameters beside these of its own.
        let own = ["name", "plugin", "value"].contains(&it.name.as_str());
        let twice = own || parameters.iter().any(|has| has.name == it.name);
        untaken(it.name.clone(), twice)?;
        parameters.push(it);
    }
    Ok(About {
        name,
        title: unsafe { text(it.title, "title") }?,
        formula: unsafe { text(it.formula, "formula") }?,
        source: unsafe { text(it.source, "source") }?,
        plugin: plugin.to_owned(),
        parameters,
    })
}

/// # Safety
/// As of [`about`], here and below.
unsafe fn method(
    there: *const passel_selector,
    plugin: &str,
    place: &mut String,
) -> Result<Method, Slip> {
    // SAFETY: by the contract, here and below.
    let it = unsafe { table(there, "the selector") }?;
    let about = unsafe { about(&it.method, plugin, place) }?;
    let defaults = about.defaults();
    let way = match (it.declare, it.run) {
        (Some(function), None) => {
            let selector = there;
            let declare = Declare { function, selector };
            // One that cannot be declared by itself is broken, and that shows here.
            declare.score(&defaults)?;
            Way::Declares(declare)
        }
        (None, Some(function)) => {
            let run = Run {
                function,
                selector: there,
                values: defaults.into(),
            };
            match it.over {
                PASSEL_OVER_LEVELS => Way::Ranks(run),
                PASSEL_OVER_REGRESSION => Way::Regresses(run),
                value => {
                    let member = "over";
                    return Err(Slip::Constant { member, value });
                }
            }
        }
        (None, None) => return Err(Slip::Null { member: "declare" }),
        (Some(_), Some(_)) => return Err(Slip::Both),
    };
    Ok(Method { about, way })
}

unsafe fn parameter(there: *const passel_parameter) -> Result<Parameter, Slip> {
    // SAFETY: by the contract, here and below.
    let it = unsafe { table(there, "a parameter") }?;
    let (default, least, most) = (it.default_value, it.least, it.most);
    let range = least.is_finite() && most.is_finite() && (least..=most).contains(&default);
    if !range {
        return Err(Slip::Range {
            default,
            least,
            most,
        });
    }
    Ok(Parameter {
        name: unsafe { name(it.name) }?,
        help: unsafe { text(it.help, "help") }?,
        default,
        least,
        most,
    })
}

unsafe fn pair(
    there: *const passel_pair_score,
    plugin: &str,
    place: &mut String,
) -> Result<PairMethod, Slip> {
    // SAFETY: by the contract, here and below.
    let it = unsafe { table(there, "the pair score") }?;
    let about = unsafe { about(&it.method, plugin, place) }?;
    let way = match it.function.is_null() {
        true => PairWay::Declared(methods::pair_quantity(&it.quantity)?),
        false => PairWay::Coded(unsafe { function(it.function, &about.defaults()) }?),
    };
    Ok(PairMethod { about, way })
}

unsafe fn criterion(
    there: *const passel_criterion,
    plugin: &str,
    place: &mut String,
) -> Result<PluginCriterion, Slip> {
    // SAFETY: by the contract, here and below.
    let it = unsafe { table(there, "the criterion") }?;
    let about = unsafe { about(&it.method, plugin, place) }?;
    let function = it.value.ok_or(Slip::Null { member: "value" })?;
    // The report's names outlive every selection; a plugin is loaded once.
    let leaked = |it: &str| -> &'static str { Box::leak(it.into()) };
    let parameters = about.parameters.iter();
    let value = Value {
        function,
        criterion: there,
        name: leaked(&about.name),
        parameters: parameters
            .map(|it| (leaked(&it.name), it.default))
            .collect(),
        values: about.defaults().into(),
    };
    let value = value.looked_at()?;
    Ok(PluginCriterion { about, value })
}

/// The function of a score that a plugin filled in, for these parameters.
pub(super) fn function_of(score: &passel_score, values: &[f64]) -> Result<Function, Slip> {
    // SAFETY: by the contract the plugin's, who was entered.
    unsafe { function(score.function, values) }
}

/// A function of a table for these parameters.
///
/// # Safety
/// Null, or a function of a plugin that was entered.
unsafe fn function(there: *const passel_function, values: &[f64]) -> Result<Function, Slip> {
    // SAFETY: by the contract, here and below.
    let it = unsafe { table(there, "the function") }?;
    let value = it.value.ok_or(Slip::Null { member: "value" })?;
    let cuda = match it.cuda.is_null() {
        true => None,
        false => Some(unsafe { whole(it.cuda, "cuda", LONGEST_CUDA) }?.into()),
    };
    let tolerance = it.tolerance;
    if !(0.0..=0.01).contains(&tolerance) {
        return Err(Slip::Tolerance { tolerance });
    }
    Ok(Function {
        value,
        function: there,
        values: values.into(),
        cuda,
        tolerance,
    })
}
