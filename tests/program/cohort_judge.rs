//! A selection of variants, judged by another program.

use std::fs;

use crate::cohorts::{json, names};
use crate::support::Folder;

/// Debian's PLINK 2 as judge, on MendelIHT's example beside the repository: every variant beside the chosen ones.
#[test]
#[ignore = "needs plink2, and data that no licence lets into the repository"]
fn plink_finds_no_addition_that_lowers_the_criterion_and_the_same_gains() {
    let folder = Folder::new();
    let data = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../shared/data/genotypes/mendeliht/normal"
    );
    for ending in ["bed", "bim", "fam"] {
        let text = fs::read(format!("{data}.{ending}")).unwrap();
        fs::write(folder.path(&format!("d.{ending}")), text).unwrap();
    }
    let report = json(&folder, &["--criterion", "ebic:gamma=1"]);
    let chosen = names(&report["selected"]);
    // Seven of the eight true variants, and none that is not.
    let truth = [3136, 3137, 4246, 4717, 6290, 7755, 8375, 9415].map(|at| format!("snp{at}"));
    assert_eq!(chosen, truth[1..]);
    folder.write("chosen.txt", &(chosen.join("\n") + "\n"));
    let conditions = ["--condition-list", "chosen.txt"];
    let glm = ["--glm", "allow-no-covars", "hide-covar"];
    folder.plink2("d", &[&conditions[..], &glm].concat());
    let tested = folder.plink_glm(["ID", "T_STAT"]).into_iter();
    let [n, p] = ["n", "p"].map(|name| report[name].as_f64().unwrap());
    let k = chosen.len() as f64;
    // What the criterion charges one variable more: ln n + 2 ln(C(p, k + 1) / C(p, k)).
    let charge = n.ln() + 2.0 * ((p - k) / (k + 1.0)).ln();
    let rises = tested.map(|(id, t)| (id, charge - n * (1.0 + t * t / (n - k - 2.0)).ln()));
    let rises: std::collections::HashMap<String, f64> = rises.collect();
    assert_eq!(rises.len(), 10_000 - chosen.len());
    assert!(rises.values().all(|rise| *rise > 0.0));
    let mut compared = 0;
    for model in report["models"].as_array().unwrap() {
        let own: Vec<&str> = model["variables"]
            .as_array()
            .unwrap()
            .iter()
            .map(|own| own.as_str().unwrap())
            .collect();
        let others: Vec<&&str> = own.iter().filter(|own| !chosen.contains(own)).collect();
        if let ([added], true) = (&others[..], own.len() == chosen.len() + 1) {
            let delta = model["delta"].as_f64().unwrap();
            let judged = rises[**added];
            // PLINK writes six digits of t.
            assert!((delta - judged).abs() < 1e-4, "{added}: {delta} {judged}");
            compared += 1;
        }
    }
    assert!(compared >= 5, "{compared}");
}
