//! What an option is.

use std::{
    fmt::Display,
    num::NonZeroUsize,
    ops::{Deref, RangeInclusive},
    time::Duration,
};

use super::{JobDraft, OptionError, RawValues};
use crate::{nearest::either, progress::Progress};

/// One option: its documentation, and how it is read into a `T`. Its range and default are those of
/// the field that it sets, unless they are described in words.
pub struct OptionSpec<T = JobDraft> {
    info: OptionInfo,
    set: Setter<T>,
}

type Setter<T> = Box<dyn Fn(&mut T, &RawValues) -> Result<(), OptionError> + Send + Sync>;

/// The documentation of an option, whatever it is read into.
#[derive(Debug, Clone, Default)]
pub struct OptionInfo {
    /// `--NAME` on the command line, `NAME` in a job file.
    pub name: &'static str,
    /// What stands for the value in the help; empty for a flag.
    pub value: &'static str,
    /// The default as the user would write it, or described if it is not a fixed value.
    pub default: String,
    /// The values that are allowed.
    pub range: String,
    /// What the option does, in one line.
    pub help: &'static str,
    /// The group that lists it.
    pub heading: &'static str,
    /// Whether the value is a list of names, which may be given several times.
    pub list: bool,
}

impl OptionInfo {
    /// Returns true if the option has no value: it is set or not.
    pub fn is_flag(&self) -> bool {
        self.value.is_empty()
    }

    /// Returns true if the value is a path, whose name need not be UTF-8.
    pub fn is_path(&self) -> bool {
        ["FILE", "FOLDER"].contains(&self.value)
    }

    /// Returns true if one value of the option may be an array in a job file.
    pub fn takes_array(&self) -> bool {
        self.list || self.value.contains(',')
    }
}

impl<T> Deref for OptionSpec<T> {
    type Target = OptionInfo;

    fn deref(&self) -> &OptionInfo {
        &self.info
    }
}

impl<T: Default + 'static> OptionSpec<T> {
    /// An option of any kind. `name` is followed by what stands for the value: `particles K`.
    pub(super) fn custom(
        name: &'static str,
        set: impl Fn(&mut T, &RawValues) -> Result<(), OptionError> + Send + Sync + 'static,
    ) -> Self {
        let (name, value) = name.split_once(' ').unwrap_or((name, ""));
        Self {
            info: OptionInfo {
                name,
                value,
                ..OptionInfo::default()
            },
            set: Box::new(set),
        }
    }

    /// An option that sets a field to what `read` makes of its texts.
    pub(super) fn field<V: 'static>(
        name: &'static str,
        read: impl Fn(&RawValues) -> Result<V, OptionError> + Send + Sync + 'static,
        field: fn(&mut T) -> &mut V,
    ) -> Self {
        Self::custom(name, move |target, raw| {
            *field(target) = read(raw)?;
            Ok(())
        })
    }

    /// An option that sets a field, whose value is the default.
    pub(super) fn value<V: Display + 'static>(
        name: &'static str,
        read: impl Fn(&RawValues) -> Result<V, OptionError> + Send + Sync + 'static,
        field: fn(&mut T) -> &mut V,
    ) -> Self {
        let default = field(&mut T::default()).to_string();
        Self::field(name, read, field).default(default)
    }

    /// An option without which a field is `None`.
    pub(super) fn optional<V: 'static>(
        name: &'static str,
        read: impl Fn(&RawValues) -> Result<V, OptionError> + Send + Sync + 'static,
        field: fn(&mut T) -> &mut Option<V>,
    ) -> Self {
        Self::field(name, move |raw| read(raw).map(Some), field)
    }

    /// A flag. `set` is told whether it was given.
    pub(super) fn flag(name: &'static str, set: fn(&mut T, bool)) -> Self {
        let option = Self::custom(name, move |target, raw| {
            set(target, raw.parsed()?);
            Ok(())
        });
        option.default("false").range("true or false")
    }

    /// A whole number in a range.
    pub(super) fn count(
        name: &'static str,
        range: RangeInclusive<usize>,
        field: fn(&mut T) -> &mut usize,
    ) -> Self {
        let text = range_text(&range);
        let read = move |raw: &RawValues| raw.count(&range);
        Self::value(name, read, field).range(text)
    }

    /// A whole number in a range, or none.
    pub(super) fn limit(
        name: &'static str,
        range: RangeInclusive<usize>,
        field: fn(&mut T) -> &mut Option<usize>,
    ) -> Self {
        let text = range_text(&range);
        let read = move |raw: &RawValues| raw.count(&range);
        Self::optional(name, read, field).range(text)
    }

    /// A number for which `is_allowed` is true, or none.
    pub(super) fn number(
        name: &'static str,
        is_allowed: fn(f64) -> bool,
        field: fn(&mut T) -> &mut Option<f64>,
    ) -> Self {
        Self::optional(name, move |raw| raw.number(is_allowed), field)
    }

    /// One of a few words.
    pub(super) fn choice<V: Copy + PartialEq + Send + Sync + 'static, const N: usize>(
        name: &'static str,
        choices: [(&'static str, V); N],
        field: fn(&mut T) -> &mut V,
    ) -> Self {
        let default = *field(&mut T::default());
        let default = choices.iter().find(|(_, value)| *value == default);
        let default = default.map_or("", |(word, _)| word);
        let words = choices.map(|(word, _)| word);
        let option = Self::field(name, move |raw| raw.choice(&choices), field);
        option.default(default).range(either(&words))
    }

    /// Names, or what is written like them.
    pub(super) fn list<V: From<String> + 'static>(
        name: &'static str,
        field: fn(&mut T) -> &mut Vec<V>,
    ) -> Self {
        let read = |raw: &RawValues| Ok(raw.names()?.into_iter().map(V::from).collect());
        let mut option = Self::field(name, read, field);
        option.info.list = true;
        option.range("names separated by commas, in double quotes where a name holds one")
    }

    /// Probabilities.
    pub(super) fn probabilities<const N: usize>(
        name: &'static str,
        field: fn(&mut T) -> &mut [f64; N],
    ) -> Self {
        let default = field(&mut T::default()).map(|number| number.to_string());
        let option = Self::field(name, |raw| raw.probabilities(), field);
        option.default(default.join(","))
    }

    /// A seed.
    pub(super) fn seed(field: fn(&mut T) -> &mut u64) -> Self {
        Self::value("seed S", |raw| raw.parsed(), field).range(range_text(&(0..=u64::MAX)))
    }

    /// A number of threads, or of what needs one at least.
    pub(super) fn threads(
        name: &'static str,
        field: fn(&mut T) -> &mut Option<NonZeroUsize>,
    ) -> Self {
        let range = 1..=1024;
        let text = range_text(&range);
        let read = move |raw: &RawValues| raw.count(&range).map(NonZeroUsize::new);
        Self::field(name, read, field).range(text)
    }

    /// A limit of memory.
    pub(super) fn memory_limit(field: fn(&mut T) -> &mut Option<u64>) -> Self {
        let option = Self::optional("memory-limit SIZE", |raw| raw.bytes(), field);
        option.range("bytes, or with a unit as in 500MB, 8GiB; 1 up to 2^53")
    }

    /// A limit of time.
    pub(super) fn time_limit(
        name: &'static str,
        field: fn(&mut T) -> &mut Option<Duration>,
    ) -> Self {
        let option = Self::optional(name, |raw| raw.duration(), field);
        let option = option.range("seconds, or 500ms, 10m, 1h30m; above 0, at most 366d");
        option.default("no limit")
    }

    /// How progress is shown.
    pub(super) fn progress(field: fn(&mut T) -> &mut Progress) -> Self {
        let choices = [
            ("auto", Progress::Auto),
            ("plain", Progress::Plain),
            ("json", Progress::Json),
            ("none", Progress::None),
        ];
        Self::choice("progress HOW", choices, field)
    }

    /// Lets the option be given several times.
    pub(super) fn several(mut self) -> Self {
        self.info.list = true;
        self
    }

    pub(super) fn default(mut self, default: impl Into<String>) -> Self {
        self.info.default = default.into();
        self
    }

    pub(super) fn range(mut self, range: impl Into<String>) -> Self {
        self.info.range = range.into();
        self
    }

    pub(super) fn help(mut self, help: &'static str) -> Self {
        self.info.help = help;
        self
    }

    /// Puts options into the group of this heading.
    pub(super) fn group<const N: usize>(
        heading: &'static str,
        options: [Self; N],
    ) -> impl Iterator<Item = Self> {
        options.into_iter().map(move |mut option| {
            option.info.heading = heading;
            option
        })
    }

    /// Reads the texts given for this option into `target`.
    ///
    /// # Errors
    /// The option does not take such a value.
    pub fn read(&self, target: &mut T, texts: &[String]) -> Result<(), OptionError> {
        let option = &self.info;
        (self.set)(target, &RawValues { option, texts })
    }
}

fn range_text<N: Display>(range: &RangeInclusive<N>) -> String {
    format!("{} … {}", range.start(), range.end())
}
