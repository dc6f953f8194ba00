//! Simulated genotypes from their definition, and the files of PLINK that are made of them.
//!
//! A sample moment of so many draws has a standard error; five of them are allowed, and the seeds are fixed, so a test
//! that passed will pass.

use std::fs;

use crate::support::{Folder, Ran};

/// Genotypes as a `.bed` holds them, copies of the first allele of the `.bim`, and what stands beside them.
pub struct Fileset {
    /// Of each variant the copies of each person; `None` where they are missing.
    variants: Vec<Vec<Option<u8>>>,
    names: Vec<String>,
    phenotypes: Vec<f64>,
    /// Names and effects.
    pub truth: Vec<(String, f64)>,
}

pub fn made(folder: &Folder, options: &[&str]) -> Fileset {
    let ran = simulate(folder, options);
    let told = (ran.code, ran.stdout.as_str(), ran.stderr.as_str());
    assert_eq!(told, (Some(0), "", ""), "{options:?}");
    read(folder)
}

pub fn simulate(folder: &Folder, options: &[&str]) -> Ran {
    let arguments = ["simulate", "genotypes", "--output", "t.bed"];
    folder.run(&[&arguments[..], options].concat())
}

fn read(folder: &Folder) -> Fileset {
    let fields = |name: &str| -> Vec<Vec<String>> {
        let text = folder.read(name);
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines
            .map(|line| line.split('\t').map(str::to_owned).collect())
            .collect()
    };
    let (bim, fam) = (fields("t.bim"), fields("t.fam"));
    let (n, p) = (fam.len(), bim.len());
    for (at, person) in fam.iter().enumerate() {
        let id = (at + 1).to_string();
        assert_eq!(person[..5], [&*id, &id, "0", "0", "0"]);
    }
    let bed = fs::read(folder.path("t.bed")).unwrap();
    assert_eq!(bed[..3], [0x6c, 0x1b, 0x01]);
    let stride = n.div_ceil(4);
    assert_eq!(bed.len(), 3 + stride * p);
    let code = |row: &[u8], at: usize| row[at / 4] >> (2 * (at % 4)) & 3;
    let variants = bed[3..].chunks(stride).map(|row| {
        // What the last byte has beyond the people is 0, as the format asks.
        assert!((n..4 * stride).all(|at| code(row, at) == 0));
        let copies = |at| [Some(2), None, Some(1), Some(0)][usize::from(code(row, at))];
        (0..n).map(copies).collect()
    });
    let truth = fields("t.truth").into_iter().map(|line| {
        assert_eq!(line[1], "A");
        (line[0].clone(), line[2].parse().unwrap())
    });
    Fileset {
        variants: variants.collect(),
        names: bim
            .into_iter()
            .map(|mut line| line.swap_remove(1))
            .collect(),
        phenotypes: fam.iter().map(|line| line[5].parse().unwrap()).collect(),
        truth: truth.collect(),
    }
}

impl Fileset {
    /// Copies where nothing is missing.
    fn numbers(&self, variant: usize) -> Vec<f64> {
        let copies = self.variants[variant].iter();
        copies.map(|own| f64::from(own.unwrap())).collect()
    }

    /// The sum of the effects of each person.
    fn predictor(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.phenotypes.len()];
        for (name, effect) in &self.truth {
            let at = self.names.iter().position(|own| own == name).unwrap();
            let copies = self.numbers(at);
            sums.iter_mut()
                .zip(copies)
                .for_each(|(sum, copies)| *sum += effect * copies);
        }
        sums
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn covariance(a: &[f64], b: &[f64]) -> f64 {
    let (of_a, of_b) = (mean(a), mean(b));
    let products = a.iter().zip(b).map(|(a, b)| (a - of_a) * (b - of_b));
    products.sum::<f64>() / a.len() as f64
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    covariance(a, b) / (covariance(a, a) * covariance(b, b)).sqrt()
}

#[track_caller]
fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{found} is not {expected} ± {tolerance}"
    );
}

#[test]
fn genotypes_have_the_frequencies_and_correlations_of_their_definition() {
    let folder = Folder::new();
    // More people than one stream has, and no whole byte of them.
    let n = 20_001;
    let options = ["--n", "20001", "--p", "14", "--block", "4", "--r", "2"];
    for (f, rho) in [("0.3", "0.8"), ("0.01", "0.5"), ("0.5", "0")] {
        let drawn = made(
            &folder,
            &[&options[..], &["--maf", &[f, f].join(","), "--rho", rho]].concat(),
        );
        let [f, rho] = [f, rho].map(|text| text.parse::<f64>().unwrap());
        let columns: Vec<Vec<f64>> = (0..14).map(|at| drawn.numbers(at)).collect();
        for (i, column) in columns.iter().enumerate() {
            // Hardy–Weinberg equilibrium.
            for (copies, share) in [
                (0.0, (1.0 - f) * (1.0 - f)),
                (1.0, 2.0 * f * (1.0 - f)),
                (2.0, f * f),
            ] {
                let count = column.iter().filter(|own| **own == copies).count();
                let error = (share * (1.0 - share) / f64::from(n)).sqrt();
                assert_near(count as f64 / f64::from(n), share, 5.0 * error);
            }
            for (j, other) in columns[..i].iter().enumerate() {
                let expected = if i / 4 == j / 4 {
                    rho.powi((i - j) as i32)
                } else {
                    0.0
                };
                // The fourth moments of a rare allele are those of its carriers, 2nf.
                let error = (2.0 / (f64::from(n) * f))
                    .sqrt()
                    .max(1.0 / f64::from(n).sqrt());
                assert_near(correlation(column, other), expected, 5.0 * error);
            }
        }
    }
}

#[test]
fn a_block_has_one_frequency_and_all_blocks_have_any_of_the_range() {
    let folder = Folder::new();
    let drawn = made(
        &folder,
        &[
            "--n", "4000", "--p", "3000", "--block", "5", "--maf", "0.1,0.4", "--rho", "0.2",
        ],
    );
    let frequency = |at: usize| mean(&drawn.numbers(at)) / 2.0;
    let blocks: Vec<f64> = (0..600)
        .map(|block| (0..5).map(|own| frequency(5 * block + own)).sum::<f64>() / 5.0)
        .collect();
    // 8,000 alleles with f(1 − f) at most 0.24; neighbours are correlated.
    let error = (0.24_f64 / 8000.0).sqrt();
    assert!(
        blocks
            .iter()
            .all(|f| (0.1 - 5.0 * error..0.4 + 5.0 * error).contains(f))
    );
    for at in 0..3000 {
        assert_near(frequency(at), blocks[at / 5], 5.0 * error);
    }
    // A uniform number of an interval of this length has the variance 0.3²/12, and its square a fourth moment of 9/5.
    assert_near(mean(&blocks), 0.25, 5.0 * (0.0075_f64 / 600.0).sqrt());
    assert_near(
        covariance(&blocks, &blocks),
        0.0075,
        5.0 * 0.0075 * (0.8_f64 / 600.0).sqrt(),
    );
}

#[test]
fn the_share_of_missing_genotypes_is_the_one_asked_for_and_at_random() {
    let folder = Folder::new();
    let options = ["--n", "1003", "--p", "500", "--maf", "0.3,0.3"];
    let whole = made(&folder, &options);
    let holed = made(&folder, &[&options[..], &["--missing", "0.03"]].concat());
    // What is there is as it was, and so is the trait.
    assert_eq!(holed.phenotypes, whole.phenotypes);
    assert_eq!(holed.truth, whole.truth);
    let [mut missing, mut of_two, mut twos] = [0.0; 3];
    let mut by_person = vec![0.0; 1003];
    for (holed, whole) in holed.variants.iter().zip(&whole.variants) {
        for (person, (holed, whole)) in holed.iter().zip(whole).enumerate() {
            let is_missing = f64::from(u8::from(holed.is_none()));
            let is_two = f64::from(u8::from(*whole == Some(2)));
            missing += is_missing;
            twos += is_two;
            of_two += is_missing * is_two;
            by_person[person] += is_missing;
            assert!(holed.is_none() || holed == whole);
        }
    }
    let error = |count: f64| 5.0 * (0.03 * 0.97 / count).sqrt();
    assert_near(missing / 501_500.0, 0.03, error(501_500.0));
    assert_near(of_two / twos, 0.03, error(twos));
    let most = by_person.iter().copied().fold(0.0, f64::max);
    // Of 1,003 binomial numbers about 15 none is six deviations above.
    assert!(most < 15.0 + 6.0 * 3.8, "{most}");
}

#[test]
fn heritability_is_exact_and_effects_explain_equal_shares() {
    let folder = Folder::new();
    for h2 in ["0.05", "0.5", "0.95"] {
        let drawn = made(
            &folder,
            &[
                "--n",
                "3000",
                "--p",
                "400",
                "--r",
                "8",
                "--heritability",
                h2,
            ],
        );
        let h2: f64 = h2.parse().unwrap();
        let g = drawn.predictor();
        let noise: Vec<f64> = drawn
            .phenotypes
            .iter()
            .zip(&g)
            .map(|(y, g)| y - g)
            .collect();
        let (of_g, of_noise) = (covariance(&g, &g), covariance(&noise, &noise));
        assert_near(of_g / (of_g + of_noise), h2, 1e-9);
        // Independent variants of variance h²/8 each; a variance of 3,000 has an error of some 3 %.
        assert_near(of_g / h2, 1.0, 0.2);
        for (name, effect) in &drawn.truth {
            let at = drawn.names.iter().position(|own| own == name).unwrap();
            let copies = drawn.numbers(at);
            let share = effect * effect * covariance(&copies, &copies);
            assert_near(share / (h2 / 8.0), 1.0, 0.25);
        }
        // In the middle of equal shares.
        let names: Vec<&str> = drawn.truth.iter().map(|(name, _)| &**name).collect();
        let expected = [25, 75, 125, 175, 225, 275, 325, 375].map(|at| format!("snp{at}"));
        assert_eq!(names, expected);
        let positive = drawn
            .truth
            .iter()
            .filter(|(_, effect)| *effect > 0.0)
            .count();
        assert!((1..8).contains(&positive));
    }
}

#[test]
fn traits_of_other_families_have_the_predictor_of_the_truth() {
    let folder = Folder::new();
    for (family, variance) in [
        ("binomial", std::f64::consts::PI.powi(2) / 3.0),
        ("poisson", 1.0),
        ("negative-binomial", 1.0),
        ("gamma", 1.0),
    ] {
        let drawn = made(&folder, &["--n", "2000", "--p", "200", "--family", family]);
        let g = drawn.predictor();
        assert_near(covariance(&g, &g) / variance, 1.0, 1e-9);
        let centre = mean(&g);
        let expected: Vec<f64> = g
            .iter()
            .map(|g| match family {
                "binomial" => 1.0 + 1.0 / (1.0 + (centre - g).exp()),
                _ => 3.0 * (g - centre).exp(),
            })
            .collect();
        let y = &drawn.phenotypes;
        match family {
            "binomial" => assert!(y.iter().all(|y| [1.0, 2.0].contains(y))),
            "gamma" => assert!(y.iter().all(|y| *y > 0.0)),
            _ => assert!(y.iter().all(|y| *y >= 0.0 && y.fract() == 0.0)),
        }
        let slope = covariance(y, &expected) / covariance(&expected, &expected);
        assert_near(slope, 1.0, 0.15);
        assert_near(mean(y) / mean(&expected), 1.0, 0.08);
    }
}

#[test]
fn a_table_of_the_same_options_has_the_same_genotypes() {
    let folder = Folder::new();
    let options = [
        "--n",
        "67",
        "--p",
        "45",
        "--r",
        "3",
        "--missing",
        "0.1",
        "--seed",
        "8",
    ];
    let drawn = made(&folder, &options);
    let ran = folder.run(
        &[
            &["simulate", "genotypes", "--output", "t.csv"],
            &options[..],
        ]
        .concat(),
    );
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let text = folder.read("t.csv");
    let mut lines = text.lines();
    let command = folder.read("t.truth");
    assert_eq!(lines.next(), command.lines().next());
    let truth: Vec<&str> = drawn.truth.iter().map(|(name, _)| &**name).collect();
    assert_eq!(
        lines.next().unwrap(),
        format!("# passel truth {}", truth.join(","))
    );
    assert_eq!(
        lines.next().unwrap(),
        format!("y,{}", drawn.names.join(","))
    );
    for (row, line) in lines.enumerate() {
        let mut fields = line.split(',');
        assert_eq!(fields.next().unwrap().parse(), Ok(drawn.phenotypes[row]));
        for (variant, field) in drawn.variants.iter().zip(fields) {
            let copies = variant[row].map_or("NA".to_owned(), |copies| copies.to_string());
            assert_eq!(field, copies);
        }
    }
}
