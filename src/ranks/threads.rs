//! Ranks that are threads of one process: for tests, and to count the messages of a job.

use std::{
    io,
    mem::take,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use super::Transport;

/// Connects `size` ranks, each of which one thread of this process then is. A rank that is dropped
/// is gone; one that calls another operation than the rest panics.
pub fn thread_transports(size: usize) -> Vec<Arc<dyn Transport>> {
    let exchange = Arc::new(Exchange::default());
    let transport = |rank| ThreadTransport {
        rank,
        size,
        exchange: Arc::clone(&exchange),
    };
    (0..size)
        .map(|rank| Arc::new(transport(rank)) as Arc<dyn Transport>)
        .collect()
}

/// The memory through which the threads exchange messages.
#[derive(Debug, Default)]
struct Exchange {
    round: Mutex<Round>,
    completed: Condvar,
}

/// One collective operation.
#[derive(Debug, Default)]
struct Round {
    number: u64,
    /// What all ranks call in it: MPI would wait for ever for one that calls something else.
    operation: Option<&'static str>,
    sent: Vec<Option<Vec<u8>>>,
    received: Arc<Vec<Vec<u8>>>,
    gone: Option<usize>,
}

#[derive(Debug)]
struct ThreadTransport {
    rank: usize,
    size: usize,
    exchange: Arc<Exchange>,
}

impl Transport for ThreadTransport {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn host(&self) -> String {
        "thread".to_owned()
    }

    fn gather(&self, own: &[u8]) -> io::Result<Vec<Vec<u8>>> {
        self.exchange("gather", own)
    }

    fn broadcast(&self, root: usize, own: Vec<u8>) -> io::Result<Vec<u8>> {
        let own = if self.rank == root { own } else { Vec::new() };
        Ok(self.exchange("broadcast", &own)?.swap_remove(root))
    }

    fn broadcast_numbers(&self, root: usize, numbers: &mut [f64]) -> io::Result<()> {
        let own: Vec<u8> = match self.rank == root {
            true => numbers
                .iter()
                .flat_map(|number| number.to_le_bytes())
                .collect(),
            false => Vec::new(),
        };
        let sent = self.exchange("broadcast_numbers", &own)?.swap_remove(root);
        for (number, bytes) in numbers.iter_mut().zip(sent.chunks_exact(8)) {
            *number = bytes.try_into().map_or(f64::NAN, f64::from_le_bytes);
        }
        Ok(())
    }
}

impl ThreadTransport {
    fn round(&self) -> MutexGuard<'_, Round> {
        let round = self.exchange.round.lock();
        round.unwrap_or_else(PoisonError::into_inner)
    }

    fn exchange(&self, operation: &'static str, own: &[u8]) -> io::Result<Vec<Vec<u8>>> {
        let completed = &self.exchange.completed;
        let mut round = self.round();
        let number = round.number;
        let first = *round.operation.get_or_insert(operation);
        assert_eq!(first, operation, "rank {} does something else", self.rank);
        round.sent.resize(self.size, None);
        round.sent[self.rank] = Some(own.to_vec());
        if round.sent.iter().all(Option::is_some) {
            round.received = Arc::new(take(&mut round.sent).into_iter().flatten().collect());
            round.number += 1;
            round.operation = None;
            completed.notify_all();
        }
        while round.number == number && round.gone.is_none() {
            round = completed
                .wait(round)
                .unwrap_or_else(PoisonError::into_inner);
        }
        match round.gone.filter(|_| round.number == number) {
            Some(rank) => Err(io::Error::other(format!("rank {rank} is gone"))),
            None => Ok(round.received.to_vec()),
        }
    }
}

impl Drop for ThreadTransport {
    fn drop(&mut self) {
        self.round().gone.get_or_insert(self.rank);
        self.exchange.completed.notify_all();
    }
}
