//! Structs, lists, texts and names read from a plugin's memory.

// Another's pointers are followed.
#![allow(unsafe_code)]

use std::{
    ffi::c_char,
    mem::{MaybeUninit, offset_of},
    ptr,
};

use passel_abi::{
    passel_criterion, passel_function, passel_pair_score, passel_parameter, passel_plugin,
    passel_selector,
};

use super::error::ContractError;

/// Longest text accepted, in bytes: a formula or a source with room to spare.
const LONGEST: usize = 4096;

/// A struct of the contract, to which later versions may add members.
///
/// # Safety
/// Its size comes first, and all zero is a value of it.
pub(super) unsafe trait Table: Copy {
    /// The size that every version has at least, in bytes.
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

/// Copies a struct as far as its maker knew it; later members are zero.
///
/// # Errors
/// A null pointer, or a struct that is too small.
///
/// # Safety
/// Null, or a struct with as many bytes as its size says.
pub(super) unsafe fn table<T: Table>(
    there: *const T,
    member: &'static str,
) -> Result<T, ContractError> {
    if there.is_null() {
        return Err(ContractError::Null { member });
    }
    // SAFETY: the size comes first.
    let size = unsafe { there.cast::<usize>().read_unaligned() };
    if size < T::LEAST {
        let least = T::LEAST;
        return Err(ContractError::Size { size, least });
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
/// # Errors
/// A null pointer, or an implausible count.
///
/// # Safety
/// Null, or an array of this many pointers.
pub(super) unsafe fn list<T>(
    there: *const *const T,
    count: usize,
    [member, number]: [&'static str; 2],
    most: usize,
) -> Result<Vec<*const T>, ContractError> {
    if count > most {
        let member = number;
        return Err(ContractError::Count {
            member,
            count,
            most,
        });
    }
    if there.is_null() && count > 0 {
        return Err(ContractError::Null { member });
    }
    // SAFETY: inside the array.
    Ok((0..count)
        .map(|at| unsafe { there.add(at).read_unaligned() })
        .collect())
}

/// Copies a text of one line.
///
/// # Errors
/// A null pointer; a text that is not UTF-8, too long, or has control characters.
///
/// # Safety
/// Null, or a text that ends with a zero byte or is longer than any that is accepted.
pub(super) unsafe fn text(
    there: *const c_char,
    member: &'static str,
) -> Result<String, ContractError> {
    let most = LONGEST;
    // SAFETY: the caller's.
    let text = unsafe { long_text(there, member, most) }?;
    match text.contains(char::is_control) {
        true => Err(ContractError::Text { member, most }),
        false => Ok(text),
    }
}

/// Copies a text of up to `most` bytes, line breaks allowed.
///
/// # Errors
/// A null pointer; a text that is not UTF-8 or too long.
///
/// # Safety
/// As for [`text`].
pub(super) unsafe fn long_text(
    there: *const c_char,
    member: &'static str,
    most: usize,
) -> Result<String, ContractError> {
    if there.is_null() {
        return Err(ContractError::Null { member });
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
    text.ok_or(ContractError::Text { member, most })
}

/// Copies a name.
///
/// # Errors
/// A text that is not a name by [`is_name`].
///
/// # Safety
/// As for [`text`].
pub(super) unsafe fn name(there: *const c_char) -> Result<String, ContractError> {
    // SAFETY: the caller's.
    let name = unsafe { text(there, "name") }?;
    match is_name(&name) {
        true => Ok(name),
        false => Err(ContractError::Name { name }),
    }
}

/// Whether a text is a valid name: a lower-case letter, then lower-case letters, digits, `-`.
pub(super) fn is_name(name: &str) -> bool {
    let part = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
    name.starts_with(|it: char| it.is_ascii_lowercase()) && name.chars().all(part)
}

/// A foreign text without control characters, on one line.
pub(super) fn printable(text: &str) -> String {
    text.replace(char::is_control, " ").trim().to_owned()
}
