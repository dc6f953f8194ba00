//! The program on files of PLINK 1: what it finds in the same numbers as CSV, and what it tells
//! of files that are wrong.

use std::collections::HashMap;
use std::fs;

use crate::support::Folder;
use serde_json::Value;

const SAMPLES: usize = 61;
const VARIANTS: usize = 9;

/// Alleles A1 of a variant; 3 where they are missing.
fn alleles(sample: usize, variant: usize) -> usize {
    match (sample * 7 + variant * 13) % 41 {
        0 => 3,
        rest => (rest * rest + sample * (variant + 2) + sample / 5) % 3,
    }
}

/// A case where two variants have many, and some quantity of them; of one sample none is known.
fn phenotype(sample: usize, quantity: bool) -> String {
    let sum = 2 * (alleles(sample, 2) % 3) + alleles(sample, 5) % 3;
    match (sample, quantity) {
        (17, _) => String::from("-9"),
        (_, true) => (sum as f64 + (sample * 37 % 11) as f64 / 20.0).to_string(),
        (_, false) => (1 + usize::from(sum > 3)).to_string(),
    }
}

/// `d.bed`, `d.bim`, `d.fam`, and `d.csv` of the same numbers.
fn folder(quantity: bool) -> Folder {
    let folder = Folder::new();
    let mut bed = vec![0x6c, 0x1b, 0x01];
    for variant in 0..VARIANTS {
        for first in (0..SAMPLES).step_by(4) {
            let mut byte = 0;
            for sample in first..SAMPLES.min(first + 4) {
                byte |=
                    [0b11, 0b10, 0b00, 0b01][alleles(sample, variant)] << (2 * (sample - first));
            }
            bed.push(byte);
        }
    }
    fs::write(folder.path("d.bed"), bed).unwrap();
    let name = |variant: usize| format!("rs{variant}");
    let bim: String = (0..VARIANTS)
        .map(|j| format!("1\t{}\t0\t{j}\tA\tG\n", name(j)))
        .collect();
    folder.write("d.bim", &bim);
    let phenotypes: Vec<String> = (0..SAMPLES).map(|i| phenotype(i, quantity)).collect();
    let lines = phenotypes.iter().enumerate();
    let fam: String = lines
        .map(|(i, phenotype)| format!("f {i} 0 0 1 {phenotype}\n"))
        .collect();
    folder.write("d.fam", &fam);

    let names: Vec<String> = (0..VARIANTS).map(name).collect();
    let mut csv = format!("phenotype,{}\n", names.join(","));
    for (sample, phenotype) in phenotypes.iter().enumerate() {
        csv += if phenotype == "-9" { "NA" } else { phenotype };
        for variant in 0..VARIANTS {
            csv += match alleles(sample, variant) {
                0 => ",0",
                1 => ",1",
                2 => ",2",
                _ => ",NA",
            };
        }
        csv.push('\n');
    }
    folder.write("d.csv", &csv);
    folder
}

/// The same command on both; the first column of each is the response.
fn alike(folder: &Folder, command: &str, rest: &[&str]) -> String {
    let run = |data: &str, response: &[&str]| {
        let ran = folder.run(&[&[command, data][..], response, rest].concat());
        assert_eq!(
            ran.code,
            Some(0),
            "{command} {data} {rest:?}: {}",
            ran.stderr
        );
        ran.stdout
    };
    let found = run("d.bed", &[]);
    assert_eq!(
        found,
        run("d.csv", &["--response", "phenotype"]),
        "{command} {rest:?}"
    );
    found
}

#[test]
fn the_program_finds_what_it_finds_in_the_same_numbers() {
    let quantity = folder(true);
    let drop = ["--missing", "drop-rows", "--format", "csv"];
    let found = alike(&quantity, "select", &drop);
    assert!(found.contains("rs2") && found.contains("rs5"), "{found}");

    // A variant may be the response, and the phenotype a variable or none.
    for rest in [
        &["--response", "rs2"][..],
        &["--response", "rs2", "--drop", "phenotype"],
    ] {
        let ran = |data| quantity.run(&[&["select", data][..], &drop, rest].concat());
        let (bed, csv) = (ran("d.bed"), ran("d.csv"));
        assert_eq!(
            (bed.code, bed.stdout),
            (Some(0), csv.stdout),
            "{}",
            bed.stderr
        );
    }

    let cases = folder(false);
    for missing in ["drop-rows", "level", "pairwise"] {
        let rest = ["--missing", missing, "--format", "csv"];
        alike(
            &cases,
            "pairs",
            &[&rest[..], &["--score", "synergy"]].concat(),
        );
        for method in ["jmi", "cmim", "relieff:neighbours=3"] {
            let method = ["--method", method, "--top", "4"];
            if missing == "drop-rows" || !method[1].starts_with("relief") {
                let found = alike(&cases, "select", &[&rest[..], &method].concat());
                assert!(found.contains("rs2"), "{found}");
            }
        }
    }
    let mdlp = ["--missing", "level", "--format", "csv", "--binning", "mdlp"];
    alike(&cases, "pairs", &mdlp);
}

/// I of some variants, together, and the status, over the samples that have a value of each of
/// `of`: from the definition, Σ p(x,y) ln(p(x,y) / (p(x) p(y))).
fn information(variants: &[usize], of: &[usize], missing: &str) -> f64 {
    // As a level, what is missing is a value like another, that of the status too.
    let has = |sample: &usize| {
        missing == "level"
            || *sample != 17 && of.iter().all(|variant| alleles(*sample, *variant) != 3)
    };
    let mut together = HashMap::new();
    for sample in (0..SAMPLES).filter(has) {
        let x: Vec<usize> = variants
            .iter()
            .map(|variant| alleles(sample, *variant))
            .collect();
        *together.entry((x, phenotype(sample, false))).or_insert(0.0) += 1.0;
    }
    let (mut each_x, mut each_y, mut n) = (HashMap::new(), HashMap::new(), 0.0);
    for ((x, y), count) in &together {
        *each_x.entry(x).or_insert(0.0) += count;
        *each_y.entry(y).or_insert(0.0) += count;
        n += count;
    }
    let cell = |((x, y), count): (&(Vec<usize>, String), &f64)| {
        count / n * (count * n / (each_x[x] * each_y[y])).ln()
    };
    together.iter().map(cell).sum()
}

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    let ran = folder.run(&[arguments, &["--format", "json"]].concat());
    assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

/// A score is a few dozen terms, each of them rounded near its 16th digit, here and there.
fn assert_near(found: &Value, counted: f64, what: &str) {
    let found = found.as_f64().unwrap();
    assert!(
        (found - counted).abs() < 1e-12,
        "{what}: {found}, counted {counted}"
    );
}

#[test]
fn missing_genotypes_are_a_level_or_left_out_pair_by_pair_as_counted_by_hand() {
    let folder = folder(false);
    let place = |name: &Value| name.as_str().unwrap()[2..].parse::<usize>().unwrap();
    let mut of_both = Vec::new();
    for missing in ["level", "pairwise"] {
        let rest = ["--missing", missing, "--top", "36"];
        for score in ["mi3", "synergy"] {
            let report = json(
                &folder,
                &[&["pairs", "d.bed", "--score", score], &rest[..]].concat(),
            );
            let single = report["single"].as_array().unwrap();
            assert_eq!(single.len(), VARIANTS);
            for variant in single {
                let x = [place(&variant["name"])];
                assert_near(&variant["score"], information(&x, &x, missing), missing);
            }
            let pairs = report["pairs"].as_array().unwrap();
            assert_eq!(pairs.len(), VARIANTS * (VARIANTS - 1) / 2);
            for pair in pairs {
                let both = [place(&pair["a"]), place(&pair["b"])];
                let joint = information(&both, &both, missing);
                let alone = both.map(|x| information(&[x], &both, missing));
                let synergy = joint - alone[0] - alone[1];
                let counted = if score == "mi3" { joint } else { synergy };
                assert_near(&pair["score"], counted, &format!("{missing} {score}"));
                assert_near(&pair["synergy"], synergy, missing);
            }
            let scores: Vec<f64> = pairs
                .iter()
                .map(|pair| pair["score"].as_f64().unwrap())
                .collect();
            assert!(scores.is_sorted_by(|a, b| a >= b), "the best first");
            of_both.push(scores);
        }

        // Every step of jmi, judged for all candidates: the sum of I((x,w);y) over the chosen w.
        let rest = ["--missing", missing, "--top", "5"];
        let report = json(
            &folder,
            &[&["select", "d.bed", "--method", "jmi"], &rest[..]].concat(),
        );
        let mut chosen: Vec<usize> = Vec::new();
        for variant in report["selected"].as_array().unwrap() {
            let score = |x: usize| -> f64 {
                let pairs = chosen.iter().map(|w| [x, *w]);
                match chosen.is_empty() {
                    true => information(&[x], &[x], missing),
                    false => pairs.map(|pair| information(&pair, &pair, missing)).sum(),
                }
            };
            let left = (0..VARIANTS).filter(|x| !chosen.contains(x));
            let best = left.map(score).fold(f64::MIN, f64::max);
            let picked = place(&variant["name"]);
            assert_near(&variant["score"], best, &format!("{missing}, the best"));
            assert_near(
                &variant["score"],
                score(picked),
                &format!("{missing}, its own"),
            );
            let relevance = information(&[picked], &[picked], missing);
            assert_near(&variant["relevance"], relevance, missing);
            chosen.push(picked);
        }
        assert_eq!(chosen.len(), 5);
    }
    assert_ne!(of_both[0], of_both[2], "the two ways differ");
}

/// What README.md and docs/epistasis.md show.
#[test]
fn the_pair_that_acts_together_is_found_where_no_variant_acts_alone() {
    let folder = Folder::new();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/epistasis.bed");
    for missing in ["level", "pairwise"] {
        for score in ["mi3", "synergy"] {
            let options = ["--score", score, "--missing", missing, "--top", "2"];
            for response in [&[][..], &["--response", "phenotype"]] {
                let report = json(
                    &folder,
                    &[&["pairs", data], &options[..], response].concat(),
                );
                let pairs = report["pairs"].as_array().unwrap();
                assert_eq!(
                    (&pairs[0]["a"], &pairs[0]["b"]),
                    (&"snp46".into(), &"snp162".into())
                );
                // By far: no other pair has half of it.
                let [first, second] = [0, 1].map(|at| pairs[at]["score"].as_f64().unwrap());
                assert!(
                    first > 2.0 * second,
                    "{missing} {score}: {first}, then {second}"
                );
                // Alone, most variants tell more than either.
                let single = report["single"].as_array().unwrap();
                let alone = |at: usize| single[at]["score"].as_f64().unwrap();
                for planted in [46, 162] {
                    let better =
                        (0..single.len()).filter(|variant| alone(*variant) > alone(planted));
                    assert!(better.count() >= 100, "{missing}: {planted}");
                }
            }
        }
    }
    // Dropped rows leave 68 of 500 people, and chance finds better pairs.
    let report = json(
        &folder,
        &[
            "pairs",
            data,
            "--missing",
            "drop-rows",
            "--score",
            "synergy",
        ],
    );
    assert_eq!(report["n"], 68);
    assert_ne!(report["pairs"][0]["a"], "snp46");
}

/// A refusal of one line that tells each of these.
fn refused(folder: &Folder, arguments: &[&str], told: &[&str]) {
    let before = folder.names();
    let ran = folder.run(arguments);
    assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{}", ran.stderr);
    assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "one error: {}", ran.stderr);
    for part in told {
        assert!(ran.stderr.contains(part), "no {part:?} in {}", ran.stderr);
    }
    assert_eq!(folder.names(), before, "nothing is written");
}

#[test]
fn missing_values_are_refused_unless_told() {
    let told = [
        "d.bed",
        "`phenotype` 1 (first in row 18)",
        "--missing drop-rows",
    ];
    let refuse = ["select", "d.bed", "--missing", "refuse"];
    refused(&folder(true), &refuse, &told);
}

#[test]
fn files_that_are_wrong() {
    let select = [
        "select",
        "d.bed",
        "--missing",
        "drop-rows",
        "--output",
        "out.json",
    ];
    let change = |name: &str, content: &[u8], told: &[&str]| {
        let folder = folder(true);
        fs::write(folder.path(name), content).unwrap();
        refused(&folder, &select, told);
    };
    let whole = fs::read(folder(true).path("d.bed")).unwrap();
    let size = whole.len();
    change(
        "d.bed",
        &whole[..40],
        &["d.bed", "byte 40", "`rs2`", "write"],
    );
    let longer = [&whole[..], &[0]].concat();
    change(
        "d.bed",
        &longer,
        &["d.bed", &format!("byte {size}"), "write"],
    );
    change("d.bed", b"chr1\t5\t9\n", &["d.bed", "--make-bed"]);
    change("d.bed", &[0x6c, 0x1b, 0, 1], &["d.bed", "--make-bed"]);
    change(
        "d.bim",
        b"1 rs1 0\n",
        &["d.bim", "line 1", "3 fields", "mend"],
    );
    change(
        "d.fam",
        b"f 1 0 0 1 ill\n",
        &["d.fam", "line 1", "ill", "mend"],
    );
    for absent in ["d.bim", "d.fam"] {
        let folder = folder(true);
        fs::remove_file(folder.path(absent)).unwrap();
        refused(&folder, &select, &[absent, "no such file", "d.bed"]);
    }
}

#[test]
fn none_of_the_three_is_written_over() {
    let folder = folder(true);
    for name in ["d.bed", "d.bim", "d.fam"] {
        let before = fs::read(folder.path(name)).unwrap();
        for option in ["--output", "--trace"] {
            refused(
                &folder,
                &["select", "d.bed", option, name],
                &["the data", name],
            );
        }
        refused(
            &folder,
            &["pairs", "d.bed", "--output", name],
            &["the data", name],
        );
        let job = format!(
            "[[job]]\ndata = \"d.bed\"\n[[job]]\ndata = \"d.csv\"\nresponse = \"phenotype\"\noutput = \"{name}\"\n"
        );
        folder.write("jobs.toml", &job);
        let ran = folder.run(&["run", "jobs.toml"]);
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.contains("job 1 reads"), "{}", ran.stderr);
        assert_eq!(fs::read(folder.path(name)).unwrap(), before);
    }
}
