//! The report of a regression model as text and CSV.

use std::path::Path;

use super::{
    goodness::{facts_of_estimates, facts_of_fit},
    inference, models,
    numbers::{percent, printable, significant, when},
    proof::{self, size_bound},
    sizes,
    table::{self, Table, facts, number, probability, share, warnings},
    terms, variants,
};
use crate::nearest::list;
use crate::selection::{Estimate, RankSummary, Selection, Termination};

/// Variables set aside that are named one by one; more are only counted.
const NAMED: usize = 10;

/// The report for a reader: fit, warnings, variables, other models, how the search went.
pub(super) fn text(selection: &Selection, data: &Path) -> String {
    let mut page =
        header(selection, data) + &notes(selection) + "\n" + &variables(selection) + "\n";
    page += &variants::text(selection);
    page += &terms::text(selection);
    let mut chosen = selection.selected.iter();
    if chosen.any(|variable| variable.estimate.p_value.is_some()) {
        page += "The p-values and intervals take the model as given beforehand; it was chosen by\n\
                 looking at the same data, so they are optimistic.\n\n";
    }
    page += &sizes::text(selection);
    page += &inference::text(selection);
    if selection.selected.iter().any(|own| own.level.is_some()) {
        page += &format!(
            "{}\n\n",
            terms::of_dummies(selection).replace("coefficient is", "coefficient\nis")
        );
    }
    page + &models::text(selection) + &search(selection)
}

fn header(selection: &Selection, data: &Path) -> String {
    let criterion = &selection.criterion;
    let value = significant(criterion.value, 9);
    let mut rows = vec![
        ("data", data.display().to_string()),
        ("response", selection.response.clone()),
    ];
    rows.extend(
        selection
            .formula
            .clone()
            .map(|formula| ("formula", formula)),
    );
    rows.extend(facts_of_estimates(selection));
    let weights = selection.weights.clone();
    rows.extend(weights.map(|weights| ("weights", weights)));
    rows.extend([
        ("observations n", selection.n.to_string()),
        ("candidates p", candidates(selection)),
        ("variables k", size(selection)),
    ]);
    if !selection.kept.is_empty() {
        rows.push(("always kept", selection.kept.join(", ")));
    }
    rows.extend(references(selection).map(|levels| ("reference levels", levels)));
    let spec = criterion.spec();
    rows.push((
        "criterion",
        match &selection.cross_validation {
            None => format!("{spec} = {value}"),
            Some(choice) => format!("{spec} chose {} coefficients; misfit {value}", choice.size),
        },
    ));
    rows.extend(facts_of_fit(selection));
    rows.extend(selection.truth.as_ref().map(table::truth));
    rows.extend(table::told(&selection.numbers));
    facts(&rows)
}

/// The level that each factor's others are compared with; none where there are no factors.
pub(super) fn references(selection: &Selection) -> Option<String> {
    let factors = selection.factors.iter();
    let levels: Vec<String> = factors
        .map(|factor| match &factor.reference {
            Some(level) => format!("{}={level}", factor.name),
            None => format!("none of {}", factor.name),
        })
        .collect();
    (!levels.is_empty()).then(|| list(levels.iter().map(String::as_str)))
}

/// The number of candidates, and of those before a prescreening.
pub(super) fn candidates(selection: &Selection) -> String {
    let own = match selection.candidate_terms {
        Some(1) => format!("{} in 1 term", selection.p),
        Some(terms) => format!("{} in {terms} terms", selection.p),
        None => selection.p.to_string(),
    };
    match selection.p_total {
        Some(total) => format!("{own}, of {total} before screening"),
        None => own,
    }
}

/// The number of variables chosen, and how many could be.
fn size(selection: &Selection) -> String {
    let own = match (selection.candidate_terms, selection.terms.len()) {
        (Some(_), 1) => format!("{} in 1 term", selection.k),
        (Some(_), terms) => format!("{} in {terms} terms", selection.k),
        (None, _) => selection.k.to_string(),
    };
    match size_bound(selection) {
        Some(bound) => format!("{own}, of at most {bound} (--max-size)"),
        None => own,
    }
}

fn notes(selection: &Selection) -> String {
    let aside = &selection.set_aside;
    let mut page = String::new();
    if !(selection.warnings.is_empty() && aside.is_empty()) {
        page.push('\n');
    }
    page += &warnings(&selection.warnings);
    for variable in aside.iter().take(NAMED) {
        let (name, reason) = (printable(&variable.name), printable(&variable.reason));
        page += &format!("set aside: {name} ({reason})\n");
    }
    if let more @ 1.. = aside.len().saturating_sub(NAMED) {
        page += &format!("set aside: {more} more; the JSON report names them all\n");
    }
    page
}

/// The report of the first criterion, and those of the others.
pub(super) fn reports(first: &Selection) -> impl Iterator<Item = &Selection> {
    std::iter::once(first).chain(&first.by_other_criteria)
}

/// A row of the table of coefficients: name, index of a variable, estimate.
pub(super) type Row<'a> = (&'a str, Option<usize>, &'a Estimate);

/// The intercept, or what stands in its place, then the chosen variables.
pub(super) fn rows(selection: &Selection) -> impl Iterator<Item = Row<'_>> {
    let intercept = selection.intercept.iter();
    let intercept = intercept.map(|estimate| ("(intercept)", None, estimate));
    let constants = selection.constants.iter();
    let constants = constants.map(|own| (&*own.name, None, &own.estimate));
    let chosen = selection.selected.iter();
    let chosen = chosen.map(|own| (&*own.name, Some(own.index), &own.estimate));
    intercept.chain(constants).chain(chosen)
}

/// The table of coefficients for a reader.
pub(super) fn coefficients(selection: &Selection) -> Table<'_, Row<'_>> {
    let tail = 50.0 * (1.0 - selection.level);
    let family = selection.family.as_ref();
    let has_z = family.is_some_and(|own| own.has_normal_tests());
    let ratio = family.and_then(|own| own.ratio.as_deref());
    Table::of(rows(selection))
        .column("variable", |row| table::text(row.0))
        .column("coefficient", |row| number(row.2.coefficient, 6))
        .column("std. error", |row| number(row.2.std_error, 4))
        .column(if has_z { "z" } else { "t" }, |row| {
            number(row.2.z.or(row.2.t), 4)
        })
        .column("p", |row| probability(row.2.p_value))
        .column_if(selection.adjusted.is_some(), "p adj.", |row| {
            row.1
                .map_or(table::text(""), |_| probability(row.2.p_adjusted))
        })
        .column(percent(tail), |row| number(row.2.lower, 6))
        .column(percent(100.0 - tail), |row| number(row.2.upper, 6))
        .column_if(ratio.is_some(), ratio.unwrap_or_default(), |row| {
            row.1.map_or(table::text(""), |_| number(row.2.ratio, 4))
        })
        .column_if(ratio.is_some(), percent(tail), |row| {
            row.1
                .map_or(table::text(""), |_| number(row.2.ratio_lower, 4))
        })
        .column_if(ratio.is_some(), percent(100.0 - tail), |row| {
            row.1
                .map_or(table::text(""), |_| number(row.2.ratio_upper, 4))
        })
}

/// The inclusion weight of a variable.
pub(super) fn inclusion(selection: &Selection, row: &Row) -> Option<f64> {
    let mut weights = selection.inclusion.iter();
    let term = selection.term_of(row.0);
    let own = weights.find(|weight| row.1.is_some() && weight.name == term);
    own.map(|own| own.weight)
}

fn variables(selection: &Selection) -> String {
    if rows(selection).next().is_none() {
        return "no variable was chosen\n".to_owned();
    }
    coefficients(selection)
        .column("inclusion", |row| {
            inclusion(selection, row).map_or(table::text(""), share)
        })
        .aligned(&[0])
}

fn search(selection: &Selection) -> String {
    let end = when(selection.termination == Termination::Fault, "ended ").to_owned();
    let end = end + &ended(selection);
    let elapsed = selection.elapsed_seconds;
    let seconds = format!("; {} s", significant(elapsed.total, 3));
    format!(
        "{}\nFound by {}, seed {}, on {}{}; {end}{}.\n",
        proof::certainty(selection).join("\n"),
        method(selection),
        selection.seed,
        selection.devices.join(", "),
        RankSummary::suffix(&selection.rank_summary),
        when(!elapsed.is_unknown(), &seconds),
    )
}

/// The method, with the size of its swarm where it has one.
pub(super) fn method(selection: &Selection) -> String {
    let method = &selection.method;
    match (method.number("particles"), method.number("iterations")) {
        (Some(particles), Some(iterations)) => {
            let name = &method.name;
            format!("{name}: {particles} particles × {iterations} iterations")
        }
        _ => method.spec_of_plugin(),
    }
}

/// Why the search ended, in a few words.
pub(super) fn ended(selection: &Selection) -> String {
    let done = selection.iterations;
    match selection.termination {
        Termination::Iterations => "all iterations done".to_owned(),
        Termination::Patience => format!("no better model after iteration {done}"),
        Termination::TimeLimit => format!("time limit, {done} iterations done"),
        Termination::Interrupted => format!("interrupted, {done} iterations done"),
        Termination::Fault => format!("by a failure, {done} iterations done"),
        Termination::Done => format!("{done} model{} fitted", when(done != 1, "s")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        report::example,
        selection::{GoodnessOfFit, Truth},
        table::TrueVariable,
    };

    #[test]
    fn the_whole_report() {
        let text = text(&example::selection(), Path::new("houses.csv"));
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
F statistic          394.0 on 2 and 197 df, p <2e-16
log-likelihood       -145.15827 with 4 parameters, σ among them

warning: the size bound was reached
set aside: one (constant)

variable     coefficient  std. error       t         p      2.5 %    97.5 %  inclusion
(intercept)      1.50000      0.2500   6.000  9.00e-09    1.00698   1.99302
area            0.100000    0.003000   33.33    <2e-16  0.0940838  0.105916      1.000
a,\"b\"            -123457       50000  -2.469    0.0144    -222061  -24852.8      0.750

The p-values and intervals take the model as given beforehand; it was chosen by
looking at the same data, so they are optimistic.

The best of 2 models met; weight: exp(−Δ/2), over the sum of it for all of them.

    Δ  weight  k  beside the selection
0.000   0.750  2
2.500   0.250  2  + rooms − a,\"b\"

best met by size: 1: -167.1717, 2: -207.1717
inclusion of others: rooms 0.250
inclusion: the weight of the models met that contain the variable; these are the best ones,
so it lies nearer to 0 and 1 than over all models

No allowed addition, drop or exchange of one variable lowers the criterion.
Found by pass: 64 particles × 256 iterations, seed 7, on cpu; all iterations done; 1.30 s.
"
        );
    }

    #[test]
    fn what_is_not_always_there_has_a_line_of_its_own() {
        type Change = fn(&mut Selection);
        fn marked(index: usize) -> TrueVariable {
            let name = format!("x{index}");
            TrueVariable { name, index }
        }
        let cases: [(Change, &[&str]); 6] = [
            // `area` and two variables that were not chosen.
            (
                |own| own.truth = Truth::of(&[marked(3), marked(5), marked(20)], vec![3, 17]),
                &[
                    "truth                1 of 3 true variables found: PSR 0.3333, FDR 0.5000; missed: x5, x20\n",
                ],
            ),
            (
                |own| own.weights = Some("w\t".into()),
                &["price\nweights              w\\t\nobservations"],
            ),
            (
                |own| own.p_total = Some(50_000),
                &["candidates p         1000, of 50000 before screening\n"],
            ),
            (
                |own| own.set_level(0.999),
                &["     0.05 %   99.95 %  inclusion\n"],
            ),
            // No degrees of freedom: a dash and no number.
            (
                |own| own.goodness = GoodnessOfFit::default(),
                &[
                    "R²                   –, adjusted –\n",
                    "error  – with 0 degrees",
                ],
            ),
            // A header cannot steer the terminal.
            (
                |own| own.selected[0].name = "a\u{1b}[31m\nb".into(),
                &["a\\u{1b}[31m\\nb"],
            ),
        ];
        for (change, parts) in cases {
            let mut selection = example::selection();
            change(&mut selection);
            let text = text(&selection, Path::new("x"));
            assert!(
                parts.iter().all(|part| text.contains(part)),
                "{parts:?} in {text}"
            );
        }
    }

    #[test]
    fn fields_stand_where_the_contract_says_and_numbers_come_back() {
        let mut selection = example::selection();
        selection.rss = 0.1 + 0.2;
        let text = crate::report::json(&selection);
        assert!(text.ends_with("}\n"));
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["method"]["name"], "pass");
        assert_eq!(json["criterion"]["gamma"], 1.0);
        assert_eq!(json["selected"][1]["index"], 17);
        assert_eq!(json["rss"].as_f64(), Some(0.1 + 0.2));
        assert_eq!(json["set_aside"][0]["reason"], "constant");
    }
}
