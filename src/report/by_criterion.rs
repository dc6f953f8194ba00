//! The models that several criteria chose from the same data, side by side.

use std::path::Path;

use super::{
    numbers::first_names,
    regression::{self, reports},
    table::{Table, count, number, text as word},
};
use crate::selection::Selection;

/// Variables of a model that are named in a row; more are only counted.
const NAMED: usize = 12;

/// A row a criterion: its value, and the size, fit and variables of the model that it chose.
pub(super) fn comparison(first: &Selection) -> Table<'_, &Selection> {
    Table::of(reports(first))
        .column("criterion", |report| word(report.criterion.spec()))
        .column("value", |report| number(report.criterion.value, 9))
        .column("k", |report| count(report.k))
        .column("R²", |report| number(report.goodness.r_squared, 4))
        .column("adjusted", |report| {
            number(report.goodness.adjusted_r_squared, 4)
        })
        .column("variables", |report| {
            let names = report.selected.iter().map(|own| own.name.clone());
            word(first_names(&Vec::from_iter(names), NAMED))
        })
}

/// The comparison, then each one's report.
pub(super) fn text(first: &Selection, data: &Path) -> String {
    let mut page = comparison(first).aligned(&[0, 5]);
    for report in reports(first) {
        let title = format!("Chosen by {}", report.criterion.spec());
        let line = "─".repeat(title.chars().count());
        page += &format!("\n{title}\n{line}\n\n{}", regression::text(report, data));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{example, variables};

    fn by_two() -> Selection {
        let mut other = example::selection();
        other.criterion.name = "aic".to_owned();
        other.selected.truncate(1);
        other.k = 1;
        let mut first = example::selection();
        first.by_other_criteria.push(other);
        first
    }

    #[test]
    fn the_models_of_several_criteria_are_compared_and_then_reported() {
        let (first, path) = (by_two(), Path::new("houses.csv"));
        let page = text(&first, path);
        let lines: Vec<&str> = page.lines().collect();
        assert!(lines[0].starts_with("criterion "), "{page}");
        assert!(lines[1].starts_with("ebic:gamma=1 ") && lines[1].ends_with("area, a,\"b\""));
        assert!(lines[2].starts_with("aic:gamma=1 ") && lines[2].ends_with("  area"));
        let whole = regression::text(&first, path);
        assert!(page.contains(&format!(
            "\nChosen by ebic:gamma=1\n──────────────────────\n\n{whole}"
        )));
    }

    #[test]
    fn the_page_has_the_coefficients_of_each() {
        use crate::{report::html, selection::Outcome};

        let outcome = Outcome::Selection(Box::new(by_two()));
        let page = html::page(&outcome, Path::new("houses.csv"), &Default::default());
        let own = page.split("aria-label=\"Chosen by aic:gamma=1\"").nth(2);
        let rows = own.unwrap().split("</table>").next().unwrap();
        assert!(rows.contains("<td>area</td>"), "{rows}");
        assert!(!rows.contains("<td>a,"), "{rows}");
        let first = page.split("aria-label=\"Selected variables\"").nth(2);
        assert!(first.unwrap().contains("<td>area</td>"));
    }

    #[test]
    fn rows_of_a_table_say_their_criterion_where_there_are_several() {
        let csv = variables::csv(&by_two());
        let starts: Vec<&str> = csv
            .lines()
            .map(|line| &line[..line.find(',').unwrap()])
            .collect();
        let [a, b] = ["ebic:gamma=1", "aic:gamma=1"];
        assert_eq!(starts, ["criterion", a, a, a, b, b]);
    }
}
