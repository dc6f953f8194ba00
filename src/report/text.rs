use std::{fmt::Write, path::Path};

use comfy_table::{CellAlignment, Table, presets::NOTHING};

use super::{goodness::Goodness, models};
use crate::selection::{Estimate, RankSummary, Selection, Termination};

/// Set-aside variables named one by one; more are only counted.
const NAMED: usize = 10;

/// The report for a reader: fit, warnings, variables, how it was found.
pub(super) fn render(selection: &Selection, data: &Path) -> String {
    let mut page = header(selection, data);
    page += &notes(selection);
    page.push('\n');
    page += &variables(selection);
    page.push('\n');
    if selection
        .selected
        .iter()
        .any(|it| it.estimate.p_value.is_some())
    {
        page += "The p-values and intervals take the model as given beforehand; it was chosen by\n\
                 looking at the same data, so they are optimistic.\n\n";
    }
    page += &models::render(selection);
    page += &found(selection);
    page
}

fn header(selection: &Selection, data: &Path) -> String {
    let mut criterion = selection.criterion.name.clone();
    for (at, (name, value)) in selection.criterion.parameters.iter().enumerate() {
        criterion += if at == 0 { ":" } else { "," };
        criterion += &format!("{name}={value}");
    }
    let fixed = usize::from(selection.intercept.is_some());
    let (n, k) = (selection.n, selection.k);
    let Goodness {
        free,
        r2,
        adjusted,
        error,
    } = Goodness::of((n, k + fixed), fixed, (selection.rss, selection.tss));
    let or_dash = |number: Option<f64>, digits| {
        number.map_or_else(|| "–".to_owned(), |it| significant(it, digits))
    };
    let candidates = match selection.p_total {
        Some(total) => format!("{}, of {total} before screening", selection.p),
        None => selection.p.to_string(),
    };
    let mut rows = vec![
        ("data", printable(&data.display().to_string())),
        ("response", printable(&selection.response)),
        ("observations n", n.to_string()),
        ("candidates p", candidates),
        ("variables k", k.to_string()),
        (
            "criterion",
            format!(
                "{criterion} = {}",
                significant(selection.criterion.value, 9)
            ),
        ),
        (
            // Without an intercept the sums of squares are about zero.
            if fixed == 1 { "R²" } else { "R² about zero" },
            format!("{}, adjusted {}", or_dash(r2, 6), or_dash(adjusted, 6)),
        ),
        (
            "residual std. error",
            format!("{} with {free} degrees of freedom", or_dash(error, 6)),
        ),
    ];
    if !selection.kept.is_empty() {
        let kept: Vec<String> = selection.kept.iter().map(|it| printable(it)).collect();
        rows.insert(5, ("always kept", kept.join(", ")));
    }
    if let Some(weights) = &selection.weights {
        rows.insert(2, ("weights", printable(weights)));
    }
    let mut page = String::new();
    for (label, value) in rows {
        // Writing to a String cannot fail.
        let _ = writeln!(page, "{label:<21}{value}");
    }
    if let Some(truth) = &selection.truth {
        let _ = writeln!(
            page,
            "{:<21}{} of {} true variables found: PSR {}, FDR {}",
            "truth",
            truth.found,
            truth.variables,
            significant(truth.psr, 4),
            significant(truth.fdr, 4)
        );
    }
    page
}

fn notes(selection: &Selection) -> String {
    let mut page = String::new();
    if !(selection.warnings.is_empty() && selection.set_aside.is_empty()) {
        page.push('\n');
    }
    for warning in &selection.warnings {
        let _ = writeln!(page, "warning: {}", printable(warning));
    }
    for it in selection.set_aside.iter().take(NAMED) {
        let _ = writeln!(
            page,
            "set aside: {} ({})",
            printable(&it.name),
            printable(&it.reason)
        );
    }
    if selection.set_aside.len() > NAMED {
        let more = selection.set_aside.len() - NAMED;
        let _ = writeln!(
            page,
            "set aside: {more} more; the JSON report names them all"
        );
    }
    page
}

fn variables(selection: &Selection) -> String {
    let mut table = Table::new();
    let tail = 50.0 * (1.0 - selection.level);
    let header = ["variable", "coefficient", "std. error", "t", "p"];
    let bounds = [percent(tail), percent(100.0 - tail)];
    let header = header.map(str::to_owned).into_iter().chain(bounds);
    table.set_header(header.chain(["inclusion".to_owned()]));
    let mut row = |name: &str, estimate: &Estimate, weight: String| {
        let cell = |number: Option<f64>, digits| {
            number.map_or_else(|| "–".to_owned(), |it| significant(it, digits))
        };
        table.add_row([
            printable(name),
            significant(estimate.coefficient, 6),
            cell(estimate.std_error, 4),
            cell(estimate.t, 4),
            estimate.p_value.map_or_else(|| "–".to_owned(), p_value),
            cell(estimate.lower, 6),
            cell(estimate.upper, 6),
            weight,
        ]);
    };
    if let Some(intercept) = &selection.intercept {
        row("(intercept)", intercept, String::new());
    }
    for it in &selection.selected {
        let own = selection.inclusion.iter().find(|own| own.name == it.name);
        let weight = own.map_or(String::new(), |own| format!("{:.3}", own.weight));
        row(&it.name, &it.estimate, weight);
    }
    if selection.intercept.is_none() && selection.selected.is_empty() {
        return "no variable was chosen\n".to_owned();
    }
    aligned(table, &[0])
}

/// A table's lines without rules, numbers to the right, the columns named to the
/// left.
pub(super) fn aligned(mut table: Table, left: &[usize]) -> String {
    table.load_style(NOTHING);
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((u16::from(at > 0), 1));
        column.set_cell_alignment(match left.contains(&at) {
            true => CellAlignment::Left,
            false => CellAlignment::Right,
        });
    }
    let mut page = String::new();
    for line in table.to_string().lines() {
        page += line.trim_end();
        page.push('\n');
    }
    page
}

fn found(selection: &Selection) -> String {
    let parameter = |name| selection.method.parameters.get(name);
    let swarm = match (parameter("particles"), parameter("iterations")) {
        (Some(particles), Some(iterations)) => {
            format!(": {particles} particles × {iterations} iterations")
        }
        _ => String::new(),
    };
    let end = match selection.termination {
        Termination::Iterations => "all iterations done".to_owned(),
        Termination::Patience => {
            format!("no better model after iteration {}", selection.iterations)
        }
        Termination::TimeLimit => format!("time limit, {} iterations done", selection.iterations),
        Termination::Interrupted => {
            format!("interrupted, {} iterations done", selection.iterations)
        }
        Termination::Fault => {
            format!(
                "ended by a failure, {} iterations done",
                selection.iterations
            )
        }
        Termination::Done => format!("{} models fitted", selection.iterations),
    };
    let on = selection.devices.join(", ") + &RankSummary::suffix(selection.rank_summary.as_ref());
    let optimum = if selection.certified {
        "No allowed addition, drop or exchange of one variable lowers the criterion."
    } else {
        "Not certified: the addition, drop or exchange of one variable may lower the criterion."
    };
    format!(
        "{optimum}\nFound by {}{swarm}, seed {}, on {on}; {end}; {} s.\n",
        selection.method.name,
        selection.seed,
        significant(selection.elapsed_seconds.total, 3),
    )
}

/// A name with its line ends and other controls made visible: a file's header
/// must not steer a terminal.
pub(super) fn printable(text: &str) -> String {
    text.chars()
        .map(|it| match it.is_control() {
            true => it.escape_default().to_string(),
            false => it.to_string(),
        })
        .collect()
}

/// A percentage with the decimals it needs.
pub(super) fn percent(number: f64) -> String {
    // The tenth decimal is far above rounding and below any level in use.
    let text = format!("{number:.10}");
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A p-value: two digits, and no pretence below 1e-16.
pub(super) fn p_value(p: f64) -> String {
    if p < 1e-16 {
        "<1e-16".to_owned()
    } else if p < 1e-4 {
        let text = format!("{p:.1e}");
        // R and everyone write two digits of exponent.
        match text.split_once("e-") {
            Some((digits, exponent)) => format!("{digits}e-{exponent:0>2}"),
            None => text,
        }
    } else {
        format!("{p:.4}")
    }
}

/// A number to so many significant digits, like C's `%g` but with the zeros
/// that say how far it is known.
pub(super) fn significant(number: f64, digits: usize) -> String {
    if number == 0.0 || !number.is_finite() {
        return number.to_string();
    }
    let scientific = format!("{number:.*e}", digits - 1);
    // The exponent after rounding: 9.9999996 is 10.0000.
    let exponent = scientific
        .split_once('e')
        .and_then(|it| it.1.parse::<i32>().ok());
    let exponent = exponent.unwrap_or(0);
    if (-5..digits as i32 + 2).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0);
        format!("{number:.*}", decimals as usize)
    } else {
        scientific
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{report::example, selection::Truth};

    #[test]
    fn the_whole_report() {
        let text = render(&example::selection(), Path::new("houses.csv"));
        assert_eq!(
            text,
            "\
data                 houses.csv
response             price
observations n       200
candidates p         1000
variables k          2
criterion            ebic:gamma=1 = -207.171682
R²                   0.800000, adjusted 0.797970
residual std. error  0.503793 with 197 degrees of freedom

warning: the size bound was reached
set aside: one (constant)

variable     coefficient  std. error       t        p      2.5 %    97.5 %  inclusion
(intercept)      1.50000      0.2500   6.000  9.0e-09    1.00698   1.99302
area            0.100000    0.003000   33.33   <1e-16  0.0940838  0.105916      1.000
a,\"b\"            -123457       50000  -2.469   0.0144    -222061  -24852.8      0.750

The p-values and intervals take the model as given beforehand; it was chosen by
looking at the same data, so they are optimistic.

The best of 2 models met; weight: exp(−Δ/2), over the sum of it for all of them.

    Δ  weight  k  beside the selection
0.000   0.750  2
2.500   0.250  2  + rooms − a,\"b\"

best met by size: 1: -167.1717, 2: -207.1717
inclusion of others: rooms 0.250

No allowed addition, drop or exchange of one variable lowers the criterion.
Found by pass: 64 particles × 256 iterations, seed 7, on cpu; all iterations done; 1.30 s.
"
        );
    }

    #[test]
    fn the_truth_is_one_line_where_the_file_has_it() {
        let mut selection = example::selection();
        // `area` and two variables that were not chosen.
        selection.truth = Truth::of(&[3, 5, 20], &selection.selected);
        let text = render(&selection, Path::new("x"));
        let line = "truth                1 of 3 true variables found: PSR 0.3333, FDR 0.5000\n";
        assert!(text.contains(line), "{text}");
    }

    #[test]
    fn what_is_not_always_there_has_a_line_of_its_own() {
        let mut selection = example::selection();
        selection.weights = Some("w\t".into());
        selection.p_total = Some(50_000);
        selection.set_level(0.999);
        let text = render(&selection, Path::new("x"));
        for part in [
            "candidates p         1000, of 50000 before screening\n",
            "     0.05 %   99.95 %  inclusion\n",
        ] {
            assert!(text.contains(part), "{text}");
        }
        assert!(
            text.contains("price\nweights              w\\t\nobservations"),
            "{text}"
        );
    }

    #[test]
    fn no_degrees_of_freedom_is_a_dash_and_no_number() {
        let mut selection = example::selection();
        selection.n = 3;
        selection.tss = 0.0;
        let text = render(&selection, Path::new("x"));
        assert!(
            text.contains("R²                   –, adjusted –\n"),
            "{text}"
        );
        assert!(text.contains("error  – with 0 degrees"), "{text}");
    }

    #[test]
    fn digits_are_significant_ones() {
        for (number, digits, text) in [
            (9.999_999_6, 6, "10.0000"),
            (123_456.789, 4, "123457"),
            (1.0e-7, 3, "1.00e-7"),
            (0.000_123_456, 3, "0.000123"),
            (0.0, 4, "0"),
            (-2.5e300, 2, "-2.5e300"),
        ] {
            assert_eq!(significant(number, digits), text);
        }
        for (p, text) in [
            (1e-17, "<1e-16"),
            (3.2e-5, "3.2e-05"),
            (1.5e-12, "1.5e-12"),
            (0.25, "0.2500"),
        ] {
            assert_eq!(p_value(p), text);
        }
    }

    #[test]
    fn a_header_cannot_steer_the_terminal() {
        let mut selection = example::selection();
        selection.selected[0].name = "a\u{1b}[31m\nb".into();
        let text = render(&selection, Path::new("x"));
        assert!(text.contains("a\\u{1b}[31m\\nb"), "{text}");
    }
}
