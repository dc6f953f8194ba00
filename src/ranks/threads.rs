//! Ranks that are threads of one process: for tests, and to see what ranks would say.

use std::{
    io,
    mem::take,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use super::Ranks;

/// So many ranks that are threads of this process.
pub fn threads(size: usize) -> Vec<Arc<dyn Ranks>> {
    let table = Arc::new(Table::default());
    let rank = |rank| Thread {
        rank,
        size,
        table: Arc::clone(&table),
    };
    let all = (0..size).map(|it| Arc::new(rank(it)) as Arc<dyn Ranks>);
    all.collect()
}

/// Where they put what they give.
#[derive(Debug, Default)]
struct Table {
    turn: Mutex<Turn>,
    told: Condvar,
}

#[derive(Debug, Default)]
struct Turn {
    number: u64,
    /// What all of them do in it: MPI would wait for ever for one that does something else.
    verb: Option<&'static str>,
    given: Vec<Option<Vec<u8>>>,
    all: Arc<Vec<Vec<u8>>>,
    gone: Option<usize>,
}

#[derive(Debug)]
struct Thread {
    rank: usize,
    size: usize,
    table: Arc<Table>,
}

impl Thread {
    fn turn(&self) -> MutexGuard<'_, Turn> {
        let turn = self.table.turn.lock();
        turn.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ranks for Thread {
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

    fn broadcast(&self, from: usize, own: Vec<u8>) -> io::Result<Vec<u8>> {
        let own = if self.rank == from { own } else { Vec::new() };
        Ok(self.exchange("broadcast", &own)?.swap_remove(from))
    }

    fn share(&self, from: usize, numbers: &mut [f64]) -> io::Result<()> {
        let own: Vec<u8> = match self.rank == from {
            true => numbers.iter().flat_map(|it| it.to_le_bytes()).collect(),
            false => Vec::new(),
        };
        let told = self.exchange("share", &own)?.swap_remove(from);
        for (number, bytes) in numbers.iter_mut().zip(told.chunks_exact(8)) {
            *number = bytes.try_into().map_or(f64::NAN, f64::from_le_bytes);
        }
        Ok(())
    }
}

impl Thread {
    fn exchange(&self, verb: &'static str, own: &[u8]) -> io::Result<Vec<Vec<u8>>> {
        let Table { told, .. } = &*self.table;
        let mut turn = self.turn();
        let number = turn.number;
        let first = *turn.verb.get_or_insert(verb);
        assert_eq!(first, verb, "rank {} does something else", self.rank);
        turn.given.resize(self.size, None);
        turn.given[self.rank] = Some(own.to_vec());
        if turn.given.iter().all(Option::is_some) {
            turn.all = Arc::new(take(&mut turn.given).into_iter().flatten().collect());
            turn.number += 1;
            turn.verb = None;
            told.notify_all();
        }
        while turn.number == number && turn.gone.is_none() {
            turn = told.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
        match turn.gone.filter(|_| turn.number == number) {
            Some(rank) => Err(io::Error::other(format!("rank {rank} is gone"))),
            None => Ok(turn.all.to_vec()),
        }
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        self.turn().gone.get_or_insert(self.rank);
        self.table.told.notify_all();
    }
}
