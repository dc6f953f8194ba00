//! Why the default criterion is what it is: noise variables taken up, true ones found and models exactly
//! recovered, by every criterion, on simulated data from one candidate to a hundred thousand.
//!
//! ```sh
//! cargo run --release --example default_criterion            # some minutes on one core
//! cargo run --release --example default_criterion -- 0.1     # a tenth of the runs
//! ```
//!
//! The tables are Markdown on standard output. Runs are by seed, so that the same command writes the same.

#[path = "../../tests/support/problems.rs"]
mod problems;

use std::error::Error;

use nalgebra::DVector;
use passel::{
    Design, Interrupt, MatrixOptions, Pass,
    criteria::{Criterion, EbicMonotone, Model, named},
    device::Resources,
    search::search,
};
use problems::{Random, chain};

/// Criteria compared. `ebic, held` is the default without its factor of small samples, and `γ = 1 − 1/(2κ)` that
/// with the least γ that Chen and Chen allow; `ebic-monotone, κ` is the default with γ = 1 − 1/(4κ).
const CRITERIA: [&str; 13] = [
    "aic",
    "aicc",
    "bic",
    "ebic",
    "hdaic",
    "hdhqc",
    "hdbic",
    "ric",
    "mbic2",
    "γ = 1 − 1/(2κ)",
    "ebic, held",
    "ebic-monotone, κ",
    "ebic-monotone",
];

/// The default criterion without its factor of small samples.
#[derive(Debug)]
struct Held(EbicMonotone);

impl Criterion for Held {
    fn name(&self) -> &str {
        "held"
    }

    fn penalty(&self, model: &Model) -> f64 {
        let left = model.n as f64 - model.coefficients() as f64;
        self.0.penalty(model) * left / model.n as f64
    }
}

/// p = n^κ; Chen and Chen's condition for consistency is γ > 1 − 1/(2κ).
fn criterion(name: &str, n: usize, p: usize) -> Result<Box<dyn Criterion>, Box<dyn Error>> {
    let inverse = (n as f64).ln() / (p.max(2) as f64).ln();
    let rule = |share: f64| EbicMonotone {
        gamma: (1.0 - share * inverse).max(0.0),
    };
    Ok(match name {
        "γ = 1 − 1/(2κ)" => Box::new(Held(rule(0.5))),
        "ebic, held" => Box::new(Held(EbicMonotone::default())),
        "ebic-monotone, κ" => Box::new(rule(0.25)),
        name => named(name, &[])?,
    })
}

/// A sort of data: how many of the candidates are true, and how columns are correlated.
struct Scenario {
    title: &'static str,
    /// n, p, true variables, runs.
    sizes: &'static [(usize, usize, usize, usize)],
    /// Columns have correlation ρ^|i−j|.
    rho: f64,
    /// Coefficient of a true variable; the noise is N(0, 1).
    slope: f64,
}

const SCENARIOS: [Scenario; 4] = [
    Scenario {
        title: "no variable is true, n = 100",
        sizes: &[
            (100, 1, 0, 1000),
            (100, 2, 0, 1000),
            (100, 4, 0, 500),
            (100, 10, 0, 300),
            (100, 30, 0, 200),
            (100, 100, 0, 100),
            (100, 1_000, 0, 40),
            (100, 10_000, 0, 15),
            (100, 100_000, 0, 4),
        ],
        rho: 0.0,
        slope: 0.0,
    },
    Scenario {
        title: "few are true, n = 100, β = 0.6",
        sizes: &[
            (100, 1, 1, 300),
            (100, 2, 1, 300),
            (100, 4, 1, 300),
            (100, 10, 3, 200),
            (100, 30, 3, 100),
            (100, 100, 3, 60),
            (100, 1_000, 3, 30),
            (100, 10_000, 3, 12),
            (100, 100_000, 3, 4),
        ],
        rho: 0.0,
        slope: 0.6,
    },
    Scenario {
        title: "few are true, columns correlated .7^|i−j|, n = 200, β = 0.7",
        sizes: &[
            (200, 10, 3, 150),
            (200, 30, 3, 80),
            (200, 100, 3, 40),
            (200, 1_000, 3, 20),
            (200, 10_000, 3, 6),
        ],
        rho: 0.7,
        slope: 0.7,
    },
    Scenario {
        title: "most are true, β = 0.8",
        sizes: &[
            (100, 2, 1, 500),
            (100, 4, 3, 500),
            (100, 6, 5, 300),
            (100, 8, 6, 300),
            (100, 10, 8, 300),
            (200, 30, 24, 100),
            (400, 100, 80, 20),
        ],
        rho: 0.0,
        slope: 0.8,
    },
];

/// Sums over runs: noise variables taken up, true ones found, models exactly recovered.
type Tally = [f64; 3];

/// One set of data, by all criteria.
fn measure(
    scenario: &Scenario,
    size: (usize, usize, usize),
    seed: u64,
) -> Result<Vec<Tally>, Box<dyn Error>> {
    let (n, p, r) = size;
    let mut random = Random::new(seed);
    let x = chain(&mut random, n, p, scenario.rho);
    // Spread over the columns, so that true ones are not each other's neighbours; of alternating sign.
    let true_columns: Vec<usize> = (0..r).map(|i| i * p / r).collect();
    let y = DVector::from_fn(n, |t, _| {
        let signed = true_columns.iter().zip([1.0, -1.0].into_iter().cycle());
        let signal: f64 = signed.map(|(j, sign)| sign * x[(t, *j)]).sum();
        scenario.slope * signal + random.normal()
    });
    let design = Design::from_matrices(&x, &y, &MatrixOptions::default())?;
    let never = Interrupt::default();
    let one = |name: &&str| -> Result<Tally, Box<dyn Error>> {
        // Where they take up noise to the bound on size, how well is of no interest.
        let is_mild = ["aic", "aicc", "bic"].contains(name) && p >= 1_000;
        let pass = Pass {
            polish: !is_mild,
            ..Pass::default()
        };
        let (criterion, resources) = (criterion(name, n, p)?, Resources::cpu(1));
        let found = search(
            &design,
            &*criterion,
            &pass,
            &resources,
            &never,
            None,
            &mut |_| {},
        );
        let fit = found?.fit;
        let hits = fit
            .support()
            .iter()
            .filter(|j| true_columns.contains(&(**j as usize)));
        let (hits, all) = (hits.count(), fit.support().len());
        let exact = hits == r && all == r;
        Ok([(all - hits) as f64, hits as f64, f64::from(u8::from(exact))])
    };
    CRITERIA.iter().map(one).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let share: f64 = std::env::args()
        .nth(1)
        .map_or(Ok(1.0), |text| text.parse())?;
    for (at, scenario) in SCENARIOS.iter().enumerate() {
        let mut tables: [Vec<String>; 3] = Default::default();
        for &(n, p, r, runs) in scenario.sizes {
            let runs = ((runs as f64 * share) as usize).max(1);
            let mut sums = vec![[0.0; 3]; CRITERIA.len()];
            for run in 0..runs {
                let seed = ((at * 1_000_000 + p) * 10_000 + run) as u64;
                for (sum, one) in sums.iter_mut().zip(measure(scenario, (n, p, r), seed)?) {
                    sum.iter_mut().zip(one).for_each(|(sum, one)| *sum += one);
                }
            }
            eprintln!("{}: p = {p} done", scenario.title);
            for (which, rows) in tables.iter_mut().enumerate() {
                let of = if which == 1 { runs * r } else { runs } as f64;
                let cells = sums.iter().map(|sum| format!("{:.2}", sum[which] / of));
                let cells: Vec<String> = cells.collect();
                rows.push(format!(
                    "| {n} × {p} | {r} | {runs} | {} |",
                    cells.join(" | ")
                ));
            }
        }
        let measures = [
            "noise variables taken up per run",
            "share of true variables found",
            "share of runs with exactly the true model",
        ];
        for (which, (rows, measure)) in tables.iter().zip(measures).enumerate() {
            // Without true variables there is one number to tell, but for exactness.
            if which > 0 && scenario.slope == 0.0 {
                continue;
            }
            println!("\n### {}: {measure}\n", scenario.title);
            println!("| n × p | true | runs | {} |", CRITERIA.join(" | "));
            println!("|{}", " --- |".repeat(CRITERIA.len() + 3));
            println!("{}", rows.join("\n"));
        }
    }
    Ok(())
}
