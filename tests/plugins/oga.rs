//! The example that runs over a regression, against the same written plainly.

use std::sync::Arc;

use nalgebra::{DMatrix, DVector};
use passel::{
    Interrupt, Pass,
    criteria::{Criterion, Hdbic, Model},
    design::{Design, DesignOptions},
    device::Resources,
    plugin::{MethodKind, Plugins},
    selector::{Procedure, regress_with_procedure},
    table::{self, ReadOptions},
};

use passel_sdk::trial::Observations;

use super::{problems, program::Folder};

#[path = "../../examples/plugins/oga/lib.rs"]
mod example;

fn oga() -> Arc<dyn Procedure> {
    let plugins = Plugins::linked(&[example::PLUGIN]).unwrap();
    match plugins.method("oga").unwrap().value {
        MethodKind::Regression(procedure) => procedure,
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

/// What the regression is made of beside its candidates.
struct Asked<'a> {
    keep: &'a [usize],
    weights: Option<&'a [f64]>,
    intercept: bool,
}

/// From the paper: forward, HDBIC on the path, trimming; the kept variables in every model.
fn plainly(x: &DMatrix<f64>, y: &DVector<f64>, asked: &Asked) -> Vec<usize> {
    let (n, p) = x.shape();
    let of = asked.weights.map_or(vec![1.0; n], <[f64]>::to_vec);
    // Weights sum to n.
    let all: f64 = of.iter().sum();
    let w = DVector::from_fn(n, |i, _| of[i] * n as f64 / all);
    let centre = |mut column: DVector<f64>| {
        if asked.intercept {
            column.add_scalar_mut(-column.dot(&w) / n as f64);
        }
        column.component_mul(&w.map(f64::sqrt))
    };
    let y = centre(y.clone());
    let mut x = x.clone();
    for j in 0..p {
        let column = centre(x.column(j).into());
        x.set_column(j, &(&column / column.norm()));
    }
    let whole = |support: &[usize]| [asked.keep, support].concat();
    let value = |support: &[usize]| {
        let rss = residuals(&x, &y, &whole(support)).norm_squared();
        let kept = asked.keep.len();
        let others = support.iter().filter(|column| !asked.keep.contains(column));
        let model = Model {
            kept,
            ..Model::new(n, p - kept, others.count(), rss)
        };
        Hdbic.value(&model)
    };
    let longest = (5.0 * (n as f64 / (p as f64).ln()).sqrt()) as usize;
    let mut path: Vec<usize> = Vec::new();
    while path.len() < longest {
        let r = residuals(&x, &y, &whole(&path));
        let free = (0..p).filter(|j| !path.contains(j) && !asked.keep.contains(j));
        let strength = |j: &usize| x.column(*j).dot(&r).abs();
        path.push(
            free.max_by(|a, b| strength(a).total_cmp(&strength(b)))
                .unwrap(),
        );
    }
    let length = (0..=longest).min_by(|a, b| value(&path[..*a]).total_cmp(&value(&path[..*b])));
    let chosen = &path[..length.unwrap()];
    let best = value(chosen);
    let mut left: Vec<usize> = chosen.to_vec();
    if chosen.len() > 1 {
        left.retain(|out| {
            let others: Vec<usize> = chosen
                .iter()
                .copied()
                .filter(|other| other != out)
                .collect();
            value(&others) > best
        });
    }
    let mut all = whole(&left);
    all.sort_unstable();
    all
}

/// What the example chooses, by index and name.
fn chosen(design: Design, pass: &Pass) -> Vec<(usize, String)> {
    let design = Arc::new(design);
    let criterion: Arc<dyn Criterion> = Arc::new(Hdbic);
    let resources = Resources::cpu(2);
    let (never, nobody) = (Interrupt::default(), &mut |_, _| {});
    let done = regress_with_procedure(
        &oga(),
        &design,
        &criterion,
        pass,
        &resources,
        &never,
        nobody,
    );
    let done = done.unwrap();
    assert_eq!(done.error, None);
    let selection = done.result.selection(&design, &Hdbic, pass);
    let chosen = selection
        .selected
        .iter()
        .map(|variable| (variable.index, variable.name.clone()));
    let mut chosen: Vec<_> = chosen.collect();
    chosen.sort_unstable();
    chosen
}

#[test]
fn it_chooses_what_the_plain_algorithm_chooses() {
    let plain = Asked {
        keep: &[],
        weights: None,
        intercept: true,
    };
    for seed in 0..6 {
        let (n, p, r) = [(120, 300, 5), (200, 60, 9), (80, 800, 3)][seed as usize % 3];
        let (x, y) = problems::ing_lai(n, p, r, seed);
        let design = Design::from_matrices(&x, &y, &Default::default()).unwrap();
        let found = chosen(design, &Pass::default());
        let found: Vec<usize> = found.into_iter().map(|variable| variable.0).collect();
        assert_eq!(found, plainly(&x, &y, &plain), "seed {seed}");
    }
}

#[test]
fn it_keeps_weighs_and_leaves_out_the_intercept_as_asked() {
    let folder = Folder::new();
    for seed in 10..14 {
        let (n, p) = (90, 120);
        let (x, y) = problems::ing_lai(n, p, 4, seed);
        let y = y.add_scalar(2.0);
        let weights: Vec<f64> = (0..n).map(|t| 0.5 + (t % 7) as f64).collect();
        let names = (0..p).map(|j| format!(",x{j}"));
        let mut text = format!("y,w{}\n", names.collect::<String>());
        for i in 0..n {
            let row = x
                .row(i)
                .iter()
                .map(|value| format!(",{value}"))
                .collect::<String>();
            text += &format!("{},{}{row}\n", y[i], weights[i]);
        }
        folder.write("ing.csv", &text);
        let path = folder.path("ing.csv");
        for (keep, weighed, intercept) in [
            (&[][..], false, false),
            (&[7, 100], false, true),
            (&[], true, true),
            (&[3, 50], true, false),
        ] {
            let reading = ReadOptions {
                response: Some("y"),
                factors: &[],
                ..ReadOptions::default()
            };
            let table = table::read(&path, &reading).unwrap();
            let kept: Vec<String> = keep.iter().map(|j| format!("x{j}")).collect();
            let (own, drop) = (vec!["w".to_owned()], Vec::new());
            let options = DesignOptions {
                response: Some("y"),
                keep: &kept,
                weights: weighed.then_some("w"),
                drop: if weighed { &drop } else { &own },
                intercept,
                ..DesignOptions::default()
            };
            let design = Design::from_table(table, &options).unwrap();
            let found = chosen(design, &Pass::default()).into_iter();
            let found: Vec<usize> = found
                .map(|variable| variable.1[1..].parse().unwrap())
                .collect();
            let asked = Asked {
                keep,
                weights: weighed.then_some(&*weights),
                intercept,
            };
            let told = format!("seed {seed}, keep {keep:?}, {weighed}, {intercept}");
            assert_eq!(found, plainly(&x, &y, &asked), "{told}");
        }
    }
}

#[test]
fn it_ends_where_nothing_but_the_kept_may_be_chosen() {
    let (x, y) = problems::ing_lai(40, 10, 2, 1);
    let design = Design::from_matrices(&x, &y, &Default::default()).unwrap();
    let pass = Pass {
        max_size: Some(1),
        ..Pass::default()
    };
    assert!(chosen(design, &pass).len() <= 1);
}

/// What authors try procedures on lends what an engine does.
#[test]
fn without_an_engine_it_chooses_the_same() {
    for seed in 20..26 {
        let (x, y) = problems::ing_lai(60, 40, 4, seed);
        let design = Design::from_matrices(&x, &y, &Default::default()).unwrap();
        let found = chosen(design, &Pass::default());
        let columns: Vec<Vec<f64>> = x
            .column_iter()
            .map(|own| own.iter().copied().collect())
            .collect();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let mut all = Observations::new(&columns, y.as_slice());
        all.criterion = |own| Hdbic.value(&Model::new(own.n, own.candidates, own.chosen, own.rss));
        let tried = all.run(&example::OGA, &[5.0]);
        assert_eq!(tried.failure, None);
        let mut own: Vec<usize> = tried.chosen.iter().map(|own| own.0).collect();
        own.sort_unstable();
        let found: Vec<usize> = found.into_iter().map(|own| own.0).collect();
        assert_eq!(own, found, "seed {seed}");
    }
}

#[test]
fn without_an_engine_a_ranking_is_the_same() {
    let folder = Folder::new();
    let (n, p) = (40, 5);
    let value = |row: usize, column: usize| {
        ((row * (2 * column + 3) + row * row % 7) % (column + 4)) as f64
    };
    let columns: Vec<Vec<f64>> = (0..p)
        .map(|j| (0..n).map(|i| value(i, j)).collect())
        .collect();
    let y: Vec<f64> = (0..n)
        .map(|i| f64::from(columns[2][i] + columns[4][i] > 5.0))
        .collect();
    let rows = (0..n).map(|i| {
        let cells = columns.iter().map(|own| format!(",{}", own[i]));
        format!("{}{}\n", y[i], cells.collect::<String>())
    });
    folder.write(
        "levels.csv",
        &format!("y,a,b,c,d,e\n{}", rows.collect::<String>()),
    );
    for (name, procedure, values) in [
        ("relief", passel_relief::RELIEF, &[][..]),
        ("relieff", passel_relief::RELIEFF, &[10.0, 0.0]),
    ] {
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let tried = Observations::new(&columns, &y).run(&procedure, values);
        assert_eq!(tried.failure, None);
        let select = [
            "select",
            "levels.csv",
            "--response",
            "y",
            "--format",
            "json",
        ];
        let ran = folder.run(&[&select[..], &["--method", name]].concat());
        let report: serde_json::Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
        let selected = report["selected"].as_array().unwrap();
        assert_eq!(selected.len(), p);
        for (own, (column, score)) in selected.iter().zip(tried.chosen) {
            let near = (own["score"].as_f64().unwrap() - score).abs() < 1e-12;
            assert!(
                own["index"] == column && near,
                "{name}: {own} {column} {score}"
            );
        }
    }
}
