//! The page of a regression: the chosen model, how it was found, and how well it fits.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    PageExtras,
    draw::forest,
    page::{Cell, Data, Figure, Page, ROWS, Table, raw},
    residuals, search,
    shares::Shares,
    told::{Fact, all, count, list, number, of, shown, spec, text, texts, truth},
};
use crate::report::{
    goodness::Goodness,
    text::{percent, significant},
};

/// Rows of a plot with names.
const NAMED: usize = 20;

/// Variables are drawn from this inclusion weight on.
const NOTED: f64 = 0.005;

/// From this on they are as good as 1.
const WHOLE: f64 = 0.9995;

/// Names in the sentence that a page begins with.
const LED: usize = 8;

/// What came out in a sentence, and how it was found.
pub(super) fn head(told: &Value) -> (String, Vec<Fact>) {
    let (n, p, k) = (count(told, "n"), count(told, "p"), count(told, "k"));
    let criterion = &told["criterion"];
    let named = spec(criterion, &["value"]);
    let value = number(criterion, "value").map_or("–".to_owned(), |it| significant(it, 9));
    let (fit, free) = fit(told);
    let kept = texts(told, "kept");
    let names: Vec<&str> = list(told, "selected")
        .iter()
        .map(|it| text(it, "name"))
        .collect();
    let names: Vec<&str> = names.into_iter().filter(|it| !kept.contains(it)).collect();
    let first = names
        .iter()
        .take(LED)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    let lead = format!(
        "{} chosen of {p}{}{}; {named} = {value}{fit}.",
        of(k - kept.len().min(k), "variable", "variables"),
        match names.len() {
            0 => String::new(),
            1..=LED => format!(": {first}"),
            count => format!(": {first} and {} more", count - LED),
        },
        match kept.len() {
            0 => String::new(),
            count => format!(", beside {count} always kept"),
        }
    );
    let candidates = match number(told, "p_total") {
        Some(total) => format!("{p}, of {total} before screening"),
        None => p.to_string(),
    };
    let method = &told["method"];
    let swarm = match (number(method, "particles"), number(method, "iterations")) {
        (Some(particles), Some(iterations)) => {
            format!(": {particles} particles × {iterations} iterations")
        }
        _ => String::new(),
    };
    let mut facts = vec![("response", text(told, "response").to_owned())];
    let weights = text(told, "weights");
    facts.extend((!weights.is_empty()).then(|| ("weights", weights.to_owned())));
    facts.extend([
        ("observations", n.to_string()),
        ("candidates", candidates),
        ("method", format!("{}{swarm}", text(method, "name"))),
        ("criterion", named),
        ("seed", shown(&told["seed"])),
        ("ended", ended(told)),
        ("residual error", free),
    ]);
    facts.extend((!kept.is_empty()).then(|| ("always kept", kept.join(", "))));
    facts.extend(truth(told).map(|it| ("truth", it)));
    (lead, facts)
}

/// What to know that the report tells elsewhere.
pub(super) fn notes(told: &Value) -> Vec<String> {
    let mut notes = Vec::new();
    if told["certified"].as_bool() != Some(true) {
        notes.push(
            "not certified: the addition, drop or exchange of one variable may lower the criterion"
                .to_owned(),
        );
    }
    if ["time-limit", "interrupted", "fault"].contains(&text(told, "termination")) {
        notes.push(format!("the search was cut short: {}", ended(told)));
    }
    if told["method"]["polish"].as_bool() == Some(false) {
        notes.push(
            "without the polish far too few models are met for weights: take them for nothing"
                .to_owned(),
        );
    }
    notes
}

/// R² for a sentence, and the residual standard error.
fn fit(told: &Value) -> (String, String) {
    let fixed = usize::from(!told["intercept"].is_null());
    let (n, k) = (count(told, "n"), count(told, "k"));
    let (Some(rss), Some(tss)) = (number(told, "rss"), number(told, "tss")) else {
        return Default::default();
    };
    let fit = Goodness::of((n, k + fixed), fixed, (rss, tss));
    let error = fit.error.map_or("–".to_owned(), |it| significant(it, 6));
    let error = format!("{error} with {} degrees of freedom", fit.free);
    let Some(r2) = fit.r2 else {
        return (String::new(), error);
    };
    let about = if fixed == 1 { "R²" } else { "R² about zero" };
    let mut told = format!("; {about} {}", significant(r2, 4));
    if let Some(adjusted) = fit.adjusted {
        told += &format!(", adjusted {}", significant(adjusted, 4));
    }
    (told, error)
}

fn ended(told: &Value) -> String {
    let done = count(told, "iterations");
    match text(told, "termination") {
        "iterations" => "all iterations done".to_owned(),
        "patience" => format!("no better model after iteration {done}"),
        "time-limit" => format!("time limit, {done} iterations done"),
        "interrupted" => format!("interrupted, {done} iterations done"),
        "fault" => format!("by a failure, {done} iterations done"),
        "done" => format!("{done} models fitted"),
        other => other.to_owned(),
    }
}

pub(super) fn sections(page: &mut Page, told: &Value, beside: &PageExtras) {
    page.section("The chosen model");
    if told["certified"].as_bool() == Some(true) {
        page.text(
            "Certified: no allowed addition, drop or exchange of one variable lowers the criterion.",
        );
    }
    if list(told, "selected")
        .iter()
        .any(|it| !it["p_value"].is_null())
    {
        page.text(
            "The p-values and intervals take the model as given beforehand; it was chosen by looking at \
             the same data, so they are optimistic.",
        );
    }
    if list(told, "selected")
        .iter()
        .any(|it| text(it, "name").contains('='))
    {
        page.text(
            "A name column=level is a dummy, 1 where the column has that level: its coefficient is against all \
             levels whose dummies are not in the model.",
        );
    }
    page.table(&coefficients(told, beside));
    coefficient_plot(page, told, beside);
    inclusion(page, told);
    if let Some(residuals) = &beside.residuals {
        page.section("Residuals");
        residuals::plots(page, residuals, text(told, "response"));
    }
    search::sections(page, told, beside.curves.as_ref());
    parameters(page, told);
}

fn coefficients<'a>(told: &Value, beside: &PageExtras) -> Table<'a> {
    let level = number(told, "level").unwrap_or_default();
    let tail = 50.0 * (1.0 - level);
    let mut names: Vec<String> = ["variable", "coefficient", "std. error", "t", "p"]
        .map(str::to_owned)
        .to_vec();
    names.extend([tail, 100.0 - tail].map(percent));
    let selected = list(told, "selected");
    let scaled = !selected.is_empty() && beside.deviations.len() == selected.len();
    names.extend(scaled.then(|| "per deviation".to_owned()));
    names.push("inclusion".to_owned());
    let kept = texts(told, "kept");
    let row = |name: &str, it: &Value, deviation: Option<f64>, weight| {
        let mut row = vec![
            Cell::text(name),
            Cell::number(number(it, "coefficient"), 6),
            Cell::number(number(it, "std_error"), 4),
            Cell::number(number(it, "t"), 4),
            Cell::p_value(number(it, "p_value")),
            Cell::number(number(it, "lower"), 6),
            Cell::number(number(it, "upper"), 6),
        ];
        let effect = number(it, "coefficient")
            .zip(deviation)
            .map(|it| it.0 * it.1);
        row.extend(scaled.then(|| Cell::number(effect, 4)));
        row.push(match kept.contains(&name) {
            true => Cell::Number(None, "kept".to_owned()),
            false => Cell::number(weight, 3),
        });
        row
    };
    let weight = |name: &str| {
        let own = list(told, "inclusion")
            .iter()
            .find(|it| text(it, "name") == name);
        own.and_then(|it| number(it, "weight"))
    };
    let intercept = &told["intercept"];
    let first = (!intercept.is_null()).then(|| row("(intercept)", intercept, None, None));
    let others = selected.iter().enumerate().map(|(at, it)| {
        let name = text(it, "name");
        row(name, it, beside.deviations.get(at).copied(), weight(name))
    });
    Table {
        title: "Selected variables",
        caption: match scaled {
            true => {
                "Coefficients on the file's own scale; per deviation: of one standard deviation of the variable."
            }
            false => "Coefficients on the file's own scale.",
        },
        names,
        rows: first.into_iter().chain(others).take(ROWS).collect(),
        of: all(told, "selected") + usize::from(!intercept.is_null()),
    }
}

fn coefficient_plot(page: &mut Page, told: &Value, beside: &PageExtras) {
    let selected = list(told, "selected");
    let scaled = beside.deviations.len() == selected.len();
    let mut rows: Vec<(&str, f64, f64, f64)> = Vec::new();
    let mut bare = false;
    for (at, it) in selected.iter().enumerate() {
        let unit = if scaled { beside.deviations[at] } else { 1.0 };
        let of = |member| number(it, member).map(|it| it * unit);
        if let Some(own) = of("coefficient") {
            // An exact fit has none.
            let ends = of("lower").zip(of("upper"));
            bare |= ends.is_none();
            let ends = ends.unwrap_or((own, own));
            rows.push((text(it, "name"), own, ends.0, ends.1));
        }
    }
    if rows.is_empty() {
        return;
    }
    rows.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let all = rows.len();
    rows.truncate(NAMED);
    let level = 100.0 * number(told, "level").unwrap_or_default();
    let response = text(told, "response");
    let label = match scaled {
        true => format!("{response} per standard deviation"),
        false => "coefficient".to_owned(),
    };
    let first: Vec<String> = rows
        .iter()
        .take(5)
        .map(|it| {
            let [own, lower, upper] = [it.1, it.2, it.3].map(|it| significant(it, 3));
            match bare {
                true => format!("{} {own}", it.0),
                false => format!("{} {own} ({lower} to {upper})", it.0),
            }
        })
        .collect();
    let data = rows.iter().map(|it| {
        let mut numbers = [it.1, it.2, it.3].map(raw);
        if bare {
            numbers[1..].fill(String::new());
        }
        [it.0.to_owned()].into_iter().chain(numbers).collect()
    });
    page.figure(&Figure {
        title: "Coefficients".to_owned(),
        alt: format!(
            "Forest plot of {all} coefficients; the largest: {}",
            first.join(", ")
        ),
        caption: format!(
            "Estimates{}, the largest first{}{}.",
            match bare {
                true => " without intervals: there are no degrees of freedom, or the fit is exact"
                    .to_owned(),
                false => format!(" with {} intervals", percent(level)),
            },
            match scaled {
                true => ", each of one standard deviation of its variable",
                false => "",
            },
            match all > rows.len() {
                true => format!("; {} of {all}", rows.len()),
                false => String::new(),
            }
        ),
        legend: Vec::new(),
        svg: forest(&rows, &label, None),
        data: Data::of(&["variable", "estimate", "lower", "upper"], data),
        heat: false,
    });
}

fn inclusion(page: &mut Page, told: &Value) {
    let weights = list(told, "inclusion");
    let selected: BTreeSet<&str> = list(told, "selected")
        .iter()
        .map(|it| text(it, "name"))
        .collect();
    let kept = texts(told, "kept");
    let noted =
        |it: &&Value| number(it, "weight") >= Some(NOTED) && !kept.contains(&text(it, "name"));
    let noted: Vec<&Value> = weights.iter().filter(noted).collect();
    // Where there is no room for all, those that are sure are only counted.
    let sure = noted
        .iter()
        .filter(|it| number(it, "weight") >= Some(WHOLE))
        .count();
    let left_out = if noted.len() > NAMED { sure } else { 0 };
    let rows = noted.into_iter().skip(left_out).take(NAMED);
    let rows = rows.filter_map(|it| {
        let name = text(it, "name");
        Some((name, number(it, "weight")?, selected.contains(name)))
    });
    let rows: Vec<_> = rows.collect();
    Shares {
        title: "Inclusion weights",
        alt: "Bars of the inclusion weights",
        caption: format!(
            "Of each variable the weight exp(−Δ/2) of the models met that hold it, over that of all {}: how \
             sure the choice is among them, by this criterion; no chance that the variable is true.{}{}",
            count(told, "met"),
            match left_out {
                0 => String::new(),
                count => format!(" {} more at 1.00 {} not drawn.", count, if count == 1 { "is" } else { "are" }),
            },
            match weights.len() > rows.len() + left_out + kept.len() {
                true => format!(" {} of {} are drawn; the JSON has all.", rows.len(), weights.len()),
                false => String::new(),
            }
        ),
        rows: &rows,
        of: ("inclusion weight", "weight"),
        cutoff: None,
    }
    .put(page);
}

pub(super) fn parameters(page: &mut Page, told: &Value) {
    let Some(members) = told["method"].as_object() else {
        return;
    };
    let rows = members
        .iter()
        .map(|(name, value)| vec![Cell::text(name), Cell::text(shown(value))]);
    page.open_lid("", "Settings of the method");
    page.table(&Table {
        title: "Settings",
        caption: "",
        names: ["setting", "value"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
        of: members.len(),
    });
    page.close_lid();
}
