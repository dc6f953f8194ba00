//! Scores of entropies corrected for their bias, by Miller and Madow.

use super::{
    against_reference::agrees_with,
    entropies::corrected,
    pairwise::agrees_on_holes,
    problems::Random,
    program::{csv, made, run, select},
    reference::Set,
    support::Folder,
};

const CORRECTED: [&str; 4] = ["--response", "y", "--correction", "miller-madow"];

#[test]
fn every_method_agrees_with_corrected_entropies() {
    let folder = Folder::new();
    let sizes = [2, 3, 5, 17, 24, 63, 64, 65, 128, 255, 257, 300];
    for (seed, n) in (400..).zip(sizes) {
        corrected(|| agrees_with(seed, n, &folder, &CORRECTED));
    }
}

#[test]
fn incomplete_variables_are_corrected_by_the_observations_they_have() {
    let more = [&CORRECTED[..], &["--missing", "pairwise"]].concat();
    for (seed, n) in (420..).zip([9, 40, 65, 200]) {
        corrected(|| agrees_on_holes(seed, n, &more));
    }
}

/// Variables of 2 … 40 levels that know nothing of the response.
fn noise(seed: u64, n: usize) -> Set {
    let mut random = Random::new(seed);
    let column = |levels: usize| (0..n).map(|_| random.below(levels) as u32).collect();
    let columns = [2, 3, 5, 10, 20, 40].map(column).to_vec();
    let y = (0..n).map(|_| random.below(3) as u32).collect();
    Set { columns, y }
}

#[test]
fn informations_of_noise_are_about_zero_whatever_the_levels() {
    let (sets, n) = (40, 2000);
    let folder = Folder::new();
    let data = folder.path("set.csv");
    let mut sums = [[0.0; 6]; 2];
    for seed in 0..sets {
        folder.write("set.csv", &csv(&noise(seed, n), 0));
        for (sums, more) in sums.iter_mut().zip([&CORRECTED[..2], &CORRECTED]) {
            for pick in select(&data, "mim", 6, more).picks {
                sums[pick.index] += pick.score / sets as f64;
            }
        }
    }
    println!(
        "mean I(x;y) of 2 … 40 levels: plain {:?}, corrected {:?}",
        sums[0], sums[1]
    );
    for (at, levels) in [2.0, 3.0, 5.0, 10.0, 20.0, 40.0].into_iter().enumerate() {
        // The bias is (levels − 1)(classes − 1)/2n, and the deviation of 2n·I that of χ².
        let freedom = 2.0 * (levels - 1.0);
        let error = 4.0 * f64::sqrt(2.0 * freedom / sets as f64) / (2.0 * n as f64);
        assert!(
            (sums[0][at] - freedom / (2.0 * n as f64)).abs() < error + freedom * 2e-5,
            "{at}"
        );
        assert!(
            sums[1][at].abs() < error + freedom * 2e-5,
            "{at}: {}",
            sums[1][at]
        );
    }
}

#[test]
fn the_test_of_independence_is_of_the_counts_themselves() {
    let folder = Folder::new();
    let set = made(&mut Random::new(431), 120, 6, 9, 3);
    folder.write("set.csv", &csv(&set, 0));
    let data = folder.path("set.csv");
    let own = |more: &[&str]| {
        let json = select(&data, "mim", 6, more).json;
        let selected = json["selected"].as_array().unwrap().clone();
        let test = |index: usize| {
            let own = selected.iter().find(|own| own["index"] == index).unwrap();
            ["g", "df", "p_value"].map(|field| own[field].clone())
        };
        (
            (0..6).map(test).collect::<Vec<_>>(),
            json["correction"].clone(),
        )
    };
    let (plain, corrected) = (own(&CORRECTED[..2]), own(&CORRECTED));
    assert_eq!(plain.0, corrected.0);
    assert!(plain.1.is_null());
    assert_eq!(corrected.1, "miller-madow");
    let told = run(&[
        &["select", data.to_str().unwrap(), "--method", "jmi"][..],
        &CORRECTED,
    ]
    .concat());
    assert!(
        told.stdout
            .contains("\ncorrection           miller-madow\n"),
        "{}",
        told.stdout
    );
    // A search by permutations corrects each order alike.
    let stop = [&CORRECTED[..], &["--stop", "permutation:n=19"]].concat();
    select(&data, "jmi", 6, &stop);
}

#[test]
fn what_cannot_be_corrected_is_refused() {
    let folder = Folder::new();
    folder.write("set.csv", &csv(&noise(1, 50), 0));
    let data = folder.path("set.csv");
    let data = data.to_str().unwrap();
    for (more, parts) in [
        (
            &["--method", "jim"][..],
            &["--correction miller-madow", "leave it out"][..],
        ),
        (
            &["--method", "relief"],
            &["correction has no effect with the method relief"],
        ),
        (
            &["--method", "pass"],
            &["correction has no effect with the method pass"],
        ),
        (
            &["--method", "jmi", "--device", "cuda"],
            &["on the CPU alone", "--device cpu"],
        ),
    ] {
        let ran = run(&[&["select", data], &CORRECTED[..], more].concat());
        assert_eq!(ran.code, Some(2), "{more:?}: {}", ran.stderr);
        for part in parts {
            assert!(ran.stderr.contains(part), "{part} in {}", ran.stderr);
        }
    }
    let ran = run(&["select", data, "--response", "y", "--correction", "miller"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("none or miller-madow"),
        "{}",
        ran.stderr
    );
}
