use std::{sync::atomic::AtomicBool, time::Instant};

use passel_criteria::ALL;

use super::{super::problem::Objective, *};
use crate::{
    design::{Design, DesignOptions},
    interrupt::Interrupt,
    random::Stream,
    search::{control::Limits, fit_kept, record::IterationRecord, settings::Pass},
    selection::Termination,
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

    /// About normal: a sum of uniforms.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Takes out of a vector its part along a unit vector.
fn remove(vector: &mut [f64], unit: &[f64]) {
    let along = inner(vector, unit);
    vector
        .iter_mut()
        .zip(unit)
        .for_each(|(value, unit)| *value -= along * unit);
}

/// A design of columns and a response.
fn design_of(columns: &[Vec<f64>], y: Vec<f64>, keep: &[String]) -> Option<Design> {
    let named = columns.iter().cloned().chain([y]).enumerate();
    let named = named.map(|(j, values)| (format!("x{j}"), values.into()));
    let mut table = Table::from_columns(named).unwrap();
    table.response = Some(columns.len());
    let options = DesignOptions {
        keep,
        ..DesignOptions::default()
    };
    Design::from_table(table, &options).ok()
}

/// A model of lowest φ, or one of those with equal φ.
struct Lowest {
    value: f64,
    members: Vec<u32>,
}

/// The models of lowest φ, from the definition: every subset is fitted by orthogonalisation, in the order of
/// size, then of columns.
fn lowest(
    x: &[&[f64]],
    y: &[f64],
    keep: &[u32],
    largest: usize,
    value: impl Fn(usize, f64) -> f64,
) -> Vec<Lowest> {
    let p = x.len();
    let mut all = Vec::new();
    for mask in 0u32..1 << p {
        let members: Vec<u32> = (0..p as u32).filter(|j| mask >> j & 1 == 1).collect();
        if members.len() > largest || keep.iter().any(|column| !members.contains(column)) {
            continue;
        }
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let mut rest = y.to_vec();
        let is_collinear = members.iter().any(|j| {
            let mut column = x[*j as usize].to_vec();
            for unit in basis.iter().chain(&basis) {
                remove(&mut column, unit);
            }
            let norm = inner(&column, &column).sqrt();
            column.iter_mut().for_each(|value| *value /= norm);
            remove(&mut rest, &column);
            basis.push(column);
            norm < 1e-7
        });
        if !is_collinear {
            let value = value(members.len(), inner(&rest, &rest));
            all.push(Lowest { value, members });
        }
    }
    let least = all
        .iter()
        .map(|model| model.value)
        .fold(f64::INFINITY, f64::min);
    all.retain(|model| model.value <= least + 1e-9 * (1.0 + least.abs()));
    all.sort_by(|a, b| (a.members.len(), &a.members).cmp(&(b.members.len(), &b.members)));
    all
}

fn unlimited(interrupt: &Interrupt) -> Limits<'_> {
    Limits {
        interrupt,
        communicator: None,
        start: Instant::now(),
    }
}

/// Proves by branch and bound, from the model of the kept columns on.
fn prove_with(problem: SearchProblem, threads: usize, most: Option<u64>) -> StageEnd {
    prove_observed(problem, threads, most, &Interrupt::default(), &mut |_| {}).unwrap()
}

/// Proves as [`prove_with`], observed, until an interrupt is requested; none where dependent columns forbid it.
pub(super) fn prove_observed(
    problem: SearchProblem,
    threads: usize,
    most: Option<u64>,
    interrupt: &Interrupt,
    observe: &mut dyn FnMut(&IterationRecord),
) -> Option<StageEnd> {
    let mut control = RunControl {
        limits: unlimited(interrupt),
        observe,
        keeper: None,
    };
    let mut end = StageEnd {
        visited: VisitedModels::default(),
        members: problem.keep.to_vec(),
        iterations: 1,
        termination: Termination::Iterations,
        certified: None,
        settled: None,
        proof: None,
        fault: None,
    };
    let done = branch_and_bound(problem, threads, most, &mut control, &mut end, None);
    done.unwrap().then_some(end)
}

/// A design of p columns: correlated normal ones, or −1, 0 and 1 with a response of whole numbers, where
/// many models are equal; with a column that others explain.
fn problem_of(seed: u64) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut draw = Draw(Stream::new(seed, 9));
    let p = 4 + draw.below(4);
    let n = p + 2 + draw.below(40);
    let is_discrete = seed.is_multiple_of(3);
    let common = 3.0 * draw.uniform();
    let mut x = vec![vec![0.0; n]; p];
    for i in 0..n {
        let shift = common * draw.normal();
        for column in &mut x {
            column[i] = match is_discrete {
                true => draw.below(3) as f64 - 1.0,
                false => draw.normal() + shift,
            };
        }
    }
    if seed.is_multiple_of(5) {
        x[p - 1] = x[0].iter().zip(&x[2]).map(|(a, b)| a + b).collect();
    }
    let beta: Vec<f64> = (0..p).map(|_| draw.below(3) as f64 - 1.0).collect();
    let noise = if is_discrete {
        0.0
    } else {
        2.0 * draw.uniform()
    };
    let response = (0..n).map(|i| {
        let signal: f64 = (0..p).map(|j| beta[j] * x[j][i]).sum();
        signal
            + noise * draw.normal()
            + if is_discrete {
                draw.below(2) as f64
            } else {
                0.0
            }
    });
    let y = response.collect();
    (x, y)
}

/// Every problem with every criterion; the number of problems.
fn all_subsets(seeds: std::ops::Range<u64>) {
    let (mut proved, mut tied) = (0, 0);
    for seed in seeds {
        let (x, y) = problem_of(seed);
        let keep: Vec<u32> = if seed.is_multiple_of(4) {
            vec![1]
        } else {
            vec![]
        };
        let names: Vec<String> = keep.iter().map(|column| format!("x{column}")).collect();
        let Some(design) = design_of(&x, y, &names) else {
            continue;
        };
        if design.p() < x.len() {
            // Constant or duplicate columns.
            continue;
        }
        let pass = Pass {
            max_size: seed.is_multiple_of(7).then_some(2),
            start_size: 0,
            ..Pass::default()
        };
        let Ok(fitted) = fit_kept(&design, &pass) else {
            continue;
        };
        let columns: Vec<&[f64]> = design.columns().values().chunks(design.n()).collect();
        for entry in ALL {
            let values: Vec<f64> = entry.parameters.iter().map(|own| own.default).collect();
            let criterion = (entry.build)(&values);
            let undefined = AtomicBool::new(false);
            let Ok(objective) = Objective::new(&design, &*criterion, &undefined) else {
                continue;
            };
            let problem = SearchProblem::new(objective, &pass, &fitted);
            if !rises_with_rss(&objective, keep.len()..=problem.max_size) {
                continue;
            }
            let value = |k: usize, rss: f64| objective.floored(k, rss);
            let expected = lowest(&columns, design.y(), &keep, problem.max_size, value);
            let end = prove_with(problem, 1, None);
            let label = format!("seed {seed}, {}", entry.name);
            assert_eq!(end.certified, Some(Certificate::Global), "{label}");
            let proof = end.proof.unwrap();
            assert!(proof.complete && proof.gap == Some(0.0), "{label}");
            // Where RSS is rounding alone, so is φ.
            if expected[0].value > objective.floored(expected[0].members.len(), 1e-20) {
                assert_eq!(end.members, expected[0].members, "{label}: {:?}", proof);
                assert_eq!(proof.ties, expected.len() - 1, "{label}");
            }
            let small = enumerate(&problem, &|| false).unwrap();
            let best = BestModels::of(&small).unwrap();
            if expected[0].value > objective.floored(expected[0].members.len(), 1e-20) {
                assert_eq!(*best.first().members, expected[0].members, "{label}");
            }
            proved += 1;
            tied += usize::from(expected.len() > 1);
        }
    }
    assert!(proved > 500 && tied > 20, "{proved} proved, {tied} tied");
}

#[test]
fn a_global_certificate_is_right_1() {
    all_subsets(0..130);
}

#[test]
fn a_global_certificate_is_right_2() {
    all_subsets(130..260);
}

#[test]
fn a_global_certificate_is_right_3() {
    all_subsets(260..390);
}

#[test]
fn a_global_certificate_is_right_4() {
    all_subsets(390..520);
}

/// 24 columns in a row of correlation about .9, which take several waves in tests.
fn chain(seed: u64) -> Design {
    let mut draw = Draw(Stream::new(seed, 10));
    let (n, p) = (80, 24);
    let mut x = vec![vec![0.0; n]; p];
    for i in 0..n {
        let mut before = draw.normal();
        for column in &mut x {
            before = 0.9 * before + 0.44 * draw.normal();
            column[i] = before;
        }
    }
    let response = (0..n).map(|i| {
        let signal: f64 = x.iter().step_by(4).map(|column| column[i]).sum();
        signal + 2.0 * draw.normal()
    });
    let response = response.collect();
    design_of(&x, response, &[]).unwrap()
}

/// Hands on the problem of a chain by BIC.
pub(super) fn with_chain(seed: u64, test: impl FnOnce(SearchProblem)) {
    let design = chain(seed);
    let pass = Pass::default();
    let fitted = fit_kept(&design, &pass).unwrap();
    let undefined = AtomicBool::new(false);
    let Ok(objective) = Objective::new(&design, &passel_criteria::Bic, &undefined) else {
        panic!("no criterion");
    };
    let problem = SearchProblem::new(objective, &pass, &fitted);
    test(problem);
}

#[test]
fn threads_do_not_show_and_a_proof_cut_short_tells_the_gap() {
    let mut cut = 0;
    for seed in 0..6 {
        with_chain(seed, |problem| {
            let value = |end: &StageEnd| {
                problem
                    .objective
                    .of_fit(&Fit::of(problem.x, problem.y, &end.members).0)
            };
            let whole = prove_with(problem, 1, None);
            let by_three = crate::threads::pool(3)
                .unwrap()
                .install(|| prove_with(problem, 3, None));
            assert_eq!(by_three.members, whole.members);
            assert_eq!(by_three.proof, whole.proof);
            assert_eq!(whole.certified, Some(Certificate::Global));
            for most in [1 << 13, 1 << 15, 1 << 17] {
                let part = prove_with(problem, 1, Some(most));
                let proof = part.proof.clone().unwrap();
                if !proof.complete {
                    cut += 1;
                    let gap = proof.gap.unwrap();
                    assert!(part.certified.is_none() && gap > 0.0);
                    assert!(value(&whole) >= value(&part) - gap - 1e-9, "seed {seed}");
                }
            }
        });
    }
    assert!(cut > 6, "{cut}");
}

#[test]
fn a_proof_goes_on_from_its_state() {
    with_chain(7, goes_on);
}

fn goes_on(problem: SearchProblem) {
    let whole = prove_with(problem, 1, None);
    let never = Interrupt::default();
    let mut texts = Vec::new();
    let mut write = |text: &str| {
        texts.push(text.to_owned());
        Ok(())
    };
    // Requested where it shows its start: it stops before the first wave, and its state is written.
    let stopped = Interrupt::default();
    let mut end = StageEnd {
        visited: VisitedModels::default(),
        ..prove_with(problem, 1, Some(0))
    };
    end.visited.offer(1.0, &end.members.clone());
    let checkpointing = crate::search::Checkpointing {
        resume_from: None,
        write: &mut write,
    };
    let (writer, _) =
        crate::search::checkpoint::CheckpointWriter::new(checkpointing, &problem).unwrap();
    let mut control = RunControl {
        limits: unlimited(&stopped),
        observe: &mut |_| stopped.request(),
        keeper: Some(writer),
    };
    let done = branch_and_bound(problem, 1, None, &mut control, &mut end, None);
    assert!(done.unwrap() && end.termination == Termination::Interrupted);
    assert!(control.keeper.unwrap().end().is_none());
    let state: serde_json::Value = serde_json::from_str(texts.last().unwrap()).unwrap();
    let state = state["state"]["stage"]["Proof"]["proof"].clone();
    let state: ProofState = serde_json::from_value(state).unwrap();
    let mut control = RunControl {
        limits: unlimited(&never),
        observe: &mut |_| {},
        keeper: None,
    };
    let done = branch_and_bound(problem, 2, None, &mut control, &mut end, Some(state));
    assert!(done.unwrap());
    assert_eq!((end.members, end.proof), (whole.members, whole.proof));
}
