use passel_sdk::{Procedure, Run};

use crate::{
    data::{Data, all, classes, extents},
    distances::{BLOCK, Distances, Measure},
    ranking::choose,
};

/// Relief of Kira and Rendell, as FEAST has it: **(1/n) Σ (x − x_miss)² / range² − (x − x_hit)² /
/// range²** over all observations.
///
/// Around each observation the others lie in the order of their Euclidean distance, of numbers as
/// they are; equally far ones in the order of the file. They are walked until one of its own
/// class (a hit) and one of another (a miss) were met. Of the kind that ended the walk the
/// nearest is taken, of the other the last that was met: not its nearest, which is FEAST's own
/// way. Variables of large numbers rule the distances; `relieff` scales them, and has more than one
/// neighbour, and one of every class.
///
/// An observation alone in its class has no hit, and its nearest miss counts. Deviating from
/// FEAST, a constant has weight 0 (there NaN, which comes first), and of observations in the
/// same place only the one itself is left out (there the first of them).
///
/// *Source*: K. Kira and L. A. Rendell, The feature selection problem: traditional methods and a
/// new algorithm, AAAI (1992) 129–134.
///
/// ```
/// use passel_relief::{Few, relief};
///
/// // Squared distances from the first: 5 to its hit, 9 and 20 to the misses.
/// let (a, b) = ([0.0, 1.0, 3.0, 4.0], [0.0, 2.0, 0.0, 2.0]);
/// let data = Few { columns: &[&a, &b], classes: &[0, 0, 1, 1] };
/// // a: 9 − 1, 4 − 1, 4 − 1 and 9 − 1 over 16; b: 0 − 4, 4 − 4, 4 − 4 and 0 − 4 over 4.
/// let weights = relief(&data)?;
/// assert_eq!(weights, Some(vec![22.0 / 16.0 / 4.0, -2.0 / 4.0]));
/// # Ok::<(), String>(())
/// ```
pub const RELIEF: Procedure = Procedure {
    name: "relief",
    title: "relief, as FEAST has it",
    formula: "mean of (x − x_miss)² / range² − (x − x_hit)² / range²",
    source: "K. Kira and L. A. Rendell, The feature selection problem: traditional methods and a new algorithm, AAAI (1992) 129–134",
    parameters: &[],
    check: |_| Ok(()),
    run: Run::Levels(|_, levels| match relief(levels)? {
        Some(weights) => choose(levels, &weights),
        None => Ok(()),
    }),
};

/// The weight of each variable; none where the user wants the end.
///
/// # Errors
/// A missing value, or a response of one class.
pub fn relief(data: &impl Data) -> Result<Option<Vec<f64>>, String> {
    let n = data.n();
    let (classes, _) = classes(data)?;
    let extents = extents(data)?;
    let distances = Distances::new(data, &extents, Measure::Square)?;
    let blocks = n.div_ceil(BLOCK);
    let found = all(data, blocks, |block| {
        let observations: Vec<usize> = (block * BLOCK..n.min((block + 1) * BLOCK)).collect();
        let Some(rows) = distances.of(&observations, data) else {
            return Ok(Vec::new());
        };
        let rows = observations.into_iter().zip(rows);
        Ok(rows
            .map(|(at, row)| neighbours(at, &row, &classes))
            .collect())
    })?;
    if data.interrupted() {
        return Ok(None);
    }
    let found: Vec<Neighbours> = found.into_iter().flatten().collect();
    let weights = all(data, extents.len(), |column| {
        let range = extents[column].range;
        if range == 0.0 {
            return Ok(0.0);
        }
        let x = data.numbers(column)?;
        let apart = |at: usize, to: Option<usize>| {
            let share = to.map_or(0.0, |to| extents[column].apart(x[at], x[to]) / range);
            share * share
        };
        let each = found.iter().enumerate();
        let sum: f64 = each
            .map(|(at, met)| apart(at, met.miss) - apart(at, met.hit))
            .sum();
        Ok(sum / n as f64)
    })?;
    Ok(Some(weights).filter(|_| !data.interrupted()))
}

/// The neighbours that an observation is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Neighbours {
    hit: Option<usize>,
    miss: Option<usize>,
}

/// Those of an observation, by its distances.
fn neighbours(from: usize, distances: &[f64], classes: &[u32]) -> Neighbours {
    let before = |a: usize, b: usize| (distances[a], a) < (distances[b], b);
    let is_hit = |at: usize| classes[at] == classes[from];
    // The nearest of a kind.
    let nearest = |hit: bool| {
        let kind = (0..distances.len()).filter(|at| *at != from && is_hit(*at) == hit);
        kind.reduce(|best, at| if before(at, best) { at } else { best })
    };
    // The farthest of a kind before that one.
    let last = |hit: bool, end: usize| {
        let kind = (0..distances.len()).filter(|at| *at != from && is_hit(*at) == hit);
        let met = kind.filter(|at| before(*at, end));
        met.reduce(|best, at| if before(best, at) { at } else { best })
    };
    let (hit, miss) = (nearest(true), nearest(false));
    match (hit, miss) {
        (Some(first), Some(end)) if before(first, end) => Neighbours {
            hit: last(true, end),
            miss,
        },
        (Some(end), Some(_)) => Neighbours {
            hit,
            miss: last(false, end),
        },
        _ => Neighbours { hit, miss },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_walk_ends_when_both_kinds_were_met() {
        let classes = [0, 0, 1, 0, 1, 1];
        let met = |distances: &[f64]| neighbours(0, distances, &classes);
        let of = |hit, miss| Neighbours { hit, miss };
        // Two hits, then a miss: the later hit.
        let two_hits = met(&[0.0, 1.0, 3.0, 2.0, 4.0, 5.0]);
        assert_eq!(two_hits, of(Some(3), Some(2)));
        // Two misses, then a hit; equally far ones in the order of the file.
        let two_misses = met(&[0.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
        assert_eq!(two_misses, of(Some(1), Some(4)));
        // All in one place.
        assert_eq!(met(&[0.0; 6]), of(Some(1), Some(2)));
        assert_eq!(
            neighbours(2, &[1.0, 2.0, 0.0], &[0, 0, 1]),
            of(None, Some(0))
        );
    }
}
