//! What the design of a job is made of.

use std::{borrow::Cow, collections::HashMap, path::Path, sync::Arc};

use super::{
    RunError,
    prepared::{Held, Prepared, read_options},
};
use crate::{
    design::{
        self, Design, DesignError, DesignOptions, FormulaDesign, FormulaOptions, Group, Making,
        TermsOfColumns, size::MatrixSize,
    },
    device::Gain,
    family::Distribution,
    formula::Formula,
    interrupt::Interrupt,
    job::{Job, TermSettings},
    ranks::Communicator,
    search::ProofEffort,
    table::{self, ColumnReader, Missing, ReadOptions, Table, TableError, Values},
};

/// Fewest bytes of numbers that are worth leaving in a file.
const LEFT_IN_FILE: u64 = 1 << 26;

/// Fewest columns: of fewer the host needs all.
const FEWEST_COLUMNS: usize = 1000;

/// What the design of a job is made of.
#[derive(Debug)]
pub(super) enum DesignSource<'a> {
    /// The columns of its table, and a file of groups of them.
    Columns(DesignOptions<'a>, Option<&'a Path>),
    /// A formula, or what one is made of.
    Formula(FormulaSource<'a>, FormulaOptions<'a>),
}

#[derive(Debug)]
pub(super) enum FormulaSource<'a> {
    Given(&'a Formula),
    OfColumns(TermsOfColumns<'a>),
}

impl DesignSource<'_> {
    /// Checks that a table, of which only the header may be known, has the columns that the job names.
    pub(super) fn check(&self, table: &Table) -> Result<(), DesignError> {
        match self {
            Self::Columns(options, _) => design::check_columns(table, options),
            Self::Formula(source, options) => {
                let formula = source.formula(table, options)?;
                design::check_formula(table, &formula, options).map(drop)
            }
        }
    }
}

/// Whether columns may stay in their file: where GPUs hold them, in searches of which the host needs few.
fn columns_may_stay(job: &Job) -> bool {
    let (terms, kind) = (&job.terms, &job.kind);
    let is_plain = [&job.na, &job.factor, &job.date].map(Vec::is_empty) == [true; 3];
    let mut criteria = std::iter::once(&job.criterion).chain(&job.other_criteria);
    job.resources.devices.is_cuda()
        && job.resources.communicator.is_none()
        && job.reference.is_empty()
        && job.pass.proof != ProofEffort::Complete
        && job.checkpoint.is_none()
        && job.selector.is_none()
        && job.responses.is_none()
        && job.weights.is_none()
        && matches!(job.missing, Missing::Refuse | Missing::Auto)
        && job.pass.gain == Gain::Correlation
        && kind.distribution == Distribution::Gaussian
        && kind.columns().next().is_none()
        && terms.groups.is_empty()
        && is_plain
        && !criteria.any(|own| own.needs_error_variance())
}

/// The groups of columns that are a term, those of a file among them.
pub(super) fn all_groups(
    options: &DesignOptions,
    file: Option<&Path>,
    interrupt: &Interrupt,
) -> Result<Vec<Group>, RunError> {
    let mut groups = options.groups.to_vec();
    if let Some(file) = file {
        groups.extend(read_groups(file, interrupt)?);
    }
    Ok(groups)
}

/// Groups of columns from a table with a row for each column, in the order of their first rows.
fn read_groups(file: &Path, interrupt: &Interrupt) -> Result<Vec<Group>, RunError> {
    let names = ["group", "column"].map(str::to_owned);
    let options = ReadOptions {
        factors: &names,
        interrupt: Some(interrupt),
        ..ReadOptions::default()
    };
    let table = table::read(file, &options)?;
    let mut texts = Vec::new();
    for name in &names {
        let at = table.require("--groups", name)?;
        let Values::Factor { levels, codes } = &table.columns[at].values else {
            return Err(
                DesignError::from(TableError::in_list(name, "has no values", "--groups")).into(),
            );
        };
        let texts_of = codes.iter().map(|code| levels.get(*code as usize).cloned());
        texts.push(
            texts_of
                .map(Option::unwrap_or_default)
                .collect::<Vec<String>>(),
        );
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (name, column) in texts[0].iter().zip(&texts[1]) {
        let place = *places.entry(name.clone()).or_insert_with(|| {
            let columns = Vec::new();
            groups.push(Group {
                name: name.clone(),
                columns,
            });
            groups.len() - 1
        });
        groups[place].columns.push(column.clone());
    }
    Ok(groups)
}

/// A job whose formula is given, and which drops the columns that the formula does not use; without a formula
/// the job itself. So a formula that is made of columns is the same for every part of the rows.
pub(super) fn with_formula<'a>(job: &'a Job, table: &Table) -> Result<Cow<'a, Job>, DesignError> {
    let DesignSource::Formula(source, options) = Design::options(job) else {
        return Ok(Cow::Borrowed(job));
    };
    let formula = source.formula(table, &options)?;
    let unused = design::check_formula(table, &formula, &options)?.unused;
    let formula = Some(formula.into_owned());
    let terms = TermSettings {
        formula,
        degree: None,
        interactions: None,
        interactions_of: Vec::new(),
        ..job.terms.clone()
    };
    Ok(Cow::Owned(Job {
        drop: unused,
        terms,
        ..job.clone()
    }))
}

impl FormulaSource<'_> {
    fn formula(
        &self,
        table: &Table,
        options: &FormulaOptions,
    ) -> Result<Cow<'_, Formula>, DesignError> {
        Ok(match self {
            Self::Given(formula) => Cow::Borrowed(*formula),
            Self::OfColumns(terms) => Cow::Owned(terms.formula(table, options)?),
        })
    }
}

impl Design {
    /// Whether so many observations of columns may stay where they are.
    pub(super) fn may_stay(job: &Job, (rows, width): (usize, usize)) -> bool {
        let bytes = (rows as u64).saturating_mul(width as u64) * 8;
        // What has no room on a device passes through it from the host's memory.
        let fits = bytes <= job.resources.memory_limit.unwrap_or(u64::MAX);
        let is_large = width >= FEWEST_COLUMNS && bytes >= LEFT_IN_FILE;
        is_large && fits && columns_may_stay(job)
    }

    /// The design of columns that stay where they are, and of a table in which they are remote.
    pub(super) fn of_columns(
        job: &Job,
        table: Table,
        columns: &Arc<dyn ColumnReader>,
    ) -> Result<Option<Held<Self>>, RunError> {
        let DesignSource::Columns(options, None) = Self::options(job) else {
            return Ok(None);
        };
        let making = Making {
            in_file: Some(columns),
            ..Making::alone(&job.interrupt)
        };
        let data = Self::from_partitioned_table(table, &options, making)?;
        let charge = job.resources.memory.charge();
        Ok(Some(Held { data, charge }))
    }
}

impl Prepared for Design {
    type Options<'a> = DesignSource<'a>;

    fn is_partitioned(job: &Job) -> bool {
        let terms = &job.terms;
        let has_terms = terms.has_formula()
            || !terms.groups.is_empty()
            || terms.groups_file.is_some()
            || job.is_genotypic();
        !has_terms && job.kind.distribution != Distribution::Multinomial
    }

    fn options(job: &Job) -> DesignSource<'_> {
        let terms = &job.terms;
        let response = job.response.as_deref();
        let weights = job.weights.as_deref();
        if !terms.has_formula() {
            let options = DesignOptions {
                split_factors: terms.split,
                groups: &terms.groups,
                genotypic: job.is_genotypic(),
                response,
                kind: job.kind.options(),
                keep: &job.keep,
                drop: &job.drop,
                reference: &job.reference,
                missing: job.missing,
                intercept: job.intercept,
                weights,
                p_total: job.p_total,
            };
            return DesignSource::Columns(options, terms.groups_file.as_deref());
        }
        let source = match &terms.formula {
            Some(formula) => FormulaSource::Given(formula),
            None => FormulaSource::OfColumns(terms.of_columns(job.intercept)),
        };
        let options = FormulaOptions {
            response,
            kind: job.kind.options(),
            drop: &job.drop,
            keep: &job.keep,
            hierarchy: terms.hierarchy,
            contrasts: terms.contrasts.clone(),
            reference: &job.reference,
            missing: job.missing,
            weights,
            p_total: job.p_total,
        };
        DesignSource::Formula(source, options)
    }

    fn left_in_file(job: &Job) -> Result<Option<Held<Self>>, RunError> {
        let DesignSource::Columns(options, None) = Self::options(job) else {
            return Ok(None);
        };
        if job.table.is_some() || !columns_may_stay(job) {
            return Ok(None);
        }
        let charge = job.resources.memory.charge();
        let read = ReadOptions {
            memory: Some(&charge),
            ..read_options(job)
        };
        // What has no room on a device passes through it from the host's memory.
        let bytes = LEFT_IN_FILE..=job.resources.memory_limit.unwrap_or(u64::MAX);
        let size = (FEWEST_COLUMNS, bytes);
        let Some((table, array)) = table::left_in_file(&job.data, &read, size) else {
            return Ok(None);
        };
        let array = Arc::new(array) as Arc<dyn ColumnReader>;
        let making = Making {
            in_file: Some(&array),
            ..Making::alone(&job.interrupt)
        };
        let data = Self::from_partitioned_table(table, &options, making)?;
        Ok(Some(Held { data, charge }))
    }

    fn of(
        job: &Job,
        table: Held<Table>,
        communicator: Option<&Communicator>,
    ) -> Result<Held<Self>, RunError> {
        let memory = &job.resources.memory;
        match Self::options(job) {
            DesignSource::Columns(options, file) => {
                let groups = all_groups(&options, file, &job.interrupt)?;
                let options = DesignOptions {
                    groups: &groups,
                    ..options
                };
                let matrix = MatrixSize::of(&table.data, &options);
                let charge = memory.charge();
                let making = Making {
                    communicator,
                    memory: Some(&charge),
                    ..Making::alone(&job.interrupt)
                };
                let data = Self::from_partitioned_table(table.data, &options, making)?;
                // What stands where the table stood is charged as it was.
                let charge = match charge.bytes() {
                    0 => table.charge,
                    _ => {
                        drop(table.charge);
                        charge
                    }
                };
                let matrix = matrix.in_blocks(data.blocks());
                charge.set(data.matrix_bytes(), &matrix)?;
                Ok(Held { data, charge })
            }
            DesignSource::Formula(source, options) => {
                let formula = source.formula(&table.data, &options)?;
                let made = FormulaDesign::of(table.data, &formula, &options)?;
                let matrix = made.size();
                // The columns, and the matrix that they become.
                let charge = memory.take(2 * matrix.bytes(), &matrix)?;
                let data = made.design(&job.interrupt)?;
                drop(table.charge);
                let matrix = matrix.in_blocks(data.blocks());
                charge.set(matrix.bytes(), &matrix)?;
                Ok(Held { data, charge })
            }
        }
    }
}
