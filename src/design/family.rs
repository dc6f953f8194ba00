//! Responses of families: their events, trials, offsets and weights from the columns of a table.

use std::{borrow::Cow, sync::Arc};

use super::{
    Design, DesignError, ResponseOptions, builder::is_copy, error::DispersionError,
    standardise::standardise,
};
use crate::{
    family::{
        Distribution, Family, FamilyError, FamilyFit, FamilyResponse, FitStatus, Likelihood,
        QuasiDispersion, SurvivalTimes, Ties,
    },
    table::{Column, Values},
};

/// What a table says of the response beside its own column.
#[derive(Debug, Clone, Default)]
pub(crate) struct BesideResponse {
    pub(super) trials: Vec<f64>,
    pub(super) failures: Vec<f64>,
    pub(super) offset: Vec<f64>,
    /// Of survival times.
    pub(super) event: Vec<f64>,
    pub(super) event_level: Option<String>,
    pub(super) entry: Vec<f64>,
    pub(super) strata: Vec<u32>,
    pub(super) strata_levels: Vec<String>,
}

/// The numbers of a column of trials or offsets.
pub(super) fn numbers(
    column: Column,
    n: usize,
    what: &'static str,
) -> Result<Vec<f64>, DesignError> {
    match column.values {
        Values::Factor { levels, .. } => Err(DesignError::TextBeside {
            what,
            name: column.name,
            level: levels.into_iter().next().unwrap_or_default(),
        }),
        values => Ok(values.numbers(n).unwrap_or_default().into_owned()),
    }
}

/// The values of a response column of n observations: of two levels 1 for an event and 0 for none, with the level that is
/// the event.
///
/// # Errors
/// Text that is no such response.
pub(super) fn response(
    column: Option<Column>,
    n: usize,
    kind: &ResponseOptions,
) -> Result<(Vec<f64>, Option<String>), DesignError> {
    let Some(Column { name, values }) = column else {
        return Ok((Vec::new(), None));
    };
    let is_binomial = kind.family.distribution() == Distribution::Binomial;
    match values {
        Values::Factor { levels, codes }
            if is_binomial && kind.trials.or(kind.failures).is_none() =>
        {
            let mut counts = vec![0_usize; levels.len()];
            codes.iter().for_each(|code| counts[*code as usize] += 1);
            let used = levels.iter().zip(&counts).filter(|(_, count)| **count > 0);
            let used: Vec<&String> = used.map(|(level, _)| level).collect();
            let [first, second] = used[..] else {
                let levels = used.into_iter().cloned().collect();
                return Err(DesignError::Levels { name, levels });
            };
            let event = match kind.success {
                None => second,
                Some(level) if level == first || level == second => level,
                Some(level) => return Err(no_success(name, level, &[first, second])),
            };
            let is_event = |code: &u32| f64::from(u8::from(levels[*code as usize] == *event));
            Ok((codes.iter().map(is_event).collect(), Some(event.to_owned())))
        }
        Values::Factor { levels, .. } => {
            let level = levels.into_iter().next().unwrap_or_default();
            Err(match kind.family.distribution() {
                Distribution::Gaussian => DesignError::Text {
                    name,
                    level,
                    weights: false,
                },
                distribution => DesignError::TextOfFamily {
                    name,
                    level,
                    distribution,
                },
            })
        }
        values => {
            let mut numbers = values.numbers(n).unwrap_or_default().into_owned();
            if let Some(level) = kind.success {
                let mut distinct = numbers.clone();
                distinct.sort_by(f64::total_cmp);
                distinct.dedup();
                let wanted: Result<f64, _> = level.trim().parse();
                match (wanted, &distinct[..]) {
                    (Ok(wanted), [low, high]) if wanted == *low || wanted == *high => numbers
                        .iter_mut()
                        .for_each(|own| *own = f64::from(u8::from(*own == wanted))),
                    (_, [low, high]) => {
                        let texts = [low.to_string(), high.to_string()];
                        return Err(no_success(name, level, &[&texts[0], &texts[1]]));
                    }
                    _ => {
                        let first = distinct.iter().take(5).map(f64::to_string);
                        let levels = first.collect();
                        return Err(DesignError::Levels { name, levels });
                    }
                }
            }
            Ok((numbers, kind.success.map(str::to_owned)))
        }
    }
}

fn no_success(name: String, level: &str, levels: &[&String]) -> DesignError {
    DesignError::Success {
        name,
        level: level.to_owned(),
        levels: levels.iter().map(|level| (*level).clone()).collect(),
    }
}

/// The numbers of trials of events and failures.
///
/// # Errors
/// The first row that has no such numbers, or neither.
fn trials(events: &[f64], failures: &[f64]) -> Result<Vec<f64>, FamilyError> {
    let rows = (1..).zip(events.iter().zip(failures));
    rows.map(|(row, (&events, &failures))| {
        let both = [events, failures];
        let wrong = match events + failures {
            sum if !sum.is_finite() => "counts are finite",
            _ if both.iter().any(|count| *count < 0.0) => "no count is below 0",
            _ if both.iter().any(|count| count.fract() != 0.0) => "counts are whole numbers",
            0.0 => "without a trial an observation says nothing, so leave it out",
            sum => return Ok(sum),
        };
        Err(FamilyError::Failures {
            row,
            events,
            failures,
            wrong,
        })
    })
    .collect()
}

impl Design {
    /// Names the response and its trials by the columns of events and failures.
    pub(super) fn name_events_and_failures(&mut self, [events, failures]: &[String; 2]) {
        self.response.name = format!("cbind({events}, {failures})");
        self.trials = Some(format!("{events} + {failures}"));
    }

    /// Gives the design the likelihood of its response, whose values are those of the table.
    pub(super) fn fit_by_likelihood(
        &mut self,
        (family, dispersion, ties): (Family, Option<QuasiDispersion>, Ties),
        y: &[f64],
        (beside, weights): (&BesideResponse, &[f64]),
        table: &str,
    ) -> Result<(), DesignError> {
        if family.distribution() == Distribution::Multinomial {
            self.stand_in_blocks(table)?;
        }
        let wrong = |error: FamilyError| DesignError::Family {
            table: table.to_owned(),
            name: self.response.name.clone(),
            source: error.in_rows(|row| self.row(row)),
        };
        if family.distribution() == Distribution::Cox {
            let times = SurvivalTimes {
                time: y,
                event: &beside.event,
                entry: &beside.entry,
                strata: &beside.strata,
                weights,
                offset: &beside.offset,
                ties,
            };
            let response = FamilyResponse::of_survival(&times).map_err(wrong)?;
            let how = "in its events, which --event names";
            self.refuse_copies([(how, beside.event.clone())])?;
            // Its baseline hazard is in place of an intercept.
            let likelihood = Likelihood::new(response, false).map_err(wrong)?;
            self.likelihood = Some(Arc::new(likelihood));
            return Ok(());
        }
        if family.has_levels() {
            let codes: Vec<u32> = y.iter().map(|level| *level as u32).collect();
            let response = match family.distribution() {
                Distribution::Multinomial => FamilyResponse::of_classes(&codes, weights),
                _ => FamilyResponse::of_levels(&codes, weights, &beside.offset),
            };
            // What it has in place of an intercept is maximised out.
            let likelihood = Likelihood::new(response.map_err(wrong)?, false).map_err(wrong)?;
            self.likelihood = Some(Arc::new(likelihood));
            return Ok(());
        }
        let trials = match &*beside.failures {
            [] => Cow::Borrowed(&*beside.trials),
            failures => Cow::Owned(trials(y, failures).map_err(wrong)?),
        };
        let pairs = || y.iter().zip(trials.iter());
        let shares = pairs().map(|(events, trials)| events / trials).collect();
        let others = pairs().map(|(events, trials)| trials - events).collect();
        self.refuse_copies([
            ("as a share of the trials", shares),
            ("turned round, the trials less the events", others),
        ])?;
        let response = FamilyResponse::new(family, y, &trials, weights, &beside.offset);
        let mut response = response.map_err(wrong)?;
        let mut small = None;
        if let Some(quasi) = dispersion {
            let (value, freedom) = match quasi {
                QuasiDispersion::Given(value) => (value, None),
                QuasiDispersion::Estimated => {
                    let (value, freedom) = self.dispersion_of_all(&response, &trials, table)?;
                    small = (value < 1.0).then(|| {
                        format!(
                            "the dispersion of the model of all candidates is {value:.3}, less than that of the family: 1 \
                             is taken"
                        )
                    });
                    (value.max(1.0), Some(freedom))
                }
            };
            response = response.with_dispersion(value, freedom).map_err(wrong)?;
        }
        let likelihood = Likelihood::new(response, self.intercept).map_err(wrong)?;
        self.warnings.extend(small);
        self.likelihood = Some(Arc::new(likelihood));
        Ok(())
    }

    /// Refuses columns that are the response in other words, each said how: they would always be chosen.
    fn refuse_copies<const N: usize>(
        &self,
        copies: [(&'static str, Vec<f64>); N],
    ) -> Result<(), DesignError> {
        let x = self.columns();
        for (how, mut values) in copies {
            if standardise(&mut values, self.intercept, None).is_none() {
                continue;
            }
            let mut columns = x.local();
            if let Some(j) = columns.find(|j| is_copy(&x.column_once(*j as u32), &values)) {
                return Err(DesignError::ResponseCopied {
                    name: self.variables[j].name.clone(),
                    response: self.response.name.clone(),
                    how,
                });
            }
        }
        Ok(())
    }

    /// Pearson's χ² over its degrees of freedom in the model of all columns, and these.
    fn dispersion_of_all(
        &self,
        response: &FamilyResponse,
        trials: &[f64],
        table: &str,
    ) -> Result<(f64, usize), DesignError> {
        let wrong = |reason| DesignError::Dispersion {
            table: table.to_owned(),
            reason,
        };
        let is_binomial = response.family().distribution() == Distribution::Binomial;
        if is_binomial && trials.iter().all(|trials| *trials <= 1.0) {
            return Err(wrong(DispersionError::OneTrial));
        }
        let (n, columns) = (self.n, self.p());
        let used = response.weights().iter().filter(|weight| **weight > 0.0);
        let used = used.count();
        if self.remote.is_some() {
            return Err(wrong(DispersionError::Shared));
        }
        if columns + 1 >= used {
            return Err(wrong(DispersionError::Wide { n, columns }));
        }
        let x = self.columns();
        let all: Vec<&[f64]> = (0..columns as u32).map(|j| x.column(j)).collect();
        let fit = FamilyFit::of(&all, response, self.intercept, None);
        let fit = fit.ok().filter(|fit| fit.status() == FitStatus::Converged);
        let fit = fit.ok_or_else(|| wrong(DispersionError::NoFit { columns }))?;
        let freedom = used - fit.rank();
        Ok((fit.pearson() / freedom as f64, freedom))
    }

    /// The levels of the strata, as they are numbered.
    pub(crate) fn strata_levels(&self) -> &[String] {
        &self.strata_levels
    }

    /// Of survival times the columns of events, entry times and strata.
    pub(crate) fn survival_columns(&self) -> &[Option<String>; 3] {
        &self.survival_columns
    }

    /// The likelihood that models are fitted by, where it is not least squares.
    pub fn likelihood(&self) -> Option<&Likelihood> {
        self.likelihood.as_deref()
    }
}
