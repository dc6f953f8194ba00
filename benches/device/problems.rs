//! The problems, and their data: made anew by every core, the same on every machine but for
//! the last digits of its logarithm.

use std::f64::consts::TAU;

use passel::{
    Design,
    design::DesignOptions,
    family::{Distribution, Family},
    table::{Column, Table, Values},
};
use rayon::prelude::*;

/// Whose model makes the data.
#[derive(Clone, Copy, PartialEq)]
pub enum Model {
    IngLai,
    /// The columns of Ing and Lai, and events of logistic regression on the first ten.
    Logistic,
    /// These columns, and survival times whose hazard the first ten make, seven of ten of them events.
    Cox,
    ChenChen,
}

/// One search to time.
pub struct Problem {
    pub number: usize,
    pub model: Model,
    pub n: usize,
    pub p: usize,
    pub polish: bool,
    /// Whether only a quarter of X has room on the devices.
    pub streams: bool,
    /// Seconds without and with GPUs.
    pub paper: Option<[f64; 2]>,
}

impl Problem {
    /// As in `1 ing-lai 4000 x 40000, polished`.
    pub fn name(&self, p: usize) -> String {
        let model = match self.model {
            Model::IngLai => "ing-lai",
            Model::Logistic => "logistic",
            Model::Cox => "cox",
            Model::ChenChen => "chen-chen",
        };
        let polished = if self.polish { ", polished" } else { "" };
        let streaming = if self.streams { ", streaming" } else { "" };
        format!(
            "{} {model} {} x {p}{polished}{streaming}",
            self.number, self.n
        )
    }
}

const fn problem(number: usize, model: Model, n: usize, p: usize) -> Problem {
    Problem {
        number,
        model,
        n,
        p,
        polish: false,
        streams: false,
        paper: None,
    }
}

/// In the order in which they share their data.
pub fn problems() -> [Problem; 11] {
    use Model::{ChenChen, Cox, IngLai, Logistic};
    [
        problem(3, IngLai, 400, 4_000),
        Problem {
            paper: Some([97.43, 13.88]),
            ..problem(2, ChenChen, 20_000, 500)
        },
        Problem {
            paper: Some([117.07, 16.25]),
            ..problem(1, IngLai, 4_000, 40_000)
        },
        Problem {
            streams: true,
            ..problem(6, IngLai, 4_000, 40_000)
        },
        Problem {
            polish: true,
            ..problem(5, IngLai, 4_000, 40_000)
        },
        problem(7, Logistic, 4_000, 40_000),
        Problem {
            polish: true,
            ..problem(8, Logistic, 4_000, 40_000)
        },
        problem(10, Cox, 4_000, 40_000),
        Problem {
            polish: true,
            ..problem(11, Cox, 4_000, 40_000)
        },
        problem(4, IngLai, 4_000, 160_000),
        problem(9, Logistic, 4_000, 160_000),
    ]
}

/// Random words of a column: splitmix64.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Standard normals, by Box and Muller: a column's are its number's alone.
fn normals(n: usize, column: usize) -> Vec<f64> {
    let mut words = Words((column as u64 + 1).wrapping_mul(0xd1b5_4a32_d192_ed03));
    let mut unit = || ((words.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    let mut values = Vec::with_capacity(n + 1);
    while values.len() < n {
        let (radius, angle) = ((-2.0 * unit().ln()).sqrt(), TAU * unit());
        let (sin, cos) = angle.sin_cos();
        values.extend([radius * cos, radius * sin]);
    }
    values.truncate(n);
    values
}

/// y = Σ βⱼxⱼ + noise of the columns first made.
fn response(n: usize, p: usize, x: &[Vec<f64>], coefficients: &[f64]) -> Vec<f64> {
    let mut y = normals(n, p);
    for (x, b) in x.iter().zip(coefficients) {
        y.iter_mut().zip(x).for_each(|(y, x)| *y += b * x);
    }
    y
}

/// Ten columns iid, the others half noise and half (in variance three quarters) the ten's sum.
fn ing_lai(n: usize, p: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
    const R: usize = 10;
    let first: Vec<Vec<f64>> = (0..R).into_par_iter().map(|j| normals(n, j)).collect();
    let b = (3.0 / (4.0 * R as f64)).sqrt();
    let common: Vec<f64> = (0..n)
        .map(|t| b * first.iter().map(|x| x[t]).sum::<f64>())
        .collect();
    let others = (R..p).into_par_iter().map(|j| {
        let mut x = normals(n, j);
        x.iter_mut()
            .zip(&common)
            .for_each(|(x, c)| *x = 0.5 * *x + c);
        x
    });
    let x: Vec<Vec<f64>> = first.into_par_iter().chain(others).collect();
    let coefficients: Vec<f64> = (0..R).map(|l| 3.0 + 0.75 * l as f64).collect();
    let y = response(n, p, &x, &coefficients);
    (x, y)
}

/// Columns of correlation .5^|i−j|, then put in another order.
fn chen_chen(n: usize, p: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut x: Vec<Vec<f64>> = (0..p).into_par_iter().map(|j| normals(n, j)).collect();
    for j in 1..p {
        let (before, x) = x.split_at_mut(j);
        let fresh = 0.75_f64.sqrt();
        let values = x[0].iter_mut().zip(&before[j - 1]);
        values.for_each(|(x, before)| *x = 0.5 * before + fresh * *x);
    }
    let y = response(n, p, &x, &[0.7, 0.9, 0.4, 0.3, 1.0, 0.2, 0.2, 0.1]);
    let mut words = Words(1);
    for i in (1..p).rev() {
        x.swap(i, (words.next() % (i as u64 + 1)) as usize);
    }
    (x, y)
}

/// By way of a table, whose columns go as they are taken up: at most two copies of X at a
/// time, where matrices would be a third.
pub fn design(model: Model, n: usize, p: usize) -> Design {
    let (x, mut y) = match model {
        Model::IngLai | Model::Logistic | Model::Cox => ing_lai(n, p),
        Model::ChenChen => chen_chen(n, p),
    };
    let mut options = DesignOptions::default();
    let mut events = None;
    if matches!(model, Model::Logistic | Model::Cox) {
        // Of a linear predictor of variance 4.
        let mean = y.iter().sum::<f64>() / n as f64;
        let square = y.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n as f64;
        let noise = normals(n, p + 1);
        for (y, z) in y.iter_mut().zip(noise) {
            let eta = 2.0 * (*y - mean) / square.sqrt();
            // The logistic quantile of a normal number's probability, nearly: 1.702 of it.
            let quantile = 1.702 * z;
            *y = match model {
                // An exponential number, which is less where the hazard is more.
                Model::Cox => (-quantile).exp().ln_1p() / eta.exp(),
                _ => f64::from(u8::from(eta + quantile > 0.0)),
            };
        }
        options.kind.family = Family::new(Distribution::Binomial, None).unwrap();
    }
    if model == Model::Cox {
        options.kind.family = Family::COX;
        options.kind.event = Some("event");
        let is_event = |z: f64| f64::from(u8::from(z > -0.5244));
        events = Some(normals(n, p + 2).into_iter().map(is_event).collect());
    }
    let column = |name: String, values| Column {
        name,
        values: Values::from(values),
    };
    let mut columns = vec![column("y".to_owned(), y)];
    columns.extend(events.map(|events| column("event".to_owned(), events)));
    let numbered = x.into_iter().enumerate();
    columns.extend(numbered.map(|(j, values)| column(format!("x{j}"), values)));
    let table = Table {
        source: "the benchmark".to_owned(),
        columns,
        rows: n,
        response: Some(0),
        truth: Vec::new(),
        ..Table::default()
    };
    Design::from_table(table, &options).unwrap()
}
