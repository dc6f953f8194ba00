//! How a file of delimited text is written, found by its first lines.
//!
//! Each separator that occurs makes a reading of the lines. The one that makes as many fields of
//! every line is meant; where two do, and neither is what the file's name promises, none is guessed.

use csv::ByteRecord;

use super::field::{Field, classify_with};
use super::text_options::{DecimalMark, Separator, TextOptions};
use super::whitespace::OneSpace;
use crate::nearest::list;

/// Records looked at, the header with them.
const MOST_RECORDS: usize = 200;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Dialect {
    pub(super) separator: Separator,
    pub(super) decimal: DecimalMark,
    /// Whether the first field of each row is a label, for which the header has no name.
    pub(super) is_labelled: bool,
    /// Whether decimals after a comma were found, and not asked for.
    pub(super) found_comma: bool,
}

/// What the first lines of a file are looked at with.
#[derive(Clone, Copy)]
pub(super) struct Sample<'a> {
    /// The text from the header on.
    pub(super) text: &'a [u8],
    /// Whether that is the whole file.
    pub(super) is_whole: bool,
    pub(super) options: TextOptions,
    /// The words for missing values that were given.
    pub(super) missing: &'a [String],
}

/// How the fields of all rows fit the header.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Shape {
    /// As many as the header has, several.
    Exact,
    /// One more than the header has: each row begins with a label.
    Labelled,
    /// One in each line.
    Single,
    Ragged,
}

/// The lines by one separator.
struct Reading {
    separator: Separator,
    shape: Shape,
    records: Vec<ByteRecord>,
    /// Fields of columns that hold numbers alone.
    numbers: usize,
    /// Whether a column of numbers has decimals after a point, after a comma, and after commas that
    /// may as well part thousands.
    has_point: bool,
    has_comma: bool,
    has_either: Option<String>,
}

impl Sample<'_> {
    /// The dialect of the lines, and their records; `expected` is the separator that the file's
    /// name promises.
    ///
    /// # Errors
    /// The message, where two readings are as good as each other.
    pub(super) fn dialect(
        &self,
        expected: Option<Separator>,
    ) -> Result<(Dialect, Vec<ByteRecord>), String> {
        let reading = match self.options.separator {
            Some(given) => self.reading(given),
            None => self.best(expected)?,
        };
        let found = self.options.decimal.is_none() && reading.separator != Separator::COMMA;
        if let Some(text) = reading.has_either.as_ref().filter(|_| found)
            && !reading.has_comma
            && !reading.has_point
        {
            let (one, other) = (text.replace(',', "."), text.replace(',', ""));
            return Err(format!(
                "`{text}` may be {one} or {other}: say `--decimal ,` if the comma stands before \
                 decimals, or write thousands without a comma"
            ));
        }
        let found_comma = found && reading.has_comma && !reading.has_point;
        let dialect = Dialect {
            separator: reading.separator,
            decimal: match self.options.decimal {
                Some(given) => given,
                None if found_comma => DecimalMark::Comma,
                None => DecimalMark::Point,
            },
            is_labelled: reading.shape == Shape::Labelled,
            found_comma,
        };
        Ok((dialect, reading.records))
    }

    fn best(&self, expected: Option<Separator>) -> Result<Reading, String> {
        let own = expected.map(|separator| self.reading(separator));
        let known = [
            Separator::TAB,
            Separator::SEMICOLON,
            Separator::COMMA,
            Separator::BAR,
            Separator::Whitespace,
        ];
        let mut lines = self.text.split(|byte| *byte == b'\n');
        let line = lines.find(|line| !line.trim_ascii().is_empty());
        let line = line.unwrap_or_default();
        let occurs = |separator: &Separator| match separator {
            Separator::Character(byte) => line.contains(byte),
            Separator::Whitespace => line.trim_ascii().contains(&b' '),
        };
        let others = known.into_iter().filter(|other| Some(*other) != expected);
        let others = others
            .filter(occurs)
            .map(|separator| self.reading(separator));
        // Words of a text are no columns.
        let others =
            others.filter(|other| other.separator != Separator::Whitespace || other.numbers > 0);
        let mut others: Vec<Reading> = others.collect();
        others.sort_by_key(|other| std::cmp::Reverse(other.numbers));

        for shape in [Shape::Exact, Shape::Labelled] {
            let is_own = own.as_ref().is_some_and(|own| own.shape == shape);
            let mut rivals = others.iter().filter(|other| other.shape == shape);
            let (first, second) = (rivals.next(), rivals.next());
            let is_meant = match (own.as_ref().filter(|_| is_own), first, second) {
                (Some(own), Some(rival), _) if rival.share() > own.share() => {
                    if shape == Shape::Exact && !self.options.no_header {
                        return Err(ambiguous(own, rival));
                    }
                    true
                }
                (Some(_), _, _) => break,
                (None, Some(first), Some(second))
                    if first.numbers == second.numbers
                        && second.separator != Separator::Whitespace =>
                {
                    return Err(ambiguous(first, second));
                }
                (None, Some(first), _) => shape == Shape::Exact || first.numbers > 0,
                (None, None, _) => false,
            };
            if is_meant {
                let meant = others.iter().position(|other| other.shape == shape);
                return Ok(others.swap_remove(meant.unwrap_or_default()));
            }
        }
        others.retain(Reading::mostly_fits);
        match own {
            Some(own) if others.is_empty() || own.width() > 1 => Ok(own),
            own => {
                // Rows are ragged: the error about them speaks of the header's own separator.
                let widest = others.into_iter().max_by_key(Reading::width);
                let widest = widest.or(own);
                Ok(widest.unwrap_or_else(|| self.reading(Separator::TAB)))
            }
        }
    }

    /// The records of the sample, without one that may be cut off.
    fn records(&self, separator: Separator) -> Vec<ByteRecord> {
        let mut reader = csv::ReaderBuilder::new();
        reader
            .delimiter(separator.byte())
            .has_headers(false)
            .flexible(true);
        let records = |source: &mut dyn Iterator<Item = csv::Result<ByteRecord>>| {
            // Reading from memory has no error to tell.
            let mut records: Vec<ByteRecord> = source
                .map_while(Result::ok)
                .take(MOST_RECORDS + 1)
                .collect();
            if records.len() > MOST_RECORDS || !self.is_whole {
                records.pop();
            }
            records
        };
        match separator {
            Separator::Character(_) => {
                records(&mut reader.from_reader(self.text).into_byte_records())
            }
            Separator::Whitespace => {
                let text = OneSpace::new(self.text);
                records(&mut reader.from_reader(text).into_byte_records())
            }
        }
    }

    fn reading(&self, separator: Separator) -> Reading {
        let records = self.records(separator);
        let rows = match self.options.no_header {
            true => &records[..],
            false => records.get(1..).unwrap_or_default(),
        };
        let width = records.first().map_or(0, ByteRecord::len);
        let all = |count| rows.iter().all(|row| row.len() == count);
        let ends_empty = || rows.iter().all(|row| row.iter().next_back() == Some(b""));
        let shape = match width {
            1 if all(1) => Shape::Single,
            1.. if all(width) => Shape::Exact,
            1.. if !self.options.no_header && all(width + 1) && !ends_empty() => Shape::Labelled,
            _ => Shape::Ragged,
        };
        let mut reading = Reading {
            separator,
            shape,
            records: Vec::new(),
            numbers: 0,
            has_point: false,
            has_comma: false,
            has_either: None,
        };
        if shape != Shape::Ragged {
            let first = usize::from(shape == Shape::Labelled);
            let width = rows.first().map_or(0, ByteRecord::len);
            (first..width).for_each(|column| self.count(rows, column, &mut reading));
        }
        Reading { records, ..reading }
    }

    /// Counts the numbers of a column that holds nothing else.
    fn count(&self, rows: &[ByteRecord], column: usize, reading: &mut Reading) {
        let fields = || rows.iter().filter_map(|row| row.get(column));
        let mark = |byte| fields().any(|field| field.contains(&byte));
        let is_number = |field: &[u8]| classify_with(field, self.missing) != Field::Text;
        if !fields().all(|field| field.trim_ascii().is_empty()) && fields().all(is_number) {
            reading.numbers += rows.len();
            reading.has_point |= fields().any(|field| field.contains(&b'.') && field.len() > 1);
        } else if mark(b',') && fields().all(|field| is_number(&with_point(field))) {
            reading.numbers += rows.len();
            let mut with_comma = fields().filter(|field| field.contains(&b','));
            match with_comma.find(|field| !parts_thousands(field)) {
                Some(_) => reading.has_comma = true,
                None => {
                    let field = fields().find(|field| field.contains(&b','));
                    let field = field.unwrap_or_default().trim_ascii();
                    reading.has_either = Some(String::from_utf8_lossy(field).into_owned());
                }
            }
        }
    }
}

impl Reading {
    /// Whether several columns fit half of the rows at least.
    fn mostly_fits(&self) -> bool {
        let rows = self.records.iter().skip(1);
        let fitting = rows.filter(|row| row.len() == self.width()).count();
        self.width() > 1 && 2 * fitting + 1 >= self.records.len()
    }

    /// The share of fields that are numbers.
    fn share(&self) -> f64 {
        let fields: usize = self.records.iter().skip(1).map(ByteRecord::len).sum();
        self.numbers as f64 / fields.max(1) as f64
    }

    /// Fields of the first record.
    fn width(&self) -> usize {
        self.records.first().map_or(0, ByteRecord::len)
    }
}

/// A field with decimals after a comma as one with decimals after a point; what has a point already
/// is no number.
pub(super) fn with_point(field: &[u8]) -> Vec<u8> {
    let swapped = field.iter().map(|byte| match byte {
        b',' => b'.',
        b'.' if field.trim_ascii().len() > 1 => b',',
        byte => *byte,
    });
    swapped.collect()
}

/// Whether a comma in a number may part thousands: `1,234`, but not `0,234` or `12,5`.
fn parts_thousands(field: &[u8]) -> bool {
    let text = field.trim_ascii();
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let mut groups = digits.split(|byte| *byte == b',');
    let first = groups.next().unwrap_or_default();
    let is_digits = |group: &[u8]| group.iter().all(u8::is_ascii_digit);
    (1..=3).contains(&first.len())
        && first[0] != b'0'
        && is_digits(first)
        && groups.all(|group| group.len() == 3 && is_digits(group))
}

fn ambiguous(one: &Reading, other: &Reading) -> String {
    let told = |reading: &Reading| {
        let names = reading.records.iter().take(1).flatten();
        let names: Vec<_> = names.map(String::from_utf8_lossy).collect();
        let listed = list(names.iter().map(AsRef::as_ref));
        format!(
            "by {} ({} columns: {listed})",
            reading.separator,
            names.len()
        )
    };
    format!(
        "the columns may be separated {} or {}: say which, with --separator {} or --separator {}",
        told(one),
        told(other),
        one.separator.option(),
        other.separator.option()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialect(text: &str, expected: Option<Separator>) -> Result<Dialect, String> {
        let sample = Sample {
            text: text.as_bytes(),
            is_whole: true,
            options: TextOptions::default(),
            missing: &[],
        };
        sample.dialect(expected).map(|(dialect, _)| dialect)
    }

    #[test]
    fn the_separator_that_makes_equal_rows_is_meant() {
        let comma = Some(Separator::COMMA);
        for (text, expected, separator, decimal) in [
            ("a,b\n1,2\n", comma, Separator::COMMA, DecimalMark::Point),
            (
                "a;b\n1;2\n",
                comma,
                Separator::SEMICOLON,
                DecimalMark::Point,
            ),
            (
                "a;b\n1,5;2\n",
                comma,
                Separator::SEMICOLON,
                DecimalMark::Comma,
            ),
            (
                "a;b\n1,5;2.5\n",
                comma,
                Separator::SEMICOLON,
                DecimalMark::Point,
            ),
            ("a\tb\n1,5\t2\n", comma, Separator::TAB, DecimalMark::Comma),
            (
                "a  b\n 1 22\n",
                None,
                Separator::Whitespace,
                DecimalMark::Point,
            ),
            ("a b\nu v\n", comma, Separator::COMMA, DecimalMark::Point),
            (
                "a,b\nu;v,w;x\n",
                comma,
                Separator::COMMA,
                DecimalMark::Point,
            ),
            (
                "a;b\n1;2\n3\n",
                comma,
                Separator::SEMICOLON,
                DecimalMark::Point,
            ),
            ("a\n1\n", comma, Separator::COMMA, DecimalMark::Point),
        ] {
            let found = dialect(text, expected).expect(text);
            assert_eq!(
                (found.separator, found.decimal),
                (separator, decimal),
                "{text:?}"
            );
            assert!(!found.is_labelled, "{text:?}");
        }
    }

    #[test]
    fn what_is_ambiguous_is_refused_with_both_readings() {
        let told = dialect("a,b;c,d\n1,2;3,4\n", Some(Separator::COMMA)).unwrap_err();
        assert!(told.contains("3 columns: a, b;c, d"), "{told}");
        assert!(told.contains("2 columns: a,b, c,d"), "{told}");
        let told = dialect("a;b\n1,234;5\n2,500;6\n", Some(Separator::COMMA)).unwrap_err();
        assert!(told.contains("1.234") && told.contains("1234"), "{told}");
        assert!(dialect("a;b\n1,234;5\n2,50;6\n", Some(Separator::COMMA)).is_ok());
    }
}
