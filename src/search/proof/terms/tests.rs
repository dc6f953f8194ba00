use std::sync::atomic::AtomicBool;

use passel_criteria::{ALL, Criterion, Model};

use super::super::{best::BestModels, tests::prove_observed, *};
use crate::{
    design::{Design, FormulaOptions, Hierarchy},
    formula::Formula,
    interrupt::Interrupt,
    random::Stream,
    search::{fit_kept, problem::Objective, settings::Pass},
    table::Table,
};

struct Draw(Stream);

impl Draw {
    fn uniform(&mut self) -> f64 {
        (self.0.next_word() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, count: usize) -> usize {
        (self.uniform() * count as f64) as usize
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// A variable: its sum contrasts, or its numbers.
enum Variable {
    Factor(Vec<usize>),
    Numbers(Vec<f64>),
}

impl Variable {
    fn columns(&self) -> Vec<Vec<f64>> {
        match self {
            Self::Numbers(numbers) => vec![numbers.clone()],
            Self::Factor(codes) => {
                let levels = codes.iter().max().unwrap() + 1;
                let is = |level: usize| {
                    codes
                        .iter()
                        .map(move |code| f64::from(*code == level) - f64::from(*code == 0))
                };
                (1..levels).map(|level| is(level).collect()).collect()
            }
        }
    }
}

/// Variables `a`, `b`, … of which some are factors, nested in others or crossed with them with empty cells,
/// some of their products, and a response of some of both.
struct Problem {
    variables: Vec<Variable>,
    formula: String,
    y: Vec<f64>,
}

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

impl Problem {
    fn random(seed: u64) -> Self {
        let mut draw = Draw(Stream::new(seed, 12));
        let n = 30 + draw.below(40);
        let count = 2 + draw.below(3);
        let mut variables: Vec<Variable> = Vec::new();
        for at in 0..count {
            let before = variables.iter().find_map(|own| match own {
                Variable::Factor(codes) if codes.iter().max() > Some(&2) => Some(codes.clone()),
                _ => None,
            });
            variables.push(match (draw.below(6), before) {
                // Coarser than another factor.
                (0, Some(codes)) => Variable::Factor(codes.iter().map(|code| code / 2).collect()),
                // Explained by another factor.
                (1, Some(codes)) => {
                    Variable::Numbers(codes.iter().map(|code| (*code as f64).sin()).collect())
                }
                // Tied to another factor, so that cells are empty.
                (2, Some(codes)) => Variable::Factor(
                    codes
                        .iter()
                        .map(|code| if *code == 0 { 0 } else { draw.below(2) })
                        .collect(),
                ),
                (3, _) if at > 0 => Variable::Numbers((0..n).map(|_| draw.normal()).collect()),
                _ => {
                    let levels = 2 + draw.below(4);
                    let code = |row: usize| {
                        if row < levels {
                            row
                        } else {
                            draw.below(levels)
                        }
                    };
                    Variable::Factor((0..n).map(code).collect())
                }
            });
        }
        let mut terms: Vec<String> = NAMES[..count]
            .iter()
            .map(|name| (*name).to_owned())
            .collect();
        for (at, a) in NAMES[..count].iter().enumerate() {
            for b in &NAMES[at + 1..count] {
                if terms.len() < 8 && draw.below(3) > 0 {
                    terms.push(format!("{a}:{b}"));
                }
            }
        }
        // Without all its parts R codes it otherwise than by contrasts.
        let has = |name: &str| terms.iter().any(|term| term == name);
        if terms.len() < 8 && has("a:b") && has("a:c") && has("b:c") {
            terms.push("a:b:c".to_owned());
        }
        let mut problem = Self {
            variables,
            formula: format!("y ~ {}", terms.join(" + ")),
            y: vec![0.0; n],
        };
        let mut y: Vec<f64> = (0..n).map(|_| draw.normal()).collect();
        for term in &terms {
            for column in problem.columns(term) {
                let effect = if draw.below(3) == 0 {
                    draw.normal()
                } else {
                    0.0
                };
                y.iter_mut().zip(column).for_each(|(y, x)| *y += effect * x);
            }
        }
        problem.y = y;
        problem
    }

    fn table(&self) -> Table {
        let named = NAMES.iter().zip(&self.variables).map(|(name, variable)| {
            let values: crate::table::Values = match variable {
                Variable::Numbers(numbers) => numbers.clone().into(),
                Variable::Factor(codes) => {
                    let text: Vec<String> = codes.iter().map(|code| format!("l{code}")).collect();
                    text.into()
                }
            };
            ((*name).to_owned(), values)
        });
        Table::from_columns(named.chain([("y".to_owned(), self.y.clone().into())])).unwrap()
    }

    /// The columns of a term, such as `a:c`: products of those of its variables.
    fn columns(&self, term: &str) -> Vec<Vec<f64>> {
        let mut columns = vec![vec![1.0; self.y.len()]];
        for name in term.split(':') {
            let at = NAMES.iter().position(|own| *own == name).unwrap();
            let own = self.variables[at].columns();
            let product =
                |x: &Vec<f64>, z: &Vec<f64>| x.iter().zip(z).map(|(x, z)| x * z).collect();
            let all = columns
                .iter()
                .flat_map(|x| own.iter().map(move |z| product(x, z)));
            columns = all.collect();
        }
        columns
    }

    /// RSS and rank beside the intercept, by orthogonalisation.
    fn fit(&self, model: &[&str]) -> (f64, usize) {
        let inner = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let mut rest = self.y.clone();
        let ones = vec![1.0; self.y.len()];
        let columns = model.iter().flat_map(|term| self.columns(term));
        for mut column in [ones].into_iter().chain(columns) {
            let before = inner(&column, &column).sqrt();
            for unit in basis.iter().chain(&basis) {
                let along = inner(unit, &column);
                column
                    .iter_mut()
                    .zip(unit)
                    .for_each(|(v, u)| *v -= along * u);
            }
            let norm = inner(&column, &column).sqrt();
            if norm > 1e-8 * before.max(1e-300) {
                column.iter_mut().for_each(|v| *v /= norm);
                let along = inner(&column, &rest);
                rest.iter_mut()
                    .zip(&column)
                    .for_each(|(v, u)| *v -= along * u);
                basis.push(column);
            }
        }
        (inner(&rest, &rest), basis.len() - 1)
    }
}

fn is_admitted(model: &[&str], all: &[&str], rule: Hierarchy) -> bool {
    let has = |whole: &str, part: &str| {
        let whole: Vec<&str> = whole.split(':').collect();
        let part: Vec<&str> = part.split(':').collect();
        part.len() < whole.len() && part.iter().all(|name| whole.contains(name))
    };
    model.iter().all(|term| {
        let mut parents = all.iter().filter(|other| has(term, other)).peekable();
        match rule {
            Hierarchy::Strong => parents.all(|own| model.contains(own)),
            Hierarchy::Weak => parents.peek().is_none() || parents.any(|own| model.contains(own)),
            Hierarchy::None => true,
        }
    })
}

/// A model: its terms, RSS and parameters.
struct Allowed(Vec<u32>, f64, usize);

/// All allowed models, from the definition: those that additions make of the kept terms, each of a term that
/// the model does not explain.
fn allowed(
    problem: &Problem,
    all: &[&str],
    keep: &[u32],
    rule: Hierarchy,
    largest: usize,
) -> Vec<Allowed> {
    let mut fits: Vec<Option<Allowed>> = Vec::new();
    for mask in 0usize..1 << all.len() {
        let members: Vec<u32> = (0..all.len() as u32)
            .filter(|at| mask >> at & 1 == 1)
            .collect();
        let names: Vec<&str> = members.iter().map(|at| all[*at as usize]).collect();
        if !keep.iter().all(|term| members.contains(term)) || !is_admitted(&names, all, rule) {
            fits.push(None);
            continue;
        }
        let (rss, rank) = problem.fit(&names);
        let mut without = members.iter().filter(|term| !keep.contains(term));
        let is_reachable = members.len() == keep.len()
            || without.any(|term| {
                let other: &Option<Allowed> = &fits[mask & !(1 << term)];
                other.as_ref().is_some_and(|own| own.2 < rank)
            });
        let is_allowed = is_reachable && rank <= largest;
        fits.push(is_allowed.then_some(Allowed(members, rss, rank)));
    }
    fits.into_iter().flatten().collect()
}

#[derive(Default)]
struct Counts {
    proved: usize,
    refused: usize,
    tied: usize,
    nodes: u64,
}

/// Proves by enumeration and by branch and bound, by every criterion.
fn check(seed: u64, rule: Hierarchy, counts: &mut Counts) {
    let problem = Problem::random(seed);
    let keep: Vec<String> = match seed % 4 {
        0 => vec!["b".to_owned()],
        _ => Vec::new(),
    };
    let options = FormulaOptions {
        hierarchy: rule,
        keep: &keep,
        ..FormulaOptions::default()
    };
    let formula = Formula::parse(&problem.formula).unwrap();
    let Ok(design) = Design::from_formula(problem.table(), &formula, &options) else {
        return;
    };
    if design.columns().terms().is_none() {
        return;
    }
    let names: Vec<&str> = (0..design.columns().term_count() as u32)
        .map(|term| design.term_name(term))
        .collect();
    let pass = Pass {
        max_size: seed.is_multiple_of(7).then_some(7.min(design.p())),
        start_size: 0,
        ..Pass::default()
    };
    let Ok(fitted) = fit_kept(&design, &pass) else {
        return;
    };
    let all = allowed(&problem, &names, design.keep(), rule, fitted.0);
    let kept: Vec<&str> = design
        .keep()
        .iter()
        .map(|term| names[*term as usize])
        .collect();
    let kept_rank = problem.fit(&kept).1;
    let (rss, rank) = problem.fit(&names);
    let n = problem.y.len();
    // A quarter of the criteria, by turns.
    for (_, entry) in (seed..).zip(ALL).filter(|(turn, _)| turn % 4 == 0) {
        let values: Vec<f64> = entry.parameters.iter().map(|own| own.default).collect();
        let criterion: Box<dyn Criterion> = (entry.build)(&values);
        let undefined = AtomicBool::new(false);
        let Ok(objective) = Objective::new(&design, &*criterion, &undefined) else {
            continue;
        };
        let search = SearchProblem::new(objective, &pass, &fitted);
        let terms = search.x.terms().unwrap();
        if !terms::rises_with_rss(&search, terms) {
            continue;
        }
        let value = |model: &Allowed| {
            criterion.value(&Model {
                candidates: names.len() - kept.len(),
                chosen: model.0.len() - kept.len(),
                chosen_parameters: model.2 - kept_rank,
                kept: kept_rank,
                error_variance: rss / (n - 1 - rank) as f64,
                ..Model::new(n, names.len(), 0, model.1)
            })
        };
        // NaN counts as +∞.
        let values = all.iter().map(value);
        let values: Vec<f64> = values.map(|own| own.min(f64::INFINITY)).collect();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let tolerance = 1e-9 * (n as f64 + least.abs());
        let mut best: Vec<&[u32]> = (all.iter().zip(&values))
            .filter(|(_, value)| **value <= least + tolerance)
            .map(|(model, _)| &*model.0)
            .collect();
        best.sort_by_key(|own| (own.len(), own.to_vec()));
        let label = format!("seed {seed}, {rule:?}, {}: {}", entry.name, problem.formula);
        assert!(terms::is_small(&search, terms));
        let small = terms::enumerate(&search, terms, &|| false).unwrap();
        assert_eq!(small.len(), all.len(), "{label}");
        let own = BestModels::of(&small).unwrap();
        assert_eq!(*own.first().members, *best[0], "{label}");
        let off = own.target().0 - least;
        assert!(off.abs() < tolerance, "{label}: {off} of {least}");

        // Begins with the kept terms alone.
        let Some(end) = prove_observed(search, 1, None, &Interrupt::default(), &mut |_| {}) else {
            counts.refused += 1;
            continue;
        };
        assert_eq!(end.certified, Some(Certificate::Global), "{label}");
        let proof = end.proof.unwrap();
        assert!(proof.complete && proof.gap == Some(0.0), "{label}");
        assert_eq!(end.members, best[0], "{label}");
        if best.len() < 64 {
            assert_eq!(proof.ties, best.len() - 1, "{label}");
        }
        counts.proved += 1;
        counts.nodes += proof.nodes;
        counts.tied += usize::from(best.len() > 1);

        // One cut short claims no more than it knows.
        let cut = prove_observed(search, 1, Some(1), &Interrupt::default(), &mut |_| {}).unwrap();
        let proof = cut.proof.unwrap();
        if !proof.complete {
            assert!(cut.certified.is_none(), "{label}");
            let own = objective.of_fit(&Fit::of(search.x, search.y, &cut.members).0);
            let floor = proof.gap.map_or(f64::NEG_INFINITY, |gap| own - gap);
            assert!(floor <= least + tolerance, "{label}: {floor}, {least}");
        }
    }
}

fn check_all(seeds: std::ops::Range<u64>) {
    let mut counts = Counts::default();
    for seed in seeds {
        for rule in [Hierarchy::Strong, Hierarchy::Weak, Hierarchy::None] {
            check(seed, rule, &mut counts);
        }
    }
    let Counts {
        proved,
        refused,
        tied,
        nodes,
    } = counts;
    eprintln!("{proved} proved of {nodes} nodes, {tied} tied, {refused} refused");
    assert!(
        proved > 300 && refused * 4 < proved && tied > 5,
        "{refused} refused, {tied} tied"
    );
}

#[test]
fn a_global_certificate_of_terms_is_right_1() {
    check_all(0..100);
}

#[test]
fn a_global_certificate_of_terms_is_right_2() {
    check_all(100..200);
}

#[test]
fn a_global_certificate_of_terms_is_right_3() {
    check_all(200..300);
}
