//! People, variants and traits to make pages of.

use std::fs;

use super::support::Folder;

pub const PEOPLE: usize = 300;

/// A small generator: numbers in [0, 1).
struct Draws(u64);

impl Draws {
    fn unit(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1_u64 << 31) as f64
    }
}

/// Copies of the counted allele by variant, 3 where they are missing, of variants of which neighbours are alike; age; trait.
pub struct Data {
    pub copies: Vec<Vec<u8>>,
    pub age: Vec<f64>,
    pub y: Vec<f64>,
    pub sick: Vec<f64>,
}

pub fn data(variants: usize, missing: f64) -> Data {
    let mut draws = Draws(7);
    let mut copies: Vec<Vec<u8>> = Vec::new();
    for j in 0..variants {
        let frequency = 0.1 + 0.4 * draws.unit();
        let own = (0..PEOPLE).map(|i| match j % 8 > 0 && draws.unit() < 0.8 {
            true => copies[j - 1][i],
            false => (0..2).filter(|_| draws.unit() < frequency).count() as u8,
        });
        copies.push(own.collect());
    }
    let age: Vec<f64> = (0..PEOPLE)
        .map(|_| 20.0 + (60.0 * draws.unit()).round())
        .collect();
    let chance = |draws: &mut Draws| (0..6).map(|_| draws.unit() - 0.5).sum::<f64>();
    let y = (0..PEOPLE).map(|i| {
        let of = |j: usize| f64::from(copies[j][i]);
        of(12) - 0.9 * of(variants / 2) + age[i] / 40.0 + 1.2 * chance(&mut draws)
    });
    let y: Vec<f64> = y.collect();
    let mut sorted = y.clone();
    sorted.sort_by(f64::total_cmp);
    let sick = y
        .iter()
        .map(|own| f64::from(u8::from(*own > sorted[PEOPLE / 2])));
    let sick = sick.collect();
    for own in copies.iter_mut().flatten() {
        if draws.unit() < missing {
            *own = 3;
        }
    }
    Data {
        copies,
        age,
        y,
        sick,
    }
}

pub fn place(j: usize, variants: usize) -> (&'static str, usize) {
    let chromosome = ["1", "2", "X"][3 * j / variants];
    (chromosome, 1_000_000 + 40_000 * j)
}

pub fn folder(data: &Data) -> Folder {
    let folder = Folder::new();
    let mut bed = vec![0x6c, 0x1b, 0x01];
    for own in &data.copies {
        for four in own.chunks(4) {
            let codes = four
                .iter()
                .map(|own| [0b11, 0b10, 0b00, 0b01][usize::from(*own)]);
            bed.push(
                codes
                    .enumerate()
                    .fold(0, |byte, (at, code)| byte | code << (2 * at)),
            );
        }
    }
    fs::write(folder.path("d.bed"), bed).unwrap();
    let variants = data.copies.len();
    let line = |j: usize| {
        let (chromosome, position) = place(j, variants);
        format!("{chromosome}\trs{j}\t0\t{position}\tA\tG\n")
    };
    folder.write("d.bim", &(0..variants).map(line).collect::<String>());
    let line = |i: usize| format!("p{i} p{i} 0 0 2 {}\n", data.y[i]);
    folder.write("d.fam", &(0..PEOPLE).map(line).collect::<String>());
    let line = |i: usize| format!("p{i} p{i} {} {}\n", data.y[i], data.sick[i]);
    let phenotypes: String = (0..PEOPLE).map(line).collect();
    folder.write("traits.txt", &format!("#FID IID y sick\n{phenotypes}"));
    let line = |i: usize| format!("p{i} p{i} {}\n", data.age[i]);
    let covariates: String = (0..PEOPLE).map(line).collect();
    folder.write("ages.txt", &format!("#FID IID age\n{covariates}"));
    folder
}
