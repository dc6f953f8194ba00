//! The texts given for one option, and the kinds of value that they can be read as.

use std::{
    num::NonZeroUsize, ops::RangeInclusive, path::PathBuf, str::FromStr, sync::Arc, time::Duration,
};

use passel_criteria::Criterion;

use super::{OptionError, OptionInfo, path_text::to_path};
use crate::{
    binning::{Binning, BinningError},
    device::DeviceChoice,
    nearest::nearest,
    search::sum_to_one,
    selector::{PERMUTATION_COUNTS, PermutationTest},
    spec::parse_spec,
    table::{Separator, split_names},
};

/// The longest time limit, which is beyond any use and far from overflowing a clock.
const MAX_DURATION: Duration = Duration::from_secs(366 * 24 * 3600);

/// A criterion that was asked for.
#[derive(Debug, Clone)]
pub(super) enum CriterionChoice {
    /// One of passel's own.
    Own(Arc<dyn Criterion>),
    /// Any other, as it was given.
    OfPlugin(String),
}

/// The texts given for one option. Each method reads them as one kind of value, and its error names
/// the option, what was given and what is allowed.
#[derive(Debug, Clone, Copy)]
pub(super) struct RawValues<'a> {
    pub(super) option: &'a OptionInfo,
    /// One text for each time the option was given, or for each element of an array.
    pub(super) texts: &'a [String],
}

impl RawValues<'_> {
    /// The only text; an option that takes one value has no more.
    pub(super) fn one(&self) -> Result<&str, OptionError> {
        let [text] = self.texts else {
            let (name, count) = (self.option.name, self.texts.len());
            let message = format!("{name} takes one value, not {count}");
            return Err(OptionError::new(name, message));
        };
        Ok(text)
    }

    pub(super) fn out_of_range(&self) -> OptionError {
        self.must_be(&self.texts.join(","), &self.option.range)
    }

    pub(super) fn must_be(&self, value: &str, range: &str) -> OptionError {
        let name = self.option.name;
        // In a message an empty text would vanish.
        let value = match value.trim().is_empty() {
            true => format!("\"{value}\""),
            false => value.to_owned(),
        };
        OptionError::new(name, format!("{name} = {value} must be {range}"))
    }

    /// The only text read as a value for which `is_allowed` is true.
    fn read<V: FromStr>(&self, is_allowed: impl Fn(&V) -> bool) -> Result<V, OptionError> {
        let value = self.one()?.parse().ok().filter(is_allowed);
        value.ok_or_else(|| self.out_of_range())
    }

    /// Any value of a type: a seed, a flag.
    pub(super) fn parsed<V: FromStr>(&self) -> Result<V, OptionError> {
        self.read(|_| true)
    }

    /// A whole number in a range.
    pub(super) fn count(&self, range: &RangeInclusive<usize>) -> Result<usize, OptionError> {
        self.read(|count| range.contains(count))
    }

    /// A number for which `is_allowed` is true.
    pub(super) fn number(&self, is_allowed: impl Fn(f64) -> bool) -> Result<f64, OptionError> {
        self.read(|number| is_allowed(*number))
    }

    /// The value of one of a few words.
    pub(super) fn choice<T: Copy>(&self, choices: &[(&'static str, T)]) -> Result<T, OptionError> {
        self.chosen(self.one()?, choices)
    }

    fn chosen<T: Copy>(&self, word: &str, choices: &[(&'static str, T)]) -> Result<T, OptionError> {
        let choice = choices.iter().find(|(name, _)| *name == word);
        choice.map(|(_, value)| *value).ok_or_else(|| {
            let words = choices.iter().map(|(name, _)| *name);
            self.out_of_range().suggest(nearest(word, words))
        })
    }

    /// A text that is not empty.
    pub(super) fn text(&self) -> Result<String, OptionError> {
        self.read(|text: &String| !text.is_empty())
    }

    pub(super) fn path(&self) -> Result<PathBuf, OptionError> {
        Ok(to_path(&self.text()?))
    }

    /// The path of an array.
    pub(super) fn npy(&self) -> Result<PathBuf, OptionError> {
        let path = self.path()?;
        let is_npy = path.extension().is_some_and(|extension| extension == "npy");
        is_npy.then_some(path).ok_or_else(|| self.out_of_range())
    }

    /// What stands between columns: one character, or a word for it; `None` for `auto`.
    pub(super) fn separator(&self) -> Result<Option<Separator>, OptionError> {
        match self.one()? {
            "auto" => Ok(None),
            text => {
                let separator = Separator::of_text(text);
                separator.map(Some).ok_or_else(|| self.out_of_range())
            }
        }
    }

    /// Names separated by commas; a name in double quotes may contain commas.
    pub(super) fn names(&self) -> Result<Vec<String>, OptionError> {
        let mut names = Vec::new();
        for value in self.texts {
            names.extend(split_names(value).map_err(|reason| {
                self.must_be(value, &format!("{}: {reason}", self.option.range))
            })?);
        }
        Ok(names)
    }

    /// N probabilities with sum 1.
    pub(super) fn probabilities<const N: usize>(&self) -> Result<[f64; N], OptionError> {
        let value = self.texts.join(",");
        let numbers: Result<Vec<f64>, _> = value
            .split(',')
            .map(|number| number.trim().parse())
            .collect();
        let numbers = numbers.ok().and_then(|all| <[f64; N]>::try_from(all).ok());
        let numbers = numbers.ok_or_else(|| self.out_of_range())?;
        let sums = sum_to_one(&numbers).map_err(|sum| {
            let range = format!("probabilities: none below 0, with sum 1 (it is {sum})");
            self.must_be(&value, &range)
        });
        sums.map(|()| numbers)
    }

    /// A duration above zero: `90`, `0.5`, `10m`, `1h30m`, `500ms`.
    pub(super) fn duration(&self) -> Result<Duration, OptionError> {
        let time = seconds(self.one()?).and_then(|time| Duration::try_from_secs_f64(time).ok());
        let time = time.filter(|time| !time.is_zero() && *time <= MAX_DURATION);
        time.ok_or_else(|| self.out_of_range())
    }

    /// Devices: `auto`, `cpu`, `cuda`, `cuda:0,2`.
    pub(super) fn devices(&self) -> Result<DeviceChoice, OptionError> {
        let value = self.one()?;
        if let Some(numbers) = value.strip_prefix("cuda:") {
            let numbers = numbers.split(',').map(|number| number.trim().parse());
            let numbers = numbers.collect::<Result<_, _>>().map(DeviceChoice::Cuda);
            return numbers.map_err(|_| self.out_of_range());
        }
        match value {
            "auto" => Ok(DeviceChoice::Auto),
            "cpu" => Ok(DeviceChoice::Cpu(NonZeroUsize::MIN)),
            "cuda" => Ok(DeviceChoice::Cuda(Vec::new())),
            _ => {
                let nearest = nearest(&value.to_lowercase(), ["auto", "cpu", "cuda"]);
                Err(self.out_of_range().suggest(nearest))
            }
        }
    }

    /// A binning rule for candidates: `levels`, `equal-width:10`, `edges:FILE`.
    pub(super) fn binning(&self) -> Result<Binning, OptionError> {
        self.binning_except(None)
    }

    /// A binning rule for the response. `mdlp`, which needs the levels of the response, is none, and is
    /// not suggested for a misspelling either.
    pub(super) fn bin_response(&self) -> Result<Binning, OptionError> {
        self.binning_except(Some("mdlp"))
    }

    fn binning_except(&self, refused: Option<&str>) -> Result<Binning, OptionError> {
        let value = self.one()?;
        let nearest = match value.parse() {
            Ok(rule) if Some(value) != refused => return Ok(rule),
            Err(BinningError::NoRule { nearest, .. }) => nearest,
            _ => None,
        };
        let nearest = nearest.filter(|nearest| Some(*nearest) != refused);
        Err(self.out_of_range().suggest(nearest))
    }

    /// A permutation rule by which a selection ends: `permutation`, `permutation:n=1000,alpha=0.05`,
    /// `permutation:raw,n=1000`.
    pub(super) fn permutation(&self) -> Result<PermutationTest, OptionError> {
        let unknown = |word: &str, known: &[&'static str]| {
            let nearest = nearest(word, known.iter().copied());
            self.out_of_range().suggest(nearest)
        };
        let text = self.one()?;
        // The one parameter without a number comes first.
        let raw = text.split_once(':').and_then(|(name, all)| {
            let (first, rest) = all.split_once(',').unzip();
            let is_raw = first.unwrap_or(all).trim() == "raw";
            is_raw.then(|| rest.map_or(name.to_owned(), |rest| format!("{name}:{rest}")))
        });
        let (name, parameters) =
            parse_spec(raw.as_deref().unwrap_or(text)).ok_or_else(|| self.out_of_range())?;
        if name != "permutation" {
            return Err(unknown(name, &["permutation"]));
        }
        let mut rule = PermutationTest {
            standardise: raw.is_none(),
            ..PermutationTest::default()
        };
        for (index, (parameter, number)) in parameters.iter().enumerate() {
            match parameter.as_str() {
                // The cast saturates, so a number that is not a count is out of range.
                "n" => rule.n = *number as usize,
                "alpha" => rule.alpha = *number,
                _ => return Err(unknown(parameter, &["n", "alpha"])),
            }
            let is_in_range = match parameter.as_str() {
                "n" => number.fract() == 0.0 && PERMUTATION_COUNTS.contains(&rule.n),
                _ => *number > 0.0 && *number < 1.0,
            };
            let mut before = parameters[..index].iter();
            if !is_in_range || before.any(|(other, _)| other == parameter) {
                return Err(self.out_of_range());
            }
        }
        match rule.alpha < rule.least() {
            true => Err(self.unreachable(&rule)),
            false => Ok(rule),
        }
    }

    /// The error for a rule whose permutations are too few for a p-value as small as its level.
    fn unreachable(&self, rule: &PermutationTest) -> OptionError {
        let (PermutationTest { n, alpha, .. }, name) = (rule, self.option.name);
        let message = format!(
            "{name} = permutation: alpha = {alpha} is below 1/{}, the smallest p-value of {n} permutations",
            n + 1
        );
        let (least, most) = ((1.0 / alpha).ceil() - 1.0, *PERMUTATION_COUNTS.end());
        OptionError::new(name, message).help(match least <= most as f64 {
            true => format!("use n={least} or more"),
            false => format!("use n={most} and an alpha of 1e-6 or more"),
        })
    }

    /// A size above zero, in bytes: `500MB`, `8GiB`, `1.5G`.
    pub(super) fn bytes(&self) -> Result<u64, OptionError> {
        bytes(self.one()?).ok_or_else(|| self.out_of_range())
    }
}

/// A number of digits and a point alone; `parse` would accept `inf`, `nan` and signs.
fn plain_number(text: &str) -> Option<f64> {
    let digits = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    digits.then(|| text.parse().ok())?
}

/// A number of bytes, bare or with a unit: a power of 1,000, or of 1,024 with an `i`.
fn bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let unit = text.find(|letter: char| letter.is_ascii_alphabetic());
    let (digits, unit) = text.split_at(unit.unwrap_or(text.len()));
    let unit = unit.to_ascii_lowercase();
    let unit = unit.strip_suffix('b').unwrap_or(&unit);
    let (prefix, base) = match unit.strip_suffix('i') {
        Some(prefix) => (prefix, 1024.0f64),
        None => (unit, 1000.0),
    };
    let power = ["", "k", "m", "g", "t"]
        .iter()
        .position(|known| *known == prefix)?;
    let bytes = plain_number(digits.trim())? * base.powi(power as i32);
    // Whole, and exact as long as a count of bytes is below 2^53.
    (bytes >= 1.0 && bytes < 2f64.powi(53) && bytes.fract() == 0.0).then_some(bytes as u64)
}

/// The seconds of a bare number, or of numbers that each have a unit.
fn seconds(text: &str) -> Option<f64> {
    let mut rest = text.trim();
    if let Some(whole) = plain_number(rest) {
        return Some(whole);
    }
    let mut total = 0.0;
    while !rest.is_empty() {
        let (digits, after) =
            rest.split_at(rest.find(|letter: char| letter.is_ascii_alphabetic())?);
        let end = after.find(|letter: char| !letter.is_ascii_alphabetic());
        let (unit, after) = after.split_at(end.unwrap_or(after.len()));
        let scale = match unit {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            "d" => 86400.0,
            _ => return None,
        };
        total += plain_number(digits.trim())? * scale;
        rest = after.trim_start();
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_with_and_without_units() {
        for (text, expected) in [
            ("1", 1),
            ("4096", 4096),
            ("500MB", 500_000_000),
            ("8GiB", 8 << 30),
            ("1.5 GiB", 3 << 29),
            ("64k", 64_000),
            ("2T", 2_000_000_000_000),
            ("16b", 16),
        ] {
            assert_eq!(bytes(text), Some(expected), "{text}");
        }
        for text in [
            "", "0", "-1", "8X", "GiB", "i", "1e9", "inf", "0.5", "1.5", "1 2",
        ] {
            assert_eq!(bytes(text), None, "{text}");
        }
    }

    #[test]
    fn time_is_read_with_and_without_units() {
        for (text, expected) in [
            ("90", 90.0),
            ("0.5", 0.5),
            ("10m", 600.0),
            ("1h30m", 5400.0),
            ("1h 30m", 5400.0),
            ("500ms", 0.5),
            ("2d", 172_800.0),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
        for text in ["", "m", "10x", "-1", "inf", "nan", "1h30", "1e3"] {
            assert!(seconds(text).is_none_or(|seconds| seconds == 0.0), "{text}");
        }
    }
}
