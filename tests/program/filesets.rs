//! Genotypes of PLINK 2, and those of several files.

use std::fs;
use std::path::Path;

use crate::cohorts::{BESIDE, PEOPLE, VARIANTS, bed, folder, json, names};
use crate::support::Folder;
use serde_json::Value;

/// A folder with the files that `tests/table/pgen.py` wrote under this name.
fn of_plink(name: &str) -> Folder {
    let folder = Folder::new();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/table/pgen");
    for ending in ["pgen", "pvar", "psam", "bed", "bim", "fam", "raw"] {
        let file = format!("{name}.{ending}");
        if let Ok(bytes) = fs::read(from.join(&file)) {
            fs::write(folder.path(&file), bytes).unwrap();
        }
    }
    folder
}

fn selected(folder: &Folder, arguments: &[&str]) -> Value {
    let ran = folder.run(&[&["select", "--format", "json"][..], arguments].concat());
    assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

/// What two reports of one model have in common, whatever the files are called.
fn model(report: &Value) -> Value {
    let parts = [
        "selected",
        "set_aside",
        "rss",
        "models",
        "front",
        "certified",
    ];
    let of = |name: &&str| (name.to_string(), report[*name].clone());
    Value::Object(parts.iter().map(of).collect())
}

#[test]
fn a_pgen_gives_the_selection_of_its_bed() {
    let folder = of_plink("hard");
    folder.write("some", "rs1\nrs2\nrs7\nrs9\nrs31\nrs41\n");
    folder.write("people", "s3\ns5\n");
    for options in [
        &[][..],
        &["--maf", "0.05", "--max-missing", "0.3"],
        &["--extract", "some", "--remove", "people"],
        &["--chromosome", "2", "--encode", "recessive"],
        &["--phenotype", "hard.psam:height"],
    ] {
        let options = [&["--criterion", "aic", "--max-size", "5"], options].concat();
        let of = |data: &'static str| selected(&folder, &[&[data][..], &options].concat());
        let (pgen, bed) = (of("hard.pgen"), of("hard.bed"));
        assert!(!names(&pgen["selected"]).is_empty(), "{options:?}");
        assert_eq!(model(&pgen), model(&bed), "{options:?}");
    }
    let case = [
        "hard.pgen",
        "--response",
        "case",
        "--family",
        "binomial",
        "--max-size",
        "2",
    ];
    let report = selected(&folder, &[&case[..], &["--success", "2"]].concat());
    assert_eq!(report["response"], "case");
}

/// A report without what differs from file to file or from run to run.
/// Genotypes in a file of a folder give the report of those in memory, to the last bit.
#[test]
fn genotypes_in_a_file_are_those_in_memory() {
    let folder = of_plink("hard");
    folder.write("people", "s3\ns5\n");
    for (data, options) in [
        ("hard.bed", &[][..]),
        ("hard.bed", &["--maf", "0.05", "--remove", "people"]),
        ("hard.pgen", &["--encode", "dominant"]),
        (
            "hard.pgen",
            &[
                "--phenotype",
                "hard.psam:height",
                "--infer",
                "split:splits=5",
            ],
        ),
    ] {
        let options = [&[data, "--criterion", "aic", "--max-size", "5"], options].concat();
        let of = |more: &[&str]| {
            let mut report = selected(&folder, &[&options[..], more].concat());
            for differs in ["elapsed_seconds", "options", "seconds"] {
                report.as_object_mut().unwrap().remove(differs);
            }
            report
        };
        assert_eq!(of(&["--scratch", "."]), of(&[]), "{data} {options:?}");
    }
    folder.write("plain.csv", "a,y\n1,2\n3,5\n4,4\n");
    for (options, told) in [
        (
            ["hard.bed", "--scratch", "none"],
            "none: 3.8 KiB of genotypes cannot be held in a file of this folder: ",
        ),
        (
            ["plain.csv", "--scratch", "."],
            "--scratch is for genotypes, .bed or .pgen",
        ),
    ] {
        let ran = folder.run(&[&["select"][..], &options].concat());
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{}", ran.stderr);
        assert!(ran.stderr.contains(told), "{}", ran.stderr);
    }
}

fn without_names(mut report: Value, data: &str) -> Value {
    for name in ["data", "elapsed_seconds"] {
        report.as_object_mut().unwrap().remove(name);
    }
    let stem = data.rsplit_once('.').unwrap().0;
    let text = report.to_string();
    for beside in [["pvar", "bim"], ["psam", "fam"], ["pgen", "bed"]] {
        for ending in beside {
            assert!(!text.contains(&format!("{stem}.{ending}")), "{text}");
        }
    }
    report
}

#[test]
fn one_table_of_phenotypes_gives_a_pgen_the_report_of_its_bed() {
    let folder = of_plink("hard");
    let fam = fs::read_to_string(folder.path("hard.fam")).unwrap();
    let ids = fam
        .lines()
        .map(|line| line.split_whitespace().nth(1).unwrap());
    let values = ids.enumerate().map(|(at, id)| {
        let value = ((at * 37 % 101) as f64).sqrt();
        format!("{id} {value}\n")
    });
    folder.write(
        "y.txt",
        &("IID y\n".to_owned() + &values.collect::<String>()),
    );
    let of = |data: &'static str| {
        let asked = [
            data,
            "--phenotype",
            "y.txt:y",
            "--criterion",
            "aic",
            "--max-size",
            "5",
        ];
        without_names(selected(&folder, &asked), data)
    };
    let (pgen, bed) = (of("hard.pgen"), of("hard.bed"));
    assert_eq!(names(&bed["selected"]).len(), 5);
    assert_eq!(pgen, bed);
}

#[test]
#[ignore = "needs plink2"]
fn a_pgen_that_plink_makes_of_linked_variants_gives_the_report_of_its_bed() {
    let folder = Folder::new();
    let made = [
        "--n",
        "400",
        "--p",
        "800",
        "--rho",
        "0.95",
        "--missing",
        "0.01",
    ];
    let ran = folder.run(&[&["simulate", "genotypes", "--output", "d.bed"][..], &made].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    folder.plink2("d", &["--make-pgen"]);
    let fam = fs::read_to_string(folder.path("d.fam")).unwrap();
    let rows = fam.lines().map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        format!("{} {} {}\n", fields[0], fields[1], fields[5])
    });
    folder.write(
        "y.txt",
        &("FID IID y\n".to_owned() + &rows.collect::<String>()),
    );
    let of = |data: &'static str| {
        let asked = [data, "--phenotype", "y.txt:y", "--criterion", "bic"];
        without_names(selected(&folder, &asked), data)
    };
    let (pgen, bed) = (of("judge.pgen"), of("d.bed"));
    assert!(!names(&bed["selected"]).is_empty());
    assert_eq!(pgen, bed);
    // PLINK writes six digits of a phenotype.
    let rss = |data: &'static str| selected(&folder, &[data, "--criterion", "bic"])["rss"].clone();
    let [written, own] = [rss("judge.pgen"), rss("d.bed")].map(|rss| rss.as_f64().unwrap());
    assert!(
        written != own && (written / own - 1.0).abs() < 1e-4,
        "{written} {own}"
    );
}

#[test]
fn dosages_are_columns_of_numbers() {
    let folder = of_plink("dosages");
    folder.write(
        "y",
        &(0..67).fold("IID y\n".to_owned(), |all, at| {
            all + &format!("s{at} {}\n", at * 37 % 23)
        }),
    );
    let options = [
        "dosages.pgen",
        "--phenotype",
        "y:y",
        "--criterion",
        "aic",
        "--max-size",
        "3",
    ];
    let report = selected(&folder, &options);
    assert_eq!(names(&report["selected"]).len(), 3);
    for own in report["selected"].as_array().unwrap() {
        let variant = &own["variant"];
        assert_eq!(
            (&variant["counted_allele"], &variant["other_allele"]),
            (&"C".into(), &"A".into())
        );
        // By PLINK's own table of dosages: its people stand in the order of these.
        let raw = fs::read_to_string(folder.path("dosages.raw")).unwrap();
        let mut lines = raw.lines().map(|line| line.split('\t'));
        let header = format!("{}_C", own["name"].as_str().unwrap());
        let at = lines
            .next()
            .unwrap()
            .position(|name| name == header)
            .unwrap();
        let values: Vec<f64> = lines
            .filter_map(|mut line| line.nth(at)?.parse().ok())
            .collect();
        let frequency = values.iter().sum::<f64>() / values.len() as f64 / 2.0;
        let found = variant["frequency"].as_f64().unwrap();
        assert!((found - frequency).abs() < 1e-4, "{found} {frequency}");
        assert_eq!(variant["missing"], 67 - values.len());
    }
    // Of dosages that are rounded to genotypes another model is chosen, or another fit.
    let dominant = selected(&folder, &[&options[..], &["--encode", "dominant"]].concat());
    assert_ne!(report["rss"], dominant["rss"]);
}

/// `one` and `two`, which have the variants of `d` before and from the sixth on.
fn halves() -> Folder {
    let folder = folder();
    let people: Vec<usize> = (0..PEOPLE).collect();
    let bim = fs::read_to_string(folder.path("d.bim")).unwrap();
    let lines: Vec<&str> = bim.split_inclusive('\n').collect();
    let fam = fs::read_to_string(folder.path("d.fam")).unwrap();
    for (name, range) in [("one", 0..6), ("two", 6..VARIANTS)] {
        folder.write(&format!("{name}.bim"), &lines[range.clone()].concat());
        folder.write(&format!("{name}.fam"), &fam);
        let variants: Vec<usize> = range.collect();
        fs::write(folder.path(&format!("{name}.bed")), bed(&people, &variants)).unwrap();
    }
    folder
}

#[test]
fn several_files_are_read_as_one() {
    let folder = halves();
    for options in [
        &[][..],
        &["--covariates", "cov.csv"],
        &["--maf", "0.1", "--max-missing", "0.5"],
        &["--extract", "want.snps", "--keep-people", "some.txt"],
        &["--range", "2:600-900"],
        &["--chromosome", "1,2", "--exclude", "want.snps"],
    ] {
        let options = [&BESIDE[..2], options].concat();
        let merged = [&["one.bed", "--merge", "two.bed"][..], &options].concat();
        let (whole, merged) = (json(&folder, &options), selected(&folder, &merged));
        assert_eq!(model(&merged), model(&whole), "{options:?}");
    }
    fs::create_dir(folder.path("jobs")).unwrap();
    folder.write(
        "jobs/jobs.toml",
        "[defaults]\nmerge = [\"../two.bed\"]\n[[job]]\nname = \"m\"\ndata = \"../one.bed\"\nphenotype = \"../pheno.txt:Y1\"\n\
         format = \"json\"\n",
    );
    let ran = folder.run(&["run", "jobs/jobs.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    // A file of another form, with its own ids.
    let folder = of_plink("hard");
    for ending in ["pgen", "pvar", "psam"] {
        let bytes = fs::read(folder.path(&format!("hard.{ending}"))).unwrap();
        let text = String::from_utf8_lossy(&bytes).replace("\trs", "\tother");
        let bytes = if ending == "pvar" {
            text.into_bytes()
        } else {
            bytes
        };
        fs::write(folder.path(&format!("other.{ending}")), bytes).unwrap();
    }
    let report = selected(
        &folder,
        &["hard.bed", "--merge", "other.pgen", "--max-size", "2"],
    );
    // Variants of the second file are copies of those of the first.
    let aside = report["set_aside"].as_array().unwrap();
    assert!(
        aside
            .iter()
            .any(|own| own["name"] == "other0" && own["copy_of"] == "rs0")
    );
}

#[test]
fn what_is_wrong_with_several_files_is_told() {
    let refused = |change: &dyn Fn(&Folder), merged: &str, told: &[&str]| {
        let folder = halves();
        change(&folder);
        let ran = folder.run(&[
            "select",
            "one.bed",
            "--phenotype",
            "pheno.txt:Y1",
            "--merge",
            merged,
        ]);
        assert_eq!(
            (ran.code, &*ran.stdout),
            (Some(2), ""),
            "{merged} {}",
            ran.stderr
        );
        for part in told {
            assert!(ran.stderr.contains(part), "no {part:?} in {}", ran.stderr);
        }
    };
    let none = |_: &Folder| {};
    let edit = |name: &'static str, from: &'static str, to: &'static str| {
        move |folder: &Folder| {
            let text = fs::read_to_string(folder.path(name)).unwrap();
            folder.write(name, &text.replace(from, to));
        }
    };
    let same = ["one.bim", "line 1", "two variants at 1:0"];
    refused(&none, "one.bed", &same);
    refused(&none, "three.bed", &["no such file"]);
    refused(
        &none,
        "pheno.txt",
        &["pheno.txt: --merge is for genotypes, .bed or .pgen"],
    );
    refused(
        &edit("two.fam", "f7 p7 ", "f7 px "),
        "two.bed",
        &[
            "two.fam: line 8 is of the person `f7 px`, where ",
            "one.fam has `f7 p7`",
            "--indiv-sort",
        ],
    );
    refused(
        &edit("two.fam", "f59 p59 0 0 1 -9\n", ""),
        "two.bed",
        &["two.fam: has 59 people, and ", "one.fam has 60"],
    );
    let folder = halves();
    folder.write("d.csv", "y,a\n1,2\n2,3\n3,1\n4,4\n");
    let ran = folder.run(&["select", "d.csv", "--response", "y", "--merge", "two.bed"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr
            .contains("--merge is for genotypes, .bed or .pgen, and this is .csv"),
        "{}",
        ran.stderr
    );
    let ran = folder.run(&[
        "select", "one.bed", "--merge", "two.bed", "--output", "two.bim",
    ]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
}
