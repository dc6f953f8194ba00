//! What terms of one width do by joining a tableau's model, or by replacing a term of it: eight terms at a time.

use pulp::Simd;

use super::gains::LEAST;
use crate::vector::vectorised;

/// Terms at a time: their numbers lie side by side, so that one instruction works on all of them.
pub(super) const LANES: usize = 8;

/// The widest terms that are worked on so.
pub(super) const WIDEST: usize = 5;

pub(super) type Lanes = [f64; LANES];

/// A term of the model that may leave.
pub(super) struct Leaving {
    pub(super) index: usize,
    /// The rows of L⁻¹U of its columns, by place, and L⁻¹β̂.
    pub(super) rows: Vec<Vec<f64>>,
    pub(super) z: Vec<f64>,
    pub(super) cost: f64,
}

/// Terms of one width, the last repeated where there are fewer than lanes: S of each (w × w), the first place
/// of each, and the products of all places.
pub(super) struct Group<'a> {
    pub(super) rests: [&'a [f64]; LANES],
    pub(super) firsts: [usize; LANES],
    pub(super) products: &'a [f64],
    pub(super) width: usize,
}

/// The fall in RSS of each, and the rank of what the model leaves of it.
#[derive(Clone, Copy, Default)]
pub(super) struct Gained {
    pub(super) falls: Lanes,
    pub(super) ranks: Lanes,
}

vectorised! {
    /// What the terms of a group gain by joining, then by joining in place of each that leaves.
    pub(super) fn gains<'a>(
        group: &'a Group<'a>, leaving: &'a [Leaving], gained: &'a mut Vec<Gained>,
    ) -> () = gains_body;
}

#[inline(always)]
fn gains_body<S: Simd>(_simd: S, group: &Group, leaving: &[Leaving], gained: &mut Vec<Gained>) {
    gained.clear();
    match group.width {
        1 => of_width::<1>(group, leaving, gained),
        2 => of_width::<2>(group, leaving, gained),
        3 => of_width::<3>(group, leaving, gained),
        4 => of_width::<4>(group, leaving, gained),
        _ => of_width::<5>(group, leaving, gained),
    }
}

#[inline(always)]
fn of_width<const W: usize>(group: &Group, leaving: &[Leaving], gained: &mut Vec<Gained>) {
    let (mut rest, mut products) = ([[[0.0; LANES]; W]; W], [[0.0; LANES]; W]);
    for lane in 0..LANES {
        for a in 0..W {
            products[a][lane] = group.products[group.firsts[lane] + a];
            for (b, rest) in rest[a].iter_mut().enumerate().take(a + 1) {
                rest[lane] = group.rests[lane][a * W + b];
            }
        }
    }
    gained.push(explained(rest, products));
    for own in leaving {
        let (mut matrix, mut vector) = (rest, products);
        for (row, z) in own.rows.iter().zip(&own.z) {
            let mut v = [[0.0; LANES]; W];
            for a in 0..W {
                for lane in 0..LANES {
                    v[a][lane] = row[group.firsts[lane] + a];
                }
            }
            for a in 0..W {
                for lane in 0..LANES {
                    vector[a][lane] += z * v[a][lane];
                }
                for b in 0..=a {
                    for lane in 0..LANES {
                        matrix[a][b][lane] += v[a][lane] * v[b][lane];
                    }
                }
            }
        }
        gained.push(explained(matrix, vector));
    }
}

/// As [`crate::cholesky::explained`], which has the same bits, of each lane.
#[inline(always)]
fn explained<const W: usize>(mut matrix: [[Lanes; W]; W], mut v: [Lanes; W]) -> Gained {
    let mut gained = Gained::default();
    for row in 0..W {
        for column in 0..row {
            for at in 0..column {
                let (own, other) = (matrix[row][at], matrix[column][at]);
                let inverse = matrix[at][at];
                for lane in 0..LANES {
                    matrix[row][column][lane] -= own[lane] * other[lane] * inverse[lane];
                }
            }
        }
        let (mut pivot, mut rest) = (matrix[row][row], v[row]);
        for column in 0..row {
            for lane in 0..LANES {
                let own = matrix[row][column][lane];
                let scaled = own * matrix[column][column][lane];
                pivot[lane] -= own * scaled;
                rest[lane] -= scaled * v[column][lane];
            }
        }
        for lane in 0..LANES {
            let enters = pivot[lane] > LEAST;
            let inverse = if enters { 1.0 / pivot[lane] } else { 0.0 };
            matrix[row][row][lane] = inverse;
            gained.falls[lane] += rest[lane] * rest[lane] * inverse;
            gained.ranks[lane] += if enters { 1.0 } else { 0.0 };
        }
        v[row] = rest;
    }
    gained
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cholesky, random::Stream};

    #[test]
    fn lanes_have_the_bits_of_single_terms() {
        let mut stream = Stream::new(8, 0);
        let mut draw = || (stream.next_word() >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
        for width in 1..=WIDEST {
            let places = 60;
            let products: Vec<f64> = (0..places).map(|_| draw()).collect();
            let rests: Vec<Vec<f64>> = (0..LANES)
                .map(|lane| {
                    let mut rest = vec![0.0; width * width];
                    // Of every second no direction is left.
                    let scale: f64 = if lane % 2 == 0 { 1.0 } else { 1e-12 };
                    (0..width).for_each(|at| rest[at * width + at] = scale);
                    let v: Vec<f64> = (0..width).map(|_| draw() * scale.sqrt()).collect();
                    cholesky::add_square(&mut rest, &v, 0.3);
                    rest
                })
                .collect();
            let leaving: Vec<Leaving> = (0..3)
                .map(|index| Leaving {
                    index,
                    rows: (0..=index)
                        .map(|_| (0..places).map(|_| draw()).collect())
                        .collect(),
                    z: (0..=index).map(|_| draw()).collect(),
                    cost: 0.0,
                })
                .collect();
            let firsts = std::array::from_fn(|lane| lane * 5);
            let group = Group {
                rests: std::array::from_fn(|lane| &*rests[lane]),
                firsts,
                products: &products,
                width,
            };
            let mut gained = Vec::new();
            gains(&group, &leaving, &mut gained);
            assert_eq!(gained.len(), 1 + leaving.len());
            for lane in 0..LANES {
                let own = firsts[lane]..firsts[lane] + width;
                for (at, gained) in gained.iter().enumerate() {
                    let (mut matrix, mut vector) =
                        (rests[lane].clone(), products[own.clone()].to_vec());
                    for own_leaving in leaving.iter().take(at).skip(at.saturating_sub(1)) {
                        for (row, z) in own_leaving.rows.iter().zip(&own_leaving.z) {
                            let v = &row[own.clone()];
                            vector.iter_mut().zip(v).for_each(|(e, v)| *e += z * v);
                            cholesky::add_square(&mut matrix, v, 1.0);
                        }
                    }
                    let (fall, rank) = cholesky::explained(&mut matrix, &mut vector, LEAST);
                    assert_eq!(
                        gained.falls[lane].to_bits(),
                        fall.to_bits(),
                        "{width} {at} {lane}"
                    );
                    assert_eq!(gained.ranks[lane], rank as f64);
                }
            }
        }
    }
}
