//! Pages of genotypes: the tests of all variants beside their definitions, and beside PLINK's.

use std::collections::HashMap;

use super::{
    both,
    cohort::{PEOPLE, data, folder, place},
    number,
    taken::Page,
};

/// A column with the mean of those who are known.
fn filled(copies: &[u8]) -> Vec<f64> {
    let known: Vec<f64> = copies
        .iter()
        .filter(|own| **own < 3)
        .map(|own| f64::from(*own))
        .collect();
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    let value = |own: &u8| if *own == 3 { mean } else { f64::from(*own) };
    copies.iter().map(value).collect()
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// What vectors that are orthogonal to one another, and the constant, leave of one.
fn left(of: &[f64], beside: &[Vec<f64>]) -> Vec<f64> {
    let mut own = of.to_vec();
    for _ in 0..2 {
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        own.iter_mut().for_each(|own| *own -= mean);
        for other in beside {
            let share = product(&own, other) / product(other, other);
            own.iter_mut()
                .zip(other)
                .for_each(|(own, other)| *own -= share * other);
        }
    }
    own
}

fn orthogonal(columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut all = Vec::new();
    for own in columns {
        all.push(left(own, &all));
    }
    all
}

/// The integral by Simpson's rule.
fn integral(of: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let cells = 20_000;
    let h = (to - from) / f64::from(cells);
    let weight = |at: i32| match at {
        at if at == 0 || at == cells => 1.0,
        at if at % 2 == 1 => 4.0,
        _ => 2.0,
    };
    (0..=cells)
        .map(|at| weight(at) * of(from + h * f64::from(at)))
        .sum::<f64>()
        * h
        / 3.0
}

/// P(|T| ≥ t) of Student's t: with t = √ν·tan θ its density is cos^(ν − 1) θ, up to a factor.
fn student(t: f64, freedom: f64) -> f64 {
    let density = |angle: f64| angle.cos().max(0.0).powf(freedom - 1.0);
    let end = std::f64::consts::FRAC_PI_2;
    integral(density, (t.abs() / freedom.sqrt()).atan(), end) / integral(density, 0.0, end)
}

fn normal(z: f64) -> f64 {
    let density = |z: f64| (-0.5 * z * z).exp();
    integral(density, z, z + 12.0) / integral(density, 0.0, 12.0)
}

/// p of a variant beside covariates, by least squares.
fn tested(x: &[f64], y: &[f64], beside: &[Vec<f64>]) -> f64 {
    let (x, r) = (left(x, beside), left(y, beside));
    let gain = product(&x, &r).powi(2) / product(&x, &x);
    let freedom = (y.len() - beside.len() - 2) as f64;
    student(
        (gain / ((product(&r, &r) - gain) / freedom)).sqrt(),
        freedom,
    )
}

/// Drawn variants: chromosome and position, with −log₁₀ p.
fn drawn(page: &Page, title: &str) -> Vec<((String, String), f64)> {
    let rows = &page.rows(title)[1..];
    let own = rows
        .iter()
        .map(|row| ((row[1].clone(), row[2].clone()), number(&row[3])));
    own.collect()
}

const KEPT: &str = "Manhattan plot beside what is always kept";
const MODEL: &str = "Manhattan plot beside the chosen model";

#[test]
fn every_variant_is_tested_beside_what_is_kept_and_beside_the_model() {
    let data = data(240, 0.03);
    let folder = folder(&data);
    let command = ["select", "d.bed", "--covariates", "ages.txt"];
    let (page, json) = both(&folder, &command);
    let selected = json["selected"].as_array().unwrap();
    let chosen: Vec<usize> = selected
        .iter()
        .filter_map(|own| {
            own["name"]
                .as_str()
                .unwrap()
                .strip_prefix("rs")?
                .parse()
                .ok()
        })
        .collect();
    assert!(chosen.len() >= 2, "{chosen:?}");
    let columns: Vec<Vec<f64>> = data.copies.iter().map(|own| filled(own)).collect();
    let kept = orthogonal(std::slice::from_ref(&data.age));
    let model = |without: Option<usize>| {
        let others = chosen.iter().filter(|own| Some(**own) != without);
        let others = others.map(|own| columns[*own].clone());
        orthogonal(
            &[data.age.clone()]
                .into_iter()
                .chain(others)
                .collect::<Vec<_>>(),
        )
    };
    let of_place: HashMap<(String, String), usize> = (0..240)
        .map(|j| (place(j, 240), j))
        .map(|((chromosome, position), j)| ((chromosome.to_owned(), position.to_string()), j))
        .collect();
    let own = columns.iter();
    let own = own.map(|own| -tested(own, &data.y, &kept).log10());
    let mut all: Vec<f64> = own.collect();
    for (title, is_null) in [(KEPT, true), (MODEL, false)] {
        let found = drawn(&page, title);
        // The strong ones all, and most of the others.
        let strong = all.iter().filter(|own| **own >= 2.0).count();
        let named = page.rows(title)[1..]
            .iter()
            .filter(|row| !row[0].is_empty());
        assert!(!is_null || named.count() >= strong);
        assert!(found.len() > 150, "{}", found.len());
        let whole = model(None);
        for (place, score) in found {
            let j = of_place[&place];
            let p = match (is_null, chosen.contains(&j)) {
                (true, _) => tested(&columns[j], &data.y, &kept),
                (false, true) => tested(&columns[j], &data.y, &model(Some(j))),
                (false, false) => tested(&columns[j], &data.y, &whole),
            };
            assert!((score + p.log10()).abs() < 1e-5, "{title} {j}: {score} {p}");
        }
    }
    // λ by its definition: the median of χ² over that of chance, both as squares of normal quantiles.
    let quantile = |p: f64| {
        let (mut low, mut high) = (0.0, 10.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if normal(middle) > p {
                low = middle
            } else {
                high = middle
            }
        }
        low
    };
    all.sort_by(f64::total_cmp);
    let median = 10_f64.powf(-0.5 * (all[119] + all[120]));
    let lambda = (quantile(median) / quantile(0.5)).powi(2);
    let (_, told) = page
        .text
        .split_once("beside what is always kept: λ = ")
        .unwrap();
    let told = number(told.split(['<', ';', ' ']).next().unwrap());
    assert!((told / lambda - 1.0).abs() < 1e-3, "{told} {lambda}");
    assert_eq!(
        page.rows("Quantiles of p")[0],
        ["beside", "expected", "observed"]
    );
    // Around each chosen variant those within 500 kb, with r², and those of its set.
    for own in &chosen {
        let rows = &page.rows(&format!("Around rs{own}"))[1..];
        let near = (0..240).filter(|j| {
            let (a, b) = (place(*j, 240), place(*own, 240));
            a.0 == b.0 && a.1.abs_diff(b.1) <= 500_000
        });
        assert!(rows.len() <= near.clone().count() && rows.len() > 10);
        let told = selected
            .iter()
            .find(|told| told["name"] == format!("rs{own}"));
        let set = &told.unwrap()["credible_set"];
        let size = set["size"].as_u64().unwrap() as usize;
        let members = set["members"].as_array().unwrap()[..size].iter();
        let members: Vec<String> = members.map(|own| own["position"].to_string()).collect();
        assert!(set["members"][0]["maf"].as_f64().unwrap() <= 0.5);
        for row in rows {
            let j = near
                .clone()
                .find(|j| place(*j, 240).1.to_string() == row[1])
                .unwrap();
            let centred = |j: usize| left(&columns[j], &[]);
            let (a, b) = (centred(j), centred(*own));
            let r = product(&a, &b).powi(2) / product(&a, &a) / product(&b, &b);
            assert!((number(&row[4]) - r).abs() < 1e-9, "{row:?} {r}");
            assert_eq!(row[5] == "1", members.contains(&row[1]), "{row:?}");
        }
        assert!(
            rows.iter()
                .any(|row| row[0] == format!("rs{own}") && row[5] == "1")
        );
    }
    // The sets on the page are those of the JSON.
    let sets = &page.rows("Credible sets")[1..];
    assert_eq!(sets.len(), chosen.len());
    let sizes: usize = sets.iter().map(|row| number(&row[1]) as usize).sum();
    assert_eq!(page.rows("Members of the credible sets").len(), 1 + sizes);
}

#[test]
fn variants_of_cases_have_score_tests() {
    let data = data(120, 0.0);
    let folder = folder(&data);
    let command = [
        "select",
        "d.bed",
        "--phenotype",
        "traits.txt:sick",
        "--family",
        "binomial",
    ];
    let (page, _) = both(&folder, &command);
    page.has("Rao's score test");
    let n = PEOPLE as f64;
    let mean = data.sick.iter().sum::<f64>() / n;
    for row in &page.rows("Manhattan plot beside the intercept alone")[1..] {
        let j = (0..120)
            .find(|j| place(*j, 120).1.to_string() == row[2])
            .unwrap();
        let x = left(&filled(&data.copies[j]), &[]);
        let score = product(&x, &data.sick).powi(2) / (mean * (1.0 - mean) * product(&x, &x));
        let p = normal(score.sqrt());
        assert!((number(&row[3]) + p.log10()).abs() < 1e-6, "{row:?} {p}");
    }
    assert!(page.rows(MODEL).len() > 50);
}

#[test]
fn a_page_of_many_variants_stays_small() {
    let data = data(24_000, 0.0);
    let folder = folder(&data);
    let command = [
        "select",
        "d.bed",
        "--format",
        "html",
        "--progress",
        "none",
        "--particles",
        "4",
        "--iterations",
        "4",
    ];
    let ran = folder.run(&command);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.len() < 2_000_000, "{}", ran.stdout.len());
    let page = Page::of(ran.stdout);
    let drawn = page.rows("Manhattan plot beside the intercept alone");
    assert!(drawn.len() > 500);
    page.has("the strongest, and of the others one wherever they lie closer than can be seen");
}

/// Debian's PLINK 2 as judge: both scans, to all digits that it writes.
#[test]
#[ignore = "needs plink2"]
fn plink_has_the_same_p() {
    let data = data(240, 0.0);
    let folder = folder(&data);
    let (page, json) = both(&folder, &["select", "d.bed", "--covariates", "ages.txt"]);
    let chosen = json["selected"].as_array().unwrap().iter();
    let chosen = chosen.map(|own| own["name"].as_str().unwrap());
    let chosen: Vec<&str> = chosen.filter(|own| own.starts_with("rs")).collect();
    folder.write("chosen.txt", &(chosen.join("\n") + "\n"));
    let given: &[&str] = &["--condition-list", "chosen.txt"];
    for (title, more) in [(KEPT, &[][..]), (MODEL, given)] {
        let glm = ["--covar", "ages.txt", "--glm", "hide-covar"];
        let rules = ["--xchr-model", "1", "--covar-variance-standardize"];
        folder.plink2("d", &[&glm[..], &rules, more].concat());
        let judged = folder.plink_glm(["POS", "P"]);
        let mut compared = 0;
        for ((_, position), score) in drawn(&page, title) {
            let Some(judged) = judged.get(&position) else {
                continue;
            };
            let own = 10_f64.powf(-score);
            // Six digits.
            assert!(
                (own / judged - 1.0).abs() < 5.1e-6,
                "{title} {position}: {own} {judged}"
            );
            compared += 1;
        }
        assert!(compared > 150, "{compared}");
    }
}
