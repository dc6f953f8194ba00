//! Columns that stay on GPUs while many selections are made from rows of one table.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use super::{
    RunError,
    prepared::{Held, Prepared, SharedData, response},
    resample::side_by_side,
    some_rows::of_some_rows,
};
use crate::{
    design::Design,
    device::{DeviceChoice, Placement, Resources, cuda::tensor::DeviceMatrix},
    interrupt::Interrupt,
    job::Job,
    table::{Column, ColumnReader, Table, Values, is_clean_matrix},
    threads::with_helpers,
};

/// Selections that a GPU works on at a time: of one the host makes the design while another is searched.
const SIDE_BY_SIDE: usize = 4;

/// The rows of a table, of which selections have some.
#[derive(Debug, Clone, Copy)]
pub(super) struct AllRows<'a> {
    pub(super) table: &'a Table,
    /// The columns, where they stay on GPUs.
    pub(super) on_gpus: Option<&'a RowsOnGpus>,
}

impl AllRows<'_> {
    /// How many selections are made at a time of so many, with so many numbers in the matrix of each, and what each may use.
    pub(super) fn side_by_side(
        &self,
        resources: &Resources,
        count: usize,
        elements: usize,
    ) -> (usize, Resources) {
        match self.on_gpus {
            Some(own) => (SIDE_BY_SIDE * own.gpus.len(), resources.clone()),
            None => side_by_side(resources, count, elements),
        }
    }

    /// The job of some of the rows, and their data.
    pub(super) fn some<D: Prepared>(
        &self,
        job: &Job,
        rows: &[usize],
        resources: &Resources,
        interrupt: &Interrupt,
    ) -> Result<(Job, SharedData<D>), RunError> {
        if let Some(all) = self.on_gpus {
            let table = all.beside.select_rows(rows);
            let mut own = of_some_rows(job, &table, resources, interrupt);
            let (ordinal, matrix) = all.next();
            own.resources.devices = DeviceChoice::Cuda(vec![ordinal]);
            let matrix = Arc::new(matrix.of_rows(rows)?) as Arc<dyn ColumnReader>;
            if let Some(data) = D::in_place(&own, table, &matrix)? {
                return Ok((own, data.share()));
            }
        }
        let table = Held::rows(self.table, rows, &resources.memory)?;
        let own = of_some_rows(job, &table.data, resources, interrupt);
        let data = D::of(&own, table, None)?;
        Ok((own, data.share()))
    }
}

/// All rows of the candidates, once on each GPU, and the table in which they are remote.
#[derive(Debug)]
pub(super) struct RowsOnGpus {
    gpus: Vec<(usize, Arc<DeviceMatrix>)>,
    beside: Table,
    /// Selections so far: the GPUs take turns.
    next: AtomicUsize,
}

impl RowsOnGpus {
    /// Copies them, and makes the data of all rows; without the copies where they may not stay.
    pub(super) fn with_whole<D: Prepared>(
        job: &Job,
        table: &Table,
    ) -> Result<(Option<Self>, Held<D>), RunError> {
        let threads = job.resources.thread_count();
        let of_gpus = || -> Result<_, RunError> {
            let Some(there) = D::may_be_in_place(job)
                .then(|| Self::of(job, table))
                .flatten()
            else {
                return Ok(None);
            };
            let first = Arc::clone(&there.gpus[0].1) as Arc<dyn ColumnReader>;
            let whole = D::in_place(job, there.beside.clone(), &first)?;
            Ok(whole.map(|whole| (Some(there), whole)))
        };
        match with_helpers(threads, of_gpus)? {
            Some(there) => Ok(there),
            None => Ok((None, Held::of_all_rows(job, table)?)),
        }
    }

    /// Copies them; none where a selection is not one of which the columns may stay, or where they have no room there.
    fn of(job: &Job, table: &Table) -> Option<Self> {
        let at = response(job, table)?;
        let (n, width) = (table.rows, table.columns.len() - 1);
        let limit = job.resources.memory_limit.unwrap_or(u64::MAX);
        let bytes = 8 * (n as u64).saturating_mul(width as u64);
        let has_room = bytes.saturating_mul(1 + SIDE_BY_SIDE as u64) <= limit;
        let is_worth = has_room && Design::may_stay(job, (n, width));
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

    /// The next GPU in turn.
    fn next(&self) -> (usize, &DeviceMatrix) {
        let at = self.next.fetch_add(1, Ordering::Relaxed) % self.gpus.len();
        let (ordinal, matrix) = &self.gpus[at];
        (*ordinal, matrix)
    }
}
