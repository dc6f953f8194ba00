//! The example that runs over a regression, against the same written plainly.

use std::sync::Arc;

use nalgebra::{DMatrix, DVector};
use passel::{
    Pass,
    criteria::{Criterion, Hdbic, Model},
    design::Design,
    device::Resources,
    plugin::{Chooser, Plugins},
    search::Interrupt,
    selector::{Procedure, regress},
};

use super::problems;

#[path = "../../examples/plugins/oga/lib.rs"]
mod example;

fn oga() -> Arc<dyn Procedure> {
    let plugins = Plugins::linked(&[example::PLUGIN]).unwrap();
    match plugins.method("oga").unwrap().by {
        Chooser::Regresses(procedure) => procedure,
        other => panic!("{other:?}"),
    }
}

/// What least squares leave of y: by nalgebra's decomposition, the columns centred.
fn residuals(x: &DMatrix<f64>, y: &DVector<f64>, support: &[usize]) -> DVector<f64> {
    if support.is_empty() {
        return y.clone();
    }
    let chosen = x.select_columns(support);
    let fit = chosen.clone().svd(true, true).solve(y, 1e-12).unwrap();
    y - chosen * fit
}

/// From the paper: forward, HDBIC on the path, trimming.
fn plainly(x: &DMatrix<f64>, y: &DVector<f64>) -> Vec<usize> {
    let (n, p) = x.shape();
    let centre = |mut it: DVector<f64>| {
        it.add_scalar_mut(-it.mean());
        it
    };
    let y = centre(y.clone());
    let mut x = x.clone();
    for j in 0..p {
        let column = centre(x.column(j).into());
        x.set_column(j, &(&column / column.norm()));
    }
    let value = |support: &[usize]| {
        let rss = residuals(&x, &y, support).norm_squared();
        let k = support.len();
        Hdbic.value(&Model { n, p, k, rss })
    };
    let longest = (5.0 * (n as f64 / (p as f64).ln()).sqrt()) as usize;
    let mut path: Vec<usize> = Vec::new();
    while path.len() < longest {
        let r = residuals(&x, &y, &path);
        let free = (0..p).filter(|j| !path.contains(j));
        let strength = |j: &usize| x.column(*j).dot(&r).abs();
        path.push(
            free.max_by(|a, b| strength(a).total_cmp(&strength(b)))
                .unwrap(),
        );
    }
    let length = (0..=longest).min_by(|a, b| value(&path[..*a]).total_cmp(&value(&path[..*b])));
    let chosen = &path[..length.unwrap()];
    let best = value(chosen);
    let mut kept: Vec<usize> = chosen.to_vec();
    if chosen.len() > 1 {
        kept.retain(|out| {
            let others: Vec<usize> = chosen.iter().copied().filter(|it| it != out).collect();
            value(&others) > best
        });
    }
    kept.sort_unstable();
    kept
}

#[test]
fn it_chooses_what_the_plain_algorithm_chooses() {
    for seed in 0..6 {
        let (n, p, r) = [(120, 300, 5), (200, 60, 9), (80, 800, 3)][seed as usize % 3];
        let (x, y) = problems::ing_lai(n, p, r, seed);
        let design = Arc::new(Design::from_matrices(&x, &y, None).unwrap());
        let criterion: Arc<dyn Criterion> = Arc::new(Hdbic);
        let regressed = regress(
            &oga(),
            &design,
            &criterion,
            &Pass::default(),
            &Resources::cpu(2),
            &Interrupt::default(),
            &mut |_, _| {},
        )
        .unwrap();
        assert_eq!(regressed.fault, None);
        let selection = regressed.found.selection(&design, &Hdbic, &Pass::default());
        let mut chosen: Vec<usize> = selection.selected.iter().map(|it| it.index).collect();
        chosen.sort_unstable();
        assert_eq!(chosen, plainly(&x, &y), "seed {seed}");
    }
}
