//! Selectors and pair scores of information theory: a plugin that uses the contract alone, as
//! any other does. One file a selector: its formula, its paper, how it differs from its
//! neighbour and a number worked by hand.
//!
//! x is the candidate, w a chosen variable, y the response. Logarithms are natural. The first
//! choice is the largest I(x;y) whatever the selector (of `jim`, `fcbf`, `dwfs`, `iwfs` and
//! `cfs`, what they measure in its place), and equal scores go to the variable that stands first.
//!
//! To add one: write its file beside these and name it below, in `mod`, `pub use` and `plugin!`.

mod betagamma;
mod cfs;
mod cife;
mod cmi;
mod cmim;
mod condred;
mod disr;
mod dwfs;
mod fcbf;
mod icap;
mod iwfs;
mod jim;
mod jmi;
mod jmi3;
mod jmim;
mod mifs;
mod mifs_u;
mod mim;
mod miq;
mod mmifs_u;
mod mrmr;
mod njmim;
mod nmifs;
mod pairs;
mod ucrfs;

pub use betagamma::BETAGAMMA;
pub use cfs::CFS;
pub use cife::CIFE;
pub use cmi::CMI;
pub use cmim::CMIM;
pub use condred::CONDRED;
pub use disr::DISR;
pub use dwfs::DWFS;
pub use fcbf::FCBF;
pub use icap::ICAP;
pub use iwfs::IWFS;
pub use jim::JIM;
pub use jmi::JMI;
pub use jmi3::JMI3;
pub use jmim::JMIM;
pub use mifs::MIFS;
pub use mifs_u::MIFS_U;
pub use mim::MIM;
pub use miq::MIQ;
pub use mmifs_u::MMIFS_U;
pub use mrmr::MRMR;
pub use njmim::NJMIM;
pub use nmifs::NMIFS;
pub use pairs::{MI3, SYNERGY};
pub use ucrfs::UCRFS;

passel_sdk::plugin! {
    name: information,
    selectors: [
        MIM, MIFS, MRMR, JMI, DISR, CMIM, CIFE, ICAP, CONDRED, BETAGAMMA, CMI, JMIM, NJMIM, JMI3, JIM, FCBF, MIQ,
        NMIFS, MIFS_U, MMIFS_U, DWFS, IWFS, UCRFS, CFS,
    ],
    pair_scores: [MI3, SYNERGY],
}
