//! Terms of several columns, and terms that need others.

use nalgebra::DMatrix;
use passel::{
    Design, Pass, Table,
    design::{FormulaOptions, Hierarchy},
    formula::Formula,
    search::Gain,
    table::Values,
};

use crate::{
    cases::{Case, polished, swarm},
    places::{cpus, cuda_is_there, cudas, plain},
    problems::Random,
    same::{compare, run, same_everywhere},
};

/// Factors of two to five levels and numbers, one factor a coarser one of another, one variable of numbers
/// explained by a factor, and a response of a few of them and of products.
fn table((n, factors, numbers): (usize, usize, usize), seed: u64, order: Option<u64>) -> Table {
    let mut random = Random::new(seed);
    let mut codes: Vec<Vec<usize>> = Vec::new();
    for factor in 0..factors {
        let levels = 2 + factor % 4;
        let code = |row: usize, random: &mut Random| match row < levels {
            true => row,
            false => random.below(levels),
        };
        codes.push((0..n).map(|row| code(row, &mut random)).collect());
    }
    codes.push(codes[3].iter().map(|code| code / 2).collect());
    let mut x = DMatrix::from_fn(n, numbers, |_, _| random.normal());
    let effects: Vec<f64> = (0..5).map(|_| random.normal()).collect();
    let mut y: Vec<f64> = (0..n)
        .map(|row| {
            let (a, b) = (codes[2][row], codes[3][row]);
            let crossed = if a == 1 { x[(row, 1)] } else { 0.0 };
            effects[a] + effects[b] + x[(row, 0)] * x[(row, 1)] + crossed + 2.0 * random.normal()
        })
        .collect();
    // The same observations in another order.
    if let Some(order) = order {
        let order = Random::new(order).order(n);
        for codes in &mut codes {
            *codes = order.iter().map(|row| codes[*row]).collect();
        }
        x = DMatrix::from_fn(n, numbers, |row, column| x[(order[row], column)]);
        y = order.iter().map(|row| y[*row]).collect();
    }
    let explained: Vec<f64> = codes[1].iter().map(|code| (*code as f64).sin()).collect();
    let text = |codes: &Vec<usize>| -> Values {
        let names: Vec<String> = codes.iter().map(|code| format!("l{code}")).collect();
        names.into()
    };
    let factors = codes.iter().enumerate();
    let factors = factors.map(|(at, codes)| (format!("f{at}"), text(codes)));
    let numbers = x.column_iter().enumerate().map(|(at, column)| {
        let values: Vec<f64> = column.iter().copied().collect();
        (format!("x{at}"), values.into())
    });
    let last = [
        ("explained".to_owned(), explained.into()),
        ("y".to_owned(), y.into()),
    ];
    Table::from_columns(factors.chain(numbers).chain(last)).unwrap()
}

fn design(table: Table, formula: &str, hierarchy: Hierarchy) -> Design {
    let options = FormulaOptions {
        hierarchy,
        ..FormulaOptions::default()
    };
    Design::from_formula(table, &Formula::parse(formula).unwrap(), &options).unwrap()
}

/// Whole factors among numbers.
pub fn whole_factors(order: Option<u64>) -> Vec<Case> {
    let mut cases = Vec::new();
    for (n, factors, numbers, seed) in [(150, 40, 20, 901), (90, 200, 5, 902), (2100, 30, 30, 903)]
    {
        let design = design(
            table((n, factors, numbers), seed, order),
            "y ~ .",
            Hierarchy::None,
        );
        let name = format!("{factors} factors, {numbers} numbers, n {n}");
        for pass in [swarm(32, 25, seed), polished(12, 10, seed)] {
            cases.push(Case::new(&name, design.clone(), "ebic", pass.clone()));
            let exact = Pass {
                gain: Gain::Exact,
                ..pass
            };
            cases.push(Case::new(&name, design.clone(), "bic", exact));
        }
    }
    cases
}

/// Products of factors and numbers, by each rule.
pub fn hierarchies(order: Option<u64>) -> Vec<Case> {
    let mut cases = Vec::new();
    for hierarchy in [Hierarchy::Strong, Hierarchy::Weak, Hierarchy::None] {
        let formula = "y ~ (f0 + f1 + f2 + f3 + f4 + x0 + x1 + x2 + x3)^2";
        let design = design(table((200, 5, 4), 911, order), formula, hierarchy);
        for pass in [swarm(24, 25, 911), polished(12, 10, 911)] {
            let name = format!("pairs, {hierarchy:?}");
            cases.push(Case::new(name, design.clone(), "bic", pass));
        }
    }
    cases
}

fn all(order: Option<u64>) -> Vec<Case> {
    let mut all = whole_factors(order);
    all.extend(hierarchies(order));
    all
}

mod cpu {
    #[test]
    fn terms() {
        super::same_everywhere(&super::all(None), super::cpus);
    }
}

mod reordered {
    use super::*;

    /// As [`crate::rounding`] has it for single columns.
    #[test]
    fn terms() {
        let mut parted = Vec::new();
        for seed in [961, 962] {
            for (mut case, mut moved) in all(None).into_iter().zip(all(Some(seed))) {
                (case.pass.polish, moved.pass.polish) = (false, false);
                let runs = (run(&case, &plain()), run(&moved, &plain()));
                if let Err(what) = compare(&moved, &runs.0, &runs.1, false) {
                    parted.push(format!("{}, order {seed}: {what}", case.name));
                }
            }
        }
        assert!(parted.is_empty(), "\n{}", parted.join("\n"));
    }
}

mod cuda {
    #[test]
    fn terms() {
        if super::cuda_is_there() {
            super::same_everywhere(&super::all(None), super::cudas);
        }
    }
}
