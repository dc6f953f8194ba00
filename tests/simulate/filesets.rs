//! Filesets of simulated genotypes as a user meets them: what `passel select` and PLINK 2 make of them, what they replace,
//! and what cannot be made.

use std::fs;

use serde_json::Value;

use crate::{
    genotypes::{made, simulate},
    support::{Folder, ran},
};

const ALL: [&str; 5] = ["data.csv", "t.bed", "t.bim", "t.fam", "t.truth"];

fn select(folder: &Folder, options: &[&str]) -> Value {
    let arguments = ["select", "t.bed", "--format", "json", "--criterion", "ebic"];
    let ran = folder.run(&[&arguments[..], options].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn a_selection_finds_the_truth_and_says_so() {
    let folder = Folder::new();
    let options = ["--n", "600", "--p", "1500", "--r", "5", "--rho", "0.6"];
    let strong = [
        &options[..],
        &["--heritability", "0.9", "--missing", "0.005"],
    ]
    .concat();
    let drawn = made(&folder, &strong);
    let report = select(&folder, &[]);
    let truth = &report["truth"];
    assert_eq!(
        (truth["variables"].as_u64(), truth["found"].as_u64()),
        (Some(5), Some(5))
    );
    assert_eq!((&truth["psr"], &truth["fdr"]), (&1.0.into(), &0.0.into()));
    for selected in report["selected"].as_array().unwrap() {
        let name = selected["name"].as_str().unwrap();
        let (_, effect) = drawn.truth.iter().find(|(own, _)| own == name).unwrap();
        let found = selected["coefficient"].as_f64().unwrap();
        assert!(
            (found / effect - 1.0).abs() < 0.1,
            "{name} {found} {effect}"
        );
    }
}

#[test]
fn a_truth_is_that_of_the_phenotype_of_the_fam_and_of_the_candidates() {
    let folder = Folder::new();
    let options = [
        "--n",
        "200",
        "--p",
        "440",
        "--r",
        "4",
        "--heritability",
        "0.9",
    ];
    let drawn = made(&folder, &options);
    // The first and the third of them: blocks of 20 are on 22 chromosomes.
    let report = select(&folder, &["--chromosome", "1,2,3,12,13,14"]);
    assert_eq!(report["truth"]["variables"], 2);
    let warnings = report["warnings"].to_string();
    let told = "2 of the 4 true variants in t.truth are no columns here";
    assert!(warnings.contains(told), "{warnings}");
    // Ids that `--extract` reads from it are all there.
    let report = select(&folder, &["--extract", "t.truth"]);
    assert_eq!(
        (&report["p"], &report["truth"]["found"]),
        (&4.into(), &4.into())
    );
    assert_eq!(report["warnings"], Value::Array(Vec::new()));
    let lines = folder.read("t.fam");
    let lines = lines.lines().map(|line| line.replace('\t', " ") + "\n");
    folder.write(
        "traits.txt",
        &("FID IID a b c height\n".to_owned() + &lines.collect::<String>()),
    );
    let report = select(&folder, &["--phenotype", "traits.txt:height"]);
    assert_eq!(report["truth"], Value::Null);
    // A file of that name that passel did not write is none, and so is one that is not there.
    for text in ["snp1\n", "# passel truth snp1\n", ""] {
        folder.write("t.truth", text);
        assert_eq!(select(&folder, &[])["truth"], Value::Null);
    }
    fs::remove_file(folder.path("t.truth")).unwrap();
    assert_eq!(select(&folder, &[])["truth"], Value::Null);
    assert_eq!(drawn.truth.len(), 4);
}

#[test]
fn cases_are_coded_as_plink_codes_them() {
    let folder = Folder::new();
    let options = [
        "--n",
        "800",
        "--p",
        "60",
        "--r",
        "2",
        "--heritability",
        "0.6",
        "--family",
        "binomial",
    ];
    let drawn = made(&folder, &options);
    let report = select(&folder, &["--family", "binomial", "--success", "2"]);
    assert_eq!(report["truth"]["found"], 2);
    for selected in report["selected"].as_array().unwrap() {
        let own = drawn
            .truth
            .iter()
            .find(|(name, _)| selected["name"] == **name);
        let (_, effect) = own.unwrap();
        let found = selected["coefficient"].as_f64().unwrap();
        assert!((found / effect - 1.0).abs() < 0.3, "{found} {effect}");
    }
}

#[test]
fn a_seed_is_one_fileset_and_another_seed_another() {
    let folder = Folder::new();
    let options = ["--n", "50", "--p", "70", "--r", "3", "--missing", "0.1"];
    let bytes = || ALL.map(|name| fs::read(folder.path(name)).unwrap());
    made(&folder, &options);
    let first = bytes();
    let head = folder.read("t.truth");
    let mut head = head.lines();
    let command = head
        .next()
        .unwrap()
        .strip_prefix("# passel simulate genotypes ")
        .unwrap();
    assert_eq!(
        command,
        "--n 50 --p 70 --r 3 --rho 0.9 --block 20 --maf 0.05,0.5 --missing 0.1 --heritability 0.5 --seed 1"
    );
    let sizes = [1, 2, 3].map(|at| first[at].len());
    let [bed, bim, fam] = sizes;
    assert_eq!(
        head.next().unwrap(),
        format!("# passel bytes bed {bed} bim {bim} fam {fam}")
    );
    let command: Vec<&str> = command.split(' ').collect();
    made(&folder, &command);
    assert_eq!(bytes(), first);
    made(&folder, &[&options[..], &["--seed", "2"]].concat());
    let other = bytes();
    for part in [1, 3, 4] {
        assert_ne!(other[part], first[part], "{}", ALL[part]);
    }
    // Where each variant lies is no matter of chance.
    assert_eq!(other[2], first[2]);
    assert_eq!(folder.names(), ALL);
}

#[test]
fn what_passel_did_not_simulate_is_not_replaced() {
    let folder = Folder::new();
    let options = ["--n", "50", "--p", "70", "--r", "3"];
    for (at, name) in ALL.into_iter().enumerate().skip(1) {
        made(&folder, &[&options[..], &["--overwrite"]].concat());
        // Another program's, of the same name.
        folder.write(name, "1 a 0 1 A G\n");
        let before = ALL.map(|name| fs::read(folder.path(name)).unwrap());
        let ran = simulate(&folder, &options);
        assert_eq!(ran.code, Some(2));
        // Without their truth all are another program's.
        let told = if name == "t.truth" { "t.bed" } else { ALL[at] };
        let told = format!(
            "error: cannot write {told}: the file there is not simulated data that passel wrote"
        );
        assert!(ran.stderr.starts_with(&told), "{}", ran.stderr);
        assert_eq!(ALL.map(|name| fs::read(folder.path(name)).unwrap()), before);
        assert_eq!(folder.names(), ALL);
    }
    made(&folder, &[&options[..], &["--overwrite"]].concat());
    made(&folder, &options);
}

#[test]
fn what_cannot_be_made_is_told_and_leaves_nothing() {
    let folder = Folder::new();
    for (options, told) in [
        (
            &["--maf", "0.2,0.1"][..],
            "maf = 0.2,0.1 must be two numbers above 0 and at most 0.5, the first not above the second",
        ),
        (
            &["--maf", "0,0.5"],
            "maf = 0,0.5 must be two numbers above 0 and at most 0.5, the first not above the second",
        ),
        (
            &["--maf", "0.1,0.6"],
            "maf = 0.1,0.6 must be two numbers above 0 and at most 0.5, the first not above the second",
        ),
        (
            &["--maf", "0.1"],
            "maf = 0.1 must be two numbers above 0 and at most 0.5, the first not above the second",
        ),
        (
            &["--p", "9"],
            "r = 10 must be 1 … p = 9 in the model genotypes",
        ),
        (
            &["--rho", "-0.5"],
            "rho = -0.5 must be at least 0 and below 1 in the model genotypes",
        ),
        (&["--block", "1001"], "block = 1001 must be 1 … 1000"),
        (
            &["--missing", "1"],
            "missing = 1 must be at least 0 and below 1",
        ),
        (
            &["--heritability", "1"],
            "heritability = 1 must be above 0 and below 1; at most 0.8 for counts and positive numbers",
        ),
        (
            &["--family", "poisson", "--heritability", "0.9"],
            "heritability = 0.9 must be at most 0.8 for responses of the family poisson in the model genotypes",
        ),
        (
            &["--snr", "1"],
            "the model genotypes has no option snr: it has n, p, r, rho, block, maf, missing, heritability, seed",
        ),
        (
            &["--n", "3", "--p", "1", "--r", "1", "--maf", "1e-9,1e-9"],
            "no true variable varies among the 3 observations: raise n, or the frequencies of --maf",
        ),
    ] {
        let ran = simulate(&folder, options);
        let ended = (ran.code, ran.stdout.as_str(), ran.stderr);
        assert_eq!(ended, (Some(2), "", format!("error: {told}\n")));
        assert_eq!(folder.names(), ["data.csv"]);
    }
    for (arguments, told) in [
        (
            &["genotypes", "--output", "t.npy"][..],
            "error: t.npy: the file's name tells its format and must end in .csv, .tsv or .dat, each optionally followed by \
             .gz; simulated genotypes also in .bed\n",
        ),
        (
            &["ar1", "--output", "t.bed"],
            "error: t.bed: the file's name tells its format and must end in .csv, .tsv or .dat, each optionally followed by \
             .gz; simulated genotypes also in .bed\n",
        ),
        (
            &["genotypes", "--output", "no/t.bed"],
            "error: cannot write no/t.bed: there is no folder no; make it first\n",
        ),
    ] {
        let ran = folder.run(&[&["simulate"], arguments].concat());
        let ended = (ran.code, ran.stdout.as_str(), ran.stderr.as_str());
        assert_eq!(ended, (Some(2), "", told));
        assert_eq!(folder.names(), ["data.csv"]);
    }
    // A timeout that passes while a gigabyte is drawn.
    let ran = simulate(
        &folder,
        &["--n", "40000", "--p", "100000", "--timeout", "20ms"],
    );
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stderr.contains("timeout of 20ms"), "{}", ran.stderr);
    assert_eq!(folder.names(), ["data.csv"]);
}

#[cfg(unix)]
#[test]
fn a_disk_that_fills_leaves_the_old_files_and_1() {
    let folder = Folder::new();
    made(&folder, &["--n", "50", "--p", "70", "--r", "3"]);
    let before = ALL.map(|name| fs::read(folder.path(name)).unwrap());
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$passel\" simulate genotypes --output t.bed";
    let ran = ran(folder.shell(script));
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(
        ran.stderr.starts_with("error: writing t.bed failed: "),
        "{}",
        ran.stderr
    );
    assert_eq!(ALL.map(|name| fs::read(folder.path(name)).unwrap()), before);
    assert_eq!(folder.names(), ALL);
}

/// Debian's PLINK 2 as judge: it reads the files, counts as they say, and makes the genetic value of the truth.
#[test]
#[ignore = "needs plink2"]
fn plink_reads_the_files_and_scores_the_truth() {
    let folder = Folder::new();
    let options = ["--n", "501", "--p", "1000", "--r", "6", "--missing", "0.02"];
    made(
        &folder,
        &[&options[..], &["--heritability", "0.999"]].concat(),
    );
    let plink = |arguments: &[&str]| {
        let told = folder.plink2("t", arguments);
        // Of the head lines of a truth.
        let known = "Warning: 2 --score file entries were skipped due to missing variant IDs.";
        assert!(!told.replace(known, "").contains("Warning"), "{told}");
    };
    let table = |name: &str| -> Vec<Vec<String>> {
        let text = folder.read(name);
        let lines = text.lines().skip(1);
        lines
            .map(|line| line.split_whitespace().map(str::to_owned).collect())
            .collect()
    };
    plink(&[
        "--score",
        "t.truth",
        "no-mean-imputation",
        "cols=+scoresums",
    ]);
    let scores = table("judge.sscore");
    assert_eq!(scores.len(), 501);
    let of = |at: usize, lines: &[Vec<String>]| -> Vec<f64> {
        lines
            .iter()
            .map(|line| line[line.len() - 1 - at].parse().unwrap())
            .collect()
    };
    let fam = folder.read("t.fam");
    let fam: Vec<Vec<String>> = fam
        .lines()
        .map(|line| line.split('\t').map(str::to_owned).collect())
        .collect();
    let (score, y) = (of(0, &scores), of(0, &fam));
    let mean = |own: &[f64]| own.iter().sum::<f64>() / own.len() as f64;
    let moment = |a: &[f64], b: &[f64]| {
        let (of_a, of_b) = (mean(a), mean(b));
        a.iter()
            .zip(b)
            .map(|(a, b)| (a - of_a) * (b - of_b))
            .sum::<f64>()
    };
    let r2 = moment(&score, &y).powi(2) / (moment(&score, &score) * moment(&y, &y));
    // Two genotypes of a hundred are missing, and count as no copy.
    assert!(r2 > 0.85, "{r2}");
    plink(&["--extract", "t.truth", "--missing", "--freq"]);
    assert_eq!(table("judge.vmiss").len(), 6);
    plink(&["--glm", "allow-no-covars"]);
    assert_eq!(table("judge.PHENO1.glm.linear").len(), 1000);
    made(&folder, &[&options[..], &["--family", "binomial"]].concat());
    plink(&["--glm", "allow-no-covars", "no-firth"]);
    assert_eq!(table("judge.PHENO1.glm.logistic").len(), 1000);
}
