//! One problem in every format, with and without an intercept, weights, missing
//! values, a factor: the same selection from each file, and it is the one that
//! trying every subset with nalgebra finds.

use std::{fs, path::Path};

use nalgebra::{DMatrix, DVector};
use passel::{Selection, job::JobDraft, run::run, selection::Elapsed};

#[cfg(feature = "parquet")]
use crate::files::parquet;
use crate::files::{delimited, files, gzip};
use crate::problems::Random;

#[derive(Debug, Clone, Copy)]
struct Case {
    rows: usize,
    intercept: bool,
    weights: bool,
    missing: bool,
    factor: bool,
}

/// y, x0, …, x5: x1 is kept, x3 dropped, x4 the weights and x5 the factor where
/// the case has them. NaN is missing.
fn columns(case: Case) -> Vec<Vec<f64>> {
    let mut random = Random::new(900 + case.rows as u64);
    let mut columns: Vec<Vec<f64>> = (0..7)
        .map(|_| (0..case.rows).map(|_| random.normal()).collect())
        .collect();
    for t in 0..case.rows {
        // As text the levels come in the order 1, 10, 2.
        columns[6][t] = [1.0, 2.0, 10.0][t % 3];
        columns[5][t] = if t % 11 == 8 {
            0.0
        } else {
            0.2 + 3.0 * random.uniform()
        };
        columns[0][t] = 7.0 + 0.5 * columns[0][t] + 2.0 * columns[1][t] - columns[2][t]
            + if t % 3 == 1 { 1.5 } else { 0.0 };
    }
    // In a dropped column a missing value is nobody's.
    columns[4][0] = f64::NAN;
    if case.missing {
        for (column, row) in [(1, 2), (0, 4), (5, 5), (6, 7), (6, 5)] {
            columns[column][row] = f64::NAN;
        }
    }
    columns
}

/// What is given to the program beside the file, as option and value.
fn options(case: Case, drop_rows: bool) -> Vec<(&'static str, String)> {
    let drop = if case.factor { "x3" } else { "x3,x5" };
    let mut options = vec![
        ("keep", "x1".to_owned()),
        ("drop", drop.to_owned()),
        ("criterion", "aic".to_owned()),
        ("particles", "16".to_owned()),
        ("iterations", "60".to_owned()),
        ("threads", "1".to_owned()),
        ("max-size", largest(case).to_string()),
    ];
    if !case.intercept {
        options.push(("no-intercept", "true".to_owned()));
    }
    if case.factor {
        options.push(("factor", "x5".to_owned()));
    }
    if case.weights {
        options.push(("weights", "x4".to_owned()));
    }
    if drop_rows {
        options.push(("missing", "drop-rows".to_owned()));
    }
    options
}

fn select(
    file: &Path,
    response: Option<&Path>,
    options: &[(&'static str, String)],
) -> Result<Selection, String> {
    let mut draft = JobDraft::new(file);
    let response = response.map_or_else(|| "y".into(), |path| path.to_string_lossy());
    draft.set("response", &[response.into_owned()]).unwrap();
    for (name, value) in options {
        draft.set(name, std::slice::from_ref(value)).unwrap();
    }
    let report = run(&draft.check().unwrap()).map_err(|error| error.to_string())?;
    let mut selection = report.outcome.selection().unwrap();
    selection.elapsed_seconds = Elapsed::default();
    // Only a `.dat` has a place for it in every file.
    selection.truth = None;
    selection.data = None;
    Ok(selection)
}

/// The rows used, and their weights at mean one.
fn used(columns: &[Vec<f64>], case: Case) -> (Vec<usize>, DVector<f64>) {
    let complete = |t: &usize| {
        let whole = |j: usize| !columns[j][*t].is_nan();
        [0, 1, 2, 3, 5].into_iter().all(whole) && (whole(6) || !case.factor)
    };
    let rows: Vec<usize> = (0..case.rows)
        .filter(complete)
        .filter(|&t| !case.weights || columns[5][t] > 0.0)
        .collect();
    let weight = |&t: &usize| if case.weights { columns[5][t] } else { 1.0 };
    let w = DVector::from_iterator(rows.len(), rows.iter().map(weight));
    let mean = w.mean();
    (rows, w / mean)
}

/// The candidates by name, with their position in the file and their values.
fn candidates(columns: &[Vec<f64>], case: Case, rows: &[usize]) -> Vec<(String, usize, Vec<f64>)> {
    let of = |j: usize| rows.iter().map(|&t| columns[j][t]).collect::<Vec<f64>>();
    let mut found: Vec<_> = (0..3).map(|j| (format!("x{j}"), j, of(j + 1))).collect();
    if !case.weights {
        found.push(("x4".to_owned(), 4, of(5)));
    }
    let first = usize::from(case.intercept);
    let levels = [1.0, 10.0, 2.0].into_iter().skip(first);
    for level in levels.filter(|_| case.factor) {
        let is = |v: f64| f64::from(u8::from(v == level));
        let values = of(6).into_iter().map(is).collect();
        let index = if case.weights { 4 } else { 5 };
        found.push((format!("x5={level}"), index, values));
    }
    found
}

/// Bounds the model so that no fit is exact.
fn largest(case: Case) -> usize {
    (case.rows - 2).min(4 - usize::from(case.weights))
}

/// Least squares of rows scaled by √w: coefficients, their errors, RSS.
fn fit(z: &DMatrix<f64>, y: &DVector<f64>, w: &DVector<f64>) -> (DVector<f64>, Vec<f64>, f64) {
    let root = w.map(f64::sqrt);
    let scaled = DMatrix::from_fn(z.nrows(), z.ncols(), |t, c| root[t] * z[(t, c)]);
    let y = root.component_mul(y);
    let b = scaled.clone().svd(true, true).solve(&y, 0.0).unwrap();
    let rss = (&y - &scaled * &b).norm_squared();
    let inverse = scaled.pseudo_inverse(0.0).unwrap();
    let variance = rss / (z.nrows() - z.ncols()) as f64;
    let errors = inverse
        .row_iter()
        .map(|row| (variance * row.norm_squared()).sqrt());
    (b, errors.collect(), rss)
}

/// The selection is the subset of lowest AIC among those with x1, and its fit is
/// that of the definition.
fn check(selection: &Selection, columns: &[Vec<f64>], case: Case) {
    let (rows, w) = used(columns, case);
    let n = rows.len();
    let y = DVector::from_iterator(n, rows.iter().map(|&t| columns[0][t]));
    let candidates = candidates(columns, case, &rows);
    let p = candidates.len();
    assert_eq!((selection.n, selection.p), (n, p), "{case:?}");
    assert!(selection.set_aside.is_empty(), "{case:?}");
    let one = usize::from(case.intercept);
    let design = |chosen: &[usize]| {
        DMatrix::from_fn(n, chosen.len() + one, |t, c| match c {
            0 if case.intercept => 1.0,
            _ => candidates[chosen[c - one]].2[t],
        })
    };
    let aic = |rss: f64, k: usize| n as f64 * (rss / n as f64).ln() + 2.0 * k as f64;
    let subsets = (0_u32..1 << p).map(|set| (0..p).filter(|j| set >> j & 1 == 1).collect());
    // The dummies of the factor are in a model together or not at all.
    let is_dummy = |j: &usize| candidates[*j].0.starts_with("x5=");
    let dummies = (0..p).filter(is_dummy).count();
    let is_whole = |chosen: &Vec<usize>| {
        let own = chosen.iter().filter(|j| is_dummy(j)).count();
        own == 0 || own == dummies
    };
    let least = subsets
        .filter(|chosen: &Vec<usize>| chosen.contains(&1) && chosen.len() <= largest(case))
        .filter(is_whole)
        .map(|chosen| aic(fit(&design(&chosen), &y, &w).2, chosen.len()))
        .fold(f64::INFINITY, f64::min);
    let close = |a: f64, b: f64| {
        let size = a.abs().max(b.abs()).max(1.0);
        assert!((a - b).abs() < 1e-9 * size, "{a} is not {b}: {case:?}");
    };
    close(selection.criterion.value, least);

    let place = |name: &str| {
        candidates
            .iter()
            .position(|candidate| candidate.0 == name)
            .unwrap()
    };
    let chosen: Vec<usize> = selection
        .selected
        .iter()
        .map(|variable| place(&variable.name))
        .collect();
    let (b, errors, rss) = fit(&design(&chosen), &y, &w);
    close(selection.rss, rss);
    close(aic(selection.rss, chosen.len()), least);
    let centre = if case.intercept {
        w.dot(&y) / n as f64
    } else {
        0.0
    };
    let about = y.add_scalar(-centre);
    close(selection.tss, w.component_mul(&about).dot(&about));
    let intercept = selection.intercept.iter();
    let estimates = intercept.chain(selection.selected.iter().map(|variable| &variable.estimate));
    assert_eq!(estimates.clone().count(), chosen.len() + one);
    for (i, estimate) in estimates.enumerate() {
        close(estimate.coefficient, b[i]);
        close(estimate.std_error.unwrap(), errors[i]);
    }
    for (variable, &at) in selection.selected.iter().zip(&chosen) {
        assert_eq!(variable.index, candidates[at].1, "{case:?}");
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for rows in [3, 4, 13, 40] {
        for bits in 0..16_u8 {
            let [intercept, weights, missing, factor] = [1, 2, 4, 8].map(|bit| bits & bit > 0);
            // Of a handful of rows none can be spared, nor do they tell levels apart.
            if rows > 10 || !(missing || factor) {
                cases.push(Case {
                    rows,
                    intercept,
                    weights,
                    missing,
                    factor,
                });
            }
        }
    }
    cases
}

#[test]
fn every_format_gives_the_selection_of_the_definition() {
    let folder = tempfile::tempdir().unwrap();
    let (mut dummies, mut sizes) = (0, [0; 6]);
    for case in cases() {
        let columns = columns(case);
        let options = options(case, case.missing);
        let mut first: Option<Selection> = None;
        for (file, response) in files(folder.path(), &columns) {
            let found = select(&file, response.as_deref(), &options).unwrap();
            match &first {
                None => check(&found, &columns, case),
                // The numbers in the files are the same, bit for bit.
                Some(first) => assert_eq!(&found, first, "{case:?} {}", file.display()),
            }
            first.get_or_insert(found);
        }
        let selected = first.unwrap().selected;
        sizes[selected.len()] += 1;
        dummies += selected
            .iter()
            .filter(|variable| variable.name.contains('='))
            .count();
    }
    // Models of several sizes, and levels in them: little is proved by others.
    assert!(
        dummies > 4 && sizes[1..4].iter().all(|count| *count > 2),
        "{dummies} {sizes:?}"
    );
}

#[test]
fn an_interrupt_ends_the_reading_of_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let interrupt = passel::Interrupt::default();
    let case = cases().into_iter().find(|case| !case.missing).unwrap();
    for (file, _) in files(folder.path(), &columns(case)) {
        let options = passel::table::ReadOptions {
            interrupt: Some(&interrupt),
            ..Default::default()
        };
        let name = file.display();
        passel::table::read(&file, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    interrupt.request();
    for (file, _) in files(folder.path(), &columns(case)) {
        let options = passel::table::ReadOptions {
            interrupt: Some(&interrupt),
            ..Default::default()
        };
        let told = passel::table::read(&file, &options).unwrap_err();
        let is_interrupt = matches!(told, passel::table::TableError::Interrupted(_));
        assert!(is_interrupt, "{}: {told}", file.display());
    }
}

#[test]
fn every_format_has_its_missing_values_refused() {
    let folder = tempfile::tempdir().unwrap();
    for case in cases().into_iter().filter(|case| case.missing) {
        for (file, response) in files(folder.path(), &columns(case)) {
            let told = select(&file, response.as_deref(), &options(case, false)).unwrap_err();
            let mends = ["--missing drop-rows", "`x0` 1 (first in row 3)"];
            assert!(mends.iter().all(|mend| told.contains(mend)), "{told}");
        }
    }
}

/// A selection without the fields that hold levels alone.
fn without_levels(mut selection: Selection) -> Selection {
    selection.factors.clear();
    for mean in &mut selection.marginal_means {
        mean.level.clear();
    }
    for variable in &mut selection.selected {
        variable.level = None;
    }
    selection
}

#[test]
fn a_factor_in_words_is_the_factor_in_numbers() {
    let folder = tempfile::tempdir().unwrap();
    for case in cases().into_iter().filter(|case| case.factor) {
        let columns = columns(case);
        let options = options(case, case.missing);
        let numbers = folder.path().join("numbers.csv");
        fs::write(&numbers, delimited(&columns, ",", None)).unwrap();
        let mut expected = select(&numbers, None, &options).unwrap();
        for (number, word) in [("x5=10", "x5=d"), ("x5=1", "x5=a"), ("x5=2", "x5=b, \"c\"")] {
            let selected = expected
                .selected
                .iter_mut()
                .map(|variable| &mut variable.name);
            let weighed = expected
                .inclusion
                .iter_mut()
                .map(|variable| &mut variable.name);
            let models = expected.models.iter_mut().chain(&mut expected.front);
            let met = models.flat_map(|model| &mut model.variables);
            let terms = expected.terms.iter_mut();
            let tested = terms.flat_map(|term| &mut term.variables);
            let named = selected.chain(weighed).chain(met).chain(tested);
            for name in named.chain(&mut expected.covariance.names) {
                if name == number {
                    *name = word.to_owned();
                }
            }
            for warning in &mut expected.warnings {
                *warning = warning.replace(&format!("{number} ("), &format!("{word} ("));
            }
            let (model, of) = (expected.model.as_mut().unwrap(), |name: &str| {
                name.split_once('=').unwrap().1.to_owned()
            });
            for own in model.variables.iter_mut().filter(|own| own.name == number) {
                own.name = word.to_owned();
                own.level = Some(of(word));
            }
            let levels = model.columns.iter_mut().flat_map(|own| &mut own.levels);
            for level in levels.filter(|level| **level == of(number)) {
                *level = of(word);
            }
        }
        let expected = without_levels(expected);
        let words = delimited(&columns, "\t", Some(["a", "d", "\"b, \"\"c\"\"\""]));
        let options: Vec<_> = options
            .into_iter()
            .filter(|option| option.0 != "factor")
            .collect();
        let files = [
            ("w.tsv.gz", gzip(&words)),
            ("w.tsv", words),
            #[cfg(feature = "parquet")]
            ("w.parquet", parquet(&columns, Some(["a", "d", "b, \"c\""]))),
        ];
        for (name, content) in files {
            let file = folder.path().join(name);
            fs::write(&file, content).unwrap();
            let found = without_levels(select(&file, None, &options).unwrap());
            assert_eq!(found, expected, "{case:?}");
        }
    }
}
