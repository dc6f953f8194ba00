//! Selection from the definitions alone: H = −Σ (c/n)·ln(c/n) over the counts c of the
//! distinct values, in f64; every mutual information is made of such H; every step scores
//! every variable that is left. Nats. A table leaves out the observations that miss one of its
//! variables.

use std::collections::HashMap;

use super::entropies::{Entropies, impurity, joined, left, uncertainty};
pub use super::entropies::{NONE, joint_entropy};

/// Codes of the variables and of the response, below 2²¹ or [`NONE`].
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
    ("jmim", "jmim", Method::Jmim),
    ("njmim", "njmim", Method::Njmim),
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

/// Entropies of a set, each found when it is first asked for.
pub struct Reference<'a> {
    set: &'a Set,
    y: f64,
    /// H(x), H(x,y) and H(y) of every variable, where it is not missing.
    single: Vec<(f64, f64, f64)>,
    missing: Vec<bool>,
    /// Of every variable x with w, by w.
    against: HashMap<usize, Vec<Entropies>>,
}

impl<'a> Reference<'a> {
    pub fn new(set: &'a Set) -> Self {
        let single = |x: &Vec<u32>| {
            let all = left(&[x, &set.y]);
            let [x, y] = [&all[0][..], &all[1][..]];
            (
                joint_entropy(&[x]),
                joint_entropy(&[x, y]),
                joint_entropy(&[y]),
            )
        };
        Self {
            set,
            y: joint_entropy(&[&set.y]),
            single: set.columns.iter().map(single).collect(),
            missing: set
                .columns
                .iter()
                .map(|column| column.contains(&NONE))
                .collect(),
            against: HashMap::new(),
        }
    }

    /// I(x;y).
    pub fn relevance(&self, x: usize) -> f64 {
        let (hx, hxy, y) = self.single[x];
        hx + y - hxy
    }

    /// What the method measures of x and y.
    pub fn first(&self, method: Method, x: usize) -> f64 {
        match method {
            Method::Jim => {
                let all = left(&[&self.set.columns[x], &self.set.y]);
                impurity(&all[0], &all[1])
            }
            Method::Fcbf(_) => {
                let (hx, _, y) = self.single[x];
                uncertainty(self.relevance(x), hx + y)
            }
            _ => self.relevance(x),
        }
    }

    /// What the chosen variables and x tell: Σ G((x,w);y) over each, or Σ I((x,s,t);y) over
    /// every two, or over one where there are no more.
    fn gathered(&self, method: Method, x: usize, chosen: &[usize]) -> f64 {
        let Set { columns, y } = self.set;
        let two = |(at, t): (usize, &usize)| {
            let before = chosen[..at].iter();
            let both = before.map(|s| joined(&columns[*s], &columns[*t]));
            both.collect::<Vec<_>>()
        };
        let anchors: Vec<Vec<u32>> = match (method, chosen) {
            (Method::Jim, _) | (_, [_]) => chosen.iter().map(|w| columns[*w].clone()).collect(),
            _ => chosen.iter().enumerate().flat_map(two).collect(),
        };
        let told = anchors.iter().map(|both| {
            let all = left(&[&columns[x], both, y]);
            let [x, both, y] = [0, 1, 2].map(|at| &all[at][..]);
            match method {
                Method::Jim => impurity(&joined(x, both), y),
                _ => joint_entropy(&[x, both]) + joint_entropy(&[y]) - joint_entropy(&[x, both, y]),
            }
        });
        told.sum()
    }

    /// I(a;b) of two variables.
    fn mutual(&self, a: usize, b: usize) -> f64 {
        let columns = &self.set.columns;
        let all = left(&[&columns[a], &columns[b]]);
        let [a, b] = [&all[0][..], &all[1][..]];
        joint_entropy(&[a]) + joint_entropy(&[b]) - joint_entropy(&[a, b])
    }

    /// I(a,b;y).
    pub fn three_variate(&self, a: usize, b: usize) -> f64 {
        let of = self.entropies(a, b);
        of.xw + of.y - of.xwy
    }

    /// I(a,b;y) − I(a;y) − I(b;y), all of the same observations.
    pub fn synergy(&self, a: usize, b: usize) -> f64 {
        let of = self.entropies(a, b);
        self.three_variate(a, b) - (of.x + of.y - of.xy) - (of.w + of.y - of.wy)
    }

    fn entropies(&self, x: usize, w: usize) -> Entropies {
        let Set { columns, y } = self.set;
        let (x_codes, w_codes) = (&columns[x], &columns[w]);
        if self.missing[x] || self.missing[w] {
            return Entropies::of(x_codes, w_codes, y);
        }
        Entropies {
            x: self.single[x].0,
            w: self.single[w].0,
            y: self.y,
            xw: joint_entropy(&[x_codes, w_codes]),
            xy: self.single[x].1,
            wy: self.single[w].1,
            xwy: joint_entropy(&[x_codes, w_codes, y]),
        }
    }

    /// Counts every variable against w.
    fn count(&mut self, w: usize) {
        if !self.against.contains_key(&w) {
            let all = (0..self.set.columns.len()).map(|x| self.entropies(x, w));
            let all = all.collect();
            self.against.insert(w, all);
        }
    }

    /// The score of x after those chosen, which were counted.
    fn score(&self, method: Method, x: usize, chosen: &[usize]) -> f64 {
        let relevance = self.relevance(x);
        let entropies = chosen.iter().map(|w| self.against[w][x]);
        // I(x;w), I(x;w|y), I(x,w;y), I(x;y|w), and I(x,w;y)/H(x,w,y).
        let redundancies = entropies.clone().map(|h| h.x + h.w - h.xw);
        let conditional = entropies.clone().map(|h| h.xy + h.wy - h.xwy - h.y);
        let together = entropies.clone().map(|h| h.xw + h.y - h.xwy);
        let given = entropies.clone().map(|h| h.xw + h.wy - h.w - h.xwy);
        let ratios = entropies.map(|h| match h.xwy {
            0.0 => 0.0,
            _ => (h.xw + h.y - h.xwy) / h.xwy,
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
            Method::Jmi3 | Method::Jim => unreachable!("they are gathered"),
            Method::Fcbf(_) => {
                let mut all = chosen.iter().map(|w| self.against[w][x]);
                let dropped = all.any(|h| {
                    let with_y = uncertainty(h.x + h.y - h.xy, h.x + h.y);
                    uncertainty(h.x + h.w - h.xw, h.x + h.w) > with_y + TIE
                });
                match dropped {
                    true => f64::NEG_INFINITY,
                    false => self.first(method, x),
                }
            }
        }
    }

    /// I(x;y|S), S the chosen variables joined.
    fn conditional(&self, x: usize, joint: &[u32]) -> f64 {
        let Set { columns, y } = self.set;
        let all = left(&[&columns[x], joint, y]);
        let [x, joint, y] = [0, 1, 2].map(|at| &all[at][..]);
        joint_entropy(&[x, joint]) + joint_entropy(&[joint, y])
            - joint_entropy(&[joint])
            - joint_entropy(&[x, joint, y])
    }

    /// The scores of all that are left after those chosen; of CMI by those joined.
    pub fn scores(&mut self, method: Method, chosen: &[usize]) -> Vec<(usize, f64)> {
        let mut joint = vec![0; self.set.y.len()];
        for w in chosen {
            match method {
                Method::Mim | Method::Jmi3 | Method::Jim => {}
                Method::Cmi => joint = joined(&joint, &self.set.columns[*w]),
                _ => self.count(*w),
            }
        }
        let score = |x: usize| match method {
            _ if chosen.is_empty() => self.first(method, x),
            Method::Jmi3 | Method::Jim => self.gathered(method, x, chosen),
            Method::Cmi => self.conditional(x, &joint),
            _ => self.score(method, x, chosen),
        };
        let left = (0..self.set.columns.len()).filter(|x| !chosen.contains(x));
        left.map(|x| (x, score(x))).collect()
    }

    /// The mean of I(x;w) over those chosen, if any are.
    pub fn redundancy(&self, x: usize, chosen: &[usize]) -> Option<f64> {
        let sum = chosen.iter().map(|w| self.mutual(x, *w)).sum::<f64>();
        (!chosen.is_empty()).then(|| sum / chosen.len() as f64)
    }

    /// The score of x after those chosen.
    pub fn scored(&mut self, method: Method, x: usize, chosen: &[usize]) -> f64 {
        let joint = chosen.iter().fold(vec![0; self.set.y.len()], |joint, w| {
            joined(&joint, &self.set.columns[*w])
        });
        match method {
            _ if chosen.is_empty() => self.first(method, x),
            Method::Jmi3 | Method::Jim => self.gathered(method, x, chosen),
            Method::Cmi => self.conditional(x, &joint),
            _ => {
                chosen.iter().for_each(|w| self.count(*w));
                self.score(method, x, chosen)
            }
        }
    }

    /// The first k choices: always the lowest of those within [`TIE`] of the best; of CMI and FCBF
    /// only those with a score above zero or the threshold.
    pub fn select(&mut self, method: Method, k: usize) -> Vec<Pick> {
        let p = self.set.columns.len();
        let mut picks: Vec<Pick> = Vec::new();
        let mut chosen: Vec<usize> = Vec::new();
        let floor = match method {
            Method::Cmi => 0.0,
            Method::Fcbf(threshold) => threshold,
            _ => f64::NEG_INFINITY,
        };
        while chosen.len() < k.min(p) {
            let scores = self.scores(method, &chosen);
            let best = scores
                .iter()
                .fold(f64::NEG_INFINITY, |best, scored| best.max(scored.1));
            if best <= floor + TIE {
                break;
            }
            let mut tied = scores.iter().filter(|scored| scored.1 >= best - TIE);
            let (index, score) = *tied.next().unwrap();
            picks.push(Pick {
                index,
                score,
                relevance: self.first(method, index),
                redundancy: self.redundancy(index, &chosen),
                tied: 1 + tied.count(),
            });
            chosen.push(index);
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
