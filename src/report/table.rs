//! Tables of a report: named columns over rows, aligned for a reader or as CSV. Pages show the
//! same tables.

use std::{borrow::Cow, collections::BTreeMap};

use comfy_table::{CellAlignment, presets::NOTHING};

use super::numbers::{first_names, p_value, printable, significant, when};
use crate::{selection::Truth, table::csv_field};

/// Missed true variables that are named; more are only counted.
const MISSED: usize = 20;

/// Stands where a number is absent.
pub(super) const ABSENT: &str = "–";

/// One field of a table.
#[derive(Debug, Clone)]
pub(super) enum Cell<'a> {
    Text(Cow<'a, str>),
    /// A text, and a shorter form of it that a reader sees.
    Short(String, String),
    /// A text that leads to a file beside the page.
    Link(&'a str, String),
    Count(u64),
    /// A number, if there is one, and how a reader sees it.
    Number(Option<f64>, Style),
}

/// How a number is written for a reader; files have all its digits.
#[derive(Debug, Clone, Copy)]
pub(super) enum Style {
    /// So many significant digits.
    Digits(usize),
    /// So many decimals.
    Decimals(usize),
    PValue,
    /// A text in place of the number.
    Word(&'static str),
}

pub(super) fn text<'a>(text: impl Into<Cow<'a, str>>) -> Cell<'a> {
    Cell::Text(text.into())
}

pub(super) fn count<'a>(count: usize) -> Cell<'a> {
    Cell::Count(count as u64)
}

/// A count, or nothing.
pub(super) fn position<'a>(index: Option<usize>) -> Cell<'a> {
    index.map_or_else(|| text(""), count)
}

/// A number to so many significant digits.
pub(super) fn number<'a>(number: impl Into<Option<f64>>, digits: usize) -> Cell<'a> {
    Cell::Number(number.into(), Style::Digits(digits))
}

/// A number whose digits a reader does not see: for files.
pub(super) fn exact<'a>(value: impl Into<Option<f64>>) -> Cell<'a> {
    number(value, 17)
}

/// A share of one, to three decimals.
pub(super) fn share<'a>(share: impl Into<Option<f64>>) -> Cell<'a> {
    Cell::Number(share.into(), Style::Decimals(3))
}

pub(super) fn probability<'a>(p: impl Into<Option<f64>>) -> Cell<'a> {
    Cell::Number(p.into(), Style::PValue)
}

impl Cell<'_> {
    /// The field as a reader sees it.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Text(text) => printable(text),
            Self::Link(text, _) => printable(text),
            Self::Short(_, short) => printable(short),
            Self::Count(count) => count.to_string(),
            Self::Number(_, Style::Word(word)) => (*word).to_owned(),
            Self::Number(None, _) => ABSENT.to_owned(),
            Self::Number(Some(number), Style::Digits(digits)) => significant(*number, *digits),
            Self::Number(Some(number), Style::Decimals(decimals)) => format!("{number:.decimals$}"),
            Self::Number(Some(number), Style::PValue) => p_value(*number),
        }
    }

    /// The field of a CSV file: nothing where a number is absent. `{:?}` is the shortest text that
    /// reads back to the same number.
    fn csv(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Link(text, _) => Cow::Borrowed(text),
            Self::Short(text, _) => Cow::Borrowed(text),
            Self::Count(count) => count.to_string().into(),
            Self::Number(number, _) => {
                number.map_or(Cow::default(), |number| format!("{number:?}").into())
            }
        }
    }

    /// The field among the data of a page: whole numbers have no point, and what is no number is
    /// absent.
    pub(super) fn data(&self) -> Cow<'_, str> {
        match self {
            Self::Number(Some(number), _) if !number.is_finite() => Cow::default(),
            Self::Number(Some(number), _) if number.fract() == 0.0 && number.abs() < 1e15 => {
                number.to_string().into()
            }
            _ => self.csv(),
        }
    }
}

/// Rows, and the columns that are made of each.
pub(super) struct Table<'a, T> {
    pub(super) rows: Vec<T>,
    pub(super) columns: Vec<Column<'a, T>>,
}

/// A column: its name, and its field of a row.
pub(super) struct Column<'a, T> {
    pub(super) name: Cow<'a, str>,
    pub(super) cell: Box<dyn Fn(&T) -> Cell<'a> + 'a>,
}

impl<'a, T> Table<'a, T> {
    pub(super) fn of(rows: impl IntoIterator<Item = T>) -> Self {
        Self {
            rows: rows.into_iter().collect(),
            columns: Vec::new(),
        }
    }

    pub(super) fn column(
        mut self,
        name: impl Into<Cow<'a, str>>,
        cell: impl Fn(&T) -> Cell<'a> + 'a,
    ) -> Self {
        let (name, cell) = (name.into(), Box::new(cell));
        self.columns.push(Column { name, cell });
        self
    }

    /// Adds a column that not every report has.
    pub(super) fn column_if(
        self,
        present: bool,
        name: impl Into<Cow<'a, str>>,
        cell: impl Fn(&T) -> Cell<'a> + 'a,
    ) -> Self {
        match present {
            true => self.column(name, cell),
            false => self,
        }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| &*column.name)
    }

    /// The fields of a row.
    pub(super) fn cells(&self, row: &T) -> impl Iterator<Item = Cell<'a>> {
        self.columns.iter().map(move |column| (column.cell)(row))
    }

    /// Lines without rules; numbers stand to the right, the columns `left` to the left.
    pub(super) fn aligned(&self, left: &[usize]) -> String {
        let mut table = comfy_table::Table::new();
        table.set_header(self.names());
        for row in &self.rows {
            table.add_row(self.cells(row).map(|cell| cell.shown()));
        }
        table.load_style(NOTHING);
        for (at, column) in table.column_iter_mut().enumerate() {
            column.set_padding((u16::from(at > 0), 1));
            column.set_cell_alignment(match left.contains(&at) {
                true => CellAlignment::Left,
                false => CellAlignment::Right,
            });
        }
        let text = table.to_string();
        text.lines()
            .flat_map(|line| [line.trim_end(), "\n"])
            .collect()
    }

    /// A line of names, and one a row.
    pub(super) fn csv(&self) -> String {
        self.lines(self.rows.len(), Cell::csv)
    }

    /// The data of a page: a line of names, and one for each of the first rows.
    pub(super) fn data(&self, rows: usize) -> String {
        self.lines(rows, Cell::data)
    }

    fn lines(&self, rows: usize, written: impl for<'c> Fn(&'c Cell<'a>) -> Cow<'c, str>) -> String {
        let names: Vec<_> = self.names().map(csv_field).collect();
        let mut lines = names.join(",") + "\n";
        for row in self.rows.iter().take(rows) {
            for (at, cell) in self.cells(row).enumerate() {
                lines += if at == 0 { "" } else { "," };
                lines += &csv_field(&written(&cell));
            }
            lines.push('\n');
        }
        lines
    }
}

/// Labels and their values, a line each.
pub(super) fn facts(rows: &[(&str, String)]) -> String {
    let line = |(label, value): &(&str, String)| format!("{label:<20} {}\n", printable(value));
    rows.iter().map(line).collect()
}

/// The fact how much of the true model was selected.
pub(super) fn truth(truth: &Truth) -> (&'static str, String) {
    let [psr, fdr] = [truth.psr, truth.fdr].map(|rate| significant(rate, 4));
    let (found, all) = (truth.found, truth.variables);
    let missed = truth.missed.iter().map(|name| printable(name));
    let missed = first_names(&missed.collect::<Vec<_>>(), MISSED);
    let missed = when(!truth.missed.is_empty(), &format!("; missed: {missed}")).to_owned();
    let rates = format!("{found} of {all} true variables found: PSR {psr}, FDR {fdr}{missed}");
    ("truth", rates)
}

/// The fact of what a selector told of its work.
pub(super) fn told(numbers: &BTreeMap<String, f64>) -> Option<(&'static str, String)> {
    let each = numbers
        .iter()
        .map(|(name, number)| format!("{name} = {number}"));
    let all = each.collect::<Vec<_>>().join(", ");
    (!all.is_empty()).then_some(("by the method", all))
}

/// Warnings, a line each.
pub(super) fn warnings(warnings: &[String]) -> String {
    let line = |warning: &String| format!("warning: {}\n", printable(warning));
    warnings.iter().map(line).collect()
}
