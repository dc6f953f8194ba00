//! A plugin in Rust that fails as its user wants, for `tests/plugins`.

use passel_sdk::{
    Criterion, Family, FamilyLink, Function, PairMeasure, PairScore, Parameter, ParameterKind,
    Procedure, Regression, Run, Score, Selector, Table, combinations::XW_Y,
};

const FAULT: Parameter = Parameter {
    name: "fault",
    help: "Which",
    default: 0.0,
    least: 0.0,
    most: 9.0,
    kind: ParameterKind::Number,
};

/// Fails in the way of its parameter: 1 with an error, 2 with a panic, 3 with a score that
/// has no room, 4 with one that cannot be.
pub const FAULTY: Selector = Selector {
    name: "faulty",
    title: "a selector that fails",
    formula: "none",
    source: "the tests",
    parameters: &[FAULT],
    score: |values| match values[0] {
        1.0 => Err("no score at 1".to_owned()),
        2.0 => panic!("no way to {}", values[0]),
        3.0 => Ok(Score {
            terms: vec![XW_Y.into(); 9],
            ..Score::default()
        }),
        4.0 => Ok(Score {
            relevance: XW_Y.into(),
            ..Score::default()
        }),
        _ => {
            passel_sdk::warn("declared without fault");
            Ok(Score::default())
        }
    },
};

/// A function that is 1 NaN, 2 infinite, 3 a panic, 4 never.
pub const CODED: Selector = Selector {
    name: "faulty-function",
    title: "a function that fails",
    formula: "none",
    source: "the tests",
    parameters: &[FAULT],
    score: |_| {
        Ok(Score {
            function: Some(&FUNCTION),
            ..Score::default()
        })
    },
};

/// The same, of pairs.
pub const PAIR: PairScore = PairScore {
    name: "faulty-pair",
    title: "a function that fails",
    formula: "none",
    source: "the tests",
    parameters: &[FAULT],
    measure: PairMeasure::Function(&FUNCTION),
};

/// Asked for once, by the entry: it panics where the environment wants it.
pub const ENTERED: PairScore = PairScore {
    name: "faulty-entry",
    title: "a pair score whose entry fails",
    formula: "none",
    source: "the tests",
    parameters: &[],
    measure: PairMeasure::Quantity(|| match std::env::var_os("PASSEL_TEST_FAULTY_ENTRY") {
        Some(_) => panic!("no entry"),
        None => XW_Y.into(),
    }),
};

static FUNCTION: Function = Function::new(function);

fn function(values: &[f64], table: &Table) -> f64 {
    match values[0] {
        1.0 => f64::NAN,
        2.0 => f64::INFINITY,
        3.0 => panic!("no value"),
        4.0 => f64::NEG_INFINITY,
        _ => f64::from(table.counts[0]),
    }
}

/// A way over levels; see `fails`.
pub const OVER_LEVELS: Procedure = Procedure {
    name: "faulty-levels",
    title: "a way that fails",
    formula: "none",
    source: "the tests",
    parameters: &[FAULT],
    check: |_| Ok(()),
    run: Run::Levels(|values, problem| {
        if values[0] == 6.0 {
            problem.codes(problem.p() + 1)?;
        }
        fails(values, problem)
    }),
};

/// A way over a regression; see `fails`.
pub const OVER_REGRESSION: Procedure = Procedure {
    name: "faulty-regression",
    title: "a way that fails",
    formula: "none",
    source: "the tests",
    parameters: &[FAULT],
    check: |_| Ok(()),
    run: Run::Regression(over_regression),
};

fn over_regression(values: &[f64], problem: &Regression) -> Result<(), String> {
    match values[0] {
        6.0 => problem.sweep(&[&[0.0]], 1).map(drop),
        7.0 => problem.sweep(&[&vec![f64::NAN; problem.n()]], 1).map(drop),
        8.0 => problem.fit(&[0, 0]).map(drop),
        _ => fails(values, problem),
    }
}

/// Chooses the first variable, then fails: 1 with an error, 2 with a panic, 3 with a panic on
/// many threads; 4 fails before, 5 chooses what there is not and heeds nothing.
fn fails(values: &[f64], problem: &passel_sdk::Problem) -> Result<(), String> {
    if values[0] == 4.0 {
        return Err(String::new());
    }
    problem.choose(0, 1.0)?;
    match values[0] {
        1.0 => Err("no way\non".to_owned()),
        2.0 => panic!("no way"),
        3.0 => {
            problem.each(100, |at| assert!(at < 50, "no work"));
            Ok(())
        }
        5.0 => {
            let _ = problem.choose(99, 1.0);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Chooses the columns that a file lists, by their numbers.
pub const LISTED: Procedure = Procedure {
    name: "faulty-file",
    title: "what a file lists",
    formula: "none",
    source: "the tests",
    parameters: &[Parameter {
        name: "columns",
        help: "Their numbers",
        default: 0.0,
        least: 0.0,
        most: 0.0,
        kind: ParameterKind::File,
    }],
    check: |values| match passel_sdk::file(values[0]) {
        Some(path) if path.is_absolute() => Ok(()),
        path => Err(format!("the file of columns is {path:?}")),
    },
    run: Run::Levels(|values, levels| {
        let path = passel_sdk::file(values[0]).unwrap_or_default();
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        for (rank, column) in text.split_whitespace().enumerate() {
            levels.choose(column.parse().unwrap_or(usize::MAX), -(rank as f64))?;
        }
        Ok(())
    }),
};

/// A criterion that panics for the parameter 1, and for 2 beyond three variables.
pub const PRICE: Criterion = Criterion {
    name: "faulty-price",
    title: "a criterion that fails",
    formula: "none",
    source: "the tests",
    parameters: &[FAULT],
    likelihoods: false,
    value: |values, model| match values[0] {
        1.0 => panic!("no price"),
        2.0 if model.chosen > 3 => panic!("no price of {}", model.chosen),
        _ => model.n as f64 * (model.rss / model.n as f64).ln() + 5.0 * model.chosen as f64,
    },
};

/// Least squares by another name, which panic for the parameter 1.
pub const SQUARES: Family = Family {
    name: "faulty-squares",
    title: "the normal distribution of variance 1",
    formula: "V(μ) = 1",
    source: "the tests",
    parameters: &[FAULT],
    responses: "numbers",
    link: FamilyLink::Own {
        name: "shifted",
        predictor: |_, mean| mean - 1.0,
        mean: |_, eta| (eta + 1.0, 1.0),
    },
    dispersion: true,
    is_response: |_, y| y.is_finite(),
    variance: |values, _| match values[0] {
        1.0 => panic!("no variance"),
        _ => 1.0,
    },
    deviance: |_, y, mean| (y - mean).powi(2),
    saturated: |_, _| 0.0,
    start: |_, y| y,
    cuda: Some(
        "__device__ void passel_mean(const double *, double eta, double *mean, double *slope)
         { *mean = eta + 1.0; *slope = 1.0; }
         __device__ double passel_variance(const double *, double) { return 1.0; }
         __device__ double passel_deviance(const double *, double y, double mean)
         { return (y - mean) * (y - mean); }",
    ),
};

passel_sdk::plugin! {
    name: faulty,
    selectors: [FAULTY, CODED],
    procedures: [OVER_LEVELS, OVER_REGRESSION, LISTED],
    pair_scores: [PAIR, ENTERED],
    criteria: [PRICE],
    families: [SQUARES],
}
