//! What can be wrong with a job file, shown with the lines it is about.

use std::{io, ops::Range, path::PathBuf};

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use thiserror::Error;

use super::{
    super::{
        OptionError, RUN,
        task::{self, Command, OptionInfo, run_option},
    },
    entries::OWN_KEYS,
};
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
    let run = RUN.iter().map(|it| it.name);
    let keys = task::job_option_names().chain(OWN_KEYS).chain(run);
    let help = match nearest(name, keys.chain(["run", "defaults", "job"])) {
        _ if name == "jobs" => "did you mean `[[job]]`, or `jobs` below a line [run]?".to_owned(),
        Some(meant @ ("run" | "defaults" | "job")) => format!("did you mean `{meant}`?"),
        Some(key) if task::job_option(key).is_none() && run_option(key).is_some() => {
            format!("write `{key}` below a line [run]")
        }
        Some(key) => format!("write `{key}` below a line [[job]] or [defaults]"),
        None => "only [run], [defaults] and [[job]] stand at the top".to_owned(),
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
    let meant = nearest(name, task::job_option_names().chain(OWN_KEYS));
    let help = match meant {
        _ if run_option(name).is_some() => Some(format!("write `{name}` below a line [run]")),
        Some(meant) => Some(match help(meant) {
            Some(range) => format!("did you mean `{meant}`? {range}"),
            None => format!("did you mean `{meant}`?"),
        }),
        None => None,
    };
    Mistake {
        place: Some(place),
        what: format!("there is no option `{name}`"),
        label: "unknown".to_owned(),
        help,
    }
}

/// A key of `[run]` that is no option of it.
pub(super) fn unknown_run_key(name: &str, place: Range<usize>) -> Mistake {
    let meant = nearest(name, RUN.iter().map(|it| it.name));
    let help = match meant.and_then(run_option) {
        _ if task::job_option(name).is_some() => {
            Some(format!("write `{name}` below a line [[job]] or [defaults]"))
        }
        Some(meant) => Some(format!(
            "did you mean `{}`? It is {}",
            meant.name, meant.range
        )),
        None => None,
    };
    Mistake {
        place: Some(place),
        what: format!("[run] has no `{name}`"),
        label: "unknown here".to_owned(),
        help,
    }
}

/// An option of other commands.
pub(super) fn not_of_command(name: &str, command: Command, place: Range<usize>) -> Mistake {
    let others = Command::ALL.into_iter().filter(|it| it.has(name));
    let others: Vec<&str> = others.map(Command::name).collect();
    Mistake {
        place: Some(place),
        what: format!("{} has no option `{name}`", command.name()),
        label: "not of this command".to_owned(),
        help: Some(format!("it is of command = \"{}\"", others.join("\", \""))),
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
    let OptionInfo { name, range, .. } = task::job_option(name)?;
    Some(format!("`{name}` is {range}"))
}
