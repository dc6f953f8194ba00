//! What designs are made with.

use std::sync::Arc;

use crate::{interrupt::Interrupt, memory::MemoryCharge, ranks::Communicator, table::ColumnReader};

/// What a design is made with, beside its table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Making<'a> {
    /// The ranks that partition the columns, if any do.
    pub(crate) communicator: Option<&'a Communicator>,
    pub(crate) interrupt: &'a Interrupt,
    /// The array in which the columns stay that the table lacks.
    pub(crate) in_file: Option<&'a Arc<dyn ColumnReader>>,
    /// What the matrix is charged to, if it has memory of its own.
    pub(crate) memory: Option<&'a MemoryCharge>,
}

impl<'a> Making<'a> {
    /// By one process.
    pub(crate) fn alone(interrupt: &'a Interrupt) -> Self {
        Self {
            communicator: None,
            interrupt,
            in_file: None,
            memory: None,
        }
    }
}
