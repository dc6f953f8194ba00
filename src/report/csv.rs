use std::{borrow::Cow, fmt::Write};

use super::{Row, rows};
use crate::selection::Selection;

/// One row a variable, the intercept first with an empty index.
pub(super) fn render(selection: &Selection) -> String {
    let mut page = String::from("name,index,coefficient,std_error,t,p_value,lower,upper\n");
    for it in rows(selection) {
        row(&mut page, &it);
    }
    page
}

fn row(page: &mut String, row: &Row) {
    let Row {
        name,
        index,
        estimate,
    } = row;
    let index = index.map_or(String::new(), |index| index.to_string());
    // `{:?}` is the shortest text that reads back to the same number.
    let number = |it: Option<f64>| it.map_or(String::new(), |it| format!("{it:?}"));
    // Writing to a String cannot fail.
    let _ = writeln!(
        page,
        "{},{index},{:?},{},{},{},{},{}",
        field(name),
        estimate.coefficient,
        number(estimate.std_error),
        number(estimate.t),
        number(estimate.p_value),
        number(estimate.lower),
        number(estimate.upper),
    );
}

/// A field of a CSV file, in quotes where it must be.
pub(crate) fn field(text: &str) -> Cow<'_, str> {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{report::example, selection::Estimate};

    #[test]
    fn one_row_a_variable_with_the_intercept_first() {
        let mut selection = example::selection();
        let ends = |estimate: &mut Estimate, lower, upper| {
            (estimate.lower, estimate.upper) = (lower, upper);
        };
        selection.selected[0].estimate.p_value = None;
        ends(&mut selection.selected[0].estimate, None, Some(0.5));
        ends(&mut selection.selected[1].estimate, None, None);
        if let Some(intercept) = &mut selection.intercept {
            ends(intercept, Some(1.0), Some(2.0));
        }
        assert_eq!(
            render(&selection),
            "name,index,coefficient,std_error,t,p_value,lower,upper\n\
             (intercept),,1.5,0.25,6.0,9e-9,1.0,2.0\n\
             area,3,0.1,0.003,33.333333333333336,,,0.5\n\
             \"a,\"\"b\"\"\",17,-123456.789,50000.0,-2.4691357800000002,0.0144,,\n"
        );
    }
}
