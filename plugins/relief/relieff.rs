use passel_sdk::{Parameter, ParameterKind, Procedure, Run};

use crate::{
    data::{Data, all, classes, extents},
    distances::{BLOCK, Distances, Measure},
    ranking::choose,
};

/// ReliefF: **mean of Σ P(C)/(1 − P(class))·diff(x, misses of C) − diff(x, hits)**, diff the mean
/// of |a − b| / range over the nearest `neighbours` of that class.
///
/// Around each observation the nearest of its own class (hits) and of every other class C
/// (misses, weighed by the share of C among the others) are those of least Σ |a − b| / range over
/// all variables; equally far ones in the order of the file. Where a class has fewer, diff is the
/// mean over those it has, and 0 where it has none. `relief` takes one neighbour of either kind, by
/// numbers that are not scaled, and squares the differences.
///
/// Distances are exact sums where all numbers are whole and their ranges have a common multiple
/// with room; else distances equal to nine digits are equal.
///
/// *Source*: I. Kononenko, Estimating attributes: analysis and extensions of RELIEF, ECML (1994)
/// 171–182.
///
/// ```
/// use passel_relief::{Few, relieff};
///
/// // Ranges 4 and 2: from the first 1.25 to its hit, 0.75 and 2 to the misses.
/// let (a, b) = ([0.0, 1.0, 3.0, 4.0], [0.0, 2.0, 0.0, 2.0]);
/// let data = Few { columns: &[&a, &b], classes: &[0, 0, 1, 1] };
/// // One neighbour: each has a miss at 3/4 of a and 0 of b, a hit at 1/4 and 1.
/// assert_eq!(relieff(&[1.0, 0.0], &data)?, Some(vec![0.5, -1.0]));
/// // Up to ten: both misses, the mean of b's differences is 1/2.
/// assert_eq!(relieff(&[10.0, 0.0], &data)?, Some(vec![0.5, -0.5]));
/// # Ok::<(), String>(())
/// ```
pub const RELIEFF: Procedure = Procedure {
    name: "relieff",
    title: "relief of several classes and neighbours",
    formula: "mean of Σ P(C)/(1 − P(class))·diff(x, misses of C) − diff(x, hits)",
    source: "I. Kononenko, Estimating attributes: analysis and extensions of RELIEF, ECML (1994) 171–182",
    parameters: &[
        Parameter {
            name: "neighbours",
            help: "Nearest observations of each class",
            default: 10.0,
            least: 1.0,
            most: 1_000_000.0,
            kind: ParameterKind::Number,
        },
        Parameter {
            name: "samples",
            help: "Observations, drawn at random, whose neighbours are found; 0 for all",
            default: 0.0,
            least: 0.0,
            most: 1_000_000_000.0,
            kind: ParameterKind::Number,
        },
    ],
    check: |_| Ok(()),
    run: Run::Levels(|values, levels| match relieff(values, levels)? {
        Some(weights) => choose(levels, &weights),
        None => Ok(()),
    }),
};

/// Blocks between two looks at how far it is; fewer where their neighbours would take more than
/// [`ROOM`].
const ROUND: usize = 128;

/// Neighbours kept at a time.
const ROOM: usize = 1 << 24;

/// The weight of each variable for these parameters; none where the user wants the end.
///
/// # Errors
/// Parameters that are no whole numbers, a missing value, or a response of one class.
pub fn relieff(values: &[f64], data: &impl Data) -> Result<Option<Vec<f64>>, String> {
    let [neighbours, samples] = [
        whole("neighbours", values[0])?,
        whole("samples", values[1])?,
    ];
    let (classes, sizes) = classes(data)?;
    let extents = extents(data)?;
    let distances = Distances::new(data, &extents, Measure::Share)?;
    let near = Near {
        classes: &classes,
        sizes: &sizes,
        most: neighbours,
    };
    let observations = drawn(samples, data);
    let each = near.offsets().last().copied().unwrap_or(0).max(1);
    let round = (ROOM / (each * BLOCK)).clamp(1, ROUND) * BLOCK;
    let mut weights = vec![0.0; extents.len()];
    let mut done = 0;
    for some in observations.chunks(round) {
        let blocks: Vec<&[usize]> = some.chunks(BLOCK).collect();
        let lists = all(data, blocks.len(), |at| {
            let rows = distances.of(blocks[at], data).unwrap_or_default();
            let rows = blocks[at].iter().zip(rows);
            Ok(rows.map(|(at, row)| near.of(*at, &row)).collect::<Vec<_>>())
        })?;
        if data.interrupted() {
            return Ok(None);
        }
        let lists: Vec<Vec<u32>> = lists.into_iter().flatten().collect();
        let parts = all(data, extents.len(), |column| {
            let range = extents[column].range;
            if range == 0.0 {
                return Ok(0.0);
            }
            let x = data.numbers(column)?;
            let each = some.iter().zip(&lists);
            let apart = |a: usize, b: usize| extents[column].apart(x[a], x[b]);
            Ok(each
                .map(|(at, list)| near.told(*at, list, apart))
                .sum::<f64>()
                / range)
        })?;
        for (weight, part) in weights.iter_mut().zip(parts) {
            *weight += part;
        }
        done += some.len();
        data.progress(done, observations.len());
    }
    for weight in &mut weights {
        *weight /= observations.len() as f64;
    }
    Ok(Some(weights).filter(|_| !data.interrupted()))
}

fn whole(name: &str, value: f64) -> Result<usize, String> {
    match value.fract() == 0.0 {
        true => Ok(value as usize),
        false => Err(format!("{name} = {value}: it is a whole number")),
    }
}

/// All observations, or so many of them, in the order of the file.
fn drawn(samples: usize, data: &impl Data) -> Vec<usize> {
    let n = data.n();
    let mut all: Vec<usize> = (0..n).collect();
    if samples == 0 || samples >= n {
        return all;
    }
    // The first places of a shuffle.
    for (at, word) in data.random(samples).into_iter().enumerate() {
        let left = (n - at) as u64;
        let step = (u64::from(word) * left) >> 32;
        all.swap(at, at + step as usize);
    }
    all.truncate(samples);
    all.sort_unstable();
    all
}

/// Whose neighbours are found, and how many.
struct Near<'a> {
    classes: &'a [u32],
    sizes: &'a [usize],
    most: usize,
}

impl Near<'_> {
    /// Where each class has its room in a list, and the end.
    fn offsets(&self) -> Vec<usize> {
        let mut offsets = vec![0];
        for size in self.sizes {
            let last = offsets[offsets.len() - 1];
            offsets.push(last + size.min(&self.most));
        }
        offsets
    }

    /// How many of a class are near an observation of another, or the same.
    fn count(&self, class: usize, own: usize) -> usize {
        let size = self.sizes[class] - usize::from(class == own);
        size.min(self.most)
    }

    /// The nearest of every class, class by class, the nearest first.
    fn of(&self, from: usize, distances: &[f64]) -> Vec<u32> {
        let offsets = self.offsets();
        let room = offsets[self.sizes.len()];
        let mut filled = vec![0; self.sizes.len()];
        let mut nearest = vec![(0.0, 0); room];
        for (at, (&distance, &class)) in distances.iter().zip(self.classes).enumerate() {
            let class = class as usize;
            let (filled, own) = (
                &mut filled[class],
                &mut nearest[offsets[class]..offsets[class + 1]],
            );
            if at == from || *filled == own.len() && distance >= own[*filled - 1].0 {
                continue;
            }
            // Those equally far came before it.
            let place = own[..*filled].partition_point(|met| met.0 <= distance);
            *filled = (*filled + 1).min(own.len());
            own[place..*filled].rotate_right(1);
            own[place] = (distance, at as u32);
        }
        let rooms = offsets.iter().zip(filled);
        let taken = rooms.flat_map(|(&start, filled)| &nearest[start..start + filled]);
        taken.map(|met| met.1).collect()
    }

    /// What an observation and its neighbours tell of a variable, times its range.
    fn told(&self, from: usize, list: &[u32], apart: impl Fn(usize, usize) -> f64) -> f64 {
        let own = self.classes[from] as usize;
        let others = (self.classes.len() - self.sizes[own]) as f64;
        let (mut told, mut start) = (0.0, 0);
        for (class, &size) in self.sizes.iter().enumerate() {
            let count = self.count(class, own);
            if count == 0 {
                continue;
            }
            let near = &list[start..start + count];
            start += count;
            let apart = near.iter().map(|other| apart(from, *other as usize));
            let mean = apart.sum::<f64>() / count as f64;
            told += match class == own {
                true => -mean,
                false => size as f64 / others * mean,
            };
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Few;

    #[test]
    fn the_nearest_of_every_class_come_first_and_equally_far_ones_by_row() {
        let near = Near {
            classes: &[0, 1, 0, 1, 0, 1, 2],
            sizes: &[3, 3, 1],
            most: 2,
        };
        let list = near.of(0, &[0.0, 5.0, 4.0, 3.0, 4.0, 3.0, 9.0]);
        assert_eq!(list, [2, 4, 3, 5, 6]);
        let list = near.of(6, &[5.0, 5.0, 4.0, 3.0, 1.0, 2.0, 0.0]);
        assert_eq!(list, [4, 2, 5, 3]);
    }

    #[test]
    fn a_rare_class_gives_what_it_has() {
        // The third is alone in its class: no hit; the others have two classes of misses.
        let x = [0.0, 1.0, 4.0];
        let data = Few {
            columns: &[&x, &[7.0; 3]],
            classes: &[0, 0, 1],
        };
        // (1·4 − 1)/4, (1·3 − 1)/4, and the mean of 4 and 3 over 4.
        let weights = relieff(&[10.0, 0.0], &data).unwrap().unwrap();
        assert!((weights[0] - (3.0 + 2.0 + 3.5) / 12.0).abs() < 1e-15);
        assert_eq!(weights[1].to_bits(), 0.0f64.to_bits());
    }

    #[test]
    fn what_cannot_be_is_said() {
        let (x, gap) = ([0.0, 1.0, 4.0], [1.0, f64::NAN, 2.0]);
        fn refused(columns: &[&[f64]], classes: &[u32]) -> String {
            relieff(&[10.0, 0.0], &Few { columns, classes }).unwrap_err()
        }
        assert!(refused(&[&x, &gap], &[0, 1, 1]).starts_with("candidate 2 of 2 has missing"));
        assert!(refused(&[&x], &[1, 1, 1]).starts_with("the response has one level"));
        assert!(whole("neighbours", 1.5).is_err());
        let far = [-f64::MAX, f64::MAX, 0.0];
        assert!(refused(&[&far], &[0, 1, 1]).contains("too far apart"));
    }

    #[test]
    fn a_draw_has_each_observation_once() {
        struct Drawing(u32);
        impl Data for Drawing {
            fn n(&self) -> usize {
                10
            }
            fn p(&self) -> usize {
                0
            }
            fn numbers(&self, _: usize) -> Result<Vec<f64>, String> {
                Ok(Vec::new())
            }
            fn is_nominal(&self, _: usize) -> bool {
                false
            }
            fn classes(&self) -> Result<(Vec<u32>, usize), String> {
                Ok((Vec::new(), 0))
            }
            fn each(&self, _: usize, _: &(dyn Fn(usize) + Sync)) {}
            fn random(&self, count: usize) -> Vec<u32> {
                vec![self.0; count]
            }
            fn interrupted(&self) -> bool {
                false
            }
            fn progress(&self, _: usize, _: usize) {}
        }
        assert_eq!(drawn(3, &Drawing(0)), [0, 1, 2]);
        assert_eq!(drawn(0, &Drawing(0)).len(), 10);
        for word in [u32::MAX, u32::MAX / 2, 12345] {
            let mut some = drawn(7, &Drawing(word));
            some.dedup();
            assert_eq!(some.len(), 7);
            assert!(some.iter().all(|number| *number < 10));
        }
    }
}
