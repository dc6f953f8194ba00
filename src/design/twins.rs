//! Variants that are copies of others: the same genotypes, or those of the other allele.

use std::collections::BTreeMap;

use super::{DesignError, SetAside};
use crate::{
    fnv::equal_hashes,
    ranks::Communicator,
    table::{Column, TableError, Values},
    threads::map_each,
};

/// A variant that may have copies: its position among the columns, whether it is kept, and a hash that copies have in common,
/// with whether its alleles are those of the hash.
type Known = (usize, bool, (u128, bool));

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
        let hash = hash?;
        Some((*place, keep.contains(&column.name), hash))
    });
    let own: Vec<Known> = own.collect();
    let all = match communicator {
        None => own,
        Some(communicator) => {
            let all = communicator.gather(&own).map_err(TableError::Ranks)?;
            all.into_iter().flatten().collect()
        }
    };
    let hashes: Vec<u128> = all.iter().map(|(_, _, (hash, _))| *hash).collect();
    let mut alike: Vec<Vec<Known>> = equal_hashes(&hashes)
        .into_iter()
        .map(|places| places.into_iter().map(|at| all[at]).collect())
        .collect();
    drop((hashes, all));
    let mut names: BTreeMap<usize, String> = BTreeMap::new();
    for (place, ..) in alike.iter().flatten() {
        if let Ok(at) = places.binary_search(place) {
            names.insert(*place, columns[at].name.clone());
        }
    }
    if let Some(communicator) = communicator {
        let all = communicator.gather(&names).map_err(TableError::Ranks)?;
        names = all.into_iter().flatten().collect();
    }
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
    for alike in &mut alike {
        // Kept ones first.
        alike.sort_unstable_by_key(|(place, kept, _)| (!kept, *place));
        let mut unlike: Vec<&Known> = Vec::new();
        for known in &*alike {
            let (place, kept, (_, side)) = known;
            let Some(original) = unlike.iter().find(|own| is_copy(own, known)) else {
                unlike.push(known);
                continue;
            };
            let name_of = |place: usize| names.get(&place).cloned().unwrap_or_default();
            let (name, of) = (name_of(*place), name_of(original.0));
            let reason = match original.2.1 == *side {
                true => format!("duplicate of {of}"),
                false => format!("duplicate of {of}, with the alleles exchanged"),
            };
            if *kept {
                if refused.as_ref().is_none_or(|(first, _)| place < first) {
                    refused = Some((*place, DesignError::KeptSetAside { name, reason }));
                }
                continue;
            }
            let copy_of = Some(of);
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
