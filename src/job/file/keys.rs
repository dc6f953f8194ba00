//! The keys of a job that are not options.

/// A key of a job that is not an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JobKey {
    Name,
    Command,
    Data,
}

impl JobKey {
    pub(super) const NAMES: [&str; 3] = ["name", "command", "data"];

    pub(super) fn named(name: &str) -> Option<Self> {
        let index = Self::NAMES.iter().position(|key| *key == name)?;
        Some([Self::Name, Self::Command, Self::Data][index])
    }
}
