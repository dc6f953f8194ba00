//! Intervals of the whole procedure.

use crate::{
    inference::{report, table, variable},
    support::Folder,
};

#[test]
fn intervals_hold_the_signal_and_threads_change_nothing() {
    let folder = Folder::new();
    folder.write("data.csv", &table(80, 5, 9));
    let of = |threads: &str| {
        let arguments = [
            "--drop",
            "g",
            "--infer",
            "bootstrap:resamples=200",
            "--threads",
            threads,
        ];
        report(&folder, &arguments)
    };
    let one = of("1");
    assert_eq!(one["inference"], of("2")["inference"]);
    assert_eq!(
        [&one["inference"]["wanted"], &one["inference"]["done"]],
        [200, 200]
    );
    let signal = variable(&one, "x0");
    assert_eq!(
        (&signal["selected"], &signal["chosen"]),
        (&true.into(), &200.into())
    );
    for ends in [["lower", "upper"], ["percentile_lower", "percentile_upper"]] {
        let [lower, upper] = ends.map(|end| signal[end].as_f64().unwrap());
        assert!(
            1.2 < lower && lower < 2.0 && 2.0 < upper && upper < 2.8,
            "{signal}"
        );
    }
    assert!(signal.get("p_value").is_none());
    // What is hardly ever chosen is 0 all over.
    let others = one["inference"]["variables"].as_array().unwrap().iter();
    let rare = others.filter(|own| own["chosen"].as_u64().unwrap() < 4);
    for own in rare {
        assert_eq!(
            (&own["percentile_lower"], &own["percentile_upper"]),
            (&0.0.into(), &0.0.into()),
            "{own}"
        );
        // What no row but a few resamples choose has no other interval either.
        for end in ["lower", "upper"] {
            assert!(own[end].is_null() || own[end] == 0.0, "{own}");
        }
    }
    assert!(signal.get("uncorrected").is_none());
}
