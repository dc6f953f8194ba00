//! Table → design matrix and response, at unit norm; and the way back.
//!
//! Every column is centred (with an intercept) and scaled to unit norm in f64,
//! so the search sees correlations and the intercept needs no column. What was
//! taken off is kept, for the report on the original scale.

use std::{collections::HashMap, path::Path};

use nalgebra::{DMatrix, DVector};
use pulp::Simd;
use thiserror::Error;

use crate::{
    device::Columns,
    nearest::{did_you_mean, nearest},
    selection::SetAside,
    table::{Column, Missing, Table, TableError, Values, is_npy},
    vector::{dot, product, vectorised},
};

/// Smallest number of observations: ln ln n is positive from 3 on.
const FEWEST_ROWS: usize = 3;

/// How a table becomes a design.
#[derive(Debug, Clone, Copy)]
pub struct DesignOptions<'a> {
    /// The response's column; none where the format names it.
    pub response: Option<&'a str>,
    /// Columns (or `column=level`) that every model holds.
    pub keep: &'a [String],
    /// Columns left out before anything else.
    pub drop: &'a [String],
    /// What to do about missing values.
    pub missing: Missing,
    /// Whether models have an intercept.
    pub intercept: bool,
}

impl Default for DesignOptions<'_> {
    fn default() -> Self {
        Self {
            response: None,
            keep: &[],
            drop: &[],
            missing: Missing::Refuse,
            intercept: true,
        }
    }
}

/// Why a table makes no design.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DesignError {
    /// No column was named as the response.
    #[error("{table} does not say which column is the response: name it with --response (columns: {})", list(.columns))]
    NoResponse {
        /// The table.
        table: String,
        /// Its columns.
        columns: Vec<String>,
    },
    /// An option names a column that is not there.
    #[error("{option} names `{name}`, which is no column of {table}{}", did_you_mean(.nearest))]
    UnknownColumn {
        /// The table.
        table: String,
        /// The option that names it.
        option: &'static str,
        /// The name.
        name: String,
        /// The most similar name there is.
        nearest: Option<String>,
    },
    /// The response is kept or dropped.
    #[error("`{name}` is the response: it cannot be in {option} too")]
    ResponseInList {
        /// The response.
        name: String,
        /// The option that names it.
        option: &'static str,
    },
    /// A column is both kept and dropped.
    #[error("`{name}` is in both --keep and --drop: take it out of one")]
    KeptAndDropped {
        /// The column.
        name: String,
    },
    /// The response is text.
    #[error("the response `{name}` holds text (`{level}`), where numbers must be")]
    TextResponse {
        /// The response.
        name: String,
        /// One of its levels.
        level: String,
    },
    /// The response never changes.
    #[error("the response `{name}` is constant ({value}): there is nothing to explain")]
    ConstantResponse {
        /// The response.
        name: String,
        /// Its only value.
        value: f64,
    },
    /// Squares of the response leave the range of f64.
    #[error(
        "the response `{name}` has norm {norm:e}, whose square f64 cannot hold: change its unit"
    )]
    ResponseScale {
        /// The response.
        name: String,
        /// Its norm about its mean.
        norm: f64,
    },
    /// A variable is the response again.
    #[error(
        "`{name}` is the response `{response}` again, up to scale: leave it out with --drop {name}"
    )]
    ResponseCopied {
        /// The response.
        response: String,
        /// The variable.
        name: String,
    },
    /// Missing values that the policy refuses, or none left.
    #[error(transparent)]
    Missing(#[from] TableError),
    /// Too few observations.
    #[error("{table} has {n} observations: at least {FEWEST_ROWS} are needed")]
    FewRows {
        /// The table.
        table: String,
        /// Observations, after dropping rows.
        n: usize,
    },
    /// No variable is left to choose from.
    #[error("{table} has no variable to choose from beside the response `{response}`{}", if *.set_aside == 0 { String::new() } else { format!(": {set_aside} were set aside, being constant or duplicates") })]
    NoVariables {
        /// The table.
        table: String,
        /// The response.
        response: String,
        /// Variables set aside.
        set_aside: usize,
    },
    /// A factor with a level of its own for every observation.
    #[error(
        "the text column `{name}` has a level of its own in each of {n} rows, like an identifier: leave it out with --drop {name}"
    )]
    Identifier {
        /// The column.
        name: String,
        /// Observations.
        n: usize,
    },
    /// More than fits into memory.
    #[error(
        "{table} makes a design matrix of {n} × {p}, more than fits into memory; most of it may come from `{widest}`"
    )]
    TooLarge {
        /// The table.
        table: String,
        /// Observations.
        n: usize,
        /// Variables, factors as their dummies.
        p: usize,
        /// The column with most of them.
        widest: String,
    },
    /// A value that is no number.
    #[error("{table}: {value} in row {row} of column `{name}` is not a finite number")]
    NotFinite {
        /// The table.
        table: String,
        /// The column.
        name: String,
        /// 1-based observation.
        row: usize,
        /// The value.
        value: f64,
    },
    /// A kept column cannot be in a model.
    #[error("--keep names `{name}`, which is {reason} and cannot be in a model")]
    KeptSetAside {
        /// The column.
        name: String,
        /// Why it was set aside.
        reason: String,
    },
    /// Names that do not fit the matrix.
    #[error("{names} names for {columns} columns: X needs one a column")]
    Names {
        /// Names given.
        names: usize,
        /// Columns of X.
        columns: usize,
    },
    /// Matrices whose shapes do not fit.
    #[error("X is {rows} × {columns} and y has {y} values: y needs one a row")]
    Shape {
        /// Rows of X.
        rows: usize,
        /// Columns of X.
        columns: usize,
        /// Length of y.
        y: usize,
    },
}

fn list(names: &[String]) -> String {
    const MOST: usize = 8;
    let mut text = names
        .iter()
        .take(MOST)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > MOST {
        text += &format!(", … {} more", names.len() - MOST);
    }
    text
}

/// One candidate variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// The column's name; `column=level` for a dummy of a factor.
    pub name: String,
    /// 0-based position of its column in the file, the response taken out.
    pub index: usize,
    /// What was subtracted: the mean, or 0 without an intercept.
    pub mean: f64,
    /// What was divided by: the norm about the mean.
    pub norm: f64,
}

/// The design matrix and the response, both at unit norm.
#[derive(Debug, Clone)]
pub struct Design {
    n: usize,
    /// n × p, column-major.
    x: Vec<f64>,
    y: Vec<f64>,
    variables: Vec<Variable>,
    response: Variable,
    keep: Vec<u32>,
    set_aside: Vec<SetAside>,
    intercept: bool,
    warnings: Vec<String>,
}

impl Design {
    /// Takes the response out of a table, applies the missing-value policy,
    /// codes factors by dummies against their first level, sets constant
    /// columns and exact duplicates aside, and brings the rest to unit norm.
    ///
    /// # Errors
    /// See [`DesignError`]: each names the table, the column and the mend.
    pub fn from_table(mut table: Table, options: &DesignOptions) -> Result<Self, DesignError> {
        let response = response_of(&table, options)?;
        let response_name = table.columns[response].name.clone();
        for (option, list) in [("--drop", options.drop), ("--keep", options.keep)] {
            check_names(&table, option, list, response)?;
        }
        if let Some(name) = options.keep.iter().find(|name| options.drop.contains(name)) {
            return Err(DesignError::KeptAndDropped { name: name.clone() });
        }
        let stays = |c: &Column| !options.drop.contains(&c.name);
        let positions = table.columns.iter().enumerate();
        let positions: Vec<usize> = positions
            .filter(|(_, c)| stays(c))
            .map(|(i, _)| i)
            .collect();
        table.columns.retain(stays);
        let rows = table.rows;
        let dropped = table.handle_missing(options.missing)?;
        let mut warnings = Vec::new();
        if dropped > 0 {
            warnings.push(format!(
                "{dropped} of {rows} rows were dropped for missing values"
            ));
        }
        let n = table.rows;
        if n < FEWEST_ROWS {
            return Err(DesignError::FewRows {
                table: table.source,
                n,
            });
        }
        let mut builder = Builder::new(n, &table, options)?;
        let mut taken = None;
        for (at, column) in positions.into_iter().zip(table.columns) {
            if at == response {
                taken = Some(column);
            } else {
                builder.push(column, at - usize::from(at > response))?;
            }
        }
        let mut design = builder.finish(taken, &response_name)?;
        design.warnings = warnings;
        Ok(design)
    }

    /// From a caller's matrices: x is n × p, y has n values. Names default to
    /// `x0`, `x1`, ….
    ///
    /// # Errors
    /// As [`from_table`](Self::from_table); shapes that do not fit.
    pub fn from_matrices(
        x: &DMatrix<f64>,
        y: &DVector<f64>,
        names: Option<&[&str]>,
    ) -> Result<Self, DesignError> {
        if let Some(names) = names.filter(|names| names.len() != x.ncols()) {
            return Err(DesignError::Names {
                names: names.len(),
                columns: x.ncols(),
            });
        }
        if y.len() != x.nrows() {
            return Err(DesignError::Shape {
                rows: x.nrows(),
                columns: x.ncols(),
                y: y.len(),
            });
        }
        let name = |j: usize| names.map_or_else(|| format!("x{j}"), |names| names[j].to_owned());
        let column = |name, values: &[f64]| Column {
            name,
            values: Values::Numbers(values.to_vec()),
        };
        let mut columns = vec![column("y".to_owned(), y.as_slice())];
        columns.extend(
            x.column_iter()
                .enumerate()
                .map(|(j, values)| column(name(j), values.as_slice())),
        );
        let table = Table {
            source: "the matrices".to_owned(),
            columns,
            rows: x.nrows(),
            response: Some(0),
        };
        Self::from_table(table, &DesignOptions::default())
    }

    /// Observations.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Candidate variables.
    pub fn p(&self) -> usize {
        self.variables.len()
    }

    /// X at unit norm, n × p.
    pub fn columns(&self) -> Columns<'_> {
        Columns::new(&self.x, self.n)
    }

    /// y at unit norm, n values.
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// The candidates, by column.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The response's name and scale.
    pub fn response(&self) -> &Variable {
        &self.response
    }

    /// Total sum of squares of the response, on its own scale.
    pub fn tss(&self) -> f64 {
        self.response.norm * self.response.norm
    }

    /// Columns in every model, ascending.
    pub fn keep(&self) -> &[u32] {
        &self.keep
    }

    /// What never was a candidate, and why.
    pub fn set_aside(&self) -> &[SetAside] {
        &self.set_aside
    }

    /// Whether models have an intercept.
    pub fn intercept(&self) -> bool {
        self.intercept
    }

    /// What the reader should know of the preparation.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// Which column is the response.
fn response_of(table: &Table, options: &DesignOptions) -> Result<usize, DesignError> {
    let named = options.response.map(|name| (name, table.position(name)));
    match (named, table.response) {
        (Some((_, Some(at))), _) => Ok(at),
        // The reader has read it: the second file of `.npy`.
        (Some((name, None)), Some(at)) if is_npy(Path::new(name)) => Ok(at),
        (Some((name, None)), _) => Err(unknown(table, "--response", name)),
        (None, Some(at)) => Ok(at),
        (None, None) => Err(DesignError::NoResponse {
            table: table.source.clone(),
            columns: table.columns.iter().map(|c| c.name.clone()).collect(),
        }),
    }
}

fn unknown(table: &Table, option: &'static str, name: &str) -> DesignError {
    let names = table.columns.iter().map(|c| c.name.as_str());
    DesignError::UnknownColumn {
        table: table.source.clone(),
        option,
        name: name.to_owned(),
        nearest: nearest(name, names).map(str::to_owned),
    }
}

/// Every name of a list must be a column; one of `--keep` may be a dummy.
fn check_names(
    table: &Table,
    option: &'static str,
    list: &[String],
    response: usize,
) -> Result<(), DesignError> {
    for name in list {
        match table.position(name) {
            Some(at) if at == response => {
                return Err(DesignError::ResponseInList {
                    name: name.clone(),
                    option,
                });
            }
            Some(_) => {}
            None if option == "--keep" && names_a_level(table, name) => {}
            None => return Err(unknown(table, option, name)),
        }
    }
    Ok(())
}

/// Whether a name is `column=level` for a level that has a dummy.
fn names_a_level(table: &Table, name: &str) -> bool {
    table.columns.iter().any(|column| match &column.values {
        Values::Factor { levels, .. } => levels
            .iter()
            .skip(1)
            .any(|level| dummy_name(&column.name, level) == name),
        Values::Numbers(_) => false,
    })
}

fn dummy_name(column: &str, level: &str) -> String {
    format!("{column}={level}")
}

/// Gathers columns at unit norm.
struct Builder<'a> {
    n: usize,
    table: String,
    options: DesignOptions<'a>,
    x: Vec<f64>,
    /// Of each gathered column, whether it is kept.
    variables: Vec<(Variable, bool)>,
    set_aside: Vec<SetAside>,
}

impl<'a> Builder<'a> {
    /// Makes room for every column, or says that there is none.
    fn new(n: usize, table: &Table, options: &DesignOptions<'a>) -> Result<Self, DesignError> {
        let width = |column: &Column| match &column.values {
            Values::Numbers(_) => 1,
            // An identifier is refused when its turn comes.
            Values::Factor { levels, .. } if levels.len() >= n => 0,
            Values::Factor { levels, .. } => levels.len() - 1,
        };
        let p = table.columns.iter().map(width).sum::<usize>();
        let mut x = Vec::new();
        let room = n.checked_mul(p).map(|values| x.try_reserve_exact(values));
        if !matches!(room, Some(Ok(()))) {
            let widest = table.columns.iter().max_by_key(|column| width(column));
            return Err(DesignError::TooLarge {
                table: table.source.clone(),
                n,
                p,
                widest: widest.map_or_else(String::new, |column| column.name.clone()),
            });
        }
        Ok(Self {
            n,
            table: table.source.clone(),
            options: *options,
            x,
            variables: Vec::new(),
            set_aside: Vec::new(),
        })
    }

    /// Takes up a column, a factor as its dummies.
    fn push(&mut self, column: Column, index: usize) -> Result<(), DesignError> {
        let name = column.name;
        let kept = self.options.keep.contains(&name);
        match column.values {
            Values::Numbers(values) => self.push_numbers(name, index, kept, &values),
            Values::Factor { levels, codes } => {
                // Dropping rows may have emptied levels: the first that
                // occurs is the one the others are compared with.
                let mut used = vec![false; levels.len()];
                for &code in &codes {
                    used[code as usize] = true;
                }
                let present: Vec<usize> = (0..levels.len()).filter(|&l| used[l]).collect();
                if present.len() == self.n {
                    return Err(DesignError::Identifier { name, n: self.n });
                }
                if present.len() == 1 {
                    return self.put_aside(name, kept, "constant".to_owned());
                }
                for &level in &present[1..] {
                    let dummy = dummy_name(&name, &levels[level]);
                    let kept = kept || self.options.keep.contains(&dummy);
                    let values: Vec<f64> = codes
                        .iter()
                        .map(|&code| f64::from(u8::from(code as usize == level)))
                        .collect();
                    self.push_numbers(dummy, index, kept, &values)?;
                }
                Ok(())
            }
        }
    }

    fn push_numbers(
        &mut self,
        name: String,
        index: usize,
        kept: bool,
        values: &[f64],
    ) -> Result<(), DesignError> {
        self.check_finite(&name, values)?;
        let start = self.x.len();
        self.x.extend_from_slice(values);
        match standardise(&mut self.x[start..], self.options.intercept) {
            Some((mean, norm)) => {
                let variable = Variable {
                    name,
                    index,
                    mean,
                    norm,
                };
                self.variables.push((variable, kept));
                Ok(())
            }
            None => {
                self.x.truncate(start);
                self.put_aside(name, kept, "constant".to_owned())
            }
        }
    }

    fn put_aside(&mut self, name: String, kept: bool, reason: String) -> Result<(), DesignError> {
        if kept {
            return Err(DesignError::KeptSetAside { name, reason });
        }
        self.set_aside.push(SetAside { name, reason });
        Ok(())
    }

    fn check_finite(&self, name: &str, values: &[f64]) -> Result<(), DesignError> {
        match values.iter().position(|v| !v.is_finite()) {
            None => Ok(()),
            Some(row) => Err(DesignError::NotFinite {
                table: self.table.clone(),
                name: name.to_owned(),
                row: row + 1,
                value: values[row],
            }),
        }
    }

    fn finish(mut self, response: Option<Column>, name: &str) -> Result<Design, DesignError> {
        let mut y = match response.map(|column| column.values) {
            Some(Values::Numbers(values)) => values,
            Some(Values::Factor { levels, .. }) => {
                return Err(DesignError::TextResponse {
                    name: name.to_owned(),
                    level: levels.into_iter().next().unwrap_or_default(),
                });
            }
            None => Vec::new(),
        };
        self.check_finite(name, &y)?;
        let value = y[0];
        let (mean, norm) = standardise(&mut y, self.options.intercept).ok_or_else(|| {
            DesignError::ConstantResponse {
                name: name.to_owned(),
                value,
            }
        })?;
        if !(norm * norm).is_normal() {
            return Err(DesignError::ResponseScale {
                name: name.to_owned(),
                norm,
            });
        }
        self.check_kept()?;
        self.refuse_copies(name, &y)?;
        self.set_duplicates_aside()?;
        if self.variables.is_empty() {
            return Err(DesignError::NoVariables {
                table: self.table,
                response: name.to_owned(),
                set_aside: self.set_aside.len(),
            });
        }
        let keep = (0u32..)
            .zip(&self.variables)
            .filter(|(_, (_, kept))| *kept)
            .map(|(j, _)| j)
            .collect();
        Ok(Design {
            n: self.n,
            x: self.x,
            y,
            variables: self.variables.into_iter().map(|(v, _)| v).collect(),
            response: Variable {
                name: name.to_owned(),
                index: 0,
                mean,
                norm,
            },
            keep,
            set_aside: self.set_aside,
            intercept: self.options.intercept,
            warnings: Vec::new(),
        })
    }

    /// Every kept name must have become a variable: rows that were dropped may
    /// have taken a level with them, or made it the one others compare with.
    fn check_kept(&self) -> Result<(), DesignError> {
        let absent = self.options.keep.iter().find(|name| {
            let dummy = format!("{name}=");
            let is = |v: &Variable| v.name == **name || v.name.starts_with(&dummy);
            !self.variables.iter().any(|(v, kept)| *kept && is(v))
        });
        match absent {
            None => Ok(()),
            Some(name) => Err(DesignError::KeptSetAside {
                name: name.clone(),
                reason: "not among the variables once columns and rows are dropped".to_owned(),
            }),
        }
    }

    /// A column that is the response itself would be chosen alone, and always.
    fn refuse_copies(&self, response: &str, y: &[f64]) -> Result<(), DesignError> {
        let copy = self.x.chunks(self.n).position(|x| {
            // What of y a multiple of x leaves: nothing but rounding?
            let c = product(x, y);
            let rest = x.iter().zip(y).map(|(x, y)| (y - c * x).powi(2));
            c.abs() > 0.5 && rest.sum::<f64>() <= 16.0 * self.n as f64 * f64::EPSILON.powi(2)
        });
        match copy {
            None => Ok(()),
            Some(j) => Err(DesignError::ResponseCopied {
                response: response.to_owned(),
                name: self.variables[j].0.name.clone(),
            }),
        }
    }

    /// Of columns equal value by value, only the first stays; a kept one
    /// before others.
    fn set_duplicates_aside(&mut self) -> Result<(), DesignError> {
        let n = self.n;
        // Equal columns have equal means and norms, bit for bit.
        let mut seen: HashMap<[u64; 2], Vec<usize>> = HashMap::new();
        let mut order: Vec<usize> = (0..self.variables.len()).collect();
        order.sort_by_key(|&j| !self.variables[j].1);
        let mut original: Vec<Option<usize>> = vec![None; order.len()];
        for j in order {
            let (variable, _) = &self.variables[j];
            let key = [variable.mean.to_bits(), variable.norm.to_bits()];
            let twins = seen.entry(key).or_default();
            original[j] = twins
                .iter()
                .copied()
                .find(|&i| self.x[i * n..][..n] == self.x[j * n..][..n]);
            if original[j].is_none() {
                twins.push(j);
            }
        }
        if original.iter().all(Option::is_none) {
            return Ok(());
        }
        let variables = std::mem::take(&mut self.variables);
        let names: Vec<String> = variables.iter().map(|(v, _)| v.name.clone()).collect();
        let mut x = Vec::with_capacity(self.x.len());
        for (j, (variable, kept)) in variables.into_iter().enumerate() {
            match original[j] {
                Some(i) => {
                    let reason = format!("duplicate of {}", names[i]);
                    self.put_aside(variable.name, kept, reason)?;
                }
                None => {
                    x.extend_from_slice(&self.x[j * n..][..n]);
                    self.variables.push((variable, kept));
                }
            }
        }
        self.x = x;
        Ok(())
    }
}

vectorised! {
    fn standardise<'a>(values: &'a mut [f64], intercept: bool) -> Option<(f64, f64)>
        = standardise_body;
}

/// Centres (with an intercept) and scales values to unit norm in place; their
/// mean and norm, or none if they are constant to working precision (without
/// an intercept: all zero).
#[inline(always)]
fn standardise_body<S: Simd>(simd: S, values: &mut [f64], intercept: bool) -> Option<(f64, f64)> {
    let n = values.len() as f64;
    let mut largest = 0.0;
    for v in &*values {
        largest = if v.abs() > largest { v.abs() } else { largest };
    }
    if largest == 0.0 {
        return None;
    }
    // Squares of extreme values leave the range of f64; a power of two takes
    // them back without rounding.
    let mut scale = 1.0;
    if !(1e-100..1e100).contains(&largest) {
        scale = 2f64.powi(-(largest.log2().clamp(-1000.0, 1000.0) as i32));
        for v in values.iter_mut() {
            *v *= scale;
        }
    }
    let mut mean = 0.0;
    if intercept {
        // The second pass takes off what rounding left in the first mean.
        for _ in 0..2 {
            let part = sum(values) / n;
            for v in values.iter_mut() {
                *v -= part;
            }
            mean += part;
        }
    }
    let norm = dot(simd, values, values).sqrt();
    if norm <= 4.0 * f64::EPSILON * n.sqrt() * largest * scale {
        return None;
    }
    for v in values.iter_mut() {
        *v /= norm;
    }
    Some((mean / scale, norm / scale))
}

/// Σ v in a fixed order.
#[inline(always)]
fn sum(values: &[f64]) -> f64 {
    let (eights, rest) = values.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for eight in eights {
        for lane in 0..8 {
            sums[lane] += eight[lane];
        }
    }
    let mut sum = 0.0;
    for part in sums.iter().chain(rest) {
        sum += part;
    }
    sum
}
