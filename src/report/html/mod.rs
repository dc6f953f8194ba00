//! Reports as pages: made from what the report in JSON says, so that one that was stored makes
//! the same page, and from what only the run knew.

mod compare;
mod curves;
mod data;
mod draw;
mod gathered;
mod jobs;
mod labels;
mod maps;
mod page;
mod pairs;
mod paths;
mod ranking;
mod regression;
mod residuals;
mod search;
mod shares;
mod stability;
mod told;

use std::path::Path;

use serde_json::Value;

use crate::selection::Residuals;

pub use curves::Curves;
pub use gathered::{JobRow, JobsPage};
use page::{Cell, Page, Table};

/// Variables set aside that are named at once; more are behind a lid.
const NAMED: usize = 12;

/// What a report does not tell, and a page draws.
#[derive(Debug, Default)]
pub struct PageExtras {
    /// The steps of the search.
    pub curves: Option<Curves>,
    /// The residuals of the chosen model.
    pub residuals: Option<Residuals>,
    /// Of each chosen variable the standard deviation.
    pub deviations: Vec<f64>,
    /// What makes the report again.
    pub command: Option<String>,
}

/// What a report is of.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Regression,
    Ranking,
    Pairs,
    Stability,
}

impl Kind {
    fn of(told: &Value) -> Self {
        let has = |member| told.get(member).is_some();
        if has("resampling") {
            Self::Stability
        } else if has("pairs") {
            Self::Pairs
        } else if has("models") {
            Self::Regression
        } else {
            Self::Ranking
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Regression => "Variables of a regression",
            Self::Ranking => "Variables by rank",
            Self::Pairs => "Pairs of variables",
            Self::Stability => "Stability selection",
        }
    }
}

/// The page of one report on the file `data`.
pub(super) fn page(mut told: Value, data: &Path, beside: &PageExtras) -> String {
    told::cut(&mut told, page::ROWS.max(ranking::POINTS));
    let told = &told;
    let kind = Kind::of(told);
    let file = data.file_name().unwrap_or(data.as_os_str());
    let title = format!("{} in {}", told::text(told, "response"), file.display());
    let mut page = Page::new(kind.name(), &title);
    let mut facts = vec![("data", data.display().to_string())];
    head(&mut page, told, kind, &mut facts);
    if let Some(command) = &beside.command {
        page.command(command);
    }
    page.close_head();
    sections(&mut page, told, kind, beside);
    page.finish()
}

/// What came out, how, and what to know before trusting it.
fn head(page: &mut Page, told: &Value, kind: Kind, facts: &mut Vec<(&'static str, String)>) {
    let (lead, own) = match kind {
        Kind::Regression => regression::head(told),
        Kind::Ranking => ranking::head(told),
        Kind::Pairs => pairs::head(told),
        Kind::Stability => stability::head(told),
    };
    page.lead(&lead);
    facts.extend(own);
    facts.extend(told::place(told));
    page.facts(facts);
    let aside = told::list(told, "set_aside");
    let warnings = told::texts(told, "warnings").into_iter();
    let mut notes: Vec<String> = warnings.map(str::to_owned).collect();
    if kind == Kind::Regression {
        notes.extend(regression::notes(told));
    }
    if !aside.is_empty() {
        let count = told::all(told, "set_aside");
        let count = told::of(count, "variable was", "variables were");
        notes.push(format!("{count} set aside, and never a candidate"));
    }
    page.notes(&notes);
    set_aside(page, aside, told::all(told, "set_aside"));
}

/// The variables that never were candidates.
fn set_aside(page: &mut Page, aside: &[Value], all: usize) {
    if aside.is_empty() {
        return;
    }
    let rows = aside.iter().take(page::ROWS);
    let rows = rows.map(|it| ["name", "reason"].map(|member| Cell::text(told::text(it, member))));
    let table = Table {
        title: "Set aside",
        caption: "",
        names: ["variable", "reason"].map(str::to_owned).to_vec(),
        rows: rows.map(Vec::from).collect(),
        of: all,
    };
    if aside.len() <= NAMED {
        page.table(&table);
        return;
    }
    page.open_lid("", &format!("The {all} variables set aside"));
    page.table(&table);
    page.close_lid();
}

/// The result, with its figures and tables.
fn sections(page: &mut Page, told: &Value, kind: Kind, beside: &PageExtras) {
    match kind {
        Kind::Regression => regression::sections(page, told, beside),
        Kind::Ranking => ranking::sections(page, told),
        Kind::Pairs => pairs::sections(page, told),
        Kind::Stability => stability::sections(page, told),
    }
}
