//! Selection from the definitions alone: H = −Σ (c/n)·ln(c/n) over the counts c of the
//! distinct values, in f64; every mutual information is made of such H; every step scores
//! every variable that is left. Nats.

use std::collections::{BTreeMap, HashMap};

/// Codes of the variables and of the response, below 2²¹.
#[derive(Clone)]
pub struct Set {
    pub columns: Vec<Vec<u32>>,
    pub y: Vec<u32>,
}

/// A selector. MIFS, CIFE and CondRed are BetaGamma.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    Mim,
    Mrmr,
    Jmi,
    Disr,
    Cmim,
    Icap,
    BetaGamma(f64, f64),
    Cmi,
    Jmim,
    Njmim,
    Jmi3,
    Jim,
    /// By its threshold.
    Fcbf(f64),
}

/// What the program calls them, what the golden files do, and what they are: all that are
/// declared, so that equal ones are equal to the last bit. (Not so `jim`.)
pub const METHODS: &[(&str, &str, Method)] = &[
    ("mim", "mim", Method::Mim),
    ("mrmr", "mrmr_d", Method::Mrmr),
    ("mifs:beta=1", "mifs_b1", Method::BetaGamma(1.0, 0.0)),
    ("mifs:beta=0.5", "mifs_b0.5", Method::BetaGamma(0.5, 0.0)),
    ("cmim", "cmim", Method::Cmim),
    ("jmi", "jmi", Method::Jmi),
    ("disr", "disr", Method::Disr),
    ("cife", "cife", Method::BetaGamma(1.0, 1.0)),
    ("icap", "icap", Method::Icap),
    ("condred", "condred", Method::BetaGamma(0.0, 1.0)),
    ("cmi", "cmi", Method::Cmi),
    (
        "betagamma:beta=0.5,gamma=0.5",
        "betagamma_0.5_0.5",
        Method::BetaGamma(0.5, 0.5),
    ),
    ("jmim", "", Method::Jmim),
    ("njmim", "", Method::Njmim),
    ("jmi3", "", Method::Jmi3),
    ("fcbf", "", Method::Fcbf(0.0)),
];

/// A variable chosen.
#[derive(Debug, Clone)]
pub struct Pick {
    pub index: usize,
    pub score: f64,
    /// I(x;y), or what the method measures in its place.
    pub relevance: f64,
    /// The mean of I(x;w) over those chosen before, if any were.
    pub redundancy: Option<f64>,
    /// How many were within [`TIE`] of the best, itself among them.
    pub tied: usize,
}

/// Scores so close are equal, and no score is above zero by less: they are some 10⁻¹⁴ off.
pub const TIE: f64 = 1e-10;

/// H of the values.
fn entropy(mut values: Vec<u64>) -> f64 {
    values.sort_unstable();
    let n = values.len() as f64;
    let counts = values.chunk_by(|a, b| a == b).map(<[u64]>::len);
    let shares = counts.map(|count| count as f64 / n);
    shares.map(|share| -share * share.ln()).sum()
}

/// H of columns together.
pub fn joint_entropy(columns: &[&[u32]]) -> f64 {
    assert!(columns.len() <= 3, "a value has room for three codes");
    let value = |t: usize| {
        columns.iter().fold(0, |value: u64, column| {
            assert!(column[t] < 1 << 21);
            value << 21 | u64::from(column[t])
        })
    };
    entropy((0..columns[0].len()).map(value).collect())
}

/// 2·I / (H + H), by I and the sum of the entropies.
fn uncertainty(shared: f64, entropies: f64) -> f64 {
    match entropies {
        0.0 => 0.0,
        _ => 2.0 * shared / entropies,
    }
}

/// A number for each pair of codes that there is.
fn joined(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut numbers = BTreeMap::new();
    let pairs = a.iter().zip(b).map(|pair| {
        let next = numbers.len() as u32;
        *numbers.entry(pair).or_insert(next)
    });
    pairs.collect()
}

/// Σ p(x,y)²/p(x) − Σ p(y)².
fn impurity(x: &[u32], y: &[u32]) -> f64 {
    let n = y.len() as f64;
    let (mut of_x, mut of_y, mut of_both) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for (x, y) in x.iter().zip(y) {
        *of_x.entry(x).or_insert(0.0) += 1.0 / n;
        *of_y.entry(y).or_insert(0.0) += 1.0 / n;
        *of_both.entry((x, y)).or_insert(0.0) += 1.0 / n;
    }
    let told = of_both.iter().map(|((x, _), p): (_, &f64)| p * p / of_x[x]);
    told.sum::<f64>() - of_y.values().map(|p: &f64| p * p).sum::<f64>()
}

/// Entropies of a set, each found when it is first asked for.
pub struct Reference<'a> {
    set: &'a Set,
    y: f64,
    /// H(x) and H(x,y) of every variable.
    single: Vec<(f64, f64)>,
    /// H(x,w) and H(x,w,y) of every variable x, by w.
    against: HashMap<usize, Vec<(f64, f64)>>,
    /// Of a method whose steps are not made of these: what every variable has gathered.
    gathered: Vec<f64>,
}

impl<'a> Reference<'a> {
    pub fn new(set: &'a Set) -> Self {
        let single = |x: &Vec<u32>| (joint_entropy(&[x]), joint_entropy(&[x, &set.y]));
        Self {
            set,
            y: joint_entropy(&[&set.y]),
            single: set.columns.iter().map(single).collect(),
            against: HashMap::new(),
            gathered: Vec::new(),
        }
    }

    /// I(x;y).
    pub fn relevance(&self, x: usize) -> f64 {
        let (hx, hxy) = self.single[x];
        hx + self.y - hxy
    }

    /// What the method measures of x and y.
    pub fn first(&self, method: Method, x: usize) -> f64 {
        match method {
            Method::Jim => impurity(&self.set.columns[x], &self.set.y),
            Method::Fcbf(_) => uncertainty(self.relevance(x), self.single[x].0 + self.y),
            _ => self.relevance(x),
        }
    }

    /// Gathers what the variable chosen last adds, beside those chosen before.
    fn gather(&mut self, method: Method, last: usize, before: &[usize]) {
        let Set { columns, y } = self.set;
        let w = &columns[last];
        if let (Method::Jmi3, [_]) = (method, before) {
            // One variable stood for a pair until there was one.
            self.gathered.fill(0.0);
        }
        let anchors: Vec<Vec<u32>> = match (method, before) {
            (Method::Jim, _) | (_, []) => vec![w.clone()],
            _ => before.iter().map(|s| joined(&columns[*s], w)).collect(),
        };
        for (x, gathered) in columns.iter().zip(&mut self.gathered) {
            for both in &anchors {
                *gathered += match method {
                    Method::Jim => impurity(&joined(x, both), y),
                    _ => joint_entropy(&[x, both]) + self.y - joint_entropy(&[x, both, y]),
                };
            }
        }
    }

    /// I(a;b) of two variables.
    fn mutual(&self, a: usize, b: usize) -> f64 {
        let both = joint_entropy(&[&self.set.columns[a], &self.set.columns[b]]);
        self.single[a].0 + self.single[b].0 - both
    }

    /// I(a,b;y).
    pub fn three_variate(&self, a: usize, b: usize) -> f64 {
        let Set { columns, y } = self.set;
        let [a, b] = [&columns[a], &columns[b]];
        joint_entropy(&[a, b]) + self.y - joint_entropy(&[a, b, y])
    }

    /// Counts every variable against w.
    fn count(&mut self, w: usize) {
        let Set { columns, y } = self.set;
        let w_codes = &columns[w];
        let both = |x: &Vec<u32>| {
            (
                joint_entropy(&[x, w_codes]),
                joint_entropy(&[x, w_codes, y]),
            )
        };
        let all = || columns.iter().map(both).collect();
        self.against.entry(w).or_insert_with(all);
    }

    /// The score of x after those chosen, which were counted.
    fn score(&self, method: Method, x: usize, chosen: &[usize]) -> f64 {
        let relevance = self.relevance(x);
        let y = self.y;
        let (hx, hxy) = self.single[x];
        // Of each w chosen: H(w), H(w,y), H(x,w), H(x,w,y).
        let entropies = chosen.iter().map(|w| {
            let ((hw, hwy), (hxw, hxwy)) = (self.single[*w], self.against[w][x]);
            (hw, hwy, hxw, hxwy)
        });
        // I(x;w), I(x;w|y), I(x,w;y), I(x;y|w), and I(x,w;y)/H(x,w,y).
        let redundancies = entropies.clone().map(|(hw, _, hxw, _)| hx + hw - hxw);
        let conditional = entropies
            .clone()
            .map(|(_, hwy, _, hxwy)| hxy + hwy - hxwy - y);
        let together = entropies.clone().map(|(_, _, hxw, hxwy)| hxw + y - hxwy);
        let given = entropies
            .clone()
            .map(|(hw, hwy, hxw, hxwy)| hxw + hwy - hw - hxwy);
        let ratios = entropies.map(|(_, _, hxw, hxwy)| match hxwy {
            0.0 => 0.0,
            _ => (hxw + y - hxwy) / hxwy,
        });
        match method {
            Method::Mim => relevance,
            Method::Mrmr => relevance - redundancies.sum::<f64>() / chosen.len() as f64,
            Method::Jmi => together.sum(),
            Method::Disr => ratios.sum(),
            Method::Cmim => given.fold(relevance, f64::min),
            Method::Icap => {
                let part = conditional.zip(redundancies).map(|(c, r)| (c - r).min(0.0));
                relevance + part.sum::<f64>()
            }
            Method::BetaGamma(beta, gamma) => {
                relevance - beta * redundancies.sum::<f64>() + gamma * conditional.sum::<f64>()
            }
            Method::Cmi => unreachable!("it is scored by all chosen at once"),
            Method::Jmim => together.fold(f64::INFINITY, f64::min),
            Method::Njmim => ratios.fold(f64::INFINITY, f64::min),
            Method::Jmi3 | Method::Jim => self.gathered[x],
            Method::Fcbf(_) => {
                let own = self.first(method, x);
                let entropies = chosen.iter().map(|w| hx + self.single[*w].0);
                let mut shared = redundancies.zip(entropies);
                match shared.any(|(i, h)| uncertainty(i, h) > own + TIE) {
                    true => f64::NEG_INFINITY,
                    false => own,
                }
            }
        }
    }

    /// I(x;y|S), S the chosen variables joined.
    fn conditional(&self, x: usize, joint: &[u32]) -> f64 {
        let Set { columns, y } = self.set;
        let x = &columns[x];
        joint_entropy(&[x, joint]) + joint_entropy(&[joint, y])
            - joint_entropy(&[joint])
            - joint_entropy(&[x, joint, y])
    }

    /// The first k choices: always the lowest of those within [`TIE`] of the best; of CMI and FCBF
    /// only those with a score above zero or the threshold.
    pub fn select(&mut self, method: Method, k: usize) -> Vec<Pick> {
        let p = self.set.columns.len();
        let mut picks: Vec<Pick> = Vec::new();
        let mut chosen: Vec<usize> = Vec::new();
        let mut joint = vec![0; self.set.y.len()];
        self.gathered = vec![0.0; p];
        let floor = match method {
            Method::Cmi => 0.0,
            Method::Fcbf(threshold) => threshold,
            _ => f64::NEG_INFINITY,
        };
        while chosen.len() < k.min(p) {
            let score = |x: usize| match method {
                _ if chosen.is_empty() => self.first(method, x),
                Method::Cmi => self.conditional(x, &joint),
                _ => self.score(method, x, &chosen),
            };
            let left = (0..p).filter(|x| !chosen.contains(x));
            let scores: Vec<(usize, f64)> = left.map(|x| (x, score(x))).collect();
            let best = scores
                .iter()
                .fold(f64::NEG_INFINITY, |best, it| best.max(it.1));
            if best <= floor + TIE {
                break;
            }
            let mut tied = scores.iter().filter(|it| it.1 >= best - TIE);
            let (index, score) = *tied.next().unwrap();
            let redundant = chosen.iter().map(|w| self.mutual(index, *w)).sum::<f64>();
            picks.push(Pick {
                index,
                score,
                relevance: self.first(method, index),
                redundancy: (!chosen.is_empty()).then(|| redundant / chosen.len() as f64),
                tied: 1 + tied.count(),
            });
            chosen.push(index);
            match method {
                Method::Mim => {}
                Method::Jmi3 | Method::Jim => {
                    self.gather(method, index, &chosen[..chosen.len() - 1]);
                }
                Method::Cmi => joint = joined(&joint, &self.set.columns[index]),
                _ => self.count(index),
            }
        }
        picks
    }
}

#[test]
fn entropies_are_the_textbooks() {
    let fair = joint_entropy(&[&[0, 1, 0, 1]]);
    assert!((fair - 2_f64.ln()).abs() < 1e-15);
    let four = joint_entropy(&[&[0, 1, 0, 1], &[0, 0, 7, 7]]);
    assert!((four - 4_f64.ln()).abs() < 1e-15);
    // Cover and Thomas, example 2.1.1: probabilities 1/2, 1/4, 1/8, 1/8 have 7/4 bits.
    let bits = joint_entropy(&[&[5, 5, 5, 5, 2, 2, 1, 0]]) / 2_f64.ln();
    assert!((bits - 1.75).abs() < 1e-15);
    assert_eq!(joint_entropy(&[&[3, 3, 3]]), 0.0);
}

#[test]
fn an_exclusive_or_is_seen_by_pairs_alone() {
    let a = vec![0, 0, 1, 1];
    let b = vec![0, 1, 0, 1];
    let y = vec![0, 1, 1, 0];
    let set = Set {
        columns: vec![a, b],
        y,
    };
    let mut reference = Reference::new(&set);
    assert!(reference.relevance(0).abs() < 1e-15);
    assert!((reference.three_variate(0, 1) - 2_f64.ln()).abs() < 1e-15);
    let jmi = reference.select(Method::Jmi, 2);
    assert_eq!((jmi[0].index, jmi[0].tied), (0, 2));
    assert!((jmi[1].score - 2_f64.ln()).abs() < 1e-15);
    assert!(reference.select(Method::Cmi, 2).is_empty());
}
