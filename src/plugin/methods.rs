//! A method by its name and parameters, and the contract's scores as passel's.

use std::sync::Arc;

use passel_abi as abi;
use passel_criteria::Criterion;

use super::{
    About, Method, MethodError, PASS, PairMethod, Plugin, PluginCriterion, Plugins, Way,
    calls::Function, error::Slip, read,
};
use crate::{
    nearest::nearest,
    score::{
        Against, Coded, Combination, Gather, Join, Measure, PairScore, Part, Quantity, REACH,
        Score, ScoreError, Term,
    },
    selector::Procedure,
    spec::parse_spec,
};

/// A method with its parameters settled.
#[derive(Debug, Clone)]
pub struct Settled<T> {
    /// Its name.
    pub name: String,
    /// All its parameters with their values, those not given too.
    pub parameters: Vec<(String, f64)>,
    /// The plugin it is of.
    pub plugin: String,
    /// What it chooses or scores by.
    pub by: T,
}

/// How a selector chooses.
#[derive(Debug, Clone)]
pub enum Chooser {
    /// One by one, by a score.
    Score(Score),
    /// By itself, over levels.
    Ranks(Arc<dyn Procedure>),
    /// By itself, over a linear regression.
    Regresses(Arc<dyn Procedure>),
}

/// What a pair score is made of.
#[derive(Debug, Clone)]
pub(super) enum PairWay {
    Declared(Quantity),
    Coded(Function),
}

impl Plugins {
    /// The method that a text asks for: `jmi`, `mifs:beta=0.5`. ([`PASS`] is not a plugin's,
    /// but told where a name resembles it.)
    ///
    /// # Errors
    /// An unknown name or parameter, a value outside its range (NaN included), or what the
    /// plugin says against these values.
    pub fn method(&self, text: &str) -> Result<Settled<Chooser>, MethodError> {
        let (name, given) = asked(text)?;
        if let (PASS, Some((parameter, _))) = (name, given.first()) {
            return Err(MethodError::UnknownParameter {
                what: "method",
                method: PASS.to_owned(),
                parameter: parameter.clone(),
                known: Vec::new(),
                nearest: None,
            });
        }
        let method = self.methods().find(|it| it.about.name == name);
        let method = method.ok_or_else(|| {
            let known = self.methods().map(|it| it.about.name.as_str());
            unknown("method", name, known.chain([PASS]))
        })?;
        method
            .about
            .settled("method", &given, |values| method.chooser(values))
    }

    /// The pair score that a text asks for.
    ///
    /// # Errors
    /// As of [`Plugins::method`].
    pub fn pair_score(&self, text: &str) -> Result<Settled<PairScore>, MethodError> {
        let (name, given) = asked(text)?;
        let known = || self.pair_scores().map(|it| it.about.name.as_str());
        let found = self.pair_scores().find(|it| it.about.name == name);
        let pair = found.ok_or_else(|| unknown("pair score", name, known()))?;
        pair.about
            .settled("pair score", &given, |values| Ok(pair.score(values)))
    }

    /// The criterion of a plugin that a text asks for. (passel's own are told where a name
    /// resembles one.)
    ///
    /// # Errors
    /// As of [`Plugins::method`].
    pub fn criterion(&self, text: &str) -> Result<Settled<Arc<dyn Criterion>>, MethodError> {
        let (name, given) = asked(text)?;
        let found = self.criteria().find(|it| it.about.name == name);
        let criterion = found.ok_or_else(|| {
            let known = self.criteria().map(|it| it.about.name.as_str());
            let own = passel_criteria::ALL.iter().map(|it| it.name);
            unknown("criterion", name, known.chain(own))
        })?;
        criterion
            .about
            .settled("criterion", &given, |values| criterion.criterion(values))
    }
}

impl Plugin {
    /// The functions of tables that it brings, by the name of their method, at its defaults.
    pub fn functions(&self) -> Vec<(&str, Coded)> {
        let mut functions = Vec::new();
        for it in &self.methods {
            let chooser = it.chooser(&it.about.defaults());
            if let Ok(Chooser::Score(score)) = chooser
                && let Some(coded) = score.coded()
            {
                functions.push((&*it.about.name, coded.clone()));
            }
        }
        for it in &self.pair_scores {
            if let PairScore::Coded(coded) = it.score(&it.about.defaults()) {
                functions.push((&*it.about.name, coded));
            }
        }
        functions
    }
}

/// Parameters given, by name.
type Given = Vec<(String, f64)>;

/// The name and the parameters of a text.
fn asked(text: &str) -> Result<(&str, Given), MethodError> {
    let parsed = parse_spec(text).filter(|(name, _)| !name.is_empty());
    parsed.ok_or_else(|| MethodError::Form {
        text: text.to_owned(),
    })
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

impl About {
    /// The values where none are given.
    pub(super) fn defaults(&self) -> Vec<f64> {
        self.parameters.iter().map(|it| it.default).collect()
    }

    /// This method, with parameters by name and defaults for the rest.
    fn settled<T>(
        &self,
        what: &'static str,
        given: &[(String, f64)],
        by: impl FnOnce(&[f64]) -> Result<T, Slip>,
    ) -> Result<Settled<T>, MethodError> {
        let mut values = self.defaults();
        for (at, (name, value)) in given.iter().enumerate() {
            if given[..at].iter().any(|it| it.0 == *name) {
                return Err(MethodError::Twice {
                    what,
                    method: self.name.clone(),
                    parameter: name.clone(),
                });
            }
            let at = self.parameters.iter().position(|it| it.name == *name);
            let at = at.ok_or_else(|| {
                let known: Vec<String> = self.parameters.iter().map(|it| it.name.clone()).collect();
                let near = nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
                MethodError::UnknownParameter {
                    what,
                    method: self.name.clone(),
                    parameter: name.clone(),
                    nearest: near,
                    known,
                }
            })?;
            let parameter = &self.parameters[at];
            if !(parameter.least..=parameter.most).contains(value) {
                return Err(MethodError::OutOfRange {
                    what,
                    method: self.name.clone(),
                    parameter: name.clone(),
                    value: *value,
                    least: parameter.least,
                    most: parameter.most,
                });
            }
            values[at] = *value;
        }
        let by = by(&values).map_err(|slip| MethodError::Declare {
            what,
            method: self.name.clone(),
            plugin: self.plugin.clone(),
            slip,
        })?;
        let names = self.parameters.iter().map(|it| it.name.clone());
        Ok(Settled {
            name: self.name.clone(),
            parameters: names.zip(values).collect(),
            plugin: self.plugin.clone(),
            by,
        })
    }
}

impl Method {
    fn chooser(&self, values: &[f64]) -> Result<Chooser, Slip> {
        Ok(match &self.way {
            Way::Declares(declare) => Chooser::Score(declare.score(values)?),
            Way::Ranks(run) => Chooser::Ranks(Arc::new(run.with(values))),
            Way::Regresses(run) => Chooser::Regresses(Arc::new(run.with(values))),
        })
    }
}

impl PairMethod {
    fn score(&self, values: &[f64]) -> PairScore {
        match &self.way {
            PairWay::Declared(quantity) => PairScore::Declared(*quantity),
            PairWay::Coded(function) => PairScore::Coded(Coded(Arc::new(function.with(values)))),
        }
    }
}

impl PluginCriterion {
    fn criterion(&self, values: &[f64]) -> Result<Arc<dyn Criterion>, Slip> {
        Ok(Arc::new(self.value.with(values).looked_at()?))
    }
}

/// A score that a plugin filled in for a method and these parameters, if it is one.
pub(super) fn score(
    name: &Arc<str>,
    it: &abi::passel_score,
    room: &[abi::passel_term],
    values: &[f64],
) -> Result<Score, Slip> {
    let count = it.term_count;
    let filled = room.get(..count).ok_or(ScoreError::Terms { count })?;
    let terms = filled.iter().map(|it| {
        Ok(Term {
            weight: it.weight,
            quantity: quantity(&it.quantity)?,
            part: constant("part", it.part, &[Part::Whole, Part::BelowZero])?,
        })
    });
    let measure = match it.function.is_null() {
        true => Measure::Declared {
            relevance: quantity(&it.relevance)?,
            terms: terms.collect::<Result<_, Slip>>()?,
        },
        false => Measure::Coded(Coded(Arc::new(read::function_of(name, it, values)?))),
    };
    let ends = constant("ends", it.ends, &[false, true])?;
    if ends && !it.floor.is_finite() {
        return Err(Slip::Floor { floor: it.floor });
    }
    let gather = [Gather::Sum, Gather::Mean, Gather::Minimum, Gather::Last];
    let join = [Join::Added, Join::Alone, Join::Least, Join::Guarded];
    let against = [Against::Last, Against::Joint, Against::Pairs];
    let score = Score {
        measure,
        gather: constant("gather", it.gather, &gather)?,
        join: constant("join", it.join, &join)?,
        against: constant("against", it.against, &against)?,
        floor: ends.then_some(it.floor),
    };
    Ok(score.checked()?)
}

/// A quantity of two variables alike.
pub(super) fn pair_quantity(it: &abi::passel_quantity) -> Result<Quantity, Slip> {
    let quantity = quantity(it)?;
    quantity.balanced()?;
    let combinations = [quantity.over, quantity.under.unwrap_or_default()];
    match combinations.iter().any(|it| (it.x, it.xy) != (it.w, it.wy)) {
        true => Err(Slip::Lopsided),
        false => Ok(quantity),
    }
}

/// The contract's constants count from 0, in this order.
fn constant<T: Copy>(member: &'static str, value: u32, meanings: &[T]) -> Result<T, Slip> {
    let meaning = usize::try_from(value).ok().and_then(|at| meanings.get(at));
    meaning.copied().ok_or(Slip::Constant { member, value })
}

/// A quantity, if fixed-point sums have room for it.
fn quantity(it: &abi::passel_quantity) -> Result<Quantity, ScoreError> {
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
            abi::PASSEL_JOIN_GUARDED,
        ];
        let against = [
            abi::PASSEL_AGAINST_LAST,
            abi::PASSEL_AGAINST_JOINT,
            abi::PASSEL_AGAINST_PAIRS,
        ];
        assert_eq!((parts, gathers), ([0, 1], [0, 1, 2, 3]));
        assert_eq!((joins, against), ([0, 1, 2, 3], [0, 1, 2]));
    }
}
