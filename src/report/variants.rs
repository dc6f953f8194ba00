//! What a reader asks of chosen variants, and of any chosen variable what could stand in its place.

use super::{
    numbers::{first_names, printable, significant},
    table::{self, Table, count, number, share},
};
use crate::{
    nearest::list,
    selection::{CredibleSet, SelectedVariable, SelectedVariant, Selection, SetMember},
};

/// Members of a set that are named in a line; more are only counted.
const NAMED: usize = 5;

/// What each credible set says, in a sentence.
pub(super) const MEANING: &str =
    "weight: exp(−Δ/2), over the sum of it for all that could stand there";

/// The tables of variants and of credible sets; nothing where there are none.
pub(super) fn text(selection: &Selection) -> String {
    let mut page = String::new();
    if let Some(table) = variants(selection) {
        page += &format!("{}\n", table.aligned(&[0]));
    }
    if let Some(table) = sets(selection) {
        page += &format!(
            "What could stand in the place of each, up to {} of the weight; {MEANING}.\n\n{}\n",
            significant(level(selection), 3),
            table.aligned(&[0, 4])
        );
    }
    page
}

/// The chosen variants, each with what is known of it.
pub(super) fn variants(
    selection: &Selection,
) -> Option<Table<'_, (&SelectedVariable, &SelectedVariant)>> {
    let rows = selection.selected.iter();
    let rows = rows.filter_map(|own| Some((own, own.variant.as_ref()?)));
    let rows: Vec<_> = rows.collect();
    let of = |own: &'_ Option<String>| own.clone().unwrap_or_default();
    let has_locus = rows.iter().any(|row| row.1.position.is_some());
    let has_twins = rows.iter().any(|row| !row.1.twins.is_empty());
    let is_normal = rows.iter().any(|row| row.1.explained.is_some());
    (!rows.is_empty()).then(|| {
        Table::of(rows)
            .column("variant", |row| table::text(&row.0.name))
            .column_if(has_locus, "chromosome", move |row| {
                table::text(of(&row.1.chromosome))
            })
            .column_if(has_locus, "position", |row| {
                table::text(row.1.position.map_or(String::new(), |at| at.to_string()))
            })
            .column_if(has_locus, "counted", move |row| {
                table::text(of(&row.1.counted_allele))
            })
            .column_if(has_locus, "other", move |row| {
                table::text(of(&row.1.other_allele))
            })
            .column("frequency", |row| number(row.1.frequency, 4))
            .column("missing", |row| count(row.1.missing))
            .column("per deviation", |row| number(row.1.per_deviation, 6))
            .column_if(is_normal, "ΔR²", |row| number(row.1.explained, 3))
            .column_if(has_twins, "copies", |row| {
                table::text(list(row.1.twins.iter().map(String::as_str)))
            })
    })
}

/// The credible set of each chosen variable, where some has an alternative or is a variant.
pub(super) fn sets(selection: &Selection) -> Option<Table<'_, (&SelectedVariable, &CredibleSet)>> {
    let rows = selection.selected.iter();
    let rows = rows.filter_map(|own| Some((own, own.credible_set.as_ref()?)));
    let rows: Vec<_> = rows.collect();
    let is_told =
        |row: &(&SelectedVariable, &CredibleSet)| row.0.variant.is_some() || row.1.size > 1;
    rows.iter().any(is_told).then(|| {
        Table::of(rows)
            .column("in place of", |row| table::text(&row.0.name))
            .column("members", |row| count(row.1.size))
            .column("weight", |row| share(row.1.weight))
            .column("least r²", |row| number(row.1.purity, 3))
            .column("largest weights", |row| {
                let member =
                    |own: &SetMember| format!("{} {:.3}", printable(&own.name), own.weight);
                let members: Vec<String> = row.1.set().iter().map(member).collect();
                table::text(first_names(&members, NAMED))
            })
    })
}

/// The members of all credible sets, each with the variable in whose place it could stand.
pub(super) fn members(selection: &Selection) -> Table<'_, (&SelectedVariable, &SetMember)> {
    let rows = selection.selected.iter().flat_map(|own| {
        let set = own.credible_set.iter().flat_map(CredibleSet::set);
        set.map(move |member| (own, member))
    });
    let rows: Vec<_> = rows.collect();
    let has = |is: fn(&SetMember) -> bool| rows.iter().any(|row| is(row.1));
    let has_locus = has(|own| own.position.is_some());
    let (has_maf, has_copies) = (
        has(|own| own.maf.is_some()),
        has(|own| own.copy_of.is_some()),
    );
    let of = |own: &Option<String>| table::text(own.clone().unwrap_or_default());
    Table::of(rows)
        .column("in place of", |row| table::text(&row.0.name))
        .column("member", |row| table::text(&row.1.name))
        .column_if(has_locus, "chromosome", move |row| of(&row.1.chromosome))
        .column_if(has_locus, "position", |row| {
            table::text(row.1.position.map_or(String::new(), |at| at.to_string()))
        })
        .column_if(has_locus, "counted", move |row| of(&row.1.counted_allele))
        .column_if(has_locus, "other", move |row| of(&row.1.other_allele))
        .column_if(has_maf, "MAF", |row| number(row.1.maf, 4))
        .column("weight", |row| share(row.1.weight))
        .column("Δ", |row| share(row.1.delta))
        .column("r²", |row| number(row.1.r_squared, 4))
        .column_if(has_copies, "copy of", move |row| of(&row.1.copy_of))
}

/// The level of the credible sets.
pub(super) fn level(selection: &Selection) -> f64 {
    let mut sets = selection.selected.iter();
    let first = sets.find_map(|own| own.credible_set.as_ref());
    first.map_or(selection.level, |own| own.level)
}
