//! Names and numbers as plots have room for them.

use std::collections::BTreeMap;

use crate::report::numbers::printable;

/// Signs of a name that a plot has room for.
pub(super) const SIGNS: usize = 22;

/// Bytes of a label that an axis has room for.
const TITLE: usize = 40;

/// A name cut to so many signs: its ends, for these tell names apart. A dollar sign is escaped, for
/// it would begin a formula.
pub(super) fn within(name: &str, signs: usize) -> String {
    let all: Vec<char> = printable(name).chars().collect();
    let text: String = match all.len() > signs {
        false => all.into_iter().collect(),
        true => {
            let after = signs / 2;
            let first = all[..signs - after - 1].iter();
            let last = all[all.len() - after..].iter();
            first.chain(['…'].iter()).chain(last).collect()
        }
    };
    text.replace('$', "\\$")
}

/// The label of an axis, shortened where there is no room for it.
pub(super) fn titled(label: &str) -> String {
    match label.len() > TITLE {
        true => within(label, SIGNS),
        false => label.replace('$', "\\$"),
    }
}

/// Shortens the names of one plot to so many signs, no two of different names alike.
pub(super) fn apart(names: &[&str], signs: usize) -> Vec<String> {
    let mut used: BTreeMap<String, &str> = BTreeMap::new();
    let mut own = Vec::new();
    for name in names {
        let mut label = within(name, signs);
        let mut more = 2;
        while used.get(&label).is_some_and(|other| other != name) {
            label = format!("{} ({more})", within(name, signs.saturating_sub(4)));
            more += 1;
        }
        used.insert(label.clone(), name);
        own.push(label);
    }
    own
}

/// Writes the numbers beside an axis, with the digits that tell one from the next.
pub(super) fn ticks(from: f64, to: f64) -> impl Fn(f64) -> String + Clone {
    let most = from.abs().max(to.abs());
    let step = ((to - from).abs() / 10.0)
        .max(most * 1e-12)
        .max(f64::MIN_POSITIVE);
    move |number: f64| {
        // A zero up to rounding.
        let number = match number.abs() < step * 1e-6 {
            true => 0.0,
            false => number,
        };
        let digits = (most / step).log10().ceil().clamp(1.0, 12.0) as usize;
        match number == 0.0 || (1e-4..1e6).contains(&most) || digits > 6 {
            true => {
                let decimals = (1.0 - step.log10().floor()).clamp(0.0, 12.0) as usize;
                trimmed(&format!("{number:.decimals$}")).to_owned()
            }
            false => {
                let text = format!("{number:.digits$e}");
                let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
                format!("{}e{exponent}", trimmed(mantissa))
            }
        }
    }
}

/// A decimal number without trailing zeros.
fn trimmed(text: &str) -> &str {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_ends_and_stay_apart() {
        let shortened = |names: &[&str]| apart(names, SIGNS);
        assert_eq!(shortened(&["a name", "$x$\n"]), ["a name", "\\$x\\$\\n"]);
        let long = [0, 1, 2].map(|at| format!("ENSG000000000000000000{at}00000000000"));
        let own = shortened(&[&long[0], &long[1], &long[2], &long[0]]);
        assert_eq!(own[0], own[3]);
        assert!(
            own[0] != own[1] && own[1] != own[2] && own[0] != own[2],
            "{own:?}"
        );
        assert!(
            own.iter().all(|name| name.chars().count() <= SIGNS),
            "{own:?}"
        );
        let other = shortened(&[
            "a_long_prefix_shared_by_all_0",
            "a_long_prefix_shared_by_all_1",
        ]);
        assert!(
            other[0].ends_with("y_all_0") && other[1].ends_with("y_all_1"),
            "{other:?}"
        );
    }

    #[test]
    fn ticks_have_the_digits_that_part_them() {
        for (from, to, number, text) in [
            (0.0, 1.0, 0.25, "0.25"),
            (0.0, 40.0, 20.0, "20"),
            (2_459_000.5, 2_459_000.8, 2_459_000.55, "2459000.55"),
            (0.0, 12_000_000.0, 11_000_000.0, "1.1e7"),
            (-1e-7, 1e-7, 5e-8, "5e-8"),
            (-0.3, 0.3, 1e-17, "0"),
            (3500.0, 3900.0, 3650.0, "3650"),
        ] {
            assert_eq!(ticks(from, to)(number), text);
        }
    }
}
