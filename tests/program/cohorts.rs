//! Genotypes with tables beside them: who is used, which variants, and what is told of bad files.

use std::fs;

use crate::support::Folder;
use serde_json::Value;

const PEOPLE: usize = 60;
const VARIANTS: usize = 12;

/// Copies of the counted allele; 3 where they are missing.
fn copies(person: usize, variant: usize) -> usize {
    match (variant, (person * 7 + variant * 13) % 31) {
        // Nobody varies, nobody is known, few have a copy.
        (9, _) => 0,
        (10, _) => 3,
        (11, _) => usize::from(person < 2),
        (_, 0) => 3,
        (_, rest) => (rest * rest + person * (variant + 2) + person / 5) % 3,
    }
}

fn known(person: usize, variant: usize) -> f64 {
    match copies(person, variant) {
        3 => 1.0,
        known => known as f64,
    }
}

/// A trait of two variants, age and chance.
fn trait_of(person: usize) -> f64 {
    let chance = (person * 37 % 11) as f64 / 10.0;
    known(person, 2) - 0.8 * known(person, 5) + age(person) / 20.0 + chance
}

fn age(person: usize) -> f64 {
    (20 + person * 17 % 50) as f64
}

fn bed(people: &[usize], variants: &[usize]) -> Vec<u8> {
    let mut bed = vec![0x6c, 0x1b, 0x01];
    for variant in variants {
        for four in people.chunks(4) {
            let codes = four
                .iter()
                .map(|person| [0b11, 0b10, 0b00, 0b01][copies(*person, *variant)]);
            bed.push(
                codes
                    .enumerate()
                    .fold(0, |byte, (at, code)| byte | code << (2 * at)),
            );
        }
    }
    bed
}

/// The three files, phenotypes in another order, covariates and lists.
fn folder() -> Folder {
    let folder = Folder::new();
    let (people, variants) = (Vec::from_iter(0..PEOPLE), Vec::from_iter(0..VARIANTS));
    fs::write(folder.path("d.bed"), bed(&people, &variants)).unwrap();
    let chromosome = |j: usize| if j < 6 { "1" } else { "chr2" };
    let bim = variants
        .iter()
        .map(|j| format!("{}\trs{j}\t0\t{}\tA\tG\n", chromosome(*j), 100 * j));
    folder.write("d.bim", &bim.collect::<String>());
    let fam = people.iter().map(|i| format!("f{i} p{i} 0 0 1 -9\n"));
    folder.write("d.fam", &fam.collect::<String>());
    let mut phenotypes = "#FID IID Y1 Y2\n".to_owned();
    let mut covariates = "IID,age,site\n".to_owned();
    for i in people.iter().rev() {
        let own = match i {
            4 => "NA".to_owned(),
            5 => "-9".to_owned(),
            i => trait_of(*i).to_string(),
        };
        if *i != 3 {
            phenotypes += &format!("f{i} p{i} {own} {}\n", u8::from(i % 3 == 0));
        }
        let site = ["north", "south"][i % 2];
        match i {
            6 => covariates += &format!("p{i},,{site}\n"),
            i => covariates += &format!("p{i},{},{site}\n", age(*i)),
        }
    }
    phenotypes += "elsewhere nobody 1 1\n";
    folder.write("pheno.txt", &phenotypes);
    folder.write("cov.csv", &covariates);
    folder.write(
        "some.txt",
        &people[..50]
            .iter()
            .map(|i| format!("f{i} p{i}\n"))
            .collect::<String>(),
    );
    folder.write("not.txt", "IID\np0\np1\n");
    folder.write("want.snps", "rs1 any\nrs2\nrs5\nrs7\nrs99\n");
    folder
}

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    let ran = folder.run(&[&["select", "d.bed", "--format", "json"][..], arguments].concat());
    assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

fn names(values: &Value) -> Vec<&str> {
    let values = values.as_array().unwrap();
    values
        .iter()
        .map(|own| own["name"].as_str().unwrap())
        .collect()
}

const BESIDE: [&str; 4] = ["--phenotype", "pheno.txt:Y1", "--covariates", "cov.csv"];

#[test]
fn people_are_found_by_id_and_those_who_lack_something_are_told() {
    let folder = folder();
    let report = json(&folder, &BESIDE);
    // p3 is not there, p4 and p5 have no value, p6 no age.
    assert_eq!(report["n"], PEOPLE - 4);
    assert_eq!(report["response"], "Y1");
    assert_eq!(report["kept"], serde_json::json!(["age", "site=south"]));
    let warnings = report["warnings"].to_string();
    let told = "4 of 60 people were left out: 1 not in pheno.txt, 2 without a value of Y1, 1 without a value of a \
                covariate in cov.csv";
    assert!(warnings.contains(told), "{warnings}");
    let missing = (0..PEOPLE).filter(|i| !(3..=6).contains(i));
    let missing = missing.flat_map(|i| (0..VARIANTS).map(move |j| (i, j)));
    let count = missing.filter(|(i, j)| copies(*i, *j) == 3).count();
    assert!(
        warnings.contains(&format!("{count} missing values were replaced by the mean")),
        "{warnings}"
    );
    let aside = report["set_aside"].as_array().unwrap();
    let reasons: Vec<_> = aside
        .iter()
        .map(|own| (&own["name"], &own["reason"]))
        .collect();
    assert_eq!(
        reasons,
        [
            (&"rs9".into(), &"constant".into()),
            (&"rs10".into(), &"missing in every row".into())
        ]
    );
    let chosen = names(&report["selected"]);
    assert!(
        chosen.contains(&"rs2") && chosen.contains(&"rs5"),
        "{chosen:?}"
    );
    let variant = report["selected"]
        .as_array()
        .unwrap()
        .iter()
        .find(|own| own["name"] == "rs2");
    let variant = &variant.unwrap()["variant"];
    let facts =
        ["chromosome", "position", "counted_allele", "other_allele"].map(|name| &variant[name]);
    assert_eq!(
        serde_json::json!(facts),
        serde_json::json!(["1", 200, "A", "G"])
    );
}

/// The same numbers as a table without genotypes give, whose missing values were replaced by hand.
#[test]
fn the_model_is_that_of_a_table_of_the_same_people() {
    let folder = folder();
    let report = json(&folder, &BESIDE);
    let people: Vec<usize> = (0..PEOPLE).filter(|i| !(3..=6).contains(i)).collect();
    let mut csv = "Y1,age,site".to_owned();
    (0..VARIANTS).for_each(|j| csv += &format!(",rs{j}"));
    for i in &people {
        csv += &format!(
            "\n{},{},{}",
            trait_of(*i),
            age(*i),
            ["north", "south"][i % 2]
        );
        for j in 0..VARIANTS {
            let all = people.iter().map(|i| copies(*i, j)).filter(|own| *own < 3);
            let (count, sum) = all.fold((0, 0), |(count, sum), own| (count + 1, sum + own));
            csv += &match copies(*i, j) {
                3 if count > 0 => format!(",{}", f64::from(sum as u32) / f64::from(count)),
                3 => ",0".to_owned(),
                own => format!(",{own}"),
            };
        }
    }
    folder.write("d.csv", &csv);
    let ran = folder.run(&[
        "select",
        "d.csv",
        "--response",
        "Y1",
        "--keep",
        "age,site",
        "--format",
        "json",
    ]);
    let expected: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    assert_eq!(names(&report["selected"]), names(&expected["selected"]));
    let near = |a: &Value, b: &Value| {
        let [a, b] = [a, b].map(|own| own.as_f64().unwrap());
        assert!((a - b).abs() <= 1e-9 * a.abs().max(1.0), "{a} {b}");
    };
    near(
        &report["criterion"]["value"],
        &expected["criterion"]["value"],
    );
    let both = report["selected"]
        .as_array()
        .unwrap()
        .iter()
        .zip(expected["selected"].as_array().unwrap());
    for (own, other) in both {
        near(&own["coefficient"], &other["coefficient"]);
        near(&own["std_error"], &other["std_error"]);
    }
}

#[test]
fn variants_and_people_are_chosen_by_options() {
    let folder = folder();
    let p = |arguments: &[&str]| {
        let report = json(&folder, &[&BESIDE[..2], arguments].concat());
        (report["p"].as_u64().unwrap(), report["n"].as_u64().unwrap())
    };
    // Ten vary.
    assert_eq!(p(&[]), (10, 57));
    assert_eq!(p(&["--chromosome", "2"]), (4, 57));
    assert_eq!(p(&["--chromosome", "chr1"]), (6, 57));
    assert_eq!(p(&["--chromosome", "1,2", "--range", "2:600-800"]), (3, 57));
    assert_eq!(p(&["--extract", "want.snps"]), (4, 57));
    assert_eq!(p(&["--exclude", "want.snps"]), (6, 57));
    assert_eq!(p(&["--maf", "0.1"]), (9, 57));
    assert_eq!(p(&["--max-missing", "0.5"]), (10, 57));
    assert_eq!(p(&["--keep-people", "some.txt"]), (10, 47));
    // Of those who alone have a copy of rs11 none is left.
    assert_eq!(p(&["--remove", "not.txt"]), (9, 55));
    assert_eq!(
        p(&["--keep-people", "some.txt", "--remove", "not.txt"]),
        (9, 45)
    );
    // Who has a copy, and who has two.
    let of = |encoding: &str| {
        let report = json(
            &folder,
            &[
                &BESIDE[..2],
                &["--encode", encoding, "--keep", "rs2", "--max-size", "1"],
            ]
            .concat(),
        );
        report["selected"][0]["variant"]["frequency"]
            .as_f64()
            .unwrap()
    };
    let used = || (0..PEOPLE).filter(|i| !(3..=5).contains(i) && copies(*i, 2) < 3);
    let share = |least: usize| {
        used().filter(|i| copies(*i, 2) >= least).count() as f64 / used().count() as f64
    };
    assert!((of("dominant") - share(1) / 2.0).abs() < 1e-12);
    assert!((of("recessive") - share(2) / 2.0).abs() < 1e-12);
    assert!((of("additive") - (share(1) + share(2)) / 2.0).abs() < 1e-12);
}

#[test]
fn several_phenotypes_get_a_model_each_and_job_files_have_the_options() {
    let folder = folder();
    let report = json(
        &folder,
        &[
            "--phenotype",
            "pheno.txt:Y1,Y2",
            "--covariates",
            "cov.csv:age",
        ],
    );
    assert_eq!(report["responses"].as_array().unwrap().len(), 2);
    folder.write(
        "jobs.toml",
        "[defaults]\ncovariates = \"cov.csv\"\nmaf = 0.05\n\n[[job]]\nname = \"one\"\ndata = \"d.bed\"\nphenotype = \"pheno.txt:Y1\"\n\n\
         [[job]]\nname = \"events\"\ndata = \"d.bed\"\nphenotype = \"pheno.txt:Y2\"\nfamily = \"binomial\"\nmax-size = 3\n",
    );
    let ran = folder.run(&["run", "jobs.toml", "--output", "out"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    // A table that changed makes the results of before old.
    let again = folder.run(&["run", "jobs.toml", "--output", "out", "--progress", "plain"]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    let text = fs::read_to_string(folder.path("cov.csv")).unwrap();
    folder.write("cov.csv", &text.replace("p7,", "p7,1"));
    let check = folder.run(&["run", "jobs.toml", "--output", "out", "--check"]);
    assert!(
        format!("{}{}", check.stdout, check.stderr).contains('2'),
        "{}",
        check.stdout
    );
}

#[test]
fn covariates_of_any_kind_leave_genotypes_at_two_bits() {
    let folder = folder();
    let mut covariates = "FID IID site\n".to_owned();
    (0..PEOPLE).for_each(|i| {
        covariates += &format!("f{i} p{i} {}\n", ["north", "south", "west"][i % 3]);
    });
    folder.write("sites.txt", &covariates);
    let text = fs::read_to_string(folder.path("pheno.txt")).unwrap();
    let weighted = text
        .replace("Y2\n", "Y2 w\n")
        .replace(" 1\n", " 1 2\n")
        .replace(" 0\n", " 0 1\n");
    folder.write("weighted.txt", &weighted);
    for (more, kept) in [
        (&[][..], 2),
        (&["--no-intercept"], 3),
        (&["--weights", "w"], 2),
    ] {
        let own = [
            "--phenotype",
            "weighted.txt:Y1",
            "--covariates",
            "sites.txt",
        ];
        let report = json(&folder, &[&own, more].concat());
        let selected = report["selected"].as_array().unwrap();
        assert!(
            selected.iter().any(|own| own["variant"].is_object()),
            "{more:?}"
        );
        assert_eq!(report["kept"].as_array().unwrap().len(), kept, "{more:?}");
    }
    // Levels without order have columns of their own.
    json(
        &folder,
        &[
            "--phenotype",
            "pheno.txt:Y2",
            "--family",
            "multinomial",
            "--max-size",
            "2",
        ],
    );
    // One table of both, whose phenotype is no covariate.
    let report = json(
        &folder,
        &["--phenotype", "pheno.txt:Y1", "--covariates", "pheno.txt"],
    );
    assert_eq!(report["kept"], serde_json::json!(["Y2"]));
}

#[test]
fn copies_of_a_variant_are_its_twins() {
    let folder = Folder::new();
    let people = Vec::from_iter(0..PEOPLE);
    // The third has the alleles of the first exchanged, and the second is the same.
    let mut bed = bed(&people, &[2, 2, 2, 5]);
    let stride = PEOPLE.div_ceil(4);
    for byte in &mut bed[3 + 2 * stride..][..stride] {
        let both = |byte: u8| (byte >> 1 & 0x55, byte & 0x55);
        let (upper, lower) = both(*byte);
        let known = !(upper ^ lower) & 0x55;
        *byte ^= known | known << 1;
    }
    fs::write(folder.path("d.bed"), bed).unwrap();
    folder.write(
        "d.bim",
        "1 a 0 1 A G\n1 b 0 2 A G\n1 c 0 3 A G\n1 d 0 4 A G\n",
    );
    let fam = people
        .iter()
        .map(|i| format!("f{i} p{i} 0 0 1 {}\n", trait_of(*i)));
    folder.write("d.fam", &fam.collect::<String>());
    let report = json(&folder, &[]);
    assert_eq!(report["p"], 2);
    assert_eq!(
        report["selected"][0]["variant"]["twins"],
        serde_json::json!(["b", "c"])
    );
    let reasons = report["set_aside"].to_string();
    assert!(
        reasons.contains("duplicate of a, with the alleles exchanged"),
        "{reasons}"
    );
}

#[test]
fn what_is_wrong_is_told_with_its_mend() {
    let refused = |change: &dyn Fn(&Folder), arguments: &[&str], told: &[&str]| {
        let folder = folder();
        change(&folder);
        let ran = folder.run(&[&["select", "d.bed"][..], arguments].concat());
        assert_eq!(
            (ran.code, &*ran.stdout),
            (Some(2), ""),
            "{arguments:?} {}",
            ran.stderr
        );
        for part in told {
            assert!(ran.stderr.contains(part), "no {part:?} in {}", ran.stderr);
        }
    };
    let none = |_: &Folder| {};
    let write = |name: &'static str, text: &'static str| {
        move |folder: &Folder| {
            folder.write(name, text);
        }
    };
    refused(
        &none,
        &["--phenotype", "pheno.txt"],
        &["pheno.txt", "Y1, Y2", "pheno.txt:Y1"],
    );
    refused(
        &none,
        &["--phenotype", "pheno.txt:Y3"],
        &["pheno.txt", "`Y3`", "Y1"],
    );
    refused(&none, &["--phenotype", "none.txt:Y1"], &["none.txt"]);
    let of = |text| write("p.txt", text);
    refused(
        &of("A B\n1 2\n"),
        &["--phenotype", "p.txt"],
        &["p.txt", "A, B", "FID and IID"],
    );
    refused(
        &of("FID IID Y\nx y 1\nz y 2\n"),
        &["--phenotype", "p.txt"],
        &["p.txt", "none of its people", "x y", "f0 p0"],
    );
    refused(
        &of("IID Y\np1 1\np2 2\np1 3\n"),
        &["--phenotype", "p.txt"],
        &["p.txt", "rows 1 and 3", "`p1`"],
    );
    refused(
        &of("IID\np1\np2\n"),
        &["--phenotype", "p.txt"],
        &["p.txt", "no other column"],
    );
    refused(
        &of("IID Y\np1 NA\np2 -9\n"),
        &["--phenotype", "p.txt"],
        &["nobody is left", "without a value of Y"],
    );
    let mut same = "IID Y\n".to_owned();
    (0..PEOPLE).for_each(|i| same += &format!("p{i} 2.5\n"));
    let same = move |folder: &Folder| {
        folder.write("p.txt", &same);
    };
    refused(&same, &["--phenotype", "p.txt"], &["`Y`", "2.5"]);
    let mut twice = "IID a b\n".to_owned();
    (0..PEOPLE).for_each(|i| twice += &format!("p{i} {} {}\n", age(i), 2.0 * age(i) + 1.0));
    let twice = move |folder: &Folder| {
        folder.write("c.txt", &twice);
    };
    refused(
        &twice,
        &[&BESIDE[..2], &["--covariates", "c.txt"]].concat(),
        &["--covariates", "the other kept variables explain it"],
    );
    refused(
        &none,
        &["--chromosome", "9"],
        &["d.bim", "--chromosome 9", "chr2"],
    );
    refused(
        &none,
        &["--range", "1:5000-6000"],
        &["d.bim", "none of its variants is left"],
    );
    refused(&none, &["--range", "1"], &["range", "CHROMOSOME:FROM-TO"]);
    refused(&none, &["--maf", "0.7"], &["maf", "0.5"]);
    refused(
        &none,
        &[&BESIDE[..2], &["--maf", "0.5", "--extract", "want.snps"]].concat(),
        &["no variant is left", "--maf"],
    );
    refused(
        &write("l.txt", "rs77\n"),
        &["--extract", "l.txt"],
        &["l.txt", "none of its 1 variants"],
    );
    refused(
        &write("l.txt", "\n"),
        &["--extract", "l.txt"],
        &["l.txt", "lists no variant"],
    );
    refused(
        &write("l.txt", "f9 p8\n"),
        &["--keep-people", "l.txt"],
        &["l.txt", "f9 p8"],
    );
    refused(
        &write("l.txt", ""),
        &["--remove", "l.txt"],
        &["l.txt", "lists nobody"],
    );
    refused(
        &none,
        &[&BESIDE[..2], &["--response", "Y2"]].concat(),
        &["phenotype", "response = Y2"],
    );
    refused(
        &none,
        &[&BESIDE[..], &["--interactions", "2"]].concat(),
        &["covariates", "formula or interactions"],
    );
    refused(
        &none,
        &[&BESIDE[..2], &["--method", "jmi", "--missing", "mean"]].concat(),
        &["--missing mean", "pairwise"],
    );
    refused(
        &none,
        &[&BESIDE[..], &["--method", "jmi"]].concat(),
        &["covariates has no effect"],
    );
    let csv = folder();
    let ran = csv.run(&["select", "cov.csv", "--response", "age", "--maf", "0.1"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("--maf is for genotypes"),
        "{}",
        ran.stderr
    );
}

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
    let plink = std::process::Command::new("plink2")
        .current_dir(folder.path("."))
        .args([
            "--bfile",
            "d",
            "--condition-list",
            "chosen.txt",
            "--glm",
            "allow-no-covars",
            "hide-covar",
            "--out",
            "judge",
        ])
        .output()
        .expect("apt-get install plink2");
    let told = String::from_utf8_lossy(&plink.stderr).into_owned();
    assert!(plink.status.success(), "{told}");
    let judged = fs::read_to_string(folder.path("judge.PHENO1.glm.linear")).expect(&told);
    let mut lines = judged
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let at = |name: &str| header.iter().position(|own| *own == name).expect(name);
    let (id, t) = (at("ID"), at("T_STAT"));
    let [n, p] = ["n", "p"].map(|name| report[name].as_f64().unwrap());
    let k = chosen.len() as f64;
    // What the criterion charges one variable more: ln n + 2 ln(C(p, k + 1) / C(p, k)).
    let charge = n.ln() + 2.0 * ((p - k) / (k + 1.0)).ln();
    let tested = lines.filter_map(|line| Some((line[id].to_owned(), line[t].parse::<f64>().ok()?)));
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
