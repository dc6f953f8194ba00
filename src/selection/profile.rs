//! Intervals of a model's coefficients by profiles of its likelihood.

use super::Selection;
use crate::{
    design::Design,
    family::{Profile, normal_quantile, student_t_quantile},
    least_squares::Fit,
    nearest::list,
};

/// What the intervals of a model's coefficients are by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Intervals {
    /// Standard errors, as Wald's tests.
    #[default]
    Wald,
    /// The profile of each coefficient: the interval is of the values that the likelihood ratio test does not refuse.
    Profile,
}

/// The profiles of the coefficients of a model on the scale of the file, the intercept the first of them, if there is one.
pub(crate) struct Profiles<'a> {
    profile: Profile<'a>,
    /// What ends on the design's scale are multiplied by.
    scales: Vec<f64>,
    /// By how much −2ℓ may rise: χ² of one degree of freedom, or F where the dispersion is estimated.
    quantile: f64,
}

impl<'a> Profiles<'a> {
    /// Those of a fit, the one that the estimates are of; none of least squares, whose intervals by Student's t are those of
    /// profiles, and of an exact fit.
    pub(crate) fn of(design: &'a Design, fit: &'a Fit, exact: bool, level: f64) -> Option<Self> {
        let (likelihood, own) = (design.likelihood()?, fit.family()?);
        let freedom = likelihood.test_freedom(own);
        let quantile = match likelihood.has_t_tests() {
            true if freedom == 0 || exact => return None,
            true => student_t_quantile(level, freedom as f64),
            false => normal_quantile(level),
        };
        let x = design.columns();
        let variables = fit.support().iter();
        let variables = variables.map(|j| &design.variables()[*j as usize]);
        let columns = fit.support().iter().map(|j| x.column(*j));
        // The intercept of the file is at the origin of its columns, not at their means.
        let origin = variables.clone().map(|own| -own.mean / own.norm);
        let response = likelihood.response();
        let intercept = own.intercept().map(|_| 1.0).into_iter();
        Some(Self {
            profile: Profile::new(columns.collect(), origin.collect(), response, own),
            scales: intercept
                .chain(variables.map(|own| 1.0 / own.norm))
                .collect(),
            quantile: quantile * quantile,
        })
    }

    /// The coefficients.
    pub(crate) fn count(&self) -> usize {
        self.scales.len()
    }

    /// Both ends of a coefficient, as [`Profile::ends`] has them.
    pub(crate) fn ends(&self, at: usize) -> [Option<f64>; 2] {
        let ends = self.profile.ends(at, self.quantile);
        ends.map(|end| end.map(|end| end * self.scales[at]))
    }
}

impl Selection {
    /// Sets the level of all intervals, those of coefficients by profiles: the ends of each coefficient, the intercept first,
    /// if there is one; none of least squares.
    pub(crate) fn set_profiles(&mut self, level: f64, ends: Vec<[Option<f64>; 2]>) {
        self.set_level(level);
        self.intervals = "profile".into();
        let names: Vec<String> = self
            .intercept
            .iter()
            .map(|_| "(intercept)".to_owned())
            .chain(self.selected.iter().map(|own| own.name.clone()))
            .collect();
        let mut without = Vec::new();
        for ((estimate, ends), name) in self.estimates_mut().zip(ends).zip(&names) {
            if ends.contains(&None) {
                without.push(name.as_str());
            }
            estimate.set_interval(ends);
        }
        if !without.is_empty() {
            self.warnings.push(format!(
                "the fits of the profile of {} did not converge, so that an end of its interval is missing; --intervals wald \
                 needs no such fits",
                list(without.iter().copied())
            ));
        }
    }
}
