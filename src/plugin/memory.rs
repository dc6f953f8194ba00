//! Structs, lists, texts and names read from a plugin's memory.

// Another's pointers are followed.
#![allow(unsafe_code)]

use std::{
    ffi::c_char,
    mem::{MaybeUninit, offset_of},
    ptr,
};

use passel_abi::{
    PASSEL_ABI_VERSION, passel_criterion, passel_family, passel_finish, passel_function,
    passel_pair_score, passel_parameter, passel_plugin, passel_selector,
};

use super::error::Breach;

/// Largest struct accepted, in bytes.
const LARGEST: usize = 1 << 16;

/// Longest text accepted, in bytes: a formula or a source with room to spare.
const LONGEST: usize = 4096;

/// Longest CUDA source accepted, in bytes.
const LONGEST_CUDA: usize = 1 << 20;

/// A struct in a plugin's memory, which the plugin never changes or frees.
#[derive(Debug, Clone, Copy)]
pub struct Foreign<T>(pub(super) *const T);

// SAFETY: by the contract a plugin's functions may be called from any thread, and the structs
// that they are called with stay as they are.
unsafe impl<T> Send for Foreign<T> {}
// SAFETY: as above, from several threads at once.
unsafe impl<T> Sync for Foreign<T> {}

/// A struct of the contract, to which later versions may add members.
///
/// # Safety
/// Its size comes first, and all zero is a value of it.
pub(super) unsafe trait Table: Copy {
    /// What messages call it.
    const NAME: &str;
    /// The size that every version has at least, in bytes.
    const LEAST: usize;
}

// SAFETY: numbers and pointers, the size first.
unsafe impl Table for passel_plugin {
    const NAME: &str = "the plugin";
    const LEAST: usize = offset_of!(Self, pair_scores);
}

// SAFETY: as above.
unsafe impl Table for passel_selector {
    const NAME: &str = "the selector";
    const LEAST: usize = offset_of!(Self, over);
}

// SAFETY: as above.
unsafe impl Table for passel_criterion {
    const NAME: &str = "the criterion";
    const LEAST: usize = offset_of!(Self, data);
}

// SAFETY: as above.
unsafe impl Table for passel_family {
    const NAME: &str = "the family";
    const LEAST: usize = offset_of!(Self, data);
}

// SAFETY: as above.
unsafe impl Table for passel_function {
    const NAME: &str = "the function";
    const LEAST: usize = offset_of!(Self, data);
}

// SAFETY: as above.
unsafe impl Table for passel_finish {
    const NAME: &str = "what finishes the score";
    const LEAST: usize = offset_of!(Self, data);
}

// SAFETY: as above.
unsafe impl Table for passel_parameter {
    const NAME: &str = "a parameter";
    const LEAST: usize = offset_of!(Self, choices);
}

// SAFETY: as above.
unsafe impl Table for passel_pair_score {
    const NAME: &str = "the pair score";
    const LEAST: usize = offset_of!(Self, function);
}

/// Copies a struct as far as its maker knew it; later members are zero. What its maker set of members that are not known here is
/// an error: nothing that has a meaning is left out without a word.
///
/// # Safety
/// Null, or a struct with as many bytes as its size says.
pub(super) unsafe fn table<T: Table>(there: *const T) -> Result<T, Breach> {
    if there.is_null() {
        return Err(Breach::null(T::NAME));
    }
    // SAFETY: the size comes first.
    let size = unsafe { there.cast::<usize>().read_unaligned() };
    if size < T::LEAST {
        let least = T::LEAST;
        return Err(format!(
            "its size is {size}, at least {least} is needed: start it with its own sizeof"
        )
        .into());
    }
    if size % align_of::<usize>() != 0 {
        return Err(format!(
            "its size is {size}, which ends inside a member: start it with its own sizeof"
        )
        .into());
    }
    if size > LARGEST {
        return Err(format!("its size is {size}, at most {LARGEST} are taken").into());
    }
    let behind = size_of::<T>()..size;
    // SAFETY: within the plugin's struct.
    let is_set = |at: &usize| unsafe { there.cast::<u8>().add(*at).read() } != 0;
    if let Some(at) = behind.into_iter().find(is_set) {
        return Err(format!(
            "byte {at} of it is set, behind the {} that contract {PASSEL_ABI_VERSION} of passel {} knows: it asks for what a \
             later contract has",
            size_of::<T>(),
            env!("CARGO_PKG_VERSION")
        )
        .into());
    }
    let mut own = MaybeUninit::<T>::zeroed();
    let known = size.min(size_of::<T>());
    // SAFETY: within both; zero is a value, and so is what the plugin made.
    unsafe {
        ptr::copy_nonoverlapping(there.cast::<u8>(), own.as_mut_ptr().cast(), known);
        Ok(own.assume_init())
    }
}

/// Copies an array of pointers.
///
/// # Safety
/// Null, or an array of this many pointers.
pub(super) unsafe fn list<T>(
    there: *const *const T,
    count: usize,
    [member, number]: [&str; 2],
    most: usize,
) -> Result<Vec<*const T>, Breach> {
    if count > most {
        return Err(format!("{number} is {count}, at most {most} are taken").into());
    }
    if there.is_null() && count > 0 {
        return Err(Breach::null(member));
    }
    // SAFETY: inside the array.
    Ok((0..count)
        .map(|at| unsafe { there.add(at).read_unaligned() })
        .collect())
}

/// Copies a text of one line.
///
/// # Safety
/// Null, or a text that ends with a zero byte or is longer than any that is accepted.
pub(super) unsafe fn text(there: *const c_char, member: &str) -> Result<String, Breach> {
    // SAFETY: the caller's.
    let text = unsafe { long_text(there, member, LONGEST) }?;
    match text.contains(char::is_control) {
        true => Err(no_text(member, LONGEST)),
        false => Ok(text),
    }
}

fn no_text(member: &str, most: usize) -> Breach {
    format!("{member} is no line of UTF-8 of at most {most} bytes").into()
}

/// Copies CUDA source, if there is any.
///
/// # Safety
/// As for [`text`].
pub(super) unsafe fn cuda_text(there: *const c_char) -> Result<Option<String>, Breach> {
    match there.is_null() {
        true => Ok(None),
        // SAFETY: the caller's.
        false => unsafe { long_text(there, "cuda", LONGEST_CUDA) }.map(Some),
    }
}

/// Copies a text of up to `most` bytes, line breaks allowed.
///
/// # Safety
/// As for [`text`].
unsafe fn long_text(there: *const c_char, member: &str, most: usize) -> Result<String, Breach> {
    if there.is_null() {
        return Err(Breach::null(member));
    }
    let mut bytes = Vec::new();
    for at in 0..=most {
        // SAFETY: it has not ended before.
        match unsafe { there.add(at).read() }.to_ne_bytes()[0] {
            0 => break,
            byte => bytes.push(byte),
        }
    }
    let text = String::from_utf8(bytes)
        .ok()
        .filter(|text| text.len() <= most);
    text.ok_or_else(|| no_text(member, most))
}

/// Copies a name.
///
/// # Safety
/// As for [`text`].
pub(super) unsafe fn name(there: *const c_char) -> Result<String, Breach> {
    // SAFETY: the caller's.
    let name = unsafe { text(there, "name") }?;
    match is_name(&name) {
        true => Ok(name),
        false => Err(format!(
            "the name `{name}` is not a small letter, then small letters, digits, -"
        )
        .into()),
    }
}

/// Whether a text is a valid name: a lower-case letter, then lower-case letters, digits, `-`.
pub(crate) fn is_name(name: &str) -> bool {
    let part =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    name.starts_with(|letter: char| letter.is_ascii_lowercase()) && name.chars().all(part)
}

/// A foreign text without control characters, on one line.
pub(super) fn printable(text: &str) -> String {
    let text = text.replace(char::is_control, " ");
    crate::printable::printable(text.trim()).into_owned()
}
