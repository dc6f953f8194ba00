//! What a job's table becomes before the work: a design matrix, or columns of codes.

use std::{borrow::Cow, collections::HashMap, fmt::Debug, fs, path::Path, sync::Arc};

use super::RunError;
use crate::{
    binning::{
        BinnedColumn, BinnedColumns, BinningError, BinningOptions, Rule, bin_partitioned,
        bytes_of_codes,
    },
    design::{
        self, Design, DesignError, DesignOptions, FormulaDesign, FormulaOptions, Group,
        TermsOfColumns, size::MatrixSize,
    },
    fnv::Fnv,
    formula::Formula,
    interrupt::Interrupt,
    job::{Job, TermSettings},
    memory::{MemoryBudget, MemoryCharge, MemoryError},
    nearest::{as_option, list},
    plugin::MethodKind,
    ranks::Communicator,
    table::{self, ColumnPartition, Missing, ReadOptions, Table, TableError, TrueVariable, Values},
};

/// Data prepared for a method.
pub(super) trait Prepared: Send + Sync + Sized + 'static {
    /// Whether jobs may share it; otherwise each prepares its own.
    const IS_SHARED: bool = true;

    /// The settings of a job, besides its table, that two jobs must share to share these data.
    type Options<'a>: Debug;

    fn options(job: &Job) -> Self::Options<'_>;

    /// Whether ranks may each read a part of the columns; otherwise each reads all.
    fn is_partitioned(_: &Job) -> bool {
        true
    }

    /// From a job's table; of ranks that partition the columns each has its own.
    fn of(
        job: &Job,
        table: Held<Table>,
        communicator: Option<&Communicator>,
    ) -> Result<Held<Self>, RunError>;
}

/// Data, and the memory that is held for them.
#[derive(Debug)]
pub(super) struct Held<T> {
    pub(super) data: T,
    pub(super) charge: MemoryCharge,
}

/// Data that several jobs use, and the memory that is held for them.
pub(super) type SharedData<T> = (Arc<T>, Arc<MemoryCharge>);

impl<T> Held<T> {
    pub(super) fn share(self) -> SharedData<T> {
        (Arc::new(self.data), Arc::new(self.charge))
    }
}

impl Held<Table> {
    /// A copy of a table, charged to a budget.
    pub(super) fn copy(table: &Table, memory: &MemoryBudget) -> Result<Self, MemoryError> {
        let charge = memory.take(table.bytes(), "a copy of the table")?;
        let data = table.clone();
        Ok(Self { data, charge })
    }

    /// Some rows of a table, charged to a budget.
    pub(super) fn rows(
        table: &Table,
        rows: &[usize],
        memory: &MemoryBudget,
    ) -> Result<Self, MemoryError> {
        let share = rows.len() as f64 / table.rows.max(1) as f64;
        let charge = memory.take((table.bytes() as f64 * share) as u64, "a resample")?;
        let data = table.select_rows(rows);
        Ok(Self { data, charge })
    }
}

/// How the table of a job is read.
pub(super) fn read_options(job: &Job) -> ReadOptions<'_> {
    ReadOptions {
        response: job.response.as_deref(),
        factors: &job.factor,
        dates: &job.date,
        missing: &job.na,
        text: job.text,
        interrupt: Some(&job.interrupt),
        memory: None,
    }
}

/// Reads the table of a job. Of ranks that partition the columns each reads its own, and what all
/// need; all of them must find the same file.
pub(super) fn read(
    job: &Job,
    communicator: Option<&Communicator>,
) -> Result<Held<Table>, RunError> {
    if let Some(table) = &job.table {
        if job.resources.distributed().is_some() {
            return Err(RunError::MemoryOfRanks);
        }
        return Ok(Held::copy(table, &job.resources.memory)?);
    }
    let charge = job.resources.memory.charge();
    let replicated = [&job.response, &job.weights].into_iter().flatten();
    let replicated: Vec<&str> = replicated.map(String::as_str).collect();
    let options = ReadOptions {
        memory: Some(&charge),
        ..read_options(job)
    };
    let partition = ColumnPartition {
        communicator,
        replicated: &replicated,
    };
    let table = table::read_partition(&job.data, &options, &partition)?;
    // One rank alone has nobody to compare with.
    if let Some(ranks) = job.resources.distributed() {
        let files = table::input_files(&job.data).into_iter();
        let bytes: u64 = files
            .filter_map(|file| Some(fs::metadata(file).ok()?.len()))
            .sum();
        let own = format!(
            "{} rows of {} columns in {bytes} bytes, hash {:032x}",
            table.rows,
            table.columns.len(),
            hash(&table, &replicated, communicator.is_none())
        );
        ranks
            .check_equal("the data", &own)
            .map_err(TableError::Ranks)?;
    }
    charge.set(table.bytes(), "the table")?;
    let data = table;
    Ok(Held { data, charge })
}

/// A hash of the names, and of the values that every rank has.
fn hash(table: &Table, replicated: &[&str], whole: bool) -> u128 {
    let mut hash = Fnv::new();
    for (at, column) in table.columns.iter().enumerate() {
        hash = hash.part(column.name.as_bytes());
        if whole || table.response == Some(at) || replicated.contains(&&*column.name) {
            hash = match &column.values {
                Values::Factor { levels, codes } => {
                    let levels = levels.iter();
                    let hash = levels.fold(hash, |all, level| all.part(level.as_bytes()));
                    let codes = codes.iter();
                    codes.fold(hash, |all, code| all.bytes(&code.to_le_bytes()))
                }
                values => hash.numbers(&values.numbers(table.rows).unwrap_or_default()),
            };
        }
    }
    hash.finish()
}

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
    let unused = design::unused_columns(table, &formula, &options)?;
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

impl Prepared for Design {
    type Options<'a> = DesignSource<'a>;

    fn is_partitioned(job: &Job) -> bool {
        let terms = &job.terms;
        !terms.has_formula() && terms.groups.is_empty() && terms.groups_file.is_none()
    }

    fn options(job: &Job) -> DesignSource<'_> {
        let terms = &job.terms;
        let response = job.response.as_deref();
        let weights = job.weights.as_deref();
        if !terms.has_formula() {
            let options = DesignOptions {
                split_factors: terms.split,
                groups: &terms.groups,
                response,
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

    fn of(
        job: &Job,
        table: Held<Table>,
        communicator: Option<&Communicator>,
    ) -> Result<Held<Self>, RunError> {
        let memory = &job.resources.memory;
        match Self::options(job) {
            DesignSource::Columns(options, file) => {
                let mut groups = options.groups.to_vec();
                if let Some(file) = file {
                    groups.extend(read_groups(file, &job.interrupt)?);
                }
                let options = DesignOptions {
                    groups: &groups,
                    ..options
                };
                let matrix = MatrixSize::of(&table.data, &options);
                let charge = memory.take(matrix.bytes(), &matrix)?;
                let context = (communicator, &job.interrupt);
                let data = Self::from_partitioned_table(table.data, &options, context)?;
                drop(table.charge);
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
                charge.set(matrix.bytes(), &matrix)?;
                Ok(Held { data, charge })
            }
        }
    }
}

/// Columns of codes.
#[derive(Debug)]
pub(super) struct Binned {
    pub(super) columns: Arc<BinnedColumns>,
    /// For a procedure the values that the codes were made of, of the candidates, then of the
    /// response; else none.
    pub(super) numbers: Vec<Values>,
    /// The variables that the file marks as true.
    pub(super) truth: Vec<TrueVariable>,
    pub(super) warnings: Vec<String>,
}

impl Prepared for Binned {
    /// With whether the values are wanted too.
    type Options<'a> = (BinningOptions<'a>, bool);

    fn options(job: &Job) -> Self::Options<'_> {
        let binning = BinningOptions {
            response: job.response.as_deref(),
            drop: &job.drop,
            missing: job.missing,
            binning: &job.binning,
            bin_response: &job.bin_response,
        };
        let method = job.selector.as_ref().map(|method| &method.value);
        (binning, matches!(method, Some(MethodKind::Ranking(_))))
    }

    fn of(
        job: &Job,
        table: Held<Table>,
        communicator: Option<&Communicator>,
    ) -> Result<Held<Self>, RunError> {
        let memory = &job.resources.memory;
        let Held {
            data: table,
            charge,
        } = table;
        let (binning, with_numbers) = Self::options(job);
        let source = table.source.clone();
        let made = memory.take(bytes_of_codes(&table), "columns of codes")?;
        if with_numbers {
            made.grow(table.bytes(), "a copy of the table")?;
        }
        let mut warnings = table.warnings.clone();
        let (mut truth, mut values) = Default::default();
        // Where there is no response, `bin` says so.
        if let Some(response) = response(job, &table) {
            let (found, doubts) = table.true_variables(response, None);
            truth = found;
            warnings.extend(doubts);
            if with_numbers {
                values = numbers(table.clone(), response, job)?;
            }
        }
        let (columns, dropped) = bin_partitioned(table, &binning, (communicator, &job.interrupt))?;
        if columns.n < 2 {
            let (table, n) = (source, columns.n);
            return Err(BinningError::TooFewRows { table, n }.into());
        }
        warnings.extend(dropped);
        warnings.extend(suspicions(&columns));
        drop(charge);
        let numbers = values.iter().map(Values::bytes);
        made.set(columns.bytes() + numbers.sum::<u64>(), "columns of codes")?;
        let data = Self {
            columns: Arc::new(columns),
            numbers: values,
            truth,
            warnings,
        };
        let charge = made;
        Ok(Held { data, charge })
    }
}

/// The position of a job's response in its table.
pub(super) fn response(job: &Job, table: &Table) -> Option<usize> {
    let named = job.response.as_deref();
    named
        .and_then(|name| table.position(name))
        .or(table.response)
}

/// The values of the candidates, then those of the response, of the rows that are binned.
fn numbers(mut table: Table, response: usize, job: &Job) -> Result<Vec<Values>, RunError> {
    let name = table.columns[response].name.clone();
    let columns = &mut table.columns;
    columns.retain(|column| !job.drop.contains(&column.name));
    table.handle_missing(job.missing)?;
    if let (Missing::Pairwise, Some(response)) = (job.missing, table.position(&name)) {
        table.drop_rows_missing(response)?;
    }
    let columns = table.columns.into_iter();
    let (response, mut candidates): (Vec<_>, Vec<_>) =
        columns.partition(|column| column.name == name);
    candidates.extend(response);
    Ok(candidates.into_iter().map(|column| column.values).collect())
}

/// Columns whose scores cannot mean what they seem to.
fn suspicions(columns: &BinnedColumns) -> Vec<String> {
    let (n, response) = (columns.n, &columns.response);
    let mut warnings = Vec::new();
    if response.levels == 1 {
        warnings.push(format!(
            "the response {} has one level: every score is 0",
            response.name
        ));
    } else if response.levels >= n && n > 2 {
        warnings.push(format!(
            "the response {} has a level of its own in each of {n} rows: bin it with \
             --bin-response equal-frequency:5, say",
            response.name
        ));
    }
    let is_identifier = |column: &&BinnedColumn| {
        let by_level = matches!(column.rule, Rule::Texts(_) | Rule::Numbers(_));
        by_level && n > 2 && column.levels * 10 >= n * 9
    };
    let identifiers = columns.columns.iter().filter(is_identifier);
    let names: Vec<&str> = identifiers.map(|column| column.name.as_str()).collect();
    warnings.extend(match &names[..] {
        [] => None,
        [name] => Some(format!(
            "{name} has a level of its own in nearly each of {n} rows, like an identifier, so that its score \
             is high by chance alone: leave it out with --drop {}, or make fewer levels",
            as_option(name)
        )),
        names => Some(format!(
            "{} have a level of their own in nearly each of {n} rows, like identifiers, so that their scores \
             are high by chance alone: leave them out with --drop, or make fewer levels (--binning \
             equal-frequency:5, say)",
            list(names.iter().copied())
        )),
    });
    warnings
}

/// A method that resamples rows prepares each resample by itself.
impl Prepared for Table {
    const IS_SHARED: bool = false;
    type Options<'a> = ();

    fn options(_: &Job) {}

    fn of(_: &Job, table: Held<Table>, _: Option<&Communicator>) -> Result<Held<Self>, RunError> {
        Ok(table)
    }
}
