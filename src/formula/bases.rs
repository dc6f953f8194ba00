//! Functions that make columns of one variable: `poly`, `bs`, `ns`, `scale`.

use super::error::Located;
use super::evaluate::{Evaluator, check_amounts};
use super::expression::{Argument, Call, Expression};
use super::fault::Fault;
use super::functions::{Matched, match_arguments};
use super::learnt::Learnt;
use super::polynomial::{evaluate_polynomials, fit_polynomials};
use super::spline::{Knots, b_spline, natural_spline, quantile};
use super::value::{Matrix, Value};
use super::warning::Warning;

/// Names of the arguments that `knots` reads.
const KNOTS: &str = "numbers, as c(10, 20)";

impl<'d> Evaluator<'d> {
    /// `poly(x, degree, raw =)`.
    pub(super) fn polynomial(
        &mut self,
        call: &Call,
        of: &Expression,
    ) -> Result<Value<'d>, Located> {
        let unnamed = call.arguments.iter();
        let unnamed = unnamed.filter(|argument| argument.name.is_none());
        // Behind the first, only the degree stands without a name.
        for Argument { value, .. } in unnamed.skip(1) {
            if self.has_variable(value) {
                return Err(value.span.fault(Fault::SeveralVariables));
            }
        }
        let names = &["x", "degree", "raw", "simple"];
        let matched = match_arguments(call, of.span, names)?;
        let x = matched.require("x")?;
        let values = self.finite_numbers(x)?;
        let degree = self
            .whole_number(&matched, "degree", (1, 100))?
            .unwrap_or(1) as usize;
        if self.flag(&matched, "raw", false)? {
            let powers = 1..=degree as i32;
            let columns = powers.map(|power| values.iter().map(|x| x.powi(power)).collect());
            let columns = columns.collect();
            return Ok(Value::Matrix(Matrix { columns }));
        }
        let learn = || {
            let found = different(&values);
            if found <= degree {
                return Err(of.span.fault(Fault::FewValues {
                    expression: x.to_string(),
                    found,
                    needed: degree + 1,
                }));
            }
            let (centers, squared_norms) = fit_polynomials(&values, degree);
            check_amounts(&squared_norms, of)?;
            Ok(Learnt::Polynomial {
                centers,
                squared_norms,
            })
        };
        let (centers, squared_norms) = self.learn(of, learn, |learnt| match learnt {
            Learnt::Polynomial {
                centers,
                squared_norms,
            } if centers.len() == degree && squared_norms.len() == degree + 1 => {
                Some((centers, squared_norms))
            }
            _ => None,
        })?;
        let columns = evaluate_polynomials(&values, &centers, &squared_norms);
        Ok(Value::Matrix(Matrix { columns }))
    }

    /// `bs(x, df =, knots =, degree =, intercept =, Boundary.knots =)`.
    pub(super) fn b_spline(&mut self, call: &Call, of: &Expression) -> Result<Value<'d>, Located> {
        let names = &["x", "df", "knots", "degree", "intercept", "Boundary.knots"];
        let matched = match_arguments(call, of.span, names)?;
        let x = matched.require("x")?;
        let values = self.finite_numbers(x)?;
        let degree = self
            .whole_number(&matched, "degree", (1, 100))?
            .unwrap_or(3) as usize;
        let intercept = self.flag(&matched, "intercept", false)?;
        let least = degree + usize::from(intercept);
        let (inner, boundary) = self.knots(&matched, of, &values, least)?;
        let knots = Knots::new(&inner, boundary, degree + 1);
        let is_outside = |x: &f64| *x < boundary.0 || *x > boundary.1;
        if let Some(first) = values.iter().position(is_outside) {
            self.warnings.push(Warning::BeyondBoundary {
                expression: of.to_string(),
                count: values.iter().filter(|x| is_outside(x)).count(),
                first_row: first + 1,
            });
        }
        let columns = b_spline(&values, &knots, intercept);
        Ok(Value::Matrix(Matrix { columns }))
    }

    /// `ns(x, df =, knots =, intercept =, Boundary.knots =)`.
    pub(super) fn natural_spline(
        &mut self,
        call: &Call,
        of: &Expression,
    ) -> Result<Value<'d>, Located> {
        let names = &["x", "df", "knots", "intercept", "Boundary.knots"];
        let matched = match_arguments(call, of.span, names)?;
        let x = matched.require("x")?;
        let values = self.finite_numbers(x)?;
        let intercept = self.flag(&matched, "intercept", false)?;
        let least = 1 + usize::from(intercept);
        let (inner, boundary) = self.knots(&matched, of, &values, least)?;
        let knots = Knots::new(&inner, boundary, 4);
        let columns = natural_spline(&values, &knots, intercept);
        Ok(Value::Matrix(Matrix { columns }))
    }

    /// The inner knots, ascending, and the boundary knots. `least` degrees of freedom have no inner
    /// knots.
    fn knots(
        &mut self,
        matched: &Matched,
        of: &Expression,
        values: &[f64],
        least: usize,
    ) -> Result<(Vec<f64>, (f64, f64)), Located> {
        let freedom = self.whole_number(matched, "df", (1, 1000))?;
        let given = self.number_list(matched, "knots", KNOTS)?;
        let boundary = self.number_list(matched, "Boundary.knots", KNOTS)?;
        let function = || matched.function.to_owned();
        let learn = || {
            let (lower, upper) = match boundary.as_deref() {
                None => range(values),
                Some(&[one, other]) => (one.min(other), one.max(other)),
                Some(_) => return Err(matched.refuse("Boundary.knots", "two numbers")),
            };
            if lower == upper {
                let (found, needed) = (1, 2);
                let x = matched.require("x")?;
                return Err(of.span.fault(Fault::FewValues {
                    expression: x.to_string(),
                    found,
                    needed,
                }));
            }
            let knots = match (given, freedom) {
                (Some(mut knots), _) => {
                    knots.sort_by(f64::total_cmp);
                    knots
                }
                (None, None) => Vec::new(),
                (None, Some(freedom)) => {
                    let found = freedom as usize;
                    let Some(count) = found.checked_sub(least) else {
                        let function = function();
                        return Err(of.span.fault(Fault::DegreesOfFreedom {
                            function,
                            found,
                            least,
                        }));
                    };
                    let inside = values.iter().copied();
                    let inside = inside.filter(|x| (lower..=upper).contains(x));
                    quantiles(inside.collect(), count)
                }
            };
            let outside = knots
                .iter()
                .find(|knot| !(lower < **knot && **knot < upper));
            if let Some(&knot) = outside {
                let function = function();
                return Err(of.span.fault(Fault::KnotOutside {
                    function,
                    knot,
                    lower,
                    upper,
                }));
            }
            if !(upper - lower).is_finite() {
                return Err(matched.refuse("Boundary.knots", "finite numbers"));
            }
            Ok(Learnt::Spline {
                knots,
                lower,
                upper,
            })
        };
        self.learn(of, learn, |learnt| match learnt {
            Learnt::Spline {
                knots,
                lower,
                upper,
            } if lower < upper && knots.iter().all(|knot| lower < *knot && *knot < upper) => {
                Some((knots, (lower, upper)))
            }
            _ => None,
        })
    }

    /// `scale(x, center =, scale =)`.
    pub(super) fn scaled(&mut self, call: &Call, of: &Expression) -> Result<Value<'d>, Located> {
        let matched = match_arguments(call, of.span, &["x", "center", "scale"])?;
        let values = self.finite_numbers(matched.require("x")?)?;
        let center = self.amount(&matched, "center")?;
        let scale = self.amount(&matched, "scale")?;
        let learn = || {
            let count = values.len() as f64;
            let center = match center {
                Amount::Found => values.iter().sum::<f64>() / count,
                Amount::Given(center) => center,
                Amount::None => 0.0,
            };
            let scale = match scale {
                Amount::Found => {
                    let squares = values.iter().map(|x| (x - center) * (x - center));
                    (squares.sum::<f64>() / (count - 1.0).max(1.0)).sqrt()
                }
                Amount::Given(scale) => scale,
                Amount::None => 1.0,
            };
            match center.is_finite() && scale.is_finite() && scale != 0.0 {
                true => Ok(Learnt::Scale { center, scale }),
                false => Err(matched.refuse("x", "of finite size and not constant")),
            }
        };
        let (center, scale) = self.learn(of, learn, |learnt| match learnt {
            Learnt::Scale { center, scale } => Some((center, scale)),
            _ => None,
        })?;
        let values = values.iter().map(|x| (x - center) / scale);
        Ok(Value::Numbers(values.collect::<Vec<_>>().into()))
    }

    fn amount(&mut self, matched: &Matched, argument: &'static str) -> Result<Amount, Located> {
        let Some(expression) = matched.get(argument) else {
            return Ok(Amount::Found);
        };
        match self.value(expression)? {
            Value::Logicals(values) if values.len() == 1 => Ok(match values[0] != 0.0 {
                true => Amount::Found,
                false => Amount::None,
            }),
            Value::Numbers(values) if values.len() == 1 && values[0].is_finite() => {
                Ok(Amount::Given(values[0]))
            }
            _ => Err(matched.refuse(argument, "TRUE, FALSE or a number")),
        }
    }
}

/// What `scale()` subtracts or divides by.
enum Amount {
    None,
    Given(f64),
    Found,
}

/// How many different values there are.
fn different(values: &[f64]) -> usize {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values.len()
}

pub(super) fn range(values: &[f64]) -> (f64, f64) {
    values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(*x), high.max(*x))
        })
}

/// So many quantiles that divide values into equally many each.
fn quantiles(mut values: Vec<f64>, count: usize) -> Vec<f64> {
    if values.is_empty() {
        return Vec::new();
    }
    values.sort_by(f64::total_cmp);
    let parts = (count + 1) as f64;
    let quantiles = (1..=count).map(|part| quantile(&values, part as f64 / parts));
    quantiles.collect()
}
