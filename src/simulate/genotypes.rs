use std::sync::Arc;

use super::{
    Drawn, Limit, SimulationModel, SimulationSettings, alleles, at_most_p, families, random::Random,
};
use crate::{
    family::Distribution,
    genotypes::Genotypes,
    random::Stream,
    table::{Column, Values},
    threads::map_each,
};

/// Streams beside that of all other numbers, so that blocks can be drawn in any order: of the frequencies of all blocks,
/// of the alleles of a block and some people, and of what is missing of a variant.
const FREQUENCIES: u64 = u64::MAX - 1;
const ALLELES: u64 = 0b110 << 61;
const MISSING: u64 = 0b111 << 61;

/// People whose alleles come from one stream, and the most of such groups.
const PEOPLE: usize = 1 << 14;
const GROUPS: u64 = 1 << 20;

/// Bytes of genotypes that are drawn at a time, unless a block has more.
const AT_ONCE: usize = 1 << 23;

/// The variance of logistic noise, π²/3.
const LOGISTIC: f64 = std::f64::consts::PI * std::f64::consts::PI / 3.0;

/// A block has one frequency, without which its alleles could not have the correlation ρ: the largest of two alleles with
/// frequencies f < g is √(f(1 − g) / (g(1 − f))).
///
/// The genotypes that make the response are those before any become missing.
pub(super) const MODEL: SimulationModel = SimulationModel {
    name: "genotypes",
    title: "genotypes of a cohort, which may be larger than memory",
    formula: "copies 0, 1, 2 of an allele, two haplotypes a person; in each block of variants one \
              frequency f, uniform in LOW … HIGH, and alleles that are the neighbour's with probability \
              ρ, else drawn anew with f, so that their correlation is ρ^|i − j|; blocks are independent; \
              true variants spread evenly, β = ±√(h²/(2·r·f·(1 − f))), each sign with probability ½; then \
              each genotype is missing with the probability given",
    source: "passel's own",
    options: &[
        "n",
        "p",
        "r",
        "rho",
        "block",
        "maf",
        "missing",
        "heritability",
        "seed",
    ],
    defaults: SimulationSettings {
        n: 1000,
        p: 10_000,
        r: 10,
        rho: 0.9,
        block: 20,
        maf: [0.05, 0.5],
        heritability: 0.5,
        ..SimulationSettings::BLANK
    },
    limits,
    draw,
};

fn limits(settings: &SimulationSettings) -> Result<(), Limit> {
    at_most_p(settings)?;
    let &SimulationSettings {
        rho,
        block,
        maf: [low, high],
        missing,
        heritability,
        family,
        ..
    } = settings;
    let has_noise = matches!(family, Distribution::Gaussian | Distribution::Binomial);
    let most = families::MOST / (1.0 + families::MOST);
    let (option, limit) = if !(0.0..1.0).contains(&rho) {
        ("rho", "at least 0 and below 1".to_owned())
    } else if !(1..=1000).contains(&block) {
        ("block", "1 … 1000".to_owned())
    } else if !(low > 0.0 && low <= high && high <= 0.5) {
        ("maf", "LOW,HIGH with 0 < LOW ≤ HIGH ≤ 0.5".to_owned())
    } else if !(0.0..1.0).contains(&missing) {
        ("missing", "at least 0 and below 1".to_owned())
    } else if !(heritability > 0.0 && heritability < 1.0) {
        ("heritability", "above 0 and below 1".to_owned())
    } else if !has_noise && heritability > most {
        let limit = format!("at most {most} for responses of the family {family}");
        ("heritability", limit)
    } else {
        return Ok(());
    };
    Err((option, limit))
}

/// var(Xβ) / var(ε) of a heritability; of another family than gaussian the variance of the linear predictor.
pub(super) fn signal_ratio(settings: &SimulationSettings) -> f64 {
    let noise = match settings.family {
        Distribution::Binomial => LOGISTIC,
        _ => 1.0,
    };
    noise * settings.heritability / (1.0 - settings.heritability)
}

/// The name of a variant.
pub(super) fn name(at: usize) -> String {
    format!("snp{}", at + 1)
}

/// What genotypes make of people.
pub(super) struct Genetic {
    /// Positions of the true variants among all, ascending, each with the effect of a copy.
    pub(super) truth: Vec<(usize, f64)>,
    /// Xβ, the sum of the effects of each person.
    pub(super) values: Vec<f64>,
}

/// Draws the variants in their order, and gives them away as rows of a `.bed`, some at a time.
///
/// *Shapes:* a row has ⌈n / 4⌉ bytes.
pub(super) fn draw_rows<E>(
    settings: &SimulationSettings,
    random: &mut Random,
    mut sink: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<Genetic, E> {
    let &SimulationSettings { n, p, block, .. } = settings;
    let stride = n.div_ceil(4);
    let mut drawn = Genetic {
        truth: truth(settings, random),
        values: vec![0.0; n],
    };
    let at_once = at_once(settings);
    let mut rows = vec![0; stride * at_once];
    let mut truth = drawn.truth.iter().peekable();
    for first in (0..p).step_by(at_once) {
        let end = p.min(first + at_once);
        let rows = &mut rows[..stride * (end - first)];
        draw_blocks(settings, first / block, rows);
        while let Some((at, effect)) = truth.next_if(|(at, _)| *at < end) {
            let row = &rows[stride * (at - first)..][..stride];
            add(*effect, row, &mut drawn.values);
        }
        finish(settings, first, rows);
        sink(rows)?;
    }
    drop(truth);
    Ok(drawn)
}

/// Variants that are drawn at a time: whole blocks, unless there are no more.
pub(super) fn at_once(settings: &SimulationSettings) -> usize {
    let &SimulationSettings { n, p, block, .. } = settings;
    let blocks = AT_ONCE / (n.div_ceil(4) * block);
    (blocks.max(1) * block).min(p)
}

/// The true variants with the effects of their copies: each in the middle of its share of all.
fn truth(settings: &SimulationSettings, random: &mut Random) -> Vec<(usize, f64)> {
    let &SimulationSettings {
        p,
        r,
        block,
        heritability,
        ..
    } = settings;
    (0..r)
        .map(|own| {
            let at = usize::midpoint(own * p / r, (own + 1) * p / r - 1);
            let f = frequency(settings, at / block);
            let size = (heritability / (2.0 * r as f64 * f * (1.0 - f))).sqrt();
            (at, random.sign() * size)
        })
        .collect()
}

/// The frequency of the counted allele in a block.
fn frequency(settings: &SimulationSettings, block: usize) -> f64 {
    let [low, high] = settings.maf;
    let mut stream = Stream::resume_at(settings.seed, FREQUENCIES, block as u64);
    let unit = (stream.next_word() >> 11) as f64 / (1_u64 << 53) as f64;
    low + (high - low) * unit
}

/// Draws blocks from the one with this number on.
fn draw_blocks(settings: &SimulationSettings, first: usize, rows: &mut [u8]) {
    let stride = settings.n.div_ceil(4);
    let mut parts = Vec::new();
    for (at, rows) in rows.chunks_mut(stride * settings.block).enumerate() {
        let mut of_people: Vec<Vec<&mut [u8]>> = Vec::new();
        of_people.resize_with(settings.n.div_ceil(PEOPLE), Vec::new);
        for row in rows.chunks_mut(stride) {
            for (part, own) in row.chunks_mut(PEOPLE / 4).zip(&mut of_people) {
                own.push(part);
            }
        }
        let of_people = of_people.into_iter().enumerate();
        parts.extend(of_people.map(|(people, rows)| (first + at, people, rows)));
    }
    map_each(
        parts,
        |(block, people, rows): (usize, usize, Vec<&mut [u8]>)| {
            let number = ALLELES + block as u64 * GROUPS + people as u64;
            let mut stream = Stream::new(settings.seed, number);
            let frequency = frequency(settings, block);
            alleles::fill(&mut stream, frequency, settings.rho, rows);
        },
    );
}

/// Adds the effect of each copy to the people of a row.
fn add(effect: f64, row: &[u8], values: &mut [f64]) {
    let by_code = [2.0 * effect, 0.0, effect, 0.0];
    for (values, byte) in values.chunks_mut(4).zip(row) {
        for (value, at) in values.iter_mut().zip([0, 2, 4, 6]) {
            *value += by_code[usize::from(byte >> at & 0b11)];
        }
    }
}

/// Makes genotypes missing, and clears what the last byte of each row has beyond the people.
fn finish(settings: &SimulationSettings, first: usize, rows: &mut [u8]) {
    let &SimulationSettings {
        n, missing, seed, ..
    } = settings;
    let rows = rows.chunks_mut(n.div_ceil(4)).enumerate();
    map_each(rows.collect(), |(at, row): (usize, &mut [u8])| {
        if missing > 0.0 {
            let mut random = Random::of(seed, MISSING + (first + at) as u64);
            alleles::mask(&mut random, missing, n, row);
        }
        if let Some(last) = row.last_mut().filter(|_| n % 4 > 0) {
            *last &= !(u8::MAX << (2 * (n % 4)));
        }
    });
}

fn draw(settings: &SimulationSettings, random: &mut Random) -> Drawn {
    let &SimulationSettings { n, p, .. } = settings;
    let stride = Genotypes::stride(n);
    let (mut words, mut at) = (vec![0; stride * p], 0);
    let drawn = draw_rows(settings, random, |rows| {
        for row in rows.chunks(n.div_ceil(4)) {
            Genotypes::fill_from_bed(row, n, &mut words[at..at + stride]);
            at += stride;
        }
        Ok::<(), std::convert::Infallible>(())
    });
    let Ok(Genetic { truth, values }) = drawn;
    let words = Arc::new(words.into());
    let columns = (0..p).map(|at| {
        let genotypes = Genotypes::part(Arc::clone(&words), at * stride, n);
        Column::from((name(at), Values::Genotypes(genotypes)))
    });
    Drawn {
        columns: columns.collect(),
        truth: truth.into_iter().map(|(at, _)| at).collect(),
        signal: values,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::with_helpers;

    /// The rows of all variants, and what they make of people.
    fn drawn(settings: &SimulationSettings, threads: usize) -> (Vec<u8>, Vec<f64>) {
        let mut rows = Vec::new();
        let mut random = Random::new(settings.seed);
        let genetic = with_helpers(threads, || {
            draw_rows(settings, &mut random, |own| {
                rows.extend_from_slice(own);
                Ok::<(), std::convert::Infallible>(())
            })
        });
        let Ok(genetic) = genetic;
        (rows, genetic.values)
    }

    #[test]
    fn any_number_of_threads_draws_the_same() {
        for (n, p, block) in [
            // Few people; more than a stream has; and more than are drawn at a time.
            (70, 900, 20),
            (2 * PEOPLE + 5, 50, 7),
            (PEOPLE, 2100, 300),
        ] {
            let settings = SimulationSettings {
                n,
                p,
                block,
                missing: 0.01,
                ..MODEL.defaults
            };
            let (rows, values) = drawn(&settings, 1);
            assert_eq!(rows.len(), p * n.div_ceil(4));
            for threads in [2, 3] {
                assert!(
                    drawn(&settings, threads) == (rows.clone(), values.clone()),
                    "{n} {p}"
                );
            }
        }
    }

    #[test]
    fn rows_of_a_seed_never_change() {
        // What tests/golden/genotypes.py prints, which is written from the definitions.
        let expected = [
            "aac2392ba88722a893b6ef228e833e8e2e0f",
            "aac2ba3ba9c0a2a8bbbcefa2ae833e8c2e0f",
            "a6c2723ba880a0a8bfbcefa2ae823eac1e0f",
            "93bf92a22fbf7abe0bfb67bfe892e2efa702",
            "83bfb2a23fabbabf0bfba3bf68a0e06ee302",
        ];
        let settings = SimulationSettings {
            n: 70,
            p: 5,
            r: 1,
            block: 3,
            rho: 0.8,
            maf: [0.2, 0.5],
            missing: 0.05,
            seed: 7,
            ..MODEL.defaults
        };
        let (rows, _) = drawn(&settings, 1);
        let shown: String = rows.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(shown, expected.concat());
    }

    #[test]
    fn blocks_do_not_depend_on_how_many_there_are() {
        let settings = SimulationSettings {
            n: 41,
            p: 57,
            ..MODEL.defaults
        };
        let (rows, _) = drawn(&settings, 1);
        let (more, _) = drawn(
            &SimulationSettings {
                p: 2000,
                ..settings
            },
            1,
        );
        assert_eq!(rows, more[..rows.len()]);
    }
}
