//! The result of a search, and the report made of it.

use std::collections::BTreeMap;

use super::{
    problem::{Objective, is_exact},
    refits::{REPORTED, other_models, refitted_front},
    settings::Pass,
    visited::{VisitedModel, VisitedModels},
};
use crate::{
    design::Design,
    device::DeviceError,
    least_squares::{Fit, PIVOT_TOLERANCE},
    nearest::plural,
    sandwich::Sandwich,
    selection::{
        Alternatives, CONFIDENCE_LEVEL, Certificate, Covariance, CriterionValue, Diagnostics,
        Elapsed, FamilySummary, GoodnessOfFit, ModelConstant, NamedParameters, Proof,
        RobustCovariance, Selection, Settled, Termination, Truth, cautions, describe_alternatives,
        describe_variants, estimates, inclusion_weights, likelihood_cautions, marginal_means,
        selected_terms, visited_models,
    },
};
use passel_criteria::{Criterion, Model};

/// What AIC charges any variable.
const AIC_CHARGE: f64 = 2.0;

/// Whether it matters to the criterion that the candidates were more than the design's.
fn counts_candidates(criterion: &dyn Criterion, design: &Design, total: usize) -> bool {
    let kept = design.keep().len();
    [1, 2].into_iter().any(|chosen| {
        let [before, after] = [total, design.candidate_terms()].map(|p| {
            criterion.value(&Model {
                kept,
                has_intercept: design.intercept(),
                error_variance: 1.0,
                ..Model::new(design.n(), p - kept, chosen, 1.0)
            })
        });
        before.to_bits() != after.to_bits()
    })
}

/// The result of a search.
#[derive(Debug, Clone)]
pub struct SearchResult {
    /// The best model's fit, factored from scratch in ascending order.
    pub fit: Fit,
    /// φ of that fit.
    pub value: f64,
    /// Whether the fit is exact: its RSS is rounding alone.
    pub exact: bool,
    /// The smallest pivot of the fit: the part of a unit column that the other variables do not
    /// explain.
    pub pivot: f64,
    /// What the criterion charges the last variable chosen: 2 by AIC. 0 where none is.
    pub last_charge: f64,
    /// What is certain of the best model.
    pub certified: Option<Certificate>,
    /// How the models one change away from a certified one were settled, where they have a likelihood.
    pub settled: Option<Settled>,
    /// What could stand in the place of each variable of a certified model, those that are kept apart, with φ at most 20
    /// higher: by exact exchanges, of at most 1,024 columns for a variable. None of terms of several columns, of an exact
    /// fit, or where a limit came first; of likelihoods not of a variable for which too many models would have to be fitted.
    pub alternatives: Vec<Alternatives>,
    /// How far the proof of the optimum got; none where none was tried.
    pub proof: Option<Proof>,
    /// The distinct models of lowest φ that the search visited, best first; the first is the
    /// result. All allowed models, where they were enumerated. φ of the others may be off in its last
    /// digits.
    pub models: Vec<VisitedModel>,
    /// The best model of each size visited, ascending by size.
    pub front: Vec<VisitedModel>,
    /// The number of iterations done.
    pub iterations: usize,
    /// Why the search ended.
    pub termination: Termination,
    /// The largest model size allowed.
    pub max_size: usize,
    /// Seconds of the search, once the data were on the devices.
    pub seconds: f64,
    /// Seconds until the data were on the devices.
    pub starting: f64,
    /// The names of the devices.
    pub devices: Vec<String>,
    /// The arithmetic of screening; decisions are in f64.
    pub screen: String,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// What a procedure told of its work, by name.
    pub numbers: BTreeMap<String, f64>,
    /// The failure of a device that ended the search; the rest is the best until then.
    pub fault: Option<DeviceError>,
}

impl SearchResult {
    /// The result whose best model has these terms, ascending; the caller fills in iterations,
    /// termination, times and devices.
    pub(crate) fn of(objective: Objective, members: &[u32], visited: VisitedModels) -> Self {
        let (x, y) = (objective.design.columns(), objective.design.y());
        let front = visited.front();
        let ((fit, pivot), (mut models, mut front)) = rayon::join(
            || Fit::of(x, y, members),
            || {
                rayon::join(
                    || other_models(members, visited, objective),
                    || refitted_front(front, objective),
                )
            },
        );
        let value = objective.of_fit(&fit);
        let own = front.iter_mut().find(|met| *met.members == *members);
        own.into_iter().for_each(|met| met.value = value);
        // First, for other models may have the same φ.
        let members = members.into();
        models.insert(0, VisitedModel { value, members });
        Self {
            value,
            exact: is_exact(x.n(), &fit),
            pivot,
            last_charge: objective.last_charge(&fit),
            fit,
            certified: None,
            alternatives: Vec::new(),
            settled: None,
            proof: None,
            front,
            models,
            iterations: 0,
            termination: Termination::Iterations,
            max_size: 0,
            seconds: 0.0,
            starting: 0.0,
            notes: Vec::new(),
            numbers: BTreeMap::new(),
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
        self.selection_by(method, design, criterion, pass)
    }

    /// The report of a result of any method, as [`Self::selection`] makes it of PaSS.
    pub fn selection_by(
        &self,
        method: NamedParameters,
        design: &Design,
        criterion: &dyn Criterion,
        pass: &Pass,
    ) -> Selection {
        let estimated = self.estimated_fit(design);
        let sandwich = Sandwich::of(design, &estimated, self.exact);
        let sandwich = sandwich.as_ref();
        let (intercept, mut selected) = estimates(design, &estimated, self.exact, sandwich);
        describe_variants(design, &self.fit, &mut selected);
        describe_alternatives(design, &self.fit, &self.alternatives, &mut selected);
        let k = selected.len();
        let mut warnings = design.warnings().to_vec();
        warnings.extend_from_slice(&self.notes);
        let is_sized = criterion.cross_validation().is_some();
        if k == self.max_size && k < design.p() && !is_sized {
            let mend = if k >= design.n() - 2 {
                "these observations can fit no larger one"
            } else if pass.max_size.is_none() {
                "with so many candidates the criterion may be too mild (ebic-monotone, ebic and hdbic are made for them), or --max-size too small"
            } else {
                "a larger one may be better (--max-size)"
            };
            warnings.push(format!(
                "the model has as many variables as allowed, {k}: {mend}"
            ));
        }
        if !is_sized {
            warnings.extend(of_terms(design, &self.fit, self.max_size));
        }
        let kept = design.keep();
        let kept = kept
            .iter()
            .map(|term| design.columns().columns_of(*term).len());
        let kept: usize = kept.sum();
        if let Some(total) = design
            .p_total()
            .filter(|total| *total > design.candidate_terms())
            && !counts_candidates(criterion, design, total)
        {
            warnings.push(format!(
                "--p-total changes nothing: the criterion {} does not depend on the number of candidates",
                criterion.name()
            ));
        }
        if k > kept && !self.exact && self.last_charge < AIC_CHARGE - 1e-6 {
            let (unit, chosen) = match design.columns().terms().is_some() {
                true => ("terms", self.fit.terms().len() - design.keep().len()),
                false => ("variables", k - kept),
            };
            let candidates = design.p_total().unwrap_or(design.candidate_terms());
            let candidates = candidates - design.keep().len();
            warnings.push(format!(
                "of the {chosen} {unit} chosen among {candidates} the criterion charges the last one {:.3}, where AIC charges 2: noise may be among them (ebic-monotone, the default, always charges ln n or more)",
                self.last_charge,
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
        warnings.extend(likelihood_cautions(design, &self.fit, &estimated));
        warnings.extend(cautions(design, &self.fit, self.exact));
        if let Some(fault) = &self.fault {
            warnings.push(format!(
                "the search ended early, this is the best so far: {fault}"
            ));
        }
        let all = self.models.iter().map(VisitedModel::pair);
        let front = self.front.iter().map(VisitedModel::pair);
        let name = |term: u32| design.term_name(term).to_owned();
        let is_normal = |sum: f64| match design.likelihood() {
            None => sum,
            Some(_) => f64::NAN,
        };
        let mut selection = Selection {
            passel: env!("CARGO_PKG_VERSION").into(),
            data: None,
            method,
            criterion: CriterionValue {
                name: criterion.name().to_owned(),
                value: self.value,
                parameters: NamedParameters::of_criterion(criterion).collect(),
            },
            response: design.response().name.clone(),
            formula: design.formula().map(str::to_owned),
            family: FamilySummary::of(design, &self.fit, &estimated),
            weights: design.weights().map(str::to_owned),
            n: design.n(),
            p: design.p(),
            p_total: design.p_total(),
            candidate_terms: design.has_terms().then(|| design.candidate_terms()),
            k,
            kept: design.keep().iter().map(|j| name(*j)).collect(),
            rss: is_normal(self.fit.rss() * design.tss()),
            tss: is_normal(design.tss()),
            goodness: GoodnessOfFit::of(design, &self.fit, self.exact)
                .with_robust_test(design, &self.fit, sandwich),
            diagnostics: Diagnostics::of(design, &self.fit, self.exact),
            level: CONFIDENCE_LEVEL,
            adjusted: None,
            intervals: Default::default(),
            robust: sandwich.map(|own| RobustCovariance::of(design, own)),
            intercept,
            constants: ModelConstant::all(design, &estimated, sandwich),
            truth: Truth::of(
                design.truth(),
                selected.iter().map(|own| own.index).collect(),
            ),
            selected,
            terms: selected_terms(design, &self.fit, self.exact, sandwich),
            marginal_means: marginal_means(design, &estimated, self.exact, sandwich),
            inference: None,
            cross_validation: None,
            covariance: Covariance::of(design, &estimated, self.exact, sandwich),
            certified: self.certified,
            settled: self.settled,
            proof: self.proof.clone(),
            met: self.models.len(),
            models: visited_models(all.clone(), all.clone().take(REPORTED), name),
            inclusion: inclusion_weights(all.clone(), name),
            front: visited_models(all, front, name),
            set_aside: design.set_aside().to_vec(),
            factors: design.factors().to_vec(),
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
            numbers: self.numbers.clone(),
            warnings,
            model: None,
            by_other_criteria: Vec::new(),
        };
        selection.set_level(CONFIDENCE_LEVEL);
        let weights = selection.models.iter().map(|own| own.weight).collect();
        match self.averaging_model(design, &estimated, sandwich, weights) {
            Ok(model) => selection.model = Some(model),
            Err(error) => selection
                .warnings
                .push(format!("passel predict cannot use this report: {error}")),
        }
        selection
    }
}

/// Names listed of one kind; more are only counted.
const NAMED: usize = 5;

/// What a reader should know of terms of several columns: those that no model has room for, and columns of the
/// chosen ones that have no coefficient.
fn of_terms(design: &Design, fit: &Fit, max_size: usize) -> Vec<String> {
    let x = design.columns();
    let Some(terms) = x.terms() else {
        return Vec::new();
    };
    let some = |names: Vec<&str>| {
        let more = names.len().saturating_sub(NAMED);
        let first = names[..names.len() - more].join(", ");
        match more {
            0 => first,
            more => format!("{first} and {more} more"),
        }
    };
    let mut warnings = Vec::new();
    let kept = design.keep().iter().map(|term| terms.columns(*term).len());
    let room = max_size.saturating_sub(kept.sum());
    let is_wide = |term: &u32| {
        terms.columns(*term).len() > room && design.keep().binary_search(term).is_err()
    };
    let wide = (0..terms.count() as u32).filter(is_wide);
    let wide: Vec<&str> = wide.map(|term| design.term_name(term)).collect();
    if !wide.is_empty() {
        warnings.push(format!(
            "no model has room for {}, of more than {room} column{}: a larger --max-size has",
            some(wide),
            plural(room)
        ));
    }
    if fit.is_partial() {
        let columns = fit.terms().iter().flat_map(|term| terms.columns(*term));
        let out = columns.filter(|column| !fit.support().contains(column));
        let out = out.map(|column| &*design.variables()[column as usize].name);
        warnings.push(format!(
            "without a coefficient, being explained by the others: {}",
            some(out.collect())
        ));
    }
    warnings
}
