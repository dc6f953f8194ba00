//! Columns that stay on GPUs while many selections are made from rows of one table.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use super::{
    RunError,
    prepared::{Held, response},
};
use crate::{
    design::Design,
    device::{DeviceChoice, Placement, cuda::tensor::DeviceMatrix},
    job::Job,
    table::{Column, ColumnReader, Table, Values, is_clean_matrix},
    threads::with_helpers,
};

/// Selections that a GPU works on at a time: of one the host makes the design while another is searched.
const SIDE_BY_SIDE: usize = 2;

/// All rows of the candidates, once on each GPU, and the table in which they are remote.
#[derive(Debug)]
pub(super) struct RowsOnGpus {
    gpus: Vec<(usize, Arc<DeviceMatrix>)>,
    beside: Table,
    /// Selections so far: the GPUs take turns.
    next: AtomicUsize,
}

impl RowsOnGpus {
    /// Copies them, and makes the design of all rows; without the copies where they may not stay.
    pub(super) fn with_whole(
        job: &Job,
        table: &Table,
    ) -> Result<(Option<Self>, Held<Design>), RunError> {
        let threads = job.resources.thread_count();
        let there = with_helpers(threads, || Self::of(job, table));
        if let Some(there) = there
            && let Some(whole) = there.whole(job)?
        {
            return Ok((Some(there), whole));
        }
        Ok((None, Held::of_all_rows(job, table)?))
    }

    /// Copies them; none where a selection is not one of which the columns may stay, or where they have no room there.
    fn of(job: &Job, table: &Table) -> Option<Self> {
        let at = response(job, table)?;
        let (n, width) = (table.rows, table.columns.len() - 1);
        let is_worth = Design::may_stay(job, (n, width));
        let is_dropped = |name: &String| job.drop.contains(name);
        let mut columns = table.columns.iter().enumerate();
        let are_numbers = columns.all(|(place, column)| match &column.values {
            Values::Numbers(_) | Values::Bytes(_) => true,
            _ => place == at || is_dropped(&column.name),
        });
        let missing = |column: &Column| match &column.values {
            Values::Numbers(own) => own.iter().any(|value| value.is_nan()),
            _ => false,
        };
        if !is_worth || !are_numbers || missing(&table.columns[at]) {
            return None;
        }
        let (Placement::Cuda(ordinals), _) =
            Placement::resolve(&job.resources.devices, true).ok()?
        else {
            return None;
        };
        // Those of the response are left out.
        let fill = |place: usize, to: &mut [f64]| {
            let column = &table.columns[place + usize::from(place >= at)];
            match (&column.values, is_dropped(&column.name)) {
                (Values::Numbers(own), false) => to.copy_from_slice(own),
                (Values::Bytes(own), false) => {
                    to.iter_mut()
                        .zip(own)
                        .for_each(|(to, own)| *to = (*own).into());
                }
                _ => to.fill(0.0),
            }
        };
        let mut gpus = Vec::new();
        for ordinal in ordinals {
            let copy = DeviceMatrix::copy_of(ordinal, (n, width), SIDE_BY_SIDE, fill);
            let copy = copy.ok()??;
            // What is missing or must be told of a column may differ by the rows.
            if !is_clean_matrix(&copy, &job.interrupt) {
                return None;
            }
            gpus.push((ordinal, Arc::new(copy)));
        }
        let mut beside = table.clone();
        for (place, column) in beside.columns.iter_mut().enumerate() {
            if place != at {
                column.values = Values::Remote;
            }
        }
        let next = AtomicUsize::new(0);
        Some(Self { gpus, beside, next })
    }

    /// Selections that are made at a time.
    pub(super) fn threads(&self) -> usize {
        SIDE_BY_SIDE * self.gpus.len()
    }

    /// The table, without the columns.
    pub(super) fn beside(&self) -> &Table {
        &self.beside
    }

    /// The design of all rows.
    fn whole(&self, job: &Job) -> Result<Option<Held<Design>>, RunError> {
        let (_, first) = &self.gpus[0];
        let first = Arc::clone(first) as Arc<dyn ColumnReader>;
        Design::of_columns(job, self.beside.clone(), &first)
    }

    /// The design of some rows, and the GPU that is to search it.
    ///
    /// *Shapes:* `table` has the rows of the [table](Self::beside).
    pub(super) fn design(
        &self,
        job: &mut Job,
        table: Table,
        rows: &[usize],
    ) -> Result<Option<Held<Design>>, RunError> {
        let at = self.next.fetch_add(1, Ordering::Relaxed) % self.gpus.len();
        let (ordinal, matrix) = &self.gpus[at];
        let own = Arc::new(matrix.of_rows(rows)?) as Arc<dyn ColumnReader>;
        job.resources.devices = DeviceChoice::Cuda(vec![*ordinal]);
        Design::of_columns(job, table, &own)
    }
}
