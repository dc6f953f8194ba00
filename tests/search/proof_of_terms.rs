//! Proofs over terms of several columns, under each rule of a hierarchy.

use nalgebra::{DMatrix, DVector};
use passel::{
    Design, Pass, Table,
    criteria::{ALL, Bic, Criterion, EbicMonotone, Model},
    design::{FormulaOptions, Hierarchy},
    formula::Formula,
    search::{ProofEffort, SearchResult},
    selection::Certificate,
    table::Values,
};

use crate::{
    problems::Random,
    reference::{self, at_defaults},
};

/// So many factors of so many levels, with cells that have no observations, and a response of some.
struct Factors {
    levels: Vec<usize>,
    codes: Vec<Vec<usize>>,
    y: Vec<f64>,
}

const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

impl Factors {
    fn random(random: &mut Random, n: usize, levels: &[usize]) -> Self {
        let code = |row: usize, count: usize, random: &mut Random| match row < count {
            true => row,
            false => random.below(count),
        };
        let all = levels.iter();
        let mut codes: Vec<Vec<usize>> = all
            .map(|count| (0..n).map(|row| code(row, *count, random)).collect())
            .collect();
        // The last level of the first factor has the first one of the second alone.
        let (first, others) = codes.split_at_mut(1);
        for (own, other) in first[0].iter().zip(&mut others[0]) {
            if own + 1 == levels[0] {
                *other = 0;
            }
        }
        let effects: Vec<f64> = (0..8).map(|_| random.normal()).collect();
        let y = (0..n).map(|row| {
            effects[codes[0][row]] + effects[codes[0][row] + codes[1][row]] + random.normal()
        });
        let y = y.collect();
        Self {
            levels: levels.to_vec(),
            codes,
            y,
        }
    }

    fn design(&self, formula: &str, hierarchy: Hierarchy) -> Design {
        let factors = NAMES.iter().zip(&self.codes).map(|(name, codes)| {
            let text: Vec<String> = codes.iter().map(|code| format!("l{code}")).collect();
            (*name, Values::from(text))
        });
        let y = ("y", Values::from(self.y.clone()));
        let table = Table::from_columns(factors.chain([y])).unwrap();
        let options = FormulaOptions {
            hierarchy,
            ..FormulaOptions::default()
        };
        Design::from_formula(table, &Formula::parse(formula).unwrap(), &options).unwrap()
    }

    /// Dummies of a term, such as `a:c`, by all its cells: with those of its parts they span the term.
    fn columns(&self, term: &str) -> Vec<Vec<f64>> {
        let names = term.split(':');
        let factors: Vec<usize> = names
            .map(|name| NAMES.iter().position(|own| *own == name).unwrap())
            .collect();
        let cells: usize = factors.iter().map(|at| self.levels[*at]).product();
        let cell = |row: usize| {
            let codes = factors
                .iter()
                .map(|at| (self.levels[*at], self.codes[*at][row]));
            codes.fold(0, |cell, (levels, code)| cell * levels + code)
        };
        let dummy = |own: usize| {
            let rows = (0..self.y.len()).map(|row| f64::from(u8::from(cell(row) == own)));
            rows.collect()
        };
        (0..cells).map(dummy).collect()
    }

    /// RSS and rank beside the intercept, by singular value decomposition.
    fn fit(&self, model: &[&str]) -> (f64, usize) {
        let ones = vec![vec![1.0; self.y.len()]];
        let columns = model.iter().flat_map(|term| self.columns(term));
        let columns = ones.into_iter().chain(columns).map(DVector::from_vec);
        let svd = DMatrix::from_columns(&columns.collect::<Vec<_>>()).svd(true, false);
        let y = DVector::from_vec(self.y.clone());
        let (mut rss, mut rank) = (y.norm_squared(), 0);
        for (u, value) in svd.u.unwrap().column_iter().zip(&svd.singular_values) {
            if *value > 1e-9 * svd.singular_values.max() {
                rss -= u.dot(&y).powi(2);
                rank += 1;
            }
        }
        (rss, rank - 1)
    }
}

fn run(design: &Design, criterion: &dyn Criterion, proof: ProofEffort) -> SearchResult {
    let pass = Pass {
        proof,
        ..Pass::default()
    };
    reference::run(design, criterion, &pass, 2, |_| {})
}

/// Factors with all interactions of up to three: of the models with all that their terms stand on the best
/// is that of all, and is proved.
#[test]
fn interactions_of_three_factors_with_empty_cells_are_proved() {
    let mut random = Random::new(351);
    for round in 0..4 {
        let factors = Factors::random(&mut random, 120, &[4, 2, 3, 2]);
        let design = factors.design("y ~ (a + b + c + d)^3", Hierarchy::Strong);
        let names: Vec<&str> = (0..design.columns().term_count() as u32)
            .map(|term| design.term_name(term))
            .collect();
        assert_eq!(names.len(), 14);
        let is_part = |part: &str, whole: &str| {
            part.len() < whole.len() && part.split(':').all(|name| whole.contains(name))
        };
        let models = (0..1_usize << 14).map(|mask| -> Vec<&str> {
            let own = (0..14).filter(|at| mask >> at & 1 == 1);
            own.map(|at| names[at]).collect()
        });
        let is_allowed = |model: &Vec<&str>| {
            model.iter().all(|term| {
                let mut parts = names.iter().filter(|own| is_part(own, term));
                parts.all(|own| model.contains(own))
            })
        };
        let allowed: Vec<Vec<&str>> = models.filter(is_allowed).collect();
        let fits: Vec<(usize, f64, usize)> = allowed
            .iter()
            .map(|model| {
                let (rss, rank) = factors.fit(model);
                (model.len(), rss, rank)
            })
            .collect();
        let (rss, rank) = factors.fit(&names);
        let error_variance = rss / (119 - rank) as f64;
        for entry in ALL.iter().skip(round % 2).step_by(2) {
            let criterion = at_defaults(entry);
            let value = |(chosen, rss, rank): &(usize, f64, usize)| {
                criterion.value(&Model {
                    chosen_parameters: *rank,
                    error_variance,
                    ..Model::new(120, 14, *chosen, *rss)
                })
            };
            let least = fits.iter().map(value).fold(f64::INFINITY, f64::min);
            let found = run(&design, &*criterion, ProofEffort::Bounded);
            assert_eq!(found.certified, Some(Certificate::Global), "{}", entry.name);
            let proof = found.proof.unwrap();
            // Those of a model that can do without a term, to which others say nothing, are left out.
            assert!(proof.models.unwrap() <= allowed.len(), "{}", entry.name);
            assert!(
                (found.value - least).abs() < 1e-8 * least.abs(),
                "{}",
                entry.name
            );
        }
    }
}

/// Too many models to enumerate: by branch and bound.
#[test]
fn pairs_of_eight_factors_are_proved_by_branch_and_bound() {
    let mut random = Random::new(352);
    let factors = Factors::random(&mut random, 400, &[3, 2, 2, 3, 2, 2, 2, 2]);
    let design = factors.design("y ~ (a + b + c + d + e + f + g + h)^2", Hierarchy::Strong);
    assert_eq!(design.columns().term_count(), 36);
    let found = run(&design, &EbicMonotone { gamma: 1.0 }, ProofEffort::Bounded);
    let proof = found.proof.clone().unwrap();
    assert_eq!(found.certified, Some(Certificate::Global), "{proof:?}");
    assert!(proof.models.is_none() && proof.nodes > 0, "{proof:?}");
    let asked = run(&design, &EbicMonotone { gamma: 1.0 }, ProofEffort::Complete);
    assert_eq!((asked.models, asked.proof), (found.models, found.proof));
    let none = run(&design, &EbicMonotone { gamma: 1.0 }, ProofEffort::None);
    assert!(none.proof.is_none() && none.certified == Some(Certificate::Local));
    // Interactions of three that need no others are too many: what is cut short claims nothing.
    let design = factors.design("y ~ (a + b + c + d + e + f + g + h)^3", Hierarchy::None);
    let pass = Pass {
        proof: ProofEffort::Complete,
        time_limit: Some(std::time::Duration::from_secs(3)),
        ..Pass::default()
    };
    let found = reference::run(&design, &Bic, &pass, 2, |_| {});
    let is_complete = found.proof.is_some_and(|proof| proof.complete);
    assert_eq!(found.certified == Some(Certificate::Global), is_complete);
}

/// The design of a formula for a file of numbers of `../shared/golden/families`.
fn of_file(name: &str, formula: &str, hierarchy: Hierarchy) -> Design {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/golden/families/");
    let folder = std::env::var("PASSEL_FAMILIES").unwrap_or_else(|_| folder.to_owned());
    let text = std::fs::read_to_string(format!("{folder}{name}")).unwrap();
    let mut lines = text.lines();
    let names = lines.next().unwrap().split(',');
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let columns = names.enumerate().map(|(at, name)| {
        let numbers: Result<Vec<f64>, _> = rows.iter().map(|row| row[at].parse()).collect();
        let values = match numbers {
            Ok(numbers) => Values::from(numbers),
            Err(_) => Values::from(
                rows.iter()
                    .map(|row| row[at].to_owned())
                    .collect::<Vec<_>>(),
            ),
        };
        (name, values)
    });
    let table = Table::from_columns(columns).unwrap();
    let options = FormulaOptions {
        hierarchy,
        ..FormulaOptions::default()
    };
    Design::from_formula(table, &Formula::parse(formula).unwrap(), &options).unwrap()
}

#[test]
#[ignore = "needs ../shared/golden"]
fn factors_of_quine_are_proved() {
    for formula in [
        "Days ~ (Eth + Sex + Age + Lrn)^2",
        "Days ~ (Eth + Sex + Age + Lrn)^3",
        "Days ~ Eth * Sex * Age * Lrn",
    ] {
        for rule in [Hierarchy::Strong, Hierarchy::Weak, Hierarchy::None] {
            let design = of_file("quine.csv", formula, rule);
            for entry in ALL {
                let found = run(&design, &*at_defaults(entry), ProofEffort::Complete);
                let what = format!("{formula} {rule:?} {}", entry.name);
                let proof = found.proof.unwrap_or_else(|| panic!("{what}: no proof"));
                let what = format!("{what}: {proof:?}");
                // Where columns depend on others, and a weak hierarchy is not enumerated, nothing is claimed.
                if let Some(reason) = &proof.reason {
                    assert!(
                        rule == Hierarchy::Weak && reason.contains("depend on others"),
                        "{what}"
                    );
                    assert_eq!(found.certified, Some(Certificate::Local), "{what}");
                    continue;
                }
                assert_eq!(found.certified, Some(Certificate::Global), "{what}");
            }
        }
    }
}
