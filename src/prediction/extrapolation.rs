//! Rows beyond the values that curves of a model were fitted to.

use super::{Model, inputs::Inputs};
use crate::nearest::{list, plural};

impl Model {
    /// A warning where rows lie beyond the least or the largest value that a column had in the fit, and the column is in a spline or
    /// a polynomial of what is used: these go on from their ends, and no observation says whether the response does.
    pub(super) fn extrapolation(&self, inputs: &Inputs, used: &[bool]) -> Option<String> {
        let formula = self.formula.as_ref()?;
        let of_curves: Vec<&str> = formula.inputs_of_curves().collect();
        let mut is_beyond = vec![false; inputs.rows];
        let mut columns = Vec::new();
        for (at, column) in self.columns.iter().enumerate() {
            if !used[at] || !of_curves.contains(&&*column.name) {
                continue;
            }
            let (Some(values), Some(least), Some(largest)) =
                (inputs.number_column(at), column.least, column.largest)
            else {
                continue;
            };
            let mut any = false;
            for (own, x) in is_beyond.iter_mut().zip(values) {
                let beyond = *x < least || *x > largest;
                *own |= beyond;
                any |= beyond;
            }
            if any {
                columns.push(format!("{} ({least} to {largest})", column.name));
            }
        }
        let count = is_beyond.iter().filter(|own| **own).count();
        let columns = list(columns.iter().map(String::as_str));
        let (s, lie) = (plural(count), if count == 1 { "lies" } else { "lie" });
        (count > 0).then(|| {
            format!(
                "{count} row{s} {lie} beyond the values of the fit in {columns}, which a spline or a polynomial is of: it goes on there as \
                 no observation has shown"
            )
        })
    }
}
