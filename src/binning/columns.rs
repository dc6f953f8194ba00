//! Columns of codes, dense or sparse.

use std::{mem, ops::Range};

use serde::{Deserialize, Serialize};

use crate::table::{Column, Table, Values};

/// The codes of a column, 0 … levels − 1, one for each of n observations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Codes {
    /// Codes of at most 256 levels.
    Byte(Vec<u8>),
    /// Codes of at most 65,536 levels.
    Word(Vec<u16>),
    /// The observations whose code is not the most frequent one.
    Sparse {
        /// Observations.
        n: usize,
        /// The code of every observation that has no entry.
        mode: u16,
        /// Observations of the entries, ascending.
        rows: Vec<u32>,
        /// The code of each entry, never `mode`.
        codes: Vec<u16>,
    },
}

impl Codes {
    /// Observations.
    pub fn n(&self) -> usize {
        match self {
            Self::Byte(codes) => codes.len(),
            Self::Word(codes) => codes.len(),
            Self::Sparse { n, .. } => *n,
        }
    }

    /// The codes as a message to other ranks: a byte for the variant, then its fields as
    /// little-endian integers.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.append_bytes(&mut bytes);
        bytes
    }

    pub(crate) fn append_bytes(&self, bytes: &mut Vec<u8>) {
        let words = |bytes: &mut Vec<u8>, codes: &[u16]| {
            bytes.extend(codes.iter().flat_map(|code| code.to_le_bytes()));
        };
        match self {
            Self::Byte(codes) => {
                bytes.push(0);
                bytes.extend_from_slice(codes);
            }
            Self::Word(codes) => {
                bytes.push(1);
                words(bytes, codes);
            }
            Self::Sparse {
                n,
                mode,
                rows,
                codes,
            } => {
                bytes.push(2);
                bytes.extend((*n as u64).to_le_bytes());
                bytes.extend(mode.to_le_bytes());
                bytes.extend(rows.iter().flat_map(|row| row.to_le_bytes()));
                words(bytes, codes);
            }
        }
    }

    /// Reads the message of [`to_bytes`](Self::to_bytes); `None` if it is damaged or not of n
    /// observations.
    pub(crate) fn from_bytes(bytes: &[u8], n: usize) -> Option<Self> {
        let words = |bytes: &[u8]| {
            let words = bytes.chunks_exact(2).map(|pair| [pair[0], pair[1]]);
            words.map(u16::from_le_bytes).collect::<Vec<u16>>()
        };
        let (kind, rest) = bytes.split_first()?;
        let codes = match kind {
            0 => Self::Byte(rest.to_vec()),
            1 => Self::Word(words(rest)),
            2 => {
                let (n, rest) = rest.split_first_chunk()?;
                let (mode, rest) = rest.split_first_chunk()?;
                let (rows, codes) = rest.split_at_checked(rest.len() / 6 * 4)?;
                let row = |four: &[u8]| Some(u32::from_le_bytes(four.try_into().ok()?));
                Self::Sparse {
                    n: u64::from_le_bytes(*n) as usize,
                    mode: u16::from_le_bytes(*mode),
                    rows: rows.chunks_exact(4).filter_map(row).collect(),
                    codes: words(codes),
                }
            }
            _ => return None,
        };
        (codes.n() == n).then_some(codes)
    }

    /// How many distinct codes occur. All codes are below `levels`; reading ends at the one that
    /// completes them.
    pub fn occurring(&self, levels: usize) -> usize {
        let (mut seen, mut unseen) = (vec![false; levels], levels);
        let mut complete = |code: u16| {
            unseen -= usize::from(!mem::replace(&mut seen[usize::from(code)], true));
            unseen == 0
        };
        let _ = match self {
            Self::Byte(codes) => codes.iter().any(|code| complete((*code).into())),
            Self::Word(codes) => codes.iter().any(|code| complete(*code)),
            Self::Sparse {
                n,
                mode,
                rows,
                codes,
            } => (rows.len() < *n && complete(*mode)) || codes.iter().any(|code| complete(*code)),
        };
        levels - unseen
    }

    /// The code of every observation.
    ///
    /// *Shapes:* n codes.
    pub fn dense(&self) -> Vec<u16> {
        match self {
            Self::Byte(codes) => codes.iter().map(|&code| u16::from(code)).collect(),
            Self::Word(codes) => codes.clone(),
            Self::Sparse {
                n,
                mode,
                rows,
                codes,
            } => {
                let mut dense = vec![*mode; *n];
                for (&row, &code) in rows.iter().zip(codes) {
                    dense[row as usize] = code;
                }
                dense
            }
        }
    }
}

/// A rule that codes values: what is needed to code new data as these were.
///
/// As JSON it is `{"numbers": […]}`, `{"texts": […]}` or `{"edges": […]}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    /// Each distinct number is a level; they ascend, and the code of a number is its position.
    Numbers(Vec<f64>),
    /// Each distinct text is a level; the code of a text is its position.
    Texts(Vec<String>),
    /// Ascending inner edges of bins: the code of a value is the number of edges not above it.
    Edges(Vec<f64>),
}

/// The code of missing values, which follows the codes of the levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MissingCode {
    /// Missing values are a level of their own.
    Level(u16),
    /// Missing values are no level: contingency tables of the column exclude these observations.
    Excluded(u16),
}

impl MissingCode {
    /// The code itself.
    pub fn code(self) -> u16 {
        match self {
            Self::Level(code) | Self::Excluded(code) => code,
        }
    }
}

/// One variable as codes.
#[derive(Debug, Clone, PartialEq)]
pub struct BinnedColumn {
    /// Its name in the file.
    pub name: String,
    /// Position in the file with the response taken out.
    pub index: usize,
    /// The number of levels, at most 65,536. Codes are below it, but for
    /// [`MissingCode::Excluded`], which equals it; some levels may not occur.
    pub levels: usize,
    /// The code of every observation.
    pub codes: Codes,
    /// The rule that made the codes.
    pub rule: Rule,
    /// The code of missing values, where the policy lets them stay and the column has any.
    pub missing: Option<MissingCode>,
}

impl BinnedColumn {
    /// A column whose codes another rank holds.
    pub(crate) fn remote(name: String, index: usize) -> Self {
        Self {
            name,
            index,
            levels: 1,
            codes: Codes::Byte(Vec::new()),
            rule: Rule::Edges(Vec::new()),
            missing: None,
        }
    }

    /// The code of the observations that contingency tables of this column exclude, if any.
    pub fn excluded_code(&self) -> Option<u16> {
        match self.missing {
            Some(MissingCode::Excluded(code)) => Some(code),
            Some(MissingCode::Level(_)) | None => None,
        }
    }
}

/// The candidates and the response as codes.
///
/// *Shapes:* p candidates of n codes each.
#[derive(Debug, Clone, PartialEq)]
pub struct BinnedColumns {
    /// Observations.
    pub n: usize,
    /// The candidates, in the file's order: constant and duplicate ones too.
    pub columns: Vec<BinnedColumn>,
    /// The response.
    pub response: BinnedColumn,
    /// The range of candidates whose codes this rank holds, where ranks partition them; `None`
    /// where one process holds all.
    pub local: Option<Range<usize>>,
}

/// What a column of codes takes beside its codes: its name, and a rule of some edges.
pub(crate) const PER_CODED_COLUMN: u64 = 280;

impl BinnedColumns {
    /// Bytes of the columns in memory.
    pub(crate) fn bytes(&self) -> u64 {
        let columns = self.columns.iter().chain([&self.response]);
        columns
            .map(|column| PER_CODED_COLUMN + column.codes.bytes())
            .sum()
    }
}

impl Codes {
    /// Bytes of the codes in memory.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes = match self {
            Self::Byte(codes) => codes.len(),
            Self::Word(codes) => size_of_val(&codes[..]),
            Self::Sparse { rows, codes, .. } => size_of_val(&rows[..]) + size_of_val(&codes[..]),
        };
        bytes as u64
    }
}

/// About the bytes of the columns of codes that a table becomes: a byte a value, or an entry's.
pub(crate) fn bytes_of_codes(table: &Table) -> u64 {
    let codes = |column: &Column| match &column.values {
        Values::Sparse { rows, .. } => {
            let sparse = rows.len() * (size_of::<u32>() + size_of::<u16>());
            sparse.min(table.rows) as u64
        }
        Values::Remote => 0,
        _ => table.rows as u64,
    };
    let columns = table.columns.iter();
    columns.map(|column| PER_CODED_COLUMN + codes(column)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinct_codes_are_counted() {
        let sparse = |n, codes: &[u16]| Codes::Sparse {
            n,
            mode: 1,
            rows: (0..codes.len() as u32).collect(),
            codes: codes.to_vec(),
        };
        for (codes, levels, distinct) in [
            (Codes::Byte(vec![2, 0, 2, 0]), 3, 2),
            (Codes::Byte(vec![2, 0, 1, 0, 2]), 3, 3),
            (Codes::Byte(Vec::new()), 3, 0),
            (Codes::Word(vec![299, 0, 299]), 300, 2),
            (sparse(3, &[0, 2]), 3, 3),
            (sparse(2, &[0, 2]), 3, 2),
            (sparse(9, &[]), 3, 1),
        ] {
            assert_eq!(codes.occurring(levels), distinct, "{codes:?}");
        }
    }

    #[test]
    fn codes_come_back_from_bytes() {
        let sparse = |rows: &[u32]| Codes::Sparse {
            n: 1 << 33,
            mode: 7,
            rows: rows.to_vec(),
            codes: rows.iter().map(|row| (row % 50_000) as u16).collect(),
        };
        for codes in [
            Codes::Byte(vec![0, 255, 3]),
            Codes::Byte(Vec::new()),
            Codes::Word(vec![0, 65_535, 256]),
            sparse(&[]),
            sparse(&[1, 70_000, u32::MAX]),
        ] {
            let (bytes, n) = (codes.to_bytes(), codes.n());
            assert_eq!(Codes::from_bytes(&bytes, n + 1), None);
            assert_eq!(Codes::from_bytes(&bytes, n), Some(codes));
        }
        assert_eq!(Codes::from_bytes(&[], 0), None);
        assert_eq!(Codes::from_bytes(&[2, 1], 0), None);
        assert_eq!(Codes::from_bytes(&[9], 0), None);
    }

    #[test]
    fn levels_that_occur_are_counted_however_codes_lie() {
        let sparse = |n, rows: &[u32], codes: &[u16]| Codes::Sparse {
            n,
            mode: 2,
            rows: rows.to_vec(),
            codes: codes.to_vec(),
        };
        for (codes, occurring) in [
            (Codes::Byte(vec![0, 4, 0, 4, 1]), 3),
            (Codes::Word(vec![300, 300]), 1),
            (Codes::Byte(Vec::new()), 0),
            (sparse(5, &[0, 3], &[0, 1]), 3),
            (sparse(5, &[], &[]), 1),
            (sparse(2, &[0, 1], &[0, 0]), 1),
        ] {
            assert_eq!(codes.occurring(301), occurring, "{codes:?}");
        }
    }
}
