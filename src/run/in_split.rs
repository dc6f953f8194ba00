//! One split of the rows: models of some of them → what these predict of the others.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use passel_criteria::Criterion;

use super::{
    RunError,
    lost_levels::FactorLevels,
    prepared::{Held, Prepared, SharedData},
    rows_on_gpu::RowsOnGpus,
    some_rows::of_some_rows,
    split_models::{Selected, SplitModel, SplitResult, rows_for},
};
use crate::{
    design::Design,
    device::Resources,
    interrupt::Interrupt,
    job::Job,
    table::Table,
    validation::{Response, Split},
};

/// What all splits have in common.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    /// The regression of each, but for what depends on its rows.
    pub(super) job: &'a Job,
    /// The observations alone.
    pub(super) table: &'a Table,
    /// The columns where they stay on GPUs.
    pub(super) on_gpus: Option<&'a RowsOnGpus>,
    pub(super) response: &'a Response,
    pub(super) levels: &'a FactorLevels<'a>,
    pub(super) criteria: &'a [Arc<dyn Criterion>],
    /// Of each row the number of its group, and the column of groups, where their rows stay together.
    pub(super) groups: Option<(&'a str, &'a [u32])>,
    /// Columns of the matrix of all rows, and what divides the numbers of them in all terms.
    pub(super) width: usize,
    pub(super) unit: usize,
    /// Sizes of models that are judged, at most.
    pub(super) most_sizes: usize,
    /// What each may use.
    pub(super) resources: &'a Resources,
    pub(super) interrupt: &'a Interrupt,
}

impl Shared<'_> {
    /// The job of some of the rows, and their design.
    pub(super) fn of_rows(&self, rows: &[usize]) -> Result<(Job, SharedData<Design>), RunError> {
        if let Some(all) = self.on_gpus {
            let table = all.beside().select_rows(rows);
            let mut own = of_some_rows(self.job, &table, self.resources, self.interrupt);
            if let Some(design) = all.design(&mut own, table, rows)? {
                return Ok((own, design.share()));
            }
        }
        let table = Held::rows(self.table, rows, &self.resources.memory)?;
        let own = of_some_rows(self.job, &table.data, self.resources, self.interrupt);
        let design = Design::of(&own, table, None)?;
        Ok((own, design.share()))
    }
}

/// Models of the training rows of a split.
pub(super) struct MadeInSplit {
    /// By criterion.
    pub(super) models: Vec<SplitModel>,
    /// The terms that each holds, without those that are kept.
    pub(super) chosen: Vec<Vec<String>>,
    /// The model without any choice.
    pub(super) null: SplitModel,
    /// The model of everything, where there is one.
    pub(super) full: Option<SplitModel>,
    /// By the number of terms chosen.
    pub(super) by_size: BTreeMap<usize, SplitModel>,
    pub(super) notes: Vec<String>,
    pub(super) devices: Vec<String>,
}

/// How the models of a split are made.
pub(super) trait MadeInSplits: Sync {
    const IS_PROCEDURE: bool;

    fn check(&self, _: &Job) -> Result<(), RunError> {
        Ok(())
    }

    /// The job of the regression whose responses are judged.
    ///
    /// # Errors
    /// A response that it is not of.
    fn judged<'j>(&self, job: &'j Job, _: &Table) -> Result<Cow<'j, Job>, RunError> {
        Ok(Cow::Borrowed(job))
    }

    /// How many candidates there are.
    fn candidates(&self, job: &Job, table: &Table, design: &Design) -> usize;

    /// Models of the training rows of a split; none, or an error that says so, where an interrupt cut them short.
    fn made(&self, shared: &Shared, split: &Split) -> Result<Option<MadeInSplit>, RunError>;
}

/// Selects from the rows of a split, and predicts the others; none where an interrupt cut it short.
pub(super) fn judge<M: MadeInSplits>(
    models: &M,
    shared: &Shared,
    split: Split,
) -> Result<Option<SplitResult>, RunError> {
    let made = match models.made(shared, &split) {
        Ok(None) | Err(RunError::Interrupted) => return Ok(None),
        Ok(Some(made)) => made,
        Err(error) => return Err(error),
    };
    let mut notes: Vec<String> = shared.levels.lost(&split.train).collect();
    notes.extend(made.notes);
    let all = made.models.iter().chain(made.by_size.values());
    let all = all.chain([&made.null]).chain(&made.full);
    let test = rows_for(all, shared.table, &split.test);
    let say = |model: &SplitModel| model.predict(&test);
    let selected: Vec<_> = made.models.iter().map(say).collect::<Result<_, _>>()?;
    let null = say(&made.null)?;
    let full = made.full.as_ref().map(say).transpose()?;
    // All are judged on the same rows.
    let (response, rows) = (shared.response, &split.test);
    let judged = selected.iter().chain([&null]).chain(&full);
    let unknown: BTreeSet<usize> = judged.flat_map(|own| own.unknown(response, rows)).collect();
    let known: Vec<usize> = (0..rows.len()).filter(|at| !unknown.contains(at)).collect();
    // A model of some size may not know levels of rows that the others do.
    let mut of_sizes = BTreeMap::new();
    for (size, model) in &made.by_size {
        let own = say(model)?;
        let mut others = own.unknown(response, rows).into_iter();
        if others.all(|at| unknown.contains(&at)) {
            of_sizes.insert(*size, own.of(response, &known));
        }
    }
    let selected = made.chosen.into_iter().zip(&selected);
    let selected = selected.map(|(terms, own)| Selected {
        terms,
        predicted: own.of(response, &known),
    });
    Ok(Some(SplitResult {
        rows: known.iter().map(|at| split.test[*at]).collect(),
        selected: selected.collect(),
        null: null.of(response, &known),
        full: full.map(|own| own.of(response, &known)),
        by_size: of_sizes,
        notes,
        devices: made.devices,
        split,
    }))
}
