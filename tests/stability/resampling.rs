//! The rows of resamples.

use std::collections::HashSet;

use passel::stability::{Resample, Resampling};

const ALL: [Resampling; 3] = [
    Resampling::Complementary,
    Resampling::Subsample(0.3),
    Resampling::Bootstrap,
];

#[test]
fn halves_have_no_row_in_common_and_all_but_an_odd_one() {
    for n in [2, 3, 10, 101] {
        for pair in 0..20 {
            let halves =
                [0, 1].map(|half| Resampling::Complementary.resample(2 * pair + half, n, 7));
            let both = halves.iter().flat_map(|half| half.rows.iter().copied());
            let both: HashSet<usize> = both.collect();
            assert!(halves.iter().all(|half| half.rows.len() == n / 2));
            assert_eq!(both.len(), n / 2 * 2);
            assert!(both.iter().all(|row| *row < n));
            assert_ne!(halves[0].seed, halves[1].seed);
        }
    }
}

#[test]
fn subsamples_are_without_replacement_and_bootstraps_with_it() {
    let rows = |how: Resampling, n| how.resample(3, n, 1).rows;
    let part = rows(Resampling::Subsample(0.3), 10);
    assert_eq!((part.len(), Resampling::Subsample(0.5).rows(7)), (3, 3));
    assert!(part.windows(2).all(|two| two[0] < two[1]));
    let drawn = rows(Resampling::Bootstrap, 1000);
    assert_eq!(drawn.len(), 1000);
    let once = drawn.iter().collect::<HashSet<_>>().len();
    // 1 − 1/e of them, 632, with a standard deviation of about 10.
    assert!((580..690).contains(&once), "{once}");
}

#[test]
fn resamples_differ_by_number_and_seed_and_are_made_again() {
    for how in ALL {
        let made = |number, seed| how.resample(number, 40, seed);
        let all: Vec<Resample> = (0..50).map(|number| made(number, 5)).collect();
        let rows: HashSet<_> = all.iter().map(|resample| &resample.rows).collect();
        let seeds: HashSet<_> = all.iter().map(|resample| resample.seed).collect();
        assert_eq!((rows.len(), seeds.len()), (50, 50), "{how:?}");
        assert_eq!(made(17, 5), all[17]);
        assert_ne!(made(17, 6).rows, all[17].rows);
    }
}

#[test]
fn every_row_is_drawn_about_as_often() {
    for how in ALL {
        let mut times = [0_usize; 20];
        for number in 0..2000 {
            for row in how.resample(number, 20, 3).rows {
                times[row] += 1;
            }
        }
        let mean = 2000.0 * how.rows(20) as f64 / 20.0;
        let off = |count: &usize| (*count as f64 - mean).abs() < 6.0 * mean.sqrt();
        assert!(times.iter().all(off), "{how:?} {times:?}");
    }
}
