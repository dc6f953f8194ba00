use super::{
    Correlation, Drawn, Limit, SimulationModel, SimulationSettings, at_most_p, autoregressive,
    inside_one, numbered, random::Random, signal,
};

/// β of the first eight columns; a longer truth repeats them.
const COEFFICIENTS: [f64; 8] = [0.7, 0.9, 0.4, 0.3, 1.0, 0.2, 0.2, 0.1];

/// Columns are permuted as by the original PaSS program, so that the true ones may be anywhere.
///
/// *Source*: J. Chen, Z. Chen, Extended Bayesian information criteria for model selection with
/// large model spaces, Biometrika 95, 2008; as in section IV.B.2 of the PaSS paper.
pub(super) const MODEL: SimulationModel = SimulationModel {
    name: "chen-chen",
    title: "more observations than variables, with effects too weak to be found each time",
    formula: "columns N(0, 1) with covariance ρ^|i − j|, ρ or 0; β = 0.7, 0.9, 0.4, 0.3, 1, 0.2, \
              0.2, 0.1, repeated for r above 8; the columns are then permuted at random",
    source: "Chen and Chen, Biometrika 95, 2008",
    options: &["n", "p", "r", "correlation", "rho", "snr", "seed"],
    defaults: SimulationSettings {
        n: 200,
        p: 50,
        r: COEFFICIENTS.len(),
        rho: 0.2,
        correlation: Correlation::Autoregressive,
        ..SimulationSettings::BLANK
    },
    limits,
    draw,
};

fn limits(settings: &SimulationSettings) -> Result<(), Limit> {
    at_most_p(settings)?;
    match settings.correlation {
        // No more columns than 1 − 1/ρ can have a negative correlation in common.
        Correlation::Constant if !(0.0..1.0).contains(&settings.rho) => {
            let limit = "0 or above and below 1 with correlation constant";
            Err(("rho", limit.to_owned()))
        }
        _ => inside_one(settings),
    }
}

fn draw(settings: &SimulationSettings, random: &mut Random) -> Drawn {
    let &SimulationSettings { n, p, r, rho, .. } = settings;
    let columns = match settings.correlation {
        Correlation::Autoregressive => autoregressive(n, p, rho, random),
        Correlation::Constant => constant(n, p, rho, random),
        Correlation::Independent => (0..p).map(|_| random.normals(n)).collect(),
    };
    let coefficients = COEFFICIENTS.into_iter().cycle().take(r);
    let signal = signal(n, coefficients.zip(columns.iter().map(|column| &**column)));
    let mut placed: Vec<(usize, Vec<f64>)> = columns.into_iter().enumerate().collect();
    random.shuffle(&mut placed);
    let places = placed.iter().enumerate();
    let truth = places.filter(|(_, (before, _))| *before < r);
    Drawn {
        truth: truth.map(|(place, _)| place).collect(),
        columns: numbered(placed.into_iter().map(|(_, column)| column).collect()),
        signal,
    }
}

/// Columns with covariance ρ, by a part that all of them share.
fn constant(n: usize, p: usize, rho: f64, random: &mut Random) -> Vec<Vec<f64>> {
    let (shared, own) = (rho.sqrt(), (1.0 - rho).sqrt());
    let common = random.normals(n);
    (0..p)
        .map(|_| random.normals_with(&common, shared, own))
        .collect()
}
