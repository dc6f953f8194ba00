//! What designs are made with.

use crate::{interrupt::Interrupt, memory::MemoryCharge, ranks::Communicator};

/// What a design is made with, beside its table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Making<'a> {
    /// The ranks that partition the columns, if any do.
    pub(crate) communicator: Option<&'a Communicator>,
    pub(crate) interrupt: &'a Interrupt,
    /// What the matrix is charged to, if it has memory of its own.
    pub(crate) memory: Option<&'a MemoryCharge>,
}

impl<'a> Making<'a> {
    /// By one process.
    pub(crate) fn alone(interrupt: &'a Interrupt) -> Self {
        Self {
            communicator: None,
            interrupt,
            memory: None,
        }
    }
}
