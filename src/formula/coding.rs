//! How a factor in a term is coded: by contrasts or by an indicator of every level.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::terms::Terms;
use super::warning::Warning;

/// How a variable of a term becomes columns; numbers are as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FactorCoding {
    Contrasts,
    /// Contrasts whose columns sum to 0 over the levels.
    Centered,
    /// An indicator of every level.
    Indicators,
}

/// How the factors of all terms are coded.
pub(super) struct Coding {
    /// For each variable of each term.
    pub(super) codings: Vec<Box<[FactorCoding]>>,
    pub(super) warnings: Vec<Warning>,
}

/// Chooses the coding of all factors as R does: by contrasts if the term without the factor is part
/// of an earlier term, or is empty; and without an intercept, the first factor of all is coded by
/// indicators.
///
/// If that earlier term has a numeric variable besides, its columns do not span those of the term
/// without the factor, and neither do all columns span all combinations of the levels: R makes the
/// same columns without a word, and here there is a warning.
///
/// With `centers` the contrasts of interactions are centered.
pub(super) fn coding(terms: &Terms, is_factor: impl Fn(u32) -> bool, centers: bool) -> Coding {
    // The fingerprints of the earlier terms, and of these without one variable. Terms ascend by
    // degree, so that a term without one factor can be part of no other sets.
    let mut covered: HashSet<u128> = HashSet::new();
    // Those of them that earlier columns span.
    let mut spanned: HashSet<u128> = HashSet::new();
    let mut codings: Vec<Box<[FactorCoding]>> = Vec::with_capacity(terms.len());
    let mut warnings = Vec::new();
    for (place, term) in terms.terms.iter().enumerate() {
        let whole = term.iter().fold(0, |sum: u128, variable| {
            sum.wrapping_add(fingerprint(*variable))
        });
        let without = |variable: u32| whole.wrapping_sub(fingerprint(variable));
        let own = term.iter().map(|&variable| {
            let margin = without(variable);
            let has_contrasts = term.len() == 1 || covered.contains(&margin);
            if is_factor(variable) && has_contrasts && term.len() > 1 && !spanned.contains(&margin)
            {
                let others = term.iter().copied().filter(|other| *other != variable);
                warnings.push(Warning::MarginNotSpanned {
                    term: terms.label(place),
                    factor: terms.label_of(&[variable]),
                    margin: terms.label_of(&others.collect::<Vec<_>>()),
                });
            }
            match has_contrasts {
                false if is_factor(variable) => FactorCoding::Indicators,
                true if centers && term.len() > 1 => FactorCoding::Centered,
                _ => FactorCoding::Contrasts,
            }
        });
        codings.push(own.collect());
        covered.insert(whole);
        covered.extend(term.iter().map(|variable| without(*variable)));
        let factors = term.iter().copied().filter(|variable| is_factor(*variable));
        spanned.insert(whole);
        spanned.extend(factors.map(without));
    }
    if !terms.has_intercept {
        let all = terms.terms.iter().zip(&mut codings);
        let mut factors = all.flat_map(|(term, own)| term.iter().zip(own.iter_mut()));
        if let Some((_, first)) = factors.find(|(variable, _)| is_factor(**variable)) {
            *first = FactorCoding::Indicators;
        }
    }
    Coding { codings, warnings }
}

/// A number for a variable such that sums over different sets differ: two sets collide with
/// probability 2⁻¹²⁸. The finaliser of SplitMix64, twice.
fn fingerprint(variable: u32) -> u128 {
    let mix = |seed: u64| {
        let mut bits = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    };
    let number = 2 * u64::from(variable) + 1;
    u128::from(mix(number)) << 64 | u128::from(mix(number + 1))
}
