//! Credible sets beside their definition: every exchange fitted anew, by normal equations.

use super::{Pass, SearchResult, genotypes_tests::table, search};
use crate::{
    criteria::Ebic,
    design::{Design, DesignOptions, ResponseOptions},
    device::Resources,
    family::{Distribution, Family},
    interrupt::Interrupt,
    selection::{CredibleSet, Selection},
    table::{Table, Values},
};

/// A linear system by Gauss's elimination with the largest pivots.
fn solved(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let m = b.len();
    for c in 0..m {
        let best = (c..m)
            .max_by(|i, j| a[*i][c].abs().total_cmp(&a[*j][c].abs()))
            .unwrap();
        a.swap(c, best);
        b.swap(c, best);
        let above = a[c].clone();
        for i in c + 1..m {
            let factor = a[i][c] / above[c];
            for (own, above) in a[i].iter_mut().zip(&above) {
                *own -= factor * above;
            }
            b[i] -= factor * b[c];
        }
    }
    for c in (0..m).rev() {
        let rest: f64 = (c + 1..m).map(|j| a[c][j] * b[j]).sum();
        b[c] = (b[c] - rest) / a[c][c];
    }
    b
}

/// Data as a statistician has them: columns with the means of those who are known, weights, response.
struct Data {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
    y: Vec<f64>,
    weights: Vec<f64>,
    intercept: bool,
    binary: bool,
}

impl Data {
    fn of(table: &Table, weighted: bool, intercept: bool, binary: bool) -> Self {
        let n = table.rows;
        // Of people of weight 0 nothing is known.
        let is_used = |row: usize| !weighted || !row.is_multiple_of(4);
        let numbers = |values: &Values| -> Vec<f64> {
            let all = values.numbers(n).unwrap();
            let own = all.iter().enumerate().filter(|(row, _)| is_used(*row));
            let own: Vec<f64> = own.map(|(_, own)| *own).collect();
            let known = own.iter().filter(|own| !own.is_nan());
            let (count, sum) = (known.clone().count() as f64, known.sum::<f64>());
            let value = |own: f64| if own.is_nan() { sum / count } else { own };
            own.into_iter().map(value).collect()
        };
        let columns = table.columns.iter();
        let all = columns.map(|own| (own.name.clone(), numbers(&own.values)));
        let (mut names, mut columns): (Vec<String>, Vec<Vec<f64>>) = all.unzip();
        let mut take = |name: &str| {
            let at = names.iter().position(|own| own == name).unwrap();
            names.remove(at);
            columns.remove(at)
        };
        let (y, weights) = (take("y"), take("w"));
        let weights = if weighted {
            weights
        } else {
            vec![1.0; y.len()]
        };
        Self {
            names,
            columns,
            y,
            weights,
            intercept,
            binary,
        }
    }

    fn column(&self, name: &str) -> &[f64] {
        let at = self.names.iter().position(|own| own == name);
        &self.columns[at.unwrap()]
    }

    /// n ln RSS, or −2ℓ of a logistic regression: of models of one size what a criterion compares.
    fn misfit(&self, names: &[&str]) -> f64 {
        let n = self.y.len();
        let ones = vec![1.0; n];
        let mut x: Vec<&[f64]> = names.iter().map(|name| self.column(name)).collect();
        if self.intercept {
            x.push(&ones);
        }
        let weighted = |w: &[f64], z: &[f64]| {
            let product =
                |a: &[f64], b: &[f64]| -> f64 { (0..n).map(|i| w[i] * a[i] * b[i]).sum() };
            let gram = x.iter().map(|a| x.iter().map(|b| product(a, b)).collect());
            let b = solved(gram.collect(), x.iter().map(|a| product(a, z)).collect());
            let sum = |i: usize| -> f64 { x.iter().zip(&b).map(|(x, b)| b * x[i]).sum() };
            (0..n).map(sum).collect::<Vec<f64>>()
        };
        if !self.binary {
            let fitted = weighted(&self.weights, &self.y);
            let squares = (0..n).map(|i| self.weights[i] * (self.y[i] - fitted[i]).powi(2));
            return n as f64 * squares.sum::<f64>().ln();
        }
        let mut eta = vec![0.0; n];
        for _ in 0..25 {
            let mean: Vec<f64> = eta
                .iter()
                .map(|eta: &f64| 1.0 / (1.0 + (-eta).exp()))
                .collect();
            let w: Vec<f64> = mean.iter().map(|own| own * (1.0 - own)).collect();
            let z: Vec<f64> = (0..n)
                .map(|i| eta[i] + (self.y[i] - mean[i]) / w[i])
                .collect();
            eta = weighted(&w, &z);
        }
        let of = |i: usize| {
            let sign = if self.y[i] > 0.5 { -1.0 } else { 1.0 };
            (sign * eta[i]).exp().ln_1p()
        };
        2.0 * (0..n).map(of).sum::<f64>()
    }

    /// The squared correlation.
    fn r_squared(&self, a: &str, b: &str) -> f64 {
        let total: f64 = self.weights.iter().sum();
        let centred = |name: &str| -> Vec<f64> {
            let own = self.column(name);
            let sum: f64 = own.iter().zip(&self.weights).map(|(x, w)| x * w).sum();
            let mean = if self.intercept { sum / total } else { 0.0 };
            own.iter().map(|x| x - mean).collect()
        };
        let (a, b) = (centred(a), centred(b));
        let product = |a: &[f64], b: &[f64]| -> f64 {
            (0..a.len()).map(|i| self.weights[i] * a[i] * b[i]).sum()
        };
        product(&a, &b).powi(2) / (product(&a, &a) * product(&b, &b))
    }

    /// What a set must be: names with Δ, the chosen one and its copies first.
    fn alternatives<'a>(
        &'a self,
        chosen: &'a str,
        model: &[&'a str],
        is_candidate: impl Fn(&str) -> bool,
    ) -> Vec<(&'a str, f64)> {
        let best = self.misfit(model);
        let outside = self.names.iter().map(|own| &**own);
        let outside = outside.filter(|own| !model.contains(own) && is_candidate(own));
        let exchanged = |joins: &'a str| {
            let stay = model.iter().copied().filter(|own| *own != chosen);
            let names: Vec<&str> = stay.chain([joins]).collect();
            (joins, self.misfit(&names) - best)
        };
        let near = outside.map(exchanged).filter(|own| own.1 <= 20.0);
        [(chosen, 0.0)].into_iter().chain(near).collect()
    }
}

fn found(design: &Design, pass: &Pass, threads: usize) -> (SearchResult, Selection) {
    let (place, never) = (Resources::cpu(threads), Interrupt::default());
    let ebic = Ebic { gamma: 0.5 };
    let found = search(design, &ebic, pass, &place, &never, None, &mut |_| {}).unwrap();
    let selection = found.selection(design, &ebic, pass);
    (found, selection)
}

#[test]
fn sets_are_of_all_exchanges_fitted_anew() {
    let (mut sets, mut members, mut with_copies, mut alone) = (0, 0, 0, 0);
    for seed in 0..60 {
        let (binary, weighted) = (seed % 5 == 4, seed % 5 == 3);
        let intercept = seed % 7 != 6 || binary;
        let keep = ["age".to_owned()];
        let drop = if weighted {
            Vec::new()
        } else {
            vec!["w".to_owned()]
        };
        let mut kind = ResponseOptions::default();
        if binary {
            kind.family = Family::new(Distribution::Binomial, None).unwrap();
        }
        let options = DesignOptions {
            response: Some("y"),
            keep: &keep[..usize::from(seed % 3 == 0)],
            drop: &drop,
            weights: weighted.then_some("w"),
            intercept,
            kind,
            ..DesignOptions::default()
        };
        let data = Data::of(&table(seed, binary), weighted, intercept, binary);
        let packed = Design::from_table(table(seed, binary), &options).unwrap();
        let pass = Pass {
            particles: 6,
            iterations: 8,
            max_size: Some(6),
            islands: 1,
            ..Pass::default()
        };
        let (result, selection) = found(&packed, &pass, 1);
        assert!(result.certified.is_some());
        for (design, threads) in [
            (&packed, 2),
            (&packed.unpacked(), 1),
            (&packed.unpacked(), 2),
        ] {
            let (_, other) = found(design, &pass, threads);
            for (own, other) in selection.selected.iter().zip(&other.selected) {
                let bare = |set: &Option<CredibleSet>| {
                    let mut set = set.clone();
                    let members = set.iter_mut().flat_map(|set| &mut set.members);
                    // Products of integers are rounded once, and numbers are no genotypes.
                    members.for_each(|own| {
                        (own.maf, own.purity) = (None, own.purity.map(|_| 0.0));
                        own.r_squared = (own.r_squared * 1e9).round() / 1e9;
                    });
                    set.iter_mut().for_each(|set| set.purity = None);
                    set
                };
                assert_eq!(bare(&own.credible_set), bare(&other.credible_set), "{seed}");
            }
        }
        let model: Vec<&str> = selection.selected.iter().map(|own| &*own.name).collect();
        for own in &selection.selected {
            let is_kept = selection.kept.contains(&own.name);
            assert_eq!(own.credible_set.is_none(), is_kept, "{seed} {}", own.name);
            let Some(set) = &own.credible_set else {
                continue;
            };
            let aside = |name: &str| packed.set_aside().iter().find(|own| own.name == name);
            let mut expected = data.alternatives(&own.name, &model, |name| {
                // A constant or a copy is no candidate.
                aside(name).is_none()
            });
            let copies: Vec<(&str, f64)> = packed
                .set_aside()
                .iter()
                .filter_map(|copy| {
                    let of = copy.copy_of.as_deref()?;
                    let delta = expected.iter().find(|own| own.0 == of)?.1;
                    Some((&*copy.name, delta))
                })
                .collect();
            with_copies += copies.len();
            expected.extend(copies);
            let sum: f64 = expected.iter().map(|own| (-0.5 * own.1).exp()).sum();
            assert_eq!(set.alternatives, expected.len(), "{seed} {}", own.name);
            let (mut weight, mut last) = (0.0, 0.0);
            for (at, member) in set.members.iter().enumerate() {
                assert!(weight < 0.999);
                let (_, delta) = expected.iter().find(|own| own.0 == member.name).unwrap();
                assert!(
                    (member.delta - delta).abs() < 1e-6,
                    "{seed} {member:?} {delta}"
                );
                assert!((member.weight - (-0.5 * delta).exp() / sum).abs() < 1e-6);
                let of = data.r_squared(&own.name, &member.name);
                assert!(
                    (member.r_squared - of).abs() < 1e-9,
                    "{seed} {member:?} {of}"
                );
                let before = set.members[..=at].iter();
                let pairs = before.flat_map(|a| {
                    let others = set.members[..at].iter();
                    others.map(|b| data.r_squared(&a.name, &b.name))
                });
                let least = pairs.fold(1.0, f64::min);
                assert!((member.purity.unwrap() - least).abs() < 1e-9, "{seed}");
                assert!(member.delta >= last);
                let is_in = weight < 0.95;
                assert_eq!(at < set.size, is_in, "{seed} {set:?}");
                (weight, last) = (weight + member.weight, member.delta);
                members += 1;
            }
            assert!(weight >= 0.999 || set.members.len() == expected.len());
            let told: f64 = set.set().iter().map(|own| own.weight).sum();
            assert!((set.weight - told).abs() < 1e-12 && set.level == 0.95);
            assert_eq!(set.purity, set.set().last().unwrap().purity);
            sets += 1;
            alone += usize::from(set.size == 1);
        }
    }
    // Sets of one and of many, and copies among them.
    assert!(
        sets > 80 && members > 3 * sets && with_copies > 10 && alone > 5,
        "{sets} {members} {with_copies} {alone}"
    );
}

#[test]
fn another_level_takes_another_part_of_the_members() {
    let options = DesignOptions {
        response: Some("y"),
        drop: &["w".to_owned()],
        ..DesignOptions::default()
    };
    let design = Design::from_table(table(1, false), &options).unwrap();
    let pass = Pass {
        max_size: Some(6),
        ..Pass::default()
    };
    let (_, mut selection) = found(&design, &pass, 1);
    let sizes = [0.5, 0.8, 0.95, 0.99].map(|level| {
        selection.set_level(level);
        let sets = selection
            .selected
            .iter()
            .filter_map(|own| own.credible_set.as_ref());
        for set in sets.clone() {
            assert!(set.level == level && set.weight >= level);
            let less: f64 = set.members[..set.size - 1]
                .iter()
                .map(|own| own.weight)
                .sum();
            assert!(less < level);
        }
        sets.map(|set| set.size).sum::<usize>()
    });
    assert!(sizes.is_sorted() && sizes[0] < sizes[3], "{sizes:?}");
    // A search that is asked for none has the same model.
    let (with, _) = found(&design, &pass, 1);
    let none = Pass {
        alternatives: false,
        ..pass.clone()
    };
    let (without, _) = found(&design, &none, 1);
    assert!(!with.alternatives.is_empty() && without.alternatives.is_empty());
    assert_eq!(without.certified, with.certified);
    assert_eq!(without.fit.members(), with.fit.members());
    // No polish, no certificate, no sets.
    let plain = Pass {
        polish: false,
        proof: super::ProofEffort::None,
        ..pass
    };
    let (result, selection) = found(&design, &plain, 1);
    assert!(result.certified.is_none() && result.alternatives.is_empty());
    assert!(
        selection
            .selected
            .iter()
            .all(|own| own.credible_set.is_none())
    );
}
