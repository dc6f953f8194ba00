//! The proof that no allowed model has a lower φ: after the polish, all models are enumerated where they
//! are few, else branch and bound over all subsets ([`tree`], or [`terms`] where terms have several columns or
//! need others) tries with a bounded amount of work, or as long as it is asked to.
//!
//! Bounds are made of products of columns, which lose digits where columns are nearly collinear: RSS is
//! granted what they may lose, and every model that may then be as good as the best is fitted from X.

mod best;
mod bounds;
mod enumeration;
mod likelihood;
mod parts;
mod positive;
#[cfg(test)]
mod progress_tests;
mod subproblem;
mod terms;
#[cfg(test)]
mod tests;
mod thresholds;
mod tree;
mod waves;

use super::{
    control::{RunControl, StageEnd},
    problem::{SearchProblem, rises},
    settings::ProofEffort,
    state::{Branch, ProofState},
    visited::{VisitedModel, VisitedModels},
};
use crate::{
    device::{DeviceError, GramPool},
    least_squares::Fit,
    selection::{Certificate, Proof},
};
use best::BestModels;
use enumeration::{enumerate, is_small};
use likelihood::{LikelihoodTree, LossExplorer};
use parts::independent_parts;
use terms::TermTree;
use thresholds::rises_with_rss;
use tree::Explorer;
use waves::{Explore, Tree, rounding};

/// Work of a proof that nobody asked for, in multiply-adds, that of its products of columns, and most
/// candidates of it: with more it rarely ends, and would take longer than the search.
const WORK: u64 = 1 << 27;
const PRODUCT_WORK: usize = 1 << 30;
const FEW: usize = 64;

/// Most candidates of a proof: a thread's subproblems then take 100 MB at most.
const CANDIDATES: usize = 256;

/// Why no proof is tried.
const WIDE: &str = "No proof was tried: with as many candidates as observations no bound holds.";
const MANY: &str = "No proof was tried: there are more than 256 candidates.";
const FALLING: &str = "No proof was tried: the criterion falls where RSS rises.";
const DIVERGENT: &str = "No proof: the fit of a model did not converge.";
const DEPENDENT: &str = "No proof was tried: too many columns depend on others.";

/// Proves that the best model is that, or finds a better one.
pub(super) fn prove(
    problem: SearchProblem,
    threads: usize,
    control: &mut RunControl,
    end: &mut StageEnd,
    from: Option<ProofState>,
) -> Result<(), DeviceError> {
    let (x, p) = (problem.x, problem.x.p());
    let asked = problem.pass.proof == ProofEffort::Complete;
    let refuse = |end: &mut StageEnd, reason: &'static str| {
        end.proof = asked.then(|| Proof {
            reason: Some(reason.to_owned()),
            ..Proof::default()
        });
        Ok(())
    };
    let has_likelihood = x.likelihood().is_some();
    let is_small = match x.terms() {
        _ if has_likelihood => likelihood::is_small(&problem, asked),
        Some(terms) => terms::is_small(&problem, terms),
        None => is_small(&problem),
    };
    if is_small {
        x.fetch(0..p as u32)?;
        let stop = || control.limits.stop();
        let models = match x.terms() {
            _ if has_likelihood => likelihood::enumerate(&problem, threads, &stop),
            Some(terms) => terms::enumerate(&problem, terms, &stop),
            None => enumerate(&problem, &stop),
        };
        match models {
            Some(models) => prove_by_enumeration(&problem, models, end),
            None if has_likelihood && !stop() => return refuse(end, DIVERGENT),
            None => end.cut(&control.limits, None),
        }
        return Ok(());
    }
    if p > CANDIDATES {
        return refuse(end, MANY);
    }
    if p + 2 > x.n() {
        return refuse(end, WIDE);
    }
    if !asked && (has_likelihood || p > FEW || x.n() * p * p > PRODUCT_WORK) {
        return Ok(());
    }
    let rises = match x.terms() {
        _ if has_likelihood => LikelihoodTree::rises_with_loss(&problem),
        Some(terms) => terms::rises_with_rss(&problem, terms),
        None => rises_with_rss(&problem.objective, problem.keep.len()..=problem.max_size),
    };
    if !rises {
        return refuse(end, FALLING);
    }
    x.fetch(0..p as u32)?;
    let most = (!asked).then_some(WORK);
    match branch_and_bound(problem, threads, most, control, end, from)? {
        true => Ok(()),
        false => refuse(end, DEPENDENT),
    }
}

/// Explores the tree of all models with so much work, or until the limits end it; false where dependent
/// columns split it into too many parts.
fn branch_and_bound(
    problem: SearchProblem,
    threads: usize,
    most: Option<u64>,
    control: &mut RunControl,
    end: &mut StageEnd,
    from: Option<ProofState>,
) -> Result<bool, DeviceError> {
    let (x, y) = (problem.x, problem.y);
    let limits = control.limits;
    // One that nobody asked for is short, and ends by its work alone.
    let stop = || most.is_none() && limits.stop();
    let cut = |end: &mut StageEnd| {
        end.proof = Some(Proof::default());
        end.cut(&limits, None);
        Ok(true)
    };
    if x.likelihood().is_some() {
        let all = LikelihoodTree::new(problem, &stop);
        let Some(root) = all.root() else {
            return Ok(false);
        };
        let explorer = |best| Box::new(LossExplorer::new(&all, best)) as Box<dyn Explore>;
        let tree = Tree {
            problem,
            explorer: &explorer,
            threads,
            most,
        };
        return run(tree, vec![root], control, end, from);
    }
    if let Some(terms) = x.terms() {
        let all = TermTree::new(problem, terms, &stop);
        if stop() {
            return cut(end);
        }
        let Some(all) = all else {
            return Ok(false);
        };
        let explorer = |best| Box::new(all.explorer(best)) as Box<dyn Explore>;
        let tree = Tree {
            problem,
            explorer: &explorer,
            threads,
            most,
        };
        return run(tree, all.branches(), control, end, None);
    }
    let parts = independent_parts(&problem, &stop);
    let all = 0..x.p() as u32;
    let mut pool = GramPool::new(x, problem.kept);
    if parts.is_some() {
        pool.insert(x, y, all, threads, &stop);
    }
    if stop() {
        return cut(end);
    }
    let Some(parts) = parts else {
        return Ok(false);
    };
    let rounding = rounding(&pool, &parts);
    let explorer =
        |best| Box::new(Explorer::new(problem, &pool, best, rounding)) as Box<dyn Explore>;
    let tree = Tree {
        problem,
        explorer: &explorer,
        threads,
        most,
    };
    run(tree, parts, control, end, from)
}

/// Explores the parts of a tree, or goes on from a state.
fn run(
    tree: Tree,
    parts: Vec<Branch>,
    control: &mut RunControl,
    end: &mut StageEnd,
    from: Option<ProofState>,
) -> Result<bool, DeviceError> {
    let SearchProblem {
        x, y, objective, ..
    } = tree.problem;
    let mut state = from.unwrap_or_else(|| {
        let (fit, _) = Fit::of(x, y, &end.members);
        let best = VisitedModel {
            value: objective.of_fit(&fit),
            members: end.members.clone().into(),
        };
        ProofState {
            open: parts,
            stuck: Vec::new(),
            best: vec![best],
            nodes: 0,
            work: 0,
        }
    });
    tree.run(&mut state, control, end)?;
    Ok(true)
}

/// Replaces the models that the search visited by all that there are. Those that are as good as its best
/// are fitted from X, which decides.
fn prove_by_enumeration(problem: &SearchProblem, models: Vec<VisitedModel>, end: &mut StageEnd) {
    let count = models.len();
    let fitted = |members: &[u32]| VisitedModel {
        value: problem
            .objective
            .of_fit(&Fit::of(problem.x, problem.y, members).0),
        members: members.into(),
    };
    let mut best = BestModels::new(fitted(&end.members));
    let (highest, _) = best.target();
    for model in &models {
        if !rises(highest, model.value) {
            best.offer(fitted(&model.members));
        }
    }
    end.members = best.first().members.to_vec();
    end.visited = VisitedModels::complete(models);
    end.certified = Some(Certificate::Global);
    end.settled = None;
    end.proof = Some(Proof {
        complete: true,
        models: Some(count),
        gap: Some(0.0),
        ties: best.models.len() - 1,
        ..Proof::default()
    });
}
