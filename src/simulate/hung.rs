use super::{Drawn, Limit, SimulationModel, SimulationSettings, random::Random, signal};
use crate::table::Column;

/// SNPs correlated with each other stand in blocks of so many.
const BLOCK: usize = 5;
/// Φ⁻¹(¾): a standard normal is below −QUARTILE, between, or above QUARTILE with probability
/// ¼, ½ and ¼.
const QUARTILE: f64 = 0.674_489_750_196_081_7;
/// The correlation of the normals behind two SNPs of a block, by which the SNPs themselves have
/// correlation 0.3, that is R² = 0.3².
///
/// A genotype is g = 1(z > −c) + 1(z > c), c = Φ⁻¹(¾), so var g = ½. By Mehler's expansion of
/// the bivariate normal density,
///
/// corr(g, g′) = 2·Σ_{k odd} ρᵏ/k! · (2·He_{k−1}(c)·φ(c))² = 0.80786·(ρ + 0.04952·ρ³ + …),
///
/// which is 0.3 at this ρ.
const LATENT: f64 = 0.368_853_629_686_895_7;
/// β, the effort size, which the paper leaves open: about what least squares finds in Hung's
/// own sets.
const EFFECT: f64 = 0.75;
/// The true terms by the names of their SNPs, a second one where they are products, each with
/// its part of β.
const TERMS: [(usize, Option<usize>, f64); 5] = [
    (5, Some(6), 1.0),
    (10, Some(11), 0.8),
    (15, Some(16), 0.6),
    (20, None, 2.0),
    (21, None, 2.0),
];
/// The terms reach g21, and one SNP at least has nothing to do with them.
const FEWEST: usize = 22;
/// Their products are 8 million variables.
const MOST: usize = 4000;

/// SNPs are the discretised forms of standard normals; blocks are g1 … g5, g6 … g10, …, the last may be
/// shorter, and independent of each other. SNPs are numbered from 1, as in the paper, so that every
/// true product joins the last SNP of a block with the first of the next. Products are in
/// lexicographic order. Hung's own sets hold the SNPs that a screen of 1000 left (49 in data 1-1);
/// here the first Q are taken, unscreened.
///
/// *Source*: Hung et al. 2013, as in section IV.B.3 of the PaSS paper.
pub(super) const MODEL: SimulationModel = SimulationModel {
    name: "hung",
    title: "SNPs and all their products, with a local best far from the truth",
    formula: "SNPs 0, 1, 2 with probability ¼, ½, ¼, correlation 0.3 within blocks of five; \
              y = 0.75·(g5·g6 + 0.8·g10·g11 + 0.6·g15·g16 + 2·g20 + 2·g21) + ε; the columns are \
              g1 … gQ, then gi*gj for i < j, p = Q(Q + 1)/2",
    source: "Hung et al., 2013",
    options: &["n", "snps", "snr", "seed"],
    defaults: SimulationSettings {
        n: 200,
        snps: 49,
        ..SimulationSettings::BLANK
    },
    limits,
    draw,
};

fn limits(settings: &SimulationSettings) -> Result<(), Limit> {
    match (FEWEST..=MOST).contains(&settings.snps) {
        true => Ok(()),
        false => Err(("snps", format!("{FEWEST} … {MOST}"))),
    }
}

fn draw(settings: &SimulationSettings, random: &mut Random) -> Drawn {
    let &SimulationSettings { n, snps, .. } = settings;
    let mut genotypes: Vec<Vec<f64>> = Vec::with_capacity(snps);
    let mut common = Vec::new();
    for position in 0..snps {
        if position % BLOCK == 0 {
            common = random.normals(n);
        }
        let (shared, own) = (LATENT.sqrt(), (1.0 - LATENT).sqrt());
        let normals = random.normals_with(&common, shared, own);
        genotypes.push(normals.into_iter().map(genotype).collect());
    }
    let mut columns: Vec<Column> = Vec::new();
    for (i, values) in genotypes.iter().enumerate() {
        columns.push(Column::from((name(i, None), values.clone())));
    }
    for (i, first) in genotypes.iter().enumerate() {
        for (j, second) in genotypes.iter().enumerate().skip(i + 1) {
            let values = product(first, second);
            columns.push(Column::from((name(i, Some(j)), values)));
        }
    }
    let terms = TERMS.map(|(i, j, part)| {
        let first = &genotypes[i - 1];
        let values = j.map_or_else(|| first.clone(), |j| product(first, &genotypes[j - 1]));
        (EFFECT * part, values)
    });
    let mut truth: Vec<usize> = TERMS
        .iter()
        .map(|(i, j, _)| place(i - 1, j.map(|j| j - 1), snps))
        .collect();
    truth.sort_unstable();
    Drawn {
        columns,
        truth,
        signal: signal(n, terms.iter().map(|(part, values)| (*part, &**values))),
    }
}

fn genotype(normal: f64) -> f64 {
    f64::from(u8::from(normal > -QUARTILE) + u8::from(normal > QUARTILE))
}

fn product(first: &[f64], second: &[f64]) -> Vec<f64> {
    first.iter().zip(second).map(|(a, b)| a * b).collect()
}

/// `g3`, or `g3*g7`, of the SNPs at these positions.
fn name(i: usize, j: Option<usize>) -> String {
    match j {
        None => format!("g{}", i + 1),
        Some(j) => format!("g{}*g{}", i + 1, j + 1),
    }
}

/// The column of a SNP or a product: the products of those before i come first.
fn place(i: usize, j: Option<usize>, snps: usize) -> usize {
    match j {
        None => i,
        Some(j) => snps + i * (2 * snps - i - 1) / 2 + (j - i - 1),
    }
}
