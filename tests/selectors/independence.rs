//! The G-test of every pick, by the definition.

use super::{
    problems::Random,
    program::{assert_near, csv, made, run, select},
    reference::joint_entropy,
    support::Folder,
};

#[test]
fn g_is_that_of_the_definition_and_its_p_a_poisson_sum() {
    let folder = Folder::new();
    let set = made(&mut Random::new(61), 300, 9, 5, 3);
    folder.write("set.csv", &csv(&set, 0));
    let data = folder.path("set.csv");
    let found = select(&data, "mim", 9, &["--response", "y"]);
    let all = [
        "pairs",
        data.to_str().unwrap(),
        "--response",
        "y",
        "--format",
        "json",
    ];
    let told: serde_json::Value = serde_json::from_str(&run(&all).stdout).unwrap();
    for variable in found.json["selected"].as_array().unwrap() {
        let x = variable["index"].as_u64().unwrap() as usize;
        let (codes, y) = (&set.columns[x], &set.y);
        let information =
            joint_entropy(&[codes]) + joint_entropy(&[y]) - joint_entropy(&[codes, y]);
        let g = 2.0 * 300.0 * information;
        assert_near(variable["g"].as_f64().unwrap(), g, "G");
        // (5 − 1)(3 − 1) degrees: P(N < 4) of a Poisson number of mean G/2.
        assert_eq!(variable["df"], 8);
        let terms = (0..4).map(|i| (g / 2.0).powi(i) / [1.0, 1.0, 2.0, 6.0][i as usize]);
        let p = (-g / 2.0).exp() * terms.sum::<f64>();
        let found = variable["p_value"].as_f64().unwrap();
        assert!((found / p - 1.0).abs() < 1e-8, "{found} for {p}");
        // By the same sums, whose fraction bits are fewer for a score that reaches farther.
        let alone = told["single"][x]["p_value"].as_f64().unwrap();
        assert!((alone / found - 1.0).abs() < 1e-10, "{alone} for {found}");
    }
}
