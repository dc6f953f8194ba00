//! Whole factors: terms of several columns, which enter and leave a model together.

use std::num::NonZeroUsize;

use nalgebra::{DMatrix, DVector};
use passel::{
    Design, Interrupt, Pass,
    criteria::{ALL, Aic, Bic, Criterion, Ebic, Model},
    design::DesignOptions,
    device::{DeviceChoice, Resources},
    search::{Gain, IterationRecord, SearchResult, search},
    selection::Certificate,
    table::{Column, Table, Values},
};

use crate::{
    problems::Random,
    reference::{self, at_defaults},
};

/// A variable: numbers, or a factor's codes and the number of its levels.
#[derive(Clone)]
enum Variable {
    Numbers(Vec<f64>),
    Codes(usize, Vec<u32>),
}

struct Problem {
    variables: Vec<Variable>,
    y: Vec<f64>,
}

impl Problem {
    /// Numbers and factors of two to five levels. Of the last three variables one is a coarser factor
    /// than another, one has numbers that a factor explains, and one is half explained by two factors.
    fn random(random: &mut Random, n: usize) -> Self {
        let factor = |random: &mut Random, levels: usize| {
            // Each level occurs.
            let mut code = |row| {
                if row < levels {
                    row
                } else {
                    random.below(levels)
                }
            };
            (0..n).map(|row| code(row) as u32).collect::<Vec<u32>>()
        };
        let numbers = |random: &mut Random| (0..n).map(|_| random.normal()).collect::<Vec<f64>>();
        let [four, five, three, two] = [4, 5, 3, 2].map(|levels| factor(random, levels));
        let coarse = four.iter().map(|code| code / 2).collect();
        let scores = five.iter().map(|code| f64::from(*code).sin()).collect();
        let crossed = three.iter().zip(&two).map(|(a, b)| 2 * a + b).collect();
        let effects: Vec<f64> = (0..5).map(|_| 0.4 * random.normal()).collect();
        let variables = vec![
            Variable::Numbers(numbers(random)),
            Variable::Codes(4, four.clone()),
            Variable::Codes(2, two),
            Variable::Codes(5, five),
            Variable::Numbers(numbers(random)),
            Variable::Codes(3, three.clone()),
            Variable::Codes(2, coarse),
            Variable::Numbers(scores),
            Variable::Codes(6, crossed),
        ];
        let y = (0..n).map(|row| {
            effects[four[row] as usize] + 0.3 * effects[three[row] as usize] + random.normal()
        });
        let y = y.collect();
        Self { variables, y }
    }

    fn table(&self, order: impl Fn(u32, usize) -> u32) -> Table {
        let values = |variable: &Variable| match variable {
            Variable::Numbers(numbers) => Values::from(numbers.clone()),
            Variable::Codes(levels, codes) => Values::Factor {
                levels: (0..*levels).map(|level| format!("l{level}")).collect(),
                codes: codes.iter().map(|code| order(*code, *levels)).collect(),
            },
        };
        let named = self.variables.iter().enumerate();
        let named = named.map(|(at, variable)| (format!("x{at}"), values(variable)));
        let y = ("y".to_owned(), Values::from(self.y.clone()));
        let columns = named
            .chain([y])
            .map(|(name, values)| Column { name, values });
        Table {
            source: "made".to_owned(),
            columns: columns.collect(),
            rows: self.y.len(),
            response: Some(self.variables.len()),
            ..Table::default()
        }
    }

    fn design(&self, split_factors: bool, order: impl Fn(u32, usize) -> u32) -> Design {
        let options = DesignOptions {
            split_factors,
            ..DesignOptions::default()
        };
        Design::from_table(self.table(order), &options).unwrap()
    }

    /// RSS and rank, without the intercept, of the model of these variables.
    fn fit(&self, model: &[usize]) -> (f64, usize) {
        let n = self.y.len();
        let mut columns = vec![DVector::from_element(n, 1.0)];
        for at in model {
            match &self.variables[*at] {
                Variable::Numbers(numbers) => columns.push(DVector::from_vec(numbers.clone())),
                Variable::Codes(levels, codes) => columns.extend((1..*levels).map(|level| {
                    let is = |row: usize, _| f64::from(u8::from(codes[row] as usize == level));
                    DVector::from_fn(n, is)
                })),
            }
        }
        let svd = DMatrix::from_columns(&columns).svd(true, false);
        let least = 1e-9 * svd.singular_values.max();
        let y = DVector::from_vec(self.y.clone());
        let (mut rss, mut rank) = (y.norm_squared(), 0);
        for (u, value) in svd.u.unwrap().column_iter().zip(&svd.singular_values) {
            if *value > least {
                rss -= u.dot(&y).powi(2);
                rank += 1;
            }
        }
        (rss, rank - 1)
    }

    /// φ of the model of these variables.
    fn value(&self, criterion: &dyn Criterion, model: &[usize]) -> f64 {
        let (n, p) = (self.y.len(), self.variables.len());
        let all: Vec<usize> = (0..p).collect();
        let (rss, rank) = self.fit(&all);
        let error_variance = rss / (n - 1 - rank) as f64;
        let (rss, rank) = self.fit(model);
        criterion.value(&Model {
            chosen_parameters: rank,
            error_variance,
            ..Model::new(n, p, model.len(), rss)
        })
    }

    fn models(&self) -> Vec<Vec<usize>> {
        let p = self.variables.len();
        let members = |mask: usize| (0..p).filter(move |at| mask >> at & 1 == 1);
        (0..1 << p).map(|mask| members(mask).collect()).collect()
    }
}

/// The terms of a model are the variables: none of these designs has a column set aside.
fn variables(design: &Design, members: &[u32]) -> Vec<usize> {
    let index = |term: &u32| {
        let first = design.columns().columns_of(*term).start;
        design.variables()[first as usize].index
    };
    members.iter().map(index).collect()
}

fn run(design: &Design, criterion: &dyn Criterion, pass: &Pass) -> SearchResult {
    reference::run(design, criterion, pass, 2, |_| {})
}

fn check(problem: &Problem, design: &Design, criterion: &dyn Criterion, found: &SearchResult) {
    let name = criterion.name();
    let values = problem.models();
    let values = values.iter().map(|model| problem.value(criterion, model));
    let least = values.fold(f64::INFINITY, f64::min);
    let tolerance = 1e-9 * least.abs().max(1.0);
    let best = problem.value(criterion, &variables(design, &found.models[0].members));
    assert!(
        (best - least).abs() < tolerance,
        "{name}: {best}, not {least}"
    );
    assert_eq!(found.certified, Some(Certificate::Global), "{name}");
    for model in &found.models[..10] {
        let expected = problem.value(criterion, &variables(design, &model.members));
        let off = (model.value - expected).abs();
        assert!(off < tolerance, "{name}: {:?} off by {off}", model.members);
    }
}

#[test]
fn the_best_model_of_whole_factors_is_that_of_all_models() {
    let mut random = Random::new(29);
    for round in 0..4 {
        let problem = Problem::random(&mut random, 60 + 10 * round);
        let design = problem.design(false, |code, _| code);
        assert_eq!(design.columns().term_count(), problem.variables.len());
        for (at, entry) in ALL.iter().enumerate() {
            let criterion = at_defaults(entry);
            let pass = Pass {
                seed: round as u64,
                gain: [Gain::Correlation, Gain::Exact][(at + round) % 2],
                ..Pass::default()
            };
            let found = run(&design, &*criterion, &pass);
            check(&problem, &design, &*criterion, &found);
        }
    }
}

#[test]
fn a_whole_factor_does_not_depend_on_its_coding() {
    let mut random = Random::new(30);
    let problem = Problem::random(&mut random, 80);
    let reversed = |code: u32, levels: usize| levels as u32 - 1 - code;
    let turned = |code: u32, levels: usize| (code + 1) % levels as u32;
    let found = |design: &Design| {
        let found = run(design, &Bic, &Pass::default());
        let members = variables(design, &found.models[0].members);
        (members, found.value, found.fit.rss())
    };
    let (members, value, rss) = found(&problem.design(false, |code, _| code));
    for order in [reversed, turned] {
        let (again, same, rest) = found(&problem.design(false, order));
        assert_eq!(again, members);
        assert!((same - value).abs() < 1e-9 && (rest - rss).abs() < 1e-12);
    }
}

#[test]
fn factors_of_two_levels_are_their_dummies_whole_or_split() {
    let mut random = Random::new(31);
    let mut problem = Problem::random(&mut random, 70);
    let is_narrow =
        |variable: &Variable| !matches!(variable, Variable::Codes(levels, _) if *levels > 2);
    problem.variables.retain(is_narrow);
    let [whole, split] = [false, true].map(|split| {
        let design = problem.design(split, |code, _| code);
        assert!(design.columns().terms().is_none());
        run(&design, &Bic, &Pass::default())
    });
    assert_eq!(whole.models, split.models);
}

#[test]
fn shards_and_threads_do_not_show_in_models_of_whole_factors() {
    let mut random = Random::new(32);
    let problem = Problem::random(&mut random, 90);
    let design = problem.design(false, |code, _| code);
    for gain in [Gain::Correlation, Gain::Exact] {
        let pass = Pass {
            gain,
            ..Pass::default()
        };
        let found = |shards: usize, threads: usize| {
            let resources = Resources {
                devices: DeviceChoice::Cpu(NonZeroUsize::new(shards).unwrap()),
                ..Resources::cpu(threads)
            };
            let (never, ebic) = (Interrupt::default(), Ebic { gamma: 1.0 });
            let mut steps = Vec::new();
            let mut observe = |record: &IterationRecord| {
                steps.push(format!("{:?}", record.steps));
            };
            let found = search(
                &design,
                &ebic,
                &pass,
                &resources,
                &never,
                None,
                &mut observe,
            );
            (found.unwrap().models, steps)
        };
        let one = found(1, 1);
        assert_eq!(found(3, 1), one);
        assert_eq!(found(2, 3), one);
    }
}

#[test]
fn kept_factors_are_in_every_model_and_bounds_count_columns() {
    let mut random = Random::new(33);
    let problem = Problem::random(&mut random, 80);
    let keep = ["x3".to_owned()];
    let options = DesignOptions {
        split_factors: false,
        keep: &keep,
        ..DesignOptions::default()
    };
    let design = Design::from_table(problem.table(|code, _| code), &options).unwrap();
    assert_eq!(variables(&design, design.keep()), [3]);
    for (max_size, criterion) in
        (4..16).flat_map(|size| [(size, &Bic as &dyn Criterion), (size, &Aic)])
    {
        let pass = Pass {
            max_size: Some(max_size),
            ..Pass::default()
        };
        let found = run(&design, criterion, &pass);
        for model in &found.models {
            let members = variables(&design, &model.members);
            let rank = problem.fit(&members).1;
            assert!(
                members.contains(&3) && rank <= max_size,
                "{members:?}: {rank}, not {max_size}"
            );
        }
        let allowed = problem.models().into_iter();
        let allowed =
            allowed.filter(|model| model.contains(&3) && problem.fit(model).1 <= max_size);
        let values = allowed.map(|model| problem.value(criterion, &model));
        let least = values.fold(f64::INFINITY, f64::min);
        assert!(
            (found.value - least).abs() < 1e-9,
            "{max_size}: {} {least}",
            found.value
        );
    }
}
