//! Made columns against the same columns made on the host and counted by the CPU.

use super::*;
use crate::{
    device::{
        CpuCounter,
        counting::{mutual_information, tests::gpus},
    },
    score::{Combination, Gather, Join, Measure},
};

const PICKS: usize = 7;

/// Few columns of few rows, which lie in all forms and by all bits.
fn problems() -> Vec<Problem> {
    let problem = |(n, p), classes, levels, entries| Problem {
        n,
        p,
        classes,
        levels,
        entries,
    };
    vec![
        problem((97, 301), 2, 64, None),
        problem((97, 301), 3, 3, Some(2000)),
        problem((97, 301), 2, 200, Some(2000)),
        problem((5003, 70), 3, 8, None),
        problem((2111, 90), 2, 31, None),
        problem((70_003, 9), 2, 31, None),
        problem((1999, 40), 2, 300, None),
        problem((1999, 40), 7, 300, None),
        problem((50_001, 2500), 2, 4, Some(350_000)),
        problem((5003, 800), 4, 31, Some(40_000)),
        problem((5003, 700), 2, 300, Some(60_000)),
        problem((3001, 500), 1, 2, Some(1)),
    ]
}

fn columns(made: &Made) -> Vec<BinnedColumn> {
    let recipe = &made.recipe;
    let codes = |column| {
        if made.is_sparse() {
            let (rows, codes) = recipe.entries(column).unzip();
            return Codes::Sparse {
                n: recipe.rows,
                most: 0,
                rows,
                codes,
            };
        }
        let codes = passel_kernels::made::reference(recipe, column).into_iter();
        match recipe.levels {
            ..=256 => Codes::Byte(codes.map(|it| it as u8).collect()),
            _ => Codes::Word(codes.map(|it| it as u16).collect()),
        }
    };
    let column = |at: u32| BinnedColumn {
        name: format!("x{at}"),
        index: at as usize,
        levels: recipe.levels as usize,
        codes: codes(at),
        rule: Rule::Edges(Vec::new()),
        missing: None,
    };
    (0..made.p as u32).map(column).collect()
}

fn scores() -> [Score; 2] {
    let score = |over: Combination, weight, gather, join| Score {
        measure: Measure::of_terms([over.weighing(weight)]),
        gather,
        join,
        ..Score::default()
    };
    [
        score(Combination::XW_Y, 1.0, Gather::Sum, Join::Alone),
        score(Combination::X_W, -1.0, Gather::Mean, Join::Added),
    ]
}

/// The same picks with facts from the definition.
fn with_facts(
    told: &[Told],
    columns: &[BinnedColumn],
    y: &Categorical,
    logs: &LogTable,
) -> Vec<Told> {
    let anchors: Vec<Categorical> = told
        .iter()
        .map(|it| Categorical::compact(&columns[it.0 as usize]))
        .collect();
    let mut cells = Vec::new();
    let mut shared = |a: &Categorical, b: &Categorical| {
        mutual_information((a, a.log_sum(logs)), (b, b.log_sum(logs)), logs, &mut cells)
    };
    let facts = |(at, told): (usize, &Told)| {
        let before = anchors[..at].iter();
        let facts = CandidateStatistics {
            redundancy: Some(before.map(|it| i128::from(shared(&anchors[at], it))).sum()),
            mutual_information: shared(&anchors[at], y),
            log_sum: anchors[at].log_sum(logs),
            levels: anchors[at].levels,
        };
        (told.0, told.1, Some(facts))
    };
    told.iter().enumerate().map(facts).collect()
}

/// Walks of every problem by every score on these GPUs are those of the CPU.
fn walks_are_the_cpus(places: &[Vec<usize>]) {
    for problem in problems() {
        let made = &problem.made();
        let columns = columns(made);
        for score in scores() {
            let logs = LogTable::new(problem.n, score.reach());
            let evaluator = ScoreEvaluator::new(score, &logs, problem.n);
            let response = evaluator.categorical(&made.response_column(problem.classes));
            let by = (&logs, &evaluator);
            let of = |column| ConditioningVariable::of_column(column, &columns, &evaluator);
            let mut cpu = CpuCounter::new(&columns, 0, &response, by, 1);
            let relevance = cpu.relevance().unwrap();
            let plain = walk(&mut cpu, &evaluator, PICKS, of).unwrap();
            let expected = with_facts(&plain, &columns, &response, &logs);
            for place in places {
                let mut gpus = CudaCounter::new(made, 0, &response, by, place, None).unwrap();
                let same = gpus.relevance().unwrap() == relevance;
                assert!(same, "relevance of {problem:?} on {place:?}");
                let step =
                    |column| ConditioningVariable::new(Some(column), move || made.anchor(column));
                for _ in 0..3 {
                    gpus.again().unwrap();
                    let told = walk(&mut gpus, &evaluator, PICKS, step).unwrap();
                    assert_eq!(told, expected, "{problem:?} on {place:?}");
                }
            }
        }
    }
}

#[test]
fn columns_made_by_cuda_are_those_of_the_reference() {
    let Some(count) = gpus() else { return };
    let mut places = vec![vec![0]];
    if count > 1 {
        places.push((0..count).collect());
    }
    walks_are_the_cpus(&places);
}

#[test]
fn problems_lie_in_every_form() {
    let mut forms: Vec<String> = problems()
        .iter()
        .flat_map(|it| it.made().forms(it.n, it.classes))
        .collect();
    forms.sort();
    forms.dedup();
    let all = [
        "Dense { bits: 16 }",
        "Dense { bits: 4 }",
        "Dense { bits: 8 }",
        "Few",
        "Many { threads: 1024 }",
        "Many { threads: 128 }",
        "Rows",
    ];
    for form in all {
        assert!(forms.iter().any(|it| it == form), "no {form} in {forms:?}");
    }
    assert!(forms.iter().any(|it| it.starts_with("Short")), "{forms:?}");
}

#[test]
fn what_the_host_knows_of_made_columns_is_so() {
    for problem in problems() {
        let (made, held) = (problem.made(), columns(&problem.made()));
        for (at, column) in (0..).zip(&held) {
            let occurring = column.codes.occurring(column.levels);
            assert_eq!(made.occurring(at), occurring, "{at} of {problem:?}");
            let (told, own) = (Categorical::verbatim(column).codes, made.anchor(at).codes);
            assert_eq!(told, own, "{at} of {problem:?}");
        }
        let listed = |it: &BinnedColumn| match &it.codes {
            Codes::Sparse { rows, .. } => rows.len() as u64,
            Codes::Byte(_) | Codes::Word(_) => problem.n as u64,
        };
        let all: u64 = held.iter().map(listed).sum();
        assert_eq!(made.entries(), all);
        if let Some(wanted) = problem.entries {
            // One entry a column at least.
            let wanted = wanted.max(problem.p as u64);
            assert!(all >= wanted && all < wanted + wanted / 50 + 1000, "{all}");
        }
    }
}
