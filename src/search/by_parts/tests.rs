//! Searches of formulas by parts, beside those of all terms at once.

use std::time::Instant;

use std::sync::atomic::AtomicBool;

use super::{parts::Parts, wide_pass, *};
use crate::{
    design::{FormulaOptions, Hierarchy},
    formula::Formula,
    least_squares::Fit,
    random::Stream,
    search::{Checkpoint, Objective, search},
    selection::{Certificate, Termination},
    table::Table,
};
use passel_criteria::Ebic;

/// Counts candidate terms: of a part those of the whole formula.
const CRITERION: Ebic = Ebic { gamma: 1.0 };

/// A factor, numbers, and a response with interactions; one column is the product of two others.
fn table(seed: u64, variables: usize) -> Table {
    let n = 90;
    let mut stream = Stream::new(seed, 0);
    let mut draw = || (stream.next_word() >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
    let mut columns: Vec<Vec<f64>> = (0..variables)
        .map(|_| (0..n).map(|_| draw()).collect())
        .collect();
    let copy = (0..n).map(|i| columns[0][i] * columns[1][i]).collect();
    columns.push(copy);
    let level = |i: usize| i * 7 % 3;
    let y: Vec<f64> = (0..n)
        .map(|i| {
            let x = |j: usize| columns[j][i];
            let by_level = [0.0, 2.0, -1.0][level(i)] * x(3);
            x(0) + x(1)
                + 4.0 * x(0) * x(1)
                + by_level
                + 3.0 * x(2) * x(4)
                + 0.5 * x(2)
                + 0.4 * draw()
        })
        .collect();
    let levels: Vec<&str> = (0..n).map(|i| ["a", "b", "c"][level(i)]).collect();
    let named = columns.into_iter().enumerate();
    let mut named: Vec<(String, crate::table::Values)> = named
        .map(|(j, values)| (format!("x{j}"), values.into()))
        .collect();
    named.push(("g".to_owned(), levels.into()));
    named.push(("y".to_owned(), y.into()));
    Table::from_columns(named).unwrap()
}

fn options(hierarchy: Hierarchy) -> FormulaOptions<'static> {
    FormulaOptions {
        hierarchy,
        ..FormulaOptions::default()
    }
}

fn parts<'a>(
    design: &'a Design,
    pass: &Pass,
    columns: usize,
    resources: &'a Resources,
    interrupt: &'a Interrupt,
) -> Parts<'a> {
    Parts {
        first: design,
        wide: &design.wide().unwrap().of,
        criterion: &CRITERION,
        pass: wide_pass(design, pass).unwrap(),
        resources,
        interrupt,
        columns,
        fewest: 3,
        began: Instant::now(),
    }
}

/// The labels of the best model, ascending.
fn labels(design: &Design, found: &SearchResult) -> Vec<String> {
    let terms = found.fit.terms().iter();
    let mut labels: Vec<String> = terms
        .map(|term| design.term_name(*term).to_owned())
        .collect();
    labels.sort();
    labels
}

#[test]
fn parts_find_what_a_search_of_all_terms_finds() {
    let formula = Formula::parse("y ~ (.)^2 + log(x0 + 1) - x5:x6").unwrap();
    let (resources, never) = (Resources::cpu(1), Interrupt::default());
    let mut as_good = 0;
    for (seed, hierarchy) in
        (0..4).flat_map(|seed| [(seed, Hierarchy::Strong), (seed, Hierarchy::Weak)])
    {
        let options = options(hierarchy);
        let table = table(seed, 12);
        // The product of two columns is another, which is set aside where all terms are made.
        let all_terms = FormulaOptions {
            p_total: Some(15 + 14 * 13 / 2 - 1),
            ..options.clone()
        };
        let whole = Design::from_formula(table.clone(), &formula, &all_terms).unwrap();
        let pass = Pass {
            particles: 16,
            iterations: 60,
            ..Pass::default()
        };
        let all = search(
            &whole,
            &CRITERION,
            &pass,
            &resources,
            &never,
            None,
            &mut |_| {},
        )
        .unwrap();
        let first = Design::first_part(table, &formula, &options).unwrap();
        assert_eq!(Some(first.candidate_terms()), all_terms.p_total);
        for columns in [40, 100_000] {
            let mut designs = std::collections::BTreeSet::new();
            let mut observe = |design: &Design, _: &IterationRecord| {
                designs.insert(design.p());
            };
            let search = parts(&first, &pass, columns, &resources, &never);
            let (part, found) = search.run(None, &mut observe).unwrap();
            let part = part.unwrap();
            let of = (seed, hierarchy, columns, &found.notes);
            assert_eq!(found.certified, Some(Certificate::Local), "{of:?}");
            assert_eq!(found.termination, Termination::Iterations);
            assert!(designs.len() > 1, "{designs:?}");
            let is_same = (found.value - all.value).abs() < 1e-9;
            as_good += usize::from(is_same || found.value < all.value);
            if is_same {
                assert_eq!(labels(&part, &found), labels(&whole, &all));
                let [own, expected] = [(&found, &part), (&all, &whole)].map(|(found, design)| {
                    let report = found.selection(design, &CRITERION, &pass);
                    let means = report.marginal_means.iter();
                    let means = means.map(|own| (own.level.clone(), (1e7 * own.mean).round()));
                    (means.collect::<Vec<_>>(), (1e7 * report.rss).round())
                });
                assert_eq!(own, expected);
            }
            assert_local(&whole, &labels(&part, &found), &found);
            // What a report says of the terms is the whole formula's.
            let report = found.selection(&part, &CRITERION, &pass);
            assert_eq!(report.candidate_terms, Some(first.candidate_terms()));
            assert_eq!(report.formula.as_deref(), whole.formula());
        }
    }
    assert!(as_good >= 15, "{as_good} of 16");
}

/// No interaction of a main effect of the model, with what it needs, improves it.
fn assert_local(whole: &Design, labels: &[String], found: &SearchResult) {
    let value = found.value;
    let x = whole.columns();
    let term =
        |label: &str| (0..x.term_count() as u32).find(|term| whole.term_name(*term) == label);
    let members: Vec<u32> = labels.iter().map(|label| term(label).unwrap()).collect();
    let undefined = AtomicBool::new(false);
    let objective = Objective::new(whole, &CRITERION, &undefined).unwrap();
    let own = objective.of_fit(&Fit::of(x, whole.y(), &members).0);
    assert!((own - value).abs() < 1e-9 * own.abs());
    let terms = x.terms().unwrap();
    for term in 0..x.term_count() as u32 {
        let near = terms
            .parents(term)
            .iter()
            .any(|parent| members.contains(parent));
        if members.contains(&term) || !(near || terms.parents(term).is_empty()) {
            continue;
        }
        let mut larger = terms.missing(term, &members, |parent| members.contains(&parent));
        larger.extend(members.iter().copied().chain([term]));
        larger.sort_unstable();
        let (fit, _) = Fit::of(x, whole.y(), &larger);
        if fit.support().len() > found.max_size {
            continue;
        }
        let after = objective.of_fit(&fit);
        assert!(
            after >= value - 1e-9,
            "{} improves {labels:?}",
            whole.term_name(term)
        );
    }
}

#[test]
fn a_search_by_parts_that_is_cut_anywhere_goes_on_as_if_it_were_not() {
    let formula = Formula::parse("y ~ .^2").unwrap();
    let options = options(Hierarchy::Strong);
    let first = Design::first_part(table(3, 5), &formula, &options).unwrap();
    let pass = Pass {
        particles: 4,
        iterations: 6,
        islands: 2,
        ..Pass::default()
    };
    let resources = Resources::cpu(1);
    let report = |interrupt: &Interrupt, kept: &mut Option<String>| {
        let resume_from = kept.as_deref().map(|text| Checkpoint::read(text).unwrap());
        let mut write = |text: &str| {
            *kept = Some(text.to_owned());
            Ok(())
        };
        let checkpointing = Checkpointing {
            resume_from,
            write: &mut write,
        };
        let search = parts(&first, &pass, 25, &resources, interrupt);
        let (part, found) = search.run(Some(checkpointing), &mut |_, _| {}).unwrap();
        let design = part.as_ref().unwrap_or(&first);
        let mut selection = found.selection(design, &CRITERION, &pass);
        selection.elapsed_seconds = Default::default();
        let text = serde_json::to_string(&selection).unwrap();
        (found.termination, text)
    };
    let (_, expected) = report(&Interrupt::default(), &mut None);
    assert!(expected.contains("\"certified\":\"local\""), "{expected}");
    let mut cuts = 0;
    for look in (1..).step_by(131) {
        let mut kept = None;
        let (termination, _) = report(&Interrupt::at_look(look), &mut kept);
        if termination != Termination::Interrupted {
            break;
        }
        cuts += 1;
        let (_, text) = report(&Interrupt::default(), &mut kept);
        assert_eq!(text, expected, "look {look}");
    }
    assert!(cuts > 5, "{cuts}");
}

#[test]
fn kept_interactions_are_in_every_part_and_what_needs_all_terms_is_refused() {
    let formula = Formula::parse("y ~ .^2").unwrap();
    let keep = ["x5:g".to_owned(), "x6".to_owned()];
    let options = FormulaOptions {
        keep: &keep,
        ..options(Hierarchy::Strong)
    };
    let first = Design::first_part(table(4, 8), &formula, &options).unwrap();
    let (resources, never, pass) = (Resources::cpu(1), Interrupt::default(), Pass::default());
    let search_parts = parts(&first, &pass, 60, &resources, &never);
    let (part, found) = search_parts.run(None, &mut |_, _| {}).unwrap();
    let own = labels(&part.unwrap(), &found);
    for label in ["x5", "x5:g", "x6", "g"] {
        assert!(own.iter().any(|own| own == label), "{own:?}");
    }
    let refused = search(
        &first,
        &CRITERION,
        &pass,
        &resources,
        &never,
        None,
        &mut |_| {},
    );
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("55 terms"), "{refused}");
    let cp = passel_criteria::Cp;
    let refused = search_by_parts(&first, &cp, &pass, &resources, &never, None, &mut |_, _| {});
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("error variance"), "{refused}");
}
