//! Cuts by the entropy of the response's levels, against the definition of Fayyad and Irani.

use passel::binning::{Rule, SavedBinning};
use proptest::prelude::*;

use super::{problems::Random, sparse::sparse, *};

/// Ent of classes, in bits.
fn ent(classes: &[u16]) -> f64 {
    let n = classes.len() as f64;
    let share = |class: u16| classes.iter().filter(|own| **own == class).count() as f64 / n;
    distinct(classes)
        .iter()
        .map(|class| -share(*class) * share(*class).log2())
        .sum()
}

fn distinct(classes: &[u16]) -> Vec<u16> {
    let mut classes = classes.to_vec();
    classes.sort_unstable();
    classes.dedup();
    classes
}

/// The cuts of a set of (value, class), from the definition: every cut is examined and its
/// parts counted anew.
fn reference(set: &[(f64, u16)]) -> Vec<f64> {
    let mut values: Vec<f64> = set.iter().map(|pair| pair.0).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let classes = |keep: &dyn Fn(f64) -> bool| -> Vec<u16> {
        only(set, keep).iter().map(|pair| pair.1).collect()
    };
    let all = classes(&|_| true);
    let n = all.len() as f64;
    let mut best: Option<(f64, f64)> = None;
    for pair in values.windows(2) {
        let cut = (pair[0] + pair[1]) / 2.0;
        let (low, high) = (classes(&|x| x < cut), classes(&|x| x > cut));
        let e = low.len() as f64 / n * ent(&low) + high.len() as f64 / n * ent(&high);
        // Sums of at most a few hundred terms below 1 are off by less than this; no two
        // entropies of so few counts lie as near without being equal.
        if best.is_none_or(|(least, _)| e < least - 1e-12) {
            best = Some((e, cut));
        }
    }
    let Some((e, cut)) = best else {
        return Vec::new();
    };
    let k = |classes: &[u16]| distinct(classes).len() as f64;
    let (low, high) = (classes(&|x| x < cut), classes(&|x| x > cut));
    let delta = (3_f64.powf(k(&all)) - 2.0).log2()
        - (k(&all) * ent(&all) - k(&low) * ent(&low) - k(&high) * ent(&high));
    if ent(&all) - e <= ((n - 1.0).log2() + delta) / n {
        return Vec::new();
    }
    let mut cuts = reference(&only(set, &|x| x < cut));
    cuts.push(cut);
    cuts.extend(reference(&only(set, &|x| x > cut)));
    cuts
}

fn only(set: &[(f64, u16)], keep: &dyn Fn(f64) -> bool) -> Vec<(f64, u16)> {
    set.iter().copied().filter(|pair| keep(pair.0)).collect()
}

/// One column and a response of levels 0, 1, …; NaN is a missing value of either.
pub fn with_classes(values: Values, classes: &[f64]) -> BinnedColumn {
    let mut t = table(classes.len(), [values]);
    t.columns[0].values = numbers(classes.iter().copied());
    let mut found = binned(t, "mdlp", Missing::Level).unwrap();
    let column = found.columns.remove(0);
    check(&column, classes.len());
    column
}

pub fn edges(column: &BinnedColumn) -> &[f64] {
    let Rule::Edges(edges) = &column.rule else {
        panic!("{column:?}")
    };
    edges
}

/// What a random column is made of.
#[derive(Debug, Clone, Copy)]
struct Kind {
    n: usize,
    /// Distinct values, about; none where all differ.
    distinct: Option<usize>,
    classes: usize,
    /// Share of the observations whose class has nothing to do with their value.
    noise: f64,
    /// Share of missing values.
    holes: f64,
    seed: u64,
}

impl Kind {
    /// Values, and their classes: intervals of the values, but for the noise.
    fn draw(&self) -> (Vec<f64>, Vec<u16>) {
        let mut random = Random::new(self.seed);
        let pieces = 1 + random.below(2 * self.classes);
        let shift = random.below(self.classes);
        let row = |_| {
            let at = match self.distinct {
                Some(distinct) => random.below(distinct) as f64 / distinct as f64,
                None => random.uniform(),
            };
            let class = match random.uniform() < self.noise {
                true => random.below(self.classes),
                false => ((at * pieces as f64) as usize + shift) % self.classes,
            };
            let value = match random.uniform() < self.holes {
                true => NAN,
                false => (at - 0.5) * 8.0,
            };
            (value, class as u16)
        };
        (0..self.n).map(row).unzip()
    }
}

fn kinds(most: usize) -> impl Strategy<Value = Kind> {
    let distinct = prop_oneof![
        Just(None),
        (1_usize..6).prop_map(Some),
        (6_usize..40).prop_map(Some)
    ];
    let noise = prop_oneof![Just(0.0), Just(0.1), Just(0.3), Just(1.0)];
    let holes = prop_oneof![3 => Just(0.0), 1 => Just(0.2)];
    let drawn = (2..most, distinct, 1_usize..6, noise, holes, any::<u64>());
    drawn.prop_map(|(n, distinct, classes, noise, holes, seed)| Kind {
        n,
        distinct,
        classes,
        noise,
        holes,
        seed,
    })
}

fn expected(values: &[f64], classes: &[u16]) -> Vec<f64> {
    let pairs = values.iter().copied().zip(classes.iter().copied());
    let set: Vec<(f64, u16)> = pairs.filter(|pair| !pair.0.is_nan()).collect();
    reference(&set)
}

fn floats(classes: &[u16]) -> Vec<f64> {
    classes.iter().map(|&class| f64::from(class)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) })]

    #[test]
    fn cuts_are_those_of_the_definition(kind in kinds(90)) {
        let (values, classes) = kind.draw();
        let column = with_classes(numbers(values.clone()), &floats(&classes));
        let told = expected(&values, &classes);
        prop_assert_eq!(edges(&column), &told[..]);
        let code = |x: &f64| told.iter().filter(|edge| **edge < *x).count() as u16;
        let codes = values.iter().map(|x| match x.is_nan() {
            true => column.missing.unwrap().code(),
            false => code(x),
        });
        prop_assert_eq!(column.codes.dense(), codes.collect::<Vec<u16>>());
    }

    #[test]
    fn neither_the_rows_order_nor_the_classes_names_show(kind in kinds(300)) {
        let (values, classes) = kind.draw();
        let rule = with_classes(numbers(values.clone()), &floats(&classes)).rule;
        let order = Random::new(kind.seed ^ 1).order(kind.n);
        let moved = order.iter().map(|&row| values[row]);
        let renamed: Vec<f64> = order.iter().map(|&row| -f64::from(classes[row])).collect();
        prop_assert_eq!(with_classes(numbers(moved), &renamed).rule, rule);
    }

    #[test]
    fn sparse_columns_and_bytes_are_cut_as_numbers(kind in kinds(120)) {
        let (values, classes) = kind.draw();
        let holed: Vec<f64> = values.iter().map(|x| x.round()).collect();
        // Bytes have no missing values: `max` makes 0 of them.
        let whole: Vec<f64> = holed.iter().map(|x| x.max(0.0)).collect();
        let classes = floats(&classes);
        let dense = with_classes(numbers(holed.clone()), &classes);
        let thin = with_classes(sparse(&holed), &classes);
        prop_assert_eq!(&thin.codes.dense(), &dense.codes.dense());
        prop_assert_eq!((thin.rule, thin.missing), (dense.rule, dense.missing));
        let dense = with_classes(numbers(whole.clone()), &classes);
        let bytes = Values::Bytes(whole.iter().map(|x| *x as u8).collect());
        prop_assert_eq!(with_classes(bytes, &classes), dense);
    }

    #[test]
    fn saved_rules_code_the_same_data_alike(kind in kinds(120)) {
        let (values, classes) = kind.draw();
        let make = || {
            let scaled = values.iter().map(|x| x / 3.0);
            let mut t = table(kind.n, [numbers(scaled)]);
            t.columns[0].values = numbers(floats(&classes));
            t
        };
        let first = binned(make(), "mdlp", Missing::Level).unwrap();
        let saved = SavedBinning::of(&first, &Binning::Mdlp, &Binning::Auto);
        prop_assert_eq!(&saved.rule, "mdlp");
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), serde_json::to_string(&saved).unwrap()).unwrap();
        let again = binned(make(), &format!("edges:{}", file.path().display()), Missing::Level);
        prop_assert_eq!(format!("{:?}", again.unwrap()), format!("{first:?}"));
    }

    #[test]
    fn an_edge_parts_any_two_numbers(a in any::<f64>(), b in any::<f64>(), near in 0_u64..4) {
        let b = match near {
            0 => b,
            _ => f64::from_bits(a.to_bits() ^ near),
        };
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        prop_assume!(a.is_finite() && b.is_finite() && a < b);
        let column = with_classes(numbers([a, a, a, b, b, b]), &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        prop_assert_eq!(column.codes.dense(), [0, 0, 0, 1, 1, 1]);
        let edge = edges(&column)[0];
        prop_assert!(a < edge && edge <= b && (edge != 0.0 || edge.is_sign_positive()));
    }
}

#[test]
fn a_thousand_values_of_up_to_forty_classes() {
    for (seed, classes) in [(1, 2), (2, 3), (3, 12), (4, 40)] {
        let kind = Kind {
            n: 1000,
            distinct: None,
            classes,
            noise: 0.05,
            holes: 0.0,
            seed,
        };
        let (values, classes) = kind.draw();
        let column = with_classes(numbers(values.clone()), &floats(&classes));
        assert_eq!(edges(&column), expected(&values, &classes), "{kind:?}");
        assert!(column.levels > 1, "{kind:?}");
    }
}
