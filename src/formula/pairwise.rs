//! Formulas with more interactions of two variables than are made at once: `(a + b + …)^2` or `(.)^2` as one of the
//! summands. They are written anew with some of the pairs, which are terms like any others then.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::Formula;
use super::error::{FormulaError, Located, Span};
use super::expand::{Expander, MAX_TERMS, expand};
use super::expression::{Expression, Kind, Operand};
use super::operator::Operator;
use super::terms::Terms;

/// A formula of which one summand is the square of a sum of variables.
#[derive(Debug, Clone)]
pub(crate) struct Pairwise {
    formula: Formula,
    /// What the formula sums up.
    summands: Vec<Operand>,
    /// Which of these is the square.
    square: usize,
    /// The variables of the sum, and their numbers by their labels.
    variables: Vec<Expression>,
    numbers: HashMap<String, usize>,
    /// The names of the data that these need, and those that the sum leaves out.
    used: Vec<String>,
    /// The terms without the pairs, by their labels.
    singles: HashMap<String, usize>,
    /// Pairs that are singles, or that the formula takes out again.
    others: HashSet<(usize, usize)>,
}

/// A term of such a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum PairwiseTerm {
    /// A term without the pairs, by its place among these.
    Single(usize),
    /// A pair of variables of the sum, ascending.
    Pair(usize, usize),
}

impl Formula {
    /// The formula with the pairs of its square left aside, if one of its summands is such.
    ///
    /// # Errors
    /// What is wrong with the rest of it.
    pub(crate) fn pairwise(&self, names: &[&str]) -> Result<Option<Pairwise>, FormulaError> {
        let located = |located: Located| located.in_text(&self.text);
        let summands = self.summands();
        let added = summands
            .iter()
            .enumerate()
            .filter(|own| own.1.0 != Operator::Minus);
        let mut squares = added.filter_map(|(place, own)| Some((place, own.1.squared()?)));
        let (Some((square, base)), None) = (squares.next(), squares.next()) else {
            return Ok(None);
        };
        let mut expander = Expander::new(names, self.response.as_ref()).map_err(located)?;
        expander.number_all(base, true);
        let terms = expander.terms(base, true).map_err(located)?;
        let is_plain = expander.leaves_rest(base).map_err(located)?;
        if !is_plain || terms.len() > MAX_TERMS || terms.iter().any(|term| term.len() != 1) {
            return Ok(None);
        }
        let own = terms
            .iter()
            .map(|term| &expander.variables[term[0] as usize]);
        let numbers = own.clone().zip(0..);
        let mut pairwise = Pairwise {
            formula: self.clone(),
            variables: own.map(|variable| variable.expression.clone()).collect(),
            numbers: numbers
                .map(|(variable, number)| (variable.label.clone(), number))
                .collect(),
            used: expander
                .used
                .iter()
                .map(|name| (*name).to_owned())
                .collect(),
            singles: HashMap::new(),
            others: HashSet::new(),
            square,
            summands: summands.clone(),
        };
        let terms = expand(&pairwise.with_pairs(&[]), names).map_err(located)?;
        // Of these the coding and the parents depend on which pairs there are.
        if (0..terms.len()).any(|term| terms.degree(term) > 2) {
            return Ok(None);
        }
        pairwise.singles = terms.labels().zip(0..).collect();
        let is_pair = |term: usize| pairwise.pair(&terms, term);
        pairwise.others = (0..terms.len()).filter_map(is_pair).collect();
        let later = summands[square + 1..].iter();
        for (_, taken) in later.filter(|own| own.0 == Operator::Minus) {
            expander.number_all(taken, false);
            for term in expander.terms(taken, false).map_err(located)? {
                let numbers = term.iter().map(|variable| {
                    let label = &expander.variables[*variable as usize].label;
                    pairwise.numbers.get(label).copied()
                });
                if let [Some(one), Some(other)] = numbers.collect::<Vec<_>>()[..] {
                    pairwise.others.insert((one.min(other), one.max(other)));
                }
            }
        }
        Ok(Some(pairwise))
    }

    fn summands(&self) -> Vec<Operand> {
        match &self.terms.kind {
            Kind::Chain { first, rest }
                if matches!(rest[..], [(Operator::Plus | Operator::Minus, _), ..]) =>
            {
                let first = (Operator::Plus, (**first).clone());
                std::iter::once(first).chain(rest.iter().cloned()).collect()
            }
            _ => vec![(Operator::Plus, self.terms.clone())],
        }
    }
}

impl Expander<'_> {
    /// Whether an expression says nothing of intercept and offsets.
    fn leaves_rest(&mut self, expression: &Expression) -> Result<bool, Located> {
        for has_intercept in [false, true] {
            self.has_intercept = has_intercept;
            self.terms(expression, true)?;
            if self.has_intercept != has_intercept {
                return Ok(false);
            }
        }
        Ok(self.offsets.is_empty())
    }
}

impl Expression {
    /// What this is the square of.
    fn squared(&self) -> Option<&Self> {
        match &self.without_parentheses().kind {
            Kind::Power(base, exponent) => match exponent.without_parentheses().kind {
                Kind::Number { value: 2.0, .. } => Some(base),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The sum of operands, of which the first is added.
fn sum(mut operands: impl Iterator<Item = Operand>, span: Span) -> Expression {
    let kind = match operands.next() {
        Some((_, first)) => Kind::Chain {
            first: Box::new(first),
            rest: operands.collect(),
        },
        None => Kind::Null,
    };
    Expression { kind, span }
}

impl Pairwise {
    /// The formula as it was given.
    pub(crate) fn whole(&self) -> &Formula {
        &self.formula
    }

    /// How many variables may interact.
    pub(crate) fn variable_count(&self) -> usize {
        self.variables.len()
    }

    /// How many terms the formula has.
    pub(crate) fn term_count(&self) -> usize {
        let count = self.variables.len();
        self.singles.len() + count * count.saturating_sub(1) / 2 - self.others.len()
    }

    /// Whether two variables, ascending, have an interaction that is made by the square alone.
    pub(crate) fn has_pair(&self, pair: (usize, usize)) -> bool {
        !self.others.contains(&pair)
    }

    /// The names of the data that its variables need.
    pub(crate) fn used(&self) -> &[String] {
        &self.used
    }

    /// The formula with the variables and some of their pairs in place of the square.
    pub(crate) fn with_pairs(&self, pairs: &[(usize, usize)]) -> Formula {
        let span = self.summands[self.square].1.span;
        let variable = |number: &usize| self.variables[*number].clone();
        let expression = |kind| Expression { kind, span };
        let pairs = pairs.iter().map(|(one, other)| {
            expression(Kind::Chain {
                first: Box::new(variable(one)),
                rest: vec![(Operator::Colon, variable(other))],
            })
        });
        let terms = self.variables.iter().cloned().chain(pairs);
        let variables_and_pairs = sum(terms.map(|term| (Operator::Plus, term)), span);
        let mut summands = self.summands.clone();
        summands[self.square].1 = expression(Kind::Parentheses(Box::new(variables_and_pairs)));
        Formula {
            terms: sum(summands.into_iter(), span),
            ..self.formula.clone()
        }
    }

    /// Which term of the whole formula a term is that it has with some of the pairs.
    pub(crate) fn identify(&self, terms: &Terms, term: usize) -> PairwiseTerm {
        match self.pair(terms, term) {
            Some(pair) if self.has_pair(pair) => PairwiseTerm::Pair(pair.0, pair.1),
            // All others are there whatever the pairs.
            _ => PairwiseTerm::Single(
                self.singles
                    .get(&terms.label(term))
                    .map_or(0, |place| *place),
            ),
        }
    }

    /// The pair of this label.
    pub(crate) fn pair_called(&self, label: &str) -> Option<(usize, usize)> {
        let number = |label: &str| self.numbers.get(label).copied();
        let colons = label.match_indices(':');
        let mut pairs = colons.filter_map(|(at, _)| {
            let (one, other) = (number(&label[..at])?, number(&label[at + 1..])?);
            Some((one.min(other), one.max(other)))
        });
        pairs.find(|pair| pair.0 < pair.1 && self.has_pair(*pair))
    }

    /// The place of a term among all: first those without pairs.
    pub(crate) fn index(&self, term: PairwiseTerm) -> usize {
        match term {
            PairwiseTerm::Single(place) => place,
            PairwiseTerm::Pair(one, other) => {
                let before = one * (2 * self.variables.len() - one - 1) / 2;
                self.singles.len() + before + other - one - 1
            }
        }
    }

    /// The variables of the sum that a term has, ascending.
    pub(crate) fn variables_of(&self, terms: &Terms, term: usize) -> Vec<usize> {
        let labels = terms.factors(term).iter();
        let labels = labels.map(|variable| &terms.variables[*variable as usize].label);
        let mut own: Vec<usize> = labels
            .filter_map(|label| self.numbers.get(label).copied())
            .collect();
        own.sort_unstable();
        own
    }

    /// The two variables of which a term is the interaction, both of the sum.
    fn pair(&self, terms: &Terms, term: usize) -> Option<(usize, usize)> {
        match (terms.degree(term), &self.variables_of(terms, term)[..]) {
            (2, &[one, other]) => Some((one, other)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("x{number}")).collect()
    }

    #[test]
    fn a_square_too_wide_is_its_variables_and_some_of_its_pairs() {
        let names = names(900);
        let names: Vec<&str> = names.iter().map(String::as_str).chain(["y"]).collect();
        let text = "y ~ x1 + (. - x0)^2 + log(x7) - x2:x1 + x3:x9 - (x4 + x5)^2 - y - 1";
        let formula = Formula::parse(text).unwrap();
        let wide = formula.pairwise(&names).unwrap().unwrap();
        assert_eq!(wide.variable_count(), 899);
        assert!(wide.used().iter().any(|name| name == "x0"));
        // x4 and x5 are taken out; log(x7) and x3:x9 are there.
        let singles = 899 - 2 + 2;
        let pairs = 899 * 898 / 2 - 3;
        assert_eq!(wide.term_count(), singles + pairs);
        let (x1, x7, x9) = (0, 6, 8);
        let part = wide.with_pairs(&[(x7, x9), (x1, x7)]);
        let terms = part.terms(&names).unwrap();
        let labels: Vec<String> = terms.labels().collect();
        assert_eq!(labels[..3], ["x1", "x2", "x3"]);
        assert_eq!(labels[897..], ["log(x7)", "x7:x9", "x1:x7", "x3:x9"]);
        assert!(!terms.has_intercept() && terms.response().as_deref() == Some("y"));
        assert!(!wide.has_pair((0, 1)) && !wide.has_pair((2, 8)) && wide.has_pair((0, 6)));
        assert_eq!(wide.identify(&terms, 899), PairwiseTerm::Pair(x1, x7));
        let whole = wide.with_pairs(&[]).terms(&names).unwrap();
        for term in [0, 7, 897, 900] {
            let PairwiseTerm::Single(place) = wide.identify(&terms, term) else {
                panic!("{term}")
            };
            assert_eq!(whole.label(place), labels[term]);
        }
        assert_eq!(wide.variables_of(&terms, 898), [x7, x9]);
    }

    #[test]
    fn other_formulas_are_left_as_they_are() {
        let names = names(900);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let wide = |text: &str| Formula::parse(text).unwrap().pairwise(&names);
        for text in [
            "~ .",
            "~ (.)^3",
            "~ . * .",
            "~ (.)^2 + (.)^2",
            "~ (x1:x2 + .)^2",
            "~ (. - 1)^2",
            "~ 0 + (1 + .)^2",
            "~ (. + offset(x1))^2",
            "~ (.)^2 + x1:x2:x3",
        ] {
            assert!(wide(text).unwrap().is_none(), "{text}");
        }
        assert!(wide("~ (.)^2 + z").is_err());
        assert!(wide("~ ((.))^2").unwrap().is_some());
        let few = wide("~ (x1 + x2 + x3)^2 + x5").unwrap().unwrap();
        assert_eq!(few.term_count(), 7);
        assert_eq!(few.pair_called("x3:x1"), Some((0, 2)));
        assert_eq!(few.pair_called("x3:x5").or(few.pair_called("x1")), None);
        let pairs = [(0, 1), (0, 2), (1, 2)].map(|(a, b)| few.index(PairwiseTerm::Pair(a, b)));
        assert_eq!(pairs, [4, 5, 6]);
    }
}
