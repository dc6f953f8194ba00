//! The polish: after the swarm, islands search on from its best models, until no single addition,
//! drop or exchange improves the best model and a fixed amount of further work has not improved
//! it either.
//!
//! A wave has three parts. *Sweep*: each island's model is swept against every column, and the
//! columns that would improve it most, by joining or by replacing a variable, enter the pool.
//! *Tabu search*: each island walks among the pool's columns ([`super::tabu`]), at a cost that
//! depends neither on n nor on p. *Compare*: the best model, if it is new, is fitted from scratch.
//! The sweep of the best model certifies that it is a local optimum.

mod candidate;
mod islands;

use super::{record::WaveRecord, visited::VisitedModels};
use crate::device::{DeviceError, Devices};
pub(super) use candidate::PolishContext;
pub(super) use islands::{Islands, PolishState};

/// Work without a better model after which the polish ends, in multiply-adds of a
/// product: so much, or so much for each candidate where they are few (they have
/// few models), but at least so many products of X with one column.
const IDLE_WORK: u64 = 1 << 30;
const IDLE_CANDIDATE: u64 = 1 << 22;
const IDLE_PRODUCTS: u64 = 32;

/// The model that the polish ends with.
pub(super) struct PolishResult {
    /// Columns, ascending.
    pub(super) members: Vec<u32>,
    /// Whether no allowed addition, drop or exchange of one variable improves it;
    /// false where the end came before the last sweep.
    pub(super) certified: bool,
    /// Whether the end came before the work was done.
    pub(super) cut: bool,
    /// The device failure that ended it, if one did.
    pub(super) fault: Option<DeviceError>,
}

/// Polishes the best models visited, or resumes between two waves. `keep` is called before each
/// wave, with the models visited; `observe` after it.
pub(super) fn polish(
    context: &PolishContext,
    (devices, visited): (&mut Devices, &mut VisitedModels),
    from: Option<PolishState>,
    keep: &mut dyn FnMut(&Islands, &VisitedModels),
    observe: &mut dyn FnMut(&WaveRecord),
) -> PolishResult {
    let unpolished = |visited: &VisitedModels, fault| PolishResult {
        members: visited.starts(1).swap_remove(0).members.into_vec(),
        certified: false,
        cut: true,
        fault,
    };
    if (context.stop)() {
        // Filling the pool may take longer than is left.
        return unpolished(visited, None);
    }
    let islands = match from {
        Some(state) => Ok(Islands::resumed(*context, state)),
        None => Islands::new(*context, visited),
    };
    let mut islands = match islands {
        Ok(islands) => islands,
        Err(fault) => return unpolished(visited, Some(fault)),
    };
    let (n, p) = (context.problem.x.n() as u64, context.problem.x.p() as u64);
    let allowed = IDLE_WORK.min(IDLE_CANDIDATE * p).max(IDLE_PRODUCTS * n * p);
    let mut cut = false;
    let mut fault = None;
    while !(cut || islands.certified && islands.idle >= allowed) {
        keep(&islands, visited);
        let swept = islands.sweep(devices, visited);
        if let Err(error) = swept.and_then(|()| islands.search(visited, observe)) {
            fault = Some(error);
            break;
        }
        cut = (context.stop)();
    }
    PolishResult {
        members: islands.best.members(),
        certified: islands.certified,
        cut,
        fault,
    }
}
