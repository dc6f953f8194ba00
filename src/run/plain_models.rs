//! A selector that ranks variables, judged by a plain model of those that it chose.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
};

use super::{
    RunError,
    method::{Method, Run},
    neighbours::Neighbours,
    prepared::{Binned, Held, Prepared, response},
    ranking::Order,
    some_rows::{is_of_rows, of_some_rows},
    split_models::{SplitModel, model_of_all, null_model, some_columns},
    validate::{MadeInSplit, MadeInSplits, Shared},
};
use crate::{
    design::Design,
    device::Resources,
    family::Distribution,
    interrupt::Interrupt,
    job::{Job, ResponseSettings, ValidationJob},
    table::{Column, Table, Values},
    validation::{PlainModel, SchemeError, Split},
};

/// The column of row numbers: a response that is always there, and a candidate that no model takes.
const ROWS: &str = "(rows)";

/// A selector, and what predicts from the variables that it chooses.
pub(super) struct WithPlainModel<'a, S> {
    pub(super) validation: &'a ValidationJob,
    pub(super) selector: S,
}

/// The column by whose values a plain model's response is one of numbers or of levels.
fn distribution(then: PlainModel, column: &Column, rows: usize) -> Result<Distribution, RunError> {
    let (levels, are_numbers) = match &column.values {
        Values::Factor { levels, .. } => (levels.len(), false),
        values => {
            let numbers = values.numbers(rows).unwrap_or_default();
            let mut distinct: Vec<f64> = numbers
                .iter()
                .copied()
                .filter(|own| !own.is_nan())
                .collect();
            distinct.sort_by(f64::total_cmp);
            distinct.dedup();
            // Of numbers 0 and 1 tell whether something happened.
            let is_event = distinct == [0.0, 1.0];
            (if is_event { 2 } else { usize::MAX }, !is_event)
        }
    };
    match then {
        PlainModel::LeastSquares if matches!(column.values, Values::Factor { .. }) => {
            let name = column.name.clone();
            Err(SchemeError::LevelsByLeastSquares { name }.into())
        }
        PlainModel::LeastSquares => Ok(Distribution::Gaussian),
        PlainModel::Neighbours { .. } if are_numbers => Ok(Distribution::Gaussian),
        _ if levels == 2 => Ok(Distribution::Binomial),
        _ => Ok(Distribution::Multinomial),
    }
}

impl<S: Method<Data = Binned, Found = Order> + Sync> WithPlainModel<'_, S> {
    /// The design of some variables of a table.
    fn design(
        &self,
        shared: &Shared,
        table: &Table,
        names: &[String],
        (resources, interrupt): (&Resources, &Interrupt),
        has_own_response: bool,
    ) -> Result<Design, RunError> {
        let job = shared.job;
        let of_response = job.response.as_deref().unwrap_or_default();
        let rows: Vec<usize> = (0..table.rows).collect();
        let mut table = some_columns(table, &rows, |name| {
            name == of_response || names.iter().any(|own| own == name)
        });
        if names.is_empty() || !has_own_response {
            let numbers: Vec<f64> = rows.iter().map(|row| *row as f64).collect();
            table.columns.push(Column::from((ROWS.to_owned(), numbers)));
        }
        let own = of_some_rows(job, &table, resources, interrupt);
        let own = match has_own_response {
            true => Job {
                drop: Vec::new(),
                ..own
            },
            false => Job {
                drop: vec![of_response.to_owned()],
                response: Some(ROWS.to_owned()),
                kind: ResponseSettings::default(),
                ..own
            },
        };
        let charge = resources.memory.charge();
        let table = Held {
            data: table,
            charge,
        };
        Ok(Design::of(&own, table, None)?.data)
    }

    /// The plain model of some variables of the training rows of a split.
    fn model(
        &self,
        then: PlainModel,
        (shared, split): (&Shared, &Split),
        table: &Table,
        names: &[String],
        with: (&Resources, &Interrupt),
    ) -> Result<SplitModel, RunError> {
        if names.is_empty() {
            let design = self.design(shared, table, names, with, true)?;
            return null_model(&design, &shared.job.pass);
        }
        if let PlainModel::Neighbours { k } = then {
            let design = self.design(shared, table, names, with, false)?;
            let own = Neighbours::new(k, &design, shared.response, &split.train);
            return Ok(SplitModel::Neighbours(own));
        }
        let design = self.design(shared, table, names, with, true)?;
        let none = || SchemeError::NoPlainModel {
            model: then.name(),
            variables: names.len(),
            rows: table.rows,
        };
        model_of_all(&design)?.ok_or_else(|| none().into())
    }
}

impl<S: Method<Data = Binned, Found = Order> + Sync> MadeInSplits for WithPlainModel<'_, S> {
    const IS_PROCEDURE: bool = S::IS_PROCEDURE;

    fn check(&self, job: &Job) -> Result<(), RunError> {
        match self.validation.then {
            None => Err(RunError::OtherResult {
                wanted: "model that predicts",
            }),
            Some(_) => self.selector.check(job),
        }
    }

    fn judged<'j>(&self, job: &'j Job, table: &Table) -> Result<Cow<'j, Job>, RunError> {
        let (Some(then), Some(at)) = (self.validation.then, response(job, table)) else {
            return Ok(Cow::Borrowed(job));
        };
        let column = &table.columns[at];
        Ok(Cow::Owned(Job {
            selector: None,
            response: Some(column.name.clone()),
            kind: ResponseSettings {
                distribution: distribution(then, column, table.rows)?,
                ..job.kind.clone()
            },
            ..job.clone()
        }))
    }

    fn made(
        &self,
        shared: &Shared,
        split: &Split,
        resources: &Resources,
        interrupt: &Interrupt,
    ) -> Result<Option<MadeInSplit>, RunError> {
        let (rows, with) = (&split.train, (resources, interrupt));
        let train = Held::rows(shared.table, rows, &resources.memory)?;
        let own = of_some_rows(&self.validation.job, &train.data, resources, interrupt);
        let (binned, _held) = match Binned::of(&own, train, None) {
            Err(RunError::Interrupted) => return Ok(None),
            binned => binned?.share(),
        };
        let ranked = self.selector.work(&mut Run::silent(&own), binned)?;
        let (Some(chosen), Some(then)) = (ranked.names()?, self.validation.then) else {
            return Ok(None);
        };
        let names = &chosen.names;
        let of_response = shared.job.response.as_ref();
        let used = names.iter().chain(of_response).map(String::as_str);
        let used: HashSet<&str> = used.collect();
        let table = some_columns(shared.table, rows, |name| used.contains(name));
        let model = |names: &[String]| self.model(then, (shared, split), &table, names, with);
        let mut by_size = BTreeMap::new();
        for size in 0..=names.len().min(shared.most_sizes) {
            match model(&names[..size]) {
                Ok(own) => drop(by_size.insert(size, own)),
                // The sizes below are judged all the same.
                Err(error) if is_of_rows(&error) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(Some(MadeInSplit {
            models: vec![model(names)?],
            null: model(&[])?,
            full: None,
            by_size,
            chosen: vec![chosen.names],
            notes: chosen.notes,
            devices: chosen.devices,
        }))
    }
}
