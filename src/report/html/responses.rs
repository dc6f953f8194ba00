//! The page of several responses: their models side by side, what these share, and each of them.

use super::{Fact, PageExtras, coefficients::coefficient_table, counted, page::Body, regression};
use crate::{
    report::{
        numbers::when,
        regression::{candidates, method, reports},
        responses::{self, has_criteria},
    },
    selection::ResponsesReport,
};

/// Bytes of the reports of single responses, beyond which the page has tables alone.
const BYTES: usize = 1_600_000;

/// The result in a sentence, and the facts of all.
pub(super) fn summary(report: &ResponsesReport) -> (String, Vec<Fact>) {
    let most = report.shared.first().map(|own| {
        let by = own.criterion.as_ref().map(|own| format!(" by {own}"));
        let by = by.unwrap_or_default();
        format!("; {} was chosen most often{by}, of {}", own.name, own.count)
    });
    let lead = format!(
        "{}{}.",
        responses::counted(report),
        most.unwrap_or_default()
    );
    let lead = lead[..1].to_uppercase() + &lead[1..];
    let mut facts = Vec::new();
    if let Some(first) = report.responses.first() {
        facts.extend([
            ("candidates", candidates(first)),
            ("method", method(first)),
            ("seed", first.seed.to_string()),
        ]);
        if !has_criteria(report) {
            facts.push(("criterion", first.criterion.spec()));
        }
    }
    (lead, facts)
}

/// What to know: of which responses something is said.
pub(super) fn notes(report: &ResponsesReport) -> Vec<String> {
    let warned = report
        .responses
        .iter()
        .filter(|own| !own.warnings.is_empty());
    let warned: Vec<&str> = warned.map(|own| &*own.response).collect();
    let warning = || format!("warnings of {} are in their reports", warned.join(", "));
    let mut notes: Vec<String> = (!warned.is_empty()).then(warning).into_iter().collect();
    let uncertified = report
        .responses
        .iter()
        .filter(|own| own.certified.is_none());
    let count = counted(uncertified.count(), "model is", "models are");
    if !count.starts_with('0') {
        notes.push(format!("{count} not certified"));
    }
    if report.interrupted {
        notes.push("an interrupt ended the work before all responses were searched".to_owned());
    }
    notes
}

pub(super) fn sections(body: &mut Body, report: &ResponsesReport) {
    body.section("The models of all responses");
    let models = responses::models(report);
    body.table("Models", "", &models, models.rows.len());
    if !report.failed.is_empty() {
        let failed = responses::failed(report);
        body.table("Without a model", "", &failed, failed.rows.len());
    }
    if !report.shared.is_empty() {
        body.section("What responses share");
        let shared = responses::shared(report);
        let caption = "Of how many responses each variable was chosen, and of which.";
        body.table("Chosen variables", caption, &shared, shared.rows.len());
    }
    body.section("Each response");
    let mut shown = 0;
    let start = body.len();
    for own in &report.responses {
        if body.len() - start > BYTES {
            break;
        }
        shown += 1;
        let chosen = own.chosen_names().count();
        let title = format!("{}: {} chosen", own.response, chosen);
        body.fold("job", &title, |body| {
            let (lead, facts) = regression::summary(own);
            body.lead(&lead);
            body.facts(&facts);
            body.notes(&[&own.warnings[..], &regression::notes(own)].concat());
            for model in reports(own) {
                let chosen = format!(", chosen by {}", model.criterion.spec());
                let title = format!("{}{}", own.response, when(has_criteria(report), &chosen));
                coefficient_table(body, model, &PageExtras::default(), &title);
            }
        });
    }
    let all = report.responses.len();
    if shown < all {
        body.text(&format!(
            "The reports of {shown} of {all} responses; the JSON has all."
        ));
    }
}
