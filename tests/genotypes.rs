//! The program on files of PLINK 1: what it finds in the same numbers as CSV, and what it tells
//! of files that are wrong.

#![allow(clippy::unwrap_used)]

#[path = "support/program.rs"]
mod support;

use std::fs;

use support::Folder;

const SAMPLES: usize = 61;
const VARIANTS: usize = 9;

/// Alleles A1 of a variant; 3 where they are missing.
fn alleles(sample: usize, variant: usize) -> usize {
    match (sample * 7 + variant * 13) % 41 {
        0 => 3,
        it => (it * it + sample * (variant + 2) + sample / 5) % 3,
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
    let fam: String = lines.map(|(i, it)| format!("f {i} 0 0 1 {it}\n")).collect();
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
    refused(&folder(true), &["select", "d.bed"], &told);
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
