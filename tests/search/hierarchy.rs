//! Formulas with interactions: which terms may stand without others, against all models that a rule allows.

use nalgebra::{DMatrix, DVector};
use passel::{
    Design, Pass, Table,
    criteria::{ALL, Bic, Criterion, Model},
    design::{FormulaOptions, Hierarchy},
    formula::Formula,
    search::{Gain, SearchResult},
    selection::Certificate,
};

use crate::{
    problems::Random,
    reference::{self, at_defaults},
};

/// Two factors and two variables of numbers, and a response of some of their products.
struct Problem {
    a: Vec<usize>,
    b: Vec<usize>,
    c: Vec<f64>,
    d: Vec<f64>,
    y: Vec<f64>,
}

impl Problem {
    fn random(random: &mut Random, n: usize) -> Self {
        let levels = |random: &mut Random, count: usize| -> Vec<usize> {
            let code = |row| {
                if row < count {
                    row
                } else {
                    random.below(count)
                }
            };
            (0..n).map(code).collect()
        };
        let [a, b] = [3, 2].map(|count| levels(random, count));
        let [c, d] = [(); 2].map(|()| (0..n).map(|_| random.normal()).collect::<Vec<f64>>());
        let effects: Vec<f64> = (0..5).map(|_| 0.6 * random.normal()).collect();
        let y = (0..n).map(|row| {
            let of_a = effects[a[row]];
            let crossed = effects[3] * c[row] * (a[row] as f64 - 1.0);
            of_a + crossed + effects[4] * c[row] * d[row] + random.normal()
        });
        let y = y.collect();
        Self { a, b, c, d, y }
    }

    fn table(&self) -> Table {
        let named = |codes: &[usize], letter: &str| -> Vec<String> {
            codes.iter().map(|code| format!("{letter}{code}")).collect()
        };
        let columns: [(&str, passel::table::Values); 5] = [
            ("a", named(&self.a, "l").into()),
            ("b", named(&self.b, "m").into()),
            ("c", self.c.clone().into()),
            ("d", self.d.clone().into()),
            ("y", self.y.clone().into()),
        ];
        Table::from_columns(columns).unwrap()
    }

    fn design(&self, formula: &str, hierarchy: Hierarchy) -> Design {
        let options = FormulaOptions {
            hierarchy,
            ..FormulaOptions::default()
        };
        Design::from_formula(self.table(), &Formula::parse(formula).unwrap(), &options).unwrap()
    }

    /// The columns of a term, such as `a:c`: products of numbers and of sum contrasts.
    fn columns(&self, term: &str) -> Vec<Vec<f64>> {
        let contrasts = |codes: &[usize], count: usize| -> Vec<Vec<f64>> {
            let is = |code: usize, level: usize| f64::from(u8::from(code == level));
            let against_first = |level: usize| {
                let codes = codes.iter();
                codes.map(move |code| is(*code, level) - is(*code, 0))
            };
            (1..count)
                .map(|level| against_first(level).collect())
                .collect()
        };
        let mut columns = vec![vec![1.0; self.y.len()]];
        for name in term.split(':') {
            let own = match name {
                "a" => contrasts(&self.a, 3),
                "b" => contrasts(&self.b, 2),
                "c" => vec![self.c.clone()],
                _ => vec![self.d.clone()],
            };
            let product =
                |x: &Vec<f64>, z: &Vec<f64>| x.iter().zip(z).map(|(x, z)| x * z).collect();
            let products = columns
                .iter()
                .flat_map(|x| own.iter().map(move |z| product(x, z)));
            columns = products.collect();
        }
        columns
    }

    /// φ of the model of these of so many terms.
    fn value(&self, criterion: &dyn Criterion, model: &[&str], all: &[&str]) -> f64 {
        let n = self.y.len();
        let fit = |model: &[&str]| {
            let ones = vec![vec![1.0; n]];
            let columns = model.iter().flat_map(|term| self.columns(term));
            let columns = ones.into_iter().chain(columns).map(DVector::from_vec);
            let svd = DMatrix::from_columns(&columns.collect::<Vec<_>>()).svd(true, false);
            let least = 1e-9 * svd.singular_values.max();
            let y = DVector::from_vec(self.y.clone());
            let (mut rss, mut rank) = (y.norm_squared(), 0);
            for (u, value) in svd.u.unwrap().column_iter().zip(&svd.singular_values) {
                if *value > least {
                    rss -= u.dot(&y).powi(2);
                    rank += 1;
                }
            }
            (rss, rank)
        };
        let (rss, rank) = fit(all);
        let error_variance = rss / (n - rank) as f64;
        let (rss, rank) = fit(model);
        criterion.value(&Model {
            chosen_parameters: rank - 1,
            error_variance,
            ..Model::new(n, all.len(), model.len(), rss)
        })
    }
}

/// Whether a model holds, of the terms that are part of a term of it, those that a rule wants.
fn is_allowed(model: &[&str], all: &[&str], rule: Hierarchy) -> bool {
    let parts = |term: &str| term.split(':').map(str::to_owned).collect::<Vec<_>>();
    model.iter().all(|term| {
        let whole = parts(term);
        let is_part = |other: &&&str| {
            let own = parts(other);
            own.len() < whole.len() && own.iter().all(|name| whole.contains(name))
        };
        let parents: Vec<_> = all.iter().filter(is_part).collect();
        let has = |parent: &&&str| model.contains(*parent);
        match rule {
            Hierarchy::Strong => parents.iter().all(has),
            Hierarchy::Weak => parents.is_empty() || parents.iter().any(has),
            Hierarchy::None => true,
        }
    })
}

fn run(design: &Design, criterion: &dyn Criterion, pass: &Pass) -> SearchResult {
    reference::run(design, criterion, pass, 2, |_| {})
}

const TERMS: [&str; 10] = ["a", "b", "c", "d", "a:b", "a:c", "a:d", "b:c", "b:d", "c:d"];

#[test]
fn the_best_model_is_the_best_of_those_that_the_hierarchy_allows() {
    let mut random = Random::new(291);
    for round in 0..6 {
        let problem = Problem::random(&mut random, 60 + 8 * round);
        for rule in [Hierarchy::Strong, Hierarchy::Weak, Hierarchy::None] {
            let design = problem.design("y ~ (a + b + c + d)^2", rule);
            let names: Vec<&str> = (0..10).map(|term| design.term_name(term)).collect();
            assert_eq!(names, TERMS);
            for entry in ALL.iter().skip(round % 3).step_by(3) {
                let criterion = at_defaults(entry);
                let pass = Pass {
                    seed: round as u64,
                    gain: [Gain::Correlation, Gain::Exact][round % 2],
                    ..Pass::default()
                };
                let found = run(&design, &*criterion, &pass);
                let members = |members: &[u32]| -> Vec<&str> {
                    members.iter().map(|term| design.term_name(*term)).collect()
                };
                for model in &found.models {
                    let model = members(&model.members);
                    assert!(is_allowed(&model, &TERMS, rule), "{rule:?} {model:?}");
                }
                let models = (0..1_usize << 10).map(|mask| -> Vec<&str> {
                    let own = (0..10).filter(|at| mask >> at & 1 == 1);
                    own.map(|at| TERMS[at]).collect()
                });
                let models = models.filter(|model| is_allowed(model, &TERMS, rule));
                let values = models.map(|model| problem.value(&*criterion, &model, &TERMS));
                let least = values.fold(f64::INFINITY, f64::min);
                let best = members(&found.models[0].members);
                let own = problem.value(&*criterion, &best, &TERMS);
                let name = criterion.name();
                let off = own - least;
                assert!(
                    off.abs() < 1e-9 * least.abs().max(1.0),
                    "{name} {rule:?}: {best:?} by {off}"
                );
                assert!(
                    (found.value - own).abs() < 1e-9 * own.abs().max(1.0),
                    "{name}"
                );
                assert_eq!(found.certified, Some(Certificate::Global));
            }
        }
    }
}

#[test]
fn kept_terms_bring_what_they_stand_on() {
    let mut random = Random::new(292);
    let problem = Problem::random(&mut random, 80);
    let keep = ["b:d".to_owned()];
    let options = FormulaOptions {
        keep: &keep,
        ..FormulaOptions::default()
    };
    let formula = Formula::parse("y ~ (a + b + c + d)^2").unwrap();
    let design = Design::from_formula(problem.table(), &formula, &options).unwrap();
    let names = |members: &[u32]| -> Vec<String> {
        members
            .iter()
            .map(|term| design.term_name(*term).to_owned())
            .collect()
    };
    assert_eq!(names(design.keep()), ["b", "d", "b:d"]);
    let found = run(&design, &Bic, &Pass::default());
    for model in &found.models {
        let model = names(&model.members);
        assert!(
            ["b", "d", "b:d"]
                .iter()
                .all(|term| model.iter().any(|own| own == term))
        );
    }
    let keep = ["b:e".to_owned()];
    let options = FormulaOptions {
        keep: &keep,
        ..FormulaOptions::default()
    };
    let refused = Design::from_formula(problem.table(), &formula, &options).unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("`b:e`, which is no term of the formula"),
        "{refused}"
    );
}

#[test]
fn formulas_say_the_response_the_intercept_and_offsets() {
    let mut random = Random::new(293);
    let problem = Problem::random(&mut random, 70);
    let parsed = |text: &str| Formula::parse(text).unwrap();
    let of = |text: &str, options: &FormulaOptions| {
        Design::from_formula(problem.table(), &parsed(text), options)
    };
    let default = FormulaOptions::default();
    // A formula of numbers alone is a table of columns.
    let plain = of("y ~ c + d", &default).unwrap();
    assert!(plain.columns().terms().is_none());
    let columns = [
        ("c", problem.c.clone().into()),
        ("d", problem.d.clone().into()),
        ("y", passel::table::Values::from(problem.y.clone())),
    ];
    let mut table = Table::from_columns(columns).unwrap();
    table.response = Some(2);
    let same = Design::from_table(table, &passel::DesignOptions::default()).unwrap();
    assert_eq!(plain.columns().values(), same.columns().values());
    assert_eq!(plain.y(), same.y());
    assert!(!of("y ~ c + d - 1", &default).unwrap().intercept());
    // An offset is taken off, and `log` is applied.
    let moved = of("exp(y) ~ a + offset(c)", &default).unwrap();
    assert_eq!(moved.response().name, "exp(y)");
    assert!(
        moved
            .warnings()
            .iter()
            .any(|told| told.contains("the offset c is taken off"))
    );
    let expected: Vec<f64> = problem
        .y
        .iter()
        .zip(&problem.c)
        .map(|(y, c)| y.exp() - c)
        .collect();
    let mean = expected.iter().sum::<f64>() / 70.0;
    assert!((moved.response().mean - mean).abs() < 1e-12 * mean.abs().max(1.0));
    // Without a response in the formula, an option has it; `.` is all other columns.
    let options = FormulaOptions {
        response: Some("y"),
        ..FormulaOptions::default()
    };
    let all = of("~ .", &options).unwrap();
    let names: Vec<&str> = (0..4).map(|term| all.term_name(term)).collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
    let none = of("~ .", &default).unwrap_err().to_string();
    assert!(none.contains("the formula has no response"), "{none}");
    let wrong = of("y ~ a + cc", &default).unwrap_err().to_string();
    assert!(wrong.contains("^^"), "{wrong}");
    // Weights are no variable.
    let options = FormulaOptions {
        weights: Some("w"),
        ..FormulaOptions::default()
    };
    let mut table = problem.table();
    let weights: Vec<f64> = (0..70).map(|row| f64::from(row % 3)).collect();
    table
        .columns
        .push(("w", passel::table::Values::from(weights)).into());
    let weighted = Design::from_formula(table, &parsed("y ~ ."), &options).unwrap();
    assert_eq!(weighted.columns().term_count(), 4);
    assert_eq!(weighted.n(), 46);
}

#[test]
fn cells_without_observations_cost_no_parameters() {
    let mut random = Random::new(294);
    let mut problem = Problem::random(&mut random, 90);
    // No observation of level 2 of `a` has level 1 of `b`.
    for (a, b) in problem.a.iter().zip(&mut problem.b) {
        if *a == 2 {
            *b = 0;
        }
    }
    let design = problem.design("y ~ a * b + c", Hierarchy::Strong);
    let aside: Vec<&str> = design.set_aside().iter().map(|own| &*own.name).collect();
    assert_eq!(aside, ["al2:bm1"]);
    let found = run(&design, &Bic, &Pass::default());
    let terms = ["a", "b", "c", "a:b"];
    let models = (0..16_usize).map(|mask| -> Vec<&str> {
        (0..4)
            .filter(|at| mask >> at & 1 == 1)
            .map(|at| terms[at])
            .collect()
    });
    let models = models.filter(|model| is_allowed(model, &terms, Hierarchy::Strong));
    let values = models.map(|model| problem.value(&Bic, &model, &terms));
    let least = values.fold(f64::INFINITY, f64::min);
    assert!(
        (found.value - least).abs() < 1e-9,
        "{} {least}",
        found.value
    );
}
