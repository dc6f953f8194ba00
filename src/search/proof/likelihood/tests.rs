//! Branch and bound beside fits of all subsets.

use std::sync::atomic::AtomicBool;

use passel_criteria::{Aic, Bic, Criterion, Ebic};

use super::{
    super::{best::BestModels, tests::prove_observed, *},
    bounds::Bounds,
};
use crate::{
    design::{Columns, Design, FormulaOptions, Hierarchy, ResponseOptions},
    device::tests::bounds::{columns, likelihood},
    family::{Distribution, Family, FamilyFit, FamilyResponse, FitStatus, Likelihood},
    formula::Formula,
    interrupt::Interrupt,
    least_squares::Fit,
    random::Stream,
    search::{fit_kept, problem::Objective, settings::Pass},
    table::Table,
};

/// Correlated numbers, a factor of three levels and a response of some of them.
fn design(seed: u64, hierarchy: Hierarchy) -> Option<Design> {
    let mut stream = Stream::new(seed, 31);
    let mut draw = || ((stream.next_word() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    let distribution = [
        Distribution::Binomial,
        Distribution::Poisson,
        Distribution::Gamma,
        Distribution::NegativeBinomial,
    ][(seed % 4) as usize];
    let n = 40 + (seed % 30) as usize;
    let shared: Vec<f64> = (0..n).map(|_| draw()).collect();
    let names = ["a", "b", "c", "d", "e"];
    let x: Vec<Vec<f64>> = names
        .iter()
        .map(|_| shared.iter().map(|own| own + 1.5 * draw() - 1.0).collect())
        .collect();
    let effects: Vec<f64> = names.iter().map(|_| (3.0 * draw()).floor() - 1.0).collect();
    let levels: Vec<String> = (0..n).map(|row| format!("l{}", row % 3)).collect();
    let y: Vec<f64> = (0..n)
        .map(|row| {
            let eta: f64 = x.iter().zip(&effects).map(|(x, b)| b * x[row]).sum();
            let scale = -(1.0 - draw()).ln();
            match distribution {
                Distribution::Binomial => f64::from(u8::from(draw() < 1.0 / (1.0 + (-eta).exp()))),
                Distribution::Gamma => (0.5 * eta).exp() * scale,
                _ => ((0.8 + 0.5 * eta).exp() * scale).floor(),
            }
        })
        .collect();
    let named = names.iter().zip(x);
    let named = named.map(|(name, values)| ((*name).to_owned(), values.into()));
    let others = [("f".to_owned(), levels.into()), ("y".to_owned(), y.into())];
    let table = Table::from_columns(named.chain(others)).unwrap();
    let formula = [
        "y ~ a + b + c + d + e + f",
        "y ~ (a + b + c)^2 + d + e",
        "y ~ a * f + b + c:d + e",
        "y ~ a + b + c + d + e",
        "y ~ a + b + c + d + e - 1",
        "y ~ a + b * c + d + offset(e) + f",
    ][(seed / 4 % 6) as usize];
    let keep = match seed % 3 {
        0 => vec!["b".to_owned()],
        _ => Vec::new(),
    };
    let options = FormulaOptions {
        hierarchy,
        keep: &keep,
        kind: ResponseOptions {
            family: Family::new(distribution, None).unwrap(),
            ..ResponseOptions::default()
        },
        ..FormulaOptions::default()
    };
    let formula = Formula::parse(formula).unwrap();
    Design::from_formula(table, &formula, &options).ok()
}

/// The models of lowest φ among all subsets that a hierarchy allows; none where a fit does not converge.
fn best_of_all(problem: &SearchProblem) -> Option<BestModels> {
    let SearchProblem { x, y, keep, .. } = *problem;
    let count = x.term_count() as u32;
    let mut best: Option<BestModels> = None;
    for mask in 0u32..1 << count {
        let members: Vec<u32> = (0..count).filter(|term| mask >> term & 1 == 1).collect();
        let is_admitted = |term: &u32| {
            x.terms()
                .is_none_or(|terms| terms.admits(*term, &members, None))
        };
        if !keep.iter().all(|term| members.contains(term)) || !members.iter().all(is_admitted) {
            continue;
        }
        let (fit, _) = Fit::of(x, y, &members);
        if fit.support().len() > problem.max_size {
            continue;
        }
        if fit.family().map(FamilyFit::status) == Some(FitStatus::NotConverged) {
            return None;
        }
        let model = VisitedModel {
            value: problem.objective.of_fit(&fit),
            members: members.into(),
        };
        match &mut best {
            Some(best) => {
                best.offer(model);
            }
            None => best = Some(BestModels::new(model)),
        }
    }
    best
}

/// With factors, interactions, hierarchies and kept terms, by any number of threads, the best of all models is found from
/// the smallest one on, and the bounds shown before are none of them above it.
#[test]
fn no_model_is_better_than_what_branch_and_bound_proves() {
    let (mut proved, mut waves) = (0, 0);
    for seed in 0..96 {
        let rule = [Hierarchy::Strong, Hierarchy::Weak, Hierarchy::None][(seed / 24 % 3) as usize];
        let Some(design) = design(seed, rule) else {
            continue;
        };
        let pass = Pass {
            max_size: seed.is_multiple_of(5).then_some(4),
            start_size: 0,
            ..Pass::default()
        };
        let Ok(fitted) = fit_kept(&design, &pass) else {
            continue;
        };
        let criteria: [&dyn Criterion; 3] = [&Aic, &Bic, &Ebic { gamma: 1.0 }];
        let undefined = AtomicBool::new(false);
        let criterion = criteria[(seed % 3) as usize];
        let objective = Objective::new(&design, criterion, &undefined).unwrap();
        let problem = SearchProblem::new(objective, &pass, &fitted);
        let Some(best) = best_of_all(&problem) else {
            continue;
        };
        let what = format!("seed {seed}, {rule:?}");
        let prove = |threads: usize| {
            let mut records = Vec::new();
            let interrupt = Interrupt::default();
            let end = prove_observed(problem, threads, None, &interrupt, &mut |record| {
                records.push(record.proof.unwrap());
            });
            (end.unwrap(), records)
        };
        let (end, records) = prove(1);
        let proof = end.proof.unwrap();
        assert!(
            proof.complete && proof.gap == Some(0.0),
            "{what}: {proof:?}"
        );
        assert_eq!(end.certified, Some(Certificate::Global), "{what}");
        assert_eq!(end.members, &*best.first().members, "{what}");
        assert_eq!(proof.ties, best.models.len() - 1, "{what}");
        let (lowest, _) = best.target();
        for record in &records {
            assert!(record.bound <= lowest + 1e-9 * lowest.abs(), "{what}");
        }
        let by_three = crate::threads::pool(3).unwrap().install(|| prove(3));
        assert_eq!(by_three.1, records, "{what}");
        proved += 1;
        waves += records.len();
    }
    assert!(proved >= 80 && waves > 2 * proved, "{proved} {waves}");
}

/// Interrupted, a proof tells a gap that holds.
#[test]
fn a_gap_of_losses_holds() {
    for seed in [4, 5, 8] {
        let design = design(seed, Hierarchy::Strong).unwrap();
        let pass = Pass::default();
        let fitted = fit_kept(&design, &pass).unwrap();
        let undefined = AtomicBool::new(false);
        let objective = Objective::new(&design, &Aic, &undefined).unwrap();
        let problem = SearchProblem::new(objective, &pass, &fitted);
        let (lowest, _) = best_of_all(&problem).unwrap().target();
        for after in 1..3 {
            let interrupt = Interrupt::default();
            let (mut records, mut value) = (0, f64::NAN);
            let end = prove_observed(problem, 1, None, &interrupt, &mut |record| {
                records += 1;
                value = record.best_value;
                if records == after {
                    interrupt.request();
                }
            });
            let proof = end.unwrap().proof.unwrap();
            assert!(!proof.complete, "{seed} {after}");
            let gap = proof.gap.unwrap();
            assert!(
                value - gap <= lowest + 1e-9 * lowest.abs(),
                "{seed} {after}"
            );
        }
    }
}

/// 20,000 models that lack terms: none has a lower loss than its bound, which is near it where the terms do little.
#[test]
fn no_model_without_terms_has_a_lower_loss_than_its_bound() {
    let mut stream = Stream::new(31, 7);
    let mut draw = || ((stream.next_word() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    let (mut checked, mut tight, mut positive) = (0, 0, 0);
    for round in 0..2000 {
        let (n, p) = (30 + round % 50, 3 + round % 4);
        let x = columns(&mut draw, n, p);
        let likelihood = likelihood(&mut draw, round, &x, n);
        let all = Columns::new(&x, n).with_likelihood(Some(&likelihood));
        let members: Vec<u32> = (0..p as u32).collect();
        let (fit, _) = Fit::of(all, likelihood.scores(), &members);
        let Some(bounds) = Bounds::of(all, &fit) else {
            continue;
        };
        let mut leaving: Vec<Vec<u32>> = members.iter().map(|j| vec![*j]).collect();
        leaving.extend([vec![0, 1], vec![2, 1], members.clone()]);
        for leaving in leaving {
            let mut without = fit.clone();
            without.drop_all(all, &leaving);
            if without.family().unwrap().status() != FitStatus::Converged {
                continue;
            }
            let bound = bounds.loss_without(&leaving);
            let (rise, promised) = (without.rss() - fit.rss(), bound - fit.rss());
            assert!(
                promised <= rise + 1e-11,
                "{round} {leaving:?}: {promised} {rise}"
            );
            checked += 1;
            positive += usize::from(promised > 0.5 * rise);
            tight += usize::from(promised > 0.98 * rise);
        }
    }
    assert!(checked > 10_000, "{checked}");
    assert!(
        10 * positive > 9 * checked && 2 * tight > checked,
        "{positive} {tight} {checked}"
    );
}

/// A column that another one explains where the weights are, and only there: a bound by a factor without it would be one of
/// other columns.
#[test]
fn columns_that_the_weights_make_dependent_have_no_bound() {
    let mut stream = Stream::new(37, 1);
    let mut draw = || ((stream.next_word() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    let n = 100;
    let mut x = columns(&mut draw, n, 3);
    for row in 0..n / 2 {
        x[2 * n + row] = x[row] - x[n + row];
    }
    let family = Family::new(Distribution::Poisson, None).unwrap();
    let offset: Vec<f64> = (0..n)
        .map(|row| if row < n / 2 { 0.0 } else { -60.0 })
        .collect();
    let y: Vec<f64> = (0..n)
        .map(|row| match row < n / 2 {
            true => (1.0 + 3.0 * x[2 * n + row]).exp().round(),
            false => 0.0,
        })
        .collect();
    let response = FamilyResponse::new(family, &y, &[], &[], &offset).unwrap();
    let likelihood = Likelihood::new(response, true).unwrap();
    let all = Columns::new(&x, n).with_likelihood(Some(&likelihood));
    let (fit, _) = Fit::of(all, likelihood.scores(), &[0, 1, 2]);
    for leaving in [[0], [1]] {
        let mut without = fit.clone();
        without.drop_all(all, &leaving);
        let rise = without.rss() - fit.rss();
        let promised =
            Bounds::of(all, &fit).map_or(0.0, |own| own.loss_without(&leaving) - fit.rss());
        assert!(promised <= rise + 1e-10, "{promised} {rise}");
    }
}
