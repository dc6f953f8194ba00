//! A method by its name and parameters, and the contract's scores as passel's.

use std::sync::Arc;

use passel_abi as abi;
use passel_criteria::Criterion;

use super::{
    MethodError, MethodInfo, PASS, Plugin, PluginCriterion, PluginMethod, PluginPairScore, Plugins,
    Way, calls::Function, error::ContractError, read,
};
use crate::{
    nearest::nearest,
    score::{
        Against, Combination, Gather, Join, Measure, PairScore, Part, Quantity, REACH, Score,
        ScoreError, ScoreFunction, Term,
    },
    selector::Procedure,
    spec::parse_spec,
};

/// A method that was asked for by name, with a value for each of its parameters.
#[derive(Debug, Clone)]
pub struct ResolvedMethod<T> {
    /// Its name.
    pub name: String,
    /// Every parameter with its value; defaults where none was given.
    pub parameters: Vec<(String, f64)>,
    /// The plugin that brings it.
    pub plugin: String,
    /// What was resolved: a [`MethodKind`], a [`PairScore`] or a criterion.
    pub value: T,
}

/// The kind of a selection method, with what runs it.
#[derive(Debug, Clone)]
pub enum MethodKind {
    /// Greedy forward selection by a declared score.
    Score(Score),
    /// A procedure of a plugin that ranks variables by their levels.
    Ranking(Arc<dyn Procedure>),
    /// A procedure of a plugin that chooses the model of a linear regression.
    Regression(Arc<dyn Procedure>),
}

/// What a pair score is made of.
#[derive(Debug, Clone)]
pub(super) enum PairWay {
    Declared(Quantity),
    Function(Function),
}

impl Plugins {
    /// The method that a text asks for: `jmi`, `mifs:beta=0.5`. ([`PASS`] is not a plugin's,
    /// but told where a name resembles it.)
    ///
    /// # Errors
    /// An unknown name or parameter, a value outside its range (NaN included), or what the
    /// plugin says against these values.
    pub fn method(&self, text: &str) -> Result<ResolvedMethod<MethodKind>, MethodError> {
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
        let method = self.methods().find(|it| it.info.name == name);
        let method = method.ok_or_else(|| {
            let known = self.methods().map(|it| it.info.name.as_str());
            unknown("method", name, known.chain([PASS]))
        })?;
        method
            .info
            .settled("method", &given, |values| method.chooser(values))
    }

    /// The pair score that a text asks for.
    ///
    /// # Errors
    /// As of [`Plugins::method`].
    pub fn pair_score(&self, text: &str) -> Result<ResolvedMethod<PairScore>, MethodError> {
        let (name, given) = asked(text)?;
        let known = || self.pair_scores().map(|it| it.info.name.as_str());
        let found = self.pair_scores().find(|it| it.info.name == name);
        let pair = found.ok_or_else(|| unknown("pair score", name, known()))?;
        pair.info
            .settled("pair score", &given, |values| Ok(pair.score(values)))
    }

    /// The criterion of a plugin that a text asks for. (passel's own are told where a name
    /// resembles one.)
    ///
    /// # Errors
    /// As of [`Plugins::method`].
    pub fn criterion(&self, text: &str) -> Result<ResolvedMethod<Arc<dyn Criterion>>, MethodError> {
        let (name, given) = asked(text)?;
        let found = self.criteria().find(|it| it.info.name == name);
        let criterion = found.ok_or_else(|| {
            let known = self.criteria().map(|it| it.info.name.as_str());
            let own = passel_criteria::ALL.iter().map(|it| it.name);
            unknown("criterion", name, known.chain(own))
        })?;
        criterion
            .info
            .settled("criterion", &given, |values| criterion.criterion(values))
    }
}

impl Plugin {
    /// The functions of tables that it brings, by the name of their method, at its defaults.
    pub fn functions(&self) -> Vec<(&str, ScoreFunction)> {
        let mut functions = Vec::new();
        for it in &self.methods {
            let chooser = it.chooser(&it.info.defaults());
            if let Ok(MethodKind::Score(score)) = chooser
                && let Some(coded) = score.function()
            {
                functions.push((&*it.info.name, coded.clone()));
            }
        }
        for it in &self.pair_scores {
            if let PairScore::Function(coded) = it.score(&it.info.defaults()) {
                functions.push((&*it.info.name, coded));
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

impl MethodInfo {
    /// The values where none are given.
    pub(super) fn defaults(&self) -> Vec<f64> {
        self.parameters.iter().map(|it| it.default).collect()
    }

    /// This method, with parameters by name and defaults for the rest.
    fn settled<T>(
        &self,
        what: &'static str,
        given: &[(String, f64)],
        resolve: impl FnOnce(&[f64]) -> Result<T, ContractError>,
    ) -> Result<ResolvedMethod<T>, MethodError> {
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
        let value = resolve(&values).map_err(|violation| MethodError::Declare {
            what,
            method: self.name.clone(),
            plugin: self.plugin.clone(),
            violation,
        })?;
        let names = self.parameters.iter().map(|it| it.name.clone());
        Ok(ResolvedMethod {
            name: self.name.clone(),
            parameters: names.zip(values).collect(),
            plugin: self.plugin.clone(),
            value,
        })
    }
}

impl PluginMethod {
    fn chooser(&self, values: &[f64]) -> Result<MethodKind, ContractError> {
        Ok(match &self.way {
            Way::Declares(declare) => MethodKind::Score(declare.score(values)?),
            Way::Ranks(run) => MethodKind::Ranking(Arc::new(run.with(values))),
            Way::Regresses(run) => MethodKind::Regression(Arc::new(run.with(values))),
        })
    }
}

impl PluginPairScore {
    fn score(&self, values: &[f64]) -> PairScore {
        match &self.way {
            PairWay::Declared(quantity) => PairScore::Declared(*quantity),
            PairWay::Function(function) => {
                PairScore::Function(ScoreFunction(Arc::new(function.with(values))))
            }
        }
    }
}

impl PluginCriterion {
    fn criterion(&self, values: &[f64]) -> Result<Arc<dyn Criterion>, ContractError> {
        Ok(Arc::new(self.value.with(values).looked_at()?))
    }
}

/// A score that a plugin filled in for a method and these parameters, if it is one.
pub(super) fn score(
    name: &Arc<str>,
    it: &abi::passel_score,
    room: &[abi::passel_term],
    values: &[f64],
) -> Result<Score, ContractError> {
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
            terms: terms.collect::<Result<_, ContractError>>()?,
        },
        false => Measure::Function(ScoreFunction(Arc::new(read::function_of(
            name, it, values,
        )?))),
    };
    let ends = constant("ends", it.ends, &[false, true])?;
    if ends && !it.floor.is_finite() {
        return Err(ContractError::Floor { floor: it.floor });
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
pub(super) fn pair_quantity(it: &abi::passel_quantity) -> Result<Quantity, ContractError> {
    let quantity = quantity(it)?;
    quantity.balanced()?;
    let combinations = [quantity.over, quantity.under.unwrap_or_default()];
    match combinations.iter().any(|it| (it.x, it.xy) != (it.w, it.wy)) {
        true => Err(ContractError::Lopsided),
        false => Ok(quantity),
    }
}

/// The contract's constants count from 0, in this order.
fn constant<T: Copy>(member: &'static str, value: u32, meanings: &[T]) -> Result<T, ContractError> {
    let meaning = usize::try_from(value).ok().and_then(|at| meanings.get(at));
    meaning
        .copied()
        .ok_or(ContractError::Constant { member, value })
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
