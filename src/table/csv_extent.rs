//! About how much delimited text holds, by its header and the rows at its beginning.

use std::{collections::HashSet, path::Path};

use csv::{ByteRecord, ReaderBuilder};

use super::extent::{Extent, beginning, line_count};
use super::field::{Field, classify};
use super::format::Input;
use super::header::Opening;
use super::text_options::{Separator, TextOptions};
use super::{ColumnPartition, ReadOptions};

/// Rows that are looked at, beside the header, where there are so many.
const ROWS: usize = 3;

/// Rows are taken to be as long as those at the beginning, and factors to have the levels that occur
/// there. `expected` is the separator that the file's name promises, `text` what options say of it.
pub(super) fn of_text(
    path: &Path,
    bytes: u64,
    (expected, text): (Option<Separator>, TextOptions),
) -> Option<Extent> {
    let input = Input {
        path,
        options: &ReadOptions {
            text,
            ..ReadOptions::default()
        },
        partition: &ColumnPartition::default(),
    };
    let opening = Opening::of(&input, expected).ok()?;
    let (names, labels) = (
        opening.names.len(),
        usize::from(opening.dialect.is_labelled),
    );
    let needed = opening.head.lines as usize + 1 + ROWS;
    let (text, whole) = beginning(path, bytes, |text| line_count(text) > needed)?;
    let is_cut = (text.len() as u64) < whole;
    // UTF-16 has bytes that are 0, and texts that are not looked at.
    let has_texts = memchr::memchr(0, &text).is_none();
    let separator = opening.dialect.separator;
    let mut reader = ReaderBuilder::new()
        .delimiter(separator.byte())
        .has_headers(false)
        .flexible(true)
        .from_reader(text.get(opening.head.bytes as usize..)?);
    let (mut record, mut levels) = (ByteRecord::new(), vec![HashSet::new(); names]);
    let (mut first, mut end, mut rows) = (None, 0, 0_u64);
    while reader.read_byte_record(&mut record).unwrap_or(false) {
        let after = opening.head.bytes + reader.position().byte();
        if is_cut && after == text.len() as u64 && first.is_some() {
            break;
        }
        // The header, which is no row, is longer or shorter than these.
        if first.is_none() {
            first = Some(after);
        } else {
            rows += 1;
            // Of several blanks none is a field.
            let is_field = |field: &&[u8]| separator != Separator::Whitespace || !field.is_empty();
            let fields = record.iter().filter(is_field);
            let texts = fields.skip(labels).zip(&mut levels);
            for (field, levels) in texts.filter(|_| has_texts) {
                if classify(field) == Field::Text {
                    levels.insert(field.to_owned());
                }
            }
        }
        end = after;
    }
    let first = first?;
    let share = (whole.saturating_sub(first)) as f64 / end.saturating_sub(first).max(1) as f64;
    let rows = (rows as f64 * share).round() as u64;
    let factors = levels.iter().filter(|levels| !levels.is_empty()).count() as u64;
    let widths = levels.iter().map(|levels| levels.len().max(1) as u64);
    let dense = Extent::dense(rows, names as u64, 8);
    Some(Extent {
        design_columns: widths.sum(),
        // A level is a number of four bytes.
        bytes: dense.bytes - rows.saturating_mul(4 * factors),
        ..dense
    })
}
