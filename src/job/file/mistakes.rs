//! What can be wrong with a job file, shown with the lines it is about.

use std::{io, ops::Range, path::PathBuf};

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use thiserror::Error;

use super::super::{OPTIONS, OptionError, option};
use super::OWN_KEYS;
use crate::nearest::nearest;

/// Mistakes that are shown with their lines: each goes through the whole file, and nobody reads
/// more before mending some.
const SHOWN: usize = 100;

/// Why no job of a file can be run.
#[derive(Debug, Error)]
pub enum JobFileError {
    /// The file could not be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The job file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file has mistakes.
    #[error("{}: {} mistake{}, so no job was run", path.display(), mistakes.len(), if mistakes.len() == 1 { "" } else { "s" })]
    Mistakes {
        /// The job file.
        path: PathBuf,
        /// What is in it.
        text: String,
        /// All of them, in the order of the file.
        mistakes: Vec<Mistake>,
    },
}

/// One mistake of a job file, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The bytes of the file it is about; none for the file as a whole.
    pub place: Option<Range<usize>>,
    /// What is wrong.
    pub what: String,
    /// What stands there, in a few words.
    pub label: String,
    /// What would mend it.
    pub help: Option<String>,
}

impl JobFileError {
    /// The first mistakes with their source lines, coloured for a terminal or plain;
    /// empty where the file could not be read at all.
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
        let renderer = match coloured {
            true => Renderer::styled(),
            false => Renderer::plain(),
        };
        let mut page = String::new();
        for mistake in mistakes.iter().take(SHOWN) {
            let title = Level::ERROR.primary_title(&mistake.what);
            let mut group = title.elements(mistake.place.clone().map(|place| {
                let mark = AnnotationKind::Primary.span(place).label(&mistake.label);
                Snippet::source(text).path(&path).annotation(mark)
            }));
            if let Some(help) = &mistake.help {
                group = group.element(Level::HELP.message(help));
            }
            page += &renderer.render(&[group]);
            page += "\n\n";
        }
        if let Some(more @ 1..) = mistakes.len().checked_sub(SHOWN) {
            page += &format!("… and {more} more\n\n");
        }
        page
    }
}

/// What the reader of TOML stumbled over.
pub(super) fn syntax(error: toml::de::Error) -> Mistake {
    Mistake {
        place: error.span(),
        what: "this is not TOML".to_owned(),
        label: error.message().to_owned(),
        help: None,
    }
}

/// A key above all tables that belongs below one, or nowhere.
pub(super) fn unknown_top(name: &str, place: Range<usize>) -> Mistake {
    let keys = OPTIONS.iter().map(|option| option.name).chain(OWN_KEYS);
    let help = match nearest(name, keys.chain(["defaults", "job"])) {
        Some(meant @ ("defaults" | "job")) => format!("did you mean `{meant}`?"),
        Some(key) => format!("write `{key}` below a line [[job]] or [defaults]"),
        None => "only [defaults] and [[job]] stand at the top".to_owned(),
    };
    Mistake {
        place: Some(place),
        what: format!("a job file has no `{name}` outside its tables"),
        label: "unknown here".to_owned(),
        help: Some(help),
    }
}

/// A key of a job that is no option.
pub(super) fn unknown_key(name: &str, place: Range<usize>) -> Mistake {
    let keys = OPTIONS.iter().map(|option| option.name).chain(OWN_KEYS);
    let meant = nearest(name, keys);
    Mistake {
        place: Some(place),
        what: format!("there is no option `{name}`"),
        label: "unknown".to_owned(),
        help: meant.map(|meant| match help(meant) {
            Some(range) => format!("did you mean `{meant}`? {range}"),
            None => format!("did you mean `{meant}`?"),
        }),
    }
}

/// A value that its option does not take.
pub(super) fn refused(error: &OptionError, place: Range<usize>) -> Mistake {
    let label = match error {
        OptionError::SameFile { .. } => "this file",
        _ => "this value",
    };
    Mistake {
        place: Some(place),
        what: error.to_string(),
        label: label.to_owned(),
        help: error.help(),
    }
}

/// What an option allows.
pub(super) fn help(name: &str) -> Option<String> {
    let option = option(name)?;
    Some(format!("`{name}` is {}", option.range))
}
