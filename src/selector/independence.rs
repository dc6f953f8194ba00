//! The G-test of a variable and the response, pairwise where one misses values.

use crate::{
    binning::{BinnedColumn, Codes},
    device::counting::{Categorical, complete_cases, mutual_information},
    logs::LogTable,
    selection::Independence,
};

/// The test of a column and the response, in levels that occur.
pub(super) fn independence(x: &Categorical, y: &Categorical, logs: &LogTable) -> Independence {
    let both;
    let (x, y) = match x.missing || y.missing {
        false => (x, y),
        true => {
            both = complete_cases(x, y);
            (&both.0, &both.1)
        }
    };
    let n = x.codes.len();
    let own = |codes: &Categorical| codes.log_sum(logs);
    let sum = mutual_information((x, own(x)), (y, own(y)), logs, &mut Vec::new());
    // Its logarithms are those of all observations, of which these may be some.
    let all = logs.full_term() - logs.term(n as u32);
    counted(sum - all, n, [x.levels, y.levels], logs)
}

/// The test by n·I(x;y) in fixed point, the number of observations and the levels that occur.
pub(super) fn counted(sum: i64, n: usize, levels: [usize; 2], logs: &LogTable) -> Independence {
    let nats = sum as f64 / n.max(1) as f64 / f64::from(logs.bits()).exp2();
    Independence::of(n, nats, levels)
}

/// Observations of each level of the response.
pub(super) fn class_counts(response: &Categorical) -> Vec<u32> {
    let mut counts = level_counts(&response.codes, response.levels, |class| class as usize);
    counts.truncate(response.levels);
    counts
}

/// How often each of the codes 0 … `levels` occurs.
fn level_counts<T: Copy>(codes: &[T], levels: usize, level: impl Fn(T) -> usize) -> Vec<u32> {
    // Equal codes in a row would wait for each other in one table.
    let mut tables = vec![[0u32; 4]; levels + 1];
    let (quartets, rest) = codes.as_chunks::<4>();
    for quartet in quartets {
        for (at, code) in quartet.iter().enumerate() {
            tables[level(*code)][at] += 1;
        }
    }
    for code in rest {
        tables[level(*code)][0] += 1;
    }
    tables.iter().map(|table| table.iter().sum()).collect()
}

/// Levels up to which comparing every code with each of them is faster than a table.
const COMPARED: usize = 16;

/// [`level_counts`] of codes of a byte.
fn byte_counts(codes: &[u8], levels: usize) -> Vec<u32> {
    if levels > COMPARED {
        return level_counts(codes, levels, usize::from);
    }
    let mut counts = vec![0; levels + 1];
    // So few that a byte counts them.
    for chunk in codes.chunks(128) {
        for (level, count) in (0u8..).zip(&mut counts[..levels]) {
            let equal = chunk.iter().map(|code| u8::from(*code == level));
            *count += u32::from(equal.sum::<u8>());
        }
    }
    counts[levels] = codes.len() as u32 - counts.iter().sum::<u32>();
    counts
}

/// Expected observations of a cell from which on the χ² distribution of G is a good guide.
const EXPECTED: u64 = 5;

/// The share of the cells of the table of x and the response that expect fewer than 5 observations
/// where both are independent; 0 of a table without observations. `classes` are the response's
/// [`class_counts`].
///
/// *Source:* W. G. Cochran, Some methods for strengthening the common χ² tests, *Biometrics* 10
/// (1954), 417–451.
pub(super) fn sparse_cells(x: &BinnedColumn, response: &Categorical, classes: &[u32]) -> f64 {
    let mut counts = match &x.codes {
        Codes::Byte(codes) => byte_counts(codes, x.levels),
        Codes::Word(codes) => level_counts(codes, x.levels, usize::from),
        Codes::Sparse {
            n,
            mode,
            rows,
            codes,
        } => {
            let mut counts = level_counts(codes, x.levels, usize::from);
            counts[usize::from(*mode)] += (*n - rows.len()) as u32;
            counts
        }
    };
    let complete;
    let mut classes = classes;
    if let Some(missing) = x.excluded_code() {
        counts[usize::from(missing)] = 0;
        let codes = x.codes.dense();
        let kept = response.codes.iter().zip(&codes);
        let kept = kept.filter(|(_, code)| **code != missing);
        let kept = Categorical {
            codes: kept.map(|(class, _)| *class).collect(),
            ..*response
        };
        complete = class_counts(&kept);
        classes = &complete;
    }
    let mut classes: Vec<u64> = classes.iter().map(|count| (*count).into()).collect();
    classes.retain(|count| *count > 0);
    classes.sort_unstable();
    let n: u64 = classes.iter().sum();
    let counts = counts.into_iter().map(u64::from).filter(|count| *count > 0);
    let few = |count: u64| classes.partition_point(|class| class * count < EXPECTED * n);
    let (few, levels) = counts.fold((0, 0), |(sum, levels), count| {
        (sum + few(count), levels + 1)
    });
    few as f64 / ((levels * classes.len()) as f64).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::counting::tests::binned;

    #[track_caller]
    fn assert_share(codes: Codes, (levels, missing): (usize, Option<u16>), y: &[u32], share: f64) {
        let y = Categorical {
            codes: y.to_vec(),
            levels: 2,
            missing: false,
        };
        let x = binned(codes, levels, missing);
        assert_eq!(sparse_cells(&x, &y, &class_counts(&y)), share);
    }

    #[test]
    fn cells_that_expect_fewer_than_five_are_counted() {
        let y: Vec<u32> = (0..40).map(|row| u32::from(row < 10)).collect();
        let half: Vec<u8> = (0..40).map(|row| row % 2).collect();
        // 20 · 10 / 40 is five.
        assert_share(Codes::Byte(half.clone()), (2, None), &y, 0.0);
        // Levels of 19 and 21: 19 · 10 / 40 is less.
        let mut uneven = half;
        uneven[0] = 1;
        assert_share(Codes::Byte(uneven), (2, None), &y, 0.25);
        // A level that does not occur is none.
        let words = (0..40).map(|row| [0, 7][row % 2]).collect();
        assert_share(Codes::Word(words), (9, None), &y, 0.0);
        let each = (0..40).collect();
        assert_share(Codes::Word(each), (40, None), &y, 1.0);
        let sparse = Codes::Sparse {
            n: 40,
            mode: 3,
            rows: vec![0, 39],
            codes: vec![1, 1],
        };
        // Of 38 and 2: 38 · 10 / 40 is enough, 2 · 30 / 40 not.
        assert_share(sparse, (4, None), &y, 0.5);
    }

    #[test]
    fn codes_are_counted_alike_by_tables_and_by_comparing() {
        for levels in [0, 1, 2, 3, 15, 16, 17, 250] {
            for n in [0, 1, 127, 128, 129, 1003] {
                // The code of missing values is the number of levels.
                let codes: Vec<u8> = (0..n).map(|at| (at * at % (levels + 1)) as u8).collect();
                let mut counts = vec![0; levels + 1];
                for code in &codes {
                    counts[usize::from(*code)] += 1;
                }
                assert_eq!(byte_counts(&codes, levels), counts, "{levels}, {n}");
                assert_eq!(level_counts(&codes, levels, usize::from), counts);
            }
        }
    }

    #[test]
    fn observations_that_miss_x_expect_nothing() {
        let y: Vec<u32> = (0..40).map(|row| u32::from(row % 2 == 0)).collect();
        // The ten of class 1 among the first twenty are left, and two levels of ten each.
        let codes = (0..40).map(|row| if row < 20 { row / 2 % 2 } else { 2 });
        assert_share(Codes::Byte(codes.collect()), (2, Some(2)), &y, 0.0);
        let none = Codes::Byte(vec![0; 40]);
        assert_share(none, (0, Some(0)), &y, 0.0);
    }
}
