//! Simulated genotypes as the files of PLINK have them: variants on chromosomes, and a trait.

use super::{
    SimulateError, SimulationModel, SimulationSettings, families,
    genotypes::{Genetic, at_once, draw_rows, name},
    random::Random,
};
use crate::family::Distribution;

const CHROMOSOMES: usize = 22;

/// Base pairs from a variant to the next, and of a chromosome, at most.
const STEP: usize = 1000;
const LENGTH: usize = 200_000_000;

/// The allele of which copies are counted, and the other, of every variant.
pub(crate) const COUNTED_ALLELE: &str = "A";
pub(crate) const OTHER_ALLELE: &str = "G";

/// A variant as a `.bim` has it.
#[derive(Debug)]
pub(crate) struct SimulatedVariant {
    pub(crate) name: String,
    pub(crate) chromosome: usize,
    /// The base pair.
    pub(crate) position: usize,
}

/// The variants in their order.
pub(crate) fn variants(
    settings: &SimulationSettings,
) -> impl Iterator<Item = SimulatedVariant> + use<'_> {
    (0..settings.p).map(|at| variant(settings, at))
}

/// The variant at a position. Blocks are spread evenly over the chromosomes, and none over two.
fn variant(settings: &SimulationSettings, at: usize) -> SimulatedVariant {
    let &SimulationSettings { p, block, .. } = settings;
    let blocks = p.div_ceil(block);
    let longest = blocks.div_ceil(CHROMOSOMES) * block;
    let step = (LENGTH / longest).clamp(1, STEP);
    let chromosome = at / block * CHROMOSOMES / blocks;
    let first = (chromosome * blocks).div_ceil(CHROMOSOMES) * block;
    SimulatedVariant {
        name: name(at),
        chromosome: chromosome + 1,
        position: (at - first + 1) * step,
    }
}

/// A trait of people, and the variants that made it.
#[derive(Debug)]
pub(crate) struct SimulatedTrait {
    /// The names of the true variants, in their order, each with the effect of a copy on the trait, or on the linear
    /// predictor of its family.
    pub(crate) truth: Vec<(String, f64)>,
    /// The trait of each person.
    pub(crate) values: Vec<f64>,
}

impl SimulatedTrait {
    /// Draws a trait, and gives the rows of genotypes away as [`draw_rows`] does.
    ///
    /// # Errors
    /// Those of the sink, that no true variant varies, and a block that does not fit into memory.
    pub(crate) fn draw<E: From<SimulateError>>(
        model: &SimulationModel,
        settings: &SimulationSettings,
        sink: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<Self, E> {
        let (n, variants) = (settings.n, at_once(settings));
        // Where it is taken no error can be told.
        let room = Vec::<u8>::new().try_reserve_exact(n.div_ceil(4) * variants);
        room.map_err(|_| SimulateError::TooLarge { n, p: variants })?;
        let mut random = Random::new(settings.seed);
        let Genetic { truth, values } = draw_rows(settings, &mut random, sink)?;
        let scale = match settings.family {
            Distribution::Gaussian => 1.0,
            family => families::scale(family, &values, model.signal_ratio(settings)),
        };
        let truth = truth.into_iter();
        let truth = truth.map(|(at, effect)| (name(at), scale * effect));
        Ok(Self {
            truth: truth.collect(),
            values: model.response(settings, values, &mut random)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn blocks_are_spread_over_chromosomes_and_stay_whole() {
        for (p, block) in [
            (1, 1),
            (20, 20),
            (100, 20),
            (440, 20),
            (1003, 7),
            (50_000, 1000),
        ] {
            let settings = SimulationSettings {
                p,
                block,
                ..SimulationSettings::BLANK
            };
            let all: Vec<SimulatedVariant> = variants(&settings).collect();
            assert_eq!(all.len(), p);
            let mut sizes = BTreeMap::new();
            for (at, own) in all.iter().enumerate() {
                assert_eq!(own.name, format!("snp{}", at + 1));
                assert!((1..=22).contains(&own.chromosome));
                assert_eq!(own.chromosome, all[at / block * block].chromosome);
                let size = sizes.entry(own.chromosome).or_insert(0);
                *size += 1;
                assert_eq!(own.position, 1000 * *size, "{p} {block} {at}");
            }
            let blocks = p.div_ceil(block);
            assert_eq!(sizes.len(), blocks.min(22));
            let whole = |size: &usize| size.div_ceil(block);
            let most = sizes.values().map(whole).max().unwrap();
            assert_eq!(most, blocks.div_ceil(22));
        }
    }

    #[test]
    fn positions_of_the_longest_files_are_those_that_plink_takes() {
        let settings = SimulationSettings {
            p: 1_000_000_000,
            block: 20,
            ..SimulationSettings::BLANK
        };
        let ends = (1..=22).map(|own: usize| (own * 50_000_000).div_ceil(22) * 20 - 1);
        for (chromosome, at) in (1..).zip(ends) {
            let last = variant(&settings, at);
            assert_eq!(last.chromosome, chromosome);
            assert!((1 << 20..1 << 31).contains(&last.position));
        }
    }
}
