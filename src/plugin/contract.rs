//! The contract's declared scores, checked and translated into those of passel.

use passel_abi as abi;

use super::error::Breach;
use crate::score::{
    Against, Combination, Combine, Correction, Finish, Gather, Join, Measure, Part, Quantity,
    REACH, Score, ScoreError, Term, balanced,
};

/// The quantity of a pair score, if exchanging its two variables leaves it unchanged.
pub(super) fn pair_quantity(declared: &abi::passel_quantity) -> Result<Quantity, Breach> {
    let quantity = quantity(declared)?;
    balanced(&quantity)?;
    let lopsided = |one: &Combination| (one.x, one.xy) != (one.w, one.wy);
    match quantity.combinations().iter().any(lopsided) {
        true => Err(
            "exchanging x and w changes it: the integers of x and w, of xy and wy must be equal"
                .into(),
        ),
        false => Ok(quantity),
    }
}

/// A quantity that a procedure measures, if its integers have a meaning.
pub(super) fn measured(declared: &abi::passel_quantity) -> Result<Quantity, Breach> {
    let quantity = quantity(declared)?;
    balanced(&quantity)?;
    Ok(quantity)
}

/// The measure that a score declares: its relevance and these terms.
pub(super) fn declared_measure(
    score: &abi::passel_score,
    terms: &[abi::passel_term],
) -> Result<Measure, Breach> {
    let terms = terms.iter().map(|term| {
        Ok(Term {
            weight: term.weight,
            quantity: quantity(&term.quantity)?,
            part: constant("part", term.part, &[Part::Whole, Part::BelowZero])?,
        })
    });
    Ok(Measure::Declared {
        relevance: quantity(&score.relevance)?,
        terms: terms.collect::<Result<_, Breach>>()?,
    })
}

/// A score by its measure and by how the contract's constants combine its steps.
pub(super) fn score(
    declared: &abi::passel_score,
    measure: Measure,
    finish: Option<Finish>,
) -> Result<Score, Breach> {
    constant("reserved", declared.reserved, &[()])?;
    let ends = constant("ends", declared.ends, &[false, true])?;
    if ends && !declared.floor.is_finite() {
        return Err(format!("its floor is {}", declared.floor).into());
    }
    let score = Score {
        measure,
        combine: constant("combine", declared.combine, &COMBINE)?,
        finish,
        gather: constant("gather", declared.gather, &GATHER)?,
        join: constant("join", declared.join, &JOIN)?,
        against: constant("against", declared.against, &AGAINST)?,
        correction: Correction::None,
        floor: ends.then_some(declared.floor),
    };
    Ok(score.checked()?)
}

// In the order of the contract's constants, which count from 0.
const COMBINE: [Combine; 5] = [
    Combine::Sum,
    Combine::Product,
    Combine::Least,
    Combine::Largest,
    Combine::Apart,
];
const GATHER: [Gather; 6] = [
    Gather::Sum,
    Gather::Mean,
    Gather::Minimum,
    Gather::Last,
    Gather::Maximum,
    Gather::Product,
];
const JOIN: [Join; 4] = [Join::Added, Join::Alone, Join::Least, Join::Guarded];
const AGAINST: [Against; 3] = [Against::Last, Against::Joint, Against::Pairs];

const _: () = {
    assert!(abi::PASSEL_PART_WHOLE == 0 && abi::PASSEL_PART_BELOW_ZERO == 1);
    assert!(abi::PASSEL_COMBINE_SUM == 0 && abi::PASSEL_COMBINE_PRODUCT == 1);
    assert!(abi::PASSEL_COMBINE_LEAST == 2 && abi::PASSEL_COMBINE_LARGEST == 3);
    assert!(abi::PASSEL_COMBINE_APART == 4);
    assert!(abi::PASSEL_GATHER_SUM == 0 && abi::PASSEL_GATHER_MEAN == 1);
    assert!(abi::PASSEL_GATHER_MINIMUM == 2 && abi::PASSEL_GATHER_LAST == 3);
    assert!(abi::PASSEL_GATHER_MAXIMUM == 4 && abi::PASSEL_GATHER_PRODUCT == 5);
    assert!(abi::PASSEL_JOIN_ADDED == 0 && abi::PASSEL_JOIN_ALONE == 1);
    assert!(abi::PASSEL_JOIN_LEAST == 2 && abi::PASSEL_JOIN_GUARDED == 3);
    assert!(abi::PASSEL_AGAINST_LAST == 0 && abi::PASSEL_AGAINST_JOINT == 1);
    assert!(abi::PASSEL_AGAINST_PAIRS == 2);
};

fn constant<T: Copy>(member: &str, value: u32, meanings: &[T]) -> Result<T, Breach> {
    let meaning = usize::try_from(value).ok().and_then(|at| meanings.get(at));
    meaning
        .copied()
        .ok_or_else(|| Breach::constant(member, value))
}

/// A quantity, if fixed-point sums have room for it.
fn quantity(declared: &abi::passel_quantity) -> Result<Quantity, ScoreError> {
    let (over, under) = (combination(&declared.over)?, combination(&declared.under)?);
    let reach = over.reach().max(under.reach());
    match reach > REACH {
        true => Err(ScoreError::reach(reach)),
        false => Ok(Quantity {
            over,
            under: (!under.is_zero()).then_some(under),
        }),
    }
}

/// A combination; integers that would overflow once summed are refused.
fn combination(by: &abi::passel_combination) -> Result<Combination, ScoreError> {
    let combination = Combination::of([by.n, by.x, by.w, by.y, by.xw, by.xy, by.wy, by.xwy]);
    let mut sizes = combination.integers().into_iter().map(i32::unsigned_abs);
    match sizes.find(|size| *size > REACH) {
        Some(reach) => Err(ScoreError::reach(reach)),
        None => Ok(combination),
    }
}
