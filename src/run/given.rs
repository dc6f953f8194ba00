//! Data that the caller of a task has in memory, and gives it.

use std::sync::Arc;

use super::{
    DataCache, RunError,
    data_cache::keys,
    dispatch::method_of,
    prepared::{Held, Prepared, read_options, response},
};
use crate::{
    design::Design,
    job::Task,
    table::{ColumnReader, Table, Values, is_clean_matrix},
    threads::with_helpers,
};

impl DataCache {
    /// A table that one task uses, and nobody else: what is made of it may stand in its memory.
    ///
    /// # Errors
    /// The table is larger than the memory that the task may have; what its options say of columns is wrong.
    pub fn of_table(task: &Task, table: Table) -> Result<Self, RunError> {
        let job = task.job();
        let cache = Self::default();
        cache.expect(task);
        let charge = job.resources.memory.take(table.bytes(), "the table")?;
        let data = table.read_by(&read_options(job))?;
        cache.put_table(&method_of(task).data_keys(job), Held { data, charge });
        Ok(cache)
    }

    /// Whether the task is one whose columns may stay where they are, for [`of_columns`](Self::of_columns).
    pub fn may_hold(task: &Task, columns: &dyn ColumnReader) -> bool {
        let job = task.job();
        let is_design = method_of(task).data_keys(job) == keys::<Design>(job);
        is_design && Design::may_stay(job, columns.shape())
    }

    /// Columns that stay where they are, beside those of a table in which they are remote, for one task; none where the
    /// task is not one of which they may stay, or where something of them must be told.
    ///
    /// # Errors
    /// As of a design of the table.
    pub fn of_columns(
        task: &Task,
        columns: &Arc<dyn ColumnReader>,
        table: &Table,
    ) -> Result<Option<Self>, RunError> {
        let job = task.job();
        let key = method_of(task).data_keys(job);
        let is_beside = |at: usize| !matches!(table.columns[at].values, Values::Remote);
        if !Self::may_hold(task, &**columns) || !response(job, table).is_some_and(is_beside) {
            return Ok(None);
        }
        let threads = job.resources.thread_count();
        let held = with_helpers(threads, || {
            if !is_clean_matrix(&**columns, &job.interrupt) {
                return Ok(None);
            }
            let table = table.clone().read_by(&read_options(job))?;
            Design::in_place(job, table, columns)
        })?;
        let (Some(held), (_, Some(made))) = (held, key) else {
            return Ok(None);
        };
        let cache = Self::default();
        cache.put_prepared(&made, held);
        Ok(Some(cache))
    }
}
