//! A method by its name and parameters, and the contract's scores as passel's.

use passel_abi as abi;

use super::{Method, MethodError, PASS, PairMethod, Plugins, error::Slip};
use crate::{
    nearest::nearest,
    score::{
        Against, Combination, Gather, Join, Measure, Part, Quantity, REACH, Score, ScoreError, Term,
    },
    spec::parse_spec,
};

/// A method with its parameters settled.
#[derive(Debug, Clone, PartialEq)]
pub struct Declared {
    /// Its name.
    pub name: String,
    /// All its parameters with their values, those not given too.
    pub parameters: Vec<(String, f64)>,
    /// The plugin it is of.
    pub plugin: String,
    /// What it scores by.
    pub score: Score,
}

impl Plugins {
    /// The method that a text asks for: `jmi`, `mifs:beta=0.5`. ([`PASS`] is not a plugin's,
    /// but told where a name resembles it.)
    ///
    /// # Errors
    /// An unknown name or parameter, a value outside its range (NaN included), or what the
    /// plugin says against these values.
    pub fn method(&self, text: &str) -> Result<Declared, MethodError> {
        let parsed = parse_spec(text).filter(|(name, _)| !name.is_empty());
        let (name, given) = parsed.ok_or_else(|| MethodError::Form {
            text: text.to_owned(),
        })?;
        if let (PASS, Some((parameter, _))) = (name, given.first()) {
            return Err(MethodError::UnknownParameter {
                method: PASS.to_owned(),
                parameter: parameter.clone(),
                known: Vec::new(),
                nearest: None,
            });
        }
        let method = self.methods().find(|it| it.name == name);
        let method = method.ok_or_else(|| {
            let known = self.methods().map(|it| it.name.as_str());
            unknown("method", name, known.chain([PASS]))
        })?;
        method.declared(&given)
    }

    /// The pair score of that name.
    ///
    /// # Errors
    /// An unknown name.
    pub fn pair_score(&self, name: &str) -> Result<&PairMethod, MethodError> {
        let name = name.trim();
        let known = || self.pair_scores().map(|it| it.name.as_str());
        let found = self.pair_scores().find(|it| it.name == name);
        found.ok_or_else(|| unknown("pair score", name, known()))
    }
}

fn unknown<'a>(
    what: &'static str,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> MethodError {
    MethodError::UnknownName {
        what,
        name: name.to_owned(),
        nearest: nearest(name, known).map(str::to_owned),
    }
}

impl Method {
    /// This method, with parameters by name and defaults for the rest.
    fn declared(&self, given: &[(String, f64)]) -> Result<Declared, MethodError> {
        let mut values: Vec<f64> = self.parameters.iter().map(|it| it.default).collect();
        for (name, value) in given {
            let at = self.parameters.iter().position(|it| it.name == *name);
            let at = at.ok_or_else(|| {
                let known: Vec<String> = self.parameters.iter().map(|it| it.name.clone()).collect();
                let near = nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
                MethodError::UnknownParameter {
                    method: self.name.clone(),
                    parameter: name.clone(),
                    nearest: near,
                    known,
                }
            })?;
            let parameter = &self.parameters[at];
            if !(parameter.least..=parameter.most).contains(value) {
                return Err(MethodError::OutOfRange {
                    method: self.name.clone(),
                    parameter: name.clone(),
                    value: *value,
                    least: parameter.least,
                    most: parameter.most,
                });
            }
            values[at] = *value;
        }
        let score = self.declare.score(&values);
        let names = self.parameters.iter().map(|it| it.name.clone());
        Ok(Declared {
            name: self.name.clone(),
            parameters: names.zip(values).collect(),
            plugin: self.plugin.clone(),
            score: score.map_err(|slip| MethodError::Declare {
                method: self.name.clone(),
                plugin: self.plugin.clone(),
                slip,
            })?,
        })
    }
}

/// A score that a plugin filled in, if it is one.
pub(super) fn score(it: &abi::passel_score, room: &[abi::passel_term]) -> Result<Score, Slip> {
    let count = it.term_count;
    let filled = room.get(..count).ok_or(ScoreError::Terms { count })?;
    let terms = filled.iter().map(|it| {
        Ok(Term {
            weight: it.weight,
            quantity: quantity(&it.quantity)?,
            part: constant("part", it.part, &[Part::Whole, Part::BelowZero])?,
        })
    });
    let gather = [Gather::Sum, Gather::Mean, Gather::Minimum, Gather::Last];
    let join = [Join::Added, Join::Alone, Join::Least];
    let score = Score {
        measure: Measure::Declared {
            relevance: quantity(&it.relevance)?,
            terms: terms.collect::<Result<_, Slip>>()?,
        },
        gather: constant("gather", it.gather, &gather)?,
        join: constant("join", it.join, &join)?,
        against: constant("against", it.against, &[Against::Last, Against::Joint])?,
        ends_at_zero: constant("ends_at_zero", it.ends_at_zero, &[false, true])?,
    };
    Ok(score.checked()?)
}

/// The contract's constants count from 0, in this order.
fn constant<T: Copy>(member: &'static str, value: u32, meanings: &[T]) -> Result<T, Slip> {
    let meaning = usize::try_from(value).ok().and_then(|at| meanings.get(at));
    meaning.copied().ok_or(Slip::Constant { member, value })
}

/// A quantity, if fixed-point sums have room for it.
pub(super) fn quantity(it: &abi::passel_quantity) -> Result<Quantity, ScoreError> {
    let (over, under) = (combination(&it.over)?, combination(&it.under)?);
    let reach = over.reach().max(under.reach());
    match reach > REACH {
        true => Err(ScoreError::Reach { reach }),
        false => Ok(Quantity {
            over,
            under: (!under.is_zero()).then_some(under),
        }),
    }
}

/// Refuses here what would overflow where integers are summed.
fn combination(it: &abi::passel_combination) -> Result<Combination, ScoreError> {
    let combination = Combination::of(it.n, it.x, it.w, it.y, it.xw, it.xy, it.wy, it.xwy);
    let integers = combination.integers().into_iter();
    match integers.map(i32::unsigned_abs).find(|it| *it > REACH) {
        Some(reach) => Err(ScoreError::Reach { reach }),
        None => Ok(combination),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constants_of_the_contract_are_in_the_order_they_are_read() {
        let parts = [abi::PASSEL_PART_WHOLE, abi::PASSEL_PART_BELOW_ZERO];
        let gathers = [
            abi::PASSEL_GATHER_SUM,
            abi::PASSEL_GATHER_MEAN,
            abi::PASSEL_GATHER_MINIMUM,
            abi::PASSEL_GATHER_LAST,
        ];
        let joins = [
            abi::PASSEL_JOIN_ADDED,
            abi::PASSEL_JOIN_ALONE,
            abi::PASSEL_JOIN_LEAST,
        ];
        let against = [abi::PASSEL_AGAINST_LAST, abi::PASSEL_AGAINST_JOINT];
        assert_eq!((parts, gathers), ([0, 1], [0, 1, 2, 3]));
        assert_eq!((joins, against), ([0, 1, 2], [0, 1]));
    }
}
