//! The page of a regression: the chosen model, how it was found, and how well it fits.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    Fact, PageExtras, counted,
    draw::forest,
    events, finite, first_of,
    page::{Body, Figure},
    residuals, search,
    shares::shares,
    survival, truth,
};
use crate::{
    design::FactorCoding,
    nearest::list,
    report::{
        by_criterion::comparison,
        goodness::{facts_of_estimates, facts_of_fit, r_squared_name},
        models::{are_all, steps},
        numbers::{listed, percent, printable, significant, when},
        proof::certainty,
        regression::{
            Row, candidates, coefficients, ended, inclusion as inclusion_weight, method,
            references, rows,
        },
        table::{Cell, Style, Table, count, exact, number, text},
        terms::{about_tests, of_dummies, tests_of_terms},
    },
    selection::{NamedParameters, Selection, Termination},
};

/// Rows of a plot with names.
const NAMED: usize = 20;

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
    (lead, facts)
}

fn is_kept(report: &Selection, name: &str) -> bool {
    report.kept.iter().any(|kept| kept == name)
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
        let table = steps(report);
        let caption = "The best model met of each number of terms, and what enters and leaves.";
        body.table("Terms by step", caption, &table, table.rows.len());
    }
    marginal_means(body, report);
    coefficient_plot(body, report, extras);
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
    search::sections(body, report, extras.curves.as_ref());
    factors(body, &report.factors);
    settings(body, &report.method);
}

pub(super) fn coefficient_table(
    body: &mut Body,
    report: &Selection,
    extras: &PageExtras,
    title: &str,
) {
    let chosen = report.selected.iter().map(|variable| &*variable.name);
    let deviations: BTreeMap<&str, f64> = chosen.zip(extras.deviations.iter().copied()).collect();
    let scaled = !report.selected.is_empty() && extras.deviations.len() == report.selected.len();
    let inflation = report.selected.iter().map(|own| (&*own.name, own.vif));
    let inflation: BTreeMap<&str, Option<f64>> = inflation.collect();
    // Of one variable there is nothing to inflate.
    let inflated = report.selected.len() > 1 && inflation.values().any(Option::is_some);
    let shares = report
        .selected
        .iter()
        .map(|own| (&*own.name, own.r_squared_share));
    let shares: BTreeMap<&str, Option<f64>> = shares.collect();
    let shared = report.selected.len() > 1 && shares.values().any(Option::is_some);
    let table = coefficients(report)
        .column_if(scaled, "per deviation", move |(name, index, estimate)| {
            let deviation = index.and(deviations.get(name));
            number(deviation.map(|own| estimate.coefficient * own), 4)
        })
        .column_if(inflated, "VIF", move |row| {
            number(row.1.and(inflation.get(row.0)).copied().flatten(), 3)
        })
        .column_if(shared, "share of R²", move |row| {
            number(row.1.and(shares.get(row.0)).copied().flatten(), 3)
        })
        .column("inclusion", |row| {
            match is_kept(report, report.term_of(row.0)) {
                true => Cell::Number(None, Style::Word("kept")),
                false => number(inclusion_weight(report, row), 3),
            }
        });
    let unit = when(
        scaled,
        "; per deviation: of one standard deviation of the variable",
    );
    let vif = when(
        inflated,
        "; VIF: by how much the other variables inflate the variance of the coefficient",
    );
    let share = when(
        shared,
        "; share of R²: by how much the variable raises it as it enters, on average over all orders",
    );
    let caption = format!("Coefficients on the file's own scale{unit}{vif}{share}.");
    body.table(title, &caption, &table, table.rows.len());
    super::variants::variants(body, report);
}

fn marginal_means(body: &mut Body, report: &Selection) {
    if report.marginal_means.is_empty() {
        return;
    }
    let tail = 50.0 * (1.0 - report.level);
    let table = Table::of(&report.marginal_means)
        .column("factor", |own| text(&*own.factor))
        .column("level", |own| text(&*own.level))
        .column("mean", |own| number(finite(own.mean), 6))
        .column("std. error", |own| number(own.std_error, 4))
        .column(percent(tail), |own| number(own.lower, 6))
        .column(percent(100.0 - tail), |own| number(own.upper, 6));
    let by_link =
        "; at the mean linear predictor, from which the link turns mean and interval back";
    let caption = format!(
        "The mean response that the model predicts if every observation had the level, all else being \
         as it is in the data{}.",
        when(report.family.is_some(), by_link)
    );
    body.table("Marginal means", &caption, &table, table.rows.len());
}

fn coefficient_plot(body: &mut Body, report: &Selection, extras: &PageExtras) {
    let selected = &report.selected;
    let scaled = extras.deviations.len() == selected.len();
    let mut rows: Vec<(&str, f64, f64, f64)> = Vec::new();
    let mut bare = true;
    for (at, variable) in selected.iter().enumerate() {
        let unit = if scaled { extras.deviations[at] } else { 1.0 };
        let estimate = &variable.estimate;
        if let Some(own) = finite(estimate.coefficient) {
            // An exact fit has none.
            let ends = estimate.lower.zip(estimate.upper);
            bare &= ends.is_none();
            let (lower, upper) = ends.unwrap_or((own, own));
            rows.push((&variable.name, own * unit, lower * unit, upper * unit));
        }
    }
    if rows.is_empty() {
        return;
    }
    rows.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let all = rows.len();
    rows.truncate(NAMED);
    let is_endless = rows.iter().any(|row| (row.3 - row.2).is_infinite());
    let label = match scaled {
        true => format!("{} per standard deviation", report.response),
        false => "coefficient".to_owned(),
    };
    let first = rows.iter().take(5).map(|(name, own, lower, upper)| {
        let has_ends = upper > lower;
        let [own, lower, upper] = [own, lower, upper].map(|value| significant(*value, 3));
        let ends = format!(" ({lower} to {upper})");
        format!("{name} {own}{}", when(has_ends, &ends))
    });
    let first = listed(first);
    let level = format!("with {} intervals", percent(100.0 * report.level));
    let intervals = match bare {
        true => "without intervals: there are no degrees of freedom, or the fit is exact",
        false => &level,
    };
    body.figure(Figure {
        title: "Coefficients".to_owned(),
        alt: format!("Forest plot of {all} coefficients; the largest: {first}"),
        caption: format!(
            "Estimates {intervals}, the largest first{}{}{}.",
            when(
                is_endless,
                "; an interval that has no end is drawn as far as the others are"
            ),
            when(scaled, ", each of one standard deviation of its variable"),
            when(all > rows.len(), &format!("; {} of {all}", rows.len()))
        ),
        svg: forest(&rows, &label, None),
        data: Table::of(&rows)
            .column("variable", |row| text(row.0))
            .column("estimate", |row| exact(row.1))
            .column("lower", |row| exact((row.3 > row.2).then_some(row.2)))
            .column("upper", |row| exact((row.3 > row.2).then_some(row.3)))
            .data(NAMED),
        ..Figure::default()
    });
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
