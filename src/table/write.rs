//! A table to a file, in the formats that [`read`](super::read) takes: delimited text and `.dat`.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::{Compression, GzBuilder};

use super::error::as_given;
use super::head::MARK;
use super::source::is_gzip;
use super::{Column, Format, MISSING, Table, TableError, Values, names};

/// The comment of a compressed file, by which passel knows what it wrote without unpacking it.
pub(crate) const GZIP_COMMENT: &str = "passel simulate";

/// The format of a file to be written, which its name says.
#[derive(Debug, Clone, Copy)]
pub struct OutputFormat {
    layout: Layout,
    gzip: bool,
}

#[derive(Debug, Clone, Copy)]
enum Layout {
    Delimited(u8),
    Dat,
}

impl OutputFormat {
    /// The format of `name.csv`, `name.tsv` or `name.dat`, compressed if `.gz` follows.
    ///
    /// # Errors
    /// [`TableError::UnknownFormat`] for any other name.
    pub fn of(path: &Path) -> Result<Self, TableError> {
        let layout = match Format::of(path) {
            Some((_, "csv")) => Layout::Delimited(b','),
            Some((_, "tsv")) => Layout::Delimited(b'\t'),
            Some((_, "dat")) => Layout::Dat,
            _ => {
                return Err(TableError::UnknownFormat {
                    mend: "",
                    path: as_given(path),
                    endings:
                        ".csv, .tsv or .dat, each optionally followed by .gz; simulated genotypes \
                              also in .bed"
                            .to_owned(),
                });
            }
        };
        let gzip = is_gzip(path);
        Ok(Self { layout, gzip })
    }

    /// Writes the table row by row, each number as short as it reads back the same. `command`
    /// is what made it, without `passel`; it and the true variables stand above the rows.
    ///
    /// A `.dat` has neither names nor levels: its response comes first, then `x0`, `x1`, ….
    ///
    /// # Errors
    /// An error of the sink, or a factor, which a `.dat` cannot hold.
    pub fn write(self, table: &Table, command: &str, sink: impl Write) -> io::Result<()> {
        let mut sink = BufWriter::with_capacity(1 << 16, sink);
        if self.gzip {
            let packed = GzBuilder::new().comment(GZIP_COMMENT);
            let mut packed = packed.write(&mut sink, Compression::default());
            self.write_plain(table, command, &mut packed)?;
            packed.finish()?;
        } else {
            self.write_plain(table, command, &mut sink)?;
        }
        sink.flush()
    }

    fn write_plain(self, table: &Table, command: &str, sink: &mut dyn Write) -> io::Result<()> {
        writeln!(sink, "{MARK}{command}")?;
        match self.layout {
            Layout::Delimited(delimiter) => delimited(table, delimiter, sink),
            Layout::Dat => dat(table, sink),
        }
    }
}

fn delimited(table: &Table, delimiter: u8, sink: &mut dyn Write) -> io::Result<()> {
    if !table.truth.is_empty() {
        let truth = table.truth.iter().map(|at| &*table.columns[*at].name);
        writeln!(sink, "{MARK}truth {}", names::list(truth))?;
    }
    let mut writer = csv::WriterBuilder::new()
        .delimiter(delimiter)
        .from_writer(sink);
    let names = table.columns.iter();
    writer.write_record(names.map(|column| names::guarded(&column.name).into_owned()))?;
    let mut text = String::new();
    for row in 0..table.rows {
        for column in &table.columns {
            text.clear();
            cell(column, row, &mut text);
            writer.write_field(&text)?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush()
}

fn dat(table: &Table, sink: &mut dyn Write) -> io::Result<()> {
    let number = |column: &Column| !matches!(column.values, Values::Factor { .. });
    if !table.columns.iter().all(number) {
        let what = "a factor has no place in a .dat";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    let response = table.response.unwrap_or(0);
    let variables = |at: &usize| *at != response;
    let order: Vec<usize> = (0..table.columns.len()).filter(variables).collect();
    let mut line = format!("simulated\n{} {}\n*", table.rows, order.len());
    for at in &order {
        line += match table.truth.binary_search(at) {
            Ok(_) => "\t1",
            Err(_) => "\t0",
        };
    }
    for row in 0..table.rows {
        line.push('\n');
        cell(&table.columns[response], row, &mut line);
        for at in &order {
            line.push('\t');
            cell(&table.columns[*at], row, &mut line);
        }
        sink.write_all(line.as_bytes())?;
        line.clear();
    }
    sink.write_all(b"\n")
}

fn cell(column: &Column, row: usize, text: &mut String) {
    match &column.values {
        Values::Numbers(values) => number(values[row], text),
        Values::Sparse { rows, values } => {
            let entry = rows.binary_search(&(row as u32));
            number(entry.map_or(0.0, |entry| values[entry]), text);
        }
        bytes @ (Values::Bytes(values) | Values::Gapped(values)) => {
            number(bytes.byte_to_number()(values[row]), text);
        }
        Values::Genotypes(genotypes) => number(genotypes.copies(row), text),
        Values::Factor { codes, .. } if codes[row] == MISSING => text.push_str("NA"),
        Values::Factor { levels, codes } => {
            text.push_str(&names::guarded(&levels[codes[row] as usize]));
        }
        Values::Remote => {}
    }
}

fn number(value: f64, text: &mut String) {
    if value.is_nan() {
        text.push_str("NA");
    } else {
        // The shortest digits that read back the same; writing to a String cannot fail.
        let _ = write!(text, "{value}");
    }
}
