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
    PASSEL_ABI_VERSION, PASSEL_TERMS, passel_pair_score, passel_parameter, passel_plugin,
    passel_quantity, passel_score, passel_selector, passel_term,
};

use super::{Fault, Method, PASS, PairMethod, Parameter, Plugin, error::Slip, methods};
use crate::score::{PairScore, Score, TERMS};

const _: () = assert!(PASSEL_TERMS == TERMS);

/// Longest text, in bytes: a formula or a source with room to spare.
const LONGEST: usize = 4096;

/// Most selectors, and most pair scores.
const MOST: usize = 1024;

/// Most parameters of a selector.
const MOST_PARAMETERS: usize = 64;

/// Room for a plugin's reason.
const REASON: usize = 1024;

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
    const LEAST: usize = offset_of!(Self, data);
}

// SAFETY: as above.
unsafe impl Table for passel_parameter {
    const LEAST: usize = size_of::<Self>();
}

// SAFETY: as above.
unsafe impl Table for passel_pair_score {
    const LEAST: usize = size_of::<Self>();
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
    if there.is_null() {
        return Err(Slip::Null { member });
    }
    let mut bytes = Vec::new();
    for at in 0..=LONGEST {
        // SAFETY: it has not ended before.
        match unsafe { there.add(at).read() }.to_ne_bytes()[0] {
            0 => break,
            byte => bytes.push(byte),
        }
    }
    let text = String::from_utf8(bytes).ok();
    let line = text.filter(|it| it.len() <= LONGEST && !it.contains(char::is_control));
    line.ok_or(Slip::Text {
        member,
        most: LONGEST,
    })
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
            let twice = it.name == PASS || taken.iter().any(|has| has.name == it.name);
            untaken(it.name.clone(), twice).map(|()| it)
        });
        methods.push(method.map_err(of(place))?);
    }
    let members = ["pair_scores", "pair_score_count"];
    let pairs = unsafe { list(it.pair_scores, it.pair_score_count, members, MOST) };
    let mut pair_scores: Vec<PairMethod> = Vec::new();
    for (at, there) in pairs.map_err(whole())?.into_iter().enumerate() {
        let (mut place, taken) = (format!("pair score {}", at + 1), &pair_scores);
        let pair = unsafe { pair(there, &name, &mut place) }.and_then(|it| {
            let twice = taken.iter().any(|has| has.name == it.name);
            untaken(it.name.clone(), twice).map(|()| it)
        });
        pair_scores.push(pair.map_err(of(place))?);
    }
    Ok(Plugin {
        name,
        version,
        description,
        path: path.to_owned(),
        methods,
        pair_scores,
    })
}

fn untaken(name: String, taken: bool) -> Result<(), Slip> {
    match taken {
        true => Err(Slip::Taken { name }),
        false => Ok(()),
    }
}

/// # Safety
/// A selector of a plugin that was entered.
unsafe fn method(
    there: *const passel_selector,
    plugin: &str,
    place: &mut String,
) -> Result<Method, Slip> {
    // SAFETY: by the contract, here and below.
    let it = unsafe { table(there, "the selector") }?;
    let name = unsafe { name(it.name) }?;
    *place += &format!(" ({name})");
    let members = ["parameters", "parameter_count"];
    let count = it.parameter_count;
    let entries = unsafe { list(it.parameters, count, members, MOST_PARAMETERS) }?;
    let mut parameters: Vec<Parameter> = Vec::new();
    for there in entries {
        let it = unsafe { parameter(there) }?;
        // A report has the parameters beside the method's `name` and `plugin`.
        let own = ["name", "plugin"].contains(&it.name.as_str());
        let twice = own || parameters.iter().any(|has| has.name == it.name);
        untaken(it.name.clone(), twice)?;
        parameters.push(it);
    }
    let function = it.declare.ok_or(Slip::Null { member: "declare" })?;
    let method = Method {
        name,
        title: unsafe { text(it.title, "title") }?,
        formula: unsafe { text(it.formula, "formula") }?,
        source: unsafe { text(it.source, "source") }?,
        plugin: plugin.to_owned(),
        declare: Declare {
            function,
            selector: there,
        },
        parameters,
    };
    // A selector that cannot be declared by itself is broken, and that shows here.
    let defaults: Vec<f64> = method.parameters.iter().map(|it| it.default).collect();
    method.declare.score(&defaults)?;
    Ok(method)
}

/// # Safety
/// As of [`method`].
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

/// # Safety
/// As of [`method`].
unsafe fn pair(
    there: *const passel_pair_score,
    plugin: &str,
    place: &mut String,
) -> Result<PairMethod, Slip> {
    // SAFETY: by the contract, here and below.
    let it = unsafe { table(there, "the pair score") }?;
    let name = unsafe { name(it.name) }?;
    *place += &format!(" ({name})");
    let quantity = methods::quantity(&it.quantity)?;
    quantity.balanced()?;
    let combinations = [quantity.over, quantity.under.unwrap_or_default()];
    if combinations.iter().any(|it| (it.x, it.xy) != (it.w, it.wy)) {
        return Err(Slip::Lopsided);
    }
    Ok(PairMethod {
        name,
        title: unsafe { text(it.title, "title") }?,
        formula: unsafe { text(it.formula, "formula") }?,
        source: unsafe { text(it.source, "source") }?,
        plugin: plugin.to_owned(),
        score: PairScore::Declared(quantity),
    })
}

/// A plugin's way to a score.
#[derive(Debug, Clone, Copy)]
pub(super) struct Declare {
    function: unsafe extern "C" fn(
        *const passel_selector,
        *const f64,
        *mut passel_score,
        *mut c_char,
        usize,
    ) -> i32,
    selector: *const passel_selector,
}

// SAFETY: by the contract any thread may call it, and the selector is never changed or freed.
unsafe impl Send for Declare {}
// SAFETY: as above, several at once.
unsafe impl Sync for Declare {}

impl Declare {
    /// The score for one value a parameter, each inside its range.
    pub(super) fn score(&self, values: &[f64]) -> Result<Score, Slip> {
        let mut terms = [passel_term::default(); PASSEL_TERMS];
        let mut reason = [0; REASON];
        let mut score = passel_score {
            size: size_of::<passel_score>(),
            relevance: passel_quantity::default(),
            terms: terms.as_mut_ptr(),
            term_count: 0,
            gather: 0,
            join: 0,
            against: 0,
            ends_at_zero: 0,
        };
        // SAFETY: the selector's own function, with all that the contract lends it.
        let done = unsafe {
            let (score, reason) = (&raw mut score, reason.as_mut_ptr());
            (self.function)(self.selector, values.as_ptr(), score, reason, REASON)
        };
        if done == 0 {
            return methods::score(&score, &terms);
        }
        let bytes = reason.map(|it: c_char| it.to_ne_bytes()[0]);
        let end = bytes.iter().position(|it| *it == 0).unwrap_or(REASON);
        let reason = printable(&String::from_utf8_lossy(&bytes[..end]));
        Err(Slip::Declare {
            reason: match reason.is_empty() {
                true => format!("it returned {done} and did not say why"),
                false => reason,
            },
        })
    }
}
