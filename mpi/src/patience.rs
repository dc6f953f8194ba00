//! Waiting for other ranks: at speed while they are expected any moment, then with pauses; and a word
//! on standard error where one is stopped or a wait grows long.

use std::{
    fs, io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// How long processors are kept busy for the sake of a quick answer.
const BUSY: Duration = Duration::from_millis(500);

/// A pause between two questions, once nobody expects the answer at once.
const PAUSE: Duration = Duration::from_micros(200);

/// The wait after which stopped ranks of this machine are looked for and told, and again so often.
const STOPPED_AFTER: Duration = Duration::from_secs(5);

/// The first wait that rank 0 tells whatever its cause; the next is twice as long.
const LONG_AFTER: Duration = Duration::from_secs(60);

/// The process of a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    id: u32,
    host: String,
}

impl Process {
    /// Of the text `ID HOST`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (id, host) = text.split_once(' ')?;
        Some(Self {
            id: id.parse().ok()?,
            host: host.to_owned(),
        })
    }

    /// Whether a process of this machine is stopped, by SIGSTOP say; false where the system does not tell.
    fn is_stopped(&self) -> bool {
        let status = fs::read_to_string(format!("/proc/{}/stat", self.id)).unwrap_or_default();
        // The name before it, in brackets, may hold anything.
        let state = status.rsplit(')').next().unwrap_or_default().trim_start();
        state.starts_with(['T', 't'])
    }
}

/// How often the thread that tells long waits looks whether this rank still waits.
const LOOK: Duration = Duration::from_secs(1);

/// Lets others work for a moment, in a wait that began then.
pub(crate) fn pause(began: Instant) {
    if began.elapsed() < BUSY {
        thread::yield_now();
    } else {
        thread::sleep(PAUSE);
    }
}

/// The waits of a rank for the others. A thread of its own tells the long ones, for MPI's blocking
/// operations do not return while another rank is stopped.
#[derive(Debug)]
pub(crate) struct Waits {
    rank: usize,
    processes: Vec<Process>,
    /// One more at each beginning and each end of a wait: odd while this rank waits.
    turns: AtomicU64,
}

impl Waits {
    /// Those of a rank, with the processes of all by rank.
    ///
    /// # Errors
    /// No thread can be had.
    pub(crate) fn new(rank: usize, processes: Vec<Process>) -> io::Result<Arc<Self>> {
        let waits = Arc::new(Self {
            rank,
            processes,
            turns: AtomicU64::new(0),
        });
        if waits.processes.len() > 1 {
            let watched = Arc::clone(&waits);
            let thread = thread::Builder::new().name("waits".to_owned());
            thread.spawn(move || watched.tell_long_ones())?;
        }
        Ok(waits)
    }

    /// Does what ends only once the other ranks do the same.
    pub(crate) fn during<T>(&self, operation: impl FnOnce() -> T) -> T {
        self.turns.fetch_add(1, Ordering::Relaxed);
        let result = operation();
        self.turns.fetch_add(1, Ordering::Relaxed);
        result
    }

    /// Looks at the waits for as long as the process lives.
    fn tell_long_ones(&self) {
        let (mut turn, mut began) = (0, Instant::now());
        let (mut look_after, mut told_after) = (STOPPED_AFTER, LONG_AFTER);
        loop {
            thread::sleep(LOOK);
            let now = self.turns.load(Ordering::Relaxed);
            if now != turn || now.is_multiple_of(2) {
                (turn, began) = (now, Instant::now());
                (look_after, told_after) = (STOPPED_AFTER, LONG_AFTER);
                continue;
            }
            let waited = began.elapsed();
            if waited >= look_after {
                look_after += STOPPED_AFTER;
                for line in stopped(self.rank, &self.processes, Process::is_stopped) {
                    eprintln!("warning: {line}");
                }
            }
            if waited >= told_after && self.rank == 0 {
                told_after *= 2;
                let seconds = waited.as_secs();
                eprintln!(
                    "warning: rank 0 has waited {seconds} s for the other ranks: one of them has more \
                     to do, or is slow, stopped or lost"
                );
            }
        }
    }
}

/// What a rank tells of the stopped ranks of its machine: of those that wait there, the lowest tells.
fn stopped(
    rank: usize,
    processes: &[Process],
    is_stopped: impl Fn(&Process) -> bool,
) -> Vec<String> {
    let Some(own) = processes.get(rank) else {
        return Vec::new();
    };
    let here = processes.iter().enumerate();
    let here = here.filter(|(_, process)| process.host == own.host);
    let (stopped, running): (Vec<_>, Vec<_>) = here.partition(|(_, process)| is_stopped(process));
    if running.first().is_none_or(|(first, _)| *first != rank) {
        return Vec::new();
    }
    let line = |(rank, process): (usize, &Process)| {
        let Process { id, host } = process;
        format!(
            "rank {rank} on {host} is stopped, and all wait for it: kill -CONT {id} there lets it go on"
        )
    };
    stopped.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn processes() -> Vec<Process> {
        let all = ["10 a", "11 a", "12 b", "13 a", "14 b"];
        all.iter().filter_map(|text| Process::parse(text)).collect()
    }

    #[test]
    fn the_lowest_rank_of_a_machine_tells_which_are_stopped_there() {
        let all = processes();
        let told = |rank| stopped(rank, &all, |process| [10, 13, 14].contains(&process.id));
        assert_eq!(told(1).len(), 2);
        assert!(
            told(1)[0].starts_with("rank 0 on a is stopped") && told(1)[0].contains("-CONT 10")
        );
        assert!(told(1)[1].contains("rank 3"));
        assert_eq!(told(2).len(), 1);
        assert!(told(9).is_empty() && stopped(0, &all, |_| false).is_empty());
        let none = stopped(3, &all, |process| process.id == 10);
        assert!(none.is_empty(), "rank 1 tells it");
    }

    #[test]
    fn this_process_is_not_stopped() {
        let own = Process::parse(&format!("{} here", std::process::id()));
        assert!(!own.is_some_and(|own| own.is_stopped()));
        assert_eq!(Process::parse("none here"), None);
    }
}
