//! Mistakes in job files, shown with their lines.

use std::{io, ops::Range, path::PathBuf};

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use thiserror::Error;

use super::super::{
    OptionError, OptionSpec, RUN, RunSettings,
    task::{Command, job_option, job_options},
};
use crate::{
    nearest::nearest,
    printable::{printable, printable_source, without_place},
};

/// The most mistakes that are shown with their lines: each costs a pass over the whole file.
const MAX_SHOWN: usize = 100;

/// Why the jobs of a file cannot be run.
#[derive(Debug, Error)]
pub enum JobFileError {
    /// The file could not be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The job file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The file contains mistakes.
    #[error("{}: {} mistake{}, so no job was run", path.display(), mistakes.len(), if mistakes.len() == 1 { "" } else { "s" })]
    Mistakes {
        /// The job file.
        path: PathBuf,
        /// The contents of the file.
        text: String,
        /// All mistakes, in the order of the file.
        mistakes: Vec<Mistake>,
    },
}

/// One mistake in a job file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The bytes of the file that it concerns; `None` for the whole file.
    pub span: Option<Range<usize>>,
    /// What is wrong.
    pub title: String,
    /// What the marked text is, in a few words.
    pub label: String,
    /// How to mend it, if that is known.
    pub help: Option<String>,
}

impl JobFileError {
    /// The first mistakes with their source lines, coloured for a terminal or plain; empty if the file
    /// could not be read.
    pub fn render(&self, coloured: bool) -> String {
        let Self::Mistakes {
            path,
            text,
            mistakes,
        } = self
        else {
            return String::new();
        };
        let path = path.display().to_string();
        let (path, text) = (printable(&path), printable_source(text));
        let renderer = match coloured {
            true => Renderer::styled(),
            false => Renderer::plain(),
        };
        let mut page = String::new();
        for mistake in mistakes.iter().take(MAX_SHOWN) {
            let title = Level::ERROR.primary_title(printable(&mistake.title));
            let mut group = title.elements(mistake.span.clone().map(|span| {
                let label = printable(&mistake.label);
                let mark = AnnotationKind::Primary.span(span).label(label);
                Snippet::source(&*text).path(&*path).annotation(mark)
            }));
            if let Some(help) = &mistake.help {
                group = group.element(Level::HELP.message(printable(help)));
            }
            page += &renderer.render(&[group]);
            page += "\n\n";
        }
        if let Some(more @ 1..) = mistakes.len().checked_sub(MAX_SHOWN) {
            page += &format!("… and {more} more\n\n");
        }
        page
    }
}

impl Mistake {
    pub(super) fn new(
        span: impl Into<Option<Range<usize>>>,
        title: impl Into<String>,
        label: impl Into<String>,
    ) -> Self {
        Self {
            span: span.into(),
            title: title.into(),
            label: label.into(),
            help: None,
        }
    }

    pub(super) fn help(self, help: impl Into<Option<String>>) -> Self {
        let help = help.into();
        Self { help, ..self }
    }
}

/// All mistakes found so far.
pub(super) type Mistakes = Vec<Mistake>;

/// Adds a mistake that several jobs may share, unless it is there already.
pub(super) fn push_once(mistakes: &mut Mistakes, mistake: Mistake) {
    let is_same = |other: &Mistake| other.span == mistake.span && other.title == mistake.title;
    if !mistakes.iter().any(is_same) {
        mistakes.push(mistake);
    }
}

/// An error of the TOML parser.
pub(super) fn syntax(error: toml::de::Error, text: &str) -> Mistake {
    // The parser has no place for what is nested too deeply.
    let span = error.span().or_else(|| most_nested_line(text));
    Mistake::new(span, "this is not TOML", error.message())
}

/// The first line with the most signs that nest tables.
fn most_nested_line(text: &str) -> Option<Range<usize>> {
    let depth = |line: &str| line.matches(['.', '[', '{']).count();
    let (mut deepest, mut start) = (None, 0);
    for line in text.split_inclusive('\n') {
        let (depth, end) = (depth(line), start + line.trim_end().len());
        if depth > deepest.as_ref().map_or(0, |(most, _)| *most) {
            deepest = Some((depth, start..end));
        }
        start += line.len();
    }
    deepest.map(|(_, span)| span)
}

/// A byte that is no UTF-8; before it so many bytes are.
pub(super) fn not_utf8(start: usize) -> Mistake {
    let replaced = start..start + char::REPLACEMENT_CHARACTER.len_utf8();
    let mistake = Mistake::new(replaced, "this is not UTF-8", "not UTF-8 from here on");
    mistake.help("a job file is UTF-8: save it so (it may be Latin-1 or UTF-16)".to_owned())
}

/// The keys of a job that are not options.
pub(super) const KEYS: [&str; 3] = ["name", "command", "data"];

/// The names of all keys that a job may have.
fn job_keys() -> impl Iterator<Item = &'static str> {
    let options = job_options().map(|option| option.name);
    options.chain(KEYS)
}

fn run_option(name: &str) -> Option<&'static OptionSpec<RunSettings>> {
    RUN.iter().find(|option| option.name == name)
}

/// A key outside all tables that belongs into one, or nowhere.
pub(super) fn unknown_top_key(name: &str, span: Range<usize>) -> Mistake {
    let run_options = RUN.iter().map(|option| option.name);
    let keys = job_keys().chain(run_options);
    let help = match nearest(name, keys.chain(["run", "defaults", "job"])) {
        _ if name == "jobs" => "did you mean `[[job]]`, or `jobs` below a line [run]?".to_owned(),
        Some(meant @ ("run" | "defaults" | "job")) => format!("did you mean `{meant}`?"),
        Some(key) if job_option(key).is_none() && run_option(key).is_some() => {
            format!("write `{key}` below a line [run]")
        }
        Some(key) => format!("write `{key}` below a line [[job]] or [defaults]"),
        None => "only [run], [defaults] and [[job]] stand at the top".to_owned(),
    };
    Mistake::new(
        span,
        format!("a job file has no `{name}` outside its tables"),
        "unknown here",
    )
    .help(help)
}

/// A key of a job that is not an option.
pub(super) fn unknown_job_key(name: &str, span: Range<usize>) -> Mistake {
    let help = match nearest(name, job_keys()) {
        _ if run_option(name).is_some() => Some(format!("write `{name}` below a line [run]")),
        Some(meant) => {
            let range = range_help(meant).map_or(String::new(), |range| format!(" {range}"));
            Some(format!("did you mean `{meant}`?{range}"))
        }
        None => None,
    };
    Mistake::new(span, format!("there is no option `{name}`"), "unknown").help(help)
}

/// A key of `[run]` that is not an option of a run.
pub(super) fn unknown_run_key(name: &str, span: Range<usize>) -> Mistake {
    let meant = nearest(name, RUN.iter().map(|option| option.name));
    let help = match meant.and_then(run_option) {
        _ if job_option(name).is_some() => {
            Some(format!("write `{name}` below a line [[job]] or [defaults]"))
        }
        meant => meant.map(|meant| format!("did you mean `{}`? It is {}", meant.name, meant.range)),
    };
    Mistake::new(span, format!("[run] has no `{name}`"), "unknown here").help(help)
}

/// An option that only other commands have.
pub(super) fn not_of_command(name: &str, command: Command, span: Range<usize>) -> Mistake {
    let others = Command::ALL.into_iter();
    let others = others.filter(|other| other.has(name));
    let others: Vec<&str> = others.map(Command::name).collect();
    Mistake::new(
        span,
        format!("{} has no option `{name}`", command.name()),
        "not an option of this command",
    )
    .help(format!(
        "it is an option of command = \"{}\"",
        others.join("\" and \"")
    ))
}

/// A value that its option does not take.
pub(super) fn invalid_value(error: &OptionError, span: Range<usize>) -> Mistake {
    let title = without_place(&error.message);
    let (span, label) = match &error.formula {
        // Between quotes, and without escapes.
        Some(formula) if span.len() == formula.text().len() + 2 => {
            let (start, place) = (span.start + 1, formula.span());
            (start + place.start..start + place.end, "here")
        }
        _ if error.is_of_file => (span, "this file"),
        _ => (span, "this value"),
    };
    Mistake::new(span, title, label).help(error.help.clone())
}

/// The values that an option of a job allows, as a sentence.
pub(super) fn range_help(name: &str) -> Option<String> {
    let range = &job_option(name)?.range;
    Some(format!("`{name}` is {range}"))
}
