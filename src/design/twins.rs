//! Variants that are copies of others: the same genotypes, or those of the other allele.

use std::collections::BTreeMap;

use super::{DesignError, SetAside};
use crate::{
    ranks::Communicator,
    table::{Column, TableError, Values},
    threads::map_each,
};

/// A variant that may have copies: its position among the columns, whether it is kept, its name, and a hash that copies
/// have in common, with whether its alleles are those of the hash.
type Known = (usize, bool, String, (u128, bool));

/// Takes the columns out that are copies of earlier ones, kept ones before others, and says of which. It does so before
/// anything is unpacked, so that it does not show how columns are held; columns of other ranks are copies where their
/// hashes are equal. Constants are none. Of ranks the first says so of all columns.
///
/// # Errors
/// A kept copy of a kept variant; a lost rank.
pub(super) fn take_copies_out(
    (places, columns): (&mut Vec<usize>, &mut Vec<Column>),
    keep: &[String],
    intercept: bool,
    communicator: Option<&Communicator>,
) -> Result<Vec<SetAside>, DesignError> {
    let hashed = map_each(columns.iter().collect(), |column: &Column| {
        match &column.values {
            Values::Genotypes(own) if own.varies() => Some(own.hash(intercept)),
            _ => None,
        }
    });
    let own = places.iter().zip(&*columns).zip(hashed);
    let own = own.filter_map(|((place, column), hash)| {
        Some((
            *place,
            keep.contains(&column.name),
            column.name.clone(),
            hash?,
        ))
    });
    let own: Vec<Known> = own.collect();
    let mut all = match communicator {
        None => own,
        Some(communicator) => {
            let all = communicator.gather(&own).map_err(TableError::Ranks)?;
            all.into_iter().flatten().collect()
        }
    };
    // Kept ones first among those with the same hash.
    all.sort_unstable_by_key(|(place, kept, _, (hash, _))| (*hash, !kept, *place));
    // Places ascend.
    let genotypes = |place: usize| match &columns[places.binary_search(&place).ok()?].values {
        Values::Genotypes(own) => Some(own),
        _ => None,
    };
    let is_copy = |one: &Known, other: &Known| match genotypes(one.0).zip(genotypes(other.0)) {
        Some((a, b)) => a == b || intercept && a.is_exchanged(b),
        None => true,
    };
    let mut copies = BTreeMap::new();
    // Of kept copies of kept variants, the first.
    let mut refused: Option<(usize, DesignError)> = None;
    for alike in all.chunk_by(|one, other| one.3.0 == other.3.0) {
        let (mut unlike, rest) = (vec![&alike[0]], &alike[1..]);
        for known in rest {
            let (place, kept, name, (_, side)) = known;
            let Some(original) = unlike.iter().find(|own| is_copy(own, known)) else {
                unlike.push(known);
                continue;
            };
            let reason = match original.3.1 == *side {
                true => format!("duplicate of {}", original.2),
                false => format!("duplicate of {}, with the alleles exchanged", original.2),
            };
            let name = name.clone();
            if *kept {
                if refused.as_ref().is_none_or(|(first, _)| place < first) {
                    refused = Some((*place, DesignError::KeptSetAside { name, reason }));
                }
                continue;
            }
            let copy_of = Some(original.2.clone());
            let aside = SetAside {
                name,
                reason,
                copy_of,
            };
            copies.insert(*place, aside);
        }
    }
    if let Some((_, error)) = refused {
        return Err(error);
    }
    let stays = places.iter().map(|place| !copies.contains_key(place));
    let stays: Vec<bool> = stays.collect();
    let mut of_place = stays.iter();
    places.retain(|_| of_place.next() == Some(&true));
    let mut of_column = stays.iter();
    columns.retain(|_| of_column.next() == Some(&true));
    let is_first = communicator.is_none_or(Communicator::is_root);
    let aside = copies.into_values().filter(|_| is_first);
    Ok(aside.collect())
}
