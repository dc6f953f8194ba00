//! The data of several responses: the columns that they share, and what is of each alone.

use std::{collections::HashMap, sync::Arc};

use super::{
    RunError,
    design_source::{DesignSource, all_groups},
    prepared::{Held, Prepared},
    responses_file::read_responses,
};
use crate::{
    design::{
        Design, DesignColumns, DesignError, DesignOptions, Group, ResponseColumn, size::MatrixSize,
    },
    job::{Job, Responses},
    memory::MemoryCharge,
    ranks::Communicator,
    table::{Missing, Table, TableError},
};

/// Several responses of a table. Those that are observed in the same rows share their columns.
#[derive(Debug)]
pub(super) struct ResponseData {
    pub(super) responses: Vec<ResponseColumn>,
    /// The responses that are observed in the same rows, by their places.
    pub(super) groups: Vec<Vec<usize>>,
    source: Source,
    /// Whether the responses are columns of the table.
    are_of_table: bool,
    /// Columns of the table that are candidates for no response.
    left_out: Vec<String>,
    /// The groups of columns that are a term.
    terms: Vec<Group>,
}

/// What the designs are made of.
#[derive(Debug)]
enum Source {
    /// The columns of the only group.
    Columns(Arc<DesignColumns>),
    Table(Table),
}

/// The columns that a group of responses shares, with the memory held for them.
pub(super) type GroupColumns = (Arc<DesignColumns>, Option<MemoryCharge>);

impl Prepared for ResponseData {
    type Options<'a> = (DesignSource<'a>, &'a Option<Responses>);

    fn options(job: &Job) -> Self::Options<'_> {
        (Design::options(job), &job.responses)
    }

    fn of(job: &Job, table: Held<Table>, _: Option<&Communicator>) -> Result<Held<Self>, RunError> {
        let Held { data, charge } = table;
        let mut data = Self::of_table(job, data)?;
        let (true, [group]) = (is_shared(job), &*data.groups) else {
            return Ok(Held { data, charge });
        };
        let first = group[0];
        let Source::Table(table) =
            std::mem::replace(&mut data.source, Source::Table(Table::default()))
        else {
            return Ok(Held { data, charge });
        };
        let (columns, made) = data.columns_of(job, table, first)?;
        drop(charge);
        data.source = Source::Columns(columns);
        Ok(Held { data, charge: made })
    }
}

/// Whether designs of the responses of a job can have their columns in common. Those of a formula are made anew.
fn is_shared(job: &Job) -> bool {
    !job.terms.has_formula()
}

impl ResponseData {
    fn of_table(job: &Job, mut table: Table) -> Result<Self, RunError> {
        let mut left_out = Vec::new();
        let (columns, are_of_table) = match &job.responses {
            Some(Responses::File(path)) => {
                let own = table.response.map(|at| table.columns[at].name.clone());
                left_out.extend(own);
                (read_responses(path, job, &table)?, false)
            }
            responses => {
                let names = responses.iter().flat_map(Responses::columns);
                left_out.extend(names.cloned());
                (Vec::new(), true)
            }
        };
        let mut terms = Vec::new();
        if let DesignSource::Columns(options, file) = Design::options(job) {
            terms = all_groups(&options, file, &job.interrupt)?;
        }
        let responses = match are_of_table {
            true => responses_of_table(job, &table, &left_out)?,
            false => {
                let place = table.columns.len();
                let mut all = Vec::with_capacity(columns.len());
                for column in columns {
                    table.columns.push(column);
                    all.extend(responses_at(job, &table, [place], &left_out)?);
                    table.columns.pop();
                }
                all
            }
        };
        let rows = table.rows;
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut places: HashMap<Vec<usize>, usize> = HashMap::new();
        for (at, response) in responses.iter().enumerate() {
            let place = match is_shared(job) {
                true => *places
                    .entry(response.missing_rows(rows))
                    .or_insert(groups.len()),
                false => groups.len(),
            };
            match groups.get_mut(place) {
                Some(group) => group.push(at),
                None => groups.push(vec![at]),
            }
        }
        Ok(Self {
            responses,
            groups,
            source: Source::Table(table),
            are_of_table,
            left_out,
            terms,
        })
    }

    /// The job of one response, for which the others are no candidates.
    pub(super) fn job_of(&self, job: &Job, response: usize) -> Job {
        let name = self.responses[response].name();
        job_of(job, name, &self.left_out)
    }

    /// The columns of a group of responses; none where each has a design of its own.
    ///
    /// # Errors
    /// A table that makes no columns, memory, missing values that are refused.
    pub(super) fn columns(
        &self,
        job: &Job,
        group: &[usize],
    ) -> Result<Option<GroupColumns>, RunError> {
        let first = group[0];
        let table = match &self.source {
            Source::Columns(columns) => return Ok(Some((Arc::clone(columns), None))),
            Source::Table(_) if !is_shared(job) => return Ok(None),
            Source::Table(table) => table,
        };
        self.check_observed(job, table, first)?;
        let copy = Held::copy(table, &job.resources.memory)?;
        let (columns, held) = self.columns_of(job, copy.data, first)?;
        Ok(Some((columns, Some(held))))
    }

    /// Refuses missing values of a response before a table is copied for it.
    fn check_observed(&self, job: &Job, table: &Table, response: usize) -> Result<(), RunError> {
        let response = &self.responses[response];
        if job.missing != Missing::Refuse || response.missing_rows(table.rows).is_empty() {
            return Ok(());
        }
        let mut alone = Table {
            source: table.source.clone(),
            rows: table.rows,
            columns: vec![response.column().clone()],
            ..Table::default()
        };
        let refused = alone.handle_missing(Missing::Refuse).map(drop);
        let width = table.columns.len();
        Ok(refused.map_err(|error| match error {
            TableError::Missing {
                path,
                total,
                columns,
                ..
            } => DesignError::from(TableError::Missing {
                path,
                total,
                width,
                columns,
            }),
            error => error.into(),
        })?)
    }

    fn columns_of(
        &self,
        job: &Job,
        table: Table,
        first: usize,
    ) -> Result<(Arc<DesignColumns>, MemoryCharge), RunError> {
        let own = self.job_of(job, first);
        let table = self.with_response(table, first);
        let options = self.design_options(&own);
        let matrix = MatrixSize::of(&table, &options);
        let charge = job.resources.memory.take(matrix.bytes(), &matrix)?;
        let columns = DesignColumns::of(table, &options, &job.interrupt)?;
        Ok((Arc::new(columns), charge))
    }

    /// A table with a column of a response.
    fn with_response(&self, mut table: Table, response: usize) -> Table {
        if !self.are_of_table {
            table
                .columns
                .push(self.responses[response].column().clone());
        }
        table
    }

    /// The options of the design of a response's own job.
    fn design_options<'a>(&'a self, own: &'a Job) -> DesignOptions<'a> {
        match Design::options(own) {
            DesignSource::Columns(options, _) => DesignOptions {
                groups: &self.terms,
                ..options
            },
            DesignSource::Formula(..) => DesignOptions::default(),
        }
    }

    /// The design of a response, whose own job this is, of the columns of its group or else of the table.
    ///
    /// # Errors
    /// What is wrong with the response, or with a formula.
    pub(super) fn design(
        &self,
        own: &Job,
        response: usize,
        columns: Option<&DesignColumns>,
    ) -> Result<(Arc<Design>, Option<Arc<MemoryCharge>>), RunError> {
        match (columns, &self.source) {
            (Some(columns), _) => {
                let options = self.design_options(own);
                let response = &self.responses[response];
                let design = columns.design(response, &options, &own.interrupt)?;
                Ok((Arc::new(design), None))
            }
            (None, Source::Columns(_)) => Err(RunError::OtherResult { wanted: "design" }),
            (None, Source::Table(table)) => {
                let Held { data, charge } = Held::copy(table, &own.resources.memory)?;
                let data = self.with_response(data, response);
                let (design, held) = Design::of(own, Held { data, charge }, None)?.share();
                Ok((design, Some(held)))
            }
        }
    }
}

/// The job of a response with this name; columns that are candidates for no response are left out.
fn job_of(job: &Job, name: &str, left_out: &[String]) -> Job {
    let mut drop = job.drop.clone();
    drop.extend(left_out.iter().filter(|other| *other != name).cloned());
    Job {
        response: Some(name.to_owned()),
        responses: None,
        drop,
        ..job.clone()
    }
}

/// The responses that are columns of the table, by their names.
fn responses_of_table(
    job: &Job,
    table: &Table,
    names: &[String],
) -> Result<Vec<ResponseColumn>, RunError> {
    let places: HashMap<&str, usize> = table.names().zip(0..).collect();
    let places = names.iter().map(|name| match places.get(&**name) {
        Some(place) => Ok(*place),
        None => table.require("--response", name).map_err(DesignError::from),
    });
    let places: Vec<usize> = places.collect::<Result<_, _>>()?;
    responses_at(job, table, places, names)
}

/// The responses in columns at these places.
fn responses_at(
    job: &Job,
    table: &Table,
    places: impl IntoIterator<Item = usize, IntoIter: Clone>,
    left_out: &[String],
) -> Result<Vec<ResponseColumn>, RunError> {
    let places = places.into_iter();
    let first = places.clone().next().map(|at| &*table.columns[at].name);
    let own = job_of(job, first.unwrap_or_default(), left_out);
    let options = match Design::options(&own) {
        DesignSource::Columns(options, _) => options,
        DesignSource::Formula(..) => DesignOptions {
            response: own.response.as_deref(),
            ..DesignOptions::default()
        },
    };
    Ok(ResponseColumn::all(table, places, &options)?)
}
