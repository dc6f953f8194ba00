//! What an option is.

use super::{Job, OptionError, RawValues};

/// One option: how it is named, explained and read.
#[derive(Debug)]
pub struct OptionSpec<T = Job> {
    /// `--NAME` on the command line, `NAME` in a job file.
    pub name: &'static str,
    /// What stands for the value in the help; empty for a flag.
    pub value: &'static str,
    /// The default, as it would be written; in words where it is no fixed value.
    pub default: &'static str,
    /// What is allowed.
    pub range: &'static str,
    /// What it does, on one line.
    pub help: &'static str,
    /// The group it is listed in.
    pub heading: &'static str,
    /// Whether it is a list of names, which may be given several times.
    pub list: bool,
    /// Reads the texts given into the job.
    pub set: fn(&mut T, RawValues<'_>) -> Result<(), OptionError>,
}

// By hand, for `T` need be neither.
impl<T> Clone for OptionSpec<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for OptionSpec<T> {}

impl<T> OptionSpec<T> {
    /// Reads the texts given for this option into the job.
    ///
    /// # Errors
    /// A value that the option does not take.
    pub fn read(&self, job: &mut T, values: &[String]) -> Result<(), OptionError> {
        let given = RawValues {
            option: self.name,
            range: self.range,
            values,
        };
        (self.set)(job, given)
    }
}
