//! What a page draws of a model of survival times.

use crate::{
    design::Design,
    family::{FitStatus, SurvivalStep},
    least_squares::Fit,
};

/// Groups by hazard, of about as many observations each.
const GROUPS: [&str; 3] = ["lowest third", "middle third", "highest third"];

/// Fewest observations that are divided.
const FEWEST: usize = 12;

/// Most variables whose coefficients are drawn over time, and most events of each.
const VARIABLES: usize = 12;
const EVENTS: usize = 1000;

/// The survival of groups by hazard, and coefficients over time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SurvivalPlots {
    /// Groups by linear predictor, the lowest hazard first; one where all have the same.
    pub groups: Vec<RiskGroup>,
    /// Of the chosen variables, at most twelve.
    pub coefficients: Vec<CoefficientOverTime>,
}

/// Observations of similar hazard.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RiskGroup {
    /// Its name.
    pub name: &'static str,
    /// Observations.
    pub n: usize,
    /// After each time of an event the estimate of Kaplan and Meier, weighted: time and the probability to have had no event
    /// until then.
    pub steps: Vec<[f64; 2]>,
}

/// What each event says of a coefficient.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CoefficientOverTime {
    /// The variable.
    pub name: String,
    /// Its estimate.
    pub estimate: f64,
    /// Of at most a thousand events, evenly by time: the time, and the estimate plus the scaled Schoenfeld residual.
    pub events: Vec<[f64; 2]>,
}

impl SurvivalPlots {
    /// Those of a fit; none of another response.
    pub(crate) fn of(design: &Design, fit: &Fit) -> Option<Self> {
        let (likelihood, own) = (design.likelihood()?, fit.family()?);
        let response = likelihood.response().survival()?;
        let predictors = response.sorted(own.predictors());
        let mut order: Vec<usize> = (0..predictors.len()).collect();
        order.sort_by(|a, b| predictors[*a].total_cmp(&predictors[*b]));
        let n = order.len();
        // Equal ones are of one group.
        let bound = |part: usize| predictors[order[part * n / GROUPS.len()]];
        let bounds = [bound(1), bound(2)];
        let group_of = |row: usize| bounds.iter().filter(|own| predictors[row] >= **own).count();
        let is_one = n < FEWEST || predictors[order[0]] == predictors[order[n - 1]];
        let group = |at: usize, name| {
            let is_in = |row: usize| is_one || group_of(row) == at;
            let steps = response.kaplan_meier(is_in, |row| response.weights[row]);
            let step = |own: &SurvivalStep| [own.time, own.survival];
            RiskGroup {
                name,
                n: (0..n).filter(|row| is_in(*row)).count(),
                steps: steps.iter().map(step).collect(),
            }
        };
        let groups: Vec<RiskGroup> = match is_one {
            true => vec![group(0, "all")],
            false => (0..)
                .zip(GROUPS)
                .map(|(at, name)| group(at, name))
                .collect(),
        };
        let columns: Vec<&[f64]> = fit
            .support()
            .iter()
            .map(|j| design.columns().column(*j))
            .collect();
        let moments = response.moments(&columns, own.predictors());
        let moments = moments.filter(|_| own.status() == FitStatus::Converged);
        let mut events = moments.map_or(Vec::new(), |own| own.events);
        events.sort_by(|a, b| a.0.total_cmp(&b.0));
        let count = events.len();
        let k = columns.len();
        let coefficient = |at: usize| {
            let variable = &design.variables()[fit.support()[at] as usize];
            let estimate = own.coefficients()[at];
            // A row of the inverse information.
            let row = own.inverse_row(at);
            let value = |residual: &[f64]| {
                let sum: f64 = row.iter().zip(residual).map(|(v, r)| v * r).sum();
                (estimate + count as f64 * sum) / variable.norm
            };
            let shown = count.min(EVENTS);
            let shown = (0..shown).map(|place| &events[place * count / shown]);
            CoefficientOverTime {
                name: variable.name.clone(),
                estimate: estimate / variable.norm,
                events: shown
                    .map(|(time, residual)| [*time, value(residual)])
                    .collect(),
            }
        };
        let groups = groups.into_iter().filter(|group| group.n > 0);
        Some(Self {
            groups: groups.collect(),
            coefficients: match count {
                0 => Vec::new(),
                _ => (0..k.min(VARIABLES)).map(coefficient).collect(),
            },
        })
    }
}
