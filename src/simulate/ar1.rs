use super::{
    Drawn, Limit, SimulationModel, SimulationSettings, autoregressive, inside_one, numbered,
    random::Random, signal,
};

/// From one column of a pair to the other.
const LAG: usize = 3;

/// Each pair is in the middle of its share of the columns. At the default ρ a column between the two
/// has covariance ρ + ρ² = 1.71 with their sum, where the true ones have 1 + ρ³ = 1.73.
pub(super) const MODEL: SimulationModel = SimulationModel {
    name: "ar1",
    title: "strongly correlated neighbours, of which the false are easily taken for the true",
    formula: "columns N(0, 1) with covariance ρ^|i − j|; r/2 pairs of true variables (j, j + 3), \
              spread evenly over the columns; β = 1 for both of a pair, −1 in every other pair",
    source: "passel's own",
    options: &["n", "p", "r", "rho", "snr", "seed"],
    defaults: SimulationSettings {
        n: 500,
        p: 2000,
        r: 20,
        rho: 0.9,
        snr: Some(2.0),
        ..SimulationSettings::BLANK
    },
    limits,
    draw,
};

fn limits(settings: &SimulationSettings) -> Result<(), Limit> {
    let &SimulationSettings { p, r, .. } = settings;
    if p < LAG + 1 {
        return Err(("p", format!("at least {}", LAG + 1)));
    }
    // A pair and what it encloses have their own share of the columns.
    let most = p / (LAG + 1) * 2;
    if r < 2 || r > most || r % 2 == 1 {
        return Err(("r", format!("even and 2 … {most}, half of p = {p}")));
    }
    inside_one(settings)
}

fn draw(settings: &SimulationSettings, random: &mut Random) -> Drawn {
    let &SimulationSettings { n, p, r, rho, .. } = settings;
    let columns = autoregressive(n, p, rho, random);
    let pairs = r / 2;
    let room = p / pairs - (LAG + 1);
    let first = (0..pairs).map(|pair| pair * p / pairs + room / 2);
    let truth: Vec<usize> = first.flat_map(|first| [first, first + LAG]).collect();
    let terms = truth.iter().enumerate().map(|(at, position)| {
        let sign = [1.0, -1.0][at / 2 % 2];
        (sign, &*columns[*position])
    });
    let signal = signal(n, terms);
    Drawn {
        columns: numbered(columns),
        truth,
        signal,
    }
}
