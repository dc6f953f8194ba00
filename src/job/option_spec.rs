//! What an option is.

use super::{Job, OptionError, RawValues};

/// One option: its name, its documentation, and how it is read into a `T`.
#[derive(Debug)]
pub struct OptionSpec<T = Job> {
    /// `--NAME` on the command line, `NAME` in a job file.
    pub name: &'static str,
    /// What stands for the value in the help; empty for a flag.
    pub value: &'static str,
    /// The default as the user would write it, or described if it is not a fixed value.
    pub default: &'static str,
    /// The values that are allowed.
    pub range: &'static str,
    /// What the option does, in one line.
    pub help: &'static str,
    /// The group that lists it.
    pub heading: &'static str,
    /// Whether the value is a list of names, which may be given several times.
    pub list: bool,
    /// Reads the texts given by the user into a `T`.
    pub set: fn(&mut T, RawValues<'_>) -> Result<(), OptionError>,
}

/// The documentation of an option, whatever it is read into.
#[derive(Debug, Clone, Copy)]
pub struct OptionInfo {
    /// See [`OptionSpec::name`].
    pub name: &'static str,
    /// See [`OptionSpec::value`].
    pub value: &'static str,
    /// See [`OptionSpec::default`].
    pub default: &'static str,
    /// See [`OptionSpec::range`].
    pub range: &'static str,
    /// See [`OptionSpec::help`].
    pub help: &'static str,
    /// See [`OptionSpec::heading`].
    pub heading: &'static str,
    /// See [`OptionSpec::list`].
    pub list: bool,
}

impl OptionInfo {
    /// Returns true if the option has no value: it is set or not.
    pub fn is_flag(&self) -> bool {
        self.value.is_empty()
    }

    /// Returns true if one value of the option may be an array in a job file.
    pub fn takes_array(&self) -> bool {
        self.list || self.value.contains(',')
    }
}

// Derived, these would ask `T` to be `Clone` and `Copy`.
impl<T> Clone for OptionSpec<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for OptionSpec<T> {}

impl<T> OptionSpec<T> {
    /// What the options of a group share; the other fields of each must be given.
    pub(super) const fn in_group(heading: &'static str) -> Self {
        Self {
            name: "",
            value: "",
            default: "",
            range: "",
            help: "",
            heading,
            list: false,
            set: |_, _| Ok(()),
        }
    }

    /// The option's documentation.
    pub fn info(&self) -> OptionInfo {
        OptionInfo {
            name: self.name,
            value: self.value,
            default: self.default,
            range: self.range,
            help: self.help,
            heading: self.heading,
            list: self.list,
        }
    }

    /// Reads the texts given for this option into `target`.
    ///
    /// # Errors
    /// The option does not take such a value.
    pub fn read(&self, target: &mut T, texts: &[String]) -> Result<(), OptionError> {
        let values = RawValues {
            option: self.name,
            range: self.range,
            texts,
        };
        (self.set)(target, values)
    }
}
