//! The tableau of terms of several columns beside fits from scratch.

use super::{step::Step, tableau::Tableau};
use crate::{
    design::{Columns, Terms},
    device::GramPool,
    least_squares::Fit,
    random::Stream,
    vector::product,
};

/// The best fall of each kind of step and each number of parameters.
fn best(steps: &[Step]) -> Vec<((bool, bool, i32), f64)> {
    let mut all: Vec<_> = steps
        .iter()
        .map(|step| {
            let kind = (step.leaves.is_some(), step.joins.is_some(), step.parameters);
            (kind, step.fall)
        })
        .collect();
    all.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    all.dedup_by_key(|own| own.0);
    all
}

#[test]
fn every_step_of_terms_is_the_best_of_all_fitted_from_scratch() {
    let widths = [2, 1, 3, 1, 4, 2, 1, 3];
    let (n, p): (usize, usize) = (50, widths.iter().sum());
    let mut stream = Stream::new(9, 0);
    let mut draw = || (stream.next_word() >> 11) as f64 / (1u64 << 53) as f64 - 0.4;
    let mut unit = || {
        let x: Vec<f64> = (0..n).map(|_| draw()).collect();
        let norm = product(&x, &x).sqrt();
        x.into_iter().map(move |x| x / norm)
    };
    let x: Vec<f64> = (0..p).flat_map(|_| unit()).collect();
    let y: Vec<f64> = unit().collect();
    let terms = Terms::of_widths(&x, n, &widths).unwrap();
    let columns = Columns::new(&x, n).with_terms(Some(&terms));
    let mut pool = GramPool::new(columns, &Fit::empty(&y));
    // In two parts and out of order: positions are not terms.
    pool.insert(columns, &y, [5, 2, 7].into_iter(), 1, &|| false);
    pool.insert(columns, &y, (0..8).rev(), 1, &|| false);
    let fitted = |positions: &[usize]| {
        let all: Vec<u32> = positions.iter().map(|at| pool.term(*at)).collect();
        Fit::of(columns, &y, &all).0
    };
    let mut tableau = Tableau::new(&pool, Some(&terms), &[1, 4]);
    let mut open = vec![0.0; pool.xty().len()];
    for turn in 0..60 {
        let members = tableau.members.clone();
        let now = fitted(&members);
        assert!((tableau.rss - now.rss()).abs() < 1e-12, "turn {turn}");
        assert_eq!(tableau.columns.len(), now.support().len());
        let outside: Vec<usize> = (0..8).filter(|at| !members.contains(at)).collect();
        open.fill(0.0);
        outside.iter().for_each(|at| open[*at] = 1.0);
        let found = tableau.best_steps(&pool, &open, (|_| true, Some(&terms)));
        let mut all = Vec::new();
        let leaving = (0..members.len()).map(Some).chain([None]);
        for leaves in leaving {
            let joining = outside.iter().copied().map(Some).chain([None]);
            for joins in joining.filter(|joins| leaves.is_some() || joins.is_some()) {
                let stay = members.iter().enumerate();
                let stay = stay.filter(|(index, _)| Some(*index) != leaves);
                let after: Vec<usize> = stay.map(|(_, at)| *at).chain(joins).collect();
                let after = fitted(&after);
                all.push(Step {
                    beside: Vec::new(),
                    fall: now.rss() - after.rss(),
                    leaves,
                    joins,
                    parameters: after.support().len() as i32 - now.support().len() as i32,
                });
            }
        }
        let (found_best, all_best) = (best(&found), best(&all));
        assert_eq!(found_best.len(), all_best.len(), "turn {turn}");
        for ((kind, own), (other, fall)) in found_best.iter().zip(&all_best) {
            assert_eq!(kind, other);
            assert!(
                (own - fall).abs() < 1e-12,
                "turn {turn} {kind:?}: {own} {fall}"
            );
        }
        for step in &found {
            let stay = members.iter().enumerate();
            let stay = stay.filter(|(index, _)| Some(*index) != step.leaves);
            let after: Vec<usize> = stay.map(|(_, at)| *at).chain(step.joins).collect();
            let fall = now.rss() - fitted(&after).rss();
            assert!((fall - step.fall).abs() < 1e-12, "turn {turn} {step:?}");
        }
        let step = &found[turn % found.len()];
        tableau.step((&pool, Some(&terms)), step.leaves, step.joins);
    }
}
