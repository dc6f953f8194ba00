//! The models of several responses: side by side, what they share, and the report of each.

use std::path::Path;

use super::{
    goodness::r_squared_name,
    numbers::{first_names, printable, when},
    regression::{self, reports},
    table::{Cell, Style, Table, count, facts, number, text as word},
    variables,
};
use crate::selection::{Certificate, FailedResponse, ResponsesReport, Selection, SharedVariable};

/// Variables of a model, and responses of a variable, that are named in a row; more are only counted.
const NAMED: usize = 12;

/// Whether several criteria chose a model each.
pub(super) fn has_criteria(report: &ResponsesReport) -> bool {
    let mut all = report.responses.iter();
    all.any(|own| !own.by_other_criteria.is_empty())
}

/// A row a model: of which response and how many observations, its size, fit and variables.
pub(super) fn models(report: &ResponsesReport) -> Table<'_, &Selection> {
    let all = report.responses.iter().flat_map(reports);
    let several = has_criteria(report);
    let first = report.responses.first();
    let criterion = first.map_or(String::new(), |own| own.criterion.spec());
    let value = if several {
        "value".to_owned()
    } else {
        criterion
    };
    let is_family = first.is_some_and(|own| own.family.is_some());
    let fit = match is_family {
        true => "deviance explained",
        false => first.map_or("R²", r_squared_name),
    };
    Table::of(all)
        .column("response", |own| word(&*own.response))
        .column_if(several, "criterion", |own| word(own.criterion.spec()))
        .column("n", |own| count(own.n))
        .column("k", |own| count(own.k))
        .column(value, |own| number(own.criterion.value, 9))
        .column(fit, |own| {
            let explained = own.family.as_ref().map(|own| own.deviance_explained);
            number(explained.unwrap_or(own.goodness.r_squared), 4)
        })
        .column("certified", |own| {
            word(match own.certified {
                Some(Certificate::Global) => "optimal",
                Some(Certificate::Local) => "yes",
                None => "no",
            })
        })
        .column("variables", |own| {
            let names = own.selected.iter().map(|own| own.name.clone());
            word(first_names(&Vec::from_iter(names), NAMED))
        })
}

/// A row a chosen variable: of how many responses, and which.
pub(super) fn shared(report: &ResponsesReport) -> Table<'_, &SharedVariable> {
    let of = report.responses.len() as f64;
    let criterion = |own: &&SharedVariable| word(own.criterion.clone().unwrap_or_default());
    Table::of(&report.shared)
        .column_if(has_criteria(report), "criterion", criterion)
        .column("variable", |own| word(&*own.name))
        .column("responses", |own| count(own.count))
        .column("share", move |own| {
            Cell::Number(Some(own.count as f64 / of), Style::Decimals(3))
        })
        .column("of", |own| word(first_names(&own.responses, NAMED)))
}

/// A row a response without a model, and why.
pub(super) fn failed(report: &ResponsesReport) -> Table<'_, &FailedResponse> {
    Table::of(&report.failed)
        .column("response", |own| word(&*own.response))
        .column("has no model", |own| word(&*own.reason))
}

/// How many responses have models, and how many have none.
pub(super) fn counted(report: &ResponsesReport) -> String {
    let (done, failed) = (report.responses.len(), report.failed.len());
    let plural = |count: usize| when(count != 1, "s");
    let without = format!("; no model of {failed}");
    format!(
        "models of {done} response{}{}",
        plural(done),
        when(failed > 0, &without)
    )
}

/// The tables of all responses, then each one's report.
pub(super) fn text(report: &ResponsesReport, data: &Path) -> String {
    let mut page = facts(&[
        ("data", data.display().to_string()),
        ("responses", counted(report)),
    ]);
    let last = models(report).columns.len() - 1;
    page += &format!("\n{}", models(report).aligned(&[0, last]));
    if !report.failed.is_empty() {
        page += &format!("\n{}", failed(report).aligned(&[0, 1]));
    }
    if !report.shared.is_empty() {
        let shared = shared(report);
        let last = shared.columns.len() - 1;
        page += &format!(
            "\nWhat was chosen, and of how many responses\n\n{}",
            shared.aligned(&[0, last - 3, last])
        );
    }
    for own in report.responses.iter().flat_map(reports) {
        let chosen = format!(", chosen by {}", own.criterion.spec());
        let title = format!("{}{}", own.response, when(has_criteria(report), &chosen));
        let title = printable(&title);
        let line = "─".repeat(title.chars().count());
        page += &format!("\n{title}\n{line}\n\n{}", regression::text(own, data));
    }
    page
}

/// One row a variable of each response.
pub(super) fn csv(report: &ResponsesReport) -> String {
    let all = report.responses.iter().flat_map(reports);
    variables::table(all.collect(), (true, has_criteria(report))).csv()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    fn of_two() -> ResponsesReport {
        let mut other = example::selection();
        other.response = "rent".to_owned();
        other.selected.truncate(1);
        other.k = 1;
        let failed = FailedResponse {
            response: "tax".to_owned(),
            reason: "it is constant".to_owned(),
        };
        ResponsesReport::of(vec![example::selection(), other], vec![failed])
    }

    #[test]
    fn the_models_come_first_then_what_they_share_then_each_report() {
        let (report, path) = (of_two(), Path::new("houses.csv"));
        let page = text(&report, path);
        for part in [
            "responses            models of 2 responses; no model of 1\n",
            "\nrent      200  1   -207.171682  0.8000        yes  area\n",
            "\nresponse  has no model\ntax       it is constant\n",
            "\nvariable  responses  share  of\narea              2  1.000  price, rent\n",
        ] {
            assert!(page.contains(part), "{part} in {page}");
        }
        let whole = regression::text(&report.responses[1], path);
        assert!(page.contains(&format!("\nrent\n────\n\n{whole}")), "{page}");
    }

    #[test]
    fn rows_of_a_table_say_their_response() {
        let csv = csv(&of_two());
        let starts: Vec<&str> = csv
            .lines()
            .map(|line| line.split(',').next().unwrap())
            .collect();
        assert_eq!(
            starts,
            ["response", "price", "price", "price", "rent", "rent"]
        );
    }

    #[test]
    fn the_page_has_the_tables_and_the_coefficients_of_each() {
        use crate::{report::html, selection::Outcome};

        let outcome = Outcome::Responses(Box::new(of_two()));
        let page = html::page(&outcome, Path::new("houses.csv"), &Default::default());
        for title in ["Models", "Without a model", "Chosen variables", "rent"] {
            assert!(page.contains(&format!("aria-label=\"{title}\"")), "{title}");
        }
    }
}
