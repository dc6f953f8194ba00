//! The lock of a folder of results: who may write into it, and whether anybody does.

use std::{
    fs::{File, TryLockError},
    io,
    path::Path,
    thread,
    time::Duration,
};

use crate::whole_file::check_regular;

/// The file that a process locks while it runs jobs into the folder. The system releases the lock
/// however the process ends.
pub(super) const LOCK: &str = ".lock";

/// How often a lock that is held is tried again, and after how long.
const LOCK_TRIES: usize = 10;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// Whether a process has locked a folder of results; `None` if the system does not say.
pub(super) fn is_locked(folder: &Path) -> Option<bool> {
    let path = folder.join(LOCK);
    let lock = match check_regular(&path).and_then(|()| File::open(path)) {
        Ok(lock) => lock,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(false),
        Err(_) => return None,
    };
    match lock.try_lock_shared() {
        // It is given back at once, when the file is closed: who opens a folder tries more than once.
        Ok(()) => Some(false),
        Err(TryLockError::WouldBlock) => Some(true),
        Err(TryLockError::Error(_)) => None,
    }
}

/// Locks a file. Whoever only asks whether a run goes on holds the lock for a moment, which is waited
/// for.
pub(super) fn lock_exclusively(lock: &File) -> Result<(), TryLockError> {
    for _ in 0..LOCK_TRIES {
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_PAUSE),
            locked => return locked,
        }
    }
    lock.try_lock()
}
