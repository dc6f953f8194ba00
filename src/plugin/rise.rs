//! What is tried of a criterion before there are data.

use passel_criteria::{Criterion, Model};

use super::{calls::CriterionCall, error::Breach};

impl CriterionCall {
    /// The criterion, if it is a number that does not fall with rising misfit for a few models.
    pub(super) fn checked(self) -> Result<Self, Breach> {
        let of_squares = |k: usize, rss: f64| Model::new(100, 20, k, rss);
        let of_likelihood = |k: usize, misfit: f64| Model {
            minus_two_log_likelihood: Some(misfit),
            family: c"binomial",
            scatter: 0,
            ..Model::new(100, 20, k, f64::NAN)
        };
        self.check_rise("", "rss", of_squares)?;
        if self.has_likelihoods {
            self.check_rise(" of the family binomial", "misfit", of_likelihood)?;
        }
        Ok(self)
    }

    fn check_rise(
        &self,
        family: &str,
        member: &str,
        model: impl Fn(usize, f64) -> Model,
    ) -> Result<(), Breach> {
        for k in 0..4 {
            let [low, high] = [50.0, 100.0].map(|misfit| self.value(&model(k, misfit)));
            let of = format!("its value of {k} of 20 variables and 100 observations{family}");
            if low.is_nan() || high.is_nan() {
                return Err(format!("{of} is not a number").into());
            }
            if high < low {
                return Err(format!(
                    "{of} falls from {low} to {high} where {member} rises from 50 to 100"
                )
                .into());
            }
        }
        Ok(())
    }
}
