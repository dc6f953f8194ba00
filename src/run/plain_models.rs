//! A selector that ranks variables, judged by a plain model of those that it chose.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
};

use super::{
    RunError,
    candidates::Selected,
    in_split::{MadeInSplit, MadeInSplits, Shared},
    method::{Method, Run},
    neighbours::Neighbours,
    prepared::{Binned, Held, Prepared, response},
    ranking::Order,
    some_rows::{is_of_rows, of_some_rows},
    split_models::{SplitModel, model_of_all, null_model, some_columns},
};
use crate::{
    design::Design,
    family::Distribution,
    job::{Job, ResponseSettings, ValidationJob},
    random::Stream,
    table::{Column, Missing, Table, Values},
    validation::{PlainModel, SchemeError, Split},
};

/// A column of noise: a response where none is asked, and a candidate where no variable is.
const NOISE: &str = "(noise)";

/// The seed of the noise.
const SEED: u64 = 0;

/// A selector, and what predicts from the variables that it chooses.
pub(super) struct WithPlainModel<'a, S> {
    pub(super) validation: &'a ValidationJob,
    pub(super) selector: S,
}

/// Distinct numbers that may be levels, at most.
const LEVELS: usize = 20;

/// The response of a plain model, by the values of its column: numbers, or levels, of which the event is the second of two.
fn kind(
    then: PlainModel,
    column: &Column,
    rows: usize,
) -> Result<(Distribution, Option<String>), RunError> {
    let name = || column.name.clone();
    let Values::Factor { levels, .. } = &column.values else {
        let numbers = column.values.numbers(rows).unwrap_or_default();
        let known = numbers.iter().filter(|own| !own.is_nan());
        let mut distinct: Vec<f64> = known.copied().collect();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        let are_whole = distinct.iter().all(|own| own.fract() == 0.0);
        let count = distinct.len();
        return match (then, &distinct[..]) {
            (PlainModel::LeastSquares, _) => Ok((Distribution::Gaussian, None)),
            (_, [low, high]) => {
                let event = [*low, *high] != [0.0, 1.0];
                Ok((Distribution::Binomial, event.then(|| high.to_string())))
            }
            (PlainModel::Neighbours { .. }, _) => Ok((Distribution::Gaussian, None)),
            (PlainModel::Logistic, _) if count <= LEVELS && are_whole => {
                Ok((Distribution::Multinomial, None))
            }
            (PlainModel::Logistic, _) => Err(SchemeError::NumbersByLogistic {
                name: name(),
                count,
            }
            .into()),
        };
    };
    match (then, levels.len()) {
        (PlainModel::LeastSquares, _) => {
            Err(SchemeError::LevelsByLeastSquares { name: name() }.into())
        }
        (_, 2) => Ok((Distribution::Binomial, None)),
        _ => Ok((Distribution::Multinomial, None)),
    }
}

impl<S: Method<Data = Binned, Found = Order> + Sync> WithPlainModel<'_, S> {
    /// The design of some variables of a table.
    fn design(
        &self,
        shared: &Shared,
        table: &Table,
        names: &[String],
        has_own_response: bool,
    ) -> Result<Design, RunError> {
        let job = shared.job;
        let of_response = job.response.as_deref().unwrap_or_default();
        let rows: Vec<usize> = (0..table.rows).collect();
        let mut table = some_columns(table, &rows, |name| {
            name == of_response || names.iter().any(|own| own == name)
        });
        if names.is_empty() || !has_own_response {
            let mut words = Stream::new(SEED, 0);
            let noise: Vec<f64> = rows.iter().map(|_| words.next_word() as f64).collect();
            table.columns.push(Column::from((NOISE.to_owned(), noise)));
        }
        let own = of_some_rows(job, &table, shared.resources, shared.interrupt);
        let own = match has_own_response {
            true => Job {
                drop: Vec::new(),
                ..own
            },
            false => Job {
                drop: vec![of_response.to_owned()],
                response: Some(NOISE.to_owned()),
                kind: ResponseSettings::default(),
                ..own
            },
        };
        let charge = shared.resources.memory.charge();
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
    ) -> Result<SplitModel, RunError> {
        if names.is_empty() {
            let design = self.design(shared, table, names, true)?;
            return null_model(&design, &shared.job.pass);
        }
        if let PlainModel::Neighbours { k } = then {
            let rows = table.rows;
            if k > rows {
                return Err(SchemeError::FewNeighbours { k, rows }.into());
            }
            let design = self.design(shared, table, names, false)?;
            let own = Neighbours::new(k, &design, shared.response, &split.train);
            return Ok(SplitModel::Neighbours(own));
        }
        let design = self.design(shared, table, names, true)?;
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
        let (distribution, event) = kind(then, column, table.rows)?;
        Ok(Cow::Owned(Job {
            selector: None,
            response: Some(column.name.clone()),
            kind: ResponseSettings {
                distribution,
                success: job.kind.success.clone().or(event),
                ..job.kind.clone()
            },
            ..job.clone()
        }))
    }

    fn candidates(&self, job: &Job, table: &Table, _: &Design) -> usize {
        let others = job.drop.iter().chain(&job.response);
        let others: HashSet<&str> = others.map(String::as_str).collect();
        let names = table.columns.iter().map(|own| &*own.name);
        names.filter(|name| !others.contains(name)).count()
    }

    fn made(&self, shared: &Shared, split: &Split) -> Result<Option<MadeInSplit>, RunError> {
        let (rows, resources) = (&split.train, shared.resources);
        let train = Held::rows(shared.rows.table, rows, &resources.memory)?;
        let own = of_some_rows(
            &self.validation.job,
            &train.data,
            resources,
            shared.interrupt,
        );
        // What the model takes for the mean is a level for the selector.
        let own = match own.missing.of(&train.data) {
            Missing::Mean => Job {
                missing: Missing::Level,
                ..own
            },
            _ => own,
        };
        let (binned, _held) = Binned::of(&own, train, None)?.share();
        let ranked = self.selector.work(&mut Run::silent(&own), binned)?;
        let names = ranked.names();
        let (Some(choice), Some(then)) = (ranked.choice()?, self.validation.then) else {
            return Ok(None);
        };
        let of_response = shared.job.response.as_ref();
        let used = names.iter().chain(of_response).map(String::as_str);
        let used: HashSet<&str> = used.collect();
        let table = some_columns(shared.rows.table, rows, |name| used.contains(name));
        let model = |names: &[String]| self.model(then, (shared, split), &table, names);
        let null = model(&[])?;
        let mut by_size = BTreeMap::from([(0, null.clone())]);
        for size in 1..=names.len().min(shared.most_sizes) {
            match model(&names[..size]) {
                Ok(own) => drop(by_size.insert(size, own)),
                // The sizes below are judged all the same.
                Err(error) if is_of_rows(&error) => break,
                Err(error) => return Err(error),
            }
        }
        let all = match by_size.get(&names.len()) {
            Some(own) => own.clone(),
            None => model(&names)?,
        };
        Ok(Some(MadeInSplit {
            models: vec![all],
            null,
            full: None,
            by_size,
            chosen: vec![names],
            notes: choice.notes,
            devices: choice.devices,
        }))
    }
}
