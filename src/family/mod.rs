//! Responses that are not normal: families of distributions, their links, and the fit of a model by maximum
//! likelihood.
//!
//! A model says that the mean μᵢ of response i is g⁻¹(ηᵢ), ηᵢ = offsetᵢ + β₀ + xᵢᵀβ, and the family how responses scatter
//! about their means. [`FamilyFit`] maximises the likelihood by Newton's method, which is iteratively reweighted least
//! squares where the link is the canonical one; what it reports of a
//! model (−2ℓ with all constants, coefficients, standard errors) is what R's `glm` does.
//!
//! *Source*: P. McCullagh, J. A. Nelder, Generalized Linear Models, 1989; W. N. Venables, B. D. Ripley, Modern Applied
//! Statistics with S, 2002, section 7.4 (negative binomial).

mod climb;
mod cox;
mod density;
mod distribution;
mod divergences;
mod error;
mod fast;
mod firth;
mod fit;
mod joint;
mod likelihood;
mod link;
mod plugin;
mod profile;
mod quantiles;
mod residuals;
mod response;
mod state;
mod tails;
#[cfg(test)]
mod tests;
mod theta;
mod weighted;

pub(crate) use cox::{
    EventMoments, NewPart, RiskBounds, RiskCurvature, RiskRoom, SurvivalRows, SurvivalStep,
};
pub use cox::{SurvivalResponse, SurvivalTimes, Ties};
pub(crate) use density::Scatter;
pub use distribution::{Distribution, Family};
pub(crate) use divergences::{Divergences, kappa};
pub use error::FamilyError;
pub use fit::{FamilyFit, FitStatus};
pub(crate) use joint::{Curvature, JointResponse, probability_between};
pub use joint::{MultinomialResponse, OrdinalResponse};
pub use likelihood::Likelihood;
pub use link::Link;
pub(crate) use link::two_sided_normal;
pub use plugin::{FamilyDefinition, FamilyFunctions, PluginFamily};
pub use profile::Profile;
pub(crate) use quantiles::{normal_quantile, student_t_quantile, two_sided};
pub use response::{FamilyResponse, QuasiDispersion};
