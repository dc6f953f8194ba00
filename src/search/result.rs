//! What a search found, and the way from there to the report.

use rayon::prelude::*;

use super::{
    objective::Objective,
    settings::Pass,
    visited::{VisitedModel, VisitedModels},
};
use crate::{
    design::{Columns, Design},
    device::DeviceError,
    least_squares::{Fit, PIVOT_TOLERANCE},
    selection::{
        CONFIDENCE_LEVEL, CriterionValue, Elapsed, NamedParameters, Selection, Termination, Truth,
        estimates, inclusion_weights, visited_models,
    },
};
use passel_criteria::Criterion;

/// Models met that are reported, and fitted anew for it.
pub(super) const REPORTED: usize = 10;

/// What a search found.
#[derive(Debug, Clone)]
pub struct SearchResult {
    /// The best model's fit, factored from scratch in ascending order.
    pub fit: Fit,
    /// φ of that fit.
    pub value: f64,
    /// The fit is exact: its RSS is nothing but rounding.
    pub exact: bool,
    /// The smallest pivot of the fit: what its other variables leave unexplained
    /// of a unit column.
    pub pivot: f64,
    /// No allowed addition, drop or exchange of one variable lowers φ.
    pub certified: bool,
    /// The distinct models of lowest φ that the search met, best first; the
    /// first is the one found. φ of the others may be off in its last digits.
    pub models: Vec<VisitedModel>,
    /// Of each size met the best model, ascending by size.
    pub front: Vec<VisitedModel>,
    /// Iterations done.
    pub iterations: usize,
    /// Why it ended.
    pub termination: Termination,
    /// The bound on model size that was in force.
    pub max_size: usize,
    /// Wall-clock seconds of the search, the data lying ready on the devices.
    pub seconds: f64,
    /// Wall-clock seconds before it, until they did.
    pub starting: f64,
    /// The devices, by name.
    pub devices: Vec<String>,
    /// The arithmetic that screened on them; f64 decided.
    pub screen: String,
    /// What the devices had to tell at the start.
    pub notes: Vec<String>,
    /// The failure of a device that ended the search; the rest is the best until then.
    pub fault: Option<DeviceError>,
}

impl SearchResult {
    /// The model of these columns, ascending, beside the others met; all else is for the caller
    /// to fill in.
    pub(crate) fn of(
        x: Columns,
        y: &[f64],
        objective: Objective,
        members: &[u32],
        visited: VisitedModels,
    ) -> Self {
        let mut front = visited.front();
        let ((fit, pivot), mut models) = rayon::join(
            || Fit::of(x, y, members),
            || beside(members, visited, (x, y), objective),
        );
        let value = objective.of_fit(&fit);
        let own = front.iter_mut().find(|met| *met.members == *members);
        own.into_iter().for_each(|met| met.value = value);
        // First, for others may equal it.
        let members = members.into();
        models.insert(0, VisitedModel { value, members });
        Self {
            value,
            exact: is_exact(x.n(), &fit),
            pivot,
            fit,
            certified: false,
            front,
            models,
            iterations: 0,
            termination: Termination::Iterations,
            max_size: 0,
            seconds: 0.0,
            starting: 0.0,
            notes: Vec::new(),
            devices: Vec::new(),
            screen: String::new(),
            fault: None,
        }
    }

    /// The result, on the original scale, with intervals at [`CONFIDENCE_LEVEL`]. What the caller alone knows (seconds
    /// of reading, say) is left for the caller to fill in.
    pub fn selection(&self, design: &Design, criterion: &dyn Criterion, pass: &Pass) -> Selection {
        let method = NamedParameters {
            name: "pass".to_owned(),
            parameters: pass.parameters(self.max_size),
        };
        self.by(method, design, criterion, pass)
    }

    /// The same, of a method that need not be PaSS.
    pub fn by(
        &self,
        method: NamedParameters,
        design: &Design,
        criterion: &dyn Criterion,
        pass: &Pass,
    ) -> Selection {
        let (intercept, selected) = estimates(design, &self.fit, self.exact);
        let k = selected.len();
        let mut warnings = design.warnings().to_vec();
        warnings.extend_from_slice(&self.notes);
        if k == self.max_size && k < design.p() {
            let mend = if k >= design.n() - 2 {
                "these observations can fit no larger one"
            } else if pass.max_size.is_none() {
                "with so many candidates the criterion may be too mild (ebic and hdbic are made for them), or --max-size too small"
            } else {
                "a larger one may be better (--max-size)"
            };
            warnings.push(format!(
                "the model has as many variables as allowed, {k}: {mend}"
            ));
        }
        let p = design.p_total().unwrap_or(design.p());
        let penalty = |k: usize| criterion.penalty(design.n(), p, k);
        if k > 0 && penalty(k) < penalty(k - 1) {
            warnings.push(format!(
                "at {k} of {p} variables the criterion's penalty falls with size: it favours the fullest models"
            ));
        }
        if self.pivot < PIVOT_TOLERANCE {
            warnings.push(format!(
                "the chosen variables are nearly collinear (pivot {:.0e}): coefficients and standard errors have few digits",
                self.pivot
            ));
        }
        if self.exact {
            warnings.push(
                "the fit is exact: the residuals are rounding, so there are no standard errors"
                    .to_owned(),
            );
        }
        if let Some(fault) = &self.fault {
            warnings.push(format!(
                "the search ended early, this is the best so far: {fault}"
            ));
        }
        let all = self.models.iter().map(VisitedModel::pair);
        let front = self.front.iter().map(VisitedModel::pair);
        let name = |j: u32| design.variables()[j as usize].name.clone();
        let mut selection = Selection {
            passel: env!("CARGO_PKG_VERSION").into(),
            method,
            criterion: CriterionValue {
                name: criterion.name().to_owned(),
                value: self.value,
                parameters: criterion
                    .parameters()
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value.into()))
                    .collect(),
            },
            response: design.response().name.clone(),
            weights: design.weights().map(str::to_owned),
            n: design.n(),
            p: design.p(),
            p_total: design.p_total(),
            k,
            kept: design.keep().iter().map(|j| name(*j)).collect(),
            rss: self.fit.rss() * design.tss(),
            tss: design.tss(),
            level: CONFIDENCE_LEVEL,
            intercept,
            truth: Truth::of(design.truth(), &selected),
            selected,
            certified: self.certified,
            met: self.models.len(),
            models: visited_models(all.clone(), all.clone().take(REPORTED), name),
            inclusion: inclusion_weights(all.clone(), name),
            front: visited_models(all, front, name),
            set_aside: design.set_aside().to_vec(),
            seed: pass.seed,
            devices: self.devices.clone(),
            precision: "f64".into(),
            screen: self.screen.clone(),
            iterations: self.iterations,
            termination: self.termination,
            rank_summary: None,
            elapsed_seconds: Elapsed {
                devices: self.starting,
                search: self.seconds,
                total: self.starting + self.seconds,
                ..Elapsed::default()
            },
            warnings,
        };
        selection.set_level(CONFIDENCE_LEVEL);
        selection
    }
}

/// Whether RSS is rounding alone: each residual is the rounded sum of y and the
/// terms, |β̂| in size.
pub(super) fn is_exact(n: usize, fit: &Fit) -> bool {
    let terms: f64 = fit.coefficients().iter().map(|b| b.abs()).sum();
    fit.rss() <= n as f64 * (f64::EPSILON * (1.0 + terms)).powi(2)
}

/// Observations × variables² of the models reported beyond which they keep the
/// φ of the walk: their fits would take seconds.
const REFIT_WORK: usize = 1 << 28;

/// The models met beside the one found. Those that will be told are fitted anew: walks
/// lose digits.
fn beside(
    found: &[u32],
    visited: VisitedModels,
    (x, y): (Columns, &[f64]),
    objective: Objective,
) -> Vec<VisitedModel> {
    let mut models = visited.best();
    models.retain(|met| *met.members != *found);
    let mut again = models.len().min(2 * REPORTED);
    let work = |met: &VisitedModel| x.n() * met.members.len().pow(2);
    if models[..again].iter().map(work).sum::<usize>() > REFIT_WORK {
        again = 0;
    }
    models[..again].par_iter_mut().for_each(|met| {
        met.value = objective.of_fit(&Fit::of(x, y, &met.members).0);
    });
    models[..again].sort_by(VisitedModel::order);
    models
}
