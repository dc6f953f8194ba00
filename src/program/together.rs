//! What ranks do beyond one process: they see that they are at the same work, and end it together.

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    DONE, FAILED, WRONG, error_chain,
    print::{complain, print},
    told,
};
use crate::{
    batch,
    fnv::Fnv,
    interrupt::Interrupt,
    job::{Task, file::PlannedJob},
    ranks::{Communicator, Transport},
    run::{RunContext, run_task},
};

/// The ranks, or one process alone.
pub(super) struct Together {
    communicator: Option<Communicator>,
}

/// Begins: ranks of another program, or with other arguments, are refused.
///
/// # Errors
/// The exit code, once the reason was told.
pub(super) fn begin(
    ranks: Option<Arc<dyn Transport>>,
    interrupt: &Interrupt,
) -> Result<Together, u8> {
    let Some(ranks) = ranks else {
        return Ok(Together { communicator: None });
    };
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|it| it.to_string_lossy().into_owned())
        .collect();
    let first = ranks.rank() == 0;
    let begun = Communicator::new(ranks, interrupt).and_then(|communicator| {
        communicator.check_equal("passel", &env!("CARGO_PKG_VERSION").to_owned())?;
        communicator.check_equal("the arguments", &arguments.join(" "))?;
        Ok(communicator)
    });
    match begun {
        Ok(communicator) => Ok(Together {
            communicator: Some(communicator),
        }),
        Err(error) => {
            if first {
                complain(&format!("error: {error}"));
            }
            Err(WRONG)
        }
    }
}

impl Together {
    /// Whether there is no other process.
    pub(super) fn is_one(&self) -> bool {
        self.communicator.is_none()
    }

    pub(super) fn communicator(&self) -> Option<&Communicator> {
        self.communicator.as_ref()
    }

    /// The program's name.
    pub(super) fn name(&self) -> &'static str {
        match self.is_one() {
            true => "passel",
            false => "passel-mpi",
        }
    }

    /// Whether what this process says is heard.
    pub(super) fn speaks(&self) -> bool {
        self.communicator.as_ref().is_none_or(Communicator::is_root)
    }

    pub(super) fn complain(&self, line: &str) {
        if self.speaks() {
            complain(line);
        }
    }

    pub(super) fn print(&self, text: &[u8]) -> u8 {
        match self.speaks() {
            true => print(text),
            false => DONE,
        }
    }

    /// This rank cannot go on, for what it has told: the others learn why.
    pub(super) fn leave(&self, why: &str) -> u8 {
        if let Some(communicator) = &self.communicator {
            // Who is gone needs no message.
            let _ = communicator.finish(Err(why.to_owned()));
        }
        WRONG
    }

    /// Does one task and tells what it gave; its exit code.
    pub(super) fn run(&self, mut task: Task) -> u8 {
        let Some(communicator) = &self.communicator else {
            return told(task.job(), run_task(&task, &RunContext::default()));
        };
        let beside = task.job().input_files();
        let beside = beside.into_iter().filter(|it| *it != task.job().data);
        let beside: Vec<PathBuf> = beside.collect();
        let same = self.same_files("plugins", &task.job().libraries);
        if let Err(code) =
            same.and_then(|()| self.same_files("what they read beside the data", &beside))
        {
            return code;
        }
        let alone = task.runs_on_one_rank();
        if alone && !communicator.is_root() {
            // The first does it, and tells how it ended.
            return match communicator.finish(Ok(())) {
                Ok(_) => DONE,
                Err(_) => FAILED,
            };
        }
        communicator.interrupt_locally(alone);
        task.job_mut().resources.communicator = (!alone).then(|| communicator.clone());
        let result = catch_unwind(AssertUnwindSafe(|| run_task(&task, &RunContext::default())));
        communicator.interrupt_locally(false);
        let own = match &result {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(error_chain(error)),
            Err(panic) => Err(batch::panic_report(&**panic)),
        };
        let failures = communicator.finish(own.clone());
        if !communicator.is_root() && failures.is_ok() {
            // mpirun's exit code is the first's then.
            return DONE;
        }
        match (result, failures) {
            (_, Err(gone)) => {
                self.complain(&format!("error: {gone}"));
                FAILED
            }
            (Err(_), Ok(failures)) => {
                failures
                    .iter()
                    .for_each(|it| self.complain(&format!("error: {it}")));
                FAILED
            }
            (Ok(result), Ok(failures)) => {
                let code = told(task.job(), result);
                // What all say, or the first itself, is told above.
                let others = failures.iter().filter(|it| {
                    let same = own
                        .as_ref()
                        .is_err_and(|own| own == &it.message || own.ends_with(&it.to_string()));
                    it.rank > 0 && !same
                });
                others.for_each(|it| self.complain(&format!("error: {it}")));
                match failures.is_empty() {
                    true => code,
                    false => code.max(FAILED),
                }
            }
        }
    }

    /// Whether all ranks have the same files.
    ///
    /// # Errors
    /// The exit code, once the reason was told.
    fn same_files(&self, what: &str, files: &[PathBuf]) -> Result<(), u8> {
        let hashes = files.iter().map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            // One that cannot be read is told as such.
            let hash = batch::sha256(path).unwrap_or_else(|error| error.to_string());
            format!("{name} {hash}")
        });
        self.same(what, &hashes.collect::<Vec<_>>().join(", "))
    }

    /// Whether all ranks are to run the same jobs.
    ///
    /// # Errors
    /// The exit code, once the reason was told.
    pub(super) fn same_jobs(&self, path: &Path, jobs: &[&PlannedJob]) -> Result<(), u8> {
        let text = fs::read(path).unwrap_or_default();
        let hash = Fnv::new().bytes(&text).finish();
        self.same(&path.display().to_string(), &format!("of hash {hash:032x}"))?;
        let libraries = jobs.iter().flat_map(|it| &it.task.job().libraries);
        let mut libraries: Vec<PathBuf> = libraries.cloned().collect();
        libraries.sort_unstable();
        libraries.dedup();
        self.same_files("plugins", &libraries)
    }

    fn same(&self, what: &str, own: &String) -> Result<(), u8> {
        let same = self
            .communicator
            .as_ref()
            .map(|it| it.check_equal(what, own));
        same.unwrap_or(Ok(())).map_err(|error| {
            self.complain(&format!("error: {error}"));
            WRONG
        })
    }
}
