//! The polish: after the swarm, islands search on from its best models, until no single addition,
//! drop or exchange improves the best model and a fixed amount of further work has not improved
//! it either.
//!
//! A wave has three parts. *Sweep*: each island's model is swept against every column, and the
//! columns that would improve it most, by joining or by replacing a variable, enter the pool.
//! *Tabu search*: each island walks among the pool's columns ([`super::tabu`]), at a cost that
//! depends neither on n nor on p. *Compare*: the best model, if it is new, is fitted from scratch.
//! The sweep of the best model certifies that it is a local optimum; then the models of one variable more
//! are swept as well, for two variables may improve it together of which neither does alone.

mod alternatives;
mod candidate;
mod certificate;
mod islands;

use super::{
    control::{RunControl, StageEnd},
    state::{PolishState, Stage},
};
use crate::{
    device::Devices,
    selection::{Certificate, Termination},
};
pub(super) use candidate::PolishContext;
use islands::Islands;

/// Polishes the best models that the swarm visited, or resumes between two waves.
pub(super) fn polish(
    context: PolishContext,
    devices: &mut Devices,
    end: &mut StageEnd,
    from: Option<PolishState>,
    control: &mut RunControl,
) {
    let PolishContext {
        problem, limits, ..
    } = context;
    let islands = match from {
        // Filling the pool may take longer than is left.
        _ if limits.stop() => Err(None),
        Some(state) => Ok(Islands::resumed(context, state)),
        None => {
            let starts = end.visited.starts(problem.pass.islands);
            let members = starts.iter().flat_map(|start| &start.members);
            let brought = devices.bring_to_host(members.copied());
            let islands = brought.and_then(|()| Islands::new(context, &end.visited));
            islands.map_err(Some)
        }
    };
    let mut islands = match islands {
        Ok(islands) => islands,
        Err(fault) => {
            end.members = end.visited.starts(1).swap_remove(0).members.into_vec();
            return end.cut(&limits, fault);
        }
    };
    let allowed = context.idle_work();
    while !(islands.judged && islands.idle >= allowed) {
        control.keep(&problem, &end.visited, || Stage::Polish {
            polish: islands.state(),
            iterations: end.iterations,
            impatient: end.termination == Termination::Patience,
        });
        let swept = islands.sweep(devices, &mut end.visited);
        let searched = swept.and_then(|()| match limits.stop() {
            // What the sweep found, and the products of it, may be incomplete.
            true => Ok(()),
            false => islands.search(&mut end.visited, control.observe),
        });
        let fault = searched.err();
        if fault.is_some() || limits.stop() {
            end.cut(&limits, fault);
            break;
        }
    }
    end.members = islands.best.fit.members();
    end.certified = islands.certified.then_some(Certificate::Local);
    end.settled = islands.settled;
}
