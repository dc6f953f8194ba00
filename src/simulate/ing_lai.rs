use super::{
    Drawn, SimulationModel, SimulationSettings, at_most_p, numbered, random::Random, signal,
};

/// Every column has variance 1, and a false one has correlation b with each true one.
///
/// *Source*: C.-K. Ing, T. L. Lai, A stepwise regression method and consistent model selection
/// for high-dimensional sparse linear models, Statistica Sinica 21, 2011; as in section IV.B.1
/// of the PaSS paper.
pub(super) const MODEL: SimulationModel = SimulationModel {
    name: "ing-lai",
    title: "many more variables than observations, the false ones correlated with all true ones",
    formula: "X_1 … X_r iid N(0, 1); for i > r, X_i = d + b·ΣX_l over l ≤ r, d ~ N(0, 1/4), \
              b = (3/(4r))^½; β = 3, 3.75, …, 3 + 0.75·(r − 1)",
    source: "Ing and Lai, Statistica Sinica 21, 2011",
    options: &["n", "p", "r", "snr", "seed"],
    defaults: SimulationSettings {
        n: 400,
        p: 4000,
        r: 10,
        ..SimulationSettings::BLANK
    },
    limits: at_most_p,
    draw,
};

fn draw(settings: &SimulationSettings, random: &mut Random) -> Drawn {
    let &SimulationSettings { n, p, r, .. } = settings;
    let mut columns: Vec<Vec<f64>> = (0..r).map(|_| random.normals(n)).collect();
    let b = (3.0 / (4.0 * r as f64)).sqrt();
    let common = signal(n, columns.iter().map(|column| (b, &**column)));
    columns.resize_with(p, || random.normals_with(&common, 1.0, 0.5));
    let truth = columns.iter().take(r).enumerate();
    let signal = signal(
        n,
        truth.map(|(l, column)| (3.0 + 0.75 * l as f64, &**column)),
    );
    Drawn {
        columns: numbered(columns),
        truth: (0..r).collect(),
        signal,
    }
}
