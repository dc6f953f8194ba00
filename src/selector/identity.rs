//! What tells one work over columns of codes from another: a checkpoint belongs to one alone.

use rayon::prelude::*;
use serde_json::{Map, Value, json};

use crate::{
    binning::{BinnedColumn, BinnedColumns},
    device::{DeviceError, counting::LocalColumns},
    fnv::Fnv,
    ranks::Communicator,
};

/// Everything that the result of a work over these columns depends on, with these settings of its own.
pub(super) fn identity<const N: usize>(
    columns: &BinnedColumns,
    communicator: Option<&Communicator>,
    settings: [(&str, Value); N],
) -> Result<Map<String, Value>, DeviceError> {
    let hashed = |column: &BinnedColumn| {
        let hash = Fnv::new().part(&column.codes.to_bytes());
        let facts = format!("{} {:?}", column.levels, column.missing);
        hash.part(facts.as_bytes()).finish()
    };
    let own = LocalColumns::of_rank(columns, communicator).columns;
    let own: Vec<u128> = own.par_iter().map(hashed).collect();
    let all = match communicator {
        Some(communicator) => communicator.gather(&own)?.concat(),
        None => own,
    };
    let response = hashed(&columns.response);
    let data = all.iter().chain([&response]);
    let data = data.fold(Fnv::new(), |all, hash| all.bytes(&hash.to_le_bytes()));
    let names = columns.columns.iter().chain([&columns.response]);
    let names = names.fold(Fnv::new(), |all, column| all.part(column.name.as_bytes()));
    let hash = |hash: Fnv| json!(format!("{:032x}", hash.finish()));
    let shared = [
        ("n", json!(columns.n)),
        ("p", json!(columns.columns.len())),
        ("variables", hash(names)),
        ("data", hash(data)),
    ];
    let all = settings.into_iter().chain(shared);
    Ok(all.map(|(name, value)| (name.to_owned(), value)).collect())
}
