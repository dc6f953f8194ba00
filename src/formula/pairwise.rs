//! Formulas with more interactions of two variables than are made at once: `(a + b + …)^2` or `(.)^2` as one of the
//! summands. They are written anew with some of the pairs, which are terms like any others then.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::Formula;
use super::error::{FormulaError, Located};
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
        if terms.len() > MAX_TERMS || terms.iter().any(|term| term.len() != 1) {
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
            singles: HashMap::new(),
            others: HashSet::new(),
            square,
            summands: summands.clone(),
        };
        let terms = expand(&pairwise.without_pairs(), names).map_err(located)?;
        pairwise.singles = terms.labels().zip(0..).collect();
        pairwise.others = pairwise.pairs(&terms).collect();
        let later = summands[square + 1..].iter();
        for (_, taken) in later.filter(|own| own.0 == Operator::Minus) {
            let taken = Self {
                terms: taken.clone(),
                ..self.clone()
            };
            let taken = expand(&taken, names).map_err(located)?;
            pairwise
                .others
                .extend(pairwise.pairs(&taken).collect::<Vec<_>>());
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

    /// The formula with all variables and none of the pairs.
    pub(crate) fn without_pairs(&self) -> Formula {
        let all: Vec<usize> = (0..self.variables.len()).collect();
        self.with_terms(&all, &[])
    }

    /// The formula with some of the variables, at least one, and of the pairs in place of the square.
    pub(crate) fn with_terms(&self, variables: &[usize], pairs: &[(usize, usize)]) -> Formula {
        let (_, square) = &self.summands[self.square];
        let span = square.span;
        let variable = |number: usize| self.variables[number].clone();
        let chain = |first: Expression, rest: Vec<Operand>| {
            let first = Box::new(first);
            Expression {
                kind: Kind::Chain { first, rest },
                span,
            }
        };
        let sum = |mut all: Box<dyn Iterator<Item = Operand> + '_>| {
            let (_, first) = all.next()?;
            Some(chain(first, all.collect()))
        };
        let own = variables.iter().map(|number| variable(*number));
        let pairs = pairs
            .iter()
            .map(|(one, other)| chain(variable(*one), vec![(Operator::Colon, variable(*other))]));
        let terms = own.chain(pairs).map(|term| (Operator::Plus, term));
        let made = sum(Box::new(terms)).map_or_else(
            || square.clone(),
            |sum| Expression {
                kind: Kind::Parentheses(Box::new(sum)),
                span,
            },
        );
        let mut summands = self.summands.clone();
        summands[self.square].1 = made;
        Formula {
            terms: sum(Box::new(summands.into_iter())).unwrap_or_else(|| square.clone()),
            ..self.formula.clone()
        }
    }

    /// Which term of the whole formula a term is that it has with some of the pairs.
    pub(crate) fn identify(&self, terms: &Terms, term: usize) -> Option<PairwiseTerm> {
        match self.pair(terms, term) {
            Some(pair) if self.has_pair(pair) => Some(PairwiseTerm::Pair(pair.0, pair.1)),
            _ => {
                let single = self.singles.get(&terms.label(term));
                single.map(|place| PairwiseTerm::Single(*place))
            }
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

    fn pairs(&self, terms: &Terms) -> impl Iterator<Item = (usize, usize)> {
        (0..terms.len()).filter_map(|term| self.pair(terms, term))
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
        let text = "y ~ x1 + (. - x0)^2 + log(x7) - x2:x1 + x3:x9 - (x4 + x5)^2 - 1";
        let formula = Formula::parse(text).unwrap();
        let wide = formula.pairwise(&names).unwrap().unwrap();
        assert_eq!(wide.variable_count(), 899);
        // x4 and x5 are taken out; log(x7) and x3:x9 are there.
        let singles = 899 - 2 + 2;
        let pairs = 899 * 898 / 2 - 3;
        assert_eq!(wide.term_count(), singles + pairs);
        let (x1, x3, x7, x9) = (0, 2, 6, 8);
        let part = wide.with_terms(&[x1, x3, x7, x9], &[(x1, x7), (x7, x9)]);
        let terms = part.terms(&names).unwrap();
        let labels: Vec<String> = terms.labels().collect();
        assert_eq!(
            labels,
            ["x1", "x3", "x7", "x9", "log(x7)", "x1:x7", "x7:x9", "x3:x9"]
        );
        assert!(!terms.has_intercept() && terms.response().as_deref() == Some("y"));
        assert!(!wide.has_pair((0, 1)) && !wide.has_pair((2, 8)) && wide.has_pair((0, 6)));
        assert_eq!(wide.identify(&terms, 5), Some(PairwiseTerm::Pair(x1, x7)));
        let single = |term| match wide.identify(&terms, term) {
            Some(PairwiseTerm::Single(place)) => place,
            other => panic!("{other:?}"),
        };
        let whole = wide.without_pairs().terms(&names).unwrap();
        for term in [0, 4, 7] {
            assert_eq!(whole.label(single(term)), labels[term]);
        }
        assert_eq!(wide.variables_of(&terms, 6), [x7, x9]);
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
