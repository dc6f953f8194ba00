use super::*;
use crate::{design::Columns, least_squares::Fit, random::Stream};

/// Columns and response of unit norm, correlated by a common part.
fn problem(n: usize, p: usize) -> (Vec<f64>, Vec<f64>) {
    let mut stream = Stream::new(1, 0);
    let mut draw = || (stream.next_word() >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
    let common: Vec<f64> = (0..n).map(|_| draw()).collect();
    let mut column = || {
        let mut x: Vec<f64> = common.iter().map(|c| c + draw()).collect();
        let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        x.iter_mut().for_each(|x| *x /= norm);
        x
    };
    let x = (0..p).flat_map(|_| column()).collect();
    (x, column())
}

#[test]
fn every_step_is_the_best_of_all_fitted_from_scratch() {
    let (n, p) = (40, 21);
    let (x, y) = problem(n, p);
    let x = Columns::new(&x, n);
    let mut pool = GramPool::new(x, &crate::least_squares::Fit::empty(&y));
    // In two parts and out of order: places are not columns.
    pool.insert(x, &y, (10..p as u32).rev(), 1, &|| false);
    pool.insert(x, &y, 0..10, 1, &|| false);
    let rss = |places: &[usize]| {
        let mut support: Vec<u32> = places.iter().map(|m| pool.term(*m)).collect();
        support.sort_unstable();
        Fit::of(x, &y, &support).0.rss()
    };
    let mut tableau = Tableau::new(&pool, None, &[3, 7]);
    for step in 0..200 {
        let members = tableau.members.clone();
        let now = tableau.rss;
        assert!((now - rss(&members)).abs() < 1e-12, "step {step}");
        let outside: Vec<usize> = (0..p).filter(|j| !members.contains(j)).collect();
        let mut open = vec![0.0; pool.xty().len()];
        outside.iter().for_each(|j| open[*j] = 1.0);
        let with = |j: usize| [&members[..], &[j]].concat();
        let without = |i: usize| [&members[..i], &members[i + 1..]].concat();
        let swapped = |i: usize, j: usize| [&without(i)[..], &[j]].concat();
        let least = |all: &mut dyn Iterator<Item = f64>| all.fold(f64::INFINITY, f64::min);
        let k = members.len();

        let added = tableau.best_addition(&open).unwrap();
        let all = least(&mut outside.iter().map(|j| rss(&with(*j))));
        assert!((now - added.fall - all).abs() < 1e-12);
        assert!((rss(&with(added.joins.unwrap())) - all).abs() < 1e-12);
        let dropped = tableau.best_drop(|_| true).unwrap();
        let all = least(&mut (0..k).map(|i| rss(&without(i))));
        assert!((now - dropped.fall - all).abs() < 1e-12);
        let exchanged = tableau.best_exchange(&open, |_| true).unwrap();
        let pairs = (0..k).flat_map(|i| outside.iter().map(move |j| (i, *j)));
        let all = least(&mut pairs.map(|(i, j)| rss(&swapped(i, j))));
        assert!((now - exchanged.fall - all).abs() < 1e-12);
        let (i, j) = (exchanged.leaves.unwrap(), exchanged.joins.unwrap());
        assert!((rss(&swapped(i, j)) - all).abs() < 1e-12);

        match step % 5 {
            0 | 2 if k < 12 => tableau.step((&pool, None), None, added.joins),
            3 if k > 2 => tableau.step((&pool, None), dropped.leaves, None),
            _ => tableau.step((&pool, None), Some(i), Some(outside[step % outside.len()])),
        }
    }
}
