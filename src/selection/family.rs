//! How well a model of maximum likelihood fits, as R's `summary` of a `glm` has it, and how well it tells events from
//! others.

use serde::{Deserialize, Serialize};
use statrs::function::gamma::gamma_ur;

use super::{
    Label, LevelCount, NamedParameters, RocPoint, SurvivalSummary, number_or_nan, roc::roc,
};
use crate::{
    design::Design,
    family::{Distribution, FamilyFit, FitStatus, Likelihood, Link, PluginFamily},
    least_squares::Fit,
};

/// Groups of observations of a calibration.
const GROUPS: usize = 10;

/// Fewest observations of a group.
const FEWEST: usize = 5;

/// What kind of response models of maximum likelihood are of.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ResponseFamily {
    /// The distribution: `binomial`, `poisson`, `negative-binomial`, `gamma`, `cox`, `ordinal`,
    /// `multinomial`, or a plugin's.
    pub name: Label,
    /// The link: `logit`, `probit`, `cloglog`, `log` or `inverse`.
    pub link: Label,
    /// The level or value of the response that is an event; none where it is 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The column of trials, or the sum of two, if the response counts events of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trials: Option<String>,
    /// The offset, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<String>,
    /// Of a quasi-likelihood, by whose dispersion the criterion divides −2ℓ, where that is from: `estimated` in the model of
    /// all candidates, or `given`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quasi_likelihood: Option<Label>,
    /// Of a plugin's family it with its parameters, its plugin, the version and the hash of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_plugin: Option<NamedParameters>,
    /// Of a plugin's family whether its dispersion is estimated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub has_dispersion: bool,
}

impl ResponseFamily {
    /// Its name, of a plugin's with its parameters: `tweedie:p=1.3`.
    pub(crate) fn spec(&self) -> String {
        let own = self.of_plugin.as_ref();
        own.map_or_else(|| self.name.to_string(), |own| own.spec(&[]))
    }

    /// That of a design; none of least squares.
    pub(crate) fn of(design: &Design) -> Option<Self> {
        let likelihood = design.likelihood()?;
        let family = likelihood.response().family();
        let from = |(_, freedom): (f64, Option<usize>)| match freedom {
            Some(_) => "estimated",
            None => "given",
        };
        let quasi = likelihood.response().quasi_dispersion();
        Some(Self {
            name: family.distribution().name().into(),
            link: family.link().name().into(),
            event: design.event().map(str::to_owned),
            trials: design.trials().map(str::to_owned),
            offset: design.offset().map(str::to_owned),
            quasi_likelihood: quasi.map(|quasi| from(quasi).into()),
            of_plugin: family.distribution().plugin().map(of_plugin),
            has_dispersion: family
                .distribution()
                .plugin()
                .is_some_and(|own| own.has_dispersion),
        })
    }
}

/// What a report says of a plugin's family.
fn of_plugin(own: PluginFamily) -> NamedParameters {
    let parameters = own.shown.iter().cloned();
    let origin = NamedParameters::of_origin(&own.origin);
    NamedParameters::new(&own.name.to_string_lossy(), parameters.chain(origin))
}

/// A model of maximum likelihood: its family, and how well it fits.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FamilySummary {
    /// What kind of response it is of.
    #[serde(flatten)]
    pub response: ResponseFamily,
    /// Twice the log-likelihood that is lost beside means that are the responses themselves.
    #[serde(deserialize_with = "number_or_nan")]
    pub deviance: f64,
    /// The deviance of the model of the intercept and the offset alone.
    #[serde(deserialize_with = "number_or_nan")]
    pub null_deviance: f64,
    /// Residual degrees of freedom of that model.
    pub df_null: usize,
    /// 1 − deviance / null deviance.
    pub deviance_explained: Option<f64>,
    /// Pearson's χ² over the residual degrees of freedom.
    pub pearson_dispersion: Option<f64>,
    /// The dispersion of the standard errors: 1 of families that have none, unless there is a quasi-likelihood.
    #[serde(deserialize_with = "number_or_nan")]
    pub dispersion: f64,
    /// The degrees of freedom of a dispersion that was estimated in the model of all candidates, and of the tests by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dispersion_df: Option<usize>,
    /// The shape θ of the negative binomial family: the variance is μ + μ²/θ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theta: Option<f64>,
    /// Whether the estimates are those of the largest likelihood: `converged`, `separated` or `not-converged`.
    pub status: Label,
    /// Whether the estimates are those of Firth's penalty, and their fit `converged` or was `not-converged`; none where they are
    /// those of the likelihood. Deviances, the log-likelihood and the status stay those of the largest likelihood, and the
    /// tests of terms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub firth: Option<Label>,
    /// What exp(β̂) is: `odds ratio`, `rate ratio`, `ratio of means`, `hazard ratio` or, beside the baseline, `relative risk ratio`; none of other links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<Label>,
    /// Of survival times: events, concordance, the baseline hazard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub survival: Option<SurvivalSummary>,
    /// Of a response of levels: these in their order, of `multinomial` the baseline first, and how many observations have each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<LevelCount>,
    /// Of the binomial family: how well the fitted probabilities tell events from others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discrimination: Option<Discrimination>,
    /// The observations by their fitted means: ten groups of about equal size. Of the binomial family.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calibration: Vec<CalibrationGroup>,
    /// The test of the calibration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosmer_lemeshow: Option<HosmerLemeshow>,
}

/// How well fitted probabilities tell events from others, on the data that the model was chosen and fitted on: new data
/// will be told less well.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Discrimination {
    /// The area under the receiver operating characteristic: the probability that an event has a higher fitted
    /// probability than another trial.
    #[serde(deserialize_with = "number_or_nan")]
    pub auc: f64,
    /// The mean squared distance of fitted probabilities from 1 of events and 0 of others.
    #[serde(deserialize_with = "number_or_nan")]
    pub brier: f64,
    /// The receiver operating characteristic from nothing called an event to everything, of which at most 200 points are
    /// kept.
    pub roc: Vec<RocPoint>,
}

/// Observations of similar fitted probabilities.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CalibrationGroup {
    /// Trials, as the weights count them.
    #[serde(deserialize_with = "number_or_nan")]
    pub trials: f64,
    /// The mean fitted probability.
    #[serde(deserialize_with = "number_or_nan")]
    pub fitted: f64,
    /// The share of events.
    #[serde(deserialize_with = "number_or_nan")]
    pub observed: f64,
    /// The lower end of Wilson's confidence interval of that share; none where no level is set.
    pub lower: Option<f64>,
    /// The upper end.
    pub upper: Option<f64>,
}

impl CalibrationGroup {
    /// Wilson's interval of the share of events, q being the normal quantile of its level.
    ///
    /// *Source:* E. B. Wilson, Probable inference, the law of succession, and statistical inference, Journal of the American
    /// Statistical Association 22, 1927.
    pub(super) fn set_interval(&mut self, q: Option<f64>) {
        let (n, p) = (self.trials, self.observed);
        let ends = q.map(|q| {
            let middle = p + q * q / (2.0 * n);
            let half = q * (p * (1.0 - p) / n + (q / (2.0 * n)).powi(2)).sqrt();
            [middle - half, middle + half].map(|end| (end / (1.0 + q * q / n)).clamp(0.0, 1.0))
        });
        [self.lower, self.upper] = [0, 1].map(|at| ends.map(|ends| ends[at]));
    }
}

/// The test that fitted probabilities are those of the groups of a calibration.
///
/// *Source:* D. W. Hosmer, S. Lemeshow, Goodness of fit tests for the multiple logistic regression model, Communications
/// in Statistics A 9, 1980.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HosmerLemeshow {
    /// χ².
    #[serde(deserialize_with = "number_or_nan")]
    pub chi_squared: f64,
    /// Degrees of freedom: groups less two.
    pub df: usize,
    /// P(χ² ≥ this).
    #[serde(deserialize_with = "number_or_nan")]
    pub p_value: f64,
}

impl FamilySummary {
    /// Describes a fit on a design, whose estimates may be others than those of the largest likelihood; none of least squares.
    pub(crate) fn of(design: &Design, fit: &Fit, estimated: &Fit) -> Option<Self> {
        let (likelihood, own) = (design.likelihood()?, fit.family()?);
        let estimated = estimated.family()?;
        let response = likelihood.response();
        let family = response.family();
        let (name, link) = (family.distribution(), family.link());
        let free = likelihood.residual_freedom(own);
        let null_deviance = likelihood.null_deviance(own);
        let calibration = calibration(likelihood, estimated);
        Some(Self {
            response: ResponseFamily::of(design)?,
            deviance: own.deviance(),
            null_deviance,
            df_null: likelihood.residual_freedom(likelihood.empty()),
            deviance_explained: (null_deviance > 0.0).then(|| 1.0 - own.deviance() / null_deviance),
            pearson_dispersion: (free > 0 && own.pearson().is_finite())
                .then(|| estimated.pearson() / free as f64),
            dispersion: own.dispersion(),
            dispersion_df: likelihood.quasi_freedom(),
            theta: own.theta(),
            status: status(own),
            firth: design.firth().then(|| status(estimated)),
            ratio: match (name, link) {
                (Distribution::Multinomial, _) => Some("relative risk ratio".into()),
                (_, Link::Logit) => Some("odds ratio".into()),
                (Distribution::Gamma | Distribution::Plugin(_), Link::Log) => {
                    Some("ratio of means".into())
                }
                (Distribution::Cox, Link::Log) => Some("hazard ratio".into()),
                (_, Link::Log) => Some("rate ratio".into()),
                _ => None,
            },
            survival: SurvivalSummary::of(design, likelihood, (fit, own)),
            levels: LevelCount::all(design, likelihood),
            discrimination: discrimination(likelihood, estimated),
            hosmer_lemeshow: hosmer_lemeshow(&calibration),
            calibration,
        })
    }

    /// Whether coefficients over their standard errors are compared with a normal distribution, and not with Student's t.
    pub fn has_normal_tests(&self) -> bool {
        let is_gamma = self.response.name == Distribution::Gamma.name();
        !(is_gamma || self.response.has_dispersion || self.dispersion_df.is_some())
    }
}

fn status(fit: &FamilyFit) -> Label {
    match fit.status() {
        FitStatus::Converged => "converged",
        FitStatus::Separated => "separated",
        FitStatus::NotConverged => "not-converged",
    }
    .into()
}

/// P(χ² ≥ x) with these degrees of freedom.
pub(super) fn chi_squared_tail(x: f64, df: f64) -> f64 {
    match x > 0.0 {
        true => gamma_ur(df / 2.0, x / 2.0),
        false => 1.0,
    }
}

/// Of each observation the fitted probability, the trials and the events, by probability; none of other families.
fn by_probability(likelihood: &Likelihood, fit: &FamilyFit) -> Vec<[f64; 3]> {
    let response = likelihood.response();
    if response.family().distribution() != Distribution::Binomial {
        return Vec::new();
    }
    let rows = fit.means().iter().zip(response.weights()).zip(response.y());
    let rows = rows.map(|((mean, trials), y)| [*mean, *trials, trials * y]);
    let mut rows: Vec<[f64; 3]> = rows.filter(|[_, trials, _]| *trials > 0.0).collect();
    rows.sort_by(|a, b| a[0].total_cmp(&b[0]));
    rows
}

fn discrimination(likelihood: &Likelihood, fit: &FamilyFit) -> Option<Discrimination> {
    let rows = by_probability(likelihood, fit);
    let total: f64 = rows.iter().map(|[_, trials, _]| trials).sum();
    let events: f64 = rows.iter().map(|[.., events]| events).sum();
    if rows.is_empty() || events <= 0.0 || events >= total {
        return None;
    }
    let (mut below, mut pairs) = (0.0, 0.0);
    for equal in rows.chunk_by(|a, b| a[0] == b[0]) {
        let own: f64 = equal.iter().map(|[.., events]| events).sum();
        let others: f64 = equal
            .iter()
            .map(|[_, trials, events]| trials - events)
            .sum();
        pairs += own * (below + others / 2.0);
        below += others;
    }
    let squares = rows.iter().map(|[mean, trials, events]| {
        events * (1.0 - mean).powi(2) + (trials - events) * mean * mean
    });
    Some(Discrimination {
        auc: pairs / (events * (total - events)),
        brier: squares.sum::<f64>() / total,
        roc: roc(&rows),
    })
}

fn calibration(likelihood: &Likelihood, fit: &FamilyFit) -> Vec<CalibrationGroup> {
    let rows = by_probability(likelihood, fit);
    let groups = GROUPS.min(rows.len() / FEWEST);
    let mut from = 0;
    let mut all = Vec::with_capacity(groups);
    for group in 1..=groups {
        let mut to = group * rows.len() / groups;
        // Equal probabilities are of one group.
        while to > from && to < rows.len() && rows[to][0] == rows[to - 1][0] {
            to += 1;
        }
        if to <= from {
            continue;
        }
        let own = &rows[from..to];
        from = to;
        let trials: f64 = own.iter().map(|[_, trials, _]| trials).sum();
        all.push(CalibrationGroup {
            trials,
            fitted: own
                .iter()
                .map(|[mean, trials, _]| mean * trials)
                .sum::<f64>()
                / trials,
            observed: own.iter().map(|[.., events]| events).sum::<f64>() / trials,
            ..CalibrationGroup::default()
        });
    }
    all
}

fn hosmer_lemeshow(groups: &[CalibrationGroup]) -> Option<HosmerLemeshow> {
    let df = groups.len().checked_sub(2).filter(|df| *df > 0)?;
    let square = |own: &CalibrationGroup| {
        let variance = own.trials * own.fitted * (1.0 - own.fitted);
        (own.trials * (own.observed - own.fitted)).powi(2) / variance
    };
    let chi_squared: f64 = groups.iter().map(square).sum();
    chi_squared.is_finite().then(|| HosmerLemeshow {
        chi_squared,
        df,
        p_value: chi_squared_tail(chi_squared, df as f64),
    })
}
