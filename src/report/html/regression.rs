//! The page of a regression: the chosen model, how it was found, and how well it fits.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    Fact, PageExtras,
    coefficients::{NAMED, coefficient_plot, coefficient_table, is_kept, marginal_means},
    counted, events, finite, first_of, inference,
    page::{Body, Figure},
    residuals, search,
    shares::shares,
    sizes, survival, truth,
};
use crate::{
    design::FactorCoding,
    nearest::list,
    report::{
        by_criterion::comparison,
        goodness::{facts_of_estimates, facts_of_fit, r_squared_name},
        models::{are_all, steps},
        numbers::{listed, printable, significant, when},
        proof::certainty,
        regression::{Row, candidates, ended, method, references, rows},
        table::{Table, count, number, text, told},
        terms::{about_tests, of_dummies, tests_of_terms},
    },
    selection::{NamedParameters, Selection, Termination},
};

/// The least inclusion weight that is drawn.
const NOTED: f64 = 0.005;

/// Inclusion weights from here on are as good as 1.
const WHOLE: f64 = 0.9995;

/// Factors in their table.
const FACTORS: usize = 100;

/// Names in the sentence that a page begins with.
const LED: usize = 8;

/// The result in a sentence, and the facts of the search.
pub(super) fn summary(report: &Selection) -> (String, Vec<Fact>) {
    let criterion = report.criterion.spec();
    let value = number(finite(report.criterion.value), 9).shown();
    let kept = &report.kept;
    let names = report.selected.iter().map(|variable| &*variable.name);
    let terms = report.terms.iter().map(|term| &*term.name);
    let names: Vec<&str> = match report.terms.is_empty() {
        true => names.filter(|name| !is_kept(report, name)).collect(),
        false => terms.filter(|name| !is_kept(report, name)).collect(),
    };
    let first = names[..names.len().min(LED)].join(", ");
    let first = match names.len() {
        0 => String::new(),
        1..=LED => format!(": {first}"),
        count => format!(": {first} and {} more", count - LED),
    };
    let beside = format!(", beside {} always kept", kept.len());
    let lead = format!(
        "{} chosen of {}{first}{}; {criterion} = {value}{}.",
        match report.candidate_terms {
            Some(_) => counted(names.len(), "term", "terms"),
            None => counted(report.k - kept.len().min(report.k), "variable", "variables"),
        },
        report.candidate_terms.unwrap_or(report.p),
        when(!kept.is_empty(), &beside),
        r_squared(report)
    );
    let mut facts = vec![("response", report.response.clone())];
    facts.extend(report.formula.clone().map(|formula| ("formula", formula)));
    facts.extend(facts_of_estimates(report));
    facts.extend(report.weights.clone().map(|weights| ("weights", weights)));
    facts.extend([
        ("observations", report.n.to_string()),
        ("candidates", candidates(report)),
        ("method", method(report)),
        ("criterion", criterion),
        ("seed", report.seed.to_string()),
        ("ended", ended(report)),
    ]);
    let of_fit = facts_of_fit(report).into_iter();
    facts.extend(of_fit.filter(|(name, _)| *name != r_squared_name(report)));
    facts.extend((!kept.is_empty()).then(|| ("always kept", kept.join(", "))));
    facts.extend(references(report).map(|levels| ("reference levels", levels)));
    facts.extend(truth(report.truth.as_ref()));
    facts.extend(told(&report.numbers));
    (lead, facts)
}

/// What to know beyond the report's own warnings.
pub(super) fn notes(report: &Selection) -> Vec<String> {
    let cut_short = matches!(
        report.termination,
        Termination::TimeLimit | Termination::Interrupted | Termination::Fault
    );
    let unpolished = report.method.parameters.get("polish") == Some(&Value::Bool(false));
    let uncertified =
        "not certified: the addition, drop or exchange of one variable may lower the criterion";
    let cut = format!("the search was cut short: {}", ended(report));
    let few = "without the polish far too few models are met for weights: take them for nothing";
    let notes = [
        (report.certified.is_none(), uncertified),
        (cut_short, &cut),
        (unpolished, few),
    ];
    let notes = notes.into_iter().filter(|(holds, _)| *holds);
    notes.map(|(_, note)| note.to_owned()).collect()
}

/// R² for a sentence.
fn r_squared(report: &Selection) -> String {
    let digits = |before: &str, number: Option<f64>| {
        let digits = number.map(|number| format!("{before} {}", significant(number, 4)));
        digits.unwrap_or_default()
    };
    let goodness = &report.goodness;
    if let Some(explained) = report.family.as_ref().map(|own| own.deviance_explained) {
        return digits("; deviance explained", explained);
    }
    let name = format!("; {}", r_squared_name(report));
    digits(&name, goodness.r_squared) + &digits(", adjusted", goodness.adjusted_r_squared)
}

pub(super) fn sections(body: &mut Body, report: &Selection, extras: &PageExtras) {
    if !report.by_other_criteria.is_empty() {
        body.section("The models of all criteria");
        let table = comparison(report);
        let caption =
            "The coefficients of the others follow; the rest of this page is of the first.";
        body.table("Models by criterion", caption, &table, table.rows.len());
        for other in &report.by_other_criteria {
            let title = format!("Chosen by {}", other.criterion.spec());
            coefficient_table(body, other, &PageExtras::default(), &title);
        }
    }
    body.section("The chosen model");
    if report.certified.is_some() {
        body.text(&certainty(report).join(" "));
    }
    let any = |is: fn(&Row) -> bool| rows(report).any(|row| row.1.is_some() && is(&row));
    if any(|row| row.2.p_value.is_some()) {
        body.text(
            "The p-values and intervals take the model as given beforehand; it was chosen by looking at \
             the same data, so they are optimistic.",
        );
    }
    if report.selected.iter().any(|own| own.level.is_some()) {
        body.text(of_dummies(report));
    }
    coefficient_table(body, report, extras, "Selected variables");
    if !report.terms.is_empty() {
        let table = tests_of_terms(report);
        let caption = about_tests(report);
        body.table("Selected terms", &caption, &table, table.rows.len());
        if !report.front.is_empty() {
            let table = steps(report);
            let caption = "The best model met of each number of terms, and what enters and leaves.";
            body.table("Terms by step", caption, &table, table.rows.len());
        }
    }
    marginal_means(body, report);
    coefficient_plot(body, report, extras);
    sizes::section(body, report);
    inference::section(body, report);
    inclusion(body, report);
    super::variants::scan(body, report, extras);
    events::sections(body, report);
    if let Some(plots) = &extras.survival {
        body.section("Survival");
        survival::plots(body, plots, report);
    }
    if let Some(residuals) = &extras.residuals {
        body.section("Residuals");
        residuals::plots(body, residuals, report);
    }
    // The values of models of other sizes are no criterion.
    let curves = extras.curves.as_ref();
    search::sections(
        body,
        report,
        curves.filter(|_| report.cross_validation.is_none()),
    );
    factors(body, &report.factors);
    settings(body, &report.method);
}

fn inclusion(body: &mut Body, report: &Selection) {
    let weights = &report.inclusion;
    let selected = report.selected.iter().map(|variable| &*variable.name);
    let selected: BTreeSet<&str> = selected.collect();
    let noted = weights.iter().filter(|own| own.weight >= NOTED);
    let noted: Vec<_> = noted.filter(|own| !is_kept(report, &own.name)).collect();
    // Where there is no room for all, those that are sure are only counted.
    let sure = noted.iter().filter(|own| own.weight >= WHOLE).count();
    let left_out = if noted.len() > NAMED { sure } else { 0 };
    let rows = noted.into_iter().skip(left_out).take(NAMED);
    let rows = rows.map(|own| (&*own.name, own.weight, selected.contains(&*own.name)));
    let rows: Vec<_> = rows.collect();
    let (drawn, all) = (rows.len(), weights.len());
    let more = counted(left_out, "more at 1.00 is", "more at 1.00 are");
    let all_models = are_all(report);
    let figure = Figure {
        title: "Inclusion weights".to_owned(),
        alt: "Bars of the inclusion weights".to_owned(),
        caption: format!(
            "Of each variable the weight exp(−Δ/2) of the models{} that hold it, over that of all {}. It \
             compares these models by this criterion{} and is not the probability that the variable is \
             true.{}{}",
            if all_models { "" } else { " met" },
            report.met,
            if all_models {
                ""
            } else {
                ", lies nearer to 0 and 1 than over all models"
            },
            when(left_out > 0, &format!(" {more} not drawn.")),
            when(
                all > drawn + left_out + report.kept.len(),
                &format!(" {drawn} of {all} are drawn; the JSON has all.")
            )
        ),
        ..Figure::default()
    };
    shares(body, figure, &rows, ("inclusion weight", "weight"), None);
}

/// How the factors are coded.
fn factors(body: &mut Body, factors: &[FactorCoding]) {
    if factors.is_empty() {
        return;
    }
    let table = Table::of(factors.iter().take(FACTORS))
        .column("factor", |factor| text(&factor.name))
        .column("reference", |factor| {
            text(factor.reference.as_deref().unwrap_or("none"))
        })
        .column("levels", |factor| count(factor.levels.len()))
        .column("", |factor| {
            text(list(factor.levels.iter().map(String::as_str)))
        });
    let caption = format!(
        "Each factor's dummies are compared with its reference level (treatment coding).{}",
        first_of(
            factors.len().min(FACTORS),
            factors.len(),
            " are listed; the JSON has all"
        )
    );
    body.fold("", "Factors", |body| {
        body.table("Factors", &caption, &table, table.rows.len());
    });
}

/// The name of a method and all its parameters.
pub(super) fn settings(body: &mut Body, method: &NamedParameters) {
    let name = Value::from(&*method.name);
    let parameters = method.parameters.iter();
    let parameters = parameters.map(|(name, value)| (&**name, value));
    let table = Table::of([("name", &name)].into_iter().chain(parameters))
        .column("setting", |row| text(row.0))
        .column("value", |row| text(on_one_line(row.1)));
    body.fold("", "Settings of the method", |body| {
        body.table("Settings", "", &table, table.rows.len());
    });
}

fn on_one_line(value: &Value) -> String {
    match value {
        Value::String(text) => printable(text),
        Value::Null => "none".to_owned(),
        Value::Array(all) => listed(all.iter().map(on_one_line)),
        other => other.to_string(),
    }
}
