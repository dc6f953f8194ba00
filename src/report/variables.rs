//! The variables of regression models as a table for other programs.

use super::{
    regression::{Row, reports, rows},
    table::{Table, exact, position, text},
};
use crate::selection::Selection;

/// One row a variable, the intercept or what stands in its place first with an empty index; with several criteria those of each.
pub(super) fn csv(selection: &Selection) -> String {
    let several = !selection.by_other_criteria.is_empty();
    table(reports(selection).collect(), (false, several)).csv()
}

/// A variable of a report.
pub(super) type ReportRow<'a> = (&'a Selection, Row<'a>);

/// One row a variable of each of these reports, which are of several responses or criteria or not.
pub(super) fn table<'a>(
    all: Vec<&'a Selection>,
    (of_responses, by_criteria): (bool, bool),
) -> Table<'a, ReportRow<'a>> {
    let has_terms = all.iter().any(|own| own.candidate_terms.is_some());
    let is_adjusted = all.iter().any(|own| own.adjusted.is_some());
    let has_family = all.iter().any(|own| own.family.is_some());
    let all = all.into_iter();
    let all = all.flat_map(|report| rows(report).map(move |row| (report, row)));
    Table::of(all)
        .column_if(of_responses, "response", |all| text(&*all.0.response))
        .column_if(by_criteria, "criterion", |all| text(all.0.criterion.spec()))
        .column("name", |all| text(all.1.0))
        .column_if(has_terms, "term", |all| {
            let is_variable = all.1.1.is_some();
            text(if is_variable {
                all.0.term_of(all.1.0)
            } else {
                ""
            })
        })
        .column("index", |all| position(all.1.1))
        .column("coefficient", |all| exact(all.1.2.coefficient))
        .column("std_error", |all| exact(all.1.2.std_error))
        .column("t", |all| exact(all.1.2.t))
        .column_if(has_family, "z", |all| exact(all.1.2.z))
        .column("p_value", |all| exact(all.1.2.p_value))
        .column_if(is_adjusted, "p_adjusted", |all| exact(all.1.2.p_adjusted))
        .column("lower", |all| exact(all.1.2.lower))
        .column("upper", |all| exact(all.1.2.upper))
        .column_if(has_family, "ratio", |all| exact(all.1.2.ratio))
        .column_if(has_family, "ratio_lower", |all| exact(all.1.2.ratio_lower))
        .column_if(has_family, "ratio_upper", |all| exact(all.1.2.ratio_upper))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    #[test]
    fn one_row_a_variable_with_the_intercept_first() {
        let mut selection = example::selection();
        // The intercept alone has an interval; the first variable the end of one, and no p.
        selection.set_level(0.0);
        let intercept = selection.intercept.as_mut().unwrap();
        (intercept.lower, intercept.upper) = (Some(1.0), Some(2.0));
        let first = &mut selection.selected[0].estimate;
        (first.p_value, first.upper) = (None, Some(0.5));
        assert_eq!(
            csv(&selection),
            "name,index,coefficient,std_error,t,p_value,lower,upper\n\
             (intercept),,1.5,0.25,6.0,9e-9,1.0,2.0\n\
             area,3,0.1,0.003,33.333333333333336,,,0.5\n\
             \"a,\"\"b\"\"\",17,-123456.789,50000.0,-2.4691357800000002,0.0144,,\n"
        );
    }
}
