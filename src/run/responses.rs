//! The data of several responses: the columns that they share, and what is of each alone.

use std::{collections::HashMap, sync::Arc};

use super::{
    RunError,
    design_source::{DesignSource, all_groups},
    prepared::{Held, Prepared},
    responses_file::{ResponsesError, ResponsesFile},
};
use crate::{
    design::{
        Design, DesignColumns, DesignError, DesignOptions, Group, Making, ResponseColumn,
        size::MatrixSize,
    },
    job::{Job, Responses},
    memory::MemoryCharge,
    ranks::Communicator,
    table::{Missing, Table, TableError},
};

/// Several responses, and the table that they are of or stand beside.
#[derive(Debug)]
pub(super) struct ResponseData {
    pub(super) responses: Vec<ResponseColumn>,
    /// The responses that are observed in the same rows, by their places: they share the columns of a design.
    pub(super) groups: Vec<Vec<usize>>,
    /// The table that the responses are columns of, if it is another one.
    file: Option<ResponsesFile>,
    /// Columns of the table that are candidates for no response.
    left_out: Vec<String>,
    /// The groups of candidates that are a term.
    terms: Vec<Group>,
    source: Source,
}

/// What designs are made of.
#[derive(Debug)]
enum Source {
    /// The columns of the only group.
    Columns(Box<DesignColumns>),
    Table(Table),
}

/// A design, and the memory that is held for it.
type SharedDesign = (Arc<Design>, Option<Arc<MemoryCharge>>);

/// What the designs of a group are made of.
pub(super) enum GroupColumns<'a> {
    /// Columns that they share.
    Shared(&'a DesignColumns),
    /// The same, made for this group.
    Own(Box<Held<DesignColumns>>),
    /// The table, for each anew.
    Table(&'a Table),
}

impl GroupColumns<'_> {
    /// The columns that the designs share.
    pub(super) fn shared(&self) -> Option<&DesignColumns> {
        match self {
            Self::Shared(columns) => Some(columns),
            Self::Own(held) => Some(&held.data),
            Self::Table(_) => None,
        }
    }
}

impl Prepared for ResponseData {
    type Options<'a> = (DesignSource<'a>, &'a Option<Responses>);

    fn options(job: &Job) -> Self::Options<'_> {
        (Design::options(job), &job.responses)
    }

    fn of(job: &Job, table: Held<Table>, _: Option<&Communicator>) -> Result<Held<Self>, RunError> {
        let Held {
            data: table,
            mut charge,
        } = table;
        let mut data = Self::of_table(job, table)?;
        if let (Source::Table(table), true, [group]) =
            (&mut data.source, has_columns(job), &*data.groups)
        {
            let (table, first) = (std::mem::take(table), group[0]);
            if data.file.is_some() {
                data.check_observed(job, &table, first)?;
            }
            let made = data.columns_of(job, table, first);
            let made = made.map_err(|error| data.in_file(error))?;
            let columns = Box::new(made.data);
            (data.source, charge) = (Source::Columns(columns), made.charge);
        }
        Ok(Held { data, charge })
    }
}

/// Whether designs of a job have columns that do not depend on the response. Those of a formula are made with it.
fn has_columns(job: &Job) -> bool {
    !job.terms.has_formula()
}

impl ResponseData {
    fn of_table(job: &Job, mut table: Table) -> Result<Self, RunError> {
        let terms = match Design::options(job) {
            DesignSource::Columns(options, file) => all_groups(&options, file, &job.interrupt)?,
            DesignSource::Formula(..) => Vec::new(),
        };
        let mut left_out = Vec::new();
        let (responses, file) = match &job.responses {
            Some(Responses::File(path)) => {
                let (file, columns) = ResponsesFile::read(path, job, &table)?;
                let own = table.response.map(|at| table.columns[at].name.clone());
                left_out.extend(own);
                let first = columns.first().map(|column| column.name.clone());
                let own = job_of(job, &first.unwrap_or_default(), &left_out);
                let own = file.without_its_columns(own);
                let all = ResponseColumn::of_columns(&mut table, columns, &named(&own))?;
                (all, Some(file))
            }
            responses => {
                let names = responses.iter().flat_map(Responses::columns);
                left_out.extend(names.cloned());
                let places = places(&table, &left_out)?;
                let own = job_of(job, left_out.first().map_or("", |name| name), &left_out);
                let all = ResponseColumn::of_table(&table, &places, &named(&own))?;
                (all, None)
            }
        };
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut known: HashMap<Vec<usize>, usize> = HashMap::new();
        for (at, response) in responses.iter().enumerate() {
            let new = groups.len();
            let group = match has_columns(job) {
                true => *known
                    .entry(response.missing_rows(table.rows))
                    .or_insert(new),
                false => new,
            };
            match groups.get_mut(group) {
                Some(group) => group.push(at),
                None => groups.push(vec![at]),
            }
        }
        Ok(Self {
            responses,
            groups,
            file,
            left_out,
            terms,
            source: Source::Table(table),
        })
    }

    /// The job of one response, for which the others are no candidates.
    pub(super) fn job_of(&self, job: &Job, response: usize) -> Job {
        let own = job_of(job, self.responses[response].name(), &self.left_out);
        match &self.file {
            Some(file) => file.without_its_columns(own),
            None => own,
        }
    }

    /// An error about a column of the table of responses names that table.
    fn in_file(&self, error: RunError) -> RunError {
        let is_response = |name: &str| self.responses.iter().any(|own| own.name() == name);
        match &self.file {
            Some(file) => file.named_in(error, is_response),
            None => error,
        }
    }

    /// What the designs of a group of responses are made of.
    ///
    /// # Errors
    /// A table that makes no columns, memory, missing values that are refused.
    pub(super) fn columns(&self, job: &Job, group: &[usize]) -> Result<GroupColumns<'_>, RunError> {
        let table = match &self.source {
            Source::Columns(columns) => return Ok(GroupColumns::Shared(columns)),
            Source::Table(table) if !has_columns(job) => return Ok(GroupColumns::Table(table)),
            Source::Table(table) => table,
        };
        let first = group[0];
        self.check_observed(job, table, first)?;
        let copy = Held::copy(table, &job.resources.memory)?;
        let made = self.columns_of(job, copy.data, first);
        let made = made.map_err(|error| self.in_file(error))?;
        Ok(GroupColumns::Own(Box::new(made)))
    }

    /// Refuses missing values of a response before a table is copied for it.
    fn check_observed(&self, job: &Job, table: &Table, response: usize) -> Result<(), RunError> {
        let response = &self.responses[response];
        if job.missing.of(table) != Missing::Refuse || response.missing_rows(table.rows).is_empty()
        {
            return Ok(());
        }
        let mut alone = Table {
            source: table.source.clone(),
            rows: table.rows,
            columns: vec![response.column().clone()],
            ..Table::default()
        };
        let mut refused = alone.handle_missing(Missing::Refuse).map(drop);
        if let Err(TableError::Missing { width, .. }) = &mut refused {
            *width = match &self.file {
                Some(file) => file.width,
                None => table.columns.len(),
            };
        }
        let refused = refused.map_err(|error| DesignError::from(error).into());
        refused.map_err(|error| self.in_file(error))
    }

    /// The columns of a group of which this response is.
    fn columns_of(
        &self,
        job: &Job,
        table: Table,
        response: usize,
    ) -> Result<Held<DesignColumns>, RunError> {
        let own = self.job_of(job, response);
        let table = self.with_response(table, response);
        let options = self.design_options(&own);
        let matrix = MatrixSize::of(&table, &options);
        let charge = job.resources.memory.charge();
        let making = Making {
            memory: Some(&charge),
            ..Making::alone(&job.interrupt)
        };
        let data = DesignColumns::of(table, &options, making)?;
        charge.set(data.matrix_bytes(), &matrix)?;
        Ok(Held { data, charge })
    }

    /// A table with the column of a response.
    fn with_response(&self, mut table: Table, response: usize) -> Table {
        if self.file.is_some() {
            let column = self.responses[response].column().clone();
            table.columns.push(column);
        }
        table
    }

    /// How the design of a response is made of columns; its own job names it.
    fn design_options<'a>(&'a self, own: &'a Job) -> DesignOptions<'a> {
        DesignOptions {
            groups: &self.terms,
            ..named(own)
        }
    }

    /// The design of a response, whose own job this is, and the memory that is held for it.
    ///
    /// # Errors
    /// What is wrong with the response, or with a formula.
    pub(super) fn design(
        &self,
        own: &Job,
        response: usize,
        columns: &GroupColumns,
    ) -> Result<SharedDesign, RunError> {
        let made = self.make_design(own, response, columns);
        made.map_err(|error| self.in_file(error))
    }

    fn make_design(
        &self,
        own: &Job,
        response: usize,
        columns: &GroupColumns,
    ) -> Result<SharedDesign, RunError> {
        let columns: &DesignColumns = match columns {
            GroupColumns::Shared(columns) => columns,
            GroupColumns::Own(held) => &held.data,
            GroupColumns::Table(table) => {
                if self.file.is_some() {
                    self.check_observed(own, table, response)?;
                }
                let Held { data, charge } = Held::copy(table, &own.resources.memory)?;
                let data = self.with_response(data, response);
                let (design, held) = Design::of(own, Held { data, charge }, None)?.share();
                return Ok((design, Some(held)));
            }
        };
        let (options, response) = (self.design_options(own), &self.responses[response]);
        let design = columns.design(response, &options, &own.interrupt)?;
        Ok((Arc::new(design), None))
    }
}

/// The job of a response with this name; columns that are candidates for no response are left out.
pub(super) fn job_of(job: &Job, name: &str, left_out: &[String]) -> Job {
    let mut drop = job.drop.clone();
    drop.extend(left_out.iter().filter(|other| *other != name).cloned());
    Job {
        response: Some(name.to_owned()),
        responses: None,
        drop,
        ..job.clone()
    }
}

/// What a job says of the columns of its table; of a formula that is its response alone.
fn named(job: &Job) -> DesignOptions<'_> {
    match Design::options(job) {
        DesignSource::Columns(options, _) => options,
        DesignSource::Formula(..) => DesignOptions {
            response: job.response.as_deref(),
            ..DesignOptions::default()
        },
    }
}

/// The places of responses that are columns of the table.
///
/// # Errors
/// The first that is none; it may be a part of a name that has a comma.
pub(super) fn places(table: &Table, names: &[String]) -> Result<Vec<usize>, RunError> {
    let known: HashMap<&str, usize> = table.names().zip(0..).collect();
    let lacking = |part: &String, error: TableError| {
        let has_part =
            |name: &&str| name.contains(',') && name.split(',').any(|own| own.trim() == part);
        match table.names().find(has_part) {
            Some(name) => ResponsesError::Comma {
                part: part.clone(),
                name: name.to_owned(),
                data: table.source.clone(),
            }
            .into(),
            None => RunError::from(DesignError::from(error)),
        }
    };
    let places = names.iter().map(|name| match known.get(&**name) {
        Some(place) => Ok(*place),
        None => {
            let required = table.require("--response", name);
            required.map_err(|error| lacking(name, error))
        }
    });
    places.collect()
}
