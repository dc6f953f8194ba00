//! Reports as HTML pages. A page is made from the report alone, so that a stored report gives the
//! page it gave when it was new, and from extras that only the run knows.

mod coefficients;
mod compare;
mod draw;
mod events;
mod gathered;
mod inference;
mod jobs;
mod labels;
mod maps;
mod page;
mod pairs;
mod paths;
mod places;
mod ranking;
mod regression;
mod residuals;
mod responses;
mod scan;
mod search;
mod shares;
mod sizes;
mod stability;
mod survival;
mod validation;
mod variants;

use std::path::Path;

use super::{
    numbers::significant,
    table::{self, Table, text},
};
use crate::{
    design::SetAside,
    presentation::PageExtras,
    selection::{Elapsed, Outcome, Overview, Truth},
};

pub use gathered::{JobRow, JobsPage};
use page::{Body, ROWS, document};

/// Variables set aside that are listed at once; more are folded away.
const NAMED: usize = 12;

/// A label and its value: what was run, on what, and how.
type Fact = (&'static str, String);

/// The page of one report on the file `data`.
pub(super) fn page(outcome: &Outcome, data: &Path, extras: &PageExtras) -> String {
    let kind = match outcome {
        Outcome::Selection(_) => "Variables of a regression",
        Outcome::Responses(_) => "Variables of several responses",
        Outcome::Ranking(_) => "Variables by rank",
        Outcome::Pairs(_) => "Pairs of variables",
        Outcome::Stability(_) => "Stability selection",
        Outcome::Validation(_) => "Error on rows held out",
    };
    let file = data.file_name().unwrap_or(data.as_os_str()).display();
    let title = match outcome {
        Outcome::Responses(own) => format!("{} responses in {file}", own.responses.len()),
        _ => format!("{} in {file}", outcome.overview().response),
    };
    let (mut head, mut main) = (Body::default(), Body::default());
    summary(&mut head, outcome, data.display().to_string());
    if let Some(command) = &extras.command {
        head.command(command);
    }
    sections(&mut main, outcome, extras);
    document(kind, &title, head, main)
}

/// The result in a sentence, the facts of the job, and what to know before trusting the rest.
fn summary(body: &mut Body, outcome: &Outcome, data: String) {
    let overview = outcome.overview();
    let (lead, own) = match outcome {
        Outcome::Selection(report) => regression::summary(report),
        Outcome::Responses(report) => responses::summary(report),
        Outcome::Ranking(report) => ranking::summary(report),
        Outcome::Pairs(report) => pairs::summary(report),
        Outcome::Stability(report) => stability::summary(report),
        Outcome::Validation(report) => validation::summary(report),
    };
    body.lead(&lead);
    let mut facts = vec![("data", data)];
    facts.extend(own);
    facts.extend(provenance(&overview));
    body.facts(&facts);
    let mut notes = overview.warnings.to_vec();
    match outcome {
        Outcome::Selection(report) => notes.extend(regression::notes(report)),
        Outcome::Responses(report) => notes.extend(responses::notes(report)),
        _ => {}
    }
    let aside = set_aside_note(&overview);
    notes.extend(aside.map(|note| note + ", and never a candidate"));
    body.notes(&notes);
    set_aside(body, overview.set_aside);
}

/// How many variables never were candidates, where there are any.
fn set_aside_note(overview: &Overview) -> Option<String> {
    let count = counted(overview.set_aside.len(), "variable was", "variables were");
    (!overview.set_aside.is_empty()).then(|| format!("{count} set aside"))
}

fn provenance(overview: &Overview) -> Vec<Fact> {
    let mut facts = vec![("devices", overview.devices.join(", "))];
    match overview.arithmetic {
        ["", _] => {}
        [own, ""] => facts.push(("arithmetic", own.to_owned())),
        [own, screen] => facts.push(("arithmetic", format!("{own}, screened in {screen}"))),
    }
    let Elapsed { search, total, .. } = overview.elapsed;
    // Results of jobs are stored without times.
    if total > 0.0 {
        let (search, total) = (significant(search, 3), significant(total, 3));
        facts.push(("time", format!("{search} s, with reading {total} s")));
    }
    facts.extend(overview.ranks.map(|ranks| {
        let (count, hosts, over) = (ranks.ranks, ranks.hosts.len(), &ranks.over);
        (
            "ranks",
            format!("{count}, on machines: {hosts}, sharing {over}"),
        )
    }));
    facts.push(("version", format!("passel {}", overview.version)));
    facts
}

fn set_aside(body: &mut Body, aside: &[SetAside]) {
    if aside.is_empty() {
        return;
    }
    let table = Table::of(aside.iter().take(ROWS))
        .column("variable", |variable| text(&variable.name))
        .column("reason", |variable| text(&variable.reason));
    let listed = |body: &mut Body| body.table("Set aside", "", &table, aside.len());
    match aside.len() {
        0..=NAMED => listed(body),
        count => body.fold("", &format!("The {count} variables set aside"), listed),
    }
}

fn sections(body: &mut Body, outcome: &Outcome, extras: &PageExtras) {
    match outcome {
        Outcome::Selection(report) => regression::sections(body, report, extras),
        Outcome::Responses(report) => responses::sections(body, report),
        Outcome::Ranking(report) => ranking::sections(body, report),
        Outcome::Pairs(report) => pairs::sections(body, report),
        Outcome::Stability(report) => stability::sections(body, report),
        Outcome::Validation(report) => validation::sections(body, report),
    }
}

/// The fact how much of the true model was selected.
fn truth(truth: Option<&Truth>) -> Option<Fact> {
    let (label, rates) = table::truth(truth?);
    let meaning =
        "PSR: the share of the true that was found; FDR: the share of the chosen that is false";
    Some((label, format!("{rates} ({meaning})")))
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Says that only the first of all are drawn or listed, where they are fewer.
fn first_of(shown: usize, all: usize, rest: &str) -> String {
    let told = (all > shown).then(|| format!(" The first {shown} of {all}{rest}."));
    told.unwrap_or_default()
}

/// A number that can be drawn.
fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}
