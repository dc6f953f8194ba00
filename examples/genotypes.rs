//! Writes `examples/data/epistasis.bed`, `.bim` and `.fam`: genotypes of which two variants act
//! together and neither alone.
//!
//!     cargo run --example genotypes -- examples/data/epistasis.bed
//!
//! 500 people, 200 variants in Hardy and Weinberg's equilibrium, independent of one another, 1 %
//! of the genotypes missing. Who is heterozygous in just one of the two is a case with probability
//! 0.7, everybody else with 0.3: model M170, the XOR, of W. Li and J. Reich, A complete enumeration
//! and classification of two-locus disease models, Human Heredity 50 (2000) 334–349. Their alleles
//! are equally frequent, so that half of all people are heterozygous in either: whatever the
//! genotype of one, half are cases.

use std::fs;
use std::path::Path;

const PEOPLE: usize = 500;
const VARIANTS: usize = 200;
const ON_A_CHROMOSOME: usize = 10;
/// The two that act together, counted from 0, on different chromosomes.
const PLANTED: [usize; 2] = [46, 162];
/// Shares are of 1,000.
const RISK: [u64; 2] = [300, 700];
const MISSING: u64 = 10;

/// Random words of a seed (G. Steele, D. Lea, C. Flood, Fast Splittable Pseudorandom Number
/// Generators, 2014), so that the files are the same on any machine.
struct Words(u64);

impl Words {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// True so many times of 1,000.
    fn happens(&mut self, share: u64) -> bool {
        // The high part of the product: the low bits of a remainder are worth less.
        ((u128::from(self.word()) * 1000) >> 64) < u128::from(share)
    }
}

/// What is in the `.bed`, the `.bim` and the `.fam`, each with its ending.
pub fn files() -> [(&'static str, Vec<u8>); 3] {
    let mut words = Words(1);
    let mut bed = vec![0x6c, 0x1b, 0x01];
    let mut bim = String::new();
    // How many of the planted variants a person is heterozygous in.
    let mut heterozygous = [0; PEOPLE];
    for variant in 0..VARIANTS {
        let frequency = match PLANTED.contains(&variant) {
            true => 500,
            false => 100 + words.word() % 400,
        };
        let mut codes = Vec::with_capacity(PEOPLE);
        for count in &mut heterozygous {
            let alleles = [(); 2].map(|()| usize::from(words.happens(frequency)));
            let alleles: usize = alleles.iter().sum();
            *count += usize::from(alleles == 1 && PLANTED.contains(&variant));
            codes.push(match words.happens(MISSING) {
                true => 0b01,
                false => [0b11, 0b10, 0b00][alleles],
            });
        }
        // The first of four people in the lowest bits.
        let byte = |four: &[u8]| four.iter().rev().fold(0, |byte, code| byte << 2 | code);
        bed.extend(codes.chunks(4).map(byte));
        let (chromosome, place) = (variant / ON_A_CHROMOSOME + 1, variant % ON_A_CHROMOSOME + 1);
        bim += &format!("{chromosome}\tsnp{variant}\t0\t{place}000000\tA\tG\n");
    }
    let fam = heterozygous.iter().enumerate().map(|(person, count)| {
        let case = words.happens(RISK[count % 2]);
        let (sex, status) = (1 + person % 2, 1 + usize::from(case));
        format!("f{person} p{person} 0 0 {sex} {status}\n")
    });
    let fam: String = fam.collect();
    [
        ("bed", bed),
        ("bim", bim.into_bytes()),
        ("fam", fam.into_bytes()),
    ]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("say where: FILE.bed")?;
    for (ending, bytes) in files() {
        fs::write(Path::new(&path).with_extension(ending), bytes)?;
    }
    Ok(())
}
