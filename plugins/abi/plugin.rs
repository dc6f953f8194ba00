//! What a plugin hands out, and the function that does: the last part of `passel.h`.

use core::ffi::c_char;

use crate::{passel_criterion, passel_engine, passel_family, passel_pair_score, passel_selector};

/// What a plugin brings; its entry returns it. Lists may be null where they are empty.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct passel_plugin {
    pub size: usize,
    /// The PASSEL_ABI_VERSION it was compiled with.
    pub abi_version: u32,
    /// The least PASSEL_ABI_VERSION that it works with; 0 for 1. An earlier engine reads no further.
    pub needs: u32,
    /// The NAME of its entry, with `-` for `_`.
    pub name: *const c_char,
    /// Its own version, as it likes.
    pub version: *const c_char,
    /// What it is, on one line.
    pub description: *const c_char,
    pub selectors: *const *const passel_selector,
    /// How many; at most 1024, as of those below.
    pub selector_count: usize,
    /// Its pair scores. May be left out, size and all, and so may what follows.
    pub pair_scores: *const *const passel_pair_score,
    pub pair_score_count: usize,
    pub criteria: *const *const passel_criterion,
    pub criterion_count: usize,
    pub families: *const *const passel_family,
    pub family_count: usize,
    /// Its licence by SPDX, authors, page and DOI as in `10.1000/182`: each a line, or null.
    pub licence: *const c_char,
    pub authors: *const c_char,
    pub url: *const c_char,
    pub doi: *const c_char,
}

/// An entry.
pub type passel_entry = unsafe extern "C" fn(engine: *const passel_engine) -> *const passel_plugin;
