//! How the covariances of estimated coefficients are made, and of which clusters.

use thiserror::Error;

use super::ResponseOptions;
use crate::family::Distribution;

/// What the covariances of estimated coefficients, and so their standard errors, rest on.
///
/// All but the first are sandwich estimators: the sum over observations of the squared score stands in the place of its
/// expectation, so that they hold where the variance of the response is another than that of the model.
///
/// *Source:* H. White, A heteroskedasticity-consistent covariance matrix estimator and a direct test for
/// heteroskedasticity, Econometrica 48, 1980; J. MacKinnon, H. White, Some heteroskedasticity-consistent covariance matrix
/// estimators with improved finite sample properties, Journal of Econometrics 29, 1985.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CovarianceEstimator {
    /// The model: one variance of all errors (over their weights), or that of the family.
    #[default]
    Model,
    /// The squared residuals as they are.
    Hc0,
    /// These times n over the residual degrees of freedom.
    Hc1,
    /// Each over 1 − h, with h the observation's leverage: without bias where all variances are the same.
    Hc2,
    /// Each over (1 − h)²: near to the jackknife, the most cautious one in small samples.
    Hc3,
}

impl CovarianceEstimator {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Model, Self::Hc0, Self::Hc1, Self::Hc2, Self::Hc3];

    /// The name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Hc0 => "hc0",
            Self::Hc1 => "hc1",
            Self::Hc2 => "hc2",
            Self::Hc3 => "hc3",
        }
    }
}

/// Options of covariances that exclude others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum CovarianceError {
    #[error(
        "{option} and firth exclude each other: the estimates of Firth's penalty have the standard errors of the model"
    )]
    Firth { option: &'static str },
    #[error(
        "covariance = {} is not there with clusters, which have hc0 and hc1",
        estimator.name()
    )]
    Clusters { estimator: CovarianceEstimator },
    #[error(
        "covariance = {} is not there of survival times, which have hc0, the covariance of Lin and Wei",
        estimator.name()
    )]
    Survival { estimator: CovarianceEstimator },
    #[error(
        "covariance = {} is not there of levels, which have hc0 and hc1: no one number is the leverage of an observation of \
         several probabilities",
        estimator.name()
    )]
    Levels { estimator: CovarianceEstimator },
}

impl CovarianceError {
    /// The option that it is about, as job files have it.
    pub fn option(&self) -> &'static str {
        match self {
            Self::Firth { option } => option,
            Self::Clusters { .. } | Self::Survival { .. } | Self::Levels { .. } => "covariance",
        }
    }
}

impl ResponseOptions<'_> {
    /// Refuses an estimator that the family does not have, or that clusters do not have.
    ///
    /// # Errors
    /// What excludes what.
    pub(crate) fn check_covariance(&self) -> Result<(), CovarianceError> {
        let option = match (self.covariance, self.cluster) {
            (CovarianceEstimator::Model, None) => return Ok(()),
            (CovarianceEstimator::Model, Some(_)) => "cluster",
            _ => "covariance",
        };
        let distribution = self.family.distribution();
        if self.firth {
            return Err(CovarianceError::Firth { option });
        }
        let estimator = self.covariance;
        match estimator {
            CovarianceEstimator::Hc1 | CovarianceEstimator::Hc2 | CovarianceEstimator::Hc3
                if distribution == Distribution::Cox =>
            {
                Err(CovarianceError::Survival { estimator })
            }
            CovarianceEstimator::Hc2 | CovarianceEstimator::Hc3 if self.family.has_levels() => {
                Err(CovarianceError::Levels { estimator })
            }
            CovarianceEstimator::Hc2 | CovarianceEstimator::Hc3 if self.cluster.is_some() => {
                Err(CovarianceError::Clusters { estimator })
            }
            _ => Ok(()),
        }
    }
}

/// The clusters of the observations: those of one may depend on one another.
#[derive(Debug, Clone)]
pub(crate) struct Clusters {
    /// The column that holds them.
    pub(crate) name: String,
    /// Of each observation the number of its cluster.
    pub(crate) of: Vec<u32>,
    /// How many there are.
    pub(crate) count: usize,
}
