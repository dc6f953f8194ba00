//! The models of a regression in a split of the rows.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    RunError,
    chosen_size::choose_size,
    in_split::{MadeInSplit, MadeInSplits, Shared},
    method::{Method, Run},
    pass::Model,
    split_models::{SplitModel, chosen_terms, full_model, models_by_size, null_model},
};
use crate::{design::Design, job::Job, table::Table, validation::Split};

/// A method that selects the model of a regression.
pub(super) struct Regressions<M>(pub(super) M);

impl<M: Method<Data = Design, Found = Model> + Sync> MadeInSplits for Regressions<M> {
    const IS_PROCEDURE: bool = M::IS_PROCEDURE;

    fn check(&self, job: &Job) -> Result<(), RunError> {
        self.0.check(job)
    }

    fn candidates(&self, _: &Job, _: &Table, design: &Design) -> usize {
        design.candidate_terms() - design.keep().len()
    }

    fn made(&self, shared: &Shared, split: &Split) -> Result<Option<MadeInSplit>, RunError> {
        let (own, (design, _held)) = shared.rows.some::<Design>(
            shared.job,
            &split.train,
            shared.resources,
            shared.interrupt,
        )?;
        let (mut models, mut chosen, mut by_size) = (Vec::new(), Vec::new(), BTreeMap::new());
        let (mut notes, mut devices) = (Vec::new(), Vec::new());
        for criterion in shared.criteria {
            let own = Job {
                criterion: Arc::clone(criterion),
                ..own.clone()
            };
            let own = match criterion.cross_validation() {
                None => own,
                Some(cv) => match choose_size(cv, shared, &split.train, |_, _| {})? {
                    None => return Ok(None),
                    Some(chosen) if chosen.is_cut => return Ok(None),
                    Some(chosen) => {
                        notes.extend_from_slice(&chosen.notes);
                        chosen.job(&own, &design)
                    }
                },
            };
            let found = self.0.work(&mut Run::silent(&own), Arc::clone(&design))?;
            let Some(mut found) = found.complete()? else {
                return Ok(None);
            };
            models.push(SplitModel::selected(&found)?);
            chosen.push(chosen_terms(&found));
            if by_size.is_empty() {
                by_size = models_by_size(&found, shared.most_sizes)?;
            }
            devices = std::mem::take(&mut found.found.devices);
            notes.append(&mut found.found.notes);
        }
        Ok(Some(MadeInSplit {
            models,
            chosen,
            null: null_model(&design, &own.pass)?,
            full: full_model(&design)?,
            by_size,
            notes,
            devices,
        }))
    }
}
