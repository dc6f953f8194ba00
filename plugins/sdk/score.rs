//! A selector's score, declared, and the contract's form of its parts.

use passel_abi as abi;
use passel_score::{
    Against, Combination, Combine, Gather, Join, Part, Quantity, Term, combinations::X_Y,
};

use crate::{Finish, Function};

/// A selector's score of a candidate; larger is better. By default it is I(x;y) alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// Of the table of candidate and response alone; the score of the first step.
    pub relevance: Quantity,
    /// What a step gives is made of them; at most eight, none for relevance alone.
    pub terms: Vec<Term>,
    /// See [`Combine`].
    pub combine: Combine,
    /// See [`Gather`].
    pub gather: Gather,
    /// See [`Join`].
    pub join: Join,
    /// See [`Against`].
    pub against: Against,
    /// A selection ends where no candidate's score is above it, in nats where scores are; none
    /// for one that goes on.
    pub floor: Option<f64>,
    /// What takes the place of relevance and of terms: relevance is its value of the table of
    /// candidate and response, a step gives that of the whole table.
    pub function: Option<&'static Function>,
    /// What takes the place of the join: makes the score of relevance and of what was gathered.
    pub finish: Option<&'static Finish>,
}

impl Default for Score {
    fn default() -> Self {
        Self {
            relevance: X_Y.into(),
            terms: Vec::new(),
            combine: Combine::Sum,
            gather: Gather::Sum,
            join: Join::Added,
            against: Against::Last,
            floor: None,
            function: None,
            finish: None,
        }
    }
}

pub(crate) fn combination(of: Combination) -> abi::passel_combination {
    let Combination {
        n,
        x,
        w,
        y,
        xw,
        xy,
        wy,
        xwy,
    } = of;
    abi::passel_combination {
        n,
        x,
        w,
        y,
        xw,
        xy,
        wy,
        xwy,
    }
}

pub(crate) fn quantity(of: Quantity) -> abi::passel_quantity {
    let [over, under] = of.combinations().map(combination);
    abi::passel_quantity { over, under }
}

pub(crate) fn term(of: Term) -> abi::passel_term {
    abi::passel_term {
        weight: of.weight,
        quantity: quantity(of.quantity),
        part: match of.part {
            Part::Whole => abi::PASSEL_PART_WHOLE,
            Part::BelowZero => abi::PASSEL_PART_BELOW_ZERO,
        },
    }
}

pub(crate) fn combine(of: Combine) -> u32 {
    match of {
        Combine::Sum => abi::PASSEL_COMBINE_SUM,
        Combine::Product => abi::PASSEL_COMBINE_PRODUCT,
        Combine::Least => abi::PASSEL_COMBINE_LEAST,
        Combine::Largest => abi::PASSEL_COMBINE_LARGEST,
        Combine::Apart => abi::PASSEL_COMBINE_APART,
    }
}

pub(crate) fn gather(of: Gather) -> u32 {
    match of {
        Gather::Sum => abi::PASSEL_GATHER_SUM,
        Gather::Mean => abi::PASSEL_GATHER_MEAN,
        Gather::Minimum => abi::PASSEL_GATHER_MINIMUM,
        Gather::Last => abi::PASSEL_GATHER_LAST,
        Gather::Maximum => abi::PASSEL_GATHER_MAXIMUM,
        Gather::Product => abi::PASSEL_GATHER_PRODUCT,
    }
}

pub(crate) fn join(of: Join) -> u32 {
    match of {
        Join::Added => abi::PASSEL_JOIN_ADDED,
        Join::Alone => abi::PASSEL_JOIN_ALONE,
        Join::Least => abi::PASSEL_JOIN_LEAST,
        Join::Guarded => abi::PASSEL_JOIN_GUARDED,
    }
}

pub(crate) fn against(of: Against) -> u32 {
    match of {
        Against::Last => abi::PASSEL_AGAINST_LAST,
        Against::Joint => abi::PASSEL_AGAINST_JOINT,
        Against::Pairs => abi::PASSEL_AGAINST_PAIRS,
    }
}
