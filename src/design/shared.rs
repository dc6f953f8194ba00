//! Columns that the designs of several responses share, and what each response adds to them.

use std::sync::Arc;

use super::{
    Columns, Design, DesignError, DesignOptions, Making, NO_INTERCEPT, Variable,
    builder::is_copy,
    family::{self, BesideResponse},
    names::NamedColumns,
    response::caution,
    response_levels::ResponseLevels,
    standardise::standardise,
    survival,
};
use crate::{
    family::Distribution,
    formula::quoted_name,
    interrupt::Interrupt,
    table::{Column, DroppedRows, Table, TableError, TrueVariable},
};

/// Columns between two looks at the interrupt.
const LOOK_EVERY: usize = 1024;

/// The columns of a design, made of a table without one of its responses: a [`ResponseColumn`] of the same rows makes
/// a [`Design`] of them, and all these designs have the columns in common.
#[derive(Debug, Clone)]
pub(crate) struct DesignColumns {
    /// Without its response.
    pub(super) design: Design,
    /// The position among the candidates of the response by which the indexes of its variables count.
    pub(super) index: usize,
    pub(super) beside: BesideResponse,
    /// The weights of a likelihood, as the file has them.
    pub(super) weights: Vec<f64>,
    /// What the table is called.
    pub(super) table: String,
    /// The rows that were left out because they miss values, of the response that the rows went by among others.
    pub(super) dropped: DroppedRows,
    pub(super) rows_by: String,
    /// What is said of the table, and of rows without weight.
    pub(super) of_table: Vec<String>,
    pub(super) of_weights: Option<String>,
}

/// The column of a response, as the table has it.
#[derive(Debug)]
pub(crate) struct ResponseColumn {
    pub(super) column: Column,
    /// Its position among the candidates.
    pub(super) index: usize,
    pub(super) truth: Vec<TrueVariable>,
    /// What is said of the marks of true variables.
    pub(super) doubts: Vec<String>,
}

impl ResponseColumn {
    /// The responses of a table in columns at these places. The options name one of them and drop the others.
    ///
    /// # Errors
    /// Columns that the options name and the table lacks.
    pub(crate) fn of_table(
        table: &Table,
        places: &[usize],
        options: &DesignOptions,
    ) -> Result<Vec<Self>, DesignError> {
        let beside = NamedColumns::of(table, options, false)?.beside();
        let places = places.iter();
        Ok(places.map(|at| Self::of(table, *at, &beside)).collect())
    }

    /// Responses beside a table, each as if it alone stood behind the columns of the table. The options name the first.
    ///
    /// # Errors
    /// As [`of_table`](Self::of_table).
    pub(crate) fn of_columns(
        table: &mut Table,
        columns: Vec<Column>,
        options: &DesignOptions,
    ) -> Result<Vec<Self>, DesignError> {
        let (place, mut beside) = (table.columns.len(), None);
        let mut all = Vec::with_capacity(columns.len());
        for column in columns {
            table.columns.push(column);
            let beside = match &beside {
                Some(beside) => beside,
                None => beside.insert(NamedColumns::of(table, options, false)?.beside()),
            };
            all.push(Self::of(table, place, beside));
            table.columns.pop();
        }
        Ok(all)
    }

    pub(super) fn of(table: &Table, at: usize, beside: &[Option<usize>; 8]) -> Self {
        let (truth, doubts) = table.true_variables(at, beside);
        Self {
            column: table.columns[at].detached(),
            index: at - beside.iter().flatten().filter(|own| **own < at).count(),
            truth,
            doubts,
        }
    }

    /// The column, as the table has it.
    pub(crate) fn column(&self) -> &Column {
        &self.column
    }

    pub(crate) fn name(&self) -> &str {
        &self.column.name
    }

    /// The rows of the table that miss the response.
    pub(crate) fn missing_rows(&self, rows: usize) -> Vec<usize> {
        self.column.missing_rows(rows)
    }
}

impl DesignColumns {
    /// Makes the columns of a table; the response that the options name decides, with all else that they use, which rows
    /// are left out.
    ///
    /// # Errors
    /// As [`Design::from_table`].
    pub(crate) fn of(
        table: Table,
        options: &DesignOptions,
        making: Making,
    ) -> Result<Self, DesignError> {
        let (columns, _) = Self::from_partitioned_table(table, options, making, None)?;
        Ok(columns)
    }

    /// Bytes of X, as it is held.
    pub(crate) fn matrix_bytes(&self) -> u64 {
        self.design.matrix_bytes()
    }

    /// The columns themselves.
    pub(crate) fn columns(&self) -> Columns<'_> {
        self.design.columns()
    }

    /// The design of a response of the same table that misses values in the same rows as the one by which the columns
    /// were made.
    ///
    /// # Errors
    /// As [`Design::from_table`]: those of the response.
    pub(crate) fn design(
        &self,
        response: &ResponseColumn,
        options: &DesignOptions,
        interrupt: &Interrupt,
    ) -> Result<Design, DesignError> {
        let column = match &*self.design.rows {
            [] => response.column.clone(),
            rows => response.column.select_rows(rows),
        };
        let response = ResponseColumn {
            column,
            index: response.index,
            truth: response.truth.clone(),
            doubts: response.doubts.clone(),
        };
        self.clone().with_response(response, options, interrupt)
    }

    /// The design of a response, whose column has the rows that were not left out.
    pub(super) fn with_response(
        self,
        response: ResponseColumn,
        options: &DesignOptions,
        interrupt: &Interrupt,
    ) -> Result<Design, DesignError> {
        let Self {
            mut design,
            index: own_index,
            mut beside,
            weights,
            table,
            mut dropped,
            rows_by,
            of_table,
            of_weights,
        } = self;
        let ResponseColumn {
            column,
            index,
            truth,
            doubts,
        } = response;
        let name = column.name.clone();
        let (kind, n) = (&options.kind, design.n);
        let is_normal = kind.family.distribution() == Distribution::Gaussian;
        let mut levels = Vec::new();
        let (mut y, event) = match kind.event {
            None if kind.family.has_levels() => {
                let own = ResponseLevels::of(column, n, kind)?;
                levels = own.levels;
                (own.codes, None)
            }
            None => family::response(Some(column), n, kind)?,
            Some(_) => (survival::times(Some(column), n)?, beside.event_level.take()),
        };
        dropped.rename(&rows_by, &name);
        let mut warnings = of_table;
        warnings.extend(doubts);
        warnings.extend(dropped.warning());
        warnings.extend(of_weights);
        if let (true, Some(offset)) = (is_normal, kind.offset) {
            let pairs = y.iter_mut().zip(&beside.offset);
            pairs.for_each(|(y, offset)| *y -= offset);
            warnings.push(format!("the offset {offset} is taken off the response"));
        }
        warnings.append(&mut design.warnings);
        design.warnings = warnings;
        design.take_response((name, &table), &y, is_normal, interrupt)?;
        if !options.intercept && design.factors.len() > 1 {
            design.warnings.push(NO_INTERCEPT.to_owned());
        }
        design.count_without(own_index, index);
        design.truth = truth;
        design.event = event;
        design.response_levels = levels;
        if let Some(failures) = kind.failures {
            let names = [&*design.response.name, failures].map(quoted_name);
            design.name_events_and_failures(&names);
        }
        if !is_normal {
            let kind = (kind.family, kind.dispersion, kind.ties);
            design.strata_levels = std::mem::take(&mut beside.strata_levels);
            design.fit_by_likelihood(kind, &y, (&beside, &weights), &table)?;
        }
        Ok(design)
    }
}

impl Design {
    /// Numbers the variables, whose indexes leave out a response at one position among the candidates, as they are
    /// without the one at another.
    fn count_without(&mut self, before: usize, index: usize) {
        let ahead = before..index.saturating_sub(1);
        let behind = index + 1..before;
        let moves = |own: usize| ahead.contains(&own) || behind.contains(&own);
        // Where none moves they stay those of the other designs.
        if self.variables.iter().any(|own| moves(own.index)) {
            for own in Arc::make_mut(&mut self.variables) {
                own.index += usize::from(ahead.contains(&own.index));
                own.index -= usize::from(behind.contains(&own.index));
            }
        }
    }

    /// Brings a response to unit norm.
    ///
    /// # Errors
    /// A response that no model can be of, or that is a column.
    fn take_response(
        &mut self,
        (name, table): (String, &str),
        values: &[f64],
        is_normal: bool,
        interrupt: &Interrupt,
    ) -> Result<(), DesignError> {
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return Err(DesignError::Value {
                table: table.to_owned(),
                name,
                row: at + 1,
                value: values[at],
                weights: false,
            });
        }
        if is_normal {
            self.warnings.extend(caution(&name, values));
        }
        let (mut y, value) = (values.to_vec(), values[0]);
        let weights = (!self.weight_values.is_empty()).then_some(&*self.weight_values);
        let (mean, norm) = match standardise(&mut y, self.intercept, weights) {
            Some(scale) => scale,
            // Its likelihood says what is wrong, if anything is.
            None if !is_normal => (value, 1.0),
            None => return Err(DesignError::ConstantResponse { name, value }),
        };
        if is_normal && !(norm * norm).is_normal() {
            return Err(DesignError::ResponseScale { name, norm });
        }
        self.refuse_equal(&name, &y, interrupt)?;
        self.y = y;
        (self.response.name, self.response.mean, self.response.norm) = (name, mean, norm);
        Ok(())
    }

    /// Refuses a column that is the response itself up to scale: it would always be chosen alone.
    fn refuse_equal(
        &self,
        response: &str,
        y: &[f64],
        interrupt: &Interrupt,
    ) -> Result<(), DesignError> {
        let first = self.columns().local().start;
        // One value tells nearly all others apart from a copy, and does not read the column.
        let largest = (0..y.len()).max_by(|a, b| y[*a].abs().total_cmp(&y[*b].abs()));
        let largest = largest.unwrap_or_default();
        let width = 32.0 * (y.len() as f64).sqrt() * f64::EPSILON;
        let refused = |variable: &Variable| {
            Err(DesignError::ResponseCopied {
                name: variable.name.clone(),
                response: response.to_owned(),
                how: "again, up to scale",
            })
        };
        if let Some(file) = &self.in_file {
            let copy = file.copy_of(y, largest, width, &self.variables);
            return match copy.map_err(|error| TableError::unread(file.path(), error))? {
                Some(j) => refused(&self.variables[j]),
                None => Ok(()),
            };
        }
        if let Some(packed) = &self.packed {
            let before = self.x.len() / self.n;
            let mut values = Vec::new();
            let own = &self.variables[first + before..][..packed.p()];
            for (at, variable) in own.iter().enumerate() {
                if at % LOOK_EVERY == 0 {
                    interrupt.check().map_err(TableError::from)?;
                }
                if (packed.value(at, largest).abs() - y[largest].abs()).abs() <= width {
                    values.resize(self.n, 0.0);
                    packed.unpack(at, &mut values);
                    if is_copy(&values, y) {
                        return refused(variable);
                    }
                }
            }
        }
        let columns = self.x.chunks(self.n).zip(&self.variables[first..]);
        for (at, (x, variable)) in columns.enumerate() {
            if at % LOOK_EVERY == 0 {
                interrupt.check().map_err(TableError::from)?;
            }
            let may_be = (x[largest].abs() - y[largest].abs()).abs() <= width;
            if may_be && is_copy(x, y) {
                return refused(variable);
            }
        }
        Ok(())
    }
}
