//! The report of a validation as text and CSV.

use std::path::Path;

use super::{
    goodness::facts_of_family,
    numbers::{first_names, listed, significant, when},
    ranking::work,
    sizes::{Sizes, title},
    table::{self, Table, exact, facts, share, warnings},
};
use crate::{
    nearest::plural,
    selection::{ErrorMeasure, StopReason, ValidatedModel, ValidationReport},
};

/// Terms that are listed in a report for a reader, and names in a line.
const TERMS: usize = 15;
const NAMES: usize = 10;

/// Sizes of models in a report for a reader.
const SIZES: usize = 20;

/// A value with its standard error: 54.3 ± 1.2.
pub(super) fn with_error(own: &ErrorMeasure) -> String {
    match (own.value, own.std_error) {
        (None, _) => table::ABSENT.to_owned(),
        (Some(value), None | Some(0.0)) => significant(value, 4),
        (Some(value), Some(error)) => {
            format!("{} ± {}", significant(value, 4), significant(error, 2))
        }
    }
}

/// The measure of this name among others.
pub(super) fn of_name<'a>(all: &'a [ErrorMeasure], name: &str) -> Option<&'a ErrorMeasure> {
    all.iter().find(|own| own.name == name)
}

/// What was judged: 10 folds, 5 times.
pub(super) fn splits(report: &ValidationReport) -> String {
    let (scheme, done) = (&report.scheme, report.judged_splits().count());
    let repeats = scheme.number("repeats").unwrap_or(1.0);
    let many = |one: &str| format!("{done} {one}{}", plural(done));
    match scheme.name.as_str() {
        "time" => many("block"),
        "bootstrap" => many("resample"),
        "holdout" => many("hold-out"),
        "marked" => "the rows that are marked".to_owned(),
        _ if repeats > 1.0 => format!("{} in {repeats} repeats", many("fold")),
        _ => many("fold"),
    }
}

/// The answer in a line.
pub(super) fn answer(report: &ValidationReport) -> String {
    let Some(own) = report.headline() else {
        return format!("no measure of error is defined for {}", splits(report));
    };
    let beside = |name: &str, all: &[ErrorMeasure]| {
        let other = of_name(all, &own.name)?.value?;
        Some(format!("{name} {}", significant(other, 4)))
    };
    let null = beside("null", &report.null);
    let full = report.full.as_ref().and_then(|full| beside("full", full));
    let others = null.into_iter().chain(full).chain([splits(report)]);
    let mut by = vec![report.name_among_all(report)];
    if let [first, _, ..] = &report.models[..] {
        by.push(first.criterion.spec(&[]));
    }
    by.retain(|part| !part.is_empty());
    let criterion = match by.is_empty() {
        true => String::new(),
        false => format!(" by {}", by.join(" ")),
    };
    format!(
        "held-out {}{criterion} {} ({})",
        title(&own.name),
        with_error(own),
        listed(others)
    )
}

/// What the models of a report differ in.
pub(super) fn judged_by(report: &ValidationReport) -> &'static str {
    match report.then {
        Some(_) => "then",
        None => "criterion",
    }
}

/// The other methods and families, where there are some.
pub(super) fn beside(report: &ValidationReport) -> Option<String> {
    let others = report.others.iter();
    let names: Vec<String> = others.map(|own| report.name_among_all(own)).collect();
    (!names.is_empty()).then(|| listed(names.into_iter()))
}

fn header(report: &ValidationReport, data: &Path) -> String {
    let mut rows = vec![
        ("data", data.display().to_string()),
        ("response", report.response.clone()),
    ];
    rows.extend(report.formula.clone().map(|formula| ("formula", formula)));
    rows.extend(facts_of_family(report.family.as_ref()));
    rows.extend(report.weights.clone().map(|weights| ("weights", weights)));
    rows.extend([
        ("observations n", report.n.to_string()),
        ("candidates p", report.p.to_string()),
    ]);
    let kept = &report.kept;
    rows.extend((!kept.is_empty()).then(|| ("always kept", first_names(kept, NAMES))));
    rows.push(("method", report.method.spec_of_plugin()));
    rows.extend(beside(report).map(|others| ("beside", others)));
    let criteria = report.models.iter().map(|own| own.criterion.spec(&[]));
    rows.push((judged_by(report), listed(criteria)));
    let by = report.by.as_ref().map(|by| format!(" by {by}"));
    let scheme = report.scheme.spec(&[]) + &by.unwrap_or_default();
    rows.push(("scheme", format!("{scheme}, seed {}", report.seed)));
    facts(&rows)
}

/// The columns of a table of errors: the models of each method, family and criterion, the null model, and the full one.
pub(super) fn columns(report: &ValidationReport) -> Vec<(String, &[ErrorMeasure])> {
    let mut models = Vec::new();
    let mut others: Vec<(&str, String, &[ErrorMeasure])> = Vec::new();
    for own in report.all() {
        let name = report.name_among_all(own);
        let join = |part: &str| {
            let parts = [&*name, part].into_iter().filter(|part| !part.is_empty());
            parts.collect::<Vec<_>>().join(" ")
        };
        let several = own.models.len() > 1;
        models.extend(own.models.iter().map(|model| {
            let criterion = match (several, name.is_empty()) {
                (true, _) => model.criterion.spec(&[]),
                (false, true) => "selected".to_owned(),
                (false, false) => String::new(),
            };
            (join(&criterion), &model.errors[..])
        }));
        // Those of another method are the same.
        let null = [("null", &own.null)].into_iter();
        for (part, errors) in null.chain(own.full.iter().map(|full| ("full", full))) {
            if others.iter().all(|(.., known)| *known != &errors[..]) {
                others.push((part, join(part), &errors[..]));
            }
        }
    }
    // One that is the same for all needs no other name.
    let count = |part: &str| others.iter().filter(|own| own.0 == part).count();
    let named = others.iter().map(|(part, name, errors)| match count(part) {
        1 => ((*part).to_owned(), *errors),
        _ => (name.clone(), *errors),
    });
    models.extend(named);
    models
}

/// The table of errors, a row for each measure.
pub(super) fn errors(report: &ValidationReport) -> Table<'_, &ErrorMeasure> {
    let mut measures: Vec<&ErrorMeasure> = Vec::new();
    let all = report.all().filter_map(|own| own.models.first());
    for own in all.flat_map(|model| &model.errors) {
        if measures.iter().all(|known| known.name != own.name) {
            measures.push(own);
        }
    }
    let mut all = Table::of(measures).column("measure", |own| table::text(title(&own.name)));
    for (name, errors) in columns(report) {
        all = all.column(name, move |own| {
            let own = of_name(errors, &own.name);
            table::text(own.map_or(table::ABSENT.to_owned(), with_error))
        });
    }
    all
}

/// In how many splits each term was chosen, by criterion.
pub(super) fn terms(report: &ValidationReport) -> Table<'_, (String, Vec<f64>)> {
    let first = report.models.first();
    let names = first.map_or(&[][..], |own| &own.variables);
    let rows = names.iter().map(|own| {
        let of = |model: &ValidatedModel| {
            let mut all = model.variables.iter();
            all.find(|other| other.name == own.name)
                .map_or(0.0, |own| own.share)
        };
        (own.name.clone(), report.models.iter().map(of).collect())
    });
    let mut all = Table::of(rows).column("term", |(name, _): &(String, Vec<f64>)| {
        table::text(name.clone())
    });
    for (at, model) in report.models.iter().enumerate() {
        let name = match report.models.len() {
            1 => "chosen in".to_owned(),
            _ => model.criterion.spec(&[]),
        };
        all = all.column(name, move |(_, shares): &(String, Vec<f64>)| {
            share(shares[at])
        });
    }
    all
}

/// The report for a reader: the answer, the errors, and what was chosen.
pub(super) fn text(report: &ValidationReport, data: &Path) -> String {
    let mut page = format!("{}\n\n", answer(report));
    page += &(header(report, data) + &warnings(&report.run.warnings) + "\n");
    page += &errors(report).aligned(&[0]);
    page += match report.scheme.name.as_str() {
        "bootstrap" => {
            "\nBy the estimator .632+; ± is the standard error, by the jackknife over rows. Of all rows, and out of the bag: \
             --format json.\n\n"
        }
        "holdout" | "marked" => "\n± is the standard error, by the jackknife over rows.\n\n",
        _ => "\n± is the standard error, by the jackknife over folds.\n\n",
    };
    let most = report.by_size.len().min(SIZES);
    if most > 0 {
        page += &Sizes::of(report).table(most).aligned(&[3]);
        page += &match (report.by_size.len() - most, report.best_size) {
            (0, _) | (_, None) => "\n".to_owned(),
            (more, Some(best)) => {
                format!("… and {more} more; the least is at {best} (--format json has all)\n\n")
            }
        };
    }
    let mut chosen = terms(report);
    let all = chosen.rows.len();
    chosen.rows.truncate(TERMS);
    if all > 0 {
        page += &chosen.aligned(&[0]);
        page += &match all.saturating_sub(TERMS) {
            0 => "\n".to_owned(),
            more => format!("… and {more} less frequent (--format json has all)\n\n"),
        };
    }
    let (done, wanted) = (report.done, report.wanted);
    let cut_short = match report.run.termination {
        StopReason::Interrupted => format!(", interrupted after {done} of {wanted} splits"),
        StopReason::TimeLimit => format!(", time limit after {done} of {wanted} splits"),
        _ => String::new(),
    };
    let judged = format!("{} of {} observations judged", report.judged, report.n);
    page + &format!(
        "{judged}, {}{cut_short}; {}\n",
        chosen_sizes(report),
        work(&report.run)
    )
}

/// How many terms the models have, of each method and family.
pub(super) fn chosen_sizes(report: &ValidationReport) -> String {
    let of = |own: &ValidationReport| match report.name_among_all(own) {
        name if name.is_empty() => sizes_of(own),
        name => format!("{} by {name}", sizes_of(own)),
    };
    report.all().map(of).collect::<Vec<_>>().join(", ")
}

fn sizes_of(report: &ValidationReport) -> String {
    let of = |at: usize| {
        let sizes = report.judged_splits().filter_map(|own| own.sizes.get(at));
        let sizes: Vec<usize> = sizes.copied().collect();
        let mean = sizes.iter().sum::<usize>() as f64 / sizes.len().max(1) as f64;
        let ends = [sizes.iter().min(), sizes.iter().max()].map(|end| end.copied().unwrap_or(0));
        match ends[0] == ends[1] {
            true => ends[0].to_string(),
            false => format!("{} ({} … {})", significant(mean, 3), ends[0], ends[1]),
        }
    };
    let all: Vec<String> = (0..report.models.len()).map(of).collect();
    format!(
        "{} {} chosen{}",
        all.join(" and "),
        match &all[..] {
            [one] if one == "1" => "term",
            _ => "terms",
        },
        when(all.len() > 1, " by the criteria")
    )
}

#[cfg(feature = "program")]
/// A row for every measure of every model: the model, the measure, the value and its standard error.
pub(crate) fn validation_rows(report: &ValidationReport) -> Vec<[String; 4]> {
    let number = |own: Option<f64>| own.map_or(String::new(), |own| own.to_string());
    let rows = columns(report).into_iter().flat_map(|(name, all)| {
        all.iter().map(move |own| {
            [
                name.clone(),
                own.name.to_string(),
                number(own.value),
                number(own.std_error),
            ]
        })
    });
    rows.collect()
}

/// One row for every measure of every model.
pub(super) fn csv(report: &ValidationReport) -> String {
    let is_bootstrap = report.scheme.name == "bootstrap";
    let rows = columns(report).into_iter();
    let rows = rows.flat_map(|(name, all)| all.iter().map(move |own| (name.clone(), own)));
    Table::of(rows)
        .column("model", |(name, _): &(String, &ErrorMeasure)| {
            table::text(name.clone())
        })
        .column("measure", |(_, own)| table::text(own.name.to_string()))
        .column("value", |(_, own)| exact(own.value))
        .column("std_error", |(_, own)| exact(own.std_error))
        .column_if(is_bootstrap, "apparent", |(_, own)| exact(own.apparent))
        .column_if(is_bootstrap, "out_of_bag", |(_, own)| exact(own.out_of_bag))
        .column_if(is_bootstrap, "point_632", |(_, own)| exact(own.point_632))
        .csv()
}
